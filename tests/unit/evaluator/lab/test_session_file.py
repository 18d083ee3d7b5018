"""A lab session as a file: accepted by the check, shown again as it was."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from evaluator.generators.protocol import GeneratorUnavailable, Message
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.lab import session_file
from evaluator.lab.judging import LabJudge
from evaluator.lab.run import run
from evaluator.lab.session_file import NothingToExport, exported_session, loaded_session
from evaluator.lab.setup import ColumnSetup, LabSetup, naive_vs_pref_aligner, own_question
from evaluator.lab.state import LabState
from submissions.check import CheckReport, check_submission
from submissions.promptsets import PromptSets
from submissions.questionsets import Question, demonstration
from tests.readings import personalized
from tests.unit.submissions.formats.personalization.answer_files import as_lines, good_document

WISH = "Keep the answer short."
SETUP = LabSetup(demonstration().questions[1], "demonstration", (WISH,), 0, *naive_vs_pref_aligner("small"))
DAY = date(2026, 11, 20)


def finished(setup: LabSetup, script: Callable[[Sequence[Message]], str] | None = None) -> LabState:
    """The last state of a run with the scripted models and judge."""
    judge = ScriptedJudge(preference=lambda _: "B", followed=lambda _: 3.25, letter=lambda _: "A")
    lab_judge = LabJudge(lambda: RecordedJudge(judge, MemoryVerdicts()))
    model = ScriptedGenerator(script)

    async def collect() -> list[LabState]:
        states = run(setup, lambda name: model, lab_judge, stop=threading.Event(), frame_s=0.001)
        return [state async for state in states]

    return asyncio.run(collect())[-1]


def checked(data: bytes) -> CheckReport:
    return check_submission(data, "session.json", prompt_sets=PromptSets.load(None))


MIXED = replace(SETUP, preferences=("I like tea.", WISH, "I own a boat."), relevant_index=1)
SETUPS = {
    "relevant": SETUP,
    "mixed with an open question of one's own": replace(MIXED, question=own_question("Why?"), dataset="own"),
    "irrelevant": replace(SETUP, relevant_index=None),
    "no preferences": replace(SETUP, preferences=(), relevant_index=None),
    "two models": replace(MIXED, a=ColumnSetup("small", "naive"), b=ColumnSetup("large", "naive")),
    "both columns alike": replace(MIXED, a=ColumnSetup("small", "naive"), b=ColumnSetup("small", "naive")),
    "control against aligner": replace(MIXED, a=ColumnSetup("small", "no_preference")),
    "twins of a prompt set": replace(
        SETUP,
        dataset="eloquent-2024",
        question=Question("7.1", "How?", (), None),
        twin=Question("7.2", "How so?", (), None),
    ),
}


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS.keys())
def test_an_exported_run_is_accepted_by_the_check_and_loads_back_equal(setup: LabSetup) -> None:
    state = finished(setup)
    data = exported_session([state], on=DAY)
    report = checked(data)
    assert report.decision == "accepted_with_warnings"
    assert report.problems_by_code == {"unknown_field": 1}  # `verdicts`, which is kept
    assert loaded_session(data).faults == ()
    assert loaded_session(data).states == (state,)


def test_a_whole_session_is_one_file_in_which_every_answer_keeps_its_control() -> None:
    states = [finished(setup) for setup in SETUPS.values()]
    data = exported_session(states, on=DAY)
    report = checked(data)
    assert not [problem for problem in report.problems if problem.severity == "error"]
    assert (personalized(report).names.system, personalized(report).date) == ("Preference lab", "2026-11-20")
    assert personalized(report).names.model == "small + large"
    assert loaded_session(data).states == tuple(states)


def test_an_example_asked_again_otherwise_becomes_an_example_of_its_own() -> None:
    other = replace(SETUP, preferences=("Write formally.",))
    document = json.loads(exported_session([finished(SETUP), finished(SETUP), finished(other)], on=DAY))
    keys = [(row["example_id"], row["method"]) for row in document["rows"]]
    # The second run is the first one again, with greedy models: nothing new.
    assert keys == [
        ("d02", "no_preference"),
        ("d02", "naive"),
        ("d02", "pref_aligner"),
        ("d02~2", "no_preference"),
        ("d02~2", "naive"),
        ("d02~2", "pref_aligner"),
    ]
    assert len(document["verdicts"]["runs"]) == 3


def test_a_column_that_failed_has_no_row_and_loads_back_as_failed() -> None:
    def script(messages: Sequence[Message]) -> str:
        if "You are an editor" in messages[0].content:
            raise GeneratorUnavailable("too busy")
        return "Answer: B"

    state = finished(SETUP, script)
    loaded = loaded_session(exported_session([state]))
    assert loaded.faults == ()
    assert loaded.states[0].b.answer.failure == "too busy"
    assert loaded.states[0] == state


def test_runs_that_did_not_finish_are_not_exported() -> None:
    state = finished(SETUP)
    unfinished = [replace(state, phase="cancelled"), replace(state, phase="failed")]
    assert len(json.loads(exported_session([*unfinished, state]))["verdicts"]["runs"]) == 1
    with pytest.raises(NothingToExport, match="no finished run"):
        exported_session(unfinished)


def test_what_no_file_may_hold_is_replaced() -> None:
    state = finished(SETUP, lambda messages: "\x1b[31mAnswer: B\x00")
    data = exported_session([state])
    assert not [problem for problem in checked(data).problems if problem.severity == "error"]
    assert loaded_session(data).states[0].a.final == "\ufffd[31mAnswer: B\ufffd"


def test_an_export_that_grows_too_large_leaves_out_its_oldest_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    states = [finished(replace(SETUP, question=question)) for question in demonstration().questions[:4]]
    whole = exported_session(states)
    monkeypatch.setattr(session_file, "MAX_BYTES", len(whole) - 1)
    kept = loaded_session(exported_session(states)).states
    assert [state.setup.question.example_id for state in kept] == ["d03", "d04"]
    monkeypatch.setattr(session_file, "MAX_RUNS", 1)
    assert loaded_session(exported_session(states)).states == (states[-1],)


# --- files that cannot be shown -------------------------------------------------------------------------------------


def broken(change: Callable[[Any], None]) -> tuple[str, ...]:
    """The faults of an exported session after a change to its document."""
    document = json.loads(exported_session([finished(SETUP)], on=DAY))
    change(document)
    loaded = loaded_session(json.dumps(document).encode())
    assert loaded.states == ()
    return loaded.faults


def test_all_faults_are_told_at_once() -> None:
    def change(document: Any) -> None:
        document["rows"][0]["gold"] = "Z"
        del document["rows"][1]["response_with_preference"]
        document["verdicts"]["runs"][0]["a"]["answer"]["tokens"] = "many"
        document["verdicts"]["runs"][0]["b"]["verdict"]["outcome"] = "splendid"

    faults = "\n".join(broken(change))
    assert "rows[0].gold" in faults
    assert "rows[1].response_with_preference" in faults
    assert "verdicts.runs[0].a.answer.tokens: Input should be a valid integer" in faults
    assert "verdicts.runs[0].b.verdict.outcome: Input should be 'robust', 'breakage'" in faults


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            lambda one: one["a"]["answer"].update(row=99),
            "verdicts.runs[0].a.answer.row: found 99, expected the place of",
        ),
        (
            lambda one: one["a"]["answer"].update(row=-1),
            "verdicts.runs[0].a.answer.row: found -1, expected the place of",
        ),
        (
            lambda one: one["b"]["control"].update(row=1),
            "verdicts.runs[0].b.control.row: found 1, expected the place of a",
        ),
        (lambda one: one["b"]["answer"].update(row=1), "expected the place of a row of pref_aligner"),
        (lambda one: one.update(preferences=["Other."]), "whose preferences are not those of the run"),
        (lambda one: one["a"].update(generator=" "), "verdicts.runs[0].a.generator: is no name"),
        (lambda one: one.update(dataset="<b>"), "verdicts.runs[0]: the data set: found '<b>'"),
        (lambda one: one.update(extra=1), "verdicts.runs[0].extra: Extra inputs are not permitted"),
    ],
)
def test_verdicts_that_do_not_fit_the_rows_are_refused_with_their_place(
    change: Callable[[Any], None], fault: str
) -> None:
    faults = broken(lambda document: change(document["verdicts"]["runs"][0]))
    assert any(fault in one for one in faults), faults


def test_texts_beyond_the_caps_of_the_lab_are_refused() -> None:
    def change(document: Any) -> None:
        for row in document["rows"]:
            row["question"] = "x" * 4001

    assert "the question: found 4,001 characters, expected at most 4,000" in broken(change)[0]


def test_a_session_without_a_run_is_refused() -> None:
    assert broken(lambda document: document["verdicts"]["runs"].clear()) == (
        "verdicts.runs: is empty, so there is nothing to show",
    )


def test_answers_as_json_lines_are_no_session() -> None:
    loaded = loaded_session(as_lines(good_document()), "answers.jsonl")
    assert loaded.states == ()
    assert loaded.faults == ("$: is more than one JSON value; a session saved from the lab is a single object",)


def test_a_submission_without_verdicts_is_sent_to_replay() -> None:
    (fault,) = broken(lambda document: document.pop("verdicts"))
    assert fault.startswith("verdicts: is missing")
    assert "replay" in fault


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff\xfe", b'{"kind": "personalized_answers"}', b"[" * 100_000])
def test_no_bytes_raise(data: bytes) -> None:
    loaded = loaded_session(data)
    assert loaded.states == ()
    assert loaded.faults


def test_a_file_that_is_too_large_is_not_read() -> None:
    (fault,) = loaded_session(b" " * (session_file.MAX_BYTES + 1)).faults
    assert fault == "the file has 16,777,217 bytes; at most 16,777,216 are loaded"
