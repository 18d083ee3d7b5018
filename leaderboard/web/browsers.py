"""Browsers, where nobody signs in: each has a random name of its own, so that people have votes of their own."""

from __future__ import annotations

import secrets

from starlette.datastructures import MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.web.browser_name import COOKIE
from leaderboard.web.page_paths import page_paths

KEPT_S = 365 * 24 * 3600


class KnownBrowsers:
    """Gives a browser its name with the first page it asks for; no script can read it.

    Not `SameSite=Strict`: whoever follows a link from a mail would come without their name, and get another.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in page_paths() or _has_name(scope):
            await self._app(scope, receive, send)
            return

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = f"{COOKIE}={secrets.token_urlsafe(16)}; Path=/; Max-Age={KEPT_S}; HttpOnly; SameSite=Lax"
                MutableHeaders(scope=message).append("set-cookie", given)
            await send(message)

        await self._app(scope, receive, named)


def _has_name(scope: Scope) -> bool:
    sent = (value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie")
    return any(cookie_parser(header).get(COOKIE) for header in sent)
