"""Text of uploads inside messages; and the examples in the docstrings of this package."""

from __future__ import annotations

import pytest

from submissions.reading.quoting import described, keys_shown, printable, quoted


def test_nothing_invisible_is_shown() -> None:
    assert printable("a\u202eb\u200bc\x1b[31m\n") == "a\\u202eb\\u200bc\\u001b[31m\\u000a"
    assert printable("half \ud83d") == "half \\ud83d"
    assert printable("東京 Ñ é 😀") == "東京 Ñ é 😀"


def test_long_text_is_cut() -> None:
    assert quoted("x" * 81) == '"' + "x" * 80 + '…"'
    assert quoted("x" * 80) == '"' + "x" * 80 + '"'


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (7, "the number 7"),
        (1.5, "the number 1.5"),
        ("a", 'the text "a"'),
        (" ", "an empty text"),
        ([], "an empty list"),
        ([1, 2], "a list of 2 values"),
        ({}, "an empty object"),
        ({"a": 1}, 'an object with the key "a"'),
        ({"a": 1, "b": 2}, 'an object with the keys "a", "b"'),
        (object(), "something unreadable"),
    ],
)
def test_values_are_described_in_the_words_of_json(value: object, words: str) -> None:
    assert described(value) == words


def test_many_keys_are_counted() -> None:
    assert keys_shown([str(number) for number in range(10)]).endswith('"7" and 2 more')
