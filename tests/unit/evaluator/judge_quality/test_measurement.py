"""Judge quality: the statistics, and that the published figures are what a fresh measurement gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.stats import spearmanr

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judge_quality import measurement
from evaluator.judge_quality.labelled_pairs import LabelledPair, labelled_pairs, pairs_digest
from evaluator.judge_quality.measurement import (
    CalibrationBin,
    JudgeQuality,
    accuracy,
    auc,
    balanced_accuracy,
    calibration,
    failures_text,
    format_metric,
    measure,
    pin_sha256,
    quality,
    quality_table,
    quality_text,
    scored_labelled,
    spearman,
    worst_failures,
)
from evaluator.judge_quality.shipped import drawn_pairs
from evaluator.judges.pair.judge import load_pair_judge
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
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


def test_auc_counts_won_contests_and_half_of_the_ties() -> None:
    # contests: (3,1) won, (3,2) won, (2,1) won, (2,2) tied -> 3.5 of 4
    assert auc([3.0, 2.0], [1.0, 2.0]) == 0.875
    assert auc([1.0], [1.0]) == 0.5
    assert auc([], [1.0]) is None


def test_accuracy_splits_scores_at_two_and_a_half_and_grades_at_three() -> None:
    assert accuracy([2.5, 2.6, 2.4, 5.0], [3, 3, 2, 0]) == 0.5  # wrong, right, right, wrong
    assert accuracy([], []) is None


def test_balanced_accuracy_weighs_both_labels_alike() -> None:
    # of the equivalent pairs 1 of 1 is right, of the others 1 of 3 -> (1 + 1/3) / 2 = 2/3; plain accuracy is 2 of 4
    assert balanced_accuracy([4.0, 1.0, 3.0, 3.0], [5, 0, 1, 2]) == pytest.approx(2 / 3)
    assert balanced_accuracy([4.0, 4.0], [5, 0]) == 0.5  # always "the same"
    assert balanced_accuracy([4.0], [5]) is None


def test_balanced_accuracy_comes_with_an_interval_over_topics() -> None:
    pairs = _pairs([0, 5] * 9)
    found = quality([5.0] * 18, pairs).balanced_accuracy
    # 18 pairs go round 6 topics, so that each topic holds one label only: a resample has both, or no value
    assert (found.value, found.low, found.high, found.n) == (0.5, 0.5, 0.5, 18)


def test_calibration_sets_mean_grades_beside_mean_scores() -> None:
    # 2.5 opens a bin, 5.0 belongs to the last one; 0.5 to 2.5 and 3 to 4.5 hold nothing
    found = calibration([0.1, 0.3, 2.5, 4.75, 5.0], [0, 1, 3, 4, 5])
    assert found == (
        CalibrationBin(low=0.0, high=0.5, mean_score=0.2, mean_grade=0.5, n=2),
        CalibrationBin(low=2.5, high=3.0, mean_score=2.5, mean_grade=3.0, n=1),
        CalibrationBin(low=4.5, high=5.0, mean_score=4.875, mean_grade=4.5, n=2),
    )
    assert calibration([], []) == ()


def test_spearman_is_the_reference_implementation_with_ties() -> None:
    scores, grades = [0.1, 0.4, 0.4, 0.2, 0.9], [0, 3, 1, 1, 5]
    assert spearman(scores, grades) == pytest.approx(float(spearmanr(scores, grades).statistic))
    assert spearman([1.0, 1.0], [0, 5]) is None


def test_a_perfect_judge_has_perfect_figures() -> None:
    pairs = _pairs([0, 5] * 9)
    found = quality([float(pair.grade) for pair in pairs], pairs)
    assert (found.auc.value, found.auc.high, found.auc.n) == (1.0, 1.0, 18)
    assert found.auc.low == pytest.approx(0.025 ** (1 / 6), abs=1e-6)  # six topics
    for metric in (found.accuracy, found.spearman):
        assert (metric.value, metric.high, metric.n, metric.unscored) == (1.0, 1.0, 18, 0)
    # Six topics of which none holds an error: as a share of 6 of 6, and as a correlation of six units all in order.
    assert found.accuracy.low == pytest.approx(0.025 ** (1 / 6), abs=1e-6)
    assert found.spearman.low == pytest.approx(2 * 0.025 ** (1 / 6) - 1, abs=1e-6)
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


def test_fewer_than_six_topics_give_no_interval() -> None:
    five = quality([0.0, 5.0, 1.0, 4.0, 0.5], _pairs([0, 5, 0, 5, 0]))
    assert (five.auc.value, five.auc.low) == (1.0, None)
    six = quality([0.0, 5.0, 1.0, 4.0, 0.5, 4.5], _pairs([0, 5, 0, 5, 0, 5]))
    # Six topics of which none lost a contest, as a share of 6 of 6: 0.025^(1/6).
    assert six.auc.value == 1.0
    assert six.auc.low == pytest.approx(0.025 ** (1 / 6), abs=1e-6)


def test_the_intervals_of_accuracy_and_spearman_leave_out_one_topic_at_a_time() -> None:
    generator = np.random.default_rng(8)
    grades = [int(grade) for grade in generator.integers(0, 6, 40)]
    scores = [float(0.8 * grade + generator.normal()) for grade in grades]
    pairs = _pairs(grades, topics=8)
    found = quality(scores, pairs)

    def without(topic: str, figure: Callable[[Sequence[float], Sequence[int]], float | None]) -> float:
        kept = [place for place, pair in enumerate(pairs) if pair.topic != topic]
        return figure([scores[place] for place in kept], [grades[place] for place in kept]) or 0.0

    topics = sorted({pair.topic for pair in pairs})
    reach = float(stats.t.ppf(0.975, 7))
    for metric, figure in ((found.accuracy, accuracy), (found.balanced_accuracy, balanced_accuracy)):
        value = figure(scores, grades) or 0.0
        # Log odds of (64 share + 1/2) / 65, 64 contests of eight topics; 8 of all - 7 without one is its pseudo-value.
        odds = [np.log((64 * share + 0.5) / (64.5 - 64 * share)) for share in (without(one, figure) for one in topics)]
        middle = np.log((64 * value + 0.5) / (64.5 - 64 * value))
        error = np.std([8 * middle - 7 * one for one in odds], ddof=1) / 8**0.5
        ends = [(65 / (1 + np.exp(-middle - side * reach * error)) - 0.5) / 64 for side in (-1, 1)]
        assert (metric.low, metric.high) == pytest.approx((ends[0], min(1.0, ends[1])), abs=1e-6)
    moved = np.arctanh([without(one, spearman) for one in topics])
    error = float(np.std(moved, ddof=0)) * 7**0.5  # sqrt(7 / 8 x sum of squares)
    middle = float(np.arctanh(spearman(scores, grades) or 0.0))
    ends = [float(np.tanh(middle + side * reach * error)) for side in (-1, 1)]
    assert (found.spearman.low, found.spearman.high) == pytest.approx(tuple(ends), abs=1e-6)


def test_topics_without_a_pair_of_the_category_are_no_units() -> None:
    pairs = _pairs([0, 0, 0, 0, 0, 5, 5, 5], topics=8)
    found = quality([1.0] * 8, pairs).categories["paraphrase"]
    assert (found.accuracy.value, found.accuracy.low, found.accuracy.n) == (0.0, None, 3)


def test_the_interval_of_an_auc_is_students_t_of_log_odds_without_each_topic() -> None:
    generator = np.random.default_rng(5)
    grades = [0, 5, 5, 0, 5, 0, 5, 0, 0, 5, 0, 5, 0, 5, 5, 0, 5, 0]
    scores = [float(2.5 + 0.3 * (grade - 2.5) + generator.normal()) for grade in grades]
    pairs = _pairs(grades)
    topics = sorted({pair.topic for pair in pairs})

    def of_others(topic: str | None) -> float:
        kept = [(score, pair) for score, pair in zip(scores, pairs, strict=True) if pair.topic != topic]
        sides = [[score for score, pair in kept if pair.is_equivalent is label] for label in (True, False)]
        return float(auc(*sides) or 0.0)

    def log_odds(share: float) -> float:  # of 36 contests between six topics, a half more on either side
        return float(np.log((36 * share + 0.5) / (36 - 36 * share + 0.5)))

    pseudo = [6 * log_odds(of_others(None)) - 5 * log_odds(of_others(topic)) for topic in topics]
    reach = stats.t.ppf(0.975, 5) * stats.sem(pseudo)
    found = quality(scores, pairs).auc
    assert found.value == pytest.approx(of_others(None), abs=1e-6)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 < found.low < found.high < 1.0
    middle = log_odds(of_others(None))
    assert [log_odds(end) for end in (found.low, found.high)] == pytest.approx(
        [middle - reach, middle + reach], abs=1e-3
    )


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


def test_a_changed_judge_has_another_digest() -> None:
    pin = ScriptedJudge().pin
    assert pin_sha256(pin) == pin_sha256(pin.model_copy())
    assert pin_sha256(pin) != pin_sha256(pin.model_copy(update={"engine": "plumbline 2"}))


def test_the_worst_failures_are_the_pairs_on_the_wrong_side_farthest_from_their_grade() -> None:
    pairs = _pairs([0, 0, 5, 5, 3])
    scores = dict(zip("01234", [3.0, 5.0, 4.9, 1.0, None], strict=True))
    # distances: 0 -> 3, 1 -> 5, 3 -> 4; 2 is right, 4 is unscored
    scored = scored_labelled(ScriptedJudge(lambda request: scores[request.fields["answer_a"].split()[1]]), pairs)
    found = worst_failures(scored, pairs, 10)
    assert [(failure.pair.id, failure.score) for failure in found] == [("1", 5.0), ("3", 1.0), ("0", 3.0)]
    assert [failure.pair.id for failure in worst_failures(scored, pairs, 1)] == ["1"]
    assert failures_text(found[:1]) == "**1**: negation, grade 0, score 5.00\n\n> A: a 1\n\n> B: b 1"
    assert "No pair" in failures_text([])


def test_a_failure_of_several_lines_is_one_quotation_for_each_text() -> None:
    pair = _pairs([0])[0].model_copy(update={"a": "one\n\ntwo"})
    scored = scored_labelled(ScriptedJudge(lambda _request: 5.0), [pair])
    assert "> A: one\n>\n> two\n\n> B: b 0" in failures_text(worst_failures(scored, [pair], 1))


def test_the_text_says_first_what_is_asked_of_a_judge() -> None:
    pairs = _pairs([0, 5] * 6)
    measured = measure(ScriptedJudge(lambda request: 5.0 if request.fields["answer_a"] == "a 0" else None), pairs)
    lines = quality_text(measured).split("\n")
    # only pair 0 is scored, and only with `a` first: one topic is left, too few for an interval
    assert lines[0] == "scripted on 12 labelled pairs of 6 topics (6 equivalent, 11 unscored)"
    assert lines[1:6] == [
        "AUC: –",
        "Spearman: –",
        "accuracy at 2.5: 0.00",
        "balanced accuracy at 2.5: –",
        "order gap: –",
    ]
    assert quality_table(measured) in quality_text(measured)


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
    return _published("pair")


def _close(fresh: MetricValue, published: MetricValue) -> bool:
    numbers = [(fresh.value, published.value), (fresh.low, published.low), (fresh.high, published.high)]
    return (fresh.n, fresh.unscored) == (published.n, published.unscored) and all(
        one == pytest.approx(two, abs=0.005) for one, two in numbers
    )


def _published(name: str) -> JudgeQuality:
    return JudgeQuality.model_validate_json(
        files("evaluator.judge_quality").joinpath(f"{name}_quality.json").read_text()
    )


@pytest.mark.soak
def test_a_fresh_measurement_on_the_test_split_gives_the_shipped_figures(embedder: MiniLMEmbedder) -> None:
    shipped = _published("pair")
    fresh = measure(load_pair_judge(embedder), labelled_pairs("test"), embedder)
    assert (fresh.pairs, fresh.topics, fresh.equivalent) == (shipped.pairs, shipped.topics, shipped.equivalent)
    assert _close(fresh.order_gap, shipped.order_gap)
    assert fresh.baselines.keys() == shipped.baselines.keys()
    assert fresh.measured_on == shipped.measured_on
    assert [(one.low, one.n) for one in fresh.calibration] == [(one.low, one.n) for one in shipped.calibration]
    columns = [(fresh.quality, shipped.quality)]
    columns += [(fresh.baselines[name], shipped.baselines[name]) for name in shipped.baselines]
    for one, two in columns:
        assert _close(one.auc, two.auc)
        assert _close(one.accuracy, two.accuracy)
        assert _close(one.balanced_accuracy, two.balanced_accuracy)
        assert _close(one.spearman, two.spearman)
        for category in two.categories:
            assert _close(one.categories[category].accuracy, two.categories[category].accuracy)
            assert _close(one.categories[category].auc, two.categories[category].auc)


def test_the_published_figures_are_those_of_the_shipped_judge(embedder: MiniLMEmbedder) -> None:
    """Measuring them anew takes minutes (`python -m evaluator judge-quality`); a changed part has another pin."""
    assert load_pair_judge(embedder).pin == _published("pair").judge


@pytest.mark.parametrize(
    "file", sorted(Path(measurement.__file__).parent.glob("*_quality.json")), ids=lambda file: file.name
)
def test_a_shipped_measurement_is_of_the_shipped_test_pairs(file: Path) -> None:
    measured = JudgeQuality.model_validate_json(file.read_text(encoding="utf-8"))
    pairs = labelled_pairs("test")
    # A slow judge is measured on pairs that are drawn by hash, as many as it says: nobody chose which.
    sample = int(measured.measured_on.split()[0])
    assert sample == len(pairs) or 50 <= sample < len(pairs)
    assert measured.measured_on == pairs_digest(drawn_pairs(pairs, sample))


def test_the_documentation_states_the_shipped_figures(shipped: JudgeQuality) -> None:
    page = " ".join((Path(__file__).parents[4] / "docs" / "embedded_judges.md").read_text().split())
    quality = shipped.quality
    if shipped.judge.name == "pair":  # of the baseline the sums are enough
        kinds = {name: kind for name, kind in quality.categories.items() if (kind.accuracy.n or 0) >= 10}
        roles = kinds.pop("swapped_roles")
        assert f"n = 47, {format_metric(roles.accuracy)}, AUC {format_metric(roles.auc)}" in page
        values = {kind.accuracy.value or 0.0: name for name, kind in kinds.items()}
        ends = [f"{value:.2f} ({values[value]})" for value in (min(values), max(values))]
        assert " to ".join(ends) in page
    for metric in (quality.auc, quality.accuracy, quality.balanced_accuracy, quality.spearman):
        assert format_metric(metric) in page
    assert shipped.judge.prompt in page
    assert shipped.judge.revision in page


def test_the_judge_beats_every_baseline_beyond_its_interval(shipped: JudgeQuality) -> None:
    for baseline in shipped.baselines.values():
        assert shipped.quality.auc.low is not None
        assert baseline.auc.high is not None
        assert shipped.quality.auc.low > baseline.auc.high
