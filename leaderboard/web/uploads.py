"""Uploads of visitors: how much there is room for, and when they go."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gradio.utils import get_upload_folder
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.web.addresses import network_of
from leaderboard.web.faults import in_one_line
from leaderboard.web.pace import Pace, TooFast
from leaderboard.web.pages import UPLOADS_KEPT_S
from submissions.settings import Settings

logger = logging.getLogger(__name__)

GRACE_S = 10.0
"""After a page was closed, for what it asked for last: to submit its file, perhaps."""
RETRY_AFTER_S = 600
MOST_FILES, MOST_FILES_IN_ALL = 500, 5_000
"""Of one visitor, and of all of them: small files take room too."""
MIB = 2**20
STEP = MIB
"""Room is made in such steps for an upload that does not say how large it is."""

_UPLOAD = "/gradio_api/upload"
_HEARTBEAT = "/gradio_api/heartbeat/"
BROKEN = 400
UNREADABLE = "The upload could not be read: send every file as a part named files, with a name (docs/api.md)."


class NoRoom(Exception):
    """An upload is not taken; says why, for whoever sent it."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


@dataclass(slots=True)
class _Upload:
    size: int
    at: float
    visitors: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    is_awaited: bool = False
    """Has it come for a page that has not used it yet? Equal files of all pages lie at one place."""


class Uploads:
    """The files that lie in gradio's upload folder, by path. Safe to use from many threads.

    Args:
        for_one: Bytes a visitor may have there.
        in_all: Bytes of all visitors.
        least_free: Bytes of the disk that no upload may take.
        free: How many are free.
    """

    def __init__(
        self,
        folder: Path,
        *,
        for_one: int,
        in_all: int,
        least_free: int,
        free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder = folder
        self._for_one, self._in_all, self._least_free = for_one, in_all, least_free
        self._free, self._clock = free, clock
        self._lock = threading.Lock()
        self._there: dict[str, _Upload] = {}
        self._coming: dict[object, tuple[str, int]] = {}

    @classmethod
    def of(cls, settings: Settings) -> Uploads:
        return cls(
            Path(get_upload_folder()),
            for_one=settings.visitor_uploads_mb * MIB,
            in_all=settings.uploads_mb * MIB,
            least_free=settings.free_mb * MIB,
        )

    @contextmanager
    def coming(self, visitor: str) -> Iterator[Callable[[int], None]]:
        """Room for one upload of a visitor: call what it gives with the bytes that come, or are said to come, so far.

        That raises NoRoom once there is none for them.
        """
        key = object()

        def grown(size: int) -> None:
            with self._lock:
                self._forget_gone()
                self._coming.pop(key, None)
                self._make_sure_of_room(visitor, size)
                self._coming[key] = (visitor, size)

        try:
            yield grown
        finally:
            with self._lock:
                self._coming.pop(key, None)

    def take(self, visitor: str, paths: Iterable[str]) -> None:
        """Counts files that have arrived."""
        with self._lock:
            for path in paths:
                try:
                    size = os.path.getsize(path)
                except OSError:
                    continue
                upload = self._there.setdefault(path, _Upload(size, 0.0))
                upload.at = self._clock()
                upload.visitors.add(visitor)
                upload.is_awaited = True

    def used_in(self, session: str, paths: Iterable[str]) -> None:
        """A page uses files: they go when it is closed."""
        with self._lock:
            for path in paths:
                upload = self._there.get(path)
                if upload and session not in upload.sessions:
                    upload.sessions.add(session)
                    upload.is_awaited = False

    def closed(self, session: str) -> None:
        """Removes what a page that was closed has used, unless somebody else uses or sent the very same, or it was sent
        once more."""
        with self._lock:
            for path, upload in list(self._there.items()):
                if session in upload.sessions:
                    upload.sessions.discard(session)
                    if not upload.sessions and len(upload.visitors) == 1 and not upload.is_awaited:
                        self._remove(path)

    def sweep(self) -> None:
        """Removes what is too old, and what broken uploads left behind."""
        with self._lock:
            oldest = self._clock() - UPLOADS_KEPT_S
            for path, upload in list(self._there.items()):
                if upload.at < oldest:
                    self._remove(path)
            # gradio 6.31 writes what comes into the folder itself, and moves it once it is whole.
            for entry in os.scandir(self._folder) if self._folder.exists() else ():
                if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                    Path(entry.path).unlink(missing_ok=True)

    def _make_sure_of_room(self, visitor: str, size: int) -> None:
        own = [upload.size for upload in self._there.values() if visitor in upload.visitors]
        coming = [(of, bytes_) for of, bytes_ in self._coming.values()]
        used = sum(own) + sum(bytes_ for of, bytes_ in coming if of == visitor)
        if used + size > self._for_one or len(own) + sum(of == visitor for of, _ in coming) >= MOST_FILES:
            taken = f"{used // MIB:,} of {self._for_one // MIB:,} MiB in {len(own)} of {MOST_FILES} files"
            raise NoRoom(
                429, f"Your uploads take {taken}: they are removed when their page is closed, or after an hour."
            )
        all_coming = sum(bytes_ for _, bytes_ in coming)
        all_used = sum(upload.size for upload in self._there.values()) + all_coming
        if all_used + size > self._in_all or len(self._there) + len(coming) >= MOST_FILES_IN_ALL:
            raise NoRoom(507, "The uploads of all visitors take all their room: try again in an hour.")
        # gradio makes it once, as it is imported; what tidies temporary folders takes it away after some days.
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._free(self._folder) - all_coming - size < self._least_free:
            raise NoRoom(507, "The disk of this installation is nearly full, so no upload is taken: try again later.")

    def _forget_gone(self) -> None:
        for path in [path for path in self._there if not os.path.lexists(path)]:
            del self._there[path]

    def _remove(self, path: str) -> None:
        del self._there[path]
        file = Path(path)
        file.unlink(missing_ok=True)
        try:
            file.parent.rmdir()  # gradio makes a folder for every content
        except OSError:
            return


class UploadLimit:
    """Takes uploads for which there is room, and removes those of pages that are closed."""

    def __init__(self, app: ASGIApp, uploads: Uploads, pace: Pace, grace_s: float = GRACE_S) -> None:
        self._app = app
        self._uploads = uploads
        self._pace = pace
        self._grace_s = grace_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and path == _UPLOAD:
            await self._upload(scope, receive, send)
        elif scope["type"] == "http" and path.startswith(_HEARTBEAT):
            try:
                await self._app(scope, receive, send)
            finally:
                session = path.removeprefix(_HEARTBEAT)
                asyncio.get_running_loop().call_later(self._grace_s, self._uploads.closed, session)
        else:
            await self._app(scope, receive, send)

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        visitor = network_of((scope.get("client") or ("",))[0])
        try:
            await asyncio.sleep(self._pace.turn(visitor))
        except TooFast as too_fast:
            later = {"retry-after": str(too_fast.after_s)}
            await PlainTextResponse(str(too_fast), 429, later)(scope, receive, send)
            return
        self._uploads.sweep()
        with self._uploads.coming(visitor) as grown:
            try:
                answer = await self._answered(scope, receive, grown)
            except NoRoom as no_room:
                later = {"retry-after": str(RETRY_AFTER_S)} if no_room.status != BROKEN else {}
                await PlainTextResponse(str(no_room), no_room.status, later)(scope, receive, send)
                return
            if answer[0]["status"] == 200:
                self._uploads.take(visitor, json.loads(b"".join(message.get("body", b"") for message in answer[1:])))
        for message in answer:
            await send(message)

    async def _answered(self, scope: Scope, receive: Receive, grown: Callable[[int], None]) -> list[Message]:
        """What gradio answers to an upload.

        Raises:
            NoRoom: it is too much, broke off, or is none.
        """
        stated = Headers(scope=scope).get("content-length", "")
        room = int(stated) if stated.isdigit() else 0
        grown(room)
        received = 0
        refused: NoRoom | None = None
        answer: list[Message] = []

        async def counted() -> Message:
            nonlocal received, room, refused
            message = await receive()
            received += len(message.get("body", b""))
            try:
                if message["type"] == "http.disconnect":
                    raise NoRoom(BROKEN, "The upload broke off.")
                if received > room:
                    room = received + STEP
                    grown(room)
            except NoRoom as no_room:
                refused = no_room
                # For this error alone gradio 6.31 removes what it has written by then.
                raise MultiPartException(str(no_room)) from None
            return message

        async def kept(message: Message) -> None:
            answer.append(message)

        try:
            await self._app(scope, counted, kept)
        except Exception as error:
            logger.warning("an upload failed: %s", in_one_line(error))
            raise NoRoom(BROKEN, UNREADABLE) from None
        if refused:
            raise refused
        return answer
