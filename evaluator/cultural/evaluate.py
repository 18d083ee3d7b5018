"""The recipe of the 2026 edition: embeddings of all answers, relevance, what answers, and the cultural figures."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from evaluator.cultural.figures import (
    LanguageAnswers,
    PairDistances,
    Part,
    Specificity,
    Vector,
    distances,
    question_means,
    specificity,
)
from evaluator.cultural.response import QuestionAnswers, responses_to_culture
from evaluator.embeddings.protocol import Embedder
from evaluator.judges.protocol import reads_language
from evaluator.judges.recorded import RecordedJudge
from evaluator.robustness.answer_gate import NO_ANSWER_BELOW, Answering, Place, answer_weight, answering
from evaluator.robustness.answer_vectors import TextVectors, embedded
from evaluator.robustness.edition_relevance import AnswerId, answer_relevances, relevance_prompts
from evaluator.robustness.edition_results import (
    CULTURAL_FIGURES,
    CULTURAL_HEADLINE,
    CulturalFigure,
    CulturalResult,
    LanguagePair,
    LanguageShare,
)
from evaluator.robustness.figures import SET_UNAVAILABLE, flag_counts
from evaluator.robustness.group_results import SetVersion
from evaluator.robustness.relevance import Relevance, control_pass_share, pass_share
from evaluator.statistics.intervals import FloatArray, bootstrap_metric
from evaluator.statistics.version import STATISTICS_VERSION
from evaluator.values import MetricValue
from submissions.formats.eloquent.coverage import CULTURAL_MIN_LANGUAGES
from submissions.schema import GATING_FLAGS, Coverage, Flag, PromptSet, Response, Submission
from submissions.version import VERSION

MIN_LANGUAGES = 2
NO_PROMPTS = (
    "partial: no prompts of 2026 are installed here, so that answers were compared with what the file says was asked; "
    "an organiser puts the official ones into the folder of official sets"
)
"""Why a run is not ranked that is right in all else: with prompts of its own choice, it could have any rank."""
NO_RESPONSE = "no response to culture: it cannot be told from 0, which noise and one text everywhere reach"
"""Why a run is not ranked whose headline's interval holds 0, whatever baselines there are."""
RANK_MIN_PASS_SHARE = 0.5
"""Answers on topic that a ranked run needs: unrelated text reaches as many."""

Flags = Mapping[AnswerId, frozenset[Flag]]


def evaluate_cultural(
    submission: Submission, coverage: Coverage, prompt_set: PromptSet, judge: RecordedJudge, embedder: Embedder
) -> CulturalResult:
    """Scores one run by the distances between its answers' embeddings; a judge is asked only what answers its prompt.

    Time and memory grow with the answers (vectors) and the pairs of languages (distances), never with pairs of answers
    to different prompts. Languages that the embedding model does not declare are left out, with the reason.

    Args:
        submission: With the guards' flags.
        coverage: Of the submission.
        prompt_set: Its prompts are what answers are compared with, else those stated in the file.
        judge: Told of progress, and asked what answers if it can be (`asked_about`).
        embedder: Makes every figure here.
    """
    answered = [response for response in submission.responses() if not response.is_blank]
    prompts = relevance_prompts(answered, prompt_set)
    texts = [(answer.response, answer.language) for answer in answered]
    texts += [(prompt, language) for (_, language), prompt in prompts.items()]
    vectors = embedded(texts, embedder, judge.tell)
    relevance = answer_relevances(answered, prompts, vectors, embedder)
    asked = asked_about(answered, submission.file_sha256)
    gate = answering(asked, lambda response: prompts.get((response.item_id, response.language)), judge, embedder)
    flags = {(answer.item_id, answer.language): _flags(answer, _probability(gate, answer)) for answer in answered}
    listed = tuple(coverage.by_language) or tuple(dict.fromkeys(answer.language for answer in answered))
    read = [language for language in listed if reads_language(embedder.pin, language)]
    gate_is_known = all(check.gate_is_known for check in relevance.values())
    by_language = {language: _language_answers(language, answered, vectors, flags) for language in read}
    figures, question_values, questions, pairs = _figures(by_language, gate_is_known)
    of_culture = _responses_to_culture(by_language, _weights(asked, gate), gate_is_known)
    question_values |= of_culture
    figures |= {
        figure: _mean(values, len(questions), gate_is_known or not figure.endswith("_gated"), NOTHING_TOLD)
        for figure, values in of_culture.items()
    }
    unread = [language for language in listed if language not in read]
    if len(read) < MIN_LANGUAGES:
        figures = _undefined(embedder, unread, listed)
    passes = pass_share(relevance.values())
    ungated = [language for language in read if gate is not None and not reads_language(judge.judge.gate_pin, language)]
    reason = _unranked_reason(coverage, prompt_set, unread, ungated, embedder, passes, figures)
    return CulturalResult(
        edition=submission.edition,
        prompt_set=SetVersion(set_id=prompt_set.set_id, version=prompt_set.version, sha256=prompt_set.sha256),
        file_sha256=submission.file_sha256,
        embedding=embedder.pin,
        code_version=VERSION,
        statistics_version=STATISTICS_VERSION,
        coverage={"expected": coverage.total.expected, "answered": coverage.total.answered},
        languages={language: _share(language, coverage, flags, relevance, language in read) for language in listed},
        figures=figures,
        question_values=question_values,
        questions=questions,
        pairs=pairs,
        flags=flag_counts(flags.values()),
        pass_share=passes,
        control_pass_share=control_pass_share(relevance.values()),
        ranked=reason is None,
        reason=reason,
        gate=None if gate is None else judge.judge.gate_pin,
        answers_asked=0 if gate is None else len(asked),
    )


def _flags(response: Response, answers: float | None) -> frozenset[Flag]:
    """None for relevance: short right answers too lie no nearer to their prompt than to others (docs/metrics.md)."""
    flags: set[Flag] = set(response.flags)
    if answers is not None and answers < NO_ANSWER_BELOW:
        flags.add("no_answer")
    return frozenset(flags)


def asked_about(answered: Sequence[Response], file_sha256: str) -> list[Response]:
    """The answers that are put to the gate: all that name no culture, and one of every question that does.

    Which variant that is follows from the bytes of the file, so that nobody can answer just those; in a language that
    lacks it the next one stands for it.
    """

    def turn(response: Response) -> str:
        return hashlib.sha256(f"{file_sha256} {response.base_id} {response.variant}".encode()).hexdigest()

    chosen: dict[tuple[str, str], Response] = {}
    for answer in answered:
        place = (answer.base_id, answer.language)
        if answer.kind == "specific" and (place not in chosen or turn(answer) < turn(chosen[place])):
            chosen[place] = answer
    return [
        answer
        for answer in answered
        if answer.kind == "unspecific" or chosen[answer.base_id, answer.language] is answer
    ]


def _probability(gate: Mapping[Place, Answering] | None, response: Response) -> float | None:
    """That a response answers its prompt; None where it was not asked about."""
    known = (gate or {}).get((response.item_id, response.language, response.variant))
    return known.probability if known else None


_Weights = Mapping[tuple[str, str, str], float]
"""Kind, base question and language -> how far the answers there answer; 1 where it is not known."""


def _weights(asked: Sequence[Response], gate: Mapping[Place, Answering] | None) -> _Weights:
    """One variant stands for all that a question has in a language."""
    known = ((answer, _probability(gate, answer)) for answer in asked)
    return {
        (str(answer.kind), answer.base_id, answer.language): answer_weight(probability)
        for answer, probability in known
        if probability is not None
    }


def _language_answers(
    language: str, answered: Sequence[Response], vectors: TextVectors, flags: Flags
) -> LanguageAnswers:
    own = [answer for answer in answered if answer.language == language]
    fails = {answer.item_id: not GATING_FLAGS.isdisjoint(flags[answer.item_id, language]) for answer in own}
    unspecific = [answer for answer in own if answer.kind == "unspecific"]
    specific = [answer for answer in own if answer.kind == "specific"]
    return LanguageAnswers(
        unspecific={answer.base_id: vectors.of(answer.response) for answer in unspecific},
        specific={(answer.base_id, answer.variant): vectors.of(answer.response) for answer in specific},
        failing_unspecific=frozenset(answer.base_id for answer in unspecific if fails[answer.item_id]),
        failing_specific=frozenset((answer.base_id, answer.variant) for answer in specific if fails[answer.item_id]),
    )


# --- figures ---------------------------------------------------------------------------------------------------------

_Figures = tuple[
    dict[CulturalFigure, MetricValue],
    dict[CulturalFigure, dict[str, float]],
    tuple[str, ...],
    tuple[LanguagePair, ...],
]


def _figures(answers: Mapping[str, LanguageAnswers], gate_is_known: bool) -> _Figures:
    asked = {question for answer in answers.values() for question in answer.unspecific} | {
        question for answer in answers.values() for question, _ in answer.specific
    }
    questions = tuple(sorted(asked, key=lambda question: (len(question), question)))
    by_pair = distances(answers, questions)
    values: dict[CulturalFigure, dict[str, float]] = {
        "cd": _diversity(by_pair, questions, "raw"),
        "cr": _robustness(by_pair, questions, "raw"),
        "cd_gated": _diversity(by_pair, questions, "gated") if gate_is_known else {},
        "cr_gated": _robustness(by_pair, questions, "gated") if gate_is_known else {},
    }
    raw = specificity([(pair.unspecific["raw"], pair.specific["raw"]) for pair in by_pair.values()])
    gated = specificity([(pair.unspecific["passing"], pair.specific["passing"]) for pair in by_pair.values()])
    figures: dict[CulturalFigure, MetricValue] = {
        figure: _mean(values[figure], len(questions), gate_is_known or not figure.endswith("_gated"))
        for figure in values
    }
    figures["csp"] = _specificity(raw, is_known=True)
    figures["csp_gated"] = _specificity(gated, is_known=gate_is_known)
    pairs = tuple(
        _language_pair(names, pair, raw.correlations[place], gated.correlations[place] if gate_is_known else None)
        for place, (names, pair) in enumerate(by_pair.items())
    )
    if not gate_is_known:
        pairs = tuple(
            pair.model_copy(
                update=dict.fromkeys(("unspecific_gated", "specific_gated", "unspecific_passing", "specific_passing"))
            )
            for pair in pairs
        )
    return figures, values, questions, pairs


def _diversity(
    by_pair: Mapping[tuple[str, str], PairDistances], questions: Sequence[str], part: Part
) -> dict[str, float]:
    """CD by question."""
    return question_means([pair.unspecific[part] for pair in by_pair.values()], questions)


def _robustness(
    by_pair: Mapping[tuple[str, str], PairDistances], questions: Sequence[str], part: Part
) -> dict[str, float]:
    """CR by question."""
    apart = question_means([pair.specific[part] for pair in by_pair.values()], questions)
    return {question: 1.0 - distance for question, distance in apart.items()}


def _responses_to_culture(
    by_language: Mapping[str, LanguageAnswers], weights: _Weights, gate_is_known: bool
) -> dict[CulturalFigure, dict[str, float]]:
    """The figures of the response to culture by question, raw and gated."""
    answers = {language: _by_question(own, language, weights) for language, own in by_language.items()}
    raw = responses_to_culture(answers, gated=False)
    gated = responses_to_culture(answers, gated=True) if gate_is_known else {}
    return {
        "named": raw["named"],
        "open": raw["open"],
        "culture": raw["culture"],
        "named_gated": gated.get("named", {}),
        "open_gated": gated.get("open", {}),
        "culture_gated": gated.get("culture", {}),
    }


def _by_question(answers: LanguageAnswers, language: str, weights: _Weights) -> dict[str, QuestionAnswers]:
    """The answers of a language by base question; those that carry a gating flag weigh nothing."""
    specific: defaultdict[str, dict[int, Vector]] = defaultdict(dict)
    for (question, variant), vector in answers.specific.items():
        specific[question][variant] = vector
    return {
        question: QuestionAnswers(
            answers.unspecific.get(question),
            specific[question],
            0.0 if question in answers.failing_unspecific else weights.get(("unspecific", question, language), 1.0),
            {
                variant: 0.0
                if (question, variant) in answers.failing_specific
                else weights.get(("specific", question, language), 1.0)
                for variant in specific[question]
            },
        )
        for question in sorted({*answers.unspecific, *(question for question, _ in answers.specific)})
    }


NOTHING_TOLD = "no question has an open answer and two answers about cultures in two languages"


def _mean(
    values: Mapping[str, float],
    questions: int,
    is_known: bool,
    reason: str = "no question is answered in two languages",
) -> MetricValue:
    return bootstrap_metric(values, unscored=questions - len(values), reason=reason if is_known else SET_UNAVAILABLE)


def _specificity(specificity: Specificity, *, is_known: bool) -> MetricValue:
    """CSP with n = pairs of languages that have a correlation."""
    known = sum(rho is not None for rho in specificity.correlations)
    unscored = len(specificity.correlations) - known
    if not is_known:
        return MetricValue(value=None, n=0, unscored=len(specificity.correlations), reason=SET_UNAVAILABLE)
    if specificity.value is None:
        reason = "no two languages have a correlation: too few questions, or distances that do not differ"
        return MetricValue(value=None, n=0, unscored=unscored, reason=reason)
    low, high = specificity.interval if specificity.interval is not None else (None, None)
    return MetricValue(value=specificity.value, low=low, high=high, n=known, unscored=unscored)


def _undefined(embedder: Embedder, unread: Sequence[str], listed: Sequence[str]) -> dict[CulturalFigure, MetricValue]:
    alone = f"answers in one language ({', '.join(listed)}): nothing to compare"
    reason = _unread_reason(embedder, unread) if unread else alone
    return {figure: MetricValue(value=None, n=0, reason=reason) for figure in CULTURAL_FIGURES}


def _unread_reason(embedder: Embedder, unread: Sequence[str]) -> str:
    return f"the embedding model {embedder.pin.model} does not declare {', '.join(unread)}"


def _language_pair(
    names: tuple[str, str], pair: PairDistances, rho: float | None, rho_gated: float | None
) -> LanguagePair:
    return LanguagePair(
        a=names[0],
        b=names[1],
        rho=rho,
        rho_gated=rho_gated,
        unspecific=_column(pair.unspecific["raw"]),
        specific=_column(pair.specific["raw"]),
        unspecific_gated=_column(pair.unspecific["gated"]),
        specific_gated=_column(pair.specific["gated"]),
        unspecific_passing=_column(pair.unspecific["passing"]),
        specific_passing=_column(pair.specific["passing"]),
    )


def _column(values: FloatArray) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(value) else float(value) for value in values)


# --- beside the figures ----------------------------------------------------------------------------------------------


def _share(
    language: str, coverage: Coverage, flags: Flags, relevance: Mapping[AnswerId, Relevance], read: bool
) -> LanguageShare:
    count = coverage.by_language.get(language)
    of_language = {item_id: check for (item_id, its), check in relevance.items() if its == language}
    checked = list(of_language.values())
    flagged: defaultdict[Flag, list[str]] = defaultdict(list)
    for item_id in of_language:
        for flag in flags[item_id, language]:
            flagged[flag].append(item_id)
    return LanguageShare(
        expected=count.expected if count else None,
        answered=count.answered if count else 0,
        read=read,
        flags={flag: len(ids) for flag, ids in sorted(flagged.items())},
        pass_share=pass_share(checked),
        control_pass_share=control_pass_share(checked),
        flagged={flag: tuple(ids) for flag, ids in sorted(flagged.items())},
        unchecked=tuple(item_id for item_id, check in of_language.items() if check.off_topic is None),
    )


def _unranked_reason(
    coverage: Coverage,
    prompt_set: PromptSet,
    unread: Sequence[str],
    ungated: Sequence[str],
    embedder: Embedder,
    passes: MetricValue,
    figures: Mapping[CulturalFigure, MetricValue],
) -> str | None:
    """Why a run is not ranked; None where it is."""
    if not coverage.rankable.get("cultural"):
        return f"partial: a rank needs {CULTURAL_MIN_LANGUAGES} languages with 95% of both files answered"
    if unread:
        return f"partial: {_unread_reason(embedder, unread)}"
    if ungated:
        return f"partial: whether a text answers its prompt is not known in {', '.join(ungated)}"
    headline = figures[CULTURAL_HEADLINE]
    if headline.value is None:
        return headline.reason
    if headline.low is None or headline.low <= 0.0:
        return NO_RESPONSE
    if passes.value is not None and passes.value < RANK_MIN_PASS_SHARE:
        return f"{passes.value:.0%} of its answers are on topic: a rank needs {RANK_MIN_PASS_SHARE:.0%}"
    return None if prompt_set.items else NO_PROMPTS
