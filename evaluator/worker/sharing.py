"""Several workers, one submission: its own worker lays out the questions in chunks, idle ones help to judge them.

Verdicts are kept by content, so it does not matter who judges a question, nor whether two do: only the submission's own
worker composes the result, and only of what is stored.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

from evaluator.judges.protocol import Judge
from evaluator.judges.recorded import Sharing
from evaluator.values import Pin
from submissions.store.queue import Chunk, Job
from submissions.store.store import Store

CHUNKS_PER_WORKER = 4
"""So that the last chunk of the slowest worker is not waited for long."""

LEAST_QUESTIONS = 8
LEAST_SECONDS = 0.25
"""A chunk takes a worker at least as long: two short transactions around it must not weigh."""

WAIT_S = 0.1
"""How often the submission's worker looks whether its helpers are done."""

CheckStop = Callable[[], None]
"""Raises when the worker was asked to stop."""

OnChunk = Callable[[int, float], None]
"""Told of every chunk: verdicts that were new, and seconds the judge took."""


class NothingToShare(Exception):
    """Raised inside the evaluation of a helper when no chunk is left for it: it leaves the rest to others."""


def judge_digest(pin: Pin) -> str:
    """SHA-256 of a judge's pin: workers with the same digest give the same verdicts."""
    return hashlib.sha256(pin.model_dump_json().encode()).hexdigest()


def call_digest(keys: Sequence[str]) -> str:
    """Names one call to a judge by the verdict keys it asks for, in order."""
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()


def laid_out(is_open: Sequence[bool], size: int) -> list[Chunk]:
    """Cuts the questions of a call into chunks of `size` open ones; the last may be smaller.

    >>> laid_out([True, False, True, True], 2)
    [Chunk(start=0, stop=3, requests=2), Chunk(start=3, stop=4, requests=1)]
    """
    places = [place for place, one in enumerate(is_open) if one]
    return [
        Chunk(group[0], group[-1] + 1, len(group))
        for group in (places[start : start + size] for start in range(0, len(places), size))
    ]


def chunk_size(questions: int, workers: int, rate: float | None, largest: int) -> int:
    """How many open questions go into a chunk.

    One worker alone takes the largest chunks; several take smaller ones, but none so small that leasing it weighs.

    Args:
        questions: Open ones of the call.
        workers: That are alive, this one included.
        rate: Judgements a second of a worker; None = nobody knows yet.
        largest: The setting.

    >>> chunk_size(300, 1, 10.0, 64), chunk_size(300, 4, 10.0, 64), chunk_size(300, 4, 1000.0, 64)
    (64, 19, 64)
    """
    if workers < 2:
        return largest
    wanted = math.ceil(questions / (CHUNKS_PER_WORKER * workers))
    least = max(LEAST_QUESTIONS, math.ceil((rate or 0.0) * LEAST_SECONDS))
    return min(largest, max(least, wanted))


class Shares(Sharing):
    """What the worker of a submission does: lay out, take, wait for the helpers.

    Args:
        largest: The most questions in a chunk.
        stop: Set when the worker is to stop; waiting ends at once.
        check_stop: Raises then.
        on_chunk: Told of every chunk this worker judged.
    """

    def __init__(
        self,
        store: Store,
        job: Job,
        worker: str,
        *,
        largest: int,
        stop: threading.Event,
        check_stop: CheckStop,
        on_chunk: OnChunk,
    ) -> None:
        self._store = store
        self._job = job
        self._worker = worker
        self._largest = largest
        self._stop = stop
        self._check_stop = check_stop
        self._on_chunk = on_chunk
        self._call = ""

    def divides(self, questions: int) -> bool:
        return questions > self._size(questions)

    def chunks(self, judge: Judge, keys: Sequence[str], is_open: Sequence[bool]) -> Iterator[Chunk]:
        self._call = call_digest(keys)
        parts = laid_out(is_open, self._size(sum(is_open)))
        digest = judge_digest(judge.pin)
        self._store.open_chunks(self._job.id, self._worker, judge=digest, call=self._call, parts=parts)
        while True:
            chunk = self._store.lease_chunk(self._job.id, self._worker, self._call)
            if chunk is not None:
                yield chunk
            elif self._store.chunks_left(self._job.id, self._call):
                self._stop.wait(WAIT_S)
                self._check_stop()
            else:
                return

    def finish(self, chunk: Chunk, found: Mapping[str, str], seconds: float) -> None:
        stored = self._store.finish_chunk(self._job.id, self._worker, self._call, chunk, found)
        self._on_chunk(stored, seconds)
        self._check_stop()

    def _size(self, questions: int) -> int:
        alive = [worker for worker in self._store.workers() if worker.is_alive]
        rates = [worker.judgements_per_s for worker in alive if worker.judgements_per_s]
        rate = sum(rates) / len(rates) if rates else None
        return chunk_size(questions, len(alive), rate, self._largest)


class Help(Sharing):
    """What a helper does: take chunks of another worker's submission while there are any.

    Args:
        check_stop: Raises when the helper is to stop.
        on_chunk: Told of every chunk this worker judged.
    """

    def __init__(self, store: Store, job: Job, worker: str, *, check_stop: CheckStop, on_chunk: OnChunk) -> None:
        self._store = store
        self._job = job
        self._worker = worker
        self._check_stop = check_stop
        self._on_chunk = on_chunk
        self._call = ""
        self.finished = 0
        """Chunks judged."""

    def divides(self, questions: int) -> bool:
        return True

    def chunks(self, judge: Judge, keys: Sequence[str], is_open: Sequence[bool]) -> Iterator[Chunk]:
        self._call = call_digest(keys)
        while True:
            chunk = self._store.lease_chunk_to_help(self._job.id, self._worker, self._call)
            if chunk is None:
                raise NothingToShare
            yield chunk

    def finish(self, chunk: Chunk, found: Mapping[str, str], seconds: float) -> None:
        stored = self._store.finish_chunk(self._job.id, self._worker, self._call, chunk, found)
        self.finished += 1
        self._on_chunk(stored, seconds)
        self._check_stop()
