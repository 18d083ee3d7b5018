"""The pages as everybody gets them first: written once, sent packed."""

from __future__ import annotations

import gzip
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.web.addresses import Hosts
from leaderboard.web.headers import POLICY, page_policy
from leaderboard.web.page_paths import PAGES

OF_THE_ADDRESS = ("host", "x-forwarded-host", "x-forwarded-proto", "x-gradio-server")
"""All that gradio 6.31 makes the addresses in its page of (`route_utils.get_request_origin`): were one of them missing
here, whoever comes first could send everybody else elsewhere."""
NAMES = OF_THE_ADDRESS[:2]


@dataclass(frozen=True, slots=True)
class _Page:
    content_type: str
    policy: str
    """What it may load and run, its own inline scripts among it."""
    plain: bytes
    packed: bytes


class FirstPages:
    """Answers requests for a page with what gradio wrote for whoever asked first under the same name.

    It is the same for everybody: who they are and what their link asks for, the open page asks itself. gradio 6.31
    copies and writes out all of it for every request and sends it unpacked.

    Kept are the pages of names that the site is known under: whoever makes up others gets theirs written each time,
    and neither fills the memory nor pushes a page of anybody else out of it.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app = app
        self._hosts = hosts
        self._pages: dict[tuple[str, ...], _Page] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or scope["path"] not in PAGES:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        address = (
            scope["path"],
            scope["scheme"],
            scope.get("root_path", ""),
            *(headers.get(name, "") for name in OF_THE_ADDRESS),
        )
        page = self._pages.get(address)
        if page is None:
            page = await self._written(scope, receive, send)
            if page is None:
                return
            if self._is_kept(scope, headers):
                self._pages[address] = page
        is_packed = "gzip" in headers.get("accept-encoding", "")
        answer = Response(page.packed if is_packed else page.plain, headers={"content-type": page.content_type})
        answer.headers[POLICY] = page.policy
        answer.headers["vary"] = "Accept-Encoding"
        if is_packed:
            answer.headers["content-encoding"] = "gzip"
        await answer(scope, receive, send)

    def _is_kept(self, scope: Scope, headers: Headers) -> bool:
        own = (scope.get("server") or ("",))[0]
        return all(self._hosts.keeps(headers[name], own) for name in NAMES if name in headers)

    async def _written(self, scope: Scope, receive: Receive, send: Send) -> _Page | None:
        """The page as gradio writes it; None where it answered something else, which is sent as it is."""
        messages: list[Message] = []

        async def kept(message: Message) -> None:
            messages.append(message)

        await self._app({**scope, "method": "GET"}, receive, kept)
        start = messages[0]
        headers = Headers(raw=start["headers"])
        if start["status"] != 200 or "content-encoding" in headers or "set-cookie" in headers:
            for message in messages:
                await send(message)
            return None
        body = b"".join(message.get("body", b"") for message in messages[1:])
        return _Page(headers["content-type"], page_policy(body), body, gzip.compress(body))
