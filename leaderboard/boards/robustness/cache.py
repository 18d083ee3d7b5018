"""The boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from threading import Lock

from evaluator.results import HEADLINE, RobustnessResult, View
from evaluator.robustness.figures import Subset, by_language, of_subset
from evaluator.statistics.rank_bands import Ranking
from leaderboard.boards.robustness.choices.judges import AS_SCORED, JudgeChoice, Judged, JudgedRuns, judge_choices
from leaderboard.boards.robustness.rows import (
    BoardRow,
    ScoredTicket,
    board_rows,
    latest_scored,
)
from leaderboard.page.ledger import Ledger
from leaderboard.page.registered import BoardTools
from leaderboard.page.system_keys import SystemKey, system_key
from leaderboard.parts.shown_rows import Run
from leaderboard.parts.team_names import TeamNames
from submissions.promptsets import DEMONSTRATION, ELOQUENT_2024
from submissions.store.queue import Ticket
from submissions.store.store import Store

WHOLE = Subset()
"""The whole prompt set."""
KEPT_PARTS = 64
"""Parts of prompt sets, and other judges' rows, that are kept at a time: items can be left out in many ways."""


class Boards:
    """Rows of the Robustness board by prompt set and view, kept until the store's change marker moves."""

    @classmethod
    def of(cls, tools: BoardTools) -> Boards:
        """Over the stored results."""
        return cls(tools.services.store)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._marker: int | None = None
        self._tickets: list[Ticket] = []
        self._ledger = Ledger(())
        self._rows: dict[tuple[str, View], tuple[BoardRow, ...]] = {}
        self._parts: OrderedDict[tuple[object, ...], tuple[BoardRow, ...]] = OrderedDict()
        self._judges: dict[str, tuple[JudgeChoice, ...]] = {}
        self._judged = JudgedRuns(store)
        self._rankings: defaultdict[tuple[str, View], Ranking] = defaultdict(Ranking)
        self._runs: dict[tuple[str, View], dict[str, tuple[Run, ...]]] = {}
        self._results: dict[tuple[str, datetime], RobustnessResult] = {}
        self._teams = TeamNames(store)

    def marker(self) -> int:
        """Changes whenever a board or a ticket may have changed."""
        return self._store.change_marker()

    def rows(self, set_id: str, view: View, subset: Subset = WHOLE, judged_by: str = AS_SCORED) -> tuple[BoardRow, ...]:
        """The rows of one prompt set in one view, of a part of it, or by another judge, in no particular order.

        Args:
            judged_by: key of a judge of the set (`judges`); others count as `AS_SCORED`.
        """
        with self._lock:
            self._renew()
            choice = self._choice(set_id, judged_by)
            if subset.is_whole and choice is None:
                if (set_id, view) not in self._rows:
                    rows = self._ledger.counted(self._computed(set_id, view), "id")
                    self._rows[set_id, view] = self._teams.named(rows, self._tickets, "id")
                return self._rows[set_id, view]
            key = (self._marker, set_id, view, subset, choice)
            if key in self._parts:
                self._parts.move_to_end(key)
                return self._parts[key]
            scored, ledger, tickets = self._scored(set_id), self._ledger, self._tickets
        part = self._part(scored, view, subset, choice)  # seconds on a long board: nobody else waits for it
        rows = self._teams.named(ledger.counted(part, "id"), tickets, "id")
        with self._lock:
            self._parts[key] = rows
            if len(self._parts) > KEPT_PARTS:
                self._parts.popitem(last=False)
        return rows

    def judges(self, set_id: str) -> tuple[JudgeChoice, ...]:
        """Whose scores may rank the board of a prompt set; none where all runs have one judge."""
        with self._lock:
            self._renew()
            return self._judges_of(set_id)

    def judged(self, set_id: str, ids: Collection[str], judged_by: str = AS_SCORED) -> dict[str, Judged]:
        """What a judge made of runs of the set, by their tickets; runs that are withdrawn meanwhile are left out."""
        with self._lock:
            self._renew()
            choice = self._choice(set_id, judged_by)
            tickets = [ticket for ticket in self._tickets if ticket.id in ids]
        found = {ticket.id: self._judged.of(ticket, choice) for ticket in tickets}
        return {id_: judged for id_, judged in found.items() if judged is not None}

    def scored(self) -> dict[str, list[ScoredTicket]]:
        """The run every system is ranked by with its result, without its items, by prompt set."""
        with self._lock:
            self._renew()
            sets = dict.fromkeys(ticket.set_id for ticket in self._tickets if has_prompts(ticket.set_id))
            return {set_id: self._scored(set_id) for set_id in sets}

    def runs(self, set_id: str, view: View) -> dict[str, tuple[Run, ...]]:
        """All scored runs of every system of a prompt set, oldest first, by the ticket its row shows; no null rows."""
        with self._lock:
            self._renew()
            key = (set_id, view)
            if key not in self._runs:
                self._runs[key] = self._all_runs(set_id, view)
            return self._runs[key]

    def tickets(self) -> list[Ticket]:
        """Every submission, newest first."""
        with self._lock:
            self._renew()
            return list(self._tickets)

    def run(self, ticket_id: str) -> ScoredTicket | None:
        """A scored run of a prompt set, be it the latest of its system or not, without its items; None for others."""
        with self._lock:
            self._renew()
            ticket = next((ticket for ticket in self._tickets if ticket.id == ticket_id), None)
            if ticket is None or not ticket.is_on_boards or not has_prompts(ticket.set_id):
                return None
            result = self._result(ticket)
            return ScoredTicket(ticket, result) if result else None

    def _renew(self) -> None:
        marker = self._store.change_marker()
        if marker != self._marker:
            self._tickets = self._store.tickets()
            self._ledger = Ledger(self._tickets)
            self._rows = {}
            self._parts.clear()
            self._judges = {}
            self._runs = {}
            self._marker = marker

    def _computed(self, set_id: str, view: View) -> tuple[BoardRow, ...]:
        return board_rows(self._scored(set_id), view, self._rankings[set_id, view])

    def _judges_of(self, set_id: str) -> tuple[JudgeChoice, ...]:
        if set_id not in self._judges:
            self._judges[set_id] = judge_choices(entry.result for entry in self._scored(set_id))
        return self._judges[set_id]

    def _choice(self, set_id: str, judged_by: str) -> JudgeChoice | None:
        if judged_by == AS_SCORED:
            return None
        return next((choice for choice in self._judges_of(set_id) if choice.key == judged_by), None)

    def _part(
        self,
        scored: Sequence[ScoredTicket],
        view: View,
        subset: Subset,
        choice: JudgeChoice | None,
    ) -> tuple[BoardRow, ...]:
        """Rows as they come out of part of the set, or by another judge."""
        read = ((entry, self._judged.of(entry.ticket, choice)) for entry in scored)
        found = [_in_part(entry, judged, view, subset, choice) for entry, judged in read if judged is not None]
        return board_rows(found, view)

    def _all_runs(self, set_id: str, view: View) -> dict[str, tuple[Run, ...]]:
        entered = [one for one in self._tickets if one.set_id == set_id and one.role != "baseline"]
        scored = [one for one in entered if one.is_on_boards]
        runs: dict[SystemKey, list[Run]] = {}
        for ticket in sorted(scored, key=lambda one: (one.received_at, one.id)):
            result = self._result(ticket)
            if result is not None:
                score = result.views[view].figures[HEADLINE].mean
                runs.setdefault(system_key(ticket), []).append(Run(ticket.id, ticket.received_at, score))
        shown = {system_key(ticket): ticket.id for ticket in latest_scored(scored)}
        return {shown[key]: tuple(found) for key, found in runs.items()}

    def _scored(self, set_id: str) -> list[ScoredTicket]:
        tickets = latest_scored([ticket for ticket in self._tickets if ticket.set_id == set_id])
        read = ((ticket, self._result(ticket)) for ticket in tickets)
        return [ScoredTicket(ticket, result) for ticket, result in read if result is not None]

    def _result(self, ticket: Ticket) -> RobustnessResult | None:
        """The result without its items, which only the item pages need; None when it was withdrawn meanwhile."""
        key = (ticket.id, ticket.status_at)
        if key not in self._results:
            text = self._store.result(ticket.id)
            if text is None:
                return None
            self._results[key] = _without_items(RobustnessResult.model_validate_json(text))
        return self._results[key]


def _without_items(result: RobustnessResult) -> RobustnessResult:
    """The result as the boards keep it: what only item pages and other choices need takes most of it."""
    panel = result.panel
    if panel is not None:
        members = tuple(member.model_copy(update={"groups": None}) for member in panel.members)
        panel = panel.model_copy(update={"members": members})
    return result.model_copy(update={"items": (), "panel": panel})


def _in_part(
    entry: ScoredTicket, judged: Judged, view: View, subset: Subset, choice: JudgeChoice | None
) -> ScoredTicket:
    """A run as it comes out; what is known of its whole file alone, or by another judge, is left out."""
    shown = of_subset(judged.groups, view, subset)
    if judged.reason:
        shown = shown.model_copy(update={"ranked": False, "reason": judged.reason})
    items = Subset(variation=subset.variation, without=subset.without)
    update = {
        "views": {**entry.result.views, view: shown},
        "by_language": by_language(items.groups(judged.groups, "all"), [HEADLINE]),
        "judge": choice.pin if choice else entry.result.judge,
        "panel": entry.result.panel if subset.is_whole else None,
        "pairwise": entry.result.pairwise if subset.is_whole and choice is None else None,
    }
    return ScoredTicket(entry.ticket, entry.result.model_copy(update=update))


def has_prompts(set_id: str) -> bool:
    """Is it a prompt set of this board, not what other editions and kinds of files are entered under?"""
    return set_id in (ELOQUENT_2024, DEMONSTRATION)
