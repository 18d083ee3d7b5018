"""Words to pieces by a unigram vocabulary: the split whose scores sum to the most, as SentencePiece finds it.

The library `tokenizers` gives the same ids (`tests/unit/evaluator/embeddings/test_unigram.py` compares them), and keeps
a tree of 260 MB for the 250,000 pieces of multilingual-e5-small; a plain dictionary of them takes a tenth.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence

WORD_START = "\u2581"
"""Stands for a blank, and before the first word."""

UNKNOWN_PENALTY = 10.0
"""A character without a piece scores so much below the rarest piece."""

CACHED_WORDS = 50_000
"""Words whose pieces are kept, so that a worker that runs for weeks does not grow."""


class Unigram:
    """A vocabulary of pieces.

    Args:
        ids: Piece -> id; pieces that no text may hold are left out.
        scores: By id; of every piece of the vocabulary.
        unknown: Id of what no piece covers; neighbours become one.
    """

    def __init__(self, ids: Mapping[str, int], scores: Sequence[float], unknown: int) -> None:
        self._ids = ids
        self._scores = array("d", scores)
        self._unknown = unknown
        self._unknown_score = min(self._scores) - UNKNOWN_PENALTY
        self._longest = max(map(len, ids), default=1)
        self._known: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        """Ids of a text's pieces, word by word; a blank belongs to the word after it."""
        return [piece for word in _words(text) for piece in self._word(word)]

    def _word(self, word: str) -> tuple[int, ...]:
        if word not in self._known:
            if len(self._known) >= CACHED_WORDS:
                self._known.clear()
            self._known[word] = tuple(self._best_path(word))
        return self._known[word]

    def _best_path(self, word: str) -> Iterator[int]:
        """The pieces in order, unknown neighbours as one."""
        backwards: list[int] = []
        best = self._best_ends(word)
        end = len(word)
        while end:
            start, piece = best[end]
            if piece != self._unknown or not backwards or backwards[-1] != self._unknown:
                backwards.append(piece)
            end = start
        return reversed(backwards)

    def _best_ends(self, word: str) -> list[tuple[int, int]]:
        """For each end of a stretch from the word's start: where the last piece of its best split begins, and its id.

        Of equal sums the one stays that was seen first, whose last piece is longer.
        """
        best = [(0, self._unknown)] * (len(word) + 1)
        sums = [0.0, *[-math.inf] * len(word)]
        for start in range(len(word)):
            so_far = sums[start]
            if word[start] not in self._ids and so_far + self._unknown_score > sums[start + 1]:
                sums[start + 1], best[start + 1] = so_far + self._unknown_score, (start, self._unknown)
            for end in range(start + 1, min(start + self._longest, len(word)) + 1):
                piece = self._ids.get(word[start:end])
                if piece is not None and so_far + self._scores[piece] > sums[end]:
                    sums[end], best[end] = so_far + self._scores[piece], (start, piece)
        return best


def _words(text: str) -> Iterator[str]:
    """Words with what stands for the blank before them.

    >>> list(_words("so it  is"))
    ['▁so', '▁it', '▁', '▁is']
    """
    if not text:
        return
    first, *rest = text.replace(" ", WORD_START).split(WORD_START)
    yield from (WORD_START + word for word in ([first] if first else []) + rest)
