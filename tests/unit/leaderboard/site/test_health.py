from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from prometheus_client import Histogram
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.testclient import TestClient

from leaderboard.page.services import Services
from leaderboard.site.health import OK, Health, Looked, Part, routes
from submissions.schema import Names
from submissions.store.store import StoreError


@pytest.fixture
def client(services: Services, tmp_path: Path) -> Iterator[TestClient]:
    seconds = Histogram("plumbline_event_seconds", "Of a test.", ("event", "outcome"), registry=None)
    with TestClient(Starlette(routes=routes(Health(services.store, tmp_path / "archive"), seconds))) as client:
        seconds.labels("board", "done").observe(0.2)
        yield client


def figures(client: TestClient) -> dict[str, float]:
    """Figures by name and labels, as Prometheus reads them."""
    families = text_string_to_metric_families(client.get("/metrics").text)
    samples = (sample for family in families for sample in family.samples)
    return {" ".join([sample.name, *sample.labels.values()]): sample.value for sample in samples}


def test_all_is_well_with_a_store_an_archive_and_a_worker(client: TestClient, services: Services) -> None:
    services.store.worker_seen("worker", "scripted")
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    assert answer.json()["parts"] == {part: {"status": "ok"} for part in ("store", "archive", "workers")}


def test_without_a_worker_it_says_so_and_is_not_restarted_for_it(client: TestClient) -> None:
    # The first worker of a start reports half a minute after the page is open; others may be on other machines.
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert answer.json()["parts"]["workers"] == {
        "status": "failed",
        "reason": "no worker was heard of within its lease, so submissions wait",
    }


def test_an_archive_that_cannot_be_written_to_is_told_without_its_path(services: Services, tmp_path: Path) -> None:
    services.store.worker_seen("worker", "scripted")
    (tmp_path / "archive").write_text("no folder", encoding="utf-8")
    assert Health(services.store, tmp_path / "archive").parts() == {
        "store": OK,
        "archive": Part("failed", "nothing can be written: Not a directory"),
        "workers": OK,
    }


def test_a_page_server_that_can_keep_nothing_is_to_be_restarted(
    client: TestClient, services: Services, tmp_path: Path
) -> None:
    services.store.worker_seen("worker", "scripted")
    (tmp_path / "archive").write_text("no folder", encoding="utf-8")
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (503, "failed")
    assert answer.json()["parts"]["workers"] == {"status": "ok"}


def test_before_the_first_submission_the_archive_is_well(services: Services, tmp_path: Path) -> None:
    health = Health(services.store, tmp_path / "data" / "archive")
    assert health.parts()["archive"] == OK
    assert health.free_bytes() > 0
    assert not (tmp_path / "data").exists()


def test_looking_leaves_nothing_in_the_archive(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    client.get("/healthz")
    assert list((tmp_path / "archive").iterdir()) == []


def test_a_closed_store_is_not_well(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise StoreError("the database at postgresql://user:secret@host does not answer")

    monkeypatch.setattr(type(services.store), "counts", lambda self: gone())
    services.store.worker_seen("worker", "scripted")
    assert Health(services.store, tmp_path / "archive").parts() == {
        "store": Part("failed", "the database does not answer"),
        "archive": OK,
        "workers": Part("failed", "not known while the database does not answer"),
    }


def test_figures_are_of_the_whole_service_and_name_nobody(
    client: TestClient, services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    data = demonstration_file("Team of nobody")
    services.desk.submit(data, "secret.json", owner="local", names=Names(system="Keel"))
    services.store.worker_seen("worker-of-vm", "scripted")
    services.store.save_verdicts({"a": "{}", "b": "{}"})
    found = figures(client)
    assert found["plumbline_jobs queued"] == 1
    assert found["plumbline_jobs scored"] == 0
    assert 0 <= found["plumbline_oldest_queued_seconds"] < 60
    assert found["plumbline_workers_alive"] == 1
    assert found["plumbline_judgements_total"] == 2
    assert found["plumbline_part_up archive"] == 1
    assert found["plumbline_archive_free_bytes"] > 0
    assert found["plumbline_event_seconds_count board done"] == 1
    assert found["process_start_time_seconds"] > 0
    text = client.get("/metrics").text
    for secret in ("nobody", "Keel", "secret", "worker-of-vm", "local"):
        assert secret not in text


def test_however_many_ask_the_store_is_asked_once() -> None:
    numbers = iter(range(1, 10))
    kept = Looked("test", lambda: next(numbers), kept_s=60.0)
    assert [kept.value() for _ in range(5)] == [1] * 5
    renewed = Looked("test", lambda: next(numbers), kept_s=0.0)
    assert [renewed.value() for _ in range(3)] == [2, 3, 4]


def test_a_lookup_that_hangs_is_waited_for_but_not_repeated() -> None:
    go_on, asked = threading.Event(), []

    def hang() -> str:
        asked.append(1)
        go_on.wait(30)
        return "found"

    looked = Looked("test", hang, kept_s=0.0, patience_s=0.01)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            looked.value()
    assert len(asked) == 1
    go_on.set()
    # The lookup that hung may end now, or the next one is well.
    assert Looked("test", hang).value() == "found"


@dataclass(frozen=True, slots=True)
class Kept:
    """An archive as its keeper sees it."""

    damage: int = 0
    behind: str = ""

    def damaged(self) -> int:
        return self.damage

    def trouble(self) -> str:
        return self.behind


def test_an_archive_that_falls_behind_is_not_said_to_be_well(services: Services, tmp_path: Path) -> None:
    behind = "team/archive has taken nothing for 20 minutes: the log says why"
    assert Health(services.store, tmp_path, Kept(behind=behind)).parts()["archive"] == Part("degraded", behind)
    assert Health(services.store, tmp_path, Kept()).parts()["archive"] == OK


def test_a_disk_that_has_no_room_for_the_largest_submission_is_told_before_it_is_full(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Health, "free_bytes", lambda self: 700 * 1024 * 1024)
    # Of 256 MiB, kept as an upload, in the archive and in the database.
    expected = Part("degraded", "700 MiB are free: the largest submission needs 768")
    assert Health(services.store, tmp_path).parts()["archive"] == expected


def test_damage_in_the_archive_is_counted_and_is_no_reason_to_restart(services: Services, tmp_path: Path) -> None:
    services.store.worker_seen("worker", "scripted")
    seconds = Histogram("plumbline_event_seconds", "Of a test.", ("event", "outcome"), registry=None)
    health = Health(services.store, tmp_path / "archive", Kept(damage=3))
    with TestClient(Starlette(routes=routes(health, seconds))) as client:
        answer = client.get("/healthz")
        assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
        assert answer.json()["parts"]["archive"] == {
            "status": "degraded",
            "reason": "3 files of the archive are damaged: `python -m submissions rebuild` names what and why",
        }
        found = figures(client)
    assert (found["plumbline_archive_damaged_files"], found["plumbline_part_up archive"]) == (3, 1)


def test_a_damaged_database_is_told_with_the_command_and_without_its_path(
    client: TestClient, services: Services, tmp_path: Path
) -> None:
    services.store.damaged("database disk image is malformed")
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (503, "failed")
    assert answer.json()["parts"]["store"]["reason"] == (
        "the database is damaged: stop Plumbline and run `python app.py --rebuild`"
    )
    assert str(tmp_path) not in answer.text
