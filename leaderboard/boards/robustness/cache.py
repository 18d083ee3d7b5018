"""The boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Sequence
from threading import Lock

from evaluator.results import HEADLINE, Pin, RobustnessResult, View
from evaluator.robustness.figures import Subset, by_language, of_subset
from evaluator.statistics.rank_bands import Ranking
from leaderboard.boards.robustness.choices.judges import AS_SCORED, JudgeChoice, Judged, JudgedRuns, judge_choices
from leaderboard.boards.robustness.rows import (
    RobustnessRow,
    ScoredTicket,
    board_rows,
)
from leaderboard.page.registered import BoardTools, StoredTickets
from leaderboard.page.scored_runs import ScoredRuns
from leaderboard.page.system_keys import RunKey, run_key, standing_runs
from leaderboard.parts.shown_rows import Run
from submissions.promptsets import DEMONSTRATION, ELOQUENT_2024
from submissions.store.queue import Ticket
from submissions.store.store import Store

WHOLE = Subset()
"""The whole prompt set."""
KEPT_PARTS = 64
"""Parts of prompt sets, and other judges' rows, that are kept at a time: items can be left out in many ways."""


class Boards:
    """Rows of the Robustness board by prompt set and view, kept until a submission is scored or withdrawn."""

    @classmethod
    def of(cls, tools: BoardTools) -> Boards:
        """Over the stored results."""
        return cls(tools.services.store)

    def __init__(self, store: Store) -> None:
        self._runs = ScoredRuns(store, has_prompts, _scored)
        self._judged = JudgedRuns(store)
        self._rankings: defaultdict[tuple[str, View], Ranking] = defaultdict(Ranking)
        self._lock = Lock()
        self._parts: OrderedDict[tuple[object, ...], tuple[RobustnessRow, ...]] = OrderedDict()
        self.tickets = StoredTickets(store)
        """Every submission, to other boards too, newest first."""
        self.marker = self._runs.marker
        self.run = self._runs.run
        """A scored run of a prompt set, be it the latest of its system or not, without its items; None for others."""

    def rows(
        self, set_id: str, view: View, subset: Subset = WHOLE, judged_by: str = AS_SCORED
    ) -> tuple[RobustnessRow, ...]:
        """The rows of one prompt set in one view, of a part of it, or by another judge, in no particular order.

        Args:
            judged_by: key of a judge of the set (`judges`); others count as `AS_SCORED`.
        """
        choice = self._choice(set_id, judged_by)
        if subset.is_whole and choice is None:
            return self._runs.rows((set_id, view), lambda: self._ranked(set_id, view))
        key = (self._runs.stamp(), set_id, view, subset, choice)
        with self._lock:
            part = self._parts.get(key)
            if part is not None:
                self._parts.move_to_end(key)
        if part is None:
            # Seconds on a long board: nobody else waits for it.
            part = self._part(self._ranked_runs(set_id), view, subset, choice)
            with self._lock:
                self._parts[key] = part
                if len(self._parts) > KEPT_PARTS:
                    self._parts.popitem(last=False)
        return self._runs.completed(part)

    def judges(self, set_id: str) -> tuple[JudgeChoice, ...]:
        """Whose scores may rank the board of a prompt set; none where all runs have one judge."""
        return self._runs.kept(
            ("judges", set_id), lambda: judge_choices(run.result for run in self._ranked_runs(set_id))
        )

    def pins(self, set_id: str) -> frozenset[Pin]:
        """By whom the runs that are ranked of a prompt set were scored."""
        return self._runs.kept(
            ("pins", set_id), lambda: frozenset(run.result.judge for run in self._ranked_runs(set_id))
        )

    def judged(self, set_id: str, ids: Collection[str], judged_by: str = AS_SCORED) -> dict[str, Judged]:
        """What a judge made of runs of the set, by their tickets; runs that are withdrawn meanwhile are left out."""
        choice = self._choice(set_id, judged_by)
        tickets = [ticket for ticket in self._runs.tickets() if ticket.id in ids]
        by_ticket = {ticket.id: self._judged.of(ticket, choice) for ticket in tickets}
        return {id_: judged for id_, judged in by_ticket.items() if judged is not None}

    def scored(self) -> dict[str, list[ScoredTicket]]:
        """The run every system is ranked by with its result, without its items, by prompt set."""
        sets = dict.fromkeys(ticket.set_id for ticket in self._runs.tickets())
        return {set_id: self._ranked_runs(set_id) for set_id in sets}

    def runs(self, set_id: str, view: View) -> dict[str, tuple[Run, ...]]:
        """All scored runs of every system of a prompt set, oldest first, by the ticket its row shows; no baselines."""
        return self._runs.kept(("runs", set_id, view), lambda: self._runs_of_systems(set_id, view))

    def _choice(self, set_id: str, judged_by: str) -> JudgeChoice | None:
        if judged_by == AS_SCORED:
            return None
        return next((choice for choice in self.judges(set_id) if choice.key == judged_by), None)

    def _ranked(self, set_id: str, view: View) -> tuple[RobustnessRow, ...]:
        return board_rows(self._ranked_runs(set_id), view, self._rankings[set_id, view])

    def _part(
        self,
        scored: Sequence[ScoredTicket],
        view: View,
        subset: Subset,
        choice: JudgeChoice | None,
    ) -> tuple[RobustnessRow, ...]:
        """Rows as they come out of part of the set, or by another judge."""
        read = ((entry, self._judged.of(entry.ticket, choice)) for entry in scored)
        entries = [_in_part(entry, judged, view, subset, choice) for entry, judged in read if judged is not None]
        return board_rows(entries, view)

    def _runs_of_systems(self, set_id: str, view: View) -> dict[str, tuple[Run, ...]]:
        entered = [ticket for ticket in self._runs.on_boards() if ticket.set_id == set_id and ticket.role != "baseline"]
        runs: dict[RunKey, list[Run]] = {}
        for entry in self._runs.of(sorted(entered, key=lambda ticket: (ticket.received_at, ticket.id))):
            score = entry.result.views[view].figures[HEADLINE].mean
            runs.setdefault(run_key(entry.ticket), []).append(Run(entry.ticket.id, entry.ticket.received_at, score))
        shown = {run_key(ticket): ticket.id for ticket in standing_runs(entered)}
        return {shown[key]: tuple(own_runs) for key, own_runs in runs.items()}

    def _ranked_runs(self, set_id: str) -> list[ScoredTicket]:
        return self._runs.of(standing_runs([ticket for ticket in self._runs.tickets() if ticket.set_id == set_id]))


def _scored(ticket: Ticket, text: str) -> ScoredTicket:
    return ScoredTicket(ticket, _without_items(RobustnessResult.model_validate_json(text)))


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
