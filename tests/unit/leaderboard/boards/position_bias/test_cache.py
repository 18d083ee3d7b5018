from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evaluator.results import MetricValue, PairwiseRecord, PairwiseResult, RobustnessResult
from leaderboard.boards.position_bias.cache import JudgeBoards, judge_board, own_tables
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.rows import ScoredTicket
from leaderboard.page.benchmarks import BoardKey
from leaderboard.page.services import Services
from submissions.store.queue import Role
from submissions.verdicts.swap_outcomes import classify
from tests.unit.leaderboard.boards.position_bias.made_position_bias import (
    judges_result,
    put_into,
    scored_table,
    verdicts,
)
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE, robustness_result, ticket
from tests.unit.leaderboard.conftest import Submit

MTBENCH = BoardKey("mtbench", 3)


def compared(pairs: str) -> RobustnessResult:
    """A result whose answers were compared with the reference; `==` were identical and nobody was asked."""
    records = tuple(
        PairwiseRecord(
            item=str(number),
            variant=1,
            variation="formality",
            original=pair[0].replace("=", "C"),
            swapped=pair[1].replace("=", "C"),
            outcome=classify(*pair.replace("=", "C")).value,
            key_original=None if pair == "==" else "key",
        )
        for number, pair in enumerate(pairs.split())
    )
    nothing = MetricValue(value=None, n=0)
    pairwise = PairwiseResult(
        reference="Sextant", reference_sha256="", records=records, win_rate=nothing, conservative_win_rate=nothing
    )
    return robustness_result({"901": 3.0}).model_copy(update={"pairwise": pairwise})


def test_our_own_judges_stand_with_what_they_said_on_the_boards() -> None:
    roles: dict[str, Role] = {"one": "entry", "two": "example", "null": "baseline"}
    scored = [
        ScoredTicket(ticket("one", system="A"), compared("AB AA == ==")),
        ScoredTicket(ticket("two", system="A", role=roles["two"], day=2), compared("BA BB")),
        ScoredTicket(ticket("null", system="empty", role=roles["null"], day=3), compared("AB AB AB AB")),
    ]
    (table,) = own_tables("demonstration", scored)
    (judge,) = table.result.judges
    # AB, BA of AB, AA, BA, BB; identical answers and the baseline do not count
    assert judge.position_bias["position_consistency"] == 0.5
    assert judge.position_bias["n_pairs"] == 4
    assert len(judge.by_model) == 2
    assert (table.ticket_id, table.received_at) == ("", datetime(2026, 11, 2, tzinfo=UTC))
    board = judge_board(BoardKey("demonstration", 3), [table])
    assert "our own judge, on answers of the Robustness board" in board.judges[0].note
    assert (board.judges[0].card.model_id, board.judges[0].card.revision) == (JUDGE.model, JUDGE.revision)


def test_a_prompt_set_without_comparisons_makes_no_board() -> None:
    assert own_tables("demonstration", [ScoredTicket(ticket("one"), robustness_result({"901": 3.0}))]) == []


def test_a_scored_run_brings_its_judge_to_the_boards(services: Services, score: Submit) -> None:
    boards = JudgeBoards(services.store, Boards(services.store))
    assert "demonstration-3" not in boards.boards()
    score(compared("AB AA"))
    assert boards.boards()["demonstration-3"].judges[0].name.startswith(JUDGE.model)
    found = boards.report_of(JUDGE)
    assert found is not None
    assert found.benchmark == BoardKey("demonstration", 3).title


def test_boards_are_computed_once_per_change(services: Services) -> None:
    boards = JudgeBoards(services.store, Boards(services.store))
    put_into(services.store, [judges_result(verdicts({"a": "AB"}))])
    first = boards.boards()["mtbench-3"]
    services.store.worker_seen("worker", "embedding")
    again = boards.boards()["mtbench-3"]
    assert (again.rows is first.rows, again.agreement is first.agreement) == (True, True)
    put_into(services.store, [judges_result(verdicts({"b": "AB"}))], team="Others")
    assert boards.boards()["mtbench-3"].rows != first.rows


def test_judges_of_one_table_can_be_compared_and_those_of_two_cannot() -> None:
    one = scored_table(judges_result(verdicts({"a": "AB", "b": "AA"})), "one", team="One")
    two = scored_table(judges_result(verdicts({"c": "AB"})), "two", team="Two")
    matrix = judge_board(MTBENCH, [one, two]).agreement["with_ties"]
    assert matrix["one/a", "one/b"] == 0.5  # A-A agrees, B-A does not
    assert ("one/a", "two/c") not in matrix


def test_the_most_consistent_judge_is_drawn_first_and_the_undefined_last() -> None:
    key = BoardKey("other", 3)
    board = judge_board(key, [scored_table(judges_result(verdicts({"zero": "AA", "none": "NN", "top": "AB"})))])
    assert [row.name for row in board.judges] == ["top", "zero", "none"]


@pytest.mark.parametrize("key", [MTBENCH, BoardKey("devbench", 2)])
def test_registered_benchmarks_have_a_board_before_anybody_came(services: Services, key: BoardKey) -> None:
    board = JudgeBoards(services.store, Boards(services.store)).boards()[key.id]
    assert (board.entries, board.disagreements[0].label) == ([], "published, 9 judges")
    assert board.key.registered is not None
