"""What people come for, from a cold start: once with the mouse alone, once with the keyboard alone."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import expect_baselines
from tests.browser.visitors import WAYS, Visitor

way = pytest.mark.parametrize("way", WAYS)


def open_board(page: Page, visitor: Visitor) -> Locator:
    """From the address alone to the demonstration board, once every row of ours stands on it."""
    page.goto("/")
    expect(page.locator("#view-link a")).to_be_visible()
    visitor.press(page.locator("#pages").get_by_role("link", name="Robustness", exact=True))
    visitor.press(page.locator("#shown-drawer > button"))
    visitor.tick(page.get_by_role("radio", name="Demonstration"))
    table = page.locator("#board-table table")
    expect_baselines(table, 12)
    return table


def cells(table: Locator, column: str) -> list[str]:
    return [text.strip() for text in table.locator(f"tbody td.column-{column}").all_inner_texts()]


@way
def test_the_best_system_on_formality_items_alone_is_found_and_its_view_sent(
    page: Page, browser: Browser, base_url: str, way: type[Visitor]
) -> None:
    visitor = way(page)
    table = open_board(page, visitor)
    whole = cells(table, "score")
    visitor.choose(page.locator("#variation-choice input"), "formality")
    expect(table.locator("caption")).to_contain_text("formality items alone")
    best, scores = table.locator("tbody th [data-open]").first.inner_text(), cells(table, "score")
    assert scores != whole
    assert "[" not in scores[0]  # so few items have no interval, and the page does not pretend otherwise
    expect(page).to_have_url(re.compile("variation=formality"))
    link = page.locator("#view-link a").get_attribute("href")
    colleague = browser.new_context(base_url=base_url).new_page()
    colleague.goto(f"/{link}")
    theirs = colleague.locator("#board-table table")
    expect(theirs.locator("caption")).to_contain_text("formality items alone")
    assert theirs.locator("tbody th [data-open]").first.inner_text() == best
    assert cells(theirs, "score") == scores
    colleague.context.close()


@way
def test_why_two_systems_share_a_rank_can_be_understood(page: Page, way: type[Visitor]) -> None:
    visitor = way(page)
    table = open_board(page, visitor)
    ranks = cells(table, "rank")
    shared = next(place for place, rank in enumerate(ranks) if "-" in rank)
    visitor.press(table.locator("tbody th [data-open]").nth(shared))
    reasons = page.locator("#rank-reasons")
    expect(reasons).to_contain_text("Why the same rank?")
    expect(reasons).to_contain_text("Not separable from:")
    visitor.press(reasons.get_by_role("link").first)
    said = page.locator("#comparison-notice")
    expect(said).to_contain_text("Their ranks overlap")
    expect(page.locator("#compared-items tbody tr")).not_to_have_count(0)


@way
def test_the_worst_pair_of_an_item_is_found_and_both_answers_read(page: Page, way: type[Visitor]) -> None:
    visitor = way(page)
    table = open_board(page, visitor)
    visitor.press(table.locator("tbody th [data-open]").first)
    items = page.locator("#items-table")
    expect(items.locator("tbody th [data-open]")).not_to_have_count(0)
    visitor.press(items.locator("tbody th [data-open]").first)
    item = page.locator("#item")
    worst = item.locator("tr.worst-row").first
    expect(worst).to_contain_text("worst pair")
    pair = worst.locator("button").first.inner_text()
    first, second = re.findall(r"\d+", pair)[:2]
    opened = item.locator(".opened-pair").first
    expect(opened).to_contain_text(f"Variants {pair}")
    for number in (first, second):
        answer = item.locator(".variant", has_text=f"Variant {number}").locator(".answer").first
        expect(answer).not_to_be_empty()


@way
def test_the_downloaded_csv_has_the_numbers_of_the_page(page: Page, tmp_path: Path, way: type[Visitor]) -> None:
    visitor = way(page)
    table = open_board(page, visitor)
    visitor.press(table.locator(".fold-row button"))
    expect(table.locator("tr.null-row[data-row]")).to_have_count(12)
    visitor.press(page.locator("#share-drawer > button"))
    file = visitor.download(page.get_by_role("button", name="Download CSV").first, tmp_path)
    with file.open(encoding="utf-8", newline="") as stream:
        records = list(csv.DictReader(stream))
    assert [record["system"] for record in records] == table.locator("tbody th [data-open]").all_inner_texts()
    for record, shown in zip(records, cells(table, "score"), strict=True):
        numbers = re.findall(r"\d+\.\d+", shown)
        told = [record[name] for name in ("score", "score_low", "score_high") if record.get(name)]
        assert [f"{float(value):.2f}" for value in told[: len(numbers)]] == numbers


def test_what_the_host_of_a_space_says_goes_along_from_page_to_page(page: Page) -> None:
    page.goto("/robustness?set=demonstration&__theme=dark&__sign=a%2Fb")
    expect(page).to_have_url(re.compile(r"/robustness\?set=demonstration&__theme=dark&__sign=a%2Fb$"))
    page.locator("#pages").get_by_role("link", name="Submit", exact=True).click()
    expect(page).to_have_url(re.compile(r"/submit\?__theme=dark&__sign=a%2Fb$"))
    expect(page.locator("body.dark")).to_be_attached()
    with page.context.expect_page() as opened:
        page.locator("#pages").get_by_role("link", name="Judges", exact=True).click(button="middle")
    expect(opened.value).to_have_url(re.compile(r"/judges\?.*__theme=dark&__sign=a%2Fb$"))
    opened.value.close()
    page.locator("#pages").get_by_role("link", name="About", exact=True).press("Enter")
    expect(page).to_have_url(re.compile(r"/about\?__theme=dark&__sign=a%2Fb$"))
