from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evaluator.judge_quality.human_check import checks_by_judge, human_check, reading_of, vote_records
from evaluator.statistics.label_agreement import label_agreement
from submissions.store.votes import JudgedPair, Reading, Stance, VerdictVote

AT = datetime(2026, 11, 21, tzinfo=UTC)


def vote(
    person: str,
    reading: Reading,
    stance: Stance,
    *,
    item: str = "901",
    verdict: str = "v1",
    judge: str = "j1",
    is_own: bool = False,
    minute: int = 0,
) -> VerdictVote:
    pair = JudgedPair(verdict, judge, f"name of {judge}", reading, 4.0 if reading == "same" else 1.0, item, "t1")
    return VerdictVote(person, pair, stance, is_own, AT + timedelta(minutes=minute))


def votes_over(items: int) -> list[VerdictVote]:
    """Per item four votes: the judge says same, same, different, different; people agree with all but the second."""
    said: Sequence[tuple[Reading, Stance]] = (
        ("same", "agree"),
        ("same", "disagree"),
        ("different", "agree"),
        ("different", "agree"),
    )
    return [
        vote(f"person {number % 2}", reading, stance, item=f"9{item:02}", verdict=f"v{item}-{number}")
        for item in range(items)
        for number, (reading, stance) in enumerate(said)
    ]


def test_kappa_is_that_of_peoples_words_with_the_judges() -> None:
    found = human_check(votes_over(1))
    # Judge same, people same: 1; same, different: 1; different, different: 2. p_o = 3/4.
    # Judge says same 2/4, people 1/4: p_e = 2/4 x 1/4 + 2/4 x 3/4 = 1/2. kappa = (3/4 - 1/2) / (1/2) = 1/2.
    assert found.kappa.value == pytest.approx(0.5)
    assert (found.votes, found.agreed, found.people, found.verdicts, found.own) == (4, 3, 2, 4, 0)
    assert (found.kappa.low, found.kappa.high) == (None, None)  # one item: nothing to draw


def test_the_interval_draws_items_not_votes() -> None:
    # Every item holds the same four votes, so every draw of items gives the same kappa; drawing votes would not.
    found = human_check(votes_over(6))
    assert (found.kappa.value, found.kappa.low, found.kappa.high) == pytest.approx((0.5, 0.5, 0.5))
    assert human_check(votes_over(4)).kappa.low is None  # fewer than five items


def test_people_who_never_agree_have_a_kappa_below_chance() -> None:
    # p_o = 0; both say each word in half of the votes: p_e = 1/2. kappa = -1.
    found = human_check([vote("a", "same", "disagree"), vote("a", "different", "disagree", verdict="v2")])
    assert found.kappa.value == pytest.approx(-1.0)
    assert found.agreed == 0


def test_kappa_of_a_single_word_is_not_a_number() -> None:
    judge_always = human_check([vote("a", "same", "agree"), vote("a", "same", "disagree", verdict="v2")])
    assert (judge_always.kappa.value, judge_always.kappa.reason) == (None, 'the judge said "same" every time')
    people_always = human_check([vote("a", "same", "agree"), vote("a", "different", "disagree", verdict="v2")])
    assert (people_always.kappa.value, people_always.kappa.reason) == (None, 'people said "same" every time')
    assert (people_always.votes, people_always.agreed) == (2, 1)


def test_votes_on_ones_own_run_and_votes_taken_back_are_part_of_no_figure() -> None:
    counted = votes_over(1)
    beside = [vote("owner", "same", "agree", verdict="v9", is_own=True), vote("c", "same", "none", verdict="v8")]
    found = human_check([*counted, *beside])
    assert replace(found, own=0) == human_check(counted)
    assert found.own == 1
    alone = human_check(beside)
    assert (alone.votes, alone.own, alone.kappa.value, alone.kappa.reason) == (0, 1, None, "nobody has voted")


def test_judges_are_kept_apart() -> None:
    found = checks_by_judge([vote("a", "same", "agree"), vote("a", "same", "disagree", judge="j2")])
    assert {judge: (one.votes, one.agreed) for judge, one in found.items()} == {"j1": (1, 1), "j2": (1, 0)}


def test_the_middle_of_the_scale_reads_different_as_where_judges_are_measured() -> None:
    assert [reading_of(score) for score in (0.0, 2.5, 2.51, 5.0)] == ["different", "different", "same", "same"]


def test_records_name_no_account_and_no_time_and_give_the_same_kappa(tmp_path: Path) -> None:
    votes = [
        replace(one, person=f"account-{one.person}", at=AT - timedelta(minutes=number))
        for number, one in enumerate(votes_over(6))
    ]
    beside = [vote("gone", "same", "none", verdict="v8"), vote("owner", "same", "agree", verdict="v9", is_own=True)]
    records = [asdict(one) for one in vote_records([*votes, *beside])]
    assert "account" not in json.dumps(records)
    assert "2026" not in json.dumps(records)
    assert {one["person"] for one in records} == {"person 1", "person 2"}
    path = tmp_path / "votes.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    words = ([row[column] for row in rows] for column in ("person_says", "judge_says", "item"))
    said, judged, items = words
    again = label_agreement(said, judged, {"item": items})
    found = human_check(votes)
    assert (again["kappa"], again["kappa_ci"]) == (found.kappa.value, [found.kappa.low, found.kappa.high])


def test_people_are_numbered_by_their_first_vote() -> None:
    records = vote_records([vote("late", "same", "agree", minute=5), vote("early", "same", "disagree", verdict="v2")])
    assert [(one.person, one.person_says) for one in records] == [("person 2", "same"), ("person 1", "different")]
