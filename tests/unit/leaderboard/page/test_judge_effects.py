"""What is said of biases besides quality: who is counted, and in which words."""

from __future__ import annotations

import pytest

from evaluator.judge_report.biases import Kind
from evaluator.judge_report.effect_records import EffectRecord
from evaluator.values import MetricValue
from leaderboard.page.judge_effects import biases_column, effects_sentence, found_words


def effect(kind: Kind, value: float, rate: float = 0.01) -> EffectRecord:
    size = MetricValue(value=value, low=value - 0.1, high=value + 0.1, n=30)
    return EffectRecord(kind=kind, size=size, detectable=0.2, false_discovery_rate=rate, held="On the same pairs")


def test_judges_are_counted_by_what_they_favour() -> None:
    judges = [
        [effect("place", 0.4), effect("family", 0.3)],
        [effect("place", -0.4), effect("family", 0.3, rate=0.06)],  # the last one is not told from 0
        [effect("place", 0.5)],
    ]
    assert effects_sentence(judges, has_labels=True) == (
        "Besides quality, of 3 judges, 2 favour the answer shown first and 1 the second; of 2 judges, 1 favours "
        "systems of the same family and none those of others (5 tests, false discovery rate 5%)."
    )
    assert effects_sentence([[], []], has_labels=True) == ""
    longer = [[effect("length", 0.2)], [effect("length", -0.2, rate=0.5)]]
    assert effects_sentence(longer, has_labels=False) == (
        "Of 2 judges, 1 favours longer answers (which may also be better ones) and none shorter ones (2 tests, false "
        "discovery rate 5%)."
    )


def test_a_judge_without_a_finding_says_which_sizes_would_have_been_seen() -> None:
    column = biases_column(lambda row: row, "place and length")
    assert column.hint is not None
    told = column.hint([effect("place", 0.1, rate=0.4), effect("length", 0.0, rate=0.9)])
    assert told == "would be seen in 80 of 100 such logs: place 0.20, length 0.20"


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        ([effect("place", 0.4), effect("length", -0.2)], "first place, shorter answers"),
        ([effect("place", -0.4), effect("family", -0.2)], "second place, other families"),
        ([effect("length", 0.4, rate=0.2)], "none"),
        ([], None),
    ],
)
def test_the_biases_of_a_judge_are_named(effects: list[EffectRecord], words: str | None) -> None:
    assert found_words(effects) == words
