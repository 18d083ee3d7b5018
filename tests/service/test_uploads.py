"""What anonymous visitors may leave on the disk of a running app."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from leaderboard.web.uploads import GRACE_S, MIB
from tests.browser.conftest import running_app

REMOVED_WITHIN_S = GRACE_S + 60.0


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = {
        "PLUMBLINE_WORKERS": "0",
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_RECORDED": "0",
        "PLUMBLINE_GENERATORS": "none",
        "PLUMBLINE_VISITOR_UPLOADS_MB": "3",
        "PLUMBLINE_UPLOADS_MB": "5",
        "GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads")),
    }
    yield from running_app(tmp_path_factory.mktemp("data"), settings)


def visitor(address: str, number: int) -> httpx2.Client:
    """Somebody at another address: all from 127.0.0.1 on are this machine's."""
    return httpx2.Client(
        base_url=address, timeout=60, transport=httpx2.HTTPTransport(local_address=f"127.0.0.{number}")
    )


def uploaded(client: httpx2.Client, content: bytes) -> httpx2.Response:
    return client.post("/gradio_api/upload", files={"files": ("file.json", content)})


def test_a_visitor_fills_their_own_room_and_gets_it_back_when_the_page_is_closed(address: str) -> None:
    with visitor(address, 1) as anna, visitor(address, 2) as ben, visitor(address, 3) as cat:
        (first,) = uploaded(anna, b"1" * (MIB + MIB // 4)).json()
        assert uploaded(anna, b"2" * (MIB + MIB // 4)).status_code == 200
        refused = uploaded(anna, b"3" * MIB)
        assert refused.status_code == 429
        assert refused.text.startswith("Your uploads take 2 of 3 MiB in 2 of 500 files")
        assert tempfile.gettempdir() not in refused.text
        # Another name of the browser session or another proxy changes nothing.
        headers = {"x-forwarded-for": "203.0.113.9", "session_hash": "another", "cookie": "x=y"}
        again = anna.post("/gradio_api/upload", files={"files": ("f", b"3" * MIB)}, headers=headers)
        assert again.status_code == 429
        assert uploaded(ben, b"4" * (2 * MIB)).status_code == 200
        assert uploaded(cat, b"5" * MIB).status_code == 507

        with anna.stream("GET", "/gradio_api/heartbeat/page") as page:
            assert next(page.iter_text()) == "data: ALIVE\n\n"
            (load,) = [one for one in anna.get("/config").json()["dependencies"] if one["api_name"] == "check"]
            described = {"path": first, "meta": {"_type": "gradio.FileData"}}
            call = {"fn_index": load["id"], "session_hash": "page", "data": [described, *[""] * 8]}
            assert anna.post("/gradio_api/queue/join", json=call).status_code == 200
            assert Path(first).exists()
        deadline = time.monotonic() + REMOVED_WITHIN_S
        while Path(first).exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        assert not Path(first).exists()
        assert uploaded(anna, b"3" * MIB).status_code == 200
