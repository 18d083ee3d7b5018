"""Values of a report: every string is shown as text. No components, nothing that a server holds."""

from __future__ import annotations

from typing import TypedDict

from evaluator.judge_report.confusion import Confusion
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.of_files import Refused
from evaluator.judge_report.published import PublishedFigures
from evaluator.judge_report.report import JudgeLogReport, LogReport
from evaluator.judge_report.text import (
    JUDGED,
    LABELLED,
    confusion_title,
    facts,
    published_facts,
    published_title,
    sentence_of,
    shown_name,
    size,
    unread_facts,
    value_text,
)
from leaderboard.parts.visible_text import visible
from submissions.problems import grouped

JUDGES_SHOWN = 20
"""Judges whose figures stand on the page; the files hold all of them."""
FIGURES_SHOWN = 100
"""Of one judge: with labels, every two systems add some."""


class FigureValue(TypedDict):
    """One row of a judge's table."""

    title: str
    value: str
    n: str
    meaning: str


class CountRow(TypedDict):
    """One row of a confusion."""

    name: str
    counts: list[str]


class ConfusionValue(TypedDict):
    """What people said against what the judge said."""

    title: str
    heads: list[str]
    rows: list[CountRow]
    meaning: str


class JudgeValue(TypedDict):
    """One judge."""

    name: str
    size: str
    sentence: str
    """What its figures say first."""
    figures: list[FigureValue]
    left_out: str
    """How many figures stand in the files alone; blank for none."""
    confusions: list[ConfusionValue]
    missing: list[str]
    """What cannot be said, and what to record next time."""


class ReportValue(TypedDict):
    """The report as the page shows it."""

    title: str
    format: str
    unread: list[str]
    """What of the file no figure rests on; [] where all of it was read."""
    facts: list[str]
    judges: list[JudgeValue]
    left_out: str
    """How many judges stand in the files alone; blank for none."""
    takes_focus: bool
    """Whether who reads on by keyboard goes on at its heading: what they finished is gone from the page."""


class FaultValue(TypedDict):
    """One fault of a file."""

    place: str
    message: str
    hint: str


class FaultsValue(TypedDict):
    """Why there is no report."""

    file: str
    total: int
    faults: list[FaultValue]
    left_out: str
    """How many more there are; blank for none."""


def report_value(report: LogReport) -> ReportValue:
    """The report of the command, for `components.ReportView`."""
    more = len(report.judges) - JUDGES_SHOWN
    return {
        "title": f"Judge report: {shown_name(report.file)}",
        "format": report.title,
        "unread": [visible(fact) for fact in unread_facts(report)],
        "facts": [visible(fact) for fact in facts(report)],
        "judges": [_judge(judge) for judge in report.judges[:JUDGES_SHOWN]],
        "left_out": f"{more:,} more judges stand in the files." if more > 0 else "",
        "takes_focus": False,
    }


def published_value(published: PublishedFigures, stated: str) -> ReportValue:
    """A published report, for the same component.

    Args:
        stated: Who published it and when, in a sentence.
    """
    return {
        "title": visible(published_title(published)),
        "format": visible(stated),
        "unread": [],
        "facts": [visible(fact) for fact in published_facts(published)],
        "judges": [_judge(published.report)],
        "left_out": "",
        "takes_focus": False,
    }


def faults_value(refused: Refused) -> FaultsValue:
    """The faults of a file, for `components.FaultsView`."""
    return {
        "file": shown_name(refused.file),
        "total": len(refused.problems) + refused.unlisted,
        "faults": [
            {"place": visible(problem.path), "message": visible(problem.message), "hint": visible(problem.hint)}
            for problem in grouped(refused.problems)
        ],
        "left_out": f"and {refused.unlisted:,} more" if refused.unlisted else "",
    }


def _judge(judge: JudgeLogReport) -> JudgeValue:
    more = len(judge.figures) - FIGURES_SHOWN
    return {
        "name": shown_name(judge.judge),
        "size": size(judge),
        "sentence": visible(sentence_of(judge)),
        "figures": [_figure(figure) for figure in judge.figures[:FIGURES_SHOWN]],
        "left_out": f"{more:,} more figures stand in the files." if more > 0 else "",
        "confusions": [_confusion(confusion) for confusion in judge.confusions],
        "missing": [visible(sentence) for sentence in judge.missing],
    }


def _figure(figure: Figure) -> FigureValue:
    return {
        "title": visible(figure.title),
        "value": value_text(figure),
        "n": f"{figure.n:,} {figure.of}",
        "meaning": visible(figure.meaning),
    }


def _confusion(confusion: Confusion) -> ConfusionValue:
    return {
        "title": f"{visible(confusion_title(confusion))}, n {confusion.n:,} {confusion.of}",
        "heads": [f"{JUDGED} {name}" for name in confusion.classes],
        "rows": [
            {"name": f"{LABELLED} {name}", "counts": [f"{count:,}" for count in row]}
            for name, row in zip(confusion.classes, confusion.counts, strict=True)
        ],
        "meaning": confusion.meaning,
    }
