"""Votes on the verdicts of an opened item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from leaderboard.page.region import EACH
from leaderboard.parts.components import ItemView
from leaderboard.parts.item_values import ItemValue

Voted = Callable[[Any, object, gr.Request | None], ItemValue | None]
"""Keeps the vote an event carries, and gives the item as it is then."""


def on_vote(item: ItemView, page: gr.State, voted: Voted) -> None:
    """Lets a vote be kept and the item drawn anew; nothing else of the page changes."""

    def handler(state: Any, event: gr.EventData, request: gr.Request) -> ItemValue | None:
        return voted(state, event._data, request)

    # Every press counts, however fast one follows another.
    item.vote(handler, page, item, **EACH)
