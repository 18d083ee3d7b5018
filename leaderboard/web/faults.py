"""What is said when something fails that should not: a sentence to whoever asked, one line to the log."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from submissions.reading.quoting import printable

logger = logging.getLogger(__name__)

FAILED = "This failed on our side; the log of this installation says where."
MOST_FRAMES = 6
MOST_CHARACTERS = 300
MOST_LINE = 2_000
"""Characters of a line of the log."""


class PortTaken(Exception):
    """Raised by `PageServer.open` when the page server cannot listen where it should."""


class OneLine(logging.Formatter):
    """Writes what is said in one line, of bounded length: libraries repeat what a caller sent, line by line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  (the name is logging's)
        return printable(super().formatMessage(record), MOST_LINE)


def log_in_lines() -> None:
    """Log to stderr what is said and warned of, each in one line; gradio's warnings repeat what stood in a link."""
    lines = logging.StreamHandler()
    lines.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[lines])
    logging.captureWarnings(True)
    for name in ("httpx", "httpx2"):
        logging.getLogger(name).setLevel(logging.WARNING)


class PlainFaults:
    """Keeps tracebacks, with what they tell of the machine, from the log and from whoever asked."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            path = printable(scope["path"], MOST_CHARACTERS)
            logger.error("%s %s failed: %s", scope["method"], path, in_one_line(error))
            if not has_begun:
                await JSONResponse({"error": FAILED}, 500)(scope, receive, send)


def in_one_line(error: BaseException) -> str:
    """An error and where it came from, the innermost place first.

    >>> def half(number): return number / 0
    >>> try: half(1)
    ... except ZeroDivisionError as error: in_one_line(error).partition(":")[0]
    'ZeroDivisionError'
    """
    said = printable(str(error), MOST_CHARACTERS)
    frames = traceback.extract_tb(error.__traceback__)[-MOST_FRAMES:]
    places = (f"{'/'.join(Path(frame.filename).parts[-2:])}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    return f"{type(error).__name__}: {said} ({' < '.join(places)})"
