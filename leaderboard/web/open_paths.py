"""Addresses that are open: what our pages, programs and assistants use, and nothing else of gradio."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape

from gradio.utils import get_upload_folder
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from leaderboard.web.page_paths import page_paths

MOST_PATH = 1_000
"""Characters of a path; files of visitors have names of at most 200."""

_READ, _DO = ("GET", "HEAD"), ("POST",)
_OF_GRADIO: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"/(?:assets|static)/.+", _READ),
    (r"/(?:theme\.css|favicon\.ico|manifest\.json|robots\.txt)", _READ),
    (r"/login/(?:huggingface|callback)|/logout", _READ),
    (r"/config/?|/gradio_api/(?:info/?|app_id)", _READ),
    (r"/gradio_api/run/predict|/gradio_api/queue/join", _DO),  # the page and clients call events by number here
    (r"/gradio_api/queue/data|/gradio_api/heartbeat/[\w-]+", _READ),
    (r"/gradio_api/(?:cancel|reset)", _DO),
    (r"/gradio_api/upload", _DO),
    (r"/gradio_api/upload_progress", _READ),
    (r"/gradio_api/mcp/?", ("GET", "POST", "DELETE")),
    (r"/gradio_api/mcp/schema", _READ),
)
_FILE = "/gradio_api/file="
_CALL = "/gradio_api/call/"
_NOTHING_HERE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Nothing here - Plumbline</title>
</head>
<body>
<h1>There is nothing at this address</h1>
<p>The link may be mistyped, or cut short. <a href="{home}/">To Plumbline's overview</a></p>
</body>
</html>
"""
"""What a person sees who asks for a page that there is not."""


class OpenPaths:
    """Answers 404 to every address that is not listed, and 405 to other methods than those that it has.

    gradio 6.31 has many more routes than a page needs: it fetches addresses for anybody, edits programs, mixes videos,
    and lets whoever guesses the name of a private event call it.

    Args:
        endpoints: Names of the public endpoints.
        routes: Paths of our own.
    """

    def __init__(self, app: ASGIApp, endpoints: Collection[str], routes: Collection[str]) -> None:
        self._app = app
        self._endpoints = endpoints
        names = "|".join(map(re.escape, endpoints))
        listed = (
            *_OF_GRADIO,
            (rf"{_CALL}(?:{names})/?", _DO),
            (rf"{_CALL}(?:{names})/\w+", _READ),
            (rf"{re.escape(f'{_FILE}{get_upload_folder()}/')}.+", _READ),
            *((re.escape(path), _READ) for path in (*page_paths(), *routes)),
        )
        self._listed = [(re.compile(path), methods) for path, methods in listed]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        methods = self._methods(path)
        if not methods:
            await self._nothing(scope)(scope, receive, send)
        elif scope["method"] not in (*methods, "OPTIONS"):
            said = {"error": f"This address is asked with {' or '.join(methods)}."}
            await JSONResponse(said, 405, headers={"allow": ", ".join(methods)})(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _nothing(self, scope: Scope) -> Response:
        path: str = scope["path"]
        if path.startswith(_CALL):
            return JSONResponse({"error": f"There is no such endpoint; there are {', '.join(self._endpoints)}."}, 404)
        if "text/html" in Headers(scope=scope).get("accept", "") and not path.startswith("/gradio_api/"):
            # Nothing of the address stands in it.
            return HTMLResponse(_NOTHING_HERE.format(home=escape(scope.get("root_path", ""))), 404)
        return JSONResponse({"error": "There is nothing at this address."}, 404)

    def _methods(self, path: str) -> tuple[str, ...]:
        if len(path) > MOST_PATH or not path.isprintable() or ".." in path.split("/"):
            return ()
        return next((methods for pattern, methods in self._listed if pattern.fullmatch(path)), ())
