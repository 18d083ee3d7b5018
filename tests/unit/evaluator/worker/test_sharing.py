"""Several workers, one submission: how calls are cut, who judges what, and what a helper never does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judges.loading import Scorer
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.worker.loop import Worker
from evaluator.worker.sharing import chunk_size, laid_out
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.store.queue import Chunk, JobStatus
from submissions.store.store import Store

PROMPT_SETS = PromptSets.load(None)
FILE = dict(example_submissions())["tide.json"]
CHUNK = 16


@pytest.mark.parametrize(
    ("is_open", "size", "parts"),
    [
        ([], 2, []),
        ([False, False], 2, []),
        ([True] * 5, 2, [Chunk(0, 2, 2), Chunk(2, 4, 2), Chunk(4, 5, 1)]),
        # Questions with a verdict count for nothing, so every chunk is as much work.
        ([False, True, False, False, True, True, False], 2, [Chunk(1, 5, 2), Chunk(5, 6, 1)]),
    ],
)
def test_a_call_is_cut_into_chunks_of_open_questions(is_open: list[bool], size: int, parts: list[Chunk]) -> None:
    assert laid_out(is_open, size) == parts


@pytest.mark.parametrize(
    ("questions", "workers", "rate", "size"),
    [
        (1000, 1, None, 64),  # alone: the largest
        (160, 4, None, 10),  # 160 / (4 chunks x 4 workers)
        (20, 4, None, 8),  # 20 / 16 = 2, but never below 8
        (160, 4, 100.0, 25),  # a quarter of a second at 100 a second
        (160, 4, 9000.0, 64),  # a fast judge: never above the largest
    ],
)
def test_chunks_are_small_where_many_wait_and_large_where_leasing_would_weigh(
    questions: int, workers: int, rate: float | None, size: int
) -> None:
    assert chunk_size(questions, workers, rate, 64) == size


class Watched(ScriptedJudge):
    """Does something before its n-th batch, and keeps what it was asked."""

    def __init__(self, before: Callable[[int], None] = lambda batch: None) -> None:
        super().__init__()
        self.before = before
        self.batches = 0
        self.asked: list[str] = []

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        self.batches += 1
        self.before(self.batches)
        self.asked += [self.key(request) for request in requests]
        return super().judge(requests)


def in_batch(number: int, act: Callable[[], object]) -> Callable[[int], None]:
    """For `Watched`: acts before its batch of that number."""

    def before(batch: int) -> None:
        if batch == number:
            act()

    return before


class House:
    """A store, and workers on it in this process."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", lease_s=60.0)
        self.stop = threading.Event()

    def submit(self, ticket_id: str = "t1", data: bytes = FILE) -> None:
        self.store.add(
            ticket_id=ticket_id,
            owner="local",
            role="entry",
            edition="2024",
            set_id="demonstration",
            names=Names(team=ticket_id),
            file_name="run.json",
            data=data,
            received_at=1.0,
        )

    def worker(self, name: str, judge: Judge, chunk: int = CHUNK) -> Worker:
        return Worker(
            name=name,
            store=self.store,
            archive=None,
            prompt_sets=PROMPT_SETS,
            scorer=Scorer(judge, ScriptedEmbedder()),
            stop=self.stop,
            chunk=chunk,
        )


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def scored_alone() -> str:
    return evaluate_payload(
        FILE,
        "run.json",
        edition="2024",
        names=Names(team="t1"),
        prompt_sets=PROMPT_SETS,
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    ).model_dump_json()


def test_an_idle_worker_judges_part_of_a_running_submission_and_the_result_is_the_same(house: House) -> None:
    house.submit()
    helper = Watched()
    progress: list[tuple[int, int | None]] = []

    def help_with_it() -> None:
        assert house.worker("helper", helper).work_once()
        ticket = house.store.require("t1")
        progress.append((ticket.judged, ticket.to_judge))

    holder = Watched(in_batch(2, help_with_it))
    assert house.worker("holder", holder).work_once()
    assert house.store.result("t1") == scored_alone()
    assert helper.asked
    assert not set(helper.asked) & set(holder.asked)  # nothing was asked twice
    assert house.store.require("t1").attempts == 1
    # The first chunk of its own worker and all that the helper judged; the second is under way.
    assert progress[0][0] == CHUNK + len(helper.asked)
    assert house.store.require("t1").judged == progress[0][1]


def test_a_helper_leaves_when_a_submission_waits_for_a_worker(house: House) -> None:
    house.submit()

    helper = Watched(in_batch(1, lambda: house.submit("t2")))
    holder = Watched(in_batch(2, lambda: house.worker("helper", helper).work_once()))
    house.worker("holder", holder).work_once()
    assert helper.batches == 1
    assert house.store.require("t2").status is JobStatus.QUEUED


def test_a_helper_with_another_judge_does_nothing(house: House) -> None:
    house.submit()
    other = ScriptedJudge(script_version="other")
    helped: list[bool] = []

    def try_to_help(batch: int) -> None:
        helped.append(house.worker("helper", other).work_once())

    house.worker("holder", Watched(try_to_help)).work_once()
    assert helped
    assert not any(helped)
    assert other.calls == 0


def test_a_helper_that_fails_gives_its_chunk_back_and_the_job_is_scored(house: House) -> None:
    house.submit()

    class Broken(ScriptedJudge):
        def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
            raise MemoryError("out of memory")

    holder = Watched(in_batch(2, lambda: house.worker("helper", Broken()).work_once()))
    house.worker("holder", holder).work_once()
    assert house.store.result("t1") == scored_alone()
    assert house.store.require("t1").attempts == 1


def test_cancelling_stops_the_helper_too(house: House) -> None:
    house.submit()
    helper = Watched(in_batch(1, lambda: house.store.cancel("t1", "local")))
    holder = Watched(in_batch(2, lambda: house.worker("helper", helper).work_once()))
    house.worker("holder", holder).work_once()
    assert house.store.require("t1").status is JobStatus.CANCELLED
    assert helper.batches == 1
    assert holder.batches == 2
    assert house.store.result("t1") is None


def test_a_helper_that_is_asked_to_stop_ends_after_its_chunk(house: House) -> None:
    house.submit()
    helper = Watched(in_batch(1, house.stop.set))
    holder = Watched(in_batch(2, lambda: house.worker("helper", helper).work_once()))
    house.worker("holder", holder).work_once()
    assert helper.batches == 1
    assert house.store.require("t1").status is JobStatus.QUEUED
    house.stop.clear()
    last = Watched()
    house.worker("holder", last).work_once()
    asked = [*holder.asked, *helper.asked, *last.asked]
    assert len(asked) == len(set(asked)) == house.store.require("t1").to_judge


def test_with_chunks_of_0_nothing_is_shared(house: House) -> None:
    house.submit()
    helped: list[bool] = []
    holder = Watched(lambda batch: helped.append(house.worker("helper", ScriptedJudge(), chunk=0).work_once()))
    house.worker("holder", holder, chunk=0).work_once()
    assert helped
    assert not any(helped)
    assert house.store.require("t1").status is JobStatus.SCORED
