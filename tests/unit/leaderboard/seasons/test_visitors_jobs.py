"""Jobs of the processes that read what visitors send: each is tried with hidden prompts, or harmless for a reason."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from leaderboard.desk.checked_file import checked_file
from leaderboard.desk.packed_files import PackJob
from leaderboard.judge_report.job import ReportJob
from leaderboard.judge_report.labelling import LabellingJob
from submissions.checking.job import CheckJob, Job
from submissions.schema import Names
from tests.unit.leaderboard.seasons.test_hidden_prompts import Task, guesses, hides_every_edition

ROOT = Path(__file__).parents[4]
PACKAGES = ("evaluator", "leaderboard", "submissions")
NAMES = Names("Aurora", "keel", "m", "r")

GUARDED: Mapping[type[Any], Callable[[Path, Path], Job[Any]]] = {
    CheckJob: lambda file, _: CheckJob(file, file.name, names=NAMES, view=checked_file),
    PackJob: lambda file, folder: PackJob((file,), folder, NAMES, date(2026, 3, 10)),
    ReportJob: lambda file, _: ReportJob(file),
}
"""Jobs that look at prompt sets: how one is made of a file and a folder."""
HARMLESS: Mapping[type[Any], str] = {
    LabellingJob: "draws answers from the visitor's own log and looks at no prompt set",
}


def jobs_in(source: str) -> Iterator[str]:
    """Names of the classes that a process can be given."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and not any("Protocol" in ast.unparse(base) for base in node.bases):
            methods = {one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
            if "answered" in methods or any("Job" in ast.unparse(base) for base in node.bases):
                yield node.name


def unlisted(sources: Mapping[str, str]) -> set[str]:
    """Jobs, by module, that are neither guarded nor harmless."""
    found = {f"{module}.{name}" for module, source in sources.items() for name in jobs_in(source)}
    return found - {f"{job.__module__}.{job.__name__}" for job in (*GUARDED, *HARMLESS)}


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Task]:
    made = Task(tmp_path)
    yield made
    made.store.close()


def test_every_job_of_a_visitor_is_guarded_or_harmless_for_a_reason() -> None:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    sources = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8") for path in files
    }
    assert unlisted(sources) == set()
    assert not GUARDED.keys() & HARMLESS.keys()
    assert all(reason.strip() for reason in HARMLESS.values())
    assert sorted(name for source in sources.values() for name in jobs_in(source)) == sorted(
        job.__name__ for job in (*GUARDED, *HARMLESS)
    )


@pytest.mark.parametrize(
    "source",
    [
        "class LeakJob:\n    def answered(self, prompt_sets): return prompt_sets",
        "class LeakJob(PackJob):\n    pass",
        "def made():\n    class LeakJob(Job[str]):\n        pass",
    ],
)
def test_a_new_job_fails_until_it_is_listed(source: str) -> None:
    assert unlisted({"leaderboard.new": source}) == {"leaderboard.new.LeakJob"}


@pytest.mark.parametrize("job", HARMLESS)
def test_a_harmless_job_looks_at_no_prompt_set(job: type[Any]) -> None:
    method = ast.parse(textwrap.dedent(inspect.getsource(job.answered)))
    assert "prompt_sets" not in {node.id for node in ast.walk(method) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("job", GUARDED)
def test_a_guarded_job_answers_without_hidden_prompts(task: Task, tmp_path: Path, job: type[Any]) -> None:
    """Each is given what `Services.checks` gives its processes, and files with a wrong prompt beside every id."""
    prompts = hides_every_edition(task)
    given = task.services.checks._server._setup.prompt_sets
    (tmp_path / "out").mkdir()
    for name, data in guesses(task).items():
        (tmp_path / name).write_bytes(data)
        answer = repr(GUARDED[job](tmp_path / name, tmp_path / "out").answered(given))
        said = answer + "".join(map(_text, (tmp_path / "out").iterdir()))
        escaped = [json.dumps(prompt)[1:-1] for prompt in prompts]
        assert [one for one in (*prompts, *escaped) if one in said] == []
    assert len(prompts) > 200


def _text(path: Path) -> str:
    if not zipfile.is_zipfile(path):
        return path.read_text(encoding="utf-8")
    with zipfile.ZipFile(path) as packed:
        return "".join(packed.read(name).decode() for name in packed.namelist())
