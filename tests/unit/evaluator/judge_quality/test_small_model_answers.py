"""Answers of a very small model: graded pairs on topics of one split each; what is measured on trains nothing."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import pytest

from evaluator.judge_quality.contrast_sets import contrast_sets
from evaluator.judge_quality.labelled_pairs import LabelledPair, Split, labelled_pairs
from evaluator.judge_quality.long_answers import all_pairs, edited_pairs, viewpoint_pairs
from evaluator.judge_quality.small_model_answers import small_model_pairs
from evaluator.text.content_checks import words
from submissions.recorded import recorded_submissions

REWORDED = "small_model_wording_"
"""How topics begin whose two questions differ in wording alone, as those of a board do."""


@pytest.fixture(scope="module")
def pairs() -> list[LabelledPair]:
    return small_model_pairs()


def says_nothing(text: str) -> bool:
    """Such a model often writes this alone, once or until it is stopped."""
    return set(words(text)) <= set(words("The answer to this question is"))


def texts(pairs: list[LabelledPair]) -> set[str]:
    return {text for pair in pairs for text in (pair.a, pair.b)}


def test_each_topic_and_text_is_of_one_split(pairs: list[LabelledPair]) -> None:
    splits, of_text = defaultdict(set), defaultdict(set)
    for pair in pairs:
        splits[pair.topic].add(pair.split)
        for text in (pair.a, pair.b):
            of_text[text].add(pair.split)
    assert {len(of_topic) for of_topic in splits.values()} == {len(found) for found in of_text.values()} == {1}
    assert Counter(pair.split for pair in pairs) == {"train": 870 + 3776, "validation": 105 + 173, "test": 174 + 196}


def test_the_first_questions_measured_on_are_those_of_the_test_contrast_sets(pairs: list[LabelledPair]) -> None:
    asked = {split: {pair.prompt_a for pair in contrast_sets(split)} for split in ("train", "test")}
    for pair in pairs:
        if not pair.topic.startswith(REWORDED):
            assert pair.prompt_a in asked["test" if pair.split == "test" else "train"]


def test_later_questions_of_a_split_are_on_subjects_of_that_split_or_of_none(pairs: list[LabelledPair]) -> None:
    split_of = {pair.topic: pair.split for pair in labelled_pairs()}
    later = {pair.topic: pair.split for pair in pairs if pair.topic.startswith(REWORDED)}
    subjects = {topic: topic.removeprefix(REWORDED).rpartition("_")[0] for topic in later}
    assert all(split_of.get(subjects[topic], "train") == split for topic, split in later.items())
    assert Counter(split_of.get(subjects[topic]) for topic in later) == {
        "train": 248,
        "validation": 29,
        "test": 34,
        None: 390,
    }


def test_judges_are_calibrated_on_some_and_never_on_those_measured_on() -> None:
    splits: tuple[Split, ...] = ("train", "validation", "test")
    ids = {split: {pair.id for pair in small_model_pairs(split)} for split in splits}
    used = {split: {pair.id for pair in all_pairs(split)} for split in splits}
    assert ids["train"] < used["train"]
    assert ids["validation"] < used["validation"]
    assert not ids["test"] & used["test"]


def test_its_texts_are_nobody_elses(pairs: list[LabelledPair]) -> None:
    others = [*labelled_pairs(), *edited_pairs(), *viewpoint_pairs(), *contrast_sets()]
    assert not texts(pairs) & texts(others)
    assert not {pair.topic for pair in pairs} & {pair.topic for pair in others}
    recorded = "".join(content.decode() for name, content in recorded_submissions() if not name.endswith(".zip"))
    ours = [text for text in texts(pairs) if json.dumps(text, ensure_ascii=False)[1:-1] in recorded]
    assert all(says_nothing(text) for text in ours)


def test_a_topic_has_answers_that_differ_and_texts_that_say_the_same(pairs: list[LabelledPair]) -> None:
    grades = defaultdict(list)
    for pair in pairs:
        grades[pair.topic].append(pair.grade)
    assert len(grades) == 132 + 701
    assert all(min(of_topic) <= 2 for of_topic in grades.values())
    # Of one nothing was intelligible; of later ones, half of the pairs have a text that says the same.
    assert sum(max(of_topic) >= 4 for topic, of_topic in grades.items() if not topic.startswith(REWORDED)) == 131
    assert sum(max(of_topic) >= 4 for topic, of_topic in grades.items() if topic.startswith(REWORDED)) == 701 - 83
