"""Choosing what is replayed: two stored rows and an example both have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from leaderboard.lab.replays import ReplayView
from leaderboard.parts.components import Notice
from leaderboard.parts.notices import notice

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ReplayForm:
    """What a visitor chooses by."""

    box: gr.Column
    a: gr.Dropdown
    b: gr.Dropdown
    example: gr.Dropdown
    previous: gr.Button
    following: gr.Button
    said: Notice

    @property
    def inputs(self) -> list[Component]:
        """The fields of `ReplayChoice`, in its order."""
        return [self.a, self.b, self.example]

    @property
    def outputs(self) -> list[Component]:
        """What `values` fills."""
        return [self.a, self.b, self.example, self.previous, self.following, self.said]

    def values(self, view: ReplayView) -> Values:
        """One value per output."""
        can_step = gr.update(interactive=len(view.examples) > 1)
        return (
            gr.update(choices=view.rows, value=view.choice.a or None),
            gr.update(choices=view.rows, value=view.choice.b or None),
            gr.update(choices=view.examples, value=view.choice.example or None),
            can_step,
            can_step,
            notice("plain" if view.state is None else "warning", *view.notes) if view.notes else None,
        )


def replay_form() -> ReplayForm:
    """The form, hidden until replay is chosen."""
    with gr.Column(visible=False, elem_id="lab-replay", elem_classes=["lab-panel"]) as box:
        gr.Markdown(
            "### Stored answers side by side\nNothing is generated or judged: texts and verdicts are those of scored "
            "submissions.",
            container=False,
        )
        with gr.Row():
            a, b = (
                gr.Dropdown([], label=f"Column {side.upper()}: system and method", elem_id=f"replay-{side}")
                for side in ("a", "b")
            )
        with gr.Row(elem_classes=["replay-steps"]):
            previous = gr.Button("← Previous", elem_id="replay-previous", size="sm", scale=0, min_width=110)
            example = gr.Dropdown([], label="Example", elem_id="replay-example", scale=4, min_width=240)
            following = gr.Button("Next →", elem_id="replay-next", size="sm", scale=0, min_width=110)
        said = Notice(elem_id="replay-notice")
    return ReplayForm(box, a, b, example, previous, following, said)
