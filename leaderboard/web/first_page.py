"""The pages as everybody gets them first: written once, sent packed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.web.addresses import Hosts, address_of_site
from leaderboard.web.event_stream import KEPT_OPEN
from leaderboard.web.first_values import FILLED_IN, NOTHING, FirstValues, FirstView, within_page
from leaderboard.web.headers import POLICY, page_policy
from leaderboard.web.page_paths import ASKED, page_paths
from leaderboard.web.page_previews import FirstPreviews, PreviewOf, head_of
from leaderboard.web.working import WORKING

OF_THE_ADDRESS = ("host", "x-forwarded-host", "x-forwarded-proto", "x-gradio-server")
"""All that gradio 6.31 makes the addresses in its page of (`route_utils.get_request_origin`): were one of them missing
here, whoever comes first could send everybody else elsewhere."""
NAMES = OF_THE_ADDRESS[:2]


PACKING = 6
"""Of gzip's levels: the highest takes three times as long for one part in a hundred."""
_ENDS = b"</body>"


_NOT_OURS = re.compile(rb"<meta\s+(?:property=\"og:|name=\"twitter:)[^<>]*>")
"""What gradio says about every page of its kind."""
_HEAD_BEGINS = re.compile(rb"<meta charset=[^<>]*>")


def _deflated(piece: bytes) -> bytes:
    """Pack a piece of a page so that packed pieces, one behind the other, are the packed page."""
    packing = zlib.compressobj(PACKING, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packing.compress(piece) + packing.flush(zlib.Z_FULL_FLUSH)


def _gzipped(plain: bytes, pieces: Iterable[bytes]) -> bytes:
    """Return packed pieces as one gzip file (RFC 1952).

    Args:
        plain: What they are packed of.
        pieces: From `_deflated`.
    """
    header = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
    end = b"\x03\x00"  # an empty last block
    sums = zlib.crc32(plain).to_bytes(4, "little") + (len(plain) & 0xFFFFFFFF).to_bytes(4, "little")
    return header + b"".join(pieces) + end + sums


@dataclass(slots=True)
class _Page:
    content_type: str
    policy: str
    """What it may load and run, its own inline scripts among it."""
    head: bytes
    """Its preview stands behind it."""
    before: bytes
    after: bytes
    """Its first values stand between the two."""
    _packed: dict[bytes, bytes] = field(default_factory=dict, init=False)
    """The three parts, packed."""
    _packed_values: tuple[bytes, bytes] = field(default=(b"", b""), init=False)
    """The values sent last, as they are and packed."""

    def plain(self, preview: bytes, values: bytes) -> bytes:
        return self.head + preview + self.before + within_page(values) + self.after

    def packed(self, preview: bytes, values: bytes) -> bytes:
        if not self._packed:
            self._packed = {part: _deflated(part) for part in (self.head, self.before, self.after)}
        if self._packed_values[0] != values:
            self._packed_values = values, _deflated(within_page(values))
        head, before, after = (self._packed[part] for part in (self.head, self.before, self.after))
        pieces = (head, _deflated(preview), before, self._packed_values[1], after)
        return _gzipped(self.plain(preview, values), pieces)


class FirstPages:
    """Answers requests for a page with what gradio wrote for whoever asked first under the same name.

    It is the same for everybody: who they are and what their link asks for, the open page asks itself. gradio 6.31
    copies and writes out all of it for every request and sends it unpacked. Two parts of a page change: its first
    values, what its boards show now to whoever asks for nothing else; and the preview of its link, for chats and search
    engines, which run no script.

    Kept are the pages of names that the site is known under: whoever makes up others gets theirs written each time,
    and neither fills the memory nor pushes a page of anybody else out of it.

    Args:
        hosts: The names.
        views: What each page shows at first, by its path; others are sent without.
        preview_of: Page and query -> the preview of that link.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts, views: Mapping[str, FirstView], preview_of: PreviewOf) -> None:
        self._app = app
        self._hosts = hosts
        self._values = FirstValues(views)
        self._previews = FirstPreviews(preview_of)
        self._pages: dict[tuple[str, ...], _Page] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or scope["path"] not in page_paths():
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
        # Whatever reads previews alone is no browser that shows pages, and would keep a poor one for days.
        preview = await self._previews.of(
            page_paths()[scope["path"]], scope.get(ASKED, {}), "sec-fetch-mode" in headers
        )
        head = head_of(preview, address_of_site(scope, self._hosts.instead))
        body = page.packed(head, values) if is_packed else page.plain(head, values)
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
        head, before = _without_gradios(before)
        page = _Page(headers["content-type"], "", head, before, FILLED_IN + KEPT_OPEN + WORKING + ends + after)
        page.policy = page_policy(page.plain(b"", NOTHING))
        return page


def _without_gradios(page: bytes) -> tuple[bytes, bytes]:
    """Return a page without what gradio says about it, cut where its own preview belongs."""
    tags, script, rest = page.partition(b"<script")
    tags = _NOT_OURS.sub(b"", tags)
    begins = _HEAD_BEGINS.search(tags)
    cut = begins.end() if begins else len(tags)
    return tags[:cut], tags[cut:] + script + rest
