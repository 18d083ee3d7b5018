"""Laws of every reader of a CSV: the separator of its cells changes nothing that is read."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.commands.csv_table import read_csv
from evaluator.judge_logs.registry import read_log
from evaluator.personalization.table import RowTableRefused, read_outcome_rows
from evaluator.personalized_evaluation import read_known_ratings
from evaluator.statistics.verdict_tables import read_verdicts
from submissions.check import check_submission
from submissions.formats.personalized_evaluation.submission import Scale
from submissions.promptsets import PromptSets
from submissions.reading.csv_cells import CsvRows
from submissions.schema import VerdictChoices

FEW = settings(max_examples=40)
BARE = PromptSets.load(None)
SEPARATORS = st.sampled_from((",", ";", "\t", "|"))
cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r\n"), max_size=8)


def written(rows: list[list[str]], separator: str, states: bool, end: str = "\n") -> str:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows[1:])
    header = separator.join(rows[0]) + end
    return (f"sep={separator}{end}" if states else "") + header + buffer.getvalue()


@FEW
@given(
    st.lists(st.lists(cells, min_size=3, max_size=3), max_size=5),
    SEPARATORS,
    st.booleans(),
    st.sampled_from(("\n", "\r\n")),
)
def test_rows_are_the_same_with_their_lines_whatever_separates_the_cells(
    rows: list[list[str]], separator: str, states: bool, end: str
) -> None:
    table = [["id", "left", "right"], *rows]
    read = CsvRows(io.StringIO(written(table, separator, states, end), newline=""))
    assert read.separator == separator
    numbered = [(row, read.first_line) for row in read]
    assert numbered == [(row, number) for number, row in enumerate(table, start=1 + states)]


JUDGED = [["question", "first", "second", "verdict"], *([str(n), "m1", "m2", "A" if n % 3 else "B"] for n in range(12))]
VERDICTS = [
    ["judge", "benchmark", "task", "model", "query", "order", "verdict"],
    *(["j", "mtbench", "t", "m", str(n), order, "A"] for n in range(6) for order in ("original", "swapped")),
]
OUTCOMES = [
    ["example_id", "dataset", "setting", "system", "gold", "no_pref_answer", "pref_answer"],
    *([str(n), "d", "relevant", "s", "A", "A", "B"] for n in range(6)),
]
KNOWN = [["reviewer", "item_id", "score"], *([f"r{n}", "i", "3"] for n in range(4))]


def saved(text: str) -> Path:
    path = Path(tempfile.mkdtemp()) / "table.csv"
    path.write_bytes(text.encode())
    return path


def figures(text: str) -> dict[str, Any]:
    """What each reader makes of a table of its own, by its first column."""
    if text.lstrip("sep=;\t|,\r\n").startswith("question"):
        log = read_log(text.encode(), "t.csv").log
        assert log is not None
        return {"log": [(j.question, j.systems, j.verdict) for j in log.judgements]}
    path = saved(text)
    if "benchmark" in text:
        report = check_submission(text.encode(), "t.csv", prompt_sets=BARE, choices=VerdictChoices(options=3))
        verdicts = read_verdicts(path)
        return {"check": report.as_json()["coverage"], "table": len(verdicts.original)}
    if "example_id" in text:
        return {"rows": read_outcome_rows(path)}
    known = read_known_ratings(path, Scale(1, 5))
    return {"known": known, "csv": read_csv(path, ["reviewer", "score"])}


@pytest.mark.parametrize("table", [JUDGED, VERDICTS, OUTCOMES, KNOWN], ids=["log", "verdicts", "outcomes", "known"])
@pytest.mark.parametrize("states", [False, True])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_every_reader_makes_the_same_of_a_table_whatever_separates_its_cells(
    table: list[list[str]], separator: str, states: bool
) -> None:
    assert figures(written(table, separator, states)) == figures(written(table, ",", False))


@FEW
@given(st.data(), SEPARATORS)
def test_a_table_shuffled_with_more_columns_gives_the_same_and_one_cut_off_says_so_or_is_a_part(
    data: st.DataObject, separator: str
) -> None:
    whole = figures(written(JUDGED, ",", False))["log"]
    order = data.draw(st.permutations(JUDGED[1:]))
    more = [[*JUDGED[0], "note"], *([*row, "x"] for row in order)]
    shuffled = read_log(written(more, separator, False).encode(), "t.csv").log
    assert shuffled is not None
    assert sorted((j.question, j.systems, j.verdict) for j in shuffled.judgements) == sorted(whole)
    assert shuffled.unknown_columns == {"note": 12}
    text = written(JUDGED, separator, False)
    cut = read_log(text[: data.draw(st.integers(0, len(text)))].encode(), "t.csv")
    if cut.log is None:
        assert cut.findings.has_error
        assert json.dumps(cut.findings.counts)
    else:
        # Nothing tells a row that ends early at the end of a file from one whose verdict is empty: no usable reply.
        *before, last = [(j.question, j.systems, j.verdict) for j in cut.log.judgements]
        assert before == whole[: len(before)]
        assert last in (whole[len(before)], (*whole[len(before)][:2], "N"))


def test_a_gold_outside_the_options_is_refused_with_its_line() -> None:
    table = [OUTCOMES[0], OUTCOMES[1], ["x", "d", "relevant", "s", "2", "B", "B"]]
    with pytest.raises(RowTableRefused) as refused:
        read_outcome_rows(saved(written(table, ";", False)))
    assert [(fault["line"], fault["code"]) for fault in refused.value.problems] == [(3, "gold_not_an_option")]
