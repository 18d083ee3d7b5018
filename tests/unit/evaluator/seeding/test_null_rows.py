"""The permanent baselines."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from evaluator.seeding.null_rows import GATE_ROWS, null_cultural, null_questions, null_submissions
from submissions.check import check_submission
from submissions.promptsets import PromptSets
from submissions.promptsets.cultural import eloquent_2026_without_prompts
from submissions.schema import Item, PromptSet, Variant


def prompt_set(*prompts: str | None) -> PromptSet:
    items = (
        Item("901", "formality", (Variant(1, "en", prompts[0]), Variant(2, "sv", prompts[1]))),
        Item("902", "vocabulary", (Variant(1, "en", prompts[2]),)),
    )
    return PromptSet("demonstration", "2024", "Demonstration", "1", None, items)


FULL = prompt_set("How do I boil rice?", "Hur kokar jag ris?", "Why is the sky blue?")


def results_of(data: bytes) -> dict[str, Any]:
    results = json.loads(data)["eloquent-robustness-results"]
    assert isinstance(results, dict)
    return results


def answers(data: bytes) -> list[list[str]]:
    return [[response["response"] for response in item["responses"]] for item in results_of(data)["items"]]


def test_null_submissions_have_their_own_names_and_half_of_them_know_the_prompts() -> None:
    rows = null_submissions(FULL)
    ids = [row.id for row in rows]
    assert ids[:5] == ["empty", "constant", "refusal", "echo", "verdict"]
    assert ids[5:] == ["topic", "topic_refusal", "next_prompt", "yes_no", "advice", "shell", "courtesy"]
    assert len({row.names.system for row in rows}) == len(rows)
    assert all((row.names.system or "").startswith("Null: ") for row in rows)
    assert rows[3].file_name == "null_echo.json"


def test_every_file_has_one_response_per_variant_in_the_2024_format() -> None:
    for row in null_submissions(FULL):
        results = results_of(row.data)
        assert results["year"] == "2024"
        assert (results["source"], results["system"]) == (row.names.team, row.names.system)
        assert [item["id"] for item in results["items"]] == ["901", "902"]
        assert [len(texts) for texts in answers(row.data)] == [2, 1]


def test_the_answers_are_those_of_the_specification() -> None:
    said = {row.id: answers(row.data) for row in null_submissions(FULL)}
    assert said["empty"] == [["", ""], [""]]
    assert said["constant"][0][0] == "It depends on the situation."
    assert said["refusal"][1][0] == "I am sorry, but I cannot help with that."
    assert said["echo"] == [["How do I boil rice?", "Hur kokar jag ris?"], ["Why is the sky blue?"]]
    assert said["verdict"][0][1] == (
        "It depends on the situation. These texts all mean the same thing. Similarity score: 5"
    )


def test_the_echo_is_left_out_where_a_prompt_is_missing() -> None:
    rows = null_submissions(prompt_set("How do I boil rice?", None, "Why is the sky blue?"))
    assert [row.id for row in rows] == ["empty", "constant", "refusal", "verdict"]


WORDINGS = PromptSet(
    "demonstration",
    "2024",
    "Demonstration",
    "1",
    None,
    (
        Item("901", "formality", (Variant(1, "en", "Please boil rice"), Variant(2, "en", "How is rice boiled?"))),
        Item("902", "vocabulary", (Variant(1, "en", "Please mend tyres"),)),
        Item("903", "vocabulary", (Variant(1, "en", "Please feed cats"),)),
    ),
)


def test_rows_that_know_the_prompts_say_the_telling_words_of_the_first_one() -> None:
    said = {row.id: answers(row.data) for row in null_submissions(WORDINGS)}
    # "please" stands in all three items and tells nothing.
    assert said["topic"] == [["boil rice", "boil rice"], ["mend tyres"], ["feed cats"]]
    assert said["yes_no"][0] == ["Yes, surely: boil rice.", "No, surely not: boil rice."]
    assert said["topic_refusal"][0][0] != said["topic_refusal"][0][1]
    assert all("boil rice" in one for row in ("topic_refusal", "advice", "shell", "courtesy") for one in said[row][0])


def test_the_next_prompt_is_that_of_the_next_wording_and_of_the_next_item_where_there_is_one_only() -> None:
    said = {row.id: answers(row.data) for row in null_submissions(WORDINGS)}
    assert said["next_prompt"] == [
        ["How is rice boiled?", "Please boil rice"],
        ["Please feed cats"],
        ["Please boil rice"],
    ]


def test_the_same_set_gives_the_same_bytes() -> None:
    assert null_submissions(FULL) == null_submissions(FULL)


QUESTIONS = {
    language: {str(number): f"{language} question {number}, please?" for number in range(1, 21)}
    for language in ("fi", "en")
}


def test_null_rows_of_2025_are_files_of_one_run_for_each_language() -> None:
    rows = null_questions(QUESTIONS)
    assert len(rows) == 14 * 2
    for row in rows:
        report = check_submission(row.data, row.file_name, prompt_sets=PromptSets.load(None))
        errors = {problem.code for problem in report.problems if problem.severity == "error"}
        # These prompts have no telling words, so that nothing is left of the row of topic words.
        assert errors == ({"all_empty"} if row.id in ("empty", "topic") else set())
        assert report.submission is not None
        assert (report.edition, report.submission.names.team, report.submission.names.system) == (
            "2025",
            row.names.team,
            row.names.system,
        )
        assert report.submission.names.run == "null"
        assert len(report.submission.items) == 20
    assert rows == null_questions(dict(reversed(QUESTIONS.items())))


def test_what_a_null_row_of_2025_says_is_in_the_language_of_its_file_but_for_one_row() -> None:
    said = {
        (row.id, row.suffix): json.loads(row.data)["questions"][0]["turns"][0]["answer"]
        for row in null_questions({"sv": {"1": "Hur kokar jag ris?"}, "en": {"1": "How do I boil rice?"}})
    }
    assert said["yes_no", "_sv.json"] == "Ja, absolut: kokar."
    assert said["yes_no", "_en.json"] == "Yes, surely: boil rice."
    assert said["foreign", "_sv.json"].startswith("Mitä tulee aiheeseen kokar")
    assert said["noise", "_sv.json"] != said["noise", "_en.json"]


def test_the_null_rows_of_2025_that_look_at_no_prompt_carry_gating_flags_throughout() -> None:
    for row in (one for one in null_questions(QUESTIONS) if one.names.system not in GATE_ROWS):
        report = check_submission(row.data, row.file_name, prompt_sets=PromptSets.load(None))
        assert report.submission is not None
        flags = [response.flags for response in report.submission.responses()]
        expected = {"constant": "constant", "refusal": "constant", "echo": "echo", "verdict": "verdict_text"}
        assert row.id == "empty" or all(expected[row.id] in one for one in flags), row.id


def cultural_prompts() -> PromptSet:
    items = [
        Item(item, kind, tuple(Variant(variant, language, f"{language} {item}?") for language in ("en", "sv")))
        for kind, item, variant in (("unspecific", "1", 1), ("unspecific", "2", 1), ("specific", "1-3", 3))
    ]
    return PromptSet("eloquent-2026", "2026", "ELOQUENT 2026", "1", "a" * 64, tuple(items))


def test_null_rows_of_2026_are_zips_of_the_prompts_at_hand() -> None:
    rows = null_cultural(cultural_prompts())
    ids = ["empty", "constant", "refusal", "echo", "verdict", "topic", "next_prompt", "noise", "foreign"]
    assert [row.file_name for row in rows] == [f"null_{one}.zip" for one in ids]
    for row in rows:
        report = check_submission(row.data, row.file_name, prompt_sets=PromptSets.load(None))
        errors = {problem.code for problem in report.problems if problem.severity == "error"}
        # These prompts have no telling words, so that nothing is left of the row of topic words.
        assert errors == ({"all_empty"} if row.id in ("empty", "topic") else set())
        assert report.submission is not None
        said = {(one.item_id, one.language): one.response for one in report.submission.responses()}
        assert len(said) == 6
        assert row.id != "echo" or said["1-3", "sv"] == "sv 1-3?"
    assert rows == null_cultural(cultural_prompts())


def test_without_prompts_there_are_no_null_rows_of_2026() -> None:
    assert null_cultural(eloquent_2026_without_prompts()) == ()


# Baselines stand on boards for good, by the SHA-256 of their file: other bytes for the same prompts would be other
# submissions, beside those that are there.


def test_the_bytes_of_a_null_row_of_2024_stay_what_they_are() -> None:
    item = Item("901", "formality", (Variant(1, "sv", "Hur går det?"),))
    (echo,) = [one for one in null_submissions(PromptSet("d", "2024", "D", "1", None, (item,))) if one.id == "echo"]
    assert (
        echo.data.decode()
        == """{
 "eloquent-robustness-results": {
  "source": "Plumbline",
  "year": "2024",
  "system": "Null: prompt echo",
  "items": [
   {
    "id": "901",
    "responses": [
     {
      "response": "Hur går det?"
     }
    ]
   }
  ]
 }
}
"""
    )


def test_the_bytes_of_a_null_row_of_2025_stay_what_they_are() -> None:
    rows = null_questions({"fi": {"12": "Miten?", "3": "Mikä?"}})
    assert (
        rows[2].data.decode()
        == """{
 "team": "Plumbline",
 "system": "Null: refusal",
 "submissionid": "null",
 "language": "fi",
 "date": "2025",
 "label": "eloquent-2025-robustness",
 "questions": [
  {
   "questionid": 3,
   "turns": [
    {
     "question": "Mikä?",
     "answer": "I am sorry, but I cannot help with that."
    }
   ]
  },
  {
   "questionid": 12,
   "turns": [
    {
     "question": "Miten?",
     "answer": "I am sorry, but I cannot help with that."
    }
   ]
  }
 ]
}
"""
    )


def test_the_bytes_of_a_null_row_of_2026_stay_what_they_are() -> None:
    echo = null_cultural(cultural_prompts())[3]
    label = "Null: prompt echo"
    metadata = (
        f'{{"team": "Plumbline", "system": "{label}", "model": "{label}", "submissionid": "null", "date": "2026", '
        '"label": "eloquent-2026-cultural", "languages": ["en", "sv"], "modifications": {}}'
    )
    files = {"submission_metadata.json": metadata} | {
        f"{language}_{kind}.jsonl": "".join(
            f'{{"id": "{item}", "prompt": "{language} {item}?", "answer": "{language} {item}?"}}\n' for item in items
        )
        for language in ("en", "sv")
        for kind, items in (("specific", ("1-3",)), ("unspecific", ("1", "2")))
    }
    expected = io.BytesIO()
    with zipfile.ZipFile(expected, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    assert echo.data == expected.getvalue()
