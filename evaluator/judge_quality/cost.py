"""Cost of judging: processor time, time by the clock and tokens, of a stated class of machine."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.score_pairs import both_orders, pair_of
from evaluator.judge_quality.trial_values import Cost
from evaluator.judges.protocol import Judge, JudgeRequest
from evaluator.judges.written.work import WrittenWork

PER = 1_000
"""Pairs a cost is stated for."""

Made = TypeVar("Made")


@runtime_checkable
class _ReadsTokens(Protocol):
    def prompt_ids(self, request: JudgeRequest) -> Sequence[int] | None:
        """The tokens of the prompt; None where a server makes them."""


def with_cost(judge: Judge, pairs: Sequence[LabelledPair], judged: Callable[[], Made]) -> tuple[Made, Cost]:
    """What judging these pairs gives, and what it takes.

    Args:
        judged: Asks the judge about each of the pairs in both orders; it is called once.
    """
    before = written_so_far(judge)
    started, started_cpu = time.perf_counter(), time.process_time()
    made = judged()
    cpu_seconds, seconds = time.process_time() - started_cpu, time.perf_counter() - started
    tokens, after = tokens_read(judge, pairs), written_so_far(judge)
    replies = after.replies - before.replies
    times = PER / max(len(pairs), 1)
    return made, Cost(
        hardware=hardware(),
        cpu_seconds=round(cpu_seconds * times, 1),
        seconds=round(seconds * times, 1),
        tokens=None if tokens is None else round(tokens * times),
        tokens_written=round((after.tokens - before.tokens) / replies, 1) if replies else None,
    )


def written_so_far(judge: Judge) -> WrittenWork:
    """Return how much a judge that writes before it decides has written; nothing for others."""
    written = getattr(judge, "written", None)
    return replace(written) if isinstance(written, WrittenWork) else WrittenWork()


def tokens_read(judge: Judge, pairs: Sequence[LabelledPair]) -> int | None:
    """Tokens of the prompts of all pairs in both orders; None for a judge without a prompt, or where nobody says."""
    if not isinstance(judge, _ReadsTokens):
        return None
    prompts = [judge.prompt_ids(request) for pair in pairs for request in both_orders(pair_of(pair), "en")]
    known = [len(prompt) for prompt in prompts if prompt is not None]
    return sum(known) if len(known) == len(prompts) else None


def hardware() -> str:
    """The class of this machine, without its name: architecture, cores this process may use, graphics card."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{platform.machine()}, {cores} CPU core{'' if cores == 1 else 's'}, {_card()}"


def commit() -> str:
    """Return the short hash of the commit this program runs from, with `-dirty` behind it where files were changed.

    Blank where it runs outside a checkout of its own.
    """
    here = Path(__file__)
    try:
        _git(here.parent, "ls-files", "--error-unmatch", here.name)  # installed, it may lie in a checkout of others
        return _git(here.parent, "describe", "--always", "--dirty", "--abbrev=8", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True, encoding="utf-8")
    return done.stdout.strip()


def _card() -> str:
    """Where torch was never loaded, no judge used a card."""
    torch = sys.modules.get("torch")
    return str(torch.cuda.get_device_name()) if torch is not None and torch.cuda.is_available() else "no GPU"
