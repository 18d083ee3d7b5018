"""What the desk says of a file of recommender answers."""

from __future__ import annotations

import json

from leaderboard.desk.checked_file import held_table, preview_value
from leaderboard.desk.submit_screen import BLANK, NAMES, decision_notice, missing_names
from submissions.check import CheckReport, check_submission
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import (
    HUMAN,
    SETS,
    dialogue,
    document,
    file_of,
)


def checked(data: bytes) -> CheckReport:
    return check_submission(data, "made.json", prompt_sets=SETS)


def test_the_preview_says_what_would_be_scored_and_among_whom() -> None:
    value = preview_value(checked(file_of(18)))
    assert value is not None
    facts = {fact["name"]: fact["text"] for fact in value["facts"]}
    assert facts["Dialogues"] == "24, of which 24 have two turns or more; a rank needs 20"
    assert facts["Turns"].startswith("96, of which 72 are scored")
    assert facts["Strategies"].endswith("ranked among annotated systems")
    assert facts["Work"] == "no judgements: up to 100 sentences are read by the estimator"  # 96 of the human, 4
    assert value["flags"] == []
    assert value["rows"][0] == [
        "d00",
        "1",
        "About d00, what do you like to read on a train?",
        "Which kind of novel do you enjoy?",
        "opinion inquiry / opinion inquiry",
    ]
    assert len(value["rows"]) == 5


def test_missing_labels_and_copies_are_told_before_submitting() -> None:
    bare = preview_value(checked(file_of(18, labels=False)))
    assert bare is not None
    strategies = next(fact["text"] for fact in bare["facts"] if fact["name"] == "Strategies")
    assert strategies.startswith("0 of 72 scored turns are annotated on both sides")
    assert bare["rows"][0][4] == "not annotated / not annotated"
    parrot = preview_value(checked(file_of(24, copies=True)))
    assert parrot is not None
    assert parrot["flags"] == [
        "100% of the longer answers hold the human's words whole or nearly (copied_human_text): not ranked"
    ]


def test_the_strategies_of_both_sides_are_counted_over_scored_turns() -> None:
    table = held_table(checked(document([dialogue("one", HUMAN), dialogue("two", ("credibility",) * 4)])))
    assert table is not None
    assert [[cell["text"] for cell in row["cells"]] for row in table["rows"]] == [
        ["credibility", "2", "4"],  # turn 3 of both; turn 3 of one, turns 2 to 4 of two
        ["encouragement", "2", "1"],
        ["experience inquiry", "2", "1"],
    ]


def test_the_decision_says_what_was_read_and_names_are_asked_for() -> None:
    bare = json.loads(file_of(2, size=3))
    del bare["team"]
    report = checked(json.dumps(bare).encode())
    asked = missing_names(report, BLANK)
    assert asked is not None
    assert asked["title"] == f"Please fill in: {', '.join(NAMES)}."
    said = decision_notice(checked(file_of(2, size=3)))
    assert said["lines"][0].startswith("Read as recommender answers: 3 dialogues, 12 turns, 9 of 9 scored turns")
    assert preview_value(checked(b'{"kind": "crs_responses", "dialogues": []}')) is None
