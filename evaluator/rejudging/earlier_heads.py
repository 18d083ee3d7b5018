"""Results of an earlier answer head or of earlier statistics are made anew, one at a time, while nobody waits."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import deque
from collections.abc import Mapping
from typing import Any

from evaluator.judges.kind import Scorer
from evaluator.judges.protocol import Judge, JudgeLost
from evaluator.rejudging.board import GATED_BOARDS, RejudgedBoard, Rejudging
from evaluator.statistics.version import STATISTICS_VERSION, stated_version
from evaluator.values import Pin
from submissions.promptsets import PromptSets
from submissions.store.queue import JobStatus, Ticket
from submissions.store.store import Store, StoreUnavailable

logger = logging.getLogger(__name__)

WHY = "the answer head or the statistics have changed since"
"""The reason in the public log."""
TRIES = 2
"""So often one version of the head is tried on a run: one that ends its worker does not end every later one."""
LOOKS_AT = 20
"""Results that are read before it is looked again whether somebody waits: a tenth of a second."""


class EarlierHeads:
    """The scored runs of a store that an earlier version of this worker's answer head or of the statistics made.

    The head of this program alone: a judge that says itself which texts answer is asked again by `rejudge-all`, when
    somebody decides to pay for that. A row stands as it is until its new result takes its place.
    """

    def __init__(self, store: Store, prompt_sets: PromptSets, scorer: Scorer, rejudging: Rejudging) -> None:
        self._store = store
        self._scorer = scorer
        self._rejudging = rejudging
        self._sets = {entry.set_id: entry.sha256 for entry in prompt_sets.every}
        self._unread: deque[Ticket] | None = None

    def judge_next(self) -> bool:
        """Judges the next of them, baselines first, since others are held against those.

        Returns:
            Whether there is more to do: False once every result has been looked at, and while the queue is paused.

        Raises:
            JudgeLost: the judge is gone for this process.
        """
        if self._unread is None:
            scored = (ticket for ticket in self._store.tickets() if ticket.status is JobStatus.SCORED)
            self._unread = deque(sorted(scored, key=lambda ticket: ticket.role != "baseline"))
        if not self._unread or self._store.pause() is not None:
            return False
        for _ in range(min(LOOKS_AT, len(self._unread))):
            ticket = self._unread[0]
            result = self._store.result(ticket.id)
            if result is not None and (said := self._outdated(ticket, result)):
                self._store.note(ticket.id, said)
                self._unread.popleft()
                self._judge(RejudgedBoard(ticket, result))
                return True
            self._unread.popleft()
        return bool(self._unread)

    def _judge(self, board: RejudgedBoard) -> None:
        try:
            self._rejudging.score([board], lambda done: None)
        except (JudgeLost, StoreUnavailable):
            raise
        except Exception as error:
            # As with a job of the queue: whatever one run does, the next is still judged, and this one stands.
            logger.error("submission %s keeps its result, judging it again failed: %s", board.ticket.id, error)

    def _outdated(self, ticket: Ticket, text: str) -> str:
        """What is said of a run that is to be judged again; blank for others."""
        scorer = self._scorer.of_set(ticket.set_id)
        judge = scorer.judge
        result = json.loads(text)
        if result["board"] not in GATED_BOARDS:
            return ""
        is_counted_before = stated_version(result) < STATISTICS_VERSION
        if not is_counted_before and not self._is_gated_before(result, judge):
            return ""
        # To change the judge is for somebody to decide; of 2026 the embedding model judges. Against other prompts than
        # those it was scored against a run may fail: the page server sees to that.
        former, now = (result["judge"], judge) if "judge" in result else (result["embedding"], scorer.embedder)
        is_its_own = all(former[part] == getattr(now.pin, part) for part in ("name", "model", "revision", "prompt"))
        if not is_its_own or result["prompt_set"]["sha256"] != self._sets.get(ticket.set_id):
            return ""
        version = hashlib.sha256(judge.gate_pin.prompt.encode()).hexdigest()[:8]
        said = f"being judged again by version {version} of the answer head"
        if is_counted_before:
            said = f"being made anew by version {STATISTICS_VERSION} of the statistics"
        return said if sum(line.endswith(said) for line in ticket.log) < TRIES else ""

    @staticmethod
    def _is_gated_before(result: Mapping[str, Any], judge: Judge) -> bool:
        """Did an earlier version of this judge's answer head gate it?"""
        gate = result.get("gate")
        if gate is None or "answers" not in judge.kinds or judge.gate_pin == judge.pin:
            return False
        return Pin.model_validate(gate).is_other_version_of(judge.gate_pin)
