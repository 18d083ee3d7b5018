"""Stored submissions side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.lab.replay import ReplayExample, ReplayLibrary, ReplayRow, common_examples, replayed
from evaluator.personalization.evaluate import evaluate_personalization
from submissions.check import check_submission
from submissions.formats.personalization.submission import PersonalizedSubmission
from submissions.promptsets import PromptSets
from submissions.questionsets.option_order import option_order_hash
from submissions.schema import Names
from submissions.store.store import Store
from tests.readings import personalized

OPTIONS = ["the sun", "the moon"]
WISH = "Answer as a pirate."
PROMPT_SETS = PromptSets.load(None)


def row(example_id: str, method: str = "no_preference", **fields: Any) -> dict[str, Any]:
    options = fields.pop("options", OPTIONS)
    is_control = method == "no_preference"
    return {
        "example_id": example_id,
        "dataset": "tides",
        "setting": "none" if is_control else "relevant",
        "method": method,
        "question": "What pulls the tide?",
        "options": options,
        "option_order_hash": option_order_hash(options),
        "gold": "B",
        "preferences": [] if is_control else [WISH],
        "relevant_index": None if is_control else 0,
        **fields,
    }


def document(system: str, rows: list[dict[str, Any]]) -> bytes:
    names = {"team": "aurora", "system": system, "model": "small", "run": "1"}
    return json.dumps({"kind": "personalized_answers", **names, "rows": rows}).encode()


def read(data: bytes) -> PersonalizedSubmission:
    report = check_submission(data, "answers.json", prompt_sets=PROMPT_SETS)
    return personalized(report)


ROWS = [
    row("t1", response_without_preference="Answer: B", finish_reason="stop"),
    row("t1", "naive", response_with_preference="Arr! Answer: A", finish_reason="length", followed_rating=5),
    row(
        "t1",
        "pref_aligner",
        response_with_preference="Arr! Answer: B",
        draft="Answer: B",
        aligner_raw='{"response": "Arr! Answer: B", "thoughts": "T"}',
        thoughts="T",
        fallback=False,
    ),
    row("t2", response_without_preference="Answer: A"),
    row("t2", "naive", response_with_preference="Answer: B"),
    row("t3", response_without_preference="Answer: A"),
    row("t3", "pref_aligner", response_with_preference="Answer: A", draft="Answer: A"),
]


def judged(submission: PersonalizedSubmission, system: str, method: str, judge: ScriptedJudge | None) -> ReplayRow:
    if judge is None:
        return ReplayRow(system, submission, method)
    result = evaluate_personalization(submission, RecordedJudge(judge, MemoryVerdicts()))
    return ReplayRow(system, submission, method, result)


@pytest.fixture
def submission() -> PersonalizedSubmission:
    return read(document("tide", ROWS))


EXAMPLE = ReplayExample("tides", "t1", "relevant", (WISH,))


def test_two_rows_share_the_examples_both_have_answered(submission: PersonalizedSubmission) -> None:
    naive, aligner = (judged(submission, "tide", method, None) for method in ("naive", "pref_aligner"))
    assert common_examples(naive, aligner) == (EXAMPLE,)
    assert [one.example_id for one in common_examples(naive, naive)] == ["t1", "t2"]


@pytest.mark.parametrize(
    "change", [{"options": OPTIONS[::-1]}, {"question": "What?"}, {"gold": None}, {"preferences": ["Be brief."]}]
)
def test_what_was_asked_otherwise_is_not_common(submission: PersonalizedSubmission, change: dict[str, Any]) -> None:
    rows = [
        row("t1", response_without_preference="Answer: B", **{k: v for k, v in change.items() if k != "preferences"}),
        row("t1", "naive", response_with_preference="Answer: B", **change),
    ]
    other = judged(read(document("other", rows)), "other", "naive", None)
    assert common_examples(judged(submission, "tide", "naive", None), other) == ()


def test_stored_texts_and_verdicts_are_shown_as_a_finished_run(submission: PersonalizedSubmission) -> None:
    judge = ScriptedJudge(followed=lambda _: 4.0, letter=lambda _: "0")
    naive, aligner = (judged(submission, "tide", method, judge) for method in ("naive", "pref_aligner"))
    state = replayed(naive, aligner, EXAMPLE)
    assert (state.phase, state.setup.setting) == ("done", "relevant")
    assert state.controls["tide"].text == "Answer: B"
    assert (state.a.final, state.a.truncated, state.a.unchanged) == ("Arr! Answer: A", True, False)
    assert (state.b.draft, state.b.thoughts, state.b.fallback) == ("Answer: B", "T", False)
    assert state.b.answer.text.startswith('{"response"')
    assert state.a.verdict is not None
    assert state.a.verdict.reason == "followed 4 of 5, but the answer went from B (right) to A"
    assert state.a.verdict.reported_rating == 5
    assert state.b.verdict is not None
    assert state.b.verdict.outcome == "robust"
    assert state.judge is not None
    assert state.judge.name == "scripted"
    assert state.pairwise.reason == "stored answers were not compared with each other"


def test_a_judge_that_does_not_rate_leaves_its_reason(submission: PersonalizedSubmission) -> None:
    naive = judged(submission, "tide", "naive", ScriptedJudge())
    verdict = replayed(naive, naive, EXAMPLE).a.verdict
    assert verdict is not None
    assert (verdict.followed, verdict.followed_reason) == (None, "needs a language-model judge")
    assert (verdict.correct_without, verdict.correct_with, verdict.outcome) == (True, False, "not_known")


def test_without_a_result_everything_is_not_judged(submission: PersonalizedSubmission) -> None:
    naive = judged(submission, "tide", "naive", None)
    state = replayed(naive, naive, EXAMPLE)
    assert state.a.verdict is not None
    assert (state.a.verdict.reason, state.a.verdict.outcome, state.a.verdict.letter) == ("not judged", None, None)
    assert state.judge is None


def test_two_systems_keep_their_own_controls(submission: PersonalizedSubmission) -> None:
    rows = [row("t1", response_without_preference="B it is."), row("t1", "naive", response_with_preference="B")]
    other = judged(read(document("other", rows)), "other", "naive", None)
    state = replayed(judged(submission, "tide", "naive", None), other, EXAMPLE)
    assert {name: pane.text for name, pane in state.controls.items()} == {"tide": "Answer: B", "other": "B it is."}
    assert (state.setup.a.generator, state.setup.b.generator) == ("tide", "other")


# --- the library ----------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield opened
    opened.close()


def enter(store: Store, ticket_id: str, system: str = "tide", *, is_scored: bool = True) -> None:
    data = document(system, ROWS)
    names = Names(team="aurora", system=system, model="small", run="1")
    store.add(
        ticket_id=ticket_id,
        owner="local",
        role="entry",
        edition="",
        set_id="personalization",
        names=names,
        file_name="answers.json",
        data=data,
        received_at=1.0,
    )
    if is_scored:
        assert store.claim("w") is not None
        judge = RecordedJudge(ScriptedJudge(followed=lambda _: 4.0), MemoryVerdicts())
        store.finish(ticket_id, "w", evaluate_personalization(read(data), judge).model_dump_json())


def test_the_library_lists_each_system_and_method_of_scored_submissions(store: Store) -> None:
    enter(store, "t1")
    enter(store, "t2", is_scored=False)
    library = ReplayLibrary(store, PROMPT_SETS)
    assert [(one.ticket_id, one.system, one.method) for one in library.entries()] == [
        ("t1", "tide (small), 1", "naive"),
        ("t1", "tide (small), 1", "no_preference"),
        ("t1", "tide (small), 1", "pref_aligner"),
    ]


def test_an_entry_gives_its_row_with_stored_verdicts(store: Store) -> None:
    enter(store, "t1")
    library = ReplayLibrary(store, PROMPT_SETS)
    rows = [library.row(entry) for entry in library.entries() if entry.method != "no_preference"]
    naive, aligner = rows
    assert naive is not None
    assert aligner is not None
    verdict = replayed(naive, aligner, common_examples(naive, aligner)[0]).b.verdict
    assert verdict is not None
    assert verdict.outcome == "robust"


def test_submissions_of_one_name_are_told_apart(store: Store) -> None:
    enter(store, "t1")
    enter(store, "t2")
    systems = {one.system for one in ReplayLibrary(store, PROMPT_SETS).entries()}
    assert systems == {"tide (small), 1 [t1]", "tide (small), 1 [t2]"}


def test_a_withdrawn_submission_is_gone_from_the_library(store: Store) -> None:
    enter(store, "t1")
    library = ReplayLibrary(store, PROMPT_SETS)
    entry = library.entries()[0]
    assert library.row(entry) is not None
    store.withdraw("t1", "local")
    assert library.entries() == ()
    assert library.row(entry) is None


def test_no_more_than_two_files_are_held(store: Store) -> None:
    for number in range(3):
        enter(store, f"t{number}", f"system {number}")
    library = ReplayLibrary(store, PROMPT_SETS)
    for entry in library.entries():
        library.row(entry)
    assert len(library._files) == 2
