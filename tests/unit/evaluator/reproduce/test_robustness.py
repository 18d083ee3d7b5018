"""A number is made anew from its manifest and its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from evaluator.reproduce.robustness import ManifestUnreadable, Reproduction, read_manifest
from evaluator.results import RobustnessResult
from leaderboard.boards.robustness.rows import ScoredTicket
from leaderboard.page.services import Services
from leaderboard.site.export import export_boards
from leaderboard.systems.card import manifest_text
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.settings import Settings
from submissions.store.store import Store
from tests.unit.leaderboard.boards.robustness.made_results import ticket

FILE_NAME, DATA = next(iter(example_submissions()))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / FILE_NAME
    path.write_bytes(DATA)
    return path


@pytest.fixture
def result(file: Path, capsys: pytest.CaptureFixture[str]) -> RobustnessResult:
    """What the board keeps of the file, by the judge that anyone can check by hand."""
    assert main(["evaluate", str(file), "--json", "--judge", "scripted"]) == 0
    return RobustnessResult.model_validate_json(capsys.readouterr().out)


@pytest.fixture
def manifest(tmp_path: Path, result: RobustnessResult) -> Path:
    path = tmp_path / "manifest.json"
    path.write_text(manifest_text(ScoredTicket(ticket("one"), result), "english"), encoding="utf-8")
    return path


def test_an_exported_manifest_and_the_file_give_the_same_number(
    tmp_path: Path, file: Path, result: RobustnessResult, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    desk = Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None))
    found = desk.submit(DATA, FILE_NAME, owner="local").ticket
    assert store.claim("w") is not None
    store.finish(found.id, "w", result.model_dump_json())
    export_boards(Services(store=store, desk=desk, settings=Settings.from_env({})), tmp_path / "exported")
    store.close()
    exported = tmp_path / "exported" / "manifests" / f"{found.id}.json"
    assert main(["reproduce", str(exported), str(file)]) == 0
    assert capsys.readouterr().out.startswith("pair_mean_gated, view english\n")
    body = json.loads(exported.read_text(encoding="utf-8"))
    body["headline"]["value"] += 0.01  # more than half of the last digit a board shows
    exported.write_text(json.dumps(body), encoding="utf-8")
    assert main(["reproduce", str(exported), str(file)]) == 1


def changed(manifest: Path, **changes: Any) -> Path:
    document = json.loads(manifest.read_text(encoding="utf-8"))
    for name, value in changes.items():
        document[name] = {**document[name], **value} if isinstance(value, dict) else value
    manifest.write_text(json.dumps(document), encoding="utf-8")
    return manifest


def test_the_downloaded_manifest_and_the_file_give_the_same_number(
    manifest: Path, file: Path, result: RobustnessResult, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", str(manifest), str(file)]) == 0
    value = result.views["english"].figures["pair_mean_gated"].mean.value
    assert value is not None
    assert capsys.readouterr().out.splitlines() == [
        "pair_mean_gated, view english",
        f"manifest  {value}",
        f"here      {value}",
        # The mean of each of six figures, over the English and over all languages.
        "12 of 12 figures of its views are the same.",
        "The same number.",
    ]


def test_another_figure_than_the_headline_is_named(
    manifest: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["figures"]["all"]["pair_worst"]["value"] += 0.01
    manifest.write_text(json.dumps(document), encoding="utf-8")
    assert main(["reproduce", str(manifest), str(file)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-3].startswith("different  all pair_worst  manifest ")
    assert said[-2:] == ["11 of 12 figures of its views are the same.", "Another number."]


def test_another_number_ends_with_one_and_says_what_differs(
    manifest: Path, file: Path, result: RobustnessResult, capsys: pytest.CaptureFixture[str]
) -> None:
    value = result.views["english"].figures["pair_mean_gated"].mean.value or 0.0
    changed(manifest, headline={"value": value + 0.01}, judge={"revision": "f00"}, code_version="0.0.0")
    assert main(["reproduce", str(manifest), str(file)]) == 1
    said = capsys.readouterr().out
    assert "differs   code version: manifest 0.0.0, here" in said
    assert f"differs   judge revision: manifest f00, here {result.judge.revision}" in said
    assert said.endswith("Another number.\n")


@pytest.mark.parametrize(
    ("changes", "flags", "message"),
    [
        ({"file": {"sha256": "ab" * 32}}, [], "is not the file of this row"),
        ({"judge": {"name": "http", "model": "m"}}, [], "say how to load the judge http m with --judge"),
        ({"judge": {"name": "embedding"}}, [], "the judge 'embedding' was retired: use 'pair'"),
        ({"judge": 3}, [], "no manifest of a row of the Robustness board (judge: "),
    ],
)
def test_what_cannot_be_made_anew_is_said_in_one_line(
    manifest: Path,
    file: Path,
    changes: dict[str, Any],
    flags: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["reproduce", str(changed(manifest, **changes)), str(file), *flags])
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{", b'{"file": {}}'])
def test_anything_else_is_no_manifest(data: bytes) -> None:
    with pytest.raises(ManifestUnreadable, match="no manifest of a row"):
        read_manifest(data)


@pytest.mark.parametrize(
    ("stated", "found", "is_same"),
    [(3.0, 3.004, True), (3.0, 3.006, False), (None, None, True), (None, 0.0, False), (0.0, None, False)],
)
def test_numbers_agree_to_the_digits_a_board_shows(stated: float | None, found: float | None, is_same: bool) -> None:
    assert Reproduction(stated, found, ()).is_same is is_same
