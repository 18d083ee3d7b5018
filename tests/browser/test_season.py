"""What a team sees of a season: nothing is taken before it opens, and what comes after the deadline is late."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import open_app, serious_violations

SEASON = """
title = "Demonstration season"
set = "demonstration"
time_zone = "Europe/Helsinki"
opens = {opens}
closes = {closes}
freezes = {freezes}
attempts_per_day = 2
contact = "organisers@example.org"
terms = "Answers are those that the system gave."

[[announcements]]
at = 2026-01-01T00:00:00
text = "Welcome to the season."
"""


def season_folder(folder: Path, *, opens_in_d: int) -> Path:
    """A season of two days that opens in so many days."""
    opens = datetime.now(UTC).replace(microsecond=0) + timedelta(days=opens_in_d)
    times = {"opens": opens, "closes": opens + timedelta(days=2), "freezes": opens + timedelta(days=9)}
    folder.mkdir()
    text = SEASON.format(**{name: moment.isoformat() for name, moment in times.items()})
    (folder / "demo_season.toml").write_text(text, encoding="utf-8")
    return folder


def settings(tmp_path: Path, *, opens_in_d: int) -> dict[str, str]:
    folder = season_folder(tmp_path / "seasons", opens_in_d=opens_in_d)
    return {"PLUMBLINE_SEASONS": str(folder), "PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"}


def submitted(page: Page, file: Path) -> None:
    """Chooses a file and presses Submit once the check allows it."""
    page.set_input_files("#submission-file input[type=file]", str(file))
    expect(page.locator("#submit")).to_be_enabled()
    page.click("#submit")


def test_before_a_season_opens_a_file_is_checked_and_not_taken(
    page: Page, tmp_path: Path, submission_file: Callable[..., Path]
) -> None:
    (tmp_path / "data").mkdir()
    with open_app(tmp_path / "data", settings(tmp_path, opens_in_d=3)) as address:
        page.goto(f"{address}/submit")
        head = page.locator("#seasons")
        expect(head).to_contain_text("Not open yet: files can be checked, not sent.")
        expect(head).to_contain_text("UTC)")  # and the season's own zone before it
        # The server's clock goes on.
        clock = head.locator("time")
        first = clock.inner_text()
        expect(clock).not_to_have_text(first)
        submitted(page, submission_file("aurora", system="first light"))
        expect(page.locator("#decision")).to_contain_text("Demonstration season is not open yet")
        expect(page.locator("#decision")).to_contain_text("Not submitted.")
        page.goto(address)
        expect(page.locator("#seasons")).to_contain_text("Welcome to the season.")


def test_after_the_deadline_a_file_is_taken_and_marked_late(
    page: Page, tmp_path: Path, submission_file: Callable[..., Path]
) -> None:
    (tmp_path / "data").mkdir()
    with open_app(tmp_path / "data", settings(tmp_path, opens_in_d=-4)) as address:
        page.goto(f"{address}/submit")
        expect(page.locator("#seasons")).to_contain_text("Closed since")
        # The terms are accepted once: until then nothing is taken.
        expect(page.locator("#asked-terms")).to_contain_text("Answers are those that the system gave.")
        assert serious_violations(page) == {}
        file = submission_file("aurora", system="first light")
        submitted(page, file)
        expect(page.locator("#decision")).to_contain_text("Accept the terms of Demonstration season (version ")
        page.get_by_label("My team accepts these terms").check()
        page.click("#submit")
        expect(page.locator("#receipt")).to_contain_text("never ranked with the season")
        expect(page.locator("#asked-terms")).not_to_be_visible()
        expect(page.locator("#accept-terms")).not_to_be_visible()
        page.get_by_role("link", name="read them").click()
        expect(page.locator("body")).to_contain_text("Answers are those that the system gave.")
        page.goto(f"{address}/submit")
        expect(page.locator("#seasons")).to_contain_text("Its terms are accepted once")
        expect(page.locator("#asked-terms")).not_to_be_visible()
        page.goto(f"{address}/robustness?set=demonstration")
        expect(page.locator("#seasons")).to_contain_text("Demonstration season")
        page.goto(f"{address}/queue")
        expect(page.get_by_text("late for the season Demonstration season by").first).to_be_visible()
