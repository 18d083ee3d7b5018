"""A first start with a real model: SmolLM2 writes in the lab, and its recorded run shows what preferences broke."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, running_app, serious_violations
from tests.smollm2_weights import kept_models

LOADED_WITHIN_MS = 180_000
"""It takes seconds; here other tests may want the same two cores."""


@pytest.fixture(scope="module")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app on an empty folder with the default generators and the recorded runs."""
    data = tmp_path_factory.mktemp("first-start")
    (data / "models").symlink_to(kept_models(tmp_path_factory))
    settings = {"PLUMBLINE_GENERATORS": "auto", "PLUMBLINE_RECORDED": "1", "PLUMBLINE_DEMONSTRATION": "0"}
    yield from running_app(data, settings)


def opened_lab(page: Page, address: str) -> None:
    """The lab once its recorded run is scored, which a first visitor may have to wait for."""
    until = time.monotonic() + SCORED_WITHIN_MS / 1000
    while time.monotonic() < until:
        page.goto(f"{address}/?tab=lab")
        expect(page.locator("#lab-text textarea")).not_to_have_value("")
        if page.locator("#lab-gallery .breakages").count():
            return
    pytest.fail("the recorded run was not scored in time")


def test_whoever_changes_nothing_finds_a_breakage_runs_it_anew_and_votes(page: Page, first_start: str) -> None:
    opened_lab(page, first_start)
    expect(page.locator("#lab-status")).to_contain_text(
        re.compile(r"Recorded earlier, example 1 of \d+. A: from [A-Z] \(right\) to ")
    )
    expect(page.locator("#lab-about-models")).to_contain_text("a very small real language model")
    expect(page.locator("#lab-about-models")).to_contain_text("not for quoting")
    question = page.locator("#lab-setup .question").inner_text()
    expect(page.locator("#lab-text textarea")).to_have_value(question)  # Run asks the same question
    expect(page.locator("#lab-question")).to_be_hidden()  # the set-up is one line above the answers
    answers = page.locator("#lab-answers").bounding_box()
    assert answers is not None
    assert answers["y"] < 844  # of the first screen, below the question and its preferences
    expect(page.locator("#lab-setup .shown-preferences")).to_be_visible()
    assert serious_violations(page) == {}

    page.get_by_label("Blind: hide names and verdicts until I vote").check()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#lab-status")).to_contain_text("being written", timeout=LOADED_WITHIN_MS)
    expect(page.locator("#lab-answer-1 .lab-text")).not_to_be_empty(timeout=LOADED_WITHIN_MS)
    expect(page.locator("#lab-status")).to_contain_text("Done.", timeout=LOADED_WITHIN_MS)
    page.get_by_role("button", name="Answer 1 is better").click()
    expect(page.locator("#lab-ballot")).to_contain_text("You voted for answer 1.")
    for number in (1, 2):
        expect(page.locator(f"#lab-answer-{number} .rate")).to_have_text(re.compile(r"^\d+\.\d tokens/s$"))
        expect(page.locator(f"#lab-answer-{number} .who")).to_contain_text("SmolLM2-135M-Instruct, 4-bit")
        expect(page.locator(f"#lab-verdict-{number}")).to_contain_text("Option chosen")


def test_a_breakage_of_the_gallery_is_replayed_with_its_draft(page: Page, first_start: str) -> None:
    opened_lab(page, first_start)
    line = page.locator("#lab-gallery .breakages li").first
    question = line.get_by_role("link").inner_text()
    expect(line).to_contain_text("→")
    line.get_by_role("link").click()
    expect(page.locator("#lab-replay")).to_be_visible()
    expect(page.locator("#lab-setup .question")).to_have_text(question)
    expect(page.locator("#lab-answer-1 .who")).to_contain_text("naive, SmolLM2-135M-Instruct")
    expect(page.locator("#lab-answer-2 .who")).to_contain_text("Pref-Aligner, SmolLM2-135M-Instruct")
    expect(page.locator("#lab-answer-2 .lab-stage")).to_contain_text("draft")
    expect(page.locator("#lab-verdict-1")).to_contain_text(re.compile(r"[Tt]he answer went from [A-Z] \(right\) to"))
    expect(page).to_have_url(re.compile("replay_a=.*naive"))


def test_the_next_example_is_one_press_away_and_its_link_rebuilds_the_view(
    page: Page, browser: Browser, first_start: str
) -> None:
    opened_lab(page, first_start)
    first = page.locator("#lab-setup .question").inner_text()
    page.get_by_role("button", name="Next example").click()
    expect(page.locator("#lab-setup .question")).not_to_have_text(first)
    expect(page.locator("#lab-status")).to_contain_text("Recorded earlier, example 2 of ")
    expect(page.locator("#lab-status")).to_contain_text(re.compile(r"A: from [A-Z] \(right\) to "))
    page.get_by_label("Blind: hide names and verdicts until I vote").check()
    page.get_by_role("button", name="Share", exact=True).click()
    link = page.locator("#lab-share-link a")
    expect(link).to_have_attribute("href", re.compile("recorded=demonstration"))
    other = browser.new_page()
    other.goto(f"{first_start}/{link.get_attribute('href')}")
    for place in ("#lab-setup .question", "#lab-status", "#lab-setup-line p", "#lab-answer-1 .lab-text"):
        expect(other.locator(place)).to_have_text(page.locator(place).inner_text())
    expect(other.get_by_label("Blind: hide names and verdicts until I vote")).to_be_checked()
    expect(other.locator("#lab-question")).to_be_hidden()
    other.close()


def test_recorded_rows_say_what_they_are_on_their_boards(page: Page, first_start: str) -> None:
    opened_lab(page, first_start)
    page.goto(f"{first_start}/?tab=personalization")
    elsewhere = "Answers of SmolLM2-135M-Instruct (a very small real model, recorded by us) are on other questions"
    expect(page.locator("#personalization-notice")).to_contain_text(elsewhere)
    page.goto(f"{first_start}/?tab=personalization&dataset=demonstration")
    rows = page.locator("#personalization-board-table tbody tr", has_text="SmolLM2-135M-Instruct")
    naive = rows.filter(has_text="a very small real model, recorded by us").filter(has_text="naive")
    expect(naive).to_have_count(1)
    expect(page.locator("#personalization-notice")).to_contain_text("The paper's figures are on other questions")
