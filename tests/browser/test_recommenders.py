"""A team wants to know whether its recommender behaves like a human, from the file to the turn it is about."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.conftest import (
    SCORED_WITHIN_MS,
    draw_chart,
    draw_charts,
    expect_no_sideways_scroll,
    open_baselines,
    running_app,
    serious_violations,
)
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import (
    HUMAN,
    dialogue,
    document,
    file_of,
    put_into,
    read,
)

HOSTILE = "<img src=x onerror=alert(1)>${alert(2)}{{7*7}}"
COLLECTION = read(file_of(0)).collection
SIMILARITY = re.compile(
    r"similarity 0\.\d\d, (above the threshold of 0\.\d\d: the same|not above the threshold of 0\.\d\d: different)"
    r" \(estimated\)"
)


@pytest.fixture(scope="module")
def recommenders_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app without a worker in whose store recommenders are scored by the estimator on terms alone."""
    data = tmp_path_factory.mktemp("recommenders")
    app = running_app(
        data,
        {
            "PLUMBLINE_WORKERS": "0",
            "PLUMBLINE_DEMONSTRATION": "0",
            "PLUMBLINE_COLLECTIONS": f"{COLLECTION}=Train reading",
        },
    )
    address = next(app)
    store = Store.open(Settings.from_env({"PLUMBLINE_DATA": str(data)}).resolved_database_url)
    put_into(store, file_of(24, system="Whole"))
    put_into(store, file_of(15, system="Nearly"))
    put_into(store, file_of(2, system="Eager"))
    put_into(store, file_of(20, system="Bare", labels=False))
    hostile = dialogue(HOSTILE, HUMAN)
    hostile["turns"][1] |= {"human_response": HOSTILE, "system_response": HOSTILE}
    hostile["turns"][2]["context"].append({"role": "seeker", "text": HOSTILE})
    put_into(store, document([hostile, dialogue("other", HUMAN)], system=HOSTILE, team=HOSTILE, model=HOSTILE))
    store.close()
    yield address
    next(app, None)


def open_board(page: Page, address: str, query: str = "") -> Locator:
    page.goto(f"{address}/?tab=behavior{query}")
    table = page.locator("#behavior-board-table table")
    expect(table.locator("tbody tr")).not_to_have_count(0)
    return table


def wait_for_charts(page: Page) -> None:
    draw_charts(page, "#behavior-board-charts", 2)


def test_the_board_opens_down_to_the_turn_and_the_link_brings_it_back(
    page: Page, browser: Browser, recommenders_url: str
) -> None:
    table = open_board(page, recommenders_url)
    expect(table).to_contain_text("Train reading, 24 dialogues; annotated systems; turn label: last labelled sentence")
    expect(page.locator("#behavior-notice")).to_contain_text("1 system is estimated and ranked apart")
    # 24, 15 and 2 of 24 dialogues are hits throughout
    names = table.locator("tbody tr:not(.null-row, .published-row) th [data-open]").all_inner_texts()
    assert names == ["Whole", "Nearly", "Eager"]
    open_baselines(table, 3)
    wait_for_charts(page)
    page.locator("#behavior-chart-mix").locator("summary").click()
    expect(page.locator("#behavior-table-mix table")).to_contain_text("33.3%")

    table.get_by_role("button", name="Nearly", exact=True).click()
    expect(page.locator("#recommender-notice")).to_contain_text("rank 2 among annotated systems")
    draw_chart(page.locator("#behavior-chart-confusion"))
    page.get_by_label("Compare with").click()
    page.get_by_role("option", name=re.compile("Whole")).click()
    expect(page.locator("#recommender-comparison")).to_contain_text("Whole is ahead of Nearly by 0.38")

    page.locator("#dialogues-table").get_by_role("button", name="d20", exact=True).click()
    turns = page.locator("#dialogue .turn")
    expect(turns).to_have_count(4)
    expect(turns.nth(0)).to_contain_text("not scored: any opening is as good as another")
    expect(turns.nth(2)).to_contain_text("miss")
    expect(turns.nth(2).locator(".variant").nth(0)).to_contain_text("About d20, it won two prizes in the spring.")
    expect(turns.nth(2).locator(".chip.is-label")).to_have_text([re.compile("credibility"), re.compile("encour")])
    expect(turns.nth(2)).to_contain_text(SIMILARITY)
    assert serious_violations(page) == {}

    link = page.url
    other = browser.new_page()
    other.goto(link)
    expect(other.locator("#dialogue h3")).to_have_text("Dialogue d20")
    expect(other.locator("#dialogue .item-sentence")).to_contain_text("strategy of the human in 0 of 3 scored turns")
    other.get_by_role("button", name="← All its dialogues").click()
    expect(other.locator("#recommender-comparison")).to_contain_text("Whole is ahead of Nearly")
    expect(other.locator("#dialogues-table tbody tr")).to_have_count(24)
    other.get_by_role("button", name="← Recommenders").click()
    expect(other.locator("#behavior-board-table table")).to_be_visible()
    other.close()


def test_estimated_systems_are_ranked_apart_and_never_without_their_badge(page: Page, recommenders_url: str) -> None:
    table = open_board(page, recommenders_url)
    page.locator("#basis-choice").get_by_text("estimated (1)").click()
    expect(page).to_have_url(re.compile("basis=estimated"))
    row = table.locator("tbody tr", has_text="Bare")
    expect(row.locator(".column-alignment")).to_contain_text("(estimated)")
    expect(row.locator(".column-basis")).to_have_text("estimated (accuracy 0.75)")
    expect(table.get_by_role("columnheader", name="BA, Eq. 2")).to_have_count(0)
    row.get_by_role("button", name="Bare").click()
    page.locator("#dialogues-table").get_by_role("button", name="d00", exact=True).click()
    expect(page.locator("#dialogue .turn").nth(1)).to_contain_text("(estimated)")
    expect(page.locator("#dialogue .turn").nth(1)).to_contain_text("not annotated")


def test_collections_are_boards_of_their_own_and_hostile_texts_are_text(page: Page, recommenders_url: str) -> None:
    table = open_board(page, recommenders_url)
    page.get_by_label("Human dialogues").click()
    page.get_by_role("option", name=re.compile("unregistered.*2 dialogues")).click()
    expect(table).to_contain_text("not ranked: too few: 2 scored dialogues of at least 20")
    expect(table).to_contain_text(HOSTILE)
    wait_for_charts(page)
    table.get_by_role("button", name=HOSTILE, exact=True).click()
    expect(page.locator("#recommender-notice")).to_contain_text(HOSTILE)
    page.locator("#dialogues-table").get_by_role("button", name=HOSTILE).click()
    expect(page.locator("#dialogue h3")).to_contain_text(HOSTILE)
    expect(page.locator("#dialogue .variant").nth(2)).to_contain_text(HOSTILE)
    expect(page.locator("#dialogue .said", has_text=f"The seeker said: {HOSTILE}")).to_have_count(1)
    assert page.evaluate("document.querySelectorAll('.plumb img, .plumb script, .js-plotly-plot a[href]').length") == 0


def test_the_download_is_what_is_shown(page: Page, recommenders_url: str, tmp_path: Path) -> None:
    table = open_board(page, recommenders_url, "&search=Whole&columns=all")
    expect(table.locator("tbody tr")).to_have_count(1)
    page.locator("#behavior-share-drawer > button").click()
    with page.expect_download() as started:
        page.locator("#behavior-download-csv").click()
    started.value.save_as(tmp_path / "shown.csv")
    with (tmp_path / "shown.csv").open(encoding="utf-8") as file:
        (record,) = csv.DictReader(file)
    assert (record["system"], record["basis"], record["ba_eq2"]) == ("Whole", "annotated", "0.75")
    table.get_by_role("button", name="Whole").click()
    with page.expect_download() as manifest:
        page.locator("#recommender-manifest").click()
    manifest.value.save_as(tmp_path / "manifest.json")
    body = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert (body["board"], body["headline"]) == ("behavior", {"figure": "ba", "value": 1.0})


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious_and_a_phone_scrolls_tables_alone(
    browser: Browser, recommenders_url: str, colours: Any
) -> None:
    page = browser.new_page(color_scheme=colours)
    table = open_board(page, recommenders_url)
    wait_for_charts(page)
    assert serious_violations(page) == {}
    phone, desk = ViewportSize(width=390, height=844), ViewportSize(width=1280, height=720)
    page.set_viewport_size(phone)
    wait_for_charts(page)
    expect_no_sideways_scroll(page)
    page.set_viewport_size(desk)
    table.get_by_role("button", name="Nearly", exact=True).click()
    draw_chart(page.locator("#behavior-chart-confusion"))
    assert serious_violations(page) == {}
    page.set_viewport_size(phone)
    expect_no_sideways_scroll(page)
    page.locator("#dialogues-table").get_by_role("button", name="d00", exact=True).click()
    expect(page.locator("#dialogue .turn")).to_have_count(4)
    expect_no_sideways_scroll(page)
    page.close()


def test_a_bad_file_is_told_all_its_faults_at_once(page: Page, recommenders_url: str, tmp_path: Path) -> None:
    bad = json.loads(file_of(2, size=3))
    first, second, third = bad["dialogues"]
    first["turns"][2]["system_strategy"] = "persuasion"
    second["turns"] = [turn | {"turn": turn["turn"] + 1} for turn in second["turns"]]
    third["dialogue_id"] = first["dialogue_id"]
    third["turns"][1]["human_response"] = " "
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(bad), encoding="utf-8")
    page.goto(f"{recommenders_url}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Refused")
    problems = page.locator("#problems table")
    for place in (
        "dialogues[0].turns[2].system_strategy",
        "dialogues[1].turns",
        "dialogues[2].dialogue_id",
        "dialogues[2].turns[1].human_response",
    ):
        expect(problems).to_contain_text(place)
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_disabled()
    assert serious_violations(page) == {}


def test_an_uploaded_file_becomes_a_row_down_to_its_turns(page: Page, tmp_path: Path) -> None:
    page.goto("/?tab=behavior")
    expect(page.locator("#behavior-notice")).to_contain_text("awaiting first submission")
    published = page.locator("#behavior-board-table tbody tr", has_text="GPT 3.5")
    expect(published.locator("th")).to_contain_text("(published, as printed)")
    expect(published.locator(".column-turns_before")).to_have_text("1.16")
    expect(page.locator("#behavior-printed-table table")).to_contain_text("Classifier MixedHard: accuracy on ReDial")
    assert serious_violations(page) == {}
    expect(page.locator("#behavior-example-table")).to_contain_text("experience inquiry, personal experience")
    with page.expect_download() as template:
        page.locator("#behavior-template").click()
    assert template.value.suggested_filename == "crs-responses-template.json"
    file = tmp_path / "answers.json"
    file.write_bytes(file_of(18, system="Fresh system", team="Fresh team"))
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    expect(page.locator("#preview")).to_contain_text("ranked among annotated systems")
    expect(page.locator("#coverage")).to_contain_text("Strategies of the scored turns")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.")
    page.get_by_role("link", name="Open the ticket").click()
    link = page.get_by_role("link", name="See its row on the board")
    expect(link).to_be_visible(timeout=SCORED_WITHIN_MS)
    link.click()
    expect(page.locator("#recommender-notice")).to_contain_text("Fresh system")
    expect(page.locator("#recommender-notice")).to_contain_text("rank 1 among annotated systems")
    page.locator("#dialogues-table").get_by_role("button", name="d00", exact=True).click()
    expect(page.locator("#dialogue .item-sentence")).to_have_text(
        "The system chooses the strategy of the human in 3 of 3 scored turns."
    )
    page.get_by_role("button", name="← All its dialogues").click()
    page.get_by_role("button", name="← Recommenders").click()
    shown = page.locator("#behavior-board-table tbody tr", has_text="Fresh system")
    expect(shown.locator(".column-alignment")).to_contain_text("0.75 [")  # 18 of 24 dialogues
