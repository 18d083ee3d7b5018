"""Where a worker stands in its job: it tells every step, and the process that watches it hears
(`evaluator.worker.watcher`).

A line of JSON for each step. Whoever watches counts how long nothing was heard: a judge that gets on is never cut off,
and of one that does not, the place at which it stands is known.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

JUDGING = "judging"

SIGN_EVERY_S = 0.2
"""Some work gets on a hundred thousand times a minute: each sign wakes whoever watches."""


@dataclass(frozen=True, slots=True)
class StepStanding:
    """Where a worker stands, as last heard."""

    judge: str
    """Name of its judge."""
    job: str = ""
    """The ticket it works on; blank = none."""
    claim: int = 0
    """Number of the claim: another one means that the job went to somebody else."""
    step: str = ""
    places: tuple[str, ...] = ()
    """Where in the submission the questions come from that are being judged, in order."""
    at: int | None = None
    """Which of them it is at; None where that cannot be told, since they are judged together."""

    @property
    def words(self) -> str:
        """The step for people.

        >>> StepStanding("pair", "t1", 1, JUDGING, ("item 1, variants 1 and 2", "item 2, variants 1 and 2"), 1).words
        'judging item 2, variants 1 and 2'
        >>> StepStanding("pair", "t1", 1, JUDGING, ("item 1, variants 1 and 2", "item 2, variants 1 and 2")).words
        'judging 2 questions together, from item 1, variants 1 and 2 to item 2, variants 1 and 2'
        """
        if not self.places:
            return self.step
        if self.at is not None and self.at < len(self.places):
            return f"{self.step} {self.places[self.at]}"
        if len(self.places) == 1:
            return f"{self.step} {self.places[0]}"
        count = len(self.places)
        return f"{self.step} {count} questions together, from {self.places[0]} to {self.places[-1]}"


def heard(standing: StepStanding | None, line: str) -> StepStanding | None:
    """Where a worker stands after it told a line; None before it is ready.

    >>> ready = heard(None, '{"judge": "pair"}')
    >>> heard(heard(ready, '{"job": "t1", "claim": 2}'), '{"step": "reading its file"}').words
    'reading its file'
    """
    told: dict[str, Any] = json.loads(line)
    if "judge" in told:
        return StepStanding(told["judge"])
    if standing is None:
        return None
    if "job" in told:
        return StepStanding(standing.judge, **told)
    if "step" in told:
        return replace(standing, step=told["step"], places=tuple(told.get("places", ())), at=None)
    return replace(standing, at=told["at"]) if "at" in told else standing


def fault_in(line: str) -> tuple[str, str] | None:
    """Return the judge that could not be used, and why, if a line tells that.

    >>> fault_in('{"unusable": "transformers", "fault": "it cannot judge"}')
    ('transformers', 'it cannot judge')
    """
    told: dict[str, Any] = json.loads(line)
    return (told["unusable"], told["fault"]) if "unusable" in told else None


class Steps:
    """What a worker tells; nobody hears it where nobody watches.

    Args:
        write: Takes a line.
        sign_every_s: Signs that say no place are told no more often.
    """

    def __init__(self, write: Callable[[str], object] = lambda line: None, sign_every_s: float = SIGN_EVERY_S) -> None:
        self._write = write
        self._sign_every_s = sign_every_s
        self._next_sign_s = 0.0
        self._is_at: int | None = None

    def ready(self, judge: str) -> None:
        """Everything is loaded."""
        self._tell(judge=judge)

    def unusable(self, judge: str, fault: str) -> None:
        """The judge cannot be used, so nothing will be judged."""
        self._tell(unusable=judge, fault=fault)

    def begin(self, job: str, claim: int) -> None:
        """A job was claimed."""
        self._tell(job=job, claim=claim)

    def step(self, words: str, places: Sequence[str] = ()) -> None:
        """The next step of the job, for people; with where in the submission its questions come from."""
        self._is_at = None
        self._tell(step=words, **({"places": list(places)} if places else {}))

    def at(self, place: int | None) -> None:
        """Which of the step's questions it is at now."""
        if place is None and self._is_at is None:
            self.sign()
            return
        self._is_at = place
        self._tell(at=place)

    def sign(self) -> None:
        """The step gets on."""
        now = time.monotonic()
        if now >= self._next_sign_s:
            self._next_sign_s = now + self._sign_every_s
            self._tell()

    def end(self) -> None:
        """The job is left, however it ended."""
        self._tell(job="")

    def _tell(self, **told: Any) -> None:
        self._write(json.dumps(told))
