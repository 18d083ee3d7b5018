"""The form of the lab: what can be chosen, and what the filled-in fields come to. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import NamedTuple, TypedDict

from evaluator.lab.setup import (
    MAX_OPTIONS,
    MAX_PREFERENCES,
    METHODS,
    OWN_DATASET,
    ColumnSetup,
    LabSetup,
    item_question,
    mixed_example,
    naive_vs_pref_aligner,
    own_question,
)
from leaderboard.parts.visible_text import visible
from submissions.promptsets import DEMONSTRATION, PromptSets
from submissions.questionsets import Question, QuestionSet, ShownPreferences
from submissions.schema import Item, PromptSet, Variant

LABEL_CHARACTERS = 90
"""Questions are cut here in the lists one chooses from."""

FIRST_EXAMPLE = "d17"
"""What a first visit shows: one of the questions that the scripted generator loses under preferences."""
FIRST_PREFERENCES = 3

SAME_WORDING = 0
"""Choice of the twin list: both columns answer the same wording."""

METHOD_LABELS = {
    "no_preference": "no_preference: the control",
    "naive": "naive: preferences in the prompt",
    "pref_aligner": "pref_aligner: answer, then edit",
}


class PreferencesValue(TypedDict):
    """What `components.PreferenceList` shows and gives back."""

    preferences: list[str]
    relevant: int | None


class Form(NamedTuple):
    """The fields as the page has them, in the order of its components. Nothing about them is trusted."""

    dataset: str
    example: str
    variant: int | None
    twin: int
    text: str
    options: str
    gold: str
    preferences: object
    a_generator: str | None
    a_method: str
    b_generator: str | None
    b_method: str


class Choice(NamedTuple):
    """What a list offers: what it says, what it stands for."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Found:
    """A question of the catalogue, with where it stands in the lists."""

    question: Question
    example: str
    variant: int | None


class Catalogue:
    """Questions one need not type: the demonstration questions, and every prompt set whose texts are at hand."""

    def __init__(self, questions: QuestionSet, prompt_sets: PromptSets) -> None:
        self.questions = questions
        offered = (prompt_sets.eloquent_2024, prompt_sets.demonstration)
        self._sets = {dataset_of(prompt_set): prompt_set for prompt_set in offered if prompt_set.has_prompts}
        self._missing = [prompt_set.title for prompt_set in offered if not prompt_set.has_prompts]

    @property
    def missing(self) -> tuple[str, ...]:
        """Titles of sets whose texts are not installed."""
        return tuple(self._missing)

    def datasets(self) -> list[Choice]:
        """Where a question can come from."""
        sets = [
            Choice(f"{prompt_set.title} prompts, in several wordings", dataset)
            for dataset, prompt_set in self._sets.items()
        ]
        count = len(self.questions.questions)
        return [
            Choice(f"{self.questions.title} questions ({count}, with the right option)", self.questions.dataset),
            *sets,
            Choice("My own question", OWN_DATASET),
        ]

    def examples(self, dataset: str) -> list[Choice]:
        """Questions or items of a data set; none of one's own."""
        if dataset == self.questions.dataset:
            return [
                Choice(f"{question.example_id}: {_cut(question.text)}", question.example_id)
                for question in self.questions.questions
            ]
        return [Choice(_item_label(item), item.id) for item in self._items(dataset)]

    def wordings(self, dataset: str, example: str) -> list[tuple[str, int]]:
        """The wordings of an item; none where a question has just one."""
        return [(_wording_label(variant), variant.number) for variant in self._variants(dataset, example)]

    def question(self, dataset: str, example: str, variant: int | None) -> Question | None:
        """The question at that place of the lists; None where there is none."""
        if dataset == self.questions.dataset:
            return next((question for question in self.questions.questions if question.example_id == example), None)
        item = next((item for item in self._items(dataset) if item.id == example), None)
        return item_question(item, variant or 1) if item else None

    def find(self, dataset: str, example_id: str) -> Found | None:
        """The question of that id, as a link names it; None where there is none."""
        if dataset == self.questions.dataset:
            question = self.question(dataset, example_id, None)
            return Found(question, example_id, None) if question else None
        example, _, number = example_id.rpartition(".")
        if not (number.isascii() and number.isdigit() and len(number) < 4):
            return None
        question = self.question(dataset, example, int(number)) if int(number) else None
        return Found(question, example, int(number)) if question else None

    def chosen(self, form: Form, dataset: str, example: str | None, variant: int | None) -> Form:
        """The form with a question of the catalogue; what is left open is the first there is, of one's own nothing."""
        examples = self.examples(dataset)
        first = example if example is not None else examples[0].value if examples else ""
        wordings = self.wordings(dataset, first)
        number = variant if variant is not None else wordings[0][1] if wordings else None
        question = self.question(dataset, first, number)
        return form._replace(
            dataset=dataset,
            example=first,
            variant=number,
            twin=SAME_WORDING,
            text=question.text if question else "",
            options="\n".join(question.options) if question else "",
            gold=(question.gold or "") if question else "",
        )

    def following(self, dataset: str, example: str) -> str:
        """The question or item behind one in its list; it goes round. The first where that one is none of it."""
        ids = [choice.value for choice in self.examples(dataset)] or [""]
        return ids[(ids.index(example) + 1) % len(ids)] if example in ids else ids[0]

    def any(self, dice: random.Random) -> tuple[str, str, int | None]:
        """Some question: data set, example and wording. Own questions are left to their owners."""
        dataset = dice.choice([choice.value for choice in self.datasets() if choice.value != OWN_DATASET])
        example = dice.choice(self.examples(dataset)).value
        wordings = self.wordings(dataset, example)
        return dataset, example, dice.choice(wordings)[1] if wordings else None

    def _items(self, dataset: str) -> Sequence[Item]:
        return self._sets[dataset].items if dataset in self._sets else ()

    def _variants(self, dataset: str, example: str) -> Iterator[Variant]:
        return (variant for item in self._items(dataset) if item.id == example for variant in item.variants)


def dataset_of(prompt_set: PromptSet) -> str:
    """The data set's name in rows: `[a-z0-9_]`, and not that of the demonstration questions."""
    return "demonstration_prompts" if prompt_set.set_id == DEMONSTRATION else prompt_set.set_id.replace("-", "_")


def _item_label(item: Item) -> str:
    return f"{item.id}: {item.variation}, {len(item.variants)} wordings in {', '.join(item.languages())}"


def _wording_label(variant: Variant) -> str:
    return f"{variant.number} ({variant.language}): {_cut(variant.prompt or '')}"


def _cut(text: str) -> str:
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= LABEL_CHARACTERS else shown[: LABEL_CHARACTERS - 1] + "…"


# --- fields -> setup --------------------------------------------------------------------------------------------------


def setup_of(form: Form, catalogue: Catalogue) -> LabSetup:
    """What the fields come to; whether it can be run is for `LabService.problems` to say.

    A question of the catalogue that was changed by one letter is the visitor's own.
    """
    preferences, relevant = preferences_of(form.preferences)
    question, dataset, twin = _question_of(form, catalogue)
    return LabSetup(
        question=question,
        dataset=dataset,
        preferences=preferences,
        relevant_index=relevant,
        a=ColumnSetup(form.a_generator or "", form.a_method),
        b=ColumnSetup(form.b_generator or "", form.b_method),
        twin=twin,
    )


def _question_of(form: Form, catalogue: Catalogue) -> tuple[Question, str, Question | None]:
    text, options, gold = form.text.strip(), options_of(form.options), form.gold or None
    chosen = catalogue.question(form.dataset, form.example, form.variant)
    if chosen is None or (text, options, gold) != (chosen.text.strip(), chosen.options, chosen.gold):
        return own_question(text, options, gold), OWN_DATASET, None
    is_twin = form.twin not in (SAME_WORDING, form.variant)
    return chosen, form.dataset, catalogue.question(form.dataset, form.example, form.twin) if is_twin else None


def options_of(text: str) -> tuple[str, ...]:
    """One option a line; blank lines are none.

    >>> options_of("the sun\\n\\n the moon ")
    ('the sun', 'the moon')
    """
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def preferences_of(value: object) -> tuple[tuple[str, ...], int | None]:
    """The preferences that have been written, and which of them is relevant; blank rows of the list are none.

    >>> preferences_of({"preferences": ["Be short.", " ", "Use a table."], "relevant": 2})
    (('Be short.', 'Use a table.'), 1)
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("preferences"), list):
        return (), None
    written = [
        (place, text.strip())
        for place, text in enumerate(value["preferences"])
        if isinstance(text, str) and text.strip()
    ]
    marked = value.get("relevant")
    relevant = next((number for number, (place, _) in enumerate(written) if place == marked), None)
    return tuple(text for _, text in written), None if isinstance(marked, bool) else relevant


# --- setup -> fields --------------------------------------------------------------------------------------------------


def form_of(setup: LabSetup, catalogue: Catalogue) -> Form:
    """The fields that come to this setup."""
    listed = catalogue.find(setup.dataset, setup.question.example_id)
    twin = catalogue.find(setup.dataset, setup.twin.example_id) if listed and setup.twin else None
    is_known = listed is not None and listed.question == setup.question
    return Form(
        dataset=setup.dataset if is_known else OWN_DATASET,
        example=listed.example if listed and is_known else "",
        variant=listed.variant if listed and is_known else None,
        twin=twin.variant or SAME_WORDING if twin else SAME_WORDING,
        text=setup.question.text,
        options="\n".join(setup.question.options),
        gold=setup.question.gold or "",
        preferences=preferences_value(setup.preferences, setup.relevant_index),
        a_generator=setup.a.generator or None,
        a_method=setup.a.method,
        b_generator=setup.b.generator or None,
        b_method=setup.b.method,
    )


def preferences_value(preferences: Sequence[str], relevant: int | None) -> PreferencesValue:
    """What the list of preferences shows."""
    return {"preferences": list(preferences), "relevant": relevant}


def first_setup(catalogue: Catalogue, generators: Sequence[str], *, is_rated: bool) -> LabSetup:
    """What a visitor finds: a question with its right option, preferences, and naive against Pref-Aligner.

    Args:
        is_rated: Whether the judge here may rate answers: the list then has a relevant preference among others. Without
            ratings only irrelevant ones leave the outcome known.
    """
    questions = catalogue.questions
    listed = catalogue.find(questions.dataset, FIRST_EXAMPLE)
    shown = ShownPreferences(questions.irrelevant_preferences[:FIRST_PREFERENCES], None)
    if is_rated:
        shown = mixed_example(questions.style_preferences[0], questions.irrelevant_preferences)
    a, b = naive_vs_pref_aligner(generators[0] if generators else "")
    question = listed.question if listed else questions.questions[0]
    return LabSetup(question, questions.dataset, shown.preferences, shown.relevant_index, a, b)


PRESETS = (
    ("one-relevant", "One relevant"),
    ("three-irrelevant", "Three irrelevant"),
    ("mixed", "Mixed"),
)
"""Preferences that are chosen in one press: key, and what the button says."""


def preset_preferences(key: str, value: object, questions: QuestionSet) -> PreferencesValue:
    """The preferences of a preset; a visitor's own relevant preference stays in it, without one ours is taken.

    Args:
        key: Of `PRESETS`.
        value: The list as it stands.
    """
    if key == "three-irrelevant":
        return preferences_value(questions.irrelevant_preferences[:FIRST_PREFERENCES], None)
    preferences, relevant = preferences_of(value)
    chosen = questions.style_preferences[0] if relevant is None else preferences[relevant]
    if key == "one-relevant":
        return preferences_value((chosen,), 0)
    shown = mixed_example(chosen, [text for text in questions.irrelevant_preferences if text != chosen])
    return preferences_value(shown.preferences, shown.relevant_index)


def with_example(value: object, text: str, questions: QuestionSet) -> PreferencesValue:
    """The list with one of our preferences at its end; one that bears on any answer is marked where none is yet."""
    preferences, relevant = preferences_of(value)
    is_style = text in questions.style_preferences
    is_ours = is_style or text in questions.irrelevant_preferences
    if not is_ours or text in preferences or len(preferences) >= MAX_PREFERENCES:
        return preferences_value(preferences, relevant)
    marked = len(preferences) if is_style and relevant is None else relevant
    return preferences_value((*preferences, text), marked)


def gold_choices(options: str) -> list[tuple[str, str]]:
    """What can be the right option: one of the letters, or nothing said."""
    letters = ascii_uppercase[: min(len(options_of(options)), MAX_OPTIONS)]
    return [("not known", ""), *((letter, letter) for letter in letters)]


def method_choices() -> list[tuple[str, str]]:
    """The methods, in the order offered."""
    return [(METHOD_LABELS[method], method) for method in METHODS]


def with_columns(form: Form, columns: tuple[ColumnSetup, ColumnSetup]) -> Form:
    """The form with other columns."""
    a, b = columns
    return form._replace(a_generator=a.generator, a_method=a.method, b_generator=b.generator, b_method=b.method)
