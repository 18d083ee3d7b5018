"""Review links: who made them, until when they open a run, and that nothing but the run can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def opened(link: ReviewLink, now: float = NOW, key: str = KEY, tickets: Sequence[str] = ("rival", "quokka")) -> str:
    return run_of_link(key, link.run, link.until.isoformat(), link.seal, now, lambda: tickets)


def test_a_link_opens_its_run_until_the_end_of_its_last_day_and_does_not_say_its_ticket() -> None:
    link = ReviewLink.made(KEY, "quokka", DAY)
    for moment in ("2030-05-01T00:00:00+00:00", "2030-06-01T23:59:59+00:00"):
        assert opened(link, at(moment)) == "quokka"
    with pytest.raises(NoReview, match="ended on 2030-06-01"):
        opened(link, at("2030-06-02T00:00:00+00:00"))
    with pytest.raises(NoReview, match="no longer here"):
        opened(link, tickets=["rival"])
    assert link.address == f"/review?run={link.run}&until=2030-06-01&seal={link.seal}"
    assert "quokka" not in link.address
    # The same run on another day is called the same, and sealed anew.
    later = ReviewLink.made(KEY, "quokka", date(2030, 6, 2))
    assert (later.run, later.seal != link.seal) == (link.run, True)


@pytest.mark.parametrize(
    "changed",
    [
        {"run": ReviewLink.made(KEY, "rival", DAY).run},
        {"run": "quokka"},
        {"until": "2030-06-02"},  # a longer life
        {"until": "20300601"},  # the same day, written otherwise
        {"until": "never"},
        {"until": ""},
        {"seal": ""},
        {"seal": "0" * 32},
        {"seal": "\u00e9"},
        {"seal": ReviewLink.made(f"{KEY} of another site", "quokka", DAY).seal},
    ],
)
def test_a_link_with_anything_changed_opens_nothing_and_reads_nothing(changed: dict[str, str]) -> None:
    link = ReviewLink.made(KEY, "quokka", DAY)
    parts = {"run": link.run, "until": "2030-06-01", "seal": link.seal} | changed

    def asked() -> list[str]:
        raise AssertionError("tickets are read for a link that is not ours")

    with pytest.raises(NoReview, match="no review link of this site"):
        run_of_link(KEY, parts["run"], parts["until"], parts["seal"], NOW, asked)


@pytest.mark.parametrize("key", [f"{KEY} of another site", ""])
def test_another_key_or_none_opens_no_link(key: str) -> None:
    with pytest.raises(NoReview, match="no review link of this site"):
        opened(ReviewLink.made(KEY, "quokka", DAY), key=key)
    with pytest.raises(NoReview):
        opened(ReviewLink.made("", "quokka", DAY), key="")


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
