"""What all pages share: a region shows the page state, visitors change it, and every event is quiet and private."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from threading import Lock
from typing import Any, Final, Generic, Protocol
from urllib.parse import parse_qsl

import gradio as gr
from gradio.components import Component
from gradio.context import LocalContext
from gradio.state_holder import SessionState

from leaderboard.page.drawn import Drawn
from leaderboard.page.frame import ViewLink
from leaderboard.page.links import view_link_value
from leaderboard.page.state import Drawing, State
from leaderboard.parts.components import TemplateComponent

QUIET: Final[dict[str, Any]] = {"api_visibility": "private", "show_progress": "hidden", "queue": False}
"""Arguments of every event: no public endpoint, no overlay, and no waiting behind another visitor's event.

A browser passes over whatever is pressed while the answer to the same event is on its way: right for a button that does
one thing. What carries a choice takes `CHOSEN`, what carries a demand of its own takes `EACH`.
"""
CHOSEN: Final[dict[str, Any]] = {**QUIET, "trigger_mode": "always_last"}
"""Arguments of an event that sends what is chosen now: the last choice counts, however fast they followed."""
EACH: Final[dict[str, Any]] = {**QUIET, "trigger_mode": "multiple"}
"""Arguments of an event that stands for several controls, each of which is answered."""


def answers_once(
    handler: Callable[..., AsyncGenerator[tuple[Any, ...], None]],
) -> Callable[..., AsyncGenerator[tuple[Any, ...], None]]:
    """A handler whose values reach the page once each: after the last ones it yields a tuple that changes nothing.

    gradio 6.31 sends the last values of a generator a second time when it ends. Whatever somebody typed or chose in
    between would be gone.
    """

    @wraps(handler)
    async def answering(*arguments: Any) -> AsyncGenerator[tuple[Any, ...], None]:
        width = 0
        async with aclosing(handler(*arguments)) as answers:
            async for values in answers:
                width = len(values)
                yield values
        if width:
            yield (gr.skip(),) * width

    return answering


class _Visit:
    """The page state that the server keeps of the visitor whose event runs; of none where no page is served."""

    def __init__(self, page: gr.State) -> None:
        self._page = page
        self._session = _session()

    def now(self, sent: Any) -> Any:
        """The state as it is; the one sent with the event where none is kept."""
        return sent if self._session is None else self._session[self._page._id]

    @property
    def is_kept(self) -> bool:
        return self._session is not None

    @property
    def lock(self) -> Lock:
        """The same for all events of one visitor."""
        return _CHANGES[(id(self._session) >> 4) % len(_CHANGES)]  # the last four bits of an id are always 0

    def becomes(self, state: Any) -> None:
        """Keeps a state at once: what comes before it has been drawn goes on from it."""
        if self._session is not None:
            self._session[self._page._id] = state


_CHANGES = [Lock() for _ in range(64)]
"""One of them is held while a visitor's state is changed; visitors who share one wait for each other, for moments."""


@contextmanager
def _changing(page: gr.State) -> Iterator[_Visit]:
    """Alone with the state of the visitor whose event runs."""
    visit = _Visit(page)
    with visit.lock:
        yield visit


def _session() -> SessionState | None:
    blocks, request = LocalContext.blocks.get(None), LocalContext.request.get(None)
    hash_ = request.session_hash if request is not None else None
    return blocks.state_holder[hash_] if blocks is not None and hash_ else None


def _drawn_anew(state: State, turn: int) -> State:
    """The state for another drawing. One that was never drawn is of a visitor whom the server forgot, and stays so."""
    return replace(state, turn=turn + 1 if turn else 0)


@dataclass(frozen=True, slots=True)
class Region(Generic[State]):
    """A part of the page that is drawn from the page state alone."""

    page: gr.State
    """Holds the page state of a visitor."""
    link: ViewLink
    """Shows the link of the page state."""
    outputs: list[Component]
    draw: Callable[[State], tuple[Any, ...]]
    """One value per output."""
    changes: Callable[[State, State], tuple[Any, ...]] | None = None
    """The same for a page that shows another state, the second one: what looks the same is skipped. None = all is drawn
    every time."""
    marker: Callable[[], object] = lambda: None
    """Changes whenever what is shown may have changed: then everything is drawn."""
    typed_into: list[tuple[Component, Callable[[State], str]]] = field(default_factory=list, init=False)
    """The text boxes that visitors type into, and what the page state says stands there."""

    @classmethod
    def of_parts(
        cls,
        page: gr.State,
        link: ViewLink,
        parts: Sequence[Drawn[State]],
        marker: Callable[[], object],
        completed: Callable[[State], State] = lambda state: state,
    ) -> Region[State]:
        """The region of parts of the page, drawn in their order.

        Args:
            marker: Changes whenever what the parts show of one state may have changed.
            completed: Makes the choices that a visitor has not made; the parts see the state with them.
        """

        def draw(state: State) -> tuple[Any, ...]:
            shown = completed(state)
            return tuple(value for part in parts for value in part.values(shown))

        def changes(state: State, before: State) -> tuple[Any, ...]:
            shown, was = completed(state), completed(before)
            return tuple(value for part in parts for value in part.changes(shown, was))

        return cls(page, link, [output for part in parts for output in part.outputs], draw, changes, marker)

    def __post_init__(self) -> None:
        def again(sent: State) -> tuple[Any, ...]:
            return self._again(sent)

        self.link.late(again, self.page, [self.link, *self.outputs], **CHOSEN)

    def on_stale(self, trigger: Any, keep: Sequence[Component]) -> None:
        """The page is drawn anew, since what it shows may have changed; controls in `keep` stay as they are."""
        trigger(lambda sent: self._again(sent, keep), self.page, [self.link, *self.outputs], **CHOSEN)

    def on_click(self, trigger: Any, change: Callable[[State], State]) -> None:
        """A button changes the page state."""
        trigger(lambda state, link: self._changed(state, link, change), self._sent, self._all, **QUIET)

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

        def handler(state: State, link: Any, event: gr.EventData, *values: Any) -> tuple[Any, ...]:
            used = event.target.elem_id if event.target else None
            if used in clicked:
                return self._changed(state, link, clicked[used])
            if used in changed_by:
                place, change = changed_by[used]
                # gradio 6.31 reports a choice from a list twice, and every list that only loses the focus.
                return self._changed(state, link, lambda now: change(now, values[place]), is_always_drawn=False)
            return (gr.skip(),) * len(self._all)

        triggers = [*(control.input for control, _ in changes), *(button.click for button, _ in clicks)]
        inputs = [*self._sent, *(control for control, _ in changes)]
        gr.on(triggers, handler, inputs, self._all, **EACH)

    def on_typing(self, box: Any, change: Callable[[State, str], State], text_of: Callable[[State], str]) -> None:
        """A text box changes the page state; the box itself is left to the person who types.

        Args:
            text_of: What the page state says stands in the box.
        """
        self.typed_into.append((box, text_of))

        def handler(state: State, link: Any, text: str) -> tuple[Any, ...]:
            # A link with a search fills the box, which is no typing.
            return self._changed(state, link, lambda now: change(now, text), [box], is_always_drawn=False)

        # Not .input: in gradio 6.31 that listens to key presses and misses pasting, deleting and dictating.
        box.change(handler, [*self._sent, box], self._all, **CHOSEN)

    def on_event(self, trigger: Any, key: str, change: Callable[[State, object], State]) -> None:
        """An event of one of our components changes the page state; `key` names the field it carries."""

        def handler(state: State, link: Any, event: gr.EventData) -> tuple[Any, ...]:
            data = event._data
            carried = data.get(key) if isinstance(data, Mapping) else None
            return self._changed(state, link, lambda now: change(now, carried))

        trigger(handler, self._sent, self._all, **EACH)

    def on_revisit(self, read: Callable[[Mapping[str, str]], State]) -> None:
        """Back and Forward show what the page showed at that address.

        Args:
            read: Query of the address -> the state.
        """

        def handler(state: State, link: Any, event: gr.EventData) -> tuple[Any, ...]:
            data = event._data if isinstance(event._data, Mapping) else {}
            asked, visit = data.get("query"), data.get("visit")
            if not isinstance(asked, str) or not isinstance(visit, int):
                return (gr.skip(),) * len(self._all)
            shown = read(dict(parse_qsl(asked, keep_blank_values=True)))

            def change(now: State) -> State:
                # Of two moves that are made at once the first may arrive last: the visitor is where the other led.
                if visit < now.visit:
                    return now
                return replace(shown, is_dark=now.is_dark, turn=now.turn, visit=visit)

            return self._changed(state, link, change)

        self.link.revisited(handler, self._sent, self._all, **EACH)

    def on_part(
        self, trigger: Any, part: Component, value: Callable[[State, object, gr.Request | None], object]
    ) -> None:
        """An event of one of our components draws one part of the page anew and leaves the page state as it is.

        Args:
            value: Of the part, from the page state, what the event carries, and whoever makes the request.
        """

        def handler(state: State, event: gr.EventData, request: gr.Request) -> tuple[Any, ...]:
            # With the link: where the visitor has gone on meanwhile, the page sees that this answer is late.
            return view_link_value(state), value(state, event._data, request)

        trigger(handler, self.page, [self.link, part], **EACH)

    @property
    def _all(self) -> list[Component]:
        return [self.page, self.link, *self.outputs]

    @property
    def _sent(self) -> list[Component]:
        """What every event that changes the state is sent with: the link says which drawing the browser shows."""
        return [self.page, self.link]

    def drawn(self, state: State, keep: Sequence[Component] = (), before: State | None = None) -> tuple[Any, ...]:
        """Return values of the outputs.

        Args:
            keep: Controls that stay as they are.
            before: What the page shows, of which nothing is sent again; None = it may show anything.
        """
        values = self.draw(state) if before is None or self.changes is None else self.changes(state, before)
        typed = {box._id: text_of(state) for box, text_of in self.typed_into}
        outputs = zip(self.outputs, values, strict=True)
        return tuple(
            gr.skip() if any(output is kept for kept in keep) else typed.get(output._id, value)
            for output, value in outputs
        )

    def opened(self, state: State) -> tuple[State, tuple[Any, ...]]:
        """The state of a page that is opened, and its values."""
        marker = self.marker()
        return replace(state, drawing=Drawing(state.turn, marker)), self.drawn(state)

    def _again(self, sent: State, keep: Sequence[Component] | None = None) -> tuple[Any, ...]:
        """The link and the page as they are; nothing where the visitor changed something meanwhile: that is drawn.

        Args:
            keep: Controls that stay as they are, and may be out of date; None = what is typed.
        """
        with _changing(self.page) as visit:
            state = visit.now(sent)
            state = replace(_drawn_anew(state, state.turn), drawing=None)
            visit.becomes(state)
        marker = self.marker()
        drawn = self.drawn(state, [box for box, _ in self.typed_into] if keep is None else keep)
        if not self._is_answered(state, marker if keep is None else None):
            return (gr.skip(),) * (1 + len(self.outputs))
        return view_link_value(state), *drawn

    def _changed(
        self,
        sent: State,
        link: Any,
        change: Callable[[State], State],
        keep: Sequence[Component] = (),
        *,
        is_always_drawn: bool = True,
    ) -> tuple[Any, ...]:
        """The page after a change; nothing of it where what was changed meanwhile will be drawn instead.

        Two controls may be used faster than one is answered. Each changes the state as it is then, not the one that
        was sent with it, or the slower of the two answers would take back the other's choice.
        """
        with _changing(self.page) as visit:
            state = visit.now(sent)
            visit.becomes(replace(state, drawing=None))  # A change that fails leaves a control that is out of date.
            changed = change(state)
            is_drawn = is_always_drawn or changed != state
            changed = replace(_drawn_anew(changed, state.turn), drawing=None) if is_drawn else state
            visit.becomes(changed)
        if not is_drawn:
            return (gr.skip(),) * len(self._all)
        # Somebody may be typing there meanwhile: what was not changed is not written, or their text would be gone.
        untouched = [box for box, text_of in self.typed_into if text_of(state) == text_of(changed)]
        marker = self.marker()
        is_known = _is_shown(state, link, marker) and isinstance(changed, type(state))
        drawn = self.drawn(changed, [*keep, *untouched], state if is_known else None)
        if not self._is_answered(changed, marker):
            return (gr.skip(),) * len(self._all)
        answered = replace(changed, drawing=Drawing(changed.turn, marker))
        return gr.skip() if visit.is_kept else answered, view_link_value(changed), *drawn

    def _is_answered(self, state: State, marker: object) -> bool:
        """Return whether the state is still the visitor's, and note by what it was drawn.

        Args:
            state: Which is drawn.
            marker: Of the results it is drawn of; None = nothing is noted.
        """
        with _changing(self.page) as visit:
            now = visit.now(state)
            if now != state:
                return False
            if marker is not None and now.turn == state.turn:
                visit.becomes(replace(now, drawing=Drawing(now.turn, marker)))
            return True


def _is_shown(state: State, link: Any, marker: object) -> bool:
    """Return whether the browser shows exactly this state, of results as they are now.

    Answers get lost, or are overtaken: only what the browser itself says that it shows counts.
    """
    turn = link.get("turn") if isinstance(link, Mapping) else None
    return state.turn > 0 and turn == state.turn and state.drawing == Drawing(state.turn, marker)


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
        state, values = self.region.opened(state)
        return state, (gr.Timer(active=True), *compared, *values)

    def first_values(self, state: State) -> dict[int, Any]:
        """What the page is sent with to whoever comes by no link: values as a browser takes them, by component."""
        drawn = zip(self.region.outputs, self.region.draw(state), strict=True)
        first = {
            output: output.sent_with_page(value) for output, value in drawn if isinstance(output, TemplateComponent)
        }
        return {output._id: output.postprocess(value) for output, value in first.items() if value is not None}
