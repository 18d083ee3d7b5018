"""Rows of personalized answers: what each field must be, alone and beside others (docs/submit.md#personalized-answers).

A row is a `PersonalizedRow` as soon as its fields have the right types; what speaks against their values, and against
the row beside its control, is told all at once.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from submissions.findings import Findings, ProblemTally
from submissions.formats.personalization.controls import WITHOUT, check_controls
from submissions.formats.personalization.coverage import PersonalizedCoverage
from submissions.formats.personalization.facts import RowFacts, coverage_of_rows, facts_of
from submissions.formats.personalization.submission import (
    FINISH_REASONS,
    NO_PREFERENCE,
    PREF_ALIGNER,
    SETTINGS,
    PersonalizedRow,
    Setting,
)
from submissions.formats.preview import FIRST_ROWS
from submissions.questionsets.option_order import normalised_option, option_order_hash
from submissions.reading.limits import Limits
from submissions.reading.places import Places, RowFaults
from submissions.reading.quoting import described, printable, quoted
from submissions.reading.strict_json import ABSENT, JsonPath, Unreadable

RESERVED_DATASET = "full"
"""All data sets of a run pooled (docs/personalization.md#groups)."""

MIN_OPTIONS = 2
LETTERS = string.ascii_uppercase
"""Of the options, in order."""

MIN_RATING, MAX_RATING = 1, 5

_WITH = "response_with_preference"
_TEXTS = ("question", WITHOUT, _WITH, "draft", "aligner_raw", "thoughts")
"""Fields bounded like a response."""

_PREFERENCES = {
    "none": "no preferences and relevant_index null",
    "relevant": "exactly one preference and relevant_index 0",
    "irrelevant": "one preference or more and relevant_index null",
    "mixed": "two preferences or more and the index of the relevant one, counted from 0",
}
_PLAIN_TYPES = frozenset({str, int, bool, float, type(None)})


def is_plain(row: object) -> bool:
    """Whether a row is an object of single values and lists of texts, so that no fault hides inside of a value."""
    return type(row) is dict and all(
        type(value) in _PLAIN_TYPES or (type(value) is list and all(type(member) is str for member in value))
        for value in row.values()
    )


# --- types -----------------------------------------------------------------------------------------------------------


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_filled(value: object) -> bool:
    return type(value) is str and bool(value.strip())


def _is_whole(value: object) -> bool:
    return type(value) is int


def _is_list_of_texts(value: object) -> bool:
    return type(value) is list and all(type(member) is str for member in value)


def _or_null(accepts: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or accepts(value)


def _optional(accepts: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or value is ABSENT or accepts(value)


def _written_as(pattern: str) -> Callable[[object], bool]:
    match = re.compile(pattern).fullmatch
    return lambda value: type(value) is str and match(value) is not None


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    accepts: Callable[[object], bool]
    accepted: str


_FIELDS = (
    _Field("example_id", _is_filled, "a text that is not blank"),
    _Field("dataset", _written_as("[a-z0-9_]{1,40}"), "1 to 40 of a-z, 0-9 and _"),
    _Field("setting", _is_text, f"one of {', '.join(SETTINGS)}"),
    _Field("method", _written_as("[a-z0-9_.-]{1,60}"), "1 to 60 of a-z, 0-9, dot, _ and -, like naive or pref_aligner"),
    _Field("question", _is_filled, "a text that is not blank"),
    _Field("options", lambda value: type(value) is list, "a list of the options as this run saw them, or []"),
    _Field("option_order_hash", _is_text, "a text of 16 hex digits"),
    _Field("gold", _or_null(_is_text), "the letter of the right option, or null"),
    _Field("preferences", _is_list_of_texts, "a list of texts"),
    _Field("relevant_index", _or_null(_is_whole), "a whole number from 0, or null"),
    _Field("repeat", _optional(_is_whole), "a whole number from 1, or left out"),
    *(
        _Field(name, _optional(_is_text), "a text, null or left out")
        for name in (WITHOUT, _WITH, "control_option_order_hash", "draft", "aligner_raw", "thoughts")
    ),
    _Field("fallback", _optional(lambda value: type(value) is bool), "true, false, null or left out"),
)

ROW_FIELDS = (*(field.name for field in _FIELDS), "finish_reason", "followed_rating")

_KNOWN = frozenset(ROW_FIELDS)


# --- rows ------------------------------------------------------------------------------------------------------------


class PersonalizedRows:
    """Reads row after row, and collects every fault."""

    def __init__(self, places: Places, limits: Limits, *, keep_rows: bool) -> None:
        self.findings = Findings()
        self.n_rows = 0
        self._limits = limits
        self._faults = RowFaults(places, self.findings)
        self._tally = ProblemTally()
        self._facts: list[RowFacts] = []
        self._first: dict[tuple[object, ...], int] = {}
        self._kept: list[PersonalizedRow] | None = [] if keep_rows else None
        self.first_rows: list[PersonalizedRow] = []
        """The first that could be read, for a look at them; also where rows are not kept."""
        self._same_text: dict[str, str] = {}

    def read(self, value: object, number: int, *, is_clean: bool = False) -> None:
        """Reads one row.

        Args:
            value: The row as JSON gave it; ABSENT for a line that is no JSON.
            number: What places call it: an index from 0, or a line from 1.
            is_clean: Whether no text of it holds half a character or a control character.
        """
        self.n_rows += 1
        if value is ABSENT:
            return
        stated = value.get("example_id") if isinstance(value, dict) else None
        example_id = stated if isinstance(stated, str) else None
        if not (is_clean and is_plain(value)):
            self._faults.add_values(number, example_id, value)
        if not isinstance(value, dict):
            self.refuse_shape(number, f"the row is {described(value)}; accepted: an object")
            return
        if not value.keys() <= _KNOWN:
            self._note_unknown(value, number, example_id)
        if self._counts_as_absent(value, number, example_id):
            return
        row = self._row(value, number)
        self._check_values(row, number)
        facts = facts_of(row, number)
        self._check_first(facts)
        self._facts.append(facts)
        if len(self.first_rows) < FIRST_ROWS:
            self.first_rows.append(row)
        self._keep(row)

    def refuse_shape(self, number: int, what: str) -> None:
        """Notes a row that is no object."""
        self._faults.add("missing_field", number, None, (), what, "Write one object per row.")

    def finish(self) -> PersonalizedCoverage:
        """Compares the rows with their controls, and counts them."""
        controls = check_controls(self._facts, self._faults, self._tally)
        self._flush_tally()
        coverage = coverage_of_rows(self._facts, self.n_rows)
        if self._kept is not None and not self._faults.count:
            self._fill_in(controls)
        self._same_text.clear()
        return coverage

    def rows(self) -> tuple[PersonalizedRow, ...] | None:
        """After `finish`: every row with its control's text; None where they were not to be kept or have faults."""
        return None if self._kept is None or self._faults.count else tuple(self._kept)

    # One row alone

    def _counts_as_absent(self, row: dict[str, Any], number: int, example_id: str | None) -> bool:
        """Whether a field is missing, of the wrong type, or no row can be made of it; all of them are reported."""
        is_absent = False
        for field in _FIELDS:
            value = row.get(field.name, ABSENT)
            if field.accepts(value):
                continue
            is_absent = True
            if not isinstance(value, Unreadable):  # reported as a value
                self._refuse_field(field, value, number, example_id)
        setting = row.get("setting")
        if isinstance(setting, str) and setting not in SETTINGS:
            is_absent = True
            what = f"there is no setting {quoted(setting)}; accepted: {', '.join(SETTINGS)}"
            self._faults.add("unknown_setting", number, example_id, ("setting",), what, "Write one of these.")
        options = row.get("options")
        if isinstance(options, list) and (reason := _fault_of_options(options)):
            is_absent = True
            what = f"{reason}; accepted: 2 to {len(LETTERS)} different texts, or [] for an open question"
            hint = "List the options one by one in the order this run saw, without letters before them."
            self._faults.add("bad_options", number, example_id, ("options",), what, hint)
        return is_absent

    def _refuse_field(self, field: _Field, value: object, number: int, example_id: str | None) -> None:
        fault = "the field is missing" if value is ABSENT else f"found {described(value)}"
        what = f"{fault}; accepted: {field.accepted}"
        self._faults.add("missing_field", number, example_id, (field.name,), what, f"Write {field.accepted}.")

    def _row(self, row: dict[str, Any], number: int) -> PersonalizedRow:
        """The row, whose types are right; a finish reason or rating that is not accepted is left out."""
        return PersonalizedRow(
            example_id=row["example_id"],
            dataset=row["dataset"],
            setting=row["setting"],
            method=row["method"],
            question=row["question"],
            options=tuple(row["options"]),
            option_order_hash=row["option_order_hash"],
            gold=row["gold"],
            preferences=tuple(row["preferences"]),
            relevant_index=row["relevant_index"],
            response_without_preference=row.get(WITHOUT),
            response_with_preference=row.get(_WITH),
            repeat=1 if row.get("repeat") is None else row["repeat"],
            control_option_order_hash=row.get("control_option_order_hash"),
            draft=row.get("draft"),
            aligner_raw=row.get("aligner_raw"),
            fallback=row.get("fallback"),
            thoughts=row.get("thoughts"),
            finish_reason=self._finish_reason(row, number),
            followed_rating=self._rating(row, number),
        )

    def _finish_reason(self, row: dict[str, Any], number: int) -> Any:
        reason = row.get("finish_reason")
        if reason is None or reason in FINISH_REASONS:
            return reason
        if not isinstance(reason, Unreadable):
            what = f"found {described(reason)}; accepted: {', '.join(FINISH_REASONS)} or null"
            hint = "Write what the model's server said, in these words; unknown where it said nothing."
            self._faults.add("bad_finish_reason", number, row["example_id"], ("finish_reason",), what, hint)
        return None

    def _rating(self, row: dict[str, Any], number: int) -> float | None:
        rating = row.get("followed_rating")
        if rating is None or isinstance(rating, Unreadable):
            return None
        if type(rating) in (int, float) and MIN_RATING <= rating <= MAX_RATING:
            return float(rating)
        what = f"found {described(rating)}; accepted: a number from {MIN_RATING} to {MAX_RATING}, or null"
        hint = "Leave it out where nothing was rated: it is shown as reported and enters no figure."
        self._faults.add("rating_out_of_range", number, row["example_id"], ("followed_rating",), what, hint)
        return None

    def _check_values(self, row: PersonalizedRow, number: int) -> None:
        add = partial(self._faults.add, number=number, example_id=row.example_id)
        for code, steps, what, hint in _value_faults(row, self._limits):
            add(code, steps=steps, what=what, hint=hint)

    def _check_first(self, facts: RowFacts) -> None:
        """Refuses a row that stands twice; reported at the second."""
        first = self._first.setdefault(facts.key, facts.number)
        if first == facts.number:
            return
        what = (
            f"{self._faults.places.row(first)} is the same dataset, example_id, setting, method and repeat; accepted: "
            "one row of each"
        )
        hint = "Remove one of them; number further control runs by repeat."
        self._faults.add("duplicate_row", facts.number, facts.example_id, (), what, hint)

    # All rows

    def _keep(self, row: PersonalizedRow) -> None:
        if self._kept is None:
            return
        if self._faults.count:
            self._kept.clear()
            self._same_text.clear()
            return
        self._kept.append(self._with_shared_texts(row))

    def _with_shared_texts(self, row: PersonalizedRow) -> PersonalizedRow:
        """The row with one copy of each text that rows of the same example or preference repeat."""

        def shared(text: str) -> str:
            return self._same_text.setdefault(text, text)

        return replace(
            row,
            dataset=shared(row.dataset),
            method=shared(row.method),
            question=shared(row.question),
            options=tuple(map(shared, row.options)),
            preferences=tuple(map(shared, row.preferences)),
            response_without_preference=row.response_without_preference and shared(row.response_without_preference),
            draft=row.draft and shared(row.draft),
        )

    def _fill_in(self, controls: dict[bytes, RowFacts]) -> None:
        """Gives every row the text of its example's control row, where the file has one."""
        if self._kept is None:
            return
        place = {facts.number: index for index, facts in enumerate(self._facts)}
        for index, (facts, row) in enumerate(zip(self._facts, self._kept, strict=True)):
            control = controls.get(facts.example)
            if row.response_without_preference is None and control is not None:
                text = self._kept[place[control.number]].response_without_preference
                self._kept[index] = replace(row, response_without_preference=text)

    def _note_unknown(self, row: dict[str, Any], number: int, example_id: str | None) -> None:
        for name in row:
            if name not in _KNOWN:
                path = partial(self._faults.places.row, number, (name,))
                item = printable(example_id, 200) if example_id else None
                self._tally.note("unknown_field", path, group=name, detail=name, item=item)

    def _flush_tally(self) -> None:
        for mark in self._tally.marks:
            if mark.code == "unknown_field":
                what = f"the field {quoted(mark.detail)} is not one of this format; it is kept, not used"
                hint = f"Check its spelling; known are {', '.join(ROW_FIELDS)}."
            else:
                what = "the draft differs from the control's text beyond white space"
                hint = "The draft of a two-stage method is the answer without preferences; check which one was sent."
            place = f"{mark.path} ({mark.item})" if mark.item else mark.path
            more = f" (so in {mark.count:,} rows)" if mark.count > 1 else ""
            self.findings.add(mark.code, mark.path, f"{place}: {what}{more}", hint, item=mark.item)


# --- values ----------------------------------------------------------------------------------------------------------

_ValueFault = tuple[str, JsonPath, str, str]
"""Code, place in the row, what was found and is accepted, what to do."""


def _value_faults(row: PersonalizedRow, limits: Limits) -> Iterator[_ValueFault]:
    """What stands against the values of a row of the right types."""
    yield from _fault_of_order(row)
    yield from _fault_of_gold(row)
    yield from _fault_of_dataset(row)
    yield from _faults_of_setting(row)
    yield from _faults_of_preferences(row, limits)
    yield from _faults_of_responses(row)
    yield from _long_texts(row, limits)


def _fault_of_options(options: list[object]) -> str | None:
    """Why a list cannot be the options of a question; None for a good one."""
    if not options:
        return None
    if not MIN_OPTIONS <= len(options) <= len(LETTERS):
        return f"there {'is 1 option' if len(options) == 1 else f'are {len(options):,} options'}"
    seen: dict[str, int] = {}
    for index, option in enumerate(options):
        if not _is_filled(option):
            return f"option {LETTERS[index]} is {described(option)}"
        first = seen.setdefault(normalised_option(str(option)), index)
        if first != index:
            return f"the options {LETTERS[first]} and {LETTERS[index]} are both {quoted(str(option))}"
    return None


def _fault_of_order(row: PersonalizedRow) -> Iterator[_ValueFault]:
    expected = option_order_hash(row.options)
    if row.option_order_hash != expected:
        what = f"found {quoted(row.option_order_hash)}; accepted for these options in this order: {expected}"
        hint = "Hash the options of this very row; docs/submit.md has the five lines for it."
        yield "hash_not_of_options", ("option_order_hash",), what, hint


def _fault_of_gold(row: PersonalizedRow) -> Iterator[_ValueFault]:
    letters = LETTERS[: len(row.options)]
    if row.gold is None or (len(row.gold) == 1 and row.gold in letters):
        return
    accepted = f"{letters[0]} to {letters[-1]}, or null" if letters else "null, as an open question has no options"
    hint = "Write the letter the right option has in this row; null where it is not known."
    yield "gold_not_an_option", ("gold",), f"found {quoted(row.gold)}; accepted: {accepted}", hint


def _fault_of_dataset(row: PersonalizedRow) -> Iterator[_ValueFault]:
    if row.dataset == RESERVED_DATASET:
        what = f"the name {quoted(RESERVED_DATASET)} stands for all data sets together; accepted: any other name"
        yield "reserved_dataset", ("dataset",), what, "Give each row the name of its own data set."


def _faults_of_setting(row: PersonalizedRow) -> Iterator[_ValueFault]:
    if row.is_control != (row.method == NO_PREFERENCE):
        what = (
            f"setting {row.setting} with method {quoted(row.method)}; accepted: setting none with method "
            f"{NO_PREFERENCE}, and neither without the other"
        )
        hint = f"A control row has both; a row with preferences has a method of its own, like naive or {PREF_ALIGNER}."
        yield "control_setting", ("method",), what, hint
    if row.repeat < 1 or (row.repeat > 1 and not row.is_control):
        what = f"found {printable(str(row.repeat))}; accepted: 1, and from 2 on control rows only"
        yield "repeat_not_control", ("repeat",), what, "Leave it out; only the run without preferences is repeated."


def _faults_of_preferences(row: PersonalizedRow, limits: Limits) -> Iterator[_ValueFault]:
    code = "preferences_do_not_fit_setting"
    count, index = len(row.preferences), row.relevant_index
    if not _preferences_fit(row.setting, count, index):
        what = (
            f"setting {row.setting} with {_counted(count)} and relevant_index "
            f"{'null' if index is None else printable(str(index))}; accepted: {_PREFERENCES[row.setting]}"
        )
        is_count = not any(_preferences_fit(row.setting, count, other) for other in (None, 0))
        hint = "List the preferences as shown and point relevant_index at the relevant one, or correct the setting."
        yield code, ("preferences" if is_count else "relevant_index",), what, hint
    if count > limits.preferences:
        what = f"there are {_counted(count)}; accepted: at most {limits.preferences}"
        yield code, ("preferences", limits.preferences), what, "Show fewer preferences at once."
    for place, preference in enumerate(row.preferences[: limits.preferences]):
        most = limits.preference_characters
        if not preference.strip() or len(preference) > most:
            size = f"has {len(preference):,} characters ({quoted(preference)})" if preference.strip() else "is blank"
            what = f"this preference {size}; accepted: 1 to {most:,} characters"
            yield code, ("preferences", place), what, "List the preferences one by one, as shown."


def _preferences_fit(setting: Setting, count: int, index: int | None) -> bool:
    match setting:
        case "none":
            return count == 0 and index is None
        case "relevant":
            return count == 1 and index == 0
        case "irrelevant":
            return count >= 1 and index is None
        case "mixed":
            return count >= 2 and index is not None and 0 <= index < count


def _counted(count: int) -> str:
    return "1 preference" if count == 1 else f"{count:,} preferences"


def _faults_of_responses(row: PersonalizedRow) -> Iterator[_ValueFault]:
    if row.is_control:
        if row.response_without_preference is None:
            what = "a control row without its response; accepted: a text (a blank one is a wrong answer)"
            yield "control_responses", (WITHOUT,), what, f"Write the control's answer into {WITHOUT}."
        if row.response_with_preference is not None:
            description = described(row.response_with_preference)
            what = f"found {description} on a control row; accepted: null, or left out"
            hint = f"No preference was shown here: the answer belongs into {WITHOUT}."
            yield "control_responses", (_WITH,), what, hint
    elif row.response_with_preference is None:
        what = "the answer given with the preferences is missing; accepted: a text (a blank one is a wrong answer)"
        yield "response_missing", (_WITH,), what, "Write the answer, or leave the whole row out."
    if row.method == PREF_ALIGNER and row.draft is None:
        what = f"the draft, stage 1 of {PREF_ALIGNER}, is missing; accepted: a text"
        yield "draft_missing", ("draft",), what, "Write the answer the aligner was given to edit."


def _long_texts(row: PersonalizedRow, limits: Limits) -> Iterator[_ValueFault]:
    for name, text in zip(_TEXTS, _texts(row), strict=True):
        if text is not None and len(text) > limits.response_characters:
            what = f"{len(text):,} characters ({quoted(text)}); accepted: at most {limits.response_characters:,}"
            yield "response_too_long", (name,), what, "Shorten it, as a judge would not read so much."


def _texts(row: PersonalizedRow) -> Iterable[str | None]:
    return (
        row.question,
        row.response_without_preference,
        row.response_with_preference,
        row.draft,
        row.aligner_raw,
        row.thoughts,
    )
