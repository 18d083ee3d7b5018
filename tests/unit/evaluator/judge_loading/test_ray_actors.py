"""What a judge on Ray does without a cluster: its setting, how it cuts its questions, and what it says without ray."""

from __future__ import annotations

import sys

import pytest

from evaluator.judge_loading.loading import UnknownJudge, load_scorer
from evaluator.judge_loading.ray_actors import batches
from evaluator.judge_loading.ray_cluster import RaySetting
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge
from evaluator.judges.recorded import Batch, MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from submissions.store.queue import REQUESTS_PER_BATCH


def pair(question: str, first: str, second: str) -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"prompt_1": question, "answer_a": first, "answer_b": second}, "en")


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("ray:somewhere#pair", "found the address 'somewhere', expected local, auto or ray://HOST:PORT"),
        ("ray:ray://#pair", "found the address 'ray://'"),
        ("ray:local", "found '' behind '#', expected the name of another judge"),
        ("ray:local#ray:local#pair", "found 'ray:local#pair' behind '#'"),
        ("ray:local;actors=0#pair", "found the option 'actors=0', expected actors=N, a number from 1"),
        ("ray:local;actors=many#pair", "found the option 'actors=many'"),
        ("ray:local;cpus=2#pair", "found the option 'cpus=2'"),
        ("ray:local#gpt", "no judge is called 'gpt': choose one of auto, pair,"),
        ("ray:", "no judge is called 'ray:'"),
    ],
)
def test_a_setting_that_cannot_be_read_is_told_before_any_cluster_is_started(name: str, fault: str) -> None:
    with pytest.raises((UnknownJudge, UnsuitableJudge)) as refused:
        load_scorer(name)
    assert fault in str(refused.value)


def test_without_ray_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    with pytest.raises(UnsuitableJudge) as refused:
        load_scorer("ray:local#scripted")
    assert str(refused.value) == (
        "what runs on ray needs the package ray, which is not installed: pip install -r requirements-ray.txt"
    )


def test_questions_whose_prompts_begin_alike_go_to_one_actor_together() -> None:
    # Two questions by turns; of each four pairs, two of them with the same first answer.
    asked = [
        pair(question, first, second) for first, second in ("ax", "by", "ay", "bx") for question in ("boats", "tides")
    ]
    assert sorted(batches(asked, 4)) == [[0, 2, 4, 6], [1, 3, 5, 7]]
    assert sorted(batches(asked, 2)) == [[0, 4], [1, 5], [2, 6], [3, 7]]


def test_every_question_is_in_one_batch() -> None:
    asked = [pair("boats", f"{number % 3}", f"{number % 5}") for number in range(17)]
    cut = batches(asked, 5)
    assert [len(batch) for batch in cut] == [5, 5, 5, 2]
    assert sorted(place for batch in cut for place in batch) == list(range(17))
    assert batches([], 0) == []


class ThreeWide(ScriptedJudge):
    """As if it judged in three processes."""

    @property
    def width(self) -> int:
        return 3


def test_a_judge_of_several_processes_gets_as_many_batches_in_one_call() -> None:
    told: list[Batch] = []
    requests = [pair("boats", "a", f"b {number}") for number in range(4 * REQUESTS_PER_BATCH)]
    RecordedJudge(ThreeWide(), MemoryVerdicts(), on_batch=told.append).verdicts(requests)
    # First what is known without asking: nothing. Then three batches in one call, and the one that is left.
    assert [batch.newly_stored for batch in told] == [0, 3 * REQUESTS_PER_BATCH, REQUESTS_PER_BATCH]


def test_a_setting_takes_names_of_judges_that_have_signs_of_their_own() -> None:
    read = RaySetting.from_text("auto#http:http://gpu:8000/v1#Qwen/Qwen3-8B@9c925d64;frame=chatml")
    assert (read.address, read.actors) == ("auto", None)
    assert read.name == "http:http://gpu:8000/v1#Qwen/Qwen3-8B@9c925d64;frame=chatml"
