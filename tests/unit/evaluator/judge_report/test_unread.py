"""What a reader leaves out is counted, and stands at the top of the report."""

from __future__ import annotations

from evaluator.judge_logs.judgements import Collector, Judgement, JudgementLog, Unread
from evaluator.judge_report.report import log_report
from evaluator.judge_report.text import report_html, report_text
from leaderboard.judge_report.values import report_value
from submissions.findings import Findings


def _log(unread: tuple[Unread, ...]) -> JudgementLog:
    judgement = Judgement(judge="j", question="q", systems=("a", "b"), verdict="A", place="$[0]")
    return JudgementLog("csv", "CSV", (judgement,), {"<note>": 2}, (), unread=unread)


def test_what_is_left_out_is_counted_by_kind_with_the_first_place() -> None:
    collector = Collector(Findings())
    collector.leave_out("samples without a grade", "$[3]")
    collector.leave_out("rows without a vote", "$[4]", 2)
    collector.leave_out("rows without a vote", "$[9]")
    assert collector.unread == (Unread("rows without a vote", 3, "$[4]"), Unread("samples without a grade", 1, "$[3]"))


def test_a_report_says_what_was_not_read_above_everything_else() -> None:
    report = log_report(_log((Unread("gradings by <a>", 1_000, "$[1]"),)), "log.csv")
    said = "Not read: 1,000 gradings by <a> (first: $[1])."
    columns = "Columns that were not used, with the number of records: <note> (2)"
    assert report_text(report).splitlines()[1:3] == [said, columns]
    html = report_html(report)
    assert html.index("Not read: 1,000 gradings by &lt;a&gt;") < html.index("Questions: 1")
    assert report_value(report)["unread"] == [said, columns]
    assert report.as_json()["unread"] == ({"what": "gradings by <a>", "count": 1_000, "first": "$[1]"},)


def test_a_report_on_a_log_that_was_read_whole_says_nothing_of_it() -> None:
    log = JudgementLog("csv", "CSV", _log(()).judgements, {}, ())
    assert report_value(log_report(log, "log.csv"))["unread"] == []
    assert "Not read" not in report_text(log_report(log, "log.csv"))
