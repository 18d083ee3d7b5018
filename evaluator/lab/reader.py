"""The lab's reader mode: a judge in the place of one reader, who wrote a few reviews, on two new texts.

The judge rates each text from 1 to 10, and says for each aspect which of the two this reader prefers, with either text
shown first. Every answer goes through the store of verdicts.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Literal

from evaluator.judges.protocol import JudgeRequest, JudgeUnavailable, Judgment, RequestKind
from evaluator.lab.judging import JudgingStopped, LabJudge
from evaluator.personalized_evaluation.judging import predicted_choice, preference_request, rating_request
from evaluator.values import Pin
from submissions.formats.personalized_evaluation.submission import ASPECTS, DEFAULT_SCALE, Aspect, Choice, ProfileReview

logger = logging.getLogger(__name__)

MAX_REVIEWS = 5
MAX_TEXT = 4_000
"""Characters of a text, earlier or new."""
MAX_REVIEW = 2_000

NEEDED: tuple[RequestKind, ...] = ("profile_rating", "profile_choice")

Phase = Literal["queued", "loading", "judging", "done", "cancelled", "failed"]
"""`queued`: others run; `loading`: the judge is loaded; `judging`: it is asked; the others end a run."""
ENDED: frozenset[Phase] = frozenset(("done", "cancelled", "failed"))

NO_JUDGE = "No judge is configured here (PLUMBLINE_JUDGES), so nobody can take the reader's place."


WHO_CAN = "A language model does: PLUMBLINE_JUDGES=transformers:REPO@COMMIT or http:URL#MODEL."


def unable(judge: str) -> str:
    """Why a judge cannot take the reader's place."""
    return f"The judge of this site ({judge}) reads no questions about a reader: it compares texts and knows no taste."


@dataclass(frozen=True, slots=True)
class ReaderSetup:
    """A reader, and two texts this reader has not seen."""

    reviews: tuple[ProfileReview, ...]
    """Earlier texts with what the reader wrote and gave, 1-10; none = nothing is known about the reader."""
    text_a: str
    text_b: str


def problems(setup: ReaderSetup) -> list[str]:
    """Everything that keeps a setup from being run, in words; [] where nothing does."""
    faults = []
    if len(setup.reviews) > MAX_REVIEWS:
        faults.append(f"There are {len(setup.reviews)} reviews; at most {MAX_REVIEWS} are shown.")
    for number, review in enumerate(setup.reviews, start=1):
        if not review.text.strip():
            faults.append(f"Review {number} has no text that was reviewed.")
        faults += _too_long(f"The text of review {number}", review.text, MAX_TEXT)
        faults += _too_long(f"Review {number}", review.review, MAX_REVIEW)
        if math.isnan(review.score):
            faults.append(f"Review {number} has no score.")
        elif review.score not in DEFAULT_SCALE:
            faults.append(f"The score of review {number} is {review.score:g}; it must lie from {DEFAULT_SCALE}.")
    for name, text in (("Text A", setup.text_a), ("Text B", setup.text_b)):
        if not text.strip():
            faults.append(f"{name} is empty.")
        faults += _too_long(name, text, MAX_TEXT)
    return faults


def _too_long(name: str, text: str, most: int) -> list[str]:
    return [f"{name} has {len(text):,} characters; at most {most:,} are read."] if len(text) > most else []


@dataclass(frozen=True, slots=True)
class AspectVerdict:
    """Which text the reader prefers in one aspect, in both orders; choices name texts, not places."""

    aspect: Aspect
    given: Judgment
    """With text A shown as plot A."""
    swapped: Judgment
    """With text B shown as plot A."""

    @property
    def choice(self) -> Choice | None:
        """With text A shown first."""
        return predicted_choice(self.given).value

    @property
    def choice_swapped(self) -> Choice | None:
        """With text B shown first."""
        return predicted_choice(self.swapped, swapped=True).value

    @property
    def agreed(self) -> Choice | None:
        """The text chosen in both orders; None where the two disagree, or one has no answer."""
        return self.choice if self.choice == self.choice_swapped else None

    @property
    def is_flip(self) -> bool:
        """The choice followed the place."""
        return self.choice is not None and self.choice_swapped is not None and self.choice != self.choice_swapped


@dataclass(frozen=True, slots=True)
class ReaderRun:
    """A run as it stands."""

    setup: ReaderSetup
    phase: Phase
    queue_position: int | None = None
    judge: Pin | None = None
    ratings: tuple[Judgment, ...] = ()
    """Of text A, then of text B."""
    verdicts: tuple[AspectVerdict, ...] = ()
    """In the order of the aspects, as far as they were asked."""
    failure: str = ""
    """Why it failed, in words."""

    @property
    def n_judged(self) -> int:
        """Questions answered so far."""
        return len(self.ratings) + 2 * len(self.verdicts)


N_QUESTIONS = 2 + 2 * len(ASPECTS)
"""What a run asks: two ratings, and every aspect in both orders."""


async def reader_run(
    setup: ReaderSetup, judge: LabJudge | None, *, stop: threading.Event
) -> AsyncGenerator[ReaderRun, None]:
    """Yields the run as it stands after every answer, and last the finished, failed or cancelled one.

    Args:
        setup: Without `problems`.
        judge: None = none is configured.
        stop: Set it to cancel; the question under way is answered first.
    """
    run = ReaderRun(setup, "loading")
    if judge is None:
        yield replace(run, phase="failed", failure=NO_JUDGE)
        return
    yield run
    try:
        kinds = await asyncio.to_thread(judge.kinds, stop)
        run = replace(run, judge=judge.pin)
        if not set(NEEDED) <= kinds:
            yield replace(run, phase="failed", failure=f"{unable(judge.pin.name if judge.pin else '?')} {WHO_CAN}")
            return
        run = replace(run, phase="judging")
        yield run
        asked = [rating_request(setup.reviews, text) for text in (setup.text_a, setup.text_b)]
        run = replace(run, ratings=tuple(await _judgments(judge, asked, stop)))
        yield run
        for aspect in ASPECTS:
            both = _both_orders(setup, aspect)
            given, swapped = await _judgments(judge, both, stop)
            run = replace(run, verdicts=(*run.verdicts, AspectVerdict(aspect, given, swapped)))
            yield run
    except JudgingStopped:
        yield replace(run, phase="cancelled")
    except JudgeUnavailable as error:
        logger.warning("a reader could not be predicted: %s", error)
        yield replace(run, phase="failed", failure=f"The judge cannot be asked now: {error}")
    else:
        yield replace(run, phase="done")


async def _judgments(judge: LabJudge, requests: list[JudgeRequest], stop: threading.Event) -> list[Judgment]:
    return await asyncio.to_thread(judge.ask, requests, stop)


def _both_orders(setup: ReaderSetup, aspect: Aspect) -> list[JudgeRequest]:
    return [
        preference_request(setup.reviews, aspect, setup.text_a, setup.text_b),
        preference_request(setup.reviews, aspect, setup.text_b, setup.text_a),
    ]
