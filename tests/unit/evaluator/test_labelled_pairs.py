"""The labelled pairs are what labelled_pairs.md says, and their surface does not give the label away."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from evaluator.judge_quality import auc, length_ratio
from evaluator.judges.content_checks import sentences, word_overlap
from evaluator.labelled_pairs import LabelledPair, labelled_pairs

CATEGORIES = {
    "paraphrase",
    "style_shift",
    "reordering",
    "extra_detail",
    "negation",
    "changed_numbers",
    "swapped_roles",
    "contradictory_tail",
    "same_topic_different_advice",
    "refusal",
    "off_topic",
    "other_word_sense",
}
EQUIVALENT = {"paraphrase", "style_shift", "reordering", "extra_detail"}


@pytest.fixture(scope="module")
def pairs() -> list[LabelledPair]:
    return labelled_pairs()


def test_there_are_at_least_264_pairs_with_unique_ids_and_texts(pairs: list[LabelledPair]) -> None:
    assert len(pairs) >= 264
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert len({(pair.a, pair.b) for pair in pairs}) == len(pairs)
    assert all(pair.a.strip() and pair.b.strip() and pair.a != pair.b for pair in pairs)
    assert all(pair.prompt_a and pair.prompt_b for pair in pairs)


def test_the_split_is_by_topic_and_about_half_and_half(pairs: list[LabelledPair]) -> None:
    topics = {split: {pair.topic for pair in pairs if pair.split == split} for split in ("fit", "test")}
    assert not topics["fit"] & topics["test"]
    assert len(topics["fit"]) == len(topics["test"]) == 11
    assert {pair.split for pair in pairs} == {"fit", "test"}
    assert 0.4 < sum(pair.split == "fit" for pair in pairs) / len(pairs) < 0.6


def test_no_answer_stands_in_both_splits(pairs: list[LabelledPair]) -> None:
    texts = {split: {text for p in pairs if p.split == split for text in (p.a, p.b)} for split in ("fit", "test")}
    assert not texts["fit"] & texts["test"]


def test_every_category_has_twenty_pairs_and_ten_in_each_split(pairs: list[LabelledPair]) -> None:
    assert {pair.category for pair in pairs} == CATEGORIES
    assert min(Counter(pair.category for pair in pairs).values()) >= 20
    assert min(Counter((pair.category, pair.split) for pair in pairs).values()) >= 10


def test_grades_are_0_to_5_and_fit_their_category(pairs: list[LabelledPair]) -> None:
    for pair in pairs:
        assert 0 <= pair.grade <= 5
        if pair.category in EQUIVALENT:
            assert pair.grade >= 3, pair.id
        elif pair.category != "refusal":  # two refusals of the same question say the same
            assert pair.grade <= 2, pair.id


@pytest.mark.parametrize("split", ["fit", "test"])
def test_neither_word_overlap_nor_length_gives_the_label_away(pairs: list[LabelledPair], split: str) -> None:
    chosen = [pair for pair in pairs if pair.split == split]
    same = [pair for pair in chosen if pair.grade >= 3]
    different = [pair for pair in chosen if pair.grade < 3]
    for surface in (
        lambda pair: word_overlap(pair.a, pair.b),
        lambda pair: length_ratio(pair.a, pair.b),
        lambda pair: len(pair.a) + len(pair.b),
    ):
        value = auc([float(surface(pair)) for pair in same], [float(surface(pair)) for pair in different])
        assert value is not None
        assert 0.3 < value < 0.7  # neither the cue nor its opposite


def test_lengths_vary_from_one_sentence_to_beyond_the_window(pairs: list[LabelledPair]) -> None:
    longest = [max(len(sentences(pair.a)), len(sentences(pair.b))) for pair in pairs]
    assert sum(length <= 3 for length in longest) > len(pairs) / 2
    assert 0.15 < sum(length >= 4 for length in longest) / len(pairs) < 0.3
    # about 1.25 tokens a word: 205 words fill the window of 256 tokens
    for split in ("fit", "test"):
        long = {p.grade >= 3 for p in pairs if p.split == split and min(len(_words(p.a)), len(_words(p.b))) > 205}
        assert long == {True, False}  # length alone says nothing among long pairs either


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
