"""The canary as a job of the service: each of its judges is asked again when it is due, in a process of its own."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from evaluator.canary.record import canary_folder
from evaluator.worker.child import BESIDE_PAGE_NICE
from evaluator.worker.supervisor import HUB_TOKENS
from submissions.settings import Settings

logger = logging.getLogger(__name__)

LOOK_S = 30.0
"""How often it is seen to which judges are due."""
AGAIN_AFTER_S = 3600.0
"""A judge that could not be asked is asked again then, or when it is due, whichever is sooner."""
_TOLD_CHARACTERS = 2_000
SET_UP_S = 24 * 3600.0
"""Between two days of a baseline, where rounds are rarer."""
_ASKED = (0, 3)
"""Exit codes of `canary` that say that a round was asked; 3 = the judge has changed."""
_SETTING_UP = 4
"""The exit code that says that a day of the baseline was asked."""

Ask = Callable[[str, threading.Event], int]
"""Asks the canary of a judge; its exit code. Returns soon once the event is set."""


class CanarySchedule:
    """Asks the canaries of some judges, one after the other, from a thread of the page server.

    When each was asked last is kept beside their records, so that a service that starts anew does not ask again.

    Args:
        judges: As `--judge` names them.
        folder: Of the records.
        every_s: Between two rounds of one judge.
        ask: Does it.
        clock: Seconds since the epoch.
    """

    def __init__(
        self, judges: Sequence[str], folder: Path, every_s: float, ask: Ask, clock: Callable[[], float] = time.time
    ) -> None:
        self._judges = tuple(dict.fromkeys(judges))
        self._folder = folder / "schedule"
        self._every_s = every_s
        self._ask = ask
        self._clock = clock
        self._tried: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="canary", daemon=True)

    @classmethod
    def of(cls, settings: Settings, environ: Mapping[str, str]) -> CanarySchedule | None:
        """Of the service's judges; None where nothing is asked on a schedule."""
        if not settings.canary_every_s:
            return None
        kept = {name: value for name, value in environ.items() if name not in HUB_TOKENS}
        ask = _Asking(settings.data, kept)
        return cls(settings.judge_names, canary_folder(settings.data), settings.canary_every_s, ask)

    def start(self) -> None:
        """Asks whoever is due from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Ends a round under way, which then counts for nothing."""
        self._stop.set()
        self._thread.join()

    def look(self) -> list[str]:
        """Asks the judges that are due, and returns which these were."""
        asked = []
        for judge in self._judges:
            if self._stop.is_set() or not self.is_due(judge):
                continue
            self._tried[judge] = self._clock()
            code = self._ask(judge, self._stop)
            asked.append(judge)
            if code in _ASKED or code == _SETTING_UP:
                self._note(judge, "set up" if code == _SETTING_UP else "")
        return asked

    def is_due(self, judge: str) -> bool:
        """Whether a judge has not been asked for long enough; a clock that went back makes nobody wait longer."""
        now, tried = self._clock(), self._tried.get(judge)
        if tried is not None and abs(now - tried) < min(AGAIN_AFTER_S, self._every_s):
            return False
        with suppress(OSError, ValueError):
            asked, _, state = self._path(judge).read_text("ascii").partition(" ")
            every_s = min(SET_UP_S, self._every_s) if state.strip() else self._every_s
            return abs(now - float(asked)) >= every_s
        return True

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.look()
            except OSError as error:
                # A full disk must not end the schedule of years.
                logger.warning("the canary could not be asked: %s", error)
            self._stop.wait(LOOK_S)

    def _path(self, judge: str) -> Path:
        # By digest: a name may hold an address, and is no file name.
        return self._folder / hashlib.sha256(judge.encode()).hexdigest()[:16]

    def _note(self, judge: str, state: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._path(judge).write_text(f"{self._clock()} {state}\n", "ascii")


class _Asking:
    """`python -m evaluator canary` as a process of its own: a judge may hold the interpreter, or die."""

    def __init__(self, data: Path, environ: Mapping[str, str]) -> None:
        self._data = data.absolute()
        self._environ = environ

    def __call__(self, judge: str, stopped: threading.Event) -> int:
        asking = subprocess.Popen(
            [sys.executable, "-m", "evaluator", "canary", "--judge", judge, "--data", str(self._data)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=Path(__file__).parents[2],
            env=self._environ,
        )
        with suppress(ProcessLookupError, PermissionError):
            os.setpriority(os.PRIO_PROCESS, asking.pid, BESIDE_PAGE_NICE)
        while True:
            try:
                told, _ = asking.communicate(timeout=1.0)
                break
            except subprocess.TimeoutExpired:
                if stopped.is_set():
                    asking.kill()
        words = " ".join(told.decode(errors="replace")[-_TOLD_CHARACTERS:].split())
        logger.log(logging.INFO if asking.returncode == 0 else logging.WARNING, "canary: %s", words)
        return asking.returncode
