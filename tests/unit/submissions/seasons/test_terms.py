"""Terms are accepted once by an account, stay accepted in the record, and are asked for anew when they change."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import HOUSE_OWNER, Desk, Receipt
from submissions.problems import NotTakenNow
from submissions.promptsets import PromptSets, example_submissions
from submissions.seasons.season_file import SeasonsError
from submissions.seasons.terms import TermsNotAccepted
from submissions.store.accepted_terms import accounts_by_version
from submissions.store.queue import Role
from submissions.store.store import Store
from tests.unit.submissions.seasons.made_seasons import AUTUMN, SPRING, SetClock, at, made_seasons

FAIR = f'{SPRING}terms = "Be fair."\n'
FAIRER = f'{SPRING}terms = "Be fairer."\n'
EXAMPLE, OTHER = (data for _, data in list(example_submissions())[:2])
IN_SPRING = at("2026-03-10T12:00:00+00:00")


class Offices:
    """Desks at one store and archive, with the seasons as their files are at the time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = SetClock(IN_SPRING)
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", clock=self.clock)
        self.archive = Archive(folder / "archive")
        self.desk = Desk(self.store, self.archive, PromptSets.load(None), self.clock)

    def open(self, **texts: str) -> None:
        seasons = made_seasons(self.folder / "seasons", **texts)
        self.desk = Desk(self.store, self.archive, PromptSets.load(None), self.clock, seasons=seasons)

    def state(self, text: str) -> None:
        """The terms of the installation."""
        (self.folder / "seasons").mkdir(exist_ok=True)
        (self.folder / "seasons" / "terms.txt").write_text(text, encoding="utf-8")

    def sent(
        self, *, accepts: bool = False, file: bytes = EXAMPLE, owner: str = "anna", role: Role = "entry"
    ) -> Receipt:
        return self.desk.submit(file, "a.json", owner=owner, owner_name="Anna", accepts_terms=accepts, role=role)


@pytest.fixture
def offices(tmp_path: Path) -> Iterator[Offices]:
    offices = Offices(tmp_path)
    yield offices
    offices.store.close()


def test_a_file_is_refused_until_the_terms_are_accepted_and_the_refusal_says_where_they_are(offices: Offices) -> None:
    offices.open(spring=FAIR)
    version = hashlib.sha256(b"Be fair.").hexdigest()[:8]
    with pytest.raises(TermsNotAccepted) as refused:
        offices.sent()
    assert isinstance(refused.value, NotTakenNow)
    assert str(refused.value) == (
        f"Accept the terms of Spring (version {version}, /terms/spring.txt) first, once for your account: tick the box "
        "on Submit, or give `submit --accept-terms`, or send accept_terms=true with the call."
    )
    assert offices.store.tickets() == []
    assert offices.store.acceptances() == []
    assert not offices.archive.folder.exists()


def test_accepted_once_they_are_asked_for_no_more(offices: Offices) -> None:
    offices.open(spring=FAIR)
    assert [one.name for one in offices.desk.unaccepted_terms("anna")] == ["spring"]
    offices.sent(accepts=True)
    assert offices.desk.unaccepted_terms("anna") == ()
    offices.clock.now += 60
    offices.sent(file=OTHER)
    (accepted,) = offices.store.acceptances()
    assert (accepted.owner, accepted.owner_name, accepted.terms, accepted.text) == (
        "anna",
        "Anna",
        "spring",
        "Be fair.",
    )
    assert accepted.at.timestamp() == IN_SPRING
    # Of another account nothing is known, nor of somebody who has not signed in.
    with pytest.raises(TermsNotAccepted):
        offices.sent(owner="ben", file=OTHER)
    assert len(offices.desk.unaccepted_terms(None)) == 1


def test_a_changed_text_is_asked_for_anew_and_both_versions_are_counted(offices: Offices) -> None:
    offices.open(spring=FAIR)
    offices.sent(accepts=True)
    offices.sent(accepts=True, owner="ben", file=OTHER)
    offices.open(spring=FAIRER)
    with pytest.raises(TermsNotAccepted):
        offices.sent(file=OTHER)
    offices.sent(accepts=True, file=OTHER)
    fair, fairer = (hashlib.sha256(text).hexdigest() for text in (b"Be fair.", b"Be fairer."))
    assert accounts_by_version(offices.store.acceptances(), "spring") == {fair: 2, fairer: 1}
    offices.open(spring=FAIR)  # the former text is back: it was accepted
    assert offices.desk.unaccepted_terms("anna") == ()


def test_another_season_with_the_same_words_has_terms_of_its_own(offices: Offices) -> None:
    offices.open(spring=FAIR, autumn=f'{AUTUMN}terms = "Be fair."\n')
    offices.sent(accepts=True)
    offices.clock.set("2026-09-10T12:00:00+00:00")
    with pytest.raises(TermsNotAccepted, match=re.escape("/terms/autumn.txt")):
        offices.sent(file=OTHER)


def test_the_terms_of_the_installation_hold_with_and_without_a_season(offices: Offices) -> None:
    offices.state("Our site keeps files.\n")
    offices.open()
    with pytest.raises(TermsNotAccepted, match=r"the terms of this installation \(version \w{8}, /terms.txt\) first"):
        offices.sent()
    offices.sent(accepts=True)
    offices.open(spring=FAIR)
    with pytest.raises(TermsNotAccepted) as refused:  # what is accepted is not asked for again
        offices.sent(file=OTHER)
    assert [one.name for one in refused.value.terms] == ["spring"]
    with pytest.raises(TermsNotAccepted, match=r"the terms of this .* and the terms of Spring"):
        offices.sent(owner="ben", file=OTHER)


def test_rows_of_ours_accept_nothing(offices: Offices) -> None:
    offices.state("Our site keeps files.")
    offices.open(spring=FAIR)
    offices.sent(owner=HOUSE_OWNER, role="example")
    assert offices.store.acceptances() == []


def test_what_was_accepted_stays_when_the_file_is_refused_for_another_reason(offices: Offices) -> None:
    offices.open(spring=f"{FAIR}attempts_in_all = 1\n")
    offices.sent(accepts=True)
    with pytest.raises(NotTakenNow, match="attempt"):
        offices.sent(file=OTHER)
    assert len(offices.store.acceptances()) == 1


def test_a_rebuilt_database_knows_who_accepted_what(offices: Offices, tmp_path: Path) -> None:
    offices.state("Our site keeps files.")
    offices.open(spring=FAIR)
    offices.sent(accepts=True)
    rebuilt = Store.open(f"sqlite:///{tmp_path / 'rebuilt.db'}")
    for _ in range(2):  # twice changes nothing
        assert restore(offices.archive, rebuilt).is_complete
    assert rebuilt.acceptances() == offices.store.acceptances()
    assert [one.terms for one in rebuilt.acceptances()] == ["", "spring"]
    assert offices.archive.catch_up(rebuilt) == 0
    rebuilt.close()


def test_what_a_crash_kept_from_the_archive_is_recorded_later(offices: Offices, tmp_path: Path) -> None:
    offices.open(spring=FAIR)
    offices.sent(accepts=True)
    (event,) = (name for name in offices.archive.names() if name.kind == "acceptance")
    (offices.archive.folder / event.path).unlink()
    assert offices.archive.catch_up(offices.store) == 1
    assert [name.path for name in offices.archive.names() if name.kind == "acceptance"] == [event.path]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b" \n", r"found 0 characters, expected a text of 1 to 4,000 characters"),
        (b"a" * 4_001, r"found 4,001 characters"),
        (b"\xff\xfe", r"found bytes that are no UTF-8"),
        (b"a\x00b", r"found the character U\+0000"),
    ],
)
def test_terms_of_an_installation_that_cannot_be_used_are_refused(tmp_path: Path, data: bytes, found: str) -> None:
    (tmp_path / "terms.txt").write_bytes(data)
    with pytest.raises(SeasonsError, match=f"terms.txt: {found}"):
        made_seasons(tmp_path)
