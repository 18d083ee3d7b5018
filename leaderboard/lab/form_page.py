"""The form of the lab: question, preferences, columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr
from gradio.components import Component

from evaluator.lab.setup import MAX_OPTION, MAX_OPTIONS, MAX_QUESTION, LabSetup
from leaderboard.lab.components import PreferenceList, SettingCard, SetupLine
from leaderboard.lab.form import (
    PRESETS,
    SAME_WORDING,
    Catalogue,
    Form,
    form_of,
    gold_choices,
    method_choices,
    preferences_value,
    preset_preferences,
    with_example,
)
from leaderboard.lab.screen import LabScreen
from leaderboard.page.region import CHOSEN, EACH, QUIET
from submissions.questionsets import QuestionSet

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class LabForm:
    """The form's components; `inputs` are the fields of `Form`, in its order."""

    screen: LabScreen
    question: list[Any]
    """Data set, item, wording, twin, text, options, right option."""
    preferences: PreferenceList
    columns: list[Any]
    """Model and method of A, then of B."""
    twin_text: gr.Textbox
    setting: SettingCard
    line: SetupLine
    """What is set, in one line."""

    @property
    def inputs(self) -> list[Component]:
        return [*self.question, self.preferences, *self.columns]

    @property
    def fields(self) -> list[Component]:
        """What `values` fills."""
        return [*self.inputs, self.twin_text, self.setting]

    @property
    def outputs(self) -> list[Component]:
        """What `redrawn` fills: the fields, and the line that says what is set."""
        return [*self.fields, self.line]

    def values(self, setup: LabSetup) -> Values:
        """The form filled with a setup."""
        return self.redrawn(None, form_of(setup, self.screen.catalogue))[: len(self.fields)]

    def redrawn(self, before: Form | None, now: Form) -> Values:
        """The form after a change; fields that did not change are left to the person who may be typing there."""
        catalogue = self.screen.catalogue
        examples = catalogue.examples(now.dataset)
        wordings = catalogue.wordings(now.dataset, now.example)
        twins = [("the same wording", SAME_WORDING), *wordings]
        twin = catalogue.question(now.dataset, now.example, now.twin) if now.twin != SAME_WORDING else None
        same = [False] * len(now) if before is None else [old == new for old, new in zip(before, now, strict=True)]
        values: list[Any] = [gr.skip() if is_same else value for is_same, value in zip(same, now, strict=True)]
        lists = {
            "example": gr.update(choices=examples, value=now.example or None, visible=bool(examples)),
            "variant": gr.update(choices=wordings, value=now.variant, visible=bool(wordings)),
            "twin": gr.update(choices=twins, value=now.twin, visible=len(wordings) > 1),
            "gold": _right_option(now.options, now.gold),
        }
        for name, update in lists.items():
            values[Form._fields.index(name)] = update
        shown_twin = gr.update(value=twin.text if twin else "", visible=twin is not None)
        return (*values, shown_twin, *self.told(now))

    def told(self, now: Form) -> Values:
        """What the fields come to: the setting, and the line that says what is set."""
        return self.screen.setting(now), self.screen.setup_line(now)

    def on(self, trigger: Any, change: Callable[[Form], Form]) -> None:
        """Something a visitor does changes the form."""

        def handler(*fields: Any) -> Values:
            before = Form(*fields)
            return self.redrawn(before, change(before))

        trigger(handler, self.inputs, self.outputs, **CHOSEN)


def setup_row() -> tuple[gr.Row, SetupLine, tuple[gr.Button, ...]]:
    """What is set, in one line; preferences in one press; the form below folds and unfolds."""
    with gr.Row(elem_id="lab-set-up") as row:
        line = SetupLine(elem_id="lab-setup-line")
        with gr.Row(elem_id="lab-presets"):
            presets = tuple(
                gr.Button(label, elem_id=f"preset-{key}", size="sm", scale=0, min_width=100) for key, label in PRESETS
            )
    return row, line, presets


def lab_form(screen: LabScreen, line: SetupLine, presets: tuple[gr.Button, ...]) -> LabForm:
    """Question and preferences side by side, the columns below.

    Args:
        line, presets: Of `setup_row`.
    """
    catalogue = screen.catalogue
    with gr.Row(elem_classes=["lab-row"]):
        with gr.Column(min_width=320, elem_id="lab-question", elem_classes=["lab-panel"]):
            question, twin_text, random_button = _question(catalogue)
        with gr.Column(min_width=320, elem_id="lab-preferences", elem_classes=["lab-panel"]):
            gr.Markdown("### 2 · Preferences", container=False)
            preferences = PreferenceList(elem_id="preference-list")
            example, clear = _examples(catalogue)
            setting = SettingCard(elem_id="setting")
    with gr.Column(elem_id="lab-columns", elem_classes=["lab-panel"]):
        columns, (methods, models) = _columns(screen.generators)
    form = LabForm(screen, question, preferences, columns, twin_text, setting, line)
    _wire_question(form, random_button)
    _wire_preferences(form, example, presets, clear)
    form.on(methods.click, lambda now: screen.preset("methods", now))
    form.on(models.click, lambda now: screen.preset("models", now))
    for changed in (preferences.edited, question[4].blur, question[-1].input, *(column.input for column in columns)):
        # What is done while the last answer is under way would else be passed over.
        changed(lambda *fields: form.told(Form(*fields)), form.inputs, [setting, line], **CHOSEN)
    return form


def _right_option(options: str, right: object) -> Any:
    """The list of right options; one that is not among them, or no option at all, is not known."""
    choices = gold_choices(options)
    return gr.update(choices=choices, value=right if right in [value for _, value in choices] else "")


def _wire_question(form: LabForm, random_button: gr.Button) -> None:
    """Choosing a question; an own one is typed."""
    screen, catalogue = form.screen, form.screen.catalogue
    dataset, item, variant, twin, _, options, gold = form.question

    form.on(dataset.input, lambda now: catalogue.chosen(now, now.dataset, None, None))
    form.on(item.input, lambda now: catalogue.chosen(now, now.dataset, now.example, None))
    form.on(variant.input, lambda now: catalogue.chosen(now, now.dataset, now.example, now.variant))
    form.on(twin.input, lambda now: now)
    form.on(random_button.click, lambda now: catalogue.chosen(now, *screen.random_question()))
    # Not .change: it also fires when a question is chosen, and would then see the right option of the one before.
    options.blur(_right_option, [options, gold], gold, **QUIET)


def _wire_preferences(form: LabForm, example: gr.Dropdown, presets: tuple[gr.Button, ...], clear: gr.Button) -> None:
    """Preferences of ours, for those who would rather not write."""
    questions = form.screen.catalogue.questions

    def example_added(text: str | None, *fields: Any) -> Values:
        before = Form(*fields)
        listed = with_example(before.preferences, text or "", questions)
        return (None, *form.redrawn(before, before._replace(preferences=listed)))

    example.input(example_added, [example, *form.inputs], [example, *form.outputs], **EACH)
    for button, (key, _) in zip(presets, PRESETS, strict=True):
        form.on(button.click, partial(_with_preset, key, questions))
    form.on(clear.click, lambda now: now._replace(preferences=preferences_value((), None)))


def _with_preset(key: str, questions: QuestionSet, now: Form) -> Form:
    return now._replace(preferences=preset_preferences(key, now.preferences, questions))


def _question(catalogue: Catalogue) -> tuple[list[Any], gr.Textbox, gr.Button]:
    with gr.Row(elem_classes=["lab-heading"]):
        gr.Markdown("### 1 · Question", container=False)
        random_button = gr.Button("Random", elem_id="lab-random", size="sm", scale=0, min_width=90)
    with gr.Row():
        dataset = gr.Dropdown(
            list(catalogue.datasets()), label="Source", elem_id="lab-dataset", filterable=False,
            min_width=200,
        )  # fmt: skip
        item = gr.Dropdown([], label="Question", elem_id="lab-item", min_width=200)
    with gr.Row():
        variant = gr.Dropdown([], label="Wording", elem_id="lab-variant", min_width=150, visible=False)
        twin = gr.Dropdown([], label="Column B answers", elem_id="lab-twin", min_width=150, visible=False)
    text = gr.Textbox(
        "", label="Question as the models see it", info=f"Up to {MAX_QUESTION:,} characters; changed, it is your own.",
        lines=2, max_lines=10, max_length=MAX_QUESTION, elem_id="lab-text",
    )  # fmt: skip
    twin_text = gr.Textbox(
        "", label="The wording column B answers", lines=2, interactive=False, elem_id="lab-twin-text", visible=False
    )
    with gr.Row():
        options = gr.Textbox(
            "", label="Options, one a line",
            info=f"2 to {MAX_OPTIONS} of up to {MAX_OPTION} characters, or none: an open question.",
            lines=4, max_lines=8, max_length=MAX_OPTIONS * (MAX_OPTION + 1), elem_id="lab-options",
            scale=3, min_width=200,
        )  # fmt: skip
        gold = gr.Dropdown(
            [], label="Right option", info="If you know it.", elem_id="lab-gold", filterable=False, scale=1,
            min_width=120,
        )  # fmt: skip
    if catalogue.missing:
        gone = " and ".join(catalogue.missing)
        gr.Markdown(f"The texts of {gone} are not installed here.", elem_classes=["hint"])
    return [dataset, item, variant, twin, text, options, gold], twin_text, random_button


def _examples(catalogue: Catalogue) -> tuple[gr.Dropdown, gr.Button]:
    questions = catalogue.questions
    style = [(f"on style: {text}", text) for text in questions.style_preferences]
    irrelevant = [(f"irrelevant: {text}", text) for text in questions.irrelevant_preferences]
    with gr.Row(elem_classes=["example-row"]):
        example = gr.Dropdown(
            [*style, *irrelevant], value=None, label="Add one of our preferences", elem_id="example-preference",
            min_width=200, scale=3,
        )  # fmt: skip
        clear = gr.Button("Clear list", elem_id="clear-preferences", size="sm", min_width=100, scale=0)
    return example, clear


def _columns(generators: tuple[str, ...]) -> tuple[list[Any], tuple[gr.Button, gr.Button]]:
    with gr.Row(elem_classes=["lab-heading"]):
        gr.Markdown("### 3 · Columns", container=False)
        methods = gr.Button("Naive vs Pref-Aligner", elem_id="preset-methods", size="sm", min_width=170, scale=0)
        models = gr.Button(
            "Two models", elem_id="preset-models", size="sm", min_width=110, scale=0, interactive=len(generators) > 1
        )
    columns: list[Any] = []
    with gr.Row():
        for side in ("a", "b"):
            name = side.upper()
            columns += [
                gr.Dropdown(
                    list(generators), label=f"Model of column {name}", elem_id=f"lab-model-{side}", min_width=150,
                    filterable=False, interactive=bool(generators),
                ),
                gr.Dropdown(
                    method_choices(), label=f"Method of column {name}", elem_id=f"lab-method-{side}",
                    filterable=False, min_width=150,
                ),
            ]  # fmt: skip
    return columns, (methods, models)
