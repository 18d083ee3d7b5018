"""The course of a canary as a chart: every round with what it rests on."""

from __future__ import annotations

from evaluator.canary.course import courses
from evaluator.canary.record import CanaryRecord
from evaluator.judges.scripted import ScriptedJudge
from leaderboard.page.canary_chart import CANARY, watched_rounds
from leaderboard.parts.drawing import LIGHT, drawn
from tests.unit.evaluator.canary.made_askings import CALM, PAIRS, askings


def record(*others: range) -> CanaryRecord:
    """A baseline without noise, then a round a day."""
    return CanaryRecord(ScriptedJudge().pin, "ab" * 32, tuple(courses(askings(*CALM, *others))), frozenset())


def test_every_round_stands_at_its_day_with_what_it_rests_on() -> None:
    rounds = watched_rounds([record(range(0), range(1), range(20))])
    assert [(one.others, one.of, one.is_alarm) for one in rounds] == [
        (0, PAIRS, False),
        (1, PAIRS, False),
        (20, PAIRS, True),
    ]
    curve = CANARY.figure(rounds, LIGHT).data[1]
    assert list(curve.y) == [0.0, 1 / 40, 0.5]
    assert list(curve.marker.symbol) == ["circle", "circle", "x"]
    table = CANARY.table(rounds).value("t")
    assert [row["cells"][-1]["text"] for row in table["rows"]] == ["no change", "no change", "judge changed"]
    assert [cell["text"] for cell in table["rows"][2]["cells"]][2:5] == ["20", "40", "50.0%"]


def test_two_canaries_of_one_judge_are_two_lines() -> None:
    other = CanaryRecord(ScriptedJudge().pin, "cd" * 32, record(range(2)).courses, frozenset())
    figure = CANARY.figure(watched_rounds([record(range(0)), other]), LIGHT)
    assert [trace.name for trace in figure.data][1::2] == ["pairs abababab", "pairs cdcdcdcd"]


def test_before_the_first_round_there_is_nothing_to_draw() -> None:
    rounds = watched_rounds([record()])
    assert rounds == []
    assert "No canary has asked" in str(drawn(CANARY.figure, rounds, is_dark=False).layout.annotations[0].text)
