"""One table for every judge's log: who judged what, shown how, and what was said."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from evaluator.judge_logs.label_sample import LabelKey, LabelSample, Scale, Texts
from submissions.findings import Findings
from submissions.reading.quoting import described, printable, quoted
from submissions.reading.strict_json import is_clean
from submissions.verdicts.items import MAX_REPETITION
from submissions.verdicts.swap_outcomes import Verdict

MAX_JUDGEMENTS = 200_000
NAME_CHARACTERS = 400
"""Length of the name of a question, a system or a judge; a longer text is no name."""

COPIES = "copies of records that stand in the file already"
"""What is left out of a file that holds something twice."""

DEFAULT_JUDGE = "judge"
"""Who judged in a file that names nobody."""
DEFAULT_SYSTEM = "system"
"""Whose answers were rated in a file that names nobody."""

_CLUSTER = "\x00"
"""How the unit of a cluster begins: no name of a question has it."""

Record = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One call of a judge: a comparison of two answers, or a rating of one."""

    judge: str
    question: str
    """What was asked; judgements of one question are not independent and are resampled together."""
    cluster: str = ""
    """What its question shares with others, as a topic; blank = nothing that the log names."""
    item: str = ""
    """What else tells two judgements of one question apart: a turn, a scorer, a subset."""
    systems: tuple[str, ...]
    """Whose answers were judged: one of a rating, two of a comparison, in the order they were shown."""
    verdict: Verdict | None = None
    """Of a comparison, by place: A = the first of `systems`; N = no usable reply. None of a rating."""
    rating: float | None = None
    """Of a rating; None where the reply was not usable, and of a comparison."""
    repetition: int = 1
    order_known: bool = True
    """Whether the log says which answer was shown first; otherwise `systems` stand as the log lists them."""
    probability: float | None = None
    """That the second of `systems` is better, as the judge put it (0-1); None where the log has none."""
    lengths: tuple[int | None, ...] = ()
    """Characters of the answers, in the order of `systems`; empty or None where the log does not show them."""
    gold: Verdict | None = None
    """Which answer is better by a label that stands in the log itself, by place."""
    place: str
    """Where in the file it stands."""

    @property
    def is_comparison(self) -> bool:
        """Whether two answers were compared."""
        return len(self.systems) == 2

    @property
    def key(self) -> LabelKey:
        """What a label of this judgement is of, whatever the order."""
        return LabelKey(self.question, self.item, tuple(sorted(self.systems)))

    @property
    def unit(self) -> str:
        """What is resampled together: the cluster of the question, or the question."""
        return f"{_CLUSTER}{self.cluster}" if self.cluster else self.question

    @property
    def is_usable(self) -> bool:
        """Whether the reply said something."""
        return self.verdict != "N" if self.is_comparison else self.rating is not None


@dataclass(frozen=True, slots=True)
class Added:
    """What columns that the reader does not know add to the names of a row (`evaluator.judge_logs.row_identity`)."""

    judge: str = ""
    criterion: str = ""
    system: str = ""
    question: str = ""
    item: str = ""

    def judge_of(self, judge: str) -> str:
        """The judge's whole name.

        >>> Added(judge="gpt", criterion="helpful").judge_of("judge"), Added(judge="gpt").judge_of("strict")
        ('gpt helpful', 'strict / gpt')
        """
        if self.judge:
            judge = self.judge if judge == DEFAULT_JUDGE else f"{judge} / {self.judge}"
        return f"{judge} {self.criterion}".strip()[:NAME_CHARACTERS]

    def question_of(self, question: str) -> str:
        """The question's whole name."""
        return f"{self.question} {question}".strip()[:NAME_CHARACTERS]

    def item_of(self, item: str) -> str:
        """The item's whole name."""
        return ", ".join(filter(None, (item, self.item)))[:NAME_CHARACTERS]

    def systems_of(self, systems: tuple[str, ...]) -> tuple[str, ...]:
        """The systems' whole names; only that of a rating has more than its own."""
        if not self.system:
            return systems
        named = (self.system if system == DEFAULT_SYSTEM else f"{system} / {self.system}" for system in systems)
        return tuple(name[:NAME_CHARACTERS] for name in named)


@dataclass(frozen=True, slots=True)
class Unread:
    """Parts of a log of one kind that no figure rests on."""

    what: str
    """Plural, as it follows a number: `gradings by assertions of an unknown type`."""
    count: int
    first: str
    """Place of the first of them."""


@dataclass(frozen=True, slots=True)
class JudgementLog:
    """All judgements of one file, and what of the file was not used."""

    format: str
    """Key of the format, `fastchat`."""
    title: str
    """Name of the format as people know it."""
    judgements: tuple[Judgement, ...]
    unknown_columns: Mapping[str, int]
    """Column or key that the format does not know -> in how many records it stands."""
    notes: tuple[str, ...]
    """What this format does not say, or how it was read; sentences."""
    stated_scale: Scale | None = None
    """Of ratings, where the format has one."""
    unread: tuple[Unread, ...] = ()
    """Rows, samples and gradings that were left out, by kind; a report says so at its top."""

    @property
    def scale(self) -> Scale | None:
        """Of ratings: as stated where all are on it, else as far as they reach; None where they say nothing of it."""
        ratings = [judgement.rating for judgement in self.judgements if judgement.rating is not None]
        low, high = min(ratings, default=0.0), max(ratings, default=0.0)
        stated = self.stated_scale
        if stated is not None and stated.low <= low and high <= stated.high:
            return stated
        return Scale(low, high, "the lowest and the highest rating in the log") if low < high else None


@dataclass(slots=True)
class Collector:
    """What a reader finds while it walks over the records of a file: judgements and faults, all of them."""

    findings: Findings
    sample: LabelSample | None = None
    """Takes the texts of answers that are drawn to be labelled; None keeps no texts."""
    scale: Scale | None = None
    """Of ratings, where the format has one."""
    judgements: list[Judgement] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    notes: dict[str, None] = field(default_factory=dict)
    added: Mapping[str, Added] = field(default_factory=dict)
    """By the place of a row, where columns tell rows apart that would else be the same."""
    _unread: dict[str, Unread] = field(default_factory=dict)
    _known: set[bytes] = field(default_factory=set)
    """Digests of records that were read."""
    _asked: Counter[tuple[str, str, str, tuple[str, ...]]] = field(default_factory=Counter)

    def copy(self) -> Collector:
        """A collector with the same findings and sample that holds what this one does, for one reading of the file."""
        return replace(
            self,
            judgements=list(self.judgements),
            unknown=Counter(self.unknown),
            notes=dict(self.notes),
            _unread=dict(self._unread),
            _known=set(self._known),
            _asked=Counter(self._asked),
        )

    def note(self, sentence: str) -> None:
        """Adds a sentence, once."""
        self.notes[sentence] = None

    def leave_out(self, what: str, place: str, count: int = 1) -> None:
        """Counts something of the log that is not read; call it wherever a reader skips a record or a part of one.

        Args:
            what: The kind, in the plural, with the reason: it follows the number in `Not read: 3 ...`.
            place: Where in the file the first of them stands.
            count: How many.
        """
        known = self._unread.get(what)
        self._unread[what] = Unread(what, (known.count if known else 0) + count, known.first if known else place)

    def is_copy(self, record: Record) -> bool:
        """Whether the very same record was read before, as in a file that was put together twice."""
        said = json.dumps(record, sort_keys=True, default=str).encode("utf-8", "replace")
        digest = blake2b(said, digest_size=16).digest()
        if digest in self._known:
            return True
        self._known.add(digest)
        return False

    def note_copies(self, records: Iterable[Record]) -> None:
        """Counts rows that are word for word like an earlier one, where they may be the same thing asked again."""
        copies = sum(map(self.is_copy, records))
        if copies:
            said = "row is" if copies == 1 else "rows are"
            self.note(
                f"{copies:,} {said} word for word like an earlier one: each counts as asked again. Remove them where "
                "they are copies."
            )

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What was left out, the most frequent first."""
        return tuple(sorted(self._unread.values(), key=lambda unread: (-unread.count, unread.what)))

    def add(self, judgement: Judgement, texts: Texts | None = None) -> None:
        """Adds one judgement; what is asked again of the same judge is numbered as a repetition.

        Args:
            judgement: it holds no texts, which are of no use to a report.
            texts: as far as the log has them: kept where the answers are drawn to be labelled.
        """
        if added := self.added.get(judgement.place):
            judgement = replace(
                judgement,
                judge=added.judge_of(judgement.judge),
                question=added.question_of(judgement.question),
                item=added.item_of(judgement.item),
                systems=added.systems_of(judgement.systems),
            )
        if len(self.judgements) == MAX_JUDGEMENTS:
            self.refuse(
                "file_too_big",
                judgement.place,
                f"the log holds more than {MAX_JUDGEMENTS:,} judgements",
                "Send a part of it: whole questions, so that repetitions and both orders stay together.",
            )
        if len(self.judgements) < MAX_JUDGEMENTS:
            self.judgements.append(judgement)
            if self.sample is not None and texts is not None:
                key = judgement.key
                is_in_order = judgement.systems == key.systems
                self.sample.offer(key, texts if is_in_order else texts._replace(answers=texts.answers[::-1]))

    def repetition(self, judge: str, question: str, item: str, systems: tuple[str, ...], place: str) -> int | None:
        """The number of this asking of the same thing, from 1; None after refusing more than are read."""
        if added := self.added.get(place):
            judge, question, item = added.judge_of(judge), added.question_of(question), added.item_of(item)
            systems = added.systems_of(systems)
        key = (judge, question, item, systems)
        self._asked[key] += 1
        if self._asked[key] > MAX_REPETITION:
            self.refuse(
                "bad_repetition",
                place,
                f"question {quoted(question)} was asked more than {MAX_REPETITION} times in the same order",
                "Check that questions have ids of their own.",
            )
            return None
        return self._asked[key]

    def refuse(self, code: str, place: str, message: str, hint: str) -> None:
        """Adds one fault that refuses the file."""
        if self.findings.is_full(code):
            self.findings.count(code)
        else:
            self.findings.add(code, place, message, hint, severity="error")

    def count_unknown(self, record: Record, known: frozenset[str], prefix: str = "") -> None:
        """Notes the keys of a record that its format does not know."""
        for key in record.keys() - known:
            self.unknown[printable(prefix + key)] += 1

    def name(self, record: Record, key: str, place: str) -> str | None:
        """A name (a text or a whole number) of a record; None after reporting what stands there instead."""
        value = record.get(key)
        if type(value) is int:
            return str(value)
        if isinstance(value, str) and value.strip() and len(value) <= NAME_CHARACTERS and is_clean(value):
            return value.strip()
        shown = "absent" if value is None else described(value)
        self.refuse(
            "missing_field",
            place,
            f"{quoted(key)} is {shown}; expected a name of at most {NAME_CHARACTERS} characters",
            "Check that the file is the log as its tool wrote it.",
        )
        return None

    def asked_text(self, record: Record, key: str, place: str) -> str | None:
        """What was asked, where a log has no ids: the text itself, or its beginning and how it goes on, as one name."""
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return _short_name(value)
        return self.name(record, key, place)


def _short_name(text: str) -> str:
    from hashlib import sha256

    shown = printable(text.strip(), 80)
    return shown if len(text.strip()) <= 80 else f"{shown} ({sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]})"


_NUMBER = re.compile(r"[ \t]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?[ \t]*")
"""A text that is a number; Python's `float` reads others too: `1_0`, digits of other scripts, `nan` and `inf`."""


def number(value: object) -> float | None:
    """A finite number, from a number or a text that is one; None of anything else, true and false too.

    >>> number("1e1"), number(" 5 "), number("1_0"), number("inf"), number(True)
    (10.0, 5.0, None, None, None)
    """
    if isinstance(value, bool) or (isinstance(value, str) and not _NUMBER.fullmatch(value)):
        return None
    if isinstance(value, (int, float, str)):
        try:
            figure = float(value)
        except OverflowError:
            return None
        return figure if abs(figure) < 1e15 else None
    return None


def names_other(word: str, systems: tuple[str, str], verdict: Verdict) -> bool:
    """Whether a format's word for a verdict is, in any case, also the name of a system for which it does not speak.

    >>> names_other("model_a", ("Model_A", "m"), "A"), names_other("model_a", ("m", "Model_A"), "A")
    (False, True)
    """
    return any(word == name.casefold() and verdict != side for name, side in zip(systems, ("A", "B"), strict=True))


def length(value: object) -> int | None:
    """Characters of an answer, None where there is no text."""
    return len(value) if isinstance(value, str) else None
