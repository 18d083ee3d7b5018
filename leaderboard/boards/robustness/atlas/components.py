"""The component of the variation atlas: every map is chart and table at once."""

from __future__ import annotations

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent

FOLLOWS = asset("atlas_links.js")
"""Links of the component change the page state, unless they are to be opened elsewhere."""


class AtlasView(TemplateComponent):
    """Heat maps side by side (`values.AtlasValue`); None shows nothing.

    Colours lie behind the numbers and say nothing more. Events: `open` with {place: the parameters of a link},
    `save`.
    """

    IS_LARGE = True
    TEMPLATE = template("atlas_view")
    SCRIPT = FOLLOWS + asset("atlas_keys.js")
