from __future__ import annotations

import pytest

from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import auc
from evaluator.judge_quality.people_measurement import topic_values


def pairs_of(topics: int) -> list[LabelledPair]:
    """A pair of grade 0 and one of grade 5 in every topic."""
    return [
        LabelledPair(
            id=f"{topic}-{grade}",
            topic=f"topic {topic:02}",
            split="test",
            category="x",
            prompt_a="",
            prompt_b="",
            a="",
            b="",
            grade=grade,
        )
        for topic in range(topics)
        for grade in (0, 5)
    ]


def test_what_a_topic_adds_is_what_is_lost_without_it() -> None:
    pairs = pairs_of(3)
    scores = [1.0, 4.0, 2.0, 3.0, 3.5, 5.0]
    # contests of (4, 3, 5) with (1, 2, 3.5): 3 + 2 + 3 = 8 of 9; without topic 0: (3, 5) with (2, 3.5): 3 of 4;
    # without topic 1: (4, 5) with (1, 3.5): 4 of 4; without topic 2: (4, 3) with (1, 2): 4 of 4
    assert auc(scores[1::2], scores[::2]) == pytest.approx(8 / 9)
    assert topic_values(scores, pairs) == pytest.approx(
        {"topic 00": 3 * 8 / 9 - 2 * 3 / 4, "topic 01": 3 * 8 / 9 - 2, "topic 02": 3 * 8 / 9 - 2}
    )


def test_one_label_alone_has_no_auc_to_add_to() -> None:
    pairs = [pair for pair in pairs_of(3) if pair.grade == 5]
    assert topic_values([1.0, 2.0, 3.0], pairs) == {}
