"""The schedule of the canary: who is asked when, over restarts and failures; and a real round of the scripted judge."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from evaluator.canary.record import canary_folder, records
from evaluator.worker.canary_schedule import AGAIN_AFTER_S, CanarySchedule
from submissions.settings import Settings

DAY_S = 86_400.0


class Canary:
    """Notes who was asked."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.code = 0
        self.asked: list[str] = []

    def __call__(self, judge: str, stopped: threading.Event) -> int:
        self.asked.append(judge)
        return self.code

    def schedule(self, folder: Path, every_s: float = DAY_S) -> CanarySchedule:
        return CanarySchedule(["http:u#m", "pair", "pair"], folder, every_s, self, lambda: self.now)


def test_every_judge_is_asked_once_when_it_is_due(tmp_path: Path) -> None:
    canary = Canary()
    schedule = canary.schedule(tmp_path)
    assert schedule.look() == ["http:u#m", "pair"]
    canary.now += DAY_S - 1
    assert schedule.look() == []
    canary.now += 1
    assert schedule.look() == ["http:u#m", "pair"]


def test_a_service_that_starts_anew_asks_nobody_before_they_are_due(tmp_path: Path) -> None:
    canary = Canary()
    canary.schedule(tmp_path).look()
    canary.now += DAY_S / 2
    assert canary.schedule(tmp_path).look() == []
    canary.now += DAY_S / 2
    assert len(canary.schedule(tmp_path).look()) == 2


def test_a_change_counts_as_asked_and_a_failure_is_tried_again_after_an_hour(tmp_path: Path) -> None:
    canary = Canary()
    canary.code = 3
    schedule = canary.schedule(tmp_path)
    schedule.look()
    canary.now += AGAIN_AFTER_S
    assert schedule.look() == []
    canary.now += DAY_S
    canary.code = 1
    assert len(schedule.look()) == 2
    canary.now += AGAIN_AFTER_S - 1
    assert schedule.look() == []
    canary.now += 1
    assert len(schedule.look()) == 2


def test_a_baseline_goes_on_the_next_day_though_rounds_are_weekly(tmp_path: Path) -> None:
    canary = Canary()
    canary.code = 4
    schedule = canary.schedule(tmp_path, 7 * DAY_S)
    for _ in range(3):
        assert len(schedule.look()) == 2
        canary.now += DAY_S - 1
        assert schedule.look() == []
        canary.now += 1
    canary.code = 0
    assert len(canary.schedule(tmp_path, 7 * DAY_S).look()) == 2
    canary.now += DAY_S
    assert schedule.look() == []
    canary.now += 6 * DAY_S
    assert len(schedule.look()) == 2


def test_the_stamp_of_an_earlier_version_counts(tmp_path: Path) -> None:
    canary = Canary()
    schedule = canary.schedule(tmp_path)
    schedule.look()
    for stamp in (tmp_path / "schedule").iterdir():
        stamp.write_text(f"{canary.now}\n")
    assert schedule.look() == []


def test_a_stamp_that_is_no_number_or_of_the_future_makes_nobody_wait_for_ever(tmp_path: Path) -> None:
    canary = Canary()
    canary.now += 10 * DAY_S
    canary.schedule(tmp_path).look()
    canary.now -= 10 * DAY_S  # the clock went back
    assert len(canary.schedule(tmp_path).look()) == 2
    for stamp in (tmp_path / "schedule").iterdir():
        stamp.write_text("soon")
    assert len(canary.schedule(tmp_path).look()) == 2


def test_without_the_setting_there_is_no_schedule() -> None:
    assert CanarySchedule.of(Settings.from_env({}), {}) is None


def test_a_round_of_a_real_judge_is_recorded(tmp_path: Path) -> None:
    settings = Settings.from_env(
        {"PLUMBLINE_CANARY_EVERY_S": "604800", "PLUMBLINE_JUDGES": "scripted", "PLUMBLINE_DATA": str(tmp_path)}
    )
    schedule = CanarySchedule.of(settings, os.environ)
    assert schedule is not None
    assert schedule.look() == ["scripted"]
    (record,) = records(canary_folder(tmp_path))
    (course,) = record.courses
    assert course.day_asked == 1
    assert schedule.look() == []
