"""The fold on the page of a run: what to put on its model card."""

from __future__ import annotations

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent
from leaderboard.parts.export_components import COPY_PART


class ModelCard(TemplateComponent):
    """A closed fold that asks for its content when it is opened. Value: `screen.ModelCardValue`; None shows nothing.

    Event: `wanted` with {address} of this site.
    """

    TEMPLATE = template("model_card")
    SCRIPT = COPY_PART + asset("model_card.js")
