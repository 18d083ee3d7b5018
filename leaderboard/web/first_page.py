"""The pages as everybody gets them first: written once, sent packed."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.web.addresses import Hosts
from leaderboard.web.event_stream import KEPT_OPEN
from leaderboard.web.first_values import FILLED_IN, NOTHING, FirstValues, FirstView, within_page
from leaderboard.web.headers import POLICY, page_policy
from leaderboard.web.page_paths import PAGES
from leaderboard.web.working import WORKING

OF_THE_ADDRESS = ("host", "x-forwarded-host", "x-forwarded-proto", "x-gradio-server")
"""All that gradio 6.31 makes the addresses in its page of (`route_utils.get_request_origin`): were one of them missing
here, whoever comes first could send everybody else elsewhere."""
NAMES = OF_THE_ADDRESS[:2]


PACKING = 6
"""Of gzip's levels: the highest takes three times as long for one part in a hundred."""
_ENDS = b"</body>"


@dataclass(slots=True)
class _Page:
    content_type: str
    policy: str
    """What it may load and run, its own inline scripts among it."""
    before: bytes
    after: bytes
    """Its first values stand between the two."""
    _packed: tuple[bytes, bytes] | None = field(default=None, init=False)
    """The values sent last, and the page with them."""

    def plain(self, values: bytes) -> bytes:
        return self.before + within_page(values) + self.after

    def packed(self, values: bytes) -> bytes:
        if self._packed is None or self._packed[0] != values:
            self._packed = values, gzip.compress(self.plain(values), PACKING)
        return self._packed[1]


class FirstPages:
    """Answers requests for a page with what gradio wrote for whoever asked first under the same name.

    It is the same for everybody: who they are and what their link asks for, the open page asks itself. gradio 6.31
    copies and writes out all of it for every request and sends it unpacked. Only the first values of a page change:
    what its boards show now to whoever asks for nothing else.

    Kept are the pages of names that the site is known under: whoever makes up others gets theirs written each time,
    and neither fills the memory nor pushes a page of anybody else out of it.

    Args:
        hosts: The names.
        views: What each page shows at first, by its path; others are sent without.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts, views: Mapping[str, FirstView]) -> None:
        self._app = app
        self._hosts = hosts
        self._values = FirstValues(views)
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
        values = await self._values.of(scope["path"]) if scope["method"] == "GET" else NOTHING
        body = page.packed(values) if is_packed else page.plain(values)
        answer = Response(body, headers={"content-type": page.content_type})
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
        before, ends, after = body.rpartition(_ENDS)
        page = _Page(headers["content-type"], "", before, FILLED_IN + KEPT_OPEN + WORKING + ends + after)
        page.policy = page_policy(page.plain(NOTHING))
        return page
