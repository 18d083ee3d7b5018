"""What PerSE's paper prints (Wang et al., EMNLP 2024, tables 2 to 5 and 8): rows to read ours beside, never ranked.

They hold for the published data alone, whose texts and readers are not ours to pass on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from evaluator.published import printed_figures
from submissions.formats.personalized_evaluation.submission import ASPECTS, Aspect

PER_MPST = "PerMPST"
PER_DOC = "PerDOC"
AMAZON = "Amazon"

EXPLANATION_SCORES = ("bleu", "rouge", "bertscore", "bartscore")


@dataclass(frozen=True, slots=True)
class PublishedRatings:
    """A row of table 2 (k = 3) or 5, with what table 3 says of the explanations of a system of that name."""

    name: str
    dataset: str
    k: int | None
    """None = the table does not say."""
    table: str
    """Where it is printed."""
    pearson: float | None = None
    spearman: float | None = None
    kendall: float | None = None
    explanation: Mapping[str, float] = field(default_factory=dict)
    """By `EXPLANATION_SCORES`; empty where nothing is printed. Which ROUGE it is, the table does not say."""


@dataclass(frozen=True, slots=True)
class PublishedPairs:
    """A row of table 4."""

    name: str
    dataset: str
    k: int
    table: str
    accuracy: dict[Aspect, float]
    average: float
    """As printed, rounded by the authors."""


@dataclass(frozen=True, slots=True)
class PublishedMemory:
    """A row of table 8: GPT-4 comparing two synopses of films it may remember."""

    group: str
    form: str
    accuracy: float
    consistency: float
    bias_first: float
    """Above 0 the first is favoured."""
    share: float


@cache
def published_ratings() -> tuple[PublishedRatings, ...]:
    """Per-MPST (tables 2 and 3), then Amazon (table 5)."""
    return (*_per_mpst(), *(_correlated(row, AMAZON, None, "Table 5") for row in _rows("table_5")))


@cache
def published_pairs() -> tuple[PublishedPairs, ...]:
    """Per-DOC (table 4)."""
    keys = {aspect: aspect.split()[0].lower() for aspect in ASPECTS}
    return tuple(
        PublishedPairs(
            row["system"], PER_DOC, 1, "Table 4", {aspect: row[key] for aspect, key in keys.items()}, row["average"]
        )
        for row in _rows("table_4")
    )


@cache
def published_memory() -> tuple[PublishedMemory, ...]:
    """What remembering a film does to a comparison of its synopses (table 8)."""
    return tuple(PublishedMemory(**row) for row in _rows("table_8"))


def _per_mpst() -> Iterator[PublishedRatings]:
    explained = {row["system"]: {name: row[name] for name in EXPLANATION_SCORES} for row in _rows("table_3")}
    for row in _rows("table_2"):
        explanation = explained.pop(row["system"], {})
        table = "Tables 2 and 3" if explanation else "Table 2"
        yield _correlated(row, PER_MPST, 3, table, explanation)
    # Table 3 calls the models of table 2 by other names, and says no k: they stay as printed.
    yield from (PublishedRatings(name, PER_MPST, None, "Table 3", explanation=own) for name, own in explained.items())


def _correlated(
    row: Mapping[str, Any], dataset: str, k: int | None, table: str, explanation: Mapping[str, float] | None = None
) -> PublishedRatings:
    return PublishedRatings(
        row["system"], dataset, k, table, row["pearson"], row["spearman"], row["kendall"], explanation or {}
    )


def _rows(table: str) -> Sequence[dict[str, Any]]:
    rows: Sequence[dict[str, Any]] = _tables()[table]["rows"]
    return rows


@cache
def _tables() -> Any:
    return printed_figures("evaluator.personalized_evaluation")
