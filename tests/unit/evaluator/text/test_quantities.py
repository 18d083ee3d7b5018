"""Numbers, measures, times and dates: what they say, and whether two texts agree on them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.judge_quality.labelled_pairs import labelled_pairs
from evaluator.text.quantities import agreeing, number_conflict, quantities, written_alike


@pytest.mark.parametrize(
    ("written", "also"),
    [
        ("twelve", "12"),
        ("a dozen", "12"),
        ("half a dozen", "six"),
        ("twenty-five minutes", "25 min"),
        ("half an hour", "30 minutes"),
        ("a quarter of an hour", "15 minutes"),
        ("an hour and twenty minutes", "80 minutes"),
        ("half a litre", "500 ml"),
        ("two thousand five hundred", "2,500"),
        ("two hundred and fifty", "250"),
        ("1.5 million", "1,500,000"),
        ("nineteen sixty-six", "1966"),
        ("'99", "1999"),
        ("1 1/2 cups", "1½ cups"),
        ("three days", "72 hours"),
        ("a fortnight", "2 weeks"),
        ("two years", "24 months"),
        ("about two months", "eight weeks"),
        ("four kilometres", "4,000 metres"),
        ("five kilometres", "3.1 miles"),
        ("six feet two", "1.88 m"),
        ("eight ounces", "225 g"),
        ("180 °C", "356 degrees Fahrenheit"),
        ("350F", "180C"),
        ("-5 °C", "23 °F"),
        ("60 mph", "96 km/h"),
        ("two thirds", "66 per cent"),
        ("a quarter", "25%"),
        ("half past six in the evening", "18:30"),
        ("a quarter to nine", "8:45"),
        ("7.30 pm", "19:30"),
        ("six in the morning", "6 a.m."),
        ("noon", "12:00"),
        ("the third of March", "March 3rd"),
        ("21 June", "the twenty-first of June"),
        ("3 April", "4/3/2020"),
        ("the nineteenth century", "the 1800s"),
        ("the 1920s", "the '20s"),
        ("three times a day", "every eight hours"),
        ("twice a week", "every third day"),
        ("daily", "every day"),
        ("one at night", "1 am"),
        ("nine at night", "21:00"),
        ("the first day of June", "1 June"),
        ("1755", "'55"),
        ("half a second", "0.5 seconds"),
        ("six weeks", "forty days"),
    ],
)
def test_the_same_quantity_in_other_words_is_no_conflict_and_is_written_alike(written: str, also: str) -> None:
    assert number_conflict(written, also) == 0.0
    assert [(one.kind, two.kind) for one, two in agreeing(written, also)]
    assert written_alike(written, also).removeprefix("the ") in written


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("35 minutes", "45 minutes"),
        ("180 °C", "180 °F"),
        ("180 °C", "280 °F"),
        ("5 ml", "5 l"),
        ("5 km", "5 miles"),
        ("half past six", "half past seven"),
        ("6 am", "6 pm"),
        ("3 March", "4 March"),
        ("Tuesday", "Thursday"),
        ("in March", "in April"),
        ("twice a day", "four times a day"),
        ("the nineteenth century", "the 1700s"),
        ("30%", "60%"),
        ("an hour", "two hours"),
        ("50 minutes", "an hour"),
        ("-5 °C", "5 °C"),
    ],
)
def test_another_quantity_of_the_kind_is_a_conflict_and_stays_as_it_is(written: str, other: str) -> None:
    assert number_conflict(written, other) == 0.5
    assert written_alike(written, other) == other


def test_one_changed_number_is_half_a_conflict_and_two_are_three_quarters() -> None:
    assert number_conflict("bake 35 minutes at 230", "bake 35 minutes at 160") == 0.5
    assert number_conflict("bake 35 minutes at 230", "bake 70 minutes at 160") == 0.75


def test_an_additional_number_is_detail_not_conflict() -> None:
    assert number_conflict("Two halves.", "Two halves of 45 minutes with 15 between them.") == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "One should rest, and no one is a hero.",
        "A second opinion helps.",
        "You may march on.",
        "Ask at the second window",
        "It fell like a stone.",
    ],
)
def test_words_that_only_look_like_numbers_are_none(text: str) -> None:
    assert not [found for found in quantities(text) if not found.is_weak]


def test_both_ends_of_a_range_have_its_unit() -> None:
    celsius, fahrenheit = "between 16 and 20 degrees Celsius", "between 61 and 68 degrees Fahrenheit"
    assert written_alike(celsius, fahrenheit) == celsius
    assert written_alike("10 to 15 minutes", "600 to 900 seconds") == "10 to 15 minutes"
    assert number_conflict("10-15 minutes", "10-25 minutes") == 0.5


def test_a_number_without_its_unit_agrees_but_never_takes_the_unit_away() -> None:
    assert number_conflict("Bake at 180.", "Bake at 180 °C.") == 0.0
    assert written_alike("Bake at 180.", "Bake at 180 °C.") == "Bake at 180 °C."


@pytest.mark.parametrize(
    "text", ["1.2.3", "½", "9/11", "1,2,3", "²", "12th of June 2024", "1" * 400, "1" * 9000, "0" * 5000 + ":30", "'"]
)
def test_odd_numbers_do_not_crash(text: str) -> None:
    assert number_conflict(text, text) == 0.0
    assert written_alike(text, text) == text


@given(st.text(alphabet="0123456789 .,:/-'°%½thalfpastmarch", max_size=60), st.text(max_size=40))
def test_any_text_can_be_read_and_spans_never_overlap(first: str, second: str) -> None:
    found = quantities(first)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert all(0 <= one.start < one.end <= len(first) for one in found)
    assert number_conflict(first, second) == number_conflict(second, first)
    assert written_alike(first, first) == first


def test_hostile_lists_of_numbers_take_no_square_of_their_length() -> None:
    first = " ".join(str(number) for number in range(0, 20_000, 2))
    second = " ".join(f"{number} km" for number in range(1, 20_001, 2))
    assert number_conflict(first, second) == 0.0


def test_a_row_of_numerals_is_read_to_its_end() -> None:
    # From the right: the last two make a year, and what stands before a year makes none with it: 2,000 years and one.
    found = [quantity.value for quantity in quantities("nineteen " * 4_001)]
    assert found == [19.0, *[1919.0] * 2_000]


def test_every_labelled_pair_can_be_read() -> None:
    for pair in labelled_pairs("validation"):
        assert 0.0 <= number_conflict(pair.a, pair.b) <= 1.0
        assert number_conflict(pair.a, pair.a) == 0.0
