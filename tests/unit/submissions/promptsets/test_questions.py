"""Registered questions of 2025: what an organiser puts into the folder of official sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from submissions.promptsets import PromptSetError, PromptSets, examples_of_2025
from submissions.promptsets.questions import load_registered_questions, questions_by_language, registered_questions


def file_of(language: object = "en", **questions: object) -> bytes:
    listed = [{"questionid": number, "turns": [{"question": said}]} for number, said in questions.items()]
    return json.dumps({"language": language, "questions": listed}).encode()


def test_a_folder_with_question_files_registers_them_and_one_without_registers_none(tmp_path: Path) -> None:
    assert load_registered_questions(tmp_path).sha256 is None
    assert PromptSets.load(None).eloquent_2025.items == ()
    (tmp_path / "en_2025.json").write_bytes(file_of(**{"12": "How do I boil rice?", "3": "Why is it dark?"}))
    (tmp_path / "sv_2025.json").write_bytes(file_of("sv", **{"12": "Hur kokar jag ris?"}))
    found = PromptSets.load(tmp_path).eloquent_2025
    assert [item.id for item in found.items] == ["3", "12"]
    assert questions_by_language(found) == {
        "en": {"3": "Why is it dark?", "12": "How do I boil rice?"},
        "sv": {"12": "Hur kokar jag ris?"},
    }
    assert found.version.startswith("2025, 2 registered questions in en, sv; sha256 ")


def test_answers_beside_the_questions_change_nothing() -> None:
    sent = [(name, data) for name, data in examples_of_2025()]
    bare = [(name, data.replace(b'"answer"', b'"another key"')) for name, data in sent]
    assert registered_questions(sent).sha256 == registered_questions(bare).sha256


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "not questions of 2025"),
        (b'{"language": "en"}', "not questions of 2025"),
        (file_of("en", **{"12": " "}), "question 12 has no text"),
        (file_of(7, **{"12": "Why?"}), "the language is 7"),
        (b'{"language": "en", "questions": [{"questionid": "x", "turns": []}]}', "not questions of 2025"),
    ],
)
def test_a_faulty_file_is_named_with_what_is_wrong(data: bytes, said: str) -> None:
    with pytest.raises(PromptSetError, match=f"en_2025.json: .*{said}"):
        registered_questions([("en_2025.json", data)])


def test_a_question_may_stand_once_in_a_language() -> None:
    twice = [(name, file_of(**{"12": "Why?"})) for name in ("en_2025.json", "again_2025.json")]
    with pytest.raises(PromptSetError, match=r"again_2025\.json: question 12 in en stands twice"):
        registered_questions(twice)
