"""Letters to different people are read without their salutations where the prompts ask for them, and only there."""

from __future__ import annotations

import pytest

from evaluator.judges.loading import load_scorer
from evaluator.judges.pair.salutations import without_salutations
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest

TO_THREE = (
    "Write a note to my landlord, Mr Hargreaves.",
    "Write a note to my landlady Joan.",
    "Write a note to the letting company.",
)
BODY = "The heating has failed. Please send someone."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dear Mr Hargreaves,", "Dear Joan,"),
        ("Hi Joan!", "Dear Sir or Madam,"),
        ("To whom it may concern:", "My dearest Joan,"),
        ("Good morning Mr. Hargreaves,", "Hello,"),
        ("", "Hey Joan:"),
    ],
)
def test_a_salutation_that_was_asked_for_is_not_read(one: str, other: str) -> None:
    first, second = f"{one} {BODY}".strip(), f"{other}\n\n{BODY}"
    assert without_salutations(first, second, TO_THREE) == (BODY, BODY)
    assert without_salutations(second, first, TO_THREE) == (BODY, BODY)


@pytest.mark.parametrize(
    ("one", "other", "prompts"),
    [
        ("Dear Tom,", "Dear Joan,", TO_THREE),  # nobody asked for Tom
        ("Dear Joan,", "Dear Mr Hargreaves,", ["Write to Joan.", "Please write a note to Joan."]),  # all asked for Joan
        ("Dear Joan,", "Dear Tom,", ["Write to Joan and Tom.", "A note to Tom and Joan, please."]),
        ("Dear Sir,", "Hello,", TO_THREE),  # no difference in whom they name
        ("Dear Joan,", "Dear Mr Hargreaves,", []),
        ("Joan said", "Mr Hargreaves said", TO_THREE),  # no salutation
        ("Dear Joan pay Mr Hargreaves,", "Dear Mr Hargreaves pay Joan,", TO_THREE),  # no prompt has these words
    ],
)
def test_every_other_opening_is_read(one: str, other: str, prompts: list[str]) -> None:
    first, second = f"{one} {BODY}", f"{other} {BODY}"
    assert without_salutations(first, second, prompts) == (first, second)


def test_a_salutation_alone_is_read() -> None:
    assert without_salutations("Dear Joan,", "Dear Mr Hargreaves,", TO_THREE) == ("Dear Joan,", "Dear Mr Hargreaves,")


def test_letters_to_two_people_are_rated_as_what_follows_the_salutations() -> None:
    judge = load_scorer("pair").judge
    asked = {f"prompt_{number}": prompt for number, prompt in enumerate(TO_THREE, start=1)}

    def rating(first: str, second: str) -> float | None:
        fields = {"answer_a": first, "answer_b": second, **asked}
        return judge.judge([JudgeRequest(SIMILARITY_PAIR, fields, "en")])[0].rating

    other = "The heating is as warm as ever, so nobody need come."
    assert rating(f"Dear Mr Hargreaves, {BODY}", f"Hi Joan! {BODY}") == 5
    assert rating(f"Dear Mr Hargreaves, {BODY}", f"Hi Joan! {other}") == rating(BODY, other)
    assert rating(f"Dear Tom, {BODY}", f"Hi Joan! {BODY}") != 5
