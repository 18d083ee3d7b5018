"""Calls as gradio's routes expect them: everything else is refused in a sentence before they fail over it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import orjson
from gradio.queueing import Queue
from starlette.datastructures import QueryParams
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.web.pages import MOST_LEVELS, Pages
from leaderboard.web.uploads import Uploads

_JOINS = ("/gradio_api/run/predict", "/gradio_api/queue/join")
_MESSAGE = re.compile(r"/gradio_api/mcp/?")
_BODY = re.compile(rf"/gradio_api/(?:run/predict|queue/join|cancel|reset|call/\w+/?)|{_MESSAGE.pattern}")
_CALLED = re.compile(r"/gradio_api/call/\w+/(\w+)")
_STREAM = "/gradio_api/queue/data"
_MANY_DIGITS = re.compile(rb"[0-9]{19}")
_LARGEST = 2**63 - 1
_NAME = re.compile(r"[\w-]{1,100}")
_GONE = "There is no such call here, or its answer was fetched before."


class Unsound(Exception):
    """What is wrong with a call, for whoever made it."""


class SoundCalls:
    """Refuses calls that gradio 6.31 answers with a traceback: of events there are not, with bodies of another shape.

    Args:
        pages: Whose events they are.
        uploads: Are told which files a page uses.
    """

    def __init__(self, app: ASGIApp, pages: Pages, uploads: Uploads) -> None:
        self._app = app
        self._pages = pages
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        if scope["method"] == "POST" and _BODY.fullmatch(path):
            body = await _whole(receive)
            try:
                self._look_at(path, body)
            except Unsound as fault:
                await JSONResponse({"error": str(fault)}, 422)(scope, receive, send)
                return
            receive = _again(body, receive)
        elif scope["method"] == "GET" and (refused := self._stream_of_nobody(path, scope["query_string"])):
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _look_at(self, path: str, body: bytes) -> None:
        message = _json(body)
        if _MESSAGE.fullmatch(path):
            return
        if not isinstance(message, dict):
            raise Unsound("The body of a call is a JSON object.")
        call: dict[str, Any] = message
        if path.endswith("/reset"):
            _is_named(call, "event_id")
            return
        if path.endswith("/cancel"):
            _is_named(call, "session_hash", "event_id")
            _is_number(call, "fn_index")
            return
        if not isinstance(call.get("data"), list):
            raise Unsound("A call states its values as a list: data (docs/api.md).")
        for optional in ("session_hash", "event_id"):
            if call.get(optional) is not None:
                _is_named(call, optional)
        if call.get("trigger_id") is not None:
            _is_number(call, "trigger_id")
        if path in _JOINS:
            function = self._pages.fns.get(_is_number(call, "fn_index"))
            if function is None or function.fn is None:
                raise Unsound(f"There is no event {call['fn_index']}: fn_index is one of those in /config.")
            if path == _JOINS[0] and function.queue:
                raise Unsound("This event waits in line: call it under /gradio_api/queue/join, or by its name.")
        if path == _JOINS[1]:
            _is_named(call, "session_hash")
        if call.get("session_hash"):
            self._uploads.used_in(call["session_hash"], _files(call["data"]))

    def _stream_of_nobody(self, path: str, query: bytes) -> Response | None:
        """What is answered to whoever wants to read events that nobody asked for."""
        queue = self._pages._queue
        if path == _STREAM:
            session = QueryParams(query).get("session_hash", "")
            if session in queue.pending_messages_per_session:
                return None
            # As gradio says it, for its scripts to understand.
            said: Any = {"msg": "unexpected_error", "event_id": None, "message": _GONE}
            text = f"data: {json.dumps(said | {'session_not_found': True, 'success': False})}\n\n"
            return Response(text, media_type="text/event-stream")
        called = _CALLED.fullmatch(path)
        if called and not _is_open(queue, called[1]):
            return Response(f"event: error\ndata: {json.dumps({'error': _GONE})}\n\n", media_type="text/event-stream")
        return None


def _is_open(queue: Queue, event: str) -> bool:
    """Is the answer of this call still to be fetched?"""
    if event in queue.event_ids_to_events or event in queue.pending_messages_per_session:
        return True
    return any(event in events for events in queue.pending_event_ids_session.values())


def _json(body: bytes) -> object:
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Unsound("The body of a call is JSON.") from None
    level = [message] if isinstance(message, dict | list) else []
    for _ in range(MOST_LEVELS):
        level = [part for value in level for part in _parts(value) if isinstance(part, dict | list)]
    if level:
        raise Unsound(f"The body of a call is nested at most {MOST_LEVELS} levels deep.")
    if _MANY_DIGITS.search(body):
        # Python reads longer numbers than orjson writes: an event that gives one back would have no answer.
        json.loads(body, parse_int=_short_number)
    return message


def _short_number(digits: str) -> int:
    if len(digits) > len(str(_LARGEST)) + 1 or abs(int(digits)) > _LARGEST:
        raise Unsound(f"A whole number in a call is at most {_LARGEST}.")
    return int(digits)


def _files(values: list[Any]) -> list[str]:
    """The paths of the files among values, wherever they stand."""
    paths: list[str] = []
    level: list[Any] = values
    while level:
        paths += [part["path"] for part in level if isinstance(part, dict) and isinstance(part.get("path"), str)]
        level = [part for value in level if isinstance(value, dict | list) for part in _parts(value)]
    return paths


def _parts(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _is_named(call: dict[str, Any], *fields: str) -> None:
    for field in fields:
        name = call.get(field)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise Unsound(f"{field} is a name of at most 100 letters, digits, - and _.")


def _is_number(call: dict[str, Any], field: str) -> int:
    number = call.get(field)
    if not isinstance(number, int) or isinstance(number, bool):
        raise Unsound(f"{field} is a whole number.")
    return number


async def _whole(receive: Receive) -> bytes:
    parts, has_more = [], True
    while has_more:
        message = await receive()
        parts.append(message.get("body", b""))
        has_more = message.get("more_body", False)
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read to the next reader, and then whatever comes."""
    is_given = False

    async def given() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return given
