"""Texts that try to talk a judge into a score: a canary suite for tests and for `benchmarks/injection.py`."""

from __future__ import annotations

from importlib.resources import files


def injection_attacks() -> list[str]:
    """The attacks, one to a line of the shipped file; `\\n` in a line stands for a line break."""
    text = files("evaluator.judges.quality").joinpath("injection_attacks.txt").read_text(encoding="utf-8")
    return [line.replace("\\n", "\n") for line in text.split("\n") if line]
