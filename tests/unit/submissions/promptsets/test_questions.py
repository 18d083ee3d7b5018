"""Registered questions of 2025: what an organiser puts into the folder of official sets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from submissions.check import CheckReport, check_submission
from submissions.formats.eloquent.edition_2025 import LABEL_2025
from submissions.promptsets import ELOQUENT_2025, PromptSetError, PromptSets, examples_of_2025
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


def test_a_file_that_answers_our_own_questions_is_of_the_demonstration_set_and_any_other_of_the_edition() -> None:
    sets = PromptSets.load(None)
    ours = {item.id: item for item in sets.demonstration_2025.items}

    def checked(ids: list[int], said: str = "", **others: PromptSets) -> CheckReport:
        questions = [
            {"questionid": one, "turns": [{"question": said or ours[str(one)].variants[0].prompt, "answer": "So."}]}
            for one in ids
        ]
        document = {"team": "a", "system": "b", "submissionid": "1", "language": "de", "label": LABEL_2025}
        data = json.dumps(document | {"questions": questions}).encode()
        return check_submission(data, "a.json", prompt_sets=others.get("sets", sets))

    def set_of(report: CheckReport) -> str:
        assert report.submission is not None
        return report.submission.set_id

    whole = checked([int(one) for one in ours])
    assert (set_of(whole), [problem.code for problem in whole.problems if "question" in problem.code]) == (
        "demonstration-2025",
        [],
    )
    # Other words under our numbers are told; with any question that is not ours, a file is the edition's.
    strange = checked([901], said="Wie spät ist es?")
    assert set_of(strange) == "demonstration-2025"
    assert "question_not_registered" in {problem.code for problem in strange.problems}
    assert set_of(checked([901, 7], said="Wie spät ist es?")) == ELOQUENT_2025
    # An organiser may register numbers of ours: then they are the edition's.
    taken = replace(sets, eloquent_2025=replace(sets.demonstration_2025, set_id=ELOQUENT_2025))
    assert set_of(checked([901], sets=taken)) == ELOQUENT_2025


def test_the_demonstration_sets_have_every_prompt_in_every_language() -> None:
    sets = PromptSets.load(None)
    for prompt_set, items in ((sets.demonstration_2025, 20), (sets.demonstration_2026, 10 + 2 * 10)):
        languages = [[variant.language for variant in item.variants] for item in prompt_set.items]
        assert (len(languages), {tuple(sorted(one)) for one in languages}) == (items, {("de", "en", "es", "fr", "sv")})
        prompts = [variant.prompt for item in prompt_set.items for variant in item.variants]
        assert all(prompts)
        assert len(set(prompts)) == len(prompts)
