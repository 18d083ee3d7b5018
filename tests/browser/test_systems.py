"""Somebody asks why two systems share a rank, and takes along what rebuilds a number."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.browser.conftest import expect_baselines, serious_violations


def open_a_shared_rank(page: Page) -> str:
    """The view of a system that shares its places with another one; its name."""
    page.goto("/?set=demonstration")
    table = page.locator("#board-table table")
    expect_baselines(table, 12)
    ranked = table.locator("tbody tr").filter(has=page.locator("td.column-rank", has_text=re.compile(r"\d-\d")))
    shared = ranked.nth(1)  # the first may be told apart from each of the others alone, and only not from all together
    name: str = shared.locator("th [data-open]").inner_text()
    shared.locator("th [data-open]").press("Enter")  # with the keyboard
    expect(page.locator("#system-notice")).to_contain_text(name)
    return name


def test_a_visitor_reads_why_two_systems_share_a_rank(page: Page) -> None:
    name = open_a_shared_rank(page)
    reasons = page.locator("#rank-reasons")
    expect(reasons).to_contain_text("Why the same rank?")
    expect(page.locator("#plot-history")).to_have_count(0)  # its runs came within the hour
    assert serious_violations(page) == {}

    reasons.get_by_role("link").first.click()
    said = page.locator("#comparison-notice")
    expect(said).to_contain_text(f"{name} and ")
    expect(said).to_contain_text("cannot be told apart")
    expect(said).to_contain_text("would tell them apart")
    expect(said).to_contain_text("Their ranks overlap: ranks count only differences")
    expect(page).to_have_url(re.compile("against="))
    expect(page.locator("#plot-comparison .scatterlayer .points path").first).to_be_visible()
    rows = page.locator("#compared-items tbody tr")
    differences = [float(text) for text in rows.locator("td:nth-child(4)").all_inner_texts()]
    assert differences == sorted(differences, reverse=True)
    assert serious_violations(page) == {}

    item = rows.first.locator("th").inner_text()
    rows.first.locator("button").nth(1).press("Enter")  # of the other system
    expect(page.locator("#item h3")).to_contain_text(f"Item {item}")
    expect(page.locator("#item-notice")).not_to_contain_text(f"{name} ·")
    difference = page.locator("#item .word-diff").first
    expect(difference.locator(".answer")).to_be_visible()
    difference.locator("summary").press("Enter")
    expect(difference.locator(".answer")).to_be_hidden()
    assert serious_violations(page) == {}
    page.get_by_role("button", name="← The comparison").click()
    expect(said).to_contain_text("cannot be told apart")
    page.get_by_role("button", name="← This system alone").click()
    expect(page.locator("#items-table table")).to_be_visible()


def test_a_visitor_takes_along_what_belongs_on_the_model_card(page: Page) -> None:
    name = open_a_shared_rank(page)
    fold = page.locator("#model-card")
    fold.get_by_text("Put this on your model card").press("Enter")
    text = fold.get_by_role("region", name="YAML")
    expect(text).to_contain_text("task_id: robustness/demonstration/english")
    expect(text).to_contain_text(f"system {name}")
    expect(fold.get_by_role("region", name="Command")).to_contain_text("--create-pr")
    address = page.url.partition("?")[0].rpartition("/")[0]
    (entry, *_) = yaml.safe_load(text.inner_text())
    assert entry["source"]["url"].startswith(f"{address}/?")
    fold.get_by_role("button", name="Copy YAML").click()
    expect(fold.get_by_role("status").first).not_to_be_empty()
    assert serious_violations(page) == {}
    page.goto(entry["source"]["url"])  # the source leads to the row
    expect(page.locator("#system-notice")).to_contain_text(name)
    expect(fold.get_by_role("region", name="YAML")).to_have_count(0)  # closed again


def test_a_visitor_chooses_a_system_to_compare_with(page: Page) -> None:
    name = open_a_shared_rank(page)
    choice = page.get_by_label("Compare with")
    choice.click()
    option = page.get_by_role("option").nth(1)
    other = option.inner_text().strip().removeprefix("✓").strip().split(" · ")[0]
    option.click()
    expect(page.locator("#comparison-notice .notice-title")).to_contain_text(name)
    expect(page.locator("#comparison-notice .notice-title")).to_contain_text(other)
    page.reload()
    expect(page.locator("#comparison-notice .notice-title")).to_contain_text(other)


def test_the_manifest_holds_the_digits_of_the_page(page: Page, tmp_path: Path) -> None:
    name = open_a_shared_rank(page)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download manifest").click()
    path = tmp_path / started.value.suggested_filename
    started.value.save_as(path)
    manifest = json.loads(path.read_text(encoding="utf-8"))
    headline = manifest["headline"]
    written = f"{headline['value']:.2f} [{headline['low']:.2f}, {headline['high']:.2f}]"
    assert manifest["names"]["system"] == name
    expect(page.locator("#system-notice")).to_contain_text(f"Score {written}")
    expect(page.locator("#system-card .standings")).to_contain_text(f"score {written}")
    expect(page.locator("#system-card .attempts")).to_contain_text(written)
    page.locator("#system-card .manifest summary").click()
    expect(page.locator("#system-card .manifest")).to_contain_text(manifest["file"]["sha256"])
    expect(page.locator("#system-card .manifest code")).to_have_text(manifest["command"])


def test_the_report_of_a_run_is_one_page_and_names_whom_it_is_compared_with(page: Page, tmp_path: Path) -> None:
    name = open_a_shared_rank(page)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download report", exact=True).click()
    alone = tmp_path / started.value.suggested_filename
    started.value.save_as(alone)
    assert alone.name.startswith("plumbline-report-")
    page.get_by_label("Compare with").click()
    page.get_by_role("option").nth(1).click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download report, compared").click()
    compared = tmp_path / "compared.html"
    started.value.save_as(compared)
    # The same report for a printer, of which one saves a PDF.
    page.get_by_role("button", name="Print report or save as PDF").click()
    expect(page.locator("#printed-page")).to_have_attribute("srcdoc", compared.read_text("utf-8"))
    opened = page.context.new_page()
    opened.goto(alone.as_uri())
    expect(opened.get_by_role("heading", level=1)).to_contain_text(name)
    expect(opened.get_by_role("heading", name="Where it loses")).to_be_visible()
    expect(opened.get_by_role("heading", name="Beside")).to_have_count(0)
    opened.goto(compared.as_uri())
    expect(opened.get_by_role("heading", name="Beside")).to_be_visible()
    opened.close()
