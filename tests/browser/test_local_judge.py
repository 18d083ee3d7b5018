"""A local language model, made on the spot, judges a run and gets its card on the Judges board."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from benchmarks.random_models import answering_model, small_tokenizer
from submissions.promptsets import example_submissions
from tests.browser.conftest import SCORED_WITHIN_MS, running_app

KEPT_ITEMS = 6
INTERVAL = re.compile(r"\d\.\d\d \[\d\.\d\d, \d\.\d\d\]")


@pytest.fixture(scope="module")
def local_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("models") / "tiny-judge"
    tokenizer = small_tokenizer()
    answering_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    settings = {"PLUMBLINE_JUDGES": f"transformers:{folder};unproven", "PLUMBLINE_DEMONSTRATION": "0"}
    yield from running_app(tmp_path_factory.mktemp("local"), settings)


@pytest.mark.soak
def test_the_judges_board_shows_the_local_models_card(page: Page, local_url: str, tmp_path: Path) -> None:
    document = json.loads(dict(example_submissions())["tide.json"])
    for item in document["eloquent-robustness-results"]["items"][KEPT_ITEMS:]:
        for response in item["responses"]:
            response["response"] = ""
    file = tmp_path / "tide.json"
    file.write_text(json.dumps(document))
    page.goto(f"{local_url}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.")
    page.locator("#pages").get_by_role("link", name="Robustness", exact=True).click()
    page.locator("#shown-drawer > button").click()
    page.get_by_role("radio", name="Demonstration").check()
    row = page.locator("#board-table tbody tr", has_text="tide")
    expect(row).to_be_visible(timeout=SCORED_WITHIN_MS)
    expect(row.locator(".column-win_rate")).to_have_text(INTERVAL)

    page.goto(f"{local_url}/?tab=judges&benchmark=demonstration-3")
    judge = page.locator("#judges-board-table tbody tr", has_text="tiny-judge")
    expect(judge).to_be_visible()
    expect(judge.locator(".column-position_consistency")).to_have_text(INTERVAL)
    judge.get_by_role("button").first.click()
    expect(page.locator(".judge-card").first).to_contain_text("tiny-judge")
