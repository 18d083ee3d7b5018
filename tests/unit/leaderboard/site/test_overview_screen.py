"""The Overview without a browser: read once per change, what to do next, how the service stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from leaderboard.page.registered import BoardTools, Fact
from leaderboard.page.services import Services
from leaderboard.page.state import PageState
from leaderboard.parts.tables import PUBLISHED_ROW
from leaderboard.site.overview_screen import MOST_FACTS, OverviewScreen, fact_of_day, facts_in_turn, loading
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.boards.toy_board import FLEET, Boat, opened_toy, toy_table
from tests.unit.leaderboard.conftest import Submit


class Harbour:
    """A board of boats that counts how often it is read."""

    def __init__(self, *boats: Boat) -> None:
        self.boats = boats
        self.readings = 0
        self.table = replace(toy_table(), all_rows=self.read)

    def read(self, state: PageState) -> tuple[Boat, ...]:
        self.readings += 1
        return self.boats


def overview(services: Services, *harbours: Harbour) -> OverviewScreen:
    opened = {str(place): opened_toy(harbour.table) for place, harbour in enumerate(harbours or [Harbour(*FLEET)])}
    return OverviewScreen(BoardTools(services), opened)


def test_boards_are_read_once_per_change_of_results(services: Services, score: Submit) -> None:
    harbour = Harbour(*FLEET)
    screen = overview(services, harbour)
    first = screen.value()
    once = harbour.readings
    assert once > 0
    assert screen.value() == first
    assert harbour.readings == once
    harbour.boats = (Boat("Swift", 9.0),)
    assert screen.value() == first  # nothing was scored: not even looked at
    score(robustness_result({"901": 3.0}))
    assert screen.value()["boards"][0]["leaders"][0]["name"] == "Swift"
    assert harbour.readings > once


def test_the_marker_moves_with_results_and_with_the_service(services: Services, score: Submit) -> None:
    screen = overview(services)
    markers = [screen.marker()]
    assert screen.marker() == markers[0]
    score(robustness_result({"901": 3.0}))
    markers.append(screen.marker())
    services.store.worker_seen("one", "embedding")
    markers.append(screen.marker())
    assert len(set(markers)) == 3


def test_the_service_says_when_something_was_scored_what_waits_and_who_judges(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    screen = overview(services)
    nobody = "No worker is running."
    assert screen.value()["service"] == ["Nothing scored yet.", "Queue: empty.", nobody]
    for team in ("Aurora", "Boreas"):
        services.desk.submit(demonstration_file(team), f"{team}.json", owner="local")
    assert screen.value()["service"][1] == "Queue: 2 waiting."
    services.store.worker_seen("one", "embedding")
    job = services.store.claim("one")
    assert job is not None
    assert screen.value()["service"][1:] == ["Queue: 1 waiting, 1 being judged.", "1 worker is ready."]
    services.store.finish(job.id, "one", robustness_result({"901": 3.0}).model_dump_json())
    services.store.worker_seen("two", "embedding")
    scored_at = services.store.require(job.id).status_at
    assert screen.value()["service"] == [
        f"Last scored: {scored_at:%Y-%m-%d %H:%M:%S} UTC.",
        "Queue: 1 waiting.",
        "2 workers are ready.",
    ]


def test_the_three_actions_lead_somewhere(services: Services) -> None:
    links = [action["link"] for action in overview(services).value()["actions"]]
    assert links == ["toy", "submit", "lab"]


def test_reading_begins_where_somebody_leads(services: Services) -> None:
    screen = overview(services, Harbour(), Harbour(*FLEET))
    [board] = screen.value()["boards"]
    assert screen.value()["actions"][0]["link"] == board["link"]


def test_boards_nobody_has_entered_stand_apart(services: Services) -> None:
    shown = overview(services, Harbour(), Harbour(*FLEET)).value()
    assert [len(shown["boards"]), len(shown["waiting"])] == [1, 1]
    assert shown["boards"][0]["leaders"] != []
    assert (shown["waiting"][0]["leaders"], shown["waiting"][0]["others"]) == ([], [])
    assert shown["waiting"][0]["sure"] != ""


def test_published_figures_stand_above_boards_where_nobody_holds_a_rank(services: Services) -> None:
    unranked = Harbour(Boat("Raft", None, "unranked", tier=1))
    published = Harbour(Boat("Ark", None, "published", style=PUBLISHED_ROW))
    led = Harbour(Boat("Keel", 4.0, "led"))
    shown = overview(services, unranked, published, led).value()
    first = [(board["leaders"] or board["others"])[0]["name"] for board in shown["boards"]]
    assert first == ["Keel", "Ark", "Raft"]


def fact(claim: str) -> Fact:
    return Fact(claim, "95% interval 16% to 21%", "MT-bench, 80 questions", "judges?judge=one")


def test_findings_take_turns_by_day_and_come_back() -> None:
    facts = [fact(name) for name in ("one", "two", "three")]
    days = [date(2026, 11, day) for day in (27, 28, 29, 30)]
    told = [found.claim for day in days for found in fact_of_day(facts, day)]
    assert set(told) == {"one", "two", "three"}
    assert told[0] == told[3]
    assert fact_of_day([], days[0]) == []


def test_every_board_with_findings_has_its_turn() -> None:
    many = [fact(f"many {number}") for number in range(6)]
    told = [found.claim for found in facts_in_turn([many, [], [fact("few")], [fact("one"), fact("two")]])]
    assert told == ["many 0", "few", "one", "many 1", "two"]


def test_the_finding_of_the_day_is_shown_with_interval_source_and_proof_and_moves_the_marker(
    services: Services,
) -> None:
    day = date(2026, 11, 28)
    board = replace(opened_toy(toy_table(FLEET)), facts=lambda: [fact("one"), fact("two")])
    screen = OverviewScreen(BoardTools(services), {"toy": board}, lambda: day)
    [first], marker = screen.value()["facts"], screen.marker()
    assert (first["interval"], first["source"], first["link"]) == (
        "95% interval 16% to 21%",
        "MT-bench, 80 questions",
        "judges?judge=one",
    )
    day = date(2026, 11, 29)
    assert {first["claim"], screen.value()["facts"][0]["claim"]} == {"one", "two"}
    assert screen.marker() != marker


def test_at_most_five_findings_take_turns(services: Services) -> None:
    board = replace(opened_toy(toy_table(FLEET)), facts=lambda: [fact(str(number)) for number in range(9)])
    told = set()
    for day in range(1, 29):
        on_day = date(2026, 11, day)
        screen = OverviewScreen(BoardTools(services), {"toy": board}, lambda on_day=on_day: on_day)  # type: ignore[misc]
        told |= {found["claim"] for found in screen.value()["facts"]}
    assert told == {str(number) for number in range(MOST_FACTS)}


def test_before_the_boards_are_read_that_is_said() -> None:
    assert loading()["loading"] == "Reading the boards …"
    assert loading()["boards"] == []
