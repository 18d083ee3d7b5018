"""Every verdict is stored once: the same question to the same judge is never asked again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from evaluator.judges.protocol import Judge, JudgeRequest, Judgment
from evaluator.steps import JUDGING, Steps
from submissions.store.queue import REQUESTS_PER_BATCH


class VerdictStore(Protocol):
    """Where verdicts are kept by key; `submissions.store.store.Store` is one."""

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]: ...

    def save_verdicts(self, verdicts: dict[str, str]) -> int: ...


class MemoryVerdicts(VerdictStore):
    """Verdicts of one process, for the command line and tests."""

    def __init__(self) -> None:
        self._stored: dict[str, str] = {}

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        return {key: self._stored[key] for key in keys if key in self._stored}

    def save_verdicts(self, verdicts: dict[str, str]) -> int:
        new = {key: payload for key, payload in verdicts.items() if key not in self._stored}
        self._stored.update(new)
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
        steps: Told what is being asked.
        shown: What may be kept of a text that the judge wrote: it may repeat a hidden prompt.
    """

    def __init__(
        self,
        judge: Judge,
        verdicts: VerdictStore,
        on_batch: Callable[[Batch], None] = lambda batch: None,
        judged_before: int = 0,
        steps: Steps = Steps(),
        shown: Callable[[str], str] = str,
    ) -> None:
        self.judge = judge
        self._shown = shown
        self._steps = steps
        self._verdicts = verdicts
        self._on_batch = on_batch
        self.judged = judged_before
        """Requests answered so far, over all calls."""

    def verdicts(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        """One verdict per request, in order; equal requests are asked once."""
        keys = self._keys(requests)
        asked = dict(zip(keys, requests, strict=True))
        judgments = self._stored(list(asked))
        total = self.judged + len(keys)
        known = self.judged + sum(key in judgments for key in keys)
        self._on_batch(Batch(known, total, newly_stored=0, seconds=0.0))
        missing = {key: request for key, request in asked.items() if key not in judgments}
        self._judge_missing(keys, missing, judgments)
        self.judged = total
        self._steps.step("working out the figures")
        return [Verdict(key, judgments[key]) for key in keys]

    def _keys(self, requests: Sequence[JudgeRequest]) -> list[str]:
        """Making one may mean to tokenise the texts: some take as long as to judge them."""
        self._steps.step("looking up what is judged already")
        keys = []
        for request in requests:
            keys.append(self.judge.key(request))
            self._steps.sign()
        return keys

    def _judge_missing(
        self, keys: Sequence[str], missing: Mapping[str, JudgeRequest], judgments: dict[str, Judgment]
    ) -> None:
        """Asks for what is missing in batches, each of them stored before the next, and adds it to the judgments."""
        waiting = list(missing)
        size = REQUESTS_PER_BATCH * self.judge.width
        for start in range(0, len(waiting), size):
            batch = waiting[start : start + size]
            fresh, seconds = self._asked({key: missing[key] for key in batch})
            stored = self._verdicts.save_verdicts({key: judgment_to_json(judgment) for key, judgment in fresh.items()})
            # Another worker may have been first with some of them: the result is made of what is stored.
            judgments |= fresh if stored == len(fresh) else fresh | self._stored(batch)
            judged = self.judged + sum(key in judgments for key in keys)
            self._on_batch(Batch(judged, self.judged + len(keys), newly_stored=stored, seconds=seconds))

    def _asked(self, requests: Mapping[str, JudgeRequest]) -> tuple[dict[str, Judgment], float]:
        """What the judge says, by key, and how many seconds it took."""
        began = time.monotonic()
        self._steps.step(JUDGING, [request.place for request in requests.values()])
        judgments = self.judge.judge(list(requests.values())) if requests else []
        self._steps.step("storing verdicts")
        kept = [
            replace(judgment, reason=self._kept(judgment.reason), text=self._kept(judgment.text))
            for judgment in judgments
        ]
        return dict(zip(requests, kept, strict=True)), time.monotonic() - began

    def _kept(self, text: str | None) -> str | None:
        return None if text is None else self._shown(text)

    def sign(self) -> None:
        """Tells that work which asks no judge, and is not counted, gets on."""
        self._steps.sign()

    def tell(self, done: int, total: int, *, stored: int = 0, seconds: float = 0.0) -> None:
        """Tells how far work is that asks no judge.

        Args:
            done: Of `total` parts; when all are done they count as so much work, and what follows adds to it.
            total: Of the work.
            stored: Parts that were computed and kept for good since the last call: an attempt that dies after that was
                not in vain.
            seconds: What they took; without them no time counts as the judge's.
        """
        self._on_batch(Batch(self.judged + done, self.judged + total, newly_stored=stored, seconds=seconds))
        if done == total:
            self.judged += total

    def _stored(self, keys: Sequence[str]) -> dict[str, Judgment]:
        return {key: judgment_from_json(text) for key, text in self._verdicts.load_verdicts(keys).items()}
