from __future__ import annotations

from statistics import fmean

import pytest

from evaluator.judges.quality.labelled_pairs import LabelledPair
from evaluator.judges.quality.measurement import auc
from evaluator.judges.quality.ranking import auc_bands, topic_values
from evaluator.statistics.rank_bands import RankBand


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


def test_judges_share_a_band_unless_the_topics_tell_them_apart() -> None:
    pairs = pairs_of(10)
    right = [0.0, 5.0] * 10
    once_wrong = [5.0, 0.0, *right[2:]]
    bands = auc_bands({"right": right, "once wrong": once_wrong, "wrong": [5.0, 0.0] * 10}, pairs)
    assert bands == {"right": RankBand(1, 2), "once wrong": RankBand(1, 2), "wrong": RankBand(3, 3)}
    assert auc_bands({}, pairs) == {}


def test_judges_are_compared_on_the_pairs_that_all_of_them_scored() -> None:
    pairs = pairs_of(10)
    # who leaves out what he would get wrong is compared where both said something
    shy: list[float | None] = [None, None, None, None, *([0.0, 5.0] * 8)]
    bold: list[float | None] = [5.0, 0.0, 5.0, 0.0, *([0.0, 5.0] * 8)]
    assert auc_bands({"shy": shy, "bold": bold}, pairs) == {"shy": RankBand(1, 2), "bold": RankBand(1, 2)}
    assert fmean(topic_values([5.0, 0.0] + [0.0, 5.0] * 9, pairs).values()) < 1.0
