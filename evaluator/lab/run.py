"""One run of the lab: controls, both columns and verdicts, merged into one stream of states.

Every text is written by a thread of its own, and one more thread asks the judge; what they find is applied on the event
loop, where the picture is drawn ten times a second. So both columns grow together, and nothing has to be locked.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from evaluator.answering.aligner_writing import stream_reply
from evaluator.answering.prompting import aligned_answer, aligner_messages, control_messages, naive_messages
from evaluator.generators.loading import UnknownGenerator
from evaluator.generators.protocol import (
    MAX_NEW_TOKENS,
    Chunk,
    GeneratorUnavailable,
    Message,
    TextGenerator,
    UnsuitableGenerator,
)
from evaluator.judges.protocol import JudgeUnavailable
from evaluator.lab.judging import JudgingStopped, LabJudge
from evaluator.lab.pairwise import compared
from evaluator.lab.setup import MAX_LOADING_S, MAX_RUN_S, SIDES, LabSetup, Side
from evaluator.lab.state import (
    ColumnState,
    LabState,
    PairwiseState,
    Pane,
    Phase,
    Status,
    VerdictCard,
    is_unchanged,
)
from evaluator.lab.verdicts import JudgedAnswer, card_by_rules, judged_card, unfinished_card
from evaluator.values import Pin
from submissions.formats.personalization.submission import NO_PREFERENCE, PREF_ALIGNER

logger = logging.getLogger(__name__)

GeneratorSource = Callable[[str], TextGenerator]
"""Gives, and where needed loads, the generator of a name; `Generators.get` is one."""

Clock = Callable[[], float]

FRAME_S = 0.1
"""Between two states: about ten a second."""
IDLE_S = 1.0
"""Without news a state comes this often, for the seconds it shows."""
FAREWELL_S = 2.0
"""So long a run that is over waits for its threads."""


async def run(
    setup: LabSetup,
    generators: GeneratorSource,
    judge: LabJudge | None,
    *,
    stop: threading.Event,
    clock: Clock = time.monotonic,
    limit_s: float = MAX_RUN_S,
    frame_s: float = FRAME_S,
) -> AsyncGenerator[LabState, None]:
    """Yields the run as it stands, about ten times a second, and last the finished, failed or cancelled one.

    Everything is written at once; only a stage 2 waits for its draft. A column that fails says why, and the other goes
    on. Set `stop`, or close this iterator, to cancel: either ends all writing within two seconds. `stop` is set when
    the run is over, so each run needs one of its own.

    Args:
        setup: Without `problems`.
        generators: Called in threads; what it raises becomes the failure of the texts concerned.
        judge: None = no judge is configured; the rules then say what they can.
        clock: Seconds, for durations and the limit.
        limit_s: Longest run, without the seconds in which a text waits for its model: for those, `MAX_LOADING_S`.
        frame_s: Seconds between two states.
    """
    live = _LiveRun(setup, generators, judge, stop, clock, limit_s)
    try:
        live.begin()
        is_last = live.is_over
        yield live.state()
        while not is_last:
            await live.news(frame_s)
            # Asked before the state is shown: whoever shows it may take longer than the rest of the run.
            is_last = live.is_over
            yield live.state()
    finally:
        stop.set()
        live.close()
        await live.threads_ended(FAREWELL_S)


def cancelled(state: LabState) -> LabState:
    """The state with everything unfinished marked as cancelled: what a page shows after it closed a run."""
    if state.phase in ("done", "failed", "cancelled"):
        return state
    shown = replace(state, phase="cancelled", queue_position=None)
    shown = replace(shown, controls={name: _cancelled_pane(pane) for name, pane in state.controls.items()})
    for side in SIDES:
        column = shown.column(side)
        shown = shown.with_column(side, replace(column, answer=_cancelled_pane(column.answer)))
    return shown


def _cancelled_pane(pane: Pane) -> Pane:
    if pane.status in ("waiting", "writing"):
        return replace(pane, status="cancelled", finish_reason="cancelled")
    return pane


# --- one text -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Text:
    """One text while it is written; touched on the event loop only."""

    messages: tuple[Message, ...] = ()
    pieces: list[str] = field(default_factory=list)
    tokens: int = 0
    began: float | None = None
    seconds: float = 0.0
    finish_reason: str | None = None
    failure: str | None = None
    is_ended: bool = False

    @property
    def text(self) -> str | None:
        """The whole text; None while it is written, and where it failed."""
        return "".join(self.pieces) if self.is_ended and self.failure is None else None

    @property
    def status(self) -> Status:
        if self.is_ended:
            return "failed" if self.failure else "done"
        return "waiting" if self.began is None else "writing"

    @property
    def waits_for_model(self) -> bool:
        return bool(self.messages) and self.status == "waiting"

    def pane(self, now: float) -> Pane:
        seconds = self.seconds if self.is_ended or self.began is None else now - self.began
        return Pane(
            status=self.status,
            text="".join(self.pieces),
            tokens=self.tokens,
            seconds=round(seconds, 2),
            finish_reason=self.finish_reason,
            failure=self.failure,
            messages=self.messages,
        )


@dataclass(slots=True)
class _Column:
    """One side while it is written."""

    method: str
    control: str
    """Key of its control."""
    answer: _Text
    """For no_preference the control itself."""
    verdict: VerdictCard | None = None
    is_asked: bool = False
    """Its verdict is being made."""
    is_judged: bool = False


_Job = Callable[[], None]


class _LiveRun:
    """The threads of one run and what they have found so far."""

    def __init__(
        self,
        setup: LabSetup,
        generators: GeneratorSource,
        judge: LabJudge | None,
        stop: threading.Event,
        clock: Clock,
        limit_s: float,
    ) -> None:
        self._setup = setup
        self._generators = generators
        self._judge = judge
        self._stop = stop
        self._clock = clock
        self._limit_s = limit_s
        self._looked = clock()
        self._seconds = {"loading": 0.0, "running": 0.0}
        self._loop = asyncio.get_running_loop()
        self._threads: list[threading.Thread] = []
        self._context = copy_context()
        """Of the event: it holds the visitor's request, in whose name a graphics card may be lent."""
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._has_news = False
        self._pins: dict[str, Pin] = {}
        self._pairwise: PairwiseState | None = None
        self._is_comparing = False
        self._phase: Phase = "writing"
        self._failure: str | None = None
        self._controls: dict[str, _Text] = {setup.control_key(side): _Text() for side in SIDES}
        self._columns: dict[Side, _Column] = {side: self._column(side) for side in SIDES}

    def _column(self, side: Side) -> _Column:
        method, key = self._setup.method_of(side), self._setup.control_key(side)
        return _Column(method, key, self._controls[key] if method == NO_PREFERENCE else _Text())

    @property
    def is_over(self) -> bool:
        return self._phase not in ("writing", "judging")

    def begin(self) -> None:
        """Starts everything that waits for nothing."""
        self._start(self._serve_jobs, "lab-judge")
        started: set[str] = set()
        for side in SIDES:
            column, question = self._columns[side], self._setup.question_of(side)
            if column.control not in started:
                started.add(column.control)
                self._start_text(self._controls[column.control], side, control_messages(question))
            if column.method not in (NO_PREFERENCE, PREF_ALIGNER):
                self._start_text(column.answer, side, naive_messages(question, self._setup.preferences))

    async def news(self, frame_s: float) -> None:
        """Returns after one frame in which something changed, or after a while without."""
        until = self._loop.time() + IDLE_S
        await asyncio.sleep(frame_s)
        while not self._look() and self._loop.time() < until:
            await asyncio.sleep(frame_s)

    def _look(self) -> bool:
        """Whether there is something new to show; ends the run where it was cancelled or took too long."""
        if not self.is_over and self._stop.is_set():
            self._phase = "cancelled"
        elif not self.is_over and (failure := self._too_long()):
            self._phase, self._failure = "failed", failure
            self._stop.set()
        has_news, self._has_news = self._has_news or self.is_over, False
        return has_news

    def _too_long(self) -> str | None:
        """Which limit is reached. Models are loaded once for everybody: the seconds that a first run waits for that are
        not taken off its own."""
        now, last = self._clock(), self._looked
        texts = [*self._controls.values(), *(column.answer for column in self._columns.values())]
        self._seconds["loading" if any(text.waits_for_model for text in texts) else "running"] += now - last
        self._looked = now
        if self._seconds["loading"] >= MAX_LOADING_S:
            return f"a model was not loaded within {MAX_LOADING_S:g} seconds; loading goes on: try again a little later"
        if self._seconds["running"] >= self._limit_s:
            return f"the run took longer than {self._limit_s:g} seconds, which is the limit, and was stopped"
        return None

    def close(self) -> None:
        """Ends the judge's thread after what it is doing."""
        if not self.is_over:
            self._phase = "cancelled"
        self._jobs.put(None)

    async def threads_ended(self, timeout_s: float) -> None:
        """Waits for the threads, which `stop` ends. One that hangs in a model's code is left behind: it holds nothing
        of this run, and nobody hears what it says."""
        until = self._loop.time() + timeout_s
        while any(thread.is_alive() for thread in self._threads) and self._loop.time() < until:
            await asyncio.sleep(0.01)
        left = [thread.name for thread in self._threads if thread.is_alive()]
        if left:
            logger.warning("a run of the lab is over, these threads are not: %s", ", ".join(left))

    # Threads

    def _start(self, work: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=self._context.copy().run, args=(work,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _apply(self, change: Callable[[], None]) -> None:
        """Has the event loop make a change; called from threads. A run that is over changes no more."""

        def change_unless_over() -> None:
            if not self.is_over:
                change()
                self._has_news = True

        try:
            self._loop.call_soon_threadsafe(change_unless_over)
        except RuntimeError:  # the loop is closed: a thread outlived the page server
            logger.debug("nobody hears a thread of the lab any more")

    def _serve_jobs(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    # Writing

    def _start_text(self, text: _Text, side: Side, messages: Sequence[Message]) -> None:
        generator = self._setup.column(side).generator
        text.messages = tuple(messages)
        self._start(lambda: self._write(text, generator, messages), f"lab-write-{side}")

    def _write(self, text: _Text, generator: str, messages: Sequence[Message]) -> None:
        """Writes one text, in its thread."""
        failure = None
        try:
            model = self._generators(generator)
            began = self._clock()
            self._apply(lambda: self._begun(text, generator, model.pin, began))
            for chunk in stream_reply(model, messages, stop=self._stop, max_new_tokens=MAX_NEW_TOKENS):
                self._apply(_adding(text, chunk, self._clock()))
        except (GeneratorUnavailable, UnsuitableGenerator, UnknownGenerator) as error:
            failure = str(error)
        except ImportError as error:
            failure = f"the model cannot be loaded here: {error.name or 'a library'} is not installed"
        except Exception as error:
            # Whatever a model's code does, the other column goes on; the visitor gets words, the log the whole.
            logger.exception("a generator of the lab failed")
            failure = f"the model stopped with an error ({type(error).__name__})"
        self._apply(lambda: self._ended(text, failure))

    def _begun(self, text: _Text, generator: str, pin: Pin, began: float) -> None:
        self._pins[generator] = pin
        text.began = began

    def _ended(self, text: _Text, failure: str | None) -> None:
        if text.finish_reason == "cancelled":
            return  # `stop` is set, which ends the run with this text as it is
        if failure is None and text.finish_reason in (None, "error"):
            failure = "the model broke off" if text.finish_reason else "the model ended without saying why"
        text.failure, text.is_ended = failure, True
        for side, column in self._columns.items():
            if text is self._controls[column.control] and column.method == PREF_ALIGNER:
                self._start_second_stage(side, column)
            self._judge_when_ready(side, column)
        self._go_on()

    def _start_second_stage(self, side: Side, column: _Column) -> None:
        draft = self._controls[column.control].text
        if draft is None:
            column.answer.failure, column.answer.is_ended = "there is no draft to edit, as the control failed", True
            return
        question = self._setup.question_of(side)
        self._start_text(column.answer, side, aligner_messages(question, draft, self._setup.preferences))

    # Judging

    def _judge_when_ready(self, side: Side, column: _Column) -> None:
        control = self._controls[column.control]
        if column.is_asked or not (column.answer.is_ended and control.is_ended):
            return
        column.is_asked = True
        final = self._shown(column).final
        if final is None:
            column.is_judged = True
            return
        setup = self._setup
        setting = setup.setting_of(side)
        preference = None if setting == "none" else setup.relevant_preference
        judged = JudgedAnswer(setup.question_of(side), setting, preference, control.text, final)
        column.verdict = card_by_rules(judged)
        self._jobs.put(lambda: self._judge_column(column, judged))

    def _judge_column(self, column: _Column, judged: JudgedAnswer) -> None:
        """Makes a column's verdict, in the judge's thread."""
        shown = [card_by_rules(judged)]

        def report(card: VerdictCard) -> None:
            shown.append(card)
            self._apply(lambda: self._show_verdict(column, card))

        try:
            card = judged_card(judged, self._judge, self._stop, report)
        except JudgingStopped:
            return
        except Exception as error:
            card = unfinished_card(shown[-1], judged, _judge_failure(error))
        self._apply(lambda: self._settle_verdict(column, card))

    def _show_verdict(self, column: _Column, card: VerdictCard) -> None:
        column.verdict = card

    def _settle_verdict(self, column: _Column, card: VerdictCard) -> None:
        column.verdict, column.is_judged = card, True
        self._go_on()

    def _compare(self, a: str | None, b: str | None) -> None:
        """Has the judge compare the columns, in its thread."""
        try:
            pairwise = compared(self._setup, a, b, self._judge, self._stop)
        except JudgingStopped:
            return
        except Exception as error:
            pairwise = PairwiseState(reason=_judge_failure(error))
        self._apply(lambda: self._settle_pairwise(pairwise))

    def _settle_pairwise(self, pairwise: PairwiseState) -> None:
        self._pairwise = pairwise
        self._go_on()

    def _go_on(self) -> None:
        """Moves to the next phase when everything of this one is there."""
        columns = self._columns.values()
        texts = [*self._controls.values(), *(column.answer for column in columns)]
        if not all(text.is_ended for text in texts):
            return
        self._phase = "judging"
        if not self._is_comparing:
            self._is_comparing = True
            a, b = (self._shown(self._columns[side]).final for side in SIDES)
            self._jobs.put(lambda: self._compare(a, b))
        if self._pairwise is not None and all(column.is_judged for column in columns):
            failures = [column.answer.failure for column in columns]
            self._phase = "failed" if all(failures) else "done"
            self._failure = "both columns failed" if all(failures) else None

    # The picture

    def state(self) -> LabState:
        """The run as it stands."""
        now = self._clock()
        a, b = (self._shown(self._columns[side], now) for side in SIDES)
        state = LabState(
            setup=self._setup,
            phase=self._phase,
            a=a,
            b=b,
            controls={key: text.pane(now) for key, text in self._controls.items()},
            pairwise=self._pairwise or PairwiseState(),
            judge=self._judge.pin if self._judge else None,
            generators=dict(self._pins),
            failure=self._failure,
        )
        if self._phase == "cancelled":
            return cancelled(replace(state, phase="writing"))
        return _stopped(state) if self._phase == "failed" else state

    def _shown(self, column: _Column, now: float = 0.0) -> ColumnState:
        control = self._controls[column.control]
        shown = ColumnState(answer=column.answer.pane(now), verdict=column.verdict)
        text = column.answer.text
        was_cut = column.answer.finish_reason == "length"
        if column.method == PREF_ALIGNER:
            draft = control.text
            shown = replace(shown, draft=draft, truncated=was_cut or control.finish_reason == "length")
            if text is None or draft is None:
                return shown
            aligned = aligned_answer(text, draft)
            return replace(
                shown,
                final=aligned.text,
                thoughts=aligned.thoughts,
                fallback=aligned.fallback,
                unchanged=is_unchanged(draft, aligned.text),
            )
        is_comparable = text is not None and control.text is not None and column.method != NO_PREFERENCE
        unchanged = is_unchanged(control.text or "", text or "") if is_comparable else None
        return replace(shown, final=text, unchanged=unchanged, truncated=was_cut)


def _adding(text: _Text, chunk: Chunk, now: float) -> Callable[[], None]:
    """Adds what came to the text."""

    def add() -> None:
        text.pieces.append(chunk.text)
        text.tokens = chunk.tokens
        text.finish_reason = chunk.finish_reason
        text.seconds = now - (text.began if text.began is not None else now)

    return add


def _judge_failure(error: Exception) -> str:
    """Why there is no verdict, for the visitor."""
    if isinstance(error, JudgeUnavailable):
        return f"the judge cannot be used: {error}"
    # The verdict is lost, the answers are not: they are shown, and the log has the whole.
    logger.error("the judge of the lab failed", exc_info=error)
    return f"the judge stopped with an error ({type(error).__name__})"


def _stopped(state: LabState) -> LabState:
    """The state of a run that failed, with unfinished texts marked as failed."""
    shown = replace(state, controls={name: _stopped_pane(pane, state) for name, pane in state.controls.items()})
    for side in SIDES:
        column = shown.column(side)
        shown = shown.with_column(side, replace(column, answer=_stopped_pane(column.answer, state)))
    return shown


def _stopped_pane(pane: Pane, state: LabState) -> Pane:
    return replace(pane, status="failed", failure=state.failure) if pane.status in ("waiting", "writing") else pane
