"""The desk takes in files of the later editions as it does those of 2024."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.problems import SubmissionError
from submissions.promptsets import PromptSets
from submissions.store.store import Store
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped
from tests.unit.submissions.formats.eloquent.test_edition_2025 import VALID

FILES = {"2025": json.dumps(VALID).encode(), "2026": zipped(run_files())}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None))
    store.close()


@pytest.mark.parametrize("edition", FILES)
def test_a_file_of_each_edition_is_taken_in_under_its_set(desk: Desk, edition: str) -> None:
    assert desk.check(FILES[edition], "file").decision != "refused"
    ticket = desk.submit(FILES[edition], "file", owner="local").ticket
    assert (ticket.edition, ticket.set_id) == (edition, f"eloquent-{edition}")
    assert (ticket.names.team, ticket.names.run) == ("aurora", "run-1")


@pytest.mark.parametrize("edition", FILES)
def test_a_refused_file_is_not_taken_in(desk: Desk, tmp_path: Path, edition: str) -> None:
    with pytest.raises(SubmissionError):
        desk.submit(FILES[edition][:-40], "file", owner="local")
    assert not (tmp_path / "archive" / "log").exists()


def test_rows_of_2026_are_kept_where_they_are_asked_for(desk: Desk) -> None:
    assert desk.check(FILES["2026"], "file").submission is None
    assert desk.check(FILES["2026"], "file", keep_rows=True).submission is not None
