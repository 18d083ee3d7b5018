from __future__ import annotations

import copy
import random
import threading
from dataclasses import replace

import pytest

from evaluator.lab.setup import ColumnSetup, LabSetup, Side, own_question
from evaluator.lab.state import ColumnState, LabState, PairwiseState, Pane, VerdictCard
from evaluator.lab.votes import Cast
from leaderboard.lab import visit as lab_visit
from leaderboard.lab.visit import Ballot, Visit, Visits

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


def test_a_vote_is_timed_from_the_first_word_on_the_page() -> None:
    moments = iter((10.0, 14.5))
    visit = Visit(clock=lambda: next(moments))
    visit.begin(is_blind=True, dice=random.Random(0))
    visit.ballot = Ballot("b")
    visit.take(replace(DONE, phase="writing", a=ColumnState(), b=ColumnState()))  # nothing to read yet
    visit.take(WRITING)
    visit.take(DONE)
    ballot = visit.cast("first", consent=False)
    assert ballot is not None
    assert ballot.cast == Cast("b", 4.5, 4)  # "A. y" twice
    assert ballot.vote == "b"


def test_a_vote_before_any_word_has_no_time() -> None:
    visit = blind_visit()
    ballot = visit.cast("tie", consent=False)
    assert ballot is not None
    assert ballot.cast == Cast("b", None, 0)


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


# Leaving the lab and coming back

TAB = "1b2c3d4-e5f6a7b-c8d9e0f-a1b2c3d"


def test_whoever_comes_back_finds_their_visit_and_nobody_elses() -> None:
    visits = Visits()
    visit = visits.of(TAB)
    visit.begin(is_blind=False, dice=random.Random(0))
    visit.take(DONE)
    visit.end()
    assert visits.of(TAB) is visit
    assert visits.of(TAB).runs == [DONE]
    assert visits.of(TAB.replace("1", "2")).runs == []


@pytest.mark.parametrize("name", ["", "short", "UPPER-CASE-NAMES-ARE-NOT-OURS", "x" * 61, "../../../../../etc/passwd"])
def test_a_tab_without_a_name_of_its_own_has_a_new_visit_each_time(name: str) -> None:
    visits = Visits()
    assert visits.of(name) is not visits.of(name)


def test_a_run_whose_page_was_left_is_over_when_its_visitor_comes_back() -> None:
    visits = Visits()
    visit = visits.of(TAB)
    stop = visit.begin(is_blind=False, dice=random.Random(0))

    def write() -> None:
        stop.wait()
        visit.end()

    writing = threading.Thread(target=write)
    writing.start()
    assert visits.of(TAB) is visit
    assert not visit.is_running
    writing.join()


def test_a_run_that_does_not_end_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab_visit, "LEFT_WITHIN_S", 0.05)
    visits = Visits()
    stuck = visits.of(TAB)
    stuck.begin(is_blind=False, dice=random.Random(0))
    fresh = visits.of(TAB)
    assert fresh is not stuck
    assert visits.of(TAB) is fresh


def test_only_the_latest_visits_are_kept() -> None:
    visits = Visits(most=2)
    first, second = visits.of(f"{TAB}-1"), visits.of(f"{TAB}-2")
    assert visits.of(f"{TAB}-1") is first  # looked at again: the second is the oldest now
    visits.of(f"{TAB}-3")
    assert visits.of(f"{TAB}-1") is first
    assert visits.of(f"{TAB}-2") is not second


def test_a_visit_nobody_came_back_to_for_an_hour_is_forgotten() -> None:
    now = 0.0
    visits = Visits(clock=lambda: now)
    first = visits.of(f"{TAB}-1")
    now = 3000.0
    second = visits.of(f"{TAB}-2")
    now = 3600.0
    assert visits.of(f"{TAB}-1") is first  # an hour to the second, and from now on another one
    now = 6601.0
    assert visits.of(f"{TAB}-2") is not second
    assert visits.of(f"{TAB}-1") is first
