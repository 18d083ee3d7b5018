"""Somebody narrows a board, chooses its columns, takes it along and passes it on."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import expect_no_sideways_scroll, open_baselines, serious_violations
from tests.browser.test_board import open_board
from tests.unit.leaderboard.page.test_copies import markdown_cells

READ_ALOUD = """rows => rows.map(row => [...row.cells].map(cell => {
    const words = cell.querySelector('.words');
    const said = words ? [...words.childNodes].filter(part => part.nodeName !== 'SUMMARY') : [];
    return (words ? said.map(part => part.textContent).join('') : cell.innerText).trim().replace(/\\s+/g, ' ');
}))"""
"""What the cells of rows say, words behind icons included."""


def open_filters(page: Page) -> Locator:
    """The drawer of order and filters, opened with the keyboard."""
    drawer = page.locator("#filters-drawer")
    drawer.get_by_role("button", name="Filters").press("Enter")
    expect(page.locator("#filter-kind input")).to_be_visible()
    return drawer


def choose(page: Page, key: str, choice: str) -> None:
    page.locator(f"#filter-{key} input").click()
    page.get_by_role("option", name=choice, exact=True).click()


def test_a_visitor_filters_to_nothing_and_back_and_passes_the_view_on(page: Page, browser: Browser) -> None:
    table = open_board(page)
    open_baselines(table, 12)
    everybody = table.locator("tbody th [data-open]").all_inner_texts()
    filters = open_filters(page)
    choose(page, "kind", "designed example")
    expect(table.locator("tbody tr.null-row")).to_have_count(0)
    expect(table.locator("caption")).to_contain_text("ranks are those of the whole board")
    choose(page, "flags", "unflagged")
    # The rows are counted once the answer is there.
    expect(filters.get_by_role("button", name="Filters (2)")).to_be_visible()
    left = table.locator("tbody tr[data-row]").count()
    page.locator("#search textarea, #search input").fill("nobody at all")
    expect(page.locator("#board-table .table-empty")).to_contain_text("the search “nobody at all”")
    expect(filters.get_by_role("button", name="Filters (2)")).to_be_visible()
    page.locator("#board-table").get_by_role("button", name="Without any filter").press("Enter")
    expect(table.locator("tbody tr[data-row]")).to_have_count(len(everybody))
    expect(page.locator("#search textarea, #search input")).to_have_value("")
    assert left < len(everybody)

    choose(page, "coverage", "at least 100%")
    heads = table.locator("thead th")
    shown = heads.count()  # other stories send files to this board, and a column that no row fills is left out
    page.get_by_role("button", name=f"Columns ({shown - 1} of 1").click()
    expect(page.locator("#filter-kind input")).to_be_hidden()
    page.get_by_role("radio", name="Essential").check()
    expect(heads).to_have_count(shown)
    page.get_by_role("checkbox", name="Worst pair").uncheck()
    expect(heads).to_have_count(shown - 1)
    expect(page).to_have_url(
        re.compile("filter_coverage=100&columns=rank%2Csystem%2Cscore%2Craw%2Cnote%2Cflags%2Cjudged")
    )
    assert serious_violations(page) == {}

    page.locator("#share-drawer > button").press("Enter")
    page.locator("#copy-markdown").click()
    copied = page.locator("#copy-text pre")
    expect(copied).to_contain_text("| Rank | System |")
    head = [re.sub(r"\s*[▲▼]$", "", text.strip()) for text in heads.all_inner_texts()]
    rows = table.locator("tbody tr[data-row]").evaluate_all(READ_ALOUD)
    assert markdown_cells(copied.inner_text()) == [head, *rows]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#copy-text").get_by_role("button", name="Copy Markdown").press("Enter")
    expect(page.locator("#copy-text [role=status]")).to_have_text("Copied.")
    assert markdown_cells(page.evaluate("navigator.clipboard.readText()")) == [head, *rows]
    assert serious_violations(page) == {}

    other = browser.new_page()
    other.goto(page.url)
    restored = other.locator("#board-table table")
    expect(restored.locator("thead th")).to_have_count(shown - 1)
    assert (
        restored.locator("tbody th [data-open]").all_inner_texts()
        == table.locator("tbody th [data-open]").all_inner_texts()
    )
    expect(other.locator("#filters-drawer")).to_contain_text("Filters (1)")
    expect(other.get_by_role("button", name=f"Columns ({shown - 2} of 1")).to_be_visible()
    other.get_by_role("button", name="Reset").press("Enter")
    expect(restored.locator("tbody tr[data-row]")).to_have_count(len(everybody) - 12)  # baselines are one line again
    expect(other.locator("#filters-drawer > button")).not_to_contain_text("(")
    expect(other.get_by_role("button", name="Reset")).to_be_hidden()  # nothing is left to take back
    expect(other.locator("#filters-drawer > button")).to_be_focused()
    other.close()


def test_a_link_with_a_choice_nobody_has_shows_the_board_and_says_so(page: Page) -> None:
    page.goto("/?set=demonstration&filter_family=${alert(1)}&columns=essential,salary,score")
    expect(page.locator("#link-notice")).to_contain_text("filter_family (${alert(1)}) is unknown here")
    expect(page.locator("#link-notice")).to_contain_text("columns (essential,salary) is unknown here")
    expect(page.locator("#board-table thead th")).to_have_count(2)


def test_an_open_drawer_is_in_the_address_of_the_page_and_in_no_other_link(page: Page, browser: Browser) -> None:
    table = open_board(page)
    drawers = page.locator("[id$=-drawer] > button")
    expect(drawers.nth(1)).to_have_attribute("aria-expanded", "false")
    open_filters(page)
    expect(page).to_have_url(re.compile(r"\?set=demonstration&drawer=filters$"))
    expect(drawers.nth(1)).to_have_attribute("aria-expanded", "true")
    choose(page, "kind", "designed example")
    expect(page).to_have_url(re.compile("filter_kind=designed\\+example&drawer=filters$"))
    expect(page.locator("#view-link a")).to_have_attribute(
        "href", "robustness?set=demonstration&filter_kind=designed+example"
    )
    page.locator("#share-drawer > button").press("Enter")
    page.locator("#cite").click()
    expect(page.locator("#copy-text")).to_contain_text("filter\\_kind=designed+example")
    expect(page.locator("#copy-text")).not_to_contain_text("drawer")
    expect(page).to_have_url(re.compile("filter_kind=designed\\+example&drawer=share$"))
    expect(page.locator("#filter-kind input")).to_be_hidden()  # one drawer at a time

    other = browser.new_page()
    other.goto(page.url)
    expect(other.locator("#cite")).to_be_visible()
    other.locator("#filters-drawer > button").click()
    expect(other.locator("#cite")).to_be_hidden()
    expect(other).to_have_url(re.compile("&drawer=filters$"))
    other.goto(other.url)
    expect(other.locator("#filter-kind input")).to_have_value("designed example")
    expect(other.locator("#filter-kind input")).to_be_visible()
    expect(other.locator("#link-notice")).to_have_text(re.compile(r"^\s*$"))
    other.locator("#shown-drawer > button").click()
    expect(other).to_have_url(re.compile("&drawer=shown$"))
    expect(other.locator("#filter-kind input")).to_be_hidden()
    other.locator("#board-charts").get_by_role("link", name="Link").first.click()
    expect(other).to_have_url(re.compile("filter_kind=designed\\+example&chart=(\\w+)#chart-\\1$"))
    other.close()

    table.locator("tbody th [data-open]").first.click()
    expect(page.locator("#system-notice")).to_contain_text("judge: agree")
    expect(page).not_to_have_url(re.compile("drawer"))
    page.get_by_role("button", name="← Board").click()
    open_drawer = page.locator("#share-drawer > button[aria-expanded=true]")
    expect(open_drawer).to_be_visible()
    open_drawer.click()
    expect(page).to_have_url(re.compile("filter_kind=designed\\+example$"))


def test_the_box_is_usable_on_a_phone_and_leaves_the_table_on_the_first_screen(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    table = open_board(page)
    place = table.locator("tbody tr").first.bounding_box()
    assert place is not None
    assert place["y"] + place["height"] < 900
    page.set_viewport_size({"width": 390, "height": 844})
    open_filters(page)
    page.locator("#share-drawer > button").press("Enter")
    page.locator("#copy-latex").click()
    expect(page.locator("#copy-text pre")).to_contain_text("\\toprule")
    expect(page.locator("#copy-text pre")).to_contain_text("Robustness board, demonstration, english")
    expect_no_sideways_scroll(page)
