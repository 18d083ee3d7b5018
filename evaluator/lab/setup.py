"""What a visitor of the lab has set up: question, preferences, two columns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from submissions.formats.personalization.submission import NAIVE, NO_PREFERENCE, PREF_ALIGNER, Setting
from submissions.questionsets import Question, ShownPreferences, mixed_preferences
from submissions.questionsets.option_order import normalised_option
from submissions.questionsets.shape import IRRELEVANT_IN_MIXED
from submissions.reading.strict_json import is_clean
from submissions.schema import Item

Side = Literal["a", "b"]
SIDES: tuple[Side, Side] = ("a", "b")

METHODS = (NO_PREFERENCE, NAIVE, PREF_ALIGNER)
"""What a column can do with the question, in the order offered."""

OWN_DATASET = "own"
"""Where a visitor's own question comes from."""

MAX_QUESTION = 4000
MAX_OPTION = 500
MAX_OPTIONS = len(ascii_uppercase)
MAX_PREFERENCE = 300
MAX_PREFERENCES = 8
_DATASET = re.compile(r"[a-z0-9_-]{1,40}")
MAX_ID = 200
"""Of a question's example_id, as in a question set."""
MAX_RUN_S = 120.0
MAX_LOADING_S = 300.0
"""Caps of the lab, in characters and seconds (docs/lab.md#limits)."""


@dataclass(frozen=True, slots=True)
class ColumnSetup:
    """One side of the lab: who writes, and how it is asked."""

    generator: str
    """A name of the allow-list."""
    method: str
    """`no_preference`, `naive` or `pref_aligner`."""


@dataclass(frozen=True, slots=True)
class LabSetup:
    """Everything a share link restores."""

    question: Question
    """Of column A; of both where there are no twins."""
    dataset: str
    """`own`, `demonstration`, or the prompt set's id: where the question comes from."""
    preferences: tuple[str, ...]
    relevant_index: int | None
    a: ColumnSetup
    b: ColumnSetup
    twin: Question | None = None
    """Twins: column B answers this other wording of the same item; pairwise judging is then off."""

    @property
    def setting(self) -> Setting:
        """What list and flag come to (docs/personalization.md#from-answers-to-outcomes)."""
        if not self.preferences:
            return "none"
        if self.relevant_index is None:
            return "irrelevant"
        return "relevant" if len(self.preferences) == 1 else "mixed"

    @property
    def relevant_preference(self) -> str | None:
        """The preference answers are judged against; None where none is marked."""
        return None if self.relevant_index is None else self.preferences[self.relevant_index]

    def column(self, side: Side) -> ColumnSetup:
        return self.a if side == "a" else self.b

    def question_of(self, side: Side) -> Question:
        return self.twin if side == "b" and self.twin is not None else self.question

    def method_of(self, side: Side) -> str:
        """What the column comes to: without preferences every method is the control."""
        return self.column(side).method if self.preferences else NO_PREFERENCE

    def setting_of(self, side: Side) -> Setting:
        """The setting this column is counted under: the control has seen no preference, whatever the list holds."""
        return "none" if self.method_of(side) == NO_PREFERENCE else self.setting

    def control_key(self, side: Side) -> str:
        """Name of the column's control in `LabState.controls`: the generator, with `#b` for the twin wording."""
        generator = self.column(side).generator
        return f"{generator}#b" if side == "b" and self.twin is not None else generator


# --- questions and presets ------------------------------------------------------------------------------------------


def own_question(text: str, options: tuple[str, ...] = (), gold: str | None = None) -> Question:
    """A visitor's own question. Its id is made of its text and options, so that asking it again repeats the example.

    >>> own_question("Which is a planet?", ("The Sun", "Mars"), "B").example_id
    'own-64f25dabd6e4'
    """
    digest = hashlib.sha256("\n".join((text.strip(), *map(normalised_option, options))).encode("utf-8", "replace"))
    return Question(f"own-{digest.hexdigest()[:12]}", text, options, gold)


def item_question(item: Item, variant: int) -> Question | None:
    """One wording of an item of a prompt set as an open question; None where the set at hand has no texts, or no such
    variant. Each wording has an id of its own, so that twins are two examples.

    Args:
        item: Of an ELOQUENT or the demonstration prompt set.
        variant: Its number, counted from 1.
    """
    prompt = next((wording.prompt for wording in item.variants if wording.number == variant), None)
    return Question(f"{item.id}.{variant}", prompt, (), None) if prompt else None


def naive_vs_pref_aligner(generator: str) -> tuple[ColumnSetup, ColumnSetup]:
    """Preset: one model, preferences in the prompt against the two-stage method."""
    return ColumnSetup(generator, NAIVE), ColumnSetup(generator, PREF_ALIGNER)


def two_models(a: str, b: str) -> tuple[ColumnSetup, ColumnSetup]:
    """Preset: two models, asked the same way."""
    return ColumnSetup(a, NAIVE), ColumnSetup(b, NAIVE)


def mixed_example(relevant: str, irrelevant: Collection[str], place: int = 2) -> ShownPreferences:
    """Preset: the first five irrelevant preferences around the relevant one, which comes to stand at that place.

    >>> mixed_example("Use a table.", ["I like tea.", "I own a dog.", "I sail."], place=1)
    ShownPreferences(preferences=('I like tea.', 'Use a table.', 'I own a dog.', 'I sail.'), relevant_index=1)
    """
    around = list(irrelevant)[:IRRELEVANT_IN_MIXED]
    return mixed_preferences(relevant, around, min(place, len(around)))


# --- what a setting means -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SettingExplanation:
    """What list and flag come to, for the visitor."""

    setting: Setting
    meaning: str
    """What is shown, and what the answer is judged against."""
    formula: str
    """When an answer counts as robust, over Q*: the questions answered right without preferences."""
    notes: tuple[str, ...] = ()
    """What a visitor might not expect of this setup."""


_MEANINGS: dict[Setting, tuple[str, str]] = {
    "none": (
        "No preference is shown: this is the control, and nothing can break.",
        "robustness error = breakage rate = 0, for the answer is the control itself",
    ),
    "relevant": (
        "One preference is shown, and it bears on the answer: the answer should stay right and follow it.",
        "robustness error = 1 − share of Q* that is still right and follows the preference",
    ),
    "irrelevant": (
        "No preference that is shown bears on the answer: the answer should stay right; following is not judged.",
        "robustness error = breakage rate = 1 − share of Q* that is still right",
    ),
    "mixed": (
        "One of the preferences shown bears on the answer, the model is not told which: the answer should stay right "
        "and follow that one.",
        "robustness error = 1 − share of Q* that is still right and follows the relevant preference",
    ),
}


def setting_explanation(setup: LabSetup) -> SettingExplanation:
    """The setting, its formula in words, and what is peculiar about this setup."""
    meaning, formula = _MEANINGS[setup.setting]
    return SettingExplanation(setup.setting, meaning, formula, tuple(_notes(setup)))


def _notes(setup: LabSetup) -> Iterator[str]:
    asked = list(dict.fromkeys(setup.column(side).method for side in SIDES))
    with_preferences = [method for method in asked if method != NO_PREFERENCE]
    if not setup.preferences and with_preferences:
        yield (
            f"Without preferences {' and '.join(with_preferences)} come{'s' * (len(with_preferences) == 1)} to the "
            "control: the column shows the answer to the bare question."
        )
    if setup.preferences and NO_PREFERENCE in asked:
        yield "The column with no_preference is the control: it is not shown the preferences."
    if setup.question.gold is None:
        yield "The right option is not known, so right, robust and outcome stay not known."
    if setup.twin is not None:
        yield "Twins: the columns answer two wordings of one item, so they are not compared with each other."
    elif setup.a == setup.b:
        yield "Both columns are the same model and method."


# --- what is wrong with a setup -------------------------------------------------------------------------------------


def problems(setup: LabSetup, generator_names: Collection[str]) -> list[str]:
    """Everything that keeps a setup from being run, in plain words: place, what was found, what is expected.

    A method that needs preferences without any is no fault: `setting_explanation` says what it comes to.

    Args:
        setup: As the form or a link gives it; nothing about it is trusted.
        generator_names: The allow-list.
    """
    faults = [*_question_faults(setup.question, "the question"), *_preference_faults(setup)]
    if not _DATASET.fullmatch(setup.dataset):
        faults.append(f"the data set: found {_cut(setup.dataset)}, expected 1 to 40 of a-z, 0-9, - and _")
    if setup.twin is not None:
        faults += _question_faults(setup.twin, "the twin question")
        if setup.twin.example_id == setup.question.example_id:
            faults.append(f"the id of the twin question: found that of the question, {_cut(setup.twin.example_id)}")
    for side in SIDES:
        faults += _column_faults(setup.column(side), f"column {side.upper()}", generator_names)
    return faults


def _question_faults(question: Question, place: str) -> Iterator[str]:
    yield from _text_faults(question.text, place, MAX_QUESTION)
    yield from _text_faults(question.example_id, f"the id of {place}", MAX_ID)
    options = question.options
    if options and not 2 <= len(options) <= MAX_OPTIONS:
        yield f"options of {place}: found {len(options)}, expected 2 to {MAX_OPTIONS}, or none for an open question"
    letters = ascii_uppercase[: len(options)]
    seen: dict[str, str] = {}
    for letter, option in zip(ascii_uppercase, options, strict=False):
        yield from _text_faults(option, f"option {letter} of {place}", MAX_OPTION)
        if option.strip() and (same := seen.setdefault(normalised_option(option), letter)) != letter:
            yield f"option {letter} of {place}: is the same as option {same}"
    if question.gold is not None and (len(question.gold) != 1 or question.gold not in letters):
        expected = f"one of {', '.join(letters)}, or none" if letters else "none, for an open question has no options"
        yield f"the right option of {place}: found {_cut(question.gold)}, expected {expected}"


def _preference_faults(setup: LabSetup) -> Iterator[str]:
    count = len(setup.preferences)
    if count > MAX_PREFERENCES:
        yield f"preferences: found {count}, expected at most {MAX_PREFERENCES}"
    for number, preference in enumerate(setup.preferences, start=1):
        yield from _text_faults(preference, f"preference {number}", MAX_PREFERENCE)
    if setup.relevant_index is not None and not 0 <= setup.relevant_index < count:
        expected = f"1 to {count}" if count else "none, for there are no preferences"
        yield f"the relevant preference: found number {setup.relevant_index + 1}, expected {expected}"


def _column_faults(column: ColumnSetup, place: str, generator_names: Collection[str]) -> Iterator[str]:
    if column.generator not in generator_names:
        offered = ", ".join(generator_names) or "none, live generation is off"
        yield f"{place}: no model here is called {_cut(column.generator)}; offered: {offered}"
    if column.method not in METHODS:
        yield f"{place}: found the method {_cut(column.method)}, expected {', '.join(METHODS)}"


def _text_faults(text: str, place: str, limit: int) -> Iterator[str]:
    if not text.strip():
        yield f"{place}: is blank"
    elif len(text) > limit:
        yield f"{place}: found {len(text):,} characters, expected at most {limit:,}"
    elif not is_clean(text):
        yield f"{place}: holds a character that is no text (half a character or NUL); remove it"


def _cut(text: str) -> str:
    """A value as faults show it, cut at 80 characters."""
    return repr(text) if len(text) <= 80 else repr(text[:79] + "…")
