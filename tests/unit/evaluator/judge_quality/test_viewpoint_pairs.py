"""Pairs about who is spoken to and who does what: none is measured on, and their surface says little."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from evaluator.judge_quality.labelled_pairs import LabelledPair, Split, labelled_pairs
from evaluator.judge_quality.long_answers import edited_pairs, viewpoint_pairs
from evaluator.judge_quality.measurement import auc, length_ratio
from evaluator.text.content_checks import word_overlap
from submissions.promptsets import PromptSets
from tests.answer_attacks import example_answers

SHIFTS = ("other_person", "other_address", "other_involvement")


@pytest.fixture(scope="module")
def pairs() -> list[LabelledPair]:
    return viewpoint_pairs()


def test_each_kind_has_sixty_training_pairs_and_none_is_of_the_test_split(pairs: list[LabelledPair]) -> None:
    counts = Counter(pair.category for pair in viewpoint_pairs("train"))
    assert min(counts[kind] for kind in (*SHIFTS, "swapped_roles")) >= 60
    assert {pair.split for pair in pairs} == {"train", "validation"}
    assert viewpoint_pairs("test") == []


def test_their_topics_and_texts_are_nobody_elses(pairs: list[LabelledPair]) -> None:
    others = [*labelled_pairs(), *edited_pairs()]
    assert not {pair.topic for pair in pairs} & {pair.topic for pair in others}
    assert not {text for pair in pairs for text in (pair.a, pair.b)} & {
        text for pair in others for text in (pair.a, pair.b)
    }
    train, validation = (
        {text for pair in viewpoint_pairs(split) for text in (pair.topic, pair.a, pair.b)}
        for split in ("train", "validation")
    )
    assert not train & validation


def test_no_answer_of_the_demonstration_set_is_among_them(pairs: list[LabelledPair]) -> None:
    answers = example_answers("keel.json")
    shown = {text for item in PromptSets.load(None).demonstration.items for text in answers[item.id]}
    assert not shown & {text for pair in pairs for text in (pair.a, pair.b)}


def test_a_shift_or_another_wording_says_the_same_and_everything_else_does_not(pairs: list[LabelledPair]) -> None:
    assert all((pair.category in (*SHIFTS, "minor_edit")) == (pair.grade >= 4) for pair in pairs)
    assert all(pair.grade <= 1 for pair in pairs if pair.category == "swapped_roles")


@pytest.mark.parametrize("split", ["train", "validation"])
def test_neither_words_nor_lengths_give_the_label_away(split: Split) -> None:
    chosen = viewpoint_pairs(split)
    for surface in (
        lambda pair: word_overlap(pair.a, pair.b),
        lambda pair: length_ratio(pair.a, pair.b),
        lambda pair: len(pair.a) + len(pair.b),
    ):
        found = auc(
            [float(surface(pair)) for pair in chosen if pair.is_equivalent],
            [float(surface(pair)) for pair in chosen if not pair.is_equivalent],
        )
        assert found is not None
        assert 0.35 < found < 0.65  # 72 validation pairs are few


def test_a_text_whose_roles_are_exchanged_elsewhere_is_right_beside_some_and_wrong_beside_others() -> None:
    """So that no text gives its label away by itself."""
    pairs = viewpoint_pairs("train")
    of_shifts = {pair.topic for pair in pairs if pair.category in SHIFTS}
    beside: defaultdict[str, set[bool]] = defaultdict(set)
    for pair in pairs:
        if pair.topic not in of_shifts:
            beside[pair.a].add(pair.is_equivalent)
            beside[pair.b].add(pair.is_equivalent)
    assert len(beside) == 576  # 24 topics of 4 statements, each said 3 times as it is and 3 times exchanged
    assert all(labels == {True, False} for labels in beside.values())
