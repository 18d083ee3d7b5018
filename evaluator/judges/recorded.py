"""Every verdict is stored once: the same question to the same judge is never asked again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from evaluator.judges.protocol import Judge, JudgeRequest, Judgment

REQUESTS_PER_BATCH = 64
"""Verdicts are committed after this many judgements: what a killed worker may have to repeat."""


class VerdictStore(Protocol):
    """Where verdicts are kept by key; `submissions.store.Store` is one."""

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]: ...

    def save_verdicts(self, found: dict[str, str]) -> int: ...


class MemoryVerdicts(VerdictStore):
    """Verdicts of one process, for the command line and tests."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        return {key: self._found[key] for key in keys if key in self._found}

    def save_verdicts(self, found: dict[str, str]) -> int:
        new = {key: payload for key, payload in found.items() if key not in self._found}
        self._found.update(new)
        return len(new)


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch of judgements added."""

    judged: int
    """Requests answered so far, stored ones and those of earlier calls included."""
    to_judge: int
    """Requests known so far."""
    newly_stored: int
    seconds: float
    """Time the judge took for this batch."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgment under the key it is stored by."""

    key: str
    judgment: Judgment


def judgment_to_json(judgment: Judgment) -> str:
    """Canonical JSON of a judgment."""
    return json.dumps(asdict(judgment) | {"details": dict(judgment.details)}, sort_keys=True, ensure_ascii=False)


def judgment_from_json(text: str) -> Judgment:
    """The judgment `judgment_to_json` wrote."""
    fields = json.loads(text)
    if fields["distribution"] is not None:
        fields["distribution"] = tuple(fields["distribution"])
    return Judgment(**fields)


class RecordedJudge:
    """A judge behind its store of verdicts.

    Args:
        judge: Who answers what is not stored.
        verdicts: Where verdicts are kept.
        on_batch: Called after each committed batch; may raise to stop.
        judged_before: Judgements other judges have made of the same work, counted into the progress.
    """

    def __init__(
        self,
        judge: Judge,
        verdicts: VerdictStore,
        on_batch: Callable[[Batch], None] = lambda batch: None,
        judged_before: int = 0,
    ) -> None:
        self.judge = judge
        self._verdicts = verdicts
        self._on_batch = on_batch
        self.judged = judged_before
        """Requests answered so far, over all calls."""

    def verdicts(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        """One verdict per request, in order; equal requests are asked once."""
        keys = [self.judge.key(request) for request in requests]
        found = {
            key: judgment_from_json(text)
            for key, text in self._verdicts.load_verdicts(list(dict.fromkeys(keys))).items()
        }
        missing = {key: request for key, request in zip(keys, requests, strict=True) if key not in found}
        known = sum(key in found for key in keys)
        before, total = self.judged, self.judged + len(keys)
        self._on_batch(Batch(before + known, total, newly_stored=0, seconds=0.0))
        waiting = list(missing.items())
        for start in range(0, len(waiting), REQUESTS_PER_BATCH):
            chunk = waiting[start : start + REQUESTS_PER_BATCH]
            began = time.monotonic()
            judgments = self.judge.judge([request for _, request in chunk])
            seconds = time.monotonic() - began
            fresh = {key: judgment for (key, _), judgment in zip(chunk, judgments, strict=True)}
            stored = self._verdicts.save_verdicts({key: judgment_to_json(found) for key, found in fresh.items()})
            found |= fresh
            judged = before + sum(key in found for key in keys)
            self._on_batch(Batch(judged, total, newly_stored=stored, seconds=seconds))
        self.judged = total
        return [Verdict(key, found[key]) for key in keys]
