"""Which modules and functions a file and a click pass: `python -m research.modules_passed`.

A file of 2024 goes from *Submit* to its ticket, in the page and in the process that reads it. A click on a column head
of the Robustness board goes from its event to the values that are sent back. Both are done once before they are
counted, as on a server that runs.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import CO_OPTIMIZED
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import gradio as gr
from starlette.requests import Request

from benchmarks.filled_store import fill
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.desk.checked_file import checked_file
from leaderboard.desk.submit_page import OpenDesk
from leaderboard.desk.submit_screen import BLANK
from leaderboard.page.services import Services
from leaderboard.ui import build
from submissions.archive.record import Archive
from submissions.checking.child import _answer
from submissions.checking.job import CheckJob
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.settings import Settings
from submissions.store.store import Store

ROOT = Path(__file__).parents[1]
PRODUCT = ("submissions", "evaluator", "leaderboard")
ROWS = 20
"""Of the board that is clicked on."""
ASKED_FOR_ROWS = ("leaderboard/boards/robustness/cache.py", "Boards.rows")
"""What gives the rows of the Robustness board."""


@dataclass(slots=True)
class Passed:
    """The functions that were entered, in order of first entry; of all threads that began since it was started.

    Modules that are only imported, and comprehensions, do not count.
    """

    root: Path = ROOT
    packages: Sequence[str] = PRODUCT
    calls: dict[tuple[str, str], int] = field(default_factory=dict)
    """Module and function -> how often it was entered."""
    _places: dict[str, str] = field(default_factory=dict)

    @property
    def modules(self) -> dict[str, list[str]]:
        """Module -> its functions, both in order of first entry."""
        passed: dict[str, list[str]] = {}
        for module, function in self.calls:
            passed.setdefault(module, []).append(function)
        return passed

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what is entered from here on."""
        threading.setprofile(self._enter)
        sys.setprofile(self._enter)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _enter(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or (code.co_name.startswith("<") and code.co_name != "<lambda>"):
            return
        module = self._module(code.co_filename)
        if module and code.co_flags & CO_OPTIMIZED:  # the body of a class is not
            self.calls[module, code.co_qualname] = self.calls.get((module, code.co_qualname), 0) + 1

    def _module(self, file: str) -> str:
        """The path of a product's module below the root; blank for all others."""
        if file not in self._places:
            path = Path(file)
            inside = path.relative_to(self.root) if path.is_relative_to(self.root) else Path()
            self._places[file] = str(inside) if inside.parts[:1] and inside.parts[0] in self.packages else ""
        return self._places[file]


def passed_by(action: Callable[[], object]) -> Passed:
    """What an action passes when it is done a second time."""
    passed = Passed()
    with passed.counting():
        action()
        passed.calls.clear()
        action()
    return passed


def submitted(services: Services, pages: Any, data: bytes, folder: Path) -> tuple[Passed, Passed]:
    """What a file passes in the page from *Submit* to its receipt, and in the process that reads it."""
    button = _component(pages, "submit")
    handler = _handler(pages, button, "click")
    request = gr.Request(Request({"type": "http", "headers": [], "client": ("127.0.0.1", 1)}))
    upload = folder / "submission.json"
    line_ends = count()

    def submit() -> None:
        upload.write_bytes(data + b"\n" * next(line_ends))  # the same file is not taken twice
        sent = (request, OpenDesk(), str(upload), None, None, "brackets", False, False, "", BLANK, *BLANK)
        asyncio.run(_drained(handler(*sent)))

    job = CheckJob(upload, upload.name, view=checked_file)
    prompt_sets = services.desk.checking_prompt_sets
    return passed_by(submit), passed_by(lambda: _answer(job, prompt_sets))


def clicked(pages: Any) -> Passed:
    """What a click on the head of a column of the Robustness board passes."""
    table = _component(pages, "board-table")
    handler = _handler(pages, table, "sort")
    keys = iter(("team", "score"))
    shown = RobustnessState(turn=1)

    def click() -> None:
        nonlocal shown
        # The server keeps the state of a visitor, and the browser says which drawing it shows.
        shown, *_ = handler(shown, {"turn": shown.turn}, gr.EventData(table, {"key": next(keys)}))

    return passed_by(click)


def text(title: str, passed: Passed) -> str:
    """The modules with their functions, as they are printed."""
    lines = [f"{title}: {len(passed.modules)} modules, {len(passed.calls)} functions"]
    lines += [f"  {module}: {', '.join(functions)}" for module, functions in passed.modules.items()]
    return "\n".join(lines)


def main() -> None:
    """Print what a file and a click pass."""
    with tempfile.TemporaryDirectory(prefix="plumbline-") as name:
        settings = Settings.from_env({"PLUMBLINE_DATA": name})
        fill(settings, ROWS)
        store = Store.open(settings.resolved_database_url)
        services = Services(store, Desk(store, Archive(Path(name) / "archive"), PromptSets.load(None)), settings)
        try:
            pages = build(services)
            _, data = next(example_submissions())
            in_page, in_reader = submitted(services, pages, data, Path(name))
            click = clicked(pages)
        finally:
            services.checks.close()
            store.close()
    modules = {*in_page.modules, *in_reader.modules}
    said = [
        text("Submit, in the page", in_page),
        text("Submit, in the process that reads the file", in_reader),
        f"Submit, together: {len(modules)} modules",
        text("A click on a column", click),
        f"Rows asked for by a click: {click.calls.get(ASKED_FOR_ROWS, 0)} times",
    ]
    sys.stdout.write("\n".join(said) + "\n")


async def _drained(steps: Any) -> None:
    async for _ in steps:
        pass


def _component(pages: Any, elem_id: str) -> Any:
    return next(block for block in pages.blocks.values() if getattr(block, "elem_id", None) == elem_id)


def _handler(pages: Any, block: Any, event: str) -> Callable[..., Any]:
    made: Iterator[Any] = (each.fn for each in pages.fns.values() if (block._id, event) in each.targets)
    # A press also cancels, by an event that has none.
    found: Callable[..., Any] = next(handler for handler in made if handler is not None)
    return found


if __name__ == "__main__":
    main()
