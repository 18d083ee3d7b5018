"""Words and stretches of characters of a sentence, weighted by how rare they are (TF-IDF).

Training and scoring share this code, so that a head reads a sentence as it was trained to. It counts as scikit-learn's
TfidfVectorizer does (words 1-2; characters within words 2-5; sublinear; each block of unit length), and a test compares
them; scoring needs numpy only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluator.statistics.intervals import FloatArray

WORD_LENGTHS = (1, 2)
CHARACTER_LENGTHS = (2, 3, 4, 5)

_WORD = re.compile(r"\b\w\w+\b")

Terms = Callable[[str], Iterable[str]]


def word_terms(text: str) -> Iterator[str]:
    """Words of two letters or more, and every two of them in a row.

    >>> list(word_terms("Go and see"))
    ['go', 'and', 'see', 'go and', 'and see']
    """
    words = _WORD.findall(text.lower())
    for length in WORD_LENGTHS:
        yield from (" ".join(words[start : start + length]) for start in range(len(words) - length + 1))


def character_terms(text: str) -> Iterator[str]:
    """Stretches of 2 to 5 characters within each word and the blanks around it; a shorter word whole, once.

    >>> list(character_terms("Go"))
    [' g', 'go', 'o ', ' go', 'go ', ' go ']
    """
    for word in text.lower().split():
        padded = f" {word} "
        for length in CHARACTER_LENGTHS:
            yield from (padded[start : start + length] for start in range(max(1, len(padded) - length + 1)))
            if length >= len(padded):
                break


class SparseRow(NamedTuple):
    """The terms of one text that are known."""

    places: npt.NDArray[np.int64]
    values: FloatArray


@dataclass(frozen=True)
class Vocabulary:
    """The terms of one kind seen in training, and how rare they are."""

    terms: tuple[str, ...]
    """Sorted."""
    rarity: FloatArray
    """Inverse document frequency: 1 for a term of every text, more for rare ones."""

    @classmethod
    def of(cls, counts: Sequence[Counter[str]]) -> Vocabulary:
        """The vocabulary of texts given by their term counts."""
        texts_with: Counter[str] = Counter()
        for counted in counts:
            texts_with.update(counted.keys())
        terms = tuple(sorted(texts_with))
        rarity = [log((1 + len(counts)) / (1 + texts_with[term])) + 1 for term in terms]
        return cls(terms, np.array(rarity, dtype=np.float64))

    @cached_property
    def places(self) -> dict[str, int]:
        return {term: place for place, term in enumerate(self.terms)}

    def row(self, counts: Counter[str]) -> SparseRow:
        """The weights of a text's known terms, of unit length together."""
        known = [(self.places[term], count) for term, count in counts.items() if term in self.places]
        places = np.array([place for place, _ in known], dtype=np.int64)
        values = (1.0 + np.log([count for _, count in known])) * self.rarity[places] if known else np.empty(0)
        norm = float(np.linalg.norm(values))
        return SparseRow(places, values / norm if norm else values)


@dataclass(frozen=True)
class TextFeatures:
    """Both vocabularies; the places of the characters follow those of the words."""

    words: Vocabulary
    characters: Vocabulary

    @classmethod
    def of(cls, texts: Sequence[TermCounts]) -> TextFeatures:
        """The features that training texts have."""
        return cls(Vocabulary.of([text.words for text in texts]), Vocabulary.of([text.characters for text in texts]))

    def __len__(self) -> int:
        return len(self.words.terms) + len(self.characters.terms)

    def row(self, text: TermCounts) -> SparseRow:
        """One text as the head reads it."""
        words, characters = self.words.row(text.words), self.characters.row(text.characters)
        return SparseRow(
            np.concatenate([words.places, characters.places + len(self.words.terms)]),
            np.concatenate([words.values, characters.values]),
        )


class TermCounts(NamedTuple):
    """How often each term occurs in a text; counted once however often the text is used."""

    words: Counter[str]
    characters: Counter[str]


def term_counts(text: str) -> TermCounts:
    """Counts the terms of a text."""
    return TermCounts(Counter(word_terms(text)), Counter(character_terms(text)))
