"""Consistency between languages (ELOQUENT 2025): does a system answer a question the same in every language?

The answers of one run to one question in several languages make pairs of languages; C is the mean of their scores, W
the least. Pure functions; every figure is on the judge's scale 0-5, higher is better, None where nothing was judged.
Our definition (docs/metrics.md#the-2025-edition-between-languages): none was published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from evaluator.robustness.edition_results import (
    CONSISTENCY_FIGURES,
    CONSISTENCY_HEADLINE,
    ConsistencyFigure,
    OtherQuestion,
    QuestionResult,
)
from evaluator.robustness.figures import RATING_ENDS, SET_UNAVAILABLE
from evaluator.robustness.group_results import Figure, GroupResult, PairResult
from evaluator.statistics.intervals import mean_metric
from evaluator.values import MetricValue
from submissions.formats.eloquent.coverage import RANK_MIN_COVERAGE
from submissions.formats.eloquent.guards import CONSTANT_MIN_RESPONSES

RANK_MIN_LANGUAGES = 2
RANK_MIN_QUESTIONS = CONSTANT_MIN_RESPONSES
"""Questions each language needs: with fewer answers the guard against constant ones is blind."""

MEAN_FIGURES: tuple[ConsistencyFigure, ...] = ("consistency", "consistency_gated", "first_turn", "first_turn_gated")
"""Figures that are means over pairs, so that a language has a part in them."""

_OF_GROUP: Mapping[ConsistencyFigure, Figure] = {
    "consistency": "pair_mean",
    "consistency_gated": "pair_mean_gated",
    "worst": "pair_worst",
    "worst_gated": "pair_worst_gated",
    "first_turn": "pair_mean",
    "first_turn_gated": "pair_mean_gated",
}


@dataclass(frozen=True, slots=True)
class ConsistencySummary:
    """The figures of a run."""

    figures: dict[ConsistencyFigure, MetricValue]
    question_values: dict[ConsistencyFigure, dict[str, float]]
    by_language: dict[str, dict[ConsistencyFigure, MetricValue]]


def consistency_summary(questions: Sequence[QuestionResult], reason: str | None = None) -> ConsistencySummary:
    """All figures of a run, from its questions in any order.

    Each figure is the mean over judged questions with its interval over questions; of a language, the mean over
    questions of the mean over the pairs it is one of. A gated figure is None while relevance is unknown for any answer:
    a mean over fewer pairs than the raw one could exceed it.

    Args:
        questions: Answered in at least one language.
        reason: Why nothing was judged, where that is known.
    """
    values = {figure: _question_values(questions, figure) for figure in CONSISTENCY_FIGURES}
    languages = sorted({language for question in questions for language in question.languages})
    return ConsistencySummary(
        figures={
            figure: _mean(values[figure], len(questions), _reason(questions, figure, reason))
            for figure in CONSISTENCY_FIGURES
        },
        question_values=values,
        by_language={
            language: {figure: _language_mean(questions, language, figure, reason) for figure in MEAN_FIGURES}
            for language in languages
        },
    )


def language_values(
    questions: Sequence[QuestionResult], figure: ConsistencyFigure = CONSISTENCY_HEADLINE
) -> dict[str, dict[str, float]]:
    """Question -> language -> the mean of the judged pairs that the language is one of; 0-5, higher is better.

    Empty for a gated figure while relevance is unknown for any answer, as `consistency_summary` has it.
    """
    if _lacks_relevance(questions, figure):
        return {}
    by_question = {
        question.id: {
            language: value
            for language in question.languages
            if (value := _language_value(question, language, figure)) is not None
        }
        for question in questions
    }
    return {question: values for question, values in by_question.items() if values}


NOT_REGISTERED = (
    "the questions of the edition are not registered here, so nobody can tell whether the run asks them; an organiser "
    "puts them into the folder of official sets"
)


def other_questions_reason(others: Sequence[OtherQuestion], answered: int) -> str | None:
    """Why a run that asks other questions than the registered ones is not ranked; None where it asks none.

    >>> other_questions_reason([OtherQuestion(language="en", id="77", why="not registered")], 40)
    "1 of its 40 questions is not the edition's: en 77 (not registered)"
    """
    if not others:
        return None
    shown = ", ".join(f"{other.language} {other.id} ({other.why})" for other in others[:SHOWN])
    more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
    verb = "is" if len(others) == 1 else "are"
    return f"{len(others)} of its {answered} questions {verb} not the edition's: {shown}{more}"


SHOWN = 5
"""Questions that a reason names."""


def unrankable_reason(answered: Mapping[str, int], registered: Mapping[str, int]) -> str | None:
    """Why a run with so many answered questions per language is not ranked, as far as these go; None where it may be.

    More files may come, so it is "not yet" rather than "no". Whoever leaves the hard questions out is not compared:
    two languages need nearly all that are registered.

    Args:
        answered: Language -> questions with an answer.
        registered: Language -> questions of the edition.

    >>> unrankable_reason({"en": 20, "fi": 19}, {"en": 20, "fi": 20})
    '1 of its languages has at least 20 answered questions (en): a run needs 2, with fewer the guards are blind'
    >>> unrankable_reason({"en": 200}, {"en": 200})
    'answers in one language (en): a run needs the files of at least 2'
    >>> unrankable_reason({"en": 60, "fi": 41, "sv": 3}, {"en": 60, "fi": 60, "sv": 60})
    'partial: en 60 of 60, fi 41 of 60, sv 3 of 60 questions are answered: a rank needs 95% in 2 languages'
    >>> unrankable_reason({"en": 20, "fi": 25, "sv": 3}, {"en": 20, "fi": 25, "sv": 25}) is None
    True
    """
    if len(answered) < RANK_MIN_LANGUAGES:
        named = f"answers in one language ({', '.join(answered)})" if answered else "no answers"
        return f"{named}: a run needs the files of at least {RANK_MIN_LANGUAGES}"
    enough = sorted(language for language, number in answered.items() if number >= RANK_MIN_QUESTIONS)
    if len(enough) >= RANK_MIN_LANGUAGES:
        whole = [language for language in enough if answered[language] >= RANK_MIN_COVERAGE * registered[language]]
        return None if len(whole) >= RANK_MIN_LANGUAGES else _partial_reason(answered, registered)
    counted = f"{len(enough)} of its languages {'has' if len(enough) == 1 else 'have'}"
    named = f" ({', '.join(enough)})" if enough else ""
    return (
        f"{counted} at least {RANK_MIN_QUESTIONS} answered questions{named}: a run needs {RANK_MIN_LANGUAGES}, with "
        "fewer the guards are blind"
    )


def _partial_reason(answered: Mapping[str, int], registered: Mapping[str, int]) -> str:
    counted = ", ".join(f"{language} {number} of {registered[language]}" for language, number in answered.items())
    return (
        f"partial: {counted} questions are answered: a rank needs {RANK_MIN_COVERAGE:.0%} in {RANK_MIN_LANGUAGES} "
        "languages"
    )


def _group(question: QuestionResult, figure: ConsistencyFigure) -> GroupResult:
    return question.first_turn if figure.startswith("first_turn") else question.final


def _is_gated(figure: ConsistencyFigure) -> bool:
    return figure.endswith("_gated")


def _lacks_relevance(questions: Sequence[QuestionResult], figure: ConsistencyFigure) -> bool:
    return _is_gated(figure) and any(
        pair.passes is None for question in questions for pair in _group(question, figure).pairs
    )


def _question_values(questions: Sequence[QuestionResult], figure: ConsistencyFigure) -> dict[str, float]:
    if _lacks_relevance(questions, figure):
        return {}
    values = {question.id: _group(question, figure).figures[_OF_GROUP[figure]] for question in questions}
    return {question: value for question, value in sorted(values.items()) if value is not None}


def _language_mean(
    questions: Sequence[QuestionResult], language: str, figure: ConsistencyFigure, reason: str | None
) -> MetricValue:
    own = [question for question in questions if language in question.languages]
    if _lacks_relevance(questions, figure):
        return _mean({}, len(own), SET_UNAVAILABLE)
    values = {
        question.id: value for question in own if (value := _language_value(question, language, figure)) is not None
    }
    return _mean(values, len(own), _reason(own, figure, reason))


def _language_value(question: QuestionResult, language: str, figure: ConsistencyFigure) -> float | None:
    """The mean of a question's pairs that a language is one of; None where none of them was judged."""
    place = question.languages.index(language) + 1
    scores = [
        score
        for pair in _group(question, figure).pairs
        if place in (pair.a, pair.b) and (score := _score(pair, figure)) is not None
    ]
    return fsum(scores) / len(scores) if scores else None


def _score(pair: PairResult, figure: ConsistencyFigure) -> float | None:
    return pair.gated if _is_gated(figure) else pair.score


def _mean(values: Mapping[str, float], questions: int, reason: str) -> MetricValue:
    return mean_metric(
        {question: [value] for question, value in values.items()},
        RATING_ENDS,
        unscored=questions - len(values),
        reason=reason,
    )


def _reason(questions: Sequence[QuestionResult], figure: ConsistencyFigure, reason: str | None) -> str:
    """Why a figure without any judged question is None, in plain words."""
    if not any(_group(question, figure).pairs for question in questions):
        return reason or "no question is answered in two languages"
    if _lacks_relevance(questions, figure):
        return SET_UNAVAILABLE
    reasons = {_group(question, figure).reason for question in questions}
    return reason or "; ".join(sorted(reason for reason in reasons if reason)) or "nothing was judged"
