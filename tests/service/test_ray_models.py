"""Embedding models and generators on a cluster of Ray: the same as in this process, also where actors are killed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import ray

from evaluator.embeddings.protocol import ScriptedEmbedder, UnsuitableEmbedder
from evaluator.embeddings.sentence_embedder import SentenceEmbedder
from evaluator.generators.loading import UnknownGenerator, allowed_generators
from evaluator.generators.protocol import Chunk, GeneratorUnavailable, Message, UnsuitableGenerator
from evaluator.generators.ray_actors import RayGenerator
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.judge_loading.loading import load_embedder, load_scorer, with_embedding
from evaluator.judge_loading.ray_embedder import RayEmbedder
from tests.service.test_worker_killed import wait_for

ON_RAY = "ray:local;actors=2#"
SLOW = "scripted:0.02"
CHAT = [Message("user", "Which is a planet?")]
TEXTS = [f"boat {number} of {number % 7}" for number in range(200)]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """One for all tests, started by the first model."""
    yield
    ray.shutdown()


class Kept:
    """Vectors by key, as the store keeps them."""

    def __init__(self) -> None:
        self.found: dict[str, bytes] = {}

    def load_embeddings(self, keys: Any) -> dict[str, bytes]:
        return {key: self.found[key] for key in keys if key in self.found}

    def save_embeddings(self, embeddings: dict[str, bytes]) -> None:
        self.found |= embeddings


def process_of(actor: Any) -> int:
    return int(ray.get(actor.__ray_call__.remote(lambda _: os.getpid())))


def is_another(actor: Any, first: int) -> bool:
    """Whether an actor is back in another process; not while Ray starts it anew."""
    try:
        return process_of(actor) != first
    except ray.exceptions.RayActorError:
        return False


# --- embedding models ------------------------------------------------------------------------------------------------


def on_ray(name: str, cache: Kept | None = None) -> RayEmbedder:
    embedder = load_embedder(ON_RAY + name, cache)
    assert isinstance(embedder, RayEmbedder)
    return embedder


def test_vectors_and_keys_are_those_of_the_model_in_this_process() -> None:
    kept, alone = Kept(), load_embedder("minilm")
    assert isinstance(alone, SentenceEmbedder)
    spread = on_ray("minilm", kept)
    assert spread.pin == alone.pin
    texts = [*TEXTS[:9], TEXTS[0]]
    for found, expected in zip(spread.windows(texts), alone.windows(texts), strict=True):
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)
    assert spread.texts_embedded == 9
    assert set(kept.found) == {alone._key(text) for text in texts}
    # What one of them kept the other finds.
    again = load_embedder("minilm", kept)
    again.windows(texts)
    assert again.texts_embedded == 0


@pytest.mark.slow
def test_a_killed_actor_costs_its_texts_some_time_and_nothing_else() -> None:
    spread = on_ray("scripted")
    first = process_of(spread._actors[0])
    told: list[int] = []

    def kill_once() -> None:
        if not told:
            os.kill(first, signal.SIGKILL)
        told.append(1)

    spread.on_batch = kill_once
    for _ in range(3):  # the first call may be over before the kill comes
        for found, expected in zip(spread.windows(TEXTS), ScriptedEmbedder().windows(TEXTS), strict=True):
            assert np.array_equal(found, expected)
    assert told
    assert wait_for(lambda: is_another(spread._actors[0], first), 60.0)


@pytest.mark.slow
def test_who_breaks_off_hears_his_own_error() -> None:
    class BrokenOff(Exception):
        pass

    def break_off() -> None:
        raise BrokenOff

    spread = on_ray("scripted")
    spread.on_batch = break_off
    with pytest.raises(BrokenOff):
        spread.windows(TEXTS)
    spread.on_batch = lambda: None
    assert len(spread.windows(TEXTS)) == len(TEXTS)


@pytest.mark.slow
def test_a_board_takes_its_embedding_model_from_the_cluster() -> None:
    scorer = with_embedding(load_scorer("scripted"), f"{ON_RAY}minilm")
    assert isinstance(scorer.embedder, RayEmbedder)
    assert scorer.embedder.pin == load_embedder("minilm").pin


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("ray:local#", "found '' behind '#', expected the name of another embedding model"),
        ("ray:local#ray:local#e5", "found 'ray:local#e5' behind '#'"),
        ("ray:nowhere#e5", "found the address 'nowhere', expected local, auto or ray://HOST:PORT"),
    ],
)
def test_an_embedding_that_cannot_be_read_is_told_before_any_cluster_is_started(name: str, fault: str) -> None:
    with pytest.raises(UnsuitableEmbedder) as refused:
        load_embedder(name)
    assert fault in str(refused.value)


@pytest.mark.slow
def test_a_model_that_no_actor_can_load_says_so() -> None:
    with pytest.raises(UnsuitableEmbedder, match="no embedding model is called 'e6'"):
        load_embedder(f"{ON_RAY}e6")


# --- generators ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def writer() -> RayGenerator:
    name = ON_RAY + SLOW
    allowed = allowed_generators((name,))
    assert allowed.labels == ("scripted, 0.02 s a word (Ray)",)
    found = allowed.get(name)
    assert isinstance(found, RayGenerator)
    return found


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks)


@pytest.mark.slow
def test_a_text_streams_and_is_the_one_written_in_this_process(writer: RayGenerator) -> None:
    alone = ScriptedGenerator(seconds_per_token=0.02)
    assert writer.pin == alone.pin
    found = list(writer.stream(CHAT, stop=threading.Event(), max_new_tokens=5))
    assert found == list(alone.stream(CHAT, stop=threading.Event(), max_new_tokens=5))
    assert len(found) > 2


@pytest.mark.slow
def test_texts_written_at_once_are_divided_among_the_actors(writer: RayGenerator) -> None:
    streams = [writer.stream(CHAT, stop=threading.Event()) for _ in range(4)]
    begun = [next(one) for one in streams]
    assert sorted(writer._busy.values()) == [2, 2]
    rest = [[first, *one] for first, one in zip(begun, streams, strict=True)]
    assert len({text(one) for one in rest}) == 1
    assert sum(writer._busy.values()) == 0


@pytest.mark.slow
def test_a_stopped_text_ends_here_and_there(writer: RayGenerator) -> None:
    stop = threading.Event()
    found = []
    for chunk in writer.stream(CHAT, stop=stop):
        found.append(chunk)
        stop.set()
    assert (found[-1].finish_reason, found[-1].tokens) == ("cancelled", found[-2].tokens)

    def left() -> int:
        return sum(ray.get(one.__ray_call__.remote(lambda actor: len(actor._texts))) for one in writer._actors)

    assert wait_for(lambda: left() == 0, 30.0)


@pytest.mark.slow
def test_an_actor_that_dies_while_it_writes_is_told_and_the_next_text_is_written(writer: RayGenerator) -> None:
    stream = writer.stream(CHAT, stop=threading.Event())
    next(stream)
    (busy,) = [place for place, count in writer._busy.items() if count]
    os.kill(process_of(writer._actors[busy]), signal.SIGKILL)
    with pytest.raises(GeneratorUnavailable, match="died while it was writing; run it again: it is started anew"):
        list(stream)
    # Both actors in turn, the one that is started anew included.
    streams = [writer.stream(CHAT, stop=threading.Event()) for _ in range(2)]
    assert [next(one).tokens for one in streams] == [1, 1]
    assert [list(one)[-1].finish_reason for one in streams] == ["stop", "stop"]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("ray:local#", "found '' behind '#', expected the name of another generator"),
        ("ray:somewhere#scripted", "found the address 'somewhere'"),
        ("ray:local#gpt", "no generator is called 'gpt'"),
        ("ray:local#provider:org/model", "a visitor's own token is not sent to a cluster"),
    ],
)
def test_a_generator_that_cannot_be_read_is_told_with_its_place(name: str, fault: str) -> None:
    with pytest.raises(UnknownGenerator) as refused:
        allowed_generators((name,))
    assert fault in str(refused.value)


def test_without_ray_a_generator_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(UnsuitableGenerator, match=r"pip install -r requirements-ray\.txt"):
        allowed_generators((ON_RAY + SLOW,)).get(ON_RAY + SLOW)
