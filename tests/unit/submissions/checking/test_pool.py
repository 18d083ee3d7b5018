"""Checks in processes of their own: what comes back, the budget, and what is left when one dies or nobody waits."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from submissions.check import check_submission
from submissions.checking.fork_server import ForkServer
from submissions.checking.job import Budget, Checked, CheckJob, View
from submissions.checking.line import MOST_OF_ONE, LineFull
from submissions.checking.pool import CheckPool, CheckTurn
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from tests.unit.submissions.checking.hostile_views import (
    allocates,
    backtracks,
    dies,
    forebears,
    kind_and_size,
    process_id,
    quotes,
    raises,
    surroundings,
    tells_and_backtracks,
    waits,
)

ANSWER_WITHIN_S = 60.0
"""Far more than any of these takes, on a busy machine too."""
SETS = PromptSets.load(None)
SMALL = Budget(seconds=1, mebibytes=512)


def fork_server(*preload: str) -> ForkServer:
    """With the models that tell languages, as on the pages: a budget of a second is not for loading them."""
    return ForkServer(SETS, ("submissions.formats.eloquent.languages:load_models", *preload))


@pytest.fixture(scope="module")
def pool() -> Iterator[CheckPool]:
    with fork_server() as server, CheckPool(server, SMALL, at_once=2) as checks:
        yield checks


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tide.json"
    path.write_bytes(dict(example_submissions())["tide.json"])
    return path


def job(path: Path, view: View | None = None) -> CheckJob:
    return CheckJob(path, path.name, names=Names(run="7"), view=view)


def answer(turn: CheckTurn[Checked]) -> Checked:
    return turn.answer.result(ANSWER_WITHIN_S)


def test_a_check_says_the_same_as_in_this_process_and_the_rows_stay_behind(pool: CheckPool, file: Path) -> None:
    checked = answer(pool.join("anna", job(file, kind_and_size)))
    here = check_submission(file.read_bytes(), file.name, names=Names(run="7"), prompt_sets=SETS)
    assert checked.report == here.without_rows()
    assert checked.report.as_json() == here.as_json()
    assert checked.report.entry is not None
    assert here.entry is not None
    assert checked.report.entry.names == here.entry.names
    # The view was made of the whole report and its file.
    assert checked.view == ("eloquent", file.stat().st_size)


@pytest.mark.parametrize(
    ("view", "code", "words"),
    [
        # On a busy machine the clock may be first.
        (backtracks, "too_slow_to_check", r"took more than (1 s of computing|3 s); accepted: at most that"),
        (waits, "too_slow_to_check", "took more than 3 s; accepted: at most that"),
        (allocates, "too_large_to_check", "more than 512 MiB of memory"),
        (dies, "check_ended", "ended before it had read it"),
        (raises, "check_ended", "ended before it had read it"),
    ],
)
def test_a_check_beyond_its_budget_is_refused_in_words_and_the_next_one_is_made(
    pool: CheckPool, file: Path, view: View, code: str, words: str
) -> None:
    checked = answer(pool.join("eve", job(file, view)))
    assert [(problem.code, problem.path) for problem in checked.report.problems] == [(code, "$")]
    assert re.search(words, checked.report.problems[0].message)
    assert checked.report.problems_by_code == {code: 1}
    assert checked.report.decision == "refused"
    assert checked.report.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert checked.view is None
    assert answer(pool.join("eve", job(file))).report.decision != "refused"


def test_one_visitor_holds_one_process_and_another_is_served_meanwhile(pool: CheckPool, file: Path) -> None:
    hostile = [pool.join("eve", job(file, waits)) for _ in range(MOST_OF_ONE)]
    assert answer(pool.join("anna", job(file))).report.decision != "refused"
    # The first of them is stopped at the clock after three times its second, not before.
    assert not any(turn.answer.done() for turn in hostile[1:])
    assert [turn.ahead for turn in hostile[1:]] == list(range(1, MOST_OF_ONE))
    for turn in hostile:
        turn.leave()


@pytest.mark.parametrize(
    ("view", "words"), [(quotes, "a reader raised OSError"), (dies, "a reader died: signal 11"), (waits, "was killed")]
)
def test_the_log_has_one_line_without_the_text_for_what_ends_a_reader(
    file: Path, view: View, words: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with fork_server() as server, CheckPool(server, SMALL, at_once=1) as checks:
        answer(checks.join("eve", job(file, view)))
    said = [*capfd.readouterr().err.splitlines(), *caplog.messages]  # the process writes to the standard error
    assert len(said) == 1, said
    assert words in said[0]
    assert "eloquent-robustness-results" not in said[0]


def test_whoever_leaves_while_waiting_is_never_checked(pool: CheckPool, file: Path) -> None:
    first, second, third = (pool.join("anna", job(file, view)) for view in (waits, dies, kind_and_size))
    second.leave()
    first.leave()
    assert second.answer.cancelled()
    assert answer(third).report.decision != "refused"


def test_whoever_leaves_ends_what_runs(file: Path) -> None:
    with fork_server() as server, CheckPool(server, Budget(seconds=600, mebibytes=512), at_once=1) as checks:
        killed = answer(checks.join("anna", job(file, process_id))).view
        os.mkfifo(f"{file}.begun")
        turn = checks.join("eve", job(file, tells_and_backtracks))
        following = checks.join("anna", job(file, process_id))
        assert Path(f"{file}.begun").read_text() == "begun"
        assert (turn.ahead, following.ahead) == (0, 1)
        turn.leave()
        with pytest.raises(CancelledError):
            turn.answer.result(ANSWER_WITHIN_S)
        # Within its ten minutes: the place is free at once.
        assert answer(following).view != killed
        assert not is_alive(killed)


def test_a_process_that_dies_while_nobody_waits_costs_nobody_a_check(file: Path) -> None:
    with fork_server() as server, CheckPool(server, SMALL, at_once=1) as checks:
        process = answer(checks.join("anna", job(file, process_id))).view
        os.kill(process, signal.SIGKILL)
        assert answer(checks.join("anna", job(file, process_id))).view != process


def test_processes_are_replaced_after_so_many_checks(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.checking.process.CHECKS_TO_A_PROCESS", 2)
    with fork_server() as server, CheckPool(server, SMALL, at_once=1) as checks:
        made_by = [answer(checks.join("anna", job(file, process_id))).view for _ in range(4)]
    assert made_by[0] == made_by[1] != made_by[2] == made_by[3]


def test_closing_ends_what_runs_and_nobody_is_left_waiting(file: Path) -> None:
    server = fork_server()
    checks = CheckPool(server, Budget(seconds=600, mebibytes=512), at_once=1)
    process = answer(checks.join("anna", job(file, process_id))).view
    os.mkfifo(f"{file}.begun")
    turns = [checks.join(visitor, job(file, tells_and_backtracks)) for visitor in ("eve", "eve", "anna")]
    assert Path(f"{file}.begun").read_text() == "begun"
    checks.close()
    assert not is_alive(process)
    assert all(turn.answer.cancelled() for turn in turns)
    assert checks.join("anna", job(file)).answer.cancelled()
    server.close()


def test_the_process_imports_no_page_and_gets_no_secret(
    pool: CheckPool, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with fork_server() as server, CheckPool(server, SMALL, at_once=1) as checks:
        modules, environ = answer(checks.join("anna", job(file, surroundings))).view
    assert not {"gradio", "torch", "scipy", "sqlalchemy", "pytest"} & modules
    assert not [name for name in environ if name.startswith(("HF_", "PLUMBLINE_"))]


def test_what_processes_need_is_made_ready_once_in_their_server(file: Path) -> None:
    with (
        fork_server("tests.unit.submissions.checking.hostile_views:prepare") as server,
        CheckPool(server, SMALL, at_once=1) as checks,
        CheckPool(server, SMALL, at_once=1) as others,
    ):
        views = [answer(each.join("anna", job(file, forebears))).view for each in (checks, others)]
    (first, parent, process), (second, same_parent, other) = views
    assert first == second == [parent] == [same_parent]
    assert len({parent, process, other}) == 3


def test_a_server_that_ends_is_started_again(file: Path) -> None:
    with fork_server() as server, CheckPool(server, SMALL, at_once=1) as checks:
        _, parent, process = answer(checks.join("anna", job(file, forebears))).view
        os.kill(parent, signal.SIGKILL)
        os.kill(process, signal.SIGKILL)
        _, next_parent, _ = answer(checks.join("anna", job(file, forebears))).view
        assert next_parent != parent


def test_a_closed_server_leaves_no_process(file: Path) -> None:
    server = fork_server()
    checks = CheckPool(server, Budget(seconds=600, mebibytes=512), at_once=1)
    _, parent, process = answer(checks.join("anna", job(file, forebears))).view
    os.mkfifo(f"{file}.begun")
    checks.join("eve", job(file, tells_and_backtracks))
    assert Path(f"{file}.begun").read_text() == "begun"
    server.close()
    for _ in range(200):  # whoever takes in processes without a parent does it in its own time
        if not is_alive(process):
            break
        time.sleep(0.05)
    assert not is_alive(parent)
    assert not is_alive(process)
    checks.close()


def test_the_line_says_when_it_is_full(pool: CheckPool, file: Path) -> None:
    turns = [pool.join("eve", job(file, waits))]
    try:
        with pytest.raises(LineFull):
            turns += (pool.join("eve", job(file, waits)) for _ in range(MOST_OF_ONE + 2))
    finally:
        for turn in turns:
            turn.leave()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
