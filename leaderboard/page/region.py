"""What all pages share: a region shows the page state, visitors change it, and every event is quiet and private."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol

import gradio as gr
from gradio.components import Component

from leaderboard.page.links import view_link_value
from leaderboard.page.state import State

QUIET: Final[dict[str, Any]] = {"api_visibility": "private", "show_progress": "hidden", "queue": False}
"""Arguments of every event: no public endpoint, no overlay, and no waiting behind another visitor's event.

A browser passes over whatever is pressed while the answer to the same event is on its way: right for a button that does
one thing. What carries a choice takes `CHOSEN`, what carries a demand of its own takes `EACH`.
"""
CHOSEN: Final[dict[str, Any]] = {**QUIET, "trigger_mode": "always_last"}
"""Arguments of an event that sends what is chosen now: the last choice counts, however fast they followed."""
EACH: Final[dict[str, Any]] = {**QUIET, "trigger_mode": "multiple"}
"""Arguments of an event that stands for several controls, each of which is answered."""


@dataclass(frozen=True, slots=True)
class Region(Generic[State]):
    """A part of the page that is drawn from the page state alone."""

    page: gr.State
    """Holds the page state of a visitor."""
    link: Component
    """Shows the link of the page state."""
    outputs: list[Component]
    draw: Callable[[State], tuple[Any, ...]]
    """One value per output."""

    def on_click(self, trigger: Any, change: Callable[[State], State]) -> None:
        """A button changes the page state."""
        trigger(lambda state: self._changed(change(state)), self.page, self._all, **QUIET)

    def on_inputs(
        self,
        *changes: tuple[Any, Callable[[State, Any], State]],
        clicks: Sequence[tuple[gr.Button, Callable[[State], State]]] = (),
    ) -> None:
        """Each of the controls changes the page state, and so does each of the buttons.

        They share one event: a browser takes longer to open the page for every one there is.

        Raises:
            ValueError: a control has no elem_id to be known by.
        """
        # By elem_id: what gradio keeps of a control for a visitor gets another _id whenever its choices are updated.
        changed_by = {control.elem_id: (place, change) for place, (control, change) in enumerate(changes)}
        clicked = {button.elem_id: change for button, change in clicks}

        if None in changed_by or None in clicked:
            raise ValueError("every control that shares an event needs an elem_id")

        def handler(state: State, event: gr.EventData, *values: Any) -> tuple[Any, ...]:
            used = event.target.elem_id if event.target else None
            if used in clicked:
                return self._changed(clicked[used](state))
            if used in changed_by:
                place, change = changed_by[used]
                changed = change(state, values[place])
                # gradio 6.31 reports a choice from a list twice, and every list that only loses the focus.
                if changed != state:
                    return self._changed(changed)
            return (gr.skip(),) * len(self._all)

        triggers = [*(control.input for control, _ in changes), *(button.click for button, _ in clicks)]
        inputs = [self.page, *(control for control, _ in changes)]
        gr.on(triggers, handler, inputs, self._all, **EACH)

    def on_typing(self, box: Any, change: Callable[[State, str], State]) -> None:
        """A text box changes the page state; the box itself is left to the person who types."""

        def handler(state: State, text: str) -> tuple[Any, ...]:
            return self._changed(change(state, text), [box])

        # Not .input: in gradio 6.31 that listens to key presses and misses pasting, deleting and dictating.
        box.change(handler, [self.page, box], self._all, **CHOSEN)

    def on_event(self, trigger: Any, key: str, change: Callable[[State, object], State]) -> None:
        """An event of one of our components changes the page state; `key` names the field it carries."""

        def handler(state: State, event: gr.EventData) -> tuple[Any, ...]:
            carried = event._data
            return self._changed(change(state, carried.get(key) if isinstance(carried, Mapping) else None))

        trigger(handler, self.page, self._all, **EACH)

    @property
    def _all(self) -> list[Component]:
        return [self.page, self.link, *self.outputs]

    def drawn(self, state: State, keep: Sequence[Component] = ()) -> tuple[Any, ...]:
        """Values of the outputs; controls in `keep` stay as they are."""
        values = zip(self.outputs, self.draw(state), strict=True)
        return tuple(gr.skip() if any(output is kept for kept in keep) else value for output, value in values)

    def _changed(self, state: State, keep: Sequence[Component] = ()) -> tuple[Any, ...]:
        return state, view_link_value(state), *self.drawn(state, keep)


@dataclass(frozen=True, slots=True)
class Arrival:
    """How somebody comes to a page."""

    query: Mapping[str, str]
    """What stands behind the address of the page."""
    browser_tab: str
    """The name that their browser tab keeps for as long as it is open; blank where it keeps none."""


class Content(Protocol):
    """What a page holds below its masthead."""

    @property
    def outputs(self) -> list[Any]:
        """What `opened` fills."""

    def opened(self, state: Any, arrival: Arrival) -> tuple[Any, tuple[Any, ...]]:
        """The state that is shown when somebody comes by a link, and one value per output."""


@dataclass(frozen=True, slots=True)
class LivePage(Generic[State]):
    """Content that is drawn from the page state, and drawn anew by its timer."""

    region: Region[State]
    timer: gr.Timer
    freshness: tuple[Component, Callable[[], Any]] | None = None
    """What compares the page with what it would be now, and its value; None = the timer draws the page every time."""

    @property
    def outputs(self) -> list[Any]:
        """What `opened` fills."""
        compared = [self.freshness[0]] if self.freshness else []
        return [self.timer, *compared, *self.region.outputs]

    def opened(self, state: State, arrival: Arrival) -> tuple[State, tuple[Any, ...]]:
        """The state that is shown when somebody comes by a link, and one value per output."""
        # Before the page is drawn: a change in between is then seen to be one.
        compared = (self.freshness[1](),) if self.freshness else ()
        return state, (gr.Timer(active=True), *compared, *self.region.drawn(state))
