"""Somebody asks what user preferences cost a model."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.conftest import (
    SCORED_WITHIN_MS,
    draw_charts,
    expect_no_sideways_scroll,
    open_baselines,
    running_app,
    serious_violations,
    violations_for_anybody,
)
from tests.unit.leaderboard.boards.personalization.made_personalization import (
    OTHER,
    control,
    document,
    large_file,
    pairs,
    put_into,
    row,
    saying,
)

HOSTILE = "<img src=x onerror=alert(1)>${alert(2)}{{7*7}}"
CHARTS = 4


@pytest.fixture(scope="module")
def personalization_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app without a worker in whose store runs are scored by a judge that reads ratings off the answers."""
    data = tmp_path_factory.mktemp("personalization")
    app = running_app(data, {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"})
    address = next(app)
    store = Store.open(Settings.from_env({"PLUMBLINE_DATA": str(data)}).resolved_database_url)
    put_into(store, large_file(lost=6, ignored=6, aligner_lost=1, repeats=True))
    put_into(store, large_file(lost=30, ignored=3, system="Wobbly"))
    hostile = [
        *pairs([(True, True, 5)] * 55),
        control(HOSTILE, f"The answer is A. {HOSTILE}"),
        row(HOSTILE, "mixed", "naive", [HOSTILE, OTHER], 0, response_with_preference=f"{saying(False, 4)} {HOSTILE}"),
    ]
    put_into(store, document(hostile, system=HOSTILE, team=HOSTILE, model=HOSTILE))
    store.close()
    yield address
    next(app, None)


def open_board(page: Page, address: str, query: str = "") -> Locator:
    page.goto(f"{address}/?tab=personalization&dataset=ours{query}")
    table = page.locator("#personalization-board-table table")
    expect(table.locator("tbody tr")).not_to_have_count(0)
    return table


def wait_for_charts(page: Page) -> None:
    draw_charts(page, "#personalization-charts", CHARTS)


def test_the_board_ranks_by_robustness_error_and_opens_down_to_an_answer(page: Page, personalization_url: str) -> None:
    table = open_board(page, personalization_url)
    expect(table.get_by_role("columnheader", name="Robustness error")).to_have_attribute("aria-sort", "ascending")
    # errors 0, 1/60 (aligner), 12/60, 33/60
    names = table.locator("tbody tr:not(.null-row, .published-row) th [data-open]").all_inner_texts()
    assert names == [HOSTILE, "Steady", "Steady", "Wobbly"]
    open_baselines(table, 2)
    wait_for_charts(page)
    page.locator("#personalization-chart-plane").locator("summary").click()
    expect(page.locator("#personalization-table-plane table")).to_contain_text("20.0%")
    table.get_by_role("button", name="Wobbly").click()
    page.get_by_role("button", name=re.compile(r"^Everything this run was scored on \([0-9]+ groups\)")).click()
    expect(page.locator("#groups-table table")).to_contain_text("irrelevant")
    card = page.locator("#run-judge-cards .judge-card")
    expect(card).to_contain_text("scripted")
    answers_end, card_begins = page.locator("#examples-table").bounding_box(), card.bounding_box()
    assert answers_end
    assert card_begins
    assert answers_end["y"] + answers_end["height"] <= card_begins["y"]  # answers first
    expect(page.get_by_role("link", name="Submission record")).to_be_visible()
    expect(page.locator("#personalization-shown-drawer")).to_be_visible()  # it chooses the answers
    page.get_by_label("Outcome").click()
    page.get_by_role("option", name=re.compile(r"^breakage \(30\)")).click()
    expect(page.locator("#examples-table tbody tr")).to_have_count(30)
    expect(page).to_have_url(re.compile("outcome=breakage"))
    page.locator("#examples-table").get_by_role("button", name="q0", exact=True).click()
    expect(page.locator("#personalization-shown-drawer")).to_be_hidden()
    texts = page.locator("#example .variant")
    expect(texts).to_have_count(2)
    expect(texts.nth(0)).to_contain_text("The answer is A.")
    expect(texts.nth(1)).to_contain_text("wrong")
    expect(page.locator("#example")).to_contain_text("5.00 of 5, followed")
    assert violations_for_anybody(page) == {}
    page.reload()
    expect(page.locator("#example .variant")).to_have_count(2)
    page.get_by_role("button", name="← All answers of this row").click()
    page.get_by_role("button", name="← Personalization").click()
    wait_for_charts(page)
    expect(page.locator("#answers-view")).not_to_be_visible()


def test_settings_and_data_sets_are_boards_of_their_own(page: Page, personalization_url: str) -> None:
    table = open_board(page, personalization_url)
    page.get_by_role("button", name="Showing one relevant").click()
    page.locator("#setting-choice").get_by_text("irrelevant only").click()
    expect(page).to_have_url(re.compile("setting=irrelevant"))
    expect(table).to_contain_text("n/a (no preference is relevant)")
    page.get_by_label("Data sets").click()
    page.get_by_role("option", name="full: commonsense_qa, mmlu, truthful_qa pooled").click()
    page.locator("#setting-choice").get_by_text("one relevant", exact=True).click()
    cited = table.locator("tr.published-row .row-mark").first
    expect(cited).to_have_attribute("data-term", re.compile(re.escape("by another judge (arXiv 2509.19358)")))
    expect(table.locator("tr.published-row .column-n").first).to_have_text("not stated")
    expect(page.locator("#personalization-notice")).to_contain_text("awaiting first submission")
    wait_for_charts(page)


def test_the_download_holds_what_breakage_cannot_be_read_without(
    page: Page, personalization_url: str, tmp_path: Path
) -> None:
    table = open_board(page, personalization_url, "&search=Steady")
    expect(table.locator("tbody tr")).to_have_count(2)
    page.locator("#personalization-share-drawer > button").click()
    with page.expect_download() as started:
        page.locator("#personalization-download-csv").click()
    started.value.save_as(tmp_path / "shown.csv")
    with (tmp_path / "shown.csv").open(encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    assert [record["method"] for record in records] == ["pref_aligner", "naive"]
    beside = {"breakage_rate", "alignment_failure", "robustness_error", "unchanged_rate", "fallback_rate"}
    assert beside <= records[0].keys()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious_and_a_phone_scrolls_tables_alone(
    browser: Browser, personalization_url: str, colours: Any
) -> None:
    page = browser.new_page(color_scheme=colours)
    table = open_board(page, personalization_url)
    wait_for_charts(page)
    assert serious_violations(page) == {}
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_charts(page)
    expect_no_sideways_scroll(page)
    table.get_by_role("button", name=HOSTILE).first.click()
    page.get_by_role("button", name=re.compile("^Everything this run was scored on")).click()
    expect(page.locator("#groups-table table")).to_be_visible()
    expect_no_sideways_scroll(page)
    page.close()


def test_an_uploaded_file_becomes_a_row(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_bytes(document(pairs([(True, True, 5), (True, False, 5)]), system="Fresh system"))
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.")
    page.get_by_role("link", name="Open the ticket").click()
    link = page.get_by_role("link", name="See its row on the board")
    expect(link).to_be_visible(timeout=SCORED_WITHIN_MS)
    link.click()
    expect(page.locator("#row-notice")).to_contain_text("Fresh system")
    expect(page.locator("#run-judge-cards")).to_contain_text("needs a language-model judge")
    expect(page.locator("#examples-table tbody tr")).to_have_count(2)
    page.get_by_role("button", name="← Personalization").click()
    shown = page.locator(
        "#personalization-board-table tbody tr:not(.null-row, .published-row)", has_text="Fresh system"
    )
    expect(shown).to_contain_text("not ranked: too few: 2 right controls of at least 50")
    expect(shown.locator(".column-breakage_rate")).to_contain_text("50.0%")
