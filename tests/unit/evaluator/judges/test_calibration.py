"""How sharp the ratings of a fitted calibration are made."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.judges.calibration import MISSES_MORE, Calibration, fitted, sharpened

# Three quarters of the pairs are plain, and every fourth of either kind looks like the other one.
SIGNALS = [*np.linspace(-4.0, 0.5, 40), *np.linspace(-0.5, 4.0, 40)]
GRADES = [0 if place % 4 else 5 for place in range(40)] + [5 if place % 4 else 0 for place in range(40)]
FEATURES = [{"signal": float(signal)} for signal in SIGNALS]


def missed(calibration: Calibration) -> float:
    return float(np.mean([abs(calibration.rating(row) - grade) for row, grade in zip(FEATURES, GRADES, strict=True)]))


def scaled(calibration: Calibration, shift: float, scale: float) -> Calibration:
    weights = {"signal": scale * calibration.weights["signal"]}
    return calibration.model_copy(update={"intercept": shift + scale * calibration.intercept, "weights": weights})


@pytest.fixture(scope="module")
def expected() -> Calibration:
    return fitted(FEATURES, GRADES, agreement=frozenset({"signal"}), id_="toy", version="1", fitted_on="eighty pairs")


def test_ratings_miss_by_hardly_more_than_the_least_there_is(expected: Calibration) -> None:
    grid = (scaled(expected, shift, scale) for shift in np.arange(-2, 2.1, 0.25) for scale in np.geomspace(0.5, 64, 30))
    least = min(missed(calibration) for calibration in grid)
    assert missed(expected) > (1 + 2 * MISSES_MORE) * least
    assert missed(sharpened(expected, FEATURES, GRADES)) < (1 + 2 * MISSES_MORE) * least


def test_none_less_sharp_would_do(expected: Calibration) -> None:
    made = sharpened(expected, FEATURES, GRADES)
    times = made.weights["signal"] / expected.weights["signal"]
    assert times > 1
    softer = (scaled(expected, shift, 0.9 * times) for shift in np.arange(-2, 2.1, 0.05))
    assert min(missed(calibration) for calibration in softer) > missed(made)


def test_texts_that_are_alike_are_rated_with_more_certainty() -> None:
    told = Calibration(id="toy", version="1", intercept=-1, weights={"cosine": 2}, alike=2, fitted_on="-")
    assert told.rating({"cosine": 1.0}) == pytest.approx(5 / (1 + np.exp(-3.0)))  # three times (2 - 1)
    assert told.rating({"cosine": 0.5}) == 2.5
    assert told.rating({"cosine": -0.5}) == pytest.approx(5 / (1 + np.exp(2.0)))


def test_what_is_fitted_counts_the_certainty() -> None:
    """Level at cosine 0, odds of 3 to 1 at cosine 1, where all counts three times: log 3 is three times the weight."""
    rows = [{"cosine": cosine} for cosine in (0.0, 1.0) for _ in range(400)]
    grades = [*[5, 0] * 200, *[5, 5, 5, 0] * 100]
    found = fitted(rows, grades, agreement=frozenset({"cosine"}), id_="toy", version="1", fitted_on="-", alike=2.0)
    assert found.weights["cosine"] == pytest.approx(np.log(3) / 3, abs=0.02)
    assert found.rating({"cosine": 0.0}) == pytest.approx(2.5, abs=0.05)
