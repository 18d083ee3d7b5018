from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest

from leaderboard.page.board_row import BoardRow
from leaderboard.page.copies import (
    BoardVersion,
    bibtex_text,
    citation_text,
    markdown_escaped,
    markdown_text,
    version_of,
)
from leaderboard.page.latex import latex_escaped
from leaderboard.page.row_columns import name_column
from submissions.version import VERSION
from tests.unit.leaderboard.boards.toy_board import COLUMNS, FLEET, TOY, Boat

HOSTILE = "a|b\n<img src=x onerror=alert(1)> $x$ \\input{/etc/passwd} 100% & _it_ [link](javascript:1) ~ ^ # `"
FIRST = FLEET[:2]
TODAY = date(2026, 11, 30)


def markdown_cells(text: str) -> list[list[str]]:
    """The cells a reader of Markdown sees, head first, without the line below it."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cut = [re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1] for line in lines]
    cells = [[re.sub(r"\\([^A-Za-z0-9\s])", r"\1", cell.strip()) for cell in line] for line in cut]
    return [cells[0], *cells[2:]]


def version(rows: tuple[Boat, ...] = FIRST, set_: str = "north") -> BoardVersion:
    return version_of(rows, COLUMNS, COLUMNS, title="Boats", set_=set_, link="?tab=toy", paper=TOY.paper)


def test_a_board_without_sets_has_no_comma_behind_its_name() -> None:
    assert (version().name, version(set_="").name) == ("Boats board, north", "Boats board")


def test_a_markdown_table_says_what_the_page_says() -> None:
    text = markdown_text(FIRST, COLUMNS, version())
    assert markdown_cells(text) == [
        ["Boat", "Speed", "Harbour", "Built"],
        ["Keel", "4.00", "Kiel", "2026-11-03"],
        ["Tide", "2.00", "Oslo", "2026-11-05"],
    ]
    assert text.splitlines()[1] == "| --- | ---: | --- | --- |"
    assert "Measure: Noah, The Ark, 1, Genesis." in text


def test_markdown_is_blank_where_the_page_says_it_beside_the_name() -> None:
    told = replace(COLUMNS[2], icon="i", is_told=lambda boat: boat.harbour == "Kiel")
    text = markdown_text(FIRST, (COLUMNS[0], told), version())
    assert markdown_cells(text) == [["Boat", "Harbour"], ["Keel", ""], ["Tide", "Oslo"]]


def test_hostile_text_stays_one_cell_of_markdown() -> None:
    text = markdown_text([Boat(HOSTILE, 1.0)], COLUMNS, version())
    assert markdown_cells(text)[1][0] == HOSTILE.replace("\n", " ")
    assert len(markdown_cells(text)) == 2
    assert re.search(r"(?<!\\)[<$`]", text) is None


def test_hostile_text_is_no_latex_command() -> None:
    escaped = latex_escaped(HOSTILE)
    known = r"\\(text(backslash|asciitilde|asciicircum|less|greater|bar|braceleft|braceright|asciigrave)\{\}|[&%$#_])"
    assert re.sub(known, "", escaped).isprintable()
    assert re.search(r"[\\&%$#_{}~^<>|`]", re.sub(known, "", escaped)) is None
    assert latex_escaped("a -- b") == "a -{}- b"


def test_a_version_says_which_board_to_the_row() -> None:
    one = version()
    # The newest row is that of 5 November.
    assert one.sentence == (
        f"Plumbline {VERSION}, Boats board, north, 2 rows, results up to 2026-11-05, SHA-256 of the rows {one.digest}"
    )
    assert re.fullmatch("[0-9a-f]{16}", one.digest)
    assert version().digest == one.digest
    assert version(FLEET).digest != one.digest
    assert "results up to" not in version((FLEET[2],)).sentence  # no row has a day


def test_a_version_names_the_statistics_of_the_rows_not_of_the_program() -> None:
    rows = [BoardRow(id="", name="Keel", statistics_version=made) for made in (98, 3, None, 3)]
    columns = (name_column("system", "System", ""),)

    def said(*shown: BoardRow) -> str:
        return version_of(shown, columns, columns, title="Boats", set_="", link="", paper=None).sentence

    assert "Boats board, statistics versions 3 and 98, 4 rows" in said(*rows)
    assert "Boats board, statistics version 3, 1 row" in said(rows[1])
    assert "statistics" not in said(rows[2])


def test_bibtex_names_the_board_and_the_paper_with_balanced_braces() -> None:
    text = bibtex_text(version(set_="own{set} \\x"), TODAY)
    assert text.count("@misc{") == 2
    assert "@misc{plumbline-boats-" in text
    assert "@misc{noah," in text
    assert "year = {2026}" in text
    assert text.count("{") == text.count("}")
    depth = 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0


@pytest.mark.parametrize("text", ["a\u202eb", "a\u0000b", "a\r\nb", "a\tb"])
def test_no_control_character_reaches_a_copy(text: str) -> None:
    assert markdown_escaped(text) == "a b"
    assert latex_escaped(text) == "a b"


def test_a_view_is_cited_with_its_link_the_day_it_was_read_and_the_revision_of_its_rows() -> None:
    cited = replace(version(), link="https://example.org/?tab=toy&sort=speed")
    assert "  url = {https://example.org/?tab=toy&sort=speed},\n  urldate = {2026-11-30}," in bibtex_text(cited, TODAY)
    line = citation_text(cited, TODAY)
    assert line.endswith(f"{cited.digest}. https://example.org/?tab=toy&sort=speed (read 2026-11-30).")
    assert "\n" not in line
