from __future__ import annotations

import json
from collections.abc import Callable

from leaderboard.desk.checked_file import preview_value
from leaderboard.page.services import Services
from submissions.schema import VerdictChoices
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped
from tests.unit.submissions.formats.eloquent.test_edition_2025 import VALID
from tests.unit.submissions.formats.personalization.answer_files import as_json, good_document


def facts_of(value: object) -> dict[str, str]:
    assert isinstance(value, dict)
    return {fact["name"]: fact["text"] for fact in value["facts"]}


def test_answers_are_counted_and_the_work_they_make(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    value = preview_value(services.desk.check(demonstration_file("Team"), "team.json"))
    assert value is not None
    items = services.desk.prompt_sets.demonstration.items
    n_answers = sum(len(item.variants) for item in items)
    counts = [
        sum(variant.language == language for variant in item.variants)
        for item in items
        for language in item.languages()
    ]
    # Every two of n different answers in both orders: n (n - 1).
    work = sum(count * (count - 1) for count in counts)
    facts = facts_of(value)
    assert facts["Answers"] == f"{n_answers} of {n_answers}"
    assert facts["Items"] == f"{len(items)} of {len(items)}"
    assert facts["Work"].startswith(f"up to {work} judgements")
    assert len(value["rows"]) == 5
    assert value["rows"][0][3] == "Answer 0 of Team to item 901."


def test_flags_and_normalisations_are_told_before_submitting(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    document = json.loads(demonstration_file("Team"))
    root = document["eloquent-robustness-results"]
    root["items"][0]["id"] = 901
    root["items"][0]["responses"][0]["response"] = "Error: 503 service unavailable"
    value = preview_value(services.desk.check(json.dumps(document).encode(), "team.json"))
    assert value is not None
    assert any("error messages (error_text)" in flag and flag.startswith("1 of ") for flag in value["flags"])
    assert len(value["normalisations"]) == 1
    assert value["rows"][0][4] == "error_text"


def test_a_refused_file_has_no_preview(services: Services) -> None:
    assert preview_value(services.desk.check(b"{}", "x.json")) is None


def test_verdicts_ask_no_judge_and_show_both_orders(services: Services) -> None:
    data = b"judge,benchmark,task,model,query,order,verdict\nj,own,t,m,1,original,A\nj,own,t,m,1,swapped,B\n"
    report = services.desk.check(data, "v.csv", choices=VerdictChoices(options=2))
    value = preview_value(report)
    assert value is not None
    assert facts_of(value)["Work"].startswith("no judgements")
    assert value["rows"] == [["own", "j", "t", "m", "1", "A", "B"]]


def test_personalized_answers_show_their_first_rows(services: Services) -> None:
    value = preview_value(services.desk.check(as_json(good_document()), "answers.json"))
    assert value is not None
    # Of five rows one stands under a relevant preference and one under a mixed list.
    assert facts_of(value)["Work"].startswith("up to 2 ratings")
    assert value["rows"][1] == ["own", "q1", "relevant", "naive", "3", "B", "Light."]
    assert len(value["rows"]) == 5


def test_a_run_of_2026_is_shown_without_keeping_its_answers(services: Services) -> None:
    report = services.desk.check(zipped(run_files()), "run.zip")
    value = preview_value(report)
    assert value is not None
    facts = facts_of(value)
    # 5 languages with 3 unspecific and 6 specific answers.
    assert facts["Answers"] == "45 of 21,205"
    assert facts["Prompts"] == "unspecific 15 of 505; specific 30 of 20,700"
    assert facts["Languages"] == "5: de, el, en, fi, sv"
    assert value["rows"][0] == ["unspecific", "1", "en", "a 1", "none"]


def test_a_file_of_2025_says_that_its_run_is_scored_as_a_whole(services: Services) -> None:
    value = preview_value(services.desk.check(json.dumps(VALID).encode(), "run.json"))
    assert "all of its files" in facts_of(value)["Work"]
