"""Somebody reads the board."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, serious_violations


def open_board(page: Page) -> Locator:
    """The demonstration board once our four example systems and five null rows stand on it."""
    page.goto("/?set=demonstration")
    table = page.locator("#board-table table")
    expect(table.locator("tbody tr.null-row")).to_have_count(5, timeout=SCORED_WITHIN_MS)
    return table


def test_a_visitor_reads_sorts_and_searches_the_board(page: Page) -> None:
    table = open_board(page)
    header = table.get_by_role("columnheader", name="Score")
    expect(header).to_have_attribute("aria-sort", "descending")
    placed = table.locator("tbody tr:not(.unranked-row) td.column-score").all_inner_texts()
    values = [float(text.split()[0]) for text in placed if text != "n/a"]
    assert values == sorted(values, reverse=True)

    header.get_by_role("button").press("Enter")  # with the keyboard
    expect(header).to_have_attribute("aria-sort", "ascending")
    expect(header.get_by_role("button")).to_be_focused()
    expect(page).to_have_url(re.compile("direction=ascending"))

    name = table.locator("tbody th button").first.inner_text()
    page.locator("#search textarea, #search input").fill(f"{name}; nobody at all")
    expect(table.locator("tbody tr")).to_have_count(1)
    page.locator("#search textarea, #search input").fill("nobody at all")
    expect(page.locator("#board-table")).to_contain_text("press Reset")
    page.get_by_role("button", name="Reset").click()
    expect(table.locator("tbody tr.null-row")).to_have_count(5)
    expect(header).to_have_attribute("aria-sort", "descending")


def test_a_pasted_link_restores_the_view(page: Page) -> None:
    page.goto("/?set=demonstration&view=all&sort=team&direction=ascending&colour=red")
    expect(page.get_by_role("columnheader", name="Team")).to_have_attribute("aria-sort", "ascending")
    expect(page.get_by_role("radio", name="All languages")).to_be_checked()
    expect(page.locator("#link-notice")).to_contain_text("colour (red) is unknown here and was ignored")
    expect(page.locator("#view-link a")).to_have_attribute(
        "href", "./?set=demonstration&view=all&sort=team&direction=ascending"
    )


def test_a_row_leads_to_its_items_and_an_item_to_its_answers(page: Page) -> None:
    table = open_board(page)
    name = table.locator("tbody th button").first.inner_text()
    table.locator("tbody tr").first.click()
    expect(page.locator("#system-notice")).to_contain_text(name)
    expect(page.locator("#system-notice")).to_contain_text("judge: accuracy")
    page.locator("#items-table tbody th button").first.click()
    item = page.locator("#item")
    expect(item.locator(".variant")).not_to_have_count(0)
    expect(item.locator(".answer").first).not_to_be_empty()
    expect(item.locator("tr.worst-row")).to_contain_text("worst pair")
    other = item.locator("button[data-pair][aria-pressed=false]").first
    other.press("Enter")  # with the keyboard
    expect(page).to_have_url(re.compile("pair="))
    opened = item.locator("button[aria-pressed=true]").first
    expect(item.locator(".opened-pair").first).to_contain_text(f"Variants {opened.inner_text()}")
    expect(item.locator(".opened-pair .details").first).to_contain_text("numbers in conflict")
    assert serious_violations(page) == {}
    page.reload()
    expect(page.locator("#item .variant").first).to_be_visible()
    page.get_by_role("button", name="All items of this system").click()
    page.get_by_role("button", name="← Board").click()
    expect(page.locator("#board-table table")).to_be_visible()


def test_downloads_hold_what_is_shown(page: Page, tmp_path: Path) -> None:
    table = open_board(page)
    shown = table.locator("tbody th").all_inner_texts()
    for kind in ("CSV", "JSON"):
        with page.expect_download() as started:
            page.get_by_role("button", name=f"Download {kind}").click()
        started.value.save_as(tmp_path / started.value.suggested_filename)
    with (tmp_path / "plumbline-robustness-demonstration-english.csv").open(encoding="utf-8") as file:
        assert [record["system"] for record in csv.DictReader(file)] == shown
    document = json.loads((tmp_path / "plumbline-robustness-demonstration-english.json").read_text(encoding="utf-8"))
    assert [row["system"] for row in document["rows"]] == shown
