"""The component of the Overview."""

from __future__ import annotations

from typing import Any

from leaderboard.assets import template
from leaderboard.parts.components import TemplateComponent


class Overview(TemplateComponent):
    """A finding, what each board says, what to do next (`overview_screen.OverviewValue`)."""

    TEMPLATE = template(
        "overview",
        boards=template("overview_board", of=""),
        examples=template("overview_board", of=", samples"),  # landmarks have one name each
    )

    def sent_with_page(self, value: Any) -> Any:
        return value
