"""How well the embedded judge agrees with our labelled pairs, as measured and published beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from evaluator.results import MetricValue, Pin
from leaderboard.columns import text_of

QUALITY_FILE = "embedding_quality.json"


@dataclass(frozen=True, slots=True)
class JudgeQuality:
    """Accuracy of a judge on labelled pairs, in all and by kind of pair."""

    judge: Pin
    accuracy: MetricValue
    by_category: dict[str, MetricValue]

    @property
    def sentence(self) -> str:
        """What is shown beside every verdict of the judge."""
        return f"baseline judge: accuracy {text_of(self.accuracy, 'interval')} on {self.accuracy.n} labelled pairs"

    def category_lines(self) -> list[str]:
        """`negation: 0.94 [0.82, 1.00] on 17`: the weakest kinds first."""
        weakest_first = sorted(self.by_category.items(), key=lambda entry: entry[1].value or 0.0)
        return [f"{name.replace('_', ' ')}: {text_of(value, 'interval')} on {value.n}" for name, value in weakest_first]


def published_quality() -> JudgeQuality | None:
    """The measurement shipped with the embedded judge; None where it has not been made."""
    file = files("evaluator.judges") / QUALITY_FILE
    if not file.is_file():
        return None
    found = json.loads(file.read_text(encoding="utf-8"))
    quality = found["quality"]
    categories = quality["categories"].items()
    return JudgeQuality(
        judge=Pin.model_validate(found["judge"]),
        accuracy=MetricValue.model_validate(quality["accuracy"]),
        by_category={name: MetricValue.model_validate(value["accuracy"]) for name, value in categories},
    )
