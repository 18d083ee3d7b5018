"""The cards of judges say what their canaries say."""

from __future__ import annotations

from pathlib import Path

from evaluator.canary.record import opened_record
from evaluator.judges.scripted import ScriptedJudge
from evaluator.results import MetricValue
from leaderboard.page.canaries import Canaries
from leaderboard.page.judge_card import card_beside_verdict, card_of_pin

PIN = ScriptedJudge().pin
PAIRS = 40


def ask(folder: Path, times: int, others: int = 0, first_step: int | None = None) -> str:
    """Asks a canary, from a step of a baseline on or for rounds; the day of the last asking."""
    with opened_record(folder, PIN, "0" * 64, PAIRS) as record:
        for place in range(times):
            ratings = [0.0] * others + [4.0] * (PAIRS - others)
            found = record.add(ratings, None if first_step is None else first_step + place)
    course = found.courses[-1]
    return f"{(course.rounds or course.asked)[-1].at:%Y-%m-%d}"


def test_a_judge_that_nobody_watches_has_no_such_line(tmp_path: Path) -> None:
    assert Canaries(tmp_path / "none").said_of(PIN) == ""
    card = card_of_pin(PIN, MetricValue(value=0.0, n=3), quality=None, bias=None)
    assert "Canary" not in [one["name"] for one in card["facts"]]


def test_the_line_follows_the_record(tmp_path: Path) -> None:
    canaries = Canaries(tmp_path)
    ask(tmp_path, 7, first_step=1)
    assert canaries.said_of(PIN) == "being set up: day 2 of 7 asked"
    ask(tmp_path, 10, first_step=8)
    assert canaries.said_of(PIN) == "watched, no round yet"
    day = ask(tmp_path, 2)
    assert canaries.said_of(PIN).startswith("no change found in 2 rounds, ")
    day = ask(tmp_path, 1, others=20)
    assert canaries.said_of(PIN) == f"judge changed on {day}"
    ask(tmp_path, 5, others=20, first_step=1)
    assert canaries.said_of(PIN) == f"judge changed on {day}; being set up: day 1 of 7 asked"
    ask(tmp_path, 12, others=20, first_step=6)
    ask(tmp_path, 1, others=20)  # as it is now it does not change; that it did stays
    assert canaries.said_of(PIN) == f"judge changed on {day}"
    assert canaries.said_of(ScriptedJudge(script_version="2").pin) == ""


def test_a_baseline_of_an_earlier_record_is_said_to_be_of_one_day(tmp_path: Path) -> None:
    ask(tmp_path, 9)
    said = Canaries(tmp_path).said_of(PIN)
    assert said.startswith("no change found in 1 round, ")
    assert said.endswith("; baseline of one day only")


def test_both_kinds_of_card_say_it() -> None:
    said = "judge changed on 2026-11-23"
    for card in (
        card_of_pin(PIN, MetricValue(value=0.0, n=3), quality=None, bias=None, canary=said),
        card_beside_verdict(PIN, None, None, said),
    ):
        assert [one["text"] for one in card["facts"] if one["name"] == "Canary"] == [said]


def test_a_broken_record_leaves_the_cards_without_it(tmp_path: Path) -> None:
    ask(tmp_path, 9)
    (tmp_path / "broken.jsonl").write_text("no record\n", encoding="utf-8")
    assert Canaries(tmp_path).said_of(PIN) == ""
