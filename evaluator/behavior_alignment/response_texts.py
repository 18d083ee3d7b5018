"""Words of a recommender's answers: overlap with the human's (BLEU), variety (DIST), and texts that are only copied.

Tokens are the lower-cased text split at white space, as the conversational recommenders' own toolkits count them; for
copies only words count.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypedDict

from evaluator.behavior_alignment.near_copies import is_near_copy
from submissions.formats.behavior_alignment.submission import holds_words, plain_words

ORDERS = (1, 2, 3, 4)
"""K of BLEU@K and DIST@K."""

COPY_MIN_WORDS = 4
"""Shorter human answers are too common to be copies."""

Ngram = tuple[str, ...]


class Variety(TypedDict):
    """DIST of one order."""

    per_response: float | None
    """Distinct K-grams per response; may exceed 1."""
    ratio: float | None
    """Distinct K-grams among all K-grams, 0-1."""


def bleu(response: str, reference: str, order: int) -> float:
    """BLEU of one order of one response: brevity penalty times the share of its K-grams that the reference has.

    Not smoothed and not cumulative. Range 0-1, higher is closer; an empty response is 0.
    Source: Papineni et al. 2002; docs/behavior_alignment.md#bleu.

    >>> bleu("have you seen the movie the matrix", "have you seen the matrix before", 1)  # 5 of 7 words
    0.7142857142857143
    """
    tokens, reference_tokens = _tokens(response), _tokens(reference)
    if not tokens:
        return 0.0
    ngrams, wanted = Counter(_ngrams(tokens, order)), Counter(_ngrams(reference_tokens, order))
    matches = (ngrams & wanted).total()
    c, r = len(tokens), len(reference_tokens)
    penalty = 1.0 if c >= r else math.exp(1 - r / c)
    return penalty * matches / max(1, ngrams.total())


def mean_bleu(pairs: Iterable[tuple[str, str]]) -> dict[str, float | None]:
    """BLEU of each order, "1" to "4", averaged over (response, reference) pairs; None without any."""
    known = list(pairs)
    return {
        str(order): math.fsum(bleu(*pair, order) for pair in known) / len(known) if known else None for order in ORDERS
    }


def variety(responses: Sequence[str]) -> dict[str, Variety]:
    """DIST of each order, "1" to "4", over all responses together: how little they repeat themselves.

    Higher is more varied; None without responses, and the ratio also without K-grams.
    Source: Li et al. 2016; `per_response` divides by the number of responses as CRSLab does.

    >>> variety(["go and see", "go and hear"])["1"]  # 4 different of 6 words, in 2 responses
    {'per_response': 2.0, 'ratio': 0.6666666666666666}
    """
    return {str(order): _variety(responses, order) for order in ORDERS}


def _variety(responses: Sequence[str], order: int) -> Variety:
    ngrams = [ngram for response in responses for ngram in _ngrams(_tokens(response), order)]
    distinct = len(set(ngrams))
    return Variety(
        per_response=distinct / len(responses) if responses else None,
        ratio=distinct / len(ngrams) if ngrams else None,
    )


def copied_share(pairs: Iterable[tuple[str, str]]) -> float | None:
    """Of (response, reference) pairs whose reference has 4 words or more, the share whose response holds it, whole or
    but for a tenth of its letters.

    Range 0-1, lower is better; None without such a pair.

    >>> copied_share([("Well: a tale of tvo ships!", "A tale of two ships."), ("Yes.", "It runs for two hours.")])
    0.5
    """
    copies = []
    for response, reference in pairs:
        words = plain_words(reference)
        if len(words.split()) >= COPY_MIN_WORDS:
            said = plain_words(response)
            copies.append(holds_words(said, words) or is_near_copy(words, said))
    return sum(copies) / len(copies) if copies else None


def _tokens(text: str) -> list[str]:
    return text.lower().split()


def _ngrams(tokens: Sequence[str], order: int) -> list[Ngram]:
    return list(zip(*(tokens[start:] for start in range(order)), strict=False))
