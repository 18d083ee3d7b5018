"""The session's tally as a table: the four metrics, and what they rest on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluator.lab.tally import MIN_TALLY, SessionTally, TallyRow
from evaluator.personalization import Figures
from leaderboard.parts.columns import Column
from leaderboard.parts.tables import TableValue, table_value
from leaderboard.parts.visible_text import visible


@dataclass(frozen=True, slots=True)
class TallyLine:
    """One model under one method and setting."""

    id: str
    model: str
    method: str
    setting: str
    figures: Figures
    note: str
    style: str = ""
    tier: int = 0


def _share(key: str) -> Callable[[TallyLine], float | None]:
    def share(line: TallyLine) -> float | None:
        value = line.figures[key]  # type: ignore[literal-required]
        return None if value is None else float(value)

    return share


def _metric(key: str, label: str, tooltip: str) -> Column[TallyLine]:
    return Column(key, label, "decimal", _share(key), tooltip, better="lower", sortable=False)


TALLY_COLUMNS: tuple[Column[TallyLine], ...] = (
    Column("model", "Model", "text", lambda line: line.model, "Who wrote.", sortable=False, is_name=True),
    Column("method", "Method", "text", lambda line: line.method, "How it was asked.", sortable=False),
    Column("setting", "Setting", "text", lambda line: line.setting, "Which preferences were shown.", sortable=False),
    _metric("breakage_rate", "Breakage", "Of those right without, the share that is wrong with preferences."),
    _metric(
        "alignment_failure",
        "Alignment failure",
        "Of those right without, the share that does not follow the relevant preference.",
    ),
    _metric(
        "robustness_error",
        "Robustness error",
        "Of those right without, the share that is wrong or does not follow.",
    ),
    _metric("performance_variation", "Variation", "1 - |A0 ∩ A1| / |A0 ∪ A1|, A0 and A1 being the right answers."),
    _metric("unchanged_rate", "Unchanged", "Share of final texts equal to the draft, or to the control without one."),
    _metric("fallback_rate", "Aligner failed", "Share of answers whose aligner failed, so that the draft was kept."),
    Column("n", "n", "whole", lambda line: line.figures["n"], "Answers with a known outcome.", sortable=False),
    Column(
        "n_qstar",
        "n right without",
        "whole",
        lambda line: line.figures["n_qstar"],
        "Answers whose control is right.",
        sortable=False,
    ),
    Column("note", "Note", "text", lambda line: line.note, "What the figures rest on.", sortable=False),
)


def tally_line(row: TallyRow) -> TallyLine:
    """A line of the tally as it is shown."""
    key = row.key
    note = f"too few questions for a rate: {row.figures['n_qstar']} of at least {MIN_TALLY}" if row.is_too_few else ""
    return TallyLine(
        id=" ".join(key),
        model=visible(key.model),
        method=visible(key.method),
        setting=key.setting,
        figures=row.figures,
        note=note,
        style="unranked-row" if row.is_too_few else "",
    )


def tally_table(tally: SessionTally) -> TableValue:
    """The tally; an empty one says how it fills."""
    return table_value(
        [tally_line(row) for row in tally.rows()],
        TALLY_COLUMNS,
        caption="This session: fractions, lower is better; a repeated question replaces the earlier one",
        empty="Finished runs are counted here. Stopped ones are not.",
        opens=False,
    )
