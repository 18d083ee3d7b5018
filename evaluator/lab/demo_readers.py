"""Readers of our own making for the lab's reader mode: nobody real is behind them, and every text is ours."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.lab.reader import ReaderSetup
from submissions.formats.personalized_evaluation.submission import ProfileReview


@dataclass(frozen=True, slots=True)
class DemoReader:
    """A made-up reader with two new texts."""

    id: str
    title: str
    setup: ReaderSetup


_QUIET_ONES = (
    "A widowed clockmaker repairs every clock in a village that is to be flooded for a dam. He sets all of them to the "
    "hour at which the water comes, and the villagers, who came to mock him, stay to hear them strike together."
)
_LOUD_ONES = (
    "A courier with a stolen engine has one night to cross three checkpoints, two of them bribed and one of them on "
    "fire. At dawn she learns that the parcel is empty and that she was the signal."
)

DEMO_READERS: tuple[DemoReader, ...] = (
    DemoReader(
        "vera",
        "Vera, who likes slow stories",
        ReaderSetup(
            (
                ProfileReview(
                    "A night guard follows a stray dog into the desert and finds the well his father dug. He drinks, "
                    "and goes back to work.",
                    "Almost nothing happens, and I would not take away a line. The last sentence is perfect.",
                    9,
                ),
                ProfileReview(
                    "Two rival pilots race a storm to the same island; one of them has cut the other's fuel line.",
                    "Noise. I knew on page two who would live, and I did not care.",
                    3,
                ),
                ProfileReview(
                    "A translator loses her languages one by one, the youngest first, and writes down the last word of "
                    "each.",
                    "Sad, exact and patient. The list of words stayed with me for days.",
                    8,
                ),
            ),
            _QUIET_ONES,
            _LOUD_ONES,
        ),
    ),
    DemoReader(
        "milo",
        "Milo, who wants to be surprised",
        ReaderSetup(
            (
                ProfileReview(
                    "A night guard follows a stray dog into the desert and finds the well his father dug. He drinks, "
                    "and goes back to work.",
                    "And then? I kept waiting for the story to start.",
                    2,
                ),
                ProfileReview(
                    "Two rival pilots race a storm to the same island; one of them has cut the other's fuel line.",
                    "Hooked at once, and the twist about who cut whose line got me. More like this.",
                    9,
                ),
                ProfileReview(
                    "An insurance clerk finds out that every fire she pays for was foretold in the complaints book.",
                    "Clever idea, good turns, a little slow in the middle.",
                    7,
                ),
            ),
            _QUIET_ONES,
            _LOUD_ONES,
        ),
    ),
)
"""In the order they are offered."""
