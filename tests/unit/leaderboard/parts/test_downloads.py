from __future__ import annotations

import csv
import io
import json

import pytest

from leaderboard.boards.robustness.columns import ROBUSTNESS_COLUMNS
from leaderboard.boards.robustness.rows import RobustnessRow, ScoredTicket, board_rows
from leaderboard.parts.downloads import Scalar, csv_text, file_value, json_text, neutralised
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result, ticket

ITEMS = [f"90{number}" for number in range(1, 8)]


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1+1", "＋1", "－1", "＠SUM(A1)"]
)
def test_text_a_spreadsheet_would_run_is_disarmed(text: str) -> None:
    assert neutralised(text) == "'" + text


@pytest.mark.parametrize("value", [-0.5, -3, 0, None, "a=1", "", "name"])
def test_numbers_and_plain_text_stay(value: Scalar) -> None:
    assert neutralised(value) == value


def rows() -> list[RobustnessRow]:
    entry = ticket("one", system='=HYPERLINK("x")')
    hostile = ScoredTicket(entry, robustness_result(dict.fromkeys(ITEMS, 3.0)))
    return list(board_rows([hostile], "english"))


def test_csv_holds_full_numbers_with_their_intervals() -> None:
    records = list(csv.DictReader(io.StringIO(csv_text(rows(), ROBUSTNESS_COLUMNS))))
    assert len(records) == 1
    record = records[0]
    assert record["system"] == '\'=HYPERLINK("x")'
    assert (record["score"], record["score_n"]) == ("3.0", "7")
    # Seven items of 3, and one more at an end that weighs Beta(1, 7), at most 1 - 0.025^(1/7) in 97.5 %.
    unseen = 1.0 - 0.025 ** (1 / 7)
    ends = 3.0 - 3.0 * unseen, 3.0 + 2.0 * unseen
    assert (float(record["score_low"]), float(record["score_high"])) == pytest.approx(ends, abs=1e-5)
    assert [record[key] for key in ("rank_low", "rank_high", "judged", "judged_of")] == ["1", "1", "7", "7"]


def test_a_csv_of_no_rows_still_names_its_columns() -> None:
    header = csv_text([], ROBUSTNESS_COLUMNS).splitlines()[0].split(",")
    keys = [
        key for column in ROBUSTNESS_COLUMNS for key in (column.key, f"{column.key}_remark" if column.remark else "")
    ]
    assert header == [key for key in keys if key]


def test_json_says_what_it_is_and_keeps_text_as_it_is() -> None:
    document = json.loads(json_text(rows(), ROBUSTNESS_COLUMNS, about={"board": "robustness"}))
    assert document["board"] == "robustness"
    assert document["rows"][0]["system"] == '=HYPERLINK("x")'
    assert document["rows"][0]["score"]["value"] == 3.0
    assert document["rows"][0]["rank"] == {"low": 1, "high": 1}


def test_the_same_file_can_be_saved_twice() -> None:
    assert file_value("a.csv", "text/csv", "x") != file_value("a.csv", "text/csv", "x")
