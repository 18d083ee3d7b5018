"""Back, Forward and reload: opening is a step of the browser's history, sorting is none; the focus comes along."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, SLOWED

GPT_4 = '#judges-board-table tr[data-row="published/gpt-4-0613"] [data-open]'


def open_judges(page: Page, base_url: str) -> None:
    page.goto(base_url)
    page.locator("#pages").get_by_role("link", name="Judges", exact=True).click()
    expect(page.locator("#view-link a")).to_be_attached()
    expect(page.locator(GPT_4)).to_be_visible()


def length(page: Page) -> int:
    count: int = page.evaluate("history.length")
    return count


def test_back_from_a_row_leads_to_its_board_and_forward_to_the_row(page: Page, base_url: str) -> None:
    open_judges(page, base_url)
    page.locator(GPT_4).click()
    expect(page.locator("#judge-cards")).to_contain_text("gpt-4-0613")
    expect(page).to_have_url(re.compile("judge=published"))
    page.go_back()
    expect(page.locator(GPT_4)).to_be_focused()
    expect(page.locator("#judge-cards")).to_be_hidden()
    expect(page).to_have_url(re.compile(r"/judges\?benchmark=[^&]+$"))
    page.go_forward()
    expect(page.locator("#judge-cards")).to_contain_text("gpt-4-0613")
    expect(page).to_have_url(re.compile("judge=published"))
    page.reload()
    expect(page.locator("#judge-cards")).to_contain_text("gpt-4-0613")
    page.go_back()
    expect(page.locator(GPT_4)).to_be_visible()
    page.go_back()
    expect(page.locator(".overview, #overview").first).to_be_visible()


def test_sorting_is_no_step_and_back_restores_it(page: Page, base_url: str) -> None:
    open_judges(page, base_url)
    before = length(page)
    page.locator("#judges-board-table").get_by_role("button", name=re.compile("Consistency")).click()
    expect(page).to_have_url(re.compile("direction=ascending"))
    assert length(page) == before
    page.locator("#judges-search textarea, #judges-search input").fill("gpt-4")
    expect(page).to_have_url(re.compile("search=gpt-4"))
    assert length(page) == before
    page.locator(GPT_4).click()
    expect(page).to_have_url(re.compile("judge=published"))
    assert length(page) == before + 1
    page.go_back()
    expect(page).to_have_url(re.compile("search=gpt-4"))
    expect(page).not_to_have_url(re.compile("judge=published"))
    expect(page.locator("#judges-search textarea, #judges-search input")).to_have_value("gpt-4")
    expect(page.locator('#judges-board-table th[aria-sort="ascending"]')).to_have_count(1)
    assert length(page) == before + 1


def test_the_keyboard_goes_on_where_it_was(page: Page, base_url: str) -> None:
    open_judges(page, base_url)
    page.locator(GPT_4).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#to-judges")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(GPT_4)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#to-judges")).to_be_focused()
    page.reload()
    expect(page.locator("#judge-cards")).to_contain_text("gpt-4-0613")
    expect(page.locator("#to-judges")).to_be_focused()


def test_the_keyboard_goes_on_in_a_browser_that_takes_many_seconds(page: Page, base_url: str) -> None:
    open_judges(page, base_url)
    page.locator(GPT_4).focus()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    page.keyboard.press("Enter")
    expect(page.locator("#to-judges")).to_be_focused()


def test_back_twice_in_a_row_ends_where_it_should(page: Page, base_url: str) -> None:
    open_judges(page, base_url)
    page.locator(GPT_4).click()
    expect(page.locator("#judge-cards")).to_contain_text("gpt-4-0613")
    page.locator("#to-judges").click()
    expect(page.locator(GPT_4)).to_be_focused()
    page.locator('tr[data-row="published/gemini-pro"] [data-open]').click()
    expect(page.locator("#judge-cards")).to_contain_text("gemini-pro")
    count = length(page)
    page.evaluate("history.back(); setTimeout(() => history.back(), 30)")
    expect(page).to_have_url(re.compile("judge=published%2Fgpt-4-0613"))
    expect(page.locator("#judge-cards")).to_contain_text("gpt-4-0613")
    page.go_forward()
    expect(page.locator("#judge-cards")).to_be_hidden()
    page.go_forward()
    expect(page.locator("#judge-cards")).to_contain_text("gemini-pro")
    assert length(page) == count


@pytest.mark.parametrize("look", [1, 2, 3])
def test_another_view_is_a_step(page: Page, base_url: str, look: int) -> None:
    page.goto(f"{base_url}/robustness")
    expect(page.locator("#view-link a")).to_be_attached()
    before = length(page)
    page.locator("#shown-drawer > button").click()
    page.locator("#look-choice").get_by_role("radio").nth(look).check()
    expect(page).to_have_url(re.compile("look="))
    assert length(page) == before + 1
    page.go_back()
    expect(page).not_to_have_url(re.compile("look="))
    expect(page.locator("#board-table")).to_be_visible()


def test_a_judge_opened_by_keyboard_leaves_the_focus_on_the_way_back(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/judge_quality")
    row = page.locator("#quality-board-table tbody tr [data-open]").first
    row.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#to-measured-judges")).to_be_focused()


def test_back_from_an_item_leads_to_its_row_and_on_to_the_board(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/robustness?set=demonstration")
    row = page.locator("#board-table tbody tr:not(.published-row) [data-open]").first
    expect(row).to_be_visible(timeout=SCORED_WITHIN_MS)
    row.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#to-board")).to_be_focused()
    item = page.locator("#items-table tbody tr [data-open]").first
    item.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#to-system")).to_be_focused()
    page.go_back()
    expect(item).to_be_focused()
    page.go_back()
    expect(row).to_be_focused()
    page.go_forward()
    expect(page.locator("#system-view")).to_be_visible()
    page.go_forward()
    expect(page.locator("#item")).to_be_visible()
    expect(page).to_have_url(re.compile("item="))
