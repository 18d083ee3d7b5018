"""Ways to look at the results of one edition; no components, so that no test needs a browser."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.boards.robustness.state import Edition, EditionState, Look

LOOK_LABELS: dict[Look, str] = {
    "board": "Ranking",
    "choices": "Rank sensitivity",
    "atlas": "Variation atlas",
    "history": "Table 2 of 2024",
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


def look_chosen(state: Edition, look: object) -> Edition:
    """Another look; values come from the browser: anything unknown changes nothing."""
    chosen = next((known for known in _OF_EDITION.get(state.tab, ()) if known == look), state.look)
    return replace(state, look=chosen)
