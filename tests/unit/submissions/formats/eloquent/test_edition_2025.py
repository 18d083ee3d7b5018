"""The 2025 reader: one file per language, questions of several turns."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from submissions.check import CheckReport, check_submission
from submissions.formats.eloquent.edition_2025 import LABEL_2025
from submissions.promptsets import PromptSets
from submissions.promptsets.questions import registered_questions
from submissions.schema import Names

Document = dict[str, Any]

VALID: Document = {
    "team": "aurora",
    "system": "aurora-7b",
    "submissionid": "run-1",
    "language": "en",
    "date": "2025-05-10",
    "label": "eloquent-2025-robustness",
    "questions": [
        {
            "questionid": 12,
            "turns": [{"question": "Tea or milk?", "answer": "Both."}, {"question": "Which?", "answer": "Tea."}],
        },
        {"questionid": 0, "turns": [{"question": "How late is it?", "answer": "Noon."}]},
    ],
}


@pytest.fixture
def changed(check: Any) -> Callable[..., CheckReport]:
    """Checks the valid file after a change."""

    def changed(change: Callable[[Document], Any] = lambda _: None, **options: Any) -> CheckReport:
        document = copy.deepcopy(VALID)
        change(document)
        report: CheckReport = check(document, **options)
        return report

    return changed


def told(report: CheckReport) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in report.problems]


def test_a_valid_file_is_one_run_in_one_language(changed: Any) -> None:
    report = changed()
    assert (report.decision, report.kind, report.edition) == ("accepted", "eloquent", "2025")
    submission = report.submission
    assert (submission.set_id, submission.date) == ("eloquent-2025", "2025-05-10")
    assert submission.names == Names("aurora", "aurora-7b", None, "run-1")
    first, second = submission.responses()
    assert (first.kind, first.item_id, first.base_id, first.variant, first.language) == (
        "question",
        "12",
        "12",
        1,
        "en",
    )
    assert first.turns == (("Tea or milk?", "Both."), ("Which?", "Tea."))
    assert (first.prompt, first.response) == ("Tea or milk?", "Tea.")
    assert second.item_id == "0"


def test_the_last_answer_that_is_not_empty_is_the_response(changed: Any) -> None:
    report = changed(lambda d: d["questions"][0]["turns"].append({"question": "Sure?", "answer": " "}))
    assert next(report.submission.responses()).response == "Tea."


def test_coverage_counts_answers_of_an_unknown_number_of_questions(changed: Any) -> None:
    report = changed(lambda d: d["questions"][1]["turns"][0].update(answer=""))
    assert report.as_json()["coverage"] == {
        "expected": None,
        "answered": 1,
        "share": None,
        "by_language": {"en": {"expected": None, "answered": 1}},
        "rankable": {"consistency": None},
    }
    assert told(report) == [("skipped_responses", "$.questions[1]")]


def put(*path: Any, value: Any) -> Callable[[Document], None]:
    """A change that puts a value somewhere; None takes it away."""

    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        if value is None:
            del document[path[-1]]
        else:
            document[path[-1]] = value

    return change


LONG = "x" * 65_537


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (put("team", value=None), ("source_missing", "$.team")),
        (put("team", value=7), ("source_type", "$.team")),
        (put("system", value="your-system-name"), ("source_placeholder", "$.system")),
        (put("submissionid", value="../run"), ("source_chars", "$.submissionid")),
        (put("submissionid", value="run 1!"), ("submissionid_chars", "$.submissionid")),
        (put("date", value=None), ("metadata_field", "$.date")),
        (put("notes", value=7), ("metadata_field", "$.notes")),
        (put("label", value=None), ("label_missing", "$.label")),
        (put("label", value="eloquent-2026-cultural"), ("wrong_edition", "$.label")),
        (put("language", value=None), ("language_code", "$.language")),
        (put("language", value="English"), ("language_code", "$.language")),
        (put("language", value=7), ("language_code", "$.language")),
        (put("language", value="EN"), ("language_alias", "$.language")),
        (put("language", value="en-GB"), ("language_alias", "$.language")),
        (put("questions", value=[]), ("items_missing", "$.questions")),
        (put("questions", value={"12": "Tea."}), ("items_type", "$.questions")),
        (put("questions", 0, value="Tea."), ("id_missing", "$.questions[0]")),
        (put("questions", 0, "questionid", value=None), ("id_missing", "$.questions[0].questionid")),
        (put("questions", 0, "questionid", value="q12"), ("unknown_id", "$.questions[0].questionid")),
        (put("questions", 0, "questionid", value=-1), ("unknown_id", "$.questions[0].questionid")),
        (put("questions", 0, "questionid", value=1.5), ("unknown_id", "$.questions[0].questionid")),
        (put("questions", 0, "questionid", value=True), ("unknown_id", "$.questions[0].questionid")),
        (put("questions", 0, "questionid", value="12"), ("id_normalised", "$.questions[0].questionid")),
        (put("questions", 1, "questionid", value=12), ("duplicate_id", "$.questions[1].questionid")),
        (put("questions", 0, "turns", value=None), ("turns_missing", "$.questions[0]")),
        (put("questions", 0, "turns", value=[]), ("turns_missing", "$.questions[0]")),
        (put("questions", 0, "turns", 1, value="Tea."), ("response_key", "$.questions[0].turns[1]")),
        (put("questions", 0, "turns", 1, value={"response": "Tea."}), ("response_key", "$.questions[0].turns[1]")),
        (put("questions", 0, "turns", 0, "answer", value=7), ("response_type", "$.questions[0].turns[0].answer")),
        (put("questions", 1, "turns", 0, "answer", value=LONG), ("response_too_long", "$.questions[1].turns[0]")),
        (put("questions", 0, "turns", 0, "answer", value="\ud83d"), ("lone_surrogate", "$.questions[0].turns[0]")),
        (put("questions", 0, "turns", 0, "answer", value="a\x07"), ("control_char", "$.questions[0].turns[0]")),
        (put("questions", 0, "turns", 0, "answer", value=float("nan")), ("json_nan", "$.questions[0].turns[0]")),
        (put("questions", 0, "turns", 0, "question", value=7), ("metadata_field", "$.questions[0].turns[0].question")),
        (put("questions", 0, "colour", value="blue"), ("extra_key", "$.questions[0].colour")),
    ],
)  # fmt: skip
def test_one_fault_is_one_problem_at_its_place(changed: Any, change: Any, expected: tuple[str, str]) -> None:
    report = changed(change)
    assert [one for one in told(report) if one[0] != "pack_would_mend"] == [expected]
    problem = report.problems[0]
    assert problem.message.strip()
    assert problem.hint.strip()
    if report.decision == "refused" and problem.path.startswith("$.questions"):
        assert report.submission is None


def test_a_fault_of_an_answer_names_its_question(changed: Any) -> None:
    problem = changed(put("questions", 0, "turns", 1, value={"response": "Tea."})).problems[0]
    assert (problem.item, problem.language) == ("12", "en")
    assert "2024" in problem.hint


def test_a_language_in_capitals_is_read_in_small_letters(changed: Any) -> None:
    report = changed(put("language", value="EN"))
    assert {response.language for response in report.submission.responses()} == {"en"}


def test_the_form_fills_what_the_file_leaves_open_and_the_files_names_win(changed: Any) -> None:
    form = Names(team="form", system="form", model="form", run="form")

    def without_system(document: Document) -> None:
        del document["system"]

    report = changed(without_system, names=form)
    assert report.submission.names == Names("aurora", "form", "form", "run-1")
    assert told(report) == [("identity_conflict", "$.team"), ("identity_conflict", "$.submissionid")]


def test_a_file_of_empty_answers_is_refused(changed: Any) -> None:
    def emptied(document: Document) -> None:
        for question in document["questions"]:
            for turn in question["turns"]:
                turn["answer"] = ""

    assert told(changed(emptied)) == [("all_empty", "$.questions")]


def test_a_further_fault_hides_none_of_another_question(changed: Any) -> None:
    def two(document: Document) -> None:
        document["questions"][0]["turns"] = []
        document["questions"][1]["turns"][0] = {"text": "Noon."}

    assert told(changed(two)) == [("turns_missing", "$.questions[0]"), ("response_key", "$.questions[1].turns[0]")]


def test_the_edition_asked_for_must_be_that_of_the_file(check: Any) -> None:
    assert check(VALID, edition="2025").decision == "accepted"
    assert told(check(VALID, edition="2024")) == [("wrong_edition", "$")]


def test_a_file_with_the_label_alone_has_no_questions(check: Any) -> None:
    report = check({"label": "eloquent-2025-robustness", "team": "aurora"})
    assert ("items_missing", "$.questions") in told(report)
    assert report.submission is None


def test_the_order_of_questions_changes_no_response(check: Any) -> None:
    turned = {**VALID, "questions": VALID["questions"][::-1]}
    one, other = check(VALID).submission, check(turned).submission
    assert sorted(one.responses(), key=lambda r: r.item_id) == sorted(other.responses(), key=lambda r: r.item_id)


def test_the_guards_look_at_answers_of_2025_too(check: Any) -> None:
    document = copy.deepcopy(VALID)
    answers = ["No."] * 5 + [f"{number}" for number in range(5, 20)]
    document["questions"] = [
        {"questionid": number, "turns": [{"question": f"Question {number}?", "answer": answer}]}
        for number, answer in enumerate(answers)
    ]
    document["questions"][19]["turns"][0]["answer"] = "HTTP 429"
    report = check(json.dumps(document))
    # 5 of 20 answers are one text, in 5 questions.
    assert sorted(told(report)) == [("constant_response", "$.questions[0]"), ("error_text", "$.questions[19]")]
    flags = [response.flags for response in report.submission.responses()]
    assert flags[:5] == [frozenset({"constant"})] * 5
    assert flags[19] == frozenset({"error_text"})


def test_each_question_that_is_not_registered_is_told_at_its_place_and_refuses_nothing(bare_sets: PromptSets) -> None:
    def asking(*questions: tuple[int, str]) -> bytes:
        listed = [{"questionid": number, "turns": [{"question": said, "answer": "Yes."}]} for number, said in questions]
        head = {"team": "a", "system": "b", "submissionid": "1", "language": "en", "date": "2025", "label": LABEL_2025}
        return json.dumps({**head, "questions": listed}).encode()

    official = registered_questions([("en_2025.json", asking((12, "How do I boil rice?"), (13, "Why is it dark?")))])
    sets = replace(bare_sets, eloquent_2025=official)
    sent = asking((12, "Shortly: how do I  boil rice"), (13, "Why is it light?"), (14, "Who are you?"), (15, ""))
    report = check_submission(sent, "en.json", prompt_sets=sets)
    assert report.submission is not None
    assert [(one.path, one.item, one.message) for one in report.problems if one.code == "question_not_registered"] == [
        ("$.questions[1]", "13", "question 13 says something else than the registered question of its number"),
        ("$.questions[2]", "14", "question 14 is not registered in en"),
        ("$.questions[3]", "15", "question 15 is not registered in en"),
    ]
    bare = check_submission(sent, "en.json", prompt_sets=bare_sets)
    assert "question_not_registered" not in {one.code for one in bare.problems}
