"""What a run of the lab shows of itself."""

from __future__ import annotations

from evaluator.lab.state import is_unchanged


def test_other_white_space_is_no_change_and_another_letter_is_one() -> None:
    assert is_unchanged("It is\n\nMars.", "It  is Mars.\n")
    assert not is_unchanged("It is\n\nMars.", "It is mars.")
