"""The long answers: their topics stay in one split, their edits change what they say they change."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluator.judge_quality.labelled_pairs import LabelledPair, Split, labelled_pairs
from evaluator.judge_quality.long_answers import LongAnswer, all_pairs, edited_pairs, long_answers
from evaluator.judge_quality.measurement import auc
from evaluator.text.content_checks import word_overlap

SPLITS: tuple[Split, ...] = ("train", "validation", "test")


@pytest.fixture(scope="module")
def answers() -> list[LongAnswer]:
    return long_answers()


@pytest.fixture(scope="module")
def pairs() -> list[LabelledPair]:
    return edited_pairs()


def test_their_topics_are_new_and_each_stands_in_one_split(answers: list[LongAnswer]) -> None:
    topics = [answer.topic for answer in answers]
    assert len(set(topics)) == len(topics)
    assert not set(topics) & {pair.topic for pair in labelled_pairs()}
    assert {answer.split for answer in answers} == set(SPLITS)


def test_the_answers_of_the_test_split_are_as_long_as_the_hard_cases_were(answers: list[LongAnswer]) -> None:
    assert all(150 <= len(answer.text.split()) <= 250 for answer in answers if answer.split == "test")


def test_every_edit_finds_its_place(answers: list[LongAnswer]) -> None:
    for answer in answers:
        for old, new in (*answer.changed_facts, answer.flipped, *answer.spelled):
            assert old in answer.text, (answer.topic, old)
            assert old != new
        for old, new in answer.retold_wrongly:
            assert old in answer.retold, (answer.topic, old)
            assert old != new


def test_pairs_are_distinct_and_every_kind_stands_in_every_split(pairs: list[LabelledPair]) -> None:
    everything = all_pairs()
    assert len({pair.id for pair in everything}) == len(everything)
    assert len({(pair.a, pair.b) for pair in everything}) == len(everything)
    kinds = {pair.category for pair in pairs}
    for split in SPLITS:
        counts = Counter(pair.category for pair in pairs if pair.split == split)
        assert set(counts) == kinds
        assert min(counts.values()) >= 8


@pytest.mark.parametrize("split", SPLITS)
def test_word_overlap_does_not_give_the_label_away_beside_the_other_pairs(split: Split) -> None:
    chosen = all_pairs(split)
    found = auc(
        [word_overlap(pair.a, pair.b) for pair in chosen if pair.is_equivalent],
        [word_overlap(pair.a, pair.b) for pair in chosen if not pair.is_equivalent],
    )
    assert found is not None
    assert 0.4 < found < 0.6
