"""`make bench-ray`: how much more a judge says over Ray's actors than in this process.

The judge only waits, so the ratios show what spreading costs, not how many cores there are. One file is scored in this
process, and over 1, 2 and 4 actors of a cluster on this machine. Results must be identical to the byte.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date

from benchmarks.provenance import commit
from benchmarks.workers import distinct_files
from evaluator.evaluate import evaluate_payload
from evaluator.judge_loading.loading import load_scorer
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from submissions.promptsets import PromptSets
from submissions.schema import Names

PROMPT_SETS = PromptSets.load(None)


@dataclass(frozen=True, slots=True)
class Run:
    """What scored the file, how long it took, and what came of it."""

    by: str
    seconds: float
    """Without what came before: the actors were running."""
    result: str


def scored(data: bytes, judge: str, by: str) -> Run:
    """The file scored in this process, by the named judge."""
    scorer = load_scorer(judge)
    scorer.judge.judge([])  # connected and loaded
    began = time.monotonic()
    result = evaluate_payload(
        data,
        "run.json",
        edition="2024",
        names=Names(team="t000"),
        prompt_sets=PROMPT_SETS,
        judge=RecordedJudge(scorer.judge, MemoryVerdicts()),
        embedder=scorer.embedder,
    )
    return Run(by, time.monotonic() - began, result.model_dump_json())


def runs(data: bytes, judge: str, actors: Sequence[int]) -> list[Run]:
    """In this process first: what the others are compared with."""
    scored_runs = [scored(data, judge, "in this process")]
    for count in actors:
        scored_runs.append(scored(data, f"ray:local;actors={count}#{judge}", f"{count} actor{'s' * (count > 1)}"))
    return scored_runs


def main() -> int:
    """Prints the seconds of every run and its ratio; exit 1 where a result differs."""
    parser = argparse.ArgumentParser(prog="make bench-ray")
    parser.add_argument("--actors", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seconds-per-call", type=float, default=0.05)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args()
    (data,) = distinct_files(1)
    scored_runs = runs(data, f"scripted:{options.seconds_per_call}", options.actors)
    alone = scored_runs[0]
    for run in scored_runs:
        same = "identical result" if run.result == alone.result else "RESULT DIFFERS"
        print(f"{run.by}: {run.seconds:.2f} s, {alone.seconds / run.seconds:.2f} times the throughput, {same}")
    if options.json:
        rows = [{key: value for key, value in asdict(run).items() if key != "result"} for run in scored_runs]
        about = {"commit": commit(), "date": date.today().isoformat(), "cores": os.cpu_count()}
        print(json.dumps(about | {"seconds_per_call": options.seconds_per_call, "runs": rows}))
    return int(any(run.result != alone.result for run in scored_runs))


if __name__ == "__main__":
    sys.exit(main())
