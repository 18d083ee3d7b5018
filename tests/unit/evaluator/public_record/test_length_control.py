"""Our length-controlled fit finds what simulated systems were made with."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from evaluator.public_record.length_control import (
    AnsweredPrompts,
    Coefficients,
    Estimated,
    GamedBaselines,
    PrintedFit,
    fitted_rates,
    held_out_rates,
    joint_difficulties,
    length_controlled_rate,
)

PROMPTS = 300
DRAWN = np.random.default_rng(7)
DIFFICULTY = DRAWN.normal(0.0, 1.0, PROMPTS)
GAMED = GamedBaselines(tuple(DRAWN.normal(mean, 500.0, PROMPTS) for mean in (800.0, -400.0)))


def made(system: float, length: float = -1.5) -> AnsweredPrompts:
    """Rows whose preferences are exactly those of the model."""
    lengths = np.tanh(DRAWN.normal(0.5, 1.0, PROMPTS))
    return AnsweredPrompts(expit(system + length * lengths + DIFFICULTY), lengths)


def pull() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of gamed comparisons that follow the same model."""
    wins = [expit(-1.5 * length + DIFFICULTY) for length in GAMED.lengths]
    parts = [(won @ length, won @ DIFFICULTY) for won, length in zip(wins, GAMED.lengths, strict=True)]
    return np.asarray(0.1 * np.sum(parts, axis=0))


def test_the_rate_is_the_mean_prediction_with_equal_lengths() -> None:
    rate = length_controlled_rate(made(-1.0), Estimated(DIFFICULTY, pull()), GAMED.lengths)
    assert rate == pytest.approx(expit(-1.0 + DIFFICULTY).mean(), abs=1e-4)


def test_a_missing_preference_is_left_out_and_later_rows_keep_their_difficulty() -> None:
    rows = made(-1.0)
    preference = rows.preference.copy()
    preference[:30] = np.nan
    rate = length_controlled_rate(
        AnsweredPrompts(preference, rows.length), Estimated(DIFFICULTY, pull()), GAMED.lengths
    )
    assert rate == pytest.approx(expit(-1.0 + DIFFICULTY[30:]).mean(), abs=1e-4)


def test_the_joint_fit_orders_prompts_by_their_difficulty() -> None:
    systems = [made(system) for system in (-2.0, -1.0, 0.0, 1.0)]
    assert np.corrcoef(joint_difficulties(systems), DIFFICULTY)[0, 1] > 0.99


def test_rates_come_back_from_prints_also_of_systems_whose_print_was_not_used() -> None:
    levels = np.linspace(-3.0, 1.0, 18)
    systems = {f"system {place:02}": made(level) for place, level in enumerate(levels.tolist())}
    rates = {name: 100 * float(expit(level + DIFFICULTY).mean()) for name, level in zip(systems, levels, strict=True)}
    coefficients = {name: Coefficients(-1.5, 1.0, float(level)) for name, level in zip(systems, levels, strict=True)}
    printed = PrintedFit(rates, coefficients, GAMED)
    for ours in (fitted_rates(systems, printed), held_out_rates(systems, printed)):
        assert ours.keys() == systems.keys()
        assert max(abs(100 * ours[name] - rates[name]) for name in systems) < 0.3


def test_few_systems_have_no_rate_without_their_print() -> None:
    assert held_out_rates({"only": made(0.0)}, PrintedFit({}, {}, GAMED)) == {}
    assert fitted_rates({}, PrintedFit({}, {}, GAMED)) == {}
