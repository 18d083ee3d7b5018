"""Answers drawn from a log for people to label, pairs or single ones: each as likely, whatever the judge said of it.

A unit of the draw is a question with two systems, or with the one whose answer was rated, as units are resampled and
corrected in reports: each has a number that is a keyed hash of its names, and those with the lowest numbers are drawn.
The number knows neither verdict, nor rating, nor place in the file, so that the draw is a simple random one without
replacement; repetitions and the two orders of a pair are one unit. Of several items of a unit, as the turns of a
conversation, the one with the lowest number is shown.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappop, heappush
from typing import NamedTuple

LABELS_DRAWN = 100
SEED = 0
"""The draw from a log is always the same: who labels on tomorrow, or hands a sheet back, goes on where they were."""
TEXT_CHARACTERS = 20_000
"""Of a prompt or an answer; a longer one cannot be labelled here. A cell of a spreadsheet has room for 32,767."""


class Scale(NamedTuple):
    """What a rating may be."""

    low: float
    high: float
    words: str = ""
    """What its ends mean, or where it was seen."""

    @property
    def text(self) -> str:
        """The scale as a labeller is told.

        >>> Scale(1, 10).text, Scale(0, 1, "1 = correct").text
        ('1 to 10', '0 to 1 (1 = correct)')
        """
        return f"{self.low:g} to {self.high:g}" + (f" ({self.words})" if self.words else "")


class LabelKey(NamedTuple):
    """What a label is of: two answers that are compared, or one that is rated."""

    question: str
    item: str
    systems: tuple[str, ...]
    """In order of their names."""

    @property
    def is_pair(self) -> bool:
        """Whether two answers are compared."""
        return len(self.systems) == 2

    @property
    def can_be_labelled(self) -> bool:
        """Two answers of one system cannot be told apart by a label."""
        return len(set(self.systems)) == len(self.systems)

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


def unit_of(label_id: str) -> int | None:
    """The unit of a key's `id`; None of a text that is none."""
    try:
        return int(label_id[1:17], 16) if len(label_id) == 33 and label_id[0] == "p" else None
    except ValueError:
        return None


def _number(seed: int, *parts: object) -> int:
    """64 bits; JSON keeps apart what would be one text put together."""
    return int.from_bytes(blake2b(json.dumps([seed, *parts]).encode(), digest_size=8).digest())


class Texts(NamedTuple):
    """What the judge was shown."""

    prompt: str
    """Blank where the log has none."""
    answers: tuple[str, ...]
    """In the order of the judgement's systems."""
    criterion: str = ""
    """What was judged by: a rubric, the right answer, what the better one has; blank where the log has none."""

    @property
    def longest(self) -> int:
        """Characters of the longest of them."""
        return max(map(len, (self.prompt, self.criterion, *self.answers)))


def texts_of(prompt: object, *answers: object, criterion: object = "") -> Texts | None:
    """What was shown; None where the log does not hold every answer."""
    known = tuple(answer for answer in answers if isinstance(answer, str))
    if len(known) < len(answers) or not any(answer.strip() for answer in known):
        return None
    return Texts(_text(prompt), known, _text(criterion))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


class Drawn(NamedTuple):
    """What is to be labelled, with its texts, the answers in order of `key.systems`."""

    key: LabelKey
    texts: Texts


@dataclass(slots=True)
class LabelSample:
    """The draw, made while a log is read: only the texts of what is drawn are kept."""

    size: int = LABELS_DRAWN
    seed: int = SEED
    labelled: frozenset[int] = frozenset()
    """Units that have a label already; they are not drawn."""
    _units: set[int] = field(default_factory=set)
    _too_long: set[int] = field(default_factory=set)
    _differing: set[int] = field(default_factory=set)
    _drawn: dict[int, tuple[str, Drawn]] = field(default_factory=dict)
    _worst: list[int] = field(default_factory=list)
    """Units in the draw, negated: a heap."""

    def offer(self, key: LabelKey, texts: Texts) -> None:
        """Takes answers into the draw where their number is low enough.

        Args:
            texts: the answers in order of `key.systems`.
        """
        unit = key.unit(self.seed)
        if unit in self.labelled or not key.can_be_labelled:
            return
        if texts.longest > TEXT_CHARACTERS:
            self._too_long.add(unit)
            return
        self._units.add(unit)
        if unit not in self._drawn:
            heappush(self._worst, -unit)
            self._drawn[unit] = key.id(self.seed), Drawn(key, texts)
            if len(self._worst) > self.size:
                del self._drawn[-heappop(self._worst)]
            return
        known_id, known = self._drawn[unit]
        if known.key == key:
            if known.texts.answers != texts.answers:
                self._differing.add(unit)
        elif key.id(self.seed) < known_id:
            self._differing.discard(unit)
            self._drawn[unit] = key.id(self.seed), Drawn(key, texts)

    def clear(self) -> None:
        """Forgets what was offered, before the same log is read under other names."""
        for offered in (self._units, self._too_long, self._differing, self._drawn, self._worst):
            offered.clear()

    @property
    def drawn(self) -> list[Drawn]:
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
        """Drawn ones left out: their answers differ between judgements, so that no label would be of all."""
        return len(self._differing & self._drawn.keys())
