"""What each file of tests is about: which files of the project can change how its tests end.

Where `SUBJECTS` has a line, it says so; those tests start the whole program and are about a part of it. Of every other
file it is found out: what it imports, directly or not, with the data beside that; and where it starts processes or
looks into the project's folders, the whole program or everything.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

import grimp

from tests.byte_code import what_it_does

ROOT = Path(__file__).parents[1]

ALWAYS = (
    *("pyproject.toml", "requirements-dev.lock", "requirements-ray.lock", "requirements.lock"),
    *("tests/conftest.py", "tests/data", "tests/eloquent_files.py", "tests/golden_data"),
)
"""What every test is about, beside its own file: packages, and what tests/conftest.py hands out."""

PAGES = (
    "app.py",
    "leaderboard/page",
    "leaderboard/parts",
    "leaderboard/serving.py",
    "leaderboard/site",
    "leaderboard/ui.py",
    "leaderboard/web",
    "tests/browser/conftest.py",
)
"""What every story in a browser goes through, whatever it is about."""

SCORING = ("evaluator/worker", "submissions/desk.py", "submissions/store")
"""What a file goes through from the desk to its row."""

SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "tests/browser/test_atlas.py": (
        *PAGES,
        *SCORING,
        "evaluator/robustness",
        "leaderboard/boards/editions",
        "leaderboard/boards/robustness",
        "tests/browser/hostile.py",
        "tests/browser/visitors.py",
    ),
    "tests/browser/test_charts_and_methods.py": (
        "app.py",
        *SCORING,
        "evaluator",
        "leaderboard",
        "submissions/promptsets",
        "tests/browser/conftest.py",
        "tests/browser/test_narrowing.py",
    ),
    "tests/browser/test_choices.py": (
        *PAGES,
        "evaluator/robustness",
        "evaluator/statistics",
        "leaderboard/boards/robustness",
        "tests/browser/visitors.py",
    ),
    "tests/browser/test_edition_items.py": (
        *PAGES,
        *SCORING,
        "evaluator/consistency",
        "evaluator/cultural",
        "leaderboard/boards/editions",
        "submissions/formats/eloquent",
    ),
    "tests/browser/test_editions.py": (
        *PAGES,
        *SCORING,
        "evaluator/consistency",
        "evaluator/cultural",
        "leaderboard/boards/editions",
        "submissions/formats/eloquent",
    ),
    "tests/browser/test_evaluators.py": (
        *PAGES,
        *SCORING,
        "evaluator/lab",
        "evaluator/personalized_evaluation",
        "leaderboard/boards/personalized_evaluation",
        "leaderboard/desk",
        "leaderboard/lab",
        "submissions/formats/personalized_evaluation",
    ),
    "tests/browser/test_hostile.py": (
        "app.py",
        "leaderboard",
        "submissions/checking",
        "submissions/formats",
        "submissions/problems.py",
        "tests/browser/conftest.py",
        "tests/browser/hostile.py",
    ),
    "tests/browser/test_judge_report.py": (
        *PAGES,
        "evaluator/judge_logs",
        "evaluator/judge_report",
        "leaderboard/judge_report",
        "submissions/store",
    ),
    "tests/browser/test_judges.py": (
        *PAGES,
        *SCORING,
        "evaluator/canary",
        "evaluator/judges/quality",
        "evaluator/position_bias",
        "leaderboard/boards/judge_quality",
        "leaderboard/boards/position_bias",
        "leaderboard/desk",
        "submissions/formats/judge_verdicts",
    ),
    "tests/browser/test_lab.py": (
        *PAGES,
        "evaluator/generators",
        "evaluator/judges/zero_gpu.py",
        "evaluator/lab",
        "evaluator/zero_gpu.py",
        "leaderboard/lab",
        "tests/spaces_package",
    ),
    "tests/browser/test_local_judge.py": (
        *PAGES,
        *SCORING,
        "evaluator/judges",
        "evaluator/robustness",
        "leaderboard/boards/judge_quality",
        "leaderboard/boards/robustness",
    ),
    "tests/browser/test_many_languages.py": (
        *PAGES,
        *SCORING,
        "evaluator/consistency",
        "evaluator/cultural",
        "evaluator/embeddings",
        "evaluator/judges/answers",
        "evaluator/seeding",
        "leaderboard/boards/editions",
        "submissions/formats/eloquent",
    ),
    "tests/browser/test_official.py": (
        *PAGES,
        *SCORING,
        "evaluator/robustness",
        "leaderboard/boards/robustness",
        "submissions/formats/eloquent",
        "submissions/promptsets",
    ),
    "tests/browser/test_personalization.py": (
        *PAGES,
        "evaluator/personalization",
        "leaderboard/boards/personalization",
        "submissions/formats/personalization",
    ),
    "tests/browser/test_recommenders.py": (
        *PAGES,
        "evaluator/behavior_alignment",
        "leaderboard/boards/behavior_alignment",
        "submissions/formats/behavior_alignment",
    ),
    "tests/browser/test_smollm2.py": (
        *PAGES,
        "evaluator/answering",
        "evaluator/generators",
        "evaluator/lab",
        "evaluator/seeding",
        "leaderboard/boards",
        "leaderboard/lab",
        "submissions/recorded",
        "submissions/store",
        "tests/smollm2_weights.py",
    ),
    "tests/browser/test_whole_season.py": (
        *PAGES,
        *SCORING,
        "leaderboard/desk",
        "leaderboard/own_runs",
        "leaderboard/seasons",
        "submissions/archive",
        "submissions/seasons",
        "tests/browser/program_clock.c",
        "tests/browser/program_clock.py",
        "tests/pdflatex.py",
        "tests/service/space_sessions.py",
    ),
    "tests/browser/test_whole_zip.py": (
        *PAGES,
        *SCORING,
        "evaluator/cultural",
        "evaluator/embeddings",
        "leaderboard/boards/editions",
        "submissions/checking",
        "submissions/formats/eloquent",
    ),
    "tests/service/test_check_memory.py": (
        "submissions/check.py",
        "submissions/checking",
        "submissions/formats",
        "submissions/kinds.py",
        "submissions/problems.py",
        "submissions/promptsets",
        "submissions/questionsets",
        "submissions/reading",
    ),
    "tests/service/test_damage.py": (
        "app.py",
        "leaderboard/serving.py",
        "leaderboard/web",
        "submissions/archive",
        "submissions/store",
    ),
    "tests/service/test_faults.py": (
        "evaluator/judges/loading.py",
        "evaluator/judges/transformers.py",
        "evaluator/worker",
        "submissions/archive",
        "submissions/desk.py",
        "submissions/store",
    ),
    "tests/service/test_hidden_prompts.py": (
        "evaluator/consistency",
        "evaluator/cultural",
        "leaderboard/boards/editions",
        "leaderboard/page",
        "leaderboard/results_dataset",
        "leaderboard/seasons",
        "leaderboard/site",
        "leaderboard/team_report",
        "submissions/promptsets",
        "submissions/seasons",
        "tests/service/open_pages.py",
    ),
    "tests/service/test_hostile_checks.py": (
        "app.py",
        "leaderboard/desk",
        "leaderboard/page/file_checks.py",
        "leaderboard/serving.py",
        "leaderboard/web",
        "submissions/checking",
    ),
    "tests/service/test_kill_rounds.py": (
        "evaluator/worker",
        "submissions/archive",
        "submissions/desk.py",
        "submissions/store",
        "tests/service/kill_rounds.py",
        "tests/service/killed_processes.py",
    ),
    "tests/service/test_several_workers.py": (
        "evaluator/worker",
        "submissions/store",
    ),
    "tests/service/test_smollm2.py": (
        "evaluator/generators",
        "evaluator/lab/serving.py",
    ),
    "tests/service/test_starts_anywhere.py": (
        "app.py",
        "leaderboard/serving.py",
        "leaderboard/ui.py",
        "leaderboard/web",
    ),
    "tests/service/test_stuck_judge.py": (
        "app.py",
        "evaluator/worker",
        "submissions/store/claims.py",
        "submissions/store/queue.py",
        "submissions/store/workers.py",
        "tests/service/stuck_judge",
    ),
    "tests/service/test_tutorial.py": (
        "docs/tutorial.ipynb",
        "docs/tutorial.md",
        "evaluator/__main__.py",
        "evaluator/answering",
        "evaluator/commands",
        "evaluator/generators",
        "evaluator/reproduce",
        "evaluator/robustness",
        "evaluator/worker",
        "leaderboard/__main__.py",
        "leaderboard/team_report",
        "submissions/commands",
        "submissions/promptsets",
        "tests/notebook.py",
    ),
    "tests/service/test_worker_killed.py": (
        "evaluator/worker",
        "submissions/archive",
        "submissions/store",
        "tests/service/killed_processes.py",
    ),
    "tests/unit/leaderboard/commands/test_new_board.py": (
        "evaluator/tasks.py",
        "evaluator/task.py",
        "leaderboard/boards/registry.py",
        "leaderboard/commands/new_board.py",
        "leaderboard/page",
        "leaderboard/parts",
        "leaderboard/site",
        "submissions/kinds.py",
    ),
    "tests/unit/test_linear_text.py": (
        "evaluator",
        "leaderboard",
        "submissions",
        "tests/unit/linear_time.py",
    ),
}
"""Test file -> files and folders that its tests are about."""

PROGRAM = ("app.py", "evaluator", "leaderboard", "submissions", "tests")
"""What a test that starts processes is about: of `tests`, all but other files of tests, which nobody starts."""

EVERYTHING = (*PROGRAM, "Makefile", "README.md", "benchmarks", "docs")
"""What a test that reads the project's files by their paths is about."""

_ROOMS = ("benchmarks", "evaluator", "leaderboard", "submissions", "tests")
_OUTSIDE = {"app", "importlib", "multiprocessing", "playwright", "runpy", "socketserver", "subprocess"}
"""Modules by which a test reaches what it does not import."""
_LOOKS_AROUND = ("ROOT", ".parents[", "getsourcefile", "Path.cwd()", "resources.files(")
"""What stands in a file of tests that knows where the project lies: most start its programs there."""
_READS_ALL = ("README", "Makefile", "benchmarks", "docs", "glob(")
"""What stands in one, beside that, which reads what is no program, or modules as texts."""
_OF_THE_RECORD = ("tests/byte_code.py", "tests/settled.json", "tests/settled.py", "tests/subjects.py")
"""What decides which tests are run, and changes none of them."""


@cache
def looks_of(test_file: str, root: Path = ROOT) -> str:
    """A digest of every file that a file of tests is about: of modules what they do, unless the tests read texts.

    Args:
        test_file: Its path from `root`.

    Raises:
        ValueError: naming the path in a line of `SUBJECTS` that leads nowhere.
    """
    digest = hashlib.sha256()
    subject = SUBJECTS.get(test_file) or derived_subject(test_file, root)
    of_file = _sha256 if set(EVERYTHING) <= set(subject) else _meaning
    for place in sorted({test_file, *ALWAYS, *subject}):
        files = list(_files(root / place, root))
        if not files:
            raise ValueError(f"tests/subjects.py: {test_file} is said to be about {place}, and there is no such file")
        for file in files:
            digest.update(f"{file.relative_to(root).as_posix()}\n{of_file(file)}\n".encode())
    return digest.hexdigest()


def derived_subject(test_file: str, root: Path = ROOT) -> frozenset[str]:
    """Paths of files and folders that a file of tests is about, found by what it and its conftests import.

    Args:
        test_file: Its path from `root`.
    """
    conftests = [path for path in _conftests(test_file) if (root / path).is_file()]
    modules = _imported([_module(path) for path in (test_file, *conftests)], root)
    of_tests = [root / _path_of(module, root) for module in modules if module.startswith("tests.")]
    texts = [path.read_text(encoding="utf-8") for path in of_tests if path.is_file()]
    if any(word in text for text in texts for word in _LOOKS_AROUND):
        return frozenset(EVERYTHING if any(word in text for text in texts for word in _READS_ALL) else PROGRAM)
    if _reaches_out(modules, root):
        return frozenset(PROGRAM)
    return frozenset(file for module in modules for file in _with_data(_path_of(module, root), root))


@cache
def _graph(root: Path) -> grimp.ImportGraph:
    before = sys.path.copy()
    sys.path.insert(0, str(root))
    try:
        return grimp.build_graph(*_ROOMS, include_external_packages=True, cache_dir=str(root / ".grimp_cache"))
    finally:
        sys.path[:] = before


def _imported(modules: Iterable[str], root: Path) -> frozenset[str]:
    """All modules of the project that are imported by some, directly or not, and the packages these lie in."""
    graph = _graph(root)
    imported: set[str] = set()
    left = list(modules)
    while left:
        module = left.pop()
        if module in imported or f"{module.replace('.', '/')}.py" in _OF_THE_RECORD or module not in graph.modules:
            continue
        imported.add(module)
        left += graph.find_modules_directly_imported_by(module)
        left += [module.rpartition(".")[0]]
    return frozenset(module for module in imported if not graph.is_module_squashed(module))


def _reaches_out(modules: Iterable[str], root: Path) -> bool:
    """Whether a module of the tests imports what leads beyond imports."""
    graph = _graph(root)
    return any(
        _OUTSIDE & graph.find_modules_directly_imported_by(module) for module in modules if module.startswith("tests.")
    )


def _conftests(test_file: str) -> Iterator[str]:
    for folder in PurePosixPath(test_file).parents:
        if len(folder.parts) > 1:  # that of all tests stands in `ALWAYS`
            yield (folder / "conftest.py").as_posix()


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


@cache
def _path_of(module: str, root: Path) -> str:
    path = module.replace(".", "/")
    return f"{path}.py" if (root / f"{path}.py").is_file() else f"{path}/__init__.py"


@cache
def _with_data(path: str, root: Path) -> tuple[str, ...]:
    """A module's file, and whatever lies beside it and is no module: texts, tables, weights."""
    if not (root / path).is_file():  # a folder without __init__.py
        return ()
    folder = (root / path).parent
    data = (file for file in _files(folder, root) if file.suffix != ".py" and _home(file) == folder)
    return (path, *(file.relative_to(root).as_posix() for file in data))


def _home(file: Path) -> Path:
    """The nearest folder above a file that holds modules."""
    return next(folder for folder in file.parents if _holds_modules(folder))


@cache
def _holds_modules(folder: Path) -> bool:
    return any(folder.glob("*.py"))


@cache
def _files(place: Path, root: Path) -> tuple[Path, ...]:
    if place.is_file():
        return (place,)
    tests = root / "tests"
    return tuple(
        path
        for path in sorted(place.rglob("*"))
        if path.is_file()
        and not {"__pycache__", "node_modules"} & set(path.parts)
        and not (place == tests and path.name.startswith("test_"))
        and path.relative_to(root).as_posix() not in _OF_THE_RECORD
    )


@cache
def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _meaning(file: Path) -> str:
    return what_it_does(file.read_bytes()) if file.suffix == ".py" else _sha256(file)
