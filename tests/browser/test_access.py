"""Every page, opened once: on a phone, in the light and in the dark, and held to its policy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from leaderboard.page.links import path_of
from tests.browser.conftest import COLOURS, expect_no_sideways_scroll, serious_violations, switch_colours
from tests.browser.test_web_headers import BREACHES
from tests.registered import TABS

DESK = ("robustness", "submit", "queue", "about")
"""Pages that are read at a desk, too; those of the other boards are so in their own stories, with rows."""


@pytest.mark.parametrize("tab", TABS)
def test_every_page_is_for_all_in_both_colours_does_not_scroll_sideways_and_keeps_to_its_policy(
    page: Page, tab: str
) -> None:
    page.add_init_script(f"({BREACHES})()")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/{path_of(tab)}{'?set=demonstration' if tab == 'robustness' else ''}")
    current = page.locator("#pages [aria-current=page]")
    expect(current).to_be_visible()
    if tab in DESK:
        expect(current).to_have_text("Submit" if tab == "queue" else tab.capitalize())
    for link in page.locator(".page-links [aria-current=page]").all():
        # But for a fraction of a pixel, which scrolling leaves.
        expect(link, "where the visitor is stands in sight, in both lines of links").to_be_in_viewport(ratio=0.99)
    expect(page.locator("#view-link a")).to_be_visible()
    page.wait_for_load_state("load")
    expect(page.locator(".js-plotly-plot, table, form, h1").first).to_be_visible()
    for width in (390, 1280) if tab in DESK else (390,):
        page.set_viewport_size({"width": width, "height": 844})
        for colours in COLOURS:
            switch_colours(page, colours)
            assert serious_violations(page) == {}, f"{colours}, {width} pixels wide"
            expect_no_sideways_scroll(page)
    assert page.evaluate("window.breaches") == []


FADING = """() => [...document.querySelectorAll('*')].map(getComputedStyle).filter(
  style => style.transitionProperty !== 'none' && style.transitionDuration.split(',').some(time => parseFloat(time) > 0)
).length"""
"""How many elements change step by step when their style changes."""


def test_who_asks_for_less_motion_sees_nothing_fade(page: Page) -> None:
    page.goto("/submit")
    expect(page.locator("#view-link a")).to_be_visible()
    assert page.evaluate(FADING) > 0
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(FADING) == 0
