"""A team submits a file of the official ELOQUENT 2024 shape, with the official prompts at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, running_app


@pytest.fixture(scope="module")
def official_url(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = {"PLUMBLINE_ELOQUENT_DIR": str(shared_data / "eloquent" / "official"), "PLUMBLINE_DEMONSTRATION": "0"}
    yield from running_app(tmp_path_factory.mktemp("official"), settings)


def test_an_official_file_becomes_a_ranked_row(page: Page, official_url: str, shared_data: Path) -> None:
    file = shared_data / "eloquent" / "fixtures" / "valid" / "2024" / "aurora_consistent.json"
    page.goto(f"{official_url}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    expect(page.locator("#coverage caption")).to_contain_text("103 of 103 responses")
    page.get_by_label("System").fill("Official System")
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.")
    page.get_by_role("tab", name="Robustness").click()
    page.get_by_role("radio", name="ELOQUENT 2024").check()
    row = page.locator("#board-table tbody tr", has_text="Official System")
    expect(row).to_be_visible(timeout=SCORED_WITHIN_MS)
    expect(row.locator(".column-judged")).to_have_text("15/15")
    expect(row.locator(".column-rank")).to_have_text("1")
    expect(row.locator(".column-score")).to_have_text(re.compile(r"^\d\.\d\d \[\d\.\d\d, \d\.\d\d\]$"))
