"""A log that is shuffled, doubled, cut or extended gives the same figures, or a refusal or count that says why."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.judge_logs.judgements import JudgementLog
from evaluator.judge_logs.registry import LogReading, read_log
from evaluator.judge_report.report import log_report

DATA = Path(__file__).parents[1] / "data"
LOGS, REPORTS = DATA / "judge_logs", DATA / "reports"
FILES = (
    LOGS / "inspect.json",
    REPORTS / "01_inspect_path_ids" / "log.eval",
    REPORTS / "02_inspect_unparsed_grade" / "log.json",
    REPORTS / "04_inspect_edited_by_people" / "log.json",
    LOGS / "promptfoo.json",
    REPORTS / "07_promptfoo_grader_error" / "output.json",
    REPORTS / "08_promptfoo_repeat" / "output.json",
    REPORTS / "10_promptfoo_version_2" / "output.json",
    REPORTS / "11_alpaca_zero_is_a_draw" / "annotations.json",
    REPORTS / "12_judgebench_judge_model" / "outputs.jsonl",
    REPORTS / "13_rewardbench_half_is_an_error" / "scores.json",
    LOGS / "printed_by_fastchat" / "gpt-4_pair.jsonl",
    LOGS / "printed_by_fastchat" / "gpt-4_single.jsonl",
    LOGS / "printed_by_reward_bench" / "tiny-rm_outputs.jsonl",
    LOGS / "printed_by_judge_arena" / "both.csv",
    LOGS / "printed_by_judge_arena" / "fixed.csv",
    LOGS / "mt_bench_human.jsonl",
    LOGS / "mt_bench_gpt4_pair.jsonl",
    LOGS / "arena_140k.jsonl",
    LOGS / "arena_55k.csv",
    LOGS / "comparia_votes.jsonl",
    LOGS / "table.csv",
    LOGS / "printed_by_lm_eval" / "samples_counting.jsonl",
    LOGS / "printed_by_lm_eval" / "samples_plain_choice.jsonl",
    LOGS / "llm_bar.json",
    LOGS / "printed_by_deep_eval" / "test_run.json",
    LOGS / "printed_by_deep_eval" / "evaluation_result.json",
    LOGS / "printed_by_mlflow" / "traces.json",
    LOGS / "printed_by_mlflow" / "eval_results_table.json",
    LOGS / "every_eval_ever_samples.jsonl",
    LOGS / "ratings.jsonl",
)
MAPPING = {"question": "prompt_id", "first": "left", "second": "right", "verdict": "winner"}
"""Of table.csv, whose columns have names of their own."""
MAY_REPEAT = ("table.csv", "ratings.jsonl", "eval_results_table.json", "mt_bench_gpt4_pair.jsonl")
"""Their rows say neither which call they are nor when it was: copies may be the same thing asked again."""
LISTS = ("samples", "testCases", "test_results", "data")
"""Keys of a document under which its records stand."""
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")


def records_of(path: Path) -> list[Any]:
    """The records of a log: lines, samples, results or rows."""
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            return [(name, archive.read(name)) for name in archive.namelist()]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    if path.suffix == ".csv":
        return list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
    document = json.loads(path.read_bytes())
    if isinstance(document, list):
        return document
    for key in LISTS:
        if key in document:
            return list(document[key])
    if isinstance(document["results"], dict):
        return list(document["results"]["results"])
    columns = [key for key, value in document.items() if isinstance(value, list)]
    return [dict(zip(columns, row, strict=True)) for row in zip(*(document[key] for key in columns), strict=True)]


def file_of(path: Path, records: list[Any], extra: dict[str, Any] | None = None) -> bytes:
    """A log of these records, in the form that the file has; `extra` stands beside the records."""
    if path.suffix == ".eval":
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as archive:
            for name, data in records:
                archive.writestr(name, data)
        return whole.getvalue()
    if path.suffix == ".jsonl":
        return "".join(json.dumps(record) + "\n" for record in records).encode()
    if path.suffix == ".csv":
        text = io.StringIO(newline="")
        columns = records[0] if records else records_of(path)[0]
        table = csv.DictWriter(text, list(columns), lineterminator="\n")
        table.writeheader()
        table.writerows(records)
        return text.getvalue().encode()
    document = json.loads(path.read_bytes())
    if isinstance(document, list):
        return json.dumps(records).encode()
    if named := [key for key in LISTS if key in document]:
        document[named[0]] = records
    elif isinstance(document["results"], dict):
        document["results"]["results"] = records
    else:
        document |= {key: [record[key] for record in records] for key in records[0]}
    return json.dumps({**document, **(extra or {})}).encode()


def table_with_column(path: Path, column: str, value: object) -> bytes:
    """The table with one more column, which has this value in every row."""
    table = json.loads(path.read_bytes())
    table["columns"].append(column)
    for row in table["data"]:
        row.append(value)
    return json.dumps(table).encode()


def read(path: Path, data: bytes) -> LogReading:
    return read_log(data, path.name, mapping=MAPPING if path.name == "table.csv" else None)


def figures(log: JudgementLog) -> dict[tuple[str, str], object]:
    """Every figure of every judge, by value alone."""
    report = log_report(log, "log")
    return {
        (judge.judge, figure.key): None if figure.value is None else round(figure.value, 9)
        for judge in report.judges
        for figure in judge.figures
    }


def original(path: Path) -> JudgementLog:
    log = read(path, path.read_bytes()).log
    assert log is not None
    return log


@each_file
@settings(max_examples=8)
@given(shuffled=st.randoms(use_true_random=False))
def test_a_shuffled_log_gives_the_same_figures(path: Path, shuffled: Any) -> None:
    records = records_of(path)
    shuffled.shuffle(records)
    reading = read(path, file_of(path, records))
    assert reading.log is not None, reading.findings.problems
    assert figures(reading.log) == figures(original(path))


@each_file
def test_a_doubled_log_gives_the_same_figures_and_counts_the_copies(path: Path) -> None:
    if path.suffix == ".eval":
        pytest.skip("a zip cannot be put behind itself; a name that stands twice has a test of its own")
    records = records_of(path)
    reading = read(path, file_of(path, [*records, *records]))
    assert reading.log is not None, reading.findings.problems
    expected = figures(original(path))
    if any(note.startswith(f"{len(records):,} rows are word for word") for note in reading.log.notes):
        assert path.name in MAY_REPEAT
        assert {key: value for key, value in figures(reading.log).items() if key in expected} == expected
        return
    assert figures(reading.log) == expected
    before = sum(part.count for part in original(path).unread)
    assert sum(part.count for part in reading.log.unread) - before >= len(records)


@each_file
@settings(max_examples=15)
@given(share=st.floats(0, 1))
def test_a_log_that_is_cut_is_refused_or_a_log_of_whole_records(path: Path, share: float) -> None:
    data = path.read_bytes()
    cut = data[: round(share * len(data))]
    reading = read(path, cut)
    if reading.log is None:
        assert reading.findings.has_error
        return
    records = records_of(path)
    whole = cut.count(b"\n") + (not cut.endswith(b"\n")) if path.suffix == ".jsonl" else len(records)
    if path.suffix == ".csv":
        is_unended = not cut.endswith(b"\n")
        if path.name in MAY_REPEAT and is_unended:
            assert any("The last line has no end" in note for note in reading.log.notes)
            return
        assert is_unended == any("no end" in part.what for part in reading.log.unread)
        whole = len(list(csv.DictReader(io.StringIO(cut.decode(errors="replace"), newline="")))) - is_unended
    expected = read(path, file_of(path, records[:whole])).log
    assert expected is not None
    assert figures(reading.log) == figures(expected)


@each_file
@settings(max_examples=8)
@given(
    # Texts drawn may be those of our own code, keys of a format among them.
    key=st.text(st.characters(categories=["L", "N"]), min_size=5, max_size=13).map("unknown{}".format),
    # A NUL makes a table a binary file, which is refused (below).
    value=st.none()
    | st.integers()
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
    | st.lists(st.booleans(), max_size=3),
    version=st.integers(0, 99),
)
def test_unknown_keys_and_versions_change_no_figure_and_are_counted(
    path: Path, key: str, value: object, version: int
) -> None:
    records = records_of(path)
    if path.name == "eval_results_table.json":
        reading = read(path, table_with_column(path, key, value))
    elif path.suffix == ".eval" or "scores" in path.name:
        records = [*records, ("unknown.json", b"{}")] if path.suffix == ".eval" else records
        reading = read(path, file_of(path, records, {key: value}))
    else:
        reading = read(path, file_of(path, [{**record, key: value} for record in records], {"version": version}))
    assert reading.log is not None, reading.findings.problems
    assert figures(reading.log) == figures(original(path))
    if path.suffix != ".eval":
        assert any(key in name for name in reading.log.unknown_columns)


def test_a_table_with_a_nul_is_refused_as_binary() -> None:
    reading = read_log(b"question,first,second,verdict,note\n1,x,y,A,\0\n", "log.csv")
    assert reading.log is None
    assert "binary" in reading.findings.problems[0].message


@settings(max_examples=30)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("123456"), st.permutations(["x", "y"]), st.sampled_from(["A", "B", "C", "x", "tie"])),
        min_size=1,
        max_size=12,
    ),
    shuffled=st.randoms(use_true_random=False),
)
def test_a_shuffled_csv_gives_the_same_win_rates(rows: list[tuple[str, list[str], str]], shuffled: Any) -> None:
    def table(given_rows: list[tuple[str, list[str], str]]) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["question", "first", "second", "verdict"])
        writer.writerows([question, *systems, verdict] for question, systems, verdict in given_rows)
        return text.getvalue().encode()

    def win_rates(data: bytes) -> dict[tuple[str, str], object]:
        log = read_log(data, "log.csv").log
        assert log is not None
        return {
            key: value for key, value in figures(log).items() if key[1].startswith(("win_rate", "ties", "unusable"))
        }

    mixed = list(rows)
    shuffled.shuffle(mixed)
    assert win_rates(table(mixed)) == win_rates(table(rows)) == win_rates(table([*rows, *rows]))


@pytest.mark.parametrize(
    "names", [("A", "B"), ("B", "A"), ("C", "x"), ("tie", "x"), ("N", "error"), ("second", "first")]
)
def test_a_verdict_that_names_a_system_is_never_read_as_a_place(names: tuple[str, str]) -> None:
    by_place = dict(zip("AB", names, strict=True))
    for verdict in names:
        rows = f"question,first,second,verdict\nq,{names[0]},{names[1]},{verdict}\n"
        reading = read_log(rows.encode(), "log.csv")
        if reading.log is None:
            assert "place or a name" in reading.findings.problems[0].message
        else:
            assert by_place[str(reading.log.judgements[0].verdict)] == verdict
