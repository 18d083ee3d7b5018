"""Response to culture: derived by hand, and what noise and empty systems reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from evaluator.cultural.figures import Vector
from evaluator.cultural.response import RESPONSE_PARTS, QuestionAnswers, lesser_half, responses_to_culture

EAST, NORTH = np.array([1.0, 0.0]), np.array([0.0, 1.0])
QUESTIONS, VARIANTS = 60, 6
LANGUAGES = ("de", "en", "fi", "sv")


def values(english: QuestionAnswers, swedish: QuestionAnswers, *, gated: bool = False) -> dict[str, float]:
    found = responses_to_culture({"en": {"7": english}, "sv": {"7": swedish}}, gated=gated)
    return {part: found[part]["7"] for part in RESPONSE_PARTS if found[part]}


def run(answer: Callable[[str, int, int], Vector]) -> Mapping[str, Mapping[str, QuestionAnswers]]:
    """Variant 0 names no culture."""
    return {
        language: {
            str(question): QuestionAnswers(
                answer(language, question, 0),
                {variant: answer(language, question, variant) for variant in range(1, VARIANTS + 1)},
            )
            for question in range(QUESTIONS)
        }
        for language in LANGUAGES
    }


def means(answers: Mapping[str, Mapping[str, QuestionAnswers]]) -> dict[str, float]:
    return {
        part: float(np.mean(list(found.values()))) for part, found in responses_to_culture(answers, gated=True).items()
    }


def test_three_cultures_of_which_one_is_mistaken_worked_out_by_hand() -> None:
    # Distances of the English answers (rows: north, east, south) to the Swedish ones (north, east, north):
    #   0 1 0 / 1 0 1 / 2 1 2. The first culture: of its row 1 > 0 and 0 = 0, of its column 1 > 0 and 2 > 0: 3 of 4 won,
    # 1 level. The second wins 4. The third: 2 = 2 and 1 < 2, 0 < 2 and 1 < 2: 3 lost. (3 + 4 - 3) / 12 = 1/3.
    # Open answers are 2 apart, the others 0, 0 and 2: (1 + 1 + 0) / 3 = 2/3.
    english = QuestionAnswers(NORTH, {1: NORTH, 2: EAST, 3: -NORTH})
    swedish = QuestionAnswers(-NORTH, {1: NORTH, 2: EAST, 3: NORTH})
    # No other question says which half is the lesser: the mean of both.
    assert values(english, swedish) == pytest.approx({"named": 1 / 3, "open": 2 / 3, "culture": 1 / 2})


def test_a_win_and_a_loss_count_as_far_as_both_answer() -> None:
    english = QuestionAnswers(NORTH, {1: NORTH, 2: EAST, 3: -NORTH}, 1.0, {1: 0.5, 3: 0.0})
    swedish = QuestionAnswers(-NORTH, {1: NORTH, 2: EAST, 3: NORTH}, 0.25, {2: 0.0})
    # Named: 3/4 x 0.5, 1 x 0, -3/4 x 0, by three. Open: 1 x 0.25, 1 x 0 and 0, by three.
    assert values(english, swedish, gated=True) == pytest.approx(
        {"named": 0.375 / 3, "open": 0.25 / 3, "culture": 0.625 / 6}
    )
    worse = QuestionAnswers(-NORTH, {1: NORTH, 2: EAST, 3: NORTH}, 0.25, {2: 0.0, 3: 0.5})
    assert values(QuestionAnswers(NORTH, {1: NORTH, 2: EAST, 3: -NORTH}, 1.0, {1: 0.5}), worse, gated=True)[
        "named"
    ] == pytest.approx((0.375 + 0.0 - 0.375) / 3)


def test_the_lesser_half_of_a_question_is_that_of_the_other_questions() -> None:
    named = {"1": 0.5, "2": 0.75, "3": 1.0, "only": 1.0}
    left_open = {"1": 0.75, "2": 0.25, "3": 0.0}
    # Others of 1: named is 0.5 + 1.0 ahead: open. Of 2: -0.25 + 1.0: open. Of 3: -0.25 + 0.5: open.
    assert lesser_half(named, left_open) == {"1": 0.75, "2": 0.25, "3": 0.0}
    assert lesser_half(left_open, named) == {"1": 0.75, "2": 0.25, "3": 0.0}
    assert lesser_half({}, left_open) == {}


@pytest.mark.parametrize("gate", [1.0, 0.3])
def test_the_headline_of_noise_is_0_on_average(gate: float) -> None:
    dice = np.random.default_rng(3)

    def noise() -> float:
        answers = {
            language: {
                str(question): QuestionAnswers(
                    dice.normal(size=8),
                    {variant: dice.normal(size=8) for variant in (1, 2)},
                    1.0,
                    {1: float(dice.random() < gate)},
                )
                for question in range(8)
            }
            for language in ("de", "en")
        }
        return float(np.mean(list(responses_to_culture(answers, gated=True)["culture"].values())))

    runs = [noise() for _ in range(600)]
    assert abs(np.mean(runs)) < 3 * np.std(runs) / np.sqrt(len(runs))


def test_noise_one_text_and_answers_that_ignore_the_culture_reach_nothing() -> None:
    dice = np.random.default_rng(1)
    of_language = {
        (language, question): dice.normal(size=16) for language in LANGUAGES for question in range(QUESTIONS)
    }
    of_question = {question: dice.normal(size=16) for question in range(QUESTIONS)}
    noise = means(run(lambda *_: dice.normal(size=16)))
    # 60 questions of 6 pairs of languages: the standard error of either part is about 0.02.
    assert noise["named"] == pytest.approx(0.0, abs=0.08)
    assert noise["open"] == pytest.approx(0.0, abs=0.12)
    assert noise["culture"] == pytest.approx(0.0, abs=0.12)
    assert means(run(lambda *_: EAST)) == {"named": 0.0, "open": 0.0, "culture": 0.0}
    # One text a question, or one a question and language: the culture changes nothing.
    assert means(run(lambda language, question, variant: of_question[question]))["culture"] == 0.0
    assert means(run(lambda language, question, variant: of_language[language, question]))["culture"] == 0.0


def test_a_system_needs_both_halves() -> None:
    dice = np.random.default_rng(2)
    cultures = {(q, v): dice.normal(size=16) for q in range(QUESTIONS) for v in range(VARIANTS + 1)}
    own = {(language, q): dice.normal(size=16) for language in LANGUAGES for q in range(QUESTIONS)}

    def whole(language: str, question: int, variant: int) -> Vector:
        return cultures[question, variant] if variant else own[language, question]

    assert means(run(whole)) == {"named": 1.0, "open": 1.0, "culture": 1.0}
    # The same everywhere where culture is left open: nothing is further apart than the answers about a culture.
    same = means(run(lambda language, question, variant: cultures[question, variant]))
    assert (same["named"], same["open"], same["culture"]) == (1.0, 0.0, 0.0)
    # Each language speaks of its own culture whatever is named.
    deaf = means(run(lambda language, question, variant: own[language, question]))
    assert (deaf["named"], deaf["culture"]) == (0.0, 0.0)


def test_without_a_second_culture_or_an_open_answer_a_part_is_left_out() -> None:
    one = QuestionAnswers(NORTH, {1: NORTH})
    assert values(one, one) == {"open": 0.0}
    closed = QuestionAnswers(None, {1: NORTH, 2: EAST})
    assert values(closed, closed) == {"named": 1.0}
    assert values(one, QuestionAnswers(NORTH, {2: NORTH})) == {}
