"""A small valid file of personalized answers, as one JSON object and as JSON Lines."""

from __future__ import annotations

import json
from typing import Any

from submissions.check import CheckReport, check_submission
from submissions.formats.personalization.reader import option_order_hash
from submissions.promptsets import PromptSets
from submissions.schema import Names

Row = dict[str, Any]
Document = dict[str, Any]

SETS = PromptSets.load(None)

CONTROL, RELEVANT, IRRELEVANT, MIXED, AGAIN = range(5)
"""The rows of `good_rows`, by what they are."""


def row(setting: str, method: str, preferences: list[str], relevant_index: int | None, **fields: Any) -> Row:
    """A row of the one example."""
    options = ["sand", "light", "noise"]
    return {
        "example_id": "q1",
        "dataset": "own",
        "setting": setting,
        "method": method,
        "question": "What do plants need?",
        "options": options,
        "option_order_hash": option_order_hash(options),
        "gold": "B",
        "preferences": preferences,
        "relevant_index": relevant_index,
        "finish_reason": "stop",
        **fields,
    }


def good_rows() -> list[Row]:
    return [
        row("none", "no_preference", [], None, response_without_preference="B, light."),
        row("relevant", "naive", ["One word."], 0, response_with_preference="Light.", followed_rating=4.5),
        row("irrelevant", "naive", ["I like tea."], None, response_with_preference="The answer is B."),
        row(
            "mixed",
            "pref_aligner",
            ["I like tea.", "One word."],
            1,
            draft="B,  light.\n",
            response_with_preference="Light.",
            fallback=False,
        ),
        row("none", "no_preference", [], None, response_without_preference="Light: B.", repeat=2),
    ]


def good_document(rows: list[Row] | None = None, **envelope: Any) -> Document:
    names = {"team": "aurora", "system": "aurora-chat", "model": "org/aurora-7b", "run": "greedy"}
    rows = good_rows() if rows is None else rows
    return {"kind": "personalized_answers", **names, "date": "2026-11-20", **envelope, "rows": rows}


def as_json(document: Document) -> bytes:
    return json.dumps(document).encode()


def as_lines(document: Document) -> bytes:
    envelope = {key: value for key, value in document.items() if key != "rows"}
    return b"".join(json.dumps(line).encode() + b"\n" for line in (envelope, *document["rows"]))


def check(data: bytes, names: Names = Names(), **options: Any) -> CheckReport:
    return check_submission(data, "answers.jsonl", names=names, prompt_sets=SETS, **options)


def told(report: CheckReport) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in report.problems]
