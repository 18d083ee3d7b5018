"""A team submits files of the official ELOQUENT 2024 shape, with and without prompts at hand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from submissions.store.store import Store
from tests.browser.conftest import ROOT, SCORED_WITHIN_MS, running_app

VALID = Path("fixtures", "valid", "2024")


@pytest.fixture(scope="module")
def official_environ(eloquent: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {
        "PLUMBLINE_DATA": str(tmp_path_factory.mktemp("official")),
        "PLUMBLINE_ELOQUENT_DIR": str(eloquent / "official"),
        "PLUMBLINE_DEMONSTRATION": "0",
        # The official prompts of a clone are stand-ins, which no file answers: the answer gate would see through all.
        "PLUMBLINE_JUDGES": "scripted",
        "PLUMBLINE_EMBEDDING": "auto",
    }


@pytest.fixture(scope="module")
def official_url(official_environ: dict[str, str]) -> Iterator[str]:
    yield from running_app(Path(official_environ["PLUMBLINE_DATA"]), official_environ)


def submitted(page: Page, url: str, file: Path, system: str) -> str:
    """Uploads and submits a file under a system name; returns the ticket's id."""
    page.goto(f"{url}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    expect(page.locator("#coverage-grid caption")).to_contain_text("103 of 103 responses")
    page.get_by_label("System").fill(system)
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#missing-names")).to_contain_text("Optional: Model, Run.")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.")
    link = page.locator("#receipt a").first.get_attribute("href") or ""
    found = re.search(r"ticket=(\w+)", link)
    assert found, link
    return found[1]


def row_of(page: Page, system: str) -> Locator:
    """The system's row on the 2024 board, waited for without reloading the page."""
    page.locator("#pages").get_by_role("link", name="Robustness", exact=True).click()
    page.locator("#shown-drawer > button").click()
    page.get_by_role("radio", name="ELOQUENT 2024").check()
    row = page.locator("#board-table tbody tr", has_text=system)
    expect(row).to_be_visible(timeout=SCORED_WITHIN_MS)
    return row


def test_an_official_file_becomes_a_ranked_row_with_the_numbers_of_the_command_line(
    page: Page, official_url: str, official_environ: dict[str, str], eloquent: Path
) -> None:
    file = eloquent / VALID / "aurora_consistent.json"
    ticket = submitted(page, official_url, file, "Official System")
    row = row_of(page, "Official System")
    expect(row.locator(".column-judged")).to_have_text("15/15")
    expect(row.locator(".column-rank")).to_have_text("1")
    expect(row.locator(".column-score")).to_have_text(re.compile(r"^\d\.\d\d \[\d\.\d\d, \d\.\d\d\]$"))
    store = Store.open(f"sqlite:///{Path(official_environ['PLUMBLINE_DATA']) / 'plumbline.db'}")
    printed = subprocess.run(
        [sys.executable, "-m", "evaluator", "evaluate", str(file), "--json"],
        cwd=ROOT,
        env=os.environ | official_environ,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.strip() == store.result(ticket)
    store.close()


def test_one_canned_answer_is_at_the_bottom_and_flagged_with_its_raw_score_beside(
    page: Page, official_url: str, eloquent: Path
) -> None:
    submitted(page, official_url, eloquent / VALID / "cirrus_constant.json", "Canned System")
    row = row_of(page, "Canned System")
    expect(row.locator(".column-score")).to_have_text("0.00 [0.00, 1.09]")  # 15 items: 5 (1 - 0.025^(1/15))
    expect(row.locator(".column-raw")).to_have_text("5.00 [3.91, 5.00]")
    expect(row.locator(".column-flags")).to_contain_text("constant 103")
    submitted(page, official_url, eloquent / VALID / "iris_same_content_other_style.json", "Honest System")
    honest = row_of(page, "Honest System")
    ranks = [int(text) for text in page.locator("#board-table tbody .column-rank").all_inner_texts() if text.strip()]
    assert int(row.locator(".column-rank").inner_text()) == max(ranks)
    assert int(honest.locator(".column-rank").inner_text()) < max(ranks)


def test_without_the_official_prompts_the_row_is_unranked_with_raw_figures_and_the_reason(
    page: Page, eloquent: Path, tmp_path: Path
) -> None:
    settings = {"PLUMBLINE_ELOQUENT_DIR": "", "PLUMBLINE_FETCH_SETS": "0", "PLUMBLINE_DEMONSTRATION": "0"}
    for url in running_app(tmp_path, settings):
        submitted(page, url, eloquent / VALID / "aurora_consistent.json", "Official System")
        row = row_of(page, "Official System")
        expect(row.locator(".column-rank")).to_have_count(0)  # no row has a rank
        expect(row.locator(".column-score")).to_have_text("n/a")
        expect(row.locator(".column-raw")).to_have_text("5.00 [3.91, 5.00]")
        expect(row).to_contain_text("set_unavailable")
