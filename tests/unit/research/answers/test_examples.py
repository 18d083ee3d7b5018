"""The labelled answers: what no split may share, and what every split must hold."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from evaluator.judge_quality.labelled_pairs import Split, labelled_pairs
from evaluator.text.content_checks import word_overlap
from research.answers.examples import (
    BESIDE_THE_QUESTION,
    DEMONSTRATION_TOPICS,
    FACTS,
    FALSE_KINDS,
    REAL_KINDS,
    SAME_TOPIC,
    LabelledAnswer,
    labelled_answers,
    takes_yes,
    topic_words,
)
from submissions.promptsets import PromptSets
from tests.answer_attacks import ATTACKS, slots_of

SPLITS: tuple[Split, ...] = ("train", "validation", "test")


@pytest.fixture(scope="module")
def examples() -> dict[Split, list[LabelledAnswer]]:
    return {split: labelled_answers(split) for split in SPLITS}


def test_no_topic_is_in_two_splits_or_in_the_demonstration_set(examples: dict[Split, list[LabelledAnswer]]) -> None:
    topics = [{one.topic for one in examples[split]} for split in SPLITS]
    assert len(set.union(*topics)) == sum(map(len, topics))
    assert set.union(*topics).isdisjoint(DEMONSTRATION_TOPICS)
    assert {pair.topic for pair in labelled_pairs()} >= DEMONSTRATION_TOPICS


def test_no_prompt_of_the_demonstration_set_is_reworded_in_the_training_set(
    examples: dict[Split, list[LabelledAnswer]],
) -> None:
    asked = {slot.prompt for slot in slots_of(PromptSets.load(None).demonstration)}
    prompts = {one.prompt for one in examples["train"]}
    assert not [(one, other) for one in asked for other in prompts if word_overlap(one, other) > 0.6]


def test_every_split_has_every_kind_and_about_as_many_answers_as_texts_that_are_none(
    examples: dict[Split, list[LabelledAnswer]],
) -> None:
    for split in SPLITS:
        kinds = {one.kind for one in examples[split]}
        assert kinds == {*REAL_KINDS, *FALSE_KINDS}, split
        answers = sum(one.is_answer for one in examples[split])
        assert 0.25 < answers / len(examples[split]) < 0.6, split


def test_no_sentence_that_answers_nothing_is_in_two_splits() -> None:
    text = files("research.answers").joinpath("non_answers.json").read_text(encoding="utf-8")
    for kind, pool in json.loads(text).items():
        sentences = [sentence.strip("{}. ") for split in SPLITS for sentence in pool[split] if not is_bare(sentence)]
        assert len(set(sentences)) == len(sentences), kind


def is_bare(sentence: str) -> bool:
    """Nothing but places for words of a prompt: the same in every split by nature."""
    return not sentence.replace("{", " ").replace("}", " ").replace("2", "").strip(" .!?wstpo")


def test_the_same_examples_come_each_time() -> None:
    assert labelled_answers("test") == labelled_answers("test")


def test_every_topic_has_its_texts_about_the_subject_and_no_text_stands_twice() -> None:
    texts = files("research.answers").joinpath("beside_the_question.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in texts.splitlines()]
    for row in rows:
        assert {"topic", *BESIDE_THE_QUESTION[2 if row["topic"].startswith("plain_") else 0 :]} == set(row)
    written = [row[name] for row in rows for name in BESIDE_THE_QUESTION if name in row]
    assert len(set(written)) == len(written)
    assert len({row["topic"] for row in rows}) == len(rows)
    assert all(len(text.split()) >= 4 for text in written)


def test_a_text_that_its_reader_took_for_no_answer_stands_among_no_answers(
    examples: dict[Split, list[LabelledAnswer]],
) -> None:
    """And every one that was read is in a split: a list that went stale would leave none of them out."""
    text = files("research.answers").joinpath("pair_texts_beside.jsonl").read_text(encoding="utf-8")
    read = {(row["prompt"], row["text"]) for row in map(json.loads, text.splitlines())}
    everything = [one for split in SPLITS for one in examples[split]]
    assert {(one.prompt, one.text) for one in everything if one.kind == SAME_TOPIC} == read
    assert read.isdisjoint((one.prompt, one.text) for one in everything if one.is_answer)


def test_an_answer_that_begins_with_facts_is_an_answer(examples: dict[Split, list[LabelledAnswer]]) -> None:
    after = [one for one in examples["train"] if one.kind == "after_facts"]
    facts = {one.text for one in examples["train"] if one.kind == FACTS}
    assert len(after) > 500
    assert all(one.is_answer and one.text not in facts for one in after)


def test_no_attack_of_the_test_set_is_trained_on(examples: dict[Split, list[LabelledAnswer]]) -> None:
    seen = {one.text for split in ("train", "validation") for one in examples[split]}
    slots = slots_of(PromptSets.load(None).demonstration)
    attacks = ATTACKS.values()
    assert seen.isdisjoint(attack(slot) for attack in attacks for slot in slots)


def test_yes_is_no_false_answer_where_a_prompt_may_be_answered_with_it(
    examples: dict[Split, list[LabelledAnswer]],
) -> None:
    false = [one for split in SPLITS for one in examples[split] if one.kind == "yes_no"]
    assert false
    assert not [one.prompt for one in false if takes_yes(one.prompt)]


def test_a_prompt_of_common_words_only_still_has_a_topic() -> None:
    assert topic_words("And what is it then?") == ["and", "what", "is"]
