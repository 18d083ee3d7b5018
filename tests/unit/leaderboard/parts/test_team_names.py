"""Team names that look alike: whose is whose stands beside them, and nobody's else is touched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.desk.queue_screen import QueueScreen
from leaderboard.page.services import Services
from leaderboard.page.state import QueueState
from leaderboard.parts.team_names import TeamNames, looks
from submissions.schema import Names, VerdictChoices
from submissions.store.queue import Ticket
from submissions.store.store import Store
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, verdicts
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

ITEMS = [f"90{number}" for number in range(1, 8)]
RESULT = robustness_result(dict.fromkeys(ITEMS, 3.0))
JUDGED = judges_result(verdicts({"gauge": "AB BA AA"}))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Aurora", "Аurоrа"),  # Cyrillic А, о, а
        ("Aurora", "AURORA"),
        ("Aurora", "Aurora\u00a0"),  # ends with a no-break space
        ("Aurora", "Ａｕｒｏｒａ"),  # fullwidth
        ("Model", "rnodel"),
        ("Al Lab", "AI  Lab"),  # small l, capital i
        ("team 0", "team O"),
        ("Café", "Cafe\u0301"),
    ],
)
def test_names_that_cannot_be_told_apart_share_a_look(one: str, other: str) -> None:
    assert looks(one) & looks(other)


@pytest.mark.parametrize(("one", "other"), [("Aurora", "Borealis"), ("Cafe", "Café"), ("团队", "困队"), ("ab", "ba")])
def test_names_that_differ_for_the_eye_do_not(one: str, other: str) -> None:
    assert not looks(one) & looks(other)


def take_in(store: Store, team: str | None, owner: str, *, name: str = "", number: int = 0) -> Ticket:
    return store.add(
        ticket_id=f"{owner}-{number}",
        owner=owner,
        owner_name=name,
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(team=team, system="Keel"),
        file_name="a.json",
        data=b"{}",
        received_at=float(number),
    )


def shown(teams: TeamNames, ticket: Ticket) -> str:
    return teams.shown([ticket])[ticket.id]


def test_alike_names_of_two_accounts_stand_with_their_accounts(services: Services) -> None:
    teams, store = TeamNames(services.store), services.store
    anna = take_in(store, "Aurora", "subject-of-anna", name="anna")
    assert shown(teams, anna) == "Aurora"
    again = take_in(store, "AURORA", "subject-of-anna", name="anna", number=1)
    assert shown(teams, again) == "AURORA"
    ben = take_in(store, "Аurora", "subject-of-ben")
    assert shown(teams, anna) == "Aurora (@anna)"
    assert shown(teams, ben) == "Аurora (account of subject-)"
    assert shown(teams, take_in(store, None, "subject-of-ben", number=2)) == ""
    assert shown(teams, take_in(store, "Borealis", "subject-of-ben", number=3)) == "Borealis"


def test_a_name_that_brings_an_account_along_stands_with_its_own(services: Services) -> None:
    take_in(services.store, "Aurora", "subject-of-anna", name="anna")
    forged = take_in(services.store, "Aurora (＠anna)", "subject-of-ben", name="ben")
    assert shown(TeamNames(services.store), forged) == "Aurora (＠anna) (@ben)"


def test_two_accounts_with_one_name_are_two_rows_of_every_board_and_of_the_queue(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    choices = VerdictChoices(options=3)
    table_of_verdicts = (
        b"judge,benchmark,task,model,query,order,verdict\ngauge,d,w,a,q1,original,B\ngauge,d,w,a,q1,swapped,A\n"
    )
    for owner in ("anna", "ben"):
        desk, names = services.desk, Names(team="Aurora", system="Keel")
        desk.submit(demonstration_file("Aurora"), "a.json", owner=owner, owner_name=owner, names=names)
        desk.submit(table_of_verdicts, "v.csv", owner=owner, owner_name=owner, names=names, choices=choices)
    while job := services.store.claim("w"):
        made = JUDGED if job.set_id.startswith("judges") else RESULT
        services.store.finish(job.id, "w", made.model_dump_json())
    boards = Boards(services.store)
    told_apart = {"Aurora (@anna)", "Aurora (@ben)"}
    assert {row.team for row in boards.rows("demonstration", "all")} == told_apart
    judges = JudgeBoards(services.store, boards).boards()
    assert {row.team for board in judges.values() for row in board.entries if row.team} == told_apart
    table = QueueScreen(services).tickets_table(QueueState())
    assert table is not None
    named = {cell["text"] for row in table["rows"] for cell in row["cells"] if "column-team" in cell["style"]}
    assert named == told_apart
