from __future__ import annotations

import pytest

from leaderboard.parts.visible_text import visible


@pytest.mark.parametrize(
    "code", ["0000", "0007", "001B", "0085", "061C", "200B", "200F", "202E", "2066", "FEFF", "E0041"]
)
def test_hidden_and_direction_turning_characters_are_written_out(code: str) -> None:
    assert visible(f"a{chr(int(code, 16))}b") == f"a[U+{code}]b"


def test_half_a_character_is_written_out_and_can_then_be_sent() -> None:
    assert visible("\ud83d").encode() == b"[U+D83D]"


@pytest.mark.parametrize("text", ["two\nlines\tand a tab", "é ß 漢字 עברית العربية", "می‌خواهم", "👩‍🔬", "1 000"])
def test_what_is_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_line_ends_of_windows_are_line_ends() -> None:
    assert visible("a\r\nb\rc") == "a\nb[U+000D]c"
