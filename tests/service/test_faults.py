"""Full disks, clocks that jump, judges out of memory, weights cut short: the reason is said, and others go on."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.random_models import TINY, random_model, small_tokenizer
from evaluator.__main__ import main
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.store.queue import JobStatus
from submissions.store.store import Store

ROOT = Path(__file__).parents[2]
PROMPT_SETS = PromptSets.load(None)
FILES = [data for _, data in example_submissions()]
HOUR_S = 3600.0
ATTEMPTS = 3

# --- a full disk -----------------------------------------------------------------------------------------------------

DISK_FILLS_UP = """
import json, resource, sys, threading
from pathlib import Path
from evaluator.worker import loop as worker
from evaluator.judge_loading.loading import load_scorer
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.store.store import Store, StoreUnavailable

folder, room = Path(sys.argv[1]), int(sys.argv[2])
store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", lease_s=0.06)
archive, sets = Archive(folder / "archive"), PromptSets.load(None)
desk = Desk(store, archive, sets)
files = [data for _, data in example_submissions()]
for data in files[:2]:
    desk.submit(data, "run.json", owner="local")

log = folder / "plumbline.db-wal"  # SQLite writes at its end
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + room, hard))
refused = []
try:
    desk.submit(files[2], "run.json", owner="local")
except (StoreUnavailable, OSError) as error:
    refused.append(str(error))
worker.UNAVAILABLE_WAIT_S = 0.05
stop = threading.Event()
at_work = worker.Worker(
    name="w", store=store, archive=archive, prompt_sets=sets, scorer=load_scorer("scripted"), stop=stop
)
thread = threading.Thread(target=at_work.run)
thread.start()
threading.Event().wait(1.5)
was_alive, early = thread.is_alive(), {status: count for status, count in store.counts().items() if count}

resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
again = desk.submit(files[2], "run.json", owner="local").ticket.id
while any(ticket.status.is_open for ticket in store.tickets()):
    threading.Event().wait(0.05)
stop.set()
thread.join()
archive.catch_up(store)
print(json.dumps({
    "refused": refused,
    "was_alive": was_alive,
    "early": early,
    "ended": [ticket.status for ticket in store.tickets()],
    "results": [result for _, result in store.results()],
    "again": again,
    "events": sorted((name.kind, name.subject) for name in archive.names()),
    "left_behind": [path.name for path in archive.folder.rglob(".*") if path.is_file()],
}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("room", [0, 60_000], ids=["at once", "while it judges"])
def test_a_disk_that_is_full_acknowledges_nothing_ends_no_worker_and_loses_nothing(tmp_path: Path, room: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DISK_FILLS_UP, str(tmp_path), str(room)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert len(seen["refused"]) == 1
    assert "disk full" in seen["refused"][0] or "too large" in seen["refused"][0]  # the database's, or the archive's
    assert seen["was_alive"]
    assert "failed" not in seen["early"]
    assert seen["ended"] == ["scored"] * 3
    assert sorted(seen["results"]) == sorted(undisturbed(data) for data in FILES[:3])
    # What was refused is in the archive at most as a file that no ticket was given for.
    taken_in = [subject for kind, subject in seen["events"] if kind == "submission"]
    assert seen["again"] in taken_in
    assert len(taken_in) <= 4
    assert sum(kind == "result" for kind, _ in seen["events"]) == 3


def undisturbed(data: bytes) -> str:
    """The result of a file whose judging nothing disturbs."""
    judge = RecordedJudge(ScriptedJudge(), MemoryVerdicts())
    result = evaluate_payload(
        data,
        "run.json",
        edition="2024",
        names=Names(),
        prompt_sets=PROMPT_SETS,
        judge=judge,
        embedder=ScriptedEmbedder(),
    )
    return result.model_dump_json()


# --- a judge that runs out of memory ---------------------------------------------------------------------------------


class House:
    """A store, its desk, and a worker with any judge."""

    def __init__(self, folder: Path, clock: Callable[[], float] | None = None, lease_s: float = 0.06) -> None:
        self.store = Store.open(
            f"sqlite:///{folder / 'plumbline.db'}", lease_s=lease_s, max_attempts=ATTEMPTS, clock=clock
        )
        self.desk = Desk(self.store, Archive(folder / "archive"), PROMPT_SETS)

    def submit(self, data: bytes) -> str:
        return self.desk.submit(data, "run.json", owner="local").ticket.id

    def worker(self, judge: ScriptedJudge, name: str = "w") -> Worker:
        return Worker(
            name=name,
            store=self.store,
            archive=None,
            prompt_sets=PROMPT_SETS,
            scorer=Scorer(judge, ScriptedEmbedder()),
            stop=threading.Event(),
        )


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


class Greedy(ScriptedJudge):
    """Runs out of memory on answers that ask for it."""

    def __init__(self, run_out: Callable[[], object]) -> None:
        super().__init__()
        self._run_out = run_out

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        if any("GREEDY" in request.fields["answer_a"] for request in requests):
            self._run_out()
        return super().judge(requests)


def on_a_gpu() -> None:
    raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


def on_a_cpu() -> None:
    bytearray(2**62)  # no machine has it


@pytest.mark.parametrize(
    ("run_out", "said"), [(on_a_gpu, "CUDA out of memory. Tried to allocate 2.00 GiB."), (on_a_cpu, "MemoryError")]
)
def test_a_judge_that_runs_out_of_memory_fails_its_job_with_the_reason_and_judges_the_next(
    house: House, run_out: Callable[[], object], said: str
) -> None:
    document = json.loads(FILES[0])
    document["eloquent-robustness-results"]["items"][0]["responses"][0]["response"] = "GREEDY"
    greedy, modest = house.submit(json.dumps(document).encode()), house.submit(FILES[1])
    worker = house.worker(Greedy(run_out))
    while any(ticket.status.is_open for ticket in house.store.tickets()):
        worker.run(until_empty=True)
    failed = house.store.require(greedy)
    assert failed.status is JobStatus.FAILED
    assert failed.reason is not None
    assert failed.reason.startswith(f"gave up after {ATTEMPTS} attempts: ")
    assert said in failed.reason
    assert house.store.require(modest).status is JobStatus.SCORED


# --- a clock that jumps ----------------------------------------------------------------------------------------------


class JumpyClock:
    """Stands still between jumps."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Jumping(ScriptedJudge):
    """Lets the clock jump once, in the middle of its work."""

    def __init__(self, jump: Callable[[], None]) -> None:
        super().__init__()
        self._jump: Callable[[], None] | None = jump

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        if self._jump is not None and self.calls > 0:
            self._jump()
            self._jump = None
        return super().judge(requests)


@pytest.mark.parametrize("seconds", [HOUR_S, -HOUR_S], ids=["forward", "back"])
def test_a_clock_that_jumps_while_a_worker_judges_changes_no_result(tmp_path: Path, seconds: float) -> None:
    clock = JumpyClock()
    house = House(tmp_path, clock, lease_s=60.0)
    tickets = [house.submit(data) for data in FILES[:2]]

    def jump() -> None:
        clock.now += seconds

    house.worker(Jumping(jump)).run(until_empty=True)
    found = {ticket.id: result for ticket, result in house.store.results()}
    assert found == dict(zip(tickets, map(undisturbed, FILES[:2]), strict=True))
    assert [len([line for line in one.log if line.endswith(" scored")]) for one in house.store.tickets()] == [1, 1]
    house.store.close()


def test_a_worker_whose_lease_a_jump_ended_counts_nothing_beside_the_one_that_took_over(tmp_path: Path) -> None:
    clock = JumpyClock()
    house = House(tmp_path, clock, lease_s=60.0)
    ticket = house.submit(FILES[0])

    def another_takes_over() -> None:
        clock.now += HOUR_S
        house.worker(ScriptedJudge(), "second").run(until_empty=True)

    house.worker(Jumping(another_takes_over), "first").run(until_empty=True)
    scored = house.store.require(ticket)
    assert [line[20:] for line in scored.log[2:]] == [
        "attempt 1 by first",
        "back in the queue: worker first fell silent",
        "attempt 2 by second",
        "scored",
    ]
    assert house.store.result(ticket) == undisturbed(FILES[0])
    house.store.close()


# --- weights that are cut short --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny_judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-judge"
    model: Any = random_model(TINY)
    model.save_pretrained(folder)
    small_tokenizer().save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kept", [4, 200, 0.5], ids=["in the length", "in the header", "in the weights"])
def test_a_judge_with_truncated_weights_ends_its_worker_with_a_sentence_and_no_submission(
    tiny_judge: Path,
    tmp_path: Path,
    kept: float,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cut = tmp_path / "cut-judge"
    cut.mkdir()
    for path in tiny_judge.iterdir():
        data = path.read_bytes()
        size = int(len(data) * kept) if kept < 1 else int(kept)
        (cut / path.name).write_bytes(data[:size] if path.suffix == ".safetensors" else data)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    house = House(tmp_path)
    ticket = house.submit(FILES[0])
    assert main(["work", "--until-empty", "--judge", f"transformers:{cut}"]) == 2
    said = capfd.readouterr().err
    assert "cut-judge" in said
    assert "cannot be loaded" in said
    assert "Traceback" not in said
    assert house.store.require(ticket).status is JobStatus.QUEUED
    assert main(["work", "--until-empty", "--judge", "scripted"]) == 0
    assert house.store.require(ticket).status is JobStatus.SCORED
    house.store.close()
