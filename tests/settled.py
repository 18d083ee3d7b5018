"""Long tests that are run again when what they are about has changed.

A test marked `settled` takes ten seconds or more, and is about few modules; or it is one of a file of stories about a
board or another part of the site, which take minutes together. `SUBJECTS` says which modules. `make settle` runs
those tests and keeps in settled.json what the files of their subjects looked like when they passed. `make test` leaves
out a test as long as they look the same; `make soak` runs all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "tests" / "settled.json"

PACKAGES = ("requirements.lock", "requirements-dev.lock")
"""What every test is about, beside its own file."""

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
        "evaluator/__main__.py",
        "evaluator/commands",
        "evaluator/evaluate.py",
        "evaluator/reproduce",
        "evaluator/robustness",
        "leaderboard/page/reproduction.py",
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
        "app.py",
        "evaluator/answering",
        "evaluator/generators",
        "evaluator/lab",
        "leaderboard/lab",
        "submissions/recorded",
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
    "tests/golden/test_behavior_estimator.py": (
        "evaluator/behavior_alignment",
        "evaluator/embeddings",
        "tests/golden_data",
    ),
    "tests/service/test_check_memory.py": (
        "submissions/check.py",
        "submissions/checking",
        "submissions/formats",
        "submissions/kinds.py",
        "submissions/problems.py",
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
    "tests/service/test_ray_judge.py": (
        "evaluator/embeddings",
        "evaluator/judges",
        "evaluator/robustness",
    ),
    "tests/service/test_ray_models.py": (
        "evaluator/embeddings",
        "evaluator/judges/ray_actors.py",
        "evaluator/judges/ray_cluster.py",
        "evaluator/judges/ray_embedder.py",
    ),
    "tests/service/test_rejudge_all.py": (
        "evaluator/judges/recorded.py",
        "evaluator/rejudging",
        "submissions/store",
        "submissions/verdicts",
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
    "tests/unit/evaluator/judges/answers/test_attacks.py": (
        "evaluator/embeddings",
        "evaluator/judges/answers",
        "evaluator/judges/content_checks.py",
        "evaluator/robustness",
        "evaluator/seeding",
        "submissions/promptsets",
        "tests/answer_attacks.py",
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
"""Test file -> files and folders that its long tests are about."""


def recorded(record: Path = RECORD) -> dict[str, str]:
    """Test -> what its subject looked like when it passed."""
    return dict(json.loads(record.read_text(encoding="utf-8"))) if record.exists() else {}


@cache
def looks_of(test_file: str, root: Path = ROOT) -> str:
    """A digest of every file that the long tests of a file are about.

    Args:
        test_file: Its path from `root`.

    Raises:
        ValueError: naming the line of `SUBJECTS` that is missing, or the path in it that leads nowhere.
    """
    if test_file not in SUBJECTS:
        raise ValueError(f"{test_file} has settled tests: say in tests/settled.py what they are about")
    digest = hashlib.sha256()
    for place in sorted({test_file, *PACKAGES, *SUBJECTS[test_file]}):
        files = list(_files(root / place))
        if not files:
            raise ValueError(f"tests/settled.py: {test_file} is said to be about {place}, and there is no such file")
        for file in files:
            digest.update(f"{file.relative_to(root).as_posix()}\n".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(place: Path) -> Iterable[Path]:
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


class Settled:
    """What pytest does about settled tests; registered by tests/conftest.py.

    Args:
        leaves_out: Whether tests whose subject looks as it did are not run.
        keeps: Whether what passes is kept in the record.
    """

    def __init__(self, *, leaves_out: bool, keeps: bool, record: Path = RECORD) -> None:
        self._leaves_out, self._keeps, self._record = leaves_out, keeps, record
        self._known = recorded(record)
        self._ended: dict[str, bool] = {}

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Takes out what need not be run."""
        if not self._leaves_out:
            return
        left = [item for item in items if "settled" in item.keywords and self._is_current(item.nodeid)]
        items[:] = [item for item in items if item not in set(left)]
        config.hook.pytest_deselected(items=left)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes how each settled test ended; a test passes when none of its parts failed."""
        if "settled" in report.keywords and (report.failed or report.when == "call"):
            self._ended[report.nodeid] = report.passed and self._ended.get(report.nodeid, True)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the record; of several processes, the first does it for all."""
        if not self._keeps or hasattr(session.config, "workerinput"):
            return
        passed = {test: looks_of(test.partition("::")[0]) for test, well in self._ended.items() if well}
        known = {test: looks for test, looks in self._known.items() if self._ended.get(test, True)}
        kept = dict(sorted({**known, **passed}.items()))
        self._record.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says how many were left out, and what runs them."""
        left = sum(map(self._is_current_id, self._known)) if self._leaves_out else 0
        if left:
            terminalreporter.write_line(
                f"{left} long tests are left out: what they are about is as it was when they passed"
                " (tests/settled.py); `make soak` runs them"
            )

    def _is_current(self, item_id: str) -> bool:
        looks = looks_of(item_id.partition("::")[0])  # raises where a line is missing, run or not
        return self._known.get(item_id) == looks

    def _is_current_id(self, test: str) -> bool:
        file = test.partition("::")[0]
        return file in SUBJECTS and self._is_current(test)
