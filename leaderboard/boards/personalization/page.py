"""The Personalization board: the ranking, the charts, one run down to its answers."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from leaderboard.boards.personalization.charts import CHARTS
from leaderboard.boards.personalization.screen import PersonalizationScreen
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.lab.links import replay_notice
from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.board_table import turned_to
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.drawers import SHOWN, drawer
from leaderboard.page.drawn import Choice, Hidden, Level, Part, chooser, shows, visible, with_notice
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage, Region
from leaderboard.page.state import beside_table, chosen, closed
from leaderboard.parts.chart import ChartSheet
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import AnswersView, ChangeMarker, JudgeCards, Notice, Table
from leaderboard.parts.notices import NoticeValue

PREFIX = "personalization-"


def personalization_page(
    screen: PersonalizationScreen, changed: Callable[[], int], page: gr.State, link: ViewLink
) -> LivePage[PersonalizationState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""

    def is_board(state: PersonalizationState) -> bool:
        return not state.answers

    def is_item(state: PersonalizationState) -> bool:
        return bool(state.answers and state.example)

    def is_list(state: PersonalizationState) -> bool:
        return screen.has_answers(state) and not is_item(state)

    marker = ChangeMarker(elem_id=f"{PREFIX}charts-marker")  # outside what is hidden, or it would not notice a change
    waiting = chart_marker(PREFIX)
    setting: Choice[PersonalizationState] = Choice(
        "setting", "Preferences", lambda state: screen.setting_choices(), "setting-choice", is_list=False
    )
    dataset: Choice[PersonalizationState] = Choice(
        "dataset", "Data sets", lambda state: screen.dataset_choices(), "dataset-choice"
    )
    outcome: Choice[PersonalizationState] = Choice(
        "outcome", "Outcome", screen.outcome_choices, "outcome-choice", is_shown=is_list
    )
    with gr.Column(visible=False, elem_id="answers-view") as answers_view:
        to_board = gr.Button("← Personalization", elem_id="to-personalization", size="sm", scale=0, min_width=160)
        row_notice = Notice(elem_id="row-notice")
        to_lab = Notice(elem_id="to-lab")
    with toolbar() as bar:  # of the answers of an opened row, too: it stands above whichever table is shown
        with drawer(SHOWN, "Preferences", prefix=PREFIX) as choices, gr.Row():
            choosers = [chooser(setting), chooser(dataset)]
        choosers.append(chooser(outcome))
        with toolbar() as tools:
            controls = board_controls(screen.board, page, PREFIX)
    with gr.Column(elem_id="personalization-board") as board:
        ranking = board_parts(screen.board, page, controls=controls, prefix=PREFIX, notice_id=f"{PREFIX}notice")
        row_charts = chart_parts(screen.board_charts, page, waiting, prefix=PREFIX)
        with gr.Column(elem_id=f"{PREFIX}charts", visible=False) as charts:
            shown = ChartsView(ChartSheet(CHARTS, PREFIX).empty(), elem_id=f"{PREFIX}charts-view")
    examples = Table(elem_id="examples-table")
    with gr.Column(visible=False, elem_id="example-view") as example_view:
        to_answers = gr.Button("← All answers of this row", elem_id="to-answers", size="sm", scale=0, min_width=200)
        example_notice = Notice(elem_id="example-notice")
        example = AnswersView(elem_id="example")
    with gr.Column(visible=False, elem_id="run-details") as details:
        with gr.Accordion(screen.groups_label(None), open=False, elem_id="run-groups") as fold:
            groups = Table(elem_id="groups-table")
        cards = JudgeCards(elem_id="run-judge-cards")
        with gr.Accordion("How the letters were found", open=False):
            rules = Table(elem_id="rules-table")

    def group_values(state: PersonalizationState) -> tuple[object, object]:
        value = screen.groups_table(state)
        return gr.update(label=screen.groups_label(value)), value

    def lab_notice(state: PersonalizationState) -> NoticeValue | None:
        return replay_notice(state.answers) if screen.has_answers(state) else None

    of_board: list[Hidden[PersonalizationState]] = [
        shows(ranking.notice, screen.state_notice, beside_table),
        ranking,
        row_charts.asking,
        visible(charts, screen.has_charts),
        shows(marker, screen.charts_marker, beside_table),
    ]
    region: Region[PersonalizationState] = Region.of_parts(
        page,
        link,
        [
            visible(bar, lambda state: is_board(state) or is_list(state)),
            shows(choices, lambda state: gr.update(label=screen.shown_words(state)), beside_table),
            *choosers,
            visible(tools, is_board),
            Level(board, is_board, of_board),
            Level(
                answers_view,
                lambda state: not is_board(state) and not is_item(state),
                [shows(row_notice, screen.row_notice), shows(to_lab, lab_notice)],
            ),
            shows(examples, lambda state: screen.examples_table(state) if is_list(state) else None),
            Level(
                details,
                is_list,
                [Part([fold, groups], group_values), shows(cards, screen.cards), shows(rules, screen.rules_table)],
            ),
            Level(example_view, is_item, [with_notice(example_notice, screen.example_notice, example, screen.example)]),
        ],
        changed,
        screen.completed,
    )
    ranking.wire(region)
    row_charts.wire(region, chosen("answers"))
    region.on_inputs(
        *((each.control, each.change) for each in choosers),
        clicks=[(to_board, closed("answers")), (to_answers, closed("example"))],
    )
    region.on_event(ranking.table.open, "row", chosen("answers"))
    region.on_event(examples.open, "row", chosen("example"))
    region.on_event(examples.turn, "page", turned_to)
    marker.moved(lambda state: screen.charts_value(screen.completed(state)), page, shown, **QUIET)
    keep = [choices, *(each.control for each in choosers), *ranking.controls]
    return live_page(region, changed, keep=keep, prefix=PREFIX)
