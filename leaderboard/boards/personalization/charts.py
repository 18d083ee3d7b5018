"""Every chart of the Personalization board with its explanation and the table behind it."""

from __future__ import annotations

from leaderboard.boards.personalization import figures
from leaderboard.boards.personalization.cache import PersonalizationBoard
from leaderboard.boards.personalization.figures import BESIDE_BREAKAGE
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.columns import Value

_BESIDE: tuple[Head, ...] = (
    ("breakage", "percent"),
    ("alignment failure", "percent"),
    ("robustness error", "percent"),
    ("unchanged", "percent"),
    ("fallback", "percent"),
)


def _beside(row: PersonalizationRow) -> tuple[Value, ...]:
    return tuple(row.metric(key) if key in row.metrics else row.share(key) for key in BESIDE_BREAKAGE)


def _plane_table(board: PersonalizationBoard) -> ChartTable:
    rows = tuple(ChartRow(row.id, row.label, _beside(row)) for row in board.ordered_rows if not row.is_null)
    return ChartTable("Row", _BESIDE, rows)


def _changes_table(board: PersonalizationBoard) -> ChartTable:
    heads: tuple[Head, ...] = (
        ("method", "text"),
        *_BESIDE,
        ("change of the robustness error", "percent"),
        ("common examples", "whole"),
    )
    rows = []
    for change in board.changes:
        difference = change.difference
        n = difference.n if difference else None
        rows += [
            ChartRow(change.naive.id, change.system, (change.naive.method, *_beside(change.naive), None, n)),
            ChartRow(change.id, change.system, (change.aligner.method, *_beside(change.aligner), difference, n)),
        ]
    return ChartTable("System", heads, tuple(rows))


def _noise_table(board: PersonalizationBoard) -> ChartTable:
    heads: tuple[Head, ...] = (*_BESIDE, ("repeat breakage", "percent"), ("excess breakage", "percent"))
    rows = (
        ChartRow(row.id, row.label, (*_beside(row), row.metric("repeat_breakage"), row.metric("excess_breakage")))
        for row in board.runs
    )
    return ChartTable("Row", heads, tuple(rows))


def _preferences_table(board: PersonalizationBoard) -> ChartTable:
    heads: tuple[Head, ...] = (
        ("data set", "text"),
        ("row", "text"),
        ("n right without", "whole"),
        *_BESIDE,
    )
    cells = sorted(board.cells, key=lambda cell: (cell.figures.dataset, cell.figures.preference, cell.row.label))
    rows = (
        ChartRow(
            str(place),
            cell.figures.preference,
            (
                cell.figures.dataset,
                cell.row.label,
                cell.figures.n_qstar,
                cell.figures.breakage_rate,
                cell.figures.alignment_failure,
                cell.figures.robustness_error,
                cell.row.share("unchanged_rate"),
                cell.row.share("fallback_rate"),
            ),
        )
        for place, cell in enumerate(cells)
    )
    return ChartTable("Preference", heads, tuple(rows))


CHARTS: tuple[Chart[PersonalizationBoard], ...] = (
    Chart(
        "plane",
        "What is lost, and what is ignored",
        "Breakage to the right, ignored preferences upwards, both with 95% intervals: good is the lower left corner. "
        "Changing nothing puts a system on the left edge, high up.",
        figures.plane,
        _plane_table,
    ),
    Chart(
        "changes",
        "What Pref-Aligner changes",
        "From the plain prompt (open) to Pref-Aligner (filled) of the same system; the numbers are the paired change "
        "on common examples in points with its 95% interval. Grey: it may be chance, or is published without one.",
        figures.changes,
        _changes_table,
    ),
    Chart(
        "noise",
        "Breakage and the noise floor",
        "Running the same control twice breaks answers too: only what lies right of the grey band is due to the "
        "preferences. Without a band there was no repeat run.",
        figures.noise,
        _noise_table,
    ),
    Chart(
        "preferences",
        "By data set and preference",
        "Robustness error under each relevant preference (breakage where following was not judged); unchanged and "
        "fallback are those of the whole row.",
        figures.preferences,
        _preferences_table,
    ),
)
"""In the order of the page."""
