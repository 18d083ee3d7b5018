"""Files of one run: what they have in common, and which of them stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.schema import Names
from submissions.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield opened
    opened.close()


def add(
    store: Store,
    ticket: str,
    at: float,
    *,
    owner: str = "anna",
    names: Names = Names("team", "aurora", None, "1"),
    set_id: str = "eloquent-2025",
) -> None:
    store.add(
        ticket_id=ticket,
        owner=owner,
        role="entry",
        edition="2025",
        set_id=set_id,
        names=names,
        file_name=f"{ticket}.json",
        data=ticket.encode(),
        received_at=at,
    )


def files(store: Store, ticket: str) -> list[str]:
    return [one.file_name for one in store.run_files(ticket)]


def test_a_run_has_all_its_files_oldest_first_whichever_of_them_is_asked_for(store: Store) -> None:
    add(store, "fi", 2.0)
    add(store, "en", 1.0)
    add(store, "sv", 3.0)
    for ticket in ("en", "fi", "sv"):
        assert files(store, ticket) == ["en.json", "fi.json", "sv.json"]
    (first, *_) = store.run_files("sv")
    assert store.payload(first.file_sha256) == b"en"
    assert first.names == Names("team", "aurora", None, "1")


@pytest.mark.parametrize(
    "other",
    [
        {"owner": "bert"},
        {"set_id": "eloquent-2026"},
        {"names": Names("other", "aurora", None, "1")},
        {"names": Names("team", "borealis", None, "1")},
        {"names": Names("team", "aurora", "gpt-sw3", "1")},
        {"names": Names("team", "aurora", None, "2")},
        {"names": Names("team", "aurora", None, None)},
    ],
)
def test_another_account_set_team_system_model_or_run_is_another_run(store: Store, other: dict[str, object]) -> None:
    add(store, "en", 1.0)
    add(store, "fi", 2.0, **other)  # type: ignore[arg-type]
    assert files(store, "en") == ["en.json"]
    assert files(store, "fi") == ["fi.json"]


def test_names_that_nobody_stated_are_the_same(store: Store) -> None:
    for place, ticket in enumerate(("en", "fi")):
        add(store, ticket, float(place), names=Names("team", None, None, None))
    assert files(store, "fi") == ["en.json", "fi.json"]


def test_a_cancelled_file_is_no_part_of_its_run(store: Store) -> None:
    add(store, "en", 1.0)
    add(store, "fi", 2.0)
    store.cancel("en", "anna")
    assert files(store, "fi") == ["fi.json"]
