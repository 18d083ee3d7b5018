"""Which run of a system is ranked: its team's choice, else the latest; what organisers hide is on no board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from leaderboard.boards.personalization.cache import PersonalizationBoards
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.page.ledger import CHOSEN
from leaderboard.page.services import Services
from leaderboard.systems.card import card_value, runs_of_system
from submissions.schema import Names
from submissions.store.store import Store
from tests.unit.leaderboard.boards.personalization.made_personalization import large_file
from tests.unit.leaderboard.boards.personalization.made_personalization import put_into as put_answers
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, put_into, verdicts
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

ITEMS = [f"90{number}" for number in range(1, 8)]


def score_run(services: Services, data: bytes, value: float, *, owner: str = "anna", system: str = "Keel") -> str:
    names = Names(system=system, model="Model")
    ticket = services.desk.submit(data, "a.json", owner=owner, names=names).ticket
    job = services.store.claim("w")
    assert job is not None
    result = robustness_result(dict.fromkeys(ITEMS, value))
    services.store.finish(job.id, "w", result.model_dump_json())
    return ticket.id


@pytest.fixture
def runs(services: Services, demonstration_file: Callable[[str], bytes]) -> list[str]:
    """Three runs of one system that scored 4, 3 and 2, the latest last."""
    files = (demonstration_file("Aurora") + b" " * number for number in range(3))
    return [score_run(services, data, value) for data, value in zip(files, (4.0, 3.0, 2.0), strict=True)]


def the_row(boards: Boards) -> RobustnessRow:
    (row,) = boards.rows("demonstration", "all")
    return row


def test_the_latest_run_is_ranked_until_its_team_chooses_another(services: Services, runs: list[str]) -> None:
    boards, desk = Boards(services.store), services.desk
    assert (the_row(boards).id, the_row(boards).attempts, the_row(boards).is_primary) == (runs[2], 3, False)
    desk.act("primary", runs[0], actor="anna", owner="anna")
    assert (the_row(boards).id, the_row(boards).attempts, the_row(boards).is_primary) == (runs[0], 3, True)
    assert replace(the_row(boards), unranked="").note == f"{CHOSEN}, one of 3 attempts"
    assert list(boards.runs("demonstration", "all")) == [runs[0]]
    assert [run.id for run in boards.runs("demonstration", "all")[runs[0]]] == runs
    desk.act("latest", runs[0], actor="anna", owner="anna")
    assert the_row(boards).id == runs[2]


def test_a_primary_run_that_is_withdrawn_gives_its_place_to_the_latest(services: Services, runs: list[str]) -> None:
    boards = Boards(services.store)
    services.desk.act("primary", runs[0], actor="anna", owner="anna")
    services.desk.withdraw(runs[0], "anna")
    assert (the_row(boards).id, the_row(boards).attempts) == (runs[2], 3)


def test_what_is_hidden_is_on_no_board_and_its_reason_is_in_the_queue(services: Services, runs: list[str]) -> None:
    boards = Boards(services.store)
    for ticket in runs[1:]:
        services.desk.act("hide", ticket, actor="olga", reason="it quotes another team")
    assert (the_row(boards).id, the_row(boards).attempts) == (runs[0], 3)
    assert boards.run(runs[1]) is None
    services.desk.act("hide", runs[0], actor="olga", reason="this one too")
    assert boards.rows("demonstration", "all") == ()
    services.desk.act("show", runs[1], actor="olga", reason="settled")
    assert the_row(boards).id == runs[1]


def test_the_card_of_a_system_lists_hidden_and_chosen_attempts(services: Services, runs: list[str]) -> None:
    services.desk.act("hide", runs[2], actor="olga", reason="it quotes another team")
    services.desk.act("primary", runs[0], actor="anna", owner="anna")
    boards = Boards(services.store)
    run = boards.run(runs[0])
    assert run is not None
    attempts = runs_of_system(boards.tickets(), run.ticket)
    listed = card_value(run, [], [(ticket, None) for ticket in attempts], "all", {})["runs"]
    assert [(one["state"], one["reason"]) for one in listed] == [
        ("scored", "hidden from the boards: it quotes another team"),
        ("scored", ""),
        ("scored, primary", ""),
    ]


def test_two_owners_with_the_same_names_have_a_row_and_a_choice_each(
    services: Services, runs: list[str], demonstration_file: Callable[[str], bytes]
) -> None:
    theirs = [score_run(services, demonstration_file("Aurora") + b" " * n, 1.0, owner="ben") for n in range(2)]
    services.desk.act("primary", theirs[0], actor="ben", owner="ben")
    rows = {row.id: row.attempts for row in Boards(services.store).rows("demonstration", "all")}
    assert rows == {runs[2]: 3, theirs[0]: 2}


@pytest.fixture
def judged(services: Services) -> Store:
    """Two tables of one team with the same judge: consistent in the first, never in the second, which is newer."""
    put_into(services.store, [judges_result(verdicts({"gauge": written})) for written in ("AB BA", "AA BB")])
    return services.store


def gauges(store: Store) -> list[tuple[str, int | None, float | None]]:
    board = JudgeBoards(store, Boards(store)).boards()["mtbench-3"]
    return [(row.ticket_id, row.attempts, row.metric("position_consistency").value) for row in board.entries]


def test_a_judge_is_ranked_by_the_primary_table_of_its_team(judged: Store) -> None:
    newer, older = (ticket.id for ticket in judged.tickets())
    assert gauges(judged) == [(newer, 2, 0.0)]
    judged.act("primary", older, actor="local", owner="local")
    assert gauges(judged) == [(older, 2, 1.0)]
    judged.act("hide", older, actor="olga", reason="because")
    assert gauges(judged) == [(newer, 2, 0.0)]  # what is hidden was tried all the same


def test_a_run_with_preferences_is_ranked_by_its_primary_submission_and_tells_its_attempts(services: Services) -> None:
    store = services.store
    worse, better = (put_answers(store, large_file(lost=lost, ignored=0)) for lost in (30, 3))
    other = put_answers(store, large_file(lost=10, ignored=0, run="2"))

    def ranked() -> dict[str, int | None]:
        board = boards.board("relevant", "ours")
        return {row.ticket_id: row.attempts for row in board.runs}

    boards = PersonalizationBoards(store)
    (latest,) = {worse, better} & {*ranked()}  # received at the same moment
    (earlier,) = {worse, better} - {latest}
    assert ranked() == {latest: 2, other: 1}
    store.act("primary", earlier, actor="local", owner="local")
    assert ranked() == {earlier: 2, other: 1}
    store.act("hide", other, actor="olga", reason="because")
    assert ranked() == {earlier: 2}
