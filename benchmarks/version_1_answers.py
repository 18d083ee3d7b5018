"""What the code that is imported, version 1 or the present one, says of the draws of `benchmarks.version_1`.

That module imports this file, and runs it as a program on the old checkout. Draws and answers are plain values. An
interval is (low, high), or None; arguments that only the present code takes come last.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from inspect import signature
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.canary.course import ROUNDS_TO_FALSE_ALARM, Asking, courses
from evaluator.cultural.response import QuestionAnswers, responses_to_culture
from evaluator.evaluate import evaluate_payload
from evaluator.judge_report import corrected
from evaluator.judges.kind import AUTO
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.statistics import change_detection, corrected_scores
from evaluator.statistics.intervals import is_above_zero, paired_difference, ratio_interval
from evaluator.statistics.label_agreement import label_agreement
from evaluator.statistics.preference_ratings import PairVote, preference_ratings
from evaluator.statistics.rank_bands import rank_bands
from submissions.promptsets import DEMONSTRATION_2026, PromptSets
from submissions.schema import GATING_FLAGS, Names

try:
    from evaluator.judge_loading.loading import load_scorer, with_embedding
    from evaluator.judge_quality.labelled_pairs import LabelledPair
    from evaluator.judge_quality.measurement import auc_metric
except ModuleNotFoundError:  # where they were in version 1
    from evaluator.judges.loading import load_scorer, with_embedding  # type: ignore[import-not-found,no-redef]
    from evaluator.judges.quality.labelled_pairs import LabelledPair  # type: ignore[import-not-found,no-redef]
    from evaluator.judges.quality.measurement import auc_metric  # type: ignore[import-not-found,no-redef]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Ends = tuple[float, ...] | None


def guards(data: bytes, file_name: str) -> tuple[dict[str, int], float | None, float | None]:
    """Return the answers of a run of 2026 by gating flag, and its headline without guards and with them."""
    prompt_sets = PromptSets.load(None)
    scorer = with_embedding(load_scorer("pair"), AUTO).of_set(DEMONSTRATION_2026)
    more: dict[str, Any] = {"prompt_sets": prompt_sets, "embedder": scorer.embedder}
    judge = RecordedJudge(scorer.judge, MemoryVerdicts())
    result: Any = evaluate_payload(data, file_name, edition="2026", names=Names(), judge=judge, **more)
    flags = {str(flag): count for flag, count in result.flags.items() if flag in GATING_FLAGS}
    return flags, result.figures["culture"].value, result.figures["culture_gated"].value


def score(values: FloatArray) -> Ends:
    """Return the interval of the mean of item values on the scale 0-5."""
    interval = ratio_interval(values, np.ones(len(values)), (0.0, 5.0))
    return None if interval is None else tuple(interval)


def share(parts: FloatArray, wholes: FloatArray, ends: tuple[float, float]) -> Ends:
    """Return the interval of a ratio of sums over units."""
    interval = ratio_interval(parts, wholes, ends)
    return None if interval is None else tuple(interval)


def board(values: FloatArray) -> bool:
    """Return whether any two systems are told apart; values of shape (systems, items)."""
    return set(places(values)) != {(1, len(values))}


def power(values: FloatArray) -> float:
    """Return the share of pairs of systems that are told apart."""
    bands = places(values)
    pairs = list(combinations(bands, 2))
    return sum(one[1] < other[0] or other[1] < one[0] for one, other in pairs) / len(pairs)


def places(values: FloatArray) -> list[tuple[int, int]]:
    """Return the first and last place of each system."""
    items = [f"{item:03}" for item in range(values.shape[1])]
    named = {str(system): dict(zip(items, row, strict=True)) for system, row in enumerate(values.tolist())}
    bands = rank_bands(named)
    return [(bands[name].low, bands[name].high) for name in named]


def kappa(truth: Sequence[str], prediction: Sequence[str]) -> Ends:
    """Return the interval of kappa, every row a unit."""
    interval = label_agreement(truth, prediction)["kappa_ci"]
    return None if interval is None else tuple(interval)


def area(positive: FloatArray, negative: FloatArray) -> Ends:
    """Return the interval of the AUC; scores of shape (topics, pairs of a topic)."""
    texts = dict.fromkeys(("id", "category", "prompt_a", "prompt_b", "a", "b"), "")
    pairs = [
        LabelledPair(topic=str(topic), split="test", grade=grade, **texts)
        for grade, of_label in ((5, positive), (0, negative))
        for topic, _ in np.ndindex(of_label.shape)
    ]
    metric = auc_metric([*positive.ravel().tolist(), *negative.ravel().tolist()], pairs)
    return None if metric.low is None or metric.high is None else (metric.low, metric.high)


def corrected_mean(known: Sequence[bool], seen: Sequence[bool], others: Sequence[bool], *clusters: Any) -> Ends:
    """Return the interval of PPI++; the clusters are those of the labelled and of the other questions."""
    more = []
    if clusters:
        from evaluator.statistics.clusters import Clusters  # version 1 has none

        more = [Clusters(*clusters)]
    mean = corrected_scores.powered_mean(known, seen, others, *more)
    return None if mean is None or mean.interval is None else tuple(mean.interval)


def chosen(known: Sequence[bool], seen: Sequence[bool], others: Sequence[bool]) -> tuple[bool, Ends]:
    """Return whether labels are found to be no random sample, and the interval that is then printed.

    Version 1 says so where no share fits the delta interval, and prints that of Rogan-Gladen all the same; the present
    code prints the one by verdict.
    """
    share = corrected_scores.rogan_gladen(others, list(zip(seen, known, strict=True)))
    if not hasattr(corrected_scores, "are_labels_unlike"):
        found, interval = share is not None and share.delta is None, share and share.bootstrap
    elif found := corrected_scores.are_labels_unlike(seen, others):
        mean = corrected_scores.stratified_mean(known, seen, others)
        interval = mean and mean.interval
    else:
        interval = share and share.bootstrap
    return found, interval and tuple(interval)


def changes(known: Sequence[bool], seen: Sequence[bool], others: Sequence[bool]) -> tuple[bool, bool]:
    """Return whether the report says that the better system changes, and whether its interval holds one half."""
    powered = corrected_scores.powered_mean(known, seen, others)
    if powered is None or powered.interval is None:
        return False, True
    labels = {str(place): float(label) for place, label in enumerate(known)}
    judged = {str(place): float(value) for place, value in enumerate((*seen, *others))}
    clusters = (None,) if "clusters" in signature(corrected._change).parameters else ()
    said: str = corrected._change(judged, powered, labels, *clusters)
    return "the better system changes" in said, powered.interval[0] <= 0.5 <= powered.interval[1]


def ratings(votes: Sequence[tuple[str, str, float, str]]) -> dict[str, Ends]:
    """Return the interval of every system's strength."""
    strengths = {one.system: one.strength for one in preference_ratings([PairVote(*vote) for vote in votes]).systems}
    return {
        system: None if strength.low is None or strength.high is None else (strength.low, strength.high)
        for system, strength in strengths.items()
    }


def called_better(first: Mapping[str, float], second: Mapping[str, float], *attempts: tuple[int, int]) -> bool:
    """Return whether the first system is called better; the last argument is the attempts of both."""
    return is_above_zero(paired_difference(first, second, *attempts))


def headline(run: Mapping[str, Mapping[str, tuple[Any, ...]]]) -> float:
    """Return the headline of a run of 2026: language -> question -> fields of `QuestionAnswers`."""
    answers = {name: {key: QuestionAnswers(*one) for key, one in own.items()} for name, own in run.items()}
    return float(np.mean(list(responses_to_culture(answers, gated=True)["culture"].values())))


def canary(weeks: BoolArray, altered: BoolArray, at_once: BoolArray, *by_day: BoolArray) -> tuple[bool, bool] | None:
    """Return whether a canary has an alarm without a change, and whether it has none after one.

    Args:
        weeks: Whether a pair has another verdict than usual, shape (weeks, pairs).
        altered: The same in the weeks that follow the first 50 of these and a change.
        at_once: The same while a baseline of one hour is asked, shape (askings, pairs).
        by_day: The same while one of several days is asked.

    Returns:
        None where the baseline cannot watch.
    """
    steps: list[tuple[int, ...]] = [(place + 1,) for place in range(len(by_day[0]))] if by_day else [()] * len(at_once)
    rated, at = np.where([*by_day, at_once][0], 0.0, 5.0).tolist(), datetime.fromtimestamp(0, UTC)
    asked = [Asking(at, tuple(ratings), *step) for ratings, step in zip(rated, steps, strict=True)]
    baseline: Any = courses(asked)[0].baseline
    if not baseline.can_watch:
        return None
    places, is_other = list(baseline.verdicts), [verdict == 0 for verdict in baseline.verdicts.values()]
    noise = baseline.noises if hasattr(baseline, "noises") else baseline.bound

    def alarms(heard: BoolArray) -> BoolArray:
        hits = (heard[:, places] != is_other).sum(axis=1)
        return change_detection.detector_course(hits, len(places), noise) >= ROUNDS_TO_FALSE_ALARM

    return bool(alarms(weeks).any()), not alarms(np.concatenate([weeks[:50], altered]))[50:].any()


if __name__ == "__main__":
    while True:
        try:
            name, draws = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        pickle.dump([globals()[name](*draw) for draw in draws], sys.stdout.buffer)
        sys.stdout.buffer.flush()
