"""Where a run of the lab is shown: answers, votes, verdicts, controls, comparison, prompts, session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from leaderboard.lab.components import (
    AnswerPane,
    ControlStrip,
    PairwiseView,
    PromptsView,
    RunStatus,
    SetupLine,
    SetupView,
    ShareLink,
    VerdictView,
)
from leaderboard.lab.form import Form
from leaderboard.lab.gallery import GalleryView
from leaderboard.lab.screen import LabScreen, Picture, run_choices
from leaderboard.lab.visit import Visit
from leaderboard.parts.components import Download, JudgeCards, Notice, Table
from leaderboard.parts.notices import NoticeValue
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD

Values = tuple[Any, ...]

VOTES = (
    ("first", "Answer 1 is better"),
    ("second", "Answer 2 is better"),
    ("tie", "Tie"),
    ("both_bad", "Both bad"),
    ("skip", "Skip, show names"),
)


@dataclass(frozen=True, slots=True)
class LabResults:
    """The components of a run; `outputs` are those of `Picture` in its order, then what a visit switches on and off."""

    screen: LabScreen
    outputs: list[Component]
    votes: tuple[gr.Button, ...]
    """In the order of `VOTES`."""
    threshold: gr.Slider
    runs: gr.Dropdown

    def values(self, visit: Visit, form: Form, picture: Picture | None = None) -> Values:
        """One value per output."""
        choices = run_choices(visit.runs)
        return (
            *(picture or self.screen.picture(visit, form)),
            gr.update(value="Running …" if visit.is_running else "Run"),
            gr.update(interactive=visit.is_running),
            gr.update(visible=visit.is_hidden and visit.run is not None),
            gr.update(choices=choices, visible=bool(choices)),
        )


def changed(values: Values, before: Values | None) -> Values:
    """Only what is not on the page already: what stands still is not sent again ten times a second."""
    if before is None:
        return values
    return tuple(gr.skip() if value == old else value for value, old in zip(values, before, strict=True))


async def drawn(pictures: AsyncIterator[Picture], draw: Callable[[Picture | None], Values]) -> AsyncIterator[Values]:
    """The values of a run, picture by picture, then all of them as they stand once it is over.

    Args:
        draw: Values of one picture; without one, of the visit as it stands by then. A visitor may move the threshold or
            vote as soon as the page says "Done.", before the run's event is over: its last values must not be older.
    """
    before: Values | None = None
    async for picture in pictures:
        values = draw(picture)
        yield changed(values, before)
        before = values
    if before is not None:
        yield draw(None)  # whole: whatever got lost on the way, the end of a run stands on the page


@dataclass(frozen=True, slots=True)
class SessionParts:
    """What is done with a session as a whole, and what all visitors' votes come to."""

    runs: gr.Dropdown
    tally: Table
    ratings_said: Notice
    ratings: Table
    export: gr.Button
    load: gr.UploadButton
    reset: gr.Button
    said: Notice
    download: Download

    @property
    def shown(self) -> list[Component]:
        """What a run fills of it, as `Picture` ends."""
        return [self.tally, self.ratings_said, self.ratings]


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """Where the answers stand, and everything about them."""

    outputs: list[Component]
    """Of `Picture` in its order, but for the tally and the ratings."""
    vote_row: gr.Row
    votes: tuple[gr.Button, ...]
    threshold: gr.Slider
    gallery: GalleryView
    share: gr.Button
    link: ShareLink
    said: Notice
    """Why there is no link."""


def lab_results(
    screen: LabScreen, answers: AnswerParts, session: SessionParts, run: gr.Button, cancel: gr.Button
) -> LabResults:
    """What a run fills.

    Args:
        run: Says that a run is under way.
        cancel: Can be pressed only then.
    """
    outputs: list[Any] = [*answers.outputs, *session.shown, run, cancel, answers.vote_row, session.runs]
    return LabResults(screen, outputs, answers.votes, answers.threshold, session.runs)


def lab_answers(line: SetupLine, about: NoticeValue | None) -> AnswerParts:
    """Answers on top, everything about them below.

    Args:
        line: What is set; of the form, and folded by what is shown here.
        about: What to know of the models that write here.
    """
    with gr.Row(elem_id="lab-shown"):
        status = RunStatus(elem_id="lab-status")
        share = gr.Button("Share", elem_id="lab-share", size="sm", scale=0, min_width=90)
    link, said = ShareLink(elem_id="lab-share-link"), Notice(elem_id="lab-share-notice")
    setup = SetupView(elem_id="lab-setup")
    with gr.Row(elem_id="lab-answers", elem_classes=["lab-row"]):
        panes = [AnswerPane(elem_id=f"lab-answer-{number}") for number in (1, 2)]
    with gr.Row(visible=False, elem_id="lab-votes") as vote_row:
        votes = tuple(
            gr.Button(label, elem_id=f"vote-{choice}", size="sm", min_width=130, variant=_variant(choice))
            for choice, label in VOTES
        )
    ballot, agreement = Notice(elem_id="lab-ballot"), Notice(elem_id="lab-agreement")
    with gr.Row(elem_id="lab-verdicts", elem_classes=["lab-row"]):
        verdicts = [VerdictView(elem_id=f"lab-verdict-{number}") for number in (1, 2)]
    Notice(about, elem_id="lab-about-models")
    gallery = GalleryView(elem_id="lab-gallery")
    controls = ControlStrip(elem_id="lab-controls")
    with gr.Row(elem_classes=["lab-row"]):
        with gr.Column(min_width=320):
            pairwise = PairwiseView(elem_id="lab-pairwise")
            threshold = gr.Slider(
                1, 5, value=FOLLOW_THRESHOLD, step=0.5, elem_id="lab-threshold",
                label="Followed from this rating up (changes only the two cards here)",
            )  # fmt: skip
        with gr.Column(min_width=320):
            judge_card = JudgeCards(elem_id="lab-judge-card")
    prompts = PromptsView(elem_id="lab-prompts")
    outputs: list[Component] = [
        line,
        status,
        setup,
        *panes,
        *verdicts,
        controls,
        pairwise,
        judge_card,
        prompts,
        ballot,
        agreement,
    ]
    return AnswerParts(outputs, vote_row, votes, threshold, gallery, share, link, said)


def _variant(choice: str) -> Any:
    return "secondary" if choice == "skip" else "primary"


def lab_session() -> SessionParts:
    """What is done with a session as a whole, and what all visitors' votes come to."""
    with gr.Column(elem_id="lab-session", elem_classes=["lab-panel"]):
        gr.Markdown("### This session", container=False)
        runs = gr.Dropdown([], label="Look at a run again", elem_id="lab-runs", visible=False, filterable=False)
        tally = Table(elem_id="lab-tally")
        with gr.Row():
            export = gr.Button("Export session (JSON)", elem_id="lab-export", size="sm", scale=0, min_width=190)
            load = gr.UploadButton(
                "Load exported session", file_types=[".json"], elem_id="lab-load", size="sm", scale=0, min_width=190
            )
            reset = gr.Button("Reset session", elem_id="lab-reset", size="sm", scale=0, min_width=150)
        said = Notice(elem_id="lab-file-notice")
        download = Download(elem_id="lab-download")
    with gr.Column(elem_id="lab-visitors", elem_classes=["lab-panel"]):
        gr.Markdown("### Blind votes of all visitors", container=False)
        ratings_said, ratings = Notice(elem_id="lab-ratings-said"), Table(elem_id="lab-ratings")
    return SessionParts(runs, tally, ratings_said, ratings, export, load, reset, said, download)
