"""Ways to look at the results of one edition; no components, so that no test needs a browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leaderboard.boards.robustness.state import Edition, EditionState, Look
from leaderboard.page.links import address_of
from leaderboard.parts.tables import LinkValue

LOOK_LABELS: dict[Look, str] = {
    "board": "Ranking",
    "choices": "How stable is each rank?",
    "atlas": "Scores by variation",
    "history": "Table 2 of 2024",
}
_IN_A_SENTENCE: dict[Look, str] = {label: words[:1].lower() + words[1:] for label, words in LOOK_LABELS.items()} | {
    "choices": "how stable each rank is",
    "history": LOOK_LABELS["history"],
}
_OF_EDITION: dict[str, tuple[Look, ...]] = {
    "robustness": ("board", "choices", "atlas", "history"),
    "consistency": ("board", "atlas"),
    "cultural": ("board", "atlas"),
}


def look_of(state: EditionState) -> Look:
    """How the results are looked at: as the state says, else the ranking, where the edition has no such look.

    >>> from leaderboard.boards.editions.state import CulturalState
    >>> from leaderboard.boards.robustness.state import RobustnessState
    >>> look_of(RobustnessState(look="atlas")), look_of(CulturalState(look="history"))
    ('atlas', 'board')
    """
    return state.look if state.look in _OF_EDITION.get(state.tab, ()) else "board"


def is_looked_at(state: EditionState, look: Look) -> bool:
    """Is this look shown? An opened system hides them all."""
    return not state.system and look_of(state) == look


def look_choices(state: EditionState) -> list[tuple[str, str]]:
    """Label and key of every look of the state's edition."""
    return [(LOOK_LABELS[look], look) for look in _OF_EDITION.get(state.tab, ("board",))]


def shown_words(state: EditionState, chosen: Sequence[str]) -> str:
    """What is shown, said by the drawer that chooses it: the look, and of which rows; blank words count as none.

    >>> from leaderboard.boards.robustness.state import RobustnessState
    >>> shown_words(RobustnessState(), ["Demonstration", "English", ""])
    'Showing ranking: Demonstration, English'
    """
    rows = ", ".join(words for words in chosen if words)
    look = _IN_A_SENTENCE[look_of(state)]
    return f"Showing {look}: {rows}" if rows else f"Showing {look}"


def other_looks(state: EditionState) -> list[LinkValue]:
    """Links to the same rows looked at in every other way, for beside the table that is shown."""
    return [
        {"label": LOOK_LABELS[look], "href": address_of(replace(state, look=look))}
        for look in _OF_EDITION.get(state.tab, ())
        if look != look_of(state)
    ]


def look_chosen(state: Edition, look: object) -> Edition:
    """Another look; values come from the browser: anything unknown changes nothing."""
    chosen = next((known for known in _OF_EDITION.get(state.tab, ()) if known == look), state.look)
    return replace(state, look=chosen)
