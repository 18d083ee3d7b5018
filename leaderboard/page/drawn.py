"""What a page is drawn from: each component beside what it shows, levels of which one is looked at, and choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import gradio as gr

from leaderboard.page.state import State, beside_table, chosen
from leaderboard.parts.components import TemplateComponent

Shown = TypeVar("Shown", contravariant=True)


class Drawn(Protocol[Shown]):
    """Components that are filled from the state of the page."""

    @property
    def outputs(self) -> Sequence[Any]:
        """What `values` fills."""

    def values(self, state: Shown) -> tuple[Any, ...]:
        """One value per output."""

    def changes(self, state: Shown, before: Shown) -> tuple[Any, ...]:
        """One value per output of a page that shows `before`; what looks the same is skipped."""


class Hidden(Drawn[Shown], Protocol[Shown]):
    """What a level hides."""

    def hidden_values(self, state: Shown) -> tuple[Any, ...]:
        """One value per output while nobody can see it; cheap."""


@dataclass(frozen=True, slots=True)
class Part(Generic[State]):
    """Components that are filled together; hidden ones of ours are emptied, controls keep their values."""

    outputs: Sequence[Any]
    values: Callable[[State], tuple[Any, ...]]
    reads: Callable[[State], object] | None = None
    """What of the state the values are made of: where that stays, so do they. None = they are made at every drawing."""

    def changes(self, state: State, before: State) -> tuple[Any, ...]:
        """One value per output of a page that shows `before`; what looks the same is skipped."""
        stays = self.reads is not None and self.reads(state) == self.reads(before)
        return _skipped(self.outputs) if stays else self.values(state)

    def hidden_values(self, state: State) -> tuple[Any, ...]:
        """One value per output while nobody can see it."""
        return tuple(None if isinstance(output, TemplateComponent) else gr.skip() for output in self.outputs)


def _skipped(outputs: Sequence[Any]) -> tuple[Any, ...]:
    return (gr.skip(),) * len(outputs)


def shows(component: Any, value: Callable[[State], Any], reads: Callable[[State], object] | None = None) -> Part[State]:
    """A component and what it shows; `reads` as in `Part`."""
    return Part([component], lambda state: (value(state),), reads)


def with_notice(
    notice: Any, said: Callable[[State, Any], Any], view: Any, value: Callable[[State], Any]
) -> Part[State]:
    """A view of something opened below a notice, which says why there is nothing to see where the value is None."""

    def values(state: State) -> tuple[Any, Any]:
        opened = value(state)
        return said(state, opened), opened

    return Part([notice, view], values)


def visible(block: Any, is_visible: Callable[[State], object]) -> Part[State]:
    """A column, a line or a control that is there or not."""
    return shows(block, lambda state: gr.update(visible=bool(is_visible(state))), lambda state: bool(is_visible(state)))


@dataclass(frozen=True, slots=True)
class Level(Generic[State]):
    """What stands in one place of the page while it is looked at: the board, an opened row, an item of that row.

    What is not looked at costs nothing: none of its values is made.
    """

    column: Any
    is_shown: Callable[[State], object]
    parts: Sequence[Hidden[State]]

    @property
    def outputs(self) -> list[Any]:
        """What `values` fills."""
        return [self.column, *(output for part in self.parts for output in part.outputs)]

    def values(self, state: State) -> tuple[Any, ...]:
        """One value per output."""
        is_shown = bool(self.is_shown(state))
        values = [part.values(state) if is_shown else part.hidden_values(state) for part in self.parts]
        return gr.update(visible=is_shown), *(value for of_part in values for value in of_part)

    def changes(self, state: State, before: State) -> tuple[Any, ...]:
        """One value per output of a page that shows `before`; what looks the same is skipped."""
        is_shown = bool(self.is_shown(state))
        if is_shown != bool(self.is_shown(before)):
            return self.values(state)
        if not is_shown:
            return _skipped(self.outputs)
        return gr.skip(), *(value for part in self.parts for value in part.changes(state, before))

    def hidden_values(self, state: State) -> tuple[Any, ...]:
        """One value per output while what is around it is hidden, too."""
        return gr.skip(), *(value for part in self.parts for value in part.hidden_values(state))


@dataclass(frozen=True, slots=True)
class Choice(Generic[State]):
    """A choice that the state of a page declares, as a control shows it."""

    name: str
    """The field of the state."""
    label: str
    options: Callable[[State], Sequence[tuple[str, str | int]]]
    """What can be chosen, however the table is looked at: words, value of the field."""
    elem_id: str
    is_list: bool = True
    """A list that opens; else every option has its button."""
    is_shown: Callable[[State], object] | None = None
    """Whether there is anything to choose; None = there always is."""
    stays: bool = True
    """Is the control left alone when the page is drawn anew because something changed?"""
    change: Callable[[State, object], State] | None = None
    """What it does to choose; None = what the field declares (`state.chosen`)."""
    look: Mapping[str, Any] = field(default_factory=dict)
    """What else gradio is told of it: widths."""


@dataclass(frozen=True, slots=True)
class Chooser(Generic[State]):
    """The control of a choice."""

    choice: Choice[State]
    control: gr.Dropdown | gr.Radio

    @property
    def outputs(self) -> list[Any]:
        """What `values` fills."""
        return [self.control]

    def values(self, state: State) -> tuple[Any, ...]:
        """The options, and which of them is chosen."""
        options, value = self.choice.options(state), getattr(state, self.choice.name)
        shown: dict[str, Any] = {} if self.choice.is_shown is None else {"visible": bool(self.choice.is_shown(state))}
        is_offered = any(value == offered for _, offered in options)
        return (gr.update(choices=list(options), value=value if is_offered else None, **shown),)

    def changes(self, state: State, before: State) -> tuple[Any, ...]:
        """The options, skipped where nothing but how the table is looked at has changed."""
        return _skipped(self.outputs) if beside_table(state) == beside_table(before) else self.values(state)

    def hidden_values(self, state: State) -> tuple[Any, ...]:
        """The control keeps its value."""
        return (gr.skip(),)

    @property
    def change(self) -> Callable[[State, object], State]:
        """What it does to choose."""
        return self.choice.change or chosen(self.choice.name)


def chooser(choice: Choice[State]) -> Chooser[State]:
    """Makes the control, where the page is being built."""
    if choice.is_list:
        return Chooser(choice, gr.Dropdown(label=choice.label, elem_id=choice.elem_id, filterable=False, **choice.look))
    return Chooser(choice, gr.Radio(label=choice.label, elem_id=choice.elem_id, **choice.look))
