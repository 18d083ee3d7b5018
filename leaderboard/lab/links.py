"""A setup of the lab <-> plain query parameters; nothing about a setup is kept on the server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from urllib.parse import urlencode

from evaluator.lab.setup import (
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_PREFERENCE,
    MAX_PREFERENCES,
    MAX_QUESTION,
    METHODS,
    OWN_DATASET,
    ColumnSetup,
    LabSetup,
    own_question,
)
from leaderboard.lab.form import Catalogue
from leaderboard.lab.reader import READER
from leaderboard.lab.replays import ReplayChoice, row_id
from leaderboard.parts.notices import NoticeValue
from leaderboard.parts.visible_text import visible
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD
from submissions.questionsets import Question

MAX_LINK = 2000
"""Longer links are cut by mail programs and chats."""

MAX_REPLAY_ID = 400
"""Longer ids are nobody's."""

_RATING = re.compile(r"[1-4](\.5)?|5")
_NUMBERED = re.compile(r"(option|preference)_([1-9]\d?)")
_SETUP_NAMES = ("dataset", "example", "twin", "question", "gold", "relevant", "a", "a_method", "b", "b_method")
_REPLAY_NAMES = ("replay_a", "replay_b", "replay_example")
_VIEW_NAMES = ("recorded", "blind", "threshold")
_NAMES = frozenset((*_SETUP_NAMES, *_REPLAY_NAMES, *_VIEW_NAMES, READER))


def is_lab_parameter(name: str) -> bool:
    """Whether the lab reads a query parameter of that name."""
    return name in _NAMES or _NUMBERED.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class LabView:
    """What a link of the lab says besides the setup."""

    recorded: str = ""
    """Id of the recorded example whose answers are shown (`replays.example_id`); blank = none."""
    is_blind: bool = False
    threshold: float = FOLLOW_THRESHOLD
    """From this rating on a preference counts as followed on the two cards."""

    def parameters(self) -> Iterator[tuple[str, str]]:
        """What differs from a first visit."""
        if self.recorded:
            yield "recorded", self.recorded
        if self.is_blind:
            yield "blind", "1"
        if self.threshold != FOLLOW_THRESHOLD:
            yield "threshold", f"{self.threshold:g}"


def view_asked(query: Mapping[str, str]) -> LabView:
    """The view a query asks for; what it says in no known way is as on a first visit.

    >>> view_asked({"blind": "1", "threshold": "4.5"})
    LabView(recorded='', is_blind=True, threshold=4.5)
    """
    stated = query.get("threshold", "")
    threshold = float(stated) if _RATING.fullmatch(stated) else FOLLOW_THRESHOLD
    return LabView(query.get("recorded", "")[:MAX_REPLAY_ID], query.get("blind") == "1", threshold)


def lab_link(setup: LabSetup, view: LabView = LabView()) -> str | None:
    """The query that restores a setup; None where it would be too long to be passed on.

    A question of ours is named by its id, a visitor's own is written out.
    """
    asked = [*_question_parameters(setup), *_preference_parameters(setup), *_columns(setup), *view.parameters()]
    link = "?" + urlencode([("tab", "lab"), *asked])
    return link if len(link) <= MAX_LINK else None


def replay_link(choice: ReplayChoice) -> str:
    """The query that opens stored rows side by side; what the choice leaves blank is chosen there.

    >>> replay_link(ReplayChoice(a="7f3a.naive"))
    '?tab=lab&replay_a=7f3a.naive'
    """
    values = zip(_REPLAY_NAMES, (choice.a, choice.b, choice.example), strict=True)
    return "?" + urlencode([("tab", "lab"), *((name, value) for name, value in values if value)])


def replay_notice(answers: str) -> NoticeValue:
    """Leads from a row of the Personalization board to its answers beside another row's.

    Args:
        answers: The opened row, as `links.LabState.answers` has it.
    """
    ticket, _, method = answers.partition("/")
    return {
        "kind": "plain",
        "title": "Compare these answers with those of another method or system.",
        "lines": [],
        "link": replay_link(ReplayChoice(a=row_id(ticket, method))),
        "link_text": "Open in the lab",
    }


def replay_asked(query: Mapping[str, str]) -> ReplayChoice | None:
    """The stored rows a query asks for; None where it asks for none. Ids that are nobody's are told by the replay."""
    if not any(name in query for name in _REPLAY_NAMES):
        return None
    return ReplayChoice(*(query.get(name, "")[:MAX_REPLAY_ID] for name in _REPLAY_NAMES))


def _question_parameters(setup: LabSetup) -> Iterator[tuple[str, str]]:
    question = setup.question
    if setup.dataset != OWN_DATASET:
        yield "dataset", setup.dataset
        yield "example", question.example_id
        if setup.twin is not None:
            yield "twin", setup.twin.example_id
        return
    yield "question", question.text
    for number, option in enumerate(question.options, start=1):
        yield f"option_{number}", option
    if question.gold:
        yield "gold", question.gold


def _preference_parameters(setup: LabSetup) -> Iterator[tuple[str, str]]:
    for number, preference in enumerate(setup.preferences, start=1):
        yield f"preference_{number}", preference
    if setup.relevant_index is not None:
        yield "relevant", str(setup.relevant_index + 1)


def _columns(setup: LabSetup) -> Iterator[tuple[str, str]]:
    for side, column in (("a", setup.a), ("b", setup.b)):
        if column.generator:
            yield side, column.generator
        yield f"{side}_method", column.method


@dataclass(frozen=True, slots=True)
class RestoredSetup:
    """A link as it was understood."""

    setup: LabSetup
    notes: tuple[str, ...]
    """What could not be restored, in words."""
    is_asked_for: bool
    """Whether the link says anything about a setup."""


def restored(
    query: Mapping[str, str], catalogue: Catalogue, generators: Sequence[str], first: LabSetup
) -> RestoredSetup:
    """The setup a query asks for. What cannot be restored is named, and stays as on a first visit. Starts no run."""
    reader = _Reader(query, catalogue, generators, first)
    setup = reader.setup()
    is_asked_for = any(is_lab_parameter(name) and name not in (*_REPLAY_NAMES, *_VIEW_NAMES) for name in query)
    return RestoredSetup(setup, tuple(reader.notes), is_asked_for)


class _Reader:
    """Reads one query; `notes` grows on the way."""

    def __init__(
        self, query: Mapping[str, str], catalogue: Catalogue, generators: Sequence[str], first: LabSetup
    ) -> None:
        self._query = query
        self._catalogue = catalogue
        self._generators = generators
        self._first = first
        self.notes: list[str] = []

    def setup(self) -> LabSetup:
        setup = self._with_question(self._first)
        if self._has("preference_") or "relevant" in self._query or self._says_question:
            setup = self._with_preferences(setup)
        return replace(setup, a=self._column("a", self._first.a), b=self._column("b", self._first.b))

    @property
    def _says_question(self) -> bool:
        return any(name in self._query for name in ("question", "dataset", "example"))

    def _has(self, beginning: str) -> bool:
        return any(name.startswith(beginning) for name in self._query)

    def _with_question(self, setup: LabSetup) -> LabSetup:
        if "question" in self._query:
            own = self._own_question()
            return setup if own is None else replace(setup, question=own, dataset=OWN_DATASET)
        dataset, example = self._query.get("dataset", ""), self._query.get("example", "")
        if not (dataset or example):
            return setup
        listed = self._catalogue.find(dataset, example)
        if listed is None:
            self._note(f"its question ({dataset or 'no data set'}, {example or 'no example'})", "is not available here")
            return setup
        return replace(setup, question=listed.question, dataset=dataset, twin=self._twin(dataset, listed.question))

    def _twin(self, dataset: str, question: Question) -> Question | None:
        if "twin" not in self._query:
            return None
        twin = self._catalogue.find(dataset, self._query["twin"])
        if twin is None or twin.question.example_id.rpartition(".")[0] != question.example_id.rpartition(".")[0]:
            self._note(f"its twin wording ({self._query['twin']})", "is not available here")
            return None
        return None if twin.question == question else twin.question

    def _own_question(self) -> Question | None:
        text = self._query["question"]
        if not text.strip() or len(text) > MAX_QUESTION:
            self._note("its question", f"has {len(text):,} characters, expected 1 to {MAX_QUESTION:,}")
            return None
        options = self._options()
        gold = self._query.get("gold")
        if gold is not None and (len(gold) != 1 or gold not in ascii_uppercase[: len(options)]):
            self._note(f"its right option ({gold})", "is none of its options")
            gold = None
        return own_question(text.strip(), options, gold)

    def _options(self) -> tuple[str, ...]:
        """All of them or none: with one missing, letters would mean others."""
        faults = len(self.notes)
        options = self._numbered("option", MAX_OPTIONS, MAX_OPTION)
        return tuple(" ".join(text.splitlines()) for text in options.values()) if len(self.notes) == faults else ()

    def _with_preferences(self, setup: LabSetup) -> LabSetup:
        preferences = self._numbered("preference", MAX_PREFERENCES, MAX_PREFERENCE)
        return replace(setup, preferences=tuple(preferences.values()), relevant_index=self._relevant(list(preferences)))

    def _relevant(self, numbers: Sequence[int]) -> int | None:
        """The place of the relevant preference among those that were restored.

        Args:
            numbers: Of these, as the link has them.
        """
        stated = self._query.get("relevant")
        if stated is None:
            return None
        number = int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 4 else 0
        if number in numbers:
            return numbers.index(number)
        self._note(f"its relevant preference (number {stated})", "is none of its preferences")
        return None

    def _numbered(self, kind: str, most: int, longest: int) -> dict[int, str]:
        """The values of `kind_1`, `kind_2`, ... by their numbers, in order."""
        matches = ((_NUMBERED.fullmatch(name), name) for name in self._query)
        names = {int(match[2]): name for match, name in matches if match and match[1] == kind}
        kept: dict[int, str] = {}
        for number in sorted(names):
            text = self._query[names[number]].strip()
            if len(kept) == most:
                self._note(f"its {kind} {number} and all after it", f"are more than the {most} allowed")
                break
            if not text or len(text) > longest:
                self._note(f"its {kind} {number}", f"has {len(text):,} characters, expected 1 to {longest:,}")
            else:
                kept[number] = text
        return kept

    def _column(self, side: str, first: ColumnSetup) -> ColumnSetup:
        generator, method = self._query.get(side), self._query.get(f"{side}_method")
        if generator is not None and generator not in self._generators:
            self._note(f"its model of column {side.upper()} ({generator})", "is not offered here")
            generator = None
        if method is not None and method not in METHODS:
            self._note(f"its method of column {side.upper()} ({method})", f"is none of {', '.join(METHODS)}")
            method = None
        return ColumnSetup(generator or first.generator, method or first.method)

    def _note(self, what: str, why: str) -> None:
        shown = visible(what)
        self.notes.append(f"The link's {shown.removeprefix('its ')[:120]} {why} and could not be restored.")
