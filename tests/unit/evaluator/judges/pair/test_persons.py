"""Answers that say the same of two people are the same; answers that say who does what to whom are not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.loading import load_scorer
from evaluator.judges.pair.network import PairTokenizer
from evaluator.judges.pair.persons import ask_for_several_people, differ_in_person, without_person
from evaluator.judges.pair.reading import Reading, reading
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.quality.labelled_pairs import labelled_pairs

FOR_TWO = ("How should I start to swim?", "My neighbour is 45. How should she start to swim?")


@pytest.fixture(scope="module")
def tokenizer() -> PairTokenizer:
    return PairTokenizer()


def _left(first: str, second: str, tokenizer: PairTokenizer, prompts: Sequence[str] = FOR_TWO) -> Reading | None:
    return reading(first, second, tokenizer, ScriptedEmbedder(), prompts)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Start with a class.", "She should start with a class."),
        ("Practise twice. Never swim alone.", "She practises twice. She should never swim alone."),
        ("Call a doctor if it hurts.", "Call a doctor if it hurts him."),
        ("Take off any rings.", "He takes off his rings."),
        ("If you are tired, rest.", "If she is tired, she should rest."),
        ("You carry it yourself.", "He carries it himself."),
    ],
)
def test_the_same_advice_to_another_person_leaves_nothing_to_be_read(
    one: str, other: str, tokenizer: PairTokenizer
) -> None:
    assert _left(one, other, tokenizer) is None
    assert _left(other, one, tokenizer) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You should call him.", "He should call you."),  # two people: who calls whom
        ("She pays him.", "You pay her."),
        ("You should not swim.", "She should swim."),
        ("You must go.", "She should go."),
        ("Start at nine.", "She should start at ten."),
        ("You rest.", "She never rests."),
    ],
)
def test_who_does_what_to_whom_and_everything_else_is_still_read(
    one: str, other: str, tokenizer: PairTokenizer
) -> None:
    assert _left(one, other, tokenizer) is not None


@pytest.mark.parametrize(
    "prompts", [(), ("Who pays?",), ("Who pays, she or I?", "She or I, who pays?")], ids=["none", "one", "of one kind"]
)
def test_the_person_counts_where_all_prompts_ask_about_the_same_people(
    prompts: Sequence[str], tokenizer: PairTokenizer
) -> None:
    assert _left("You pay.", "She pays.", tokenizer, prompts) is not None
    assert _left("You pay.", "She pays.", tokenizer) is None  # asked once for oneself and once for her


@pytest.mark.parametrize(
    ("prompts", "several"),
    [
        (["How do I sort cans?", "How should we sort cans?"], False),
        (["Could you tell me how to sort cans?", "i want to sort cans, how"], False),
        (["My son burned his hand. What should we do?", "I burned my hand. What should I do?"], True),
        (["Someone burned a hand. What should be done?", "I burned my hand. What should I do?"], True),
        (["The colours of hers", "The colours of his"], True),
    ],
)
def test_whom_prompts_ask_for(prompts: list[str], several: bool) -> None:
    assert ask_for_several_people(prompts) is several


def test_two_answers_about_the_same_person_are_compared_with_it() -> None:
    assert not differ_in_person("You rest.", "You never rest.")
    assert not differ_in_person("Rest.", "Never rest.")


@pytest.mark.parametrize(
    ("of_a_third", "of_you"),
    [
        ("she catches it", "you catch it"),
        ("he does and has and was there", "you do and has and was there"),  # of several verbs, the first
        ("she carries it", "you carry it"),
        ("he says this is less", "you say this is less"),
        ("she misses the bus", "you miss the bus"),
    ],
)
def test_a_verb_is_compared_without_the_ending_of_a_third_person(of_a_third: str, of_you: str) -> None:
    assert without_person(of_a_third.split()) == without_person(of_you.split())


def test_no_pair_whose_answers_disagree_is_taken_for_the_same(tokenizer: PairTokenizer) -> None:
    """Of the labelled pairs, with the prompts they answer: a program merges none that a grader kept apart."""
    disagree = [pair for pair in labelled_pairs() if pair.grade < 3]
    assert len(disagree) > 3_000
    merged = [
        pair.id for pair in disagree if not _left(pair.a, pair.b, tokenizer, sorted({pair.prompt_a, pair.prompt_b}))
    ]
    assert merged == []


def test_the_judge_rates_it_five_and_the_prompts_are_part_of_the_question() -> None:
    judge = load_scorer("pair").judge
    answers = {"answer_a": "Rest if it hurts.", "answer_b": "She should rest if it hurts her."}
    prompts = {"prompt_1": FOR_TWO[0], "prompt_2": FOR_TWO[1]}
    with_prompts = JudgeRequest(SIMILARITY_PAIR, {**answers, **prompts}, "en")
    without = JudgeRequest(SIMILARITY_PAIR, answers, "en")
    assert judge.judge([with_prompts])[0].rating == 5.0
    assert judge.key(with_prompts) != judge.key(without)
