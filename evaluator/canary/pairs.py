"""Pairs that the canary asks: those of a file that nobody else knows, or a part of our own labelled pairs."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice, zip_longest
from pathlib import Path

from evaluator.judge_quality.labelled_pairs import labelled_pairs
from evaluator.judge_quality.score_pairs import Pair, both_orders, pair_of, read_pairs
from evaluator.judges.protocol import JudgeRequest

OWN_PAIRS = 200
"""Of our own labelled pairs: of 100, too often too few lie where a judge was altered (docs/canary.md)."""
LEAST_PAIRS = 20
"""On which a judge repeats itself: on fewer one verdict more or less would be a change of 5% and above."""
LEAST_ASKED = 59
"""Pairs of a file: with fewer, a judge altered in 5% of its verdicts is altered in none of them with a chance above 5%
(0.95^59 = 4.8%), and a judge with noise leaves too few that it repeats itself on."""
WANTED_PAIRS = 149
"""The same for 2% (0.98^149 = 4.9%): with fewer the command says what is missed."""
MOST_PAIRS = 1_000
"""A canary is asked for years; more pairs than this are a measurement (`judge-quality`)."""


class PairsUnusable(ValueError):
    """Raised where pairs are too few, too many or the same ones again; says what was found and expected."""


def own_pairs() -> list[Pair]:
    """The shipped canary: the first pairs of every test topic in turn, `OWN_PAIRS` of them."""
    topics: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in labelled_pairs("test"):
        topics[pair.topic].append(pair_of(pair))
    return list(islice(_in_turn(list(topics.values())), OWN_PAIRS))


def _in_turn(topics: Sequence[Sequence[Pair]]) -> Iterator[Pair]:
    for layer in zip_longest(*topics):
        yield from (pair for pair in layer if pair is not None)


def pairs_of_file(path: Path) -> list[Pair]:
    """The pairs of a file of JSON lines {id, a, b, prompt_a?, prompt_b?}.

    Raises:
        PairFileError: with every bad line.
        PairsUnusable: for too few or too many pairs, or one that is there twice.
        OSError, UnicodeDecodeError: where it cannot be read.
    """
    pairs = read_pairs(path.read_bytes().decode("utf-8-sig").split("\n"))
    different = {(pair.a, pair.b, pair.prompt_a, pair.prompt_b) for pair in pairs}
    if len(different) < len(pairs):
        raise PairsUnusable(f"{len(pairs)} pairs, {len(different)} of them different; expected each once")
    if not LEAST_ASKED <= len(pairs) <= MOST_PAIRS:
        raise PairsUnusable(
            f"{len(pairs)} pairs; expected {LEAST_ASKED} to {MOST_PAIRS:,}: with fewer a change of 5% of the verdicts "
            "is not among them too often. Add pairs"
        )
    return pairs


def pairs_digest(pairs: Sequence[Pair]) -> str:
    """SHA-256 of exactly these pairs in this order, as hex: what the record says of pairs that stay secret."""
    rows = [asdict(pair) for pair in pairs]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def canary_requests(pairs: Sequence[Pair], language: str) -> list[JudgeRequest]:
    """One question for each pair, in the order of the pair."""
    return [both_orders(pair, language)[0] for pair in pairs]
