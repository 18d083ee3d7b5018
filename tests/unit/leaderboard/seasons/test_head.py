"""What pages say of seasons, and under which address a frozen board stands."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from leaderboard.boards import registry
from leaderboard.desk.terms_box import asked_terms_value
from leaderboard.page.services import Services
from leaderboard.seasons.head import seasons_of_page, seasons_value
from leaderboard.seasons.routes import routes
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.seasons.season_file import SETS
from submissions.settings import Settings
from submissions.store.store import Store
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, at, made_seasons

PRIVATE = f"""{SPRING}contact = "somebody@example.org"
terms = "Be fair."
attempts_per_day = 2
[public]
scores = 2026-04-20T12:00:00
[[announcements]]
at = 2026-03-01T00:00:00
text = "<b>Welcome</b>"
[[announcements]]
at = 2026-04-01T00:00:00
text = "Closed."
"""


@pytest.fixture
def clock() -> SetClock:
    return SetClock(at("2026-02-28T22:59:59+00:00"))


@pytest.fixture
def services(tmp_path: Path, clock: SetClock) -> Iterator[Services]:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", clock=clock)
    seasons = made_seasons(tmp_path / "seasons", spring=PRIVATE)
    desk = Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None), clock, seasons=seasons)
    yield Services(store=store, desk=desk, settings=Settings.from_env({}))
    store.close()


def test_every_set_of_a_season_stands_on_a_board_that_there_is() -> None:
    assert {set_id for board in registry.BOARDS for set_id in board.sets} == set(SETS)


def test_a_page_says_what_can_be_done_now(services: Services, clock: SetClock) -> None:
    before = seasons_value(services, "submit")
    assert before is not None
    opens = "It opens 2026-03-01 00:00:00 CET (2026-02-28 23:00:00 UTC), in 1 s"
    assert before["seasons"][0]["sentence"].startswith(f"Not open yet: files can be checked, not sent. {opens}")
    assert before["seasons"][0]["terms"] == "./terms/spring.txt"
    clock.set("2026-03-31T21:59:58+00:00")
    board = seasons_value(services, "robustness")
    assert board is not None
    assert board["seasons"][0]["sentence"].endswith("2026-03-31 23:59:59 CEST (2026-03-31 21:59:59 UTC), in 1 s.")
    assert board["seasons"][0]["lines"] == [
        "Scores are public from 2026-04-20 12:00:00 CEST (2026-04-20 10:00:00 UTC).",
        "Answers are public from 2026-04-20 12:00:00 CEST (2026-04-20 10:00:00 UTC).",
        "Contact: somebody@example.org",
    ]
    clock.set("2026-03-31T22:00:00+00:00")
    closed = seasons_value(services, "overview")
    assert closed is not None
    assert closed["seasons"][0]["phase"] == "closed"
    # Midnight of 1 April has struck in Berlin; the newest stands first.
    assert closed["announcements"] == ["2026-04-01, Spring: Closed.", "2026-03-01, Spring: <b>Welcome</b>"]
    assert seasons_of_page(services, "consistency") == []
    assert seasons_value(services, "about") is None


def test_a_frozen_board_is_served_once_it_is_public(services: Services, clock: SetClock) -> None:
    client = TestClient(Starlette(routes=routes(services.store, services.desk)))
    assert client.get("/season/spring.json").status_code == 404
    (spring,) = services.desk.seasons
    act = services.desk.freeze(spring, b'{"boards": []}', actor="operator")
    clock.set("2026-04-20T09:59:59+00:00")
    assert client.get("/season/spring.json").status_code == 403
    shown = seasons_value(services, "robustness")
    assert shown is not None
    assert act.cell in shown["seasons"][0]["frozen"]
    assert shown["seasons"][0]["copy"] == ""
    clock.set("2026-04-20T10:00:00+00:00")
    answer = client.get("/season/spring.json")
    assert answer.content == b'{"boards": []}'
    assert answer.headers["etag"] == f'"{act.cell}"'
    again = seasons_value(services, "robustness")
    assert again is not None
    assert again["seasons"][0]["copy"] == "./season/spring.json"


def test_terms_stand_under_an_address_of_their_own(services: Services) -> None:
    client = TestClient(Starlette(routes=routes(services.store, services.desk)))
    answer = client.get("/terms/spring.txt")
    sha256 = hashlib.sha256(b"Be fair.").hexdigest()
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text == f"Terms of Spring, version {sha256[:8]} (SHA-256 {sha256})\n\nBe fair.\n"
    assert client.get("/terms.txt").status_code == 404  # the installation states none


def test_the_terms_an_account_has_not_accepted_are_shown_until_it_has(services: Services, clock: SetClock) -> None:
    assert asked_terms_value(services.desk.unaccepted_terms("local")) is None  # it is not open yet
    clock.set("2026-03-10T12:00:00+00:00")
    asked = asked_terms_value(services.desk.unaccepted_terms("local"))
    assert asked is not None
    assert [(one["title"], one["text"], one["link"]) for one in asked["terms"]] == [
        ("Spring", "Be fair.", "./terms/spring.txt")
    ]
    (_, file), *_ = example_submissions()
    services.desk.submit(file, "keel.json", owner="local", accepts_terms=True)
    assert asked_terms_value(services.desk.unaccepted_terms("local")) is None
