"""Rows of the Personalization board: every run and method of one setting, beside baselines and published history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evaluator.personalization import FULL, MIN_QSTAR, row_figures
from evaluator.personalization.bootstrap import is_judged_setting, row_tally
from evaluator.personalization.controls import WeakControls, own_levels, weak_controls
from evaluator.personalization.outcome_rows import OutcomeRow
from evaluator.results import MetricValue, PersonalizationGroup, PersonalizationResult
from leaderboard.boards.personalization.published import PUBLICATION, published_datasets, published_rows
from leaderboard.boards.personalization.rank_bands import RobustnessUnits, deciding_examples, robustness_bands
from leaderboard.page.board_row import BoardRow, ticket_fields
from leaderboard.page.measured import ORIGIN
from submissions.formats.personalization.submission import Setting
from submissions.store.queue import Ticket

ALL_OF = "full."
"""Begins the name of several data sets pooled; theirs follow, joined by dots."""


def pooled_name(datasets: Iterable[str]) -> str:
    """What several data sets pooled are called in links.

    >>> pooled_name(["mmlu", "commonsense_qa"])
    'full.commonsense_qa.mmlu'
    """
    return ALL_OF + ".".join(sorted(datasets))


def pooled_datasets(name: str) -> tuple[str, ...]:
    """The data sets of a choice: several where it pools them, else the one it names."""
    return tuple(name.removeprefix(ALL_OF).split(".")) if name.startswith(ALL_OF) else (name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalizationRow(BoardRow):
    """One method of one run in one setting, on one data set or several pooled."""

    method: str
    metrics: Mapping[str, MetricValue | float | None]
    """As `PersonalizationGroup.metrics`; published figures have no interval."""
    shares: Mapping[str, float | None] = field(default_factory=dict)
    """As `PersonalizationGroup.shares`."""
    group: PersonalizationGroup | None = None
    """Of runs."""
    n: int | None = None
    n_qstar: int | None = None

    def metric(self, key: str) -> MetricValue | float | None:
        """A metric, with its interval where it has one; None where it is unknown."""
        return self.metrics.get(key)

    def value(self, key: str) -> float | None:
        """A metric's value alone."""
        metric = self.metrics.get(key)
        return metric.value if isinstance(metric, MetricValue) else metric

    def share(self, key: str) -> float | None:
        """A share; None where it is unknown."""
        return self.shares.get(key)

    def missing(self, key: str) -> str:
        """Why a metric is undefined, in brackets; blank where it is not."""
        metric = self.metrics.get(key)
        is_undefined = isinstance(metric, MetricValue) and metric.value is None
        return f"({metric.reason})" if isinstance(metric, MetricValue) and is_undefined and metric.reason else ""

    @property
    def label(self) -> str:
        """What charts call the row."""
        return f"{self.name} · {self.method}" if self.method else self.name


# --- runs ------------------------------------------------------------------------------------------------------------

MethodKey = tuple[str, Setting]
"""Method and setting."""
GroupKey = tuple[str, Setting, tuple[str, ...]]
"""Method, setting and data sets."""


@dataclass(frozen=True, slots=True)
class ControlOutcome:
    """One question as a control answered it."""

    dataset: str
    example: str
    is_right: bool
    is_first_option: bool
    """The right option is the first one."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRun:
    """A submission with what its evaluation left behind, without its answers."""

    ticket: Ticket
    result: PersonalizationResult
    """Its outcomes are left out: `units` and `controls` say what the board needs of them."""
    units: Mapping[MethodKey, RobustnessUnits]
    controls: Mapping[MethodKey, Sequence[ControlOutcome]]
    weak: Mapping[GroupKey, WeakControls] = field(default_factory=dict)
    """Groups whose controls are below the run's own level."""

    @property
    def name(self) -> str:
        """What the run is called on the board."""
        return self.ticket.names.system or self.ticket.file_name

    def group(self, method: str, setting: Setting, dataset: str) -> PersonalizationGroup | None:
        """The group of that choice; None where the run has none."""
        datasets = pooled_datasets(dataset)
        wanted = FULL if dataset.startswith(ALL_OF) else dataset
        return next(
            (
                group
                for group in self.result.groups
                if (group.method, group.setting, group.dataset, group.datasets) == (method, setting, wanted, datasets)
            ),
            None,
        )


def scored_run(
    ticket: Ticket, result: PersonalizationResult, rows: Iterable[OutcomeRow], golds: Sequence[str | None]
) -> ScoredRun:
    """What the board keeps of a result.

    Args:
        ticket: What was submitted.
        result: What it scored.
        rows: Its outcomes, in order.
        golds: The right option's letter of every row.
    """
    rows = list(rows)
    units: dict[MethodKey, dict[tuple[str | None, str], tuple[int, int]]] = {}
    controls: dict[MethodKey, list[ControlOutcome]] = {}
    for row, gold in zip(rows, golds, strict=True):
        if row.correct_no_pref is None or row.correct_pref is None:
            continue
        key = (row.method or "", row.setting)
        tally = row_tally(row.correct_no_pref, row.correct_pref, row.is_followed(), None, row.setting)
        units.setdefault(key, {})[row.unit] = (int(tally[0]), int(tally[3]))
        controls.setdefault(key, []).append(
            ControlOutcome(row.dataset or "", row.example_id, row.correct_no_pref, gold == "A")
        )
    empty = dict.fromkeys(type(result.outcomes).model_fields, ())
    without = result.model_copy(update={"outcomes": result.outcomes.model_copy(update=empty)})
    return ScoredRun(ticket, without, units, controls, _weak(result.groups, rows))


def _weak(groups: Iterable[PersonalizationGroup], rows: Sequence[OutcomeRow]) -> dict[GroupKey, WeakControls]:
    """Groups whose controls are below the run's own level; the controls themselves are none."""
    levels = own_levels(rows)
    by_method: defaultdict[MethodKey, list[OutcomeRow]] = defaultdict(list)
    for row in rows:
        by_method[row.method or "", row.setting].append(row)
    weak_groups: dict[GroupKey, WeakControls] = {}
    for group in groups:
        own = (row for row in by_method[group.method, group.setting] if row.dataset in group.datasets)
        weak = weak_controls(own, levels) if group.setting != "none" else None
        if weak is not None:
            weak_groups[group.method, group.setting, group.datasets] = weak
    return weak_groups


# --- the rows of one choice ------------------------------------------------------------------------------------------


def personalization_rows(runs: Sequence[ScoredRun], setting: Setting, dataset: str) -> tuple[PersonalizationRow, ...]:
    """Every row of one setting and data set choice, in no particular order."""
    rows = [row for run in runs for row in _run_rows(run, setting, dataset)]
    ranked = {row.id: _units(runs, row, setting, dataset) for row in rows if not row.unranked}
    bands, deciding = robustness_bands(ranked), deciding_examples(ranked)
    leader = deciding.leaders[0] if deciding else ""
    return (
        *(replace(row, rank=bands.get(row.id), deciding=deciding if row.id == leader else None) for row in rows),
        *_null_rows(runs, rows, setting, dataset),
        *_published_rows(setting, dataset),
    )


def row_id(ticket_id: str, method: str) -> str:
    """One method of one run."""
    return f"{ticket_id}/{method}"


def _run_rows(run: ScoredRun, setting: Setting, dataset: str) -> list[PersonalizationRow]:
    methods = dict.fromkeys(group.method for group in run.result.groups if group.setting == setting)
    groups = ((method, run.group(method, setting, dataset)) for method in methods)
    return [run_row(run, group) for _, group in groups if group is not None]


def run_row(run: ScoredRun, group: PersonalizationGroup) -> PersonalizationRow:
    """The row of one group of a run."""
    return PersonalizationRow(
        **ticket_fields(run.ticket),
        id=row_id(run.ticket.id, group.method),
        name=run.name,
        method=group.method,
        metrics=group.metrics,
        shares=group.shares,
        group=group,
        n=group.n,
        n_qstar=group.n_qstar,
        judge=run.result.judge,
        statistics_version=run.result.statistics_version,
        unranked=run.ticket.out_of_season
        or unranked_reason(run.result, group, run.weak.get((group.method, group.setting, group.datasets))),
        remark=_remark(run, group),
    )


def unranked_reason(result: PersonalizationResult, group: PersonalizationGroup, weak: WeakControls | None) -> str:
    """Why a group is not ranked; blank where it is.

    Args:
        result: Of the run.
        group: One of its groups.
        weak: What its controls fall short of; None where they do not.
    """
    if result.profile != "recommended":
        return f"comparison view of the profile {result.profile}"
    if group.setting == "none":
        return "the control compared with itself"
    if group.n_qstar < MIN_QSTAR:
        return f"too few: {group.n_qstar} right controls of at least {MIN_QSTAR}"
    error = group.metrics["robustness_error"]
    if error.value is None:
        return error.reason or "no robustness error"
    return weak.reason if weak else ""


def _remark(run: ScoredRun, group: PersonalizationGroup) -> str:
    remarks = [ORIGIN[run.ticket.role]] if run.ticket.role in ORIGIN else []
    if group.n_no_gold:
        remarks.append(f"rows without a right option, which count nowhere: {group.n_no_gold}")
    if group.n_cut:
        remarks.append(f"rows with a text of which the judge saw the beginning only: {group.n_cut}")
    return "; ".join(remarks)


def _units(runs: Sequence[ScoredRun], row: PersonalizationRow, setting: Setting, dataset: str) -> RobustnessUnits:
    run = next(run for run in runs if run.ticket.id == row.ticket_id)
    datasets = pooled_datasets(dataset)
    units = run.units.get((row.method, setting), {})
    return {unit: counts for unit, counts in units.items() if unit[0] in datasets}


# --- baselines -------------------------------------------------------------------------------------------------------

NOBODY_JUDGED = "no judge was asked"
NO_PREFERENCE_RELEVANT = "no preference is relevant"


def _null_rows(
    runs: Sequence[ScoredRun], rows: Sequence[PersonalizationRow], setting: Setting, dataset: str
) -> tuple[PersonalizationRow, ...]:
    """What answers that ignore the preference would score, on the questions of the row with the most answers."""
    best = max(rows, key=lambda row: (row.n or 0, row.id), default=None)
    if best is None or setting == "none":
        return ()
    run = next(run for run in runs if run.ticket.id == best.ticket_id)
    datasets = pooled_datasets(dataset)
    controls = [control for control in run.controls.get((best.method, setting), ()) if control.dataset in datasets]
    if not controls:
        return ()
    remark = f"baseline: computed on the questions of {best.name}"
    rights: tuple[tuple[str, Callable[[ControlOutcome], bool], str], ...] = (
        ("the control unchanged", lambda control: control.is_right, f"{remark}, whose controls are given again"),
        ("always the first option", lambda control: control.is_first_option, remark),
    )
    return tuple(_null_row(name, controls, is_right, setting, text) for name, is_right, text in rights)


def _null_row(
    name: str,
    controls: Sequence[ControlOutcome],
    is_right: Callable[[ControlOutcome], bool],
    setting: Setting,
    remark: str,
) -> PersonalizationRow:
    """A system that answers the same with and without preferences."""
    answered = [
        OutcomeRow(control.example, control.dataset, setting, is_right(control), is_right(control), unchanged=True)
        for control in controls
    ]
    figures = row_figures(answered, setting)
    why_not = NOBODY_JUDGED if is_judged_setting(setting) else NO_PREFERENCE_RELEVANT
    metrics = {
        key: MetricValue(value=value, n=figures["n_qstar"], reason=None if value is not None else why_not)
        for key, value in (
            ("breakage_rate", figures["breakage_rate"]),
            ("alignment_failure", figures["alignment_failure"]),
            ("robustness_error", figures["robustness_error"]),
            ("performance_variation", figures["performance_variation"]),
        )
    }
    return PersonalizationRow(
        id=f"null/{name}",
        name=name,
        is_null=True,
        method="",
        metrics=metrics,
        shares={
            "acc_no_pref": figures["acc_no_pref"],
            "acc_pref": figures["acc_pref"],
            "unchanged_rate": figures["unchanged_rate"],
        },
        n=figures["n"],
        n_qstar=figures["n_qstar"],
        remark=remark,
    )


# --- published -------------------------------------------------------------------------------------------------------


def _published_rows(setting: Setting, dataset: str) -> tuple[PersonalizationRow, ...]:
    """The paper's figures on the same data sets."""
    published = FULL if pooled_datasets(dataset) == published_datasets() else dataset
    return tuple(
        PersonalizationRow(
            id=f"published/{row.model}/{row.method}",
            name=row.model,
            published=PUBLICATION.mark,
            method=row.method,
            metrics=dict(row.metrics),
            model=row.model,
            team=PUBLICATION.short,
            remark=f"{PUBLICATION.mark}, by another judge ({PUBLICATION.short})",
        )
        for row in published_rows()
        if (row.setting, row.dataset) == (setting, published)
    )
