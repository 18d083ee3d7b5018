"""What the judge of many languages is shown when it is trained."""

from __future__ import annotations

import random
from collections import Counter

from evaluator.judge_quality.long_answers import all_pairs
from evaluator.judge_quality.multilingual_pair.statements import languages_trained, refusals, statements
from evaluator.judge_quality.people import LikenessPair
from research.multilingual_pair.training import (
    COMPOSED_CONTRADICTION,
    SENTENCES_COMPOSED,
    Recipe,
    StatedExamples,
    english_examples,
    scored_examples,
)

DRAWN = 400


def test_sentences_in_a_row_say_the_same_unless_one_of_them_contradicts() -> None:
    spoken = ("en", "de")
    of_text: dict[str, tuple[str, str]] = {}
    for language in spoken:
        for statement in statements("train", language):
            for kind in ("said", "again", "contradicted"):
                of_text[getattr(statement, kind)] = (statement.topic, kind)
    randomness, drawn = random.Random(0), StatedExamples(spoken)
    grades: Counter[float] = Counter()
    for _ in range(DRAWN):
        example = drawn.draw_composed(randomness)
        left, right = (_taken_apart(text, of_text) for text in example[:2])
        assert [topic for topic, _ in left] == [topic for topic, _ in right]
        assert len(left) in SENTENCES_COMPOSED
        differing = [
            a for (_, a), (_, b) in zip(left, right, strict=True) if (a == "contradicted") != (b == "contradicted")
        ]
        assert len(differing) == (0 if example.grade == 5 else 1)
        grades[example.grade] += 1
    assert set(grades) == {5, COMPOSED_CONTRADICTION}
    assert min(grades.values()) > 0.35 * DRAWN


def _taken_apart(text: str, of_text: dict[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """Topic and kind of each text that others were put together of."""
    parts = []
    while text:
        first = max((known for known in of_text if text == known or text.startswith(f"{known} ")), key=len)
        parts.append(of_text[first])
        text = text[len(first) :].strip()
    return parts


def test_nothing_of_the_test_topics_is_drawn() -> None:
    measured = {
        text
        for length in ("sentence", "answer")
        for language in languages_trained()
        for statement in statements("test", language, length)
        for text in (statement.said, statement.again, statement.contradicted)
    } | {text for language in languages_trained() for text in refusals("test", language)}
    randomness = random.Random(1)
    for length in ("sentence", "answer"):
        drawn = StatedExamples(languages_trained(), length)
        shown = {text for _ in range(DRAWN) for text in drawn.draw(randomness)[:2]}
        assert not shown & measured


def test_english_examples_are_short_and_as_many_as_the_recipe_says() -> None:
    recipe = Recipe(english=300)
    examples = english_examples(all_pairs("train"), recipe, random.Random(0))
    assert max(len(example.a) + len(example.b) for example in examples) <= recipe.max_characters
    assert len(examples) == 300


def test_scored_sentences_stand_beside_their_own_pair_in_another_language_with_its_score() -> None:
    rows = [
        LikenessPair(
            id=f"{language}-train-{number}",
            a=f"{language} a{number}",
            b=f"{language} b{number}",
            score=number,
            language=language,
        )
        for language in ("de", "fr")
        for number in range(5)
    ]
    examples = scored_examples(rows, Recipe(between=1.0), random.Random(0))
    assert len(examples) == 10
    for example in examples:
        (first, left), (second, right) = example.a.split(" a"), example.b.split(" b")
        assert left == right
        assert example.grade == float(left)
        assert {first, second} <= {"de", "fr"}
    assert any(example.a[:2] != example.b[:2] for example in examples)
    assert all(
        example.a[:2] == example.b[:2] for example in scored_examples(rows, Recipe(between=0.0), random.Random(0))
    )
