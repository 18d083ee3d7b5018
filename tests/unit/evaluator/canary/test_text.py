"""What is said of a baseline."""

from __future__ import annotations

import pytest

from evaluator.canary.course import Baseline
from evaluator.canary.pairs import LEAST_PAIRS
from evaluator.canary.text import baseline_text
from evaluator.statistics.change_detection import DayNoise


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (1, "(at most 10.0% in that hour, with 95% confidence; how far other days differ was not measured"),
        (7, "(on 7 days; 19 of 20 days have at most 10.0%)"),
    ],
)
def test_a_baseline_says_on_how_many_days_its_noise_was_measured(days: int, said: str) -> None:
    # Days that do not differ (spread 0): the noise of every day is that of the baseline, 10 %.
    baseline = Baseline(dict.fromkeys(range(LEAST_PAIRS), 1), 0.02, (DayNoise(0.1, 0.0),), days)
    text = baseline_text(baseline, pairs=LEAST_PAIRS + 4)
    assert text.startswith(f"The judge repeats itself on {LEAST_PAIRS} of {LEAST_PAIRS + 4} pairs; of these 2.0% had")
    assert said in text
