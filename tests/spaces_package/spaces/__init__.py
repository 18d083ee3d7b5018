"""A stand-in for the package `spaces` of a ZeroGPU Space, as far as it is used; written after the source of 0.51.3.

Like the real one it takes functions and generator functions, works the duration out from their arguments, asks for a
card in the name of the visitor whose request the context holds, pickles what goes in and comes out, runs the function
where none of the caller's context is, says of an exception only its name, and refuses by gradio's Error. It runs them
in a thread where the real one forks the process, and there is no card.

In the folder that STAND_IN_FOR_SPACES names it notes every call (`calls.jsonl`), and finds what it is to refuse with
(`refusal.json`: title and message).
"""

from __future__ import annotations

import inspect
import json
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

if "gradio" in sys.modules and not hasattr(sys.modules["gradio"], "Blocks"):
    raise ImportError("gradio looks for this package while it is imported; the real one refuses that, too")

import gradio as gr
from gradio.context import LocalContext

_WRITING = threading.Lock()


def GPU(*, duration: Callable[..., int]) -> Callable[[Any], Any]:  # noqa: N802 - its name there
    def wrapped(function: Any) -> Any:
        _note(event="wrapped", function=function.__name__)
        return (_generator if inspect.isgeneratorfunction(function) else _function)(function, duration)

    return wrapped


def _startup() -> None:
    _note(event="started")


zero = SimpleNamespace(startup=_startup)


def _function(function: Any, duration: Callable[..., int]) -> Any:
    @wraps(function)
    def called(*arguments: Any) -> Any:
        (found,) = _generator(lambda *given: iter([function(*given)]), duration, function.__name__)(*arguments)
        return found

    return called


def _generator(function: Any, duration: Callable[..., int], name: str | None = None) -> Any:
    def called(*arguments: Any) -> Iterator[Any]:
        _ask(name or function.__name__, duration(*arguments))
        given = pickle.dumps(arguments)
        results: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        is_closed = threading.Event()

        def run() -> None:
            written = function(*pickle.loads(given))
            try:
                for one in written:
                    if is_closed.is_set():
                        break
                    results.put(("value", pickle.dumps(one)))
            except Exception as error:
                results.put(("failed", type(error).__name__))
            results.put(("ended", None))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            while True:
                what, found = results.get()
                if what == "failed":
                    raise gr.Error(found, title="ZeroGPU worker error", print_exception=False)
                if what == "ended":
                    return
                yield pickle.loads(found)
        except GeneratorExit:
            is_closed.set()
            _note(event="closed", function=name or function.__name__)
            raise

    return called


def _ask(name: str, seconds: int) -> None:
    """For a card."""
    request = LocalContext.request.get(None)
    _note(event="asked", function=name, seconds=seconds, visitor=request and request.headers.get("x-ip-token"))
    refusal = _folder() / "refusal.json"
    if refusal.is_file():
        said = json.loads(refusal.read_text(encoding="utf-8"))
        raise gr.Error(said["message"], title=said["title"], print_exception=False)


def _note(**what: Any) -> None:
    with _WRITING, (_folder() / "calls.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")


def _folder() -> Path:
    return Path(os.environ["STAND_IN_FOR_SPACES"])
