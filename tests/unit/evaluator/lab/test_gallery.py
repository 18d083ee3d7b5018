"""Where preferences broke an answer: which answers of the recorded run, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.lab.gallery import recorded_gallery
from evaluator.lab.replay import ReplayLibrary
from submissions.promptsets import PromptSets
from submissions.store.store import Store
from tests.unit.leaderboard.boards.personalization.made_personalization import (
    OTHER,
    Row,
    answered,
    control,
    document,
    large_file,
    put_into,
    row,
    saying,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield opened
    opened.close()


def library(store: Store) -> ReplayLibrary:
    return ReplayLibrary(store, PromptSets.load(None))


def both(example: str, *, naive: bool, aligner: bool, setting: str = "relevant") -> list[Row]:
    """Answers of both methods under the same preference."""
    preferences, relevant = ([OTHER], None) if setting == "irrelevant" else (["I like short answers."], 0)
    shared = {"draft": saying(True), "aligner_raw": '{"response": "R"}', "fallback": False}
    return [
        row(example, setting, "naive", preferences, relevant, response_with_preference=saying(naive, 5)),
        row(
            example, setting, "pref_aligner", preferences, relevant,
            response_with_preference=saying(aligner, 5), **shared,
        ),
    ]  # fmt: skip


def test_it_has_what_was_right_without_preferences_and_wrong_with_the_held_first(store: Store) -> None:
    rows = [
        *(control(f"q{number}", saying(number != 5)) for number in range(1, 6)),
        *both("q1", naive=False, aligner=False),  # both lost it
        *both("q2", naive=True, aligner=True),  # nobody did
        *both("q3", naive=False, aligner=True),  # held, under a relevant preference
        *both("q4", naive=False, aligner=True, setting="irrelevant"),  # held, and no rating is needed to say so
        *both("q5", naive=False, aligner=True),  # the control was wrong: nothing to break
    ]
    put_into(store, document(rows), role="recorded")
    gallery = recorded_gallery(library(store))
    assert gallery is not None
    assert [(one.example.example_id, one.is_held) for one in gallery.breakages] == [
        ("q4", True),
        ("q3", True),
        ("q1", False),
    ]
    assert gallery.n_right == 4  # q1 to q4
    first = gallery.breakages[0]
    assert (first.question, first.gold, first.letter) == ("Which colour has flag q4?", "A", "B")
    assert (first.relevant_preference, gallery.breakages[1].relevant_preference) == (None, "I like short answers.")


def test_a_draft_kept_because_the_reply_was_unreadable_is_not_held(store: Store) -> None:
    rows = [*(control(f"q{number}", saying(True)) for number in range(1, 4))]
    for number, raw in ((1, "I would leave it."), (2, None), (3, '{"response": "R"}')):
        naive, aligner = both(f"q{number}", naive=False, aligner=True)
        rows += [naive, {**aligner, "aligner_raw": raw, "fallback": raw is None}]
    put_into(store, document(rows), role="recorded")
    gallery = recorded_gallery(library(store))
    assert gallery is not None
    found = [(one.example.example_id, one.is_held, one.is_aligner_failed) for one in gallery.breakages]
    assert found == [("q3", True, False), ("q1", False, True), ("q2", False, True)]


def test_a_teams_submission_is_no_gallery_and_neither_is_one_method_alone(store: Store) -> None:
    assert recorded_gallery(library(store)) is None
    put_into(store, large_file(lost=2, ignored=0, aligner_lost=1, size=3))
    assert recorded_gallery(library(store)) is None
    put_into(store, document([control("q1", saying(True)), answered("q1", saying(False))]), role="recorded")
    assert recorded_gallery(library(store)) is None
