"""The pages of Personal raters without a browser: both boards, links, one row down to an item."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from leaderboard.boards.personalized_evaluation.board import evaluators_standings
from leaderboard.boards.personalized_evaluation.cache import EvaluatorsBoards
from leaderboard.boards.personalized_evaluation.charts import aspects, tau_against_k, win_rates
from leaderboard.boards.personalized_evaluation.items import ANSWERED_WORDS, predicted_rows, stored_item
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind
from leaderboard.boards.personalized_evaluation.screen import VIEWS, EvaluatorsScreen
from leaderboard.boards.personalized_evaluation.state import EvaluatorsState, PairsState, RatingsState
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.desk.ticket_values import standing_row
from leaderboard.page.board_table import first_look, preset_chosen
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.links import link_of
from leaderboard.page.services import Services
from leaderboard.page.state import chosen
from leaderboard.parts.board_kind import ALL
from leaderboard.parts.drawing import LIGHT, NothingToShow
from leaderboard.site.export import export_boards
from submissions.formats.personalized_evaluation.submission import ASPECTS
from submissions.promptsets import PromptSets
from submissions.schema import Names
from tests.registered import opened
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import (
    LabelJudge,
    choices,
    encoded,
    put_into,
    ratings,
    scored,
    unanswered,
)

collection_chosen = chosen("collection")
k_chosen = chosen("k")
answered_chosen = chosen("answered")
opened_row = chosen("evaluator")
opened_item = chosen("reading")

HOSTILE = "<img src=x onerror=alert(1)>${alert(2)}{{7*7}}"
RATINGS = RatingsState()
PAIRS = PairsState()


@pytest.fixture
def screen(services: Services) -> EvaluatorsScreen:
    store = services.store
    return EvaluatorsScreen(
        services, EvaluatorsBoards(store), JudgeBoards(store, Boards(store)).report_of, JudgeQualities(store)
    )


def read_link(screen: EvaluatorsScreen, link: str) -> tuple[EvaluatorsState, tuple[str, ...]]:
    query = dict(pair.split("=", 1) for pair in link.removeprefix("?").split("&"))
    return screen.understood(opened(query).state)


# --- the boards ------------------------------------------------------------------------------------------------------


def test_an_empty_board_says_what_to_do_and_shows_the_papers_figures(screen: EvaluatorsScreen) -> None:
    said = screen.state_notice(RATINGS)
    assert said is not None
    assert (said["link"], screen.is_empty(RATINGS)) == ("submit", True)
    table = screen.tables["personalized_ratings"].value(RATINGS)
    assert [row["cells"][0]["text"] for row in table["rows"]][:2] == ["PerSE-13b", "Matrix Factorization"]
    assert "rank" not in [head["key"] for head in table["columns"]]  # nobody has one
    assert {row["style"] for row in table["rows"]} == {"published-row"}
    assert said["title"] == "PerMPST: published, as printed; awaiting first submission"
    assert screen.printed_table(RATINGS) is None
    printed = screen.printed_table(PAIRS)
    assert printed is not None
    # arXiv 2310.03304, Table 8: the summarised synopses of two films it remembers, .753 right and .734 consistent.
    (line,) = [row for row in printed["rows"] if [cell["text"] for cell in row["cells"]][3] == "0.73"]
    assert [cell["text"] for cell in line["cells"]] == [
        "both memorized",
        "summarized",
        "0.75",
        "0.73",
        "+0.13",
        "42.5%",
    ]


def test_both_boards_have_choices_of_their_own(screen: EvaluatorsScreen, services: Services) -> None:
    put_into(services.store, ratings(k=2))
    put_into(services.store, choices())
    rated, chosen = screen.completed(RATINGS), screen.completed(PAIRS)
    assert rated.collection != chosen.collection
    assert (rated.k, chosen.k) == ("2", "1")
    assert screen.k_choices(RATINGS) == [("2", "2"), ("all", "all")]
    label = screen.collection_choices(PAIRS)[0][0]
    assert label.startswith("our stories: 30 items of 6 readers (")
    assert not screen.is_empty(RATINGS)


def test_the_table_holds_every_figure_and_its_hints_and_so_does_the_download(
    screen: EvaluatorsScreen, services: Services
) -> None:
    put_into(services.store, choices([0, 1], flipped=[4]))
    every = preset_chosen(PAIRS, ALL)
    table = screen.tables["personalized_pairs"].value(every)
    keys = [head["key"] for head in table["columns"]]
    assert keys[:10] == [
        *("rank", "evaluator", "k", "macro", "interestingness", "adaptability", "surprise", "character", "ending"),
        "gain",
    ]
    assert "bias_memorized" not in keys  # nobody marked a text
    cells = dict(zip(keys, table["rows"][0]["cells"], strict=True))
    # Of 6 items of an aspect 5 are right where one is wrong: (5/6 + 5/6 + 1 + 1 + 1) / 5
    assert cells["macro"]["text"].startswith("93.3% [")
    assert cells["surprise"]["hint"] == "all 6 items, missing = wrong: 100.0%"
    # 29 of 30 kept their text. A is predicted for 15 - 1 + 1 of 30 items, as often as readers choose it.
    assert (cells["consistency"]["text"], cells["bias_first"]["text"]) == ("96.7%", "0.00 no lean")
    record = next(csv.DictReader(io.StringIO(screen.tables["personalized_pairs"].csv(every))))
    assert record["surprise_hint"] == "all 6 items, missing = wrong: 100.0%"
    assert json.loads(screen.tables["personalized_pairs"].json(every))["rows"][0]["bias_first_remark"] == "no lean"


def test_the_first_headline_figures_are_kept_in_the_order_of_the_board(
    screen: EvaluatorsScreen, services: Services
) -> None:
    for error, system in ((8.0, "worst"), (0.1, "best"), (4.0, "middle")):
        put_into(services.store, ratings(error, system=system))
    rows = [row.name for row in screen.tables["personalized_ratings"].rows(RATINGS) if row.is_entry]
    assert rows == ["best", "middle", "worst"]
    look = replace(RATINGS.table, direction="ascending")
    turned = screen.tables["personalized_ratings"].rows(replace(RATINGS, table=look))
    assert [row.name for row in turned if row.is_entry] == rows[::-1]
    assert turned[-1].name == "Constant"  # undefined, last both ways


def test_nobody_ranked_is_said(screen: EvaluatorsScreen, services: Services) -> None:
    put_into(services.store, ratings(missing=range(20)))
    said = screen.state_notice(RATINGS)
    assert said is not None
    assert said["title"].startswith("No row is ranked here")


# --- links -----------------------------------------------------------------------------------------------------------


def test_a_view_has_a_link_that_restores_it(screen: EvaluatorsScreen, services: Services) -> None:
    ticket = put_into(services.store, choices([3]))
    state = replace(screen.completed(PAIRS), evaluator=ticket, answered="wrong", reading="3")
    restored, notes = read_link(screen, link_of(state))
    assert (restored, notes) == (state, ())


def test_the_link_of_a_ticket_finds_its_board_data_and_k(screen: EvaluatorsScreen, services: Services) -> None:
    put_into(services.store, ratings(k=2))
    put_into(services.store, ratings(k=2, system="other"))
    ticket = put_into(services.store, choices())
    found = services.store.ticket(ticket)
    assert found is not None
    row = standing_row(found)
    assert row is not None
    state, notes = read_link(screen, link_of(row))
    assert (state.tab, state.evaluator, state.k, notes) == ("personalized_pairs", ticket, "1", ())


@pytest.mark.parametrize("here", VIEWS)
def test_a_page_whose_link_opens_a_run_of_the_other_page_still_writes_its_own_board(
    screen: EvaluatorsScreen, services: Services, here: EvaluatorsKind
) -> None:
    files = (ratings(), choices())
    tickets = {kind: put_into(services.store, file) for kind, file in zip(VIEWS, files, strict=True)}
    there = next(kind for kind in VIEWS if kind != here)
    state, _ = read_link(screen, f"?tab={here}&evaluator={tickets[there]}")
    assert state.tab == there
    table = screen.tables[here]
    rows = list(csv.DictReader(io.StringIO(table.csv(state))))
    assert "Close reader" in [row["evaluator"] for row in rows]
    assert {"tau" if here == "personalized_ratings" else "macro"} <= rows[0].keys()
    assert json.loads(table.json(state))["board"] == here
    for text in (table.markdown(state), table.latex(state, date(2026, 5, 4)), table.citation(state, "", date.today())):
        assert text
    assert table.value(state)["rows"]
    assert table.understood(state) == (state, ())
    assert screen.charts[here].value(state, 1400)


def test_what_a_link_asks_for_in_vain_is_told(screen: EvaluatorsScreen, services: Services) -> None:
    put_into(services.store, ratings())
    state, notes = read_link(screen, "?tab=personalized_ratings&collection=nowhere&k=7")
    assert state == screen.completed(RATINGS)
    assert notes == (
        "The link's collection (nowhere) is unknown here and was ignored.",
        "The link's k (7) is unknown here and was ignored.",
    )


def test_choices_from_a_browser_change_only_what_is_known() -> None:
    opened = replace(RATINGS, collection="c", k="3", evaluator="t", answered="exact", reading="1")
    assert collection_chosen(RATINGS, 7) is RATINGS
    assert collection_chosen(replace(RATINGS, k="3"), "d") == replace(RATINGS, collection="d")
    assert k_chosen(RATINGS, "0").k == "0"
    assert k_chosen(RATINGS, None) is RATINGS
    assert answered_chosen(RATINGS, "salary") is RATINGS
    assert {answered_chosen(RATINGS, name).answered for name in ANSWERED_WORDS} == set(ANSWERED_WORDS)
    assert opened_row(PAIRS, "t") == replace(PAIRS, evaluator="t")
    assert opened_row(RATINGS, 3) is RATINGS
    assert opened_item(opened, {"row": 1}) is opened
    assert first_look(opened) == replace(RATINGS, collection="c", k="3")


# --- one row ---------------------------------------------------------------------------------------------------------


def test_a_card_of_a_pair_shows_what_was_chosen_in_both_orders(screen: EvaluatorsScreen, services: Services) -> None:
    ticket = put_into(services.store, choices(flipped=[3]))
    items = screen.items_table(screen.completed(replace(PAIRS, evaluator=ticket)))
    assert items is not None
    told = [cell["told"] for cell in items["rows"][0]["cells"] if "told" in cell]
    assert told == ["Reader's choice", "A shown first", "B shown first"]


def test_a_row_opens_with_all_its_figures_and_items(screen: EvaluatorsScreen, services: Services) -> None:
    ticket = put_into(services.store, ratings(1.0, missing=[2], k=2))
    state = screen.completed(replace(RATINGS, evaluator=ticket))
    head = screen.row_notice(state)
    assert head is not None
    assert head["title"] == "Close reader, k = 2"
    assert head["lines"][0].startswith("The scores that Close reader, k = 2 predicts stand in the order of the readers")
    assert "24 items of 6 readers, 23 answered" in head["lines"][3]
    figures = screen.figures_table(state)
    assert figures is not None
    named = {row["cells"][0]["text"]: row["cells"][1]["text"] for row in figures["rows"]}
    assert (named["missing: no_answer"], named["references.matrix_factorization.kendall"]) == ("1", "n/a")
    items = screen.items_table(state)
    assert items is not None
    assert items["summary"] == "24 rows"
    assert ("without an answer (1)", "missing") in screen.answered_choices(state)
    assert [column["label"] for column in items["columns"]][-1] == "Missing"  # no note on any item
    exact = screen.items_table(replace(state, answered="exact"))
    assert exact is not None
    assert [column["label"] for column in exact["columns"]] == [
        "Item",
        "Reader",
        "Reader's score",
        "Predicted",
        "Off by",
    ]
    missing = screen.items_table(replace(state, answered="missing"))
    assert missing is not None
    assert [row["id"] for row in missing["rows"]] == ["2"]


def test_references_published_rows_and_lost_rows_say_what_they_are(
    screen: EvaluatorsScreen, services: Services
) -> None:
    put_into(services.store, ratings())
    for row, title in (
        ("reference/constant/1", "A reference: no evaluator."),
        ("gone", "This row is not on the board."),
    ):
        said = screen.row_notice(replace(RATINGS, evaluator=row))
        assert said is not None
        assert said["title"] == title
    published = screen.row_notice(replace(RATINGS, collection="Amazon", evaluator="published/Amazon/GPT-4"))
    assert published is not None
    assert published["title"] == "GPT-4: published, as printed"
    assert published["lines"][0].startswith("The scores that GPT-4 predicts stand in the order of the readers' own")
    assert published["lines"][2].startswith("Published, as printed (arXiv 2310.03304")
    assert published["link"] == "https://arxiv.org/abs/2310.03304"
    assert not screen.has_items(replace(RATINGS, evaluator="gone"))


def test_an_item_shows_profile_new_text_and_where_prediction_and_reader_stand(
    screen: EvaluatorsScreen, services: Services
) -> None:
    changes = {0: {"score": None, "response": HOSTILE + " Score: 4", "review": "Calm.", "reference_review": "I slept."}}
    ticket = put_into(services.store, ratings(k=2, changes=changes))
    reading = screen.reading(replace(RATINGS, evaluator=ticket, reading="0"))
    assert reading is not None
    assert [entry["said"] for entry in reading["profile"]] == ["score 5", "score 4"]  # mean 5, then one less
    assert reading["predicted"][0]["texts"][0]["text"] == "New story 0."
    # The reader gave 2 and 4 was predicted: 1/9 and 3/9 of the way from 1 to 10.
    assert (reading["scales"][0]["gold"], reading["scales"][0]["predicted"]) == ("0.111", "0.333")
    assert [text["text"] for text in reading["explained"][0]["texts"]] == [HOSTILE + " Score: 4", "Calm.", "I slept."]
    assert reading["distributions"] == []
    assert {fact["name"]: fact["text"] for fact in reading["facts"]}["Reader's score"] == "2 on a scale of 1 to 10"


def test_a_judged_rating_shows_its_distribution_with_the_readers_score_marked(
    screen: EvaluatorsScreen, services: Services
) -> None:
    ticket = put_into(services.store, unanswered(ratings()), LabelJudge())
    reading = screen.reading(replace(RATINGS, evaluator=ticket, reading="2"))
    assert reading is not None
    bars = reading["distributions"][0]["bars"]
    assert [bar["label"] for bar in bars] == [str(score) for score in range(1, 11)]
    assert [bar["label"] for bar in bars if bar["is_gold"]] == ["6"]  # what reader 0 gave the third text
    assert [bar["text"] for bar in bars if bar["share"] == "1.000"] == ["0.60"]
    assert reading["cards"][0]["title"] == "scripted"
    cards = screen.cards(replace(RATINGS, evaluator=ticket))
    assert cards is not None
    mass = next(fact for fact in cards["cards"][0]["facts"] if fact["name"] == "Label mass")
    assert mass["text"] == "0.90"


def test_a_pair_shows_both_orders_and_which_place_was_chosen(screen: EvaluatorsScreen, services: Services) -> None:
    ticket = put_into(services.store, unanswered(choices()), LabelJudge())
    reading = screen.reading(replace(PAIRS, evaluator=ticket, reading="1"))
    assert reading is not None
    given, swapped = reading["orders"]
    assert given["chosen"] == "text A, shown first, unlike the reader"
    assert swapped["chosen"] == "text B, shown first, as the reader"
    assert [bar["label"] for bar in swapped["bars"]] == ["text B", "text A"]
    assert [bar["text"] for bar in swapped["bars"]] == ["0.60", "0.30"]
    assert "it follows the place, not the text" in next(
        fact["text"] for fact in reading["facts"] if fact["name"] == "Note"
    )
    assert reading["predicted"][0]["texts"][1]["marks"] == ["the reader's choice"]
    assert reading["profile_title"] == "The earlier comparison that was shown"


@pytest.mark.parametrize("reading", ["99", "-1", "x", "²"])
def test_an_item_that_is_not_there_is_told(screen: EvaluatorsScreen, services: Services, reading: str) -> None:
    ticket = put_into(services.store, ratings())
    state = replace(RATINGS, evaluator=ticket, reading=reading)
    assert screen.reading(state) is None
    assert screen.reading_notice(state, None) is not None
    assert screen.reading_notice(replace(state, reading=""), None) is None


def test_one_item_is_read_from_its_file_alone() -> None:
    data = encoded(ratings())
    found = stored_item(data, "made.json", Names(), PromptSets.load(None), 5)
    assert found is not None
    assert found.id == "r1t1"
    assert stored_item(data, "made.json", Names(), PromptSets.load(None), 24) is None


def test_scores_are_exact_as_the_figure_counts_them() -> None:
    # Reader 0 gave 2: 2.49 rounds to it, 1.5 does too (halves go up), 2.5 does not.
    changes = {0: {"score": 2.49}, 1: {"gold": 2, "score": 1.5}, 2: {"gold": 2, "score": 2.5}}
    result = scored(ratings(changes=changes))
    exact = {row.id for row in predicted_rows(result, "exact")}
    assert {"0", "1"} <= exact
    assert "2" not in exact
    assert result.report["kind"] == "personalized_ratings"
    assert len(exact) == round((result.report["metrics"]["exact_match"] or 0) * 24)


def test_the_predictions_that_are_furthest_off_are_listed_first() -> None:
    # 2 given 9 is 7 off; the others of `ratings()` are at most 0.2 off; without an answer stands before all.
    rated = predicted_rows(scored(ratings(changes={3: {"gold": 2, "score": 9}, 5: {"score": None}})))
    assert [row.id for row in rated[:2]] == ["5", "3"]
    chosen = predicted_rows(scored(choices([1, 7], flipped=[3])))
    assert {row.id for row in chosen[:2]} == {"1", "7"}
    assert chosen[2].id == "3"


# --- elsewhere -------------------------------------------------------------------------------------------------------


def test_the_card_of_a_system_lists_these_boards(services: Services) -> None:
    tickets = {put_into(services.store, ratings(k=2)), put_into(services.store, choices())}
    boards = EvaluatorsBoards(services.store)
    found = [one for kind in VIEWS for one in evaluators_standings(boards, kind, tickets)]
    assert [one.board for one in found] == [
        "Personal raters: ratings, our stories, k = 2",
        "Personal raters: pairs, our stories, k = 1",
    ]
    assert found[0].headline.startswith("tau, all items ")
    assert found[1].link.startswith("personalized_pairs?evaluator=")


@pytest.mark.parametrize(("document", "tab"), [(ratings(missing=[1]), RATINGS), (choices([2]), PAIRS)])
def test_a_number_is_made_anew_from_its_manifest_and_file(
    screen: EvaluatorsScreen,
    services: Services,
    document: dict[str, Any],
    tab: RatingsState,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ticket = put_into(services.store, document)
    manifest = screen.manifest(replace(tab, evaluator=ticket))
    assert manifest is not None
    (tmp_path / "manifest.json").write_text(manifest["text"])
    (tmp_path / "made.json").write_bytes(encoded(document))
    assert main(["reproduce", str(tmp_path / "manifest.json"), str(tmp_path / "made.json")]) == 0
    assert capsys.readouterr().out.endswith("The same number.\n")
    export_boards(services, tmp_path / "exported")
    exported = str(tmp_path / "exported" / "manifests" / f"{ticket}.json")
    assert main(["reproduce", exported, str(tmp_path / "made.json")]) == 0
    assert capsys.readouterr().out.endswith("The same number.\n")
    changed = json.loads(manifest["text"])
    changed["headline"]["value"] += 0.01
    (tmp_path / "manifest.json").write_text(json.dumps(changed))
    assert main(["reproduce", str(tmp_path / "manifest.json"), str(tmp_path / "made.json")]) == 1
    (tmp_path / "made.json").write_bytes(encoded(document) + b" ")
    with pytest.raises(SystemExit):
        main(["reproduce", str(tmp_path / "manifest.json"), str(tmp_path / "made.json")])


def test_a_manifest_names_every_verdict_of_a_local_judge(screen: EvaluatorsScreen, services: Services) -> None:
    ticket = put_into(services.store, unanswered(choices()), LabelJudge())
    manifest = screen.manifest(replace(PAIRS, evaluator=ticket))
    assert manifest is not None
    body = json.loads(manifest["text"])
    assert body["judges"][0]["name"] == "scripted"
    # Six readers share texts and profiles: five aspects in two orders are different questions.
    assert len(body["verdict_keys"]) == 10
    assert screen.manifest(PAIRS) is None


# --- charts ----------------------------------------------------------------------------------------------------------


def test_charts_show_the_rows_of_the_table(screen: EvaluatorsScreen, services: Services) -> None:
    put_into(services.store, ratings(0.1, k=2))
    put_into(services.store, ratings(4.0, k=0))
    put_into(services.store, choices([1, 7]))
    shown = screen.charts["personalized_ratings"].shown(RATINGS)
    line = tau_against_k(shown, LIGHT).data[0]
    assert [round(x) for x in line.x] == [0, 2]  # one evaluator, both k, though the table shows one of them
    assert line.y[1] > line.y[0]
    shown = screen.charts["personalized_pairs"].shown(PAIRS)
    panels = aspects(shown, LIGHT)
    # Always A has no aspects.
    assert panels.layout.yaxis.ticktext == ("Close reader", "Reviewer Avg.")
    rates = win_rates(shown, LIGHT).data
    assert [trace.name for trace in rates] == ["as the readers", "Close reader, k = 1"]
    for chart in (*screen.charts["personalized_ratings"].charts, *screen.charts["personalized_pairs"].charts):
        assert chart.explanation
    drawn = screen.charts["personalized_pairs"].value(PAIRS, 1400)["charts"]
    assert [chart["table"]["caption"] for chart in drawn if chart["table"]][1:] == [
        "The five aspects",
        "Win rates, predicted and by the readers",
    ]


@pytest.mark.parametrize("width", [1400, 360])
def test_the_five_aspects_have_room_for_their_titles_at_a_desk_and_on_a_phone(
    screen: EvaluatorsScreen, services: Services, width: int
) -> None:
    put_into(services.store, choices([1, 7]))
    layout = aspects(replace(screen.charts["personalized_pairs"].shown(PAIRS), width=width), LIGHT).layout
    titles = [(words.x, words.y, words.text.split("<br>")) for words in layout.annotations]
    assert sorted(lines[0] for _, _, lines in titles) == sorted(f"<b>{aspect}</b>" for aspect in ASPECTS)
    drawn_wide = width - 170  # the names beside the panels
    for x, y, lines in titles:
        wide = max(8 * len(line.removeprefix("<b>").removesuffix("</b>")) for line in lines)  # 8 pixels a bold letter
        for other_x, other_y, _ in titles:
            if (other_x, other_y) == (x, y):
                continue
            beside, below = abs(other_x - x) * drawn_wide, abs(other_y - y) * (layout.height - 120)
            assert beside >= wide or below >= 17 * len(lines), (lines, beside, below)


def test_charts_without_runs_say_so(screen: EvaluatorsScreen) -> None:
    with pytest.raises(NothingToShow):
        tau_against_k(screen.charts["personalized_ratings"].shown(replace(RATINGS, collection="Amazon")), LIGHT)
    with pytest.raises(NothingToShow):
        win_rates(screen.charts["personalized_pairs"].shown(PAIRS), LIGHT)
