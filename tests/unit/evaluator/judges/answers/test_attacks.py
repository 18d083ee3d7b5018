"""Files that answer nothing, scored with the answer head that ships and with a judge of pairs that finds all alike.

That judge gives every pair 5 points: what a file still reaches is what the gate alone lets through, and the most that
any judge of pairs could give it. `make soak` scores them with the embedded default.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judge_loading.loading import load_scorer
from evaluator.judges.answers.judge import GatedJudge, load_answer_head
from evaluator.judges.protocol import Judge
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.results import HEADLINE, RobustnessResult
from evaluator.robustness.evaluate import evaluate_robustness
from evaluator.seeding.null_rows import null_submissions
from submissions.check import check_submission
from submissions.promptsets import PromptSets, example_submissions
from tests.answer_attacks import (
    ABOUT_THE_SUBJECT,
    ATTACKS,
    COURTESY,
    HELD_OUT,
    KNOWN,
    attack_file,
    changed_example,
    first_answer_everywhere,
)

SETS = PromptSets.load(None)
DEMONSTRATION = SETS.demonstration
EXAMPLES: Mapping[str, bytes] = dict(example_submissions())

LOW = 1.0
"""Below what flotsam, the example that answers badly and mostly each time otherwise, gets of the embedded default."""


@cache
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@cache
def generous() -> Judge:
    """Finds that every two answers say the same."""
    pairs = ScriptedJudge(lambda request: 5.0, script_version="all alike", languages=("en",))
    return GatedJudge(pairs, load_answer_head(embedder()))


def scored(data: bytes, judge: Judge, verdicts: MemoryVerdicts | None = None) -> RobustnessResult:
    report = check_submission(data, "attack.json", prompt_sets=SETS)
    assert report.submission is not None
    assert report.coverage is not None
    recorded = RecordedJudge(judge, verdicts or MemoryVerdicts())
    return evaluate_robustness(report.submission, report.coverage, DEMONSTRATION, recorded, embedder())


def headline(result: RobustnessResult) -> float:
    value = result.views["english"].figures[HEADLINE].mean.value
    assert value is not None
    return value


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_that_answers_keeps_nearly_all_of_what_its_pairs_are_worth(name: str) -> None:
    least = {"keel.json": 4.5, "sextant.json": 4.5, "tide.json": 4.5, "flotsam.json": 3.5}[name]
    assert headline(scored(EXAMPLES[name], generous())) >= least


@pytest.mark.slow
def test_one_good_answer_to_every_wording_keeps_at_least_four_points() -> None:
    assert headline(scored(first_answer_everywhere(DEMONSTRATION, "keel.json", "copied"), generous())) >= 4.0


def held_out() -> list[object]:
    """Each scores 53 answers: `make soak` has them all, `make test` those that were reported."""
    return [pytest.param(name, marks=pytest.mark.soak) for name in HELD_OUT]


@pytest.mark.parametrize("name", [*KNOWN, *ABOUT_THE_SUBJECT, *held_out()])
def test_an_attack_stays_low_however_alike_its_texts_are(name: str) -> None:
    result = scored(attack_file(DEMONSTRATION, ATTACKS[name], name), generous())
    assert headline(result) < LOW
    assert result.flags.get("no_answer", 0) + result.flags.get("off_topic", 0) > 20  # of 53: its page says so


def test_no_null_row_comes_near_a_system_that_answers() -> None:
    for null in null_submissions(DEMONSTRATION):
        if null.id != "empty":
            assert headline(scored(null.data, generous())) < LOW, null.id


@pytest.mark.soak
def test_the_examples_stand_in_order_and_every_attack_below_them() -> None:
    judge, verdicts = load_scorer("pair").judge, MemoryVerdicts()
    reached = {name: headline(scored(data, judge, verdicts)) for name, data in EXAMPLES.items()}
    assert reached["keel.json"] > max(reached["sextant.json"], reached["tide.json"])
    assert min(reached["sextant.json"], reached["tide.json"]) > reached["flotsam.json"]
    attacks = {
        name: headline(scored(attack_file(DEMONSTRATION, attack, name), judge)) for name, attack in ATTACKS.items()
    }
    assert not {name for name, value in attacks.items() if value >= reached["flotsam.json"]}


@pytest.mark.soak
def test_courtesy_around_every_answer_does_not_make_a_system_the_best() -> None:
    judge, verdicts = load_scorer("pair").judge, MemoryVerdicts()
    polite = changed_example(DEMONSTRATION, "tide.json", lambda text: f"{text} {COURTESY}", "polite")
    assert headline(scored(polite, judge, verdicts)) < headline(scored(EXAMPLES["keel.json"], judge, verdicts))
