"""Components of the board of recommenders. Text of teams goes through `{{ }}`, nowhere else."""

from __future__ import annotations

from leaderboard.assets import template
from leaderboard.parts.components import TemplateComponent


class DialogueView(TemplateComponent):
    """One dialogue, both answers at every turn (`dialogues.dialogue_value`); None shows nothing."""

    IS_LARGE = True
    TEMPLATE = template("dialogue_view")
