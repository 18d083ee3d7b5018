from __future__ import annotations

import os
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from gradio.route_utils import upload_fn
from starlette.applications import Starlette
from starlette.formparsers import MultiPartException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.web import uploads as module
from leaderboard.web.pace import AT_ONCE, Pace
from leaderboard.web.pages import UPLOADS_KEPT_S
from leaderboard.web.uploads import MIB, UNREADABLE, NoRoom, UploadLimit, Uploads

ANNA, BEN = "192.0.2.1", "192.0.2.2"


class Disk:
    """A clock and a disk that do as they are told."""

    now = 1_000_000.0
    free = 10_000 * MIB


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def uploads(tmp_path: Path, disk: Disk) -> Uploads:
    return Uploads(
        tmp_path,
        for_one=3 * MIB,
        in_all=5 * MIB,
        least_free=MIB,
        free=lambda folder: disk.free,
        clock=lambda: disk.now,
    )


def arrived(uploads: Uploads, visitor: str, name: str, size: int = MIB) -> Path:
    """An upload that has come and is counted."""
    path = Path(uploads._folder) / name / "file.json"
    with uploads.coming(visitor) as grown:
        grown(size)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"0" * size)
        uploads.take(visitor, [str(path)])
    return path


def test_files_are_taken_again_after_somebody_tidied_the_folder_away(tmp_path: Path) -> None:
    folder = tmp_path / "gradio"
    uploads = Uploads(folder, for_one=3 * MIB, in_all=5 * MIB, least_free=1)
    arrived(uploads, ANNA, "first")
    shutil.rmtree(folder)
    assert arrived(uploads, ANNA, "second").exists()


def refusal(uploads: Uploads, visitor: str, size: int = MIB) -> tuple[int, str]:
    with uploads.coming(visitor) as grown, pytest.raises(NoRoom) as refused:
        grown(size)
    return refused.value.status, str(refused.value)


def test_a_visitor_has_so_much_room_and_others_have_theirs(uploads: Uploads) -> None:
    for number in range(3):
        arrived(uploads, ANNA, f"a{number}")
    status, said = refusal(uploads, ANNA)
    assert status == 429
    assert said.startswith("Your uploads take 3 of 3 MiB in 3 of 500 files: they are removed")
    arrived(uploads, BEN, "b")


def test_all_together_have_so_much(uploads: Uploads) -> None:
    for number in range(5):
        arrived(uploads, f"198.51.100.{number}", str(number))
    assert refusal(uploads, ANNA) == (507, "The uploads of all visitors take all their room: try again in an hour.")


def test_what_is_on_its_way_counts(uploads: Uploads) -> None:
    with uploads.coming(ANNA) as first, uploads.coming(ANNA) as second:
        first(2 * MIB)
        second(MIB)
        with pytest.raises(NoRoom):
            second(2 * MIB)
    with uploads.coming(ANNA) as grown:
        grown(3 * MIB)  # nothing came of the others


def test_small_files_take_room_too(uploads: Uploads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 2)
    for number in range(2):
        arrived(uploads, ANNA, str(number), size=1)
    assert refusal(uploads, ANNA, 1)[0] == 429
    monkeypatch.setattr(module, "MOST_FILES_IN_ALL", 2)
    assert refusal(uploads, BEN, 1)[0] == 507


def test_the_disk_is_looked_at_first(uploads: Uploads, disk: Disk) -> None:
    disk.free = 2 * MIB
    with uploads.coming(ANNA) as grown:
        grown(MIB)
        # What is on its way will be on the disk.
        assert refusal(uploads, BEN, 1)[0] == 507
    assert refusal(uploads, ANNA, MIB + 1) == (
        507,
        "The disk of this installation is nearly full, so no upload is taken: try again later.",
    )


def test_files_that_were_removed_make_room(uploads: Uploads) -> None:
    path = arrived(uploads, ANNA, "a", 3 * MIB)
    path.unlink()
    arrived(uploads, ANNA, "b", 3 * MIB)


def test_a_closed_page_takes_its_files_with_it(uploads: Uploads) -> None:
    used, unused = arrived(uploads, ANNA, "used"), arrived(uploads, ANNA, "unused")
    uploads.used_in("page", [str(used), "/etc/passwd"])
    uploads.closed("another page")
    assert used.exists()
    uploads.closed("page")
    assert not used.parent.exists()
    assert unused.exists()
    assert Path("/etc/passwd").exists()


def test_a_file_that_others_use_or_sent_stays(uploads: Uploads) -> None:
    # gradio keeps the same content under the same name once.
    path = str(arrived(uploads, ANNA, "same"))
    for page in ("first", "second"):
        uploads.used_in(page, [path])
    uploads.closed("first")
    assert Path(path).exists()
    arrived(uploads, BEN, "same")
    uploads.closed("second")
    assert Path(path).exists()


def test_a_file_that_was_sent_once_more_waits_for_the_page_it_came_for(uploads: Uploads) -> None:
    path = str(arrived(uploads, ANNA, "same"))
    uploads.used_in("first", [path])
    arrived(uploads, ANNA, "same")  # from a second page of the same address, which has not used it yet
    uploads.used_in("first", [path])
    uploads.closed("first")
    assert Path(path).exists()
    uploads.used_in("second", [path])
    uploads.closed("second")
    assert not Path(path).exists()


def test_after_an_hour_files_go_and_so_does_what_broken_uploads_left(uploads: Uploads, disk: Disk) -> None:
    disk.now = time.time()
    old = arrived(uploads, ANNA, "old")
    left, coming = uploads._folder / "tmp1", uploads._folder / "tmp2"
    for file in (left, coming):
        file.write_bytes(b"half")
    os.utime(left, (disk.now - UPLOADS_KEPT_S - 1,) * 2)
    disk.now += UPLOADS_KEPT_S + 1.0
    os.utime(coming, (disk.now,) * 2)
    uploads.sweep()
    assert (old.exists(), left.exists(), coming.exists()) == (False, False, True)


@pytest.fixture
def pace() -> Pace:
    return Pace(60, clock=lambda: 0.0)


@pytest.fixture
def client(uploads: Uploads, pace: Pace) -> Iterator[TestClient]:
    async def upload(request: Request) -> Response:
        # As gradio's own route does it.
        try:
            files, _, _ = await upload_fn(request, str(uploads._folder), 2 * MIB, None)
        except MultiPartException as fault:
            return PlainTextResponse(fault.message, 413)
        return JSONResponse(files)

    async def alive(request: Request) -> Response:
        async def beats() -> AsyncIterator[str]:
            yield "data: ALIVE\n\n"

        return StreamingResponse(beats())

    routes = [Route("/gradio_api/upload", upload, methods=["POST"]), Route("/gradio_api/heartbeat/{session}", alive)]
    middleware = [Middleware(UploadLimit, uploads=uploads, pace=pace, grace_s=0.0)]
    with TestClient(Starlette(routes=routes, middleware=middleware)) as client:
        yield client


def files_in(uploads: Uploads) -> list[str]:
    return sorted(path.name for path in uploads._folder.rglob("*") if path.is_file())


def test_uploads_are_taken_while_there_is_room_and_then_refused_before_anything_is_written(
    client: TestClient, uploads: Uploads
) -> None:
    names = ["0.json", "1.json"]
    for number, name in enumerate(names):
        answer = client.post("/gradio_api/upload", files={"files": (name, bytes([number]) * (MIB + MIB // 4))})
        assert Path(answer.json()[0]).name == name
    refused = client.post("/gradio_api/upload", files={"files": ("2.json", b"2" * MIB)})
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "600")
    assert refused.text.startswith("Your uploads take 2 of 3 MiB in 2 of 500 files")
    assert files_in(uploads) == names


def test_uploads_one_after_the_other_wait_and_are_refused_where_that_would_be_long(
    client: TestClient, uploads: Uploads, pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(module, "asyncio", SimpleNamespace(sleep=sleep))
    for _ in range(AT_ONCE + 9):
        pace.turn("unknown")  # the test client states no address that is one
    last, refused = (client.post("/gradio_api/upload", files={"files": ("a.json", b"1")}) for _ in range(2))
    assert (last.status_code, slept) == (200, [10.0])
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert refused.text == "You send more than 60 files a minute: send this one again in 1 s."


def test_an_upload_that_does_not_say_how_large_it_is_is_stopped_and_leaves_nothing(
    client: TestClient, uploads: Uploads
) -> None:
    def parts() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.json"\r\n\r\n'
        for _ in range(5):
            yield b"0" * MIB

    refused = client.post(
        "/gradio_api/upload", content=parts(), headers={"content-type": "multipart/form-data; boundary=x"}
    )
    assert refused.status_code == 429
    assert files_in(uploads) == []


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="files"\r\n\r\ntext\r\n--x--\r\n',
        ),
        ("multipart/form-data", b"no boundary"),
    ],
)
def test_what_is_no_upload_is_said_to_be_none(client: TestClient, kind: str, body: bytes) -> None:
    answer = client.post("/gradio_api/upload", content=body, headers={"content-type": kind})
    assert answer.status_code in (400, 413)
    assert "\n" not in answer.text
    if kind.endswith("x"):
        assert answer.text == UNREADABLE


def test_the_files_of_a_page_go_when_its_heartbeat_ends(client: TestClient, uploads: Uploads) -> None:
    (path,) = client.post("/gradio_api/upload", files={"files": ("a.json", b"0")}).json()
    uploads.used_in("page1", [path])
    client.get("/gradio_api/heartbeat/page2")
    assert Path(path).exists()
    client.get("/gradio_api/heartbeat/page1")
    client.get("/gradio_api/heartbeat/page2")  # the loop goes round once more
    assert not Path(path).exists()
