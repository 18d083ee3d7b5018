"""The results as a dataset: whole, read by `datasets` as it is, the same bytes for the same results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from datasets import get_dataset_config_names, load_dataset
from huggingface_hub import DatasetCard

from leaderboard.__main__ import main
from leaderboard.page.services import Services
from leaderboard.results_dataset.tables import TABLES
from leaderboard.results_dataset.writer import write_dataset
from submissions.settings import Settings
from submissions.store.database import StoreError
from tests.browser.hostile import NAMEABLE
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped

ITEMS = [f"90{number}" for number in range(1, 8)]


@pytest.fixture(autouse=True)
def cached_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`datasets` keeps what it has read: here in the folder of the test."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def services_of(house: House) -> Services:
    return Services(store=house.store, desk=house.desk, settings=Settings.from_env({}))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    return list(load_dataset(str(folder), table, split="train"))


def test_every_table_is_a_config_and_the_first_is_shown_at_first(
    services: Services, score: Submit, tmp_path: Path
) -> None:
    folder = tmp_path / "empty"
    counts = write_dataset(services, folder)
    # Nobody has submitted: the boards hold what others published, and a table without rows is left out.
    assert {name for name, count in counts.items() if count} == {"boards"}
    assert get_dataset_config_names(str(folder)) == ["boards"]
    assert sorted(bytes_of(folder)) == ["README.md", "boards/boards.parquet"]
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)))
    write_dataset(services, folder)
    assert get_dataset_config_names(str(folder)) == [table.name for table in TABLES]
    assert load_dataset(str(folder), split="train").column_names == list(TABLES[0].columns)
    for table in TABLES:
        assert load_dataset(str(folder), table.name, split="train").column_names == list(table.columns)
    card = DatasetCard.load(folder / "README.md").data.to_dict()
    assert [one["config_name"] for one in card["configs"]] == [table.name for table in TABLES]


def test_the_figures_of_2024_stand_in_it_down_to_every_pair(services: Services, score: Submit, tmp_path: Path) -> None:
    ratings = dict(zip(ITEMS, [4.0, 4.0, 1.0, 2.0, 2.0, 3.0, 3.0], strict=True))
    ticket = score(robustness_result(ratings), team=NAMEABLE[0], system="Keel")
    folder = tmp_path / "out"
    write_dataset(services, folder)
    (headline,) = [
        one
        for one in rows(folder, "boards")
        if one["row"] == ticket and one["figure"] == "score" and json.loads(one["choice"])["view"] == "english"
    ]
    # The mean of 4, 4, 1, 2, 2, 3, 3 is 19 / 7.
    assert headline["value"] == pytest.approx(19 / 7)
    assert (headline["n"], headline["name"], headline["team"]) == (7, "Keel", NAMEABLE[0])
    assert (headline["rank_low"], headline["rank_high"], headline["is_entry"]) == (1, 1, True)
    items = {
        one["item"]: one["value"]
        for one in rows(folder, "items")
        if one["ticket"] == ticket and (one["view"], one["figure"]) == ("english", "pair_mean_gated")
    }
    assert items == ratings
    verdicts = [one for one in rows(folder, "verdicts") if one["ticket"] == ticket]
    # Seven items, each of three English variants, three pairs, and of two Swedish ones, a pair nobody judged.
    assert [one["score"] is None for one in verdicts] == 7 * [False, False, False, True]
    first = verdicts[0]
    assert [first[key] for key in ("item", "group", "a", "b", "ab", "ba", "score")] == [
        *("901", "en", "1", "2"),
        *(4.25, 3.75, 4.0),
    ]
    (manifest,) = rows(folder, "manifests")
    assert json.loads(manifest["manifest"])["result_sha256"] == manifest["result_sha256"]
    assert NAMEABLE[0] not in (folder / "README.md").read_text(encoding="utf-8")


def test_runs_of_2025_and_2026_stand_in_it_with_ratings_and_distances(house: House, tmp_path: Path) -> None:
    for language in ("en", "fi"):
        consistency = house.submit(question_file("keel", language, 3), f"{language}.json")
    cultural = house.submit(zipped(run_files()), "aurora.zip")
    folder = tmp_path / "out"
    write_dataset(services_of(house), folder)
    verdicts = rows(folder, "verdicts")
    rated = [one for one in verdicts if one["ticket"] == consistency]
    assert len(rated) == 20  # one pair of languages for each question
    assert {(one["a"], one["b"], one["scale"]) for one in rated} == {("en", "fi", "rating")}
    assert {round(one["score"], 2) for one in rated} == {3.33}  # 4 of 6 words are shared
    distances = [one for one in verdicts if one["ticket"] == cultural]
    # Five languages are ten pairs; three base questions; with and without a culture named.
    assert len(distances) == 10 * 3 * 2
    assert {one["scale"] for one in distances} == {"distance"}


def test_equal_results_give_equal_bytes_and_what_is_withdrawn_goes(house: House, tmp_path: Path) -> None:
    for language in ("en", "fi"):
        house.submit(question_file("keel", language, 3), f"{language}.json")
    gone = house.submit(zipped(run_files()), "aurora.zip")
    services = services_of(house)
    for name in ("one", "two"):
        write_dataset(services, tmp_path / name, with_answers=True)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    house.store.withdraw(gone, "local")
    write_dataset(services, tmp_path / "two", with_answers=True)
    assert all(gone not in {one["ticket"] for one in rows(tmp_path / "two", name)} for name in ("items", "answers"))


def test_answers_go_along_only_when_asked_for_and_not_of_teams_that_said_no(house: House, tmp_path: Path) -> None:
    kept = house.submit(question_file("keel", "en", 3), "en.json")
    document = json.loads(question_file("tide", "en", 2))
    document["team"] = "borealis"
    said_no = house.submit(json.dumps(document).encode(), "tide.json")
    services = services_of(house)
    assert "answers" not in write_dataset(services, tmp_path / "none")
    assert not (tmp_path / "none" / "answers").exists()
    write_dataset(services, tmp_path / "some", with_answers=True, without={"borealis"})
    answers = rows(tmp_path / "some", "answers")
    assert {one["ticket"] for one in answers} == {kept}
    assert [one["answer"] for one in answers if one["item"] == "7"] == ["topic7 w0 w1 w2 en3"]
    assert said_no in {one["ticket"] for one in rows(tmp_path / "some", "manifests")}
    # The team says so itself: of all that it sent and sends. Its scores stay.
    owner = house.store.require(said_no).owner
    house.desk.act("keep_answers", said_no, actor=owner, owner=owner)
    later = house.submit(json.dumps(document | {"model": "further"}).encode(), "further.json")
    write_dataset(services, tmp_path / "kept", with_answers=True)
    assert {one["ticket"] for one in rows(tmp_path / "kept", "answers")} == {kept}
    assert {one["ticket"] for one in rows(tmp_path / "kept", "manifests")} == {kept, said_no, later}
    with pytest.raises(StoreError, match="the answers of its team are kept out of public exports already"):
        house.desk.act("keep_answers", later, actor=owner, owner=owner)
    house.desk.act("share_answers", later, actor=owner, owner=owner)
    write_dataset(services, tmp_path / "shared", with_answers=True)
    assert {one["ticket"] for one in rows(tmp_path / "shared", "answers")} == {kept, said_no, later}


def test_the_command_writes_it_and_says_how_much(
    score: Submit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATABASE_URL", f"sqlite:///{tmp_path / 'plumbline.db'}")
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)))
    assert main(["results-dataset", "--out", str(tmp_path / "out"), "--with-answers"]) == 0
    said = capsys.readouterr().out
    assert "verdicts: 28 rows" in said
    assert len(rows(tmp_path / "out", "answers")) > 0
    with pytest.raises(SystemExit):
        main(["results-dataset", "--out", str(tmp_path / "out"), "--without", "Aurora"])
    assert "only by --with-answers" in capsys.readouterr().err
