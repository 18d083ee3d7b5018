"""The public endpoints of a running app, as gradio_client, MCP clients, curl and monitors meet them (docs/api.md)."""

from __future__ import annotations

import asyncio
import base64
import csv
import http.server
import io
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent
from prometheus_client.parser import text_string_to_metric_families

from evaluator.judge_report.labelling import LabelDraw, sheet_csv
from evaluator.judge_report.of_files import LogFile, draw_of_files
from submissions.promptsets import example_submissions
from tests.browser.conftest import running_app

DOCS = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
DOCUMENTED_ADDRESS = "http://127.0.0.1:7860"
BLOCKS_WITHIN_S = 240
WORKER_WITHIN_S = 60
FILE = {"_type": "gradio.FileData"}


def documented(heading: str) -> list[str]:
    """The first cells of the tables under a heading of docs/api.md, as they are written there."""
    section = DOCS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


def example_code(language: str) -> list[str]:
    """The examples of docs/api.md, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", DOCS, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running app with a judge that answers at once."""
    yield from running_app(tmp_path_factory.mktemp("data"), {"PLUMBLINE_JUDGES": "scripted"})


@pytest.fixture(scope="module")
def plumbline(address: str) -> Iterator[Client]:
    client = Client(address, verbose=False)
    yield client
    client.close()


@pytest.fixture
def my_team(tmp_path: Path) -> Path:
    """A submission to the demonstration set."""
    document = json.loads(next(data for _, data in example_submissions()))
    document["eloquent-robustness-results"] |= {"source": "my team", "system": "", "model": "", "run": ""}
    path = tmp_path / "my_team.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def raw(address: str, endpoint: str, *values: Any) -> str:
    """What a client without manners gets: the event with its data."""
    joined = httpx2.post(f"{address}/gradio_api/call/{endpoint}", json={"data": values}, timeout=30)
    assert joined.status_code == 200, joined.text
    return httpx2.get(f"{address}/gradio_api/call/{endpoint}/{joined.json()['event_id']}", timeout=60).text


def said_error(event: str) -> str:
    """The one sentence of an error event."""
    kind, _, data = event.strip().partition("\n")
    assert kind == "event: error"
    message: str = json.loads(data.removeprefix("data: "))["error"]
    return message


def tool_results(address: str, *calls: tuple[str, dict[str, Any]]) -> list[tuple[bool, str]]:
    """Whether each call of an MCP tool was an error, and its text."""

    async def called() -> list[tuple[bool, str]]:
        async with (
            streamable_http_client(f"{address}/gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            results = [await session.call_tool(name, arguments) for name, arguments in calls]
            texts = [[part.text for part in result.content if isinstance(part, TextContent)] for result in results]
            return [(result.isError, "".join(text)) for result, text in zip(results, texts, strict=True)]

    return asyncio.run(called())


# The lists of docs/api.md


def test_the_documented_endpoints_are_the_public_ones(address: str, plumbline: Client) -> None:
    info = plumbline.view_api(return_format="dict", print_info=False)
    assert isinstance(info, dict)
    assert [name.removeprefix("/") for name in info["named_endpoints"]] == documented("Endpoints")
    assert info["unnamed_endpoints"] == {}
    for endpoint in httpx2.get(f"{address}/gradio_api/info").json()["named_endpoints"].values():
        assert endpoint["description"]


def test_the_documented_parameters_are_those_of_the_endpoints(plumbline: Client) -> None:
    info = plumbline.view_api(return_format="dict", print_info=False)
    assert isinstance(info, dict)
    taken = {
        name: [part["parameter_name"] for part in one["parameters"]] for name, one in info["named_endpoints"].items()
    }
    table = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", DOCS, re.MULTILINE))
    for name in ("check", "ticket", "board", "item", "judge_report"):
        written = [word for word in re.findall(r"`(\w+)`", table[name]) if word in taken[f"/{name}"]]
        assert written == taken[f"/{name}"]
    assert table["submit"].startswith("the same; `accept_terms` (")
    assert taken["/submit"] == [*taken["/check"], "accept_terms", "notify"]


def test_the_documented_endpoints_are_the_mcp_tools(address: str) -> None:
    async def listed() -> tuple[list[str], int]:
        async with (
            streamable_http_client(f"{address}/gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = (await session.list_tools()).tools
            others = [*(await session.list_resources()).resources, *(await session.list_prompts()).prompts]
            assert all(tool.description for tool in tools)
            return [tool.name for tool in tools], len(others)

    assert asyncio.run(listed()) == (documented("Endpoints"), 0)


def test_the_documented_routes_and_figures_are_there(address: str, plumbline: Client) -> None:
    rows = documented("Routes for whoever runs it")
    assert [row for row in rows if row.startswith("/")] == ["/healthz", "/metrics"]
    plumbline.predict("robustness", api_name="/board")
    deadline = time.monotonic() + WORKER_WITHIN_S
    while (health := httpx2.get(f"{address}/healthz")).json()["status"] != "ok" and time.monotonic() < deadline:
        time.sleep(0.2)
    assert (health.status_code, health.json()["status"]) == (200, "ok")
    families = text_string_to_metric_families(httpx2.get(f"{address}/metrics").text)
    figures = {
        sample.name.removesuffix("_bucket"): set(sample.labels) - {"le"}
        for family in families
        for sample in family.samples
        if sample.name.startswith("plumbline_") and not sample.name.endswith(("_sum", "_count", "_created"))
    }
    in_words = {name + (f"{{{','.join(sorted(labels))}}}" if labels else "") for name, labels in figures.items()}
    assert in_words == {row for row in rows if row.startswith("plumbline_")}


# The examples


def test_the_python_examples_run(address: str, my_team: Path) -> None:
    script = "\n".join(example_code("python")).replace(DOCUMENTED_ADDRESS, address)
    ran = subprocess.run(
        [sys.executable, "-c", script],
        check=False,
        cwd=my_team.parent,
        capture_output=True,
        text=True,
        timeout=BLOCKS_WITHIN_S,
    )
    assert ran.returncode == 0, ran.stderr
    assert "accepted" in ran.stdout
    assert "our system" in ran.stdout  # on the board
    assert "scored" in ran.stdout
    # The log of the example: of question 1 whichever is first wins, question 2 is tied in both orders.
    assert "Position consistency 0.5" in ran.stdout


def test_the_shell_examples_run(address: str, my_team: Path) -> None:
    script = "set -eu\n" + "\n".join(example_code("sh")).replace(DOCUMENTED_ADDRESS, address)
    ran = subprocess.run(
        ["bash", "-c", script], check=False, cwd=my_team.parent, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    answers = [
        json.loads(line.removeprefix("data: ")) for line in ran.stdout.splitlines() if line.startswith("data: [")
    ]
    board, report = (json.loads(answer[0]) for answer in answers)
    assert (board["board"], report["decision"]) == ("judges", "accepted")


# What must not happen


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ({"path": "/etc/passwd", "meta": FILE}, "was not uploaded to this site"),
        ({"path": "/etc/passwd"}, "No file came with the call"),
        ({"path": "/etc/passwd", "meta": "gradio.FileData"}, "without what gradio says about files"),
        ({"path": "/proc/self/environ", "is_stream": True, "meta": FILE}, "was not uploaded to this site"),
        ({"path": "../../etc/passwd", "meta": FILE}, "was not uploaded to this site"),
        ({"path": "http://site/gradio_api/file=/etc/passwd", "meta": FILE}, "was not uploaded to this site"),
        (None, "No file came with the call"),
    ],
)
def test_no_file_of_the_server_is_read(address: str, file: Any, words: str) -> None:
    for endpoint in ("check", "submit"):
        said = said_error(raw(address, endpoint, file, "", "", "", "", "auto", None, "", ""))
        assert words in said
        assert "passwd" not in said
    said = said_error(raw(address, "judge_report", file, None, "auto", ""))
    assert words in said
    assert "passwd" not in said


def test_no_address_is_fetched(address: str) -> None:
    asked: list[str] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    target = f"http://127.0.0.1:{server.server_port}/secret.json"
    for url in (target, target.replace("127.0.0.1", "localhost"), "https://huggingface.co/x", "file:///etc/passwd"):
        said = said_error(raw(address, "check", {"path": url, "meta": FILE}, "", "", "", "", "auto", None, "", ""))
        assert said == "Addresses are not fetched: upload the file to this site."
    # Nor for an endpoint that takes no file, nor where an MCP client states it.
    assert "Addresses are not fetched" in said_error(raw(address, "ticket", {"path": target, "meta": FILE}))
    [(is_error, text)] = tool_results(address, ("check", {"file": target}))
    assert is_error
    assert "Addresses are not fetched" in text
    # gradio's own routes would fetch for anybody, if asked for a public address; a loopback one it refuses itself.
    for route in (f"file={target}", f"file/{target}", f"proxy={target}", "file=https://example.org/"):
        answer = httpx2.get(f"{address}/gradio_api/{route}")
        assert (answer.status_code, answer.json()) == (404, {"error": "There is nothing at this address."})
    server.shutdown()
    server.server_close()
    assert asked == []


def test_events_of_the_page_cannot_be_called_by_name(address: str) -> None:
    for path in ("call/restore", "call/v2/restore", "call/v2/board", "run/restore", "api/switch", "call/nothing"):
        answer = httpx2.post(f"{address}/gradio_api/{path}", json={"data": [True]})
        assert (answer.status_code, list(answer.json())) == (404, ["error"])


def test_nobody_passes_by_the_queue(address: str) -> None:
    answer = httpx2.post(f"{address}/gradio_api/run/ticket", json={"data": ["x"]})
    assert answer.status_code == 404


def test_every_fault_is_one_sentence(address: str, plumbline: Client) -> None:
    for values, words in ((("nobody",), "No submission has the ticket"), ((["x"] * 3,), "ticket is a text of at most")):
        with pytest.raises(AppError, match=words):
            plumbline.predict(*values, api_name="/ticket")
    assert said_error(raw(address, "check")) == "This call takes 9 values, and only 0 came (docs/api.md)."
    nested: list[Any] = []
    for _ in range(40):
        nested = [nested]
    refused = httpx2.post(f"{address}/gradio_api/call/board", json={"data": [nested, ""]})
    assert refused.json() == {"error": "The body of a call is nested at most 32 levels deep."}
    assert httpx2.post(f"{address}/gradio_api/call/ticket", content=b" " * 17_000_000).status_code == 413


def test_a_refused_file_is_reported_in_full_and_not_taken(plumbline: Client, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"eloquent-robustness-results": {"source": "x", "year": "2024", "items": []}}', encoding="utf-8")
    report = json.loads(plumbline.predict(handle_file(broken), api_name="/check"))
    assert report["decision"] == "refused"
    # A problem has a path: as an object, gradio_client would take it for a file to download.
    assert report["problems"][0]["path"].startswith("$")
    with pytest.raises(AppError, match=r"The file was refused \(1 error"):
        plumbline.predict(handle_file(broken), api_name="/submit")


def test_a_judges_log_is_reported_on_with_and_without_labels(address: str, plumbline: Client) -> None:
    log = Path(__file__).parents[1] / "data" / "judge_logs" / "judge_bench.jsonl"
    report = json.loads(plumbline.predict(handle_file(log), api_name="/judge_report"))
    figures = {figure["key"]: figure["value"] for figure in report["judges"][0]["figures"]}
    # AB AA BA BB NA against labels AB AB BA AB AB: 2 + 1 + 2 + 1 + 0 of nine usable.
    assert figures["accuracy"] == 6 / 9
    labelled = json.loads(plumbline.predict(handle_file(log), handle_file(log), api_name="/judge_report"))
    assert "label_accuracy" in {figure["key"] for figure in labelled["judges"][0]["figures"]}
    as_data = "data:application/json;base64," + base64.b64encode(log.read_bytes()).decode()
    results = tool_results(
        address, ("judge_report", {"file": as_data}), ("judge_report", {"file": as_data, "labels": as_data})
    )
    assert [is_error for is_error, _ in results] == [False, False]
    assert [json.loads(text)["judges"] for _, text in results] == [report["judges"], labelled["judges"]]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        # m-long is the better one of every pair, as in tests/unit: 12 of 19 usable verdicts name it.
        ("fastchat_pair.jsonl", lambda row: "left" if len(row["left"]) > len(row["right"]) else "right"),
        ("inspect.eval", lambda row: "1"),
    ],
)
def test_a_label_sheet_that_was_filled_in_is_taken_over_http_and_mcp(
    address: str, plumbline: Client, tmp_path: Path, name: str, label: Callable[[dict[str, str]], str]
) -> None:
    log = LogFile(name, (Path(__file__).parents[1] / "data" / "judge_logs" / name).read_bytes())
    (tmp_path / name).write_bytes(log.data)
    draw = draw_of_files(log)
    assert isinstance(draw, LabelDraw)
    rows = list(csv.DictReader(io.StringIO(sheet_csv(draw))))
    sheet = tmp_path / "sheet.csv"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": label(row)} for row in rows)
    report = json.loads(plumbline.predict(handle_file(tmp_path / name), handle_file(sheet), api_name="/judge_report"))
    (judge,) = report["judges"]
    figures = {figure["key"]: figure for figure in judge["figures"]}
    if name == "fastchat_pair.jsonl":
        assert (figures["label_accuracy"]["value"], figures["label_accuracy"]["n"]) == (12 / 19, 19)
        # Shown first in 10 usable games m-long is named in 7, a tie in 1; shown second in 9, in 5.
        assert [confusion["counts"] for confusion in judge["confusions"]] == [
            [[7, 1, 2], [0, 0, 0], [0, 0, 0]],
            [[0, 0, 0], [0, 0, 0], [3, 1, 5]],
        ]
    else:
        assert judge["confusions"][0]["key"] == "confusion_ratings"
        assert figures["rating_error"]["n"] == sum(map(sum, judge["confusions"][0]["counts"]))
    as_data = {
        key: "data:application/octet-stream;base64," + base64.b64encode(path.read_bytes()).decode()
        for key, path in (("file", tmp_path / name), ("labels", sheet))
    }
    ((is_error, text),) = tool_results(address, ("judge_report", as_data))
    assert not is_error, text
    assert json.loads(text)["judges"] == report["judges"]
    # A sheet of another log is refused with the place of every row.
    other = tmp_path / "other.csv"
    other.write_text("label_id,label\np0,left\n", encoding="utf-8")
    refused = json.loads(plumbline.predict(handle_file(tmp_path / name), handle_file(other), api_name="/judge_report"))
    assert [problem["path"] for problem in refused["problems"]] == ["other.csv:2"]


def test_mcp_tools_answer_as_the_endpoints_do(address: str, plumbline: Client, my_team: Path) -> None:
    as_data = "data:application/json;base64," + base64.b64encode(my_team.read_bytes()).decode()
    upload = httpx2.post(
        f"{address}/gradio_api/upload", files={"files": ("my_team.json", my_team.read_bytes())}
    ).json()[0]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("check", {"file": as_data}),
        ("check", {"file": f"{address}/gradio_api/file={upload}"}),
        ("board", {"board": "robustness", "query": "set=demonstration"}),
        ("ticket", {"ticket": "nobody"}),
        ("check", {"file": "/etc/passwd"}),
        ("check", {}),
    ]
    results = tool_results(address, *calls)
    assert [is_error for is_error, _ in results] == [False, False, False, True, True, True]
    report = json.loads(plumbline.predict(handle_file(my_team), api_name="/check"))
    assert json.loads(results[0][1]) == json.loads(results[1][1]) == report
    assert results[3][1] == 'No submission has the ticket "nobody".'
    assert "root:" not in results[4][1]


def test_the_mcp_tools_can_be_switched_off_and_a_space_takes_no_submissions(
    tmp_path_factory: pytest.TempPathFactory, my_team: Path
) -> None:
    settings = {
        "PLUMBLINE_MCP": "0",
        "PLUMBLINE_WORKERS": "0",
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_RECORDED": "0",
        "PLUMBLINE_GENERATORS": "none",
        "SPACE_ID": "owner/plumbline",
    }
    for address in running_app(tmp_path_factory.mktemp("space"), settings):
        assert httpx2.post(f"{address}/gradio_api/mcp/", json={}).status_code in (404, 405)
        client = Client(address, verbose=False)
        assert json.loads(client.predict(handle_file(my_team), api_name="/check"))["decision"] == "accepted"
        with pytest.raises(AppError, match="cannot tell who is calling"):
            client.predict(handle_file(my_team), api_name="/submit")
        client.close()
        health = httpx2.get(f"{address}/healthz")
        assert (health.status_code, health.json()["status"]) == (200, "degraded")
        assert {part: said["status"] for part, said in health.json()["parts"].items()} == {
            "store": "ok",
            "archive": "ok",
            "workers": "failed",
        }
