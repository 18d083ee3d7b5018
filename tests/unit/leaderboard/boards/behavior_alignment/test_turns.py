"""One recommender turn by turn, and one dialogue with its texts."""

from __future__ import annotations

import json

import pytest

from leaderboard.boards.behavior_alignment.charts import TURN_CHARTS
from leaderboard.boards.behavior_alignment.dialogues import dialogue_value, stored_dialogue
from leaderboard.boards.behavior_alignment.turns import alignment_by_turn, confusion, dialogue_rows
from leaderboard.parts.drawing import LIGHT, NothingToShow
from submissions.schema import Names
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import (
    HUMAN,
    SETS,
    dialogue,
    document,
    file_of,
    read,
    scored,
)

MIXED = document(
    [
        dialogue("all", HUMAN),
        dialogue("none", ("credibility", "encouragement", "encouragement", "credibility")),
        dialogue("one", ("credibility", "encouragement", "credibility", "credibility")),
    ]
)
"""Hits at turns 2 to 4: all, none, and turn 3."""


def test_the_confusion_counts_scored_turns_by_both_labels() -> None:
    found = confusion(scored(MIXED))
    assert found is not None
    assert found.labels == ("credibility", "encouragement", "experience_inquiry")  # in the order of the strategies
    assert found.counts == {
        ("experience_inquiry", "experience_inquiry"): 1,
        ("experience_inquiry", "encouragement"): 2,
        ("credibility", "credibility"): 2,
        ("credibility", "encouragement"): 1,
        ("encouragement", "encouragement"): 1,
        ("encouragement", "credibility"): 2,
    }
    assert confusion(scored(file_of(3, labels=False))) is None


def test_alignment_by_turn_is_over_the_dialogues_that_have_it() -> None:
    short = dialogue("short", HUMAN)
    short["turns"] = short["turns"][:2]
    found = alignment_by_turn(scored(document([*json.loads(MIXED)["dialogues"], short])))
    assert {number: (value.value, value.n) for number, value in found.items()} == {
        2: (2 / 4, 4),  # all and short
        3: (2 / 3, 3),
        4: (1 / 3, 3),
    }
    assert found[2].low is None  # fewer than five dialogues


def test_dialogues_are_listed_the_least_aligned_first_under_fixed_numbers() -> None:
    rows = dialogue_rows(scored(MIXED))
    assert [(row.dialogue, row.id, row.hits, row.turns) for row in rows] == [
        ("none", "2", 0, 3),
        ("one", "3", 1, 3),
        ("all", "1", 3, 3),
    ]
    assert [round(row.share, 2) for row in rows] == [0.0, 0.33, 1.0]


def test_a_dialogue_shows_both_answers_their_strategies_and_the_verdict() -> None:
    result, stored = scored(MIXED), stored_dialogue(MIXED, "made.json", Names(), SETS, "one")
    assert stored is not None
    value = dialogue_value(result, stored)
    assert (value["title"], value["sentence"]) == (
        "Dialogue one",
        "The system chooses the strategy of the human in 1 of 3 scored turns.",
    )
    assert [turn["verdict"] for turn in value["turns"]] == [
        "not scored: any opening is as good as another",
        "miss",
        "hit",
        "miss",
    ]
    assert [turn["style"] for turn in value["turns"]] == ["unscored", "miss", "hit", "miss"]
    third = value["turns"][2]
    assert third["said"] == ["Well, says one at 2."]  # since the turn before
    human, system = third["answers"]
    assert human["text"] == "About one, it won two prizes in the spring."
    assert human["chips"] == [{"text": "credibility", "is_label": True}]
    assert human["recommends"] == "recommends an item"
    assert system["recommends"] == ""
    place = list(zip(result.per_turn.dialogue, result.per_turn.turn, strict=True)).index(("one", 3))
    assert result.implicit is not None
    assert third["similarity"].startswith(f"similarity {result.per_turn.s[place]:.2f}")
    assert f"the threshold of {result.implicit.threshold:.2f}" in third["similarity"]


def test_the_sentence_that_gives_a_turn_its_label_stands_out() -> None:
    one = dialogue("one", HUMAN)
    one["turns"][1] |= {
        "human_response": ["Fine.", "I liked it.", "Well."],
        "human_strategy": ["acknowledgment", "personal_opinion", "no_strategy"],
        "system_response": "",
        "system_strategy": "no_strategy",
    }
    data = document([one])
    stored = stored_dialogue(data, "made.json", Names(), SETS, "one")
    assert stored is not None
    turn = dialogue_value(scored(data), stored)["turns"][1]
    assert [(chip["text"], chip["is_label"]) for chip in turn["answers"][0]["chips"]] == [
        ("acknowledgment", False),
        ("personal opinion", True),
        ("no strategy", False),
    ]
    assert turn["answers"][1]["text"] == ""
    assert turn["similarity"] == "nothing said, so different (estimated)"


def test_an_estimated_verdict_says_so() -> None:
    data = file_of(1, size=2, labels=False)
    stored = stored_dialogue(data, "made.json", Names(), SETS, "d00")
    assert stored is not None
    value = dialogue_value(scored(data), stored)
    assert value["sentence"].endswith(", estimated from its words.")
    assert all(turn["verdict"].endswith("(estimated)") for turn in value["turns"][1:])
    assert value["turns"][1]["answers"][0]["chips"] == [{"text": "not annotated", "is_label": False}]


def test_a_dialogue_the_file_does_not_hold_is_none() -> None:
    assert stored_dialogue(MIXED, "made.json", Names(), SETS, "nobody") is None


def test_names_from_the_form_are_needed_to_read_the_file_again() -> None:
    bare = json.loads(MIXED)
    del bare["team"]
    data = json.dumps(bare).encode()
    assert stored_dialogue(data, "made.json", Names(team="Aurora"), SETS, "one") is not None
    assert read(data, Names(team="Aurora")).names.team == "Aurora"


def test_every_chart_has_the_numbers_it_draws() -> None:
    result = scored(MIXED)
    by_key = {chart.key: chart for chart in TURN_CHARTS}
    heat = by_key["confusion"].figure(result, LIGHT).data[0]
    assert [list(line) for line in heat.z] == [[2, 1, 0], [2, 1, 0], [0, 2, 1]]
    named = by_key["confusion"].figure(result, LIGHT).layout
    assert list(named.yaxis.ticktext) == ["1 credibility", "2 encouragement", "3 experience inquiry"]
    assert list(named.xaxis.ticktext) == ["1", "2", "3"]
    table = by_key["confusion"].table(result).value("x")
    assert [[cell["text"] for cell in row["cells"]] for row in table["rows"]] == [
        ["credibility", "2", "1", "0"],
        ["encouragement", "2", "1", "0"],
        ["experience inquiry", "0", "2", "1"],
    ]
    line = by_key["by-turn"].figure(result, LIGHT).data[0]
    assert (list(line.x), list(line.y)) == ([2, 3, 4], [1 / 3, 2 / 3, 1 / 3])


def test_a_chart_without_labels_says_why_it_is_empty() -> None:
    result = scored(file_of(2, size=3, labels=False))
    with pytest.raises(NothingToShow, match="no turn has the strategies of both sides"):
        TURN_CHARTS[0].figure(result, LIGHT)
    assert TURN_CHARTS[0].table(result).rows == ()
    assert TURN_CHARTS[1].figure(result, LIGHT).layout.yaxis.title.text == "counted as same (estimated)"
