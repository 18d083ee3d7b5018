"""Somebody asks how much the ranks depend on what was counted, and passes the answer on."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from evaluator.results import RobustnessResult
from evaluator.robustness.panel import with_panel
from submissions.promptsets import ELOQUENT_2024
from submissions.schema import Names
from submissions.store.store import Store
from tests.browser.conftest import (
    expect_no_sideways_scroll,
    expect_rows_on_the_first_screen,
    running_app,
    serious_violations,
)
from tests.browser.visitors import Mouse
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE, robustness_result

ITEMS = [f"{number:03}" for number in range(1, 17) if number != 9]
STEADY = dict.fromkeys(ITEMS, 3.0)
SPIKY = {**dict.fromkeys(ITEMS, 2.75), "005": 4.75, "012": 4.75}
"""A quarter below STEADY on 13 items and 1.75 above it on two: mean 45.25 / 15 = 3.02, a tie; without the two, 2.75."""
POOR = dict.fromkeys(ITEMS, 1.0)
PAIR_JUDGE = JUDGE.model_copy(update={"name": "pair", "model": "trained"})


@pytest.fixture(scope="module")
def board_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app whose official board has three systems, each by two judges."""
    data = tmp_path_factory.mktemp("choices")
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    for number, (name, own, pair) in enumerate(
        (("Steady", STEADY, POOR), ("Spiky", SPIKY, STEADY), ("Poor", POOR, SPIKY))
    ):
        second = robustness_result(pair).model_copy(update={"judge": PAIR_JUDGE})
        add(store, number, name, with_panel([robustness_result(own), second], None))
    store.close()
    settings = {"PLUMBLINE_DEMONSTRATION": "0", "PLUMBLINE_ELOQUENT_DIR": "", "PLUMBLINE_WORKERS": "0"}
    yield from running_app(data, settings)


def add(store: Store, number: int, name: str, result: object) -> None:
    assert isinstance(result, RobustnessResult)
    ticket_id, received_at = f"{number:016x}", 1_790_000_000.0 + 60 * number
    store.add(
        ticket_id=ticket_id,
        owner="owner",
        role="entry",
        edition="2024",
        set_id=ELOQUENT_2024,
        names=Names(team=f"Team {name}", system=name, model="Model", run="1"),
        file_name=f"{name}.json",
        data=name.encode(),
        received_at=received_at,
    )
    store.restore_result(ticket_id, result.model_dump_json(), received_at + 30)


def ranking(page: Page) -> Locator:
    return page.locator("#board-table tbody tr")


def expect_ranking(page: Page, *rows: tuple[str, str]) -> None:
    """Systems from the top down with their ranks."""
    expect(ranking(page).locator(".column-system")).to_have_text([name for name, _ in rows])
    expect(ranking(page).locator(".column-rank")).to_have_text([rank for _, rank in rows])


def test_a_visitor_leaves_out_the_items_in_doubt_and_passes_the_view_on(
    page: Page, browser: Browser, board_url: str
) -> None:
    mouse = Mouse(page)
    page.goto(f"{board_url}/?set={ELOQUENT_2024}")
    expect_ranking(page, ("Spiky", "1-2"), ("Steady", "1-2"), ("Poor", "3"))
    mouse.press(page.get_by_role("button", name="Showing ranking: ELOQUENT 2024, English"))
    mouse.choose(page.locator("#without-choice input"), "Without 05 and 11 (files 005 and 012)")
    expect_ranking(page, ("Steady", "1"), ("Spiky", "2"), ("Poor", "3"))
    caption = page.locator("#board-table caption")
    expect(caption).to_contain_text("without items 005, 012")
    expect(page).to_have_url(re.compile("without=005%2C012"))
    expect(page.locator("#without-choice")).to_contain_text("005 closeness")
    expect(page.get_by_role("button", name="Showing ranking: ELOQUENT 2024, English, without 2")).to_be_visible()
    page.keyboard.press("Escape")

    elsewhere = browser.new_context()
    other = elsewhere.new_page()
    other.goto(page.url)
    expect_ranking(other, ("Steady", "1"), ("Spiky", "2"), ("Poor", "3"))
    expect(other.locator("#board-table caption")).to_have_text(caption.inner_text())
    # The drawer is open there, too: the address says so.
    expect(other.locator("#without-choice")).to_contain_text("012 terminology")

    mouse = Mouse(other)
    mouse.choose(other.locator("#judged-by-choice input"), "pair (trained)")
    # By the pair judge Steady has what Poor had, Spiky what Steady had, Poor what Spiky had.
    expect_ranking(other, ("Spiky", "1"), ("Poor", "2"), ("Steady", "3"))
    expect(other.locator("#board-table caption")).to_contain_text("ranked by pair (trained)")
    assert serious_violations(other) == {}
    other.locator("#reset").click()
    expect_ranking(other, ("Spiky", "1-2"), ("Steady", "1-2"), ("Poor", "3"))
    elsewhere.close()


def test_a_visitor_sees_how_far_ranks_move_and_opens_the_board_behind_a_cell(
    page: Page, board_url: str, tmp_path: Path
) -> None:
    page.goto(f"{board_url}/?set={ELOQUENT_2024}")
    page.locator("#board-table caption").get_by_role("link", name="How stable is each rank?").click()
    table = page.locator("#choices-table table")
    # As scored 1-2; alone by the pair judge Spiky leads Steady, which is last.
    row = table.locator("tbody tr", has_text="Steady")
    expect(row.locator(".range")).to_have_text("1-3")
    expect(table.locator("tbody th [data-open]")).to_have_text(["Spiky", "Steady", "Poor"])
    expect(page.locator("#board-table")).not_to_be_visible()
    expect_rows_on_the_first_screen(table)
    page.get_by_text("How to read this table").click()
    expect(page.locator("#choices-table")).to_contain_text("A wide range means that the rank depends on the choice.")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert serious_violations(page) == {}
        expect_no_sideways_scroll(page)
    name = row.locator("th")
    before = name.bounding_box()
    table.locator("xpath=ancestor::div[contains(@class, 'table-frame')]").evaluate("frame => frame.scrollLeft = 400")
    assert name.bounding_box() == before  # pinned

    page.set_viewport_size({"width": 1440, "height": 900})
    file = Mouse(page).download(page.locator("#choices-csv"), tmp_path)
    written = {one["system"]: one for one in csv.DictReader(file.read_text("utf-8").splitlines())}
    assert (written["Steady"]["range_low"], written["Steady"]["range_high"]) == ("1", "3")

    place = table.locator("thead button").all_inner_texts().index("without 005 and 012")
    row.locator("td").nth(2 + place).click()
    expect_ranking(page, ("Steady", "1"), ("Spiky", "2"), ("Poor", "3"))
    expect(page).to_have_url(re.compile("without=005%2C012"))
    expect(table).not_to_be_visible()

    page.locator("#board-table caption").get_by_role("link", name="How stable is each rank?").click()
    table.get_by_role("button", name="pair", exact=True).press("Enter")  # with the keyboard
    expect_ranking(page, ("Poor", "1-2"), ("Spiky", "1-2"), ("Steady", "3"))  # with all items Poor's 3.02 is on top


def test_a_link_to_the_choices_is_restored_and_names_what_it_does_not_know(page: Page, board_url: str) -> None:
    page.goto(f"{board_url}/?set={ELOQUENT_2024}&look=choices&without=005,${{x}}")
    expect(page.locator("#link-notice")).to_contain_text("without (${x}) is unknown here")
    expect(page.locator("#choices-table tbody tr")).to_have_count(3)
    page.locator("#choices-table").get_by_role("button", name="Poor").click()
    expect(page.locator("#system-view")).to_contain_text("Poor")
    page.locator("#to-board").click()
    expect(page.locator("#choices-table tbody tr")).to_have_count(3)


def test_the_items_that_decide_the_first_place_are_one_stop_on_the_way_to_a_row(page: Page, board_url: str) -> None:
    page.goto(f"{board_url}/robustness")
    expect(page.locator("#view-link a")).to_be_attached()
    decides = page.locator("#board-table .first-place")
    # 45.25 and 45 points: without 005 Spiky has 40.5, Steady 42.
    expect(decides).to_contain_text("1 of 15 items decides who is first Which?")
    without = decides.get_by_role("link", name="Show the board without them")
    expect(without).to_be_hidden()
    row, stops = ranking(page).locator("[data-open]").first, 0
    while not row.evaluate("(element) => element === document.activeElement"):
        page.keyboard.press("Tab")
        stops += 1
        assert stops <= 24  # it was 28 once
    decides.locator("summary").press("Enter")
    expect(decides).to_contain_text("Without 005, Steady leads.")
    assert serious_violations(page) == {}
    without.press("Enter")
    expect(page).to_have_url(re.compile("without=005"))
    expect(ranking(page).locator(".column-system").first).to_have_text("Steady")
