"""Rows of the Personalization board: who is ranked, who is not and why, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from evaluator.judges.protocol import Judge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.personalization.evaluate import outcome_rows
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.personalization.cache import board_of, dataset_choices, dataset_label, latest_runs
from leaderboard.boards.personalization.published import published_rows
from leaderboard.boards.personalization.rank_bands import RobustnessUnits, deciding_examples, robustness_bands
from leaderboard.boards.personalization.rows import PersonalizationRow, ScoredRun, personalization_rows, scored_run
from submissions.formats.personalization.submission import SET_ID
from submissions.store.queue import JobStatus, Ticket
from tests.unit.leaderboard.boards.personalization.made_personalization import (
    WORKED_EXAMPLE,
    answered,
    control,
    document,
    large_file,
    pairs,
    read,
    saying,
    scored,
)

PAPER = "full.commonsense_qa.mmlu.truthful_qa"


def run_of(data: bytes, *, judge: Judge | None = None, day: int = 1) -> ScoredRun:
    """A scored file as the boards keep it; its ticket is its hash."""
    result = scored(data, judge)
    return scored_run(ticket_of(data, day=day), result, outcome_rows(result.outcomes), result.outcomes.gold)


def ticket_of(data: bytes, *, day: int = 1, **changed: Any) -> Ticket:
    submission = read(data)
    moment = datetime(2026, 11, day, tzinfo=UTC)
    return Ticket(
        **{
            "id": submission.file_sha256[:12],
            "owner": "local",
            "role": "entry",
            "edition": "",
            "set_id": SET_ID,
            "names": submission.names,
            "file_name": "made.json",
            "file_sha256": submission.file_sha256,
            "received_at": moment,
            "status": JobStatus.SCORED,
            "status_at": moment,
            "reason": None,
            "position": None,
            "judged": 0,
            "to_judge": None,
            "attempts": 1,
            "log": (),
            **changed,
        }
    )


def by_system(rows: Sequence[PersonalizationRow], method: str = "naive") -> dict[str, PersonalizationRow]:
    return {row.name: row for row in rows if row.is_entry and row.method == method}


# --- ranking ---------------------------------------------------------------------------------------------------------


def test_rows_that_the_common_examples_cannot_tell_apart_share_a_band() -> None:
    runs = [
        run_of(large_file(lost=2, ignored=0, system="best")),
        run_of(large_file(lost=3, ignored=0, system="close")),
        run_of(large_file(lost=40, ignored=0, system="worst")),
    ]
    found = by_system(personalization_rows(runs, "relevant", "ours"))
    # 2 of 60 and 3 of 60 differ on one example only, which half of the draws miss; 40 of 60 differs on 37
    assert found["best"].rank == found["close"].rank == RankBand(low=1, high=2)
    assert found["worst"].rank == RankBand(low=3, high=3)
    # What the best lost the others lost, too: no removal puts them ahead.
    assert found["best"].deciding is not None
    assert (found["best"].deciding.items, found["best"].deciding.total) == ((), 60)
    assert found["close"].deciding is found["worst"].deciding is None


def test_the_examples_that_decide_who_has_the_lowest_error_are_named() -> None:
    # One row an example: 1 of 4 is not robust, then 2 of 4. Without 3 and 4 the first has 1 of 2 and the second 0 of 2.
    first: RobustnessUnits = {("mmlu", str(n)): (1, int(n == 1)) for n in range(1, 5)}
    second: RobustnessUnits = {("mmlu", str(n)): (1, int(n > 2)) for n in range(1, 5)}
    deciding = deciding_examples({"first": first, "second": second})
    assert deciding == DecidingItems(("first",), ("mmlu 3", "mmlu 4"), "second", 4)


def test_methods_of_one_run_are_ranked_against_each_other() -> None:
    rows = personalization_rows([run_of(large_file(lost=30, ignored=0, aligner_lost=0))], "relevant", "ours")
    assert by_system(rows, "pref_aligner")["Steady"].rank == RankBand(low=1, high=1)
    assert by_system(rows)["Steady"].rank == RankBand(low=2, high=2)


def test_examples_that_asked_something_else_are_not_common() -> None:
    ours = large_file(lost=30, ignored=0, system="one")
    theirs = large_file(lost=0, ignored=0, system="other").replace(b"Which colour has", b"What colour has")
    found = by_system(personalization_rows([run_of(ours), run_of(theirs)], "relevant", "ours"))
    assert found["one"].rank == found["other"].rank == RankBand(low=1, high=2)


def test_identical_runs_are_one_band() -> None:
    units: RobustnessUnits = {("ours", str(number)): (1, number % 2) for number in range(80)}
    assert robustness_bands({"a": units, "b": dict(units)}) == dict.fromkeys("ab", RankBand(low=1, high=2))
    assert robustness_bands({}) == {}


def test_too_few_right_controls_are_listed_and_not_ranked() -> None:
    row = by_system(personalization_rows([run_of(large_file(lost=1, ignored=1, size=49))], "relevant", "ours"))[
        "Steady"
    ]
    assert (row.rank, row.tier) == (None, 1)
    assert row.note == "not ranked: too few: 49 right controls of at least 50"
    enough = large_file(lost=1, ignored=1, size=50)
    assert by_system(personalization_rows([run_of(enough)], "relevant", "ours"))["Steady"].rank == RankBand(
        low=1, high=1
    )


def spoiled(*, broken: int, recovered: int, size: int = 80) -> bytes:
    """A file whose controls are wrong just where its answers under preferences are, and on some that turn right."""
    rows = pairs(
        [(number >= broken + recovered, number >= broken, 5) for number in range(size)], preference="I like rhymes."
    )
    return document(rows)


def test_controls_spoiled_where_the_answers_break_leave_the_row_unranked_with_the_reason() -> None:
    # Without the spoiling 20 of 80 right answers were lost: now all 54 that count are kept.
    row = by_system(personalization_rows([run_of(spoiled(broken=20, recovered=6))], "relevant", "ours"))["Steady"]
    assert row.value("robustness_error") == 0.0
    assert row.rank is None
    # Controls right: 54 of 80, 68 %; under preferences 60, 75 %.
    assert row.note == (
        "not ranked: controls below the run's own level: on the same 80 questions its answers under preferences are "
        "75% right, its controls 68%"
    )


def test_controls_at_the_level_of_the_run_are_ranked() -> None:
    # Two answers turn right and four turn wrong, as chance and preferences do.
    rows = pairs([(number > 1, number > 5 or number < 2, 5) for number in range(80)])
    row = by_system(personalization_rows([run_of(document(rows))], "relevant", "ours"))["Steady"]
    assert row.rank == RankBand(low=1, high=1)


def test_a_control_that_another_run_of_it_corrects_is_below_the_level() -> None:
    wrong = [control(f"q{number}", saying(number >= 20)) for number in range(80)]
    again = [control(f"q{number}", saying(True), repeat=2) for number in range(80)]
    answers = [answered(f"q{number}", saying(number >= 20, 5)) for number in range(80)]
    row = by_system(personalization_rows([run_of(document([*wrong, *again, *answers]))], "relevant", "ours"))["Steady"]
    # Control runs taken together: (60 + 80) / 160; the first of them 60 / 80.
    assert row.note == (
        "not ranked: controls below the run's own level: on the same 80 questions its other control runs are 88% "
        "right, its controls 75%"
    )


def test_a_judge_that_cannot_rate_leaves_the_row_unranked_with_its_reason() -> None:
    run = run_of(large_file(lost=6, ignored=0), judge=ScriptedJudge())
    row = by_system(personalization_rows([run], "relevant", "ours"))["Steady"]
    assert row.note == "not ranked: needs a language-model judge"
    assert row.value("breakage_rate") == 6 / 60
    assert row.missing("alignment_failure") == "(needs a language-model judge)"
    # nothing has to be judged where no preference is relevant
    irrelevant = by_system(personalization_rows([run], "irrelevant", "ours"))["Steady"]
    assert irrelevant.rank == RankBand(low=1, high=1)


def test_controls_and_the_comparison_profile_are_never_ranked() -> None:
    run = run_of(large_file(lost=6, ignored=0))
    (control_row,) = [row for row in personalization_rows([run], "none", "ours") if row.is_entry]
    assert control_row.unranked == "the control compared with itself"
    perg = ScoredRun(run.ticket, run.result.model_copy(update={"profile": "perg"}), run.units, run.controls)
    row = by_system(personalization_rows([perg], "relevant", "ours"))["Steady"]
    assert row.unranked == "comparison view of the profile perg"


# --- data sets -------------------------------------------------------------------------------------------------------


def test_pooled_rows_stand_only_among_rows_of_the_same_data_sets() -> None:
    both = run_of(large_file(lost=2, ignored=0, datasets=("ours", "theirs"), system="both"))
    one = run_of(large_file(lost=2, ignored=0, system="one"))
    choices = dataset_choices([both, one])
    assert choices[-2:] == ("full.ours.theirs", PAPER)
    assert list(by_system(personalization_rows([both, one], "relevant", "full.ours.theirs"))) == ["both"]
    assert set(by_system(personalization_rows([both, one], "relevant", "ours"))) == {"both", "one"}
    pooled = by_system(personalization_rows([both, one], "relevant", "full.ours.theirs"))["both"]
    assert (pooled.n, pooled.value("breakage_rate")) == (120, 4 / 120)
    assert dataset_label("full.ours.theirs") == "full: ours, theirs pooled"


def test_one_pooled_data_set_is_no_choice_of_its_own() -> None:
    choices = dataset_choices([run_of(large_file(lost=2, ignored=0))])
    assert choices == ("commonsense_qa", "mmlu", "ours", "truthful_qa", PAPER)


def test_runs_of_one_system_stand_side_by_side_and_the_same_run_is_replaced() -> None:
    first, again, other = (large_file(lost=lost, ignored=0, run=run) for lost, run in ((1, "1"), (2, "1"), (3, "2")))
    tickets = [ticket_of(first, day=1), ticket_of(again, day=2), ticket_of(other, day=1)]
    assert [ticket.id for ticket in latest_runs(tickets)] == [tickets[1].id, tickets[2].id]
    waiting = ticket_of(large_file(lost=4, ignored=0, run="1"), day=3, status=JobStatus.QUEUED)
    assert latest_runs([tickets[1], waiting]) == [tickets[1]]


# --- baselines -------------------------------------------------------------------------------------------------------


def test_null_rows_are_computed_on_the_questions_of_the_row_with_the_most_answers() -> None:
    small = run_of(document(pairs([(True, True, 5)]), system="small"))
    worked = pairs(WORKED_EXAMPLE)
    for place, row in enumerate(worked):
        row["gold"] = "A" if place // 2 < 6 else "B"  # the last two questions have B right
    large = run_of(document(worked, system="large"))
    nulls = {row.name: row for row in personalization_rows([small, large], "relevant", "ours") if row.is_null}
    unchanged, first = nulls["the control unchanged"], nulls["always the first option"]
    # controls: A A A A A B B B, right: A A A A A A B B -> q1-q5, q7 and q8
    assert (unchanged.share("acc_no_pref"), unchanged.n_qstar, unchanged.n) == (7 / 8, 7, 8)
    assert (unchanged.value("breakage_rate"), unchanged.share("unchanged_rate")) == (0.0, 1.0)
    assert (first.share("acc_pref"), first.n_qstar) == (6 / 8, 6)
    assert first.value("breakage_rate") == 0.0
    # nobody judged these texts: not known, never 0
    assert unchanged.value("alignment_failure") is unchanged.value("robustness_error") is None
    assert unchanged.missing("robustness_error") == "(no judge was asked)"
    assert "large" in unchanged.note
    assert all(row.rank is None and row.tier == 0 and row.style == "null-row" for row in nulls.values())


def test_under_irrelevant_preferences_null_rows_have_an_error_because_nothing_needs_a_judge() -> None:
    rows = personalization_rows([run_of(large_file(lost=6, ignored=0))], "irrelevant", "ours")
    null = next(row for row in rows if row.name == "the control unchanged")
    assert null.value("robustness_error") == 0.0
    assert null.missing("alignment_failure") == "(no preference is relevant)"


def test_without_a_submission_there_is_no_null_row() -> None:
    assert [row.id for row in personalization_rows([], "relevant", "ours")] == []


# --- published rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dataset", "error"), [("mmlu", 0.234), (PAPER, 0.209)])
def test_published_figures_stand_beside_ours_in_the_same_data_sets(dataset: str, error: float) -> None:
    rows = personalization_rows([], "relevant", dataset)
    llama = next(row for row in rows if (row.name, row.method) == ("Llama3-8B", "naive"))
    assert llama.value("robustness_error") == pytest.approx(error)
    assert llama.note == "published, as printed, by another judge (arXiv 2509.19358)"
    assert (llama.rank, llama.published, llama.style) == (None, "published, as printed", "published-row")
    assert {row.method for row in rows} == {"naive", "pref_aligner"}


def test_published_aligner_figures_of_other_settings_are_left_out() -> None:
    # The paper's own aligner rows for mixed and irrelevant repeat those for relevant: not usable.
    assert {row.method for row in personalization_rows([], "mixed", "mmlu")} == {"naive"}
    assert {row.setting for row in published_rows() if row.method == "pref_aligner"} == {"relevant"}


# --- the board -------------------------------------------------------------------------------------------------------


def test_changes_pair_the_two_methods_of_a_run() -> None:
    runs = [
        run_of(large_file(lost=30, ignored=0, aligner_lost=3, system="both")),
        run_of(large_file(lost=9, ignored=0, system="naive only")),
    ]
    (change,) = board_of(runs, "relevant", "ours").changes
    assert (change.system, change.naive.method, change.aligner.method) == ("both", "naive", "pref_aligner")
    assert change.difference is not None
    assert change.difference.value == pytest.approx(-27 / 60)
    published = board_of([], "relevant", PAPER).changes
    assert len(published) == 7
    assert all(change.difference is None for change in published)


def test_rows_are_ordered_by_error_with_undefined_ones_last() -> None:
    runs = [
        run_of(large_file(lost=9, ignored=0, system="worse")),
        run_of(large_file(lost=2, ignored=0, system="better")),
        run_of(large_file(lost=0, ignored=0, system="unjudged"), judge=ScriptedJudge()),
    ]
    board = board_of(runs, "relevant", "ours")
    assert [row.name for row in board.runs] == ["better", "worse", "unjudged"]


def test_cells_are_those_of_the_chosen_data_sets() -> None:
    run = run_of(large_file(lost=6, ignored=0, datasets=("ours", "theirs")))
    assert {cell.figures.dataset for cell in board_of([run], "relevant", "ours").cells} == {"ours"}
    assert {cell.figures.dataset for cell in board_of([run], "relevant", "full.ours.theirs").cells} == {
        "ours",
        "theirs",
    }
    assert board_of([run], "irrelevant", "ours").cells == ()


def test_a_row_says_what_does_not_count() -> None:
    rows = [*pairs([(True, True, 5)]), control("open", saying(True), gold=None)]
    found = personalization_rows([run_of(document(rows))], "none", "ours")
    assert "rows without a right option, which count nowhere: 1" in found[0].note
