"""Figures of the paper that introduced the measure, as rows beside ours; its judge was another one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from leaderboard.parts.published import AS_PRINTED, Publication
from submissions.formats.personalization.submission import Setting

PUBLICATION = Publication(
    citation="Benchmarking and Improving LLM Robustness for Personalized Generation, Findings of EMNLP 2025",
    short="arXiv 2509.19358",
    link="https://arxiv.org/abs/2509.19358",
    mark=AS_PRINTED,
)
FULL = "full"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One model under one method on one data set, or on all three pooled (`full`)."""

    setting: Setting
    method: str
    model: str
    dataset: str
    metrics: Mapping[str, float | None]
    """Fractions; published in percent with one decimal. None where nothing was published."""


@cache
def published_datasets() -> tuple[str, ...]:
    """The paper's data sets, sorted."""
    return tuple(sorted(_document()["datasets"]))


@cache
def published_rows() -> tuple[PublishedRow, ...]:
    """Every usable row of the paper's naive and Pref-Aligner runs (commit 0521b0c5 of its code)."""
    document = _document()
    return tuple(_row(dict(zip(document["columns"], row, strict=True))) for row in document["rows"])


def _document() -> dict[str, list[str]]:
    text = (
        files("leaderboard.boards.personalization")
        .joinpath("published_personalization.json")
        .read_text(encoding="utf-8")
    )
    document: dict[str, list[str]] = json.loads(text)
    return document


_NAMES = ("setting", "method", "model", "dataset")


def _row(cells: dict[str, str]) -> PublishedRow:
    numbers = {key: value for key, value in cells.items() if key not in _NAMES}
    return PublishedRow(
        setting=cells["setting"],  # type: ignore[arg-type]
        method=cells["method"],
        model=cells["model"],
        dataset=cells["dataset"],
        metrics={key: None if value is None else float(value) / 100 for key, value in numbers.items()},
    )
