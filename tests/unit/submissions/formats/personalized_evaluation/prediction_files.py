"""Small valid files of predicted ratings and choices."""

from __future__ import annotations

import json
from typing import Any

from submissions.check import CheckReport, check_submission
from submissions.formats.personalized_evaluation.submission import ASPECTS
from submissions.promptsets import PromptSets
from submissions.reading.limits import Limits
from submissions.schema import Names

Document = dict[str, Any]

SETS = PromptSets.load(None)


def envelope(kind: str, items: list[Document], **changes: Any) -> Document:
    names = {"team": "aurora", "system": "aurora-reader", "model": "org/aurora-7b", "run": "greedy"}
    return {"kind": kind, **names, "dataset": "own", "date": "2026-11-20", **changes, "items": items}


def rating_item(number: int = 0, **changes: Any) -> Document:
    return {
        "id": f"r{number}",
        "reviewer": f"reader {number}",
        "profile": [
            {"text": "A lamp burns for a year.", "review": "Dull.", "score": 3},
            {"text": "A bridge learns to sing.", "review": "", "score": 9, "item_id": "bridge"},
        ],
        "text": "A door opens by itself.",
        "gold": 7,
        "score": 6.5,
        **changes,
    }


def pair_item(number: int = 0, aspect: str = ASPECTS[0], **changes: Any) -> Document:
    return {
        "id": f"p{number}-{aspect}",
        "reviewer": f"reader {number}",
        "comparison": "one",
        "aspect": aspect,
        "profile": [{"text_a": "A lamp.", "text_b": "A bridge.", "choice": "Plot B"}],
        "text_a": "A door.",
        "text_b": "A window.",
        "gold": "a",
        "choice": "plot a",
        **changes,
    }


def ratings(items: list[Document] | None = None, **changes: Any) -> Document:
    items = [rating_item(0), rating_item(1)] if items is None else items
    return envelope("personalized_ratings", items, **{"k": 2, **changes})


def pairs(items: list[Document] | None = None, **changes: Any) -> Document:
    items = [pair_item(0), pair_item(1)] if items is None else items
    return envelope("personalized_pairs", items, **{"k": 1, **changes})


def check(document: Document | bytes, names: Names = Names(), limits: Limits = Limits()) -> CheckReport:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return check_submission(data, "predictions.json", names=names, prompt_sets=SETS, limits=limits)


def told(report: CheckReport) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in report.problems]
