"""What one must know to make every figure of a run of 2025 or 2026 anew."""

from __future__ import annotations

import json

from evaluator.reproduce.editions import edition_figures
from evaluator.reproduce.robustness import EMBEDDINGS_OF_THEIR_NAME, JUDGES_OF_THEIR_NAME
from evaluator.robustness.edition_results import (
    CONSISTENCY_HEADLINE,
    CULTURAL_HEADLINE,
    ConsistencyResult,
    CulturalResult,
)
from evaluator.values import Pin
from leaderboard.boards.editions.rows import ScoredEdition
from leaderboard.parts.manifests import result_manifest
from leaderboard.systems.card import COMMIT_CHARACTERS, judge_flag


def edition_manifest_text(run: ScoredEdition, result: str) -> str:
    """The manifest of a run as JSON; numbers are unrounded, and `figures` holds every one with its interval.

    Args:
        result: The run's, as it is stored.
    """
    headline = CONSISTENCY_HEADLINE if isinstance(run.result, ConsistencyResult) else CULTURAL_HEADLINE
    figures = edition_figures(run.result)
    headline = headline if headline in figures else "csp_gated"  # scored before there was the response to culture
    body = {
        **result_manifest(run.ticket, result),
        "headline": {"figure": headline, **figures[headline].model_dump()},
        "command": edition_command(run.result),
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def edition_command(result: ConsistencyResult | CulturalResult) -> str:
    """What makes the figures anew; capitals stand for what a manifest does not hold."""
    files = [f"FILE_{file.language}" for file in result.files] if isinstance(result, ConsistencyResult) else ["FILE"]
    flags = []
    if isinstance(result, ConsistencyResult) and result.judge.name not in JUDGES_OF_THEIR_NAME:
        flags.append(f"--judge {judge_flag(result.judge)}")
    if result.embedding.name not in EMBEDDINGS_OF_THEIR_NAME:
        flags.append(f"--embedding {_embedding_flag(result.embedding)}")
    return " ".join(("python -m evaluator reproduce manifest.json", *files, *flags))


def _embedding_flag(pin: Pin) -> str:
    is_commit = len(pin.revision) == COMMIT_CHARACTERS and "/" in pin.model
    return f"transformers:{pin.model}@{pin.revision}" if is_commit else "transformers:FOLDER"
