"""Program-made changes of a text: what they change, what they leave, and when they find nothing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.text.content_checks import sentences
from research.pair.perturbations import (
    Perturbation,
    contracted,
    negated,
    number_changed,
    opposed,
    reordered,
    reworded,
    roles_swapped,
    time_changed,
)
from research.pair.training import BREAKS_MEANING, KEEPS_MEANING

ALL = (*BREAKS_MEANING, *KEEPS_MEANING)
PERTURBATION = pytest.mark.parametrize("perturbation", ALL, ids=lambda perturbation: perturbation.__name__)
SEEDS = range(40)

ANSWER = (
    "On Monday at 9:30 the tenant pays the landlord 20 euros. Do not wait longer than two weeks, it is late by then. "
    "Use the big key before noon."
)

_WORDS = """
    is can't cannot May may will not isn't don’t 10 1,000 21st 10:45 twenty-five Ten Monday March from to the a tenant
    landlord pays Anna Berlin more less before with it it's do Use Go. . ! ? … {} { \\1 " ) , - ’ İ ſix K ß ² ٣ [SEP]
"""
_PIECES = st.sampled_from([*_WORDS.split(), "\n", "\n\n"])
TEXTS = st.lists(_PIECES | st.text(max_size=8), max_size=25).map(" ".join) | st.text(max_size=60)


def _changes(perturbation: Perturbation, text: str) -> set[str | None]:
    """What the perturbation makes of a text, over many seeds."""
    return {perturbation(text, random.Random(seed)) for seed in SEEDS}


@PERTURBATION
def test_the_same_seed_gives_the_same_text(perturbation: Perturbation) -> None:
    texts = (ANSWER, "He bought apples and pears.", "The lake freezes over in winter.")
    made = [[perturbation(text, random.Random(3)) for text in texts] for _ in range(2)]
    assert made[0] == made[1]
    assert any(made[0])


@PERTURBATION
@pytest.mark.parametrize("text", ["", " \n", "Hm", "Täglich lüften!"])
def test_where_nothing_can_be_changed_there_is_nothing(perturbation: Perturbation, text: str) -> None:
    assert perturbation(text, random.Random(0)) is None


@PERTURBATION
@settings(max_examples=150)
@given(text=TEXTS, seed=st.integers(0, 2**32))
def test_any_text_is_changed_or_left_alone(perturbation: Perturbation, text: str, seed: int) -> None:
    assert perturbation(text, random.Random(seed)) != text


@PERTURBATION
@pytest.mark.parametrize(
    "piece",
    ["No. ", "the a ", "from to ", "do not ", "sss", "10:", "1", "it's ", "with ", '."', ")", "a-", "Ab ", "Use it\n"],
)
def test_a_long_hostile_text_is_changed_or_left_alone(perturbation: Perturbation, piece: str) -> None:
    hostile = piece * (20_000 // len(piece))  # hundredths of a second; work that grows with the square never ends
    assert perturbation(hostile, random.Random(0)) != hostile


# --- what breaks the meaning ---------------------------------------------------------------------------------------


def test_a_statement_is_denied_and_a_denial_affirmed() -> None:
    assert _changes(negated, "The lid is tight.") == {"The lid is not tight.", "The lid is never tight."}
    assert _changes(negated, "The lid is not tight.") == {"The lid is tight."}
    assert _changes(negated, "You did it.") == {"You did not it."}  # "did never" is no English


@pytest.mark.parametrize(
    ("denied", "affirmed"),
    [
        ("It isn't late.", "It is late."),
        ("They don’t mind.", "They do mind."),
        ("You can't stay.", "You can stay."),
        ("You cannot stay.", "You can stay."),
        ("It will not rain.", "It will rain."),
    ],
)
def test_contracted_denials_are_affirmed_too(denied: str, affirmed: str) -> None:
    assert _changes(negated, denied) == {affirmed}


def test_an_order_becomes_a_prohibition_in_its_own_place() -> None:
    # "Go" also begins "Google", which is no order
    text = "Google knows.\nGo home"
    assert _changes(negated, text) == {
        "Google knows.\nDo not go home",
        "Google knows.\nNever go home",
        "Google knows.\nDon't go home",
        "Google knows.\nAvoid it: do not go home",
    }


def test_the_month_of_may_is_no_auxiliary() -> None:
    assert negated("We met in May of that year.", random.Random(0)) is None
    assert _changes(negated, "You may stay.") == {"You may not stay.", "You may never stay."}


def test_one_of_several_statements_is_denied() -> None:
    changed = _changes(negated, "It is late. It was fun.")
    assert changed == {f"It is{denial} late. It was fun." for denial in (" not", " never")} | {
        f"It is late. It was{denial} fun." for denial in (" not", " never")
    }


def test_a_number_becomes_another_one() -> None:
    # 10 x 2, x 3, x 10, + 5, // 2, + 1
    assert _changes(number_changed, "Wait 10 minutes.") == {
        f"Wait {number} minutes." for number in (20, 30, 100, 15, 5, 11)
    }
    assert _changes(number_changed, "Wait 0 minutes.") == {"Wait 5 minutes.", "Wait 1 minutes."}


def test_a_spelled_number_becomes_another_spelled_one_and_keeps_its_capital() -> None:
    made = _changes(number_changed, "Two eggs.")
    assert len(made) > 5
    assert "Two eggs." not in made
    assert all(text is not None and text[0].isupper() and text.endswith(" eggs.") for text in made)


@pytest.mark.parametrize(
    "text", ["At 10:45.", "It costs 1,000.50", "On the 21st.", "In 12345 steps.", "Twenty-five men."]
)
def test_parts_of_a_longer_number_or_word_are_left(text: str) -> None:
    assert number_changed(text, random.Random(0)) is None


def test_a_clock_time_moves_by_whole_hours_and_keeps_its_minutes() -> None:
    made = _changes(time_changed, "Come at 22:15 on Monday.")
    # 1 to 11 hours later: 23, then 0 to 9
    assert made <= {f"Come at {hour}:15 on Monday." for hour in (23, *range(10))}
    assert len(made) > 5


def test_days_become_days_and_months_months() -> None:
    days = _changes(time_changed, "Come on Monday.")
    assert days <= {f"Come on {day}day." for day in ("Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun")}
    months = _changes(time_changed, "Come in June.")
    assert len(months) > 5
    assert not months & {"Come in June.", *(text.replace("on", "in") for text in days if text)}


@pytest.mark.parametrize(
    ("text", "swapped"),
    [
        ("The tenant pays the landlord.", "The landlord pays the tenant."),
        ("the dog is older than the cat", "the cat is older than the dog"),
        ("Fly from Rome to work.", "Fly from work to Rome."),
        ("Then Anna met Bob.", "Then Bob met Anna."),
    ],
)
def test_two_parties_take_each_others_places(text: str, swapped: str) -> None:
    assert _changes(roles_swapped, text) == {swapped}


def test_a_single_party_has_nobody_to_change_places_with() -> None:
    assert roles_swapped("The tenant helps the tenant, says Anna.", random.Random(0)) is None


def test_a_name_changes_place_everywhere_but_not_inside_other_words() -> None:
    changed = roles_swapped("Then Ann met Bob. Anna saw Bob, and Ann left.", random.Random(0))
    assert changed is not None
    assert changed == "Then Bob met Ann. Anna saw Ann, and Bob left."


def test_one_word_becomes_its_opposite_and_keeps_its_capital() -> None:
    assert _changes(opposed, "Always lock it.") == {"Never lock it.", "Always unlock it."}
    assert opposed("The showers leak.", random.Random(0)) is None  # "low" within a word is no word


# --- what keeps the meaning ----------------------------------------------------------------------------------------


def test_sentences_change_places_and_none_is_lost() -> None:
    text = "One is red. Two are blue! Is three green?"
    made = _changes(reordered, text)
    assert text not in made
    assert len(made) == 5  # 3! orders, less the one that is there already
    assert all(sorted(sentences(changed or "")) == sorted(sentences(text)) for changed in made)


@pytest.mark.parametrize(
    "text",
    [
        "One. Two.",
        "No. No. No.",  # every order is the same
        "Mix it.\nBake it.\nEat it.",  # the steps of a list
        "1. Mix it. 2. Bake it. 3. Eat it.",
        "Mix it. Bake it. Then eat",  # would run into the next sentence
    ],
)
def test_lists_and_few_or_unfinished_sentences_keep_their_order(text: str) -> None:
    assert reordered(text, random.Random(0)) is None


def test_contractions_are_exchanged_for_their_long_forms_and_back() -> None:
    assert contracted("It is late. I don't mind.", random.Random(0)) == "It's late. I do not mind."
    assert contracted("The exit is there.", random.Random(0)) is None  # "it is" within a word


def test_plain_words_become_formal_ones_and_back_within_a_frame_that_says_nothing() -> None:
    made = _changes(reworded, "Often it works.")
    assert None not in made
    assert all("Frequently it works." in (text or "") for text in made)
    assert len(made) > 3
    assert "Often it works." in (reworded("Frequently it works.", random.Random(0)) or "")
    assert reworded("The user left {} braces.", random.Random(0)) is None  # "use" within a word


def test_braces_in_a_text_are_plain_characters() -> None:
    assert all("{0} {x} frequently {" in (text or "") for text in _changes(reworded, "{0} {x} often {"))
