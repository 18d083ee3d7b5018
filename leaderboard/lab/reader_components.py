"""What the judge predicts of one reader: two ratings with their labels, and five aspects in both orders."""

from __future__ import annotations

from leaderboard.assets import template
from leaderboard.parts.components import TemplateComponent


class ReaderView(TemplateComponent):
    """A run of the reader mode (`reader.reader_value`)."""

    TEMPLATE = template("reader_view")
