"""Many readers at once, and everybody else: a running app."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from leaderboard.web.places import OF_KINDS, READS
from submissions.promptsets import example_submissions
from tests.browser.conftest import running_app

WITHIN_S = 120.0


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"}
    yield from running_app(tmp_path_factory.mktemp("data"), settings)


async def called(client: httpx2.AsyncClient, endpoint: str, values: list[Any]) -> tuple[int, str]:
    """Status of the call, and its event, or what it was refused with."""
    joined = await client.post(f"/gradio_api/call/{endpoint}", json={"data": values})
    if joined.status_code != 200:
        return joined.status_code, joined.text
    return 200, (await client.get(f"/gradio_api/call/{endpoint}/{joined.json()['event_id']}")).text


async def submitted(client: httpx2.AsyncClient) -> dict[str, Any]:
    file = next(data for _, data in example_submissions())
    (path,) = (await client.post("/gradio_api/upload", files={"files": ("x.json", file)})).json()
    described = {"path": path, "meta": {"_type": "gradio.FileData"}}
    _, event = await called(client, "submit", [described, "team", "system", "", "", "auto", None, "", ""])
    receipt: dict[str, Any] = json.loads(json.loads(event.partition("data: ")[2])[0])
    return receipt


def test_two_hundred_readers_at_once_keep_neither_a_file_nor_a_page_nor_another_reader_out(address: str) -> None:
    def visitor(number: int) -> httpx2.AsyncClient:
        # Every address from 127.0.0.1 on is this machine's: other visitors.
        transport = httpx2.AsyncHTTPTransport(
            local_address=f"127.0.0.{number}", limits=httpx2.Limits(max_connections=300)
        )
        return httpx2.AsyncClient(base_url=address, transport=transport, timeout=WITHIN_S)

    async def together() -> tuple[list[tuple[int, str]], list[Any]]:
        async with visitor(1) as reader, visitor(2) as other:
            reads = [asyncio.create_task(called(reader, "board", ["robustness", ""])) for _ in range(200)]
            honest = await asyncio.gather(
                submitted(reader), submitted(other), other.get("/"), called(other, "board", ["judges", ""])
            )
            return await asyncio.gather(*reads), honest

    reads, (receipt, same, page, board) = asyncio.run(together())
    assert receipt["ticket"] == same["ticket"]
    assert page.status_code == 200
    assert board[1].startswith("event: complete")
    answered = [text for status, text in reads if status == 200]
    refused = [json.loads(text)["detail"] for status, text in reads if status == 429]
    assert len(answered) + len(refused) == 200
    assert len(answered) >= OF_KINDS[READS].for_one
    assert all(text.startswith("event: complete") for text in answered)
    assert set(refused) <= {
        f"You have {OF_KINDS[READS].for_one} calls here already: wait for one of them, then ask again."
    }
