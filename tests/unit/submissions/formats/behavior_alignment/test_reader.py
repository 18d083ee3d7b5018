"""Files of recommender answers: what is accepted, and every fault at its place."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from submissions.__main__ import main
from submissions.formats.behavior_alignment import dialogues as crs_dialogues
from submissions.formats.behavior_alignment.reader import CrsReading
from submissions.formats.behavior_alignment.submission import STRATEGIES, TURN_LABELS, coverage_of_dialogues
from submissions.formats.behavior_alignment.template import crs_responses_template
from submissions.problem_codes import CRS_CODES
from submissions.reading.limits import Limits
from tests.readings import read_as, recommender
from tests.unit.submissions.formats.behavior_alignment.dialogue_files import Document, checked, good_document, turn

DOCS = Path(__file__).parents[5] / "docs" / "behavior_alignment.md"

Change = Callable[[Document], object]


def first_turn(document: Document, number: int = 1) -> Document:
    """A turn of the first dialogue."""
    found: Document = document["dialogues"][0]["turns"][number - 1]
    return found


FAULTS: dict[str, tuple[str, Change, str]] = {
    # name: code and path, the change, a word of the message or hint
    "no list": ("no_dialogues dialogues", lambda d: d.update(dialogues={}), "an empty object"),
    "no dialogue": ("no_dialogues dialogues", lambda d: d.update(dialogues=[]), "an empty list"),
    "not an object": ("missing_field dialogues[1]", lambda d: d["dialogues"].__setitem__(1, 7), "number 7"),
    "no id": ("missing_field dialogues[0].dialogue_id", lambda d: d["dialogues"][0].pop("dialogue_id"), "missing"),
    "blank id": (
        "missing_field dialogues[0].dialogue_id",
        lambda d: d["dialogues"][0].update(dialogue_id=" "),
        "blank",
    ),
    "same id": (
        "duplicate_dialogue dialogues[1].dialogue_id",
        lambda d: d["dialogues"][1].update(dialogue_id=" bakery "),
        "dialogues[0]",
    ),
    "no turns": ("no_turns dialogues[1].turns", lambda d: d["dialogues"][1].update(turns=[]), "empty list"),
    "turn no object": (
        "missing_field dialogues[0].turns[0]",
        lambda d: d["dialogues"][0]["turns"].__setitem__(0, []),
        "",
    ),
    "gap": ("turn_numbering dialogues[0].turns", lambda d: first_turn(d, 3).update(turn=4), "missing 3"),
    "repeated": ("turn_numbering dialogues[0].turns", lambda d: first_turn(d, 3).update(turn=2), "repeated 2"),
    "from 0": ("turn_numbering dialogues[0].turns", lambda d: first_turn(d, 3).update(turn=0), "out of range 0"),
    "huge": ("turn_numbering dialogues[0].turns", lambda d: first_turn(d, 3).update(turn=10**18), "1000000000"),
    "text number": ("missing_field dialogues[0].turns[1].turn", lambda d: first_turn(d, 2).update(turn="2"), "whole"),
    "true number": ("missing_field dialogues[0].turns[0].turn", lambda d: first_turn(d).update(turn=True), "whole"),
    "no context": ("missing_field dialogues[0].turns[0].context", lambda d: first_turn(d).pop("context"), "missing"),
    "utterance": (
        "missing_field dialogues[0].turns[1].context[0]",
        lambda d: first_turn(d, 2).update(context=["Hello"]),
        "role and text",
    ),
    "no role": (
        "missing_field dialogues[0].turns[1].context[1].role",
        lambda d: first_turn(d, 2)["context"][1].pop("role"),
        "seeker",
    ),
    "role": (
        "unknown_role dialogues[0].turns[1].context[0].role",
        lambda d: first_turn(d, 2)["context"][0].update(role="narrator"),
        "narrator",
    ),
    "no words": (
        "missing_field dialogues[0].turns[1].context[0].text",
        lambda d: first_turn(d, 2)["context"][0].update(text=None),
        "null",
    ),
    "human blank": (
        "empty_text dialogues[0].turns[0].human_response",
        lambda d: first_turn(d).update(human_response=["", " "]),
        "blank",
    ),
    "no sentence": (
        "empty_text dialogues[0].turns[0].human_response",
        lambda d: first_turn(d).update(human_response=[]),
        "blank",
    ),
    "no answer": (
        "missing_field dialogues[0].turns[0].system_response",
        lambda d: first_turn(d).pop("system_response"),
        "missing",
    ),
    "sentence null": (
        "missing_field dialogues[0].turns[1].human_response[1]",
        lambda d: first_turn(d, 2)["human_response"].__setitem__(1, None),
        "null",
    ),
    "long": (
        "response_too_long dialogues[0].turns[0].system_response",
        lambda d: first_turn(d).update(system_response="x" * (Limits().response_characters + 1)),
        "65,537",
    ),
    "strategy": (
        "unknown_strategy dialogues[0].turns[0].human_strategy",
        lambda d: first_turn(d).update(human_strategy="opinion inquiries"),
        '"opinion_inquiry"',
    ),
    "in a list": (
        "unknown_strategy dialogues[0].turns[1].human_strategy[1]",
        lambda d: first_turn(d, 2)["human_strategy"].__setitem__(1, "fame"),
        "fame",
    ),
    "null in a list": (
        "missing_field dialogues[0].turns[1].human_strategy[0]",
        lambda d: first_turn(d, 2)["human_strategy"].__setitem__(0, None),
        "null",
    ),
    "strategy number": (
        "missing_field dialogues[0].turns[0].system_strategy",
        lambda d: first_turn(d).update(system_strategy=3),
        "number 3",
    ),
    "no strategies": (
        "empty_strategy_list dialogues[0].turns[0].human_strategy",
        lambda d: first_turn(d).update(human_strategy=[]),
        "not annotated",
    ),
    "count": (
        "strategy_count dialogues[0].turns[1].human_strategy",
        lambda d: first_turn(d, 2).update(human_strategy=["similarity"]),
        "1 strategies for 2 sentences",
    ),
    "mark": (
        "missing_field dialogues[0].turns[0].human_recommends",
        lambda d: first_turn(d).update(human_recommends="yes"),
        "true, false, null",
    ),
    "success": (
        "missing_field dialogues[0].system_success",
        lambda d: d["dialogues"][0].update(system_success=1),
        "true, false, null",
    ),
    "no team": ("envelope_field team", lambda d: d.pop("team"), "missing"),
    "date": ("envelope_field date", lambda d: d.update(date="20.11.2026"), "YYYY-MM-DD"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_at_its_place(name: str) -> None:
    where, change, word = FAULTS[name]
    document = good_document()
    change(document)
    report = checked(document)
    assert [f"{problem.code} {problem.path}" for problem in report.problems if problem.severity == "error"] == [where]
    assert word in f"{report.problems[0].message} {report.problems[0].hint}"
    assert report.problems[0].line == 1
    assert (report.decision, report.kind, report.entry) == ("refused", "crs_responses", None)


def test_every_code_of_this_kind_has_such_a_file() -> None:
    shown = {where.split()[0] for where, _, _ in FAULTS.values()}
    assert set(CRS_CODES) - shown == {"context_differs"}  # a warning, below


def test_all_faults_are_told_at_once() -> None:
    document = good_document()
    for _, change, _ in (FAULTS["role"], FAULTS["strategy"], FAULTS["success"], FAULTS["no team"]):
        change(document)
    first_turn(document, 3)["human_response"] = 7
    document["dialogues"].append({"dialogue_id": "garden"})
    assert [f"{problem.code} {problem.path}" for problem in checked(document).problems] == [
        "envelope_field team",
        "missing_field dialogues[0].system_success",
        "unknown_strategy dialogues[0].turns[0].human_strategy",
        "unknown_role dialogues[0].turns[1].context[0].role",
        "missing_field dialogues[0].turns[2].human_response",
        "duplicate_dialogue dialogues[2].dialogue_id",
        "no_turns dialogues[2].turns",
    ]


def test_a_value_that_json_should_not_hold_is_told_where_it_stands() -> None:
    text = json.dumps(good_document()).replace('"Do try it!"', '"Do \\ud83d try"').replace('"garden"', "NaN")
    codes = {problem.path: problem.code for problem in checked(text.encode()).problems}
    assert codes == {
        "dialogues[0].turns[2].human_response": "lone_surrogate",
        "dialogues[1].dialogue_id": "json_nan",
    }


def test_a_good_file_is_read_as_it_stands() -> None:
    report = checked(good_document())
    assert (report.decision, report.problems_by_code) == ("accepted", {})
    bakery, garden = recommender(report).dialogues
    assert (bakery.human_success, bakery.system_success, garden.human_success) == (True, None, None)
    second = bakery.turns[1]
    assert (second.human.text, second.human.strategies) == (
        "I bake bread, too. The rye one won a medal.",
        ("similarity", "credibility"),
    )
    assert second.human.sentences == ("I bake bread, too.", "The rye one won a medal.")
    assert [utterance.role for utterance in second.context] == ["recommender", "seeker"]
    assert (second.human.recommends, second.system.recommends) == (None, False)
    assert bakery.turns[2].system.text == ""
    assert garden.turns[1].system.strategies is None
    assert report.entry is recommender(report)
    assert report.as_json()["coverage"] == {}


def test_the_coverage_counts_what_is_scored_and_annotated() -> None:
    report = checked(good_document())
    # Turns 2 and 3 of the bakery and turn 2 of the garden are scored; the last one lacks the system's strategy.
    found = read_as(CrsReading, report).coverage
    assert found is not None
    assert (found.n_dialogues, found.n_turns, found.n_scored_turns, found.n_annotated_turns) == (2, 5, 3, 2)
    assert found == coverage_of_dialogues(read_as(CrsReading, report).dialogues)


def test_the_order_of_dialogues_turns_and_fields_changes_nothing() -> None:
    document = good_document()
    other = {key: document[key] for key in reversed(document)}
    other["dialogues"] = [
        {**{key: one[key] for key in reversed(one)}, "turns": one["turns"][::-1]} for one in document["dialogues"][::-1]
    ]
    first, second = recommender(checked(document)), recommender(checked(other))
    assert first is not None
    assert second is not None
    assert first.dialogues == second.dialogues
    assert first.collection == second.collection


def test_the_collection_is_the_human_side_alone() -> None:
    document = good_document()
    before = read_as(CrsReading, checked(document)).coverage
    first_turn(document, 2)["system_response"] = "Another answer."
    assert read_as(CrsReading, checked(document)).coverage == before
    first_turn(document, 2)["human_response"] = "I bake bread, too.  The rye one won a medal. "
    first_turn(document, 2)["human_strategy"] = "similarity"
    changed = read_as(CrsReading, checked(document)).coverage
    assert before is not None
    assert changed is not None
    assert changed.collection != before.collection  # two blanks between the sentences are another text


@pytest.mark.parametrize("spelling", ["Opinion Inquiry", "OPINION-INQUIRY", " opinion_inquiry ", "opinion  inquiry"])
def test_strategies_are_read_in_any_spelling(spelling: str) -> None:
    document = good_document()
    first_turn(document)["human_strategy"] = spelling
    report = checked(document)
    assert recommender(report).dialogues[0].turns[0].human.strategies == ("opinion_inquiry",)


@pytest.mark.parametrize("role", ["User", "SEEKER", "assistant", "System", "Recommender"])
def test_roles_are_read_in_any_case_and_under_other_names(role: str) -> None:
    document = good_document()
    first_turn(document, 2)["context"].insert(0, {"role": role, "text": "Hm."})
    assert checked(document).decision == "accepted"


def test_left_out_annotations_are_none() -> None:
    document = good_document()
    for one in document["dialogues"]:
        for name in ("human_success", "system_success"):
            one.pop(name, None)
        for member in one["turns"]:
            for name in ("human_strategy", "system_strategy", "human_recommends", "system_recommends"):
                member.pop(name)
    report = checked(document)
    assert report.decision == "accepted"
    assert all(member.human.strategies is None for one in recommender(report).dialogues for member in one.turns)


def test_unknown_fields_are_kept_and_told_once_each() -> None:
    document = good_document()
    document["colour"] = "blue"
    for one in document["dialogues"]:
        for member in one["turns"]:
            member["score"] = 1
    report = checked(document)
    assert report.decision == "accepted_with_warnings"
    assert [problem.path for problem in report.problems] == ["colour", "dialogues[0].turns[0].score"]
    assert "(so 5 times)" in report.problems[1].message


def conversation(n_turns: int, differing: int) -> Document:
    """One dialogue whose first `differing` contexts hold the system's answers instead of the human's."""
    document = good_document()
    said = [f"This is sentence number {number}." for number in range(1, n_turns + 1)]
    document["dialogues"] = [
        {
            "dialogue_id": "long",
            "turns": [
                turn(number, said[number - 1], None, "Ours.", None, ["Ours."] if 2 <= number < differing + 2 else said)
                for number in range(1, n_turns + 1)
            ],
        }
    ]
    return document


def test_contexts_of_another_dialogue_are_told_above_one_in_twenty() -> None:
    # Of 20 turns after the first, 1 is 5 %; 2 are 10 %.
    assert checked(conversation(21, 1)).problems == []
    report = checked(conversation(21, 2))
    assert [(problem.code, problem.path) for problem in report.problems] == [
        ("context_differs", "dialogues[0].turns[1].context")
    ]
    assert "2 of 20 turns" in report.problems[0].message
    assert report.decision == "accepted_with_warnings"


def test_more_dialogues_than_are_read_are_refused() -> None:
    document = good_document()
    small = {"turns": [turn(1, "Hello.", None, "Hi.", None, [])]}
    document["dialogues"] = [{"dialogue_id": f"d{number}", **small} for number in range(5_001)]
    assert [f"{one.code} {one.path}" for one in checked(document).problems] == ["file_too_big dialogues[5000]"]
    document["dialogues"].pop()
    assert checked(document).decision == "accepted"


def test_a_file_of_this_kind_may_be_larger_than_other_json() -> None:
    document = good_document()
    first_turn(document)["context"] = [{"role": "seeker", "text": "long " * 10_000} for _ in range(180)]
    data = json.dumps(document).encode()
    assert len(data) > Limits().json_bytes
    assert checked(data).decision == "accepted"


def test_the_template_is_accepted_once_it_has_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "answers.json")
    assert main(["template", "--set", "recommender_behaviour", "--output", path]) == 0
    assert main(["check", path]) == 1
    names = ["--team", "aurora", "--system", "guide", "--model", "org/m", "--run", "1"]
    capsys.readouterr()
    assert main(["check", path, *names]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("accepted: answers.json (crs_responses)\n")
    assert "1 dialogues, 3 turns, 1 of 2 scored turns annotated" in shown
    assert main(["check", path, *names, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["kind"], report["edition"], report["problems"]) == ("crs_responses", None, [])


def test_there_is_no_answer_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["template", "--set", "recommender_behaviour", "--answer-sheet"])
    assert stopped.value.code == 2
    assert "no answer sheet" in capsys.readouterr().err


def test_the_template_has_no_field_the_reader_does_not_know() -> None:
    document = json.loads(crs_responses_template())
    document.update(team="aurora", system="guide", model="org/m", run="1")
    assert checked(document).problems == []


def test_the_documentation_shows_a_file_that_is_accepted() -> None:
    text = DOCS.read_text("utf-8")
    block = next(block for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if '"crs_responses"' in block)
    assert checked(json.loads(block)).decision == "accepted"


def test_the_documentation_names_every_strategy_and_field() -> None:
    text = DOCS.read_text("utf-8")
    for name in (*TURN_LABELS, *crs_dialogues.DIALOGUE_FIELDS, *crs_dialogues.TURN_FIELDS):
        assert f"`{name}`" in text


def test_there_are_thirteen_strategies() -> None:
    assert len(STRATEGIES) == 13
    assert STRATEGIES[12] == "transparency"


@pytest.mark.parametrize("value", [None, 7, "x", [], [[]], {"turns": {}}, {"dialogue_id": [], "turns": [None]}])
def test_nothing_in_a_dialogue_raises(value: Any) -> None:
    document = good_document()
    document["dialogues"][0] = value
    assert checked(copy.deepcopy(document)).decision == "refused"
