"""Systems against a reference: who is asked, what swaps make of it, and what position bias can and cannot give."""

from __future__ import annotations

import math

import pytest

from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.results import PairwiseRecord, PairwiseResult
from evaluator.robustness.pairwise import bradley_terry, conservative_win_rate, pairwise_result, win_rate
from evaluator.task import Reference
from submissions.schema import Item, Names, PromptSet, Response, ResponseSet, Submission, Variant
from submissions.verdicts.swap_outcomes import classify

ITEMS = tuple(
    Item(f"{number:03}", "formality", (Variant(1, "en", f"prompt {number}"), Variant(2, "sv", f"fråga {number}")))
    for number in range(1, 7)
)
SET = PromptSet("demonstration", "2024", "six", "1", "a" * 64, ITEMS)


def submission(answer: str, blank: frozenset[str] = frozenset()) -> Submission:
    sets = tuple(
        ResponseSet(
            item.id,
            tuple(
                Response(item.id, item.id, "variant", one.number, one.language, None, (), text)
                for one in item.variants
                for text in ["" if item.id in blank else f"{answer} {item.id}"]
            ),
        )
        for item in ITEMS
    )
    return Submission("2024", "demonstration", Names(answer), None, None, (), "b" * 64, sets)


def longer(request: JudgeRequest) -> str:
    first, second = len(request.fields["answer_a"]), len(request.fields["answer_b"])
    return "A" if first > second else "B" if second > first else "C"


def always_first(_request: JudgeRequest) -> str:
    return "A"


def compared(
    preference: object, system: str = "a longer answer", reference: str = "short", **options: object
) -> PairwiseResult:
    judge = ScriptedJudge(preference=preference, **options)  # type: ignore[arg-type]
    recorded = RecordedJudge(judge, MemoryVerdicts())
    found = pairwise_result(submission(system), Reference("ref", submission(reference)), SET, recorded)
    assert found is not None
    return found


def record(original: str, swapped: str, item: str = "001", variant: int = 1) -> PairwiseRecord:
    outcome = classify(original, swapped).value
    return PairwiseRecord(
        item=item, variant=variant, variation="v", original=original, swapped=swapped, outcome=outcome
    )


def test_a_judge_that_holds_still_gives_consistent_wins() -> None:
    found = compared(longer)
    assert {one.outcome for one in found.records} == {"consistent_win_second_candidate"}
    assert [(one.original, one.swapped) for one in found.records[:1]] == [("B", "A")]
    assert (found.win_rate.value, found.conservative_win_rate.value, found.win_rate.n) == (1.0, 1.0, 12)


def test_a_judge_that_only_looks_at_the_place_decides_nothing() -> None:
    found = compared(always_first)
    assert {one.outcome for one in found.records} == {"primacy_flip"}
    assert (found.win_rate.value, found.conservative_win_rate.value) == (0.5, 0.0)


def test_each_answer_costs_two_calls_and_identical_ones_none() -> None:
    judge = ScriptedJudge(preference=longer)
    recorded = RecordedJudge(judge, MemoryVerdicts())
    reference = Reference("ref", submission("short"))
    pairwise_result(submission("a longer answer"), reference, SET, recorded)
    assert judge.calls == 24  # 12 answers in both orders
    same = pairwise_result(submission("short"), reference, SET, recorded)
    assert judge.calls == 24
    assert same is not None
    assert {one.outcome for one in same.records} == {"consistent_tie"}
    assert same.win_rate.value == 0.5


def test_blank_answers_and_unread_languages_are_not_compared() -> None:
    judge = RecordedJudge(ScriptedJudge(preference=longer, languages=("en",)), MemoryVerdicts())
    found = pairwise_result(submission("long one", frozenset({"002"})), Reference("r", submission("s")), SET, judge)
    assert found is not None
    assert [(one.item, one.variant) for one in found.records] == [
        ("001", 1), ("003", 1), ("004", 1), ("005", 1), ("006", 1),
    ]  # fmt: skip


def test_a_judge_without_preferences_gives_no_result() -> None:
    judge = RecordedJudge(ScriptedJudge(), MemoryVerdicts())
    assert pairwise_result(submission("x"), Reference("r", submission("s")), SET, judge) is None


def test_an_unusable_verdict_is_unscored_with_its_reason() -> None:
    found = compared(lambda request: None)
    assert found.records[0].outcome == "error"
    assert found.records[0].reason == "the script gives no verdict"
    assert (found.win_rate.value, found.win_rate.n, found.win_rate.unscored) == (None, 0, 12)


def test_win_rates_by_hand() -> None:
    records = [record("B", "A"), record("A", "A", variant=2), record("C", "C", variant=3), record("A", "B", "002"),
               record("N", "A", "002", 2)]  # fmt: skip
    # win 1, flip 1/2, tie 1/2, loss 0 over four usable pairs
    assert win_rate(records).value == pytest.approx(0.5)
    assert conservative_win_rate(records).value == pytest.approx(0.25)
    assert win_rate(records).unscored == 1


def test_bradley_terry_takes_the_place_out_of_the_strength() -> None:
    """A level system before a judge that favours the second place: strength 0, the effect found."""
    records = [record("B", "B", f"{number:03}") for number in range(30)]  # shown second: always preferred
    records += [record("A", "B", f"{number:03}", 2) for number in range(5)]
    records += [record("B", "A", f"{number:03}", 3) for number in range(5)]
    fitted = bradley_terry({"level": records})
    assert fitted.strengths["level"] == pytest.approx(0.0, abs=1e-4)
    # the second place is preferred in 30 + 5 of 40 original verdicts (system second) and likewise swapped
    assert fitted.position_effect == pytest.approx(math.log(35 / 5), abs=0.01)


def test_bradley_terry_orders_systems_by_their_wins() -> None:
    strong = [record("B", "A", f"{number:03}") for number in range(9)] + [record("A", "B", "100")]
    weak = [record("A", "B", f"{number:03}") for number in range(9)] + [record("B", "A", "100")]
    fitted = bradley_terry({"strong": strong, "weak": weak})
    # wins 9 of 10 in both places: log odds log(9) up to the ridge
    assert fitted.strengths["strong"] == pytest.approx(math.log(9), abs=0.05)
    assert fitted.strengths["weak"] == pytest.approx(-math.log(9), abs=0.05)
