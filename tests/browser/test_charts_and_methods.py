"""Somebody looks at the charts of a board, narrows them, follows a point, and reads how a number was made."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from leaderboard.boards.registry import BOARDS
from leaderboard.page.reproduction import STEPS
from submissions.promptsets import example_submissions
from tests.browser.conftest import (
    COLOURS,
    ROOT,
    draw_chart,
    expect_baselines,
    expect_no_sideways_scroll,
    serious_violations,
    switch_colours,
)
from tests.browser.first_screen import words_on_first_screen
from tests.browser.test_narrowing import choose, open_filters

CHARTS = ("scores", "relevance", "languages", "variations", "runs")
SURFACES = {"light": "rgb(255, 255, 255)", "dark": "rgb(24, 31, 38)"}


def open_charts(page: Page, query: str = "?set=demonstration") -> Locator:
    """The charts of the scored demonstration board, scrolled to and drawn."""
    page.goto(f"/{query}")
    expect_baselines(page.locator("#board-table"), 12)
    charts = page.locator("#board-charts")
    draw_chart(page.locator("#plot-scores"))  # each is drawn where it is near what is seen
    expect(page.locator("#plot-scores .scatterlayer .trace").first).to_be_attached()
    return charts


def names_behind(page: Page, chart: str) -> list[str]:
    """Names in the table behind a chart."""
    names: list[str] = page.locator(f"#table-{chart} tbody th").all_text_contents()
    return [name.split(" (")[0].strip() for name in names]  # without what a row is, in brackets


def open_numbers(page: Page, chart: str) -> None:
    page.locator(f"#chart-{chart}").locator("summary").press("Enter")
    expect(page.locator(f"#table-{chart} table")).to_be_visible()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_charts_are_drawn_in_both_themes_and_hold_the_numbers_of_the_board(
    browser: Browser, base_url: str, colours: Any
) -> None:
    page = browser.new_page(base_url=base_url, color_scheme=colours, viewport={"width": 1440, "height": 900})
    open_charts(page, "?set=demonstration&baselines=shown")
    for chart in CHARTS:
        plot = page.locator(f"#plot-{chart}")
        plot.scroll_into_view_if_needed()
        expect(plot.locator(".scatterlayer .trace").first).to_be_attached()
        expect(plot.locator(".main-svg").first).to_have_css("background-color", SURFACES[colours])
    for chart in CHARTS:
        open_numbers(page, chart)
    board = page.locator("#board-table tbody tr[data-row]")
    shown = [
        (row.locator("th [data-open]").inner_text(), row.locator("td.column-score").inner_text().strip())
        for row in board.all()
    ]
    behind = page.locator("#table-scores tbody tr")
    scores = [row.locator("td").first.inner_text().strip() for row in behind.all()]
    assert list(zip(names_behind(page, "scores"), scores, strict=True)) == shown
    assert [name for name, _ in shown] == names_behind(page, "languages")
    assert serious_violations(page) == {}
    page.close()


STANDS_IN_FOR_THE_DIALOG = """
Object.defineProperty(HTMLIFrameElement.prototype, 'contentWindow', {get() {
  return {focus() {}, print: () => { window.printed = [...(window.printed ?? []), this.srcdoc]; }};
}});
"""
"""A browser without a window has no print dialog: what it would be given is kept."""


def test_a_chart_is_printed_as_one_page_of_its_own_size_with_its_title_and_source(
    browser: Browser, base_url: str
) -> None:
    page = browser.new_page(base_url=base_url, viewport={"width": 1440, "height": 900})
    open_charts(page)
    chart = page.locator("#chart-scores")
    chart.get_by_role("button", name="PDF").click()
    inside = page.frame_locator("#printed-page").locator("svg.main-svg").first
    expect(inside).to_contain_text("Plumbline, Robustness.")
    expect(inside).to_contain_text(chart.locator("h3").inner_text())
    assert "allow-scripts" not in str(page.locator("#printed-page").get_attribute("sandbox"))

    page.evaluate(STANDS_IN_FOR_THE_DIALOG)
    chart.get_by_role("button", name="PDF").click()
    page.wait_for_function("window.printed?.length === 1")
    expect(page.locator("#printed-page")).to_have_count(1)
    printed = page.evaluate("window.printed[0]")
    width, height = (
        float(size) for size in re.findall(r"<svg class=.main-svg.[^>]* width=.(\d+). height=.(\d+).", printed)[0]
    )
    paper = browser.new_page()
    paper.set_content(printed)
    file = paper.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", file)
    assert len(boxes) == 1
    # A pixel of CSS is 3/4 of a point; a page is rounded to whole points.
    assert [float(side) for side in boxes[0]] == pytest.approx([width * 0.75, height * 0.75], abs=1.5)
    for opened in (paper, page):
        opened.close()


def test_a_printed_board_has_the_charts_that_nobody_has_come_near(browser: Browser, base_url: str) -> None:
    page = browser.new_page(base_url=base_url, viewport={"width": 1440, "height": 400})
    open_charts(page)
    last = page.locator("#board-charts [data-plot]").last
    expect(last).to_be_empty()
    page.pdf()
    expect(last.locator(".main-svg").first).to_be_attached()
    page.close()


def test_filters_narrow_the_charts_and_a_line_leads_to_its_system(page: Page) -> None:
    open_charts(page)
    for chart in CHARTS:
        open_numbers(page, chart)
    everybody = names_behind(page, "scores")
    page.locator("#search").scroll_into_view_if_needed()
    open_filters(page)
    choose(page, "kind", "designed example")
    expect(page.locator("#board-table tbody tr.null-row")).to_have_count(0)
    page.locator("#board-charts").scroll_into_view_if_needed()
    expect(page.locator("#table-scores tbody tr")).to_have_count(page.locator("#board-table tbody tr").count())
    left = names_behind(page, "scores")
    assert left == [name.strip() for name in page.locator("#board-table tbody th [data-open]").all_text_contents()]
    assert 0 < len(left) < len(everybody)
    for chart in CHARTS:
        assert set(names_behind(page, chart)) == set(left)

    page.locator("#table-relevance tbody th [data-open]").first.press("Enter")
    expect(page.locator("#system-notice")).to_contain_text(left[0])
    page.get_by_role("button", name="← Board").click()
    plot = page.locator("#plot-scores")
    draw_chart(plot)
    expect(plot.locator(".scatterlayer .trace").first).to_be_visible()


def test_a_phone_reads_every_panel_without_scrolling_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_charts(page)
    panels = page.locator("#plot-variations .subplot.xy, #plot-variations .subplot.x2y2")
    page.locator("#plot-variations").scroll_into_view_if_needed()
    expect(panels.first).to_be_attached()
    boxes = [box for one in panels.all() if (box := one.locator(".gridlayer").first.bounding_box())]
    assert len({round(box["x"]) for box in boxes}) == 1  # below each other
    expect_no_sideways_scroll(page)


@pytest.mark.parametrize("width", [1440, 390])
def test_the_guide_below_a_board_leads_to_how_a_column_is_made(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/?set=demonstration")
    guide = page.locator("#column-guide")
    guide.locator("summary").press("Enter")
    guide.get_by_role("link", name="Worst pair").press("Enter")
    expect(page).to_have_url(re.compile(r"/about\?section=robustness\.worst"))
    section = page.locator("#methods-robustness-worst")
    expect(section).to_have_attribute("open", "")
    expect(section).to_be_in_viewport()
    expect(section.locator("summary")).to_be_focused()
    expect(section).to_contain_text("min(3.5, 0, 0) = 0.00")
    page.keyboard.press("Enter")  # closes it again
    expect(section).not_to_have_attribute("open", "")
    page.locator("#methods-robustness-score summary").press("Enter")
    expect(page.locator("#methods-robustness-score")).to_contain_text("Formula")
    expect_no_sideways_scroll(page)
    assert serious_violations(page) == {}
    switch_colours(page, "dark")
    assert serious_violations(page) == {}, "in the dark"


def test_about_leads_to_a_page_per_board_and_to_the_judges(page: Page) -> None:
    page.goto("/about")
    contents = page.locator("#methods nav")
    expect(contents.get_by_role("link")).to_have_count(len(BOARDS) + 2)
    assert words_on_first_screen(page) <= 220  # half of the 440 of 6ed7c6b
    page.set_viewport_size({"width": 390, "height": 844})
    contents.get_by_role("link", name="Personalization", exact=True).press("Enter")
    expect(page).to_have_url(re.compile(r"/about\?section=personalization$"))
    page.locator("#methods-personalization-robustness_error summary").press("Enter")
    expect(page.locator("#methods-personalization-robustness_error")).to_contain_text("Formula")
    expect(page.locator("#methods section")).to_have_count(1)  # no other board's
    page.get_by_role("link", name="All of About").press("Enter")
    contents.get_by_role("link", name="Judges and their limits").press("Enter")
    expect(page.locator("#about-judge-cards .judge-card").first).to_be_visible()
    expect_no_sideways_scroll(page)
    for colours in COLOURS:
        switch_colours(page, colours)
        assert serious_violations(page) == {}, colours


def test_a_reader_makes_a_number_anew_with_the_commands_of_the_page(page: Page, tmp_path: Path) -> None:
    open_charts(page)
    page.locator("#board-table tbody th [data-open]", has_text=re.compile("^keel$")).click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download manifest").click()
    started.value.save_as(tmp_path / "manifest.json")
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "FILE").write_bytes(dict(example_submissions())["keel.json"])
    page.goto("/?tab=about&section=practice")
    typed = page.locator("#methods-reproduce pre")
    expect(typed).to_have_text([step.command for step in STEPS if step.command])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE_")}
    environment |= {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "PATH": f"{Path(sys.executable).parent}:/usr/bin"}
    # The page writes the commands for the default judge and says that the manifest names another.
    judge = manifest["judge"]["name"]
    said = [
        subprocess.run(
            command.replace("--judge pair", f"--judge {judge}"),
            shell=True, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True, timeout=600,
        ).stdout
        for command in typed.all_text_contents()
        if "en.json" not in command  # a run in several files is made anew in test_edition_reproduction
    ]  # fmt: skip
    assert said[0].endswith("The same number.\n")
    # The verdicts that tests keep were computed on another processor: in single precision the seventh digit may differ.
    assert float(said[2]) == pytest.approx(manifest["headline"]["value"], abs=1e-6)
