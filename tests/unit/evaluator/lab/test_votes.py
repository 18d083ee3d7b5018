"""Votes: anonymous, with texts only by consent, kept in memory or in the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from evaluator.judges.scripted import ScriptedJudge
from evaluator.lab.setup import OWN_DATASET, ColumnSetup, LabSetup, own_question
from evaluator.lab.state import ColumnState, LabState, PairwiseState, Pane
from evaluator.lab.votes import (
    Cast,
    MemoryVoteBook,
    StoredVoteBook,
    Vote,
    VoteBook,
    book_agreement,
    new_vote_id,
    vote_on,
    words_shown,
)
from submissions.questionsets import Question
from submissions.store.store import Store

OWN = LabState(
    LabSetup(
        own_question("Is my neighbour Zed right?", ("yes", "no")),
        OWN_DATASET,
        ("Never mention Zed.",),
        0,
        ColumnSetup("small", "naive"),
        ColumnSetup("large", "pref_aligner"),
    ),
    "done",
    a=ColumnState(final="Zed is right."),
    b=ColumnState(final="He is wrong."),
    pairwise=PairwiseState("consistent_b", "B", "A"),
    judge=ScriptedJudge().pin,
)


def test_without_consent_nothing_a_visitor_wrote_is_kept() -> None:
    vote = vote_on(OWN, "b", vote_id="1", voter="x", consent=False)
    assert "Zed" not in json.dumps(asdict(vote))
    assert (vote.example_id, vote.text) == (None, None)
    assert (vote.vote, vote.judged, vote.judge) == ("b", "consistent_b", "- @ word-overlap-1")
    assert (vote.a, vote.b, vote.setting) == ("small, naive", "large, pref_aligner", "relevant")


def test_preferences_are_a_visitors_own_words_on_published_questions_too() -> None:
    shown = replace(OWN, setup=replace(OWN.setup, dataset="demonstration", question=Question("d1", "Q?", (), None)))
    vote = vote_on(shown, "a", vote_id="1", voter="x", consent=False)
    assert vote.example_id == "d1"
    assert "Zed" not in json.dumps(asdict(vote))


def test_with_consent_question_preferences_and_answers_are_kept() -> None:
    vote = vote_on(OWN, "b", vote_id="1", voter="x", consent=True)
    assert json.loads(vote.text or "") == {
        "question": "Is my neighbour Zed right?",
        "options": ["yes", "no"],
        "twin": None,
        "preferences": ["Never mention Zed."],
        "relevant_index": 0,
        "answer_a": "Zed is right.",
        "answer_b": "He is wrong.",
    }


def test_how_a_vote_came_about_is_kept_with_it() -> None:
    vote = vote_on(OWN, "b", vote_id="1", voter="x", consent=False, cast=Cast("b", 4.5, words_shown(OWN)))
    assert (vote.first, vote.seconds, vote.words, vote.is_twin) == ("b", 4.5, 6, False)  # two answers of three words


def test_words_are_counted_while_they_are_written() -> None:
    writing = replace(OWN, a=ColumnState(answer=Pane("writing", "Zed is")), b=ColumnState())
    assert words_shown(writing) == 2


def test_a_vote_from_before_that_was_kept_is_still_read(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    old = asdict(vote_on(OWN, "b", vote_id="1", voter="x", consent=False))
    for key in ("first", "seconds", "words", "is_twin"):
        del old[key]
    store.save_vote("1", json.dumps(old))
    (vote,) = StoredVoteBook(store).votes()
    store.close()
    assert (vote.first, vote.seconds, vote.words, vote.is_twin) == (None, None, None, False)


def test_vote_ids_are_random() -> None:
    assert new_vote_id() != new_vote_id()


@pytest.fixture(params=["memory", "store"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VoteBook]:
    if request.param == "memory":
        yield MemoryVoteBook()
        return
    moments = iter(range(100))
    clock: Callable[[], float] = lambda: float(next(moments))  # noqa: E731
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", clock=clock)
    yield StoredVoteBook(store)
    store.close()


def test_votes_come_back_as_given_and_in_order(book: VoteBook) -> None:
    votes = [vote_on(OWN, "b", vote_id=name, voter="x", consent=name == "2") for name in ("3", "1", "2")]
    for vote in votes:
        book.add(vote)
    assert list(book.votes()) == votes


def test_a_vote_given_before_the_judge_had_spoken_is_completed_in_its_place(book: VoteBook) -> None:
    early = vote_on(replace(OWN, phase="writing", pairwise=PairwiseState()), "b", vote_id="1", voter="x", consent=False)
    other = vote_on(OWN, "a", vote_id="2", voter="y", consent=False)
    late = vote_on(OWN, "b", vote_id="1", voter="x", consent=False)
    for vote in (early, other, late):
        book.add(vote)
    assert list(book.votes()) == [late, other]
    found = book_agreement(book.votes())
    assert (found.n, found.n_agreeing, found.n_without_verdict) == (2, 1, 0)


def test_votes_survive_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'plumbline.db'}"
    vote = vote_on(OWN, "tie", vote_id="1", voter="x", consent=True)
    first = Store.open(url)
    StoredVoteBook(first).add(vote)
    first.close()
    second = Store.open(url)
    found: list[Vote] = list(StoredVoteBook(second).votes())
    second.close()
    assert found == [vote]
