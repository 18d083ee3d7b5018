"""Stored submissions in the lab: two rows of the board side by side on the examples both have answered.

library = ReplayLibrary(store, prompt_sets)
a, b = (library.row(entry) for entry in library.entries()[:2])
state = replayed(a, b, common_examples(a, b)[0])
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from evaluator.lab.setup import ColumnSetup, LabSetup
from evaluator.lab.state import ColumnState, LabState, PairwiseState, Pane, VerdictCard, is_unchanged
from evaluator.lab.verdicts import NO_RELEVANT_PREFERENCE, UNREADABLE, concluded
from evaluator.personalization.bootstrap import is_judged_setting
from evaluator.results import PersonalizationResult
from evaluator.values import Pin
from submissions.check import check_submission
from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.submission import SET_ID, PersonalizedRow, PersonalizedSubmission, Setting
from submissions.promptsets import PromptSets
from submissions.questionsets import Question
from submissions.schema import Names
from submissions.store.queue import Ticket
from submissions.store.store import Store

NOT_JUDGED = "not judged"
NOT_COMPARED = "stored answers were not compared with each other"

KEPT_FILES = 2
"""Submissions held in memory: the two that stand side by side."""


class ReplayExample(NamedTuple):
    """What two rows have in common."""

    dataset: str
    example_id: str
    setting: Setting
    preferences: tuple[str, ...]
    """As shown, in order."""


@dataclass(frozen=True, slots=True)
class ReplayEntry:
    """One row of the board that can be replayed."""

    ticket_id: str
    system: str
    """Names of the system, its model and run; different from those of every other submission."""
    method: str
    is_recorded: bool = False
    """Whether it comes with the program, as the recorded run."""


@dataclass(frozen=True, eq=False)
class ReplayRow:
    """One row of the board with its texts and stored verdicts."""

    system: str
    """What its columns are called; two submissions need two names."""
    submission: PersonalizedSubmission
    method: str
    result: PersonalizationResult | None = None
    """None = not judged."""

    @cached_property
    def places(self) -> dict[ReplayExample, int]:
        """Example -> place in the file, in file order."""
        rows = enumerate(self.submission.rows)
        return {_example(row): place for place, row in rows if row.method == self.method and row.repeat == 1}

    @cached_property
    def verdict_places(self) -> dict[int, int]:
        """Place in the file -> place in the stored outcomes."""
        return {} if self.result is None else {row: place for place, row in enumerate(self.result.outcomes.row)}

    @cached_property
    def control_places(self) -> dict[tuple[str, str], int]:
        """Dataset and example_id -> place of the control row."""
        rows = enumerate(self.submission.rows)
        return {row.example: place for place, row in rows if row.is_control and row.repeat == 1}


def common_examples(a: ReplayRow, b: ReplayRow) -> tuple[ReplayExample, ...]:
    """Examples that both rows answered under the same preferences, asked the same way; in the order of `a`."""
    return tuple(
        example
        for example, place in a.places.items()
        if example in b.places
        and _question(a.submission.rows[place]) == _question(b.submission.rows[b.places[example]])
    )


def replayed(a: ReplayRow, b: ReplayRow, example: ReplayExample) -> LabState:
    """The example as a finished run: stored texts, and stored verdicts or the reason why there is none.

    Args:
        example: One of `common_examples(a, b)`.
    """
    row = a.submission.rows[a.places[example]]
    setup = LabSetup(
        question=_question(row),
        dataset=example.dataset,
        preferences=example.preferences,
        relevant_index=row.relevant_index,
        a=ColumnSetup(a.system, a.method),
        b=ColumnSetup(b.system, b.method),
    )
    return LabState(
        setup=setup,
        phase="done",
        a=_column(a, example),
        b=_column(b, example),
        controls={replay.system: _control(replay, example) for replay in (a, b)},
        pairwise=PairwiseState(reason=NOT_COMPARED),
        judge=_common_judge(a, b),
    )


def _example(row: PersonalizedRow) -> ReplayExample:
    return ReplayExample(row.dataset, row.example_id, row.setting, row.preferences)


def _question(row: PersonalizedRow) -> Question:
    return Question(row.example_id, row.question, row.options, row.gold)


def _common_judge(a: ReplayRow, b: ReplayRow) -> Pin | None:
    """The judge of both; None where they were judged by two, or not at all."""
    pins = [replay.result.judge for replay in (a, b) if replay.result is not None]
    return pins[0] if pins and all(pin == pins[0] for pin in pins) else None


def _control(replay: ReplayRow, example: ReplayExample) -> Pane:
    row = replay.submission.rows[replay.places[example]]
    if row.response_without_preference is None:
        return Pane(status="failed", failure="the submission has no control of this example")
    place = replay.control_places.get(row.example)
    reason = None if place is None else replay.submission.rows[place].finish_reason
    return Pane(status="done", text=row.response_without_preference, finish_reason=reason)


def _column(replay: ReplayRow, example: ReplayExample) -> ColumnState:
    place = replay.places[example]
    row = replay.submission.rows[place]
    before = row.draft if row.draft is not None else row.response_without_preference
    is_known = before is not None and not row.is_control
    return ColumnState(
        answer=Pane(
            status="done",
            text=row.final if row.aligner_raw is None else row.aligner_raw,
            finish_reason=row.finish_reason,
        ),
        final=row.final,
        draft=row.draft,
        thoughts=row.thoughts,
        fallback=row.fallback,
        unchanged=is_unchanged(before or "", row.final) if is_known else None,
        truncated=row.finish_reason == "length",
        verdict=_verdict(replay, place),
    )


def _verdict(replay: ReplayRow, place: int) -> VerdictCard:
    """The stored verdict on a row, in the words of the lab."""
    row = replay.submission.rows[place]
    card = VerdictCard(gold=row.gold, reported_rating=row.followed_rating, reason=NOT_JUDGED)
    if replay.result is None or place not in replay.verdict_places:
        return card
    at, outcomes = replay.verdict_places[place], replay.result.outcomes
    is_judged = is_judged_setting(row.setting)
    is_missing = outcomes.rating[at] is None and not outcomes.unparsable[at]
    card = replace(
        card,
        letter=outcomes.letter[at],
        letter_rule=outcomes.rule[at],
        letter_reason=UNREADABLE.get(outcomes.rule[at] or ""),
        control_letter=outcomes.control_letter[at],
        control_rule=outcomes.control_rule[at],
        control_reason=UNREADABLE.get(outcomes.control_rule[at] or ""),
        correct_without=outcomes.c0[at],
        correct_with=outcomes.c1[at],
        in_qstar=outcomes.c0[at],
        followed=outcomes.rating[at],
        followed_unreadable=outcomes.unparsable[at],
        followed_reason=_unrated(replay.result, is_missing) if is_judged else NO_RELEVANT_PREFERENCE,
        cut=("some",) if outcomes.cut[at] else (),
    )
    return concluded(card, row.setting)


def _unrated(result: PersonalizationResult, is_missing: bool) -> str | None:
    """Why an answer that could be rated is not; None where it is."""
    return (result.judge_reason or NOT_JUDGED) if is_missing else None


# --- the stored submissions -----------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _StoredFile:
    """A submission in memory, with the rows made of it: what a row looks up it looks up once."""

    submission: PersonalizedSubmission
    result: PersonalizationResult
    rows: dict[ReplayEntry, ReplayRow] = field(default_factory=dict)

    def row(self, entry: ReplayEntry) -> ReplayRow:
        return self.rows.setdefault(entry, ReplayRow(entry.system, self.submission, entry.method, self.result))


class ReplayLibrary:
    """Scored submissions of personalized answers, read from the store when they are looked at. Thread-safe.

    Its methods read files that may be large: call them off the event loop.
    """

    def __init__(self, store: Store, prompt_sets: PromptSets) -> None:
        self._store = store
        self._prompt_sets = prompt_sets
        self._lock = threading.Lock()
        self._methods: dict[_Scoring, tuple[str, ...]] = {}
        self._files: OrderedDict[_Scoring, _StoredFile] = OrderedDict()

    def entries(self) -> tuple[ReplayEntry, ...]:
        """Every system and method that can be replayed, newest submission first."""
        with self._lock:
            scored = self._scored()
            labels = Counter(_label(ticket.names) for ticket in scored)
            self._methods = {_scoring(ticket): self._methods_of(ticket) for ticket in scored}
        return tuple(
            ReplayEntry(
                ticket.id,
                _label(ticket.names, ticket.id if labels[_label(ticket.names)] > 1 else ""),
                method,
                ticket.role == "recorded",
            )
            for ticket in scored
            for method in self._methods[_scoring(ticket)]
        )

    def row(self, entry: ReplayEntry) -> ReplayRow | None:
        """The texts and verdicts of an entry; None where it is no longer there."""
        ticket = self._store.ticket(entry.ticket_id)
        if ticket is None or not _is_scored(ticket):
            return None
        with self._lock:
            key = _scoring(ticket)
            if key not in self._files:
                read = self._read(ticket)
                if read is None:
                    return None
                self._files[key] = _StoredFile(*read)
            self._files.move_to_end(key)
            while len(self._files) > KEPT_FILES:
                self._files.popitem(last=False)
            return self._files[key].row(entry)

    def _scored(self) -> list[Ticket]:
        return [ticket for ticket in self._store.tickets() if _is_scored(ticket)]

    def _methods_of(self, ticket: Ticket) -> tuple[str, ...]:
        if (known := self._methods.get(_scoring(ticket))) is not None:
            return known
        result = self._result(ticket)
        return () if result is None else tuple(dict.fromkeys(group.method for group in result.groups))

    def _read(self, ticket: Ticket) -> tuple[PersonalizedSubmission, PersonalizationResult] | None:
        result = self._result(ticket)
        data = self._store.payload(ticket.file_sha256)
        report = check_submission(data, ticket.file_name, names=ticket.names, prompt_sets=self._prompt_sets)
        reading = report.of(PersonalizedReading)
        submission = reading.submission if reading else None
        return None if submission is None or result is None else (submission, result)

    def _result(self, ticket: Ticket) -> PersonalizationResult | None:
        text = self._store.result(ticket.id)
        return None if text is None else PersonalizationResult.model_validate_json(text)


_Scoring = tuple[str, datetime]
"""Ticket and when it was scored: judged anew, it is read anew."""


def _scoring(ticket: Ticket) -> _Scoring:
    return ticket.id, ticket.status_at


def _is_scored(ticket: Ticket) -> bool:
    return ticket.set_id == SET_ID and ticket.is_on_boards and ticket.shows_answers


def _label(names: Names, ticket_id: str = "") -> str:
    """What a column is called: "SYSTEM (MODEL), RUN", with the ticket where others are called the same."""
    said = f"{names.system} ({names.model}), {names.run}"
    return f"{said} [{ticket_id[:8]}]" if ticket_id else said
