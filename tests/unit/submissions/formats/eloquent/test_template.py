"""Templates: filled in, they are accepted; unfilled, they are refused for being empty."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from submissions.formats.eloquent.template import (
    answer_sheet,
    cultural_languages_at_hand,
    cultural_template,
    question_template,
    submission_template,
)
from submissions.formats.eloquent.writing import submission_file
from submissions.promptsets import PromptSetError, PromptSets
from submissions.promptsets.cultural import eloquent_2025_set
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped
from tests.unit.submissions.formats.eloquent.test_edition_2025 import VALID


def test_an_unfilled_template_is_refused_for_its_placeholder_and_emptiness(check: Any, bare_sets: PromptSets) -> None:
    report = check(submission_template(bare_sets.eloquent_2024))
    errors = sorted(problem.code for problem in report.problems if problem.severity == "error")
    assert errors == ["all_empty", "source_placeholder"]
    assert report.coverage.total.expected == 103


@pytest.mark.parametrize("set_id", ["eloquent-2024", "demonstration"])
def test_a_filled_template_is_accepted(check: Any, bare_sets: PromptSets, set_id: str) -> None:
    document = json.loads(submission_template(bare_sets.by_id(set_id)))
    results = document["eloquent-robustness-results"]
    results["source"] = "aurora"
    for item in results["items"]:
        for response in item["responses"]:
            response["response"] = f"answer {item['id']}"
    report = check(document)
    assert report.decision == "accepted"
    assert report.submission.set_id == set_id


def test_the_answer_sheet_numbers_the_prompts_from_one(bare_sets: PromptSets) -> None:
    sheet = json.loads(answer_sheet(bare_sets.demonstration))
    first = bare_sets.demonstration.items[0]
    assert sheet["items"][0]["id"] == first.id
    assert [variant["n"] for variant in sheet["items"][0]["variants"]] == list(range(1, len(first.variants) + 1))
    assert sheet["items"][0]["variants"][0]["prompt"] == first.variants[0].prompt


def test_without_prompts_there_is_no_answer_sheet(bare_sets: PromptSets) -> None:
    with pytest.raises(PromptSetError, match="PLUMBLINE_ELOQUENT_DIR"):
        answer_sheet(bare_sets.eloquent_2024)


def test_a_template_of_2025_shows_the_form_in_its_language(check: Any) -> None:
    report = check(question_template("sv", eloquent_2025_set()))
    assert report.edition == "2025"
    errors = [(problem.code, problem.path) for problem in report.problems if problem.severity == "error"]
    assert errors == [
        *(("source_placeholder", f"$.{field}") for field in ("team", "system", "model", "submissionid", "date")),
        ("all_empty", "$.questions"),
    ]
    assert {response.language for response in report.submission.responses()} == {"sv"}


def test_a_template_of_2026_has_every_prompt_of_its_languages(check: Any, bare_sets: PromptSets) -> None:
    report = check(cultural_template(bare_sets.eloquent_2026, ("kn", "ua")))
    assert report.edition == "2026"
    codes = {problem.code for problem in report.problems if problem.severity != "note"}
    assert codes == {"source_placeholder", "all_empty", "too_few_languages"}
    # 2 x (101 + 4,140)
    assert report.coverage.total.expected == 8_482


def test_prompts_at_hand_stand_in_a_template_of_2026_and_in_its_sheet(tmp_path: Path) -> None:
    (tmp_path / "sv_unspecific.jsonl").write_text('{"id": "2", "prompt": "Te?"}\n', encoding="utf-8")
    prompts = PromptSets.load(tmp_path).eloquent_2026
    assert cultural_languages_at_hand(prompts) == ("sv",)
    with zipfile.ZipFile(io.BytesIO(cultural_template(prompts, ("sv",)))) as archive:
        rows = [json.loads(line) for line in archive.read("sv_unspecific.jsonl").splitlines()]
    assert rows[:2] == [{"id": "1", "answer": ""}, {"id": "2", "prompt": "Te?", "answer": ""}]
    sheet = json.loads(answer_sheet(prompts))
    assert sheet["items"] == [
        {"id": "2", "variation": "unspecific", "variants": [{"n": 1, "language": "sv", "prompt": "Te?"}]}
    ]


def test_there_is_no_sheet_of_2025_and_none_of_2026_without_prompts(bare_sets: PromptSets) -> None:
    with pytest.raises(PromptSetError, match="not published"):
        answer_sheet(bare_sets.eloquent_2025)
    with pytest.raises(PromptSetError, match="xx_unspecific"):
        answer_sheet(bare_sets.eloquent_2026)


@pytest.mark.parametrize("edition", ["2024", "2025", "2026"])
def test_what_is_read_is_written_again(check: Any, document: Any, edition: str) -> None:
    content = {"2024": json.dumps(document).encode(), "2025": json.dumps(VALID).encode(), "2026": zipped(run_files())}
    read = check(content[edition]).submission
    again = check(submission_file(read)).submission
    assert again.items == read.items
    assert (again.names, again.date, dict(again.modifications)) == (read.names, read.date, dict(read.modifications))


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "sv"])
def test_a_template_of_our_questions_of_2025_holds_them_in_its_language(
    check: Any, bare_sets: PromptSets, language: str
) -> None:
    ours = bare_sets.demonstration_2025
    document = json.loads(question_template(language, ours))
    asked = [question["turns"][0]["question"] for question in document["questions"]]
    assert asked == [one.prompt for item in ours.items for one in item.variants if one.language == language]
    for question in document["questions"]:
        question["turns"][0]["answer"] = f"answer {question['questionid']}"
    named = {"team": "aurora", "system": "a", "model": "m", "submissionid": "1", "date": "2026-11-25"}
    report = check(document | named)
    assert report.decision != "refused"
    assert report.submission.set_id == "demonstration-2025"


def test_our_questions_of_2025_have_no_template_in_another_language(bare_sets: PromptSets) -> None:
    with pytest.raises(PromptSetError, match="no questions in 'fi'; expected one of de, en, es, fr, sv"):
        question_template("fi", bare_sets.demonstration_2025)


def test_a_template_of_our_prompts_of_2026_filled_in_is_enough_for_a_rank(check: Any, bare_sets: PromptSets) -> None:
    ours = bare_sets.demonstration_2026
    template = cultural_template(ours, cultural_languages_at_hand(ours))
    filled = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(template)) as source, zipfile.ZipFile(filled, "w") as target:
        for name in source.namelist():
            text = source.read(name).decode()
            if name.endswith(".jsonl"):
                rows = [json.loads(line) for line in text.splitlines()]
                assert all(one["prompt"] for one in rows)
                text = "".join(json.dumps(one | {"answer": f"answer {one['id']}"}) + "\n" for one in rows)
            else:
                names = {"team": "aurora", "system": "a", "model": "m", "submissionid": "1", "date": "2026-11-25"}
                text = json.dumps(json.loads(text) | names)
            target.writestr(name, text)
    report = check(filled.getvalue())
    assert report.decision != "refused"
    assert report.submission.set_id == "demonstration-2026"
    # Ten open prompts and twenty about a country, in each of five languages.
    assert (report.coverage.total.answered, report.coverage.rankable) == (5 * 30, {"cultural": True})
