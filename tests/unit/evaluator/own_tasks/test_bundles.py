"""Codabench bundles: three shapes that score as by hand, and hostile ones that come to nothing."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.own_tasks.installing import install_bundle
from evaluator.own_tasks.task import OwnTaskResult
from evaluator.task import CannotBeJudged
from submissions.check import check_submission
from submissions.own_tasks.task import OwnTask
from submissions.own_tasks.task_file import OwnTaskError, tasks_in
from submissions.promptsets import PromptSets
from submissions.schema import Names
from tests.bundles import BUNDLES, OLD_REFERENCE, SEVERAL, VERSION_1_5, VERSION_2, Bundle, Files, sent_zip, zipped


def installed(bundle: Bundle, folder: Path) -> list[OwnTask]:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{bundle.name}.zip"
    path.write_bytes(bundle.data)
    return install_bundle(path, folder / "tasks")


def evaluated(task: OwnTask, files: Files) -> OwnTaskResult:
    result = evaluate_payload(
        sent_zip(task.name, files),
        "run.zip",
        edition="",
        names=Names(),
        prompt_sets=replace(PromptSets.load(None), own_tasks=(task,)),
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )
    assert isinstance(result, OwnTaskResult)
    return result


def by_hand(folder: Path, bundle: Bundle, number: int) -> dict[str, float]:
    """The scores of the program as anybody runs it, without us."""
    parts = {"program": bundle.programs[number], "input/ref": bundle.references[number], "input/res": bundle.run}
    for part, files in parts.items():
        for path, content in files.items():
            place = folder / part / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(str(content), encoding="utf-8")
    output = folder / "output"
    output.mkdir()
    places = {"$program": folder / "program", "$input": folder / "input", "$output": output}
    command = bundle.command
    for name, place in places.items():
        command = command.replace(name, str(place))
    words = shlex.split(command)
    subprocess.run([sys.executable, *words[1:]], cwd=folder / "program", check=True, capture_output=True)
    if (output / "scores.json").exists():
        return {name: float(value) for name, value in json.loads((output / "scores.json").read_text()).items()}
    lines = (output / "scores.txt").read_text().splitlines()
    return {name: float(value) for name, value in (line.split(":") for line in lines)}


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda bundle: bundle.name)
def test_a_bundle_scores_exactly_as_by_hand(tmp_path: Path, bundle: Bundle) -> None:
    tasks = installed(bundle, tmp_path)
    assert tasks == list(tasks_in(tmp_path / "tasks"))
    assert len(tasks) == len(bundle.scores)
    for number, (task, expected) in enumerate(zip(tasks, bundle.scores, strict=True)):
        result = evaluated(task, bundle.run)
        told = {column.said: result.figures[column.key].value for column in task.columns}
        hand = by_hand(tmp_path / str(number), bundle, number)
        assert told == {name: hand[name] for name in told}
        assert told == pytest.approx(expected, abs=1e-12)
        assert {figure.n for figure in result.figures.values()} == {1}


def test_phases_columns_and_pages_are_those_of_the_bundle(tmp_path: Path) -> None:
    (old,) = installed(VERSION_1_5, tmp_path)
    assert (old.title, old.phases[0].name, old.phases[0].starts) == ("Labels, as in 2015", "Only phase", "2015-01-01")
    assert [title for title, _ in old.pages] == ["overview", "terms"]
    (new,) = installed(VERSION_2, tmp_path)
    assert [(column.key, column.label, column.better) for column in new.columns] == [
        ("mae", "Mean error", "lower"),
        ("worst_abs", "Worst error", "lower"),
        ("score_rank", "Count", "higher"),
    ]
    assert [(phase.name, phase.ends) for phase in new.phases] == [("Development", "2026-03-01 00:00:00"), ("Final", "")]
    assert new.seconds == 100  # the second phase states none
    assert [task.name for task in installed(SEVERAL, tmp_path)] == ["word_lists", "word_lists_2"]
    assert [task.title for task in tasks_in(tmp_path / "tasks")][2:] == ["Word lists: Warm-up", "Word lists: Final"]


def with_columns(*columns: str) -> Bundle:
    """The bundle of numbers with further columns; its program gives mae 0.5, "Worst (abs)" 1, hidden 7, rank 3."""
    last = "      - {title: Count, key: rank, index: 3, sorting: desc}\n"
    yaml = str(VERSION_2.files["bundle/competition.yaml"])
    further = "".join(f"      - {{{column}}}\n" for column in columns)
    return replace(VERSION_2, files={**VERSION_2.files, "bundle/competition.yaml": yaml.replace(last, last + further)})


@pytest.mark.parametrize(
    ("computation", "indexes", "expected"),
    [
        ("avg", "[0, 1, 3]", 1.5),  # (0.5 + 1 + 3) / 3
        ("sum", "[0, 1]", 1.5),
        ("min", "[1, 3]", 1.0),
        ("max", "[0, 3]", 3.0),
        ("sum", "[0, 0]", 1.0),
        ("avg", "[0, 2]", 3.75),  # with a column that is not shown: (0.5 + 7) / 2
    ],
)
def test_a_computed_column_is_made_of_others(tmp_path: Path, computation: str, indexes: str, expected: float) -> None:
    column = (
        f"title: All, key: all, index: 4, sorting: desc, computation: {computation}, computation_indexes: {indexes}"
    )
    (task,) = installed(with_columns(column), tmp_path)
    assert task == next(iter(tasks_in(tmp_path / "tasks")))
    assert evaluated(task, VERSION_2.run).figures["all"].value == pytest.approx(expected, abs=1e-12)


def test_a_computed_column_without_one_of_its_parts_has_no_value(tmp_path: Path) -> None:
    column = "key: all, index: 5, sorting: desc, computation: avg, computation_indexes: [0, 4]"
    (task,) = installed(with_columns("key: recall, index: 4, hidden: true", column), tmp_path)
    result = evaluated(task, VERSION_2.run)
    assert result.figures["all"].value is None
    assert result.reasons == {"run": "recall: found nothing, expected a number"}


def test_every_part_of_a_bundle_tells_its_fault_at_once(tmp_path: Path) -> None:
    bundle = with_columns(
        "title: All, key: all, index: 4, sorting: desc, computation: median, computation_indexes: [0]"
    )
    broken = {key: content for key, content in bundle.files.items() if not key.startswith("bundle/scoring_program")}
    with pytest.raises(OwnTaskError) as raised:
        installed(replace(bundle, files=broken), tmp_path)
    assert 'columns.all.computation: found the text "median", expected one of avg, sum, min, max' in str(raised.value)
    assert "scoring_program: found no such file or folder" in str(raised.value)


def test_every_fault_of_columns_and_dates_is_told_with_its_value(tmp_path: Path) -> None:
    bundle = with_columns("key: f1, index: 4, sorting: up", "key: f2, index: 5, sort: 3", "title: All, index: 6")
    home = "bundle/competition.yaml"
    text = bundle.files[home]
    text = text if isinstance(text, str) else text.decode()
    assert "start: 2026-01-01 00:00:00" in text
    dated = {home: text.replace("start: 2026-01-01 00:00:00", "start: soon")}
    with pytest.raises(OwnTaskError) as raised:
        installed(replace(bundle, files={**bundle.files, **dated}), tmp_path)
    said = str(raised.value)
    assert 'columns.f1.sorting: found the text "up", expected desc or asc' in said
    assert "columns.f2.sort: found the number 3, expected desc or asc" in said
    assert 'leaderboard.columns: found an object with the keys "title", "index", expected a key' in said
    assert 'phases[0].start: found the text "soon", expected a date as 2026-12-31 12:00:00' in said


def test_tasks_of_the_same_title_are_told_apart(tmp_path: Path) -> None:
    for name in ("first", "second"):
        installed(replace(VERSION_1_5, name=name), tmp_path)
    installed(VERSION_2, tmp_path)
    titles = [task.title for task in tasks_in(tmp_path / "tasks")]
    assert titles == ["Labels, as in 2015 (first)", "Numbers", "Labels, as in 2015 (second)"]  # in order of folders


@pytest.mark.parametrize("indexes", ["[0, 9]", "[0, [1]]", "[0, true]"])
def test_indexes_that_no_column_has_are_refused(tmp_path: Path, indexes: str) -> None:
    column = f"title: All, key: all, index: [4], sorting: desc, computation: avg, computation_indexes: {indexes}"
    with pytest.raises(OwnTaskError, match="computation_indexes: found a list of 2 values, expected a list of indexes"):
        installed(with_columns(column), tmp_path)


def test_organisers_find_in_the_log_what_a_failed_program_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (task,) = installed(old_bundle(f"{WRITES}raise ValueError('no \\x1b[31m column label')"), tmp_path)
    with pytest.raises(CannotBeJudged, match=r"it ended with exit code 1$"):
        evaluated(task, VERSION_1_5.run)
    (record,) = [one for one in caplog.records if one.name == "evaluator.own_tasks.task"]
    assert "ValueError: no \\u001b[31m column label" in record.getMessage()


def test_what_a_program_says_passes_for_no_line_of_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    forged = "2026-11-30 09:00:00 INFO evaluator.worker: done"
    (task,) = installed(old_bundle(f"{WRITES}sys.exit('fault\\n{forged}\\r{forged}\\u2028{forged}')"), tmp_path)
    with pytest.raises(CannotBeJudged):
        evaluated(task, VERSION_1_5.run)
    (record,) = [one for one in caplog.records if one.name == "evaluator.own_tasks.task"]
    # three forged lines and the true one, whatever ends a line
    assert record.getMessage().splitlines()[1:] == ["  | fault", *[f"  | {forged}"] * 3]


def test_a_run_of_many_files_is_taken_and_one_of_too_many_is_told_so_alone(tmp_path: Path) -> None:
    (task,) = installed(VERSION_1_5, tmp_path)
    sets = replace(PromptSets.load(None), own_tasks=(task,))
    for count, codes in ((1_900, set()), (2_001, {"zip_too_many"})):
        files = {**VERSION_1_5.run, **{f"more/{number}.txt": "x" for number in range(count)}}
        report = check_submission(sent_zip(task.name, files), "run.zip", prompt_sets=sets)
        assert {problem.code for problem in report.problems} == codes


def old_bundle(program: str, command: str = "python $program/evaluate.py $input $output") -> Bundle:
    """The oldest bundle with another program."""
    files: Files = {"metadata": f"command: {command}\n", "evaluate.py": program}
    return replace(VERSION_1_5, files={**VERSION_1_5.files, "program.zip": zipped(files)})


WRITES = "import os, sys\nos.chdir(sys.argv[2])\n"
HOSTILE = {
    "nothing written": ("", "it wrote neither scores.json nor scores.txt"),
    "a link to the references": ("os.symlink(sys.argv[1] + '/ref/truth.txt', 'scores.txt')", "scores.txt is a link"),
    "a folder": ("os.mkdir('scores.json')", "scores.json is a link or cannot be read|scores.json is no file"),
    "a pipe that nobody fills": ("os.mkfifo('scores.json')", "scores.json is no file"),
    "two megabytes": ("open('scores.json', 'w').write('1' * 2_000_000)", "scores.json has more than 1,048,576 bytes"),
    "a gigabyte": ("open('scores.json', 'wb').truncate(10**9)", "exit code 1"),
    "a list": ("open('scores.json', 'w').write('[1]')", "expected an object of name and number"),
    "no JSON": ("open('scores.json', 'w').write('{')", "scores"),
    "deep JSON": ("open('scores.json', 'w').write('[' * 100_000 + ']' * 100_000)", "scores"),
    "a wrong program": ("raise ValueError('truth is 1 0 1 1')", "it ended with exit code 1$"),
    "an endless run": ("import time; time.sleep(999)", "longer than 2 s"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_program_that_writes_no_scores_fails_the_run_without_its_words(tmp_path: Path, name: str) -> None:
    program, reason = HOSTILE[name]
    (task,) = installed(old_bundle(WRITES + program), tmp_path)
    with pytest.raises(CannotBeJudged, match=reason) as raised:
        evaluated(replace_seconds(task, tmp_path), VERSION_1_5.run)
    assert "1 0 1 1" not in str(raised.value)


def replace_seconds(task: OwnTask, folder: Path) -> OwnTask:
    """The same with two seconds."""
    kept = folder / "tasks" / task.name / "bundle.json"
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "seconds": 2}))
    return next(iter(tasks_in(folder / "tasks")))


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ("correct: nan", 'correct: found the text "nan", expected a number'),
        ("correct: inf", 'correct: found the text "inf", expected a number'),
        ("other: 1", "correct: found nothing, expected a number"),
    ],
)
def test_a_number_that_is_none_is_unscored(tmp_path: Path, scores: str, reason: str) -> None:
    (task,) = installed(old_bundle(f"{WRITES}open('scores.txt', 'w').write({scores!r})"), tmp_path)
    result = evaluated(task, VERSION_1_5.run)
    assert (result.figures["correct"].value, result.figures["correct"].unscored) == (None, 1)
    assert result.reasons == {"run": reason}


def test_nan_in_json_is_refused(tmp_path: Path) -> None:
    program = f"""{WRITES}open('scores.json', 'w').write('{{"correct": NaN}}')"""
    (task,) = installed(old_bundle(program), tmp_path)
    assert evaluated(task, VERSION_1_5.run).figures["correct"].value is None


@pytest.mark.parametrize(
    ("path", "code"),
    [("../../evil.txt", "zip_path"), ("/etc/evil", "zip_path"), ("C:\\evil", "zip_path"), ("answer.txt/x", "zip_path")],
)
def test_a_run_whose_paths_lead_out_is_refused(tmp_path: Path, path: str, code: str) -> None:
    (task,) = installed(VERSION_1_5, tmp_path)
    sets = replace(PromptSets.load(None), own_tasks=(task,))
    data = sent_zip(task.name, {**VERSION_1_5.run, path: "x"})
    report = check_submission(data, "run.zip", prompt_sets=sets)
    assert report.decision == "refused"
    assert code in {problem.code for problem in report.problems}


def test_a_zip_of_another_kind_is_none_of_ours(tmp_path: Path) -> None:
    (task,) = installed(VERSION_1_5, tmp_path)
    sets = replace(PromptSets.load(None), own_tasks=(task,))
    report = check_submission(zipped({"answer.txt": "1"}), "run.zip", prompt_sets=sets)
    assert report.kind != "own_task"
    empty = check_submission(sent_zip(task.name, {}), "run.zip", prompt_sets=sets)
    assert {problem.code for problem in empty.problems} == {"no_rows"}


BROKEN = {
    "no competition.yaml": ({"readme.md": "x"}, "found no competition.yaml"),
    "no YAML": ({"competition.yaml": "a: ["}, "competition.yaml: found what is no YAML"),
    "a tag that runs code": ({"competition.yaml": "!!python/object/apply:os.system [ls]"}, "found what is no YAML"),
    "a list": ({"competition.yaml": "[1]"}, "competition.yaml: found a list of 1 values, expected an object"),
    "no columns": ({"competition.yaml": "title: x\nphases: []\n"}, "leaderboard: found no column that is shown"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_bundle_that_is_none_is_refused_with_the_place(tmp_path: Path, name: str) -> None:
    files, fault = BROKEN[name]
    path = tmp_path / "made.zip"
    path.write_bytes(zipped({**files}))
    with pytest.raises(OwnTaskError) as raised:
        install_bundle(path, tmp_path / "tasks")
    assert fault in str(raised.value)
    assert not (tmp_path / "tasks").exists()


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        (
            {"program.zip": zipped({"evaluate.py": ""})},
            "program.zip: found no metadata.yaml, expected one with command",
        ),
        (
            {"program.zip": zipped({"metadata": "x: 1"})},
            "program.zip/metadata: command: found null, expected a program",
        ),
        ({"program.zip": b"no zip"}, "program.zip: $: the archive cannot be opened"),
        ({"reference.zip": zipped({})}, "reference.zip: found no such file or folder, expected a zip or a folder"),
        ({"program.zip": zipped({"../x": "", "metadata": "command: x"})}, "leads out of the folder"),
        (
            {"program.zip": zipped({"a": "", "a/b": "", "metadata": "command: x"})},
            'found "a" as a file and as a folder',
        ),
    ],
)
def test_a_part_that_is_none_is_refused_with_the_place(tmp_path: Path, changed: Files, fault: str) -> None:
    with pytest.raises(OwnTaskError) as raised:
        installed(replace(VERSION_1_5, files={**VERSION_1_5.files, **changed}), tmp_path)
    assert fault in str(raised.value)


def test_submissions_of_code_are_not_taken(tmp_path: Path) -> None:
    yaml = str(VERSION_2.files["bundle/competition.yaml"]).replace(
        "reference_data:", "ingestion_program: i\n    reference_data:"
    )
    with pytest.raises(
        OwnTaskError, match="ingestion_program: found a program that runs submitted code, expected none"
    ):
        installed(replace(VERSION_2, files={**VERSION_2.files, "bundle/competition.yaml": yaml}), tmp_path)


def test_the_references_are_not_among_what_everybody_may_know(tmp_path: Path) -> None:
    (task,) = installed(VERSION_1_5, tmp_path)
    assert str(OLD_REFERENCE["truth.txt"]) not in repr(task)
