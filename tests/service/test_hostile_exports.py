"""Every board full of hostile texts, as files: no CSV holds a formula, JSON keeps every text as it was written."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from leaderboard.page.services import Services
from leaderboard.site.export import export_boards
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.hostile import MARK, NAMEABLE, fill, formulas, names, official_folder

BOARDS = {"robustness", "judges", "personalization", "personalized_ratings", "personalized_pairs", "behavior"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """What `python -m leaderboard export` writes of the app of tests/browser/test_hostile.py."""
    folder = tmp_path_factory.mktemp("hostile-exports")
    official = official_folder(folder / "official")
    fill(folder / "data", official)
    settings = Settings.from_env({"PLUMBLINE_DATA": str(folder / "data"), "PLUMBLINE_ELOQUENT_DIR": str(official)})
    store = Store.open(settings.resolved_database_url)
    desk = Desk(store, Archive(settings.archive), PromptSets.load(official))
    written = export_boards(Services(store=store, desk=desk, settings=settings), folder / "out")
    store.close()
    return {path: (folder / "out" / path).read_bytes() for path in written}


@pytest.mark.slow
def test_no_cell_of_any_board_is_a_formula(files: Mapping[str, bytes]) -> None:
    tables = {path: data.decode() for path, data in files.items() if path.endswith(".csv")}
    with_payloads = {path.split("/")[1] for path, text in tables.items() if MARK in text}
    assert with_payloads >= BOARDS
    assert {path: found for path, text in tables.items() if (found := formulas(text))} == {}


@pytest.mark.slow
def test_json_says_every_name_as_it_is(files: Mapping[str, bytes]) -> None:
    boards = [json.loads(data) for path, data in files.items() if re.fullmatch(r"boards/robustness/.*\.json", path)]
    sent = [given for start in range(0, len(NAMEABLE), 4) for given in (names(start).team, names(start).system)]
    assert set(sent) <= {text for board in boards for text in texts(board)}


def test_a_formula_would_be_seen() -> None:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["name", "score"], ["=1+1", "-0.5"], ["'=1+1", "1e-3"], ["-2+3", "+x"]])
    assert formulas(buffer.getvalue()) == ["=1+1", "-2+3", "+x"]


def texts(value: Any) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [text for one in inner for text in texts(one)]
    return [value] if isinstance(value, str) else []
