"""The board of 2024, for the register."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from evaluator.results import VIEWS
from leaderboard.boards.robustness.atlas.screen import AtlasScreen
from leaderboard.boards.robustness.cache import Boards, has_prompts
from leaderboard.boards.robustness.choices.screen import ChoicesScreen
from leaderboard.boards.robustness.page import robustness_page
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.boards.robustness.standings import robustness_standings
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.boards.robustness.table2_values import table2_lead
from leaderboard.eval_results.screen import ModelCardScreen
from leaderboard.page.registered import Board, BoardTools, OpenBoard, RowItems
from leaderboard.systems.charts import COMPARISON, HISTORY
from leaderboard.systems.screen import SystemScreen
from leaderboard.team_report.screen import TeamReportScreen
from submissions.promptsets import DEMONSTRATION, ELOQUENT_2024
from submissions.store.queue import Ticket


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
