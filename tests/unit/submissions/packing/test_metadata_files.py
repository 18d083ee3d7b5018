"""Which metadata are those of which file, where several lie in one folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.submissions.packing.test_plan import plan_of, rows, saved


def metadata(system: str, run: str, **more: Any) -> str:
    return json.dumps({"team": "T", "system": system, "model": "m", "submissionid": run, **more})


def systems(folder: Path) -> dict[str, str]:
    """Answer to prompt 1 in de -> the system it is of."""
    return {run.rows["de", "unspecific"]["1"].answer: run.names.system or "" for run in plan_of(folder).runs}


ANSWERS = {"base_de_unspecific.jsonl": rows(("1", "base")), "rewrite_de_unspecific.jsonl": rows(("1", "rewrite"))}


@pytest.mark.parametrize(
    "described",
    [
        # By a path, wherever the metadata lie; by the name of the file; by the submissionid.
        {
            "x1.json": metadata("B", "z1", output_path="out\\base_de_unspecific.jsonl"),
            "x2.json": metadata("R", "z2", files=["data/rewrite_de_unspecific.jsonl"]),
        },
        {
            "../about/1.json": metadata("B", "z1", output={"path": "base_de_unspecific.jsonl"}),
            "../about/2.json": metadata("R", "z2", output={"path": "rewrite_de_unspecific.jsonl"}),
        },
        {"metadata_base.json": metadata("B", "z1"), "submission_metadata_rewrite.json": metadata("R", "z2")},
        {"m1.json": metadata("B", "base"), "m2.json": metadata("R", "rewrite")},
        # One that names no run is that of whatever has none of its own.
        {"submission_metadata.json": metadata("B", "z1"), "rewrite_metadata.json": metadata("R", "z2")},
    ],
)
def test_each_file_takes_the_metadata_that_are_its_own(tmp_path: Path, described: dict[str, str]) -> None:
    (tmp_path / "all" / "run").mkdir(parents=True)
    saved(tmp_path / "all" / "run", ANSWERS | described)
    assert systems(tmp_path / "all") == {"base": "B", "rewrite": "R"}


def test_metadata_that_contradict_each_other_and_name_no_file_are_refused(tmp_path: Path) -> None:
    plan = plan_of(saved(tmp_path, ANSWERS | {"m1.json": metadata("B", "z1"), "m2.json": metadata("R", "z2")}))
    assert plan.has_losses
    faults = [fault for run in plan.runs for fault in run.faults]
    assert faults
    assert all('2 metadata files contradict each other ("system": B, R): m1.json, m2.json' in fault for fault in faults)


def test_metadata_that_say_the_same_are_no_contradiction(tmp_path: Path) -> None:
    same = {f"m{n}.json": metadata("B", "z", languages=[str(n)], date=f"2026-05-0{n}") for n in (1, 2)}
    assert systems(saved(tmp_path, {"base_de_unspecific.jsonl": ANSWERS["base_de_unspecific.jsonl"], **same})) == {
        "base": "B"
    }


def test_metadata_that_no_file_takes_are_named(tmp_path: Path) -> None:
    described = {"m1.json": metadata("B", "z1", output="base_de_unspecific.jsonl"), "m2.json": metadata("R", "rewrite")}
    plan = plan_of(saved(tmp_path, {"base_de_unspecific.jsonl": ANSWERS["base_de_unspecific.jsonl"], **described}))
    assert [run.names.system for run in plan.runs] == ["B"]
    assert [(file.place.rpartition("/")[2], file.why) for file in plan.aside] == [
        ("m2.json", "these metadata are of no file of answers here")
    ]
