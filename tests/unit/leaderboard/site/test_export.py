"""Boards as files: whole, the same for the same store, named safely, with the manifest of every result."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.personalization.evaluate import evaluate_personalization
from evaluator.results import RobustnessResult
from leaderboard.__main__ import main
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.parts.downloads import file_name
from leaderboard.parts.manifests import result_manifest
from leaderboard.site import export
from leaderboard.site.export import export_boards
from submissions.promptsets import example_submissions
from submissions.schema import Names
from submissions.version import VERSION
from tests.registered import KINDS
from tests.unit.evaluator.robustness.test_evaluate import GroupJudge
from tests.unit.leaderboard.boards.personalization import made_personalization
from tests.unit.leaderboard.boards.position_bias import made_position_bias
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result


def exported(services: Services, folder: Path) -> dict[str, bytes]:
    return {path: (folder / path).read_bytes() for path in export_boards(services, folder)}


def test_what_others_published_is_exported_with_its_mark(services: Services, tmp_path: Path) -> None:
    files = exported(services, tmp_path)
    marks = {
        "boards/judges/mtbench-3.csv": ("judge", "(published, recomputed)", 9 + 4),
        "boards/behavior/INSPIRED/annotated.csv": ("system", "(published, as printed)", 3),
        "boards/personalized_pairs/PerDOC/PerDOC/all.csv": ("evaluator", "(published, as printed)", 7),
    }
    for path, (name, mark, count) in marks.items():
        records = list(csv.DictReader(io.StringIO(files[path].decode())))
        assert len(records) == count
        published = [record for record in records if record[f"{name}_remark"] not in ("", "(baseline)")]
        assert {record[f"{name}_remark"] for record in published} == {mark}
        parquet = pyarrow.parquet.read_table(io.BytesIO(files[path.replace(".csv", ".parquet")])).to_pylist()
        assert [row[f"{name}_remark"] for row in parquet] == [record[f"{name}_remark"] for record in records]
    assert sum(path.startswith("boards/behavior/") for path in files) == 3  # once, as CSV, JSON and Parquet


def test_every_board_is_exported(services: Services) -> None:
    assert {one.table.board for one in export.board_exports(BoardTools(services))} == set(KINDS)


def test_a_board_is_the_same_as_csv_json_and_parquet_and_the_same_when_exported_again(
    services: Services, score: Callable[..., str], tmp_path: Path
) -> None:
    first = score(robustness_result(dict.fromkeys("1234567", 4.0)), team="Aurora", system="=SUM(A1)")
    second = score(robustness_result(dict.fromkeys("1234567", 3.0)), team="Borealis")
    files = exported(services, tmp_path / "one")
    assert files == exported(services, tmp_path / "two")
    stem = "boards/robustness/demonstration/english"
    rows = list(csv.DictReader(io.StringIO(files[f"{stem}.csv"].decode())))
    assert [row["team"] for row in rows] == ["Aurora", "Borealis"]  # the better one on top
    assert rows[0]["system"] == "'=SUM(A1)"  # a spreadsheet would run it
    body = json.loads(files[f"{stem}.json"])["rows"]
    table = pyarrow.parquet.read_table(io.BytesIO(files[f"{stem}.parquet"])).to_pylist()
    assert [row["system"] for row in body] == [row["system"] for row in table] == ["=SUM(A1)", "System"]
    assert [row["score"] for row in table] == [row["score"]["value"] for row in body]
    assert list(table[0]) == list(rows[0])
    index = json.loads(files["index.json"])
    assert {path for board in index["boards"] for path in board["sha256"]} == {
        path for path in files if path.startswith("boards/")
    }
    assert {f"manifests/{first}.json", f"manifests/{second}.json"} < set(files)


class KeptVerdicts(MemoryVerdicts):
    """Verdicts whose keys a test can see."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[str] = set()

    def save_verdicts(self, verdicts: dict[str, str]) -> int:
        self.keys |= set(verdicts)
        return super().save_verdicts(verdicts)


def test_a_manifest_names_judge_set_file_code_and_every_verdict(services: Services) -> None:
    name, data = next(iter(example_submissions()))
    ticket = services.desk.submit(data, name, owner="local").ticket
    kept = KeptVerdicts()
    judge = RecordedJudge(GroupJudge(), kept)
    result = evaluate_payload(
        data,
        name,
        edition="2024",
        names=Names(),
        prompt_sets=services.desk.prompt_sets,
        judge=judge,
        embedder=ScriptedEmbedder(),
    )
    assert isinstance(result, RobustnessResult)
    manifest = result_manifest(ticket, result.model_dump_json())
    assert [judge["name"] for judge in manifest["judges"]] == ["scripted"]
    assert manifest["prompt_set"] == result.prompt_set.model_dump()
    assert (manifest["file"]["sha256"], manifest["code_version"]) == (ticket.file_sha256, VERSION)
    assert any(group.group_key for item in result.items for group in item.groups)
    assert manifest["verdict_keys"] == sorted(kept.keys)


def test_a_manifest_of_personalized_answers_names_their_verdicts(services: Services) -> None:
    # The last answer names no letter, so the judge is asked for it as well.
    rows = made_personalization.pairs([(True, True, 4), (True, False, 2)])
    rows[-1]["response_with_preference"] = "It depends. Style 2."
    data, kept = made_personalization.document(rows), KeptVerdicts()
    judge = RecordedJudge(made_personalization.rating_judge(), kept)
    result = evaluate_personalization(made_personalization.read(data), judge)
    ticket_id = made_personalization.put_into(services.store, data, result)
    manifest = result_manifest(services.store.require(ticket_id), services.store.result(ticket_id) or "")
    assert len(kept.keys) == 3
    assert manifest["verdict_keys"] == sorted(kept.keys)


def test_a_submitted_table_of_verdicts_has_its_verdicts_in_the_file(services: Services) -> None:
    result = made_position_bias.judges_result(made_position_bias.verdicts({"gauge": "AB", "level": "AA"}))
    (ticket_id,) = made_position_bias.put_into(services.store, [result])
    manifest = result_manifest(services.store.require(ticket_id), services.store.result(ticket_id) or "")
    assert (manifest["judges"], manifest["verdict_keys"]) == ([], [])
    assert manifest["board"] == "judges"


@pytest.mark.parametrize(
    ("text", "name"),
    [("eloquent-2024", "eloquent-2024"), ("../x", "..-x-eb98f8a8"), ("..", "..-9a2a2a8a"), ("", "-e3b0c442")],
)
def test_a_name_of_a_visitor_is_no_path(text: str, name: str) -> None:
    found = file_name(text)
    assert found[:-8] == name[:-8]
    assert Path(found).name == found


def test_the_command_writes_into_an_empty_folder_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    assert main(["export", str(tmp_path / "out")]) == 0
    assert "files written" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        main(["export", str(tmp_path / "out")])
    assert stopped.value.code == 2
    assert "is not empty" in capsys.readouterr().err
