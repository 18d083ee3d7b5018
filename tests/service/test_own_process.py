"""Generators in processes of their own: the same text, ended when nobody wants it, and never the page's trouble."""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.answering.prompting import naive_messages
from evaluator.generators.loading import configured_generators
from evaluator.generators.own_process import OwnProcessGenerator
from evaluator.generators.protocol import Chunk, GeneratorUnavailable, Message, TextGenerator, UnsuitableGenerator
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.generators.writing_process import WritingProcess
from submissions.questionsets import Question
from submissions.settings import Settings

ROOT = Path(__file__).parents[2]
CHAT = naive_messages(Question("q", "Which is a planet?", ("The Sun", "Mars"), "B"), ("I like short answers.",))
WITHIN_S = 20.0


@pytest.fixture(scope="module")
def generator() -> Iterator[OwnProcessGenerator]:
    """Slow enough to be interrupted."""
    made = OwnProcessGenerator("scripted:0.02")
    yield made
    made.close()


def chunks_of(generator: TextGenerator, messages: list[Message] = CHAT, limit: int = 512) -> list[Chunk]:
    return list(generator.stream(messages, stop=threading.Event(), max_new_tokens=limit))


def happens(what: Callable[[], bool], within_s: float = 10.0) -> bool:
    deadline = time.monotonic() + within_s
    while not what():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_gone(process_id: int) -> bool:
    """Ended, and nobody's zombie but perhaps init's."""
    try:
        return (Path("/proc") / str(process_id) / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[
            0
        ] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def children() -> set[str]:
    """Ids of the processes that this one has started and that are still there."""
    return {one for listed in Path("/proc/self/task").glob("*/children") for one in listed.read_text().split()}


def test_it_writes_what_the_same_generator_writes_in_this_process(generator: OwnProcessGenerator) -> None:
    here = ScriptedGenerator(seconds_per_token=0.02)
    assert generator.pin == here.pin
    assert chunks_of(generator) == chunks_of(here)
    assert chunks_of(generator, limit=3) == chunks_of(here, limit=3)
    assert generator.process_id != os.getpid()


def test_texts_of_any_kind_arrive_as_they_are(generator: OwnProcessGenerator) -> None:
    odd = [Message("user", 'Quote "\\", a line\nbreak, \u2028, å 日本, \ud800 and <|im_end|>?')]
    assert chunks_of(generator, odd) == chunks_of(ScriptedGenerator(), odd)


def test_several_streams_flow_at_the_same_time(generator: OwnProcessGenerator) -> None:
    order: list[int] = []
    together = threading.Barrier(2)

    def read(number: int) -> None:
        together.wait()
        for _ in generator.stream(CHAT, stop=threading.Event()):
            order.append(number)

    readers = [threading.Thread(target=read, args=(number,)) for number in range(2)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    # Were one stream to wait for the other, the number would change once.
    assert sum(before != after for before, after in itertools.pairwise(order)) >= 4, order


@pytest.mark.parametrize("is_silent", [False, True], ids=["while it writes", "while it does not answer"])
def test_stop_ends_a_stream_at_once(generator: OwnProcessGenerator, is_silent: bool) -> None:
    stop = threading.Event()
    stream = generator.stream(CHAT, stop=stop)
    first = next(stream)
    if is_silent:
        os.kill(generator.process_id, signal.SIGSTOP)
    try:
        stop.set()
        began = time.monotonic()
        rest = list(stream)
        assert time.monotonic() - began < WITHIN_S
    finally:
        os.kill(generator.process_id, signal.SIGCONT)
    assert (first.tokens, rest[-1].finish_reason) == (1, "cancelled")
    assert chunks_of(generator)[-1].finish_reason == "stop"  # and the next one is written


def test_a_process_that_is_killed_ends_its_streams_with_a_sentence_and_is_started_anew() -> None:
    generator = OwnProcessGenerator("scripted:0.02")
    stream = generator.stream(CHAT, stop=threading.Event())
    next(stream)
    before = generator.process_id
    os.kill(before, signal.SIGKILL)
    with pytest.raises(GeneratorUnavailable, match=r"ended while it was writing \(killed by SIGKILL\); run it again"):
        list(stream)
    assert chunks_of(generator) == chunks_of(ScriptedGenerator())
    assert generator.process_id != before
    generator.close()
    assert is_gone(generator.process_id)


def test_a_model_that_cannot_be_loaded_is_refused_without_its_folder_and_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "no-model").mkdir()
    before = children()
    settings = Settings.from_env({"PLUMBLINE_GENERATORS": f"transformers:{tmp_path / 'no-model'}"})
    generators = configured_generators(settings)
    with pytest.raises(UnsuitableGenerator, match="no-model at its folder cannot be loaded") as refused:
        generators.get("no-model")
    assert str(tmp_path) not in str(refused.value)
    assert not generators.is_loaded("no-model")
    assert children() == before
    generators.close()


def test_the_process_ends_with_the_one_that_started_it_however_that_ends() -> None:
    code = (
        "from evaluator.generators.own_process import OwnProcessGenerator; import time\n"
        "print(OwnProcessGenerator('scripted').process_id, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as page:
        assert page.stdout is not None
        writing = int(page.stdout.readline())
        assert not is_gone(writing)
        page.kill()
    assert happens(lambda: is_gone(writing))


def test_processes_share_the_cores_unless_somebody_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(6)))
    for said, expected in ((None, b"3"), ("5", b"5")):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        if said:
            monkeypatch.setenv("OMP_NUM_THREADS", said)
        generator = OwnProcessGenerator("scripted", sharing=2)
        environ = (Path("/proc") / str(generator.process_id) / "environ").read_bytes().split(b"\0")
        generator.close()
        assert b"OMP_NUM_THREADS=" + expected in environ


def test_secrets_of_the_page_are_not_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = (
        "OAUTH_CLIENT_SECRET",
        "PLUMBLINE_DATABASE_URL",
        "PLUMBLINE_GENERATOR_API_KEY",
        "PLUMBLINE_INFERENCE_TOKEN",
    )
    for name in secrets:
        monkeypatch.setenv(name, "hush")
    generator = OwnProcessGenerator("scripted")
    environ = (Path("/proc") / str(generator.process_id) / "environ").read_bytes()
    generator.close()
    assert b"PATH=" in environ
    assert b"hush" not in environ


# --- the other side --------------------------------------------------------------------------------------------------


def said(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


class Failing(ScriptedGenerator):
    """Raises what no generator should."""

    def stream(self, *args: object, **kwargs: object) -> Iterator[Chunk]:
        raise RuntimeError("a secret of the machine")


def test_a_stop_ends_the_writing_and_a_fault_is_told_in_words() -> None:
    out = io.StringIO()
    process = WritingProcess("scripted:0.02", out)
    assert process.load()
    ask = {"messages": [[one.role, one.content] for one in CHAT], "limit": 512}
    process.hear({"stream": 1, **ask})
    assert happens(lambda: len(said(out)) > 2)
    process.hear({"stop": 1})
    assert happens(lambda: said(out)[-1].get("finish_reason") == "cancelled", WITHIN_S)
    process.hear({"stop": 1})  # it is over: nothing happens
    process._generator = Failing()
    process.hear({"stream": 2, **ask})
    assert happens(lambda: said(out)[-1]["stream"] == 2)
    assert said(out)[-1]["message"] == "the model stopped with an error (RuntimeError)"


def test_a_generator_that_does_not_exist_is_refused_in_words() -> None:
    out = io.StringIO()
    assert not WritingProcess("gpt", out).load()
    (refused,) = said(out)
    assert refused["fault"] == "unsuitable"
