from __future__ import annotations

import pytest

from evaluator.results import FIGURES, VIEWS, View
from evaluator.robustness.figures import SET_UNAVAILABLE, JudgedGroup, Subset, judged_groups
from leaderboard.boards.editions.screen import pair_row
from leaderboard.boards.robustness.atlas.cells import (
    FIGURES_2024,
    NO_CORRELATION,
    NOT_COMPARED,
    cells_2024,
    cells_2025,
    cells_2026,
)
from leaderboard.boards.robustness.state import MapFigure
from tests.unit.leaderboard.boards.editions.test_rows import consistency, cultural
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

RATINGS = {"001": 1.0, "002": 4.0, "003": 2.0, "004": 3.0, "005": 5.0, "006": 0.5}
KINDS = {"001": "formality", "003": "formality"}
RESULT = robustness_result(RATINGS, variations=KINDS)
GROUPS = judged_groups(RESULT.items)
WHOLE = Subset()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("figure", FIGURES_2024)
def test_the_cells_of_the_whole_set_are_those_of_the_result(view: View, figure: MapFigure) -> None:
    key, stored = FIGURES_2024[figure], RESULT.views[view]
    cells = cells_2024(GROUPS, view, WHOLE, figure)
    values = {item: metric.value for item, metric in cells["items"].items() if metric.value is not None}
    assert values == stored.item_values[key]
    assert cells["variations"] == stored.figures[key].by_variation
    assert cells["languages"] == {language: figures[key] for language, figures in RESULT.by_language.items()}


def test_an_item_tells_the_answers_behind_it_and_how_many_groups_are_missing() -> None:
    english = cells_2024(GROUPS, "english", WHOLE, "raw")["items"]["002"]
    assert (english.value, english.n, english.unscored) == (4.0, 3, 0)  # pairs of (4.25 + 3.75) / 2; three variants
    everywhere = cells_2024(GROUPS, "all", WHOLE, "raw")["items"]["002"]
    assert (everywhere.value, everywhere.n, everywhere.unscored) == (4.0, 3, 1)  # the Swedish group is not judged


def test_what_is_not_judged_says_why() -> None:
    swedish = cells_2024(GROUPS, "english", Subset(language="sv"), "raw")
    assert {metric.reason for metric in swedish["items"].values()} == {"the judge does not read sv"}
    assert {metric.value for metric in swedish["items"].values()} == {None}
    # In all languages the relevance of the Swedish answers is not known: no gated figure may stand on the others alone.
    gated = cells_2024(GROUPS, "all", WHOLE, "gated")["items"]["001"]
    assert (gated.value, gated.n, gated.reason) == (None, 0, "the judge does not read sv")


def test_a_gated_cell_is_not_available_where_the_prompts_are_missing() -> None:
    figures = {figure: 3.0 if figure == "pair_mean" else None for figure in FIGURES}
    group = JudgedGroup("001", "formality", "en", figures, 3, 3, relevance_known=False, reason=None)
    assert cells_2024([group], "english", WHOLE, "raw")["items"]["001"].value == 3.0
    gated = cells_2024([group], "english", WHOLE, "gated")["items"]["001"]
    assert (gated.value, gated.reason) == (None, SET_UNAVAILABLE)


def test_a_part_of_the_set_has_its_own_cells() -> None:
    formal = cells_2024(GROUPS, "english", Subset(variation="formality"), "gated")
    assert {item: metric.value for item, metric in formal["items"].items()} == {"001": 1.0, "003": 2.0}
    assert list(formal["variations"]) == ["formality"]
    assert formal["languages"]["en"].value == 1.5  # (1 + 2) / 2
    without = cells_2024(GROUPS, "english", Subset(without=frozenset({"005", "006"})), "gated")
    assert sorted(without["items"]) == ["001", "002", "003", "004"]
    assert without["languages"]["en"].value == 2.5  # (1 + 4 + 2 + 3) / 4
    assert list(cells_2024(GROUPS, "english", Subset(language="en"), "gated")["languages"]) == ["en"]


def test_a_run_of_2025_has_its_questions_and_languages() -> None:
    result = consistency(3)
    cells = cells_2025(result, "gated")
    assert {question: metric.value for question, metric in cells["questions"].items()} == result.question_values[
        "consistency_gated"
    ]
    assert cells["languages"]["fi"] == result.by_language["fi"]["consistency_gated"]
    assert not cells_2025(result, "worst")["languages"]  # a language has no worst pair


def test_a_question_of_2025_that_was_not_compared_says_so() -> None:
    result = consistency(3)
    first = min(result.question_values["worst_gated"])
    less = {key: dict(values) for key, values in result.question_values.items()}
    del less["consistency_gated"][first]
    cells = cells_2025(result.model_copy(update={"question_values": less}), "gated")
    assert (cells["questions"][first].value, cells["questions"][first].reason) == (None, NOT_COMPARED)


def test_a_run_of_2026_has_its_pairs_questions_and_languages() -> None:
    result = cultural(follows=True)
    pairs = [pair_row(pair) for pair in result.pairs]
    apart = cells_2026(result, pairs, "cd")
    assert {one: metric.value for one, metric in apart["questions"].items()} == result.question_values["cd_gated"]
    assert apart["pairs"]["de - el"].value == pairs[0].cd
    assert apart["languages"]["sv"] == result.languages["sv"].pass_share
    # Distances of this run do not vary, so that it has none of its own.
    related = [pair_row(pair.model_copy(update={"rho_gated": 0.4})) for pair in result.pairs]
    rho = cells_2026(result, related, "rho")
    assert not rho["questions"]
    assert rho["pairs"]["de - el"].value == 0.4
    # 16 questions are asked; n counts those that pass in both languages.
    assert rho["pairs"]["de - el"].n == sum(value is not None for value in result.pairs[0].unspecific_passing or ())


def test_a_correlation_that_is_not_defined_is_no_0() -> None:
    result = cultural(follows=True)
    pairs = [pair_row(pair.model_copy(update={"rho_gated": None})) for pair in result.pairs]
    cell = cells_2026(result, pairs, "rho")["pairs"]["de - el"]
    assert (cell.value, cell.n, cell.reason) == (None, 0, NO_CORRELATION)
