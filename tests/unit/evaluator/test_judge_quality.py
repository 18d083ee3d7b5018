"""Judge quality: the statistics, and that the published figures are what a fresh measurement gives."""

from __future__ import annotations

import doctest
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest
from scipy.stats import spearmanr

from evaluator import judge_quality
from evaluator.judge_quality import (
    JudgeQuality,
    accuracy,
    auc,
    format_metric,
    measure,
    quality,
    quality_table,
    spearman,
)
from evaluator.judges.embedding import (
    EmbeddingJudge,
    LabelledPair,
    fit_calibration,
    labelled_pairs,
    shipped_calibration,
)
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
from evaluator.minilm import MiniLMEmbedder
from evaluator.results import MetricValue


def _pairs(grades: Sequence[int], topics: int = 6) -> list[LabelledPair]:
    return [
        LabelledPair(
            id=str(number),
            topic=f"topic {number % topics}",
            split="test",
            category="paraphrase" if grade >= 3 else "negation",
            prompt_a="?",
            prompt_b="??",
            a=f"a {number}",
            b=f"b {number}",
            grade=grade,
        )
        for number, grade in enumerate(grades)
    ]


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(judge_quality).failed == 0


def test_auc_counts_won_contests_and_half_of_the_ties() -> None:
    # contests: (3,1) won, (3,2) won, (2,1) won, (2,2) tied -> 3.5 of 4
    assert auc([3.0, 2.0], [1.0, 2.0]) == 0.875
    assert auc([1.0], [1.0]) == 0.5
    assert auc([], [1.0]) is None


def test_accuracy_splits_scores_at_two_and_a_half_and_grades_at_three() -> None:
    assert accuracy([2.5, 2.6, 2.4, 5.0], [3, 3, 2, 0]) == 0.5  # wrong, right, right, wrong
    assert accuracy([], []) is None


def test_spearman_is_the_reference_implementation_with_ties() -> None:
    scores, grades = [0.1, 0.4, 0.4, 0.2, 0.9], [0, 3, 1, 1, 5]
    assert spearman(scores, grades) == pytest.approx(float(spearmanr(scores, grades).statistic))
    assert spearman([1.0, 1.0], [0, 5]) is None


def test_a_perfect_judge_has_perfect_figures_with_intervals_without_width() -> None:
    pairs = _pairs([0, 5] * 9)
    found = quality([float(pair.grade) for pair in pairs], pairs)
    for metric in (found.auc, found.accuracy, found.spearman):
        assert (metric.value, metric.low, metric.high, metric.n, metric.unscored) == (1.0, 1.0, 1.0, 18, 0)
    assert found.categories["negation"].auc.n == 9


def test_unscored_pairs_are_left_out_and_counted() -> None:
    pairs = _pairs([0, 5] * 9)
    found = quality([None, *(float(pair.grade) for pair in pairs[1:])], pairs)
    assert (found.accuracy.n, found.accuracy.unscored) == (17, 1)
    assert (found.categories["negation"].accuracy.n, found.categories["negation"].accuracy.unscored) == (8, 1)
    assert (found.categories["paraphrase"].accuracy.n, found.categories["paraphrase"].accuracy.unscored) == (9, 0)


def test_a_judge_that_scores_nothing_has_undefined_figures_with_a_reason() -> None:
    measured = measure(ScriptedJudge(lambda _request: None), _pairs([0, 5, 0]))
    assert measured.unscored == 3
    assert measured.quality.auc == MetricValue(
        value=None, n=0, unscored=3, reason="only one label among the scored pairs"
    )
    assert measured.order_gap.value is None


def test_fewer_than_five_topics_give_no_interval() -> None:
    found = quality([0.0, 5.0, 1.0], _pairs([0, 5, 0]))
    assert (found.auc.value, found.auc.low) == (1.0, None)


def test_a_category_is_held_against_all_pairs_of_the_other_label() -> None:
    pairs = _pairs([0, 0, 5, 5])
    # negation scores 1 and 4, paraphrases 3 and 2: 1 < 3, 1 < 2, 4 > both -> 2 of 4 contests
    found = quality([1.0, 4.0, 3.0, 2.0], pairs)
    assert found.categories["negation"].auc.value == 0.5
    assert found.categories["negation"].accuracy.value == 0.5  # 4 is wrong
    assert found.categories["paraphrase"].accuracy.value == 0.5  # 2 is wrong


def test_the_order_gap_shows_a_judge_that_favours_what_it_sees_first() -> None:
    def first_letter(request: JudgeRequest) -> float:
        return 4.0 if request.fields["answer_a"].startswith("a") else 3.0

    assert measure(ScriptedJudge(first_letter), _pairs([0, 5] * 6)).order_gap.value == 1.0


def test_a_measurement_survives_json() -> None:
    measured = measure(ScriptedJudge(), _pairs([0, 5] * 6))
    assert JudgeQuality.model_validate_json(measured.model_dump_json()) == measured
    assert set(measured.baselines) == {"word_overlap", "length_ratio"}


# --- the published figures ---------------------------------------------------------------------------------------


class _MemoryCache(dict[str, bytes]):
    """An embedding cache in memory: judge and baseline share the embeddings."""

    def load_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self[key] for key in keys if key in self}

    def save_embeddings(self, embeddings: dict[str, bytes]) -> None:
        self.update(embeddings)


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder(_MemoryCache())


@pytest.fixture(scope="module")
def shipped() -> JudgeQuality:
    return JudgeQuality.model_validate_json(files("evaluator.judges").joinpath("embedding_quality.json").read_text())


def _close(fresh: MetricValue, published: MetricValue) -> bool:
    numbers = [(fresh.value, published.value), (fresh.low, published.low), (fresh.high, published.high)]
    return (fresh.n, fresh.unscored) == (published.n, published.unscored) and all(
        one == pytest.approx(two, abs=0.005) for one, two in numbers
    )


@pytest.mark.slow
def test_a_fresh_measurement_on_the_test_split_gives_the_shipped_figures(
    embedder: MiniLMEmbedder, shipped: JudgeQuality
) -> None:
    fresh = measure(EmbeddingJudge(embedder), labelled_pairs("test"), embedder)
    assert (fresh.pairs, fresh.topics, fresh.equivalent) == (shipped.pairs, shipped.topics, shipped.equivalent)
    assert fresh.order_gap.value == 0.0
    assert fresh.baselines.keys() == shipped.baselines.keys()
    columns = [(fresh.quality, shipped.quality)]
    columns += [(fresh.baselines[name], shipped.baselines[name]) for name in shipped.baselines]
    for one, two in columns:
        assert _close(one.auc, two.auc)
        assert _close(one.accuracy, two.accuracy)
        assert _close(one.spearman, two.spearman)
        for category in two.categories:
            assert _close(one.categories[category].accuracy, two.categories[category].accuracy)
            assert _close(one.categories[category].auc, two.categories[category].auc)


@pytest.mark.slow
def test_refitting_on_the_fit_split_gives_the_shipped_calibration(embedder: MiniLMEmbedder) -> None:
    refitted, shipped = fit_calibration(embedder, labelled_pairs("fit")), shipped_calibration()
    assert refitted.fitted_on == shipped.fitted_on
    assert refitted.intercept == pytest.approx(shipped.intercept, abs=1e-5)
    assert refitted.weights == pytest.approx(shipped.weights, abs=1e-5)


def test_the_documentation_states_the_shipped_figures(shipped: JudgeQuality) -> None:
    page = (Path(__file__).parents[3] / "docs" / "judges.md").read_text()
    assert quality_table(shipped) in page
    for metric in (shipped.quality.auc, shipped.quality.accuracy, shipped.quality.spearman):
        assert format_metric(metric) in page
    assert shipped.judge.prompt in page
    assert shipped.judge.revision in page


def test_the_judge_beats_every_baseline_beyond_its_interval(shipped: JudgeQuality) -> None:
    for baseline in shipped.baselines.values():
        assert shipped.quality.auc.low is not None
        assert baseline.auc.high is not None
        assert shipped.quality.auc.low > baseline.auc.high
