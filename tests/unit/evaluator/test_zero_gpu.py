"""Models of a ZeroGPU Space: when a card is asked for, for how long, in whose name, and what a refusal says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gradio.context import LocalContext

from benchmarks.random_models import TINY, answering_model, random_model, small_tokenizer
from evaluator.generators.loading import SMALL_MODEL_TOKENS, configured_generators
from evaluator.generators.protocol import (
    MAX_NEW_TOKENS,
    Chunk,
    GeneratorUnavailable,
    Message,
    TextGenerator,
    UnsuitableGenerator,
)
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.generators.zero_gpu import ZeroGpuGenerator, writing_s
from evaluator.judge_loading.zero_gpu import ZeroGpuJudge, explaining_s, judging_s, on_card, replying_s
from evaluator.judges.protocol import JudgeRequest, JudgeUnavailable, Judgment, Rubric
from evaluator.judges.scripted import ScriptedJudge
from evaluator.judges.transformers import TransformersJudge, best_attention
from evaluator.judges.written.formats import format_named
from evaluator.judges.written.judge import WrittenJudge
from evaluator.lab.gate import LabVisitor
from evaluator.lab.serving import LabService
from evaluator.lab.setup import LabSetup, naive_vs_pref_aligner
from evaluator.values import Pin
from evaluator.zero_gpu import ZeroGpu
from submissions.promptsets import PromptSets
from submissions.questionsets import demonstration
from submissions.settings import Settings
from submissions.store.store import Store
from tests.cards import FOLDER, Cards
from tests.spaces_package import spaces

CHAT = [Message("user", "Which is a planet?")]
QUOTA = "You have exceeded your free ZeroGPU quota (18s requested vs. 4s left). Try again in 1:02:03. "
NOTED = ("ZeroGPU quota exceeded", QUOTA)


@pytest.fixture
def cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cards:
    folder = tmp_path / "cards"
    folder.mkdir()
    monkeypatch.setenv(FOLDER, str(folder))
    return Cards(folder)


@pytest.fixture
def zero_gpu(cards: Cards) -> ZeroGpu:
    return ZeroGpu(spaces)


def chunks_of(generator: TextGenerator, limit: int = MAX_NEW_TOKENS) -> list[Chunk]:
    return list(generator.stream(CHAT, stop=threading.Event(), max_new_tokens=limit))


class Failing(ScriptedGenerator):
    """Writes one word; then what is wrong is said, or happens."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        yield Chunk("One", 1)
        raise self._error


def test_a_text_is_the_one_written_without_a_card_and_asks_for_one_card(cards: Cards, zero_gpu: ZeroGpu) -> None:
    inner = ScriptedGenerator()
    generator = ZeroGpuGenerator(inner, zero_gpu)
    assert generator.pin == inner.pin
    assert chunks_of(generator, 40) == chunks_of(inner, 40)
    # 10 s to start, 40 tokens of 0.05 s.
    assert cards.asked == [("_written", 12)]


def test_the_card_is_asked_for_in_the_name_of_the_visitor_who_presses_run(cards: Cards, zero_gpu: ZeroGpu) -> None:
    generator = ZeroGpuGenerator(ScriptedGenerator(), zero_gpu)

    def event(token: str) -> None:
        LocalContext.request.set(SimpleNamespace(headers={"x-ip-token": token}))  # type: ignore[arg-type]
        chunks_of(generator)

    for token in ("ann", "bob"):
        copy_context().run(event, token)
    assert [note["visitor"] for note in cards.notes if note["event"] == "asked"] == ["ann", "bob"]


def test_a_stopped_text_gives_its_card_back(cards: Cards, zero_gpu: ZeroGpu) -> None:
    generator = ZeroGpuGenerator(ScriptedGenerator(seconds_per_token=0.01), zero_gpu)
    stop = threading.Event()
    written = []
    for chunk in generator.stream(CHAT, stop=stop):
        written.append(chunk)
        if len(written) == 3:
            stop.set()
    assert [chunk.finish_reason for chunk in written] == [None, None, None, "cancelled"]
    assert written[-1].tokens == written[-2].tokens
    wait_for(lambda: any(note["event"] == "closed" for note in cards.notes))


def test_a_visitor_who_stops_waits_for_no_card(cards: Cards, zero_gpu: ZeroGpu) -> None:
    held = threading.Event()

    class Waiting(ScriptedGenerator):
        def stream(self, messages: Sequence[Message], **rest: Any) -> Iterator[Chunk]:
            held.wait()
            yield Chunk("late", 1, "stop")

    generator, stop = ZeroGpuGenerator(Waiting(), zero_gpu), threading.Event()
    threading.Timer(0.1, stop.set).start()
    try:
        assert list(generator.stream(CHAT, stop=stop)) == [Chunk("", 0, "cancelled")]
    finally:
        held.set()


@pytest.mark.parametrize(
    ("title", "message", "expected"),
    [
        (*NOTED, f"no graphics card is lent for this: {QUOTA.strip().rstrip('.')}"),
        (
            "ZeroGPU quota exceeded",
            "Space app has reached its GPU limit. Try re-running outside of examples if it happened after clicking one",
            "no graphics card is lent for this: visitors without an account have used up what they share; sign in to "
            "Hugging Face, or come back later",
        ),
        (
            "ZeroGPU quota exceeded",
            "No GPU was available after 60s. Try re-running outside of examples if it happened after clicking one",
            "no graphics card is lent for this: No GPU was available after 60s",
        ),
        (
            "ZeroGPU illegal duration",
            "The requested GPU duration (300s) is larger than the maximum allowed",
            "no graphics card is lent for this: The requested GPU duration (300s) is larger than the maximum allowed",
        ),
        (
            "ZeroGPU worker error",
            "GPU task aborted",
            "the graphics card was taken back before the end, as happens to what takes longer than was asked for; "
            "run it again, or shorten the text",
        ),
    ],
)
def test_a_refusal_is_told_in_plain_words(
    cards: Cards, zero_gpu: ZeroGpu, title: str, message: str, expected: str
) -> None:
    cards.refuse(title, message)
    with pytest.raises(GeneratorUnavailable) as refused:
        chunks_of(ZeroGpuGenerator(ScriptedGenerator(), zero_gpu))
    assert str(refused.value) == expected
    with pytest.raises(JudgeUnavailable) as unavailable:
        ZeroGpuJudge(judge(), zero_gpu).judge([request()])
    assert str(unavailable.value) == expected


def test_what_a_generator_says_on_the_card_arrives_and_of_a_fault_its_name(cards: Cards, zero_gpu: ZeroGpu) -> None:
    with pytest.raises(GeneratorUnavailable, match=r"^shorten the question$"):
        chunks_of(ZeroGpuGenerator(Failing(GeneratorUnavailable("shorten the question")), zero_gpu))
    with pytest.raises(GeneratorUnavailable, match=r"stopped with an error on the graphics card \(ZeroDivisionError\)"):
        chunks_of(ZeroGpuGenerator(Failing(ZeroDivisionError()), zero_gpu))


def test_a_hub_that_does_not_answer_is_no_fault_of_the_model() -> None:
    class Away:
        zero = None

        def GPU(self, *, duration: Any) -> Any:  # noqa: N802
            def wrapped(_: Any) -> Any:
                def called(*_: Any) -> Any:
                    raise RuntimeError("ZeroGPU API /schedule error: 500 (Internal Server Error)")

                return called

            return wrapped

    with pytest.raises(GeneratorUnavailable, match="could not be asked for a graphics card"):
        chunks_of(ZeroGpuGenerator(ScriptedGenerator(), ZeroGpu(Away())))


# --- judging --------------------------------------------------------------------------------------------------------


def judge() -> TransformersJudge:
    tokenizer: Any = small_tokenizer()
    pin = Pin(
        name="transformers", model="tiny", revision="-", tokenizer="-", prompt="-", dtype="float32", engine="-",
        languages=None,
    )  # fmt: skip
    return TransformersJudge(answering_model(tokenizer), tokenizer, pin)


def request(labels: tuple[str, ...] = ("1", "2", "3")) -> JudgeRequest:
    rubric = Rubric("of-the-tests", "1", "similarity_pair" if labels else "written", "Rate it.", labels, "-")
    return JudgeRequest(rubric, {"answer_a": "Mars.", "answer_b": "The planet Mars."}, "en")


def test_a_judge_says_the_same_on_a_card_and_its_keys_need_none(cards: Cards, zero_gpu: ZeroGpu) -> None:
    inner = judge()
    lent = ZeroGpuJudge(inner, zero_gpu)
    assert (lent.pin, lent.kinds, lent.key(request())) == (inner.pin, inner.kinds, inner.key(request()))
    assert cards.asked == []
    (found,) = lent.judge([request()])
    assert found == inner.judge([request()])[0]
    assert lent.explanation(request(), found) == inner.explanation(request(), found)
    # 10 s to start: a pass of 0.2 s; 60 tokens of 0.05 s.
    assert cards.asked == [("judge", 11), ("explanation", 13)]


def test_the_time_that_is_asked_for_follows_from_the_request() -> None:
    assert [writing_s(CHAT, limit) for limit in (1, SMALL_MODEL_TOKENS, MAX_NEW_TOKENS)] == [11, 18, 36]
    # 2 passes of 0.2 s and a reply of 300 tokens of 0.05 s, after 10 s: 25.4.
    assert judging_s([request(), request(), request(())]) == 26
    # 10 s to start; two questions at once, 512 tokens of 0.05 s, and one free reply of 300: 10 + 25.6 + 15 = 50.6
    writing = WrittenJudge(random_model(TINY), small_tokenizer(), ScriptedJudge().pin, format_named("score"))
    assert replying_s(writing, [request(), request()]) == 36
    assert replying_s(writing, [request(), request(), request(())]) == 51
    assert explaining_s(request(), Judgment(1.0)) == 13


def test_only_a_language_model_of_this_machine_is_given_a_card(zero_gpu: ZeroGpu) -> None:
    scripted = ScriptedJudge()
    assert on_card(scripted, zero_gpu) is scripted
    assert isinstance(on_card(judge(), zero_gpu), ZeroGpuJudge)


def test_attention_is_not_compiled_where_every_call_is_a_process_of_its_own() -> None:
    import torch

    assert best_attention("cuda", torch.bfloat16) == "flex_attention"
    assert best_attention("cuda", torch.bfloat16, compiles=False) == "sdpa"


# --- the Space ------------------------------------------------------------------------------------------------------


def test_cards_are_those_of_a_zero_gpu_space_with_its_package(
    cards: Cards, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert ZeroGpu.of(Settings.from_env({})) is None
    settings = Settings.from_env({"SPACES_ZERO_GPU": "true"})
    monkeypatch.setitem(__import__("sys").modules, "spaces", None)
    assert ZeroGpu.of(settings) is None
    assert "SPACES_ZERO_GPU is set, but models compute on the CPU" in caplog.text
    monkeypatch.setitem(__import__("sys").modules, "spaces", spaces)
    found = ZeroGpu.of(settings)
    assert found is not None
    found.start()
    assert found.has_started
    assert cards.notes == [{"event": "started"}]


def test_local_models_are_in_memory_before_the_space_has_started(
    cards: Cards, zero_gpu: ZeroGpu, tmp_path: Path
) -> None:
    tokenizer: Any = small_tokenizer()
    folder = tmp_path / "tiny"
    answering_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    names = f"transformers:{folder},transformers:{tmp_path},scripted"
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    generators = configured_generators(Settings.from_env({"PLUMBLINE_GENERATORS": names}), zero_gpu)
    assert [one.is_loaded_ahead for one in generators.allowed] == [True, True, False]
    generators.load_ahead()
    assert [note["function"] for note in cards.notes] == ["_written"]
    zero_gpu.start()
    assert isinstance(generators.get("tiny"), ZeroGpuGenerator)
    with pytest.raises(UnsuitableGenerator, match="could not be loaded when the Space started"):
        generators.get(f"transformers:{tmp_path}")


def test_a_run_of_the_lab_asks_for_cards_and_a_refused_one_says_why(
    cards: Cards, zero_gpu: ZeroGpu, tmp_path: Path
) -> None:
    tokenizer: Any = small_tokenizer()
    folder = tmp_path / "tiny"
    answering_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    settings = Settings.from_env(
        {"PLUMBLINE_GENERATORS": f"transformers:{folder}", "PLUMBLINE_JUDGES": f"transformers:{folder};unproven"}
    )
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    lab = LabService.from_settings(settings, store, PromptSets.load(None), zero_gpu)
    lab.load_ahead()
    zero_gpu.start()
    # Writing, judging, explaining: all known to the Hub when the Space starts.
    assert [note.get("function") for note in cards.notes] == ["_written", "judge", "explanation", None]
    setup = LabSetup(demonstration().questions[1], "demonstration", ("Be brief.",), 0, *naive_vs_pref_aligner("tiny"))

    async def states() -> list[Any]:
        LocalContext.request.set(SimpleNamespace(headers={"x-ip-token": "ann"}))  # type: ignore[arg-type]
        return [state async for state in lab.run(setup, LabVisitor("ann"), stop=threading.Event())]

    assert asyncio.run(states())[-1].phase == "done"
    asked = [note for note in cards.notes if note["event"] == "asked"]
    # A control that both columns share, one answer, one stage 2; then the judge.
    assert [note["function"] for note in asked].count("_written") == 3
    assert {note["function"] for note in asked} > {"_written"}
    assert {note["visitor"] for note in asked} == {"ann"}
    cards.refuse(*NOTED)
    last = asyncio.run(states())[-1]
    assert last.phase == "failed"
    for side in ("a", "b"):
        assert "no graphics card is lent for this: You have exceeded" in (last.column(side).answer.failure or "") or (
            last.column(side).answer.failure == "there is no draft to edit, as the control failed"
        )
    store.close()


def wait_for(holds: Any, within_s: float = 10.0) -> None:
    waited = threading.Event()
    for _ in range(int(within_s / 0.02)):
        if holds():
            return
        waited.wait(0.02)
    raise AssertionError("it did not happen")
