"""A run of the lab, with scripted models and judge."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from evaluator.answering.prompting import aligner_messages, control_messages, naive_messages
from evaluator.generators.loading import Generators
from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, GeneratorUnavailable, Message, TextGenerator
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.judges.protocol import JudgeUnavailable
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.lab import run as run_module
from evaluator.lab.judging import LabJudge
from evaluator.lab.run import cancelled, run
from evaluator.lab.setup import ColumnSetup, LabSetup, naive_vs_pref_aligner, two_models
from evaluator.lab.state import LabState
from submissions.questionsets import Question

MOON = Question("d1", "What pulls the tide?", ("the sun", "the moon"), "B")
WISH = "Answer as a pirate."
METHODS = LabSetup(MOON, "demonstration", (WISH,), 0, *naive_vs_pref_aligner("small"))
MODELS = replace(METHODS, a=two_models("small", "large")[0], b=two_models("small", "large")[1])

CONTROL = tuple(control_messages(MOON))
NAIVE = tuple(naive_messages(MOON, (WISH,)))


def answers(messages: Sequence[Message]) -> str:
    """Right without preferences, wrong with them in the prompt, aligned in a readable reply."""
    if tuple(messages) == CONTROL:
        return "It is the moon.\nAnswer: B"
    if tuple(messages) == NAIVE:
        return "Arr, the sun it be!\nAnswer: A"
    return '{"response": "Arr, the moon it be!\\nAnswer: B", "thoughts": "A pirate is wanted."}'


class Counting:
    """A generator that counts its calls."""

    def __init__(self, script: Callable[[Sequence[Message]], str] = answers, seconds_per_token: float = 0.0) -> None:
        self._inner = ScriptedGenerator(script, seconds_per_token=seconds_per_token)
        self.pin = self._inner.pin
        self.asked: list[tuple[Message, ...]] = []

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        self.asked.append(tuple(messages))
        yield from self._inner.stream(messages, stop=stop, max_new_tokens=max_new_tokens)


class Failing(Counting):
    """A generator that writes a word and breaks."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        yield Chunk("Well, ", 1)
        raise self._error


def judge_of(judge: ScriptedJudge | None = None) -> LabJudge:
    chosen = judge or ScriptedJudge(preference=lambda _: "A", followed=lambda _: 4.0, letter=lambda _: "0")
    return LabJudge(lambda: RecordedJudge(chosen, MemoryVerdicts()))


def states_of(
    setup: LabSetup,
    generators: dict[str, Any],
    judge: LabJudge | None = None,
    *,
    watch: Callable[[LabState, threading.Event], None] = lambda state, stop: None,
    **options: Any,
) -> list[LabState]:
    """All states of a run; `watch` sees each and may stop the run."""
    stop = threading.Event()

    async def collect() -> list[LabState]:
        states = []
        async for state in run(setup, generators.__getitem__, judge, stop=stop, frame_s=0.001, **options):
            states.append(state)
            watch(state, stop)
        return states

    states = asyncio.run(collect())
    assert stop.is_set()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("lab-")]
    return states


def last_of(setup: LabSetup, generators: dict[str, Any], judge: LabJudge | None = None, **options: Any) -> LabState:
    return states_of(setup, generators, judge, **options)[-1]


# --- what is written ------------------------------------------------------------------------------------------------


def test_a_run_ends_with_both_texts_their_verdicts_and_the_comparison() -> None:
    last = last_of(METHODS, {"small": Counting()}, judge_of())
    assert last.phase == "done"
    assert last.controls["small"].text == "It is the moon.\nAnswer: B"
    assert (last.a.final, last.a.unchanged, last.a.fallback) == ("Arr, the sun it be!\nAnswer: A", False, None)
    assert (last.b.final, last.b.draft) == ("Arr, the moon it be!\nAnswer: B", "It is the moon.\nAnswer: B")
    assert (last.b.thoughts, last.b.fallback, last.b.unchanged) == ("A pirate is wanted.", False, False)
    assert last.a.verdict is not None
    assert last.a.verdict.reason == "followed 4 of 5, but the answer went from B (right) to A"
    assert last.b.verdict is not None
    assert last.b.verdict.outcome == "robust"
    assert (last.pairwise.result, last.pairwise.verdict_ab, last.pairwise.verdict_ba) == ("primacy_flip", "A", "A")
    assert last.judge is not None
    assert last.judge.name == "scripted"
    assert last.generators["small"].name == "scripted"


def test_the_exact_prompts_are_shown() -> None:
    last = last_of(METHODS, {"small": Counting()}, judge_of())
    assert last.controls["small"].messages == CONTROL
    assert last.a.answer.messages == NAIVE
    assert last.b.answer.messages == tuple(aligner_messages(MOON, last.controls["small"].text, (WISH,)))


def test_the_control_is_written_once_for_each_model_and_is_the_draft() -> None:
    small, large = Counting(), Counting()
    last_of(METHODS, {"small": small}, judge_of())
    assert small.asked.count(CONTROL) == 1
    assert len(small.asked) == 3  # control, naive, stage 2
    last = last_of(MODELS, {"small": small, "large": large}, judge_of())
    assert (small.asked.count(CONTROL), large.asked.count(CONTROL)) == (2, 1)
    assert set(last.controls) == {"small", "large"}


def test_twins_have_a_control_of_their_own_and_are_not_compared() -> None:
    twin = Question("d2", "What makes the tide?", ("the moon", "the sun"), "A")
    model = Counting(lambda messages: "Answer: A")
    last = last_of(replace(METHODS, twin=twin), {"small": model}, judge_of())
    assert set(last.controls) == {"small", "small#b"}
    assert tuple(control_messages(twin)) in model.asked
    assert last.a.verdict is not None
    assert last.b.verdict is not None
    assert (last.a.verdict.correct_without, last.b.verdict.correct_without) == (False, True)
    assert last.pairwise.result is None


def test_without_preferences_both_columns_show_the_control_that_was_written_once() -> None:
    model = Counting()
    last = last_of(replace(METHODS, preferences=(), relevant_index=None), {"small": model}, judge_of())
    assert model.asked == [CONTROL]
    assert last.a.final == last.b.final == last.controls["small"].text
    assert last.a.unchanged is None
    assert last.a.verdict is not None
    assert last.a.verdict.reason == "the control is right (B)"
    assert last.pairwise.result == "consistent_tie"


def test_an_unreadable_reply_of_stage_2_leaves_the_draft_and_says_so() -> None:
    def script(messages: Sequence[Message]) -> str:
        return answers(messages) if tuple(messages) in (CONTROL, NAIVE) else "I would leave it."

    last = last_of(METHODS, {"small": Counting(script)}, judge_of())
    assert (last.b.final, last.b.fallback, last.b.unchanged) == (last.b.draft, True, True)
    assert last.b.answer.text == "I would leave it."


def test_an_answer_cut_at_the_longest_length_is_marked() -> None:
    def script(messages: Sequence[Message]) -> str:
        return "word " * (MAX_NEW_TOKENS + 1) if tuple(messages) == NAIVE else answers(messages)

    last = last_of(METHODS, {"small": Counting(script)}, judge_of())
    assert (last.a.truncated, last.a.answer.tokens, last.a.answer.finish_reason) == (True, 512, "length")
    assert not last.b.truncated


# --- at the same time -----------------------------------------------------------------------------------------------


class InStep(Counting):
    """A generator whose answers under preferences go on only word by word together with the other model's."""

    def __init__(self, barrier: threading.Barrier) -> None:
        super().__init__()
        self._barrier = barrier

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        for number in range(1, 21):
            self._barrier.wait(timeout=5)
            time.sleep(0.005)
            yield Chunk("word ", number)
        yield Chunk("", 20, "stop")


def test_both_columns_and_both_controls_grow_together() -> None:
    # All four texts wait for each other at every word, so a run that wrote one after the other would never end.
    barrier = threading.Barrier(4)
    states = states_of(MODELS, {"small": InStep(barrier), "large": InStep(barrier)}, judge_of())
    assert states[-1].phase == "done"
    counts = [(state.a.answer.tokens, state.b.answer.tokens) for state in states]
    assert all(abs(a - b) <= 1 for a, b in counts)
    both_grew = [now for before, now in pairwise(counts) if now[0] > before[0] and now[1] > before[1]]
    assert len(both_grew) >= 5


def test_the_naive_column_streams_while_the_others_draft_is_written() -> None:
    barrier = threading.Barrier(2)

    class Both(InStep):
        def stream(
            self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
        ) -> Iterator[Chunk]:
            if tuple(messages) in (CONTROL, NAIVE):
                yield from super().stream(messages, stop=stop, max_new_tokens=max_new_tokens)
            else:
                yield Chunk('{"response": "Answer: B"}', 1, "stop")

    states = states_of(METHODS, {"small": Both(barrier)}, judge_of())
    assert states[-1].b.final == "Answer: B"
    # The draft is written once both have gone on to the last of 20 words, which the column may show a moment later.
    waiting = [state for state in states if 0 < state.a.answer.tokens < 19]
    assert waiting
    assert {state.b.answer.status for state in waiting} == {"waiting"}


def test_a_run_shows_about_one_state_a_frame() -> None:
    async def count() -> int:
        model = ScriptedGenerator(answers, seconds_per_token=0.005)
        states = run(METHODS, lambda name: model, judge_of(), stop=threading.Event(), frame_s=0.05)
        return len([state async for state in states])

    began = time.monotonic()
    number = asyncio.run(count())
    assert number <= 2 + (time.monotonic() - began) / 0.05


# --- cancelling -----------------------------------------------------------------------------------------------------


def stop_after_first_words(state: LabState, stop: threading.Event) -> None:
    if state.a.answer.tokens:
        stop.set()


def test_who_takes_longer_to_show_a_state_than_the_run_takes_still_sees_it_done() -> None:
    async def shown_slowly() -> list[str]:
        phases: list[str] = []
        states = run(METHODS, lambda name: Counting(), judge_of(), stop=threading.Event(), frame_s=0.001)
        async for state in states:
            phases.append(state.phase)
            await asyncio.sleep(0.3)  # a scripted run needs milliseconds
        return phases

    assert asyncio.run(shown_slowly())[-1] == "done"


def test_a_stopped_run_ends_with_what_was_written_marked_as_cancelled() -> None:
    began = time.monotonic()
    last = last_of(METHODS, {"small": Counting(seconds_per_token=0.05)}, judge_of(), watch=stop_after_first_words)
    assert time.monotonic() - began < 20
    assert last.phase == "cancelled"
    assert (last.a.answer.status, last.a.answer.finish_reason) == ("cancelled", "cancelled")
    assert last.a.answer.text.startswith("Arr, ")
    assert last.b.answer.status == "cancelled"
    assert (last.a.verdict, last.b.verdict, last.pairwise.result) == (None, None, None)


def test_a_closed_run_ends_its_threads() -> None:
    stop = threading.Event()
    model = ScriptedGenerator(answers, seconds_per_token=30)

    async def leave_early() -> None:
        states = run(METHODS, lambda name: model, judge_of(), stop=stop, frame_s=0.001)
        await anext(states)
        await states.aclose()

    began = time.monotonic()
    asyncio.run(leave_early())
    assert time.monotonic() - began < 20
    assert stop.is_set()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("lab-")]


def test_a_task_that_is_cancelled_ends_its_threads_too() -> None:
    stop = threading.Event()
    model = ScriptedGenerator(answers, seconds_per_token=0.5)

    async def watch() -> None:
        async for _ in run(METHODS, lambda name: model, judge_of(), stop=stop, frame_s=0.001):
            pass

    async def cancel_it() -> None:
        task = asyncio.create_task(watch())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_it())
    assert stop.is_set()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("lab-")]


def test_a_model_that_does_not_listen_is_left_behind(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(run_module, "FAREWELL_S", 0.05)
    released = threading.Event()

    class Deaf(Counting):
        def stream(
            self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
        ) -> Iterator[Chunk]:
            yield Chunk("Arr", 1)
            released.wait(10)

    stop, deaf = threading.Event(), Deaf()

    async def last() -> LabState:
        async for state in run(METHODS, lambda name: deaf, judge_of(), stop=stop, frame_s=0.001):
            stop_after_first_words(state, stop)
        return state

    with caplog.at_level(logging.WARNING):
        state = asyncio.run(last())
    assert (state.phase, state.a.answer.text) == ("cancelled", "Arr")
    assert "these threads are not: lab-write-a" in caplog.text
    released.set()
    for thread in threading.enumerate():
        if thread.name.startswith("lab-"):
            thread.join(5)


def test_the_last_state_of_a_closed_run_can_be_marked_by_the_page() -> None:
    states = states_of(METHODS, {"small": Counting()}, judge_of())
    first = cancelled(states[0])
    assert (first.phase, first.a.answer.status, first.controls["small"].status) == ("cancelled",) * 3
    assert cancelled(states[-1]) == states[-1]


def test_a_run_that_waits_for_the_judge_can_be_cancelled() -> None:
    entered, released = threading.Event(), threading.Event()

    def slow(_: object) -> float:
        entered.set()
        released.wait(10)
        return 4.0

    judge = judge_of(ScriptedJudge(followed=slow))
    holder = threading.Thread(target=lambda: judge.ask([_any_request()], threading.Event()))
    holder.start()
    assert entered.wait(5)

    def stop_when_judging(state: LabState, stop: threading.Event) -> None:
        if state.phase == "judging":
            stop.set()

    last = last_of(METHODS, {"small": Counting()}, judge, watch=stop_when_judging)
    assert (last.phase, last.a.answer.status) == ("cancelled", "done")
    released.set()
    holder.join(5)


def _any_request() -> Any:
    from evaluator.personalization.judging import followed_request

    return followed_request(question="?", options=(), preference="p", control="c", answer="a").request


# --- what goes wrong ------------------------------------------------------------------------------------------------


def test_one_side_failing_does_not_stop_the_other() -> None:
    broken = Failing(GeneratorUnavailable("the model's server is not there"))
    last = last_of(MODELS, {"small": Counting(), "large": broken}, judge_of())
    assert last.phase == "done"
    assert last.a.verdict is not None
    assert last.a.verdict.outcome == "breakage"
    assert (last.b.answer.status, last.b.answer.failure) == ("failed", "the model's server is not there")
    assert (last.b.final, last.b.verdict) == (None, None)
    assert last.pairwise.reason == "one of the answers is missing"


def test_a_failed_control_leaves_the_naive_answer_and_takes_the_draft() -> None:
    def script(messages: Sequence[Message]) -> str:
        if tuple(messages) == CONTROL:
            raise GeneratorUnavailable("too busy")
        return answers(messages)

    last = last_of(METHODS, {"small": Counting(script)}, judge_of())
    assert last.phase == "done"
    assert last.a.final == "Arr, the sun it be!\nAnswer: A"
    assert last.a.verdict is not None
    assert (last.a.verdict.correct_with, last.a.verdict.outcome) == (False, "not_known")
    assert last.b.answer.failure == "there is no draft to edit, as the control failed"


def test_an_error_in_a_models_code_is_told_in_words_and_logged_whole(caplog: pytest.LogCaptureFixture) -> None:
    broken = Failing(RuntimeError("CUDA error: device-side assert at /secret/path"))
    with caplog.at_level(logging.ERROR):
        last = last_of(MODELS, {"small": Counting(), "large": broken}, judge_of())
    assert last.b.answer.failure == "the model stopped with an error (RuntimeError)"
    assert "/secret/path" not in repr(last)
    assert "device-side assert" in caplog.text


def test_a_model_that_is_not_allowed_or_not_loadable_fails_in_words() -> None:
    def source(name: str) -> TextGenerator:
        if name == "small":
            return Generators(()).get(name)
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    async def collect() -> list[LabState]:
        return [state async for state in run(MODELS, source, judge_of(), stop=threading.Event(), frame_s=0.001)]

    state = asyncio.run(collect())[-1]
    assert (state.phase, state.failure) == ("failed", "both columns failed")
    assert state.a.answer.failure == "no generator is called 'small'; allowed: none, live generation is off"
    assert state.b.answer.failure == "the model cannot be loaded here: torch is not installed"


def test_a_run_that_takes_too_long_is_stopped_and_says_so() -> None:
    now = [0.0]

    def let_time_pass(state: LabState, stop: threading.Event) -> None:
        if state.a.answer.tokens:
            now[0] = 120.0

    states = states_of(
        METHODS, {"small": Counting(seconds_per_token=0.05)}, judge_of(), watch=let_time_pass, clock=lambda: now[0]
    )
    last = states[-1]
    assert last.phase == "failed"
    assert last.failure == "the run took longer than 120 seconds, which is the limit, and was stopped"
    assert (last.a.answer.status, last.a.answer.failure) == ("failed", last.failure)


@pytest.mark.parametrize(
    ("loaded_s", "phase", "failure"),
    [
        (299.0, "done", None),  # no second of it is taken off the run
        (300.0, "failed", "a model was not loaded within 300 seconds; loading goes on: try again a little later"),
    ],
)
def test_the_wait_for_a_model_has_a_limit_of_its_own(loaded_s: float, phase: str, failure: str | None) -> None:
    now, is_loaded = [0.0], threading.Event()

    def source(name: str) -> TextGenerator:
        is_loaded.wait(30)
        return Counting()

    async def last() -> LabState:
        states = []
        async for state in run(
            METHODS, source, judge_of(), stop=threading.Event(), clock=lambda: now[0], frame_s=0.001
        ):
            states.append(state)
            if len(states) == 2:
                now[0] = loaded_s
            elif len(states) == 3:
                is_loaded.set()
        return states[-1]

    state = asyncio.run(last())
    assert (state.phase, state.failure) == (phase, failure)


def test_seconds_are_those_of_the_clock() -> None:
    now = [0.0]

    def script(messages: Sequence[Message]) -> str:
        if tuple(messages) == NAIVE:
            now[0] = 7.5  # while the naive answer is being thought of
        return "Answer: B" if tuple(messages) == NAIVE else answers(messages)

    setup = replace(METHODS, b=ColumnSetup("small", "naive"))
    last = last_of(setup, {"small": Counting(script)}, judge_of(), clock=lambda: now[0])
    assert last.a.answer.seconds == 7.5 or last.b.answer.seconds == 7.5


def test_a_judge_that_fails_costs_the_verdict_and_not_the_answers(caplog: pytest.LogCaptureFixture) -> None:
    def load() -> RecordedJudge:
        raise JudgeUnavailable("its server is away")

    last = last_of(METHODS, {"small": Counting()}, LabJudge(load))
    assert last.phase == "done"
    assert last.a.verdict is not None
    assert (last.a.verdict.followed, last.a.verdict.outcome) == (None, "not_known")
    assert last.a.verdict.followed_reason == "the judge cannot be used: its server is away"
    assert last.pairwise.reason == "the judge cannot be used: its server is away"

    def rate(_: object) -> float:
        raise RuntimeError("out of memory at /secret/path")

    last = last_of(METHODS, {"small": Counting()}, judge_of(ScriptedJudge(followed=rate)))
    assert last.a.verdict is not None
    assert last.a.verdict.followed_reason == "the judge stopped with an error (RuntimeError)"
    assert "out of memory" in caplog.text


def test_without_a_judge_the_rules_still_say_what_they_can() -> None:
    last = last_of(METHODS, {"small": Counting()}, None)
    assert last.phase == "done"
    assert last.a.verdict is not None
    assert (last.a.verdict.letter, last.a.verdict.correct_with) == ("A", False)
    assert last.a.verdict.followed_reason == "needs a language-model judge"
    assert last.pairwise.reason == "needs a language-model judge"
    assert last.judge is None


def test_the_verdict_grows_while_the_other_column_is_still_written() -> None:
    def script(messages: Sequence[Message]) -> str:
        return answers(messages) if tuple(messages) in (CONTROL, NAIVE) else "word " * 60

    states = states_of(METHODS, {"small": Counting(script, seconds_per_token=0.005)}, judge_of())
    early = [state for state in states if state.a.verdict and state.a.verdict.outcome and state.phase == "writing"]
    assert early
    assert all(state.b.verdict is None for state in early)
