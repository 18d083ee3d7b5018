"""My submissions: what an account sent, and nothing of anybody else's."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.boards.registry import BOARDS
from leaderboard.own_runs.scores import OwnScore, own_score
from leaderboard.own_runs.screen import NOTHING_YET, SIGN_IN, OwnRunsValue, OwnScreen
from leaderboard.page.identity import Identity, Visitor
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.store import Store
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, put_into, verdicts
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, at, made_seasons

ANNA, BEN = Visitor("subject-of-anna", "anna"), Visitor("subject-of-ben", "ben")
ITEMS = [f"9{number:02}" for number in range(1, 13)]
File = Callable[[str], bytes]


class Office:
    """Sends runs and scores them as a worker would."""

    def __init__(self, services: Services, file: File) -> None:
        self.services = services
        self._file = file

    def sent(
        self,
        answers: str,
        *,
        run: str = "greedy",
        visitor: Visitor = ANNA,
        rating: float | None = None,
        judge: str = "",
    ) -> str:
        """The ticket of a run whose answers are named; with a rating it is scored."""
        names = Names(system="keel", model="m", run=run)
        desk = self.services.desk
        receipt = desk.submit(self._file(answers), "keel.json", owner=visitor.owner, names=names)
        if rating is not None:
            job = self.services.desk._store.claim("worker")
            assert job is not None
            result = robustness_result(dict.fromkeys(ITEMS, rating))
            if judge:
                result = result.model_copy(update={"judge": result.judge.model_copy(update={"name": judge})})
            self.services.desk._store.finish(job.id, "worker", result.model_dump_json())
        return receipt.ticket.id

    def shown(self, visitor: Visitor | None = ANNA) -> OwnRunsValue | None:
        return screen_of(self.services).value(visitor)


def value_of(score: str) -> str:
    """Of a score that is written with its interval; blank of none."""
    value, interval = score.partition(" [")[::2]
    assert bool(value) == interval.endswith("]")
    return value


def screen_of(services: Services) -> OwnScreen:
    tools = BoardTools(services)
    tools.open(BOARDS)
    return OwnScreen(tools)


@pytest.fixture
def one_team(demonstration_file: File) -> File:
    """Files of one team, told apart by their answers."""

    def filled(answers: str) -> bytes:
        document = json.loads(demonstration_file(answers))
        document["eloquent-robustness-results"]["source"] = "Aurora"
        return json.dumps(document).encode()

    return filled


@pytest.fixture
def office(services: Services, one_team: File) -> Office:
    return Office(replace(services, identity=Identity(is_public=True, signs_in=True)), one_team)


def test_versions_of_one_run_stand_together_with_what_changed(office: Office) -> None:
    first = office.sent("one", rating=3.0)
    second = office.sent("two", rating=3.5)
    other = office.sent("three", run="sampled")
    shown = office.shown()
    assert shown is not None
    assert [run["title"] for run in shown["runs"]] == ["keel · m · sampled · Aurora", "keel · m · greedy · Aurora"]
    assert shown["summary"] == "3 submissions of 2 runs, 2 scored; times in UTC"
    (waiting,), versions = (run["versions"] for run in shown["runs"])
    assert [run["has_scores"] for run in shown["runs"]] == [False, True]
    # Every item of a run was rated alike; 3.5 - 3.0.
    assert [(one["ticket"], one["version"], value_of(one["score"]), one["difference"]) for one in versions] == [
        (second, "version 2", "3.50", "+0.50"),
        (first, "version 1", "3.00", ""),
    ]
    assert (waiting["ticket"], waiting["state"], waiting["score"], waiting["row_link"]) == (other, "queued", "", "")
    assert waiting["said"] == "no estimate yet: no worker is running"
    assert [one["link"] for one in versions] == [f"queue?ticket={second}", f"queue?ticket={first}"]
    assert versions[0]["row_link"] == f"robustness?set=demonstration&system={second}"
    assert [one["has_report"] for one in (waiting, *versions)] == [False, True, True]


def test_scores_by_different_judges_are_not_compared(office: Office) -> None:
    office.sent("one", rating=3.0)
    office.sent("two", rating=3.5, judge="another")
    shown = office.shown()
    assert shown is not None
    assert shown["runs"][0]["versions"][0]["difference"] == "by another judge"


def test_what_has_no_score_is_passed_over_in_the_comparison(office: Office) -> None:
    office.sent("one", rating=3.0)
    withdrawn = office.sent("two", rating=5.0)
    office.sent("three", rating=2.5)
    office.services.desk.withdraw(withdrawn, ANNA.owner)
    shown = office.shown()
    assert shown is not None
    versions = shown["runs"][0]["versions"]
    assert [(one["state"], value_of(one["score"]), one["difference"]) for one in versions] == [
        ("scored", "2.50", "-0.50"),  # against 3.0, not against what was withdrawn
        ("withdrawn", "", ""),
        ("scored", "3.00", ""),
    ]


def test_everybody_sees_their_own_and_nobody_elses(office: Office) -> None:
    of_anna = office.sent("one", rating=3.0)
    of_ben = office.sent("two", visitor=BEN, rating=3.0)
    for visitor, own in ((ANNA, of_anna), (BEN, of_ben)):
        shown = office.shown(visitor)
        assert shown is not None
        assert [one["ticket"] for run in shown["runs"] for one in run["versions"]] == [own]
    screen = screen_of(office.services)
    assert screen.report(BEN, of_ben) is not None
    strangers: tuple[tuple[Visitor | None, object], ...] = (
        *((BEN, of_anna), (None, of_anna)),
        *((BEN, ["made up"]), (BEN, "")),
    )
    for stranger, ticket in strangers:
        assert screen.report(stranger, ticket) is None
    assert (screen.value(None), screen.notice(None)) == (None, SIGN_IN)
    olga = Visitor("subject-of-olga", "olga")
    assert (screen.value(olga), screen.notice(olga)) == (None, NOTHING_YET)
    assert screen.notice(ANNA) is None


def test_the_report_is_that_of_the_run(office: Office) -> None:
    ticket = office.sent("one", rating=3.0)
    file = screen_of(office.services).report(ANNA, ticket)
    assert file is not None
    assert file["name"] == f"plumbline-report-{ticket}.html"


def test_a_table_of_verdicts_shows_the_headline_of_each_judge(services: Services) -> None:
    # `fair` names the same answer in both orders, `left` the first one.
    (ticket,) = put_into(services.store, [judges_result(verdicts({"fair": "AB", "left": "AA"}))])
    shown = screen_of(services).value(Visitor("local", ""))
    assert shown is not None
    (version,) = shown["runs"][0]["versions"]
    assert not shown["runs"][0]["has_scores"]  # each judge has its own
    assert version["ticket"] == ticket
    said = version["said"].split("; ")
    assert [one.partition(" ")[0] for one in said] == ["fair", "left"]
    assert [one.rpartition(" [")[0].rpartition(" ")[2] for one in said] == ["1.00", "0.00"]
    assert (version["score"], version["difference"], version["has_report"]) == ("", "", False)


class TestPrivateSeason:
    """Names and scores that a season shows later."""

    @pytest.fixture
    def clock(self) -> SetClock:
        return SetClock(at("2026-03-10T12:00:00+00:00"))

    @pytest.fixture
    def private(self, tmp_path: Path, clock: SetClock, one_team: File) -> Office:
        public = "[public]\nnames = 2026-05-01T00:00:00\nscores = 2026-04-20T12:00:00\n"
        seasons = made_seasons(tmp_path / "seasons", spring=SPRING + public)
        store = Store.open(f"sqlite:///{tmp_path / 'private.db'}", clock=clock)
        desk = Desk(store, Archive(tmp_path / "private"), PromptSets.load(None), clock, seasons=seasons)
        identity = Identity(is_public=True, signs_in=True)
        shown = PublicStore(store, seasons, clock)
        return Office(Services(store=shown, desk=desk, settings=Settings.from_env({}), identity=identity), one_team)

    def test_an_account_sees_its_names_but_no_score_before_everybody_does(
        self, private: Office, clock: SetClock
    ) -> None:
        ticket = private.sent("one", rating=3.0)
        before = private.shown()
        assert before is not None
        (version,) = before["runs"][0]["versions"]
        assert before["runs"][0]["title"] == "keel · m · greedy · Aurora"
        assert (version["score"], version["row_link"], version["has_report"]) == ("", "", False)
        assert "its score is public from 2026-04-20 12:00:00 CEST" in version["said"]
        assert screen_of(private.services).report(ANNA, ticket) is None
        clock.set("2026-04-20T10:00:00+00:00")
        after = private.shown()
        assert after is not None
        assert value_of(after["runs"][0]["versions"][0]["score"]) == "3.00"

    def test_a_team_chooses_the_run_it_is_ranked_by_until_the_deadline(self, private: Office, clock: SetClock) -> None:
        first = private.sent("one", rating=3.0)
        second = private.sent("two", run="sampled")  # waits: it may be chosen all the same
        screen = screen_of(private.services)

        def offered() -> dict[str, str]:
            shown = screen.value(ANNA)
            assert shown is not None
            return {one["ticket"]: one["choice"] for run in shown["runs"] for one in run["versions"]}

        assert offered() == {first: "primary", second: "primary"}
        said = screen.chosen(ANNA, second, "primary")
        assert said is not None
        assert said["kind"] == "good"
        assert offered() == {first: "primary", second: "latest"}
        for asked in ((second, "withdraw"), (["made up"], "primary")):
            assert screen.chosen(ANNA, *asked) is None
        for stranger, words in ((BEN, "Only the account that submitted"), (None, "Sign in first")):
            said = screen.chosen(stranger, first, "primary")
            assert said is not None
            assert said["title"].startswith(words)
        clock.set("2026-03-31T22:00:00+00:00")
        assert offered() == {first: "", second: ""}
        said = screen.chosen(ANNA, first, "primary")
        assert said is not None
        assert said["title"].startswith("the season Spring closed at 2026-03-31 23:59:59 CEST")
        assert [one.id for one in private.services.store.tickets() if one.is_primary] == [second]

    def test_where_nobody_signs_in_names_stay_private_too(self, private: Office) -> None:
        local = Visitor("local", "")
        private.sent("one", visitor=local, rating=3.0)
        services = replace(private.services, identity=Identity(is_public=False, signs_in=False))
        shown = screen_of(services).value(local)
        assert shown is not None
        assert "Aurora" not in json.dumps(shown)
        assert "keel" not in json.dumps(shown)


def test_a_score_is_the_headline_of_its_measure() -> None:
    body = {"board": "consistency", "figures": {"consistency_gated": {"value": 4.25, "low": 4.0, "high": 4.5, "n": 9}}}
    found = own_score(json.dumps({**body, "judge": {"name": "pair"}}))
    assert isinstance(found, OwnScore)
    assert (found.figure.value, found.figure.low, found.figure.n) == (4.25, 4.0, 9)
    # What a measure of several rows, or an earlier version, does not state.
    assert own_score(json.dumps({"board": "personalization"})) is None
    assert own_score(json.dumps({"board": "cultural", "figures": {}})) is None
