"""Several judges on one submission: each one's score, their mean, and how far they agree.

No score is hidden in the mean: the scores per judge stay beside it. A judge of the family of the system it judges is
shown, flagged, and left out of the mean unless asked for: judges are known to favour their own kind.
See docs/judges.md#panels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from evaluator.judges.protocol import Judge
from evaluator.judges.recorded import Batch, RecordedJudge, VerdictStore
from evaluator.results import (
    HEADLINE,
    HEADLINE_VIEW,
    Figure,
    MemberGroup,
    PanelMember,
    PanelResult,
    RobustnessResult,
    View,
)
from evaluator.robustness.figures import ENGLISH, RATING_ENDS, JudgedGroup, judged_groups
from evaluator.statistics.agreement import krippendorff_alpha_interval
from evaluator.statistics.intervals import MIN_UNITS, draw_counts, expanded_percentiles, mean_metric
from evaluator.steps import Steps
from evaluator.values import MetricValue, Pin, Result

PairRatings = Mapping[str, Sequence[Sequence[float | None]]]
"""Item id -> its pairs, each with one rating per judge, in the order of the judges; None where a judge gave none."""

_SAME_FAMILY = "of the family of the system it judges"
_ROUNDING = 1e-9
"""An expected disagreement below this share of the squared ratings is rounding: all ratings are equal."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The result of one judge."""

    result: RobustnessResult
    family: str | None = None
    """Of the judge's model; None = not known, which is no conflict."""


class NotOnePanel(Exception):
    """Raised when results are not of different judges on the same file."""


class NotScored(Exception):
    """Raised when a result holds no scores of a judge or a panel; the message says why, for the row's note."""


def panel_result(
    judged: Sequence[Judged],
    *,
    system_family: str | None,
    view: View = HEADLINE_VIEW,
    figure: Figure = HEADLINE,
    keep_same_family: bool = False,
) -> PanelResult:
    """A panel's scores, mean and agreement on one submission.

    Args:
        judged: One result per judge, all of the same file and prompt set.
        system_family: Of the judged system; None = not stated.
        view: Which items count.
        figure: Which figure is averaged; the agreement is always that of raw pair scores, before the relevance check.
        keep_same_family: Also average judges of the system's family; they stay flagged.

    Raises:
        NotOnePanel: naming what differs.
    """
    _check_one_panel(judged)
    members = tuple(_member(judging, system_family, view, figure, keep_same_family) for judging in judged)
    heard = [judging for judging, member in zip(judged, members, strict=True) if member.in_mean]
    return PanelResult(
        view=view,
        figure=figure,
        members=members,
        mean=panel_mean([judging.result.views[view].item_values[figure] for judging in heard]),
        agreement=panel_agreement(pair_ratings([judging.result for judging in heard], view)),
    )


def _check_one_panel(judged: Sequence[Judged]) -> None:
    files = {judging.result.file_sha256 for judging in judged}
    sets = {(judging.result.prompt_set.set_id, judging.result.prompt_set.sha256) for judging in judged}
    pins = {judging.result.judge.model_dump_json() for judging in judged}
    faults = []
    if len(files) > 1:
        faults.append(f"the results are of {len(files)} different files")
    if len(sets) > 1:
        faults.append(f"the results rest on {len(sets)} different prompt sets")
    if len(pins) < len(judged):
        faults.append(f"{len(judged)} results come from {len(pins)} judges: one judge counts once")
    if faults:
        raise NotOnePanel("; ".join(faults))


def _member(judged: Judged, system_family: str | None, view: View, figure: Figure, keep: bool) -> PanelMember:
    conflict = is_same_family(judged.family, system_family)
    return PanelMember(
        judge=judged.result.judge,
        family=judged.family,
        in_mean=keep or not conflict,
        reason=_SAME_FAMILY if conflict else None,
        score=judged.result.views[view].figures[figure].mean,
        groups=tuple(
            MemberGroup(item=group.item, language=group.language, figures=dict(group.figures), reason=group.reason)
            for group in judged_groups(judged.result.items)
        ),
    )


FAMILIES = (
    "qwen", "llama", "mistral", "mixtral", "gemma", "gemini", "phi", "gpt-sw3", "gpt", "claude", "deepseek", "olmo",
    "falcon", "poro", "viking", "command-r", "aya", "granite", "eurollm", "salamandra", "smollm",
)  # fmt: skip
"""Model families told by their name, the longer name before the one it contains."""


def family_of(model: str | None) -> str | None:
    """The family a model's name speaks of; None where it names none we know.

    >>> family_of("Qwen/Qwen2.5-1.5B-Instruct"), family_of("gpt-sw3-20b"), family_of("our own model"), family_of(None)
    ('qwen', 'gpt-sw3', None, None)
    """
    name = (model or "").casefold()
    return next((family for family in FAMILIES if family in name), None)


def is_same_family(judge: str | None, system: str | None) -> bool:
    """Are a judge and a system of one model family? Case and space around do not matter; unknown is not the same.

    >>> is_same_family("Qwen", "qwen "), is_same_family("Qwen", "Llama"), is_same_family(None, None)
    (True, False, False)
    """
    if judge is None or system is None:
        return False
    return judge.strip().casefold() == system.strip().casefold() != ""


def panel_mean(item_values: Sequence[Mapping[str, float]]) -> MetricValue:
    """Mean over items of the mean over judges, on the items that every judge scored, with interval over items.

    Range and direction: those of the values. `unscored` counts items that only some judges scored: a judge that skips
    the hard items must not raise the mean. No judge, or no common item: None.

    Args:
        item_values: Per judge, item id -> value (`ViewResult.item_values[figure]`).

    >>> panel_mean([{"001": 4.0, "002": 2.0}, {"001": 3.0, "002": 1.0, "003": 5.0}])  # (3.5 + 1.5) / 2; 003 by one only
    MetricValue(value=2.5, low=None, high=None, n=2, unscored=1, reason=None)
    >>> panel_mean([]).reason
    'no judge is left for the mean'
    """
    if not item_values:
        return MetricValue(value=None, n=0, reason="no judge is left for the mean")
    scored = [set(values) for values in item_values]
    common = set.intersection(*scored)
    means = {item: [fsum(values[item] for values in item_values) / len(item_values)] for item in common}
    return mean_metric(
        means,
        RATING_ENDS,
        unscored=len(set.union(*scored)) - len(common),
        reason="no item was scored by every judge of the panel",
    )


def groups_of_judge(result: RobustnessResult, judge: Pin) -> tuple[JudgedGroup, ...]:
    """What one judge made of a submission, be it the result's own judge or another member of its panel.

    Raises:
        NotScored: when that judge has not scored the submission, or its scores by item were not kept.
    """
    own = judged_groups(result.items)
    if judge == result.judge:
        return own
    member = next((member for member in _members(result) if member.judge == judge), None)
    if member is None:
        raise NotScored(f"not scored by {judge.name}")
    if member.groups is None:
        raise NotScored(f"the result holds no scores by item of {judge.name}: it was stored before they were kept")
    theirs = {(group.item, group.language): group for group in member.groups}
    pairs = ((group, theirs[group.item, group.language]) for group in own)
    return tuple(group.with_figures(rated.figures, rated.reason) for group, rated in pairs)


def groups_of_panel(result: RobustnessResult, judges: Sequence[Pin]) -> tuple[JudgedGroup, ...]:
    """The mean of several judges, group by group; None where one of them has no figure, for they skip unlike groups.

    Over one language this is `panel_mean`. A panel that lost a judge of the system's own family is another panel: its
    mean rests on other judges, and would be compared with those of all of them.

    Raises:
        NotScored: when the submission was scored by another panel.
    """
    members = {member.judge: member for member in _members(result)}
    if set(members) != set(judges):
        raise NotScored(f"not scored by the panel of {', '.join(judge.name for judge in judges)}")
    kin = [judge.name for judge in judges if not members[judge].in_mean]
    if kin:
        raise NotScored(f"{' and '.join(kin)}, {_SAME_FAMILY}, left out of its panel mean: others rest on more judges")
    return tuple(
        _mean_group(groups) for groups in zip(*(groups_of_judge(result, judge) for judge in judges), strict=True)
    )


def _members(result: RobustnessResult) -> tuple[PanelMember, ...]:
    return result.panel.members if result.panel else ()


def _mean_group(groups: Sequence[JudgedGroup]) -> JudgedGroup:
    figures = {figure: _mean_of_all([group.figures[figure] for group in groups]) for figure in groups[0].figures}
    return groups[0].with_figures(figures, next((group.reason for group in groups if group.reason), None))


def _mean_of_all(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if len(known) == len(values) else None


def pair_ratings(results: Sequence[RobustnessResult], view: View) -> dict[str, list[list[float | None]]]:
    """The raw score every judge gave to every pair of a view, by item.

    Identical answers are left out: no judge is asked about them, and what nobody was asked nobody agrees on.
    """
    by_judge = [_scores(result, view) for result in results]
    ratings: dict[str, list[list[float | None]]] = {}
    for pair in sorted(set().union(*by_judge)):
        ratings.setdefault(pair[0], []).append([scores.get(pair) for scores in by_judge])
    return ratings


def _scores(result: RobustnessResult, view: View) -> dict[tuple[str, str, int, int], float | None]:
    """(item, language, a, b) -> score of the pairs that were put to the judge."""
    return {
        (item.id, group.language, pair.a, pair.b): pair.score
        for item in result.items
        for group in item.groups
        if view == "all" or group.language == ENGLISH
        for pair in group.pairs
        if pair.score is None or pair.key_ab is not None or pair.key_ba is not None
    }


def panel_agreement(ratings: PairRatings) -> MetricValue:
    """Krippendorff's alpha (interval scale) of the judges' pair ratings, with interval over items.

    1 = the judges agree fully, 0 = as by chance, negative = they contradict each other; higher is better.
    n = pairs with two or more ratings, unscored = pairs with fewer. The interval resamples items with all their pairs
    and is absent with fewer than `MIN_UNITS` of them. All ratings equal, or nothing comparable: None.
    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; `evaluator.agreement`.

    >>> panel_agreement({"001": [[1.0, 1.0], [2.0, 3.0]], "002": [[5.0, 5.0], [4.0, None]]})  # 1 - 5 x 2 / 202
    MetricValue(value=0.9504950495049505, low=None, high=None, n=3, unscored=1, reason=None)
    """
    rated = {
        item: [[rating for rating in pair if rating is not None] for pair in pairs] for item, pairs in ratings.items()
    }
    pairable = {item: [pair for pair in pairs if len(pair) > 1] for item, pairs in rated.items()}
    pairable = {item: pairs for item, pairs in pairable.items() if pairs}
    n = sum(map(len, pairable.values()))
    unscored = sum(map(len, rated.values())) - n
    alpha = krippendorff_alpha_interval([pair for pairs in pairable.values() for pair in pairs])
    if alpha is None:
        reason = "all ratings are equal" if n else "no pair was rated by two judges"
        return MetricValue(value=None, n=n, unscored=unscored, reason=reason)
    low, high = _alpha_interval(pairable)
    return MetricValue(value=alpha, low=low, high=high, n=n, unscored=unscored)


def _alpha_interval(pairable: Mapping[str, Sequence[Sequence[float]]]) -> tuple[float | None, float | None]:
    """Interval of alpha when items are drawn anew; draws in which all ratings are equal say nothing."""
    if len(pairable) < MIN_UNITS:
        return None, None
    mean = fsum(_all(pairable)) / len(_all(pairable))  # taken off first: what is squared then stays small
    sums = np.array([_item_sums(pairable[item], mean) for item in sorted(pairable)])
    number, total, squares, observed = (draw_counts(len(pairable)) @ sums).T
    expected = 2 * (number * squares - total**2)
    told = expected > _ROUNDING * number * squares.max()
    alphas = 1 - (number[told] - 1) * observed[told] / expected[told]
    return expanded_percentiles(alphas, len(pairable))


def _item_sums(pairs: Sequence[Sequence[float]], mean: float) -> tuple[float, float, float, float]:
    """What alpha needs of an item: number, sum and sum of squares of its ratings, and their observed disagreement."""
    values = [rating - mean for pair in pairs for rating in pair]
    observed = fsum((rating - other) ** 2 / (len(pair) - 1) for pair in pairs for rating in pair for other in pair)
    return float(len(values)), fsum(values), fsum(value**2 for value in values), observed


def _all(pairable: Mapping[str, Sequence[Sequence[float]]]) -> list[float]:
    return [rating for pairs in pairable.values() for pair in pairs for rating in pair]


def with_panel(results: Sequence[Result], system_model: str | None) -> Result:
    """The first judge's result, with the panel's figures where several judges have scored the file.

    Args:
        results: One per judge, the boards' judge first.
        system_model: Name of the judged system's model, which tells its family.
    """
    judged = [
        Judged(result, family_of(result.judge.model)) for result in results if isinstance(result, RobustnessResult)
    ]
    if len(judged) < 2:
        return results[0]
    panel = panel_result(judged, system_family=family_of(system_model))
    return judged[0].result.model_copy(update={"panel": panel})


def scored_by_all(
    judges: Sequence[Judge],
    verdicts: VerdictStore,
    score: Callable[[RecordedJudge], Result],
    *,
    system_model: str | None,
    on_batch: Callable[[Batch], None] = lambda batch: None,
    steps: Steps = Steps(),
    shown: Callable[[str], str] = str,
) -> Result:
    """What every judge in turn makes of one file: the first judge's result, with the panel's figures.

    Args:
        judges: The boards' judge first.
        verdicts: Where verdicts are kept.
        score: Scores the file by one judge; a verdict table is counted, not judged, so one turn is enough.
        system_model: Name of the judged system's model, which tells its family.
        on_batch: Progress over all judges.
        steps: Told where the work stands.
        shown: What may be kept of a text that a judge wrote.
    """
    results: list[Result] = []
    judged = 0
    for judge in judges:
        recorded = RecordedJudge(judge, verdicts, on_batch, judged, steps, shown)
        results.append(score(recorded))
        judged = recorded.judged
        if not isinstance(results[0], RobustnessResult):
            break
    return with_panel(results, system_model)
