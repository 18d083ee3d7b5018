"""From what the answer head sees to a probability."""

from __future__ import annotations

import math

import pytest

from evaluator.judges.answers.calibration import AnswerCalibration
from research.answers.examples import LabelledAnswer
from research.answers.fitting import WEIGHED, fit_calibration

CALIBRATION = AnswerCalibration(id="x", version="1", intercept=-1.0, weights={"network": 2.0}, fitted_on="-")


def features(network: float, *, foreign: float = 0.0) -> dict[str, float]:
    return dict.fromkeys(WEIGHED, 0.0) | {"network": network, "foreign": foreign}


def test_the_probability_is_the_logistic_of_the_weighted_sum() -> None:
    # -1 + 2 x 0.5 = 0 -> 1/2; -1 + 2 x 1 = 1 -> 1 / (1 + 1/e)
    assert CALIBRATION.probability(features(0.5)) == 0.5
    assert CALIBRATION.probability(features(1.0)) == pytest.approx(1 / (1 + math.exp(-1)))


def test_a_text_in_another_language_answers_nothing_however_sure_the_network_is() -> None:
    assert CALIBRATION.probability(features(10.0, foreign=1.0)) == 0.0


def example(kind: str) -> LabelledAnswer:
    return LabelledAnswer("topic", kind, "How?", "So.")


def test_answers_and_other_texts_weigh_half_each_however_many_there_are() -> None:
    # The same two values for either label, but nine times as many texts that are none: what says nothing gives 1/2.
    rows = [features(value) for value in (0.0, 1.0)]
    fitted = fit_calibration(rows * 10, [example("written")] * 2 + [example("refusal")] * 18)
    assert fitted.probability(features(0.0)) == pytest.approx(0.5, abs=1e-3)
    assert fitted.probability(features(1.0)) == pytest.approx(0.5, abs=1e-3)


def test_no_weight_turns_against_an_answer() -> None:
    # Here a high logit goes with refusals: the weight is held at 0 rather than turned round.
    rows = [features(value) for value in (0.0, 0.1, 0.9, 1.0)]
    fitted = fit_calibration(rows, [example("written")] * 2 + [example("refusal")] * 2)
    assert set(fitted.weights) == set(WEIGHED)
    assert all(weight == 0.0 for weight in fitted.weights.values())
