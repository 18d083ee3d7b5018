"""The components of the About page."""

from __future__ import annotations

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent

# What a link asks for comes after the page, and is shown some time later: the section is opened once it has a place.
_OPEN_SECTION = asset("open_section.js")


class MethodsView(TemplateComponent):
    """The contents of the page, or one board with its columns (`methods_page.methods_value`).

    `?section=board.column` opens that column's section.
    """

    TEMPLATE = template("methods_view")
    SCRIPT = _OPEN_SECTION


class JudgesGuide(TemplateComponent):
    """The judges one can configure (`methods_page.judges_value`); their cards stand below it."""

    TEMPLATE = template("judges_guide")


class PracticeView(TemplateComponent):
    """How to reproduce a score and cite it, and the states of a submission (`methods_page.practice_value`)."""

    TEMPLATE = template("practice_view")


class ColumnGuide(TemplateComponent):
    """What the columns of a board mean, each with a link to its section (`methods_page.guide_value`)."""

    TEMPLATE = template("column_guide")
