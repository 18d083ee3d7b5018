"""The judge report: drop a judge's log, and read how far that judge can be trusted; publish its figures if you like."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Literal

import gradio as gr
from gradio.components import Component

from evaluator.judge_logs.registry import AUTO
from evaluator.judge_report.published import MOST_NAME, JudgeFigures
from evaluator.judge_report.text import shown_name
from leaderboard.judge_report.charts import calibration_value
from leaderboard.judge_report.components import BlindLabelling, ColumnMapper, FaultsView, ReportDownloads, ReportView
from leaderboard.judge_report.job import Reported
from leaderboard.judge_report.labelling import LabellingFound, LabellingJob, LabellingValue, cast_votes
from leaderboard.judge_report.publishing import WHAT_IS_PUBLISHED, OpenedReport, ReportAct, ReportPublishing, Stated
from leaderboard.judge_report.screen import (
    FORMATS,
    NO_FILE,
    WHAT_BECOMES_OF_IT,
    Shown,
    chosen_mapping,
    nothing_shown,
    nothing_to_label,
    report_job,
    shown_report,
    waiting_notice,
)
from leaderboard.page.file_checks import told_in_turn
from leaderboard.page.frame import ViewLink
from leaderboard.page.identity import current_request, visitor_key
from leaderboard.page.links import view_link_value
from leaderboard.page.region import QUIET, Arrival, Region, answers_once
from leaderboard.page.services import Services
from leaderboard.page.state import JudgeReportState
from leaderboard.parts.chart import ChartsValue
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import Notice
from leaderboard.parts.notices import NoticeValue
from submissions.store.decisions import MOST_REASON

Read = dict[str, Any]
"""What was read last, kept for its visitor: the `path` of the log, its `columns`, the `mapping` chosen for them, the
`figures` that may be published, and the `votes` that were given on the page."""
NOTHING_READ: Read = {"path": "", "columns": (), "mapping": {}, "figures": (), "votes": {}}


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The page as its link opens it: the form, or a published report."""

    region: Region[JudgeReportState]

    @property
    def outputs(self) -> list[Any]:
        """What `opened` fills."""
        return list(self.region.outputs)

    def opened(self, state: JudgeReportState, arrival: Arrival) -> tuple[JudgeReportState, tuple[Any, ...]]:
        """The state that is shown when somebody comes by a link, and one value per output."""
        return state, self.region.drawn(state)


def judge_report_page(services: Services, page: gr.State, link: ViewLink) -> ReportPage:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    publishing = ReportPublishing(services)
    with gr.Column(visible=False, elem_id="published-view") as published_view:
        to_form = gr.Button("← Bring a log of your own", elem_id="to-report-form", size="sm", scale=0, min_width=210)
        said = Notice(elem_id="published-notice")
        files = ReportDownloads(elem_id="published-files")
        report = ReportView(elem_id="published-report")
        curve = ChartsView(elem_id="published-curve")
        with gr.Row(elem_id="published-acts"):
            withdraw = _act_button("Withdraw…", "withdraw-report")
            confirm = _act_button("Yes, withdraw permanently", "confirm-withdraw-report", variant="stop")
        with gr.Column(visible=False, elem_id="report-organisers") as organisers:
            reason = gr.Textbox("", label="Reason (public)", elem_id="report-reason", max_length=MOST_REASON)
            with gr.Row():
                hide = _act_button("Hide this report", "hide-report")
                show = _act_button("Show this report again", "show-report")
        act_said = Notice(elem_id="report-act-notice")
    with gr.Column(elem_id="judge-report-view") as form_view:
        _form(services, publishing, page)

    def draw(state: JudgeReportState) -> tuple[Any, ...]:
        opened = publishing.opened(state, services.identity.visitor(current_request()))
        return (
            gr.update(visible=bool(state.report)),
            opened.notice,
            opened.files,
            opened.report,
            _published_curve(opened, is_dark=state.is_dark),
            gr.update(visible="withdraw" in opened.acts),
            gr.update(visible=bool(opened.acts & {"hide", "show"})),
            gr.update(visible="hide" in opened.acts),
            gr.update(visible="show" in opened.acts),
            gr.update(visible=not state.report),
        )

    outputs: list[Component] = [published_view, said, files, report, curve, withdraw, organisers, hide, show, form_view]
    region = Region(page, link, outputs, draw)

    def by(act: ReportAct) -> Callable[[JudgeReportState, str, gr.Request], tuple[Any, ...]]:
        def done(state: JudgeReportState, why: str, request: gr.Request) -> tuple[Any, ...]:
            told = publishing.done(act, state.report, services.identity.visitor(request), why)
            return gr.update(visible=False), told, view_link_value(state), *region.drawn(state)

        return done

    region.on_click(to_form.click, lambda state: replace(state, report=""))
    to_form.click(lambda: (gr.update(visible=False), None, ""), None, [confirm, act_said, reason], **QUIET)
    withdraw.click(lambda: gr.update(visible=True), None, confirm, **QUIET)
    acts: tuple[tuple[gr.Button, ReportAct], ...] = ((confirm, "withdraw"), (hide, "hide"), (show, "show"))
    for button, act in acts:
        button.click(by(act), [page, reason], [confirm, act_said, link, *outputs], **QUIET)
    return ReportPage(region)


def _act_button(label: str, name: str, variant: Literal["secondary", "stop"] = "secondary") -> gr.Button:
    # gradio makes a button as wide as it is told, whatever it says.
    width = max(120, 9 * len(label))
    return gr.Button(label, elem_id=name, variant=variant, size="sm", scale=0, min_width=width, visible=False)


def _published_curve(opened: OpenedReport, *, is_dark: bool) -> ChartsValue | None:
    figures = opened.standing.figures if opened.standing else None
    return calibration_value([(figures.judge, figures.figures)], is_dark=is_dark) if figures else None


def _form(services: Services, publishing: ReportPublishing, page: gr.State) -> None:
    """Where a log is dropped, its report, and where the figures are published."""
    gr.Markdown(
        "### Judge report\n"
        "Drop the log of a language model used as a judge. The report says how far it can be "
        "trusted: whether position, length or its own family sways it, how often it changes its verdict, and what the "
        "log cannot tell. With labels by people it also says how often the judge is right, and what its scores would "
        "be without its errors."
    )
    with gr.Row():
        with gr.Column(scale=1, min_width=280):
            log = gr.File(label="The judge's log", type="filepath", elem_id="judge-log", height=150)
        with gr.Column(scale=1, min_width=280):
            labels = gr.File(label="Labels by people (optional)", type="filepath", elem_id="judge-labels", height=150)
    with gr.Row(elem_id="judge-report-bar"):
        written_by = gr.Dropdown(
            FORMATS, value=AUTO, label="Log format", elem_id="judge-log-format", filterable=False, min_width=240
        )
        read_button = gr.Button("Make the report", variant="primary", elem_id="make-report", scale=0, min_width=180)
    gr.Markdown(
        "FastChat and MT-bench, AlpacaEval, JudgeArena, inspect_ai, promptfoo, RewardBench, JudgeBench, LLMBar, "
        "lm-evaluation-harness, DeepEval, MLflow, rows of answers with a score, or any CSV with one judgement in each "
        "row. Labels are of the same questions and systems: votes of LMArena, MT-bench or compar:IA as "
        "they publish them, or a CSV with the columns "
        f"question, first, second and verdict, or question, system and rating. {WHAT_BECOMES_OF_IT}",
        elem_id="judge-report-hint",
        elem_classes=["hint"],
    )
    said = Notice(elem_id="judge-report-notice")
    faults = FaultsView(elem_id="judge-report-faults")
    mapper = ColumnMapper(elem_id="judge-report-columns")
    files = ReportDownloads(elem_id="judge-report-files")
    label_button = gr.Button(
        "Label answers yourself, without seeing the judge's word",
        elem_id="label-pairs",
        size="sm",
        scale=0,
        min_width=420,
        visible=False,
    )
    labelling = BlindLabelling(elem_id="judge-report-pairs")
    with gr.Accordion("Publish these figures…", open=False, visible=False, elem_id="publish-report") as publish:
        gr.Markdown(WHAT_IS_PUBLISHED, elem_classes=["hint"])
        with gr.Row():
            which = gr.Dropdown(
                [], label="Judge in the log", elem_id="publish-which", filterable=False, visible=False, min_width=200
            )
            judge = gr.Textbox("", label="Name of the judge", elem_id="publish-judge", max_length=MOST_NAME)
            data_set = gr.Textbox(
                "",
                label="Data set that it judged",
                elem_id="publish-data-set",
                max_length=MOST_NAME,
                placeholder="MT-bench, 80 questions",
            )
        with gr.Row():
            languages = gr.Textbox(
                "", label="Languages, as codes (optional)", elem_id="publish-languages", placeholder="en, de"
            )
            # No number field: one that is left empty says 0, and nothing stated is not 0.
            price = gr.Textbox(
                "", label="US dollars for 1,000 verdicts (optional)", elem_id="publish-price", placeholder="1.50"
            )
        publish_button = gr.Button(
            "Publish", variant="primary", elem_id="publish-figures", size="sm", scale=0, min_width=140
        )
        publish_said = Notice(elem_id="publish-notice")
    report = ReportView(elem_id="judge-report")
    curves = ChartsView(elem_id="judge-report-curves")
    last = gr.State(NOTHING_READ)

    def values(
        shown: Shown,
        figures: Sequence[JudgeFigures] = (),
        *,
        is_dark: bool = False,
        drawn: LabellingValue | None = None,
    ) -> tuple[Any, ...]:
        view = shown["said"], shown["faults"], shown["mapper"], shown["files"], shown["report"]
        charts = calibration_value(((figure.judge, figure.figures) for figure in figures), is_dark=is_dark)
        has_report = gr.update(visible=shown["report"] is not None)
        return *view, has_report, drawn, charts, *_publish_values(figures)

    @answers_once
    async def read(
        request: gr.Request,
        log: str | None,
        labels: str | None,
        written_by: object,
        last: Read,
        page: JudgeReportState,
        event: gr.EventData,
    ) -> AsyncGenerator[tuple[Any, ...], None]:
        if log is None:
            yield NOTHING_READ, *values(nothing_shown(NO_FILE))
            return
        carried = event._data if isinstance(event._data, Mapping) else {}
        is_same = last["path"] == log
        mapping, votes = (last["mapping"], last["votes"]) if is_same else ({}, {})
        if "columns" in carried and is_same:
            mapping = chosen_mapping(carried["columns"], last["columns"])
        if "votes" in carried and is_same:
            votes = cast_votes(carried["votes"])
        job = report_job(log, labels, written_by, mapping, votes)
        steps = told_in_turn(services.checks.looks, visitor_key(request), job, waiting_notice, "Not read.")
        async with aclosing(steps):
            async for step in steps:
                if isinstance(step, Reported):
                    kept: Read = {"path": log, "columns": step.columns, "mapping": mapping}
                    kept |= {"figures": step.figures, "votes": votes}
                    shown = shown_report(step, mapping, takes_focus="votes" in carried)
                    yield kept, *values(shown, step.figures, is_dark=page.is_dark)
                else:
                    yield gr.skip(), *values(nothing_shown(step))

    @answers_once
    async def label(
        request: gr.Request, log: str | None, labels: str | None, written_by: object, last: Read
    ) -> AsyncGenerator[tuple[Any, ...], None]:
        if log is None or last["path"] != log:
            yield gr.skip(), *values(nothing_shown(NO_FILE))
            return
        job = LabellingJob(report_job(log, labels, written_by, last["mapping"]))
        steps = told_in_turn(services.checks.looks, visitor_key(request), job, waiting_notice, "Not read.")
        async with aclosing(steps):
            async for step in steps:
                if not isinstance(step, LabellingFound):
                    yield gr.skip(), step, *[gr.skip()] * (len(outputs) - 2)
                elif step.drawn is None:
                    yield gr.skip(), nothing_to_label(step), step.faults, *[gr.skip()] * (len(outputs) - 3)
                else:
                    # The report is out of sight: its figures would colour what somebody thinks of the answers.
                    yield gr.skip(), *values(nothing_shown(None), drawn=step.drawn)

    def clear() -> tuple[Any, ...]:
        return NOTHING_READ, *values(nothing_shown(None))

    def published(
        request: gr.Request, last: Read, which: object, judge: str, data_set: str, languages: str, price: str
    ) -> NoticeValue:
        stated = Stated(judge or "", data_set or "", languages or "", price or "")
        return publishing.publish(last["figures"], which, stated, services.identity.visitor(request))

    shown_parts: list[Component] = [said, faults, mapper, files, report, label_button, labelling, curves]
    outputs = [last, *shown_parts, publish, which, judge, publish_said]
    arguments: dict[str, Any] = {
        "inputs": [log, labels, written_by, last, page],
        "outputs": outputs,
        "concurrency_limit": None,  # they wait in a line of ours, which shows the place
        "api_visibility": "private",
        "show_progress": "hidden",
        "trigger_mode": "multiple",  # labels may come while the log is still being read
    }
    gr.on([log.upload, labels.upload, labels.clear, written_by.input, read_button.click], read, **arguments)
    mapper.chosen(read, **arguments)
    labelling.finished(read, **arguments)
    label_button.click(label, **{**arguments, "inputs": [log, labels, written_by, last]})
    log.clear(clear, None, outputs, **QUIET)
    publish_button.click(published, [last, which, judge, data_set, languages, price], publish_said, **QUIET)


def _publish_values(figures: Sequence[JudgeFigures]) -> tuple[Any, ...]:
    """Of the form that publishes, the choice of a judge, its name and what was said of the last one."""
    names = [shown_name(figure.judge) for figure in figures]
    choices = [(name, str(place)) for place, name in enumerate(names)]
    which = gr.update(choices=choices, value="0" if names else None, visible=len(names) > 1)
    return gr.update(visible=bool(names)), which, names[0][:MOST_NAME] if names else "", None
