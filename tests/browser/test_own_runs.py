"""A team finds its runs again in one place, with their versions, and takes the report along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, serious_violations
from tests.browser.test_submit import submit


def test_versions_of_a_run_stand_together_and_lead_to_ticket_row_and_report(
    page: Page, submission_file: Callable[..., Path]
) -> None:
    submit(page, submission_file("Own Team", system="Own System"))
    submit(page, submission_file("Own Team", system="Own System", change="and once more"))
    page.goto("/queue")
    expect(page.locator("#tickets tr", has_text="scored").filter(has_text="Own System")).to_have_count(
        2, timeout=SCORED_WITHIN_MS
    )
    page.locator("#pages-beside").get_by_role("link", name="My submissions").click()
    run = page.get_by_role("region", name="Versions of Own System · test model · 1 · Own Team")
    versions = run.locator("tbody tr")
    expect(versions).to_have_count(2)
    expect(versions.first.locator("th")).to_have_text("version 2")
    expect(versions.nth(1).locator("th")).to_have_text("version 1")
    assert serious_violations(page) == {}
    with page.expect_download() as download:
        versions.first.get_by_role("button", name="Report").click()
    assert download.value.suggested_filename.startswith("plumbline-report-")
    versions.first.get_by_role("button", name="Print or PDF").click()
    expect(page.locator("#printed-page")).to_have_attribute("srcdoc", Path(download.value.path()).read_text("utf-8"))
    # The earlier version is to be the ranked one, and then no more.
    versions.nth(1).get_by_role("button", name="Use this run for my rank").click()
    expect(page.locator("#own-notice")).to_contain_text("Its system is ranked by this run now.")
    expect(versions.nth(1).locator(".state")).to_have_text("scored, primary")
    versions.nth(1).get_by_role("button", name="Use the latest run for my rank").click()
    expect(versions.nth(1).locator(".state")).to_have_text("scored")
    versions.nth(1).get_by_role("link", name="Ticket").click()
    expect(page.locator("#ticket")).to_contain_text("1 of 2 with this system")
