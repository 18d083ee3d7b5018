"""Components of the lab. Text of models and visitors goes through `{{ }}` or `textContent`, nowhere else."""

from __future__ import annotations

from typing import Any

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent


class PreferenceList(TemplateComponent):
    """The ordered list of preferences: write, move, delete, and mark at most one as relevant.

    Value, both ways: {preferences: [text], relevant: place or None}; nothing the browser sends is trusted. Event:
    `edited`, a moment after the last change. The browser builds the rows itself: moving one costs no round trip, and
    what is being typed is never written over.
    """

    TEMPLATE = template("preference_list")
    SCRIPT = asset("preference_list.js")

    def postprocess(self, value: Any) -> Any:
        return value  # No template shows it: the script puts it into fields, as it is.


class SettingCard(TemplateComponent):
    """What list and flag come to (`values.setting_value`)."""

    TEMPLATE = template("setting_card")


class SetupLine(TemplateComponent):
    """What is set, in one line (`values.setup_line_value`), and the button that folds and unfolds the form.

    The form is folded when a run is shown that was not shown before (`shown`; 0 = none is); then it is the visitor's
    choice. The row with this line carries the mark by which the style sheet hides the form behind it.
    """

    TEMPLATE = template("setup_line")
    SCRIPT = asset("setup_line.js")


class SetupView(TemplateComponent):
    """Question and preferences of the run that is shown (`values.setup_value`); None shows nothing."""

    TEMPLATE = template("setup_view")


class RunStatus(TemplateComponent):
    """One polite sentence about the run; it changes with the phase, never with a token. Value: {text, kind}."""

    TEMPLATE = """
<p class="shown run-status {{value.kind}}" role="status">{{value.text}}</p>
"""


_FOLLOW_TEXT = asset("follow_text.js")


class AnswerPane(TemplateComponent):
    """One column: who writes, what stands there so far, and what changed (`values.PaneValue`)."""

    TEMPLATE = template("answer_pane")
    SCRIPT = _FOLLOW_TEXT


class ControlStrip(TemplateComponent):
    """The answers without preferences (`values.controls_value`)."""

    TEMPLATE = template("control_strip")
    SCRIPT = _FOLLOW_TEXT


class VerdictView(TemplateComponent):
    """The verdict card of one column (`values.verdict_value`)."""

    TEMPLATE = template("verdict_view")


class PairwiseView(TemplateComponent):
    """A against B in both orders (`values.pairwise_value`)."""

    TEMPLATE = template("pairwise_view")


class PromptsView(TemplateComponent):
    """The exact prompts in a closed section (`values.prompts_value`)."""

    # Not in a gr.Accordion: what is streamed to a component inside a closed one is lost (gradio 6.31).
    TEMPLATE = template("prompts_view")
    SCRIPT = asset("lab_prompts.js")


class ShareLink(TemplateComponent):
    """A link with a button that copies it. Value: {href, text, said: what it does not hold}; None shows nothing."""

    TEMPLATE = template("share_link")
    SCRIPT = asset("share_link.js")
