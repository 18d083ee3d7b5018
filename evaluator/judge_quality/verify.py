"""Do stored verdicts still hold? A sample of them is asked for again and compared."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluator.judges.recorded import VerdictStore, judgment_from_json


@dataclass(slots=True)
class Recheck(VerdictStore):
    """A store of verdicts that withholds some, so that the judge is asked again, and compares what comes back.

    Nothing is written to the store behind it.
    """

    stored: VerdictStore
    sample: int
    """Verdicts still to withhold."""
    dice: random.Random = field(default_factory=lambda: random.Random(0))
    compared: int = 0
    largest_difference: float = 0.0
    """Of ratings, in points; a verdict or a scored state that changed counts as infinite."""
    _withheld: dict[str, str] = field(default_factory=dict)

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        verdicts = self.stored.load_verdicts(keys)
        chosen = self.dice.sample(sorted(verdicts), min(self.sample, len(verdicts)))
        self.sample -= len(chosen)
        self._withheld |= {key: verdicts.pop(key) for key in chosen}
        return verdicts

    def save_verdicts(self, verdicts: dict[str, str]) -> int:
        for key, text in verdicts.items():
            if key in self._withheld:
                self.compared += 1
                self.largest_difference = max(self.largest_difference, _difference(self._withheld.pop(key), text))
        return len(verdicts)


def _difference(before: str, after: str) -> float:
    """How far two judgments of one question are apart.

    >>> _difference('{"rating": 3.0, "distribution": null}', '{"rating": 2.5, "distribution": null}')
    0.5
    """
    old, new = judgment_from_json(before), judgment_from_json(after)
    if old.verdict != new.verdict or (old.rating is None) != (new.rating is None):
        return float("inf")
    return 0.0 if old.rating is None or new.rating is None else abs(old.rating - new.rating)
