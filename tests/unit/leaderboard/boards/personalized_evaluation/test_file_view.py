"""What the desk says of predicted ratings and choices before they are submitted."""

from __future__ import annotations

from typing import Any

from leaderboard.desk.checked_file import held_table, preview_value
from leaderboard.desk.submit_page import KIND_TEMPLATES
from leaderboard.desk.submit_screen import BLANK, decision_notice, missing_names
from submissions.check import CheckReport, check_submission
from submissions.formats.personalized_evaluation.reader import PerseReading
from submissions.formats.personalized_evaluation.submission import PERSE_KINDS
from submissions.promptsets import PromptSets
from tests.readings import read_as
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import (
    choices,
    encoded,
    ratings,
    unanswered,
)

HOSTILE = "<b>x</b>\u202e" + "long " * 60


def checked(document: dict[str, Any]) -> CheckReport:
    return check_submission(encoded(document), "made.json", prompt_sets=PromptSets.load(None))


def facts(document: dict[str, Any]) -> dict[str, str]:
    value = preview_value(checked(document))
    assert value is not None
    return {fact["name"]: fact["text"] for fact in value["facts"]}


def test_answered_files_cost_no_judgement() -> None:
    found = facts(ratings(k=3, missing=[0, 1]))
    assert found["Predictions"] == "22 of 24 items have an answer"
    assert (found["Readers"], found["Reviews shown"]) == ("6", "k = 3")
    assert found["Scale"] == "1 to 10 for predictions, 1 to 10 for what readers gave"
    assert found["Work"].startswith("no judgements")


def test_unanswered_files_say_what_the_judge_is_asked() -> None:
    # Ratings with three reviews are asked in the given order and three others; choices in both orders.
    assert facts(unanswered(ratings(k=3)))["Work"].startswith("96 judgements: no item has an answer")
    assert facts(unanswered(ratings(k=1)))["Work"].startswith("24 judgements")
    assert facts(unanswered(choices()))["Work"].startswith("60 judgements")


def test_first_rows_are_shown_cut_and_with_hidden_characters_written_out() -> None:
    value = preview_value(checked(ratings(changes={0: {"text": HOSTILE, "score": None, "response": "Score: 7"}})))
    assert value is not None
    first = value["rows"][0]
    assert (first[0], first[2], first[4], first[5]) == ("r0t0", "rating", "2", "Score: 7")
    assert "[U+202E]" in first[3]
    assert len(first[3]) < 200
    assert len(value["rows"]) == 5


def test_a_file_of_choices_shows_its_aspects_and_lacking_ones_stand_out() -> None:
    document = choices(flipped=[0])
    document["items"] = [item for item in document["items"] if item["aspect"] != "Ending"]
    document["items"][0]["memorized"] = {"a": True, "b": False}
    held = held_table(checked(document))
    assert held is not None
    cells = {row["id"]: [cell["text"] for cell in row["cells"]] for row in held["rows"]}
    # items, readers, answered, as raw text, in other orders, marked
    assert cells["Interestingness"] == ["Interestingness", "6", "6", "6", "0", "6", "1"]
    assert cells["Ending"] == ["Ending", "0", "0", "0", "0", "0", "0"]
    assert [row["id"] for row in held["rows"] if row["style"]] == ["Ending"]


def test_a_file_of_ratings_is_one_row() -> None:
    held = held_table(checked(ratings(missing=[1])))
    assert held is not None
    (row,) = held["rows"]
    assert [cell["text"] for cell in row["cells"]][1:4] == ["24", "6", "23"]
    assert row["style"] == "incomplete-row"


def test_the_decision_says_what_was_read() -> None:
    said = decision_notice(checked(unanswered(choices())))
    assert said["lines"][0].startswith(
        "Read as predicted choices of 6 readers, k = 1: 30 items, none with an answer, SHA"
    )


def test_names_that_lack_are_asked_for() -> None:
    for document in (ratings(), choices()):
        asked = missing_names(checked(document), BLANK)
        assert asked is not None
        assert asked["title"] == "Please fill in: Team, System, Model, Run."


def test_every_kind_has_a_template_that_the_check_takes_but_for_its_placeholders() -> None:
    for kind in PERSE_KINDS:
        template = KIND_TEMPLATES[kind].text()
        report = check_submission(template.encode(), "template.json", prompt_sets=PromptSets.load(None))
        assert (report.kind, read_as(PerseReading, report).coverage is not None) == (kind, True)


def test_a_refused_file_has_no_preview_and_no_table() -> None:
    report = checked(ratings() | {"k": 9})
    assert (report.decision, preview_value(report), held_table(report)) == ("refused", None, None)
