"""Rates at which an estimator says "same", measured on labelled turns that it was not trained on.

A turn is read by its last sentence and labelled by its last labelled one, as when a system is scored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluator.behavior_alignment.figures import turn_label
from evaluator.behavior_alignment.implicit import RATE_DRAWS, Rates
from evaluator.behavior_alignment.strategies.inspired import LabelledDialogues
from evaluator.statistics.dialogues import quotient
from evaluator.statistics.intervals import FloatArray, draw_counts
from submissions.formats.behavior_alignment.submission import NO_STRATEGY, STRATEGIES

IntArray = npt.NDArray[np.int64]


class LabelledTurns(NamedTuple):
    """The turns labelled with one of the 13, in order."""

    sentence: IntArray
    """Place of the last sentence."""
    label: IntArray
    """Strategy id."""
    dialogue: IntArray
    """Place in `LabelledDialogues.dialogue_ids`."""
    number: IntArray
    """Among all turns of the file, so that neighbours differ by one."""


def labelled_turns(data: LabelledDialogues) -> LabelledTurns:
    """The turns of dialogues that have a strategy."""
    place = {dialogue_id: number for number, dialogue_id in enumerate(data.dialogue_ids)}
    rows = []
    for number, turn in enumerate(data.turns):
        label = turn_label([data.sentences[sentence].label for sentence in turn])
        if label != NO_STRATEGY:
            dialogue = place[data.sentences[turn[0]].dialogue_id]
            rows.append((turn[-1], STRATEGIES.index(label), dialogue, number))
    return LabelledTurns(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


class _Counts(NamedTuple):
    """Pairs of turns by dialogue: shape (dialogues, dialogues) across, (dialogues,) of neighbours."""

    equal: FloatArray
    equal_same: FloatArray
    different: FloatArray
    different_same: FloatArray
    adjacent: FloatArray
    adjacent_same: FloatArray


def measured_rates(
    turns: LabelledTurns, probabilities: FloatArray, threshold: float, source: str, *, seed: int = 0
) -> Rates | None:
    """The rates of an estimator at its threshold, with resamples of the dialogues.

    Args:
        turns: From `labelled_turns`.
        probabilities: Of the 13 strategies for every sentence of the file, out of fold.
        threshold: t.
        source: What was measured on, in words.
        seed: Of the resamples.

    Returns:
        The rates; None where a kind of pair does not occur.
    """
    counts = _counts(turns, probabilities, threshold)
    n_dialogues = len(counts.adjacent)
    whole = _rates(counts, np.ones((1, n_dialogues)))[0]
    if np.isnan(whole).any():
        return None
    draws = _rates(counts, draw_counts(n_dialogues, RATE_DRAWS, seed))
    tpr, cross, adjacent = (float(rate) for rate in whole)
    return Rates(
        tpr=tpr,
        fpr_cross=cross,
        fpr_adjacent=adjacent,
        n_cross=int((counts.equal + counts.different).sum()) // 2,
        n_adjacent=int(counts.adjacent.sum()),
        # A resample without any such pair says nothing: the whole sample stands in for it.
        draws=np.where(np.isnan(draws), whole, draws),
        source=source,
    )


def _counts(turns: LabelledTurns, probabilities: FloatArray, threshold: float) -> _Counts:
    read = probabilities[turns.sentence]
    same = (read @ read.T) > threshold
    is_equal = turns.label[:, np.newaxis] == turns.label[np.newaxis, :]
    n_dialogues = int(turns.dialogue.max(initial=-1)) + 1
    member = (turns.dialogue[:, np.newaxis] == np.arange(n_dialogues)).astype(np.float64)

    def across(chosen: npt.NDArray[np.bool_]) -> FloatArray:
        """Chosen pairs by the dialogues of both turns; none within a dialogue."""
        by_dialogue = np.asarray(member.T @ chosen.astype(np.float64) @ member, dtype=np.float64)
        np.fill_diagonal(by_dialogue, 0.0)
        return by_dialogue

    is_neighbour = (np.diff(turns.number) == 1) & (np.diff(turns.dialogue) == 0) & (np.diff(turns.label) != 0)
    before = np.flatnonzero(is_neighbour)
    same_before = before[same[before, before + 1]]
    return _Counts(
        equal=across(is_equal),
        equal_same=across(is_equal & same),
        different=across(~is_equal),
        different_same=across(~is_equal & same),
        adjacent=np.bincount(turns.dialogue[before], minlength=n_dialogues).astype(np.float64),
        adjacent_same=np.bincount(turns.dialogue[same_before], minlength=n_dialogues).astype(np.float64),
    )


def _rates(counts: _Counts, weights: FloatArray) -> FloatArray:
    """tpr, fpr_cross and fpr_adjacent under weights of the dialogues, (draws, dialogues) -> (draws, 3)."""

    def pairs(by_dialogue: FloatArray) -> FloatArray:
        # A pair counts as often as both of its dialogues are drawn.
        return np.asarray(((weights @ by_dialogue) * weights).sum(axis=1), dtype=np.float64)

    return np.stack(
        [
            quotient(pairs(counts.equal_same), pairs(counts.equal)),
            quotient(pairs(counts.different_same), pairs(counts.different)),
            quotient(weights @ counts.adjacent_same, weights @ counts.adjacent),
        ],
        axis=1,
    )
