"""From what the answer head sees to a probability: a logistic of a weighted sum."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict


class AnswerCalibration(BaseModel):
    """p = 1 / (1 + exp(-(intercept + sum of weight x feature))), and 0 for a text in another language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    version: str
    intercept: float
    weights: dict[str, float]
    """Feature name -> weight, positive or zero."""
    fitted_on: str

    def probability(self, features: Mapping[str, float]) -> float:
        """That a text answers its prompt, 0-1, where every second text does."""
        if features["foreign"]:
            return 0.0
        total = math.fsum([self.intercept, *(weight * features[name] for name, weight in self.weights.items())])
        return 1.0 / (1.0 + math.exp(-total))
