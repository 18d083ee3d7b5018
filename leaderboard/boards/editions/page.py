"""The boards of 2025 and 2026, a page each: ranking, charts and atlas, one run to its questions and their answers."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from leaderboard.assets import asset, template
from leaderboard.boards.editions.items_screen import EditionItemsScreen
from leaderboard.boards.editions.rows import EditionBoard
from leaderboard.boards.editions.screen import EditionsScreen
from leaderboard.boards.editions.state import LaterEditionState
from leaderboard.boards.robustness.atlas.page import atlas_parts
from leaderboard.boards.robustness.atlas.screen import AtlasScreen
from leaderboard.boards.robustness.perspectives import is_looked_at, look_choices, look_chosen, look_of
from leaderboard.eval_results.page import model_card
from leaderboard.eval_results.screen import CLOSED, ModelCardScreen
from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.board_table import turned_to
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.drawers import SHOWN, drawer
from leaderboard.page.drawn import Hidden, Level, shows, visible
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage, Region
from leaderboard.page.state import beside_table, chosen, closed
from leaderboard.parts.components import Download, ItemView, JudgeCards, Notice, PrintedPage, Table, TemplateComponent
from leaderboard.team_report.screen import PRINT_WORDS, TeamReportScreen


class CulturalItemView(TemplateComponent):
    """One base question (`cultural_items.cultural_item_value`); None shows nothing.

    Event: `open` with {pair}; a blank pair is none.
    """

    IS_LARGE = True
    TEMPLATE = template("cultural_item_view")
    # A pair draws the view anew: whoever types stays on the button they pressed.
    SCRIPT = asset("cultural_item.js")


PREFIXES: dict[EditionBoard, str] = {"consistency": "consistency-", "cultural": "cultural-"}


def edition_page(
    board: EditionBoard,
    screen: EditionsScreen,
    questions: EditionItemsScreen,
    atlas: AtlasScreen,
    reports: TeamReportScreen,
    model_cards: ModelCardScreen,
    changed: Callable[[], int],
    page: gr.State,
    link: ViewLink,
) -> LivePage[LaterEditionState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    prefix = PREFIXES[board]
    waiting = chart_marker(prefix)
    with toolbar() as bar:
        with drawer(SHOWN, "View and prompt set", prefix=prefix) as shown:
            look = gr.Radio([], label="View", elem_id="look-choice")
            set_choice = gr.Radio(screen.set_choices(board), label="Prompt set", elem_id="set-choice")
        with toolbar() as tools:
            controls = board_controls(screen.tables[board], page, prefix)
    with gr.Column(elem_id=f"{prefix}board") as ranking:
        parts = board_parts(screen.tables[board], page, controls=controls, prefix=prefix, notice_id="edition-notice")
        charts = chart_parts(screen.charts[board], page, waiting, prefix=prefix)
    with gr.Column(visible=False, elem_id="run-view") as run:
        to_board = gr.Button("← Board", elem_id="to-edition-board", size="sm", scale=0, min_width=120)
        run_notice = Notice(elem_id="run-notice")
        with toolbar():
            manifest = gr.Button("Download manifest", elem_id="run-manifest", size="sm", scale=0, min_width=170)
            report = gr.Button("Download report", elem_id="run-report", size="sm", scale=0, min_width=170)
            paper = gr.Button(PRINT_WORDS, elem_id="run-print", size="sm", scale=0, min_width=230)
            beside = gr.Dropdown([], label="Report compares with", elem_id="report-against", filterable=False)
        report_file = Download(elem_id="run-report-file")
        printed = PrintedPage(elem_id="run-report-print")
        manifest_file = Download(elem_id="run-manifest-file")
        card = model_card(model_cards, page, elem_id="run-model-card")
        languages = Table(elem_id="run-languages-table")
        run_parts = Table(elem_id="run-parts-table")
        pairs = Table(elem_id="run-pairs-table")
        cards = JudgeCards(elem_id="run-judge-cards")
    maps = atlas_parts(atlas, page)
    with gr.Column(visible=False, elem_id="item-view") as item_view:
        to_run = gr.Button("← All questions of this run", elem_id="to-system", size="sm", scale=0, min_width=200)
        item_notice = Notice(elem_id="item-notice")
        item = ItemView(elem_id="item") if board == "consistency" else CulturalItemView(elem_id="base-question")

    def is_ranking(state: LaterEditionState) -> bool:
        return is_looked_at(state, "board")

    def is_run(state: LaterEditionState) -> bool:
        return bool(state.system) and not state.item

    def chosen_item(state: LaterEditionState) -> object:
        """One question of 2025 or one base question of 2026."""
        return questions.question(state) if board == "consistency" else questions.base_question(state)

    of_run: list[Hidden[LaterEditionState]] = [
        shows(run_notice, screen.run_notice),
        shows(languages, screen.languages_table),
        shows(run_parts, screen.parts_table),
        shows(pairs, screen.pairs_table),
        shows(cards, screen.cards),
        shows(beside, lambda state: gr.update(choices=reports.choices(state), value="")),
        shows(card, lambda state: CLOSED),
    ]
    region: Region[LaterEditionState] = Region.of_parts(
        page,
        link,
        [
            visible(bar, lambda state: not state.system),
            shows(shown, lambda state: gr.update(label=screen.shown_words(state)), beside_table),
            shows(look, lambda state: gr.update(choices=look_choices(state), value=look_of(state)), beside_table),
            shows(set_choice, lambda state: screen.completed(state).set, beside_table),
            shows(parts.notice, screen.state_notice, beside_table),
            visible(tools, is_ranking),
            Level(ranking, is_ranking, [parts, charts.asking]),
            Level(run, is_run, of_run),
            maps.level,
            Level(
                item_view,
                lambda state: state.system and state.item,
                [shows(item_notice, screen.run_notice), shows(item, chosen_item)],
            ),
        ],
        changed,
    )
    parts.wire(region)
    charts.wire(region, chosen("system"))
    maps.wire(region)
    region.on_inputs(
        (look, look_chosen),
        (set_choice, chosen("set")),
        clicks=[
            (to_board, screen.closed),
            (to_run, closed("item")),
        ],
    )
    region.on_event(parts.table.open, "row", chosen("system"))
    region.on_event(run_parts.open, "row", chosen("item"))
    for table in (run_parts, pairs):
        region.on_event(table.turn, "page", turned_to)
    region.on_event(item.open, "pair", chosen("pair"))
    if isinstance(item, ItemView):
        region.on_part(item.vote, item, questions.voted)
    manifest.click(screen.manifest, page, manifest_file, **QUIET)
    report.click(reports.file, [page, beside], report_file, **QUIET)
    paper.click(reports.file, [page, beside], printed, **QUIET)
    # The prompt set is drawn anew: where none is chosen, the first run of a team may change which one stands there.
    return live_page(region, changed, keep=[look, beside, card, *parts.controls], prefix=prefix)
