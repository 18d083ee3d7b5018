"""Components of the view of one system: its rank explained, another system beside it, its card."""

from __future__ import annotations

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent


class RankReasons(TemplateComponent):
    """Why a system holds its rank (`comparison.rank_value`); None shows nothing."""

    TEMPLATE = template("rank_reasons")


class ComparedItems(TemplateComponent):
    """Both scores of every common item (`comparison.compared_items_value`); None shows nothing.

    Event: `open` with {place}: "first/ITEM" or "second/ITEM".
    """

    IS_LARGE = True
    TEMPLATE = template("compared_items")
    SCRIPT = asset("compared_items.js")


class SystemCard(TemplateComponent):
    """Boards, attempts and manifest of one system (`card.card_value`); None shows nothing."""

    TEMPLATE = template("system_card")
