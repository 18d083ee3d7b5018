"""Files of any shape put in order for the page: the plan, the zips, and what only the team knows."""

from __future__ import annotations

import json
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from leaderboard.desk.pack_page import open_lines
from leaderboard.desk.packed_files import OWN_PROMPTS, Packed, PackJob
from submissions.check import check_submission
from submissions.checking.job import Budget
from submissions.promptsets import PromptSets
from submissions.schema import Names
from tests.browser.hostile import PAYLOADS

PROMPT_SETS = PromptSets.load(None)
NAMES = Names(team="Aurora", system="Keel {run}", model="m")


def packed(folder: Path, files: dict[str, str], names: Names = NAMES, **chosen: Any) -> Packed:
    (folder / "sent").mkdir(exist_ok=True)
    (folder / "out").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "sent" / name).parent.mkdir(exist_ok=True)
        (folder / "sent" / name).write_text(text, encoding="utf-8")
    paths = tuple(folder / "sent" / name for name in files)
    return PackJob(paths, folder / "out", names, date(2026, 5, 4), **chosen).answered(PROMPT_SETS)


@pytest.mark.parametrize("letter", ["\U0001d51e", "\u6f22", "e\u0301"])
@pytest.mark.parametrize("edition", ["2025", "2026"])
def test_a_run_with_a_name_of_many_bytes_is_written(tmp_path: Path, letter: str, edition: str) -> None:
    # 100 letters of four bytes are 400 bytes; file systems take names of 255.
    names = Names(team="Aurora", system="Keel", model="m", run=(letter * 100)[:100])
    row = {"questionid": 1, "turns": [{"question": "q", "answer": "a"}]} if edition == "2025" else None
    text = json.dumps({"questions": [row], "language": "de"}) if row else lines(("1-1", "a"))
    found = packed(tmp_path, {"de_specific.json" if row else "de_specific.jsonl": text}, names)
    assert (found.fault, len(found.files)) == ("", 1)
    assert len(found.files[0].name.encode()) <= 255


def test_a_reader_that_died_is_not_blamed_on_the_number_of_files(tmp_path: Path) -> None:
    job = PackJob((), tmp_path, NAMES, date(2026, 5, 4))
    assert "fewer files" not in job.refused("ended", Budget(1, 512)).fault
    assert "fewer files" in job.refused("memory", Budget(1, 512)).fault


def lines(*rows: tuple[str, str]) -> str:
    return "".join(json.dumps({"id": id_, "answer": answer}) + "\n" for id_, answer in rows)


def test_files_of_two_runs_become_two_submissions_with_every_answer_as_it_was(tmp_path: Path) -> None:
    said = [*PAYLOADS[:3], " spaced  out \n", "\u202e turned"]
    files = {
        "de_specific_cot_llama.jsonl": lines(*((f"{number}-1", text) for number, text in enumerate(said, start=1))),
        "de_specific_plain_llama.jsonl": lines(("1-1", "plain")),
        "notes.md": "# not an answer",
    }
    found = packed(tmp_path, files)
    assert found.plan is not None
    assert (found.missing, found.fault) == ((), "")
    assert found.plan["title"] == "The plan: 2 runs"
    assert [run["answers"] for run in found.plan["runs"]] == ["5 specific, 0 unspecific", "1 specific, 0 unspecific"]
    assert [run["system"].startswith("Keel ") for run in found.plan["runs"]] == [True, True]
    assert any("the metadata were written anew" in line for line in found.plan["changes"])
    assert [one["place"] for one in found.plan["aside"]] == ["notes.md"]
    first, second = found.files
    with zipfile.ZipFile(first) as archive:
        rows = [json.loads(line) for line in archive.read("de_specific.jsonl").decode().splitlines()]
    assert [row["answer"] for row in rows] == said
    for path in (first, second):
        report = check_submission(path.read_bytes(), path.name, prompt_sets=PROMPT_SETS)
        assert (report.decision != "refused", report.names.team) == (True, "Aurora")


def test_what_only_the_team_knows_is_asked_for_and_nothing_is_written(tmp_path: Path) -> None:
    found = packed(tmp_path, {"de_specific_cot.jsonl": lines(("1-1", "ok"))}, Names())
    assert found.plan is not None
    assert {"team", "system"} <= set(found.missing)
    assert found.files == ()
    assert list((tmp_path / "out").iterdir()) == []


def test_a_delivery_beyond_the_budget_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    path.write_bytes(b"PK")
    job = PackJob((path,), tmp_path, NAMES, date(2026, 5, 4))
    fault = job.refused("memory", Budget(10, 512)).fault
    assert fault.startswith("reading the 2 bytes took more than 512 MiB of memory")
    assert "Send fewer files at a time." in fault


def test_files_without_answers_are_left_aside_with_why(tmp_path: Path) -> None:
    unnamed = lines(("1-1", "in which language?"))
    found = packed(tmp_path, {"readme.txt": "hello", "answers.jsonl": unnamed})
    assert found.plan is not None
    assert found.plan["title"] == "No run came of these files"
    # What may hold answers stands first.
    assert [(one["place"], one["has_answers"]) for one in found.plan["aside"]] == [
        *(("answers.jsonl", True), ("readme.txt", False)),
    ]


def test_a_language_that_nothing_tells_is_asked_for_and_chosen_for_that_file_alone(tmp_path: Path) -> None:
    files = {"a.jsonl": lines(("1-1", "ja")), "data.jsonl": lines(("1-2", "kyllä"))}
    found = packed(tmp_path, files)
    assert (found.untold, found.guessed, found.files) == (("a.jsonl", "data.jsonl"), (), ())
    assert found.plan is not None
    # The page has a choice where the command has an option.
    assert [one["why"] for one in found.plan["aside"]] == [
        "nothing tells the language of its answers, neither name, folder, row nor prompt"
    ] * 2
    found = packed(tmp_path, files, languages={"a.jsonl": "de"})  # which is also the end of the other's name
    assert found.plan is not None
    assert found.untold == ("data.jsonl",)
    assert [run["languages"] for run in found.plan["runs"]] == ["de"]
    found = packed(tmp_path, files, languages={"a.jsonl": "de", "data.jsonl": "fi"})
    assert (found.untold, len(found.files)) == ((), 2)
    assert open_lines(found) == []


def test_each_of_several_files_of_one_name_gets_its_own_language(tmp_path: Path) -> None:
    files = {"x/answers.jsonl": lines(("1-1", "ja")), "y/answers.jsonl": lines(("1-1", "kyllä"))}
    places = ("answers.jsonl (file 1 of 2)", "answers.jsonl (file 2 of 2)")
    assert packed(tmp_path, files).untold == places
    found = packed(tmp_path, files, languages={places[1]: "fi"})
    assert (found.untold, len(found.files)) == (places[:1], 1)
    found = packed(tmp_path, files, languages={places[0]: "sv", places[1]: "fi"})
    assert found.untold == ()
    with zipfile.ZipFile(found.files[0]) as archive:
        written = {name: archive.read(name).decode() for name in ("fi_specific.jsonl", "sv_specific.jsonl")}
    answers = {name[:2]: [json.loads(line)["answer"] for line in text.splitlines()] for name, text in written.items()}
    assert answers == {"sv": ["ja"], "fi": ["kyllä"]}


@pytest.mark.parametrize(
    ("text", "guessed"),
    [
        ('{"1": "ja", "2": "nej"}', ("sv.json",)),
        # Rows of id and answer are how 2026 writes them; they may be of 2025.
        (lines(("1", "ja"), ("2", "nej")), ()),
    ],
)
def test_another_edition_can_be_chosen_and_a_guess_is_told(tmp_path: Path, text: str, guessed: tuple[str, ...]) -> None:
    found = packed(tmp_path, {"sv.json": text})
    assert found.plan is not None
    assert ([run["edition"] for run in found.plan["runs"]], found.is_edition_open) == (["2026"], True)
    assert found.guessed == guessed
    told = (
        "Nothing says the edition of sv.json: taken for the newest it may be of. If it is of another, choose that "
        "below and press Convert my files again."
    )
    assert open_lines(found) == [told] * len(guessed)
    found = packed(tmp_path, {"sv.json": text}, edition="2025")
    assert found.plan is not None
    assert ([run["edition"] for run in found.plan["runs"]], found.is_edition_open) == (["2025"], False)
    report = check_submission(found.files[0].read_bytes(), found.files[0].name, prompt_sets=PROMPT_SETS)
    assert (report.decision != "refused", report.names.team) == (True, "Aurora")


def test_prompts_in_a_teams_own_wording_are_taken_once_the_box_is_ticked(tmp_path: Path) -> None:
    words = ("Tell us of the sea.", "Say what bread costs.", "How tall is it?")
    rows = [{"id": str(901 + at), "prompt": text, "answer": "a"} for at, text in enumerate(words)]
    files = {"de_unspecific.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
    found = packed(tmp_path, files, edition="2026")
    assert (found.files, found.plan is not None) == ((), True)
    assert found.plan is not None
    [fault] = found.plan["runs"][0]["faults"]
    assert f"tick \u201c{OWN_PROMPTS}\u201d" in fault
    assert "--own-prompts" not in fault
    assert len(packed(tmp_path, files, edition="2026", has_own_prompts=True).files) == 1
