"""What the figures of a recommender, or one of its dialogues, mean, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.boards.behavior_alignment.rows import BehaviorRow
from leaderboard.parts.columns import text_of


def strategy_sentence(row: BehaviorRow) -> str:
    """Return in how many turns a system chooses the recommendation strategy of the human, and whether that is counted
    or estimated."""
    share = row.alignment
    if share.value is None:
        return f"How often {row.name} chooses the strategy of the human is not known: {share.reason}."
    chooses = f"{row.name} chooses the strategy of the human in {text_of(share, 'percent')} of its turns"
    return f"{chooses}, estimated from its words." if row.is_measured_here else f"{chooses}."


def pace_sentence(name: str, system: float | None, human: float | None) -> str:
    """Return how soon a system recommends beside the human, for a row whose strategies nobody published.

    Args:
        name: Of the system.
        system: Its mean number of turns before the first recommendation.
        human: The same of the human.
    """
    if system is None or human is None:
        return f"How soon {name} recommends was not published."
    if f"{system:.2f}" == f"{human:.2f}":
        return f"{name} recommends after {system:.2f} turns on average, as the human does."
    side = "earlier" if system < human else "later"
    return f"{name} recommends {side} than the human: after {system:.2f} turns on average, not {human:.2f}."


def dialogue_sentence(is_same: Sequence[bool | None], *, is_annotated: bool) -> str:
    """Return in how many turns of one dialogue a system chooses the strategy of the human.

    Args:
        is_same: Of every scored turn, whether it does; None = not known.
        is_annotated: Whether that is read from labels, and not estimated from the words.
    """
    if not is_same:
        return "No turn of this dialogue is scored."
    known = [is_turn_same for is_turn_same in is_same if is_turn_same is not None]
    if not known:
        return "Whether the system chooses the strategy of the human here is not known: no turn has both strategies."
    turns = "1 scored turn" if len(known) == 1 else f"{len(known)} scored turns"
    chooses = f"The system chooses the strategy of the human in {sum(known)} of {turns}"
    if len(known) < len(is_same):
        chooses += f" whose strategies are known, of {len(is_same)} in all"
    return f"{chooses}." if is_annotated else f"{chooses}, estimated from its words."
