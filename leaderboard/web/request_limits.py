"""What is answered before gradio sees a request: unknown names, addresses to fetch, messages that are too large."""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 16 * 1024 * 1024
"""Of a request that is no upload; a file inside it (a data: URL) has at most three quarters of that."""
UPLOAD_PATH = "/gradio_api/upload"

_TOO_LARGE = f"The request is larger than {MOST_BYTES:,} bytes: upload files instead of sending them in a message."


_CALL = re.compile(r"/gradio_api/(?:call/v2|call|run|api)/([^/]+)")
OF_THE_PAGE = "/gradio_api/run/predict"
"""Here the page calls its own events, by their numbers."""


class NamedEndpoints:
    """Answers 404 to calls of anything but the public endpoints by name.

    gradio 6.31 only hides private events from its lists: whoever guesses the name of one may call it, and a name that
    nothing has is an error with a traceback.
    """

    def __init__(self, app: ASGIApp, public: Collection[str]) -> None:
        self._app = app
        self._public = public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        called = _CALL.match(scope["path"]) if scope["type"] == "http" else None
        if called and called[1] not in self._public and scope["path"] != OF_THE_PAGE:
            body = {"error": f"There is no such endpoint; there are {', '.join(self._public)}."}
            await JSONResponse(body, 404)(scope, receive, send)
            return
        await self._app(scope, receive, send)


_ERRAND = re.compile(r"/gradio_api/(?:proxy=|file[=/]\s*[a-z]+:)", re.IGNORECASE)


class NothingFetched:
    """Answers 404 to whoever wants this server to fetch an address.

    gradio 6.31 fetches any public one for anybody under `file=`, and its own kind under `proxy=`; no page needs it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _ERRAND.match(scope["path"]):
            await JSONResponse({"error": "Addresses are not fetched."}, 404)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class LinksAreOurs:
    """Keeps the query of a link from gradio: the page itself reads it, when it is open.

    gradio 6.31 takes `page` and `deep_link` for its own, and answers 500 to a page it does not have, such as ours.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/":
            scope = {**scope, "query_string": b""}
        await self._app(scope, receive, send)


class _TooLarge(Exception):
    """The body went on past the limit."""


class RequestLimit:
    """Answers 413 to larger requests before anything reads them as a whole.

    Files come by upload, whose size gradio limits; everything else is a short message.
    """

    def __init__(self, app: ASGIApp, most_bytes: int = MOST_BYTES) -> None:
        self._app = app
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == UPLOAD_PATH:
            await self._app(scope, receive, send)
            return
        stated = dict(scope["headers"]).get(b"content-length", b"")
        if stated.isdigit() and int(stated) > self._most_bytes:
            await PlainTextResponse(_TOO_LARGE, 413)(scope, receive, send)
            return
        received, has_begun = 0, False

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._most_bytes:
                raise _TooLarge
            return message

        async def watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, limited, watched)
        except _TooLarge:
            if not has_begun:
                await PlainTextResponse(_TOO_LARGE, 413)(scope, receive, send)
