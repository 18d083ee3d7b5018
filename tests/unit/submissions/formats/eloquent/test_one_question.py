"""What files say to one question, without a check of the whole file."""

from __future__ import annotations

import json
from pathlib import Path

from submissions.check import check_submission
from submissions.formats.eloquent.one_question import answer_2025, answers_2026
from submissions.promptsets import PromptSets
from submissions.reading.limits import Limits
from submissions.schema import Response
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, lines, row, run_files, zipped

PROMPT_SETS = PromptSets.load(None)


def said(answers: list[Response]) -> dict[tuple[str, str], str]:
    return {(one.language, one.item_id): one.response for one in answers}


def test_a_zip_gives_the_answers_to_one_base_question_in_every_language() -> None:
    found = said(list(answers_2026(zipped(run_files(("en", "sv"))), "2")))
    assert found == {(language, "2"): "a 2" for language in ("en", "sv")} | {
        (language, f"2-{variant}"): "b 2" for language in ("en", "sv") for variant in (1, 2)
    }
    assert list(answers_2026(zipped(run_files()), "77")) == []


def test_our_own_questions_are_answered_too() -> None:
    rows = [row("901-1", "rice"), row("902-1", "another question")]
    files = {METADATA: "{}", "en_specific.jsonl": lines(rows), "en_unspecific.jsonl": lines([row("901", "bread")])}
    assert said(list(answers_2026(zipped(files), "901"))) == {("en", "901-1"): "rice", ("en", "901"): "bread"}


def test_rows_are_found_however_their_id_is_written() -> None:
    rows = [
        '{"id": "7-1", "prompt": "p", "answer": "plain"}',
        '{"prompt": "p", "answer": "last", "id": "7-2"}',
        '{"id": "07-03", "prompt": "p", "answer": "padded"}',
        '{"\\u0069d": "7-4", "prompt": "p", "answer": "escaped"}',
        '  {  "id" :  "7-5", "prompt": "p", "answer": "spaced"}',
        '{"id": "70-1", "prompt": "7-9", "answer": "another question"}',
        '{"id": "17-7", "prompt": "p", "answer": "another question"}',
    ]
    unspecific = '\ufeff{"id": 7, "prompt": "p", "answer": "number"}\r\n'
    files = {METADATA: "{}", "en_specific.jsonl": "\n".join(rows), "en_unspecific.jsonl": unspecific}
    found = said(list(answers_2026(zipped(files), "7")))
    assert found == {
        ("en", "7-1"): "plain",
        ("en", "7-2"): "last",
        ("en", "7-3"): "padded",
        ("en", "7-4"): "escaped",
        ("en", "7-5"): "spaced",
        ("en", "7"): "number",
    }


def test_of_a_zip_that_cannot_be_read_there_are_no_answers() -> None:
    whole = zipped(run_files())
    assert list(answers_2026(b"PK\x03\x04", "2")) == []
    assert list(answers_2026(whole[: len(whole) // 2], "2")) == []
    assert list(answers_2026(whole, "2", Limits(zip_entry_bytes=20))) == []
    not_rows = {"en_specific.jsonl": "[1, 2]", "sv_specific.jsonl": lines([row("2-1", 5)]), "notes.txt": "2-1"}
    assert list(answers_2026(zipped(not_rows), "2")) == []


def test_the_answers_are_those_of_the_check(eloquent: Path) -> None:
    data = (eloquent / "fixtures/valid/2026/aurora_full_diverse_and_robust.zip").read_bytes()
    submission = check_submission(data, "aurora.zip", prompt_sets=PROMPT_SETS).submission
    assert submission is not None
    for question in ("1", "7", "101"):
        whole = said([one for one in submission.responses() if one.base_id == question])
        # 5 languages with 1 unspecific answer and 36 specific ones, of question 7 108.
        assert len(whole) == 5 * (109 if question == "7" else 37)
        assert said(list(answers_2026(data, question))) == whole


def file_2025(**changes: object) -> bytes:
    turns = [{"question": "Which?", "answer": "This?"}, {"question": "Yes.", "answer": "Oslo."}]
    document = {
        "team": "aurora",
        "system": "keel",
        "submissionid": "1",
        "language": "sv",
        "date": "2025",
        "label": "eloquent-2025-robustness",
        "questions": [{"questionid": 12, "turns": turns}, {"questionid": "13", "turns": turns[:1]}],
    }
    return json.dumps(document | changes).encode()


def test_a_2025_file_gives_the_conversation_on_one_question() -> None:
    found = answer_2025(file_2025(), "12", PROMPT_SETS)
    assert found is not None
    assert (found.language, found.prompt, found.response) == ("sv", "Which?", "Oslo.")
    assert found.turns == (("Which?", "This?"), ("Yes.", "Oslo."))
    padded = answer_2025(file_2025(), "13", PROMPT_SETS)
    assert padded is not None
    assert padded.response == "This?"


def test_a_2025_file_without_the_question_or_that_is_none_gives_nothing() -> None:
    assert answer_2025(file_2025(), "14", PROMPT_SETS) is None
    assert answer_2025(file_2025(questions=7), "12", PROMPT_SETS) is None
    for data in (b"", b"[1]", b"{", b"\xff\xfe"):
        assert answer_2025(data, "12", PROMPT_SETS) is None
