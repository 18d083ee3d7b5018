"""Tells teams how their submissions ended, at the webhooks they gave (docs/submit.md#webhooks)."""

from __future__ import annotations

import json
import logging
import threading
from datetime import UTC, datetime
from functools import partial
from typing import Any

from leaderboard.own_runs.scores import own_score
from leaderboard.page.links import link_of
from leaderboard.page.state import QueueState
from submissions.store.notices import Notice
from submissions.store.queue import JobStatus
from submissions.store.store import Store, StoreUnavailable
from submissions.webhooks.addresses import Lookup, Reach, looked_up
from submissions.webhooks.posting import NotTold, post
from submissions.webhooks.signing import SIGNATURE, signature

logger = logging.getLogger(__name__)

LOOK_S = 5.0
"""How often notices are looked for."""


class NoticeSender:
    """Sends notices that are due, one after the other, from a thread of the page server; several share the work.

    Args:
        store: With the notices, and the names of what is not public yet: they go to its own team.
        shown: The store as the seasons let it be seen: no score is told before it is public.
        address: Of the site; blank where it is not known, and links are without it.
        reach: What webhooks may reach; tests let them reach this machine.
        lookup: What their names stand for.
    """

    def __init__(
        self, store: Store, shown: Store, address: str, *, reach: Reach = "public", lookup: Lookup = looked_up
    ) -> None:
        self._store = store
        self._shown = shown
        self._address = address
        self._post = partial(post, reach=reach, lookup=lookup)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Waits for the notice under way, if there is one."""
        self._stop.set()
        self._thread.join()

    def look(self) -> int:
        """Sends what is due; how many teams were told."""
        told = 0
        while not self._stop.is_set() and (notice := self._store.take_notice()) is not None:
            told += self._told(notice)
        return told

    def _told(self, notice: Notice) -> bool:
        body = json.dumps(self.message(notice), ensure_ascii=False).encode()
        signed = {SIGNATURE: signature(notice.webhook.secret, body)}
        try:
            self._post(notice.webhook.url, body, headers=signed)
        except NotTold as error:
            logger.info("submission %s: its webhook was not told (%s)", notice.ticket_id, error)
            self._store.notice_failed(notice.id, str(error))
            return False
        self._store.notice_sent(notice.id)
        return True

    def message(self, notice: Notice) -> dict[str, Any]:
        """What a team is told; small, and nothing that its ticket does not say to it."""
        ticket = self._store.require(notice.ticket_id)
        return {
            "notice": notice.id,
            "ticket": ticket.id,
            "system": ticket.names.system,
            "state": notice.status.value,
            "ended_at": notice.at.isoformat(),
            # Of what it is now: a run that is judged again meanwhile has another one.
            "reason": ticket.reason if ticket.status is notice.status else None,
            "score": self._score(ticket.id) if notice.status is JobStatus.SCORED else None,
            "link": self._address + link_of(QueueState(ticket=ticket.id)),
            "sent_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def _score(self, ticket_id: str) -> dict[str, float | None] | None:
        """The headline with its interval; None where its measure has none for a whole run, or it is not public yet."""
        result = self._shown.result(ticket_id)
        score = own_score(result) if result is not None else None
        if score is None or score.figure.value is None:
            return None
        return {"value": score.figure.value, "low": score.figure.low, "high": score.figure.high}

    def _run(self) -> None:
        while not self._stop.wait(LOOK_S):
            try:
                self.look()
            except StoreUnavailable as gone:
                logger.warning("notices wait for the database: %s", gone)
