"""The course of a judge's canary: how many verdicts are others than they used to be, round by round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from plotly.graph_objects import Figure

from evaluator.canary.record import CanaryRecord
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.drawing import Colours, NothingToShow, empty_figure

MOST_ROUNDS = 500
"""Of one judge: ten years of weeks. The newest are drawn."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One round of one canary, as the chart shows it."""

    at: datetime
    pairs: str
    """How the digest of the canary's pairs begins."""
    others: int
    of: int
    """Pairs that the judge repeated itself on in the baseline."""
    bound: float
    """Share of other verdicts that its noise is not above."""
    evidence: float
    is_alarm: bool

    @property
    def share(self) -> float:
        return self.others / self.of


def watched_rounds(records: Sequence[CanaryRecord]) -> list[Watched]:
    """Every round after a whole baseline, the oldest first; the newest `MOST_ROUNDS` of them."""
    return sorted(_rounds(records), key=lambda round_: (round_.at, round_.pairs))[-MOST_ROUNDS:]


def _rounds(records: Sequence[CanaryRecord]) -> Iterator[Watched]:
    for record in records:
        for course in record.courses:
            if course.baseline is None:
                continue
            chosen = len(course.baseline.verdicts)
            for round_ in course.rounds:
                yield Watched(
                    round_.at,
                    record.pairs[:8],
                    round_.others,
                    chosen,
                    course.baseline.bound,
                    round_.evidence,
                    round_.is_alarm,
                )


def canary_course(rounds: Sequence[Watched], colours: Colours) -> Figure:
    """Share of other verdicts over time, one line for each set of pairs; rounds with an alarm are crosses."""
    if not rounds:
        raise NothingToShow("No canary has asked this judge since its baseline.")
    figure = empty_figure(colours, height=380)
    sets = list(dict.fromkeys(round_.pairs for round_ in rounds))
    for place, pairs in enumerate(sets):
        own, colour = (
            [round_ for round_ in rounds if round_.pairs == pairs],
            colours.judges[place % len(colours.judges)],
        )
        figure.add_scatter(
            x=[round_.at for round_ in own],
            y=[round_.bound for round_ in own],
            mode="lines",
            line={"color": colours.muted, "width": 1.5, "dash": "dash", "shape": "hv"},
            name=f"bound of its noise, pairs {pairs}" if len(sets) > 1 else "bound of its noise",
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[round_.at for round_ in own],
            y=[round_.share for round_ in own],
            mode="lines+markers",
            line={"color": colour, "width": 1.5},
            marker={
                "size": [13 if round_.is_alarm else 8 for round_ in own],
                "symbol": ["x" if round_.is_alarm else "circle" for round_ in own],
                "color": colour,
            },
            text=[
                f"{round_.others} of {round_.of} are others, evidence {round_.evidence:,.2f}"
                + (": judge changed" if round_.is_alarm else "")
                for round_ in own
            ],
            name=f"pairs {pairs}",
            hovertemplate="%{text}<br>%{x|%Y-%m-%d %H:%M}<extra></extra>",
            cliponaxis=False,
        )
    figure.update_xaxes(title="asked (UTC)", nticks=5)
    figure.update_yaxes(title="share of other verdicts", rangemode="tozero", zeroline=False)
    figure.update_layout(showlegend=True)
    return figure


def _table(rounds: Sequence[Watched]) -> ChartTable:
    heads: tuple[Head, ...] = (
        ("asked", "time"),
        ("others", "whole"),
        ("n, pairs", "whole"),
        ("share", "percent"),
        ("noise at most", "percent"),
        ("evidence", "decimal"),
        ("found", "text"),
    )
    rows = tuple(
        ChartRow(
            str(place),
            f"{place}",
            (
                round_.at,
                round_.others,
                round_.of,
                round_.share,
                round_.bound,
                round_.evidence,
                "judge changed" if round_.is_alarm else "no change",
            ),
        )
        for place, round_ in enumerate(rounds, start=1)
    )
    return ChartTable("Round", heads, rows)


CANARY: Chart[Sequence[Watched]] = Chart(
    "canary",
    "Has it changed?",
    "The same pairs asked again on a schedule: the share of verdicts that are others than the judge used to give. A "
    "cross is a round after which the evidence was enough to say that the judge changed; a new baseline begins there. "
    "The dashed line bounds the rate of its noise: a single round may lie above it by chance.",
    canary_course,
    _table,
)
