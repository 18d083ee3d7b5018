"""The archive in a Hub repository: nothing is lost and nothing there twice, whatever the Hub does. It is a fake one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub import close_session
from huggingface_hub.utils import _http

from submissions.archive.events import event_name, is_archive_path, object_path
from submissions.archive.hub import HubRefused, HubRepository, HubUnavailable
from submissions.archive.keeper import ArchiveKeeper, NotRestored, opened_archive
from submissions.archive.mirror import Mirror
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.service.fake_hub import LARGE, TOKEN, FakeHub, Fault, Place

REPO = "team/plumbline-archive"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A Hub that the client may reach, whose pauses between attempts take no time."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(_http, "time", SimpleNamespace(sleep=lambda seconds: None))
    with FakeHub() as fake:
        yield fake
    close_session()


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Service:
    """What a page process has of the archive, on a disk of its own, stepped by hand."""

    def __init__(self, folder: Path, hub: FakeHub, *, interval_s: float = 60.0, by_mirror: bool = True) -> None:
        self.clock = Clock()
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}")
        self.archive = Archive(folder / "archive")
        self.mirror = Mirror(self.archive, HubRepository(REPO, TOKEN, hub.endpoint))
        self.by_mirror = by_mirror
        self.keeper = ArchiveKeeper(
            self.store,
            self.archive,
            self.mirror,
            accepts_by_mirror=by_mirror,
            interval_s=interval_s,
            clock=self.clock,
        )

    def submit(self, ticket_id: str, data: bytes | None = None) -> None:
        content = f"file of {ticket_id}".encode() if data is None else data
        at = float(len(self.archive.names()))
        facts = {
            "ticket_id": ticket_id,
            "owner": "local",
            "role": "entry",
            "edition": "2024",
            "set_id": "demonstration",
            "names": Names(team="aurora", system=ticket_id),
            "file_name": "aurora.json",
            "data": content,
            "received_at": at,
        }
        self.archive.record_submission(**facts)  # type: ignore[arg-type]
        self.store.add(**facts, accepted=not self.by_mirror)  # type: ignore[arg-type]

    def steps(self, seconds: float) -> None:
        """What the thread would do within that time."""
        until = self.clock.now + seconds
        while self.clock.now < until:
            self.keeper.step()
            self.clock.now += 10.0  # seldom enough to be quick

    def status(self, ticket_id: str) -> JobStatus:
        return self.store.require(ticket_id).status


@pytest.fixture
def service(tmp_path: Path, hub: FakeHub) -> Iterator[Callable[..., Service]]:
    made: list[Service] = []

    def make(name: str = "first", **options: float | bool) -> Service:
        made.append(Service(tmp_path / name, hub, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.store.close()


def archive_files(folder: Path) -> dict[str, bytes]:
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in paths.items()}


def assert_kept_once_and_in_order(hub: FakeHub, archive: Archive) -> None:
    """Every file of the archive is in the repository, none was ever committed twice, events came in their order."""
    kept = {path: data for path, data in hub.files(REPO).items() if is_archive_path(path)}
    assert kept == archive_files(archive.folder)
    added = [path for commit in hub.commits(REPO) for path in commit.added if is_archive_path(path)]
    assert len(added) == len(set(added))
    events = [name for path in added if (name := event_name(path))]
    assert events == sorted(events, key=lambda name: name.order)


def test_a_submission_is_received_until_the_hub_has_it_and_then_queued(
    hub: FakeHub, service: Callable[..., Service]
) -> None:
    here = service()
    here.submit("a")
    assert here.status("a") is JobStatus.RECEIVED
    assert here.store.claim("w") is None
    here.keeper.step()
    assert here.status("a") is JobStatus.QUEUED
    assert here.store.require("a").log[-1].endswith(f"in the archive {REPO}; queued")
    assert_kept_once_and_in_order(hub, here.archive)


def test_on_a_disk_that_lasts_a_submission_is_queued_at_once_and_mirrored_all_the_same(
    hub: FakeHub, service: Callable[..., Service]
) -> None:
    here = service(by_mirror=False)
    here.submit("a")
    assert here.status("a") is JobStatus.QUEUED
    here.keeper.step()
    assert_kept_once_and_in_order(hub, here.archive)


def test_what_waited_for_the_hub_is_queued_when_the_disk_is_said_to_last(
    hub: FakeHub, service: Callable[..., Service]
) -> None:
    here = service()
    here.submit("a")
    here.store.close()
    same = service(by_mirror=False)
    same.keeper.step()
    assert same.store.require("a").log[-1].endswith("kept on this machine's disk; queued")


def test_a_disk_that_is_full_for_a_while_stops_nothing_for_good(
    hub: FakeHub, service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = service()
    here.submit("a")
    with monkeypatch.context() as full:

        def no_space(store: Store) -> int:
            raise OSError(28, "No space left on device")

        full.setattr(here.archive, "catch_up", no_space)
        here.keeper.step()
    assert "No space left on device" in caplog.text
    assert here.status("a") is JobStatus.RECEIVED
    here.keeper.step()
    assert here.status("a") is JobStatus.QUEUED


FAULTS: list[tuple[Place, Fault, int]] = [
    ("info", "refused", 500),
    ("info", "cut", 0),
    ("create", "refused", 503),
    ("create", "lost", 0),
    ("tree", "refused", 429),
    ("tree", "half", 0),
    ("preupload", "refused", 500),
    ("preupload", "lost", 0),
    ("preupload", "cut", 0),
    ("commit", "refused", 429),
    ("commit", "refused", 500),
    ("commit", "refused", 504),
    ("commit", "refused", 412),
    ("commit", "refused", 401),
    ("commit", "moved", 0),
    ("commit", "lost", 0),
    ("commit", "half", 0),
    ("commit", "cut", 0),
]


@pytest.mark.parametrize(("place", "fault", "status"), FAULTS, ids=str)
def test_after_any_fault_of_the_hub_everything_is_there_once_and_in_order(
    hub: FakeHub, service: Callable[..., Service], place: Place, fault: Fault, status: int
) -> None:
    here = service()
    for number in range(2):
        hub.inject(place, fault, status)
        here.submit(f"a{number}")
        here.submit(f"b{number}")
        here.steps(600.0)
        # What the repository holds is read once; after that only commits are asked for.
        if number == 0 or place in ("preupload", "commit"):
            assert hub.is_over(place), "the fault was met"
        assert here.status(f"a{number}") is JobStatus.QUEUED
    assert_kept_once_and_in_order(hub, here.archive)


def test_a_commit_whose_answer_was_lost_is_not_made_twice(hub: FakeHub, service: Callable[..., Service]) -> None:
    here = service()
    hub.inject("commit", "lost")
    here.submit("a")
    here.keeper.step()
    assert here.status("a") is JobStatus.RECEIVED  # nobody told us
    assert len(hub.commits(REPO)) == 1
    here.steps(120.0)
    assert here.status("a") is JobStatus.QUEUED
    assert len(hub.commits(REPO)) == 1


def test_another_ones_commit_is_built_upon_not_overwritten(hub: FakeHub, service: Callable[..., Service]) -> None:
    here = service()
    here.submit("a")
    here.keeper.step()
    hub.inject("commit", "moved")
    here.submit("b")
    here.steps(300.0)
    assert hub.statuses("commit") == [200, 412, 200]
    assert "README.md" in hub.files(REPO)
    assert_kept_once_and_in_order(hub, here.archive)


def test_a_silent_hub_is_given_up_and_asked_again(
    hub: FakeHub, service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.archive.hub.TIMEOUT_S", 0.3)
    here = service()
    hub.inject("commit", "silent")
    here.submit("a")
    here.keeper.step()
    assert here.status("a") is JobStatus.RECEIVED
    here.steps(120.0)
    assert here.status("a") is JobStatus.QUEUED
    assert_kept_once_and_in_order(hub, here.archive)


@pytest.mark.parametrize("headers", [{"Retry_After": "600"}, {"ratelimit": '"api";r=0;t=600'}])
def test_a_pause_the_hub_asks_for_is_kept(
    hub: FakeHub, service: Callable[..., Service], headers: dict[str, str]
) -> None:
    here = service()
    hub.inject("commit", "refused", 429, **headers)
    here.submit("a")
    here.steps(600.0)
    assert hub.statuses("commit") == [429]
    here.steps(10.0)
    assert hub.statuses("commit") == [429, 200]


def test_a_hub_that_is_down_is_asked_ever_more_rarely(hub: FakeHub, service: Callable[..., Service]) -> None:
    here = service()
    for _ in range(100):
        hub.inject("commit", "refused", 500)
    here.submit("a")
    here.steps(7200.0)
    # Pauses: six of 60 to 64 s, then 64 to 128 s, 128 to 256 s, 256 to 512 s: ten attempts after 808 to 1,280 s. The
    # others are 450 to 900 s: 6 to 14 attempts more.
    assert 16 <= len(hub.statuses("commit")) <= 25


def test_an_hour_of_steady_submissions_stays_within_what_the_hub_allows(
    hub: FakeHub, service: Callable[..., Service]
) -> None:
    here = service()
    started = here.clock.now
    at: list[float] = []
    number = 0
    while here.clock.now < started + 3600:
        if number % 5 == 0:
            here.submit(f"t{number}")
        number += 1
        before = len(hub.commits(REPO))
        here.keeper.step()
        here.clock.now += 8.0
        at += [here.clock.now] * (len(hub.commits(REPO)) - before)
    # One at the start, then one a minute at most: the Hub's bound is 128 an hour.
    assert 50 <= len(at) <= 61
    assert all(later - earlier >= 60 for earlier, later in pairwise(at))
    here.steps(120.0)
    assert_kept_once_and_in_order(hub, here.archive)


def test_many_events_go_in_batches(
    hub: FakeHub, service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.archive.mirror.EVENTS_PER_COMMIT", 10)
    here = service()
    for number in range(25):
        here.submit(f"t{number:02d}")
    here.steps(180.0)
    # Each event refers to a file of its own: 10, 10 and 5 events make 20, 20 and 10 files.
    assert [len(commit.added) for commit in hub.commits(REPO)] == [20, 20, 10]
    assert_kept_once_and_in_order(hub, here.archive)


def test_a_batch_ends_before_it_is_too_large_and_a_large_event_goes_alone(
    hub: FakeHub, service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.archive.mirror.BYTES_PER_COMMIT", 5000)
    here = service()
    for ticket, size in (("a", 3000), ("b", 9000), ("c", 10)):
        here.submit(ticket, ticket.encode() * size)
    here.steps(180.0)
    assert [len(commit.added) for commit in hub.commits(REPO)] == [2, 2, 2]


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # of the client, towards its HTTP library
def test_a_file_beyond_plain_git_goes_to_large_storage_and_comes_back(
    hub: FakeHub, service: Callable[..., Service]
) -> None:
    here = service()
    here.submit("large", b"x" * LARGE)
    here.keeper.step()
    assert len(hub.large) == 1
    there = service("second")
    there.mirror.restore()
    assert archive_files(there.archive.folder) == archive_files(here.archive.folder)


def test_an_empty_disk_is_filled_page_by_page(hub: FakeHub, service: Callable[..., Service]) -> None:
    here = service()
    for number in range(30):
        here.submit(f"t{number:02d}")
    here.keeper.step()
    hub.page = 7
    there = service("second")
    assert there.mirror.restore() == 60
    assert there.mirror.restore() == 0
    assert restore(there.archive, there.store, accepted=False).added == 30
    there.keeper.step()
    assert [there.status(f"t{number:02d}") for number in range(30)] == [JobStatus.QUEUED] * 30
    assert len(hub.commits(REPO)) == 1, "what was restored is not sent again"


@pytest.mark.parametrize(("fault", "status"), [("refused", 500), ("refused", 429), ("lost", 0), ("half", 0)], ids=str)
def test_a_fault_while_restoring_costs_only_another_attempt(
    hub: FakeHub, service: Callable[..., Service], fault: Fault, status: int
) -> None:
    here = service()
    for number in range(4):
        here.submit(f"t{number}")
    here.keeper.step()
    there = service("second")
    for _ in range(3):
        hub.inject("resolve", fault, status)
    for _ in range(10):
        try:
            there.mirror.restore()
            break
        except HubUnavailable:
            continue
    assert archive_files(there.archive.folder) == archive_files(here.archive.folder)


def test_a_damaged_object_is_not_taken_in_and_everything_else_is(
    hub: FakeHub, service: Callable[..., Service], caplog: pytest.LogCaptureFixture
) -> None:
    here = service()
    here.submit("a")
    here.keeper.step()
    (path,) = [path for path in hub.files(REPO) if path.startswith("objects/")]
    here.submit("b")
    here.steps(120.0)
    hub.add(REPO, {path: b"other bytes"})
    there = service("second")
    assert there.mirror.restore() == 3  # the event of a, the file and the event of b
    assert f"damaged in {REPO}: {path}" in caplog.text
    restored = restore(there.archive, there.store)
    assert [ticket.id for ticket in there.store.tickets()] == ["b"]
    assert (restored.missing, [loss.fault.path for loss in restored.losses]) == (("a",), [path])


def test_what_is_damaged_here_is_fetched_again_and_the_damaged_file_kept(
    tmp_path: Path, hub: FakeHub, service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = service("disk")
    here.submit("a")
    here.keeper.step()
    whole = archive_files(here.archive.folder)
    for number, path in enumerate(sorted(whole)):
        (here.archive.folder / path).write_bytes(b"" if number else whole[path][:9])
    # Another disk with the same archive, whose database is gone: only the repository has it whole.
    (tmp_path / "other").mkdir()
    here.archive.folder.rename(tmp_path / "other" / "archive")
    store, keeper = opened(settings(tmp_path / "other", HF_TOKEN=TOKEN), hub, monkeypatch)
    assert store.require("a").file_name
    assert keeper.damaged() == 0
    files = archive_files(tmp_path / "other" / "archive")
    assert {path: files[path] for path in whole} == whole
    assert {path.removeprefix("damaged/") for path in files if path.startswith("damaged/")} == set(whole)
    store.close()


def test_what_is_damaged_here_is_not_sent_and_holds_nothing_else_back(
    hub: FakeHub, service: Callable[..., Service], caplog: pytest.LogCaptureFixture
) -> None:
    here = service()
    here.submit("a")
    here.submit("b")
    name = next(name for name in here.archive.names() if name.subject == "a")
    path = object_path(here.archive.event(name)["file_sha256"])
    (here.archive.folder / path).write_bytes(b"other bytes")
    for _ in range(2):
        here.mirror.push()
    assert path not in hub.files(REPO)
    assert [here.mirror.has_submission(ticket) for ticket in "ab"] == [False, True]
    assert sum("not sent to" in record.getMessage() for record in caplog.records) == 1
    here.steps(300.0)  # the database has the file: it is kept again, and sent
    assert hub.files(REPO)[path] == b"file of a"
    assert here.mirror.has_submission("a")


def test_nothing_but_files_of_an_archive_is_taken_in(hub: FakeHub, service: Callable[..., Service]) -> None:
    hub.add(REPO, {"README.md": b"#", "objects/../../x": b"x", "log/../../../y.json": b"{}", "log/z.sh": b"z"})
    there = service("second")
    assert there.mirror.restore() == 0
    assert not (there.archive.folder / "README.md").exists()


def test_a_wrong_token_is_said_and_never_logged(
    hub: FakeHub, service: Callable[..., Service], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    here = service()
    secret = "hf_" + "anotherTokenThatIsWrong"
    wrong = HubRepository(REPO, secret, hub.endpoint)
    with pytest.raises(HubRefused) as refused:
        wrong.head()
    for place in ("info", "commit", "preupload"):
        hub.inject(place, "refused", 500)
        hub.inject(place, "lost")
    here.submit("a")
    here.steps(1200.0)
    said = caplog.text + "".join(capfd.readouterr()) + str(refused.value) + repr(refused.value)
    assert "Invalid credentials" in said
    assert "not in team/plumbline-archive yet" in said
    assert secret not in said
    assert TOKEN not in said
    assert not any(secret in data.decode() or TOKEN in data.decode() for data in hub.files(REPO).values())


def test_a_repository_that_takes_nothing_for_long_is_trouble_until_it_does(
    hub: FakeHub, service: Callable[..., Service]
) -> None:
    here = service()
    here.submit("a")
    for _ in range(10):
        hub.inject("commit", "refused", 401)
    here.steps(600.0)
    assert here.keeper.trouble() == "", "it may pass"
    here.steps(600.0)
    assert here.keeper.trouble().startswith(f"{REPO} has taken nothing for ")
    while not hub.is_over("commit"):
        here.steps(600.0)
    here.steps(2000.0)
    assert here.keeper.trouble() == ""


# --- from the settings to an open service ----------------------------------------------------------------------------


def settings(folder: Path, **environ: str) -> Settings:
    return Settings.from_env({"PLUMBLINE_DATA": str(folder), "PLUMBLINE_ARCHIVE_REPO": REPO, **environ})


def opened(settings: Settings, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, ArchiveKeeper]:
    # What HF_ENDPOINT sets when the client is imported.
    template = hub.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", hub.endpoint)
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    store = Store.open(settings.resolved_database_url)
    return store, opened_archive(settings, store, threading.Event())[1]


def test_a_space_that_restarts_on_an_empty_disk_has_everything_before_it_serves(
    tmp_path: Path, hub: FakeHub, service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.archive.keeper.FIRST_RESTORE_WAIT_S", 0.01)
    here = service()
    here.submit("scored")
    here.submit("waiting")
    here.keeper.step()
    job = here.store.claim("w")
    assert job is not None
    here.store.finish(job.id, "w", '{"score": 4}')  # the worker is on another machine: nobody else records it
    here.steps(120.0)
    hub.inject("info", "refused", 503)
    hub.inject("resolve", "refused", 500)
    store, keeper = opened(settings(tmp_path / "fresh", SPACE_ID="team/space", HF_TOKEN=TOKEN), hub, monkeypatch)
    assert store.result("scored") == '{"score": 4}'
    keeper.step()
    assert store.require("waiting").status is JobStatus.QUEUED
    store.close()


def test_an_empty_disk_without_the_right_token_does_not_open(
    tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotRestored, match="HF_TOKEN is not"):
        opened(settings(tmp_path), hub, monkeypatch)
    with pytest.raises(NotRestored, match="status 401"):
        opened(settings(tmp_path, HF_TOKEN="hf_wrong"), hub, monkeypatch)


def test_a_disk_that_has_its_archive_opens_without_the_hub(
    tmp_path: Path, hub: FakeHub, service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service("disk").submit("a")
    hub.inject("info", "refused", 503)
    store, _ = opened(settings(tmp_path / "disk", HF_TOKEN=TOKEN), hub, monkeypatch)
    assert store.require("a").status is JobStatus.RECEIVED
    store.close()


# What was erased


def everything(hub: FakeHub) -> bytes:
    """All that the Hub holds: every file of every commit, and its large-file storage."""
    with hub.lock:
        kept = [data for history in hub.repositories.values() for one in history for data in one.files.values()]
        return b"\n".join([*kept, *hub.large.values()])


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # of the client, towards its HTTP library
@pytest.mark.parametrize(
    ("place", "fault"),
    [(None, "lost"), ("commit", "lost"), ("lfs_delete", "lost"), ("squash", "refused")],
)
def test_what_was_erased_leaves_the_repository_its_history_and_its_large_files(
    service: Callable[..., Service], hub: FakeHub, place: Place | None, fault: Fault
) -> None:
    first = service()
    secret = b"the answer of aurora "
    first.submit("t1", secret * (LARGE // len(secret) + 1))
    first.submit("t2", b"another answer")
    first.submit("t3", b"what was sent twice")
    first.submit("t4", b"what was sent twice")
    first.steps(200)
    before = hub.repositories[REPO][-1].oid
    assert secret in everything(hub)
    for ticket in ("t1", "t3"):
        first.store.cancel(ticket, "local")
        Desk(first.store, first.archive, PromptSets.load(None)).erase(ticket, actor="operator", reason="asked for")
    if place is not None:
        hub.inject(place, fault)
    first.steps(1500)
    assert place is None or hub.is_over(place)
    assert secret not in everything(hub)
    (squashed,) = hub.repositories[REPO]
    assert squashed.oid != before
    # What another ticket holds as well stays, and what comes later is committed on top.
    assert b"what was sent twice" in everything(hub)
    first.submit("t5", b"a later one")
    first.steps(200)
    assert b"a later one" in everything(hub)
    # An empty disk gets tombstones, and nothing of what they stand for.
    second = service("second")
    second.mirror.restore()
    restore(second.archive, second.store, accepted=True)
    assert [second.status(one) for one in ("t1", "t2", "t3", "t4")] == [
        *(JobStatus.WITHDRAWN, JobStatus.QUEUED),
        *(JobStatus.WITHDRAWN, JobStatus.QUEUED),
    ]
    assert second.store.require("t1").reason == "its answers were erased: asked for"
    assert second.archive.log().damage == ()


def test_an_older_copy_of_the_repository_brings_nothing_back(service: Callable[..., Service], hub: FakeHub) -> None:
    first = service()
    first.submit("t1", b"the answer of aurora")
    first.steps(200)
    old = dict(hub.files(REPO))
    first.store.cancel("t1", "local")
    Desk(first.store, first.archive, PromptSets.load(None)).erase("t1", actor="operator", reason="asked for")
    first.steps(1500)
    hub.add(REPO, old)  # somebody puts a copy of theirs back
    second = service("second")
    second.mirror.restore()
    restore(second.archive, second.store, accepted=True)
    assert second.status("t1") is JobStatus.WITHDRAWN
    assert not any(b"the answer of aurora" in data for data in archive_files(second.archive.folder).values())
    second.steps(200)
    assert b"the answer of aurora" not in everything(hub)
    # Sent again by its team it is a submission like any other, here and after a restart.
    second.submit("t9", b"the answer of aurora")
    second.steps(200)
    third = service("third")
    third.mirror.restore()
    restore(third.archive, third.store, accepted=True)
    assert third.store.payload(third.store.require("t9").file_sha256) == b"the answer of aurora"
    assert (third.status("t1"), third.status("t9")) == (JobStatus.WITHDRAWN, JobStatus.QUEUED)
