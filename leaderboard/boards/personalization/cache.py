"""The Personalization boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator.personalization import FULL
from evaluator.personalization.evaluate import outcome_rows
from evaluator.results import MethodDifference, MetricValue, PersonalizationResult, PreferenceFigures
from leaderboard.boards.personalization.kind import PERSONALIZATION
from leaderboard.boards.personalization.published import published_datasets
from leaderboard.boards.personalization.rows import (
    ALL_OF,
    PersonalizationRow,
    ScoredRun,
    personalization_rows,
    pooled_datasets,
    pooled_name,
    scored_run,
)
from leaderboard.page.measured import ORIGIN
from leaderboard.page.registered import BoardTools
from leaderboard.page.scored_runs import ScoredRuns
from leaderboard.page.system_keys import SystemKey, system_key
from leaderboard.parts.tables import column_of, ordered
from submissions.formats.personalization.submission import NAIVE, PREF_ALIGNER, SET_ID, Setting
from submissions.store.queue import Ticket
from submissions.store.store import Store

RunKey = tuple[SystemKey, str | None]
"""System and run: what one row per method stands for. Data sets may come in several files, one run each."""


@dataclass(frozen=True, slots=True)
class Change:
    """A system's step from the plain prompt to Pref-Aligner."""

    id: str
    system: str
    naive: PersonalizationRow
    aligner: PersonalizationRow
    difference: MetricValue | None
    """Robustness error, Pref-Aligner minus plain, paired; None for published figures."""


@dataclass(frozen=True, slots=True)
class PreferenceCell:
    """One row of the board under one relevant preference of one data set."""

    row: PersonalizationRow
    figures: PreferenceFigures


@dataclass(frozen=True, slots=True)
class PersonalizationBoard:
    """Everything known about one setting on one choice of data sets."""

    setting: Setting
    dataset: str
    rows: tuple[PersonalizationRow, ...] = ()
    changes: tuple[Change, ...] = ()
    cells: tuple[PreferenceCell, ...] = ()

    @property
    def ordered_rows(self) -> list[PersonalizationRow]:
        """The rows in the order the board has at first: the most robust on top."""
        by_name = sorted(self.rows, key=lambda row: (row.name, row.method, row.id))
        headline = column_of(PERSONALIZATION.columns, PERSONALIZATION.headline)
        return ordered(by_name, headline, descending=False)

    @property
    def runs(self) -> list[PersonalizationRow]:
        """Rows of submissions, best first."""
        return [row for row in self.ordered_rows if row.is_entry]

    def row(self, row_id: str) -> PersonalizationRow | None:
        """The row of that id."""
        return next((row for row in self.rows if row.id == row_id), None)


class PersonalizationBoards:
    """The boards by setting and data set choice, kept until a submission is scored or withdrawn."""

    @classmethod
    def of(cls, tools: BoardTools) -> PersonalizationBoards:
        """Over the stored results."""
        return cls(tools.services.store)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs = ScoredRuns(store, SET_ID.__eq__, _scored, system_of=run_key)
        self.stamp = self._runs.stamp

    def board(self, setting: Setting, dataset: str) -> PersonalizationBoard:
        """The board of one setting and data set choice."""
        rows = self._runs.rows((setting, dataset), lambda: self._ranked(setting, dataset).rows)
        return replace(self._ranked(setting, dataset), rows=rows)

    def runs(self) -> list[ScoredRun]:
        """The latest scored submission of every run."""
        return self._runs.of(latest_runs(self._runs.tickets()))

    def datasets(self) -> tuple[str, ...]:
        """Every data set choice a link may name: single ones, then those pooled."""
        return dataset_choices(self.runs())

    def _ranked(self, setting: Setting, dataset: str) -> PersonalizationBoard:
        """A board without what changes more often than ranks."""
        return self._runs.kept((setting, dataset), lambda: board_of(self.runs(), setting, dataset))

    def result(self, ticket_id: str) -> PersonalizationResult | None:
        """A whole result with its outcomes; None where there is none."""
        text = self._store.result(ticket_id)
        return PersonalizationResult.model_validate_json(text) if text else None


def _scored(ticket: Ticket, text: str) -> ScoredRun:
    result = PersonalizationResult.model_validate_json(text)
    return scored_run(ticket, result, outcome_rows(result.outcomes), result.outcomes.gold)


def run_key(ticket: Ticket) -> RunKey:
    """What a submission is an attempt at."""
    return (system_key(ticket), ticket.names.run)


def latest_runs(tickets: Sequence[Ticket]) -> list[Ticket]:
    """The submission every run is ranked by: its primary, else its newest scored one; in the order of the tickets."""
    ranked: dict[RunKey, Ticket] = {}
    for ticket in tickets:
        key = run_key(ticket)
        if ticket.is_on_boards and (key not in ranked or ticket.rank_order > ranked[key].rank_order):
            ranked[key] = ticket
    return list(ranked.values())


def dataset_choices(runs: Sequence[ScoredRun]) -> tuple[str, ...]:
    """Single data sets by name, then every combination that some run answered, the most frequent first.

    Pooled figures are compared only where the same data sets were pooled; published ones are always among them.
    """
    groups = [group for run in runs for group in run.result.groups]
    single = sorted({group.dataset for group in groups if group.dataset != FULL} | {*published_datasets()})
    pooled = Counter(group.datasets for group in groups if group.dataset == FULL and len(group.datasets) > 1)
    combinations = sorted({*pooled, published_datasets()}, key=lambda names: (-pooled[names], names))
    return (*single, *(pooled_name(names) for names in combinations))


def dataset_label(dataset: str) -> str:
    """A data set choice in words."""
    names = pooled_datasets(dataset)
    return f"full: {', '.join(names)} pooled" if dataset.startswith(ALL_OF) else names[0]


def first_choice(boards: PersonalizationBoards) -> str:
    """The data sets shown at first: what most runs of teams have answered, pooled before single; else the paper's."""
    runs = [run for run in boards.runs() if run.ticket.role not in ORIGIN]
    counts = Counter(
        pooled_name(group.datasets) if len(group.datasets) > 1 else group.dataset
        for run in runs
        for group in run.result.groups
        if group.setting != "none" and (group.dataset != FULL or len(group.datasets) > 1)
    )
    if not counts:
        return pooled_name(published_datasets())
    return min(counts, key=lambda name: (-counts[name], not name.startswith(ALL_OF), name))


# --- one board -------------------------------------------------------------------------------------------------------


def board_of(runs: Sequence[ScoredRun], setting: Setting, dataset: str) -> PersonalizationBoard:
    """The board of one setting and data set choice from every scored run."""
    rows = personalization_rows(runs, setting, dataset)
    by_run = {run.ticket.id: run.result for run in runs}
    return PersonalizationBoard(
        setting=setting,
        dataset=dataset,
        rows=rows,
        changes=_changes(rows, by_run, setting, dataset),
        # The preferences are the texts of the file, and are read with its answers.
        cells=_cells(rows, {run.ticket.id: run.result for run in runs if run.ticket.shows_answers}, setting, dataset),
    )


def _changes(
    rows: Sequence[PersonalizationRow], results: Mapping[str, PersonalizationResult], setting: Setting, dataset: str
) -> tuple[Change, ...]:
    """Runs and published models that have both methods, by system."""
    naive = {_system_id(row): row for row in rows if row.method == NAIVE}
    pairs = [
        (plain, row) for row in rows if row.method == PREF_ALIGNER and (plain := naive.get(_system_id(row))) is not None
    ]
    changes = (
        Change(row.id, row.name, plain, row, _difference(results.get(row.ticket_id), setting, dataset))
        for plain, row in pairs
    )
    return tuple(sorted(changes, key=lambda change: (change.difference is None, change.system, change.id)))


def _system_id(row: PersonalizationRow) -> str:
    return row.id.removesuffix(f"/{row.method}")


def _difference(result: PersonalizationResult | None, setting: Setting, dataset: str) -> MetricValue | None:
    wanted = FULL if dataset.startswith(ALL_OF) else dataset
    differences: Sequence[MethodDifference] = result.aligner_differences if result else ()
    difference = next(
        (difference for difference in differences if (difference.setting, difference.dataset) == (setting, wanted)),
        None,
    )
    return difference.metrics["robustness_error"] if difference else None


def _cells(
    rows: Sequence[PersonalizationRow], results: Mapping[str, PersonalizationResult], setting: Setting, dataset: str
) -> tuple[PreferenceCell, ...]:
    datasets = pooled_datasets(dataset)
    return tuple(
        PreferenceCell(row, figures)
        for row in rows
        if row.ticket_id in results
        for figures in results[row.ticket_id].by_preference
        if (figures.method, figures.setting) == (row.method, setting) and figures.dataset in datasets
    )
