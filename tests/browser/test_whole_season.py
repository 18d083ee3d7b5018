"""A season on a running Space whose clock is set: from its preview to the next one, and its frozen board stays."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from submissions.promptsets import example_submissions
from submissions.store.store import Store
from tests.browser.conftest import ROOT, SCORED_WITHIN_MS, environment_of, serious_violations, started_app
from tests.browser.program_clock import ProgramClock
from tests.pdflatex import compiled
from tests.service.space_sessions import SPACE, signed_session

SPRING = """
title = "Spring season"
set = "demonstration"
time_zone = "Etc/GMT+12"
opens = 2030-03-01T00:00:00
closes = 2030-03-31T23:59:59
freezes = 2030-04-10T12:00:00
attempts_per_day = 2
contact = "organisers@example.org"
terms = "Answers are those that the system gave."
"""
AUTUMN = """
title = "Autumn season"
set = "demonstration"
time_zone = "Europe/Helsinki"
opens = 2030-09-01T00:00:00
closes = 2030-09-30T23:59:59
freezes = 2030-10-10T12:00:00
"""
TEAMS = [f"team{number:02}" for number in range(40)]


@dataclass
class Task:
    """The running app, its clock, and who comes."""

    address: str
    data: Path
    clock: ProgramClock
    environment: dict[str, str]
    browser: Browser

    def __post_init__(self) -> None:
        self.faults: list[str] = []

    @cached_property
    def store(self) -> Store:
        """What the app has stored."""
        return Store.open(f"sqlite:///{self.data / 'plumbline.db'}")

    def visit(self, team: str, zone: str = "UTC") -> Page:
        """A browser in which the team has signed in; blank = somebody who has not."""
        context = self.browser.new_context(viewport={"width": 1440, "height": 1000}, timezone_id=zone)
        if team:
            context.add_cookies([{"name": "session", "value": self._session(team), "url": self.address}])
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        return page

    def sent(self, team: str, file: Path) -> dict[str, Any]:
        """What a program of the team is answered that submits a file: the receipt, or the sentence why not."""
        headers = {"cookie": f"session={self._session(team)}"}
        with httpx2.Client(base_url=f"{self.address}/gradio_api", headers=headers, timeout=120) as client:
            with file.open("rb") as opened:
                (path,) = client.post("/upload", files={"files": (file.name, opened)}).json()
            upload = {"path": path, "meta": {"_type": "gradio.FileData"}}
            values = [upload, "", "", "", "", "auto", None, "", "", True]
            event = client.post("/call/submit", json={"data": values}).json()["event_id"]
            _, _, data = client.get(f"/call/submit/{event}").text.strip().partition("data: ")
        answer = json.loads(data)
        return answer if isinstance(answer, dict) else dict(json.loads(answer[0]))

    def command(self, *words: str) -> str:
        """What a command of the organisers prints."""
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def wait_until_scored(self) -> None:
        """Returns once nothing waits or is judged, our own rows included: only then the clock may be set."""
        expect_more_until = time.monotonic() + SCORED_WITHIN_MS / 1000
        waited_for = self._waiting()
        while (waiting := self._waiting()) or not self.store.tickets():
            if len(waiting) != len(waited_for):
                waited_for, expect_more_until = waiting, time.monotonic() + SCORED_WITHIN_MS / 1000
            assert time.monotonic() < expect_more_until, f"none of {waiting} is scored"
            time.sleep(0.5)

    def _waiting(self) -> list[str]:
        return [ticket.id for ticket in self.store.tickets() if ticket.status.is_open]

    def _session(self, team: str) -> str:
        return signed_session(f"subject-of-{team}", team, now_s=self.clock.now())


@pytest.fixture
def task(browser: Browser, tmp_path: Path) -> Iterator[Task]:
    data, seasons = tmp_path / "data", tmp_path / "seasons"
    data.mkdir()
    seasons.mkdir()
    for name, text in (("spring", SPRING), ("autumn", AUTUMN)):
        (seasons / f"{name}.toml").write_text(text, encoding="utf-8")
    clock = ProgramClock(tmp_path / "clock", "2030-02-26T12:00:00+00:00")
    settings = {**SPACE, **clock.environment, "PLUMBLINE_SEASONS": str(seasons), "PLUMBLINE_WORKERS": "1"}
    settings |= {"PLUMBLINE_ACTIVE_RUNS": "0", "PLUMBLINE_FILES_PER_MINUTE": "0", "PLUMBLINE_EMBEDDING": "scripted"}
    before = set(browser.contexts)
    with started_app(data, settings) as (address, _):
        task = Task(address, data, clock, environment_of(data, 0) | settings, browser)
        yield task
        for context in set(browser.contexts) - before:
            context.close()
        task.store.close()
    assert task.faults == []


@pytest.fixture
def file_of(tmp_path: Path) -> Callable[..., Path]:
    """A team's file of the demonstration set; only where `names` says so does it state whose it is."""

    def written(team: str, *, run: str = "1", names: bool = True) -> Path:
        document = json.loads(next(data for _, data in example_submissions()))
        root = document["eloquent-robustness-results"]
        stated = {"source": team, "system": f"{team} system", "model": "test model", "run": run}
        root |= stated if names else dict.fromkeys(stated, "")
        # No two files give the same answers, and so that not all of them are as good some give fewer.
        first = root["items"][0]["responses"][0]
        first["response"] = f"{first['response']} {team}, run {run}"
        for item in root["items"][1 : 1 + sum(team.encode()) % 7]:
            for response in item["responses"]:
                response["response"] = "I do not know."
        path = tmp_path / f"{team}-{run}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return written


def hand_in(page: Page, task: Task, file: Path, team: str = "") -> None:
    """Chooses a file on Submit, fills in whose it is where the file does not say it, accepts what is asked, submits."""
    page.goto(f"{task.address}/submit")
    page.set_input_files("#submission-file input[type=file]", str(file))
    if team:
        expect(page.locator("#missing-names")).to_contain_text("Please fill in: Team")
        for label, name in (("Team", team), ("System", f"{team} system"), ("Model", "test model"), ("Run", "1")):
            page.get_by_label(label, exact=True).fill(name)
        page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#submit")).to_be_enabled()
    if page.get_by_label("My team accepts these terms").is_visible():
        page.get_by_label("My team accepts these terms").check()
    page.click("#submit")


def expect_frozen(task: Task, page: Page, sha256: str) -> dict[str, Any]:
    """The board says what it is frozen as, and so is the copy that it offers; returns that."""
    page.goto(f"{task.address}/robustness?set=demonstration")
    spring = page.locator("#seasons .season", has_text="Spring season")
    expect(spring).to_contain_text(re.compile(r"Board frozen 2030-04-11 00:0\d:\d\d UTC"))
    expect(spring).to_contain_text(f"SHA-256 {sha256}.")
    with page.expect_download() as download:
        spring.get_by_role("link", name="Download the frozen board").click()
    copy = Path(download.value.path()).read_bytes()
    assert hashlib.sha256(copy).hexdigest() == sha256
    frozen: dict[str, Any] = json.loads(copy)
    return frozen


def test_a_season_from_its_preview_to_the_next_one(task: Task, file_of: Callable[..., Path], tmp_path: Path) -> None:
    # Before it opens a file is checked and not taken.
    anna = task.visit("team00")
    hand_in(anna, task, file_of("team00"))
    seasons = anna.locator("#seasons")
    expect(seasons).to_contain_text("Not open yet: files can be checked, not sent.")
    expect(seasons.locator("time")).to_contain_text("2030-02-26 12:")
    expect(anna.locator("#decision")).to_contain_text("Spring season is not open yet")
    expect(anna.locator("#decision")).to_contain_text("Not submitted.")
    task.wait_until_scored()

    # It is open: three teams deliver on the page, the programs of 36 others over HTTP.
    task.clock.goes_on_from("2030-03-10T12:00:00+00:00")
    by_page = {team: task.visit(team) for team in TEAMS[:3]}
    for team, page in by_page.items():
        hand_in(page, task, file_of(team, names=False), team)
        expect(page.locator("#receipt")).to_contain_text("Received in time for Spring season")
    expect(by_page["team00"].locator("#seasons")).to_contain_text(
        "Open. The deadline is 2030-03-31 23:59:59 UTC-12 (2030-04-01 11:59:59 UTC), in 21 d 23 h."
    )
    for team in TEAMS[3:39]:
        answer = task.sent(team, file_of(team))
        assert "ticket" in answer, answer
    # Two attempts are had within 24 hours: the third one is refused.
    assert "ticket" in task.sent("team00", file_of("team00", run="2"))
    hand_in(by_page["team00"], task, file_of("team00", run="3"))
    expect(by_page["team00"].locator("#decision")).to_contain_text(
        "Your team has used 2 of 2 attempts within 24 hours in the season Spring season"
    )
    task.wait_until_scored()

    # The last second of the deadline, which is that of the last place on Earth; in Brisbane it is 22 h by then.
    task.clock.stands_at("2030-03-31T23:59:59-12:00")
    last = task.visit("team39", "Etc/GMT+12")
    hand_in(last, task, file_of("team39"))
    expect(last.locator("#receipt")).to_contain_text("Received in time for Spring season")
    task.wait_until_scored()
    task.clock.stands_at("2030-04-01T22:00:00+10:00")
    late = task.visit("latecomer", "Australia/Brisbane")
    hand_in(late, task, file_of("latecomer"))
    expect(late.locator("#seasons")).to_contain_text("Closed since 2030-03-31 23:59:59 UTC-12")
    expect(late.locator("#receipt")).to_contain_text("Late by 1 s: Spring season closed at 2030-03-31 23:59:59 UTC-12")
    late.goto(f"{task.address}/queue")
    expect(late.get_by_text("late for the season Spring season by 1 s").first).to_be_visible()
    task.wait_until_scored()

    # Its board is frozen by command, with a date and a checksum; who was late is not on it.
    task.clock.goes_on_from("2030-04-10T12:00:00-12:00")
    printed = task.command("submissions", "season", "freeze", "spring", "--by", "Olga")
    sha256 = re.search(r"^sha256 ([0-9a-f]{64})$", printed, re.M)
    assert sha256, printed
    stranger = task.visit("")
    frozen = expect_frozen(task, stranger, sha256[1])
    ranked = {row["team"] for board in frozen["boards"] for row in board["rows"] if row["rank"]}
    assert ranked == set(TEAMS)
    assert serious_violations(stranger) == {}

    # The report of the season is made by command, and pdflatex sets it.
    report = tmp_path / "report"
    task.command("leaderboard", "season-report", "spring", "--out", str(report))
    with (report / "participation.csv").open(encoding="utf-8") as file:
        counted = {line["what"]: line["count"] for line in csv.DictReader(file)}
    assert (counted["teams"], counted["submissions in time"], counted["late submissions"]) == ("40", "41", "1")
    assert compiled(report)

    # Whatever comes afterwards: a team leaves, and the next season opens on the same page and takes a file.
    leave(task, task.visit("team01"))
    expect_frozen(task, stranger, sha256[1])
    task.clock.goes_on_from("2030-09-02T12:00:00+00:00")
    again = task.visit("team02")
    hand_in(again, task, file_of("team02", run="of autumn"))
    expect(again.locator("#seasons")).to_contain_text("Autumn season")
    expect(again.locator("#seasons")).to_contain_text("Open. The deadline is 2030-09-30 23:59:59 EEST")
    expect(again.locator("#receipt")).to_contain_text("Received in time for Autumn season")
    task.wait_until_scored()
    assert expect_frozen(task, stranger, sha256[1]) == frozen
    expect(stranger.locator("#seasons .season", has_text="Autumn season")).to_contain_text("Open.")
    # The run of spring stays listed beside that of autumn, without a rank.
    rows = stranger.locator("#board-table tbody tr").filter(has_text="team02 system")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="(not ranked)")).to_have_count(1)


def leave(task: Task, page: Page) -> None:
    """The team withdraws its run for good and has its answers erased."""
    page.goto(f"{task.address}/mine")
    page.get_by_role("link", name=re.compile("^Ticket of version 1")).click()
    for word, sure in (("Withdraw…", "Yes, withdraw permanently"), ("Erase its answers…", "Yes, erase permanently")):
        page.get_by_role("button", name=word).click()
        page.get_by_role("button", name=sure).click()
    expect(page.locator("#act-notice")).to_contain_text("Its answers are erased; a tombstone stays.")
