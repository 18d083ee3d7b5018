"""Who leads a board and how sure that is, on boards made by the real figures and on one made of boats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.personalization.cache import PersonalizationBoards
from leaderboard.boards.personalization.screen import PersonalizationScreen
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.position_bias.screen import JudgesScreen
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.page.board_table import BoardTable
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.registered import PublishedLead
from leaderboard.page.services import Services
from leaderboard.page.state import PageState, TableState, first_table
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.columns import Column
from leaderboard.parts.tables import NULL_ROW, PUBLISHED_ROW
from leaderboard.parts.visible_text import NAME_CHARACTERS, shortened
from leaderboard.site.standings import MOST_NAMED, BoardStandingValue, example_standing, standing
from tests.registered import KINDS
from tests.unit.leaderboard.boards.personalization import made_personalization
from tests.unit.leaderboard.boards.position_bias import made_position_bias
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.boards.toy_board import FLEET, TOY, toy_table
from tests.unit.leaderboard.conftest import Submit

ITEMS = [f"90{number}" for number in range(1, 8)]
HOSTILE = "<img src=x onerror=alert(1)>${alert(2)}"


@pytest.fixture
def qualities(services: Services) -> JudgeQualities:
    return JudgeQualities(services.store)


@pytest.fixture
def robustness(services: Services, qualities: JudgeQualities) -> RobustnessScreen:
    boards = Boards(services.store)
    return RobustnessScreen(services, boards, JudgeBoards(services.store, boards).report_of, qualities)


def names(found: BoardStandingValue) -> tuple[list[str], list[str]]:
    """Who leads, and who is named below."""
    return [place["name"] for place in found["leaders"]], [place["name"] for place in found["others"]]


# --- Robustness ------------------------------------------------------------------------------------------------------


def test_a_leader_is_shown_with_score_interval_place_and_what_it_rests_on(
    robustness: RobustnessScreen, score: Submit
) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    ticket_id = score(robustness_result(dict.fromkeys(ITEMS, 4.0)), team="Nordlicht", system="Tide")
    found = standing(robustness.board)
    assert names(found) == (["Tide"], [])
    leader = found["leaders"][0]
    # Every pair of every item is rated 4: mean 4, 4 of 5 = 0.8. An eighth at either end of the scale weighs at
    # most w = 1 - 0.025^(1/7) = 0.41: 4 - 4 w and 4 + w.
    assert leader["text"] == "4.00 [2.36, 4.41]"
    bar = leader["bar"]
    assert bar is not None
    assert (bar["at"], bar["zero"]) == ("0.8", "")
    assert (float(bar["low"]), float(bar["high"])) == pytest.approx((2.36 / 5, 4.41 / 5), abs=0.002)
    assert leader["rank"] == "1"
    assert leader["whose"] == "Nordlicht · Model"
    assert leader["link"] == f"robustness?set=demonstration&system={ticket_id}"
    assert found["link"] == "robustness?set=demonstration"
    assert found["sure"] == "Clear leader among two systems."


def test_systems_that_cannot_be_told_apart_share_the_first_rank(robustness: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 4.0)), team="Nordlicht", system="Tide")
    # One item 0.7 lower: mean (6 * 4 + 3.3) / 7 = 3.9; a resample may leave that item out, so the interval covers 0.
    score(robustness_result(dict.fromkeys(ITEMS, 4.0) | {"901": 3.3}), team="Aurora", system=HOSTILE)
    score(robustness_result(dict.fromkeys(ITEMS, 1.0)), team="Boreas", system="Reef")
    found = standing(robustness.board)
    assert names(found) == (["Tide", shortened(HOSTILE, NAME_CHARACTERS)], [])
    assert [place["rank"] for place in found["leaders"]] == ["1-2", "1-2"]
    assert found["leaders"][1]["text"].startswith("3.90 [")
    assert found["sure"] == "Two systems may be first."
    # Tide is nowhere behind.
    assert found["deciding"] == ""  # no removal of items changes who is first: the board says it
    assert found["more"] == ""


def test_only_some_of_many_on_the_first_rank_are_named(robustness: RobustnessScreen, score: Submit) -> None:
    for name in ("A", "B", "C", "D", "E", "F"):
        score(robustness_result(dict.fromkeys(ITEMS, 3.0)), team=name, system=name)
    found = standing(robustness.board)
    assert names(found) == (["A", "B"], [])
    assert len(found["leaders"]) == MOST_NAMED
    assert found["sure"] == "Six systems may be first."


def test_a_single_system_leads_nobody(robustness: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)), system="Keel")
    found = standing(robustness.board)
    assert names(found) == (["Keel"], [])
    assert found["sure"] == "The only ranked system so far."


def test_what_must_be_known_about_the_leader_stands_beside_it(robustness: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)), team="Aurora", system="Keel")
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)), team="null", system="refusal", role="baseline")
    assert standing(robustness.board)["leaders"][0]["note"] == "not separable from baseline: refusal"


def test_an_empty_board_says_what_to_do(robustness: RobustnessScreen) -> None:
    found = standing(robustness.board)
    assert names(found) == ([], [])
    assert found["sure"].startswith("Awaiting first submission on this prompt set. Submit a file")


def test_null_rows_alone_lead_nothing(robustness: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)), system="refusal", role="baseline")
    found = standing(robustness.board)
    assert names(found) == ([], [])
    assert found["sure"].endswith("Only baselines so far.")


def test_a_row_without_a_rank_leads_nothing_and_says_why(robustness: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 3.0), rankable=False), system="Keel")
    found = standing(robustness.board)
    assert names(found) == ([], ["Keel"])
    assert found["sure"] == "No ranked systems yet: 1 unranked."
    assert found["others"][0]["rank"] == ""
    assert found["others"][0]["note"].startswith("not ranked: ")


# --- the other boards ------------------------------------------------------------------------------------------------


def test_judges_nobody_may_rank_are_named_with_the_reason(services: Services, qualities: JudgeQualities) -> None:
    few = made_position_bias.judges_result(made_position_bias.verdicts({"steady": "AB BA"}))  # 40 comparisons
    made_position_bias.put_into(services.store, [few])
    found = standing(JudgesScreen(JudgeBoards(services.store, Boards(services.store)), qualities).board)
    assert names(found) == (["gpt-4-0613"], ["steady"])  # what was published stands above it
    assert found["sure"] == "Most consistent of three judges on 80 questions."
    assert found["others"][0]["note"] == "not ranked: covers 40 of 2400 items (at least 98%)"
    assert found["others"][0]["link"].startswith("judges?benchmark=mtbench-3&judge=")


def test_where_lower_is_better_the_lowest_leads(services: Services, qualities: JudgeQualities) -> None:
    for lost, name in ((30, "worse"), (3, "better")):
        made_personalization.put_into(
            services.store, made_personalization.large_file(lost=lost, ignored=0, system=name)
        )
    boards = PersonalizationBoards(services.store)
    judges = JudgeBoards(services.store, Boards(services.store))
    found = standing(PersonalizationScreen(services, boards, judges.report_of, qualities).board)
    assert names(found) == (["better · naive"], [])
    leader = found["leaders"][0]
    # 3 of 60 answers turn wrong, and every preference is followed: 5%.
    assert leader["text"].startswith("5.0% [")
    assert leader["bar"] is not None
    assert leader["bar"]["at"] == "0.05"
    assert found["sure"] == "Clear leader among two entries."


def test_a_reason_that_stands_in_place_of_the_headline_is_not_said_again(
    services: Services, qualities: JudgeQualities
) -> None:
    unjudged = made_personalization.scored(
        made_personalization.large_file(lost=0, ignored=0), judge=made_personalization.rating_judge(followed=None)
    )
    made_personalization.put_into(services.store, made_personalization.large_file(lost=0, ignored=0), unjudged)
    boards = PersonalizationBoards(services.store)
    judges = JudgeBoards(services.store, Boards(services.store))
    found = standing(PersonalizationScreen(services, boards, judges.report_of, qualities).board)
    assert [(place["text"], place["note"]) for place in found["others"]] == [("n/a (needs a language-model judge)", "")]


def test_a_registered_board_needs_nothing_but_its_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "toy", TOY)
    found = standing(toy_table(FLEET))
    assert (found["title"], found["link"]) == ("Boats", "toy")
    assert names(found) == (["Keel"], [])
    assert found["leaders"][0]["text"] == "4.00"
    assert found["sure"] == "This board gives no ranks."
    assert standing(toy_table(()))["sure"] == "No boat yet: build one."
    assert standing(toy_table(FLEET[3:]))["sure"].endswith("Only baselines so far.")  # the baseline


@dataclass(frozen=True, slots=True)
class Racer:
    """A boat that was ranked."""

    id: str
    speed: float
    rank: RankBand
    style: str = ""
    tier: int = 0


@dataclass(frozen=True, slots=True)
class Published(Racer):
    """A boat in somebody's book."""

    speed: float | None = None  # type: ignore[assignment]
    rank: RankBand | None = None  # type: ignore[assignment]
    style: str = PUBLISHED_ROW


RACE: BoardKind[Racer] = BoardKind(
    "race",
    "Race",
    (
        Column("rank", "Rank", "rank", lambda row: row.rank, "Places.", "lower"),
        Column("boat", "Boat", "text", lambda row: row.id, "Its name.", is_name=True),
        Column("speed", "Speed", "decimal", lambda row: row.speed, "Knots.", "higher"),
    ),
    "speed",
    nouns=("boat", "boats"),
)


@dataclass(frozen=True, slots=True)
class RaceState(PageState):
    kind: ClassVar = RACE

    tab: str = "race"
    table: TableState = first_table(RACE)


def race(*racers: Racer) -> BoardTable[Racer, Any]:
    return BoardTable(
        RaceState,
        all_rows=lambda state: racers,
        caption=lambda state: "Race",
        empty=lambda state: "Nobody.",
        about=lambda state: {},
    )


def test_bands_that_overlap_below_the_first_rank_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    # Keel beats Tide, Tide beats Reef, and yet Reef cannot be told from Keel.
    racers = (
        Racer("Keel", 3.0, RankBand(1, 2)),
        Racer("Tide", 2.0, RankBand(2, 2)),
        Racer("Reef", 1.0, RankBand(2, 3)),
    )
    found = standing(race(*racers, Racer("Drift", 9.0, RankBand(1, 1), style=NULL_ROW)))
    assert names(found) == (["Keel"], [])
    assert found["sure"] == "First, but not separable from one of the two others."


def test_a_lead_over_several_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    racers = [Racer(name, speed, RankBand(4 - speed, 4 - speed)) for name, speed in (("A", 1), ("B", 2), ("C", 3))]
    found = standing(race(*racers))
    assert names(found) == (["C"], [])
    assert found["sure"] == "Clear leader among three boats."


# --- what others published -------------------------------------------------------------------------------------------


def test_where_nobody_came_the_best_published_judge_is_named_and_said_to_be_so(
    services: Services, qualities: JudgeQualities
) -> None:
    found = standing(JudgesScreen(JudgeBoards(services.store, Boards(services.store)), qualities).board)
    # Of nine published judges three compared every pair: only they can be read beside each other.
    assert names(found) == (["gpt-4-0613"], [])
    leader = found["leaders"][0]
    assert (leader["origin"], leader["mark"], leader["rank"]) == ("published", "published, recomputed", "")
    assert leader["text"].startswith("0.82 [0.79, 0.84]")
    assert leader["whose"] == "arXiv 2406.07791"
    assert leader["link"] == "judges?benchmark=mtbench-3&judge=published%2Fgpt-4-0613"
    assert found["sure"] == "Most consistent of three judges on 80 questions."


def test_beside_what_somebody_entered_the_best_published_stands_apart(
    services: Services, qualities: JudgeQualities
) -> None:
    whole = made_position_bias.judges_result(made_position_bias.verdicts({"sent": "AB AA"}, queries=2400))
    made_position_bias.put_into(services.store, [whole])
    found = standing(JudgesScreen(JudgeBoards(services.store, Boards(services.store)), qualities).board)
    # PC 1/2 leads, although .82 was published: nobody is ranked with what others published.
    assert names(found) == (["sent"], ["gpt-4-0613"])
    assert found["sure"] == "The only ranked judge so far."
    assert found["others"][0]["origin"] == "published"


def test_published_rows_without_the_figure_that_ranks_say_what_was_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = replace(RACE, instead="boat")
    monkeypatch.setattr(RaceState, "kind", kind)
    found = standing(race(Published("Ark"), Published("Raft")))
    assert names(found) == ([], ["Ark"])
    assert found["sure"] == "Speed was not published; boat shown."
    assert [place["text"] for place in found["others"]] == ["Ark"]


def test_what_was_published_elsewhere_than_in_rows_leads_where_nobody_came() -> None:
    lead = PublishedLead("Swift", "9 knots", "published, as printed", "4 boats in a log", "race?look=log")
    found = standing(race(), lead)
    assert names(found) == (["Swift"], [])
    assert found["sure"] == "First of 4 boats in a log."
    assert (found["leaders"][0]["origin"], found["leaders"][0]["mark"]) == ("published", "published, as printed")
    entered = standing(race(Racer("Keel", 3.0, RankBand(1, 1))), lead)
    assert names(entered) == (["Keel"], ["Swift"])


def test_examples_of_ours_stand_apart_from_what_was_sent(robustness: RobustnessScreen, score: Submit) -> None:
    assert example_standing(robustness.board) is None
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)), system="Keel", role="example")
    apart = example_standing(robustness.board)
    assert apart is not None
    assert names(apart) == (["Keel"], [])
    assert (apart["leaders"][0]["origin"], apart["leaders"][0]["note"]) == ("by us", "")
    assert standing(robustness.board)["sure"].endswith("Only baselines so far.")
    score(robustness_result(dict.fromkeys(ITEMS, 4.0)), system="Tide")
    assert names(standing(robustness.board)) == (["Tide"], [])
    assert standing(robustness.board)["sure"] == "The only ranked system so far."


def test_an_entry_behind_an_example_is_said_to_be_behind_it(robustness: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 4.0)), system="Keel", role="example")
    score(robustness_result(dict.fromkeys(ITEMS, 1.0)), system="Tide")
    assert names(standing(robustness.board)) == (["Tide"], [])
    assert standing(robustness.board)["sure"] == "Ranked behind examples of ours."
    assert standing(robustness.board)["deciding"] == ""


def test_one_published_row_alone_is_the_best_of_none() -> None:
    assert standing(race(Compared("Ark", 3.0)))["sure"] == "The only published boat."
    two = standing(race(Compared("Ark", 3.0), Compared("Raft", 2.0)))
    assert (names(two), two["sure"]) == ((["Ark"], []), "Best of two boats.")


@dataclass(frozen=True, slots=True)
class Compared(Racer):
    """A boat in somebody's book, with its speed."""

    rank: RankBand | None = None  # type: ignore[assignment]
    style: str = PUBLISHED_ROW
