"""Which files become which run: the shapes of folders that teams have (tests/data/packing), and what is asked."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from submissions.packing.plan import Choices, PackingPlan, open_names, planned
from submissions.packing.sources import Gathering
from submissions.promptsets.releases import Release
from submissions.schema import Names


@pytest.fixture(scope="session")
def packing(own_data: Path) -> Path:
    return own_data / "packing"


def plan_of(*paths: Path, choices: Choices | None = None, releases: tuple[Release, ...] = ()) -> PackingPlan:
    gathering = Gathering()
    gathering.add_paths(paths)
    return planned(gathering.sources, gathering.aside, choices or Choices(), releases)


def saved(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def zipped(files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def rows(*answers: tuple[Any, str]) -> str:
    return "".join(json.dumps({"id": item_id, "answer": answer}) + "\n" for item_id, answer in answers)


def metadata(run: str, **more: Any) -> str:
    return json.dumps({"team": "Harbour", "system": "tide", "model": "m", "submissionid": run, **more})


def held(plan: PackingPlan) -> dict[str, dict[str, int]]:
    """Run -> `de specific` -> answers."""
    return {
        run.names.run or "": {f"{language} {kind}": len(of_slot) for (language, kind), of_slot in run.rows.items()}
        for run in plan.runs
    }


# --- the four shapes of folders --------------------------------------------------------------------------------------


def test_runs_mixed_in_one_folder_are_told_apart_by_their_names_and_a_copy_is_left_out(packing: Path) -> None:
    plan = plan_of(packing / "mixed")
    each = {"de specific": 3, "de unspecific": 2, "en specific": 3, "en unspecific": 2}
    assert held(plan) == {"cot_cultural_llama-3_3": each, "zero-shot_qwen-2_5": each}
    assert [run.names.model for run in plan.runs] == ["llama-3_3", "qwen-2_5"]
    copies = [change for run in plan.runs for change in run.changes if "same bytes" in change.what]
    assert [change.place.rpartition("/")[2] for change in copies] == ["de_specific_cot_cultural_llama-3_3.jsonl"]
    assert not plan.has_losses


def test_one_list_per_language_with_integer_ids_keeps_its_metadata_and_loses_the_language_that_is_not_there(
    packing: Path,
) -> None:
    (run,) = plan_of(packing / "arrays").runs
    assert held(plan_of(packing / "arrays")) == {
        "greedy": {"en unspecific": 2, "en specific": 3, "de unspecific": 2, "de specific": 3}
    }
    assert run.names == Names("Harbour", "tidewater", "org/tide-1", "greedy")
    assert run.languages == ("de", "en")
    assert run.metadata["modifications"]["system_prompt"] == "Answer in one sentence."  # type: ignore[index]


def test_objects_of_ids_and_lines_called_json_are_read(packing: Path) -> None:
    (run,) = plan_of(packing / "objects").runs
    assert run.rows["de", "specific"]["1-1"].answer == "In Wien gegen zwölf."
    assert run.rows["en", "unspecific"]["2"].answer == "Many people keep their shoes on."
    assert open_names(plan_of(packing / "objects")) == {name: ["run-1"] for name in ("team", "system", "model")}


def test_folders_of_runs_with_settings_and_logs_are_runs_and_their_rewritten_prompts_stay(packing: Path) -> None:
    plan = plan_of(packing / "nested")
    assert held(plan) == {run: {"sv specific": 3, "sv unspecific": 2} for run in ("baseline", "with_persona")}
    assert plan.runs[0].rows["sv", "specific"]["1-2"].prompt == "Svara kort, som en granne: fråga 1-2?"
    assert Counter(one.has_answers for one in plan.aside) == {False: 8}


# --- archives --------------------------------------------------------------------------------------------------------


def test_specific_and_unspecific_answers_in_archives_of_their_own_are_one_run(tmp_path: Path) -> None:
    folder = saved(
        tmp_path,
        {
            "harbour_specific.zip": zipped({"de_specific.jsonl": rows(("1-1", "a"))}),
            "harbour_unspecific.zip": zipped({"out/de_unspecific.jsonl": rows(("1", "b"))}),
        },
    )
    assert held(plan_of(folder)) == {"harbour": {"de specific": 1, "de unspecific": 1}}


def test_archives_whose_metadata_name_one_run_are_one_whatever_they_are_called(tmp_path: Path) -> None:
    first = zipped({"submission_metadata.json": metadata("x_specific"), "de_specific.jsonl": rows(("1-1", "a"))})
    second = zipped({"submission_metadata.json": metadata("x_unspecific"), "de_unspecific.jsonl": rows(("1", "b"))})
    plan = plan_of(saved(tmp_path, {"one.zip": first, "other.zip": second}))
    assert held(plan) == {"x_specific": {"de specific": 1, "de unspecific": 1}}


def test_archives_that_differ_in_the_submissionid_alone_are_runs_of_their_own(tmp_path: Path) -> None:
    files = {
        f"{run}.zip": zipped({"submission_metadata.json": metadata(run), "de_specific.jsonl": rows(("1-1", run))})
        for run in ("v1", "v2")
    }
    assert held(plan_of(saved(tmp_path, files))) == {run: {"de specific": 1} for run in ("v1", "v2")}


def test_metadata_copied_from_another_run_do_not_make_two_runs_one(tmp_path: Path) -> None:
    files = {
        f"{run}.zip": zipped({"submission_metadata.json": metadata("same"), "de_specific.jsonl": rows(("1-1", run))})
        for run in ("v1", "v2")
    }
    plan = plan_of(saved(tmp_path, files))
    assert len({run.names.run for run in plan.runs}) == len(plan.runs) == 2
    assert any("another run has it" in change.what for change in plan.runs[1].changes)


def test_an_archive_within_an_archive_is_opened(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("run.zip", zipped({"fi_specific.jsonl": rows(("7-108", "a"))}))
    assert held(plan_of(saved(tmp_path, {"all.zip": inner.getvalue()}))) == {"run": {"fi specific": 1}}


# --- what only the team knows ----------------------------------------------------------------------------------------


def test_two_different_answers_to_one_prompt_are_never_chosen_from(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"de_part1.jsonl": rows(("1-1", "a")), "de_part2.jsonl": rows(("1-1", "b"))})
    plan = plan_of(folder, choices=Choices(is_one_run=True))
    assert "two different answers" in plan.runs[0].faults[0]
    assert plan.has_losses


def test_parts_of_one_file_are_joined(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"de_part1.jsonl": rows(("1-1", "a")), "de_part2.jsonl": rows(("1-2", "b"))})
    assert held(plan_of(folder)) == {"run-1": {"de specific": 2}}


def test_a_language_that_nothing_tells_is_asked_for(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"answers.jsonl": rows(("1-1", "a"))})
    (aside,) = plan_of(folder).aside
    assert aside.has_answers
    assert "--language answers.jsonl=xx" in aside.why
    assert held(plan_of(folder, choices=Choices(languages={"answers.jsonl": "te"}))) == {"run-1": {"te specific": 1}}


def test_official_prompts_tell_the_language_of_a_file(tmp_path: Path) -> None:
    row = json.dumps({"id": "1", "prompt": "Fråga 1?", "answer": "a"})
    release = Release("2026-01-27", {("sv", "1"): "Fråga 1?", ("en", "1"): "Question 1?"})
    plan = plan_of(saved(tmp_path, {"x.jsonl": row}), releases=(release,))
    assert held(plan) == {"x": {"sv unspecific": 1}}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"1-1": "a", "1-1": "b"}', "stands twice"),
        ('{"id": "1-1", "answer": ["a", "b"]}', "a list of 2 values; expected one text"),
        ('{"id": "1-1", "answer": 7}', "the number 7; expected one text"),
        ('[{"id": "1-1", "answer": "a"},', "expecting value"),
        ('{"id": "1-1", "answer": "a", "answer": "b"}', "stands twice"),
    ],
)
def test_what_would_have_to_be_guessed_is_told_and_counts_as_lost(tmp_path: Path, content: str, why: str) -> None:
    plan = plan_of(saved(tmp_path, {"de_specific.json": content}))
    assert not plan.runs
    assert plan.has_losses
    assert why in plan.aside[0].why


def test_names_of_files_win_over_nothing_and_what_is_given_over_them(packing: Path) -> None:
    given = Choices(Names("Team", "{model}, {run}", "org/one", "ignored"))
    first, second = plan_of(packing / "mixed", choices=given).runs
    assert first.names == Names("Team", "org/one, cot_cultural_llama-3_3", "org/one", "cot_cultural_llama-3_3")
    assert second.names.run == "zero-shot_qwen-2_5"
    (stated,) = plan_of(packing / "arrays", choices=given).runs
    assert stated.names.system == "tidewater"
