"""Printed: whole tables, nothing that can only be pressed, and the address that leads back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

PAPER_PX = 1031
"""A4 across without its margins of 12 mm: (297 - 24) / 25.4 * 96 = 1031.8 px."""


@pytest.mark.parametrize(
    "board",
    [
        "judges?columns=all",
        "personalization?columns=all",
        "robustness?set=demonstration&columns=all",
        "robustness?set=demonstration&look=choices",
    ],
)
def test_a_printed_board_has_every_column_and_no_button(page: Page, base_url: str, board: str) -> None:
    page.goto(f"{base_url}/{board}")
    expect(page.locator("#view-link a")).to_be_attached()
    expect(page.locator(".sheet tbody tr").first).to_be_visible()
    page.set_viewport_size({"width": PAPER_PX, "height": 700})
    page.emulate_media(media="print")
    cut = page.locator(".sheet :is(th, td):visible").evaluate_all(
        "(cells, width) => cells.filter((cell) => cell.getBoundingClientRect().right > width + 1)"
        ".map((cell) => cell.innerText)",
        PAPER_PX,
    )
    assert cut == []
    frame = page.locator(".table-frame:visible").first
    assert frame.evaluate("(one) => one.scrollHeight - one.clientHeight") <= 1
    buttons = page.locator("button:visible, input:visible, select:visible").evaluate_all(
        "(ones) => ones.filter((one) => !one.closest('.sheet')).map((one) => one.outerHTML.slice(0, 90))"
    )
    assert buttons == []
    size = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", page.pdf(prefer_css_page_size=True))
    assert size
    assert [round(float(side) / 72 * 25.4) for side in size.groups()] == [297, 210]  # A4 across
    expect(page.locator("#view-link a")).to_have_text(re.compile(rf"^/{board.partition('?')[0]}\?"))


def test_a_printed_chart_is_not_cut_off_where_paper_is_narrower_than_the_screen(page: Page, base_url: str) -> None:
    # Charts are drawn where they come into view: in a high window, wherever the rows above them push them.
    page.set_viewport_size({"width": 1440, "height": 6000})
    page.goto(f"{base_url}/judges?benchmark=mtbench-3")
    chart = page.locator("section.chart").first
    expect(chart.locator(".main-svg").first).to_be_attached()
    page.emulate_media(media="print")
    # Paper changes the width without the event by which charts follow a window.
    page.evaluate(
        "width => { document.body.style.width = `${width}px`; dispatchEvent(new Event('beforeprint')); }", PAPER_PX
    )
    rights = page.locator("section.chart .main-svg:visible").evaluate_all(
        "(drawn) => drawn.map((one) => one.getBoundingClientRect().right)"
    )
    assert rights
    assert max(rights) <= PAPER_PX
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator("section.chart .main-svg[viewBox]")).to_have_count(0)  # follows the window again
