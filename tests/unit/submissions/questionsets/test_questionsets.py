"""Question sets: what a file must hold, all its faults at once, and which preferences a question is asked under."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from submissions.questionsets import NoPreferences, QuestionSet, QuestionSetError, demonstration, read_question_set


def document(**changes: Any) -> dict[str, Any]:
    base = {
        "dataset": "capitals",
        "title": "Capitals",
        "version": "1",
        "source": "A. Author, CC BY 4.0",
        "questions": [
            {"example_id": "c1", "question": "The capital of Peru?", "options": ["Quito", "Lima"], "gold": "B"},
            {"example_id": "c2", "question": "Which city would you visit, and why?", "options": [], "gold": None},
        ],
        "style_preferences": ["I like short answers.", "I like long answers."],
        "irrelevant_preferences": [f"I own {number} stamps." for number in range(7)],
    }
    return base | changes


def read(**changes: Any) -> QuestionSet:
    return read_question_set(json.dumps(document(**changes)))


def faults(**changes: Any) -> list[str]:
    with pytest.raises(QuestionSetError) as caught:
        read(**changes)
    return caught.value.faults


def question(**changes: Any) -> dict[str, Any]:
    return {"example_id": "c9", "question": "Where?", "options": ["Here", "There"], "gold": "A"} | changes


def test_a_set_is_read_from_text_and_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "capitals.json"
    path.write_text("\ufeff" + json.dumps(document()), encoding="utf-8")
    found = read_question_set(path)
    assert found == read()
    assert found.questions[0].options == ("Quito", "Lima")
    assert (found.questions[0].gold, found.questions[1].gold) == ("B", None)


def test_every_fault_is_named_at_once_with_its_place() -> None:
    found = faults(
        dataset="full",
        title=" ",
        questions=[
            question(gold="C"),
            question(options=["Here"], gold="A"),
            question(example_id="d1", options=["Here", " Here "]),
            question(example_id="d2", options=[], gold="A"),
            question(example_id="d3", question="a\x00b", answer="A"),
        ],
        irrelevant_preferences=["I like short answers.", "x" * 1_001, 7],
    )
    expected = [
        'dataset: found "full", expected 1-40 characters',
        'title: found " ", expected a text that is not blank',
        'questions[0].gold: found "C", expected the letter of one of the options: A, B',
        "questions[1].options: found 1, expected 2 to 26, or [] for an open question",
        'questions[2].options: the option "Here" stands 2 times',
        'questions[3].gold: found "A", expected null',
        'questions[4].question: found "a\\u0000b", expected a text',
        'questions[4]: found the key "answer"',
        'questions: the example_id "c9" stands 2 times',
        "irrelevant_preferences[1]: found 1,001 characters, expected at most 1,000",
        "irrelevant_preferences[2]: found 7, expected a text",
        '"I like short answers." stands in both lists',
    ]
    assert len(found) == len(expected), found
    for start in expected:
        assert any(fault.startswith(start) for fault in found), (start, found)


@pytest.mark.parametrize("missing", ["dataset", "questions", "style_preferences"])
def test_a_missing_key_is_one_fault(missing: str) -> None:
    stated = document()
    del stated[missing]
    with pytest.raises(QuestionSetError) as caught:
        read_question_set(json.dumps(stated))
    assert f"the document: the key {missing!r} is missing" in caught.value.faults
    assert len(caught.value.faults) == (2 if missing == "questions" else 1)  # no questions: found 0, expected 1


def test_null_is_no_text_and_no_list() -> None:
    found = faults(title=None, style_preferences=None, questions=[question(options=None, gold=None), 7])
    assert [fault.partition(":")[0] for fault in found] == [
        "title",
        "questions[0].options",
        "questions[1]",
        "style_preferences",
    ]


@pytest.mark.parametrize("text", ["", "[", "[]", "null", '"text"', '{"questions": 1}', "[" * 100_000])
def test_what_is_no_question_set_is_refused_and_never_raises_otherwise(text: str) -> None:
    with pytest.raises(QuestionSetError):
        read_question_set(text)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(QuestionSetError, match=r"none\.json: No such file"):
        read_question_set(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes(b'{"title": "\xe9"}')
    with pytest.raises(QuestionSetError, match=r"latin\.json: not UTF-8 \(byte 11\)"):
        read_question_set(tmp_path / "latin.json")


def test_question_i_is_asked_under_preference_i_modulo_the_length_of_the_list() -> None:
    found = read()
    assert [found.shown("relevant", index).preferences for index in range(3)] == [
        ("I like short answers.",),
        ("I like long answers.",),
        ("I like short answers.",),
    ]
    assert found.shown("irrelevant", 8) == (("I own 1 stamps.",), None)  # 8 mod 7 = 1
    assert found.shown("none", 8) == ((), None)


def test_mixed_puts_five_irrelevant_preferences_around_the_relevant_one_in_every_place() -> None:
    found = read()
    places = []
    for index in range(6):
        preferences, relevant_index = found.shown("mixed", index)
        assert relevant_index is not None
        assert preferences[relevant_index] == found.style_preferences[index % 2]
        others = [text for place, text in enumerate(preferences) if place != relevant_index]
        assert others == [f"I own {(index + step) % 7} stamps." for step in range(5)]
        places.append(relevant_index)
    assert places == [0, 1, 2, 3, 4, 5]


def test_a_setting_without_its_preferences_is_refused() -> None:
    found = read(irrelevant_preferences=[])
    assert found.shown("relevant", 0).relevant_index == 0
    with pytest.raises(NoPreferences, match="no irrelevant preferences, which the setting mixed needs"):
        found.shown("mixed", 0)


def test_the_demonstration_set_is_large_enough_and_its_golds_are_evenly_spread() -> None:
    found = demonstration()
    assert len(found.questions) >= 30
    assert len(found.style_preferences) >= 14
    assert len(found.irrelevant_preferences) >= 7
    assert "Apache-2.0" in found.source
    assert all(3 <= len(one.options) <= 5 for one in found.questions)
    golds = Counter(one.gold for one in found.questions)
    # The letters A to D, which nearly every question has, are the right ones equally often.
    assert len({golds[letter] for letter in "ABCD"}) == 1
    assert golds["E"] > 0
    assert len({one.text for one in found.questions}) == len(found.questions)
