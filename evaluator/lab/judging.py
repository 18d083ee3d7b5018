"""A judge for the lab: loaded when first needed, asked by one run at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from evaluator.judges.protocol import JudgeRequest, Judgment, RequestKind
from evaluator.judges.recorded import RecordedJudge
from evaluator.memory import give_back_freed_memory
from evaluator.values import Pin

_LOOK_S = 0.05
"""How often a run that waits for the judge looks whether it was cancelled."""


class JudgingStopped(Exception):
    """Raised when a run was cancelled while it waited for the judge."""


@runtime_checkable
class Explains(Protocol):
    """A judge that can say why, in a sentence of its own."""

    def explanation(self, request: JudgeRequest, judgment: Judgment) -> str: ...


class LabJudge:
    """The judge of the lab: one for all visitors, who wait for each other.

    Args:
        load: Makes the judge, which may take a while; called when it is first needed, again if it failed.
    """

    def __init__(self, load: Callable[[], RecordedJudge]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._loaded: RecordedJudge | None = None

    @property
    def pin(self) -> Pin | None:
        """Which judge it is; None until it is loaded."""
        return None if self._loaded is None else self._loaded.judge.pin

    def kinds(self, stop: threading.Event) -> frozenset[RequestKind]:
        """What it can be asked; loads it.

        Raises:
            JudgingStopped: when `stop` was set first.
            JudgeUnavailable: when it cannot be loaded; the text is for the visitor.
        """
        with self._held(stop) as recorded:
            return recorded.judge.kinds

    def ask(self, requests: Sequence[JudgeRequest], stop: threading.Event) -> list[Judgment]:
        """One judgment per request; what was once asked is answered from the store.

        Raises:
            JudgingStopped: when `stop` was set first.
            JudgeUnavailable: when it cannot judge now.
        """
        with self._held(stop) as recorded:
            judgments = [verdict.judgment for verdict in recorded.verdicts(requests)]
        give_back_freed_memory()  # the first question loads a model
        return judgments

    def explanation(self, request: JudgeRequest, judgment: Judgment, stop: threading.Event) -> str | None:
        """One sentence on a judgment already given; None where the judge cannot write.

        Raises:
            JudgingStopped: when `stop` was set first.
        """
        with self._held(stop) as recorded:
            return recorded.judge.explanation(request, judgment) if isinstance(recorded.judge, Explains) else None

    @contextmanager
    def _held(self, stop: threading.Event) -> Iterator[RecordedJudge]:
        """The judge, for this run alone; a cancelled run does not wait for its turn."""
        while not self._lock.acquire(timeout=_LOOK_S):
            if stop.is_set():
                raise JudgingStopped
        try:
            if stop.is_set():
                raise JudgingStopped
            if self._loaded is None:
                self._loaded = self._load()
            yield self._loaded
        finally:
            self._lock.release()
