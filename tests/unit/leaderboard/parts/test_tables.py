from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from evaluator.results import MetricValue
from leaderboard.parts.columns import Column
from leaderboard.parts.tables import (
    PAGE_ROWS,
    PUBLISHED_ROW,
    Order,
    UndoValue,
    column_of,
    marks_explained,
    matching,
    ordered,
    sort_key,
    table_value,
)
from submissions.schema import Count


@dataclass(frozen=True)
class Row:
    id: str
    system: str = ""
    team: str = ""
    score: float | None = None
    tier: int = 0
    style: str = ""


COLUMNS: tuple[Column[Row], ...] = (
    Column("system", "System", "text", lambda row: row.system, "Name.", is_name=True, is_searched=True),
    Column("team", "Team", "text", lambda row: row.team, "Team.", is_searched=True),
    Column("score", "Score", "decimal", lambda row: row.score, "Score.", "higher"),
)
SCORE = column_of(COLUMNS, "score")


def ids(rows: list[Row]) -> str:
    return "".join(row.id for row in rows)


ROWS = [Row("a", "Keel", "Aurora", 1.0), Row("b", "Tide", "Nordlicht", 3.0), Row("c", "Sextant", "Ｎordic", 2.0)]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", "abc"),
        ("keel", "a"),
        ("KEEL; sext", "ac"),
        ("nord", "bc"),  # the full-width N of c folds to n
        (" ; ", "abc"),
        ("1.0", ""),  # scores are not searched
        (".*", ""),  # and terms are no patterns
    ],
)
def test_a_row_is_found_by_any_term_in_its_names(search: str, found: str) -> None:
    assert ids(matching(ROWS, search, COLUMNS)) == found


def test_rows_without_a_value_come_last_in_both_directions() -> None:
    rows = [Row("n"), *ROWS]
    assert ids(ordered(rows, SCORE, descending=True)) == "bcan"
    assert ids(ordered(rows, SCORE, descending=False)) == "acbn"


def test_what_is_better_nearer_zero_is_sorted_without_its_sign() -> None:
    fairness: Column[Row] = Column("pf", "PF", "signed", lambda row: row.score, "PF.", "nearer_zero")
    rows = [Row("n"), Row("r", score=0.5), Row("p", score=-0.9), Row("z", score=0.0)]
    assert ids(ordered(rows, fairness, descending=True)) == "przn"
    assert ids(ordered(rows, fairness, descending=False)) == "zrpn"


def test_an_icon_stands_only_where_its_words_say_more_than_the_name() -> None:
    note: Column[Row] = Column(
        "note", "Note", "text", lambda row: row.team, "", icon="i", is_told=lambda row: row.team == "published"
    )
    rows = [Row("a", team="published"), Row("b", team="published; few queries"), Row("c")]
    cells = [row["cells"][0] for row in table_value(rows, [note], caption="", empty="")["rows"]]
    assert [cell["text"] for cell in cells] == ["", "published; few queries", ""]
    assert ["icon" in cell for cell in cells] == [False, True, False]


def test_the_mark_of_published_rows_says_what_their_notes_say_and_an_icon_stands_where_one_differs() -> None:
    names = replace(COLUMNS[0], remark=lambda row: "(published)" if row.style else "")
    notes = {"a": "as printed", "b": "as printed", "c": "as printed; few queries", "d": "", "e": "not ranked"}
    note: Column[Row] = Column("note", "Note", "text", lambda row: notes[row.id], "", icon="i")
    rows = [*(Row(id_, style=PUBLISHED_ROW) for id_ in "abc"), Row("d"), Row("e")]
    columns = marks_explained((names, note), rows, None)
    cells = [row["cells"] for row in table_value(rows, columns, caption="", empty="")["rows"]]
    assert [name.get("mark_about") for name, _ in cells] == [*(notes[id_] for id_ in "abc"), None, None]
    assert [note["text"] for _, note in cells] == ["", "", notes["c"], "", "not ranked"]
    # Two that differ from each other have no usual note; under headings of their own, nobody differs from them.
    together, apart = (marks_explained((names, note), rows[1:3], group) for group in (None, lambda row: row.id))
    assert [column.key for column in together] == ["system", "note"]
    assert [together[1].text_beside_name(row) for row in rows[1:3]] == [notes["b"], notes["c"]]
    assert [column.key for column in apart] == ["system"]  # without any icon the column goes


def test_a_remark_stands_behind_its_value_and_a_faint_one_is_marked() -> None:
    fairness: Column[Row] = Column(
        "pf",
        "PF",
        "signed",
        lambda row: row.score,
        "PF.",
        remark=lambda row: "no clear position preference",
        is_faint=lambda row: row.score == 0.0,
    )
    clear, unclear = table_value([Row("a", score=0.5), Row("b", score=0.0)], [fairness], caption="", empty="")["rows"]
    assert clear["cells"][0]["text"] == "+0.50 no clear position preference"
    assert clear["cells"][0]["style"] == "number column-pf"
    assert unclear["cells"][0]["style"] == "number column-pf faint"


def test_unranked_rows_come_after_the_others_in_both_directions() -> None:
    rows = [Row("u", score=9.0, tier=1), Row("v", score=0.0, tier=1), *ROWS]
    assert ids(ordered(rows, SCORE, descending=True)) == "bcauv"
    assert ids(ordered(rows, SCORE, descending=False)) == "acbvu"


@pytest.mark.parametrize("descending", [True, False])
def test_ties_keep_their_order(descending: bool) -> None:
    rows = [Row("x", score=1.0), Row("y", score=1.0), Row("z", score=1.0)]
    assert ids(ordered(rows, SCORE, descending=descending)) == "xyz"


def test_a_value_is_sorted_by_what_it_says() -> None:
    assert sort_key(None) is None
    assert sort_key("") is None
    assert sort_key(MetricValue(value=None, n=0)) is None
    assert sort_key("b") > sort_key("A")  # type: ignore[operator]
    assert sort_key(Count(4, 3)) > sort_key(Count(100, 50))  # type: ignore[operator]  # 75% before 50%


def test_the_sorted_column_says_so() -> None:
    table = table_value(ROWS, COLUMNS, caption="Board", empty="Nothing.", order=Order("score", True))
    assert [head["aria_sort"] for head in table["columns"]] == ["none", "none", "descending"]
    assert all(head["sortable"] for head in table["columns"])
    assert table["empty"] == ""
    assert table["summary"] == "3 rows"


def test_a_table_nobody_can_sort_has_no_sort_buttons() -> None:
    table = table_value(ROWS, COLUMNS, caption="Board", empty="Nothing.", opens=False)
    assert not any(head["sortable"] for head in table["columns"])
    assert not any(cell["opens"] for row in table["rows"] for cell in row["cells"])


@pytest.mark.parametrize(
    ("order", "reached"), [(Order("score", True), "score"), (Order("system", False), "system"), (None, "system")]
)
def test_tab_reaches_one_header_the_sorted_one_or_the_first_term(order: Order | None, reached: str) -> None:
    heads = table_value(ROWS, COLUMNS, caption="Board", empty="Nothing.", order=order)["columns"]
    assert [head["key"] for head in heads if head["is_stop"]] == [reached]


def test_a_table_without_explanations_or_order_has_no_header_to_reach() -> None:
    plain: Column[Row] = Column("system", "System", "text", lambda row: row.system, "")
    assert not any(head["is_stop"] for head in table_value(ROWS, [plain], caption="", empty="")["columns"])


def test_an_empty_table_says_why() -> None:
    table = table_value([], COLUMNS, caption="Board", empty="Nobody yet. Submit a file.")
    assert table["empty"] == "Nobody yet. Submit a file."
    assert table["rows"] == []


def test_a_table_with_null_rows_alone_can_say_why_and_offer_the_way_back() -> None:
    undo: list[UndoValue] = [{"key": "search", "label": "Without the search"}]
    table = table_value(ROWS, COLUMNS, caption="", empty="Nobody yet.", why_empty="Too narrow.", undo=undo)
    assert (table["empty"], table["undo"]) == ("Too narrow.", undo)


def test_long_tables_are_cut_into_pages() -> None:
    rows = [Row(str(number)) for number in range(2 * PAGE_ROWS + 1)]
    first, last = (table_value(rows, COLUMNS, caption="", empty="", page=page) for page in (1, 3))
    assert (len(first["rows"]), first["previous"], first["next"]) == (PAGE_ROWS, 0, 2)
    assert (len(last["rows"]), last["previous"], last["next"]) == (1, 2, 0)
    assert first["summary"] == "Rows 1 to 200 of 401"


def test_a_page_beyond_the_end_is_the_last_page() -> None:
    table = table_value(ROWS, COLUMNS, caption="", empty="", page=99)
    assert len(table["rows"]) == 3
    assert not table["has_pages"]


def test_hostile_names_stay_text() -> None:
    hostile = "<img src=x onerror=alert(1)>${alert(2)}"
    table = table_value([Row("h", hostile)], COLUMNS, caption="", empty="")
    assert table["rows"][0]["cells"][0]["text"] == hostile
