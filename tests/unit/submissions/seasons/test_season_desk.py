"""What the desk takes before, in and after a season, and what everybody sees of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.archive.record import Archive
from submissions.desk import Desk, Receipt
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.seasons.calendar import SeasonNotOpen, Seasons
from submissions.seasons.season_store import AnswersPrivate, PublicStore
from submissions.store.quotas import QuotaExceeded
from submissions.store.store import Store
from tests.unit.submissions.seasons.made_seasons import AUTUMN, SPRING, SetClock, at, made_seasons

EXAMPLE = dict(example_submissions())["keel.json"]


@pytest.fixture
def clock() -> SetClock:
    return SetClock(at("2026-03-10T12:00:00+00:00"))


@pytest.fixture
def store(tmp_path: Path, clock: SetClock) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", clock=clock)
    yield store
    store.close()


class Office:
    """A desk with seasons, and files of any number of teams."""

    def __init__(self, store: Store, clock: SetClock, folder: Path, seasons: Seasons) -> None:
        self.desk = Desk(store, Archive(folder / "archive"), PromptSets.load(None), clock, seasons=seasons)

    def sent(self, team: str, *, run: str = "1", owner: str = "") -> Receipt:
        """What a team gets for its run, every answer of which says whose it is."""
        document = json.loads(EXAMPLE)
        root = document["eloquent-robustness-results"]
        root["source"], root["system"], root["run"] = team, f"system of {team}", run
        for item in root["items"]:
            for response in item["responses"]:
                response["response"] += f" ({team} {run})"
        file = json.dumps(document).encode()
        return self.desk.submit(file, f"{team}.json", owner=owner or team, names=Names())


def office(store: Store, clock: SetClock, folder: Path, **seasons: str) -> Office:
    return Office(store, clock, folder, made_seasons(folder / "seasons", **seasons))


def test_before_a_season_opens_files_are_checked_and_not_taken(store: Store, clock: SetClock, tmp_path: Path) -> None:
    desks = office(store, clock, tmp_path, spring=SPRING)
    clock.set("2026-02-28T22:59:59+00:00")  # 23:59:59 in Berlin, which is UTC+1 until 29 March
    with pytest.raises(SeasonNotOpen, match=r"opens at 2026-03-01 00:00:00 CET .* in 1 s"):
        desks.sent("aurora")
    assert desks.desk.check(EXAMPLE, "keel.json").decision != "refused"
    assert store.tickets() == []
    clock.set("2026-02-28T23:00:00+00:00")
    assert "in time for Spring" in desks.sent("aurora").season[0]


@pytest.mark.parametrize(
    ("moment", "late"),
    [
        ("2026-03-31T23:59:59+02:00", ""),  # Berlin is UTC+2 by then: 21:59:59 UTC
        ("2026-03-31T21:59:59.900000+00:00", ""),  # the deadline names a whole second
        ("2026-03-31T22:00:00+00:00", "1 s"),
        ("2026-04-01T09:00:00+11:00", "1 s"),  # the same second in Nouméa
        ("2026-03-31T11:00:00-11:00", "1 s"),  # and in Pago Pago
        ("2026-04-01T23:04:59+02:00", "23 h 5 min"),
    ],
)
def test_a_deadline_holds_to_the_second_in_any_zone(
    store: Store, clock: SetClock, tmp_path: Path, moment: str, late: str
) -> None:
    seasons = made_seasons(tmp_path / "seasons", spring=SPRING)
    clock.set(moment)
    receipt = Office(store, clock, tmp_path, seasons).sent("aurora")
    ticket = PublicStore(store, seasons, clock).require(receipt.ticket.id)
    assert ticket.season is not None
    assert ticket.season.is_late is bool(late)
    assert ticket.out_of_season == (f"late for the season Spring by {late}" if late else "")
    assert ("Late by" in receipt.season[0]) is bool(late)
    assert ("late for the season" in ticket.log[0]) is bool(late)


def test_attempts_are_counted_by_team_and_the_sentence_says_when_the_next_may_come(
    store: Store, clock: SetClock, tmp_path: Path
) -> None:
    limited = f"{SPRING}attempts_per_day = 2\nattempts_in_all = 3\n"
    desks = office(store, clock, tmp_path, spring=limited)
    first = desks.sent("aurora", run="1")
    assert first.season[1] == "Attempts left: 1 of 2 within 24 hours, 2 of 3 in all. The next may come at once."
    clock.set("2026-03-10T13:00:00+00:00")
    second = desks.sent("aurora", run="2")
    next_one = "The next may come at 2026-03-11 13:00:00 CET (2026-03-11 12:00:00 UTC)."
    assert second.season[1] == f"Attempts left: 0 of 2 within 24 hours, 1 of 3 in all. {next_one}"
    with pytest.raises(QuotaExceeded, match="has used 2 of 2 attempts within 24 hours and 2 of 3 in all") as refused:
        desks.sent("aurora", run="3")
    assert str(refused.value).endswith(next_one)
    assert desks.sent("borealis").season[1].startswith("Attempts left: 1 of 2")
    assert desks.sent("aurora", run="2").already_known  # costs nothing
    clock.set("2026-03-11T12:00:00+00:00")
    assert desks.sent("aurora", run="3").season[1] == "Attempts left: 0 of 2 within 24 hours, 0 of 3 in all."
    clock.set("2026-03-20T12:00:00+00:00")
    with pytest.raises(QuotaExceeded, match="No attempt is left"):
        desks.sent("aurora", run="4")
    clock.set("2026-04-02T12:00:00+00:00")
    assert "Late by" in desks.sent("aurora", run="4").season[0]


def test_a_cancelled_attempt_is_free_and_the_transaction_counts_too(
    store: Store, clock: SetClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desks = office(store, clock, tmp_path, spring=f"{SPRING}attempts_per_day = 1\n")
    first = desks.sent("aurora", run="1")
    desks.desk.cancel(first.ticket.id, "aurora")
    desks.sent("aurora", run="2")
    # Two at once: what the desk looked up says nothing of the other one, which the transaction finds.
    (season,) = desks.desk.seasons
    rule = season.attempt_rule(by_team=False)
    assert rule is not None
    nothing = type(store.attempts_used(rule, "nobody", None))(rule)
    monkeypatch.setattr(store, "attempts_used", lambda *asked: nothing)
    with pytest.raises(QuotaExceeded, match="1 of 1 attempts"):
        desks.sent("aurora", run="3")
    kinds = [json.loads(path.read_text())["kind"] for path in (tmp_path / "archive" / "log").rglob("*.json")]
    assert kinds.count("revocation") == 1


def test_where_nobody_signs_in_teams_are_told_apart_by_name(store: Store, clock: SetClock, tmp_path: Path) -> None:
    desks = office(store, clock, tmp_path, spring=f"{SPRING}attempts_per_day = 1\n")
    desks.sent("aurora", owner="local")
    desks.sent("borealis", owner="local")
    with pytest.raises(QuotaExceeded):
        desks.sent("aurora", run="2", owner="local")


def test_names_scores_and_answers_are_private_until_the_season_says(
    store: Store, clock: SetClock, tmp_path: Path
) -> None:
    private = f"""{SPRING}[public]
names = 2026-04-01T00:00:00
scores = 2026-04-10T12:00:00
answers = 2026-04-20T12:00:00
"""
    desks = office(store, clock, tmp_path, spring=private)
    ticket_id = desks.sent("aurora").ticket.id
    assert store.claim("worker") is not None
    store.finish(ticket_id, "worker", '{"score": 4}')
    shown = PublicStore(store, desks.desk.seasons, clock)

    def everything() -> str:
        seen = [shown.require(ticket_id), *shown.tickets(), *shown.ended_tickets(0, 9), *shown.open_tickets()]
        return repr((seen, shown.tickets_of([ticket_id]), shown.acts(), shown.results(), shown.result(ticket_id)))

    first = shown.change_marker()
    sha256 = store.require(ticket_id).file_sha256
    # The account stays: it is what rows are told apart by, and no page shows it.
    assert everything().replace("owner='aurora'", "").count("aurora") == 0
    assert "score" not in everything().replace("scores_from", "").replace("scored", "")
    with pytest.raises(AnswersPrivate):
        shown.payload(sha256)
    clock.set("2026-04-01T00:00:00+02:00")
    assert shown.require(ticket_id).names.team == "aurora"
    assert shown.result(ticket_id) is None
    assert not shown.require(ticket_id).is_on_boards
    assert shown.change_marker() > first
    clock.set("2026-04-10T12:00:00+02:00")
    assert shown.require(ticket_id).is_on_boards
    assert shown.result(ticket_id) == '{"score": 4}'
    assert not shown.require(ticket_id).shows_answers
    clock.set("2026-04-20T12:00:00+02:00")
    assert b"aurora" in shown.payload(sha256)
    assert shown.require(ticket_id).shows_answers


def test_when_the_next_season_opens_runs_of_the_former_one_are_not_ranked_with_it(
    store: Store, clock: SetClock, tmp_path: Path
) -> None:
    desks = office(store, clock, tmp_path, spring=SPRING, autumn=AUTUMN)
    former = desks.sent("aurora").ticket.id
    shown = PublicStore(store, desks.desk.seasons, clock)
    clock.set("2026-08-31T23:59:59+00:00")
    assert shown.require(former).out_of_season == ""
    late = desks.sent("borealis").ticket.id  # between two seasons: late for the first
    clock.set("2026-09-01T00:00:00+00:00")
    assert shown.require(former).out_of_season == "of the season Spring, which is over"
    assert shown.require(late).out_of_season.startswith("late for the season Spring")
    now = desks.sent("aurora", run="2").ticket.id
    assert shown.require(now).out_of_season == ""
    assert shown.require(now).rank_order > shown.require(former).rank_order
