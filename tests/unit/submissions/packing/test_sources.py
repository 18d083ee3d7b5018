"""What is looked at: bounded in files, bytes and depth, and nothing through a link."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from submissions.packing.sources import CannotPack, Gathering, PackLimits


def gathered(path: Path, **limits: int) -> Gathering:
    gathering = Gathering(PackLimits(**limits))
    gathering.add_paths([path])
    return gathering


def bomb(n_bytes: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("de_specific.jsonl", b" " * n_bytes)
    return buffer.getvalue()


def test_links_are_not_followed_wherever_they_lead(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "de_specific.jsonl").write_text("{}")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "linked").symlink_to(outside)
    (folder / "de.json").symlink_to(outside / "de_specific.jsonl")
    gathering = gathered(folder)
    assert not gathering.sources
    assert {one.why for one in gathering.aside} == {"not followed: it is a link; name the place it points to"}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "de_specific.jsonl")
    assert [one.why for one in gathered(tmp_path).aside] == ["not read: it is no ordinary file"]


def test_more_files_than_are_looked_at_end_the_command_in_words(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.log").touch()
    with pytest.raises(CannotPack, match="more than 3 files"):
        gathered(tmp_path, files=3)


def test_weights_beside_the_answers_are_not_opened_and_cost_no_budget(tmp_path: Path) -> None:
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.truncate(2**32)
    (tmp_path / "de.jsonl").write_text("{}")
    gathering = gathered(tmp_path, read_bytes=10)
    assert [source.name for source in gathering.sources] == ["de.jsonl"]


def test_a_bomb_is_counted_while_it_is_expanded(tmp_path: Path) -> None:
    (tmp_path / "bomb.zip").write_bytes(bomb(3_000_000))
    gathering = gathered(tmp_path, file_bytes=1_000_000)
    assert not gathering.sources
    assert gathering.aside[0].has_answers
    assert "expands to more than 1,000,000 bytes" in gathering.aside[0].why


def test_what_is_read_is_bounded_over_all_archives(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.zip").write_bytes(bomb(300_000))
    with pytest.raises(CannotPack, match="more than 1 MiB of JSON"):
        gathered(tmp_path, read_bytes=2**20)


def test_folders_too_deep_are_told(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "de.jsonl").write_text("{}")
    gathering = gathered(tmp_path, depth=2)
    assert not gathering.sources
    assert "more than 2 folders" in gathering.aside[0].why


def test_an_entry_that_leads_out_of_its_archive_is_told_and_not_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../de_specific.jsonl", "{}")
    (tmp_path / "out.zip").write_bytes(buffer.getvalue())
    gathering = gathered(tmp_path)
    assert not gathering.sources
    assert "leads out of the folder" in gathering.aside[0].why


def test_what_is_named_twice_is_told_apart_by_which_it_is_and_its_names_say_what_they_said(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("answers.jsonl", "{}")
    for folder in ("x", "y"):
        (tmp_path / folder / "run").mkdir(parents=True)
        (tmp_path / folder / "run" / "data.jsonl").write_text("{}")
        (tmp_path / folder / "answers.jsonl").write_text("{}")
        (tmp_path / folder / "de.zip").write_bytes(buffer.getvalue())
    (tmp_path / "x" / "other.jsonl").write_text("{}")
    named = ("x/answers.jsonl", "x/de.zip", "y/answers.jsonl", "x/other.jsonl", "y/de.zip", "x/run", "y/run")
    gathering = Gathering()
    gathering.add_paths(tmp_path / name for name in named)
    assert [(source.place, source.folders, source.name) for source in gathering.sources] == [
        ("answers.jsonl (file 1 of 7)", (), "answers.jsonl"),
        ("de.zip (file 2 of 7)/answers.jsonl", ("de.zip",), "answers.jsonl"),
        ("answers.jsonl (file 3 of 7)", (), "answers.jsonl"),
        ("other.jsonl", (), "other.jsonl"),
        ("de.zip (file 5 of 7)/answers.jsonl", ("de.zip",), "answers.jsonl"),
        ("run (folder 6 of 7)/data.jsonl", ("run",), "data.jsonl"),
        ("run (folder 7 of 7)/data.jsonl", ("run",), "data.jsonl"),
    ]
    assert gathering.aside == []
