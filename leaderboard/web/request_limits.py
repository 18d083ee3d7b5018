"""Messages that are too large are kept from gradio."""

from __future__ import annotations

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 16 * 1024 * 1024
"""Of a request that is no upload; a file inside it (a data: URL) has at most three quarters of that."""
UPLOAD_PATH = "/gradio_api/upload"

_TOO_LARGE = f"The request is larger than {MOST_BYTES:,} bytes: upload files instead of sending them in a message."


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
