"""Reading verdict tables: text survives, faults are refused with row and value, repetitions are settled."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from evaluator.statistics import verdict_tables
from evaluator.statistics.verdict_tables import TableRefused, read_lengths, read_verdicts
from submissions.verdicts.items import NOT_RUN, A, B, N, VerdictTable, verdict_items

WIDE = "judge,task,model,query,verdict_original,verdict_swapped\n"
LONG = "judge,benchmark,task,model,query,order,repetition,verdict,raw_text\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "verdicts.csv"
    path.write_bytes(text.encode())
    return path


def rows_of(table: VerdictTable) -> list[tuple[str, ...]]:
    letters = "ABCN-"
    return [
        (
            *(column.cell(row) for column in (table.judge, table.task, table.model, table.query)),
            str(table.repetition[row]),
            letters[table.original[row]] + letters[table.swapped[row]],
        )
        for row in range(len(table))
    ]


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(TableRefused) as refused:
        read_verdicts(written(folder, text))
    return str(refused.value)


def test_names_survive_as_written(tmp_path: Path) -> None:
    text = WIDE + 'NA,null,Vicuna;13B,01,A,B\nNA,null,vicuna;13b,1,B,B\n"a,b"," t ",ü,"line\nbreak",C,N\n'
    assert rows_of(read_verdicts(written(tmp_path, text))) == [
        ("NA", "null", "Vicuna;13B", "01", "1", "AB"),
        ("NA", "null", "vicuna;13b", "1", "1", "BB"),
        ("a,b", " t ", "ü", "line\nbreak", "1", "CN"),
    ]


def test_bom_crlf_blank_lines_and_other_columns_do_no_harm(tmp_path: Path) -> None:
    text = "\ufeffnote," + WIDE.replace("\n", "\r\n") + "\r\n\r\nx,j,t,m,q,A,B\r\n\r\n"
    assert rows_of(read_verdicts(written(tmp_path, text))) == [("j", "t", "m", "q", "1", "AB")]


def test_an_empty_cell_is_an_order_that_was_not_run(tmp_path: Path) -> None:
    table = read_verdicts(written(tmp_path, WIDE + "j,t,m,q,,N\n"))
    assert (table.original.tolist(), table.swapped.tolist()) == ([NOT_RUN], [N])


def test_a_file_and_a_frame_of_its_texts_read_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, WIDE + "NA,t,m,01,A,B\nj,t,m,1,,C\n")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert rows_of(read_verdicts(frame)) == rows_of(read_verdicts(path))
    # A frame that was not read as text: numbers are names, a missing verdict is an order that was not run.
    frame = pd.DataFrame({"judge": ["j"], "task": ["t"], "model": ["m"], "query": [7]})
    frame = frame.assign(verdict_original=["A"], verdict_swapped=[float("nan")])
    assert rows_of(read_verdicts(frame)) == [("j", "t", "m", "7", "1", "A-")]


def test_a_name_lost_to_missing_value_conversion_is_refused() -> None:
    frame = pd.DataFrame(
        [["j", "t", "m", "q", "A", "B"], [None, "t", "m", "q", "A", "B"]], columns=WIDE[:-1].split(",")
    )
    with pytest.raises(TableRefused, match="row 2: judge is missing"):
        read_verdicts(frame)


def test_a_header_without_rows_is_an_empty_table(tmp_path: Path) -> None:
    for header in (WIDE, LONG, WIDE.rstrip()):
        table = read_verdicts(written(tmp_path, header), benchmark="b")
        assert len(table) == len(verdict_items(table).paired) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty; a header is expected"),
        ("judge,model,query,verdict_original\n", "missing column task, verdict_swapped"),
        ("judge,task,model,query,order\n", "missing column benchmark, verdict"),
        (WIDE + "j,t,m,q,A,B\nj,t,m,r,a,D\n", 'row 2: verdict_original is "a"; accepted: A, B, C, N, or empty'),
        (WIDE + "j,t,m,q,A, B\n", 'row 1: verdict_swapped is " B"'),
        (WIDE + "j,t,m,q,A,B\nj,t,m,p,A,B\nj,t,m,q,A,B\n", "row 3: repeats the (judge, task, model, query) of row 1"),
        (WIDE + "j,t,m,q,A,B\nj,t,m,q,A\n", "row 2: 5 values, expected 6"),
        (WIDE + "\nj,t,m,q,A,B,C\n", "row 1: 7 values, expected 6"),
        (WIDE + '"j,t,m,q,A,B\n', "the file is not CSV"),
        ("judge,judge\n", 'the header names "judge" more than once'),
        (
            WIDE.replace("\n", ",repetition\n") + "j,t,m,q,A,B,1.5\n",
            'row 1: repetition is "1.5"; accepted: a whole number',
        ),
        (
            WIDE.replace("\n", ",repetition\n") + "j,t,m,q,A,B,1\nj,t,m,q,A,B,01\n",
            "row 2: repeats the (judge, task, model, query, repetition) of row 1",
        ),
        (LONG + "j,b,t,m,q,AB,1,A,\n", 'row 1: order is "AB"; accepted: original, swapped'),
        (LONG + "j,b,t,m,q,original,1,tie,\n", 'row 1: verdict is "tie"'),
        (LONG + "j,b,t,m,q,original,1,,\n", 'row 1: verdict is ""'),
        (LONG + "j,b,t,m,q,original,101,A,\n", 'row 1: repetition is "101"; accepted: a whole number from 1 to 100'),
        (LONG + "j,b, ,m,q,original,1,A,\n", 'row 1: task is ""'),
        (
            LONG + "j,b,t,m,q,original,1,A,\nj,b,t,m,q ,original,,A,\n",
            "row 2: repeats the (judge, task, model, query, benchmark, order, repetition) of row 1",
        ),
        (LONG + "j,b,t,m,q,original,1,A,\nj,c,t,m,q,original,1,A,\n", 'several benchmarks ("b", "c")'),
    ],
)
def test_a_faulty_table_is_refused_with_row_and_value(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(tmp_path, text)


def test_all_faults_are_named_at_once_up_to_a_limit(tmp_path: Path) -> None:
    message = refusal(tmp_path, WIDE + "j,t,m,q,x,B\n" + "".join(f"j,t,m,q{row},A,y\n" for row in range(30)))
    assert message.startswith('row 1: verdict_original is "x"')
    assert 'row 2: verdict_swapped is "y"' in message
    assert message.endswith("and 11 more")  # 31 faults, 20 listed


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(WIDE.encode() + "j,t,m,é,A,B\n".encode("latin-1"))
    with pytest.raises(TableRefused, match="not UTF-8"):
        read_verdicts(path)


def test_the_long_layout_joins_the_orders_of_an_item_and_repetition(tmp_path: Path) -> None:
    text = LONG + (
        "j,b,t,m,q,swapped,1,B,\n"
        "j ,b,t,m, q,original,,A,\n"  # outer blanks are trimmed, repetition is 1 by default
        "j,b,t,m,q,original,2,N,\n"
        'j,b,t,m,r,original,1,,"[[C]], so [[C]]"\n'
        "j,b,t,m,r,swapped,1,,[[A]] or [[B]]\n"
    )
    assert rows_of(read_verdicts(written(tmp_path, text))) == [
        ("j", "t", "m", "q", "1", "AB"),
        ("j", "t", "m", "q", "2", "N-"),
        ("j", "t", "m", "r", "1", "CN"),
    ]


def test_raw_text_is_read_in_its_format_and_with_its_options(tmp_path: Path) -> None:
    header = "judge,benchmark,task,model,query,order,raw_text\n"
    path = written(tmp_path, header + "j,b,t,m,q,original,Choice: A\nj,b,t,m,q,swapped,Choice: C\n")
    assert rows_of(read_verdicts(path, verdict_format="choice"))[0][-1] == "AC"
    assert rows_of(read_verdicts(path, verdict_format="choice", options=2))[0][-1] == "AN"
    assert rows_of(read_verdicts(path))[0][-1] == "NN"


def test_one_benchmark_is_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, LONG + "i,x,t,m,q,original,1,A,\nj,y,t,m,q,original,1,B,\n")
    assert rows_of(read_verdicts(path, benchmark="y")) == [("j", "t", "m", "q", "1", "B-")]
    assert read_verdicts(path, benchmark="y").judge.names == ("j",)
    with pytest.raises(TableRefused, match='no row of benchmark "z"'):
        read_verdicts(path, benchmark="z")


def test_with_two_options_a_tie_is_no_verdict(tmp_path: Path) -> None:
    path = written(tmp_path, WIDE + "j,t,m,q,C,A\n")
    assert rows_of(read_verdicts(path, options=2))[0][-1] == "NA"
    with pytest.raises(ValueError, match="options is 4"):
        read_verdicts(path, options=4)  # type: ignore[arg-type]


def test_the_numerically_lowest_repetition_with_both_orders_counts(tmp_path: Path) -> None:
    text = WIDE.replace("\n", ",repetition\n") + (
        "j,t,m,q,A,B,10\nj,t,m,q,B,B,9\nj,t,m,q,A,,2\n"  # 9 is below 10, although "10" < "9" as text
        "j,t,m,r,A,,1\nj,t,m,r,,C,3\nj,t,m,r,,B,2\n"  # no repetition ran both: unpaired, lowest of each order kept
    )
    items = verdict_items(read_verdicts(written(tmp_path, text)))
    assert items.paired.tolist() == [True, False]
    assert items.original.tolist() == [B, A]
    assert items.swapped.tolist() == [B, B]


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    lines = [f"{judge},t,m,{query},A,B\n" for judge in "kj" for query in ("10", "9", "b", "a")]
    forwards = rows_of(read_verdicts(written(tmp_path, WIDE + "".join(lines))))
    assert rows_of(read_verdicts(written(tmp_path, WIDE + "".join(reversed(lines))))) == forwards == sorted(forwards)


def test_files_longer_than_one_chunk_are_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict_tables, "_CHUNK_ROWS", 3)
    lines = [f"j,t,m,q{number},A,B\n" for number in range(8)]
    assert len(read_verdicts(written(tmp_path, WIDE + "".join(lines)))) == 8
    assert "row 8: 1 values" in refusal(tmp_path, WIDE + "".join(lines[:7]) + "j\n")


def test_lengths_are_read_per_answer(tmp_path: Path) -> None:
    text = "benchmark,task,query,model,answer_chars\nb,t,q,m,10\nb,t,q,r,\nc,t,q,m,30\n"
    lengths = read_lengths(written(tmp_path, text), benchmark="b")
    assert lengths.of("t", "q", "m") == 10
    assert lengths.of("t", "q", "r") is None  # stated as unknown
    assert lengths.of("u", "q", "m") is None
    lengths = read_lengths(written(tmp_path, "query,model,answer_chars\nq,m,10\nq,m,10\n"))
    assert lengths.of("any task", "q", "m") == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,answer_chars\n", "lengths: missing column model"),
        ("query,model,answer_chars\nq,m,-1\n", 'lengths: row 1: answer_chars is "-1"'),
        ("query,model,answer_chars\nq,m,1\nq,m,2\n", "lengths: row 2: answer_chars is 2, but an earlier row says 1"),
    ],
)
def test_faulty_lengths_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TableRefused) as refused:
        read_lengths(written(tmp_path, text))
    assert message in str(refused.value)
