"""A judge behind a failing server: the same table at little more cost, and no stored verdict is asked for again.

Run as a script (`python tests/service/test_http_judge_faults.py URL DATABASE`), this file is the worker that is killed.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.http.judge import HttpJudge, connect
from evaluator.judges.http.settings import HttpJudgeSettings
from evaluator.judges.prompts import PREFERENCE_PAIR
from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, Judgment, RequestKind
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge, VerdictStore
from evaluator.results import Pin, RobustnessResult
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.store.queue import REQUESTS_PER_BATCH, JobStatus
from submissions.store.store import Store
from tests.stub_judge_server import FAULTS, Fault, StubJudgeServer, StubMode

ROOT = Path(__file__).parents[2]
EXAMPLES = dict(example_submissions())
DISTINCT = "tide.json"
"""Whose pairs are all of different texts, so that no question is asked twice."""
TIMEOUT_S = 0.6
LATE_S = 1.5
"""Beyond the judge's timeout."""
PATIENCE_S = 30.0


@contextmanager
def judge_behind(server: StubJudgeServer) -> Iterator[HttpJudge]:
    judge = connect(HttpJudgeSettings(server.base_url, "stub", "r1", timeout_s=TIMEOUT_S, first_wait_s=0.01))
    yield judge
    judge.close()


def evaluated(judge: Judge, verdicts: VerdictStore, name: str = "keel.json") -> RobustnessResult:
    result = evaluate_payload(
        EXAMPLES[name],
        name,
        edition="2024",
        names=Names(),
        prompt_sets=PromptSets.load(None),
        judge=RecordedJudge(judge, verdicts),
        embedder=ScriptedEmbedder(),
    )
    assert isinstance(result, RobustnessResult)
    return result


class NotedKeys(VerdictStore):
    """A store that notes which of the asked keys it had, each at its first look-up."""

    def __init__(self, store: VerdictStore) -> None:
        self._store = store
        self.had: set[str] = set()

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        found = self._store.load_verdicts(keys)
        self.had |= found.keys()
        return found

    def save_verdicts(self, verdicts: dict[str, str]) -> int:
        return self._store.save_verdicts(verdicts)


class NotedPrompts(Judge):
    """A judge that notes the prompt of each key."""

    def __init__(self, judge: HttpJudge) -> None:
        self._judge = judge
        self.prompts: dict[str, str] = {}

    @property
    def pin(self) -> Pin:
        return self._judge.pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return self._judge.kinds

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        return self._judge.judge(requests)

    def key(self, request: JudgeRequest) -> str:
        key = self._judge.key(request)
        self.prompts[key] = str(self._judge.prompt(request))
        return key


def test_a_tenth_of_calls_failing_changes_nothing_but_a_few_calls() -> None:
    with StubJudgeServer() as sound, judge_behind(sound) as judge:
        expected = evaluated(judge, MemoryVerdicts())
    with StubJudgeServer(failing=0.1, late_s=LATE_S, seed=10) as failing, judge_behind(failing) as judge:
        found = evaluated(judge, MemoryVerdicts())
    assert found.model_dump_json() == expected.model_dump_json()
    assert found.views["english"].figures["pair_mean"].mean.value is not None
    assert set(failing.failed) == set(FAULTS)
    assert failing.arrivals.keys() == sound.arrivals.keys()
    assert sound.calls < failing.calls <= 1.2 * sound.calls


@pytest.mark.parametrize("mode", ["top_logprobs", "text"])
def test_the_other_readings_survive_faults_too(mode: StubMode) -> None:
    with StubJudgeServer(mode=mode) as sound, judge_behind(sound) as judge:
        assert judge.reading == mode
        expected = evaluated(judge, MemoryVerdicts(), "flotsam.json")
    faults: tuple[Fault, ...] = ("too_many", "error", "dropped")
    with StubJudgeServer(mode=mode, failing=0.1, faults=faults) as failing, judge_behind(failing) as judge:
        found = evaluated(judge, MemoryVerdicts(), "flotsam.json")
    assert found.model_dump_json() == expected.model_dump_json()
    assert failing.calls <= 1.2 * sound.calls


def test_label_ids_and_top_tokens_give_the_same_ratings_here() -> None:
    """The stub's labels are all among its twenty most probable tokens."""
    with StubJudgeServer() as exact, judge_behind(exact) as judge:
        by_ids = evaluated(judge, MemoryVerdicts(), "flotsam.json")
        preference = JudgeRequest(PREFERENCE_PAIR, {"answer_a": "a b c", "answer_b": "a"}, "en")
        assert judge.judge([preference])[0].verdict == "A"
    with StubJudgeServer(mode="top_logprobs") as rougher, judge_behind(rougher) as judge:
        by_top = evaluated(judge, MemoryVerdicts(), "flotsam.json")
    assert by_top.views == by_ids.views
    assert by_top.judge != by_ids.judge


def test_a_worker_killed_midway_asks_for_no_stored_verdict_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'plumbline.db'}"
    with StubJudgeServer(answer_s=0.02) as server:  # slow enough to be killed before the end
        killed_worker(server, url, after_calls=2 * REQUESTS_PER_BATCH + 10)
        before = server.arrivals.copy()
        store = Store.open(url)
        noted = NotedKeys(store)
        with judge_behind(server) as judge:
            named = NotedPrompts(judge)
            found = evaluated(named, noted, DISTINCT)
            expected = evaluated(judge, MemoryVerdicts(), DISTINCT)
        store.close()
    stored = {named.prompts[key] for key in noted.had}
    assert 2 * REQUESTS_PER_BATCH <= len(stored) < len(named.prompts)
    assert found.model_dump_json() == expected.model_dump_json()
    # `expected` asked everything once more: what the restarted worker asked is what is left.
    asked_again = {prompt for prompt in named.prompts.values() if server.arrivals[prompt] - before[prompt] > 1}
    assert asked_again == set(named.prompts.values()) - stored
    assert len(asked_again & before.keys()) <= REQUESTS_PER_BATCH  # the batch that was under way


def killed_worker(server: StubJudgeServer, database_url: str, *, after_calls: int) -> None:
    """Runs this file as a worker and kills it once the server has seen so many calls."""
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, __file__, server.base_url, database_url], cwd=ROOT, env=environ)
    deadline = time.monotonic() + PATIENCE_S
    while server.calls < after_calls and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL


def test_a_server_that_goes_down_midway_costs_the_job_nothing_it_has(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", lease_s=0.06, max_attempts=2)
    desk = Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None))
    ticket = desk.submit(EXAMPLES["flotsam.json"], "run.json", owner="local").ticket.id
    with StubJudgeServer() as server:
        settings = HttpJudgeSettings(server.base_url, "stub", timeout_s=TIMEOUT_S, max_attempts=2, first_wait_s=0.0)
        judge = connect(settings)
        worker = Worker(
            name="w",
            store=store,
            archive=Archive(tmp_path / "archive"),
            prompt_sets=desk.prompt_sets,
            scorer=Scorer(judge, ScriptedEmbedder()),
            stop=threading.Event(),
        )
        server.failing = 1.0
        server.faults = ("error",)
        for _ in range(4):  # twice as often as an attempt that raises
            assert until_claimed(worker)
            waiting = store.require(ticket)
            assert waiting.status is JobStatus.QUEUED
            assert "did not answer in 2 of 2 attempts; the last time: status 500 (internal error)" in str(
                waiting.reason
            )
        server.failing = 0.0
        assert until_claimed(worker)
        judge.close()
    assert store.require(ticket).status is JobStatus.SCORED
    store.close()


def until_claimed(worker: Worker) -> bool:
    """Whether the job came to its turn again; it waits for a lease or longer in between."""
    deadline = time.monotonic() + PATIENCE_S
    while not (worked := worker.work_once()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return worked


def test_a_server_that_is_not_there_is_told_at_the_start() -> None:
    with StubJudgeServer() as server:
        gone = server.base_url
    with pytest.raises(JudgeUnavailable, match=r"did not answer in 2 of 2 attempts; .*the connection failed"):
        connect(HttpJudgeSettings(gone, "stub", max_attempts=2, first_wait_s=0.0))


def test_the_servers_key_is_asked_for_and_never_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)  # httpx2's and httpcore2's own lines too
    with StubJudgeServer(api_key="k3y-0123") as server:
        with pytest.raises(JudgeUnavailable, match="status 401; probably the API key is missing or wrong"):
            connect(HttpJudgeSettings(server.base_url, "stub"))
        connect(HttpJudgeSettings(server.base_url, "stub", api_key="k3y-0123")).close()
    assert "/v1/completions" in caplog.text
    assert "k3y-0123" not in caplog.text


def work(base_url: str, database_url: str) -> None:
    """The worker that is killed."""
    store = Store.open(database_url)
    evaluated(connect(HttpJudgeSettings(base_url, "stub", "r1", timeout_s=TIMEOUT_S)), store, DISTINCT)


if __name__ == "__main__":
    work(*sys.argv[1:])
