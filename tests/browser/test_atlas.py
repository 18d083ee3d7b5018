"""Somebody looks for what is hardest, for whom, and reads it; and at what the 2024 paper printed."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import DEMONSTRATION, PromptSets
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.browser.conftest import (
    SCORED_WITHIN_MS,
    expect_no_sideways_scroll,
    expect_rows_on_the_first_screen,
    running_app,
    serious_violations,
)
from tests.browser.hostile import (
    MARK,
    Poison,
    Watch,
    assert_unharmed,
    formulas,
    names,
    official_folder,
    robustness_file,
)
from tests.browser.visitors import WAYS, Keyboard, Mouse, Visitor
from tests.unit.leaderboard.boards.editions.test_screen import question_file
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped

EXAMPLES = 4
OURS = EXAMPLES + 12
"""Rows of the demonstration board: our example systems and the baselines."""
HOSTILE = (0, 4, 8, 12, 16, 20, 24)


@pytest.fixture(scope="module")
def atlas_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app with the demonstration, runs of 2025 and 2026, and systems of hostile names on the 2024 set."""
    folder = tmp_path_factory.mktemp("atlas")
    data, official = folder / "data", official_folder(folder / "official")
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    desk = Desk(store, Archive(data / "archive"), PromptSets.load(official))
    for system, shared in (("keel", 3), ("spar", 1)):
        for language in ("en", "fi"):
            desk.submit(question_file(system, language, shared), f"{system}_{language}.json", owner="local")
    desk.submit(zipped(run_files()), "aurora.zip", owner="local")
    for start in HOSTILE:
        desk.submit(robustness_file(Poison(start)), "answers.json", owner="local", names=names(start))
    store.close()
    settings = {
        "PLUMBLINE_JUDGES": "scripted",
        "PLUMBLINE_EMBEDDING": "scripted",
        "PLUMBLINE_ELOQUENT_DIR": str(official),
    }
    for address in running_app(data, settings):
        wait_until_scored(data)  # a control that is drawn anew is another one, and every scored file draws them anew
        yield address


def wait_until_scored(data: Path) -> None:
    """Until our own example systems are entered and nothing waits any more."""
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    deadline = time.monotonic() + SCORED_WITHIN_MS / 1000
    while time.monotonic() < deadline:
        tickets = store.tickets()
        has_examples = (
            sum(ticket.role == "example" and ticket.set_id == DEMONSTRATION for ticket in tickets) == EXAMPLES
        )
        if has_examples and all(ticket.status is JobStatus.SCORED for ticket in tickets):
            break
        time.sleep(0.2)
    store.close()


def items_map(page: Page) -> Locator:
    """The map of items of the demonstration, once every row of ours stands on it."""
    table = page.locator(".atlas table")
    expect(table.locator("thead th.system")).to_have_count(OURS, timeout=SCORED_WITHIN_MS)
    return table


def item_rows(table: Locator) -> Locator:
    """The rows of its items, below their title."""
    return table.locator(".atlas-items tr:not(.part)")


def figures(cells: Locator) -> list[float]:
    return [float(text) for text in cells.all_inner_texts()]


def open_cell(visitor: Visitor, table: Locator, place: int) -> None:
    """Opens a cell of the first row: Tab reaches the map, arrows the cell."""
    cells = item_rows(table).first.locator("td:not(.mean) a")
    if isinstance(visitor, Mouse):
        visitor.press(cells.nth(place))
        return
    visitor.reach(cells.first)
    for _ in range(place):
        visitor.page.keyboard.press("ArrowRight")
    expect(cells.nth(place)).to_be_focused()
    visitor.page.keyboard.press("Enter")


@pytest.mark.parametrize("way", WAYS)
def test_the_hardest_item_is_found_and_read_for_the_system_that_does_worst(
    page: Page, atlas_url: str, way: type[Visitor]
) -> None:
    visitor = way(page)
    page.goto(atlas_url)
    expect(page.locator("#view-link a")).to_be_visible()
    visitor.press(page.locator("#pages").get_by_role("link", name="Robustness", exact=True))
    expect(page.locator("#board-table caption")).to_be_visible()
    visitor.press(page.locator("#shown-drawer > button"))
    visitor.tick(page.get_by_role("radio", name="Demonstration"))
    expect(page.locator("#board-table caption")).to_contain_text("Demonstration")
    visitor.tick(page.get_by_role("radio", name="Scores by variation"))
    table = items_map(page)
    means = figures(item_rows(table).locator("td.mean"))
    assert means == sorted(means)
    hardest = item_rows(table).first
    item = hardest.locator("th").inner_text().split()[0]
    by_system = figures(hardest.locator("td.hot:not(.mean)"))
    assert len(by_system) == EXAMPLES
    worst = by_system.index(min(by_system))
    system = table.locator("thead th.system").nth(worst).inner_text()
    open_cell(visitor, table, worst)
    expect(page.locator("#item h3")).to_contain_text(f"Item {item}")
    expect(page.locator("#item-notice")).to_contain_text(system)
    pair = page.locator("#item tr.worst-row th").first.inner_text()
    for number in re.findall(r"\d+", pair)[:2]:
        answer = page.locator("#item .variant", has_text=f"Variant {number}").locator(".answer").first
        expect(answer).not_to_be_empty()
    expect(page.locator("#atlas")).to_be_hidden()

    visitor.press(page.get_by_role("button", name="← All items of this system"))
    visitor.press(page.get_by_role("button", name="← Board"))
    expect(table).to_be_visible()
    expect(page.get_by_role("radio", name="Scores by variation")).to_be_checked()


def test_arrow_keys_move_in_a_map_and_a_focused_cell_is_told(page: Page, atlas_url: str) -> None:
    page.goto(f"{atlas_url}/?set=demonstration&look=atlas")
    table = items_map(page)
    Keyboard(page).reach(table.locator("tbody td a").first)
    page.keyboard.press("ArrowDown")
    second = item_rows(table).nth(1).locator("td a").first
    expect(second).to_be_focused()
    expect(page.locator(".atlas .atlas-pointed")).to_have_text(second.get_attribute("title") or "")
    page.keyboard.press("Tab")
    expect(table.locator("td :focus")).to_have_count(0)  # one stop among the cells, not one for every cell
    page.keyboard.press("Shift+Tab")
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    expect(table.locator("thead th.system a").first).to_be_focused()


def test_a_narrowed_map_is_sent_as_a_link_and_saved_as_it_is_shown(
    page: Page, browser: Browser, atlas_url: str, tmp_path: Path
) -> None:
    page.goto(f"{atlas_url}/?set=demonstration&view=all&look=atlas")
    everything = item_rows(items_map(page)).count()
    page.locator(".atlas-variations th a", has_text="formality").click()
    table = items_map(page)
    expect(page.locator("#atlas h3")).to_contain_text("formality items alone")
    page.get_by_role("link", name="Pair mean before the relevance check").click()
    expect(page.locator("#atlas h3")).to_contain_text("pair mean before the relevance check")
    table.get_by_role("link", name="Name", exact=True).click()
    expect(table.locator("thead th").first).to_have_attribute("aria-sort", "ascending")
    expect(page).to_have_url(re.compile("variation=formality.*figure=raw.*order=name"))
    rows = item_rows(table).all_inner_texts()
    assert 0 < len(rows) < everything

    with page.expect_download() as started:
        page.get_by_role("button", name="Download this map as CSV").click()
    started.value.save_as(tmp_path / "atlas.csv")
    with (tmp_path / "atlas.csv").open(encoding="utf-8", newline="") as file:
        records = [record for record in csv.DictReader(file) if record["map"] == "items"]
    assert len(records) == len(rows) * (OURS + 1)  # a mean for each row

    colleague = browser.new_context().new_page()
    colleague.goto(page.url)
    theirs = items_map(colleague)
    assert item_rows(theirs).all_inner_texts() == rows
    colleague.context.close()


def test_a_question_of_a_later_edition_is_opened_from_its_map(page: Page, atlas_url: str) -> None:
    page.goto(f"{atlas_url}/?tab=robustness")
    expect(page.locator("#board-table caption")).to_be_visible()
    page.locator("#pages-beside").get_by_role("link", name="2025: between languages").click()
    expect(page.locator("#consistency-board-table caption")).to_be_visible()
    page.locator("#consistency-shown-drawer > button").click()
    page.get_by_role("radio", name="Scores by variation").check()
    systems = page.locator(".atlas table thead th.system")
    expect(systems.filter(has_text="spar")).to_be_visible(timeout=SCORED_WITHIN_MS)
    place = [name.strip() for name in systems.all_inner_texts()].index("spar")
    # After the heads of a row, its name and its mean; a question that only others were asked has no link there.
    page.locator(f".atlas-questions td:nth-child({place + 3}) a").first.click()
    expect(page).to_have_url(re.compile(r"/consistency\?.*system=.*item=\d"))
    expect(page.locator("#atlas")).to_be_hidden()


@pytest.mark.parametrize(
    "query",
    ["set=demonstration&look=atlas", "tab=consistency&look=atlas", "tab=cultural&look=atlas", "look=history"],
)
def test_every_map_and_the_printed_table_can_be_used_by_all_and_on_a_phone(
    page: Page, atlas_url: str, query: str
) -> None:
    page.set_viewport_size({"width": 1440, "height": 844})
    page.goto(f"{atlas_url}/?{query}")
    table = page.locator("#atlas table.heat").first
    expect(table.locator("thead th.system").first).to_be_visible(timeout=SCORED_WITHIN_MS)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert serious_violations(page) == {}, f"{width} pixels wide"
        expect_no_sideways_scroll(page)
        frame = table.locator("xpath=..")
        frame.evaluate("frame => { frame.scrollLeft = 0; }")
        name = table.locator("tbody tr:not(.part) th").first
        before = name.bounding_box()
        frame.evaluate("frame => { frame.scrollLeft = 120; }")
        after = name.bounding_box()
        assert before is not None
        assert after is not None
        assert abs(before["x"] - after["x"]) < 2, f"the names stay in sight, {width} pixels wide"


def test_the_printed_table_says_what_it_is_and_where_it_does_not_fit(
    page: Page, atlas_url: str, tmp_path: Path
) -> None:
    page.goto(f"{atlas_url}/?tab=robustness")
    expect(page.locator("#board-table caption")).to_be_visible()
    page.locator("#board-table caption").get_by_role("link", name="Table 2 of 2024").click()
    published = page.locator("#published-table")
    expect(published.locator("tbody tr")).to_have_count(15)
    expect(published.locator("tr.misprinted")).to_have_count(9)
    expect(published).to_contain_text("another judge")
    expect_rows_on_the_first_screen(published.locator("table"))
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator("#ranking")).to_be_hidden()
    page.get_by_role("button", name="Showing Table 2 of 2024").click()
    expect(page.get_by_role("radio", name="Table 2 of 2024")).to_be_checked()
    expect(page.locator("#set-choice")).to_be_hidden()  # the paper printed one set
    with page.expect_download() as started:
        page.get_by_role("button", name="Download this table as CSV").click()
    assert started.value.suggested_filename == "plumbline-table2-2024.csv"
    page.locator("#pages-beside").get_by_role("link", name="2025: between languages").click()
    expect(published).to_be_hidden()
    expect(page.locator("#consistency-board-table .other-views a")).to_have_text(["Scores by variation"])


def test_hostile_names_do_nothing_on_the_maps(page: Page, atlas_url: str, tmp_path: Path) -> None:
    watch = Watch().over(page)
    page.goto(f"{atlas_url}/?set=eloquent-2024&look=atlas")
    heads = page.locator(".atlas thead th.system")
    expect(heads.filter(has_text=MARK)).not_to_have_count(0, timeout=SCORED_WITHIN_MS)
    for head in heads.locator("a").all():
        head.hover()
    assert_unharmed(page, watch)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download this map as CSV").click()
    started.value.save_as(tmp_path / "atlas.csv")
    shown = (tmp_path / "atlas.csv").read_text(encoding="utf-8")
    assert MARK in shown
    assert formulas(shown) == []
    heads.locator("a").first.click()
    expect(page.locator("#system-notice")).to_contain_text(MARK)
    assert_unharmed(page, watch)
