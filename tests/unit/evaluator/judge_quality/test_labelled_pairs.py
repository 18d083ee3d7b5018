"""The labelled pairs are what labelled_pairs.md says, and their surface does not give the label away."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluator.judge_quality.labelled_pairs import LabelledPair, Split, labelled_pairs
from evaluator.judge_quality.measurement import auc, length_ratio
from evaluator.text.content_checks import word_overlap

SPLITS: tuple[Split, ...] = ("train", "validation", "test")
EQUIVALENT = {
    "paraphrase",
    "style_shift",
    "reordering",
    "extra_detail",
    "list_or_prose",
    "converted_units",
    "rewritten_date",
    "hedging",
    "added_warning",
    "other_names",
    "refusal_with_content",
    "minor_edit",
}
DIFFERENT = {
    "negation",
    "changed_numbers",
    "changed_date",
    "wrong_unit",
    "swapped_roles",
    "contradictory_tail",
    "contradictory_middle",
    "same_topic_different_advice",
    "off_topic",
    "partial_answer",
    "opposite",
    "refusal",
    "other_word_sense",
    "wrong_name",
}


@pytest.fixture(scope="module")
def pairs() -> list[LabelledPair]:
    return labelled_pairs()


def test_there_are_at_least_1200_pairs_with_unique_ids_and_texts(pairs: list[LabelledPair]) -> None:
    assert len(pairs) >= 1200
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert len({(pair.a, pair.b) for pair in pairs}) == len(pairs)
    assert all(pair.a.strip() and pair.b.strip() and pair.a != pair.b for pair in pairs)
    assert all(pair.prompt_a and pair.prompt_b for pair in pairs)


def test_every_topic_is_in_one_split_and_no_text_in_two(pairs: list[LabelledPair]) -> None:
    topics = {split: {pair.topic for pair in pairs if pair.split == split} for split in SPLITS}
    texts = {split: {text for p in pairs if p.split == split for text in (p.a, p.b)} for split in SPLITS}
    for found in (topics, texts):
        assert sum(len(one) for one in found.values()) == len(set().union(*found.values()))
    assert len(topics["test"]) >= 20
    assert len(topics["validation"]) >= 10


def test_every_category_is_known_and_has_eight_test_pairs(pairs: list[LabelledPair]) -> None:
    assert {pair.category for pair in pairs} == EQUIVALENT | DIFFERENT
    assert min(Counter(pair.category for pair in pairs).values()) >= 20
    assert min(Counter(pair.category for pair in pairs if pair.split == "test").values()) >= 8


def test_grades_are_0_to_5_and_fit_their_category(pairs: list[LabelledPair]) -> None:
    for pair in pairs:
        assert 0 <= pair.grade <= 5
        if pair.category in EQUIVALENT:
            assert pair.is_equivalent, pair.id
        elif pair.category != "refusal":  # two refusals of the same question say the same
            assert not pair.is_equivalent, pair.id


@pytest.mark.parametrize("split", SPLITS)
def test_neither_word_overlap_nor_length_gives_the_label_away(pairs: list[LabelledPair], split: Split) -> None:
    chosen = [pair for pair in pairs if pair.split == split]
    same = [pair for pair in chosen if pair.is_equivalent]
    different = [pair for pair in chosen if not pair.is_equivalent]
    assert 0.4 < len(same) / len(chosen) < 0.55
    for surface in (
        lambda pair: word_overlap(pair.a, pair.b),
        lambda pair: length_ratio(pair.a, pair.b),
        lambda pair: len(pair.a) + len(pair.b),
    ):
        value = auc([float(surface(pair)) for pair in same], [float(surface(pair)) for pair in different])
        assert value is not None
        assert 0.4 < value < 0.6  # neither the cue nor its opposite


@pytest.mark.parametrize("split", SPLITS)
def test_lengths_vary_from_one_sentence_to_whole_answers(pairs: list[LabelledPair], split: Split) -> None:
    longest = [max(len(pair.a.split()), len(pair.b.split())) for pair in pairs if pair.split == split]
    assert sum(words < 55 for words in longest) > len(longest) / 2
    assert sum(55 <= words < 200 for words in longest) > len(longest) / 6
    long = {pair.is_equivalent for pair in pairs if pair.split == split and len(pair.a.split()) >= 200}
    assert long == {True, False}  # length alone says nothing among long pairs either
