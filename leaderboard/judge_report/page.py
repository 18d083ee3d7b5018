"""The judge report: drop a judge's log, and read how far that judge can be trusted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

import gradio as gr

from evaluator.judge_logs.registry import AUTO
from leaderboard.judge_report.components import ColumnMapper, FaultsView, ReportDownloads, ReportView
from leaderboard.judge_report.job import Reported
from leaderboard.judge_report.screen import (
    FORMATS,
    NO_FILE,
    WHAT_BECOMES_OF_IT,
    Shown,
    chosen_mapping,
    nothing_shown,
    report_job,
    shown_report,
    waiting_notice,
)
from leaderboard.page.file_checks import told_in_turn
from leaderboard.page.identity import visitor_key
from leaderboard.page.region import QUIET
from leaderboard.page.services import Services
from leaderboard.parts.components import Notice

Read = dict[str, Any]
"""What was read last, kept for its visitor: the `path` of the log, its `columns`, and the `mapping` chosen for them."""
NOTHING_READ: Read = {"path": "", "columns": (), "mapping": {}}


def judge_report_page(services: Services) -> None:
    """The page's components and wiring."""
    gr.Markdown(
        "### Judge report\n"
        "Drop the log of a language model that judged. You read how far it can be trusted: whether places, lengths "
        "and its own family sway it, how often it changes its mind, and what the log cannot tell. With labels by "
        "people beside it you also read how often it is right, and what its scores would be without its errors."
    )
    with gr.Row():
        with gr.Column(scale=1, min_width=280):
            log = gr.File(label="The judge's log", type="filepath", elem_id="judge-log", height=150)
        with gr.Column(scale=1, min_width=280):
            labels = gr.File(label="Labels by people (optional)", type="filepath", elem_id="judge-labels", height=150)
    with gr.Row(elem_id="judge-report-bar"):
        written_by = gr.Dropdown(
            FORMATS, value=AUTO, label="Written by", elem_id="judge-log-format", filterable=False, min_width=240
        )
        read_button = gr.Button("Make the report", variant="primary", elem_id="make-report", scale=0, min_width=180)
    gr.Markdown(
        "FastChat and MT-bench, AlpacaEval, JudgeArena, inspect_ai, promptfoo, RewardBench, JudgeBench, or any CSV "
        "with one judgement in each row. Labels are of the same questions and systems: votes of LMArena, MT-bench or "
        "compar:IA as they publish them, or a CSV with the columns "
        f"question, first, second and verdict, or question, system and rating. {WHAT_BECOMES_OF_IT}",
        elem_id="judge-report-hint",
        elem_classes=["hint"],
    )
    said = Notice(elem_id="judge-report-notice")
    faults = FaultsView(elem_id="judge-report-faults")
    mapper = ColumnMapper(elem_id="judge-report-columns")
    files = ReportDownloads(elem_id="judge-report-files")
    report = ReportView(elem_id="judge-report")
    last = gr.State(NOTHING_READ)

    def values(shown: Shown) -> tuple[Any, ...]:
        return shown["said"], shown["faults"], shown["mapper"], shown["files"], shown["report"]

    async def read(
        request: gr.Request, log: str | None, labels: str | None, written_by: object, last: Read, event: gr.EventData
    ) -> AsyncIterator[tuple[Any, ...]]:
        if log is None:
            yield NOTHING_READ, *values(nothing_shown(NO_FILE))
            return
        carried = event._data.get("columns") if isinstance(event._data, Mapping) else None
        is_same = last["path"] == log
        mapping = last["mapping"] if is_same else {}
        if carried is not None and is_same:
            mapping = chosen_mapping(carried, last["columns"])
        job = report_job(log, labels, written_by, mapping)
        steps = told_in_turn(services.checks.looks, visitor_key(request), job, waiting_notice, "Not read.")
        async with aclosing(steps):
            async for step in steps:
                if isinstance(step, Reported):
                    kept = {"path": log, "columns": step.columns, "mapping": mapping}
                    yield kept, *values(shown_report(step, mapping))
                else:
                    yield gr.skip(), *values(nothing_shown(step))

    def clear() -> tuple[Any, ...]:
        return NOTHING_READ, *values(nothing_shown(None))

    outputs = [last, said, faults, mapper, files, report]
    arguments: dict[str, Any] = {
        "inputs": [log, labels, written_by, last],
        "outputs": outputs,
        "concurrency_limit": None,  # they wait in a line of ours, which shows the place
        "api_visibility": "private",
        "show_progress": "hidden",
        "trigger_mode": "multiple",  # labels may come while the log is still being read
    }
    gr.on([log.upload, labels.upload, labels.clear, written_by.input, read_button.click], read, **arguments)
    mapper.chosen(read, **arguments)
    log.clear(clear, None, outputs, **QUIET)
