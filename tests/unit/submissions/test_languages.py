"""The language detector as it is configured here."""

from __future__ import annotations

import pytest

from submissions.languages import sure_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The weather is lovely today and we are going for a walk by the sea.", "en"),
        ("Vädret är härligt i dag och vi ska ta en promenad vid havet.", "sv"),
        ("Das Wetter ist heute herrlich, und wir gehen am Meer spazieren.", "de"),
        ("Sää on tänään ihana ja menemme kävelylle meren rannalle.", "fi"),
        ("Ο καιρός είναι υπέροχος σήμερα και πάμε μια βόλτα δίπλα στη θάλασσα.", "el"),
        ("الطقس جميل اليوم وسنذهب في نزهة على شاطئ البحر.", "ar"),
        ("今天天气很好，我们要去海边散步。", "zh"),
    ],
)
def test_whole_sentences_are_sure(text: str, language: str) -> None:
    assert sure_language(text) == language


@pytest.mark.parametrize("text", ["", "1234567890", "!!!", "xq"])
def test_what_is_no_sentence_is_not_sure(text: str) -> None:
    assert sure_language(text) is None
