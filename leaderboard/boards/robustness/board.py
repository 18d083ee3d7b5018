"""The board of 2024, for the register."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import partial
from itertools import product

from evaluator.results import HEADLINE, VIEWS
from leaderboard.boards.robustness.atlas.screen import AtlasScreen
from leaderboard.boards.robustness.cache import Boards, has_prompts
from leaderboard.boards.robustness.choices.screen import ChoicesScreen
from leaderboard.boards.robustness.page import robustness_page
from leaderboard.boards.robustness.screen import VIEW_LABELS, RobustnessScreen
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.boards.robustness.table2_values import table2_lead
from leaderboard.eval_results.screen import ModelCardScreen
from leaderboard.page.links import address_of
from leaderboard.page.registered import Board, BoardTools, OpenBoard, RowItems, Standing
from leaderboard.parts.columns import text_of
from leaderboard.systems.charts import COMPARISON, HISTORY
from leaderboard.systems.screen import SystemScreen
from leaderboard.team_report.screen import TeamReportScreen
from submissions.promptsets import DEMONSTRATION, ELOQUENT_2024
from submissions.store.queue import Ticket


def robustness_standings(boards: Boards, titles: Mapping[str, str], tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, on every prompt set and in every view.

    Args:
        titles: What people call the prompt sets, by id.
    """
    for set_id in boards.scored():
        for view in VIEWS:
            for row in boards.rows(set_id, view):
                if row.id in tickets and set_id in titles:
                    yield Standing(
                        f"Robustness, {titles[set_id]}, {VIEW_LABELS[view]}",
                        " · ".join(name for name in (row.name, row.model) if name),
                        f"score {text_of(row.figures[HEADLINE].mean, 'interval')}",
                        text_of(row.rank, "rank"),
                        address_of(RobustnessState(set=set_id, view=view, system=row.id)),
                    )


def _opened(tools: BoardTools) -> OpenBoard:
    services, screen = tools.services, tools.shared(RobustnessScreen.of)
    others = (
        *(tools.shared(SystemScreen.of), tools.shared(AtlasScreen.of), tools.shared(ChoicesScreen.of)),
        *(tools.shared(TeamReportScreen.of), tools.shared(ModelCardScreen.of)),
    )

    def exported() -> Iterator[RobustnessState]:
        for set_id, view in product(services.sets(), VIEWS):
            yield RobustnessState(set=set_id, view=view)

    return OpenBoard(
        screen.board,
        partial(robustness_page, screen, *others, tools.marker),
        screen.understood,
        exported,
        partial(robustness_standings, tools.shared(Boards.of), services.set_titles()),
        published=table2_lead,
        items=RowItems("Item", lambda state: state.item, screen.items_table),
        charts=(COMPARISON, HISTORY),
    )


def _row_of(ticket: Ticket) -> RobustnessState | None:
    return RobustnessState(set=ticket.set_id, system=ticket.id) if has_prompts(ticket.set_id) else None


SETS = (ELOQUENT_2024, DEMONSTRATION)

ROBUSTNESS_BOARD: Board = Board(RobustnessState, "Robustness", _opened, _row_of, "2024: variants of one question", SETS)
