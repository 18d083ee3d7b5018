"""What browsers are told not to do with our answers (docs/security.md says which part is loose, and why)."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "content-security-policy"
THE_HUB = "https://huggingface.co"
"""Shows Spaces in a frame."""

_NO_PAGE = re.compile(r"/gradio_api/|/healthz|/metrics")
"""Begins the paths of answers that are data or downloads."""
_HAS_SOURCE = re.compile(rb"\ssrc=")
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class SafeHeaders:
    """Puts the headers on every answer that lack them.

    Args:
        is_on_the_hub: May the Hub show the pages in a frame?
    """

    def __init__(self, app: ASGIApp, *, is_on_the_hub: bool) -> None:
        self._app = app
        ancestors = f"'self' {THE_HUB}" if is_on_the_hub else "'self'"
        self._frames = f"; frame-ancestors {ancestors}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        policy = "default-src 'none'; sandbox" if _NO_PAGE.match(scope["path"]) else page_policy()

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    headers.setdefault(name, value)
                headers[POLICY] = headers.get(POLICY, policy) + self._frames
            await send(message)

        await self._app(scope, receive, told)


def page_policy(page: bytes = b"") -> str:
    """What a page may load and run: its own inline scripts, and what comes from this site.

    Args:
        page: The HTML whose inline scripts may run.
    """
    hashes = "".join(f" '{_digest(script)}'" for script in _inline_scripts(page))
    return "; ".join(
        (
            "default-src 'none'",
            # gradio 6.31 makes functions of texts that come with the page: templates and scripts of gr.HTML, `js=`.
            f"script-src 'self' 'unsafe-eval'{hashes}",
            "style-src 'self' 'unsafe-inline'",  # its components write styles into elements
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )


def _inline_scripts(page: bytes) -> Iterator[bytes]:
    """The text of every script that stands in a page itself.

    >>> list(_inline_scripts(b"<script src='a.js'></script><script type='module'>let a = '<script>'</script>"))
    [b"let a = '<script>'"]
    """
    place = 0
    while (begin := page.find(b"<script", place)) >= 0:
        text = page.find(b">", begin) + 1
        place = page.find(b"</script>", text)
        if not text or place < 0:
            return
        if not _HAS_SOURCE.search(page, begin, text):
            yield page[text:place]


def _digest(script: bytes) -> str:
    """How a policy names a script; browsers read line ends of all kinds as one."""
    text = script.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return f"sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}"
