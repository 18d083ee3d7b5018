"""The paper's own systems, on dialogues of their own: a collection that nobody can answer."""

from __future__ import annotations

from functools import cache

from evaluator.behavior_alignment.published import (
    DIALOGUES,
    published_figures,
    published_systems,
)
from evaluator.published import published_source
from leaderboard.boards.behavior_alignment.rows import BehaviorRow
from leaderboard.parts.chart import ChartRow, ChartTable
from leaderboard.parts.published import AS_PRINTED, Publication
from leaderboard.parts.tables import TableValue

PUBLISHED_ID = "INSPIRED"
"""The collection in links: no answered one is called so, because those have 16 hexadecimal digits."""
PUBLICATION = Publication(
    citation=published_source("evaluator.behavior_alignment"),
    short="arXiv 2404.11773",
    link="https://arxiv.org/abs/2404.11773",
    mark=AS_PRINTED,
)
ID = "published/"
"""Begins the id of a published row."""


@cache
def published_rows() -> tuple[BehaviorRow, ...]:
    """Table 1: no alignment is printed there."""
    return tuple(
        BehaviorRow(
            id=f"{ID}{system.name}",
            name=system.name,
            basis="annotated",
            figures=system.figures,
            n=DIALOGUES,
            team=PUBLICATION.short,
            published=PUBLICATION.mark,
            remark=f"{PUBLICATION.mark} ({PUBLICATION.short}, Table 1, which does not define its turns)",
        )
        for system in published_systems()
    )


@cache
def printed_table() -> TableValue:
    """What is printed about the measure and its classifiers."""
    rows = tuple(
        ChartRow(str(place), figure.what, (figure.value, figure.place))
        for place, figure in enumerate(published_figures())
    )
    caption = f"The measure and its classifiers: {PUBLICATION.mark} ({PUBLICATION.short})"
    return ChartTable("Figure", (("Printed", "text"), ("Where", "text")), rows).value(caption)
