"""Where preferences broke an answer: questions of the recorded run that were right without preferences and wrong with.

gallery = recorded_gallery(library)
gallery.breakages[0]                    # what the lab opens with: Pref-Aligner held, where it ever did
"""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.lab.replay import ReplayEntry, ReplayExample, ReplayLibrary, ReplayRow, common_examples
from evaluator.personalization import parse_aligner
from submissions.formats.personalization.submission import NAIVE, PREF_ALIGNER, PersonalizedRow


@dataclass(frozen=True, slots=True)
class Breakage:
    """One question that the naive method lost under preferences."""

    example: ReplayExample
    question: str
    gold: str
    relevant_preference: str | None
    letter: str | None
    """What the naive answer chose; None = no option was readable in it."""
    is_held: bool
    """Whether Pref-Aligner, shown the same preferences, gave a readable reply with the right answer."""
    is_aligner_failed: bool
    """Whether its reply was unreadable, so that the draft was kept: neither held nor lost."""


@dataclass(frozen=True, slots=True)
class Gallery:
    """The breakages of one submission."""

    naive: ReplayEntry
    aligner: ReplayEntry
    breakages: tuple[Breakage, ...]
    """First those where Pref-Aligner held, and of these first those whose outcome no judge has to rate."""
    n_right: int
    """Answers of the naive method whose control is right: what could break."""


def recorded_gallery(library: ReplayLibrary) -> Gallery | None:
    """The gallery of the recorded run; None while it is not scored. Reads files: not for the event loop."""
    entries = {entry.method: entry for entry in library.entries() if entry.is_recorded}
    naive, aligner = entries.get(NAIVE), entries.get(PREF_ALIGNER)
    if naive is None or aligner is None:
        return None
    first, second = library.row(naive), library.row(aligner)
    if first is None or second is None:
        return None
    examples = common_examples(first, second)
    breakages = [breakage for example in examples if (breakage := _breakage(first, second, example))]
    # Without relevant preferences an answer need not be rated to be called robust.
    breakages.sort(
        key=lambda breakage: (
            not breakage.is_held,
            breakage.is_aligner_failed,
            breakage.example.setting != "irrelevant",
        )
    )
    return Gallery(naive, aligner, tuple(breakages), sum(_is_right(first, example)[0] for example in examples))


def _breakage(naive: ReplayRow, aligner: ReplayRow, example: ReplayExample) -> Breakage | None:
    was_right, is_right = _is_right(naive, example)
    row = naive.submission.rows[naive.places[example]]
    if not was_right or is_right or row.gold is None:
        return None
    is_failed = _is_fallback(aligner.submission.rows[aligner.places[example]])
    return Breakage(
        example=example,
        question=row.question,
        gold=row.gold,
        relevant_preference=row.relevant_preference,
        letter=naive.result.outcomes.letter[naive.verdict_places[naive.places[example]]] if naive.result else None,
        is_held=not is_failed and _is_right(aligner, example) == (True, True),
        is_aligner_failed=is_failed,
    )


def _is_fallback(row: PersonalizedRow) -> bool:
    """Return whether the draft stands because the stage-2 reply was unreadable, as the evaluator decides it."""
    return bool(row.fallback) if row.aligner_raw is None else parse_aligner(row.aligner_raw) is None


def _is_right(row: ReplayRow, example: ReplayExample) -> tuple[bool, bool]:
    """Whether an answer was right without preferences, and with them; what was not judged was neither."""
    place = row.verdict_places.get(row.places[example])
    if row.result is None or place is None:
        return False, False
    outcomes = row.result.outcomes
    return outcomes.c0[place] is True, outcomes.c1[place] is True
