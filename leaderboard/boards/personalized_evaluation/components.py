"""One predicted item on the page: profile, new text, distribution, explanation, both orders."""

from __future__ import annotations

from leaderboard.assets import template
from leaderboard.parts.components import TemplateComponent


class ReadingView(TemplateComponent):
    """One item of an evaluator (`items.reading_value`); None shows nothing."""

    TEMPLATE = template("reading_view")
