"""Runs that an earlier version of the answer head gated are judged again, one at a time, while nobody waits."""

from __future__ import annotations

import json
from collections import deque

from evaluator.judges.kind import Scorer
from submissions.promptsets import PromptSets
from submissions.store.queue import JobStatus
from submissions.store.rejudging import LET_STAND
from submissions.store.store import Store

LOOKS_AT = 20
"""Results that are read before it is looked again whether somebody waits: a tenth of a second."""
WHY = "judged again: the answer head has learnt since"


class EarlierHeads:
    """The scored runs of a store whose answers an earlier version of this worker's answer head read.

    The head of this program alone: a judge that says itself which texts answer is asked again by `rejudge-all`, when
    somebody decides to pay for that.
    """

    def __init__(self, store: Store, prompt_sets: PromptSets, scorer: Scorer) -> None:
        self._store = store
        self._scorer = scorer
        self._sets = {entry.set_id: entry.sha256 for entry in prompt_sets.every}
        self._unread: deque[tuple[str, str]] | None = None

    def queue_next(self) -> bool:
        """Puts the next of them into the queue, if nobody waits there; its row stands as it is until it is judged.

        Returns:
            Whether there is more to do at once: False once every result has been looked at, or while somebody waits.
        """
        if self._unread is None:
            self._unread = deque(
                (ticket.id, ticket.set_id)
                for ticket in self._store.tickets()
                # One that failed the last time might end every worker that tries it.
                if ticket.status is JobStatus.SCORED and not (ticket.log and LET_STAND in ticket.log[-1])
            )
        if not self._unread or self._store.counts()[JobStatus.QUEUED]:
            return False
        for _ in range(min(LOOKS_AT, len(self._unread))):
            ticket_id, set_id = self._unread.popleft()
            if self._is_earlier(ticket_id, set_id) and self._store.requeue_standing(ticket_id, WHY):
                return True
        return bool(self._unread)

    def _is_earlier(self, ticket_id: str, set_id: str) -> bool:
        scorer, text = self._scorer.of_set(set_id), self._store.result(ticket_id)
        judge = scorer.judge
        if text is None or "answers" not in judge.kinds or judge.gate_pin == judge.pin:
            return False
        result = json.loads(text)
        gate = result.get("gate")
        if gate is None or gate["name"] != judge.gate_pin.name or gate["prompt"] == judge.gate_pin.prompt:
            return False
        # To change the judge is for somebody to decide; of 2026 the embedding model judges. Against other prompts than
        # those it was scored against a run may fail: the page server sees to that.
        former, now = (result["judge"], judge) if "judge" in result else (result["embedding"], scorer.embedder)
        is_its_own = (former["name"], former["model"]) == (now.pin.name, now.pin.model)
        return is_its_own and result["prompt_set"]["sha256"] == self._sets.get(set_id)
