from __future__ import annotations

import json
from dataclasses import replace

from leaderboard.boards.robustness.cache import Boards
from leaderboard.page.board_row import BoardRow
from leaderboard.page.ledger import Ledger
from leaderboard.page.services import Services
from submissions.desk import LOCAL_OWNER
from submissions.promptsets import example_submissions
from submissions.schema import Names
from submissions.store.queue import JobStatus
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result, ticket
from tests.unit.leaderboard.conftest import Submit

KEEL = replace(ticket("keel", owner="u1"), file_sha256="a")
OTHERS = (
    replace(ticket("again", owner="u1", status=JobStatus.WITHDRAWN), file_sha256="b"),
    replace(ticket("failed", owner="u1", status=JobStatus.FAILED), file_sha256="c"),
    # Renamed: another system to whoever reads the names, and the same account.
    replace(ticket("renamed", owner="u1", system="Mast", status=JobStatus.WITHDRAWN), file_sha256="a"),
    # The same bytes from elsewhere.
    replace(ticket("copied", owner="u2", system="Tide"), file_sha256="a"),
    # Another board has a ledger of its own.
    replace(ticket("elsewhere", owner="u1"), set_id="eloquent-2024", file_sha256="a"),
)
LEDGER = Ledger([KEEL, *OTHERS])


def test_withdrawn_and_failed_tries_of_a_system_count() -> None:
    assert LEDGER.of_system(KEEL) == 3  # itself, again, failed


def test_a_renamed_try_counts_for_the_account() -> None:
    assert LEDGER.of_account(KEEL) == 4  # and the renamed one


def test_the_same_file_is_known_whoever_sends_it_under_whatever_name() -> None:
    assert LEDGER.of_file(KEEL) == 2  # renamed, copied
    assert LEDGER.of_file(OTHERS[0]) is None


def test_the_same_answers_under_another_name_are_flagged_on_both_while_both_stand() -> None:
    ours = replace(KEEL, file_sha256="f1", answers_sha256="one")
    theirs = replace(ticket("theirs", owner="u2", system="Tide"), file_sha256="f2", answers_sha256="one")
    again = replace(ours, id="again", file_sha256="f3", names=replace(ours.names, run="2"))  # of the same system
    other = replace(theirs, id="other", owner="u3", file_sha256="f1", answers_sha256="two")
    ledger = Ledger([ours, theirs, again, other])
    assert [ledger.of_answers(one) for one in (ours, theirs, again, other)] == [1, 1, 1, None]
    gone = replace(theirs, status=JobStatus.WITHDRAWN)
    assert Ledger([ours, gone, again, other]).of_answers(ours) is None


def test_where_nobody_signs_in_there_is_no_account_to_count_for() -> None:
    everybody = replace(KEEL, owner=LOCAL_OWNER)
    assert Ledger([everybody]).of_account(everybody) is None
    ours = replace(KEEL, role="example")
    assert Ledger([ours]).of_account(ours) is None


def test_what_is_one_system_is_for_the_board_to_say() -> None:
    runs = [replace(KEEL, id=name, names=replace(KEEL.names, run=name)) for name in ("1", "2")]
    assert Ledger(runs, lambda one: one.names.run).of_system(runs[0]) == 1
    assert Ledger(runs).of_system(runs[0]) == 2


def test_rows_are_counted_and_rows_of_no_ticket_stay_as_they_are() -> None:
    keel, ours, gone = (BoardRow(id=id_, name="Keel", ticket_id=id_) for id_ in ("keel", "", "nobody"))
    counted = replace(keel, attempts=3, account_attempts=4, same_file=2, same_answers=1)
    assert LEDGER.counted([keel, ours, gone]) == (counted, ours, gone)


def test_teams_that_write_alike_are_two_systems_of_two_accounts() -> None:
    named = replace(KEEL, names=Names(team="Aurora", system="Keel", model="m"))
    elsewhere = replace(named, id="other", owner="u2")
    assert Ledger([named, elsewhere]).of_system(named) == 1


def test_a_copy_under_another_team_is_flagged_on_both_rows(services: Services) -> None:
    document = json.loads(dict(example_submissions())["tide.json"])
    for team in ("Aurora", "Boreal"):
        document["eloquent-robustness-results"] |= {"source": team, "notes": f"by {team}"}
        services.desk.submit(json.dumps(document).encode(), "a.json", owner="local")
        job = services.store.claim("w")
        assert job is not None
        services.store.finish(job.id, "w", robustness_result({"901": 4.0}).model_dump_json())
    rows = Boards(services.store).rows("demonstration", "english")
    assert sorted(row.team for row in rows) == ["Aurora", "Boreal"]
    assert [row.same_file for row in rows] == [None, None]  # their bytes differ
    assert [row.same_answers for row in rows] == [1, 1]
    assert all("the same answers stand here under another name" in row.note for row in rows)


def test_a_team_that_tries_under_many_names_and_withdraws_is_seen_on_the_board(
    services: Services, score: Submit
) -> None:
    for place, system in enumerate(("Keel", "Mast", "Spar")):
        last = score(robustness_result({"901": 1.0 + place}), team="Aurora", system=system, owner="account")
        if system != "Spar":
            services.store.withdraw(last, "account")
    (row,) = Boards(services.store).rows("demonstration", "english")
    # One file, whose names come with it: three systems of one account.
    assert (row.name, row.attempts, row.account_attempts, row.same_file) == ("Spar", 1, 3, 2)
