"""The pages on a phone and in the dark."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import serious_violations

TABS = ("robustness", "submit", "queue", "about")


@pytest.mark.parametrize("tab", TABS)
def test_a_phone_scrolls_tables_and_not_the_page(page: Page, tab: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/?tab={tab}&set=demonstration")
    expect(page.locator("#pages [aria-current=page]")).to_have_text("Submit" if tab == "queue" else tab.capitalize())
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
