"""The component of ranks under other choices."""

from __future__ import annotations

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent


class ChoicesTable(TemplateComponent):
    """Systems x choices (`values.choices_value`); None shows nothing.

    Events: `choose` with {choice}, from a heading or any cell below it; `open` with {row}, from a name.
    """

    IS_LARGE = True
    TEMPLATE = template("choices_table")
    # A cell leads where its heading leads; the two columns after the name lead nowhere.
    SCRIPT = asset("choices_table.js")
