"""Review links: who made them, until when they open a run, and that nothing but the run can be read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from submissions.schema import Names
from submissions.seasons.review import NoReview, ReviewLink, ReviewStore, last_day, run_of_link
from submissions.seasons.season_store import AnswersPrivate, NotForVisitors, PublicStore
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, at, made_seasons

KEY = "made by chance, in a test only: 0f"
DAY = date(2030, 6, 1)
NOW = at("2030-05-01T00:00:00+00:00")
ALL_PRIVATE = "[public]\nscores = 2026-05-01T00:00:00\nnames = 2026-05-01T00:00:00\nanswers = 2026-05-01T00:00:00\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", clock=SetClock(at("2026-03-10T12:00:00+00:00")))
    for ticket, team in (("quokka", "Quokkas"), ("rival", "Rivals")):
        store.add(
            ticket_id=ticket,
            owner=f"account of {team}",
            owner_name=team.lower(),
            role="entry",
            edition="2024",
            set_id="demonstration",
            names=Names(team=team, system="keel", model="m", run="r"),
            file_name=f"{team}.json",
            data=ticket.encode(),
            received_at=at("2026-03-10T12:00:00+00:00"),
        )
        store.restore_result(ticket, f'{{"board": "robustness", "of": "{ticket}"}}', at("2026-03-10T12:00:00+00:00"))
    yield store
    store.close()


def test_a_link_opens_its_run_until_the_end_of_its_last_day() -> None:
    link = ReviewLink.made(KEY, "quokka", DAY)
    for moment in ("2030-05-01T00:00:00+00:00", "2030-06-01T23:59:59+00:00"):
        assert run_of_link(KEY, "quokka", "2030-06-01", link.seal, at(moment)) == "quokka"
    with pytest.raises(NoReview, match="ended on 2030-06-01"):
        run_of_link(KEY, "quokka", "2030-06-01", link.seal, at("2030-06-02T00:00:00+00:00"))
    assert link.address == f"/review?run=quokka&until=2030-06-01&seal={link.seal}"


@pytest.mark.parametrize(
    ("key", "run", "until", "seal"),
    [
        (KEY, "rival", "2030-06-01", None),
        (KEY, "quokka", "2030-06-02", None),  # a longer life
        (KEY, "quokka", "20300601", None),  # the same day, written otherwise
        (KEY, "quokka", "never", None),
        (KEY, "quokka", "", None),
        (KEY, "quokka", "2030-06-01", ""),
        (KEY, "quokka", "2030-06-01", "0" * 32),
        (KEY, "quokka", "2030-06-01", "é"),
        (f"{KEY} of another site", "quokka", "2030-06-01", None),
        ("", "quokka", "2030-06-01", None),
    ],
)
def test_a_link_with_anything_changed_opens_nothing(key: str, run: str, until: str, seal: str | None) -> None:
    ours = ReviewLink.made(KEY, "quokka", DAY).seal
    with pytest.raises(NoReview, match="no review link of this site"):
        run_of_link(key, run, until, ours if seal is None else seal, NOW)


def test_a_site_without_a_key_opens_no_link_that_is_sealed_with_nothing() -> None:
    with pytest.raises(NoReview):
        run_of_link("", "quokka", "2030-06-01", ReviewLink.made("", "quokka", DAY).seal, NOW)


def test_links_live_for_ninety_days_from_the_day_in_utc() -> None:
    assert last_day(at("2030-01-01T23:30:00-01:00")) == date(2030, 4, 2)  # 2 January in UTC, and 90 days


def test_a_reviewer_sees_the_run_whole_and_nothing_else(tmp_path: Path, store: Store) -> None:
    seen = ReviewStore(store, "quokka", KEY)
    (ticket,) = seen.tickets()
    assert (ticket.id, ticket.status, ticket.shows_answers, ticket.season) == ("quokka", JobStatus.SCORED, True, None)
    assert seen.result("quokka") == '{"board": "robustness", "of": "quokka"}'
    assert [text for _, text in seen.results()] == [seen.result("quokka")]
    assert seen.payload(ticket.file_sha256) == b"quokka"
    assert seen.ticket("rival") is None
    assert seen.result("rival") is None
    assert seen.teams() == []
    with pytest.raises(AnswersPrivate):
        seen.payload(store.require("rival").file_sha256)
    with pytest.raises(NotForVisitors):
        seen.claim("worker")
    assert store.result("rival")
    seasons = made_seasons(tmp_path / "seasons", spring=SPRING + ALL_PRIVATE)
    assert PublicStore(store, seasons, lambda: at("2026-04-01T00:00:00+00:00")).result("quokka") is None


def test_a_reviewer_meets_no_name_and_no_pseudonym_of_the_season(tmp_path: Path, store: Store) -> None:
    (ticket,) = ReviewStore(store, "quokka", KEY).tickets()
    said = f"{ticket.names} {ticket.owner_name} {ticket.file_name} {ticket.log}"
    assert not any(name in said.lower() for name in ("quokka", "keel"))
    seasons = made_seasons(tmp_path / "seasons", spring=SPRING + ALL_PRIVATE)
    of_season = PublicStore(store, seasons, lambda: at("2026-04-01T00:00:00+00:00"), key=KEY).require("quokka")
    assert of_season.names.team is not None
    assert of_season.names.team.startswith("team ")
    assert of_season.names.team not in said
    assert ReviewStore(store, "quokka", KEY).tickets() == [ticket]
