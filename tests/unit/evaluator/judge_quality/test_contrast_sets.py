"""Contrast sets: each statement has texts that say the same and texts that do not, and their surface says little."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import pytest

from evaluator.judge_quality.contrast_sets import contrast_sets
from evaluator.judge_quality.labelled_pairs import LabelledPair, Split, labelled_pairs
from evaluator.judge_quality.long_answers import all_pairs, edited_pairs, viewpoint_pairs
from evaluator.judge_quality.measurement import auc, length_ratio
from evaluator.text.content_checks import word_overlap
from research.pair.training import Example, derived_examples
from submissions.promptsets import PromptSets
from tests.answer_attacks import example_answers


@pytest.fixture(scope="module")
def pairs() -> list[LabelledPair]:
    return contrast_sets()


def test_nothing_is_calibrated_on_them_and_what_is_measured_on_them_is_not_trained_on(
    pairs: list[LabelledPair],
) -> None:
    assert contrast_sets("validation") == []
    shown, measured = contrast_sets("train"), contrast_sets("test")
    assert [*shown, *measured] == pairs
    # 240 later statements with 11 texts each; measured on are 20 topics of 4 statements with 13 texts each
    assert (len(shown), len(measured)) == (5_348 + 2_640, 1_040)
    assert not {pair.topic for pair in shown} & {pair.topic for pair in measured}
    assert not {text for pair in shown for text in (pair.a, pair.b)} & {
        text for pair in measured for text in (pair.a, pair.b)
    }
    assert not {pair.id for pair in measured} & {pair.id for pair in all_pairs("test")}


def test_their_topics_and_texts_are_nobody_elses(pairs: list[LabelledPair]) -> None:
    others = [*labelled_pairs(), *edited_pairs(), *viewpoint_pairs()]
    assert not {pair.topic for pair in pairs} & {pair.topic for pair in others}
    assert not {text for pair in pairs for text in (pair.a, pair.b)} & {
        text for pair in others for text in (pair.a, pair.b)
    }


def test_no_answer_of_the_demonstration_set_is_among_them(pairs: list[LabelledPair]) -> None:
    answers = example_answers("keel.json")
    shown = {text for item in PromptSets.load(None).demonstration.items for text in answers[item.id]}
    assert not shown & {text for pair in pairs for text in (pair.a, pair.b)}


def test_each_statement_stands_beside_the_same_and_beside_others(pairs: list[LabelledPair]) -> None:
    for _, beside in groupby(pairs, key=lambda pair: (pair.topic, pair.a)):
        grades = [pair.grade for pair in beside]
        assert sum(grade >= 4 for grade in grades) >= 3
        assert sum(grade <= 1 for grade in grades) >= 3


@pytest.mark.parametrize(
    "surface",
    [
        lambda pair: word_overlap(pair.a, pair.b),
        lambda pair: length_ratio(pair.a, pair.b),
        lambda pair: len(pair.a) + len(pair.b),
    ],
    ids=["word overlap", "length ratio", "total length"],
)
@pytest.mark.parametrize("split", ["train", "test"])
def test_neither_words_nor_lengths_give_away_the_label(
    split: Split, surface: Callable[[Example], float], pairs: list[LabelledPair]
) -> None:
    """Of the pairs with what follows from them: those of a statement alone differ in length where they say the same."""
    chosen = [pair for pair in pairs if pair.split == split]
    shown = [*(Example(pair.a, pair.b, pair.grade) for pair in chosen), *derived_examples(chosen)]
    told = auc(
        [float(surface(example)) for example in shown if example.grade >= 3],
        [float(surface(example)) for example in shown if example.grade < 3],
    )
    assert told is not None
    assert 0.4 < told < 0.6
