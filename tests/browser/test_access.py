"""The pages on a phone, in the dark, with a keyboard, and in hostile company."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, serious_violations
from tests.browser.test_submit import submit

TABS = ("robustness", "submit", "queue", "about")

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>${alert(3)}",
    "`${alert(5)}`\\u003cimg src=x onerror=alert(4)\\u003e",
)


@pytest.mark.parametrize("tab", TABS)
def test_a_phone_scrolls_tables_and_not_the_page(page: Page, tab: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/?tab={tab}&set=demonstration")
    expect(page.get_by_role("tab", name=tab.capitalize())).to_have_attribute("aria-selected", "true")
    expect(page.locator("#view-link a")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("tab", TABS)
def test_axe_finds_nothing_serious(browser: Browser, base_url: str, tab: str, colours: Any) -> None:
    page = browser.new_page(color_scheme=colours)
    page.goto(f"{base_url}/?tab={tab}")
    expect(page.locator("#view-link a")).to_be_visible()
    assert serious_violations(page) == {}
    page.close()


def test_hostile_names_are_shown_as_text(page: Page, submission_file: Callable[..., Path]) -> None:
    team, system, answer = HOSTILE
    file = submission_file(team, system=system, change=answer)
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.get_by_label("Team")).to_have_value(team)
    submit(page, file)
    page.get_by_role("link", name="Open the ticket").click()
    expect(page.locator("#ticket")).to_contain_text(system)
    page.goto("/?set=demonstration")
    row = page.locator("#board-table tbody tr", has_text=system)
    expect(row).to_contain_text(team, timeout=SCORED_WITHIN_MS)
    row.get_by_role("button").click()
    expect(page.locator("#system-notice")).to_contain_text(team)
    page.locator("#items-table tbody th button").first.click()
    expect(page.locator("#item .answer").first).to_contain_text(answer)
    page.goto(f"/?set={quote(answer)}")
    expect(page.locator("#link-notice")).to_contain_text("${alert(")
    assert page.evaluate("document.querySelectorAll('.plumb img, .plumb script').length") == 0
