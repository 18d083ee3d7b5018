"""task.toml, score.py and the references: what is in order, and every fault of what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from submissions.own_tasks.task_file import OwnTaskError, read_task, tasks_in
from tests.own_tasks import FILES, pisa_folder

HEAD = 'title = "T"\nformat = "jsonl"\nkey = "id"\nreference = "reference.jsonl"\n'
COLUMN = '[columns.credit]\nbetter = "higher"\n'


def test_the_task_of_the_page_is_read_whole(tmp_path: Path) -> None:
    task, references = read_task(pisa_folder(tmp_path))
    assert (task.name, task.key, task.items) == ("pisa", "id", tuple(f"q{n}" for n in range(1, 9)))
    assert [(column.key, column.better, column.ends) for column in task.columns] == [
        ("credit", "higher", (0, 1)),
        ("words", "lower", None),
    ]
    assert references["q8"] == {"full": [[["letter"], ["graffiti"]]], "partial": [[["letter"]]]}


def test_a_column_may_have_a_short_name(tmp_path: Path) -> None:
    toml = FILES["task.toml"].replace("columns.credit", "columns.f1").replace("columns.words", "columns.em")
    task, _ = read_task(pisa_folder(tmp_path, task_toml=toml))
    assert [column.key for column in task.columns] == ["f1", "em"]


def test_another_reference_is_another_version(tmp_path: Path) -> None:
    changed = pisa_folder(tmp_path / "b", reference_jsonl=FILES["reference.jsonl"].replace("ankle", "knee"))
    assert read_task(pisa_folder(tmp_path / "a"))[0].sha256 != read_task(changed)[0].sha256


@pytest.mark.parametrize(
    ("toml", "fault"),
    [
        ("title = ", "task.toml: found what is no TOML"),
        (HEAD, "columns: found nothing, expected 1 to 8 tables like [columns.correct]"),
        (HEAD + "[columns]\ncredit = 1\n", "columns.credit: found the number 1, expected a table with label"),
        (HEAD + '[columns.credit]\nbetter = "up"\n', 'columns.credit.better: found the text "up", expected higher or'),
        (HEAD + '[columns.rank]\nbetter = "higher"\n', 'columns.rank: found the name "rank", expected 1 to 24'),
        (HEAD + COLUMN + "range = [1, 0]\n", "columns.credit.range: found a list of 2 values, expected two numbers"),
        (HEAD + COLUMN + "range = [0, inf]\n", "columns.credit.range: found a list of 2 values, expected two numbers"),
        (HEAD + COLUMN + "rang = [0, 1]\n", "columns.credit.rang: found a key that is not known, expected some of"),
        (HEAD.replace('"id"', '"prediction"') + COLUMN, 'key: found "prediction", expected another name than'),
        (HEAD.replace("reference.jsonl", "../x.jsonl") + COLUMN, 'reference: found "../x.jsonl", expected the name of'),
        (HEAD.replace("reference.jsonl", "other.csv") + COLUMN, "other.csv: found no file"),
        (
            HEAD + COLUMN + "[limits]\nseconds = 1000\n",
            "limits.seconds: found the number 1000, expected a whole number",
        ),
        (HEAD.replace('"T"', '""') + COLUMN, "title: found an empty text, expected a text of one line"),
    ],
)
def test_a_fault_names_place_found_and_expected(tmp_path: Path, toml: str, fault: str) -> None:
    with pytest.raises(OwnTaskError) as raised:
        read_task(pisa_folder(tmp_path, task_toml=toml))
    assert fault in str(raised.value)


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("", "reference.jsonl: found no row, expected 1 to 60,000"),
        ('{"id": "1"}\n', "reference.jsonl:1: reference.jsonl:1 reference (1): missing; accepted: any value"),
        ('{"id": "1", "reference": 1}\n' * 2, "reference.jsonl:2 (1): the item has a row already"),
        ('{"id": "1", "reference": NaN}\n', "is no number JSON knows"),
        ("{", "reference.jsonl:1"),
    ],
)
def test_a_fault_of_a_reference_names_its_line(tmp_path: Path, reference: str, fault: str) -> None:
    with pytest.raises(OwnTaskError) as raised:
        read_task(pisa_folder(tmp_path, reference_jsonl=reference))
    assert fault in str(raised.value)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    folder = pisa_folder(tmp_path, task_toml='format = "xml"\n')
    (folder / "score.py").unlink()
    (folder / "score.py").symlink_to("/etc/hostname")
    with pytest.raises(OwnTaskError) as raised:
        read_task(folder)
    places = ("title", "format", "key", "reference", "columns", "score.py: found a link")
    assert [place for place in places if f" {place}" not in str(raised.value)] == []


def test_references_may_be_a_table(tmp_path: Path) -> None:
    toml = FILES["task.toml"].replace("reference.jsonl", "reference.csv")
    folder = pisa_folder(tmp_path, task_toml=toml)
    (folder / "reference.csv").write_text("id;reference\n1;B\n2;A\n", encoding="utf-8")
    assert read_task(folder)[1] == {"1": "B", "2": "A"}


def test_a_folder_without_tasks_has_none(tmp_path: Path) -> None:
    assert tasks_in(tmp_path / "nowhere") == tasks_in(tmp_path) == ()
    pisa_folder(tmp_path)
    assert [task.name for task in tasks_in(tmp_path)] == ["pisa"]
