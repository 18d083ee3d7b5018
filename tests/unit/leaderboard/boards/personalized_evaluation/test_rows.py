"""Rows of the Personalized evaluation boards: who is compared with whom, references, published figures."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.personalized_evaluation.cache import ALL_K, EvaluatorsBoards, first_k, of_k
from leaderboard.boards.personalized_evaluation.headline_draws import difference_interval
from leaderboard.boards.personalized_evaluation.rows import ASPECT_KEYS, EvaluatorRow, published_rows
from leaderboard.page.services import Services
from submissions.store.store import Store
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import (
    LabelJudge,
    choices,
    put_into,
    ratings,
    unanswered,
)


def rows_of(store: Store, kind: str = "personalized_ratings") -> dict[str, EvaluatorRow]:
    """The rows of the first collection, by evaluator and k."""
    boards = EvaluatorsBoards(store)
    kind_ = next(one for one in ("personalized_ratings", "personalized_pairs") if one == kind)
    first = boards.collections(kind_)[0]
    return {row.label: row for row in boards.rows(kind_, first.id)}


# --- comparing -------------------------------------------------------------------------------------------------------


def test_a_difference_that_is_often_undefined_has_no_interval() -> None:
    some = np.full(100, 0.5)
    holes = some.copy()
    holes[:6] = np.nan  # 6 % of the draws
    assert difference_interval(some, holes, 12) is None
    holes[5] = 0.5  # 5 %
    assert difference_interval(some, holes, 12) == [0.0, 0.0]


def test_only_runs_of_one_collection_and_k_are_ranked_together(services: Services) -> None:
    store = services.store
    put_into(store, ratings(0.1, system="good", k=2))
    put_into(store, ratings(8.0, system="bad", k=2))
    put_into(store, ratings(8.0, system="alone", k=0))
    other = ratings(0.1, system="elsewhere", k=2)
    other["items"][0]["gold"] = 3
    put_into(store, other)
    rows = rows_of(store)
    assert [tuple(rows[label].rank or ()) for label in ("good, k = 2", "bad, k = 2", "alone, k = 0")] == [
        (1, 1),
        (2, 2),
        (1, 1),
    ]
    assert "elsewhere, k = 2" not in rows
    good = rows["good, k = 2"]
    assert good.deciding is not None
    assert (good.deciding.leaders, good.deciding.certainty) == ((good.id,), "about")
    assert good.deciding_among == "Among self-reported evaluators with 2 reviews"
    assert [row.deciding for label, row in rows.items() if label != "good, k = 2"] == [None] * (len(rows) - 1)


def test_a_run_that_was_answered_here_is_ranked_apart_from_what_teams_state(services: Services) -> None:
    store = services.store
    put_into(store, choices(range(6), system="stated"))
    put_into(store, unanswered(choices(system="asked")), LabelJudge())
    rows = rows_of(store, "personalized_pairs")
    runs = {row.name.partition(",")[0]: row for row in rows.values() if row.is_entry}
    assert [(row.measured, row.rank, row.unranked) for _, row in sorted(runs.items())] == [
        ("measured here", RankBand(1, 1), ""),
        ("self-reported", RankBand(1, 1), ""),
    ]
    assert {row.measured for row in rows.values() if not row.is_entry} == {""}


def test_the_gain_over_k_0_pairs_team_system_and_model(services: Services) -> None:
    store = services.store
    put_into(store, ratings(0.1, system="both", k=2))
    put_into(store, ratings(6.0, system="both", k=0))
    put_into(store, ratings(0.1, system="both", team="Borealis", k=2))
    rows = EvaluatorsBoards(store)
    found = {
        (row.team, row.k): row
        for row in rows.rows("personalized_ratings", rows.collections("personalized_ratings")[0].id)
        if row.is_entry
    }
    paired = found["Aurora", 2]
    gain, with_k, without = (paired.metric("gain_k0"), paired.value("tau"), found["Aurora", 0].value("tau"))
    assert gain is not None
    assert with_k is not None
    assert without is not None
    assert gain.value == pytest.approx(with_k - without)
    assert gain.low is not None
    assert gain.low <= (gain.value or 0) <= (gain.high or 0)
    assert found["Aurora", 0].figure("gain_k0") is None
    assert found["Borealis", 2].figure("gain_k0") is None
    assert [k for k, _ in paired.by_k] == [0, 2]


def test_a_newer_run_of_an_evaluator_takes_the_place_of_the_older(services: Services) -> None:
    put_into(services.store, ratings(6.0, run="1"))
    newer = put_into(services.store, ratings(0.1, run="2"), later_s=60)
    assert [row.id for row in rows_of(services.store).values() if row.is_entry] == [newer]


# --- not ranked ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (ratings(0.0, missing=range(13)), "fewer than half of the items have an answer"),
        (ratings() | {"items": ratings()["items"][:16]}, "fewer than 6 readers"),
        (
            ratings(changes={number: {"score": 5} for number in range(24)}),
            "the headline is undefined",
        ),
    ],
)
def test_rows_that_cannot_be_ranked_say_why(services: Services, document: dict[str, object], why: str) -> None:
    put_into(services.store, document)
    row = next(row for row in rows_of(services.store).values() if row.is_entry)
    assert (row.rank, row.tier, row.style) == (None, 1, "unranked-row")
    assert row.note.startswith(f"not ranked: {why}")


def test_half_of_the_answers_are_enough(services: Services) -> None:
    put_into(services.store, ratings(0.0, missing=range(12)))
    row = next(row for row in rows_of(services.store).values() if row.is_entry)
    assert row.rank is not None
    assert row.hint("parse_rate") == "missing: no answer 12"
    assert row.value("parse_rate") == 0.5


def test_a_row_that_the_simple_rule_matches_says_so(services: Services) -> None:
    document = ratings()
    for item in document["items"]:
        item["score"] = item["profile"][0]["score"]
    put_into(services.store, document)
    row = rows_of(services.store)["Close reader, k = 1"]
    assert row.value("gain") == 0.0  # it is Reviewer Avg.
    assert "not told from Reviewer Avg." in row.note


# --- references and published rows -----------------------------------------------------------------------------------


def test_references_stand_beside_ratings_and_are_no_entries(services: Services) -> None:
    put_into(services.store, ratings(k=2))
    rows = rows_of(services.store)
    references = {name: row for name, row in rows.items() if row.is_null}
    # No item has an item_id, so that nothing is known of any text: no matrix factorization.
    assert set(references) == {"Reviewer Avg., k = 2", "Constant, k = 2"}
    constant = references["Constant, k = 2"]
    assert constant.value("tau") is None
    # |gold - 5.5|, reader by reader: 3.5 1.5 .5 2.5 | 2.5 .5 3.5 1.5 | 4.5 3.5 1.5 2.5 | 2.5 4.5 .5 3.5
    # | .5 1.5 2.5 1.5 | 1.5 3.5 4.5 2.5: 8 + 8 + 12 + 11 + 6 + 12 = 57
    assert constant.value("mae") == pytest.approx(57 / 24)
    assert all((row.style, row.rank) == ("null-row", None) for row in references.values())


def test_without_profiles_nobody_has_an_average(services: Services) -> None:
    put_into(services.store, ratings(k=0))
    assert [row.name for row in rows_of(services.store).values() if row.is_null] == ["Constant"]


def test_references_of_choices(services: Services) -> None:
    put_into(services.store, choices())
    rows = rows_of(services.store, "personalized_pairs")
    # Readers 0, 2, 4 choose A in aspects 0, 2, 4, the others in 1, 3: each aspect is A for 3 of 6.
    assert rows["Always A, k = 1"].value("macro") == rows["Always B, k = 1"].value("macro") == 0.5
    assert rows["Reviewer Avg., k = 1"].value("macro") == 0.5  # every profile shows A


@pytest.mark.parametrize(("dataset", "count"), [("PerMPST", 11), (" permpst ", 11), ("our stories", 0), ("PerDOC", 0)])
def test_published_ratings_stand_on_data_of_their_name_alone(dataset: str, count: int) -> None:
    found = published_rows("personalized_ratings", dataset)
    assert len(found) == count
    assert all(row.published and "published" in row.note and row.rank is None for row in found)


def test_published_figures_are_those_of_the_paper() -> None:
    best = {row.name: row for row in published_rows("personalized_ratings", "PerMPST")}["PerSE-13b"]
    assert (best.k, best.value("tau"), best.value("pearson")) == (3, 0.293, 0.345)
    pairs = {row.name: row for row in published_rows("personalized_pairs", "PerDOC")}["GPT-4"]
    assert (pairs.value("macro"), pairs.value("surprise")) == (0.529, 0.596)
    # Table 3 names the models of Table 2 without their version: rows of their own, without a correlation.
    explained = {row.name: row for row in published_rows("personalized_ratings", "PerMPST")}
    assert (best.value("bleu"), best.value("bartscore"), best.note) == (
        *(4.108, -6.577),
        "published, as printed (arXiv 2310.03304, Tables 2 and 3)",
    )
    assert (explained["LLaMA-70b"].value("bertscore"), explained["LLaMA-70b"].value("tau")) == (0.832, None)
    amazon = {row.name: row.value("tau") for row in published_rows("personalized_ratings", "Amazon")}
    assert (len(amazon), amazon["LLaMA-70b"]) == (7, 0.146)


def test_printed_means_are_those_of_their_aspects() -> None:
    for row in published_rows("personalized_pairs", "PerDOC"):
        aspects = [value for key in ASPECT_KEYS.values() if (value := row.value(key)) is not None]
        assert row.value("macro") == pytest.approx(sum(aspects) / 5, abs=0.001)  # three decimals are printed


def test_an_empty_board_offers_what_the_paper_reports_on(services: Services) -> None:
    boards = EvaluatorsBoards(services.store)
    assert [one.label for one in boards.collections("personalized_ratings")] == [
        "PerMPST (published figures)",
        "Amazon (published figures)",
    ]
    assert [one.id for one in boards.collections("personalized_pairs")] == ["PerDOC"]
    assert len(boards.rows("personalized_pairs", "PerDOC")) == 7
    assert boards.rows("personalized_pairs", "nowhere") == ()


def test_published_rows_join_runs_on_data_of_that_name(services: Services) -> None:
    put_into(services.store, ratings(dataset="PerMPST", k=3))
    boards = EvaluatorsBoards(services.store)
    first, second = boards.collections("personalized_ratings")
    assert (first.dataset, second.dataset) == ("PerMPST", "Amazon")
    kinds = [row.measured for row in boards.rows("personalized_ratings", first.id)]
    assert (kinds.count("self-reported"), kinds.count("published, as printed")) == (1, 11)


# --- what a row tells ------------------------------------------------------------------------------------------------


def test_a_run_that_a_local_judge_answered_names_it(services: Services) -> None:
    put_into(services.store, unanswered(choices()), LabelJudge())
    row = rows_of(services.store, "personalized_pairs")["Close reader, k = 1"]
    assert row.judge is not None
    assert "answered here by the judge scripted" in row.note
    # It prefers the first plot: A in every item where it stands first, which readers choose in half of them.
    assert (row.value("bias_first"), row.bias_words) == (0.5, "← first")
    assert (row.value("consistency"), row.value("bias_both")) == (0.0, 0.5)


@pytest.mark.parametrize(("bias", "words"), [(0.25, "← first"), (-0.25, "→ second"), (0.0001, "no lean"), (None, "")])
def test_a_bias_has_its_arrow_and_word(bias: float | None, words: str) -> None:
    assert EvaluatorRow(id="1", name="E", k=1, figures={"bias_first": bias}).bias_words == words


def test_p_values_and_counts_stand_behind_the_figures(services: Services) -> None:
    marks = {number: {"memorized": number < 6} for number in range(24)}
    put_into(services.store, ratings(k=1, changes=marks))
    row = rows_of(services.store)["Close reader, k = 1"]
    assert row.hint("pearson").startswith("p = ")
    assert row.hint("tau_memorized") == "n = 6, 25% of the marked items"
    assert isinstance(row.figure("tau"), MetricValue)


def test_k_is_chosen_by_most_runs_and_published_rows_without_one_stay(services: Services) -> None:
    put_into(services.store, ratings(0.1, system="one", k=2))
    put_into(services.store, ratings(0.1, system="two", k=2))
    put_into(services.store, ratings(0.1, system="one", k=0))
    boards = EvaluatorsBoards(services.store)
    collection = boards.collections("personalized_ratings")[0]
    assert (collection.ks, first_k(collection)) == ((0, 2), "2")
    rows = boards.rows("personalized_ratings", collection.id)
    assert {row.k for row in of_k(rows, "2")} == {2}
    assert of_k(rows, ALL_K) == rows
    amazon = boards.rows("personalized_ratings", "Amazon")
    assert of_k(amazon, "3") == amazon  # the paper does not say their k
