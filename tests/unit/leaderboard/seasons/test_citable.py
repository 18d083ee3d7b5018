"""A frozen board as a thing to cite: the kept bytes, and descriptions that other people's programs take."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from starlette.applications import Starlette
from starlette.testclient import TestClient

from leaderboard.seasons.citable import citable_files, citable_zip
from leaderboard.seasons.routes import routes
from tests.browser.hostile import NAMEABLE
from tests.unit.leaderboard.seasons.test_a_whole_season import Task, frozen_by
from tests.validators import run_validator


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Task]:
    """Spring, frozen, with two teams, of which one has a hostile system name."""
    task = Task(tmp_path_factory.mktemp("season"))
    task.clock.set("2026-03-10T12:00:00+00:00")
    for rating, team, system in ((3.0, "Aurora", NAMEABLE[0]), (2.0, "Borealis", "=SUM(A1)")):
        task.sent(team, system=system)
        task.scored(rating)
    task.clock.set("2026-04-10T10:00:00+00:00")
    frozen_by(task)
    yield task
    task.store.close()


def test_the_archive_holds_the_kept_bytes_and_sums_of_everything(task: Task) -> None:
    copy = task.frozen()
    with zipfile.ZipFile(io.BytesIO(citable_zip(copy))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files["spring.json"] == copy
    sums = dict(line.split("  ")[::-1] for line in files.pop("SHA256SUMS").decode().splitlines())
    assert sums == {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    assert {"CITATION.cff", "croissant.json", "metadata.json"} < set(files)
    assert citable_zip(copy) == citable_zip(copy)


def test_tables_hold_the_figures_of_the_copy_and_run_no_formula(task: Task) -> None:
    copy = task.frozen()
    files = citable_files(copy)
    board = next(one for one in json.loads(copy)["boards"] if one["board"] == "robustness" and one["rows"])
    tables = [list(csv.DictReader(io.StringIO(data.decode()))) for path, data in files.items() if path.endswith(".csv")]
    rows = {row["team"]: row for table in tables for row in table if row.get("score")}
    for row in board["rows"]:
        assert float(rows[row["team"]]["score"]) == pytest.approx(row["score"]["value"], abs=1e-12)
    assert rows["Borealis"]["system"] == "'=SUM(A1)"


def test_citation_and_zenodo_say_what_when_and_which_bytes(task: Task) -> None:
    copy = task.frozen()
    sha256 = hashlib.sha256(copy).hexdigest()
    files = citable_files(copy)
    citation = yaml.safe_load(files["CITATION.cff"])
    assert citation["cff-version"] == "1.2.0"
    assert citation["title"] == "Spring: frozen board"
    assert citation["date-released"] == "2026-04-10"
    assert citation["identifiers"][0]["value"] == f"sha256:{sha256}"
    metadata = json.loads(files["metadata.json"])["metadata"]
    # What Zenodo's deposit API requires: https://developers.zenodo.org/#deposit-metadata
    assert metadata["upload_type"] == "dataset"
    assert metadata["publication_date"] == "2026-04-10"
    assert metadata["creators"]
    assert sha256 in metadata["description"]
    for name in ("CITATION.cff", "metadata.json", "croissant.json"):
        assert "Aurora" not in files[name].decode()


def test_the_archive_is_served_once_the_season_is_public(task: Task) -> None:
    client = TestClient(Starlette(routes=routes(task.store, task.desk)))
    answer = client.get("/season/spring.zip")
    assert answer.content == citable_zip(task.frozen())
    assert client.get("/season/autumn.zip").status_code == 404
    task.clock.set("2026-04-10T09:59:59+00:00")
    assert client.get("/season/spring.zip").status_code == 403
    task.clock.set("2026-04-10T10:00:00+00:00")


def test_cffconvert_takes_the_citation_and_writes_bibtex_of_it(task: Task, tmp_path: Path) -> None:
    (tmp_path / "CITATION.cff").write_bytes(citable_files(task.frozen())["CITATION.cff"])
    (tmp_path / "ask_cffconvert.py").write_text("from cffconvert.cli.cli import cli\ncli()\n", encoding="utf-8")
    validated = run_validator("ask_cffconvert", "--validate", folder=tmp_path)
    assert validated.returncode == 0, validated.stdout + validated.stderr
    bibtex = run_validator("ask_cffconvert", "-f", "bibtex", folder=tmp_path).stdout
    assert "title = {Spring: frozen board}" in bibtex


READ = """
import json, sys, warnings
import mlcroissant
data = mlcroissant.Dataset(jsonld="croissant.json")
sets = [one.uuid for one in data.metadata.record_sets]
print(json.dumps({one: sum(1 for _ in data.records(one)) for one in sets}))
"""


def test_mlcroissant_takes_the_description_and_reads_every_table(task: Task, tmp_path: Path) -> None:
    files = citable_files(task.frozen())
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "read_croissant.py").write_text(READ, encoding="utf-8")
    said = run_validator("read_croissant", folder=tmp_path)
    assert said.returncode == 0, said.stderr
    counted = json.loads(said.stdout)
    tables = {path: data for path, data in files.items() if path.endswith(".csv")}
    assert counted == {
        f"records/{path}": len(list(csv.DictReader(io.StringIO(data.decode())))) for path, data in tables.items()
    }
    assert sum(counted.values()) >= 2
