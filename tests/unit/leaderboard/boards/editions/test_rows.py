"""Rows of the 2025 and 2026 boards: which runs are compared, and what sets others apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from evaluator.consistency.evaluate import evaluate_consistency
from evaluator.cultural.evaluate import NO_PROMPTS, evaluate_cultural
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.robustness.edition_results import (
    CONSISTENCY_HEADLINE,
    CULTURAL_HEADLINE,
    ConsistencyResult,
    CulturalResult,
)
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.editions.rows import (
    OTHER_HEADLINE,
    OTHER_JUDGE,
    OTHER_MODEL,
    OTHER_QUESTIONS,
    ScoredEdition,
    edition_rows,
    latest_runs,
    with_attempts,
)
from leaderboard.page.answer_card import measured_head
from leaderboard.page.measured import EARLIER_HEAD, UNGATED
from submissions.schema import Names
from submissions.store.queue import JobStatus, Role, Ticket
from tests.unit.evaluator.robustness.eloquent_runs import cultural_run, questions_run, questions_set, registered
from tests.unit.leaderboard.boards.robustness import made_results

FIVE = ("de", "el", "en", "fi", "sv")


def ticket(
    id_: str,
    *,
    system: str = "Null",
    set_id: str = "eloquent-2025",
    run: str | None = None,
    role: Role = "entry",
    day: int = 1,
) -> Ticket:
    made = made_results.ticket(id_, role=role, day=day)
    return replace(made, set_id=set_id, names=Names("aurora", system, None, run))


def judge() -> RecordedJudge:
    return RecordedJudge(ScriptedJudge(), MemoryVerdicts())


def consistency(shared: int, questions: int = 20) -> ConsistencyResult:
    def answer(language: str, number: int) -> str:
        return " ".join(
            [f"topic{number}", *(f"w{place}" if place < shared else f"{language}{place}" for place in range(6))]
        )

    run = questions_run(("en", "fi"), questions, answer)
    return evaluate_consistency(run[-1], run, questions_set(), judge(), ScriptedEmbedder(4096))


def cultural(follows: bool, dimension: int = 4096, words: int = 12) -> CulturalResult:
    """A run that answers as the culture asks, each language in its own words where none is named; or at random.

    In so many questions it follows, of 16; in the others all answers are the same.
    """

    def answer(language: str, kind: str, question: int, variant: int) -> str:
        if not follows:
            return f"topic{question} {language}{kind}{question}{variant}"
        if question > words:
            return f"topic{question} topic{question}"
        own = f"custom{question}{variant}" if kind == "specific" else f"{language}{question}"
        return f"topic{question} topic{question} {own}"

    run, coverage = cultural_run(FIVE, answer, questions=16, variants=3)
    return evaluate_cultural(run, coverage, registered(run), judge(), ScriptedEmbedder(dimension))


def scored(*results: ConsistencyResult | CulturalResult) -> list[ScoredEdition]:
    return [
        ScoredEdition(
            ticket(f"t{number}", system=f"system {number}", set_id=result.prompt_set.set_id, day=number + 1),
            result,
        )
        for number, result in enumerate(results)
    ]


def test_runs_of_two_judges_or_two_models_are_never_ranked_together() -> None:
    older, newer = consistency(shared=6), consistency(shared=2)
    for part in ("judge", "embedding"):
        pin = getattr(older, part).model_copy(update={"revision": "another"})
        rows = {row.id: row for row in edition_rows(scored(older.model_copy(update={part: pin}), newer))}
        assert rows["t0"].unranked == OTHER_JUDGE
        assert rows["t0"].rank is None
        assert rows["t1"].rank == RankBand(1, 1)


def test_a_null_row_of_another_judge_is_no_measure_and_says_why() -> None:
    null, run = consistency(shared=6), consistency(shared=2)
    other = null.model_copy(update={"judge": null.judge.model_copy(update={"revision": "another"})})
    old, new = scored(other, run)
    rows = {row.id: row for row in edition_rows([replace(old, ticket=ticket("t0", role="baseline")), new])}
    assert rows["t0"].unranked == OTHER_JUDGE
    assert rows["t1"].inseparable_from == ()


def test_a_run_of_ours_is_ranked_on_its_set_like_any_other_and_says_whose_it_is() -> None:
    own, run = scored(consistency(shared=6), consistency(shared=2))
    rows = {row.id: row for row in edition_rows([replace(own, ticket=ticket("t0", role="example")), run])}
    assert (rows["t0"].rank, rows["t0"].note) == (RankBand(1, 1), "written by us to show the scale")
    assert rows["t0"].tier == rows["t1"].tier == 0
    assert rows["t1"].rank == RankBand(2, 2)


def test_a_run_that_follows_the_culture_is_ranked_above_noise_though_its_csp_is_lower() -> None:
    following, noise = cultural(follows=True), cultural(follows=False)
    # 12 of 16 questions; words share a place of the embedding now and then.
    assert following.figures["culture_gated"].value == pytest.approx(0.75, abs=0.05)
    assert noise.ranked is False
    assert (noise.reason or "").startswith("no response to culture")
    rows = {row.id: row for row in edition_rows(scored(noise, following))}
    assert (rows["t1"].rank, rows["t0"].rank) == (RankBand(1, 1), None)


def test_a_run_of_2026_that_is_not_above_the_best_null_row_is_unranked_and_says_which() -> None:
    runs = scored(cultural(follows=True, words=6), cultural(follows=True))
    null = ticket("null", system="Null: topic words", set_id="eloquent-2026", role="baseline")
    rows = {row.id: row for row in edition_rows([*runs, ScoredEdition(null, runs[0].result)])}
    assert rows["t0"].note == "not ranked: not separable from baseline: Null: topic words"
    assert rows["t1"].rank == RankBand(1, 1)
    assert rows["null"].note == "baseline: not a system"


def test_a_result_of_2026_from_before_the_headline_is_listed_until_it_is_judged_again() -> None:
    whole = cultural(follows=True)
    figures = {name: value for name, value in whole.figures.items() if name in ("cd", "cr", "csp", "cd_gated")}
    old = whole.model_copy(update={"figures": figures, "question_values": {"cd": {}, "cd_gated": {}}})
    rows = {row.id: row for row in edition_rows(scored(old, whole))}
    assert rows["t0"].note == f"not ranked: {OTHER_HEADLINE}"
    assert rows["t1"].rank == RankBand(1, 1)


def test_a_result_of_2026_that_was_ranked_without_installed_prompts_has_its_figures_and_no_rank() -> None:
    whole = cultural(follows=True)
    bought = whole.model_copy(update={"prompt_set": whole.prompt_set.model_copy(update={"sha256": None})})
    assert bought.ranked
    rows = {row.id: row for row in edition_rows(scored(bought, whole))}
    assert (rows["t0"].rank, rows["t0"].note) == (None, f"not ranked: {NO_PROMPTS}")
    assert rows["t0"].figures == rows["t1"].figures
    assert rows["t1"].rank == RankBand(1, 1)


def test_a_result_of_2025_from_before_the_gate_is_not_shown_as_if_gated() -> None:
    old, new = consistency(shared=6), consistency(shared=2)
    gated = new.model_copy(update={"gate": new.judge})
    rows = {row.id: row for row in edition_rows(scored(old, gated))}
    assert rows["t0"].note == f"not ranked: {UNGATED}"
    assert rows["t1"].rank == RankBand(1, 1)


def test_a_result_that_an_earlier_answer_head_gated_is_not_ranked_until_it_is_judged_again() -> None:
    now = measured_head().judge
    earlier = now.model_copy(update={"prompt": "answer-calibration 1"})
    for better, good in ((consistency(shared=6), consistency(shared=2)), (cultural(True), cultural(True, words=10))):
        gated = (better.model_copy(update={"gate": earlier}), good.model_copy(update={"gate": now}))
        null = ScoredEdition(
            ticket("null", system="Null: refusal", set_id=better.prompt_set.set_id, role="baseline"), gated[0]
        )
        rows = {row.id: row for row in edition_rows([*scored(*gated), null])}
        assert (rows["t0"].rank, rows["t0"].note) == (None, f"not ranked: {EARLIER_HEAD}")
        assert rows["null"].unranked == EARLIER_HEAD
        alone = {row.id: row for row in edition_rows(scored(*gated))}
        assert alone["t1"].rank == RankBand(1, 1)


def test_of_gated_runs_of_2025_one_that_is_not_above_the_best_null_row_is_unranked() -> None:
    runs = [
        replace(one, result=one.result.model_copy(update={"gate": one.result.embedding}))
        for one in scored(consistency(4), consistency(0), consistency(0))
    ]
    words = ScoredEdition(ticket("null", system="Null: topic words", role="baseline"), runs[2].result)
    rows = {row.id: row for row in edition_rows([*runs[:2], words])}
    assert rows["t1"].note == "not ranked: not separable from baseline: Null: topic words"
    assert rows["t0"].rank == RankBand(1, 1)


def test_runs_held_against_other_registered_questions_are_not_ranked_together() -> None:
    older, newer = consistency(shared=6), consistency(shared=2)
    other = older.prompt_set.model_copy(update={"sha256": "another"})
    rows = {row.id: row for row in edition_rows(scored(older.model_copy(update={"prompt_set": other}), newer))}
    assert rows["t0"].note == f"not ranked: {OTHER_QUESTIONS}"


def test_a_run_under_another_embedding_model_than_the_newest_is_listed_unranked() -> None:
    runs = scored(cultural(True, dimension=2048), cultural(True, words=8), cultural(True, words=16))
    rows = {row.id: row for row in edition_rows(runs)}
    assert rows["t0"].note == f"not ranked: {OTHER_MODEL}"
    assert rows["t0"].tier == 1
    assert (rows["t1"].rank, rows["t2"].rank) == (RankBand(2, 2), RankBand(1, 1))


def test_a_null_row_stands_unranked_and_systems_no_better_are_told() -> None:
    runs = scored(consistency(4), consistency(0), consistency(0))
    runs[2] = ScoredEdition(ticket("null", role="baseline"), runs[2].result)
    rows = {row.id: row for row in edition_rows(runs)}
    assert rows["null"].rank is None
    assert rows["null"].tier == 0
    assert rows["null"].note == "baseline: not a system"
    assert rows["t0"].note == ""
    assert rows["t1"].note == "not separable from baseline: Null"
    assert (rows["t0"].rank, rows["t1"].rank) == (RankBand(1, 1), RankBand(2, 2))


def with_values(result: ConsistencyResult, first: float, others: float) -> ConsistencyResult:
    """The result with these headline values of its first question and of all others."""
    values = dict.fromkeys(result.question_values[CONSISTENCY_HEADLINE], others)
    values |= {next(iter(values)): first}
    return result.model_copy(update={"question_values": {**result.question_values, CONSISTENCY_HEADLINE: values}})


def test_the_leading_run_of_2025_says_which_questions_its_place_rests_on() -> None:
    # Of 20 questions t0 has 5 + 19 x 3 = 62, t1 0 + 19 x 3.2 = 60.8. Without the first 57 and 60.8.
    whole = consistency(4)
    question = next(iter(whole.question_values[CONSISTENCY_HEADLINE]))
    runs = scored(with_values(whole, 5.0, 3.0), with_values(whole, 0.0, 3.2), with_values(whole, 5.0, 5.0))
    runs[2] = ScoredEdition(ticket("null", role="baseline"), runs[2].result)
    rows = {row.id: row for row in edition_rows(runs)}
    # A baseline is never first, though it has 5 on every question.
    assert rows["t0"].deciding == DecidingItems(("t0",), (question,), "t1", 20)
    assert (rows["t1"].deciding, rows["null"].deciding) == (None, None)


def test_the_leading_run_of_2026_says_so_too() -> None:
    whole = cultural(follows=True)
    questions = list(whole.question_values[CULTURAL_HEADLINE])
    # The leader is ahead on the first question by 1 and behind on the others by 0.5 / (n - 1) each: without the first
    # it is behind.
    behind = 0.5 / (len(questions) - 1)
    runs = []
    for first, others in ((1.0, 0.5), (0.0, 0.5 + behind)):
        values = dict.fromkeys(questions, others) | {questions[0]: first}
        runs.append(whole.model_copy(update={"question_values": {**whole.question_values, CULTURAL_HEADLINE: values}}))
    rows = {row.id: row for row in edition_rows(scored(*runs))}
    assert rows["t0"].deciding == DecidingItems(("t0",), (questions[0],), "t1", len(questions))
    assert rows["t1"].deciding is None


def test_a_null_row_on_other_questions_says_nothing_of_a_run() -> None:
    runs = scored(consistency(4), consistency(0, questions=3))
    runs[1] = ScoredEdition(ticket("null", role="baseline"), runs[1].result)
    (row,) = (row for row in edition_rows(runs) if row.id == "t0")
    assert row.inseparable_from == ()


@pytest.mark.parametrize("made", [partial(consistency, 6), partial(cultural, True)], ids=["2025", "2026"])
def test_four_runs_of_a_system_are_four_rows_and_one_is_ranked(
    made: Callable[[], ConsistencyResult | CulturalResult],
) -> None:
    result = made()
    runs = [
        ScoredEdition(
            ticket(f"r{day}", system="keel", run=f"variant {day}", day=day, set_id=result.prompt_set.set_id), result
        )
        for day in (1, 2, 3, 4)
    ]
    rows = {row.id: row for row in edition_rows(latest_runs(runs))}
    assert [(row.id, row.run) for row in rows.values()] == [(f"r{day}", f"variant {day}") for day in (1, 2, 3, 4)]
    assert [row.id for row in rows.values() if row.rank] == ["r4"]
    assert rows["r1"].note == "not ranked: its system is ranked by its run variant 4"
    runs[1] = ScoredEdition(replace(runs[1].ticket, is_primary=True), runs[1].result)
    rows = {row.id: row for row in edition_rows(latest_runs(runs))}
    assert [row.id for row in rows.values() if row.rank] == ["r2"]
    assert rows["r4"].note == "not ranked: its system is ranked by its run variant 2"


def test_files_of_one_run_are_one_attempt_and_the_newest_stands_for_it() -> None:
    result = consistency(1)
    languages = len(result.files)
    files = [ticket(f"f{number}", system="keel", run="1", day=number + 2) for number in range(languages)]
    second = ticket("again", system="keel", run="2", day=1)
    latest, other = latest_runs([ScoredEdition(one, result) for one in (*files, second)])
    assert (latest.ticket.id, other.ticket.id) == (files[-1].id, "again")
    (row,) = edition_rows([latest])
    assert with_attempts([row], files)[0].attempts == 1
    assert with_attempts([row], [*files, second])[0].attempts == 2
    # Whoever sends one language four times has tried four times, whatever became of three of them.
    versions = [
        replace(ticket(f"v{number}", system="keel", run="1"), status=JobStatus.WITHDRAWN) for number in range(3)
    ]
    assert with_attempts([row], [*files, *versions])[0].attempts == 4
