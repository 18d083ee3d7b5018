"""The four metrics, the outcomes and the groups, on rows small enough to count by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from evaluator.personalization import (
    Figures,
    GroupFigures,
    Outcome,
    OutcomeRow,
    group_figures,
    metrics,
    outcome,
    preference_figures,
    row_figures,
)
from evaluator.personalization.answer_extraction import Rule
from evaluator.personalization.bootstrap import METRIC_NAMES, REPEAT_METRIC_NAMES
from evaluator.personalization.table import Code
from submissions.formats.personalization.submission import Setting

ROW = OutcomeRow("q1", "mmlu", "relevant", correct_no_pref=True, correct_pref=True, rating=4.0)


def rows_of(*outcomes: tuple[bool, bool, float | None]) -> list[OutcomeRow]:
    return [
        replace(ROW, example_id=f"q{number}", correct_no_pref=c0, correct_pref=c1, rating=rating)
        for number, (c0, c1, rating) in enumerate(outcomes)
    ]


def test_the_worked_example_of_the_docs() -> None:
    # Q* = rows 1-5. Wrong with: 3, 4 -> 2/5. Not followed: 2, 4 -> 2/5. One of the two: 2, 3, 4 -> 3/5.
    # Right both times: 1, 2, 5; right at all: 1-6 and 8 -> 1 - 3/7. Repeats of rows 1-4: 1 of 4 wrong, 2 of 4 broken.
    rows = rows_of(
        (True, True, 5), (True, True, 2), (True, False, 4), (True, False, None),
        (True, True, 3), (False, True, 4), (False, False, 1), (False, True, 1),
    )  # fmt: skip
    rows[3] = replace(rows[3], unparsable=True)
    rows[:4] = [replace(row, correct_no_pref_repeat=number != 2) for number, row in enumerate(rows[:4])]
    figures = row_figures(rows, "relevant")
    assert figures["n_qstar"] == 5
    assert figures["breakage_rate"] == pytest.approx(0.4)
    assert figures["alignment_failure"] == pytest.approx(0.4)
    assert figures["robustness_error"] == pytest.approx(0.6)
    assert figures["performance_variation"] == pytest.approx(4 / 7)
    assert (figures["acc_no_pref"], figures["acc_pref"]) == (0.625, 0.625)
    assert (figures["repeat_breakage"], figures["excess_breakage"]) == (0.25, 0.25)
    triples = [(bool(row.correct_no_pref), bool(row.correct_pref), row.is_followed()) for row in rows]
    assert metrics(triples, "relevant").items() <= figures.items()


def test_every_figure_outcome_and_rule_is_explained_in_the_docs() -> None:
    text = (Path(__file__).parents[4] / "docs" / "personalization.md").read_text(encoding="utf-8")
    words = (
        *GroupFigures.__annotations__,
        *Figures.__annotations__,
        *get_args(Rule),
        *get_args(Outcome),
        *get_args(Code),
    )
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert [word for word in words if f"`{word}`" not in text and word not in headings] == []
    assert {*METRIC_NAMES, *REPEAT_METRIC_NAMES, "unchanged_rate", "fallback_rate"} <= set(headings)


def test_an_unknown_setting_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="accepted: none, relevant, irrelevant, mixed"):
        metrics([], "full")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("c0", "c1", "followed", "setting", "expected"),
    [
        (True, True, True, "relevant", "robust"),
        (True, False, True, "mixed", "breakage"),
        (True, True, False, "relevant", "alignment_failure"),
        (True, False, False, "mixed", "breakage_and_alignment_failure"),
        (False, True, False, "relevant", "recovered"),
        (False, True, None, "relevant", "recovered"),
        (False, False, True, "mixed", "never_right"),
        (False, False, None, "none", "never_right"),
        (None, True, True, "relevant", "not_known"),
        (False, None, True, "relevant", "not_known"),
        (True, False, None, "relevant", "not_known"),
        (True, True, None, "irrelevant", "robust"),
        (True, True, False, "irrelevant", "robust"),
        (True, False, True, "none", "breakage"),
    ],
)
def test_the_outcome_of_one_answer(
    c0: bool | None, c1: bool | None, followed: bool | None, setting: Setting, expected: Outcome
) -> None:
    assert outcome(c0, c1, followed, setting) == expected


def test_a_rating_of_three_is_followed() -> None:
    figures = row_figures(rows_of((True, True, 3.0), (True, True, 2.99)), "relevant")
    assert figures["alignment_failure"] == 0.5
    assert row_figures(rows_of((True, True, 3.0)), "relevant", threshold=3.5)["alignment_failure"] == 1.0


def test_an_unparsable_rating_is_judged_and_not_followed() -> None:
    rows = [replace(ROW, rating=None, unparsable=True), replace(ROW, example_id="q2")]
    figures = row_figures(rows, "relevant")
    assert (figures["n_rating_unparsable"], figures["n_unjudged"], figures["alignment_failure"]) == (1, 0, 0.5)


def test_a_row_of_qstar_never_judged_leaves_alignment_and_robustness_undefined() -> None:
    rows = [ROW, replace(ROW, example_id="q2", rating=None, correct_pref=False)]
    figures = row_figures(rows, "relevant")
    assert (figures["n_unjudged"], figures["breakage_rate"]) == (1, 0.5)
    assert (figures["alignment_failure"], figures["robustness_error"], figures["rankable"]) == (None, None, False)
    irrelevant = row_figures(rows, "irrelevant")
    assert (irrelevant["n_unjudged"], irrelevant["robustness_error"]) == (0, 0.5)


def test_rows_without_gold_are_counted_and_enter_nothing_else() -> None:
    unknown = replace(ROW, correct_no_pref=None, unparsable=True, rating=None, invalid_pref=True, unchanged=True)
    figures = row_figures([unknown, replace(ROW, example_id="q2", invalid_pref=False, unchanged=False)], "relevant")
    assert (figures["n"], figures["n_examples"], figures["n_no_gold"]) == (1, 1, 1)
    assert (figures["n_rating_unparsable"], figures["n_invalid_pref"], figures["unchanged_rate"]) == (1, 1, 0.0)
    assert figures["n_invalid_no_pref"] is None  # no row says


def test_a_group_without_any_known_outcome_has_counts_and_no_rates() -> None:
    (alone, full) = group_figures([replace(ROW, correct_pref=None)])
    assert (alone["dataset"], full["dataset"]) == ("mmlu", "full")
    assert (full["n"], full["n_no_gold"], full["n_qstar"], full["rankable"]) == (0, 1, 0, False)
    assert (full["acc_no_pref"], full["breakage_rate"], full["performance_variation"]) == (None, None, None)
    assert set(full["ci"].values()) == {None}


def test_rates_of_unchanged_and_fallback_are_over_rows_where_they_are_known() -> None:
    rows = [
        replace(ROW, example_id="q1", unchanged=True, fallback=False),
        replace(ROW, example_id="q2", unchanged=False, fallback=True),
        replace(ROW, example_id="q3", unchanged=True),
        replace(ROW, example_id="q4"),
    ]
    figures = row_figures(rows, "relevant")
    assert figures["unchanged_rate"] == pytest.approx(2 / 3)
    assert figures["fallback_rate"] == 0.5


def test_the_noise_floor_is_measured_on_the_rows_that_have_a_repeat() -> None:
    # Q* = q0-q4. With repeat: q0 right, q1 right, q2 wrong, q3 right -> floor 1/4; broken among them: q1, q3 -> 2/4.
    # Outside Q*: q5 has a repeat too.
    repeats = [True, True, False, True, None, True]
    outcomes = rows_of(
        (True, True, 4), (True, False, 4), (True, True, 4), (True, False, 4), (True, False, 4), (False, True, 4)
    )
    rows = [replace(row, correct_no_pref_repeat=again) for row, again in zip(outcomes, repeats, strict=True)]
    (group, _) = group_figures(rows)
    assert (group["n_repeat"], group["n_qstar_repeat"]) == (5, 4)
    assert (group["repeat_breakage"], group["excess_breakage"]) == (0.25, 0.25)
    assert group["breakage_rate"] == 0.6
    assert set(group["ci"]) >= {"repeat_breakage", "excess_breakage"}


def test_fifty_rows_in_qstar_are_rankable_and_fortynine_are_not() -> None:
    rows = rows_of(*[(True, True, 4.0)] * 50)
    assert row_figures(rows, "relevant")["rankable"]
    assert not row_figures(rows[1:], "relevant")["rankable"]


def test_groups_are_never_pooled_over_settings_methods_runs_or_systems() -> None:
    rows = [
        ROW,
        replace(ROW, setting="mixed"),
        replace(ROW, method="naive"),
        replace(ROW, run="2"),
        replace(ROW, system="s"),
    ]
    assert [(g["system"], g["run"], g["method"], g["setting"], g["dataset"], g["n"]) for g in group_figures(rows)] == [
        (None, None, None, "mixed", "mmlu", 1),
        (None, None, None, "mixed", "full", 1),
        (None, None, None, "relevant", "mmlu", 1),
        (None, None, None, "relevant", "full", 1),
        (None, None, "naive", "relevant", "mmlu", 1),
        (None, None, "naive", "relevant", "full", 1),
        (None, "2", None, "relevant", "mmlu", 1),
        (None, "2", None, "relevant", "full", 1),
        ("s", None, None, "relevant", "mmlu", 1),
        ("s", None, None, "relevant", "full", 1),
    ]


def test_full_pools_rows_and_is_no_mean_of_data_sets() -> None:
    # mmlu: 1 of 1 broken; csqa: 0 of 3 -> pooled 1/4, not the mean 1/2. One example_id in two data sets: two examples.
    rows = [replace(ROW, correct_pref=False)]
    rows += [replace(ROW, dataset="csqa", example_id=name) for name in ("q1", "q2", "q3")]
    csqa, mmlu, full = group_figures(rows)
    assert (csqa["breakage_rate"], mmlu["breakage_rate"], full["breakage_rate"]) == (0.0, 1.0, 0.25)
    assert (full["dataset"], full["n_examples"]) == ("full", 4)


def test_preferences_have_their_own_figures() -> None:
    rows = [
        replace(ROW, pref_id="1"),
        replace(ROW, pref_id="2", correct_pref=False),
        replace(ROW, pref_id="2", example_id="q2"),
    ]
    cells = preference_figures(rows)
    assert {cell: figures["breakage_rate"] for cell, figures in cells.items()} == {
        ("mmlu", "1"): 0.0,
        ("mmlu", "2"): 0.5,
    }
    with pytest.raises(ValueError, match="mixed, relevant"):
        preference_figures([ROW, replace(ROW, setting="mixed")])
