"""The page of a published record: one sentence, where it comes from, the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from evaluator.public_record.records import Published
from leaderboard.page.board import board_parts, live_page
from leaderboard.page.board_table import BoardTable
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage, Region
from leaderboard.page.state import PageState
from leaderboard.parts.components import Notice, Table
from leaderboard.parts.notices import NoticeValue
from leaderboard.parts.published import NEVER_RANKED
from leaderboard.parts.tables import TableValue


def record_page(
    table: BoardTable[Any, Any],
    opening: NoticeValue,
    below: NoticeValue | None,
    more: Sequence[TableValue],
    page: gr.State,
    link: ViewLink,
) -> LivePage[PageState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it.

    Args:
        table: The board.
        opening: Stands above it.
        below: Stands below it; None = nothing.
        more: Tables below that.
    """
    prefix = f"{table.board.replace('_', '-')}-"
    Notice(opening, elem_id=f"{prefix}opening")
    parts = board_parts(table, page, prefix=prefix)
    if below:
        Notice(below, elem_id=f"{prefix}below")
    for place, value in enumerate(more):
        Table(value, elem_id=f"{prefix}more-{place}")
    region: Region[PageState] = Region.of_parts(page, link, [parts], lambda: prefix)
    parts.wire(region)
    return live_page(region, lambda: prefix, keep=parts.controls, prefix=prefix)


def opening_notice(sentence: str, record: Published, *lines: str) -> NoticeValue:
    """The head of the page: its sentence, what else comes first, whose figures these are, and how they came about."""
    return {
        "kind": "plain",
        "title": sentence,
        "lines": [*lines, f"{record.citation}. {NEVER_RANKED}"],
        "link": record.link,
        "link_text": f"arXiv {record.link.rpartition('/')[2]}",
        "folded_title": "Where these figures come from",
        "folded": [
            f"Source: {record.source} ({record.licence}).",
            f"Computed on {record.computed_on} by Plumbline {record.code_version}; only figures are kept here.",
        ],
    }
