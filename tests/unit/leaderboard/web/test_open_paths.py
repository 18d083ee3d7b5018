from __future__ import annotations

from collections.abc import Iterator

import pytest
from gradio.utils import get_upload_folder
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.web.open_paths import OpenPaths


@pytest.fixture
def client() -> Iterator[TestClient]:
    everything = Route("/{path:path}", lambda request: PlainTextResponse("reached"), methods=["GET", "POST", "DELETE"])
    middleware = [Middleware(OpenPaths, endpoints=("board", "item"), routes=["/healthz"])]
    with TestClient(Starlette(routes=[everything], middleware=middleware)) as client:
        yield client


@pytest.mark.parametrize(
    "asked",
    [
        "GET /",
        "GET /assets/index-1.js",
        "GET /theme.css?v=1",
        "GET /config",
        "GET /healthz",
        "GET /login/huggingface",
        "POST /gradio_api/run/predict",
        "POST /gradio_api/queue/join",
        "GET /gradio_api/queue/data?session_hash=x",
        "GET /gradio_api/heartbeat/x1",
        "POST /gradio_api/call/board",
        "GET /gradio_api/call/item/0123abc",
        "POST /gradio_api/upload?upload_id=x",
        "POST /gradio_api/mcp/",
        f"GET /gradio_api/file={get_upload_folder()}/ab/my team.json",
    ],
)
def test_what_pages_programs_and_assistants_use_is_there(client: TestClient, asked: str) -> None:
    method, _, path = asked.partition(" ")
    assert client.request(method, path).text == "reached"


@pytest.mark.parametrize(
    "path",
    [
        "file=http://example.org/x",
        "file=http%3A%2F%2Fexample.org/x",
        "file/https://example.org/x",
        "file=FTP://example.org/x",
        "file=/etc/passwd",
        f"file={get_upload_folder()}/../../etc/passwd",
        f"file={get_upload_folder()}/%00",
        "proxy=https://example.hf.space/x",
        "component_server",
        "vibe-code",
        "process_recording",
        "dev/reload",
        "runs",
        "stream/x",
        "run/board",
        "api/board",
        "startup-events",
    ],
)
def test_nothing_else_of_gradio_is_and_nobody_sends_this_server_on_an_errand(client: TestClient, path: str) -> None:
    for method in ("GET", "POST"):
        answer = client.request(method, f"/gradio_api/{path}")
        assert (answer.status_code, answer.json()) == (404, {"error": "There is nothing at this address."})


@pytest.mark.parametrize("path", ["/evaluators", "/robustness/1", "/<b>x"])
def test_a_person_who_mistypes_an_address_sees_a_page_that_leads_on(client: TestClient, path: str) -> None:
    answer = client.get(f"http://testserver{path}", headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<a href="/">' in answer.text
    assert path not in answer.text
    program = client.get(f"http://testserver{path}", headers={"accept": "*/*"})
    assert (program.status_code, program.json()) == (404, {"error": "There is nothing at this address."})


@pytest.mark.parametrize("path", ["/monitoring", "/pwa_icon/9", "/docs", "/openapi.json", "/static/../x", "//"])
def test_nor_is_anything_beside_it(client: TestClient, path: str) -> None:
    assert client.get(f"http://testserver{path}").status_code == 404


def test_a_longer_path_than_any_file_has_is_nowhere(client: TestClient) -> None:
    assert client.get(f"/assets/{'x' * 900}").status_code == 200
    assert client.get(f"/assets/{'x' * 1_000}").status_code == 404


@pytest.mark.parametrize("name", ["restore", "predict", "Board", "board.x", "v2/board"])
def test_nothing_but_the_public_endpoints_has_a_name(client: TestClient, name: str) -> None:
    answer = client.post(f"/gradio_api/call/{name}")
    assert (answer.status_code, answer.json()) == (404, {"error": "There is no such endpoint; there are board, item."})


def test_an_address_is_asked_with_its_own_methods(client: TestClient) -> None:
    answer = client.delete("/gradio_api/upload")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json() == {"error": "This address is asked with POST."}
    assert client.post("/config").status_code == 405
