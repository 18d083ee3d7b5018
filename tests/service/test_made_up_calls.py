"""Hundreds of calls that no page and no client makes: refused in a sentence, with no word of the machine's paths."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from gradio.utils import get_upload_folder

from leaderboard.site.api import ENDPOINTS
from tests.browser.conftest import ROOT, running_app

SEED = 16
PATHS = re.compile("|".join(map(re.escape, (str(ROOT), str(Path(sys.prefix)), str(Path.home()), "site-packages"))))
"""Of this machine. Uploads lie elsewhere, and their path is what gradio's clients state to say which one they mean."""

FILE = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
NESTED: Any = []
for _ in range(200):
    NESTED = [NESTED]
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, 10**30, "", "x", "\x00", "a" * 10_000, [], {}, [[1, [2]], {"a": None}], ["\x00"], FILE,
    {"path": 5}, {"path": "x", "meta": 1}, {"a": {"b": [1]}}, NESTED, "../../etc/passwd", "${x}", "' OR 1=1 --",
)  # fmt: skip
FIELDS = ("data", "fn_index", "session_hash", "event_data", "trigger_id", "event_id", "fn_name", "component_id", "x")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
ADDRESSES = (
    "/", "/config", "/login", "/logout", "/theme.css", "/robots.txt", "/pwa_icon/99999999", "/manifest.json", "/docs",
    "/monitoring", "/monitoring/x", "/static/../../app.py", "/static/x%00", "/assets/" + "x" * 3_000, "/svelte/x",
    "/gradio_api/info", "/gradio_api/app_id", "/gradio_api/user", "/gradio_api/token", "/gradio_api/openapi.json",
    "/gradio_api/queue/status", "/gradio_api/queue/join", "/gradio_api/queue/data?session_hash=nobody",
    "/gradio_api/queue/data", "/gradio_api/run/predict", "/gradio_api/run/board", "/gradio_api/api/board",
    "/gradio_api/call/board", "/gradio_api/call/check/nobody", "/gradio_api/call/v2/board", "/gradio_api/call/nothing",
    "/gradio_api/cancel", "/gradio_api/reset", "/gradio_api/upload", "/gradio_api/upload_progress",
    "/gradio_api/file=/etc/passwd", f"/gradio_api/file={ROOT}/app.py", f"/gradio_api/file={get_upload_folder()}/x/y",
    f"/gradio_api/file={get_upload_folder()}/%00", "/gradio_api/file=http://x/", "/gradio_api/proxy=http://x.hf.space/",
    "/gradio_api/component_server", "/gradio_api/custom_component/x/client/component/x", "/gradio_api/stream/x",
    "/gradio_api/stream/a/b/3/playlist.m3u8", "/gradio_api/process_recording", "/gradio_api/vibe-code",
    "/gradio_api/deep_link?session_hash=x", "/gradio_api/startup-events", "/gradio_api/mcp/", "/gradio_api/mcp/schema",
    "/gradio_api/mcp/sse", "/gradio_api/mcp/x",
)  # fmt: skip

Call = tuple[str, str, dict[str, Any]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A running app and its log."""
    data = tmp_path_factory.mktemp("data")
    settings = {
        "PLUMBLINE_WORKERS": "0",
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_RECORDED": "0",
        "PLUMBLINE_GENERATORS": "scripted",
        "PLUMBLINE_FILES_PER_MINUTE": "0",  # every call gets as far as it can
    }
    for address in running_app(data, settings):
        yield address, data / "app.log"


def calls(config: dict[str, Any], count: int) -> list[Call]:
    dice = random.Random(SEED)
    events = [(one["id"], len(one["inputs"])) for one in config["dependencies"]]
    # Every event of the page once with values of the right number, which get as far as its own function.
    made: list[Call] = []
    for number, count in events:
        values = [dice.choice(VALUES) for _ in range(count)]
        event_data = dice.choice((None, {"index": 0, "value": "x"}, {"verdict": 5}, 7))
        body = {"fn_index": number, "data": values, "session_hash": "made-up", "event_data": event_data}
        made.append(("POST", dice.choice(("/gradio_api/run/predict", "/gradio_api/queue/join")), {"json": body}))
    while len(made) < count:
        address, method = dice.choice(ADDRESSES), dice.choice(METHODS)
        body = {field: dice.choice(VALUES) for field in dice.sample(FIELDS, dice.randrange(len(FIELDS)))}
        sent: list[Call] = [
            (method, address, {}),
            (method, address, {"json": body}),
            ("POST", address, {"json": dice.choice(VALUES)}),
            ("POST", address, {"content": dice.randbytes(40), "headers": {"content-type": "application/json"}}),
            ("POST", f"/gradio_api/call/{dice.choice(ENDPOINTS)}", {"json": {"data": [dice.choice(VALUES)] * 9}}),
            ("POST", f"/gradio_api/call/{dice.choice(ENDPOINTS)}", {"json": {"data": [dice.choice(VALUES)]}}),
            ("POST", "/gradio_api/queue/join", {"json": body | {"data": [], "session_hash": "made-up"}}),
            ("POST", "/gradio_api/upload", {"data": {"files": "no file"}}),
            ("POST", "/gradio_api/upload", {"files": {"files": (dice.choice(("../x", "\x00", "a" * 500)), b"x")}}),
            ("POST", "/gradio_api/upload", {"content": b"x", "headers": {"content-type": "multipart/form-data"}}),
            ("POST", "/gradio_api/mcp/", {"json": tool_call(dice.choice(ENDPOINTS), dice.choice(VALUES))}),
        ]
        made.append(dice.choice(sent))
    return made


def tool_call(name: str, arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def answered(client: httpx2.Client, method: str, address: str, sent: dict[str, Any]) -> tuple[int, str]:
    """Status and text; of a stream that goes on, what came at once."""
    headers = {"accept": "application/json, text/event-stream", **sent.pop("headers", {})}
    text = ""
    with client.stream(method, address, headers=headers, **sent) as answer:
        try:
            for part in answer.iter_text():
                text += part
        except httpx2.ReadTimeout:
            pass
        return answer.status_code, text


@pytest.mark.parametrize("count", [400, pytest.param(1_000, marks=pytest.mark.soak)])
def test_made_up_calls_tell_nothing_and_leave_the_pages_open(site: tuple[str, Path], count: int) -> None:
    address, log = site
    # What is not answered within this is a stream that waits for events.
    with httpx2.Client(base_url=address, timeout=httpx2.Timeout(60, read=10)) as client:
        made = calls(client.get("/config").json(), count)
        for method, path, sent in made:
            shown = f"{method} {path} {sent}"[:500]
            status, text = answered(client, method, path, sent)
            is_event = path.startswith("/gradio_api/call/") and method == "POST" and status == 200
            if is_event:
                _, text = answered(client, "GET", f"{path}/{json.loads(text)['event_id']}", {})
            assert not PATHS.search(text), shown
            assert "Traceback" not in text, shown
            if status >= 500:
                # An event of the page that refuses: gradio answers with this status and a sentence.
                assert path == "/gradio_api/run/predict", shown
                assert set(json.loads(text)) >= {"error"}, shown
        assert client.get("/").status_code == 200
        opened = client.post("/gradio_api/call/board", json={"data": ["robustness", ""]}).json()
        assert "event: complete" in client.get(f"/gradio_api/call/board/{opened['event_id']}").text
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    assert [line for line in lines if "Traceback" in line or line.startswith("  File")] == []
    assert [line for line in lines if not re.match(r"\d{4}-\d\d-\d\d ", line)] == []  # nothing goes on in a second line
