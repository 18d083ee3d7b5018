"""Votes that people cast in arenas are read as their labels."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from evaluator.judge_logs.judgements import JudgementLog
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.of_files import LogFile, report_of_files
from evaluator.judge_report.report import LogReport

DATA = Path(__file__).parents[3] / "data" / "judge_logs"


def log_of(name: str) -> JudgementLog:
    reading = read_log((DATA / name).read_bytes(), name)
    assert reading.log is not None, reading.findings.problems
    return reading.log


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def said(log: JudgementLog) -> list[tuple[str, str | None]]:
    return [(one.question, one.verdict) for one in log.judgements]


def test_votes_of_people_are_those_of_one_judge_and_a_models_keep_its_name() -> None:
    people, model = log_of("mt_bench_human.jsonl"), log_of("mt_bench_gpt4_pair.jsonl")
    assert (people.format, {one.judge for one in people.judgements}) == ("lmarena", {"people"})
    assert {one.judge for one in model.judgements} == {"gpt4_pair"}
    assert (len(people.notes), len(model.notes)) == (2, 1)  # of people only the first says how they are read
    # Question 81 has two votes on its first turn and one on its second.
    assert [(one.question, one.item, one.repetition) for one in people.judgements] == [
        ("81", "turn 1", 1),
        ("81", "turn 1", 2),
        ("81", "turn 2", 1),
        ("82", "turn 1", 1),
        ("83", "turn 1", 1),
    ]
    assert people.judgements[0].lengths == (len("The Danube."), len("Po."))
    assert not any(one.order_known for one in people.judgements)


@pytest.mark.parametrize("turns", [1, 3])
def test_how_many_turns_an_arena_counts_is_no_part_of_what_was_asked(turns: int) -> None:
    rows = [{**row, "turn": turns} for row in lines("arena_140k.jsonl")]
    log = read_log("\n".join(map(json.dumps, rows)).encode(), "arena.jsonl").log
    assert log is not None
    assert {one.item for one in log.judgements} == {""}


def test_winners_of_every_release_of_lmarena_are_read() -> None:
    newest = log_of("arena_140k.jsonl")
    assert said(newest) == [("b1", "A"), ("b2", "B"), ("b3", "C"), ("b4", "C"), ("b5", "A")]
    assert newest.judgements[0].lengths == (len("Good day to you."), len("Hi."))
    assert newest.unknown_columns == {"taste": 1}
    assert said(log_of("arena_55k.csv")) == [("30192", "A"), ("53567", "B"), ("65089", "C")]
    older = [{**row, "question_id": row["id"], "winner": "tie (bothbad)"} for row in lines("arena_140k.jsonl")]
    log = read_log("\n".join(map(json.dumps, older)).encode(), "arena.jsonl").log
    assert log is not None
    assert {verdict for _, verdict in said(log)} == {"C"}


def test_votes_of_comparia_are_read_and_rows_without_a_vote_are_counted() -> None:
    log = log_of("comparia_votes.jsonl")
    assert said(log) == [("pair-1", "A"), ("pair-2", "B"), ("pair-3", "C")]
    assert [(part.count, part.what[:19]) for part in log.unread] == [(1, "rows without a vote")]
    assert log.unknown_columns == {}


def test_the_parquet_files_of_the_hub_are_read_without_their_conversations() -> None:
    for name, verdicts in (("arena_140k.jsonl", "ABCCA"), ("comparia_votes.jsonl", "ABC")):
        # A struct without members is written by no version of Parquet.
        rows = [{key: value for key, value in row.items() if value != {}} for row in lines(name)]
        whole = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), whole)
        log = read_log(whole.getvalue(), "votes.parquet").log
        assert log is not None
        assert "".join(verdict or "-" for _, verdict in said(log)) == verdicts
        assert {one.lengths for one in log.judgements} == {(None, None)}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("arena_140k.jsonl", {"winner": "the left one"}),
        ("arena_140k.jsonl", {"winner": None}),
        ("arena_140k.jsonl", {"model_a": ""}),
        ("arena_140k.jsonl", {"id": ["x"]}),
        ("mt_bench_human.jsonl", {"judge": 3.5}),
        ("comparia_votes.jsonl", {"chosen_model_name": "m-trois"}),
        ("comparia_votes.jsonl", {"model_b_name": None}),
    ],
)
def test_a_bad_row_refuses_the_file_with_its_line(name: str, change: dict[str, object]) -> None:
    rows = lines(name)
    rows[0] |= change
    rows[1] |= change
    reading = read_log("\n".join(map(json.dumps, rows)).encode(), "votes.jsonl")
    assert reading.log is None
    assert {problem.path for problem in reading.findings.problems} == {"votes.jsonl:1", "votes.jsonl:2"}


def test_of_a_row_with_two_winners_or_none_nothing_is_guessed() -> None:
    data = (DATA / "arena_55k.csv").read_text("utf-8")
    reading = read_log(data.replace(",1,0,0", ",1,1,0").replace(",0,0,1", ",0,0,0").encode(), "votes.csv")
    assert {problem.path for problem in reading.findings.problems} == {"votes.csv:2", "votes.csv:4"}


def test_a_table_of_somebody_elses_is_read_by_the_columns_that_are_named() -> None:
    data = b"question_id,model_a,model_b,winner\n1,x,y,first\n2,x,y,second\n"
    refused = read_log(data, "mine.csv")
    assert refused.log is None
    assert all("say that it is a CSV" in problem.hint for problem in refused.findings.problems)
    renamed = data.replace(b"first", b"A").replace(b"second", b"B")
    columns = {"question": "question_id", "first": "model_a", "second": "model_b", "verdict": "winner"}
    log = read_log(renamed, "mine.csv", mapping=columns).log
    assert log is not None
    assert (log.format, said(log)) == ("csv", [("1", "A"), ("2", "B")])


def test_people_label_what_a_judge_said_of_the_same_turns() -> None:
    log, labels = (
        LogFile(name, (DATA / name).read_bytes()) for name in ("mt_bench_gpt4_pair.jsonl", "mt_bench_human.jsonl")
    )
    report = report_of_files(log, labels).outcome
    assert isinstance(report, LogReport)
    accuracy = next(one for one in report.judges[0].figures if one.key == "label_accuracy")
    # Turn 1 of 81 and 82 as people said, turn 2 of 81 not: a tie for people, the second model for the judge.
    assert accuracy.value == pytest.approx(2 / 3)
    assert accuracy.n == 3
    # Question 83 was voted on and not judged.
    assert any(
        note.startswith("Labels: 3 of 4 labelled pairs and answers are in this log.") and '"83"' in note
        for note in report.notes
    )
