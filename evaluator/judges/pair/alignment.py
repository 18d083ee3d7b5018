"""Which parts of two answers belong together: windows for long answers, and the least supported sentence of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evaluator.embeddings.protocol import Embedder, Vectors
from evaluator.judges.pair.reading import MOST_TOKENS
from evaluator.text.content_checks import sentences

if TYPE_CHECKING:
    from evaluator.judges.pair.network import PairTokenizer

Window = tuple[str, str]
"""A stretch of each answer that is read together."""

STRETCH_TOKENS = 200
"""About this much of one answer stands in a window (a longer sentence stands alone)."""

COUNTERPART_TOKENS = 280
"""At most this much of the other answer stands beside it, so that both fit into the network."""


@dataclass(frozen=True, slots=True)
class SplitAnswer:
    """An answer as sentences, with what aligning needs to know of each."""

    sentences: tuple[str, ...]
    lengths: tuple[int, ...]
    """Tokens."""
    vectors: Vectors
    """(sentences, 384), unit length."""
    origins: tuple[int, ...]
    """Which sentence of the answer each one is a piece of."""


def split_answer(text: str, tokenizer: PairTokenizer, embedder: Embedder) -> SplitAnswer:
    """The sentences of a non-blank answer, up to `MOST_TOKENS`; one too long for a window is cut into pieces."""
    parts: list[str] = []
    lengths: list[int] = []
    origins: list[int] = []
    for place, part in enumerate(sentences(text)):
        for piece in _pieces(part, tokenizer):
            length = len(tokenizer.tokens(piece))
            if parts and sum(lengths) + length > MOST_TOKENS:
                return _embedded(parts, lengths, origins, embedder)
            parts.append(piece)
            lengths.append(length)
            origins.append(place)
    return _embedded(parts, lengths, origins, embedder)


def _embedded(parts: Sequence[str], lengths: Sequence[int], origins: Sequence[int], embedder: Embedder) -> SplitAnswer:
    vectors = np.stack([vectors[0] for vectors in embedder.windows(parts)])
    return SplitAnswer(tuple(parts), tuple(lengths), vectors, tuple(origins))


def aligned_windows(first: SplitAnswer, second: SplitAnswer) -> list[Window]:
    """What the network reads of two answers that do not fit into it whole.

    Each answer in turn is cut into stretches of whole sentences, and each stretch is read beside the sentences of the
    other answer that belong to it, in their order; so no sentence of either is left out, and a changed tail counts.
    """
    cosines = first.vectors @ second.vectors.T
    forward = [(_joined(first, part), _counterpart(part, second, cosines)) for part in _stretches(first)]
    backward = [(_counterpart(part, first, cosines.T), _joined(second, part)) for part in _stretches(second)]
    return [*forward, *backward]


def sentence_pairs(first: SplitAnswer, second: SplitAnswer) -> list[Window]:
    """Each sentence of the first answer beside the sentence of the second that is most like it, by embedding."""
    best = (first.vectors @ second.vectors.T).argmax(axis=1)
    return [(sentence, second.sentences[int(place)]) for sentence, place in zip(first.sentences, best, strict=True)]


def _stretches(answer: SplitAnswer) -> list[list[int]]:
    """Sentences in runs of about equal length, each at most `STRETCH_TOKENS` where sentences allow it."""
    count = max(1, -(-sum(answer.lengths) // STRETCH_TOKENS))  # an answer of invisible characters has no tokens
    target = sum(answer.lengths) / count
    runs: list[list[int]] = [[]]
    filled = 0
    for place, length in enumerate(answer.lengths):
        if runs[-1] and (filled + length / 2 > target or filled + length > STRETCH_TOKENS):
            runs.append([])
            filled = 0
        runs[-1].append(place)
        filled += length
    return runs


def _counterpart(stretch: Sequence[int], other: SplitAnswer, cosines: Vectors) -> str:
    """The sentences of `other` that belong to a stretch: those that match it best, and its sentences' best matches.

    `cosines` has a row per sentence of the stretch's answer and a column per sentence of `other`.
    """
    belongs = {int(place) for place in cosines[stretch].argmax(axis=1)}
    belongs |= {place for place, row in enumerate(cosines.argmax(axis=0)) if int(row) in stretch}
    chosen: list[int] = []
    filled = 0
    for place in sorted(belongs, key=lambda condition: (-cosines[stretch, condition].max(), condition)):
        if chosen and filled + other.lengths[place] > COUNTERPART_TOKENS:
            continue
        chosen.append(place)
        filled += other.lengths[place]
    return _joined(other, sorted(chosen))


def _joined(answer: SplitAnswer, places: Sequence[int]) -> str:
    return " ".join(answer.sentences[place] for place in places)


def _pieces(sentence: str, tokenizer: PairTokenizer) -> Iterator[str]:
    """A sentence, or runs of its words of at most `STRETCH_TOKENS` tokens each; an endless word is halved."""
    if len(tokenizer.tokens(sentence)) <= STRETCH_TOKENS:
        yield sentence
        return
    words = sentence.split()
    if len(words) == 1:
        middle = len(sentence) // 2
        halves = [sentence[:middle], sentence[middle:]]
    else:
        middle = len(words) // 2
        halves = [" ".join(words[:middle]), " ".join(words[middle:])]
    for half in halves:
        yield from _pieces(half, tokenizer)
