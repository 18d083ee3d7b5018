from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from leaderboard.boards.editions.state import CulturalState
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.boards.robustness.table2 import SUMS_PRINTED, SYSTEMS, TABLE_2, means, sums
from leaderboard.boards.robustness.table2_values import found_notice, published_file, published_value

HISTORY = RobustnessState(look="history")


def test_every_cell_is_as_published(own_data: Path) -> None:
    published = json.loads((own_data / "eloquent" / "table2_2024.json").read_text(encoding="utf-8"))
    assert tuple(published["systems"]) == SYSTEMS
    assert [
        {
            "paper_item": item.paper_item,
            "file_item": item.file_item,
            "cells": dict(zip(SYSTEMS, item.cells, strict=True)),
            "avg_printed": item.average_printed,
            "avg_recomputed": pytest.approx(item.average),
        }
        for item in TABLE_2
    ] == published["items"]
    assert dict(zip(SYSTEMS, SUMS_PRINTED, strict=True)) == published["sum_printed"]
    assert dict(zip(SYSTEMS, means(), strict=True)) == pytest.approx(published["mean_recomputed"])


def test_the_printed_sums_fit_the_cells() -> None:
    # poro-34b: 1+3+3+4+2+4+3+4+4+2+1+1+3+4+2 = 41, and so on
    assert sums() == SUMS_PRINTED == (41, 45, 44, 43, 56)


def test_nine_of_fifteen_printed_averages_do_not_fit_the_cells() -> None:
    # 02: (3+4+4+3+4)/5 = 3.6, printed 3.3; 03 has the same cells and is printed 3.6.
    misprinted = [item.paper_item for item in TABLE_2 if item.is_misprinted]
    assert misprinted == ["02", "04", "05", "06", "08", "09", "13", "14", "15"]


def test_the_page_shows_both_averages_marks_those_that_differ_and_says_why_it_is_history() -> None:
    value = published_value(HISTORY)
    assert value is not None
    lines = {line["item"]: line for line in value["lines"]}
    assert (lines["02"]["printed"], lines["02"]["recomputed"], lines["02"]["is_misprinted"]) == ("3.3", "3.6", True)
    assert (lines["10"]["printed"], lines["10"]["recomputed"], lines["10"]["is_misprinted"]) == ("2.8", "2.8", False)
    assert lines["09"]["file_item"] == "010"  # the paper leaves out 009
    assert lines["09"]["variation"] == "terminology"
    assert [cell["at"] for cell in lines["01"]["cells"]] == ["0.2", "0.2", "0", "0.4", "1"]
    said = " ".join(value["notes"])
    assert "another judge" in said
    assert "In 9 of 15 items" in said
    assert "Vol-3740" in value["citation"]


@pytest.mark.parametrize("state", [RobustnessState(), RobustnessState(look="atlas"), CulturalState(look="history")])
def test_it_is_shown_where_it_is_asked_for_and_for_the_edition_of_2024_alone(state: RobustnessState) -> None:
    assert published_value(state) is None


def test_an_opened_system_hides_it() -> None:
    assert published_value(RobustnessState(look="history", system="7f3a")) is None


def test_the_file_holds_the_table_with_both_averages_and_the_sums() -> None:
    file = published_file()
    records = list(csv.DictReader(io.StringIO(file["text"])))
    assert len(records) == 16
    assert records[1]["avg_printed"] == "3.3"
    assert records[1]["avg_recomputed"] == "3.6"
    assert (records[1]["differs"], records[2]["differs"]) == ("yes", "no")
    assert [records[-1][system] for system in SYSTEMS] == ["41", "45", "44", "43", "56"]
    assert records[-1]["item"] == "SUM"


def test_the_ranking_leads_to_the_table_and_says_who_stands_first_in_it() -> None:
    found = found_notice(RobustnessState(set="demonstration"))
    assert found is not None
    # The last line of the table: 41, 45, 44, 43, 56; fifteen items of at most 5.
    assert found["title"] == (
        "Published, as printed: gpt-4-turbo is first of 5 systems in Table 2 of the 2024 working notes, sum 56 of 75"
    )
    assert found["link"] == "robustness?set=demonstration&look=history"
    assert found_notice(HISTORY) is None
    assert found_notice(RobustnessState(system="opened")) is None
