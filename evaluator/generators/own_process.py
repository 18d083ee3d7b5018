"""A generator in a process of its own: whatever its model does, the page's interpreter is free, and goes on.

    page process                     python -m evaluator.generators.writing_process NAME FOLDER
    OwnProcessGenerator.stream  ->   {"stream": 1, "messages": [["user", "..."]], "limit": 512}
                                <-   {"stream": 1, "text": "The", "tokens": 1, "finish_reason": null}
    stop is set                 ->   {"stop": 1}

One JSON document a line, over the process's standard input and output. When the page process goes, however it goes, the
pipe closes and the other one ends. A process that dies ends its streams with a sentence; the next one starts another.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from evaluator.generators.protocol import (
    MAX_NEW_TOKENS,
    Chunk,
    GeneratorUnavailable,
    Message,
    TextGenerator,
    UnsuitableGenerator,
)
from evaluator.values import Pin

logger = logging.getLogger(__name__)

POLL_S = 0.05
"""How often it is looked whether to stop, while nothing comes."""
FAREWELL_S = 2.0
"""How long a process that is no longer needed may take to end before it is killed."""

_WITHHELD = frozenset(
    (
        "OAUTH_CLIENT_SECRET",
        "PLUMBLINE_INFERENCE_TOKEN",
        "PLUMBLINE_GENERATOR_API_KEY",
        "PLUMBLINE_JUDGE_API_KEY",
        "PLUMBLINE_CANARY_WEBHOOK",
        "PLUMBLINE_DATABASE_URL",
        "PLUMBLINE_JOBS_TOKEN",
        "PLUMBLINE_PSEUDONYM_KEY",
    )
)
"""Variables the process does not get. It keeps the Hub's token: models behind a licence are loaded with it."""

_Said = Mapping[str, Any]


class OwnProcessGenerator(TextGenerator):
    """A generator of the allow-list, loaded and run by another process.

    Args:
        name: As configured (`evaluator.generators.loading.GENERATOR_NAMES`).
        kept: Where models made here are kept.
        sharing: How many such processes, or texts of a small model, may be written at the same time. Each computes with
            its share of the cores, unless OMP_NUM_THREADS says otherwise: threads that wait for each other while others
            hold their cores cost tenfold.
        longest: Most tokens of a text, whatever is asked for.

    Raises:
        UnsuitableGenerator: when the model cannot be loaded as it is pinned, or is no chat model.
        GeneratorUnavailable: when the process ended while it loaded.
    """

    def __init__(self, name: str, *, kept: Path | None = None, sharing: int = 1, longest: int = MAX_NEW_TOKENS) -> None:
        self._name = name
        self._longest = longest
        self._kept = kept
        self._threads = max(1, len(os.sched_getaffinity(0)) // sharing)
        self._starting = threading.Lock()
        self._process = _WritingProcess(name, kept, self._threads)
        try:
            pin = self._process.loaded(threading.Event())
        except BaseException:
            self._process.close()
            raise
        assert pin is not None  # nobody stops it
        self._pin = pin

    @property
    def pin(self) -> Pin:
        return self._pin

    @property
    def process_id(self) -> int:
        """Of the process that writes now."""
        return self._process.id

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """See `TextGenerator`. What comes after `stop` was set is not waited for."""
        process = self._running()
        if process.loaded(stop) is None:
            yield Chunk("", 0, "cancelled")
            return
        number, arrived = process.ask(messages, min(max_new_tokens, self._longest))
        tokens = 0
        try:
            while not stop.is_set():
                try:
                    said = arrived.get(timeout=POLL_S)
                except Empty:
                    continue
                chunk = _chunk(said, process)
                tokens = chunk.tokens
                yield chunk
                if chunk.finish_reason is not None:
                    return
            yield Chunk("", tokens, "cancelled")
        finally:
            process.leave(number)

    def close(self) -> None:
        """Ends the process."""
        self._process.close()

    def _running(self) -> _WritingProcess:
        with self._starting:
            if self._process.has_ended:
                self._process.close()
                self._process = _WritingProcess(self._name, self._kept, self._threads)
            return self._process


class _WritingProcess:
    """One process with a model, and the streams it writes."""

    def __init__(self, name: str, kept: Path | None, threads: int) -> None:
        environ = {variable: value for variable, value in os.environ.items() if variable not in _WITHHELD}
        # Whole: the process works in another folder.
        folder = [] if kept is None else [str(kept.resolve())]
        self._popen = subprocess.Popen(
            [sys.executable, "-m", "evaluator.generators.writing_process", name, *folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            env={"OMP_NUM_THREADS": str(threads)} | environ,
            # Its own session: Ctrl-C in the terminal reaches the page server alone, which closes the pipe.
            start_new_session=True,
        )
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._streams: dict[int, SimpleQueue[_Said | None]] = {}
        self._has_ended = False
        self._loading: _Said | None = None
        self._is_loaded = threading.Event()
        self._reader = threading.Thread(target=self._read, name="generator-process", daemon=True)
        self._reader.start()

    @property
    def id(self) -> int:
        return self._popen.pid

    @property
    def has_ended(self) -> bool:
        return self._has_ended

    @property
    def end(self) -> str:
        """Waits until it has ended; how, for people: `killed by SIGKILL`, `exit code 1`."""
        code = self._popen.wait()
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def loaded(self, stop: threading.Event) -> Pin | None:
        """Waits until the model is loaded; None when `stop` was set first: loading goes on for the next stream.

        Raises:
            UnsuitableGenerator, GeneratorUnavailable: as `OwnProcessGenerator`.
        """
        while not self._is_loaded.wait(POLL_S):
            if stop.is_set():
                return None
        said = self._loading
        if said is None:
            raise GeneratorUnavailable(f"the model's process ended while it was loading ({self.end})")
        if "pin" in said:
            return Pin.model_validate(said["pin"])
        raise (UnsuitableGenerator if said["fault"] == "unsuitable" else GeneratorUnavailable)(said["message"])

    def ask(self, messages: Sequence[Message], limit: int) -> tuple[int, SimpleQueue[_Said | None]]:
        """Begins a stream: its number, and where what it says arrives; None there = the process has ended."""
        number, arrived = next(self._numbers), SimpleQueue[_Said | None]()
        with self._lock:
            self._streams[number] = arrived
        if not self._tell({"stream": number, "messages": [[m.role, m.content] for m in messages], "limit": limit}):
            arrived.put(None)
        return number, arrived

    def leave(self, number: int) -> None:
        """Nobody listens to a stream any more; one that still writes ends after the token under way."""
        with self._lock:
            self._streams.pop(number, None)
        self._tell({"stop": number})

    def close(self) -> None:
        """Ends the process."""
        stdin, stdout = self._popen.stdin, self._popen.stdout
        assert stdin is not None
        assert stdout is not None
        # A process that ended by itself may have left something unread.
        with self._lock, contextlib.suppress(BrokenPipeError):
            stdin.close()
        try:
            self._popen.wait(FAREWELL_S)
        except subprocess.TimeoutExpired:
            self._popen.kill()
        self._reader.join()
        stdout.close()

    def _tell(self, said: _Said) -> bool:
        """Sends a line; False when nobody reads any more."""
        stdin = self._popen.stdin
        assert stdin is not None
        with self._lock:
            if self._has_ended or stdin.closed:
                return False
            try:
                stdin.write(json.dumps(said).encode() + b"\n")
                stdin.flush()
            except BrokenPipeError:
                return False
        return True

    def _read(self) -> None:
        """Hands on what the process says, until it ends."""
        stdout = self._popen.stdout
        assert stdout is not None
        for line in stdout:
            said: _Said = json.loads(line)
            if "stream" not in said:
                self._loading = said
                self._is_loaded.set()
                continue
            with self._lock:
                arrived = self._streams.get(said["stream"])
            if arrived is not None:
                arrived.put(said)
        end = self.end
        with self._lock:
            self._has_ended = True
            waiting = list(self._streams.values())
        if waiting:
            logger.error("the process of a generator ended while it was writing: %s", end)
        self._is_loaded.set()
        for arrived in waiting:
            arrived.put(None)


def _chunk(said: _Said | None, process: _WritingProcess) -> Chunk:
    """What a line of a stream says.

    Raises:
        GeneratorUnavailable: when the stream, or its process, ended with a fault.
    """
    if said is None:
        raise GeneratorUnavailable(
            f"the model's process ended while it was writing ({process.end}); run it again: it is started anew"
        )
    if "fault" in said:
        raise GeneratorUnavailable(said["message"])
    return Chunk(said["text"], said["tokens"], said["finish_reason"])
