"""Pairs of an uploaded log that the page lets its visitor label, in the process that reads uploads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.judge_report.labelling import Vote
from leaderboard.judge_report import labelling as labelling_module
from leaderboard.judge_report.components import BlindLabelling
from leaderboard.judge_report.job import ReportJob
from leaderboard.judge_report.labelling import MOST_VOTES, LabellingFound, LabellingJob, LabellingValue, cast_votes
from leaderboard.judge_report.screen import nothing_to_label, shown_report
from submissions.checking.job import Budget
from submissions.promptsets import PromptSets

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
SETS = PromptSets.load(None)
LOG = DATA / "fastchat_pair.jsonl"


def found(job: ReportJob) -> LabellingFound:
    return LabellingJob(job).answered(SETS)


def pairs_of(job: ReportJob) -> LabellingValue:
    pairs = found(job).drawn
    assert pairs is not None
    return pairs


def test_what_a_browser_is_sent_names_no_system_no_judge_and_no_verdict() -> None:
    pairs = pairs_of(ReportJob(LOG))
    sent = json.dumps(pairs)
    assert not [word for word in ("m-long", "m-short", "gpt-4", "model_1", "winner", "turn 1") if word in sent]
    assert {tuple(pair["answers"]) for pair in pairs["items"]} == {
        ("A much longer answer.", "Short."),
        ("Short.", "A much longer answer."),
    }
    assert len({pair["prompt"] for pair in pairs["items"]}) == 10
    assert pairs_of(ReportJob(LOG)) == pairs


def test_votes_make_the_report_of_the_file_of_labels_that_can_be_downloaded(tmp_path: Path) -> None:
    votes: dict[str, Vote] = {
        pair["id"]: "left" if len(pair["answers"][0]) > len(pair["answers"][1]) else "right"
        for pair in pairs_of(ReportJob(LOG))["items"]
    }
    voted = ReportJob(LOG, votes=votes).answered(SETS)
    shown = shown_report(voted, {})
    assert shown["files"] is not None
    assert shown["files"]["has_labels"]
    file = shown["files"]["files"][2]
    assert (file["name"], file["type"]) == ("labels.csv", "text/csv")
    labels = tmp_path / "labels.csv"
    labels.write_text(file["text"], encoding="utf-8")
    given = ReportJob(LOG, labels).answered(SETS)
    assert voted.report is not None
    assert given.report is not None
    assert voted.report["judges"] == given.report["judges"]
    # m-long is the better one of every pair, which the judge named 12 times of 19 usable verdicts.
    values = {figure["title"]: figure["value"] for figure in voted.report["judges"][0]["figures"]}
    assert values["Agreement with people"].startswith(f"{12 / 19:.3f} ")
    # What may be published of them holds no text.
    assert not any(text in json.dumps(voted.figures, default=str) for text in ("longer answer.", "Short.", "Question"))


def test_a_reader_of_left_to_right_sees_what_would_hide(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("question,first,second,verdict,first_text,second_text\n1,x,y,A,a\u202eb${x},a\\n\n", "utf-8")
    (pair,) = pairs_of(ReportJob(log))["items"]
    assert set(pair["answers"]) == {"a[U+202E]b${x}", "a\\n"}
    # The script shows texts as they are, so nothing is written for a template's sake.
    value = pairs_of(ReportJob(log))
    assert json.loads(BlindLabelling(render=False).postprocess(value)) == value


def test_an_answer_to_be_rated_comes_with_its_criterion_and_the_scale() -> None:
    value = pairs_of(ReportJob(DATA / "inspect.eval"))
    assert {len(shown["answers"]) for shown in value["items"]} == {1}
    assert "Stockholm" in {shown["criterion"] for shown in value["items"]}
    assert value["scale"] == {
        "words": "a number from 0 to 1 (1 = correct, 0.5 = partly correct, 0 = incorrect)",
        "low": 0,
        "high": 1,
    }
    sent = json.dumps(value)
    assert not [word for word in ("mockllm", "GRADE", "model_graded", "epoch") if word in sent]


def test_texts_that_are_too_many_to_be_sent_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    # A pair has "Question 0", "A much longer answer." and "Short.": 10 + 21 + 6 = 37 bytes, three of them 111.
    monkeypatch.setattr(labelling_module, "TEXTS_BYTES", 111)
    pairs = pairs_of(ReportJob(LOG))
    assert len(pairs["items"]) == 3
    assert "The last 7 are not shown" in pairs["drawn"]


def test_a_log_without_pairs_or_with_faults_says_so(tmp_path: Path) -> None:
    twice = tmp_path / "twice.csv"
    twice.write_text("question,first,second,verdict\n1,x,x,A\n")
    said = nothing_to_label(found(ReportJob(twice)))
    assert said["title"] == "Nothing to label: the log compares no two systems, and rates no answer"
    labels = tmp_path / "labels.csv"
    labels.write_text("question,first,second,verdict\n1,a,b,perhaps\n")
    refused = found(ReportJob(LOG, labels))
    assert refused.faults is not None
    assert refused.faults["file"] == "labels.csv"
    assert nothing_to_label(refused)["kind"] == "bad"


def test_a_log_beyond_the_budget_is_refused_in_words() -> None:
    refused = LabellingJob(ReportJob(LOG)).refused("cpu", Budget(seconds=2, mebibytes=512))
    assert refused.faults is not None
    assert "took more than 2 s of computing" in refused.faults["faults"][0]["message"]


def test_votes_that_no_page_sends_are_none() -> None:
    assert cast_votes({"p": float("nan"), "q": float("inf"), "r": 10**400, "s": None, "t": False, "u": 0}) == {"u": 0.0}
    assert cast_votes(None) == cast_votes(["left"]) == cast_votes({1: "left", "p": ["left"]}) == {}
    assert cast_votes({f"p{number}": "left" for number in range(MOST_VOTES + 1)}) == {}
