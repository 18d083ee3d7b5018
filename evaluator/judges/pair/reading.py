"""What the pair judge reads of two answers: what they do not share, up to a stated length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.embeddings.protocol import Embedder, text_vectors
from evaluator.text.shared_text import joined, unshared

if TYPE_CHECKING:
    from evaluator.judges.pair.network import PairTokenizer

MOST_TOKENS = 1_000
"""Tokens that are read of what an answer does not share with the other one, about 4,500 characters of English. More
than any answer of the campaigns has; it bounds what one pair costs."""

MOST_CHARACTERS = 20
"""Of a token; what lies beyond so many for each of `MOST_TOKENS` is not even looked at."""

CONTEXT_SENTENCES = 100
"""Shared sentences among which one is looked for that an addition belongs to."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Two texts to be read beside each other.

    Args:
        first: What the first answer says and the second does not, word for word.
        second: The same of the second answer.
        unread_first: Words of the first answer beyond `MOST_TOKENS`, which nobody reads.
        unread_second: Words of the second answer beyond it.
        question: What both answer, where it is known.
    """

    first: str
    second: str
    unread_first: int = 0
    unread_second: int = 0
    question: str = ""


def reading(
    first: str, second: str, tokenizer: PairTokenizer, embedder: Embedder, question: str = ""
) -> Reading | None:
    """What is left to be read of two answers; None where every sentence of each stands in the other.

    Where one answer says all that the other says and more, what it adds is read together with the shared sentence that
    is most like it, beside that sentence: so text that both share changes nothing here either.
    """
    rest = unshared(first, second)
    if not rest.first and not rest.second:
        return None
    first_rest, second_rest = list(rest.first), list(rest.second)
    if rest.shared and not (first_rest and second_rest):
        context = _closest(joined(first_rest or second_rest), rest.shared[:CONTEXT_SENTENCES], embedder)
        first_rest, second_rest = [context, *first_rest], [context, *second_rest]
    (read, unread), (read_too, unread_too) = _cut(joined(first_rest), tokenizer), _cut(joined(second_rest), tokenizer)
    return Reading(read, read_too, unread, unread_too, question)


def _closest(text: str, candidates: tuple[str, ...], embedder: Embedder) -> str:
    """The candidate most like a text, by embedding; the first of equals."""
    if len(candidates) == 1:
        return candidates[0]
    vectors = text_vectors(embedder, [text, *candidates])
    return candidates[int((vectors[1:] @ vectors[0]).argmax())]


def _cut(text: str, tokenizer: PairTokenizer) -> tuple[str, int]:
    """(the text up to `MOST_TOKENS`, the number of words behind that)"""
    low, high = 0, min(len(text), MOST_TOKENS * MOST_CHARACTERS)
    if high == len(text) and len(tokenizer.tokens(text)) <= MOST_TOKENS:
        return text, 0
    while low < high:  # the most characters that fit
        middle = (low + high + 1) // 2
        if len(tokenizer.tokens(text[:middle])) <= MOST_TOKENS:
            low = middle
        else:
            high = middle - 1
    return text[:low], len(text[low:].split())
