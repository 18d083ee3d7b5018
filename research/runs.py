"""What every training shares: its flags, its steps and their learning rate, and the report it leaves."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from submissions.commands.command_line import stop

SECONDS_BETWEEN_LINES = 15.0
MAX_EPOCHS = 1000

_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")

Recipe = TypeVar("Recipe")
"""A dataclass with `epochs` and `seed` among its fields."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far training is."""

    number: int
    of: int
    loss: float


def learning_rate(step: int, steps: int, warm_up: float) -> float:
    """Return the share of the highest rate: it rises in the first `warm_up` of the steps, then falls to 0.02."""
    return min(1.0, (step + 1) / (warm_up * steps)) * max(0.02, 1 - step / steps)


def chosen_recipe(recipe: Recipe, options: argparse.Namespace) -> Recipe:
    """Return the recipe with the epochs and the seed of the command, where it names them."""
    named = {name: getattr(options, name) for name in ("epochs", "seed") if getattr(options, name) is not None}
    return replace(recipe, **named)  # type: ignore[type-var]


def keep_report(report: dict[str, Any], recipe: Any, started: float, out: Path) -> None:
    """Add recipe and seconds to a report, and write it to `report.json`."""
    report |= {"recipe": asdict(recipe), "seconds": round(time.monotonic() - started, 1)}
    (out / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def make_folder(out: Path) -> None:
    """Makes the folder of the result, or ends the command with the reason."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        stop(f"--out {out}: {error.strerror}")


class _OfTopic(Protocol):
    @property
    def topic(self) -> str: ...


Example = TypeVar("Example", bound=_OfTopic)


def of_first_topics(examples: Sequence[Example], number: int | None) -> list[Example]:
    """Examples of the first so many topics; None = all of them."""
    topics = set(list(dict.fromkeys(example.topic for example in examples))[:number])
    return [example for example in examples if example.topic in topics]


def passes(text: str) -> float:
    """A number of passes over the examples."""
    number = float(text) if _NUMBER.fullmatch(text) else 0.0
    if not 0 < number <= MAX_EPOCHS:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and up to {MAX_EPOCHS}, found {text!r}")
    return number


def count(text: str) -> int:
    """A whole number of 1 or more."""
    number = int(text) if _WHOLE_NUMBER.fullmatch(text) else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, found {text!r}")
    return number


def seed(text: str) -> int:
    """A seed of everything random."""
    if not _WHOLE_NUMBER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"expected a whole number of at most 9 digits, found {text!r}")
    return int(text)


def progress(started: float) -> Callable[[Step], None]:
    """A line on standard error now and then: step, loss, time left."""
    shown = started

    def show(step: Step) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown < SECONDS_BETWEEN_LINES and step.number < step.of:
            return
        shown = now
        left = (now - started) / step.number * (step.of - step.number)
        sys.stderr.write(f"step {step.number} of {step.of}, loss {step.loss:.3f}, about {left / 60:.0f} min left\n")

    return show
