"""Labels given without the judge's word: what a labeller sees, and that labels find their answers and sides again."""

from __future__ import annotations

import csv
import io
import json
from itertools import permutations
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.judge_logs.label_sample import Scale
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.labelling import LabelDraw, Vote, sheet_csv
from evaluator.judge_report.of_files import LogFile, Refused, draw_of_files, report_of_files
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


def _draw(log: LogFile, labels: LogFile | None = None, size: int = 100) -> LabelDraw:
    draw = draw_of_files(log, labels, size=size)
    assert isinstance(draw, LabelDraw)
    return draw


def _report(log: LogFile, labels: LogFile | None = None, votes: dict[str, Vote] | None = None) -> LogReport:
    report = report_of_files(log, labels, votes=votes).outcome
    assert isinstance(report, LogReport)
    return report


def _x_is_better(draw: LabelDraw) -> dict[str, Vote]:
    return {shown.id: "left" if "by x" in shown.answers[0] else "right" for shown in draw.items}


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
    assert main(["judge-report", str(log), "--label-sheet", str(sheet), "--draw", "60"]) == 0
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
    del votes[rows[0]["label_id"]]
    assert figures == json.loads(json.dumps(_report(_log(), votes=votes).as_json()))["judges"]
    # What has a label is not drawn again, and what was skipped is.
    assert main(["judge-report", str(log), "--labels", str(sheet), "--label-sheet", str(sheet), "--draw", "1000"]) == 0
    assert "61 of 61 pairs" in capsys.readouterr().err


@pytest.mark.parametrize("row", ["{id},better", "pff,left", "{id},left\n{id},left", "{id},", "{id},7"])
def test_every_fault_of_a_sheet_has_its_place(row: str) -> None:
    pair = _draw(_log(), size=1).items[0].id
    sheet = LogFile("sheet.csv", f"label_id,label\n{row.format(id=pair)}\n".encode())
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
    (pair,) = _draw(log).items
    for vote, is_agreed in (
        (_side(pair.answers[0] == "of first"), 1.0),
        (_side(pair.answers[0] != "of first"), 0.0),
        ("tie", 0.0),
    ):
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
    assert (len(more.items), more.labelled) == (20, 100)
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
    [
        ("twice.csv", "the log compares no two systems, and rates no answer"),
        ("arena_55k.csv", "the log does not hold the texts"),
    ],
)
def test_a_log_without_texts_or_systems_says_what_labelling_needs(name: str, said: str) -> None:
    twice = b"question,first,second,verdict,first_text,second_text\n1,x,x,A,a,b\n"
    draw = _draw(LogFile(name, twice if name == "twice.csv" else (DATA / name).read_bytes()))
    assert draw.items == ()
    assert said in draw.missing


def test_what_is_left_out_of_the_draw_is_counted() -> None:
    rows = (
        "question,first,second,verdict,first_text,second_text\n1,x,y,A,a,b\n2,x,y,A,,\n"
        f"3,x,y,A,{'a' * 20_001},b\n4,x,y,A,a,b\n4,y,x,A,b,other\n"
    )
    draw = _draw(LogFile("log.csv", rows.encode()))
    assert [shown.prompt for shown in draw.items] == [""]
    assert draw.left_out == (
        "Left out: 1 whose texts the log does not hold, 1 with a text of more than 20,000 characters, 1 whose answers "
        "differ between judgements of the same question and turn."
    )


def test_votes_of_pairs_that_are_not_of_the_log_are_left_out() -> None:
    read = report_of_files(_log(), votes={"p" + "0" * 32: "left", "x": "tie"})
    assert isinstance(read.outcome, LogReport)
    assert read.labels == "question,item,first,second,verdict\n"
    assert read.outcome.judges == _report(_log()).judges


# --- single answers that are rated -----------------------------------------------------------------------------------


def _rating_log(questions: int = 150) -> LogFile:
    """Two systems on every question; the judge gives x an 8 and y a 4, and on every tenth question y a 9."""
    buffer = io.StringIO()
    lines = csv.writer(buffer)
    lines.writerow(["question", "judge", "system", "rating", "prompt", "criterion", "text"])
    for number in range(questions):
        for system, rating in (("x", 8), ("y", 9 if number % 10 == 0 else 4)):
            lines.writerow([f"q{number}", "the-judge", system, rating, HOSTILE, "is kind", f"by {system} {number}"])
    return LogFile("log.csv", buffer.getvalue().encode())


def test_ratings_find_their_answers_again_and_make_agreement_and_corrected_means() -> None:
    log = _rating_log()
    draw = _draw(log, size=300)
    assert len(draw.items) == 300  # 150 questions of two systems
    # People give x a 5 and y a 4; the judge, 8 and 4, on every tenth question 9.
    votes: dict[str, Vote] = {shown.id: 5.0 if "by x" in shown.answers[0] else 4.0 for shown in draw.items}
    read = report_of_files(log, votes=votes)
    rows = list(csv.DictReader(io.StringIO(read.labels)))
    assert rows[0].keys() == {"question", "item", "system", "rating"}
    assert {(row["system"], row["rating"]) for row in rows} == {("x", "5.0"), ("y", "4.0")}
    assert isinstance(read.outcome, LogReport)
    figures = {figure.key: figure for figure in read.outcome.judges[0].figures}
    # Too high by 3 on 150 answers of x and by 5 on 15 of y: (450 + 75) / 300.
    assert figures["rating_error"].value == pytest.approx(525 / 300)
    assert "by one labeller: 300 answers." in read.outcome.notes[-1]
    (table,) = read.outcome.judges[0].confusions
    assert (table.classes, table.counts) == (
        ("4", "5", "8", "9"),
        ((135, 0, 0, 15), (0, 0, 150, 0), (0, 0, 0, 0), (0, 0, 0, 0)),
    )
    # The same labels as a file give the same figures.
    assert _report(log, LogFile("labels.csv", read.labels.encode())).judges == read.outcome.judges


def test_a_corrected_mean_comes_of_the_ratings_of_a_sheet(tmp_path: Path) -> None:
    log = _rating_log(400)
    sheet = csv.DictReader(io.StringIO(sheet_csv(_draw(log, size=300))))
    rows = list(sheet)
    assert rows[0].keys() == {"label_id", "label", "expected", "prompt", "criterion", "answer"}
    assert rows[0]["expected"] == "a number from 4 to 9 (the lowest and the highest rating in the log)"
    filled = "label_id,label\n" + "".join(f"{row['label_id']},{5 if 'by x' in row['answer'] else 4}\n" for row in rows)
    figures = {figure.key: figure for figure in _report(log, LogFile("s.csv", filled.encode())).judges[0].figures}
    # Of x judge and people say one thing each, 8 and 5: what people say stands alone.
    x = figures["corrected mean x"]
    assert x.value == pytest.approx(5.0)
    assert x.n == sum("by x" in row["answer"] for row in rows)
    assert x.low is not None
    # What has a label is not drawn again.
    again = draw_of_files(log, LogFile("s.csv", filled.encode()), size=1_000)
    assert isinstance(again, LabelDraw)
    assert (len(again.items), again.labelled) == (500, 300)


@pytest.mark.parametrize("label", ["left", "9.5", "3", "nan", "1e999", "ten"])
def test_a_rating_off_the_scale_is_a_fault_of_the_sheet_and_no_vote(label: str) -> None:
    log = _rating_log(10)
    shown = _draw(log, size=1).items[0].id
    refused = report_of_files(log, LogFile("sheet.csv", f"label_id,label\n{shown},{label}\n".encode())).outcome
    assert isinstance(refused, Refused)
    (problem,) = refused.problems
    assert (problem.path, problem.code) == ("sheet.csv:2", "bad_verdict")
    assert problem.message == (
        f'label is "{label}"; expected a number from 4 to 9 (the lowest and the highest rating in the log)'
    )
    votes: dict[str, Vote] = {shown: "left" if label == "left" else 9.5}
    assert report_of_files(log, votes=votes).labels == "question,item,first,second,verdict\n"


@pytest.mark.parametrize(
    ("name", "shown", "hidden", "rated"),
    [
        (
            "printed_by_fastchat/gpt-4_single.jsonl",
            ("q81: name a river.", "An answer worth 6"),
            ("m-medium", "gpt-4", "It is fine", "[[", "single-v1"),
            "a number from 1 to 10",
        ),
        (
            "inspect.eval",
            ("What is the capital of Sweden?", "Stockholm"),
            ("mockllm", "GRADE", "model_graded_qa", "meets the criterion"),
            "a number from 0 to 1 (1 = correct, 0.5 = partly correct, 0 = incorrect)",
        ),
        (
            "promptfoo.json",
            ("What is H2O?", "Short: What is H2O?", "gives reasons"),
            ("model-short", "model-long", "scripted", "grader", "llm-rubric"),
            "a number from 0 to 1",
        ),
    ],
)
def test_a_rater_sees_texts_and_scale_and_neither_system_nor_judge_nor_score(
    name: str, shown: tuple[str, ...], hidden: tuple[str, ...], rated: str
) -> None:
    sheet = sheet_csv(_draw(LogFile(Path(name).name, (DATA / name).read_bytes())))
    assert [text for text in shown if text not in sheet] == []
    assert [text for text in hidden if text in sheet] == []
    assert rated in {row["expected"] for row in csv.DictReader(io.StringIO(sheet))}


def test_whoever_labels_a_pair_of_select_best_sees_what_the_best_was_chosen_by() -> None:
    draw = _draw(LogFile("promptfoo.json", (DATA / "promptfoo.json").read_bytes()))
    criteria = {(len(shown.answers), shown.criterion) for shown in draw.items}
    # As the assertions of the fixture say: llm-rubric of every answer, select-best of every pair.
    assert criteria == {(1, "gives reasons"), (2, "the more helpful answer")}
    rows = csv.DictReader(io.StringIO(sheet_csv(draw)))
    assert {row["criterion"] for row in rows if row["left"]} == {"the more helpful answer"}


def test_a_log_of_both_kinds_has_labels_of_both_in_one_file() -> None:
    name = "promptfoo.json"
    log = LogFile(name, (DATA / name).read_bytes())
    draw = _draw(log)
    assert {len(shown.answers) for shown in draw.items} == {1, 2}
    votes: dict[str, Vote] = {shown.id: "tie" if len(shown.answers) == 2 else 0.5 for shown in draw.items}
    read = report_of_files(log, votes=votes)
    assert isinstance(read.outcome, LogReport)
    kinds = [row["verdict"] != "" for row in csv.DictReader(io.StringIO(read.labels))]
    pairs = sum(len(shown.answers) == 2 for shown in draw.items)
    assert (sum(kinds), len(kinds)) == (pairs, len(draw.items))
    assert f"by one labeller: {pairs} pairs, {len(draw.items) - pairs} answers." in read.outcome.notes[-1]
    assert _report(log, LogFile("labels.csv", read.labels.encode())).judges == read.outcome.judges


def test_of_ratings_that_are_all_equal_nothing_is_known_of_the_scale() -> None:
    log = LogFile("log.csv", b"question,system,rating,text\n1,x,3,a\n2,x,3,b\n3,x,,c\n")
    draw = _draw(log)
    assert draw.scale is None
    assert "Rate each by a number; the log says nothing of its scale." in draw.drawn
    read = report_of_files(log, votes={shown.id: 100.0 for shown in draw.items})
    assert len(read.labels.splitlines()) == 4


def test_ratings_beyond_the_scale_of_a_format_widen_it() -> None:
    lines = [
        json.dumps({"question_id": n, "model": "m", "judge": ["j", "p"], "score": score, "turn": 1})
        for n, score in enumerate((1, 100))
    ]
    read = read_log("\n".join(lines).encode(), "log.jsonl").log
    assert read is not None
    assert read.scale == Scale(1, 100, "the lowest and the highest rating in the log")
