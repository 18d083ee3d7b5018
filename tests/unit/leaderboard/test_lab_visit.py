from __future__ import annotations

import copy
import random
from dataclasses import replace

import pytest

from evaluator.lab.setup import ColumnSetup, LabSetup, Side, own_question
from evaluator.lab.state import ColumnState, LabState, PairwiseState, Pane, VerdictCard
from leaderboard.lab_visit import Ballot, Visit

SETUP = LabSetup(
    own_question("q", ("y", "n"), "A"),
    "own",
    ("I sail.",),
    None,
    ColumnSetup("m", "naive"),
    ColumnSetup("m", "pref_aligner"),
)
CARD = VerdictCard(
    letter="A",
    letter_rule="leading",
    gold="A",
    correct_without=True,
    correct_with=True,
    in_qstar=True,
    outcome="robust",
)
COLUMN = ColumnState(answer=Pane("done", "A. y", 2), final="A. y", unchanged=True, verdict=CARD)
DONE = LabState(SETUP, "done", a=COLUMN, b=COLUMN, pairwise=PairwiseState("consistent_a", "A", "B"))
WRITING = replace(DONE, phase="writing", pairwise=PairwiseState())


def blind_visit(first: Side = "b") -> Visit:
    visit = Visit()
    visit.begin(is_blind=True, dice=random.Random(0))
    visit.ballot = Ballot(first)
    return visit


def n_counted(visit: Visit) -> int:
    return sum(row.figures["n"] for row in visit.tally.rows())


def test_a_finished_run_is_counted_once_and_a_cancelled_one_never() -> None:
    visit = Visit()
    for last in (DONE, replace(DONE, phase="cancelled"), DONE):
        visit.begin(is_blind=False, dice=random.Random(0))
        visit.take(WRITING)
        visit.take(last)
        visit.end()
    assert n_counted(visit) == 2  # one example in two columns; the repeated run replaces the first


def test_a_run_that_is_closed_before_its_end_is_cancelled() -> None:
    visit = Visit()
    stop = visit.begin(is_blind=False, dice=random.Random(0))
    visit.take(WRITING)
    visit.end()
    assert stop.is_set()
    assert visit.state is not None
    assert visit.state.phase == "cancelled"
    assert visit.runs == []


def test_sides_of_blind_runs_are_shuffled() -> None:
    firsts = set()
    for seed in range(20):
        visit = Visit()
        visit.begin(is_blind=True, dice=random.Random(seed))
        firsts.add(visit.places[0].side)
    assert firsts == {"a", "b"}


def test_names_appear_and_the_run_is_counted_only_after_the_vote() -> None:
    visit = blind_visit()
    visit.take(DONE)
    visit.end()
    assert visit.is_hidden
    assert n_counted(visit) == 0
    visit.cast("first", consent=False)
    assert not visit.is_hidden
    assert visit.places[0].title == "B (Answer 1)"
    assert n_counted(visit) == 2


@pytest.mark.parametrize(
    ("choice", "vote"), [("first", "b"), ("second", "a"), ("tie", "tie"), ("both_bad", "both_bad")]
)
def test_a_vote_on_shuffled_sides_is_turned_back(choice: str, vote: str) -> None:
    visit = blind_visit(first="b")
    ballot = visit.cast(choice, consent=False)
    assert ballot is not None
    assert ballot.vote == vote


def test_a_vote_before_both_finish_is_compared_with_the_verdict_that_comes_later() -> None:
    visit = blind_visit(first="a")
    visit.take(WRITING)
    visit.cast("first", consent=False)
    assert not visit.is_hidden
    assert visit.agreement().n == 0
    visit.take(DONE)
    visit.end()
    assert (visit.agreement().n, visit.agreement().n_agreeing) == (1, 1)


def test_nobody_votes_twice_on_a_run_and_a_skip_is_no_vote() -> None:
    visit = blind_visit()
    assert visit.cast("skip", consent=False) is not None
    assert visit.cast("first", consent=False) is None
    assert visit.ballots == []


@pytest.mark.parametrize("choice", ["", "a", "third", "__class__"])
def test_an_unknown_vote_changes_nothing(choice: str) -> None:
    visit = blind_visit()
    assert visit.cast(choice, consent=True) is None
    assert visit.is_hidden


def test_a_moved_threshold_changes_cards_and_not_the_tally() -> None:
    rated = replace(COLUMN, verdict=replace(CARD, followed=3.5))
    setup = replace(SETUP, relevant_index=0)
    visit = Visit()
    visit.begin(is_blind=False, dice=random.Random(0))
    visit.take(replace(DONE, setup=setup, a=rated, b=rated))
    visit.end()
    before = visit.tally.rows()
    visit.threshold = 4.0
    assert visit.state is not None
    card = visit.state.a.verdict
    assert card is not None
    assert card.outcome == "alignment_failure"
    assert visit.tally.rows() == before


def test_looking_at_an_earlier_run_shows_it_until_the_next_run() -> None:
    visit = Visit()
    visit.replace_runs([DONE])
    visit.look_at(visit.runs[0])
    assert visit.state is DONE
    visit.begin(is_blind=False, dice=random.Random(0))
    assert visit.state is None


def test_a_reset_forgets_what_was_counted() -> None:
    visit = Visit()
    visit.replace_runs([DONE])
    assert n_counted(visit) == 2
    visit.reset()
    assert (n_counted(visit), visit.runs, visit.ballots) == (0, [], [])


def test_every_visitor_begins_with_nothing() -> None:
    visit = Visit()
    visit.replace_runs([DONE])
    assert copy.deepcopy(visit).runs == []
