from __future__ import annotations

from collections.abc import Callable

import pytest

from leaderboard.page.board_row import BoardRow, ticket_fields
from leaderboard.page.scored_runs import ScoredRuns
from leaderboard.page.services import Services
from submissions.promptsets import DEMONSTRATION
from submissions.store.queue import Ticket
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit


class Reader:
    """Reads results, and says how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.computed = 0

    def read(self, ticket: Ticket, _: str) -> Ticket:
        self.asked.append(ticket.id)
        return ticket

    def rows_of(self, runs: ScoredRuns[Ticket]) -> Callable[[], list[BoardRow]]:
        def computed() -> list[BoardRow]:
            self.computed += 1
            return [BoardRow(**ticket_fields(run), id=run.id, name="Keel") for run in runs.all()]

        return computed


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def runs(services: Services, reader: Reader) -> ScoredRuns[Ticket]:
    return ScoredRuns(services.store, DEMONSTRATION.__eq__, reader.read)


def test_a_result_is_read_once_however_much_happens_to_others(
    services: Services, score: Submit, runs: ScoredRuns[Ticket], reader: Reader
) -> None:
    first = score(robustness_result({"901": 4.0}), system="Keel")
    assert [run.id for run in runs.all()] == [first]
    stamp = runs.stamp()
    second = score(robustness_result({"901": 3.0}), system="Mast")
    assert {run.id for run in runs.all()} == {first, second}
    assert sorted(reader.asked) == sorted([first, second])
    assert runs.stamp() != stamp
    services.store.withdraw(first, "local")
    assert [run.id for run in runs.all()] == [second]
    assert runs.run(first) is None


def test_a_run_that_its_team_chooses_is_known_as_chosen(
    services: Services, score: Submit, runs: ScoredRuns[Ticket]
) -> None:
    id_ = score(robustness_result({"901": 4.0}), owner="anna")
    assert [run.is_primary for run in runs.all()] == [False]
    services.desk.act("primary", id_, actor="anna", owner="anna")
    assert [run.is_primary for run in runs.all()] == [True]


def test_a_try_that_is_not_scored_is_counted_and_computes_nothing_anew(
    services: Services,
    score: Submit,
    runs: ScoredRuns[Ticket],
    reader: Reader,
    demonstration_file: Callable[[str], bytes],
) -> None:
    id_ = score(robustness_result({"901": 4.0}), team="Aurora", owner="anna")

    def counts() -> list[tuple[str, int | None, int | None]]:
        return [(row.id, row.attempts, row.account_attempts) for row in runs.rows("all", reader.rows_of(runs))]

    assert counts() == [(id_, 1, 1)]
    stamp = runs.stamp()
    names = runs.tickets()[0].names
    services.desk.submit(demonstration_file("Aurora") + b" ", "again.json", owner="anna", names=names)
    assert counts() == [(id_, 2, 2)]
    assert (reader.computed, runs.stamp()) == (1, stamp)


def test_submissions_to_other_boards_are_nobodys_here(services: Services, score: Submit, reader: Reader) -> None:
    score(robustness_result({"901": 4.0}))
    elsewhere = ScoredRuns(services.store, "eloquent-2024".__eq__, reader.read)
    assert (elsewhere.tickets(), elsewhere.all()) == ((), [])
    assert reader.asked == []
