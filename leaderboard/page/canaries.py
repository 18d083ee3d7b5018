"""What the canaries of this installation say of judges, for the cards: read anew when a record changes."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

from evaluator.canary.record import CanaryRecord, RecordUnusable, folder_state, records
from evaluator.canary.text import card_text
from evaluator.values import Pin

logger = logging.getLogger(__name__)


class Canaries:
    """The records of a folder; one that does not exist says nothing of any judge."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._state = ""
        self._found: dict[Pin, tuple[CanaryRecord, ...]] = {}

    def said_of(self, judge: Pin) -> str:
        """What the canaries of exactly this judge say, "judge changed on DATE" first; blank = it has none."""
        return card_text(judge_records) if (judge_records := self.of(judge)) else ""

    def of(self, judge: Pin) -> tuple[CanaryRecord, ...]:
        """The records of exactly this judge, one for each set of pairs it is asked."""
        with self._lock:
            state = folder_state(self._folder)
            if state != self._state:
                self._found = self._read()
                self._state = state
            return self._found.get(judge, ())

    def _read(self) -> dict[Pin, tuple[CanaryRecord, ...]]:
        try:
            all_records = records(self._folder)
        except (RecordUnusable, OSError) as error:
            # A card without its canary is better than a board without its cards.
            logger.warning("no card says what canaries say: %s", error)
            return {}
        return {
            judge: tuple(record for record in all_records if record.judge == judge)
            for judge in {record.judge for record in all_records}
        }
