"""The report on an uploaded log, in the process that reads it: figures counted from the file, faults, and bounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.__main__ import main
from leaderboard.judge_report import job as job_module
from leaderboard.judge_report.job import Reported, ReportJob
from leaderboard.judge_report.values import FIGURES_SHOWN, JUDGES_SHOWN, FigureValue
from submissions.checking.fork_server import ForkServer
from submissions.checking.job import Budget
from submissions.checking.pool import CheckPool
from submissions.promptsets import PromptSets

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
SETS = PromptSets.load(None)
ANSWER_WITHIN_S = 60.0


def reported(job: ReportJob) -> Reported:
    return job.answered(SETS)


def first_figures(found: Reported) -> dict[str, FigureValue]:
    assert found.report is not None
    return {figure["title"]: figure for figure in found.report["judges"][0]["figures"]}


def test_the_figures_are_those_counted_from_the_file() -> None:
    games = [json.loads(line) for line in (DATA / "fastchat_pair.jsonl").read_text("utf-8").splitlines()]
    judged = [(game["g1_winner"], game["g2_winner"]) for game in games]
    usable = [pair for pair in judged if "error" not in pair]
    # FastChat names the winner in both orders: a verdict survives where the same one is named twice.
    kept = sum(first == second for first, second in usable)
    replies = [winner for pair in judged for winner in pair]
    shown = first_figures(reported(ReportJob(DATA / "fastchat_pair.jsonl")))
    assert shown["Position consistency"]["value"].startswith(f"{kept / len(usable):.3f} ")
    assert shown["Position consistency"]["n"] == f"{len(usable)} pairs in both orders"
    assert shown["Unusable replies"]["value"].startswith(f"{replies.count('error') / len(replies):.3f} ")
    ties = replies.count("tie") / (len(replies) - replies.count("error"))
    assert shown["Ties"]["value"].startswith(f"{ties:.3f} ")


def test_the_files_are_those_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, labels, page = DATA / "judge_bench.jsonl", DATA / "fastchat_pair.jsonl", tmp_path / "report.html"
    assert main(["judge-report", str(log), "--labels", str(labels), "--json", "--html", str(page)]) == 0
    found = reported(ReportJob(log, labels))
    assert found.files is not None
    assert found.files.json == capsys.readouterr().out.rstrip("\n")
    assert found.files.html == page.read_text("utf-8")


def test_every_fault_has_its_place_and_no_report_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"question_id": 1, "judge": "j", "model": "m", "score": "x"}\n{"question_id": 2, "score": 1}\n')
    found = reported(ReportJob(log))
    assert (found.report, found.files) == (None, None)
    assert found.faults is not None
    places = [fault["place"] for fault in found.faults["faults"]]
    assert (found.faults["file"], {"log.jsonl:1", "log.jsonl:2"} <= set(places)) == ("log.jsonl", True)
    assert found.faults["total"] == len(places)
    assert main(["judge-report", str(log), "--json"]) == 1
    assert found.refused == capsys.readouterr().out.rstrip("\n")


def test_faults_of_labels_name_the_labels(tmp_path: Path) -> None:
    labels = tmp_path / "votes.csv"
    labels.write_text("question,first,second,verdict\n1,a,b,perhaps\n")
    found = reported(ReportJob(DATA / "fastchat_pair.jsonl", labels))
    assert found.faults is not None
    assert found.faults["file"] == "votes.csv"
    assert [fault["place"] for fault in found.faults["faults"]] == ["votes.csv:2"]


def test_more_faults_than_are_listed_are_counted(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("question,first,second,verdict\n" + "".join(f"{row},a,b,perhaps\n" for row in range(250)))
    faults = reported(ReportJob(log)).faults
    assert faults is not None
    # 200 are listed (MAX_LISTED_PROBLEMS), all of one kind.
    assert (faults["total"], len(faults["faults"]), faults["left_out"]) == (250, 1, "and 50 more")
    assert "200 of this kind" in faults["faults"][0]["message"]


def test_columns_are_told_of_a_csv_whether_it_is_read_or_not() -> None:
    columns = ("prompt_id", "left", "right", "winner", "comment")
    mapping = {"question": "prompt_id", "first": "left", "second": "right", "verdict": "winner"}
    refused, read = reported(ReportJob(DATA / "table.csv")), reported(ReportJob(DATA / "table.csv", mapping=mapping))
    assert (refused.columns, read.columns) == (columns, columns)
    assert refused.report is None
    assert read.report is not None
    assert "Columns that were not used, with the number of records: comment (4)" in read.report["facts"]
    assert reported(ReportJob(DATA / "fastchat_pair.jsonl")).columns == ()


def test_hidden_and_turning_characters_of_names_are_written_out(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("question,judge,first,second,verdict\nq,j\u00ad<b>${x},a,b,A\n", encoding="utf-8")
    found = reported(ReportJob(log))
    assert found.report is not None
    assert found.report["judges"][0]["name"] == r"j\u00ad<b>${x}"


def test_many_judges_stand_in_the_files_and_the_first_of_them_on_the_page(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = "".join(f"q,judge {number:02},a,b,A\n" for number in range(JUDGES_SHOWN + 3))
    log.write_text("question,judge,first,second,verdict\n" + rows)
    found = reported(ReportJob(log))
    assert found.report is not None
    assert found.files is not None
    assert len(found.report["judges"]) == JUDGES_SHOWN
    assert found.report["left_out"] == "3 more judges stand in the files."
    assert len(json.loads(found.files.json)["judges"]) == JUDGES_SHOWN + 3
    assert all(len(judge["figures"]) <= FIGURES_SHOWN for judge in found.report["judges"])


def test_a_report_too_large_to_be_handed_out_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "REPORT_BYTES", 1_000)
    found = reported(ReportJob(DATA / "fastchat_pair.jsonl"))
    assert (found.report, found.files) == (None, None)
    assert found.faults is not None
    (fault,) = found.faults["faults"]
    assert "on 1 judges and 2 systems; at most 1,000 are handed out here" in fault["message"]


@pytest.fixture(scope="module")
def pool() -> Iterator[CheckPool]:
    with (
        ForkServer(SETS, preload=("leaderboard.judge_report.job",)) as server,
        CheckPool(server, Budget(seconds=2, mebibytes=512), at_once=1) as checks,
    ):
        yield checks


def test_a_log_beyond_the_budget_is_refused_in_words_and_the_next_one_is_read(pool: CheckPool, tmp_path: Path) -> None:
    slow = tmp_path / "log.csv"
    # 100,000 judges of one call each: their figures are drawn again one judge after the other, for half a minute.
    rows = "".join(f"q,judge {number},a,b,A\n" for number in range(100_000))
    slow.write_text("question,judge,first,second,verdict\n" + rows)
    found = pool.join("eve", ReportJob(slow)).answer.result(ANSWER_WITHIN_S)
    assert found.faults is not None
    (fault,) = found.faults["faults"]
    # On a busy machine the clock may be first.
    assert "more than 2 s of computing" in fault["message"] or "more than 6 s" in fault["message"]
    assert json.loads(found.refused)["counts"] == {"too_slow_to_check": 1}
    read = pool.join("eve", ReportJob(DATA / "fastchat_pair.jsonl")).answer.result(ANSWER_WITHIN_S)
    assert read == reported(ReportJob(DATA / "fastchat_pair.jsonl"))
