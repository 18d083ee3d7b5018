"""The lab: one question under preferences, two columns written at once, judged as they stand."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.lab.form import Form, form_of
from leaderboard.lab.form_page import LabForm, lab_form, setup_row
from leaderboard.lab.gallery import GalleryView, gallery_value
from leaderboard.lab.links import LabView, replay_asked, replay_link, view_asked
from leaderboard.lab.reader import reader_asked, reader_link
from leaderboard.lab.reader_page import ReaderFormParts, reader_form
from leaderboard.lab.replay_page import ReplayForm, replay_form
from leaderboard.lab.replays import ReplayChoice, ReplayView, stepped
from leaderboard.lab.results_page import (
    VOTES,
    AnswerParts,
    LabResults,
    SessionParts,
    drawn,
    lab_answers,
    lab_results,
    lab_session,
)
from leaderboard.lab.screen import LabScreen, ShareValue, with_recorded
from leaderboard.lab.state import LabState
from leaderboard.lab.visit import Visit, Visits
from leaderboard.page.frame import ViewLink
from leaderboard.page.identity import lab_visitor, visitor_token
from leaderboard.page.links import view_link_value
from leaderboard.page.region import CHOSEN, QUIET, Arrival, answers_once
from leaderboard.parts.components import Notice
from leaderboard.parts.notices import notice

Values = tuple[Any, ...]

LIVE, REPLAY, READING = "live", "replay", "reader"
MODES = [("Live: ask models now", LIVE), ("Replay: stored answers", REPLAY), ("Reader: rate for one reader", READING)]

INTRODUCTION = (
    "A user's preferences can cost a model answers it had right. Ask one question two ways, side by side, and see."
)

SHOW_RESULTS = """() => {
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById('lab-set-up').scrollIntoView({behavior: calm ? 'auto' : 'smooth', block: 'start'});
}"""
"""The form folds as soon as the run begins: whoever presses Run far down in it wants to see the answers, which then
stand right below the line that says what is set."""


@dataclass(frozen=True, slots=True)
class LabPage:
    """The parts of the page."""

    screen: LabScreen
    visits: Visits
    visit: gr.State
    mode: gr.Radio
    live_boxes: list[gr.Row | gr.Column]
    """What is about running: the bar with Run, what is set, and the form."""
    blind: gr.Checkbox
    consent: gr.Checkbox
    link_notice: Notice
    gallery: GalleryView
    form: LabForm
    replay: ReplayForm
    reader: ReaderFormParts
    writing_boxes: list[gr.Column]
    """What is about models that write, and of no use to the mode that predicts a reader."""
    results: LabResults

    @property
    def outputs(self) -> list[Any]:
        """What `opened` fills."""
        shown = [*self.form.fields, *self.replay.outputs, *self.reader.outputs, *self.results.outputs]
        view = [self.blind, self.consent, self.results.threshold]
        return [self.visit, *self.mode_outputs, self.link_notice, self.gallery, *view, *shown]

    @property
    def mode_outputs(self) -> list[Any]:
        """What `mode_values` fills."""
        return [self.mode, *self.live_boxes, self.replay.box, self.reader.box, *self.writing_boxes]

    def opened(self, state: LabState, arrival: Arrival) -> tuple[LabState, Values]:
        """The state with the link to what is shown, and the page as a link asks for it, else as its visitor left it.

        Nothing is run.
        """
        # No region draws it, and what was typed is in the browser alone: it is never loaded anew by itself.
        return replace(state, lab=self.link(arrival.query), turn=0), self._restored(arrival)

    def _restored(self, arrival: Arrival) -> Values:
        query = arrival.query
        restored, asked, visit = self.screen.restored(query), replay_asked(query), self.visits.of(arrival.browser_tab)
        view, notes = view_asked(query), list(restored.notes)
        replayed: Values = tuple(gr.skip() for _ in self.replay.outputs)
        visit.look_at(None)
        visit.threshold = view.threshold
        if asked is not None:
            stored = self.screen.replay(asked)
            visit.look_at(stored.state, is_replay=True)
            replayed = self.replay.values(stored)
        reader = reader_asked(query)
        visit.is_reader = reader is not None
        read: Values = tuple(gr.skip() for _ in self.reader.outputs) if reader is None else self.reader.values(reader)
        gallery = self.screen.gallery()
        setup = restored.setup if restored.is_asked_for or visit.run is None else visit.run.setup
        is_first = not restored.is_asked_for and visit.run is None
        if asked is None and reader is None and (view.recorded or is_first):
            recorded = self.screen.look_at_recorded(visit, gallery, view.recorded)
            if recorded is not None and not restored.is_asked_for:
                setup = with_recorded(setup, recorded)
            if recorded is None and view.recorded:
                notes.append("The recorded answers that the link shows are not stored here.")
        said = notice("warning", "Part of the link could not be restored.", *notes) if notes else None
        shown = self.results.values(visit, form_of(setup, self.screen.catalogue))
        broken = gallery_value(gallery) if gallery else None
        viewed = (view.is_blind, gr.update(visible=view.is_blind), view.threshold)
        form = self.form.values(setup)
        return (visit, *self.mode_values(visit), said, broken, *viewed, *form, *replayed, *read, *shown)

    def mode_values(self, visit: Visit) -> Values:
        """The mode, which of the three forms is shown, and whether answers stand beside it."""
        mode = READING if visit.is_reader else REPLAY if visit.is_replay else LIVE
        forms = (*(LIVE for _ in self.live_boxes), REPLAY, READING)
        shown = (gr.update(visible=mode == form) for form in forms)
        return (mode, *shown, *(gr.update(visible=mode != READING) for _ in self.writing_boxes))

    def link(self, query: Mapping[str, str]) -> str:
        """The link to what `opened` shows; blank as on a first visit."""
        asked, restored = replay_asked(query), self.screen.restored(query)
        if asked is not None:
            return replay_link(asked)
        if (reader := reader_asked(query)) is not None:
            return reader_link(reader)
        view = view_asked(query)
        is_said = restored.is_asked_for or view != LabView()
        return (self.screen.link(restored.setup, view) or "") if is_said else ""


def lab_page(screen: LabScreen, page: gr.State, link: ViewLink) -> LabPage:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    visit = gr.State(Visit())
    live_off = screen.live_off()
    with gr.Row(elem_id="lab-head"):
        gr.Markdown(INTRODUCTION, elem_id="lab-introduction")
        mode = gr.Radio(MODES, value=LIVE, show_label=False, label="Mode", elem_id="lab-mode", min_width=330)
    with gr.Column() as writing_box:
        Notice(live_off, elem_id="lab-live-off")
    link_notice = Notice(elem_id="lab-link-notice")
    replay = replay_form()
    reader = reader_form(screen.reader, page, link)
    faults = Notice(elem_id="lab-faults")
    with gr.Row(elem_id="lab-run-bar") as run_bar:
        run = gr.Button("Run", variant="primary", elem_id="lab-run", scale=0, min_width=150, interactive=not live_off)
        cancel = gr.Button("Stop", variant="stop", elem_id="lab-cancel", scale=0, min_width=110, interactive=False)
        following = gr.Button("Next example", elem_id="lab-next", scale=0, min_width=170)
        blind = gr.Checkbox(
            label="Blind: hide names and verdicts until I vote", elem_id="lab-blind", container=False, min_width=200
        )
        consent = gr.Checkbox(
            label="My text and the answers may be kept with my vote", elem_id="lab-consent", container=False,
            min_width=200, visible=False,
        )  # fmt: skip
    set_up, line, presets = setup_row()
    with gr.Column(elem_id="lab-live") as live_box:
        form = lab_form(screen, line, presets)
    with gr.Column(elem_id="lab-results") as results_box:
        answers = lab_answers(line, screen.about_generators())
    with gr.Column() as session_box:
        session = lab_session()
    results = lab_results(screen, answers, session, run, cancel)
    lab = LabPage(
        screen, Visits(), visit, mode, [run_bar, set_up, live_box], blind, consent, link_notice, answers.gallery, form,
        replay, reader, [writing_box, results_box, session_box], results,
    )  # fmt: skip

    @answers_once
    async def on_run(now: Visit, is_blind: bool, request: gr.Request, *fields: Any) -> AsyncGenerator[Values, None]:
        asked = Form(*fields)
        problems = screen.faults(asked)
        if problems:
            yield (problems, *(gr.skip() for _ in results.outputs))
            return
        visitor, token = lab_visitor(request), visitor_token(request)
        async with aclosing(screen.run(now, asked, is_blind=is_blind, visitor=visitor, token=token)) as pictures:
            async for values in drawn(pictures, lambda picture: results.values(now, asked, picture)):
                yield (None, *values)

    run.click(None, js=SHOW_RESULTS, **QUIET)
    run.click(
        on_run, [visit, blind, *form.inputs], [faults, *results.outputs], concurrency_limit=None,
        api_visibility="private", show_progress="hidden",
        trigger_mode="multiple",  # Run pressed at the very end of a run is heard; a run at work is left alone
    )  # fmt: skip
    cancel.click(lambda now: now.cancel(), visit, None, **QUIET)
    blind.input(lambda is_blind: gr.update(visible=is_blind), blind, consent, **CHOSEN)
    _wire_results(screen, visit, consent, form, results, session)
    _wire_share(lab, page, link, answers)
    _wire_session(screen, visit, form, results, session)
    _wire_replay(lab, page, link)

    def on_next(now: Visit, *fields: Any) -> Values:
        if now.is_running:
            return (gr.skip(),) * len([*form.fields, *results.outputs])
        before = Form(*fields)
        asked = screen.next_example(now, before)
        return (*form.redrawn(before, asked)[: len(form.fields)], *results.values(now, asked))

    following.click(on_next, [visit, *form.inputs], [*form.fields, *results.outputs], **QUIET)
    return lab


def _wire_results(
    screen: LabScreen, visit: gr.State, consent: gr.Checkbox, form: LabForm, results: LabResults, session: SessionParts
) -> None:
    """Votes, the threshold, and runs that are looked at again."""

    def on_vote(choice: str) -> Callable[..., Values]:
        def voted(now: Visit, may_keep: bool, request: gr.Request, *fields: Any) -> Values:
            screen.vote(now, choice, consent=may_keep, visitor=lab_visitor(request))
            return results.values(now, Form(*fields))

        return voted

    def on_threshold(now: Visit, value: float, *fields: Any) -> Values:
        now.threshold = value
        return results.values(now, Form(*fields))

    def on_earlier(now: Visit, number: int | None, *fields: Any) -> Values:
        if isinstance(number, int) and 0 <= number < len(now.runs):
            now.look_at(now.runs[number])
        return results.values(now, Form(*fields))

    for button, (choice, _) in zip(results.votes, VOTES, strict=True):
        button.click(on_vote(choice), [visit, consent, *form.inputs], results.outputs, **QUIET)
    results.threshold.input(on_threshold, [visit, results.threshold, *form.inputs], results.outputs, **CHOSEN)
    results.runs.input(on_earlier, [visit, results.runs, *form.inputs], results.outputs, **CHOSEN)


def _wire_share(lab: LabPage, page: gr.State, link: ViewLink, answers: AnswerParts) -> None:
    """The link that rebuilds this view."""

    def on_share(state: LabState, now: Visit, is_blind: bool, *fields: Any) -> Values:
        view = LabView(now.recorded, is_blind, now.threshold)
        share = ShareValue(state.lab, None) if now.is_replay else lab.screen.share(Form(*fields), view)
        linked = replace(state, lab=share.link)
        is_whole = now.is_replay or now.state is None or bool(now.recorded)
        said = "" if is_whole else "It holds the set-up; answers are kept nowhere: export the session to keep them."
        value = {"href": share.link, "text": "Link to this view", "said": said} if share.link else None
        return linked, view_link_value(linked), value, share.said

    inputs = [page, lab.visit, lab.blind, *lab.form.inputs]
    answers.share.click(on_share, inputs, [page, link, answers.link, answers.said], **QUIET)


def _wire_session(
    screen: LabScreen, visit: gr.State, form: LabForm, results: LabResults, session: SessionParts
) -> None:
    """The file, and a fresh start."""

    def on_load(now: Visit, path: str | None, *fields: Any) -> Values:
        said = screen.load(now, Path(path)) if path else None
        return (said, *results.values(now, Form(*fields)))

    def on_reset(now: Visit, *fields: Any) -> Values:
        now.reset()
        return results.values(now, Form(*fields))

    session.export.click(screen.export, visit, [session.download, session.said], **QUIET)
    session.load.upload(on_load, [visit, session.load, *form.inputs], [session.said, *results.outputs], **QUIET)
    session.reset.click(on_reset, [visit, *form.inputs], results.outputs, **QUIET)


def _wire_replay(lab: LabPage, page: gr.State, link: ViewLink) -> None:
    """Live or replay, and what is replayed."""
    screen, visit, replay, results = lab.screen, lab.visit, lab.replay, lab.results

    def shown(state: LabState, now: Visit, view: ReplayView, fields: Values) -> Values:
        now.look_at(view.state, is_replay=True)
        linked = replace(state, lab=replay_link(view.choice))
        drawn = results.values(now, Form(*fields))
        return (linked, view_link_value(linked), *lab.mode_values(now), *replay.values(view), *drawn)

    def on_mode(state: LabState, now: Visit, mode: str, *fields: Any) -> Values:
        now.is_reader = mode == READING
        if mode == REPLAY:
            return shown(state, now, screen.replay(ReplayChoice()), fields)
        now.look_at(None)
        linked = replace(state, lab=reader_link(screen.reader.choices()[0][1]) if mode == READING else "")
        same = (gr.skip() for _ in replay.outputs)
        return (linked, view_link_value(linked), *lab.mode_values(now), *same, *results.values(now, Form(*fields)))

    def on_choice(step: int) -> Callable[..., Values]:
        def chosen(state: LabState, now: Visit, a: Any, b: Any, example: Any, *fields: Any) -> Values:
            view = screen.replay(ReplayChoice(a or "", b or "", example or ""))
            return shown(state, now, screen.replay(stepped(view, step)) if step else view, fields)

        return chosen

    outputs = [page, link, *lab.mode_outputs, *replay.outputs, *results.outputs]
    lab.mode.input(on_mode, [page, visit, lab.mode, *lab.form.inputs], outputs, **CHOSEN)
    asked = [page, visit, *replay.inputs, *lab.form.inputs]
    for choice in (replay.a, replay.b, replay.example):
        choice.input(on_choice(0), asked, outputs, **CHOSEN)
    replay.previous.click(on_choice(-1), asked, outputs, **QUIET)
    replay.following.click(on_choice(1), asked, outputs, **QUIET)
