"""What a visitor's runs come to."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from evaluator.lab.setup import ColumnSetup, LabSetup
from evaluator.lab.state import ColumnState, LabState, SwapResult, VerdictCard
from evaluator.lab.tally import HumanVote, SessionTally, TallyKey, TallyRow, vote_agreement
from submissions.questionsets import Question

WISHES = ("Be brief.", "I like tea.")


def column(
    c0: bool | None,
    c1: bool | None,
    rating: float | None = 4.0,
    *,
    unchanged: bool = False,
    fallback: bool | None = None,
) -> ColumnState:
    card = VerdictCard(correct_without=c0, correct_with=c1, in_qstar=c0, followed=rating)
    return ColumnState(final="Answer: B", unchanged=unchanged, fallback=fallback, verdict=card)


def state(
    number: int, a: ColumnState, b: ColumnState, phase: Literal["done", "cancelled", "failed"] = "done"
) -> LabState:
    question = Question(f"d{number}", "Which?", ("one", "two"), "B")
    columns = ColumnSetup("small", "naive"), ColumnSetup("small", "pref_aligner")
    return LabState(LabSetup(question, "demonstration", WISHES, 0, *columns), phase, a, b)


def rows_by_method(tally: SessionTally) -> dict[str, TallyRow]:
    return {row.key.method: row for row in tally.rows()}


def five_runs() -> SessionTally:
    tally = SessionTally()
    for number, (a, b) in enumerate(
        [
            (column(True, True), column(True, True, unchanged=True, fallback=False)),
            (column(True, False), column(True, True, unchanged=True, fallback=True)),
            (column(True, False, 1.0), column(True, True, 2.0, fallback=False)),
            (column(True, True, 2.0), column(True, True, fallback=False)),
            (column(False, True), column(False, False, fallback=False)),
        ]
    ):
        tally = tally.after(state(number, a, b))
    return tally


def test_the_four_metrics_are_those_of_the_board() -> None:
    naive = rows_by_method(five_runs())["naive"]
    assert naive.key == TallyKey("small", "naive", "mixed")
    figures = naive.figures
    assert (figures["n"], figures["n_qstar"]) == (5, 4)
    assert figures["breakage_rate"] == 0.5  # 2 of 4 went wrong
    assert figures["alignment_failure"] == 0.5  # ratings 4, 4, 1, 2
    assert figures["robustness_error"] == 0.75  # only the first is right and followed
    assert figures["performance_variation"] == pytest.approx(1 - 2 / 5)  # right both times 2, right at all 5
    assert (figures["unchanged_rate"], figures["fallback_rate"]) == (0.0, None)


def test_unchanged_and_fallback_stand_beside_the_breakage() -> None:
    figures = rows_by_method(five_runs())["pref_aligner"].figures
    assert figures["breakage_rate"] == 0.0
    assert figures["alignment_failure"] == 0.25
    assert figures["unchanged_rate"] == 0.4  # 2 of 5
    assert figures["fallback_rate"] == 0.2  # 1 of 5


def test_fewer_than_twenty_in_qstar_are_too_few() -> None:
    tally = SessionTally()
    for number in range(20):
        assert all(row.is_too_few for row in tally.rows())
        tally = tally.after(state(number, column(True, True), column(False, False)))
    rows = rows_by_method(tally)
    assert not rows["naive"].is_too_few
    assert rows["pref_aligner"].is_too_few  # 20 rows, none of them in Q*


def test_a_repeated_example_replaces_the_earlier_one_whatever_its_preferences_were() -> None:
    tally = five_runs()
    again = state(1, column(True, True), column(True, True))
    again = replace(again, setup=replace(again.setup, preferences=("Other.", "Ones.")))
    figures = rows_by_method(tally.after(again))["naive"].figures
    assert (figures["n"], figures["breakage_rate"]) == (5, 0.25)


def test_settings_models_and_methods_are_never_pooled() -> None:
    relevant = state(1, column(True, True), column(True, True))
    irrelevant = replace(relevant, setup=replace(relevant.setup, relevant_index=None))
    other = replace(relevant, setup=replace(relevant.setup, a=ColumnSetup("large", "no_preference")))
    keys = [row.key for row in SessionTally().after(relevant).after(irrelevant).after(other).rows()]
    assert keys == [
        TallyKey("large", "no_preference", "none"),
        TallyKey("small", "naive", "irrelevant"),
        TallyKey("small", "naive", "mixed"),
        TallyKey("small", "pref_aligner", "irrelevant"),
        TallyKey("small", "pref_aligner", "mixed"),
    ]


@pytest.mark.parametrize("phase", ["cancelled", "failed"])
def test_a_run_that_did_not_finish_feeds_nothing(phase: Literal["cancelled", "failed"]) -> None:
    assert SessionTally().after(state(1, column(True, True), column(True, True), phase)).rows() == ()


def test_a_column_that_failed_feeds_nothing_and_the_other_counts() -> None:
    tally = SessionTally().after(state(1, column(True, True), ColumnState()))
    assert [row.key.method for row in tally.rows()] == ["naive"]


def test_an_unreadable_rating_is_judged_and_not_followed() -> None:
    card = VerdictCard(correct_without=True, correct_with=True, in_qstar=True, followed_unreadable=True)
    unreadable = ColumnState(final="Answer: B", verdict=card)
    figures = rows_by_method(SessionTally().after(state(1, unreadable, unreadable)))["naive"].figures
    assert (figures["alignment_failure"], figures["n_rating_unparsable"]) == (1.0, 1)


def test_a_question_without_known_answer_is_counted_and_enters_no_metric() -> None:
    figures = rows_by_method(SessionTally().after(state(1, column(None, None), column(None, None))))["naive"].figures
    assert (figures["n"], figures["n_no_gold"], figures["breakage_rate"]) == (0, 1, None)


def test_adding_a_run_leaves_the_earlier_tally_as_it_was() -> None:
    empty = SessionTally()
    empty.after(state(1, column(True, True), column(True, True)))
    assert empty.rows() == ()


def test_human_and_judge_agree_by_consistent_verdicts_only() -> None:
    votes: list[tuple[HumanVote, SwapResult | None]] = [
        ("a", "consistent_a"),
        ("b", "consistent_b"),
        ("tie", "consistent_tie"),
        ("both_bad", "consistent_tie"),
        ("a", "consistent_b"),
        ("tie", "consistent_a"),
        ("a", "primacy_flip"),
        ("b", "recency_flip"),
        ("b", "error"),
        ("b", None),
    ]
    found = vote_agreement(votes)
    assert (found.n, found.n_agreeing, found.n_without_verdict) == (6, 4, 4)
    assert found.share == pytest.approx(4 / 6)
    assert vote_agreement([("a", None)]).share is None
