"""One base question of a 2026 run on the page: its pairs of languages, and the answers they are of."""

from __future__ import annotations

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent


class CulturalItemView(TemplateComponent):
    """One base question (`cultural_items.cultural_item_value`); None shows nothing.

    Event: `open` with {pair}; a blank pair is none.
    """

    IS_LARGE = True
    TEMPLATE = template("cultural_item_view")
    # A pair draws the view anew: whoever types stays on the button they pressed.
    SCRIPT = asset("cultural_item.js")
