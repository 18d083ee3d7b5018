"""Puts the fold on the page of a run and answers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr

from leaderboard.eval_results.components import ModelCard
from leaderboard.eval_results.screen import ModelCardScreen, ModelCardValue
from leaderboard.page.region import QUIET
from leaderboard.parts.export_components import site_address


def model_card(screen: ModelCardScreen, page: gr.State, *, elem_id: str) -> ModelCard:
    """The fold of the opened run; the page draws it closed (`screen.CLOSED`)."""
    fold = ModelCard(elem_id=elem_id)

    def wanted(state: Any, event: gr.EventData) -> ModelCardValue:
        carried = event._data
        address = carried.get("address") if isinstance(carried, Mapping) else None
        return screen.value(state.system, site_address(address))

    fold.wanted(wanted, page, fold, **QUIET)
    return fold
