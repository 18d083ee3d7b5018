"""One recommender turn by turn: which strategies it puts in place of the human's, and where in a dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluator.behavior_alignment.result import BehaviorResult
from evaluator.results import MetricValue
from evaluator.statistics.dialogues import dialogue_interval
from leaderboard.parts.columns import Column
from submissions.formats.behavior_alignment.submission import TURN_LABELS, TurnLabel

NOT_KNOWN = "no turn has the strategies of both sides"


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often the system has one label where the human has another."""

    labels: tuple[TurnLabel, ...]
    """Those that occur on either side, in the order of the strategies."""
    counts: dict[tuple[TurnLabel, TurnLabel], int]
    """(human, system) -> turns."""


def confusion(result: BehaviorResult) -> Confusion | None:
    """Human label by system label over the scored turns that are annotated; None without any."""
    turns = result.per_turn
    counts = Counter(
        (human, system)
        for human, system in zip(turns.human_label, turns.system_label, strict=True)
        if human is not None and system is not None
    )
    if not counts:
        return None
    used = {label for pair in counts for label in pair}
    return Confusion(tuple(label for label in TURN_LABELS if label in used), dict(counts))


def hits(result: BehaviorResult) -> tuple[bool | None, ...]:
    """Of every scored turn: is it a hit? By labels where all are annotated, else by the estimator."""
    return result.per_turn.equal if result.is_annotated else result.per_turn.same


def alignment_by_turn(result: BehaviorResult) -> dict[int, MetricValue]:
    """Turn number -> share of hits among the dialogues that have such a turn, with its interval; n = dialogues.

    Estimated rows: the raw share, which is biased alike at every turn.
    """
    by_turn: dict[int, dict[str, list[float]]] = {}
    for dialogue, number, hit in zip(result.per_turn.dialogue, result.per_turn.turn, hits(result), strict=True):
        if hit is not None:
            by_turn.setdefault(number, {})[dialogue] = [float(hit)]
    return {number: _share(by_dialogue) for number, by_dialogue in sorted(by_turn.items())}


def _share(by_dialogue: dict[str, list[float]]) -> MetricValue:
    low, high = dialogue_interval(by_dialogue) or (None, None)
    return MetricValue(value=fmean(hit for (hit,) in by_dialogue.values()), low=low, high=high, n=len(by_dialogue))


# --- the dialogues ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DialogueRow:
    """One dialogue of one system."""

    id: str
    """Its number among the scored dialogues, from 1."""
    dialogue: str
    turns: int
    """Scored ones."""
    hits: int
    share: float
    similarity: float | None
    """Mean s of the turns that have one."""
    style: str = ""
    tier: int = 0


def dialogue_rows(result: BehaviorResult) -> list[DialogueRow]:
    """Every scored dialogue, the least aligned first."""
    rows = (
        _dialogue_row(str(number), result, places)
        for number, places in enumerate(dialogue_places(result).values(), start=1)
    )
    return sorted(rows, key=lambda row: (row.share, -row.turns, row.dialogue))


def dialogue_places(result: BehaviorResult) -> dict[str, list[int]]:
    """Dialogue -> places of its turns in the columns of `per_turn`, in order."""
    places: dict[str, list[int]] = {}
    for place, dialogue in enumerate(result.per_turn.dialogue):
        places.setdefault(dialogue, []).append(place)
    return places


def _dialogue_row(number: str, result: BehaviorResult, places: Sequence[int]) -> DialogueRow:
    marks = hits(result)
    n_hits = sum(bool(marks[place]) for place in places)
    known = list(_known(result.per_turn.s, places))
    return DialogueRow(
        id=number,
        dialogue=result.per_turn.dialogue[places[0]],
        turns=len(places),
        hits=n_hits,
        share=n_hits / len(places),
        similarity=fmean(known) if known else None,
    )


def _known(values: Sequence[float | None], places: Sequence[int]) -> Iterator[float]:
    return (value for place in places if (value := values[place]) is not None)


DIALOGUE_COLUMNS: tuple[Column[DialogueRow], ...] = (
    Column("dialogue", "Dialogue", "text", lambda row: row.dialogue, "Opens its turns.", is_name=True, sortable=False),
    Column("turns", "Scored turns", "whole", lambda row: row.turns, "All but the first.", sortable=False),
    Column("hits", "Hits", "whole", lambda row: row.hits, "Turns with the human's strategy.", sortable=False),
    Column("share", "Alignment", "decimal", lambda row: row.share, "Hits of its scored turns.", sortable=False),
    Column(
        "similarity",
        "Mean s (estimated)",
        "decimal",
        lambda row: row.similarity,
        "How likely both sides have one strategy, by the estimator.",
        sortable=False,
    ),
)
"""The dialogues of one row."""
