from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluator.behavior_alignment.near_copies import MOST_CHARACTERS, is_near_copy, nearest_distance
from evaluator.behavior_alignment.response_texts import copied_share

FEW_LETTERS = st.text(alphabet="abc ", max_size=14)
HUMAN = "You should watch the one about the two ships, it is great."


def by_the_table(wanted: str, text: str) -> int:
    """The table of all distances, cell by cell (Sellers 1980, DOI 10.1016/0196-6774(80)90016-4)."""
    column = list(range(len(wanted) + 1))
    nearest = column[-1]
    for letter in text:
        before, column = column, [0]
        for place, other in enumerate(wanted, 1):
            column.append(min(before[place] + 1, column[-1] + 1, before[place - 1] + (letter != other)))
        nearest = min(nearest, column[-1])
    return nearest


@given(FEW_LETTERS, FEW_LETTERS)
def test_the_nearest_stretch_is_that_of_the_whole_table(wanted: str, text: str) -> None:
    assert nearest_distance(wanted, text) == by_the_table(wanted, text)


def test_a_copy_with_a_letter_changed_in_every_turn_is_a_copy() -> None:
    changed = [(HUMAN.replace("ships", f"ship{letter}"), HUMAN) for letter in "abcdefgh"]
    assert copied_share(changed) == 1.0
    assert copied_share([(f"Well! {HUMAN.upper()} Really.", HUMAN)]) == 1.0


def test_an_answer_in_words_of_its_own_is_none() -> None:
    own = "I would go for the film with both boats; everybody likes it."
    assert copied_share([(own, HUMAN)]) == 0.0
    assert not is_near_copy("have you seen the matrix", "have you seen the mask")  # 4 of 24 letters, of at most 2


def test_only_so_much_of_a_text_is_compared_as_takes_little_time() -> None:
    wanted = "a" * MOST_CHARACTERS
    assert is_near_copy(wanted + "b" * 10_000, wanted)
    assert not is_near_copy(wanted, "c" * 3 * MOST_CHARACTERS + wanted)
