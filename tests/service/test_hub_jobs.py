"""Jobs as extra hands: the fake Hub sees one when enough submissions wait and none runs, and never two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import HfApi, close_session
from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

from benchmarks.workers import distinct_files
from evaluator.worker.hub_jobs import QUIET_S, HubJobs
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.settings import Settings, SettingsError
from submissions.store.store import Store
from tests.service.fake_hub import TOKEN, FakeHub

DATABASE = "postgresql://plumbline:secret@db.example:5432/plumbline"
SPACE = {
    "SPACE_ID": "team/plumbline",
    "PLUMBLINE_DATABASE_URL": DATABASE,
    "PLUMBLINE_JOBS_BACKLOG": "2",
    "PLUMBLINE_JOBS_TOKEN": TOKEN,
    "PLUMBLINE_JUDGES": "http:https://judge.example/v1#M;frame=chatml,pair",
    "PLUMBLINE_JUDGE_API_KEY": "key-of-the-judge",
}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A Hub that the client may reach."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    with FakeHub() as fake:
        yield fake
    close_session()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield opened
    opened.close()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs(hub: FakeHub, store: Store, clock: Clock) -> HubJobs:
    return HubJobs(store, Settings.from_env(SPACE), HfApi(endpoint=hub.endpoint, token=TOKEN), clock)


def submit(store: Store, folder: Path, count: int) -> None:
    desk = Desk(store, Archive(folder / "archive"), PromptSets.load(None))
    for number, data in enumerate(distinct_files(count)):
        desk.submit(data, f"{number}.json", owner=f"team {number}")


def test_a_job_is_started_when_more_wait_than_the_setting_and_is_a_worker(
    hub: FakeHub, store: Store, jobs: HubJobs, tmp_path: Path
) -> None:
    submit(store, tmp_path, 2)
    assert jobs.look() is None
    assert hub.requests == []  # nobody is asked about jobs that are not wanted
    submit(store, tmp_path, 3)
    assert jobs.look() == "job1"
    [(namespace, job)] = hub.jobs
    assert namespace == "team"
    assert job["command"][2].startswith("git clone --depth 1 https://huggingface.co/spaces/team/plumbline plumbline")
    # The judge is one word of the shell, whatever stands in its name.
    judge = "'http:https://judge.example/v1#M;frame=chatml'"
    assert job["command"][2].endswith(f"exec python -m evaluator work --until-empty --judge {judge}")
    assert job["secrets"] == {"PLUMBLINE_DATABASE_URL": DATABASE, "PLUMBLINE_JUDGE_API_KEY": "key-of-the-judge"}
    assert (job["flavor"], job["timeoutSeconds"]) == ("t4-small", 7200)
    assert job["labels"]["plumbline-space"] == "team--plumbline"
    assert "secret" not in str(job["command"]) + str(job["environment"])


def test_none_is_started_while_one_runs_also_after_a_restart(
    hub: FakeHub, store: Store, jobs: HubJobs, clock: Clock, tmp_path: Path
) -> None:
    submit(store, tmp_path, 3)
    api = HfApi(endpoint=hub.endpoint, token=TOKEN)
    assert jobs.look()
    for stage in ("SCHEDULING", "RUNNING"):
        hub.job_stages[0] = stage
        clock.now += QUIET_S
        assert jobs.look() is None
        just_started = HubJobs(store, Settings.from_env(SPACE), api, clock)
        assert just_started.look() is None
    hub.job_stages[0] = "COMPLETED"
    assert jobs.look()
    assert len(hub.jobs) == 2


def test_jobs_of_others_do_not_count(hub: FakeHub, store: Store, jobs: HubJobs, tmp_path: Path) -> None:
    submit(store, tmp_path, 3)
    other = {"image": "python:3.11", "command": ["true"], "namespace": "team"}
    api = HfApi(endpoint=hub.endpoint, token=TOKEN)
    api.run_job(**other, labels={"plumbline-space": "team--another"})  # type: ignore[arg-type]
    api.run_job(**other)  # type: ignore[arg-type]
    assert jobs.look()


def test_a_call_whose_answer_was_lost_starts_no_second_job(
    hub: FakeHub, store: Store, jobs: HubJobs, clock: Clock, tmp_path: Path
) -> None:
    submit(store, tmp_path, 3)
    hub.inject("job", "lost")
    with pytest.raises(httpx.HTTPError):
        jobs.look()
    assert len(hub.jobs) == 1
    assert jobs.look() is None  # the Hub's list may not have it yet
    clock.now += QUIET_S
    assert jobs.look() is None  # now it has
    assert len(hub.jobs) == 1


def test_a_refusal_is_tried_again_later(
    hub: FakeHub, store: Store, jobs: HubJobs, clock: Clock, tmp_path: Path
) -> None:
    submit(store, tmp_path, 3)
    hub.inject("job", "refused", status=402)  # no money left
    with pytest.raises(httpx.HTTPError):
        jobs.look()
    assert hub.jobs == []
    clock.now += QUIET_S
    assert jobs.look()


def test_without_a_backlog_nothing_is_ever_started(store: Store) -> None:
    assert HubJobs.of(Settings.from_env({}), store) is None


@pytest.mark.parametrize(
    ("missing", "fault"),
    [
        ("SPACE_ID", "PLUMBLINE_JOBS_BACKLOG: found outside a Space"),
        ("PLUMBLINE_JOBS_TOKEN", "PLUMBLINE_JOBS_TOKEN: found nothing"),
        ("PLUMBLINE_DATABASE_URL", "PLUMBLINE_DATABASE_URL: expected postgresql://"),
    ],
)
def test_what_a_job_would_lack_is_told_at_the_start(missing: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        Settings.from_env({**SPACE, missing: ""})
    assert TOKEN not in repr(Settings.from_env(SPACE))
