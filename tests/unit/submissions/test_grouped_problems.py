"""Faults of one kind are one fault, with their number and the first places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.judge_logs.registry import read_log
from leaderboard.desk.submit_screen import decision_notice
from submissions.check import check_submission
from submissions.commands.check import report_text
from submissions.problems import Problem, grouped
from submissions.promptsets import PromptSets
from submissions.schema import VerdictChoices

SETS = PromptSets.load(None)


def problem(path: str, message: str, hint: str = "h") -> Problem:
    return Problem(code="bad_verdict", severity="error", path=path, message=message, hint=hint)


def test_faults_of_one_kind_are_told_once_with_their_number_and_the_first_places() -> None:
    faults = [problem(f"rows[{n}]", f'row {n + 1}: verdict is "left"') for n in range(70)]
    other = problem("rows[70]", 'row 71: verdict is "right"')
    first, last = grouped([*faults, other])
    assert first.message == 'row 1: verdict is "left" (70 of this kind; also at rows[1], rows[2], ...)'
    assert first.path == "rows[0]"
    assert last == other


def test_one_fault_stays_as_it_is() -> None:
    faults = [problem("$", "a"), problem("$", "b"), problem("$", "a", "another hint")]
    assert grouped(faults) == faults


def test_the_check_tells_kinds_and_json_tells_every_place() -> None:
    lines = ["judge,benchmark,task,model,query,order,verdict"]
    lines += [f"j,b,t,m,q{n},{order},left" for n in range(35) for order in ("original", "swapped")]
    report = check_submission("\n".join(lines).encode(), "t.csv", prompt_sets=SETS, choices=VerdictChoices(options=3))
    text = report_text(report, "t.csv")
    assert text.count("bad_verdict") == 1
    assert "70 of this kind" in text
    assert len([one for one in report.as_json()["problems"] if one["code"] == "bad_verdict"]) == 70


# --- places by their columns -----------------------------------------------------------------------------------------

WINNERS = "prompt_id,left,right,winner\n1,x,y,left\n2,x,y,RIGHT\n3,y,x,tie\n4,x,y,y\n"
MAPPING = {"question": "prompt_id", "first": "left", "second": "right", "verdict": "winner"}


def test_a_winner_may_be_named_by_the_column_it_stands_in() -> None:
    log = read_log(WINNERS.encode(), "t.csv", mapping=MAPPING).log
    assert log is not None
    assert [judgement.verdict for judgement in log.judgements] == ["A", "B", "C", "B"]


def test_a_name_that_is_a_column_and_the_other_system_is_refused() -> None:
    read = read_log(b"prompt_id,left,right,winner\n1,right,left,left\n", "t.csv", mapping=MAPPING)
    assert read.log is None
    assert [problem.code for problem in read.findings.problems] == ["bad_verdict"]
    assert "may be a place or a name" in read.findings.problems[0].message


def test_the_judge_report_tells_kinds_and_its_json_every_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question,first,second,verdict\n" + "".join(f"{n},x,y,above\n" for n in range(70)))
    assert main(["judge-report", str(path)]) == 1
    said = capsys.readouterr().err
    assert said.count("verdict is") == 1
    assert "70 of this kind; also at t.csv:3, t.csv:4, ..." in said
    assert main(["judge-report", str(path), "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["problems"]) == 70


# --- a rank ----------------------------------------------------------------------------------------------------------


def test_whether_a_rank_is_possible_is_said_first() -> None:
    item = SETS.demonstration.items[0]
    answers = [{"response": f"an answer {n}"} for n in range(len(item.variants))]
    results = {"source": "T", "year": "2024", "items": [{"id": item.id, "responses": answers}]}
    data = json.dumps({"eloquent-robustness-results": results}).encode()
    report = check_submission(data, "x.json", prompt_sets=SETS)
    said = decision_notice(report)
    assert said["title"] == "Accepted, but not enough for a rank: add answers, or submit it as it is."
    assert "will not be ranked" in said["lines"][0]
    assert report_text(report, "x.json").splitlines()[1].startswith("it will not be ranked")
