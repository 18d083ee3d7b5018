"""The variation atlas of every edition: what it shows, where its cells lead, what it keeps."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import orjson
import pytest

from evaluator.results import MetricValue, RobustnessResult
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.editions.screen import EditionsScreen
from leaderboard.boards.editions.state import ConsistencyState, CulturalState
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.atlas import screen as atlas_screen
from leaderboard.boards.robustness.atlas.cells import cells_2024
from leaderboard.boards.robustness.atlas.maps import HeatMap, MapPart, MapSystem
from leaderboard.boards.robustness.atlas.page import AtlasView
from leaderboard.boards.robustness.atlas.screen import MOST_SYSTEMS, AtlasScreen, followed
from leaderboard.boards.robustness.atlas.values import PAGE_PARTS, AtlasMap, AtlasValue, map_value, shown_map
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.boards.robustness.state import EditionState, RobustnessState
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.links import address_of
from leaderboard.page.services import Services
from submissions.promptsets import DEMONSTRATION_2025
from submissions.settings import Settings
from tests import registered
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.leaderboard.boards.robustness.choices.test_screen import PAIR_JUDGE, by_two
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit
from tests.unit.leaderboard.page.addresses import query_of
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped

ATLAS = RobustnessState(set="demonstration", look="atlas")
RATINGS = {"901": 2.0, "902": 4.0, "903": 1.0, "904": 3.0, "905": 5.0, "906": 2.5}
KINDS = {"901": "formality", "903": "formality"}


def screen_over(services: Services) -> AtlasScreen:
    boards, edition_boards = Boards(services.store), EditionBoards(services.store)
    robustness = RobustnessScreen(
        services, boards, JudgeBoards(services.store, boards).report_of, JudgeQualities(services.store)
    )
    return AtlasScreen(boards, robustness, edition_boards, EditionsScreen(services, edition_boards))


@pytest.fixture
def screen(services: Services) -> AtlasScreen:
    return screen_over(services)


def shown(screen: AtlasScreen, state: EditionState) -> AtlasValue:
    value = screen.value(state)
    assert value is not None
    return value


def map_of(screen: AtlasScreen, state: EditionState, key: str) -> AtlasMap:
    return next(one for one in shown(screen, state)["maps"] if one["key"] == key)


def opened(href: str) -> EditionState:
    """What a link of the page opens when it is pasted."""
    state = registered.opened(query_of(href)).state
    assert isinstance(state, EditionState)
    return state


def made(scale: float) -> RobustnessResult:
    return robustness_result({item: rating * scale for item, rating in RATINGS.items()}, variations=KINDS)


def test_the_hardest_item_stands_on_top_and_the_best_system_in_front(screen: AtlasScreen, score: Submit) -> None:
    score(made(0.5), team="A", system="Half")
    score(made(1.0), team="B", system="Whole")
    score(robustness_result(dict.fromkeys(RATINGS, 0.0)), team="C", system="Null: refusal", role="baseline")
    items = map_of(screen, ATLAS, "items")
    assert [system["name"] for system in items["systems"]] == ["Whole", "Half", "Null: refusal"]
    assert [system["style"] for system in items["systems"]] == ["", "", "null-system"]
    assert [line["id"] for line in items["lines"]] == ["903", "901", "906", "904", "902", "905"]
    hardest = items["lines"][0]
    assert hardest["mean"]["text"] == "0.75"  # (1 + 0.5) / 2, without the baseline
    assert hardest["remark"] == "formality"
    assert [cell["text"] for cell in hardest["cells"]] == ["1.00", "0.50", "0.00"]
    assert hardest["cells"][0]["hint"] == "1.00; n = 3 answers"
    assert (items["order_by_mean"], items["order_by_name"]) == ("ascending", "none")
    by_name = map_of(screen, replace(ATLAS, order="name"), "items")
    assert [line["id"] for line in by_name["lines"]] == sorted(RATINGS)


def test_variations_and_languages_have_maps_with_intervals_beside_it(screen: AtlasScreen, score: Submit) -> None:
    score(made(1.0))
    value = shown(screen, ATLAS)
    assert [one["key"] for one in value["maps"]] == ["items", "variations", "languages"]
    variations = {line["id"]: line["cells"][0] for line in value["maps"][1]["lines"]}
    assert variations["formality"]["text"] == "1.50"  # (2 + 1) / 2
    assert variations["formality"]["hint"] == "1.50; n = 2 items"  # two items have no interval
    languages = {line["id"]: line for line in value["maps"][2]["lines"]}
    assert languages["en"]["name"] == "en English"
    assert languages["en"]["cells"][0]["hint"].startswith("2.92 [")  # 17.5 / 6 over six items
    assert languages["sv"]["cells"][0]["text"] == "n/a"
    assert languages["sv"]["cells"][0]["hint"] == "n/a: the judge does not read sv"
    assert languages["sv"]["cells"][0]["at"] == ""


def test_a_cell_opens_its_item_and_the_way_back_leads_to_the_maps(screen: AtlasScreen, score: Submit) -> None:
    ticket = score(made(1.0))
    cell = map_of(screen, ATLAS, "items")["lines"][0]["cells"][0]
    there = opened(cell["href"])
    assert (there.system, there.item, there.look) == (ticket, "903", "atlas")
    assert screen.value(there) is None
    assert screen.value(replace(there, system="", item="")) == screen.value(ATLAS)


def test_a_variation_or_language_narrows_the_maps_and_a_head_opens_its_system(
    screen: AtlasScreen, score: Submit
) -> None:
    ticket = score(made(1.0))
    variations = map_of(screen, ATLAS, "variations")
    formality = next(line for line in variations["lines"] if line["id"] == "formality")
    assert opened(formality["href"]) == opened(formality["cells"][0]["href"]) == replace(ATLAS, variation="formality")
    assert opened(variations["systems"][0]["href"]).system == ticket
    english = map_of(screen, ATLAS, "languages")["lines"][0]
    assert opened(english["href"]) == replace(ATLAS, language="en")


def test_a_part_of_the_set_is_drawn_alone(screen: AtlasScreen, score: Submit) -> None:
    score(made(1.0))
    formality = replace(ATLAS, variation="formality")
    value = shown(screen, formality)
    assert (
        value["title"]
        == "Scores by variation: Demonstration, English, formality items alone, pair mean after the relevance check"
    )
    items = map_of(screen, formality, "items")
    assert [line["id"] for line in items["lines"]] == ["903", "901"]
    assert [line["id"] for line in map_of(screen, formality, "variations")["lines"]] == ["formality"]
    assert map_of(screen, formality, "languages")["lines"][0]["mean"]["text"] == "1.50"


def test_items_left_out_and_another_judge_are_those_of_the_board(
    services: Services, screen: AtlasScreen, score: Submit
) -> None:
    score(by_two(RATINGS, dict.fromkeys(RATINGS, 1.0)))
    without = map_of(screen, replace(ATLAS, without="903,905"), "items")
    assert [line["id"] for line in without["lines"]] == ["901", "906", "904", "902"]
    pair = next(choice.key for choice in Boards(services.store).judges("demonstration") if choice.pin == PAIR_JUDGE)
    by_pair = replace(ATLAS, judged_by=pair)
    assert {line["cells"][0]["text"] for line in map_of(screen, by_pair, "items")["lines"]} == {"1.00"}
    assert "ranked by" in shown(screen, by_pair)["title"]


def test_another_figure_is_one_link_away(screen: AtlasScreen, score: Submit) -> None:
    score(robustness_result(RATINGS, flags=("echo",)))
    choices = {choice["label"]: choice for choice in shown(screen, ATLAS)["figures"]}
    assert [choice["is_chosen"] for choice in choices.values()] == [True, False, False]
    raw = opened(choices["Pair mean before the relevance check"]["href"])
    assert (raw.figure, address_of(raw)) == ("raw", choices["Pair mean before the relevance check"]["href"])
    # An echo in one of three answers: of pairs (1, 2), (1, 3), (2, 3) one passes. Gated 2 / 3, raw 2, worst 0.
    texts = {
        figure: {line["id"]: line["cells"][0]["text"] for line in map_of(screen, state, "items")["lines"]}["901"]
        for figure, state in (("gated", ATLAS), ("raw", raw), ("worst", replace(ATLAS, figure="worst")))
    }
    assert texts == {"gated": "0.67", "raw": "2.00", "worst": "0.00"}


def test_search_and_filters_of_the_ranking_choose_the_columns(screen: AtlasScreen, score: Submit) -> None:
    score(made(0.5), team="Aurora", system="Half")
    score(made(1.0), team="Nordlicht", system="Whole")
    look = replace(ATLAS.table, search="aurora")
    state = replace(ATLAS, table=look)
    items = map_of(screen, state, "items")
    assert [system["name"] for system in items["systems"]] == ["Half"]
    nobody = shown(screen, replace(ATLAS, table=replace(look, search="nobody")))
    assert nobody["maps"] == []
    assert "take back search and filters" in nobody["empty"]


def test_a_long_board_is_cut_and_says_how_to_choose_others(
    screen: AtlasScreen, score: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atlas_screen, "MOST_SYSTEMS", 2)
    for scale in (0.5, 0.75, 1.0):
        score(made(scale), team=f"T{scale}", system=f"S{scale}")
    score(made(0.0), team="N", system="Null: refusal", role="baseline")
    value = shown(screen, ATLAS)
    assert [system["name"] for system in value["maps"][0]["systems"]] == ["S1.0", "Null: refusal"]
    assert any("leaves out 2 more systems" in sentence for sentence in value["said"])
    # The mean is over the systems shown: 903 of S1.0 alone.
    assert value["maps"][0]["lines"][0]["mean"]["text"] == "1.00"


def test_the_file_holds_exactly_what_is_shown(screen: AtlasScreen, score: Submit) -> None:
    ticket = score(made(1.0), system="=cmd")
    formality = replace(ATLAS, variation="formality", figure="raw")
    file = screen.file(formality)
    assert file["name"] == "plumbline-robustness-demonstration-english-formality-atlas-raw.csv"
    records = list(csv.DictReader(io.StringIO(file["text"])))
    assert [(one["map"], one["row"]) for one in records if one["ticket"]] == [
        ("items", "903"),
        ("items", "901"),
        ("variations", "formality"),
        ("languages", "en"),
        ("languages", "sv"),
    ]
    first = records[0]
    assert (first["system"], first["ticket"], first["value"], first["n"]) == ("'=cmd", ticket, "1.0", "3")
    assert records[-2]["reason"] == "the judge does not read sv"


def test_maps_are_made_once_for_all_visitors_until_a_result_changes(
    screen: AtlasScreen, score: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(made(1.0), team="A")
    computed = Mock(wraps=cells_2024)
    monkeypatch.setattr("leaderboard.boards.robustness.atlas.screen.cells_2024", computed)
    for state in (ATLAS, replace(ATLAS, order="name"), replace(ATLAS, rows=2), ATLAS):
        shown(screen, state)
    assert computed.call_count == 1
    score(made(0.5), team="B")
    assert len(map_of(screen, ATLAS, "items")["systems"]) == 2
    assert computed.call_count == 3  # both runs once


def test_the_largest_page_of_maps_stays_small_enough_to_send_at_once() -> None:
    systems = [
        MapSystem(f"{number:016x}", f"system {number} {40 * 'x'}", 12 * "about ", is_null=False)
        for number in range(MOST_SYSTEMS)
    ]
    metric = MetricValue(value=3.25, low=2.9, high=3.61, n=120, unscored=3)
    one = HeatMap(
        key="questions",
        title="Questions",
        part_word="question",
        parts_word="questions",
        units="question",
        parts=tuple(MapPart(f"{number:03}", f"{number:03}", "formality and relation") for number in range(200)),
        cells={f"{number:03}": {system.id: metric for system in systems} for number in range(200)},
    )
    state = ConsistencyState(look="atlas")
    linked = partial(atlas_screen._link, state)
    value = map_value(shown_map(one, systems, "name"), systems, linked, order="name", page=1)
    assert len(value["lines"]) == PAGE_PARTS
    assert len(orjson.dumps(value)) < 300_000


def test_hostile_names_are_sent_as_text(screen: AtlasScreen, score: Submit) -> None:
    name = "${alert(1)}<img src=x onerror=alert(2)>{{x}}"
    score(made(1.0), system=name)
    sent = orjson.loads(AtlasView().postprocess(shown(screen, ATLAS)))
    system = sent["maps"][0]["systems"][0]
    assert system["name"] == "\\${alert(1)}<img src…error=alert(2)>{{x}}"  # 19 + 1 + 20 of its 44 characters
    assert system["about"].startswith(name.replace("$", "\\$"))


@pytest.mark.parametrize(
    "place",
    [None, 3, "x", ["x"], {"order": 1}, {1: "x"}],
)
def test_what_is_no_address_of_the_maps_changes_nothing(place: object) -> None:
    assert followed(ATLAS, place) == ATLAS


def test_following_a_link_changes_what_it_says_and_leaves_the_rest() -> None:
    state = replace(ATLAS, view="all", variation="formality", rows=3, is_dark=True, pair="1-2")
    there = followed(state, query_of(address_of(replace(state, system="7f3a", item="903"))))
    assert there == replace(state, system="7f3a", item="903", pair="")
    assert followed(state, {"order": "sideways", "rows": "-1", "figure": "best", "tab": "judges"}) == replace(
        state, variation="", rows=1, pair=""
    )


def test_it_is_shown_only_where_it_is_looked_at(screen: AtlasScreen) -> None:
    for state in (replace(ATLAS, look="board"), replace(ATLAS, system="7f3a"), replace(ATLAS, tab="judges")):
        assert screen.value(state) is None


def test_a_board_without_anybody_says_what_to_do(screen: AtlasScreen) -> None:
    for state in (ATLAS, ConsistencyState(look="atlas"), CulturalState(look="atlas")):
        value = shown(screen, state)
        assert value["maps"] == []
        assert "submit a file" in value["empty"]


# --- the later editions ----------------------------------------------------------------------------------------------


@pytest.fixture
def editions(tmp_path: Path) -> Iterator[tuple[AtlasScreen, dict[str, str]]]:
    """Two runs of 2025 in two languages and one of 2026; their last tickets by system."""
    house = House(tmp_path)
    tickets = {}
    for system, shared in (("keel", 3), ("spar", 1)):
        for language in ("en", "fi"):
            tickets[system] = house.submit(question_file(system, language, shared), f"{system}_{language}.json")
    tickets["aurora"] = house.submit(zipped(run_files()), "aurora.zip")
    yield screen_over(Services(store=house.store, desk=house.desk, settings=Settings.from_env({}))), tickets
    house.store.close()


def test_a_question_of_2025_opens_for_one_run(editions: tuple[AtlasScreen, dict[str, str]]) -> None:
    screen, tickets = editions
    state = ConsistencyState(look="atlas")
    questions = map_of(screen, state, "questions")
    assert [system["name"] for system in questions["systems"]] == ["keel", "spar"]
    assert [line["id"] for line in questions["lines"][:11]] == [str(number) for number in range(11)]  # not 0, 1, 10
    # Three words and the topic are common, two are not: 4 / 6 of 5 points; one word and the topic: 2 / 8.
    assert [cell["text"] for cell in questions["lines"][0]["cells"]] == ["3.33", "1.25"]
    there = opened(questions["lines"][0]["cells"][1]["href"])
    assert (there.tab, there.system, there.item) == ("consistency", tickets["spar"], "0")
    languages = map_of(screen, state, "languages")
    assert opened(languages["lines"][0]["cells"][0]["href"]).system == tickets["keel"]
    assert languages["lines"][0]["href"] == ""


def test_a_base_question_of_2026_opens_and_a_pair_of_languages_leads_to_the_run(
    editions: tuple[AtlasScreen, dict[str, str]],
) -> None:
    screen, tickets = editions
    state = CulturalState(look="atlas")
    value = shown(screen, state)
    assert [one["key"] for one in value["maps"]] == ["pairs", "languages", "questions"]
    pairs, _, questions = value["maps"]
    assert len(pairs["lines"]) == 10  # 5 languages, two by two
    there = opened(pairs["lines"][0]["cells"][0]["href"])
    assert (there.system, there.item) == (tickets["aurora"], "")
    there = opened(questions["lines"][0]["cells"][0]["href"])
    assert (there.tab, there.system, there.item) == ("cultural", tickets["aurora"], "1")
    rho = shown(screen, replace(state, figure="rho"))
    assert [one["key"] for one in rho["maps"]] == ["pairs", "languages"]
    assert any("so a single one has none" in sentence for sentence in rho["said"])


def test_a_figure_of_another_edition_is_the_first_of_this_one(editions: tuple[AtlasScreen, dict[str, str]]) -> None:
    screen, _ = editions
    value = shown(screen, ConsistencyState(look="atlas", figure="cd"))
    assert [choice["is_chosen"] for choice in value["figures"]] == [True, False, False]
    assert value["title"] == "Scores by variation: ELOQUENT 2025, mean of the pairs after the relevance check"


def test_a_title_goes_on_in_small_letters(editions: tuple[AtlasScreen, dict[str, str]]) -> None:
    screen, _ = editions
    value = screen.value(ConsistencyState(look="atlas", set=DEMONSTRATION_2025))
    assert value is not None
    assert value["title"] == (
        "Scores by variation: our demonstration questions in the form of 2025, "
        "mean of the pairs after the relevance check"
    )
