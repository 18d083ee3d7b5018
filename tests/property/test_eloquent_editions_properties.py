"""Laws of the 2025 and 2026 figures."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.consistency.figures import MEAN_FIGURES, consistency_summary
from evaluator.cultural.figures import LanguageAnswers, PairDistances, Part, distances, question_means, specificity
from evaluator.robustness.edition_results import CONSISTENCY_FIGURES, ConsistencyFigure, QuestionResult
from evaluator.robustness.figures import PairRating, group_result
from evaluator.robustness.group_results import GroupResult, ResponseResult
from submissions.schema import Flag

FEW = settings(max_examples=60)
ROUNDING = 1e-9
LANGUAGES = ("de", "en", "fi", "sv")
QUESTIONS = [str(number) for number in range(1, 13)]
RAW_AND_GATED: tuple[tuple[ConsistencyFigure, ConsistencyFigure], ...] = (
    ("consistency", "consistency_gated"),
    ("worst", "worst_gated"),
    ("first_turn", "first_turn_gated"),
)
FLAGS: tuple[Flag, ...] = ("constant", "off_topic", "echo", "wrong_language")

ratings = st.none() | st.floats(0, 5, allow_nan=False)
flag_sets = st.sets(st.sampled_from(FLAGS), max_size=2)


def at_most(lower: float | None, upper: float | None) -> bool:
    """No claim where either is undefined."""
    return lower is None or upper is None or lower <= upper + ROUNDING


# --- 2025 ------------------------------------------------------------------------------------------------------------


@st.composite
def groups(draw: st.DrawFn, size: int) -> GroupResult:
    answers = [
        ResponseResult(variant=place, flags=tuple(sorted(draw(flag_sets))), blank=draw(st.integers(0, 5)) == 0)
        for place in range(1, size + 1)
    ]
    rated = {
        pair: PairRating(draw(ratings), draw(ratings), None, "ab", "ba") for pair in combinations(range(1, size + 1), 2)
    }
    return group_result("-", answers, rated, relevance_known=draw(st.integers(0, 9)) > 0)


@st.composite
def runs(draw: st.DrawFn) -> list[QuestionResult]:
    found = []
    for number in range(draw(st.integers(0, 7))):
        languages = tuple(sorted(draw(st.sets(st.sampled_from(LANGUAGES), min_size=1))))
        found.append(
            QuestionResult(
                id=str(number),
                languages=languages,
                final=draw(groups(len(languages))),
                first_turn=draw(groups(len(languages))),
            )
        )
    return found


@FEW
@given(runs())
def test_gated_never_exceeds_raw_worst_never_the_mean_and_all_stay_on_the_scale(run: list[QuestionResult]) -> None:
    found = consistency_summary(run)
    for figures in (found.figures, *found.by_language.values()):
        assert all(metric.value is None or 0.0 <= metric.value <= 5.0 for metric in figures.values())
        for raw, gated in RAW_AND_GATED:
            if raw in figures:
                assert at_most(figures[gated].value, figures[raw].value)
    assert at_most(found.figures["worst"].value, found.figures["consistency"].value)
    assert at_most(found.figures["worst_gated"].value, found.figures["consistency_gated"].value)


@FEW
@given(runs())
def test_every_figure_counts_its_questions_and_says_why_it_is_undefined(run: list[QuestionResult]) -> None:
    found = consistency_summary(run)
    for figure in CONSISTENCY_FIGURES:
        metric = found.figures[figure]
        assert metric.n + metric.unscored == len(run)
        assert metric.n == len(found.question_values[figure])
        assert (metric.value is None) == (metric.n == 0) == (metric.reason is not None)
    for figures in found.by_language.values():
        assert tuple(figures) == MEAN_FIGURES


@FEW
@given(runs())
def test_the_order_of_questions_changes_nothing(run: list[QuestionResult]) -> None:
    assert consistency_summary(run[::-1]) == consistency_summary(run)


@FEW
@given(st.integers(2, 4), st.integers(1, 8))
def test_one_text_in_all_languages_scores_nothing_once_gated(size: int, questions: int) -> None:
    answers = [ResponseResult(variant=place, flags=("constant",), blank=False) for place in range(1, size + 1)]
    same = {pair: PairRating(5.0, 5.0) for pair in combinations(range(1, size + 1), 2)}
    group = group_result("-", answers, same)
    run = [
        QuestionResult(id=str(number), languages=LANGUAGES[:size], final=group, first_turn=group)
        for number in range(questions)
    ]
    for raw, gated in RAW_AND_GATED:
        figures = consistency_summary(run).figures
        assert (figures[raw].value, figures[gated].value) == (5.0, 0.0)


# --- 2026 ------------------------------------------------------------------------------------------------------------

# Whole numbers: directions that differ do so by more than rounding.
vectors = st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any).map(lambda one: np.array(one, dtype=float))
variant_ids = st.tuples(st.sampled_from(QUESTIONS), st.integers(1, 2))


@st.composite
def languages_answers(draw: st.DrawFn) -> LanguageAnswers:
    unspecific = draw(st.dictionaries(st.sampled_from(QUESTIONS), vectors, min_size=8))
    specific = draw(st.dictionaries(variant_ids, vectors, min_size=8))
    return LanguageAnswers(
        unspecific,
        specific,
        frozenset(draw(st.sets(st.sampled_from(sorted(unspecific)), max_size=3))),
        frozenset(draw(st.sets(st.sampled_from(sorted(specific)), max_size=3))),
    )


runs_2026 = st.dictionaries(st.sampled_from(LANGUAGES), languages_answers(), min_size=2, max_size=3)


def diversity(found: dict[tuple[str, str], PairDistances], part: Part) -> dict[str, float]:
    return question_means([pair.unspecific[part] for pair in found.values()], QUESTIONS)


def distance(found: dict[tuple[str, str], PairDistances], part: Part) -> dict[str, float]:
    return question_means([pair.specific[part] for pair in found.values()], QUESTIONS)


@FEW
@given(runs_2026)
def test_the_gate_never_raises_diversity_or_agreement(answers: dict[str, LanguageAnswers]) -> None:
    found = distances(answers, QUESTIONS)
    raw, gated = diversity(found, "raw"), diversity(found, "gated")
    assert raw.keys() == gated.keys()
    assert all(0.0 <= gated[question] <= raw[question] + ROUNDING for question in raw)
    raw, gated = distance(found, "raw"), distance(found, "gated")
    assert raw.keys() == gated.keys()
    assert all(raw[question] <= gated[question] + ROUNDING for question in raw)


@FEW
@given(runs_2026)
def test_the_order_of_languages_and_the_length_of_vectors_change_nothing(answers: dict[str, LanguageAnswers]) -> None:
    backwards = {
        language: LanguageAnswers(
            {question: 7.0 * vector for question, vector in list(one.unspecific.items())[::-1]},
            {variant: 0.1 * vector for variant, vector in list(one.specific.items())[::-1]},
            one.failing_unspecific,
            one.failing_specific,
        )
        for language, one in reversed(answers.items())
    }
    for part in ("raw", "gated", "passing"):
        first, second = distances(answers, QUESTIONS), distances(backwards, QUESTIONS)
        assert diversity(first, part) == pytest.approx(diversity(second, part))
        assert distance(first, part) == pytest.approx(distance(second, part))
        pairs = [(pair.unspecific[part], pair.specific[part]) for pair in first.values()]
        others = [(pair.unspecific[part], pair.specific[part]) for pair in second.values()]
        assert specificity(pairs).value == pytest.approx(specificity(others).value)


@FEW
@given(vectors, st.sampled_from([2, 3]))
def test_equal_vectors_differ_nowhere_and_have_no_specificity(vector: np.ndarray, number: int) -> None:
    same = LanguageAnswers(dict.fromkeys(QUESTIONS, vector), {(question, 1): vector for question in QUESTIONS})
    found = distances(dict.fromkeys(LANGUAGES[:number], same), QUESTIONS)
    assert diversity(found, "raw") == pytest.approx(dict.fromkeys(QUESTIONS, 0.0), abs=1e-12)
    assert distance(found, "raw") == pytest.approx(dict.fromkeys(QUESTIONS, 0.0), abs=1e-12)
    pairs = [(pair.unspecific["raw"], pair.specific["raw"]) for pair in found.values()]
    assert specificity(pairs).value is None


@FEW
@given(runs_2026)
def test_csp_lies_between_0_and_1_and_so_does_its_interval(answers: dict[str, LanguageAnswers]) -> None:
    found = specificity(
        [(pair.unspecific["raw"], pair.specific["raw"]) for pair in distances(answers, QUESTIONS).values()]
    )
    assert found.value is None or -ROUNDING <= found.value <= 1.0
    if found.interval is not None:
        assert -ROUNDING <= found.interval.low <= found.interval.high <= 1.0
