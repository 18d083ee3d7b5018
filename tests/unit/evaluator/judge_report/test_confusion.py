"""Confusions by presentation order and of ratings, and what an answer gains by its place: counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_report.confusion import Confusion, rating_confusion
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.labels import labels_of
from evaluator.judge_report.published import judge_figures, published_figures, read_published
from evaluator.judge_report.report import JudgeLogReport, LogReport, log_report
from evaluator.judge_report.text import published_html, report_html, report_text
from submissions.verdicts.swap_outcomes import Verdict


def _compared(question: str, first: str, second: str, verdict: Verdict) -> Judgement:
    return Judgement(judge="j", question=question, systems=(first, second), verdict=verdict, place="$")


def _report(judgements: list[Judgement], people: list[Judgement]) -> LogReport:
    def log(of: list[Judgement]) -> JudgementLog:
        return JudgementLog("csv", "t", tuple(of), {}, ())

    return log_report(log(judgements), "f", labels_of(log(people)))


def _judge(judgements: list[Judgement], people: list[Judgement]) -> JudgeLogReport:
    return _report(judgements, people).judges[0]


def _difference(judge: JudgeLogReport) -> Figure:
    return next(figure for figure in judge.figures if figure.key == "order_difference")


# x shown first in questions 1 to 4, y in 5 and 6. People: x, x, tie, y, x, y. By place: first, first, tie, second;
# second, first. The judge: first, second, first, second; first, tie.
JUDGED = [
    _compared("1", "x", "y", "A"),
    _compared("2", "x", "y", "B"),
    _compared("3", "x", "y", "A"),
    _compared("4", "x", "y", "B"),
    _compared("5", "y", "x", "A"),
    _compared("6", "y", "x", "C"),
    _compared("7", "x", "y", "N"),  # says nothing
    _compared("8", "x", "y", "A"),  # has no label
]
PEOPLE = [
    _compared("1", "x", "y", "A"),
    _compared("2", "y", "x", "B"),
    _compared("3", "x", "y", "C"),
    _compared("4", "x", "y", "B"),
    _compared("5", "x", "y", "A"),
    _compared("6", "x", "y", "B"),
    _compared("7", "x", "y", "A"),
]


def test_each_order_has_a_table_of_labels_against_verdicts_by_place() -> None:
    first, second = _judge(JUDGED, PEOPLE).confusions
    assert first.classes == second.classes == ("first", "tie", "second")
    assert first.counts == ((1, 0, 1), (1, 0, 0), (0, 0, 1))
    assert second.counts == ((0, 1, 0), (0, 0, 0), (1, 0, 0))
    assert (first.n, second.n, first.shown_first, second.shown_first) == (4, 2, "x", "y")


def test_the_difference_between_orders_is_what_a_place_gains_beyond_the_labels() -> None:
    # x first: judge 1 + 0 + 1 + 0 = 2 of 4, people 1 + 1 + 0.5 + 0 = 2.5 of 4: -0.125. y first: judge 1 + 0.5 of 2,
    # people 0 + 1 of 2: +0.25.
    figure = _difference(_judge(JUDGED, PEOPLE))
    assert figure.value == pytest.approx(0.125)
    assert figure.n == 6
    assert figure.low is not None  # six questions with a label
    assert figure.high is not None
    assert figure.low < 0.125 < figure.high
    few = [one for one in JUDGED if one.question != "1"]
    assert _difference(_judge(few, PEOPLE)).low is None


def test_a_judge_that_always_names_the_first_gains_one_in_every_draw() -> None:
    # Both orders of 12 questions, x better by every label: x first, judge 1 and people 1; y first, judge 1, people 0.
    always = [_compared(str(n), *pair, "A") for n in range(12) for pair in (("x", "y"), ("y", "x"))]
    people = [_compared(str(n), "x", "y", "A") for n in range(12)]
    figure = _difference(_judge(always, people))
    assert (figure.value, figure.low, figure.high) == (1.0, 1.0, 1.0)
    never = [replace(one, verdict="A" if one.systems[0] == "x" else "B") for one in always]
    figure = _difference(_judge(never, people))
    assert (figure.value, figure.low, figure.high) == (0.0, 0.0, 0.0)


def test_the_interval_of_the_difference_draws_whole_questions() -> None:
    # 12 questions, one comparison each; told twelve times over, they say no more than once.
    once = [_compared(str(n), *(("x", "y") if n % 2 else ("y", "x")), "A" if n % 3 else "B") for n in range(12)]
    people = [_compared(str(n), "x", "y", "A") for n in range(12)]
    told_often = [replace(one, repetition=n) for one in once for n in range(1, 13)]
    one, many = _difference(_judge(once, people)), _difference(_judge(told_often, people))
    assert (one.n, many.n) == (12, 144)
    assert (one.value, one.low, one.high) == (many.value, many.low, many.high)


def test_the_difference_does_not_depend_on_what_systems_are_called() -> None:
    def renamed(of: list[Judgement]) -> list[Judgement]:
        names = {"x": "y", "y": "x"}
        return [replace(one, systems=tuple(names[system] for system in one.systems)) for one in of]

    told, retold = _judge(JUDGED, PEOPLE), _judge(renamed(JUDGED), renamed(PEOPLE))
    assert _difference(told).value == _difference(retold).value
    assert [one.counts for one in told.confusions] == [one.counts for one in retold.confusions[::-1]]


def test_without_a_known_order_there_is_no_table_and_with_one_order_no_difference() -> None:
    unknown = _judge([replace(one, order_known=False) for one in JUDGED], PEOPLE)
    assert unknown.confusions == ()
    only = _judge([one for one in JUDGED if one.systems[0] == "x"], PEOPLE)
    assert [one.key for one in only.confusions] == ["confusion_first_by_name"]
    for judge in (unknown, only):
        assert not [figure for figure in judge.figures if figure.key == "order_difference"]


def test_of_several_systems_the_order_is_that_of_their_names() -> None:
    (table,) = _judge([*JUDGED[:1], _compared("9", "x", "z", "A")], [*PEOPLE, _compared("9", "x", "z", "B")]).confusions
    assert (table.counts, table.shown_first) == (((1, 0, 0), (0, 0, 0), (1, 0, 0)), "")
    assert table.title == "Shown first: the system whose name comes first in the alphabet"


def test_ratings_stand_by_peoples_rating_and_the_judges() -> None:
    # Judge and people: (3, 1), (3, 3), (1, 1), (2.5, 1).
    table = rating_confusion([(3.0, 1.0), (3.0, 3.0), (1.0, 1.0), (2.5, 1.0)])
    assert table.classes == ("1", "2.5", "3")
    assert table.counts == ((1, 1, 1), (0, 0, 0), (0, 0, 1))


def test_many_different_ratings_stand_in_ranges() -> None:
    # 0 to 10 by halves are 21 ratings: ranges of 2 each, of which the last holds its end. People say as the judge, but
    # of 2, which is the first of a range, 1.5.
    halves = [n / 2 for n in range(21)]
    table = rating_confusion([(value, 1.5 if value == 2 else value) for value in halves])
    assert table.classes == ("0 to 2", "2 to 4", "4 to 6", "6 to 8", "8 to 10")
    assert table.counts == (
        (4, 1, 0, 0, 0),
        (0, 3, 0, 0, 0),
        (0, 0, 4, 0, 0),
        (0, 0, 0, 4, 0),
        (0, 0, 0, 0, 5),
    )


def test_a_log_of_ratings_with_labels_has_their_table() -> None:
    def rated(question: str, rating: float) -> Judgement:
        return Judgement(judge="j", question=question, systems=("x",), rating=rating, place="$")

    (table,) = _judge(
        [rated("1", 5.0), rated("2", 4.0), rated("3", 4.0)], [rated("1", 4.0), rated("2", 4.0)]
    ).confusions
    assert (table.key, table.classes, table.counts) == ("confusion_ratings", ("4", "5"), ((1, 1), (0, 0)))


def test_text_page_and_json_show_the_same_tables() -> None:
    report = _report(JUDGED, PEOPLE)
    text = report_text(report)
    assert (
        "  Shown first: x, n 4 comparisons with a label\n"
        "                    judge: first  judge: tie  judge: second\n"
        "    people: first              1           0              1\n"
        "    people: tie                1           0              0\n"
        "    people: second             0           0              1\n"
    ) in text
    html = report_html(report)
    cells = "".join(f'<td class="number">{count}</td>' for count in (1, 0, 1))
    assert f'<tr><th scope="row">people: first</th>{cells}</tr>' in html
    assert "<h3>Shown first: y, n 2 comparisons with a label</h3>" in html
    first = json.loads(json.dumps(report.as_json()))["judges"][0]["confusions"][0]
    assert first["counts"] == [[1, 0, 1], [1, 0, 0], [0, 0, 1]]


def test_published_tables_name_no_system_and_are_read_as_they_were() -> None:
    named = [replace(one, systems=tuple(f"secret-{name}" for name in one.systems)) for one in JUDGED]
    labels = [replace(one, systems=tuple(f"secret-{name}" for name in one.systems)) for one in PEOPLE]
    report = _report(named, labels)
    published = published_figures(judge_figures(report, report.judges[0]), judge="j", data_set="d")
    payload = published.model_dump_json()
    assert "secret" not in payload
    assert read_published(payload) == published
    assert [confusion.n for confusion in published.report.confusions] == [4, 2]
    assert "Shown first: the system whose name comes last in the alphabet" in published_html(published, "s")


def test_what_was_published_before_there_were_tables_is_read() -> None:
    report = _report(JUDGED, PEOPLE)
    payload = published_figures(judge_figures(report, report.judges[0]), judge="j", data_set="d").model_dump()
    del payload["confusions"]
    before = read_published(json.dumps(payload))
    assert before is not None
    assert before.confusions == ()


def test_hostile_names_stay_text() -> None:
    def named(of: list[Judgement]) -> list[Judgement]:
        names = {"x": "<script>\u202e", "y": "b"}
        return [replace(one, systems=tuple(names[system] for system in one.systems)) for one in of]

    html = report_html(_report(named(JUDGED), named(PEOPLE)))
    assert "<script" not in html
    assert "\u202e" not in html


def test_a_table_counts_what_it_holds() -> None:
    assert Confusion("k", "t", ("1", "2"), ((1, 2), (3, 4)), "ratings", "m").n == 10
