"""Sentences are read once, and progress is told."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.behavior_alignment.strategies.loading import default_estimator
from evaluator.behavior_alignment.strategies.read_once import SENTENCES_PER_BLOCK, ReadOnce

SENTENCES = ("Have you seen it?", "It won two prizes.", "Do watch it!")


@pytest.fixture
def estimator() -> ReadOnce:
    return ReadOnce(default_estimator(None))


def test_it_says_what_its_head_says(estimator: ReadOnce) -> None:
    head = default_estimator(None)
    assert np.array_equal(estimator.probabilities(SENTENCES), head.probabilities(SENTENCES))
    pairs = [(SENTENCES[0], SENTENCES[1]), (SENTENCES[2], SENTENCES[2])]
    assert estimator.similarities(pairs) == head.similarities(pairs)
    assert (estimator.name, estimator.threshold) == (head.name, head.threshold)
    assert estimator.pair_accuracy == head.pair_accuracy
    assert estimator.rates is not None
    assert estimator.probabilities([]).shape == (0, 13)


def test_every_sentence_is_read_once(estimator: ReadOnce) -> None:
    told: list[tuple[int, int]] = []
    estimator.read([*SENTENCES, *SENTENCES], lambda done, total: told.append((done, total)))
    estimator.read(SENTENCES[:2], lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (3, 3), (0, 0)]


def test_progress_is_told_block_by_block(estimator: ReadOnce) -> None:
    told: list[int] = []
    many = [f"Sentence number {number}." for number in range(SENTENCES_PER_BLOCK + 1)]
    estimator.read(many, lambda done, total: told.append(done))
    assert told == [0, SENTENCES_PER_BLOCK, SENTENCES_PER_BLOCK + 1]
