from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.board_row import BoardRow, run_fields, ticket_of_row
from leaderboard.page.row_columns import name_mark
from leaderboard.parts.published import AS_PRINTED
from submissions.schema import Names
from tests.unit.leaderboard.boards.robustness.made_results import ticket

ROW = BoardRow(id="1", name="Keel", ticket_id="1")
RANKED = replace(ROW, rank=RankBand(2, 3))
UNRANKED = replace(ROW, unranked="partial")
NULL = BoardRow(id="null/echo", name="echo", is_null=True, remark="baseline: echoes")
PRINTED = BoardRow(id="published/A", name="A", published=AS_PRINTED)


@pytest.mark.parametrize(
    ("row", "style", "tier", "measured", "mark", "place"),
    [
        (RANKED, "", 0, "measured here", "", "rank 2-3"),
        (UNRANKED, "unranked-row", 1, "measured here", "(not ranked)", "not ranked"),
        (NULL, "null-row", 0, "", "(baseline)", "baseline"),
        (PRINTED, "published-row", 0, "published, as printed", "(published, as printed)", "not ranked"),
        # A published row that cannot be read beside the others is listed after them.
        (replace(PRINTED, unranked="few"), "published-row", 1, AS_PRINTED, "(published, as printed)", "not ranked"),
        (
            replace(UNRANKED, role="example"),
            "unranked-row",
            1,
            "measured here",
            "(written by us, not ranked)",
            "not ranked",
        ),
    ],
)
def test_what_a_row_is_shows(row: BoardRow, style: str, tier: int, measured: str, mark: str, place: str) -> None:
    assert (row.style, row.tier, row.measured) == (style, tier, measured)
    assert (name_mark(row), row.place_words) == (mark, place)


def test_a_note_says_why_there_is_no_rank_before_anything_else() -> None:
    assert (ROW.note, NULL.note) == ("", "baseline: echoes")
    assert replace(UNRANKED, remark="recorded").note == "not ranked: partial; recorded"


def test_lists_of_runs_begin_with_the_best_rank_and_end_with_those_without_one_by_name() -> None:
    first, last = replace(RANKED, rank=RankBand(1, 4)), replace(UNRANKED, name="Spar")
    assert sorted([last, UNRANKED, RANKED, first], key=lambda row: row.place) == [first, RANKED, UNRANKED, last]


def test_a_row_knows_its_submission_and_what_is_no_row_of_one_has_none() -> None:
    sent = replace(ticket("t1"), names=Names(team="Aurora", model="m"), role="baseline")
    row = BoardRow(**run_fields(sent))
    assert (row.id, row.team, row.run, row.is_null, row.name) == ("t1", "Aurora", "", True, "(no system name)")
    assert (ticket_of_row(row), ticket_of_row(NULL), ticket_of_row(object())) == ("t1", "", "")
