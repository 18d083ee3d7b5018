"""The Personalization boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock

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
from leaderboard.page.ledger import Ledger
from leaderboard.page.measured import ORIGIN
from leaderboard.page.registered import BoardTools
from leaderboard.page.system_keys import SystemKey, system_key
from leaderboard.parts.tables import column_of, ordered
from leaderboard.parts.team_names import TeamNames
from submissions.formats.personalization.submission import NAIVE, PREF_ALIGNER, SET_ID, SETTINGS, Setting
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
        by_name = sorted(self.rows, key=lambda row: (row.system, row.method, row.id))
        headline = column_of(PERSONALIZATION.columns, PERSONALIZATION.headline)
        return ordered(by_name, headline, descending=False)

    @property
    def runs(self) -> list[PersonalizationRow]:
        """Rows of submissions, best first."""
        return [row for row in self.ordered_rows if row.kind == "run"]

    def row(self, row_id: str) -> PersonalizationRow | None:
        """The row of that id."""
        return next((row for row in self.rows if row.id == row_id), None)


Stamp = tuple[tuple[str, datetime, str], ...]
"""Which submissions, in which state, the boards were computed from, and whose they are."""


class PersonalizationBoards:
    """The boards by setting and data set choice, kept until a submission is scored or withdrawn."""

    @classmethod
    def of(cls, tools: BoardTools) -> PersonalizationBoards:
        """Over the stored results."""
        return cls(tools.services.store)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._marker: int | None = None
        self._stamp: Stamp = ()
        self._ledger = Ledger(())
        self._runs: dict[tuple[str, datetime], ScoredRun] = {}
        self._boards: dict[tuple[Setting, str], PersonalizationBoard] = {}
        self._counted: dict[tuple[Setting, str], PersonalizationBoard] = {}
        """With the counts of the ledger, which change more often."""
        self._teams = TeamNames(store)

    def board(self, setting: Setting, dataset: str) -> PersonalizationBoard:
        """The board of one setting and data set choice."""
        with self._lock:
            self._renew()
            key = (setting, dataset)
            if key not in self._boards:
                board = board_of(list(self._runs.values()), setting, dataset)
                tickets = [run.ticket for run in self._runs.values()]
                self._boards[key] = replace(board, rows=self._teams.named(board.rows, tickets, "ticket_id"))
            if key not in self._counted:
                board = self._boards[key]
                self._counted[key] = replace(board, rows=self._ledger.counted(board.rows, "ticket_id"))
            return self._counted[key]

    def runs(self) -> list[ScoredRun]:
        """The latest scored submission of every run."""
        with self._lock:
            self._renew()
            return list(self._runs.values())

    def datasets(self) -> tuple[str, ...]:
        """Every data set choice a link may name: single ones, then those pooled."""
        return dataset_choices(self.runs())

    def settings_with_rows(self, dataset: str) -> tuple[Setting, ...]:
        """Settings in which a submission has answered that choice of data sets."""
        runs = self.runs()
        return tuple(
            setting
            for setting in SETTINGS
            if any(run.group(group.method, setting, dataset) for run in runs for group in run.result.groups)
        )

    def stamp(self) -> str:
        """Changes whenever a board has changed, and only then."""
        with self._lock:
            self._renew()
            return str(hash(self._stamp))

    def result(self, ticket_id: str) -> PersonalizationResult | None:
        """A whole result with its outcomes; None where there is none."""
        text = self._store.result(ticket_id)
        return PersonalizationResult.model_validate_json(text) if text else None

    def _renew(self) -> None:
        marker = self._store.change_marker()
        if marker == self._marker:
            return
        entered = [ticket for ticket in self._store.tickets() if ticket.set_id == SET_ID]
        tickets = latest_runs(entered)
        self._ledger, self._counted = Ledger(entered, run_key), {}
        teams = self._teams.shown(tickets)
        stamp = tuple((one.id, one.status_at, teams[one.id]) for one in tickets)
        if stamp != self._stamp:
            kept = {(ticket.id, ticket.status_at): ticket for ticket in tickets}
            found = {key: self._runs.get(key) or self._loaded(ticket) for key, ticket in kept.items()}
            self._runs = {key: run for key, run in found.items() if run is not None}
            self._boards = {}
            self._stamp = stamp
        self._marker = marker

    def _loaded(self, ticket: Ticket) -> ScoredRun | None:
        """The run of a ticket; None when it was withdrawn meanwhile."""
        result = self.result(ticket.id)
        if result is None:
            return None
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
        cells=_cells(rows, by_run, setting, dataset),
    )


def _changes(
    rows: Sequence[PersonalizationRow], results: Mapping[str, PersonalizationResult], setting: Setting, dataset: str
) -> tuple[Change, ...]:
    """Runs and published models that have both methods, by system."""
    naive = {_system_id(row): row for row in rows if row.method == NAIVE}
    pairs = [
        (plain, row) for row in rows if row.method == PREF_ALIGNER and (plain := naive.get(_system_id(row))) is not None
    ]
    found = (
        Change(row.id, row.system, plain, row, _difference(results.get(row.ticket_id), setting, dataset))
        for plain, row in pairs
    )
    return tuple(sorted(found, key=lambda change: (change.difference is None, change.system, change.id)))


def _system_id(row: PersonalizationRow) -> str:
    return row.id.removesuffix(f"/{row.method}")


def _difference(result: PersonalizationResult | None, setting: Setting, dataset: str) -> MetricValue | None:
    wanted = FULL if dataset.startswith(ALL_OF) else dataset
    differences: Sequence[MethodDifference] = result.aligner_differences if result else ()
    found = next((one for one in differences if (one.setting, one.dataset) == (setting, wanted)), None)
    return found.metrics["robustness_error"] if found else None


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
