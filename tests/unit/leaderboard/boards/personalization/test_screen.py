"""The Personalization tab without a browser: its board, its charts, one row down to an answer."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from evaluator.judges.scripted import ScriptedJudge
from leaderboard.boards.personalization.cache import PersonalizationBoards
from leaderboard.boards.personalization.charts import CHARTS
from leaderboard.boards.personalization.examples import stored_row
from leaderboard.boards.personalization.figures import BESIDE_BREAKAGE, change_words, hover
from leaderboard.boards.personalization.screen import PersonalizationScreen
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.desk.ticket_values import standing_row
from leaderboard.lab.tally import TALLY_COLUMNS
from leaderboard.page.board_table import filter_chosen, first_look, preset_chosen
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.links import address_of, link_of
from leaderboard.page.services import Services
from leaderboard.page.state import chosen
from leaderboard.parts.board_kind import ALL
from submissions.promptsets import PromptSets
from submissions.schema import Names
from tests.registered import opened
from tests.unit.leaderboard.boards.personalization.made_personalization import (
    OTHER,
    WORKED_EXAMPLE,
    answered,
    control,
    document,
    large_file,
    pairs,
    put_into,
    row,
    saying,
    scored,
)

dataset_chosen = chosen("dataset")
opened_example = chosen("example")
opened_row = chosen("answers")
outcome_chosen = chosen("outcome")
setting_chosen = chosen("setting")

HOSTILE = "<img src=x onerror=alert(1)>${alert(2)}{{7*7}}"
PAPER = "full.commonsense_qa.mmlu.truthful_qa"
OURS = PersonalizationState(dataset="ours")


@pytest.fixture
def screen(services: Services) -> PersonalizationScreen:
    return PersonalizationScreen(
        services,
        PersonalizationBoards(services.store),
        JudgeBoards(services.store, Boards(services.store)).report_of,
        JudgeQualities(services.store),
    )


def systems(screen: PersonalizationScreen, state: PersonalizationState, **look: Any) -> list[str]:
    rows = screen.board.rows(replace(state, table=replace(state.table, **look)))
    return [row.name for row in rows if row.is_entry]


# --- the board -------------------------------------------------------------------------------------------------------


def test_the_most_robust_row_is_on_top_and_undefined_ones_are_last_both_ways(
    screen: PersonalizationScreen, services: Services
) -> None:
    put_into(services.store, large_file(lost=30, ignored=0, system="worse"))
    put_into(services.store, large_file(lost=3, ignored=0, system="better"))
    unjudged = large_file(lost=0, ignored=0, system="unjudged")
    put_into(services.store, unjudged, scored(unjudged, ScriptedJudge()))
    assert systems(screen, OURS) == ["better", "worse", "unjudged"]
    assert systems(screen, OURS, direction="descending") == ["worse", "better", "unjudged"]
    assert systems(screen, OURS, search="WORSE; unjud") == ["worse", "unjudged"]


def test_the_first_screen_shows_the_data_sets_most_runs_have_answered(
    screen: PersonalizationScreen, services: Services
) -> None:
    assert screen.completed(PersonalizationState()).dataset == PAPER  # the paper's, while nobody has come
    put_into(services.store, large_file(lost=1, ignored=0, datasets=("ours", "theirs")))
    assert screen.completed(PersonalizationState()).dataset == "full.ours.theirs"
    put_into(services.store, large_file(lost=2, ignored=0, system="two"))
    put_into(services.store, large_file(lost=3, ignored=0, system="three"))
    assert screen.completed(PersonalizationState()).dataset == "ours"
    assert screen.completed(OURS).dataset == "ours"
    assert ("full: ours, theirs pooled", "full.ours.theirs") in screen.dataset_choices()


def test_what_we_recorded_ourselves_is_not_shown_first_but_named(
    screen: PersonalizationScreen, services: Services
) -> None:
    recorded = document(pairs(WORKED_EXAMPLE, dataset="ours"), system="Small model")
    put_into(services.store, recorded, role="recorded")
    assert screen.completed(PersonalizationState()).dataset == PAPER
    notice = screen.state_notice(PersonalizationState())
    assert notice is not None
    assert notice["lines"][-1] == (
        "Answers of Small model (a very small real model, recorded by us) are on other questions: choose “ours” under "
        "Data sets."
    )


def test_the_drawer_of_what_is_shown_says_it_while_it_is_closed(screen: PersonalizationScreen) -> None:
    assert screen.shown_words(OURS) == "Showing one relevant, ours"
    pooled = replace(OURS, dataset=PAPER, setting="mixed")
    assert screen.shown_words(pooled) == (
        "Showing one relevant among others, full: commonsense_qa, mmlu, truthful_qa pooled"
    )


def test_an_empty_view_says_how_to_submit_and_still_shows_the_published_figures(screen: PersonalizationScreen) -> None:
    state = replace(OURS, dataset=PAPER)
    notice = screen.state_notice(state)
    assert notice is not None
    assert notice["title"].endswith("published, as printed; awaiting first submission")
    assert screen.has_charts(state)
    assert {row.published for row in screen.board.rows(state)} == {"published, as printed"}
    assert screen.board.value(replace(state, setting="none"))["rows"] == []


def test_intervals_are_promised_where_a_row_has_one(screen: PersonalizationScreen, services: Services) -> None:
    printed = screen.board.value(PersonalizationState())
    assert not any("[" in cell["text"] for row in printed["rows"] for cell in row["cells"])
    assert "interval" not in printed["caption"]
    put_into(services.store, large_file(lost=0, ignored=0))
    measured = screen.board.value(screen.completed(PersonalizationState()))
    assert any("[" in cell["text"] for row in measured["rows"] for cell in row["cells"])
    assert "with 95% intervals" in measured["caption"]


def test_a_board_without_a_ranked_row_says_so(screen: PersonalizationScreen, services: Services) -> None:
    put_into(services.store, document(pairs(WORKED_EXAMPLE)))
    notice = screen.state_notice(OURS)
    assert notice is not None
    assert notice["title"] == "No row is ranked in this view; each says why in its note."
    put_into(services.store, large_file(lost=3, ignored=0, system="large"))
    assert screen.state_notice(OURS) is None


def test_breakage_never_stands_alone_in_table_csv_and_hover(screen: PersonalizationScreen, services: Services) -> None:
    put_into(services.store, large_file(lost=6, ignored=3, aligner_lost=1, repeats=True))
    shown = [head["key"] for head in screen.board.value(OURS)["columns"]]
    place = shown.index("breakage_rate")
    beside = {"robustness_error", "breakage_rate", "alignment_failure", "unchanged_rate", "fallback_rate"}
    assert set(shown[place - 1 : place + 4]) == beside == set(BESIDE_BREAKAGE)
    records = list(csv.DictReader(io.StringIO(screen.board.csv(preset_chosen(OURS, ALL)))))
    assert beside <= records[0].keys()
    naive = next(one for one in records if one["method"] == "naive")
    # 6 of 60 wrong, 3 of 60 ignored, no common row
    assert float(naive["breakage_rate"]) == pytest.approx(0.1)
    assert float(naive["robustness_error"]) == pytest.approx(0.15)
    assert naive["fallback_rate"] == ""
    # the second control run is wrong in 3 of 60
    assert float(naive["repeat_breakage"]) == pytest.approx(0.05)
    point = hover(next(row for row in screen.board.rows(OURS) if row.method == "naive"))
    assert "breakage 10.0% [" in point
    assert all(
        name in point
        for name in ("alignment failure 5.0%", "robustness error 15.0%", "unchanged", "aligner failed n/a")
    )


def test_numbers_are_percent_with_their_interval_and_gaps_say_why(
    screen: PersonalizationScreen, services: Services
) -> None:
    put_into(services.store, large_file(lost=6, ignored=0))
    table = screen.board.value(preset_chosen(replace(OURS, setting="irrelevant"), ALL))
    shown = next(one for one in table["rows"] if one["id"].endswith("/naive"))
    cells = {head["key"]: cell["text"] for head, cell in zip(table["columns"], shown["cells"], strict=True)}
    assert cells["breakage_rate"].startswith("5.0% [")  # half of the six
    assert cells["alignment_failure"] == "n/a (no preference is relevant)"
    assert cells["repeat_breakage"] == "n/a (no repeat run)"
    assert cells["judge"] == "scripted (- @ word-overlap)"


def test_the_download_names_setting_and_data_sets(screen: PersonalizationScreen, services: Services) -> None:
    put_into(services.store, large_file(lost=6, ignored=0))
    found = json.loads(screen.board.json(OURS))
    assert (found["setting"], found["dataset"]) == ("relevant", "ours")
    assert found["rows"][0]["robustness_error"]["n"] == 60


# --- charts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_dark", [False, True])
def test_every_chart_is_drawn_and_has_its_numbers_behind_it(
    screen: PersonalizationScreen, services: Services, is_dark: bool
) -> None:
    put_into(services.store, large_file(lost=6, ignored=3, aligner_lost=1, repeats=True, system=HOSTILE))
    drawn = screen.charts_value(replace(OURS, is_dark=is_dark))
    assert len(drawn["figures"]) == len(drawn["charts"]) == len(CHARTS) == 4
    for chart in drawn["charts"]:
        table, drawing = chart["table"], drawn["figures"][chart["key"]].to_json()
        assert table is not None
        assert "could not be drawn" not in drawing
        assert "<img" not in drawing
        assert table["rows"]
        labels = {head["label"] for head in table["columns"]}
        assert {"breakage", "alignment failure", "robustness error", "unchanged", "fallback"} <= labels


def test_the_noise_floor_is_a_band_where_controls_were_run_again(
    screen: PersonalizationScreen, services: Services
) -> None:
    put_into(services.store, large_file(lost=6, ignored=0, repeats=True))
    noise = screen.charts_value(OURS)["figures"]["noise"].to_dict()
    assert [shape["type"] for shape in noise["layout"]["shapes"]] == ["rect"]
    assert noise["layout"]["legend"]["y"] < -0.3  # below the title of the axis, however few rows there are
    put_into(services.store, large_file(lost=3, ignored=0, system="once"))
    assert len(screen.charts_value(OURS)["figures"]["noise"].to_dict()["layout"]["shapes"]) == 1


def test_a_chart_without_data_says_why(screen: PersonalizationScreen) -> None:
    figures = screen.charts_value(replace(OURS, setting="none"))["figures"].values()
    assert len(figures) == len(CHARTS)
    assert all("view" in figure.layout.annotations[0].text for figure in figures)


def test_charts_are_drawn_anew_only_when_they_change(screen: PersonalizationScreen, services: Services) -> None:
    put_into(services.store, large_file(lost=6, ignored=0))
    marker = screen.charts_marker(OURS)
    assert screen.charts_marker(replace(OURS, table=replace(OURS.table, search="x"))) == marker
    assert screen.charts_marker(replace(OURS, is_dark=True)) != marker
    assert screen.charts_marker(replace(OURS, setting="mixed")) != marker
    put_into(services.store, large_file(lost=7, ignored=0, system="new"))
    assert screen.charts_marker(OURS) != marker


def test_a_change_without_interval_has_no_words() -> None:
    assert change_words(None) == ""


# --- one row ---------------------------------------------------------------------------------------------------------


def test_a_row_opens_its_groups_its_rules_and_its_judge(screen: PersonalizationScreen, services: Services) -> None:
    ticket = put_into(services.store, large_file(lost=6, ignored=0, aligner_lost=1, datasets=("ours", "theirs")))
    state = opened_row(OURS, f"{ticket}/naive")
    groups, rules, cards, head = (
        screen.groups_table(state),
        screen.rules_table(state),
        screen.cards(state),
        screen.row_notice(state),
    )
    assert groups is not None
    assert rules is not None
    assert cards is not None
    assert head is not None
    # relevant: 2 methods, irrelevant and none: 1 each; two data sets and both pooled
    assert len(groups["rows"]) == 4 * 3
    assert screen.groups_label(groups) == "Everything this run was scored on (12 groups)"
    assert {cell["text"] for one in rules["rows"] for cell in one["cells"]} >= {"100.0%"}
    assert cards["cards"][0]["title"] == "scripted"
    assert head["lines"][0].startswith("Of the 60 answers that ")
    assert head["link"] == f"queue?ticket={ticket}"
    assert screen.has_answers(state)


def test_answers_are_listed_by_outcome_in_the_chosen_setting(screen: PersonalizationScreen, services: Services) -> None:
    ticket = put_into(services.store, document(pairs(WORKED_EXAMPLE)))
    state = opened_row(OURS, f"{ticket}/naive")
    table = screen.examples_table(state)
    assert table is not None
    assert [one["cells"][0]["text"] for one in table["rows"]] == [f"q{number}" for number in range(1, 9)]
    assert screen.outcome_choices(state) == [
        ("all (8)", ""),
        ("robust (2)", "robust"),
        ("breakage (1)", "breakage"),
        ("alignment failure (1)", "alignment_failure"),
        ("breakage and alignment failure (1)", "breakage_and_alignment_failure"),
        ("recovered (2)", "recovered"),
        ("never right (1)", "never_right"),
    ]
    lost = screen.examples_table(outcome_chosen(state, "breakage"))
    assert lost is not None
    assert [one["cells"][0]["text"] for one in lost["rows"]] == ["q3"]
    empty = screen.examples_table(setting_chosen(state, "mixed"))
    assert empty is not None
    assert empty["empty"].startswith("This row has no such answer")


def test_an_example_opens_with_its_texts_side_by_side(screen: PersonalizationScreen, services: Services) -> None:
    stage = {"draft": "Draft text, the answer is A.", "aligner_raw": "no JSON at all", "thoughts": "Kept."}
    rows = [
        control("q1", saying(True)),
        row(
            "q1", "mixed", "pref_aligner", [OTHER, HOSTILE], 1, response_with_preference=saying(False, 4), **stage,
            finish_reason="length", followed_rating=2,
        ),
    ]  # fmt: skip
    ticket = put_into(services.store, document(rows))
    state = opened_example(opened_row(replace(OURS, setting="mixed"), f"{ticket}/pref_aligner"), "1")
    found = screen.example(state)
    assert found is not None
    assert found["sentence"] == (
        "The right answer (A) turns wrong (B), but follows the relevant preference (4.00 of 5); the aligner failed, "
        "so this is the draft."
    )
    assert [one["title"] for one in found["texts"]] == [
        "Control: without preferences",
        "Draft: stage 1",
        "Answer: with preferences",
        "Thoughts of stage 2",
        "Reply of stage 2 as it came",
    ]
    assert found["texts"][0]["marks"] == ["letter A, stated in the text", "right"]
    assert found["texts"][2]["marks"] == [
        "letter B, stated in the text",
        "wrong",
        "aligner failed; draft kept",
        "truncated",
    ]
    assert found["preferences"] == [{"text": OTHER, "is_relevant": False}, {"text": HOSTILE, "is_relevant": True}]
    facts = {one["name"]: one["text"] for one in found["facts"]}
    assert facts["Followed"] == "4.00 of 5, followed (threshold 3)"
    assert facts["Reported by the team"] == "2 of 5"
    assert facts["Outcome"] == "breakage"
    assert found["options"] == ["A. red", "B. blue"]


@pytest.mark.parametrize(
    ("example", "setting"), [("7", "relevant"), ("-1", "relevant"), ("x", "relevant"), ("²", "relevant")]
)
def test_an_example_that_is_not_there_says_so(
    screen: PersonalizationScreen, services: Services, example: str, setting: str
) -> None:
    ticket = put_into(services.store, document(pairs([(True, True, 5)])))
    state = replace(OURS, answers=f"{ticket}/naive", example=example)
    assert screen.example(state) is None
    notice = screen.example_notice(state, None)
    assert notice is not None
    assert notice["title"] == "This example is missing."


def test_rows_that_are_no_submission_say_what_they_are(screen: PersonalizationScreen, services: Services) -> None:
    put_into(services.store, large_file(lost=6, ignored=0))
    titles = {
        id_: (screen.row_notice(opened_row(OURS, id_)) or {"title": ""})["title"]
        for id_ in ("null/the control unchanged", "published/Llama3-8B/naive", "gone/naive")
    }
    assert list(titles.values()) == [
        "A baseline: not a system.",
        "Llama3-8B · naive: published, as printed",
        "This row is not on the board.",
    ]
    theirs = screen.row_notice(opened_row(replace(OURS, dataset=PAPER), "published/Llama3-8B/naive"))
    assert theirs is not None
    # arXiv 2509.19358, one relevant preference, all data sets: 16.8, 7.6, 20.9 and 28.3 are printed.
    assert theirs["lines"][:2] == [
        "Of the answers that Llama3-8B · naive gets right without preferences, 20.9% turn wrong or leave the relevant "
        "one aside once preferences are given.",
        "Robustness error 20.9%; Breakage 16.8%; Alignment failure 7.6%; Variation 28.3%.",
    ]
    assert not screen.has_answers(opened_row(OURS, "gone/naive"))
    assert screen.examples_table(opened_row(OURS, "gone/naive")) is None


def test_a_withdrawn_run_leaves_the_board(screen: PersonalizationScreen, services: Services) -> None:
    ticket = put_into(services.store, large_file(lost=6, ignored=0))
    assert systems(screen, OURS) == ["Steady"]
    services.store.withdraw(ticket, "local")
    assert systems(screen, OURS) == []


# --- links -----------------------------------------------------------------------------------------------------------


def test_a_link_restores_the_view(screen: PersonalizationScreen, services: Services) -> None:
    ticket = put_into(services.store, large_file(lost=6, ignored=0))
    state = outcome_chosen(opened_row(replace(OURS, setting="irrelevant"), f"{ticket}/naive"), "breakage")
    link = link_of(state)
    assert link == f"?tab=personalization&setting=irrelevant&dataset=ours&answers={ticket}%2Fnaive&outcome=breakage"
    query = dict(part.split("=") for part in link[1:].replace("%2F", "/").split("&"))
    assert screen.understood(opened(query).state) == (state, [])
    unknown = opened(query | {"dataset": "nowhere", "outcome": "bad"})
    assert unknown.notes == ("The link's outcome (bad) is unknown here and was ignored.",)
    assert screen.understood(unknown.state)[1] == ["The link's dataset (nowhere) is unknown here and was ignored."]


def test_a_ticket_leads_to_its_answers_in_a_setting_it_has(screen: PersonalizationScreen, services: Services) -> None:
    rows = [
        control("q1", saying(True)),
        row("q1", "irrelevant", "cot", [OTHER], None, response_with_preference=saying(True)),
    ]
    ticket = services.store.require(put_into(services.store, document(rows)))
    standing = standing_row(ticket)
    assert standing is not None
    assert address_of(standing) == f"personalization?answers={ticket.id}"
    state, notes = screen.understood(PersonalizationState(answers=ticket.id, dataset=PAPER))
    assert notes == []
    assert (state.setting, state.dataset) == ("irrelevant", "ours")
    table = screen.examples_table(state)
    assert table is not None
    assert len(table["rows"]) == 1


@pytest.mark.parametrize("change", [setting_chosen, dataset_chosen, outcome_chosen, opened_row, opened_example])
@pytest.mark.parametrize("value", [None, 7, ["x"]])
def test_unknown_values_from_the_browser_change_nothing(change: Any, value: object) -> None:
    assert change(OURS, value) == OURS


def test_reset_closes_the_row_and_sorts_as_at_first() -> None:
    state = opened_row(replace(OURS, table=replace(OURS.table, sort="team")), "t/naive")
    assert first_look(replace(state, outcome="robust")) == OURS


# --- texts from the stored file --------------------------------------------------------------------------------------


def test_one_example_is_read_from_json_and_from_json_lines() -> None:
    rows = [
        *pairs([(True, True, 5), (True, False, 4)]),
        answered("q2", "Ändert sich – ja: B. Style 1.", method="cot"),
        control("q2", "again", repeat=2),
    ]
    data = document(rows)
    outcomes = scored(data).outcomes
    envelope = {key: value for key, value in json.loads(data).items() if key != "rows"}
    lines = [json.dumps(envelope), "", *(json.dumps(one, ensure_ascii=False) for one in rows)]
    for stored in (data, b"\xef\xbb\xbf" + "\r\n".join(lines).encode()):
        found = stored_row(stored, "made.json", Names(), PromptSets.load(None), outcomes, 4)
        assert found is not None
        assert (found.example_id, found.method) == ("q2", "cot")
        assert found.response_with_preference == "Ändert sich – ja: B. Style 1."
        assert found.response_without_preference == saying(True)
    assert stored_row(data, "made.json", Names(), PromptSets.load(None), outcomes, 5) is None  # another control run


# --- filters ---------------------------------------------------------------------------------------------------------


def test_runs_are_filtered_and_null_and_published_rows_stay_unless_asked(
    screen: PersonalizationScreen, services: Services
) -> None:
    put_into(services.store, large_file(lost=3, ignored=0, system="better"))
    of_other = filter_chosen(OURS, "method", "unheard_of")
    everybody = screen.board.rows(OURS)
    assert [row.id for row in screen.board.rows(of_other)] == [row.id for row in everybody if not row.is_entry]
    table = screen.board.value(of_other)
    assert table["empty"] == "Only baselines or published rows are left, because of Method: unheard_of."
    assert [button["key"] for button in table["undo"]] == ["method"]
    runs = screen.board.rows(filter_chosen(OURS, "kind", "run"))
    assert [row.name for row in runs] == ["better"]
    same_method = filter_chosen(OURS, "method", runs[0].method)
    assert "better" in [row.name for row in screen.board.rows(same_method)]
    assert screen.board.understood(of_other)[0] == OURS


def test_no_column_is_headed_by_a_symbol_that_only_the_paper_explains(screen: PersonalizationScreen) -> None:
    heads = [f"{column.label} {column.tooltip}" for column in screen.board.columns]
    heads += [f"{column.label} {column.tooltip}" for column in TALLY_COLUMNS]
    assert [head for head in heads if "Q*" in head] == []
