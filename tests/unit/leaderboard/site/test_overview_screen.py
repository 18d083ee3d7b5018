"""The Overview without a browser: read once per change, what to do next, how the service stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import PageState
from leaderboard.site.overview_screen import OverviewScreen, demonstration, loading
from leaderboard.site.standings import BoardStandingValue
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
    nobody = "No worker is running: submissions wait until one is started."
    assert screen.value()["service"] == ["Nothing has been scored yet.", "Queue: empty.", nobody]
    for team in ("Aurora", "Boreas"):
        services.desk.submit(demonstration_file(team), f"{team}.json", owner="local")
    assert screen.value()["service"][1] == "Queue: 2 waiting, 0 being judged."
    services.store.worker_seen("one", "embedding")
    job = services.store.claim("one")
    assert job is not None
    assert screen.value()["service"][1:] == ["Queue: 1 waiting, 1 being judged.", "1 worker is ready."]
    services.store.finish(job.id, "one", robustness_result({"901": 3.0}).model_dump_json())
    services.store.worker_seen("two", "embedding")
    scored_at = services.store.require(job.id).status_at
    assert screen.value()["service"] == [
        f"Last scored: {scored_at:%Y-%m-%d %H:%M:%S} UTC.",
        "Queue: 1 waiting, 0 being judged.",
        "2 workers are ready.",
    ]


def test_the_three_actions_lead_somewhere(services: Services) -> None:
    links = [action["link"] for action in overview(services).value()["actions"]]
    assert links == ["toy", "submit", "lab"]


def test_reading_begins_where_somebody_leads(services: Services) -> None:
    screen = overview(services, Harbour(), Harbour(*FLEET))
    [board] = screen.value()["boards"]
    assert screen.value()["actions"][0]["hint"].startswith("Boats: ")
    assert screen.value()["actions"][0]["link"] == board["link"]


def test_boards_nobody_has_entered_stand_apart(services: Services) -> None:
    shown = overview(services, Harbour(), Harbour(*FLEET)).value()
    assert [len(shown["boards"]), len(shown["waiting"])] == [1, 1]
    assert shown["boards"][0]["leaders"] != []
    assert (shown["waiting"][0]["leaders"], shown["waiting"][0]["others"]) == ([], [])
    assert shown["waiting"][0]["sure"] != ""


def test_one_banner_says_which_boards_show_examples_of_ours(services: Services) -> None:
    assert overview(services).value()["demonstration"] == ""
    (board,) = overview(services).value()["boards"]
    of_ours = [replaced(board, title) for title in ("Boats", "Rafts")]
    assert demonstration([*of_ours, board]).startswith("Rows marked “written by us” are sample texts")


def replaced(board: BoardStandingValue, title: str) -> BoardStandingValue:
    """The board as one of another title on which an example leads."""
    changed = board.copy()
    changed["title"], changed["is_demonstration"] = title, True
    return changed


def test_before_the_boards_are_read_that_is_said() -> None:
    assert loading()["loading"] == "Reading the boards …"
    assert loading()["boards"] == []
