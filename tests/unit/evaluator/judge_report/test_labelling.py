"""Pairs labelled without the judge's word: what a labeller sees, and that labels find their pairs and sides again."""

from __future__ import annotations

import csv
import io
import json
from itertools import permutations
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.judge_report.labelling import PairDraw, Vote
from evaluator.judge_report.of_files import LogFile, Refused, pairs_of_files, report_of_files
from evaluator.judge_report.report import LogReport

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
ODD = ("tie", "C", "=cmd|'/c calc'!A0", "'-quoted", "A", "B", 'a "b", c', "+x", "n")
"""Names of systems that a reader of labels may take for something else."""
HOSTILE = "<script>alert(1)</script> ${7*7} **bold** =1+1"


def _log(rows: int = 120) -> LogFile:
    """The judge says first throughout; x, the better one, is shown first in every second row."""
    buffer = io.StringIO()
    lines = csv.writer(buffer)
    lines.writerow(["question", "judge", "first", "second", "verdict", "prompt", "first_text", "second_text"])
    for number in range(rows):
        systems = ("x", "y") if number % 2 else ("y", "x")
        lines.writerow([f"q{number}", "the-judge", *systems, "A", HOSTILE, *(f"by {one} {number}" for one in systems)])
    return LogFile("log.csv", buffer.getvalue().encode())


def _draw(log: LogFile, labels: LogFile | None = None, size: int = 100) -> PairDraw:
    draw = pairs_of_files(log, labels, size=size)
    assert isinstance(draw, PairDraw)
    return draw


def _report(log: LogFile, labels: LogFile | None = None, votes: dict[str, Vote] | None = None) -> LogReport:
    report = report_of_files(log, labels, votes=votes).outcome
    assert isinstance(report, LogReport)
    return report


def _x_is_better(draw: PairDraw) -> dict[str, Vote]:
    return {pair.id: "left" if "by x" in pair.left else "right" for pair in draw.pairs}


def test_votes_find_their_pair_and_side_again() -> None:
    log = _log()
    draw = _draw(log)
    votes = _x_is_better(draw)
    assert set(votes.values()) == {"left", "right"}
    read = report_of_files(log, votes=votes)
    rows = list(csv.DictReader(io.StringIO(read.labels)))
    assert len(rows) == 100
    assert {row["verdict"] for row in rows} == {"x"}
    # Of the labelled rows the judge is right where x was shown first, which the odd questions are.
    assert isinstance(read.outcome, LogReport)
    figures = {figure.key: figure for figure in read.outcome.judges[0].figures}
    right = sum(int(row["question"][1:]) % 2 for row in rows)
    assert (figures["label_accuracy"].value, figures["label_accuracy"].n) == (right / 100, 100)
    assert "by one labeller: 100 pairs" in read.outcome.notes[-1]
    # The same labels as a file give the same figures.
    assert _report(log, LogFile("labels.csv", read.labels.encode())).judges == read.outcome.judges


def test_a_sheet_that_was_filled_in_is_read_as_the_votes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, sheet = tmp_path / "log.csv", tmp_path / "sheet.csv"
    log.write_bytes(_log().data)
    assert main(["judge-report", str(log), "--label-sheet", str(sheet), "--pairs", "60"]) == 0
    assert "60 of 120 pairs of answers, drawn at random" in capsys.readouterr().err
    rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8"))))
    for row in rows:
        row["label"] = "Left " if "by x" in row["left"] else "right"
    rows[0]["label"] = "skip"
    filled = io.StringIO()
    writer = csv.DictWriter(filled, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    sheet.write_text(filled.getvalue(), "utf-8-sig", newline="")  # as spreadsheets save it
    assert main(["judge-report", str(log), "--labels", str(sheet), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["judges"]
    votes = _x_is_better(_draw(_log(), size=60))
    del votes[rows[0]["pair"]]
    assert figures == json.loads(json.dumps(_report(_log(), votes=votes).as_json()))["judges"]
    # What has a label is not drawn again, and what was skipped is.
    assert main(["judge-report", str(log), "--labels", str(sheet), "--label-sheet", str(sheet), "--pairs", "1000"]) == 0
    assert "61 of 61 pairs" in capsys.readouterr().err


@pytest.mark.parametrize("row", ["{id},better", "pff,left", "{id},left\n{id},left", "{id},"])
def test_every_fault_of_a_sheet_has_its_place(row: str) -> None:
    pair = _draw(_log(), size=1).pairs[0].id
    sheet = LogFile("sheet.csv", f"pair,label\n{row.format(id=pair)}\n".encode())
    refused = report_of_files(_log(), sheet).outcome
    assert isinstance(refused, Refused)
    assert refused.file == "sheet.csv"
    places = {"{id},": "$", "{id},left\n{id},left": "sheet.csv:3"}
    assert [problem.path for problem in refused.problems] == [places.get(row, "sheet.csv:2")]


def test_labels_survive_odd_names_of_systems() -> None:
    for first, second in permutations(ODD, 2):
        _assert_labels_survive(first, second)


def _assert_labels_survive(first: str, second: str) -> None:
    rows = [{"question_id": "=1+1", "judge": "j", "model_a": first, "model_b": second, "winner": "model_a", "turn": 1}]
    for row in rows:
        row["conversation_a"] = [{"role": "assistant", "content": "of first"}]
        row["conversation_b"] = [{"role": "assistant", "content": "of second"}]
    log = LogFile("log.jsonl", "\n".join(map(json.dumps, rows)).encode())
    (pair,) = _draw(log).pairs
    for vote, is_agreed in ((_side(pair.left == "of first"), 1.0), (_side(pair.left != "of first"), 0.0), ("tie", 0.0)):
        read = report_of_files(log, votes={pair.id: vote})
        for labels in (None, LogFile("labels.csv", read.labels.encode())):
            report = read.outcome if labels is None else _report(log, labels)
            assert isinstance(report, LogReport)
            figures = {figure.key: figure.value for figure in report.judges[0].figures}
            assert figures["label_accuracy"] == is_agreed, (first, second, vote, read.labels)
    assert not any(cell[:1] in ("=", "+", "-", "@") for row in csv.reader(io.StringIO(read.labels)) for cell in row)


def _side(is_left: bool) -> Vote:
    return "left" if is_left else "right"


def test_a_labeller_sees_neither_systems_nor_judge_nor_verdict(tmp_path: Path) -> None:
    log, sheet = tmp_path / "log.jsonl", tmp_path / "sheet.csv"
    log.write_bytes((DATA / "fastchat_pair.jsonl").read_bytes())
    assert main(["judge-report", str(log), "--label-sheet", str(sheet)]) == 0
    shown = sheet.read_text("utf-8")
    assert not [word for word in ("m-long", "m-short", "gpt-4", "model_1", "winner", "turn 1") if word in shown]
    assert len(shown.splitlines()) == 11


def test_texts_stand_in_no_report() -> None:
    log = _log()
    votes = _x_is_better(_draw(log))
    read = report_of_files(log, votes=votes)
    assert isinstance(read.outcome, LogReport)
    made = json.dumps(read.outcome.as_json()) + read.labels
    assert not [text for text in ("by x", "by y", "<script>", "**bold**") if text in made]


def test_labels_of_a_file_count_once_beside_votes_of_the_same_pairs() -> None:
    log = _log()
    votes = _x_is_better(_draw(log))
    labels = LogFile("labels.csv", report_of_files(log, votes=votes).labels.encode())
    assert _report(log, labels, votes).judges == _report(log, labels).judges
    # Another 20 pairs are left to label.
    more = _draw(log, labels)
    assert (len(more.pairs), more.labelled) == (20, 100)
    assert not votes.keys() & _x_is_better(more).keys()
    figures = {figure.key: figure for figure in _report(log, labels, _x_is_better(more)).judges[0].figures}
    assert (figures["label_accuracy"].value, figures["label_accuracy"].n) == (60 / 120, 120)


def test_it_is_said_that_one_person_labelled_until_a_second_one_did() -> None:
    log = _log()
    labels = report_of_files(log, votes=_x_is_better(_draw(log))).labels
    said = "no pair has two labels, so the figures hold for one labeller"
    assert said in " ".join(_report(log, LogFile("labels.csv", labels.encode())).judges[0].missing)
    twice = labels + labels.splitlines()[1] + "\n"
    assert said not in " ".join(_report(log, LogFile("labels.csv", twice.encode())).judges[0].missing)


@pytest.mark.parametrize(
    ("name", "said"),
    [("inspect.eval", "only pairs are labelled here"), ("arena_55k.csv", "the log does not hold the texts")],
)
def test_a_log_without_texts_or_pairs_says_what_labelling_needs(name: str, said: str) -> None:
    draw = _draw(LogFile(name, (DATA / name).read_bytes()))
    assert draw.pairs == ()
    assert said in draw.missing


def test_what_is_left_out_of_the_draw_is_counted() -> None:
    rows = (
        "question,first,second,verdict,first_text,second_text\n1,x,y,A,a,b\n2,x,y,A,,\n"
        f"3,x,y,A,{'a' * 20_001},b\n4,x,y,A,a,b\n4,y,x,A,b,other\n"
    )
    draw = _draw(LogFile("log.csv", rows.encode()))
    assert [pair.prompt for pair in draw.pairs] == [""]
    assert draw.left_out == (
        "Left out: 1 whose texts the log does not hold, 1 with a text of more than 20,000 characters, 1 whose answers "
        "differ between judgements of the same question and turn."
    )


def test_votes_of_pairs_that_are_not_of_the_log_are_left_out() -> None:
    read = report_of_files(_log(), votes={"p" + "0" * 32: "left", "x": "tie"})
    assert isinstance(read.outcome, LogReport)
    assert read.labels == "question,item,first,second,verdict\n"
    assert read.outcome.judges == _report(_log()).judges
