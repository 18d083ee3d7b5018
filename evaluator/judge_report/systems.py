"""Scores of the systems in a log as the judge gave them, its errors included: win rates and mean ratings.

They are what the tools print that write such logs: FastChat's `win_rate_adjusted` and its mean scores, JudgeArena's win
rate (docs/judge_report.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from evaluator.judge_logs.judgements import Judgement
from evaluator.judge_report.figure import Figure, clusters_of, metric_figure
from evaluator.statistics.intervals import mean_metric
from submissions.verdicts.swap_outcomes import Verdict

MOST_SYSTEMS = 100
"""A log of more is no comparison of systems that somebody reads line by line."""
KEYS = ("win_rate ", "settled_win_rate ", "stated_win_rate ", "mean_rating ")
"""How the keys of these figures begin; the name of a system follows."""

_POINTS = {"A": (1.0, 0.0), "B": (0.0, 1.0), "C": (0.5, 0.5)}
_WORDS = {1.0: "won", 0.0: "lost", 0.5: "tied"}

Points = list[tuple[str, float]]
"""Question and what a system got there: 1, a half or 0."""


def system_figures(judgements: Sequence[Judgement]) -> list[Figure] | str:
    """Every system's scores in order of names; or why there are none."""
    usable = [
        judgement
        for judgement in judgements
        if judgement.is_usable and len(set(judgement.systems)) == len(judgement.systems)
    ]
    systems = {system for judgement in usable for system in judgement.systems}
    if len(systems) < 2:
        return []
    if len(systems) > MOST_SYSTEMS:
        return (
            f"Scores by system: the log names {len(systems):,}; they are shown for at most {MOST_SYSTEMS}. Send the "
            "log of fewer."
        )
    comparisons = [judgement for judgement in usable if judgement.is_comparison]
    return [
        *_win_rates(comparisons),
        *_settled_win_rates(comparisons),
        *_stated_win_rates(comparisons),
        *_mean_ratings(usable),
    ]


def _win_rates(comparisons: Sequence[Judgement]) -> Iterator[Figure]:
    """Every call counts, as JudgeArena counts."""
    points: dict[str, Points] = {}
    for comparison in comparisons:
        _share_out(points, comparison.unit, comparison.systems, str(comparison.verdict))
    for system in sorted(points):
        yield _win_rate(
            f"win_rate {system}",
            f"Win rate of {system}, as judged",
            points[system],
            "comparisons",
            "a tie counts half. The judge's errors are in it.",
        )


def _settled_win_rates(comparisons: Sequence[Judgement]) -> Iterator[Figure]:
    """Both orders of a pair make one verdict, as FastChat counts."""
    orders: dict[tuple[str, str, str, tuple[str, ...], int], dict[tuple[str, ...], Verdict]] = {}
    for comparison in comparisons:
        if comparison.order_known and comparison.verdict is not None:
            systems = tuple(sorted(comparison.systems))
            asked = comparison.question, comparison.unit, comparison.item, systems, comparison.repetition
            orders.setdefault(asked, {})[comparison.systems] = comparison.verdict
    points: dict[str, Points] = {}
    for (_, unit, _, systems, _), said in orders.items():
        if len(said) == 2:
            first, second = said[systems], said[systems[::-1]]
            is_settled = (first, second) in (("A", "B"), ("B", "A"))
            _share_out(points, unit, systems, first if is_settled else "C")
    for system in sorted(points):
        yield _win_rate(
            f"settled_win_rate {system}",
            f"Win rate of {system}, flipped verdicts as ties",
            points[system],
            "pairs in both orders",
            "a pair counts half where either order is a tie or the two disagree.",
        )


def _stated_win_rates(comparisons: Sequence[Judgement]) -> Iterator[Figure]:
    """Each call counts as the probability that the judge stated, as AlpacaEval 2 counts weighted preferences."""
    if all(comparison.probability is None for comparison in comparisons):
        return
    shares: dict[str, dict[str, list[float]]] = {}
    for comparison in comparisons:
        second = comparison.probability
        got = _POINTS[str(comparison.verdict)] if second is None else (1 - second, second)
        for system, share in zip(comparison.systems, got, strict=True):
            shares.setdefault(system, {}).setdefault(comparison.unit, []).append(share)
    for system in sorted(shares):
        yield metric_figure(
            f"stated_win_rate {system}",
            f"Win rate of {system}, by stated probabilities",
            mean_metric(shares[system]),
            "comparisons",
            "Mean probability that its answer is better, as the judge stated it. The judge's errors are in it.",
        )


def _share_out(points: dict[str, Points], unit: str, systems: tuple[str, ...], verdict: str) -> None:
    for system, got in zip(systems, _POINTS[verdict], strict=True):
        points.setdefault(system, []).append((unit, got))


def _win_rate(key: str, title: str, points: Points, of: str, meaning: str) -> Figure:
    clusters: dict[str, list[float]] = {}
    for unit, got in points:
        clusters.setdefault(unit, []).append(got)
    counts = Counter(got for _, got in points)
    told = ", ".join(f"{counts[got]:,} {word}" for got, word in _WORDS.items())
    return metric_figure(key, title, mean_metric(clusters), of, f"Of its {of} in this log {told}; {meaning}")


def _mean_ratings(usable: Sequence[Judgement]) -> Iterator[Figure]:
    ratings: dict[str, list[Judgement]] = {}
    for judgement in usable:
        if judgement.rating is not None:
            ratings.setdefault(judgement.systems[0], []).append(judgement)
    seen = [rating.rating or 0.0 for rated in ratings.values() for rating in rated]
    if len(ratings) < 2 or min(seen) == max(seen):
        return
    for system, rated in sorted(ratings.items()):
        mean = mean_metric(clusters_of(rated, lambda rating: rating.rating or 0.0), (min(seen), max(seen)))
        meaning = f"On the ratings seen, {min(seen):g} to {max(seen):g}. The judge's errors are in it."
        yield metric_figure(f"mean_rating {system}", f"Mean rating of {system}, as judged", mean, "ratings", meaning)
