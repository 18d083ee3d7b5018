from __future__ import annotations

from leaderboard.boards.robustness.file_view import coverage_grid
from submissions.schema import Count, Coverage

CELLS = {("901", "en"): Count(4, 3), ("901", "sv"): Count(2, 0), ("902", "en"): Count(2, 2)}


def test_coverage_is_a_grid_of_items_and_languages() -> None:
    grid = coverage_grid(Coverage(Count(8, 5), {"en": Count(6, 5), "sv": Count(2, 0)}, CELLS, {"english": False}))
    assert grid is not None
    assert grid["caption"] == "Coverage: 5 of 8 responses"
    assert grid["heads"] == ["en", "sv"]
    assert [(row["item"], [(cell["text"], cell["state"]) for cell in row["cells"]]) for row in grid["rows"]] == [
        ("901", [("3/4", "part"), ("0/2", "none")]),
        ("902", [("2/2", "full"), ("", "absent")]),
    ]
    assert grid["totals"] == ["5/6", "0/2"]
    assert grid["words"] == ["Enough for a rank: English no.", "Not fully answered: 901 en 3/4, 901 sv 0/2."]


def test_a_complete_file_is_said_to_be_so() -> None:
    grid = coverage_grid(Coverage(Count(2, 2), by_item_language={("902", "en"): Count(2, 2)}))
    assert grid is not None
    assert grid["words"] == ["Every variant of every item is answered."]


def test_without_cells_there_is_no_grid() -> None:
    assert coverage_grid(None) is None
    assert coverage_grid(Coverage(Count(None, 3))) is None
