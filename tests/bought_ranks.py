"""Forty-six rows of a board on which a team tries to buy a rank: files, and the results they got.

The files are our examples, the baselines and the attacks of `tests/answer_attacks.py`. Scoring all of them takes
minutes of processor time, so that the results stand beside this, as the product computed them:

    python -m tests.bought_ranks      # scores all files anew and writes the results; nothing else may
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judge_loading.loading import load_scorer
from evaluator.judges.kind import Scorer
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.results import RobustnessResult
from evaluator.robustness.evaluate import evaluate_robustness
from evaluator.seeding.null_rows import NULL_TEAM, null_submissions
from submissions.check import check_submission
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.store.queue import Role
from submissions.store.store import Store
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

RESULTS = Path(__file__).parent / "data" / "robustness" / "bought_ranks.jsonl.gz"

ITEMS = 8
VARIANTS = 2
"""English wordings of an item that are scored: a file has 16 answers instead of 110."""

COPIED = "keel's first answer everywhere"
"""Honest: a system that is asked one question twice may say the same twice."""
POLITE = "tide with courtesy"
BOUGHT = (*KNOWN, *ABOUT_THE_SUBJECT, *list(HELD_OUT)[:10])
BUYER = "The buyers"
EXAMPLES = ("keel", "sextant", "tide", "flotsam")
HONEST = (COPIED, *EXAMPLES)


@dataclass(frozen=True, slots=True)
class Entered:
    """A file as somebody submitted it."""

    names: Names
    data: bytes
    role: Role = "entry"


@cache
def sets() -> PromptSets:
    """With the first items of the demonstration set that begin with two English wordings, and these only."""
    whole = PromptSets.load(None)
    items = [replace(item, variants=item.variants[:VARIANTS]) for item in whole.demonstration.items]
    english = [item for item in items if [one.language for one in item.variants] == ["en"] * VARIANTS]
    return replace(whole, demonstration=replace(whole.demonstration, items=tuple(english[:ITEMS])))


def entered() -> list[Entered]:
    """The files of all rows, in the order in which they came."""
    prompts = sets().demonstration
    nulls = [Entered(one.names, one.data, "baseline") for one in null_submissions(prompts)]
    examples = [
        Entered(Names(NULL_TEAM, name), changed_example(prompts, f"{name}.json", str, name), "example")
        for name in EXAMPLES
    ]
    copied = Entered(Names("Steady", COPIED), first_answer_everywhere(prompts, "keel.json", COPIED))
    courteous = changed_example(prompts, "tide.json", lambda text: f"{text} {COURTESY}", POLITE)
    bought = [Entered(Names(BUYER, name), attack_file(prompts, ATTACKS[name], name)) for name in BOUGHT]
    return [*nulls, *examples, copied, Entered(Names(BUYER, POLITE), courteous), *bought]


def scored(files: Iterable[Entered]) -> Iterator[RobustnessResult]:
    """What the embedded judge and the answer gate that ships make of each file."""
    scorer, embedder, verdicts = _scorer(), MiniLMEmbedder(), MemoryVerdicts()
    for one in files:
        report = check_submission(one.data, "file.json", prompt_sets=sets())
        assert report.submission is not None
        assert report.coverage is not None
        judge = RecordedJudge(scorer.judge, verdicts)
        yield evaluate_robustness(report.submission, report.coverage, sets().demonstration, judge, embedder)


@cache
def _scorer() -> Scorer:
    return load_scorer("pair")


def results() -> list[RobustnessResult]:
    """The results of all files, in their order, as they were computed when `RESULTS` was written."""
    with gzip.open(RESULTS, "rt", encoding="utf-8") as lines:
        return [RobustnessResult.model_validate_json(line) for line in lines]


def fill(store: Store) -> None:
    """Puts every file with its result into a store: what the desk and a worker would have left there."""
    for number, (one, result) in enumerate(zip(entered(), results(), strict=True)):
        ticket_id, received_at = f"{number:016x}", 1_790_000_000.0 + 60 * number
        store.add(
            ticket_id=ticket_id,
            owner=one.names.team or "",
            role=one.role,
            edition="2024",
            set_id=sets().demonstration.set_id,
            names=one.names,
            file_name=f"{number}.json",
            data=one.data,
            received_at=received_at,
        )
        store.restore_result(ticket_id, result.model_dump_json(), received_at + 30)


def main() -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    lines = "".join(f"{result.model_dump_json()}\n" for result in scored(entered()))
    RESULTS.write_bytes(gzip.compress(lines.encode(), mtime=0))


if __name__ == "__main__":
    main()
