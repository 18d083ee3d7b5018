"""What is erased is nowhere afterwards, stays away whatever is restored, and leaves a tombstone with its reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.store.content import stored_for
from submissions.store.queue import JobStatus, LeaseLost, NotYours
from submissions.store.store import Store, StoreError

SAID = "The tide is a breath of the sea."
VERDICT = json.dumps({"reason": f"both say: {SAID}"})
OTHERS = json.dumps({"reason": "they differ"})


class House:
    """A database and its archive; every answer and verdict of `t1` says SAID."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.archive = Archive(folder / "archive")
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}")
        self.desk = Desk(self.store, self.archive, PromptSets.load(None))

    def sent(self, ticket_id: str, text: str, *, owner: str = "anna") -> None:
        facts = {
            "ticket_id": ticket_id,
            "owner": owner,
            "role": "entry",
            "edition": "2024",
            "set_id": "demonstration",
            "names": Names(team="aurora", system="keel"),
            "file_name": "keel.json",
            "data": text.encode(),
            "received_at": 1_790_000_000.0 + len(self.archive.names()),
        }
        self.archive.record_submission(**facts)  # type: ignore[arg-type]
        self.store.add(**facts)  # type: ignore[arg-type]

    def scored(self, verdicts: dict[str, str], text: str = "") -> None:
        """The next of the queue, by these verdicts."""
        job = self.store.claim("w")
        assert job is not None
        self.store.save_verdicts(verdicts)
        cell = {"item": "001", "key_ab": next(iter(verdicts)), "key_ba": None}
        groups = [{"language": "en", "responses": [], "pairs": [cell]}]
        result = {"board": "robustness", "items": [{"id": "001", "groups": groups}], "said": text}
        result["keys"] = [{"key_ab": key} for key in verdicts]
        self.store.finish(job.id, "w", json.dumps(result))
        self.archive.catch_up(self.store)

    def kept(self) -> bytes:
        """Every byte that the folder holds, the database and what lies beside it included."""
        return b"\n".join(path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file())

    def holds(self, text: str) -> bool:
        verdicts = self.store.load_verdicts(["own", "shared", "further"])
        return text.encode() in self.kept() or text in json.dumps(verdicts)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "house")
    made.sent("t1", f"{SAID} 1" * 2000)
    made.scored({"own": VERDICT, "shared": OTHERS}, SAID)
    made.sent("t2", "Something else.", owner="ben")
    made.scored({"shared": OTHERS})
    made.store.save_verdicts({"further": VERDICT})  # of a panel's other judge: named by no result
    made.store.save_embeddings({"k": SAID.encode()})
    made.desk.act("rerun", "t1", actor="olga", reason="its prompts were mended", cell="001 en")
    made.scored({"own": VERDICT, "shared": OTHERS}, SAID)
    yield made
    made.store.close()


def erased(house: House) -> None:
    house.desk.withdraw("t1", "anna")
    house.desk.erase("t1", actor="olga", actor_name="Olga", reason="asked for by its team")


def test_nothing_that_was_said_is_left_and_a_tombstone_says_why(house: House) -> None:
    assert house.holds(SAID)
    erased(house)
    assert not house.holds(SAID)
    stone = house.store.require("t1")
    assert (stone.status, stone.is_erased) == (JobStatus.WITHDRAWN, True)
    assert stone.reason == "its answers were erased: asked for by its team"
    assert stone.names == Names(team="aurora", system="keel")
    assert house.store.result("t1") is None
    with pytest.raises(StoreError, match="it was erased"):
        house.store.payload(stone.file_sha256)
    (act, *_) = house.store.acts(about="t1")
    assert (act.words, act.who, act.reason) == ("its answers were erased", "Olga", "asked for by its team")
    # What others rest on stays, and the archive is whole.
    assert house.store.load_verdicts(["own", "shared", "further"]) == {"shared": OTHERS}
    assert house.store.result("t2") is not None
    assert house.archive.log().damage == ()
    assert house.archive.catch_up(house.store) == 0


def test_no_reason_of_a_failure_and_of_another_try_is_left(house: House) -> None:
    quoted = "not a number: 'The tide of t3'"
    house.sent("t3", "The third.")
    job = house.store.claim("w")
    assert job is not None
    house.store.release(job.id, "w", quoted)
    job = house.store.claim("w")
    assert job is not None
    house.store.fail(job.id, "w", quoted)
    house.archive.catch_up(house.store)
    assert house.holds("The tide of t3")
    house.desk.erase("t3", actor="olga", actor_name="Olga", reason="asked for by its team")
    assert not house.holds("The tide of t3")
    assert house.store.require("t3").log[-1].endswith("its answers were erased: asked for by its team")


def test_nothing_comes_back_with_the_database_made_anew(house: House, tmp_path: Path) -> None:
    erased(house)
    before = [(one.id, one.status, one.reason, one.names) for one in house.store.tickets()]
    again = Store.open(f"sqlite:///{tmp_path / 'again.db'}")
    restored = restore(house.archive, again)
    assert restored.losses == ()
    assert [(one.id, one.status, one.reason, one.names) for one in again.tickets()] == before
    assert [act.kind for act in again.acts()] == [act.kind for act in house.store.acts()]
    assert again.load_verdicts(["own", "shared"]) == {"shared": OTHERS}
    assert house.archive.catch_up(again) == 0
    again.close()


def test_an_older_database_is_told_and_an_older_copy_of_the_archive_brings_nothing_back(
    house: House, tmp_path: Path
) -> None:
    older = Store.open(f"sqlite:///{tmp_path / 'older' / 'plumbline.db'}")
    restore(house.archive, older)
    files = {path: path.read_bytes() for path in house.archive.folder.rglob("*") if path.is_file()}
    erased(house)
    restore(house.archive, older)
    assert older.require("t1").is_erased
    older.close()
    assert SAID.encode() not in (tmp_path / "older" / "plumbline.db").read_bytes()
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    again = Store.open(f"sqlite:///{tmp_path / 'again.db'}")
    restore(house.archive, again)
    assert again.require("t1").is_erased
    again.close()


def test_what_a_crash_left_in_the_archive_goes_with_the_next_step(house: House) -> None:
    house.store.withdraw("t1", "anna")
    house.store.erase("t1", actor="olga", reason="asked for")  # the process dies before the archive heard of it
    house.archive.catch_up(house.store)
    assert not house.holds(SAID)
    assert house.archive.catch_up(house.store) == 0


def test_a_file_that_another_ticket_holds_stays_until_that_is_erased_too(house: House) -> None:
    house.sent("t3", f"{SAID} 1" * 2000, owner="copyist")
    erased(house)
    assert house.holds(SAID)
    house.desk.cancel("t3", "copyist")
    house.desk.erase("t3", actor="olga", reason="a copy")
    assert not house.holds(SAID)


def test_sent_again_it_is_a_submission_like_any_other(house: House, tmp_path: Path) -> None:
    erased(house)
    data = f"{SAID} 1" * 2000
    house.sent("t4", data)
    again = Store.open(f"sqlite:///{tmp_path / 'again.db'}")
    restore(house.archive, again)
    for store in (house.store, again):
        assert store.payload(store.require("t4").file_sha256) == data.encode()
    assert (again.require("t1").is_erased, again.require("t4").status) == (True, JobStatus.QUEUED)
    again.close()


def naming(*keys: str) -> str:
    return json.dumps({"pairs": [{"key_ab": key} for key in keys]})


def test_runs_at_work_go_on_and_keep_what_was_stored_for_them(house: House) -> None:
    house.sent("t5", "At work.")
    assert house.store.claim("w") is not None
    with stored_for("t5"):
        house.store.save_verdicts({"at work": OTHERS})
        house.store.save_embeddings({"at work": b"vector"})
    with stored_for("t1"):
        house.store.save_embeddings({"of t1": b"vector"})
    erased(house)
    assert house.store.require("t5").status is JobStatus.RUNNING
    assert house.store.load_embeddings(["at work", "of t1", "k"]) == {"at work": b"vector"}
    house.store.finish("t5", "w", naming("at work", "shared"))
    assert house.store.require("t5").status is JobStatus.SCORED


def test_a_run_that_took_a_verdict_over_from_what_was_erased_asks_for_it_itself(house: House) -> None:
    house.sent("t5", "It says what t1 says.")
    assert house.store.claim("w") is not None
    erased(house)
    with pytest.raises(LeaseLost, match="1 of its verdicts went with a submission that was erased"):
        house.store.finish("t5", "w", naming("own", "shared"))
    assert house.store.require("t5").status is JobStatus.QUEUED
    assert house.store.claim("w") is not None
    with stored_for("t5"):
        house.store.save_verdicts({"own": OTHERS})
    house.store.finish("t5", "w", naming("own", "shared"))
    # It is the run's own from now on: another submission that says the same cannot take it along.
    house.sent("t6", "It says what t1 says, too.", owner="carl")
    assert house.store.claim("w") is not None
    house.store.finish("t6", "w", naming("own"))
    house.desk.withdraw("t6", "carl")
    house.desk.erase("t6", actor="carl", reason="", owner="carl")
    assert house.store.load_verdicts(["own"]) == {"own": OTHERS}


def test_a_verdict_that_two_shared_goes_when_the_second_is_erased(house: House) -> None:
    house.sent("t5", "It says what t1 says.")
    assert house.store.claim("w") is not None
    house.store.finish("t5", "w", naming("own"))
    erased(house)
    assert house.store.load_verdicts(["own"]) == {"own": VERDICT}
    house.desk.withdraw("t5", "anna")
    house.desk.erase("t5", actor="anna", reason="", owner="anna")
    assert house.store.load_verdicts(["own"]) == {}


def test_who_still_works_on_what_is_erased_stores_nothing_of_it(house: House) -> None:
    house.sent("t5", SAID)
    assert house.store.claim("w") is not None
    house.desk.cancel("t5", "anna")
    house.desk.erase("t5", actor="anna", reason="", owner="anna")
    with stored_for("t5"):
        assert house.store.save_verdicts({"late": VERDICT}) == 0
        house.store.save_embeddings({"late": b"vector"})
    assert (house.store.load_verdicts(["late"]), house.store.load_embeddings(["late"])) == ({}, {})


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (lambda house: None, "is scored: what is erased never comes back, so withdraw, cancel or hide it first"),
        (erased, "is erased already"),
    ],
    ids=["it stands", "twice"],
)
def test_only_what_stands_on_no_board_is_erased_and_once(
    house: House, before: Callable[[House], None], said: str
) -> None:
    before(house)
    with pytest.raises(StoreError, match=said):
        house.desk.erase("t1", actor="anna", reason="", owner="anna")


def test_a_team_erases_its_own_and_nobody_elses(house: House) -> None:
    house.desk.withdraw("t1", "anna")
    with pytest.raises(NotYours):
        house.desk.erase("t1", actor="ben", reason="", owner="ben")
    assert house.holds(SAID)
    house.desk.erase("t1", actor="anna", reason="asked for by its team", owner="anna")
    assert not house.holds(SAID)


def test_a_damaged_tombstone_brings_nothing_back(house: House, tmp_path: Path) -> None:
    erased(house)
    (path,) = house.archive.folder.glob("log/*/*-erasure-*.json")
    path.write_bytes(b"{")
    again = Store.open(f"sqlite:///{tmp_path / 'again.db'}")
    restored = restore(house.archive, again)
    assert [one.id for one in again.tickets()] == ["t2"]
    assert [loss.consequence for loss in restored.losses] == ["submission t1 stays erased, its tombstone is missing"]
    again.close()
