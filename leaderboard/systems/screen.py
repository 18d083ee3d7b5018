"""What the view of one system shows besides its items: its rank explained, another system beside it, its card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace

from evaluator.results import HEADLINE, MetricValue
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.comparison import (
    ComparedItemsValue,
    RankValue,
    RunComparison,
    compared_items_value,
    comparison_notice,
    no_rank_value,
    rank_value,
    system_name,
)
from leaderboard.boards.robustness.rows import RobustnessRow, ScoredTicket
from leaderboard.boards.robustness.screen import VIEW_LABELS
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.desk.run_titles import run_titles
from leaderboard.page.registered import BoardTools, Standing
from leaderboard.page.services import Services
from leaderboard.parts.chart import ChartSheet, ChartsValue
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.systems.card import SystemCardValue, card_value, manifest_text, runs_of_system, team_key
from leaderboard.systems.charts import COMPARISON, HISTORY, History
from submissions.store.queue import Ticket

NO_CHOICE = "choose a system"


class SystemScreen:
    """Page state -> values of the components that explain one system."""

    @classmethod
    def of(cls, tools: BoardTools) -> SystemScreen:
        """Of the site that the tools are of."""
        return cls(tools.services, tools.shared(Boards.of), tools.standings)

    def __init__(
        self,
        services: Services,
        boards: Boards,
        standings: Callable[[Set[str]], Iterable[Standing]],
    ) -> None:
        self._services = services
        self._boards = boards
        self._standings = standings

    def _opened(self, state: RobustnessState) -> ScoredTicket | None:
        """The opened run without its items; None where there is none to show."""
        return self._run(state.system)

    def _run(self, ticket_id: str) -> ScoredTicket | None:
        run = self._boards.run(ticket_id) if ticket_id else None
        return run if run and run.ticket.set_id in self._services.set_titles() else None

    def _rows(self, run: ScoredTicket, state: RobustnessState) -> dict[str, RobustnessRow]:
        """The rows of the run's prompt set by ticket; the set of a link may be another one."""
        return {row.id: row for row in self._boards.rows(run.ticket.set_id, state.view)}

    def _others(self, run: ScoredTicket, rows: Mapping[str, RobustnessRow]) -> list[ScoredTicket]:
        """The runs of the other rows."""
        scored = self._boards.scored().get(run.ticket.set_id, [])
        return [other for other in scored if other.ticket.id in rows and other.ticket.id != run.ticket.id]

    # The rank

    def rank(self, state: RobustnessState) -> RankValue | None:
        """Why the opened system holds its rank, or why the baselines keep it from one; None for baselines."""
        run = self._opened(state)
        if run is None:
            return None
        rows = self._rows(run, state)
        row = rows.get(run.ticket.id)
        if row is None:
            return None
        if row.rank is None:
            return no_rank_value(row)
        ranked = [other for other in self._others(run, rows) if rows[other.ticket.id].rank]
        return rank_value(run, ranked, row.rank, replace(state, set=run.ticket.set_id))

    # Another system beside it

    def choices(self, state: RobustnessState) -> list[tuple[str, str]]:
        """Systems to compare the opened one with: words, ticket. Ranked ones first, then baselines and the rest."""
        run = self._opened(state)
        if run is None:
            return []
        rows = self._rows(run, state)
        others = sorted(self._others(run, rows), key=lambda other: rows[other.ticket.id].place)
        choices = [(_choice_words(rows[other.ticket.id]), other.ticket.id) for other in others]
        against = self._run(state.against)
        if against and against.ticket.id not in rows:  # an older run, from a link
            choices.append((f"{system_name(against.ticket)} · an older run", against.ticket.id))
        return [(NO_CHOICE, ""), *choices] if choices else []

    def comparison(self, state: RobustnessState) -> RunComparison | None:
        """The two runs; None where they cannot stand beside each other."""
        first, second = self._opened(state), self._run(state.against)
        if first is None or second is None or first.ticket.id == second.ticket.id:
            return None
        if first.ticket.set_id != second.ticket.set_id:
            return None
        prompt_set = self._services.sets()[first.ticket.set_id]
        variations = {item.id: item.variation for item in prompt_set.items}
        attempts = tuple(max(1, len(self._services.store.attempts(side.ticket.id))) for side in (first, second))
        return RunComparison(first, second, state.view, variations, (attempts[0], attempts[1]))

    def comparison_notice(self, state: RobustnessState) -> NoticeValue | None:
        """The comparison in words."""
        if not state.against or self._opened(state) is None:
            return None
        comparison = self.comparison(state)
        if comparison is None:
            return notice(
                "warning",
                "These two cannot be compared.",
                "The second run has no result to show, is the same, or answered another prompt set.",
                "Choose another system.",
            )
        rows = self._rows(comparison.first, state)
        return comparison_notice(comparison, {id_: row.rank for id_, row in rows.items() if row.rank})

    def compared_items(self, state: RobustnessState) -> ComparedItemsValue | None:
        """Both scores of every common item."""
        comparison = self.comparison(state)
        return compared_items_value(comparison) if comparison and comparison.items else None

    def comparison_charts(self, state: RobustnessState) -> ChartsValue | None:
        """The dumbbell chart; None where there is nothing to compare."""
        comparison = self.comparison(state)
        return ChartSheet([COMPARISON]).value(comparison, is_dark=state.is_dark) if comparison else None

    # Its card

    def card(self, state: RobustnessState) -> SystemCardValue | None:
        """Boards, attempts and manifest of the opened system."""
        run = self._opened(state)
        if run is None:
            return None
        tickets = runs_of_system(self._boards.tickets(), run.ticket)
        scores = [(ticket, self._score(ticket, state)) for ticket in tickets]
        standings = list(self._standings({ticket.id for ticket in tickets}))
        titles = run_titles(self._services)
        return card_value(run, standings, scores, VIEW_LABELS[state.view], titles)

    def _score(self, ticket: Ticket, state: RobustnessState) -> MetricValue | None:
        """The headline of a run on this board; None for unscored runs and for those on other boards."""
        run = self._run(ticket.id)
        return run.result.views[state.view].figures[HEADLINE].mean if run else None

    def manifest(self, state: RobustnessState) -> tuple[str, str] | None:
        """Name and text of the manifest; None where no run is open."""
        run = self._opened(state)
        return (f"plumbline-manifest-{run.ticket.id}.json", manifest_text(run, state.view)) if run else None

    # The team's runs over time

    def history(self, state: RobustnessState) -> History | None:
        """The scored runs of the opened run's team on its prompt set; None with fewer than two."""
        opened = self._opened(state)
        if opened is None:
            return None
        is_named = opened.ticket.names.team is not None
        mine = (
            [ticket for ticket in self._boards.tickets() if team_key(ticket) == team_key(opened.ticket)]
            if is_named
            else runs_of_system(self._boards.tickets(), opened.ticket)
        )
        scored = [ticket for ticket in mine if ticket.set_id == opened.ticket.set_id and ticket.is_on_boards]
        runs = [run for ticket in scored if (run := self._run(ticket.id)) is not None]
        runs.sort(key=lambda run: (run.ticket.received_at, run.ticket.id))
        return History(runs, state.view) if len(runs) > 1 else None

    def history_charts(self, state: RobustnessState) -> ChartsValue | None:
        """The runs over time, with the table behind; None with fewer than two, or where they came at one time."""
        history = self.history(state)
        return ChartSheet([HISTORY]).value(history, is_dark=state.is_dark) if history and history.spans_time else None


def _choice_words(row: RobustnessRow) -> str:
    """How a system is called in the list of those to compare with."""
    return " · ".join(word for word in (row.name, row.team, row.place_words) if word)


# What a visitor does to the page state. Values come from the browser: anything unknown changes nothing.


def compared_with(state: RobustnessState, ticket: object) -> RobustnessState:
    """Another system to stand beside the opened one; blank ends the comparison."""
    return replace(state, against=ticket) if isinstance(ticket, str) and ticket != state.system else state


def opened_side(state: RobustnessState, place: object) -> RobustnessState:
    """An item of either system: "first/003" or "second/003". The other one then stands beside it."""
    side, _, item = place.partition("/") if isinstance(place, str) else ("", "", "")
    if not item or not state.against or side not in ("first", "second"):
        return state
    if side == "first":
        return replace(state, item=item, pair="")
    return replace(state, system=state.against, against=state.system, item=item, pair="")
