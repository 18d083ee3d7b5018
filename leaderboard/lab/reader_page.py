"""The lab's reader mode: a few reviews of one reader, two new texts, and what the judge predicts."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr
from gradio.components import Component

from evaluator.lab.reader import MAX_REVIEW, MAX_REVIEWS, MAX_TEXT
from leaderboard.assets import template
from leaderboard.lab.components import RunStatus
from leaderboard.lab.reader import ReaderScreen, ReaderVisit, form_of_fields, reader_link
from leaderboard.lab.state import LabState
from leaderboard.page.frame import ViewLink
from leaderboard.page.identity import lab_visitor
from leaderboard.page.links import view_link_value
from leaderboard.page.region import CHOSEN, QUIET, answers_once
from leaderboard.parts.components import Download, Notice, TemplateComponent


class ReaderView(TemplateComponent):
    """A run of the reader mode (`reader.reader_value`)."""

    TEMPLATE = template("reader_view")


Values = tuple[Any, ...]

INTRODUCTION = (
    "### Rate for one reader\n"
    "People disagree about stories. Give a few reviews of one reader and two new texts: the judge takes this reader's "
    "place, rates each text from 1 to 10, and says for five aspects which of the two this reader prefers, with either "
    "text shown first. Nothing is kept but the verdicts."
)
FIRST_OPEN = 3
"""Reviews whose fields are open at first."""


@dataclass(frozen=True, slots=True)
class ReaderFormParts:
    """The components of the mode."""

    screen: ReaderScreen
    box: gr.Column
    reader: gr.Dropdown
    fields: list[Component]

    @property
    def outputs(self) -> list[Any]:
        """What `values` fills."""
        return [self.reader, *self.fields]

    def values(self, reader: str) -> Values:
        """The form of a reader."""
        return (reader, *self.screen.chosen_fields(reader))


def reader_form(screen: ReaderScreen, page: gr.State, link: ViewLink) -> ReaderFormParts:
    """The form with its results, hidden until the mode is chosen."""
    visit = gr.State(ReaderVisit())
    first = screen.choices()[0][1]
    values = screen.first_fields()
    with gr.Column(visible=False, elem_id="lab-reader", elem_classes=["lab-panel"]) as box:
        gr.Markdown(INTRODUCTION, container=False)
        Notice(screen.unable(), elem_id="reader-unable")
        reader = gr.Dropdown(
            screen.choices(), value=first, label="Begin with", elem_id="reader-choice", filterable=False
        )
        fields: list[Component] = []
        for number in range(MAX_REVIEWS):
            fields += _review(number, values[3 * number : 3 * number + 3])
        with gr.Row():
            for name, text in zip("ab", values[-2:], strict=True):
                fields.append(
                    gr.Textbox(
                        str(text),
                        label=f"New text {name.upper()}",
                        elem_id=f"reader-text-{name}",
                        lines=4,
                        max_length=MAX_TEXT,
                        min_width=280,
                    )
                )
        with gr.Row(elem_id="reader-run-bar"):
            run = gr.Button("Rate these two", variant="primary", elem_id="reader-run", scale=0, min_width=170)
            cancel = gr.Button("Stop", variant="stop", elem_id="reader-cancel", scale=0, min_width=110)
            export = gr.Button("Export session (JSON)", elem_id="reader-export", size="sm", scale=0, min_width=190)
        faults = Notice(elem_id="reader-faults")
        status = RunStatus(screen.picture(None).status, elem_id="reader-status")
        view = ReaderView(elem_id="reader-result")
    download = Download(elem_id="reader-download")

    @answers_once
    async def on_run(now: ReaderVisit, request: gr.Request, *given: Any) -> AsyncGenerator[Values, None]:
        form = form_of_fields(given)
        problems = screen.faults(form)
        if problems:
            yield problems, gr.skip(), gr.skip()
            return
        async with aclosing(screen.run(now, form, lab_visitor(request))) as pictures:
            async for picture in pictures:
                yield (None, *picture)

    def on_reader(state: LabState, chosen: str) -> Values:
        linked = replace(state, lab=reader_link(chosen))
        return (linked, view_link_value(linked), *screen.chosen_fields(chosen))

    run.click(
        on_run,
        [visit, *fields],
        [faults, status, view],
        concurrency_limit=None,
        api_visibility="private",
        show_progress="hidden",
    )
    cancel.click(lambda now: now.cancel(), visit, None, **QUIET)
    export.click(screen.export, visit, [download, faults], **QUIET)
    reader.input(on_reader, [page, reader], [page, link, *fields], **CHOSEN)
    return ReaderFormParts(screen, box, reader, fields)


def _review(number: int, values: tuple[Any, ...]) -> list[Component]:
    """One earlier text with what the reader wrote and gave."""
    text, review, score = values
    box = gr.Accordion(f"Review {number + 1}", open=number < FIRST_OPEN, elem_id=f"reader-review-{number + 1}")
    with box, gr.Row():
        return [
            gr.Textbox(
                text,
                label=f"Text that was reviewed ({number + 1})",
                elem_id=f"reader-earlier-{number + 1}",
                lines=3,
                max_length=MAX_TEXT,
                min_width=260,
                scale=3,
            ),
            gr.Textbox(
                review,
                label=f"What this reader wrote ({number + 1})",
                elem_id=f"reader-wrote-{number + 1}",
                lines=3,
                max_length=MAX_REVIEW,
                min_width=220,
                scale=2,
            ),
            gr.Number(
                score,
                label=f"Score 1-10 ({number + 1})",
                elem_id=f"reader-score-{number + 1}",
                min_width=110,
                scale=1,
            ),
        ]
