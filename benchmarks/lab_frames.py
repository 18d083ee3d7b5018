"""How evenly the lab's words reach a page while two local models write: `python -m benchmarks.lab_frames`.

Two columns with random models of a real model's output layer, run as the lab runs them, once with the models in the
page's process and once in processes of their own. Beside them ticks a heart of the same event loop, as the page's other
visitors would feel it: how late it beats is how long the page stood still.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.random_models import Shape, random_model, small_tokenizer
from evaluator.generators.loading import Generators, allowed_generators
from evaluator.generators.protocol import TextGenerator
from evaluator.lab.run import run
from evaluator.lab.setup import SIDES, ColumnSetup, LabSetup, own_question

SHAPE = Shape(hidden=256, layers=4, heads=4, key_value_heads=2, intermediate=512, vocabulary=32_768)
BEAT_S = 0.01
NAMES = ("one", "two")


def made_models(folder: Path) -> tuple[str, ...]:
    """Two random chat models on disk, by their names in the allow-list."""
    tokenizer = small_tokenizer()
    for seed, name in enumerate(NAMES):
        random_model(SHAPE, seed=seed).save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    return tuple(f"transformers:{folder / name}" for name in NAMES)


def quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def measured(generators: Mapping[str, TextGenerator]) -> dict[str, float]:
    """One run of the lab, in milliseconds: gaps between frames that bring words, and how late the heart beats."""
    late: list[float] = []

    async def heart() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(BEAT_S)
            late.append(time.perf_counter() - began - BEAT_S)

    beating = asyncio.create_task(heart())
    question = own_question("Which is a planet?", ("The Sun", "Mars"), "B")
    a, b = (ColumnSetup(name, "no_preference") for name in NAMES)
    setup = LabSetup(question, "own", (), None, a, b)
    frames: list[float] = []
    shown = 0
    began = time.perf_counter()
    async for state in run(setup, lambda name: generators[name], None, stop=threading.Event()):
        panes = (*(state.column(side).answer for side in SIDES), *state.controls.values())
        written = sum(pane.tokens for pane in panes)
        if written > shown:
            frames.append(time.perf_counter())
            shown = written
    took = time.perf_counter() - began
    beating.cancel()
    gaps = [after - before for before, after in itertools.pairwise(frames)]
    return {
        "tokens": shown,
        "frames": len(frames),
        "seconds": took,
        "gap_p50_ms": 1000 * quantile(gaps, 0.5),
        "gap_p95_ms": 1000 * quantile(gaps, 0.95),
        "gap_most_ms": 1000 * max(gaps),
        "late_p95_ms": 1000 * quantile(late, 0.95),
        "late_most_ms": 1000 * max(late),
    }


def loaded(generators: Generators) -> dict[str, TextGenerator]:
    return {name: generators.get(name) for name in NAMES}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    sys.setswitchinterval(0.001)  # as app.py
    with tempfile.TemporaryDirectory() as folder:
        names = made_models(Path(folder))
        beside = allowed_generators(names, own_processes=True)
        kinds = {"in the page's process": loaded(allowed_generators(names)), "in their own": loaded(beside)}
        for number in range(options.rounds):
            for kind, generators in kinds.items():
                figures = asyncio.run(measured(generators))
                print(json.dumps({"round": number, "models": kind} | {k: round(v, 1) for k, v in figures.items()}))
        beside.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
