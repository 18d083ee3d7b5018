"""A reader of the public record, at a desk and on a phone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from evaluator.public_record.records import kept_alpaca_eval, kept_measured
from tests.browser.conftest import violations_for_anybody


def test_a_reader_sees_which_judges_agree_with_people_and_filters_them(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/llm_bar")
    expect(page.locator("#llm-bar-opening")).to_contain_text("of 419 pairs")
    rows = page.locator("#llm-bar-board-table tbody tr")
    expect(rows).to_have_count(65 + len(kept_measured().judges))
    expect(rows.filter(has_text="measured by us")).to_have_count(len(kept_measured().judges))
    expect(page.locator("#llm-bar-below")).to_contain_text("Measured by us")
    page.get_by_label("Search").fill("Falcon")
    expect(rows).to_have_count(10)  # LLMBar asked Falcon with ten prompts
    expect(rows.first).to_contain_text("Falcon (Vanilla)")


def test_a_reader_finds_alpaca_eval_from_the_judges_and_how_many_prompts_would_do(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/llm_bar")
    page.locator("#pages-beside").get_by_role("link", name="AlpacaEval").click()
    expect(page.locator("#alpaca-eval-opening")).to_contain_text("NullModel")
    expect(page.locator("#alpaca-eval-board-table tbody tr")).to_have_count(kept_alpaca_eval().logs)
    expect(page.locator("#alpaca-eval-more-0")).to_contain_text("anchor points")
    assert violations_for_anybody(page) == {}
