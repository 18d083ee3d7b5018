"""Pairs of answers drawn from a log for people to label: every one as likely, whatever the judge said of it.

A unit of the draw is a question with two systems, as units are resampled and corrected in reports: each has a number
that is a keyed hash of its names, and those with the lowest numbers are drawn. The number knows neither verdict nor
place in the file, so that the draw is a simple random one without replacement; repetitions and the two orders of a pair
are one unit. Of several items of a unit, as the turns of a conversation, the one with the lowest number is shown.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappop, heappush
from typing import NamedTuple

PAIRS_DRAWN = 100
SEED = 0
"""The draw from a log is always the same: who labels on tomorrow, or hands a sheet back, goes on where they were."""
TEXT_CHARACTERS = 20_000
"""Of a prompt or an answer; a longer one cannot be labelled here. A cell of a spreadsheet has room for 32,767."""


class PairKey(NamedTuple):
    """What a label is of."""

    question: str
    item: str
    systems: tuple[str, ...]
    """Both, in order of their names."""

    def unit(self, seed: int = SEED) -> int:
        """The number by which its question and systems are drawn."""
        return _number(seed, "unit", self.question, *self.systems)

    def id(self, seed: int = SEED) -> str:
        """A name that says nothing of question and systems, and that no spreadsheet takes for a number."""
        return f"p{self.unit(seed):016x}{self._in_unit(seed):016x}"

    def left_first(self, seed: int = SEED) -> bool:
        """Whether the first of `systems` is shown on the left: by chance, not by the order in the log."""
        return _number(seed, "side", *self) % 2 == 0

    def _in_unit(self, seed: int) -> int:
        return _number(seed, "item", *self)


def unit_of(pair_id: str) -> int | None:
    """The unit of a pair's `id`; None of a text that is none."""
    try:
        return int(pair_id[1:17], 16) if len(pair_id) == 33 and pair_id[0] == "p" else None
    except ValueError:
        return None


def _number(seed: int, *parts: object) -> int:
    """64 bits; JSON keeps apart what would be one text put together."""
    return int.from_bytes(blake2b(json.dumps([seed, *parts]).encode(), digest_size=8).digest())


class Texts(NamedTuple):
    """What the judge was shown."""

    prompt: str
    """Blank where the log has none."""
    answers: tuple[str, str]
    """In the order of the judgement's systems."""


def texts_of(prompt: object, first: object, second: object) -> Texts | None:
    """What was shown; None where the log does not hold both answers."""
    if not isinstance(first, str) or not isinstance(second, str) or not (first.strip() or second.strip()):
        return None
    return Texts(prompt if isinstance(prompt, str) else "", (first, second))


class DrawnPair(NamedTuple):
    """A pair with its texts, the answers in order of `pair.systems`."""

    pair: PairKey
    texts: Texts


@dataclass(slots=True)
class PairSample:
    """The draw, made while a log is read: only the texts of drawn pairs are kept."""

    size: int = PAIRS_DRAWN
    seed: int = SEED
    labelled: frozenset[int] = frozenset()
    """Units that have a label already; they are not drawn."""
    _units: set[int] = field(default_factory=set)
    _too_long: set[int] = field(default_factory=set)
    _differing: set[int] = field(default_factory=set)
    _drawn: dict[int, tuple[str, DrawnPair]] = field(default_factory=dict)
    _worst: list[int] = field(default_factory=list)
    """Units in the draw, negated: a heap."""

    def offer(self, pair: PairKey, texts: Texts) -> None:
        """Takes a pair into the draw where its number is low enough.

        Args:
            texts: the answers in order of `pair.systems`.
        """
        unit = pair.unit(self.seed)
        if unit in self.labelled or len(set(pair.systems)) != 2:
            return
        if max(map(len, (texts.prompt, *texts.answers))) > TEXT_CHARACTERS:
            self._too_long.add(unit)
            return
        self._units.add(unit)
        if unit not in self._drawn:
            heappush(self._worst, -unit)
            self._drawn[unit] = pair.id(self.seed), DrawnPair(pair, texts)
            if len(self._worst) > self.size:
                del self._drawn[-heappop(self._worst)]
            return
        known_id, known = self._drawn[unit]
        if known.pair == pair:
            if known.texts.answers != texts.answers:
                self._differing.add(unit)
        elif pair.id(self.seed) < known_id:
            self._differing.discard(unit)
            self._drawn[unit] = pair.id(self.seed), DrawnPair(pair, texts)

    @property
    def pairs(self) -> list[DrawnPair]:
        """The drawn ones by their numbers, which is the order they are shown in."""
        return [self._drawn[unit][1] for unit in sorted(self._drawn) if unit not in self._differing]

    @property
    def offered(self) -> int:
        """Units that could have been drawn."""
        return len(self._units)

    @property
    def too_long(self) -> int:
        """Units left out because a text is longer than is shown."""
        return len(self._too_long - self._units)

    @property
    def differing(self) -> int:
        """Drawn pairs left out: their answers differ between judgements, so that no label would be of all."""
        return len(self._differing & self._drawn.keys())
