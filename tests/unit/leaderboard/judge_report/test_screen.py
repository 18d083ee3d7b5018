"""What the page says of a log, tested without a browser."""

from __future__ import annotations

from pathlib import Path

from evaluator.judge_logs.csv_table import FIELDS
from evaluator.judge_logs.registry import LOG_FORMATS
from leaderboard.judge_report.job import ReportJob
from leaderboard.judge_report.screen import (
    COLUMNS_OFFERED,
    FORMATS,
    chosen_mapping,
    mapper_value,
    nothing_shown,
    report_job,
    shown_report,
    waiting_notice,
)
from submissions.promptsets import PromptSets

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
SETS = PromptSets.load(None)


def test_a_report_is_shown_with_its_files_and_nothing_else() -> None:
    shown = shown_report(ReportJob(DATA / "fastchat_pair.jsonl").answered(SETS), {})
    assert (shown["faults"], shown["mapper"]) == (None, None)
    assert shown["said"] is not None
    assert shown["said"]["title"] == "This is FastChat / MT-bench judgment."
    # No label is in the log: 1.96^2 x .25 / .05^2 = 384.1.
    assert shown["said"]["lines"][0].startswith("Agreement with people: ±.05 takes about 385 labels; there are 0.")
    assert shown["report"] is not None
    assert shown["files"] is not None
    assert [(file["name"], file["type"]) for file in shown["files"]["files"]] == [
        ("judge-report.html", "text/html"),
        ("judge-report.json", "application/json"),
    ]
    assert shown["files"]["files"][0]["text"].startswith("<!doctype html>")


def test_a_csv_with_other_columns_is_refused_and_its_columns_are_asked_for() -> None:
    shown = shown_report(ReportJob(DATA / "table.csv").answered(SETS), {})
    assert (shown["report"], shown["files"]) == (None, None)
    assert shown["said"] is not None
    assert shown["said"]["lines"][0].startswith("table.csv: 1 fault.")
    assert shown["mapper"] is not None
    assert shown["mapper"]["is_needed"]
    assert [field["key"] for field in shown["mapper"]["fields"]] == list(FIELDS)


def test_a_table_of_another_page_is_named_and_its_columns_stay_folded(tmp_path: Path) -> None:
    table = tmp_path / "verdicts.csv"
    table.write_text("judge,benchmark,task,model,query,order,verdict\nj,b,t,m,q,original,A\n", encoding="utf-8")
    shown = shown_report(ReportJob(table).answered(SETS), {})
    assert shown["said"] is not None
    assert shown["said"]["title"] == "This is a table of judge verdicts."
    assert not any(line.startswith("$") for line in shown["said"]["lines"])
    assert shown["mapper"] is not None
    assert not shown["mapper"]["is_needed"]


def test_what_was_chosen_stays_chosen_and_a_field_is_the_column_of_its_name() -> None:
    columns = ("id", "winner", "judge")
    mapper = mapper_value(columns, {"question": "id"}, is_needed=False)
    assert mapper is not None
    chosen = {
        field["key"]: [option["name"] for option in field["options"] if option["is_chosen"]]
        for field in mapper["fields"]
    }
    assert (chosen["question"], chosen["judge"], chosen["verdict"]) == (["id"], ["judge"], ["not in this file"])
    # A column that is called like the field is read as the field, so it cannot be said to be absent.
    (judge,) = (field for field in mapper["fields"] if field["key"] == "judge")
    assert [option["name"] for option in judge["options"]] == list(columns)


def test_columns_beyond_those_offered_are_counted_and_cannot_be_chosen() -> None:
    columns = [f"c{number}" for number in range(COLUMNS_OFFERED + 5)]
    mapper = mapper_value(columns, {}, is_needed=True)
    assert mapper is not None
    assert mapper["left_out"].endswith("5 are not.")
    assert len(mapper["fields"][0]["options"]) == COLUMNS_OFFERED + 1
    assert chosen_mapping({"question": str(COLUMNS_OFFERED)}, columns) == {}
    assert mapper_value((), {}, is_needed=True) is None


def test_whatever_a_browser_sends_is_a_choice_or_nothing() -> None:
    columns = ("id", "winner")
    assert chosen_mapping({"question": "0", "verdict": "1"}, columns) == {"question": "id", "verdict": "winner"}
    others: tuple[object, ...] = (None, 5, [], "question", {"question": 0}, {"question": "-1"}, {"made up": "0"})
    for carried in others:
        assert chosen_mapping(carried, columns) == {}


def test_a_format_nobody_knows_is_found_out_from_the_file() -> None:
    assert report_job("a.json", None, "made-up", {}).format_key == "auto"
    assert report_job("a.json", "b.csv", "inspect", {"question": "id"}) == ReportJob(
        Path("a.json"), Path("b.csv"), "inspect", {"question": "id"}
    )
    assert [key for _, key in FORMATS] == ["auto", *(one.key for one in LOG_FORMATS)]


def test_whoever_waits_is_told_their_place() -> None:
    assert waiting_notice(0)["title"] == "The log is being read."
    assert waiting_notice(1)["title"] == "1 file is ahead of yours."
    assert waiting_notice(3)["title"] == "3 files are ahead of yours."
    assert nothing_shown(None)["report"] is None


def test_a_file_of_another_kind_is_named_with_what_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "1", "answer": "Ja", "language": "de"}\n{"id": "2-1", "answer": "Nej", "language": "sv"}\n')
    shown = shown_report(ReportJob(path).answered(SETS), {})
    assert shown["said"] is not None
    assert (shown["said"]["kind"], shown["said"]["title"]) == ("warning", "This is answers with ids.")
    assert shown["said"]["lines"][0] == "It is taken by: Submit, under “Several files, or a zip of any shape”"
    assert "A run of 2026 in de sv: 1 specific, 1 unspecific" in shown["said"]["lines"]
