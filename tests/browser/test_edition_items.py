"""Somebody follows a number of 2025 or 2026 down to the words that made it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import (
    expect_no_sideways_scroll,
    expect_rows_on_the_first_screen,
    running_app,
    serious_violations,
    violations_for_anybody,
)
from tests.unit.leaderboard.boards.editions.test_items_screen import conversation
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, metadata, run_files, zipped

SETTINGS = {
    "PLUMBLINE_WORKERS": "0",
    "PLUMBLINE_JUDGES": "scripted",
    "PLUMBLINE_EMBEDDING": "scripted",
    "PLUMBLINE_DEMONSTRATION": "0",
}


@dataclass(frozen=True)
class Scored:
    """An app with a scored run of 2025 in three languages, one of 2026 in five, and four more of each."""

    url: str
    of_2025: str
    of_2026: str


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scored]:
    data = tmp_path_factory.mktemp("edition-items")
    house = House(data)
    for language, file in (("en", conversation("en")), ("fi", conversation("fi"))):
        house.submit(file, f"{language}.json")
    of_2025 = house.submit(question_file("keel", "sv", 1), "sv.json")
    of_2026 = house.submit(zipped(run_files()), "aurora.zip")
    for system in ("bow", "stern", "mast", "helm"):
        house.submit(question_file(system, "en", 1), f"{system}.json")
        house.submit(zipped(run_files() | {METADATA: json.dumps(metadata(system=system))}), f"{system}.zip")
    house.store.close()
    for url in running_app(data, SETTINGS):
        yield Scored(url, of_2025, of_2026)


def test_the_first_screen_of_an_edition_shows_rows_at_a_desk_and_on_a_phone(page: Page, scored: Scored) -> None:
    for board in ("consistency", "cultural"):
        page.goto(f"{scored.url}/{board}")
        table = page.locator(f"#{board}-board-table")
        expect(table.locator("tbody tr").nth(4)).to_be_visible()
        page.set_viewport_size({"width": 1440, "height": 900})
        wider = table.locator(".table-frame").evaluate("frame => frame.scrollWidth - frame.clientWidth")
        assert wider <= 0, f"{board}: its notes and flags stand beyond the right edge"
        if board == "cultural":  # of 2025 one run is ranked
            expect(table.locator(".leader")).to_have_text("None of the five systems is ranked; their notes say why.")
        expect_rows_on_the_first_screen(table)


def test_a_visitor_reads_both_answers_of_the_two_languages_that_agree_least(
    page: Page, browser: Browser, scored: Scored
) -> None:
    page.goto(f"{scored.url}/?tab=consistency")
    page.locator("#consistency-board-table").get_by_role("button", name="keel").click()
    expect(page.locator("#run-parts-table tbody tr")).to_have_count(20)
    pages, back = page.locator("#pages-beside").bounding_box(), page.locator("#to-edition-board").bounding_box()
    assert pages
    assert back
    assert back["y"] - (pages["y"] + pages["height"]) <= 16  # one gap, nothing empty above the way back
    page.locator("#run-parts-table").get_by_role("button", name="8", exact=True).click()
    item = page.locator("#item")
    expect(item.locator("h3")).to_contain_text("Question 8 in en, fi, sv")
    expect(item.locator(".variant .prompt").first).to_contain_text("en topic8 topic8?")
    # en shares with fi 4 of 6 words, with sv topic8 and w0 of 8: 5 x 2 / 8 = 1.25.
    worst = item.locator("tr.worst-row")
    expect(worst).to_contain_text("en and sv")
    expect(worst).to_contain_text("1.25")
    opened = item.locator(".opened-pair")
    expect(opened.locator(".answer")).to_have_text(["topic8 w0 w1 w2 en3", "topic8 w0 sv1 sv2 sv3"])
    expect(item.locator(".word-diff")).to_have_count(0)
    expect(item.locator(".judge-card")).to_contain_text("scripted")
    assert serious_violations(page) == {}

    item.get_by_role("button", name="en and fi", exact=True).click()
    expect(opened.locator(".answer")).to_have_text(["topic8 w0 w1 w2 en3", "topic8 w0 w1 w2 fi3"])
    link = f"?tab=consistency&system={scored.of_2025}&item=8&pair=1-2"
    expect(page).to_have_url(f"{scored.url}/{link.replace('?tab=consistency&', 'consistency?')}")
    elsewhere = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    elsewhere.goto(f"{scored.url}/{link}")
    expect(elsewhere.locator("#item .opened-pair .answer")).to_have_text(["topic8 w0 w1 w2 en3", "topic8 w0 w1 w2 fi3"])
    expect_no_sideways_scroll(elsewhere)
    assert serious_violations(elsewhere) == {}
    elsewhere.context.close()

    page.get_by_role("button", name="← All questions of this run").click()
    expect(page.locator("#run-parts-table tbody tr")).to_have_count(20)
    expect(item).to_be_hidden()


def test_a_conversation_shows_every_turn_and_its_verdicts_can_be_voted_on(page: Page, scored: Scored) -> None:
    page.goto(f"{scored.url}/?tab=consistency&system={scored.of_2025}&item=7")
    item = page.locator("#item")
    english = item.locator(".variant").first
    expect(english.locator(".turn")).to_have_count(2)
    expect(english.locator(".turn").nth(0)).not_to_contain_text("judged")
    expect(english.locator(".turn").nth(1)).to_contain_text("topic7 at last en")
    expect(english.locator(".turn").nth(1)).to_contain_text("judged")
    expect(item.locator("h4")).to_contain_text(["Last answers", "Answers to the first turn"])
    captions = ["Last answers: verdicts, similarity 0-5", "Answers to the first turn: verdicts, similarity 0-5"]
    expect(item.locator(".verdicts caption")).to_contain_text(captions)
    assert violations_for_anybody(page) == {}
    agree = item.get_by_role("button", name="Agree: languages en and fi say the same").first
    agree.click()
    expect(agree).to_have_attribute("aria-pressed", "true")
    expect(item.locator("h3")).to_contain_text("Question 7")


def test_a_visitor_opens_a_base_question_and_reads_two_languages_side_by_side(
    page: Page, browser: Browser, scored: Scored
) -> None:
    page.goto(f"{scored.url}/?tab=cultural&system={scored.of_2026}")
    expect(page.locator("#run-pairs-table tbody tr")).to_have_count(10)
    page.locator("#run-parts-table").get_by_role("button", name="2", exact=True).click()
    item = page.locator("#base-question")
    expect(item.locator("h3")).to_have_text("Base question 2")
    expect(item.locator(".item-sentence")).to_have_text(
        "Answers in different languages lie 0.00 apart where no culture is named and 0.00 where one is: naming it "
        "changes nothing."
    )
    expect(item).to_contain_text(
        "Difference where no culture is named (CD) 0.00 (0.00 before the relevance check), "
        "agreement where one is (CR) 1.00 (1.00 before it)"
    )
    expect(item.locator("h4")).to_contain_text(["de", "el", "en", "fi", "sv"])
    expect(item.locator(".cultural-pairs tbody tr")).to_have_count(10)
    assert serious_violations(page) == {}

    pair = item.get_by_role("button", name="en and sv")
    pair.press("Enter")
    expect(pair).to_have_attribute("aria-pressed", "true")
    expect(pair).to_be_focused()
    shown = item.locator(".variant")
    expect(shown.locator("h5")).to_have_text(
        [f"{language}, {name}" for name in ("unspecific", "variant 1", "variant 2") for language in ("en", "sv")]
    )
    expect(shown.locator(".answer")).to_have_text(["a 2", "a 2", "b 2", "b 2", "b 2", "b 2"])
    link = f"?tab=cultural&system={scored.of_2026}&item=2&pair=en-sv"
    expect(page).to_have_url(f"{scored.url}/{link.replace('?tab=cultural&', 'cultural?')}")
    elsewhere = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    elsewhere.goto(f"{scored.url}/{link}")
    expect(elsewhere.locator("#base-question .variant")).to_have_count(6)
    expect_no_sideways_scroll(elsewhere)
    assert serious_violations(elsewhere) == {}
    elsewhere.context.close()

    item.get_by_role("button", name="Show every language by itself").click()
    expect(item.locator("h4")).to_have_count(5)
    page.get_by_role("button", name="← All questions of this run").click()
    expect(page.locator("#run-languages-table tbody tr")).to_have_count(5)
    page.get_by_role("button", name="← Board").click()
    expect(page.locator("#cultural-board-table")).to_be_visible()
    expect(page).to_have_url(re.compile("/cultural$"))


def test_a_link_to_a_question_nobody_asked_opens_the_run_and_says_so(page: Page, scored: Scored) -> None:
    page.goto(f"{scored.url}/?tab=consistency&system={scored.of_2025}&item=77&pair=1-2")
    expect(page.locator("#link-notice")).to_contain_text("item (77) is unknown here and was ignored")
    expect(page.locator("#run-parts-table tbody tr")).to_have_count(20)
    expect(page.locator("#item")).to_be_hidden()
