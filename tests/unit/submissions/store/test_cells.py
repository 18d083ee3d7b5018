"""The cells of a run: every verdict of a result belongs to one, and what nobody judged has none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from submissions.store.cells import cells_of
from submissions.store.verdict_keys import verdict_keys


def group(language: str, *keys: str, variants: tuple[int, ...] = (1, 2)) -> dict[str, Any]:
    pairs = [{"key_ab": ab, "key_ba": ba} for ab, ba in zip(keys[::2], keys[1::2], strict=True)]
    return {"language": language, "pairs": pairs, "responses": [{"variant": variant} for variant in variants]}


def test_an_item_in_a_language_is_a_cell_with_its_group_rating_and_its_comparisons_with_the_reference() -> None:
    english = group("en", "k1", "k2") | {"group_key": "k3"}
    result = {
        "board": "robustness",
        "items": [{"id": "004", "groups": [english, group("sv", "k4", "k5", variants=(3, 4)), group("fi")]}],
        "pairwise": {"records": [{"item": "004", "variant": 4, "key_original": "k6", "key_swapped": "k7"}]},
    }
    cells = cells_of(json.dumps(result))
    assert cells.keys == {"004 en": ("k1", "k2", "k3"), "004 sv": ("k4", "k5", "k6", "k7")}  # nothing asked in Finnish
    assert cells.reason == ""


def test_a_question_is_a_cell_with_both_of_its_turns() -> None:
    question = {"id": "7", "final": group("en, fi", "k1", "k2"), "first_turn": group("en, fi", "k3", "k1")}
    result = {"board": "consistency", "questions": [question]}
    assert cells_of(json.dumps(result)).keys == {"question 7": ("k1", "k2", "k3")}


def test_a_method_on_a_data_set_is_a_cell_of_answers_with_preferences() -> None:
    outcomes = {
        "method": ["plain", "plain", "aligner"],
        "dataset": ["mmlu"] * 3,
        "setting": ["relevant", "irrelevant", "relevant"],
        "letter_key": ["k1", None, "k2"],
        "control_key": ["k0", "k0", None],
        "rating_key": [],
    }
    cells = cells_of(json.dumps({"board": "personalization", "outcomes": outcomes}))
    assert cells.keys == {
        "plain on mmlu, relevant": ("k1", "k0"),
        "plain on mmlu, irrelevant": ("k0",),
        "aligner on mmlu, relevant": ("k2",),
    }


def test_a_reader_is_a_cell_of_predicted_judgments() -> None:
    items = {"reviewer": ["r1", "r2", "r1"]}
    result = {"board": "personalized_evaluation", "ratings": None, "pairs": items, "asked_keys": list("abcdef")}
    # Two questions an item: in both orders.
    assert cells_of(json.dumps(result)).keys == {"reader r1": ("a", "b", "e", "f"), "reader r2": ("c", "d")}


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"board": "cultural", "languages": {}}, "embeddings"),
        ({"board": "behavior"}, "no judge was asked"),
        ({"board": "judges", "judges": []}, "the team's own"),
        ({"board": "judges_by_benchmark", "results": []}, "the team's own"),
        ({"board": "personalized_evaluation", "ratings": {"reviewer": ["r"]}, "pairs": None}, "no judge was asked"),
        ({"board": "robustness", "items": [{"id": "004", "groups": [group("en")]}]}, "no judge was asked"),
        ({}, "nothing of it"),
    ],
)
def test_what_rests_on_no_verdict_of_ours_has_no_cells_and_says_why(result: dict[str, Any], reason: str) -> None:
    cells = cells_of(json.dumps(result))
    assert not cells.keys
    assert reason in cells.reason
    assert verdict_keys(json.dumps(result)) == []
