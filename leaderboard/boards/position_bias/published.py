"""Judges whose verdicts were released with arXiv 2406.07791, as tables of the board; read once per process."""

from __future__ import annotations

from functools import cache

from evaluator.public_record.position_bias import kept_judges
from leaderboard.boards.position_bias.rows import ScoredTable
from leaderboard.parts.published import RECOMPUTED, Publication


@cache
def published_tables() -> tuple[ScoredTable, ...]:
    """Of every benchmark, judges that were asked part of it before those that were asked all."""
    cited, kept = publication_of_judges().short, kept_judges()
    whole = {result.benchmark: place for place, result in enumerate(kept.results)}  # the last one of each
    return tuple(
        ScoredTable.published(
            result,
            cited,
            kept.first_places.get(result.benchmark) if place == whole[result.benchmark] else None,
            kept.effects.get(result.benchmark),
        )
        for place, result in enumerate(kept.results)
    )


@cache
def publication_of_judges() -> Publication:
    """Where the verdicts come from."""
    return Publication(
        citation=kept_judges().citation,
        short="arXiv 2406.07791",
        link="https://arxiv.org/abs/2406.07791",
        mark=RECOMPUTED,
    )


def provenance_lines() -> tuple[str, ...]:
    """What the figures were computed from, when, and by which version, in sentences."""
    kept = kept_judges()
    return (
        f"Source: {kept.source} ({kept.licence}).",
        f"Computed on {kept.computed_on} by Plumbline {kept.code_version}; only figures are kept here, no verdict.",
    )
