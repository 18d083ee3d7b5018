"""Somebody comes for the first time: what is this, who leads, how sure is that, what next."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from leaderboard.boards.personalization.published import published_datasets
from leaderboard.boards.personalization.rows import pooled_name
from leaderboard.boards.position_bias.board import position_bias_facts
from leaderboard.boards.position_bias.cache import boards_of
from leaderboard.boards.position_bias.published import published_tables
from leaderboard.boards.public_record.board import alpaca_eval_facts, llm_bar_facts
from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.conftest import (
    expect_no_sideways_scroll,
    expect_rows_on_the_first_screen,
    running_app,
    serious_violations,
    switch_colours,
)
from tests.browser.first_screen import words_on_first_screen
from tests.registered import KINDS
from tests.unit.leaderboard.boards.personalization import made_personalization
from tests.unit.leaderboard.boards.position_bias import made_position_bias

HOSTILE = "<img src=x onerror=alert(1)>`${alert(2)}`\\u003cimg src=x onerror=alert(3)\\u003e"
ACTIONS = {
    "Read a board": ("#board-table table", "/robustness"),
    "Submit a file": ("#submission-file", "/submit"),
    "Try the lab": ("#lab-head", "/lab"),
}


@pytest.fixture(scope="module")
def landing_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app without a worker: two systems with hostile names, a judge nobody may rank, and what others published."""
    data = tmp_path_factory.mktemp("landing")
    app = running_app(data, {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"})
    address = next(app)
    store = Store.open(Settings.from_env({"PLUMBLINE_DATA": str(data)}).resolved_database_url)
    lines = made_position_bias.verdicts({"alone-1": "AB AA"})
    made_position_bias.put_into(store, [made_position_bias.judges_result(lines, benchmark="own", options=2)])
    for lost, system in ((0, f"first {HOSTILE}"), (1, "second")):
        file = made_personalization.large_file(lost=lost, ignored=0, system=system, team=HOSTILE, model=HOSTILE)
        made_personalization.put_into(store, file)
    store.close()
    yield address
    next(app, None)


def open_overview(page: Page, address: str) -> Locator:
    page.goto(address)
    overview = page.locator("#overview .overview")
    expect(overview).to_be_visible()
    return overview


def tab_to(page: Page, target: Locator, *, skips_links: bool = False) -> None:
    """Reaches an element as a keyboard does, from the top of the page; fails where it cannot be reached."""
    page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges()")
    if skips_links:
        tab_to(page, page.get_by_role("link", name="Skip to the content"))
        page.keyboard.press("Enter")
    for _ in range(90):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    pytest.fail(f"the Tab key does not reach {target}")


def test_the_first_screen_says_who_leads_every_board_and_how_sure_that_is(page: Page, landing_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    overview = open_overview(page, landing_url)
    waiting = [KINDS[board].title for board in ("consistency", "cultural")]
    records = [KINDS[board].title for board in ("llm_bar", "alpaca_eval")]  # nobody can add a row there
    read = [kind.title for kind in KINDS.values() if kind.title not in (*waiting, *records)]
    assert overview.locator(".standing h2").all_inner_texts() == read
    assert overview.locator(".waiting-boards a").all_inner_texts() == waiting
    expect(overview.locator(".waiting-boards")).to_contain_text("Awaiting first submission")
    expect(overview).not_to_contain_text(re.compile("nobody on it|nobody yet", re.IGNORECASE))
    personalization = overview.locator(".standing", has_text="Personalization")
    # 0 and 1 of 60 lost: the difference cannot be told from chance.
    expect(personalization.locator(".leaders li").first).to_contain_text("0.0% [")
    expect(personalization.locator(".sure")).to_have_text("Two entries may be first.")
    expect(personalization.locator(".leaders li").nth(1)).to_contain_text("second")
    expect(overview.locator(".service")).to_contain_text("No worker is running")
    service = overview.locator(".service").bounding_box()
    assert service is not None
    assert service["y"] + service["height"] <= 900  # all of it on one screen


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_is_reached_and_followed_with_the_keyboard(page: Page, landing_url: str, action: str) -> None:
    overview = open_overview(page, landing_url)
    place, query = ACTIONS[action]
    tab_to(page, overview.get_by_role("link", name=re.compile(f"^{action}")))
    page.keyboard.press("Enter")
    expect(page.locator(place).first).to_be_visible()
    expect(page).to_have_url(re.compile(query))
    page.go_back()
    expect(overview).to_be_visible()


def test_every_board_says_who_leads_and_what_others_published_is_said_to_be_so(page: Page, landing_url: str) -> None:
    overview = open_overview(page, landing_url)
    said = {
        "Robustness": ("gpt-4-turbo", "published, as printed"),
        "Position bias": ("gpt-4-0613", "published, recomputed"),
        "Personal raters: ratings": ("PerSE-13b", "published, as printed"),
        "Personal raters: pairs": ("PerSE-13b", "published, as printed"),
    }
    for title, (name, mark) in said.items():
        board = overview.locator(".standing").filter(has=page.get_by_role("heading", name=title, exact=True))
        expect(board.locator(".leaders .place-name").first).to_have_text(name)
        expect(board.locator(".leaders .row-mark").first).to_have_text("published")
        expect(board.locator(".leaders .row-mark").first).to_have_attribute("title", mark)
        expect(board.locator(".leaders .rank")).to_have_count(0)
        expect(board.locator(".sure")).to_contain_text(
            re.compile("^(First|Most .+|Closest .+) of (5|three|seven|eight) ")
        )
    recommenders = overview.locator(".standing", has_text="Recommenders")
    expect(recommenders.locator(".others")).to_contain_text("GPT 3.5")


def test_intervals_are_promised_where_a_row_has_one_alone(page: Page, landing_url: str) -> None:
    for path, table in (("personalization", "personalization-board-table"), ("judges", "judges-board-table")):
        page.goto(f"{landing_url}/{path}")
        rows = page.locator(f"#{table} tbody tr[data-row]")
        expect(rows.first).to_be_visible()
        has_intervals = any("[" in text for text in rows.all_inner_texts())
        assert ("interval" in page.locator(f"#{table} caption").inner_text()) == has_intervals, path


def test_the_first_screen_begins_with_a_finding_and_its_proof_in_at_most_250_words(
    page: Page, landing_url: str
) -> None:
    overview = open_overview(page, landing_url)
    judges = boards_of(published_tables())
    claims = [fact.claim for fact in (*position_bias_facts(judges), *llm_bar_facts(), *alpaca_eval_facts())]
    said = overview.locator(".finding-claim").inner_text().removesuffix(".")
    assert said in claims or said.startswith("Judging by ")
    expect(overview.locator(".finding-interval")).to_have_text(re.compile(r"^95% interval [\d.]+% to [\d.]+%$"))
    assert words_on_first_screen(page) <= 250
    overview.locator(".finding a").click()
    records = "#llm-bar-board-table, #alpaca-eval-board-table"
    expect(page.locator(f"#judge-notice, #quality-cards, {records}").first).to_be_visible()


def test_is_gpt_4_position_biased_is_answered_in_two_clicks(page: Page, landing_url: str) -> None:
    overview = open_overview(page, landing_url)
    overview.get_by_role("link", name="Position bias", exact=True).click()
    row = page.locator("#judges-board-table tbody tr", has_text="gpt-4-0613")
    expect(row.locator(".column-position_consistency")).to_contain_text("0.82 [")
    expect(row.locator(".column-preference_fairness")).to_contain_text("no clear position preference")
    expect(row.locator("th")).to_contain_text("(published, recomputed)")
    row.get_by_role("button").click()
    expect(page.locator("#judge-notice")).to_contain_text("arXiv 2406.07791")
    expect(page.locator("#tasks-table")).to_contain_text("coding")


def test_the_author_of_a_paper_finds_table_2_from_the_board(page: Page, landing_url: str) -> None:
    page.goto(f"{landing_url}/robustness")
    line = page.locator("#published-notice")
    expect(line).to_contain_text("gpt-4-turbo is first of 5 systems")
    tab_to(page, line.get_by_role("link"), skips_links=True)
    page.keyboard.press("Enter")
    expect(page.locator("#published-table table")).to_contain_text("gpt-sw3-20b")
    expect(page).to_have_url(re.compile("look=history"))
    assert serious_violations(page) == {}


def test_a_leaders_link_opens_its_row_in_another_window_too(page: Page, browser: Browser, landing_url: str) -> None:
    overview = open_overview(page, landing_url)
    link = overview.locator(".standing", has_text="Personalization").locator(".leaders .place-name").first
    name = "first <img"  # the rest is shortened
    expect(link).to_have_text(re.compile("^first <img.*…"))
    href = link.get_attribute("href")
    tab_to(page, link)
    page.keyboard.press("Enter")
    expect(page.locator("#row-notice")).to_contain_text(name)
    other = browser.new_page()
    other.goto(f"{landing_url}/{href}")
    expect(other.locator("#row-notice")).to_contain_text(name)
    expect(other.locator("#overview .overview")).not_to_be_visible()
    other.close()


def test_a_link_to_a_board_opens_that_board(page: Page, landing_url: str) -> None:
    page.goto(f"{landing_url}/?tab=judges&benchmark=own-2")
    expect(page.locator("#judges-board-table table")).to_contain_text("alone-1")
    page.locator("#pages").get_by_role("link", name="Overview", exact=True).press("Enter")
    expect(page.locator("#overview .overview")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/$"))


def test_intervals_are_drawn_beside_their_digits(page: Page, landing_url: str) -> None:
    page.goto(f"{landing_url}/?tab=personalization&baselines=shown")
    cells = page.locator("#personalization-board-table tr:not(.null-row, .published-row) td.column-robustness_error")
    expect(cells.first).to_contain_text("0.0% [0.0, 6.0]")  # none of 60: 1 - 0.025^(1/60)
    assert cells.locator(".interval-bar[aria-hidden=true]").count() == cells.count() == 2
    places = [bar.evaluate("bar => bar.style.getPropertyValue('--at')") for bar in cells.locator(".interval-bar").all()]
    assert places == ["0", "0.017"]  # 1 of 60 lost = 0.0167
    undefined = page.locator("#personalization-board-table tr.null-row[data-row] td.column-robustness_error").first
    expect(undefined).to_contain_text("n/a")
    expect(undefined.locator(".interval-bar")).to_have_count(0)


def test_axe_finds_nothing_serious_in_either_colours(page: Page, landing_url: str) -> None:
    open_overview(page, landing_url)
    assert serious_violations(page) == {}
    switch_colours(page, "dark")
    assert serious_violations(page) == {}, "in the dark"


def test_a_phone_shows_a_finding_and_three_doors_then_the_boards_and_does_not_scroll_sideways(
    page: Page, landing_url: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    overview = open_overview(page, landing_url)
    parts = [overview.locator(part).bounding_box() for part in (".finding", ".next-steps", ".standing >> nth=1")]
    tops = [part["y"] for part in parts if part]
    assert len(tops) == 3
    assert tops == sorted(tops)
    expect_no_sideways_scroll(page)
    page.goto(f"{landing_url}/?tab=personalization&baselines=shown")
    card = page.locator("#personalization-board-table tbody tr:not(.null-row, .published-row)").first
    expect(card.locator(".column-robustness_error .interval-bar")).to_be_visible()
    expect(card.locator(".column-breakage_rate")).to_be_hidden()
    card.get_by_role("button", name=re.compile("^All figures of ")).click()
    expect(card.locator(".column-breakage_rate")).to_be_visible()
    expect(card.locator(".column-breakage_rate")).to_have_attribute("data-label", "Breakage")
    note = page.locator("#personalization-board-table tbody tr.null-row .column-note").first
    note.locator("summary").click()
    expect(note.locator("details")).to_have_attribute("open", "")
    expect(page.locator("#row-notice")).to_be_hidden()  # neither opens the row
    assert serious_violations(page) == {}


TABLES = {
    "judges": "#judges-board-table",
    "judge_quality": "#quality-board-table",
    "personalization": "#personalization-board-table",
    "personalized_ratings": "#ratings-board-table",
    "personalized_pairs": "#pairs-board-table",
    "behavior": "#behavior-board-table",
}


def test_the_first_screen_of_a_board_shows_rows_at_a_desk_and_on_a_phone(page: Page, landing_url: str) -> None:
    published = f"dataset={pooled_name(published_datasets())}"  # a name of the hostile ones is five lines tall
    for board, table in TABLES.items():
        page.goto(f"{landing_url}/{board}?{published if board == 'personalization' else ''}")
        expect_rows_on_the_first_screen(page.locator(table))


def test_rows_are_one_line_with_what_they_are_beside_the_name(page: Page, landing_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    published = f"dataset={pooled_name(published_datasets())}&filter_measured=published%2C+as+printed"
    for board in ("judges", f"personalization?{published}", "personalized_ratings", "personalized_pairs", "behavior"):
        page.goto(f"{landing_url}/{board}")
        table = page.locator(TABLES[board.partition("?")[0]])
        expect(page.locator("#view-link a")).to_be_attached()
        rows = table.locator("tbody tr.published-row")
        assert rows.count() >= 3
        tall = [row.inner_text() for row in rows.all() if (row.bounding_box() or {"height": 99})["height"] > 40]
        assert tall == []  # a line is 22 pixels, and 16 stand around it
        expect(rows.first.locator(".row-mark")).to_contain_text("published")
        expect(rows.first.locator(".row-mark")).to_have_attribute("data-term", re.compile("arXiv"))  # what is cited
        if board == "judges":  # one of nine differs: it also lost verdicts
            expect(table.locator("tbody tr.published-row .column-note summary")).to_have_count(1)
    expect_no_sideways_scroll(page)


def test_the_hint_of_the_search_is_never_cut_off(page: Page, landing_url: str) -> None:
    for board in KINDS:
        page.goto(f"{landing_url}/{board}")
        expect(page.locator("#view-link a")).to_be_attached()
        for width in (390, 820, 1100, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            hint = page.locator(".toolbar :is(textarea, input)[placeholder]:visible").first
            assert hint.evaluate(_HINT_FITS), (board, width)


_HINT_FITS = """(field) => {
  const style = getComputedStyle(field), pen = document.createElement('canvas').getContext('2d');
  pen.font = style.font;
  const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return pen.measureText(field.placeholder).width <= room;
}"""


def test_rows_of_a_published_record_are_one_line(page: Page, landing_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    for board in ("llm_bar", "alpaca_eval"):
        page.goto(f"{landing_url}/{board}")
        expect(page.locator("#view-link a")).to_be_attached()
        rows = page.locator(f"#{board.replace('_', '-')}-board-table tbody tr")
        assert rows.count() > 50
        tall = "(rows) => rows.filter((row) => row.offsetHeight > 40).map((row) => row.innerText)"
        assert rows.evaluate_all(tall) == []
    expect_no_sideways_scroll(page)


def test_a_table_is_reached_with_three_presses_of_tab(page: Page, landing_url: str) -> None:
    page.goto(f"{landing_url}/judges")
    expect(page.locator("#judges-board-table tbody tr").first).to_be_visible()
    skips = page.get_by_role("link", name="Skip to the content")
    expect(skips).not_to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(skips).to_be_focused()
    expect(skips).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#judges-board-table .table-frame")).to_be_focused()
    page.keyboard.press("Tab")
    sorted_by = page.locator("#judges-board-table th[aria-sort=descending] button")
    expect(sorted_by).to_be_focused()


def test_a_row_is_two_tabs_behind_its_table_and_arrows_lead_through_its_headers(page: Page, landing_url: str) -> None:
    page.goto(f"{landing_url}/judges")
    expect(page.locator("#view-link a")).to_be_attached()
    page.locator("#judges-board-table .table-frame").focus()
    page.keyboard.press("Tab")
    expect(page.locator("#judges-board-table th[aria-sort=descending] button")).to_be_focused()
    page.keyboard.press("ArrowRight")
    fairness = page.locator('#judges-board-table [data-sort="preference_fairness"]')
    expect(fairness).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("sort=preference_fairness"))
    expect(fairness).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#judges-board-table tbody tr [data-open]").first).to_be_focused()


def test_a_term_is_explained_where_it_stands_by_mouse_and_by_keyboard(page: Page, landing_url: str) -> None:
    page.goto(f"{landing_url}/judges")
    fairness = page.locator('#judges-board-table [data-sort="preference_fairness"]')
    explained = page.get_by_role("tooltip")
    expect(page.locator("#view-link a")).to_be_attached()
    fairness.hover()
    expect(explained).to_contain_text("Preference fairness: which place gains when the verdict does not survive")
    assert serious_violations(page) == {}
    page.mouse.move(1, 1)
    expect(explained).to_be_hidden()
    page.locator("#judges-board-table .table-frame").focus()
    page.keyboard.press("Tab")
    expect(explained).to_contain_text("Position consistency")
    page.keyboard.press("ArrowRight")
    expect(explained).to_contain_text("Preference fairness")
    expect(fairness).to_have_accessible_description(re.compile("^Preference fairness"))
    page.keyboard.press("Escape")
    expect(explained).to_be_hidden()
    note = page.locator("#judges-board-table thead .column-note button")  # nothing to sort by, and reached all the same
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        if note.evaluate("one => one === document.activeElement"):
            break
    expect(explained).to_contain_text("press the icon")


def test_a_term_is_explained_on_a_phone_by_a_tap_that_opens_nothing(browser: Browser, landing_url: str) -> None:
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = phone.new_page()
    page.goto(f"{landing_url}/judges")
    expect(page.locator("#view-link a")).to_be_attached()
    card = page.locator("#judges-board-table tbody tr").first
    card.get_by_role("button", name=re.compile("^All figures of ")).tap()
    card.get_by_role("button", name="Fairness (PF)").tap()
    explained = page.get_by_role("tooltip")
    expect(explained).to_contain_text("Preference fairness")
    box = explained.bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= 390 - box["width"]
    expect(page.locator("#judge-notice .notice")).to_have_count(0)  # the row is not opened
    assert serious_violations(page) == {}
    page.locator("#judges-board-table caption").tap()
    expect(explained).to_be_hidden()
    phone.close()


def test_the_link_of_a_chart_tells_a_crawler_which_chart_it_is(page: Page, landing_url: str) -> None:
    page.goto(f"{landing_url}/judge_quality")
    expect(page.locator("#view-link a")).to_be_attached()
    title = "Agreement and the effect of injected text"
    chart = page.locator("section.chart", has=page.get_by_role("heading", name=title))
    chart.get_by_role("link", name="Link", exact=True).click()
    expect(page).to_have_url(re.compile(r"/judge_quality\?chart=agreement-injection#.*chart-agreement-injection$"))
    head = page.request.get(page.url.partition("#")[0]).text().partition("</head>")[0]
    assert f'<meta property="og:title" content="{title} - ' in head
    page.reload()
    expect(chart).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"\?chart=agreement-injection#"))
    expect(page.locator("#link-notice .notice")).to_have_count(0)
    page.evaluate("location.hash = ''")
    expect(page).not_to_have_url(re.compile("chart="))
