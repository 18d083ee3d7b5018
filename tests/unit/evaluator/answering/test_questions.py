"""Making a submission: the rows of a run, what each one states, and a file that goes on where it was."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from evaluator.answering.journal import CannotResume
from evaluator.answering.questions import (
    AnswerFile,
    AnswerPlan,
    Interrupted,
    envelope,
    write_answers,
    write_as_one_document,
)
from evaluator.commands.answer import Progress
from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, GeneratorUnavailable, Message, without_beginning
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.results import Pin
from submissions.check import check_submission
from submissions.formats.personalization.submission import SETTINGS
from submissions.promptsets import PromptSets
from submissions.questionsets import Question, QuestionSet

NAMES = {"team": "Team", "system": "System", "model": "scripted", "run": "first"}
TODAY = date(2026, 5, 1)
QUESTIONS = QuestionSet(
    dataset="sky",
    title="Sky",
    version="1",
    source="made for this test",
    questions=(
        Question("s1", "Which is a star?", ("the sun", "the moon"), "A"),
        Question("s2", "Why is it dark at night?", (), None),
        Question("s3", "Which is a planet?", ("the sun", "the moon", "Mars"), "C"),
    ),
    style_preferences=("I like short answers.", "I like long answers."),
    irrelevant_preferences=("I own a boat.", "I own a bike.", "I own a kite."),
)
PLAN = AnswerPlan(QUESTIONS, ("naive", "pref_aligner"), SETTINGS, repeat=True)


class Recording:
    """A generator that keeps what it was asked and fails at a given call."""

    def __init__(self, *, fails_at: int | None = None, reply: str = '{"response": "edited. Answer: A"}') -> None:
        self.prompts: list[str] = []
        self._fails_at = fails_at
        self._reply = reply
        self._lock = threading.Lock()

    @property
    def pin(self) -> Pin:
        return ScriptedGenerator().pin

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        with self._lock:
            self.prompts.append(without_beginning(messages)[-1].content)
            number = len(self.prompts)
        if number == self._fails_at:
            raise GeneratorUnavailable("the server went away")
        if stop.is_set():
            yield Chunk("half an ans", 1, "cancelled")
            return
        yield Chunk(
            self._reply if "[begin draft]" in without_beginning(messages)[-1].content else f"answer {number}", 1
        )
        yield Chunk("", 1, "stop")


def head(plan: AnswerPlan = PLAN, **changes: str) -> dict[str, Any]:
    return envelope(plan, ScriptedGenerator().pin, NAMES | changes, TODAY)


def run(path: Path, generator: Recording, plan: AnswerPlan = PLAN, **arguments: Any) -> list[dict[str, Any]]:
    with AnswerFile(path, head(plan)) as file:
        write_answers(plan, generator, file, stop=arguments.pop("stop", threading.Event()), **arguments)
    return rows_of(path)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    return (row["example_id"], row["setting"], row["method"], row["repeat"])


def test_each_question_has_both_controls_and_every_method_under_every_other_setting(tmp_path: Path) -> None:
    rows = run(tmp_path / "run.jsonl", Recording())
    # 3 questions x (2 controls + 3 settings x 2 methods) = 24
    assert len(rows) == PLAN.n_rows == 24
    assert [key(row)[1:] for row in rows[:8]] == [
        ("none", "no_preference", 1),
        ("none", "no_preference", 2),
        ("relevant", "naive", 1),
        ("relevant", "pref_aligner", 1),
        ("irrelevant", "naive", 1),
        ("irrelevant", "pref_aligner", 1),
        ("mixed", "naive", 1),
        ("mixed", "pref_aligner", 1),
    ]


def test_the_control_is_run_whatever_methods_and_settings_are_chosen() -> None:
    assert [one[1:] for one in AnswerPlan(QUESTIONS, ("naive",), ("relevant",)).rows(QUESTIONS.questions[0])] == [
        ("none", "no_preference", 1),
        ("relevant", "naive", 1),
    ]
    assert AnswerPlan(QUESTIONS, ("no_preference",), SETTINGS, limit=2).n_rows == 2


def test_the_file_is_accepted_by_the_check_as_lines_and_as_one_document(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    run(path, Recording(reply="unreadable"))
    write_as_one_document(path, tmp_path / "run.json")
    for file in (path, tmp_path / "run.json"):
        report = check_submission(file.read_bytes(), file.name, prompt_sets=PromptSets.load(None))
        assert (report.decision, report.kind) == ("accepted", "personalized_answers"), report.problems
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["rows"] == rows_of(path)


def test_the_draft_is_the_first_control_and_stands_where_the_second_stage_is_unreadable(tmp_path: Path) -> None:
    generator = Recording(reply="unreadable")
    rows = {key(row): row for row in run(tmp_path / "run.jsonl", generator)}
    control = rows["s1", "none", "no_preference", 1]["response_without_preference"]
    assert control != rows["s1", "none", "no_preference", 2]["response_without_preference"]
    aligned = rows["s1", "mixed", "pref_aligner", 1]
    assert (aligned["draft"], aligned["response_with_preference"]) == (control, control)
    assert (aligned["fallback"], aligned["aligner_raw"], aligned["thoughts"]) == (True, "unreadable", None)
    edited = run(tmp_path / "edited.jsonl", Recording())[-1]
    assert (edited["fallback"], edited["response_with_preference"]) == (False, "edited. Answer: A")


def test_the_second_stage_is_shown_the_whole_list_of_preferences(tmp_path: Path) -> None:
    generator = Recording()
    rows = run(tmp_path / "run.jsonl", generator)
    for row, prompt in zip(rows, generator.prompts, strict=True):
        numbered = [f"{number}. {text}" for number, text in enumerate(row["preferences"], start=1)]
        assert "\n".join(numbered) in prompt
        assert len(row["preferences"]) == {"none": 0, "relevant": 1, "irrelevant": 1, "mixed": 4}[row["setting"]]


def test_a_run_that_failed_goes_on_and_asks_for_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    whole = run(tmp_path / "whole.jsonl", Recording())
    with pytest.raises(GeneratorUnavailable, match="the server went away"):
        run(path, Recording(fails_at=11))
    assert [key(row) for row in rows_of(path)] == [key(row) for row in whole[:10]]
    second = Recording()
    assert [key(row) for row in run(path, second)] == [key(row) for row in whole]
    assert len(second.prompts) == 14  # 24 rows, 10 of them there
    third = Recording()
    run(path, third)
    assert third.prompts == []


def test_a_draft_survives_the_interruption(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(GeneratorUnavailable):
        run(path, Recording(fails_at=4))  # the first pref_aligner row of s1
    rows = run(path, Recording())
    control, aligned = rows[0], rows[3]
    assert aligned["draft"] == control["response_without_preference"] == "answer 1"


@pytest.mark.parametrize("cut", [1, 7, 40])
def test_what_a_killed_run_left_of_a_last_line_is_cut_off(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "run.jsonl"
    run(path, Recording())
    data = path.read_bytes()
    path.write_bytes(data[:-cut])
    rows = run(path, again := Recording())
    assert len(again.prompts) == 1
    assert len(rows) == 24
    assert [key(row) for row in rows] == [key(json.loads(line)) for line in data.splitlines()[1:]]


def test_a_cut_envelope_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"kind": "personalized_ans')
    assert len(run(path, Recording())) == 24


def test_a_run_goes_on_on_another_day_under_its_first_date(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    run(path, Recording())
    with AnswerFile(path, head() | {"date": "2026-05-02"}) as file:
        assert len(file) == 24
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[0])["date"] == "2026-05-01"


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        (head(system="Other"), r"system \(there 'System', now 'Other'\)"),
        (head(AnswerPlan(QUESTIONS, ("naive",), SETTINGS, repeat=True)), "now 'methods: no_preference, naive'"),
        (head(AnswerPlan(QUESTIONS, PLAN.methods, SETTINGS)), "now 'control runs: 1'"),
        (head(AnswerPlan(QUESTIONS, PLAN.methods, SETTINGS, repeat=True, max_new_tokens=9)), "now 'longest answer: 9"),
        (
            envelope(PLAN, ScriptedGenerator(name="other").pin, NAMES, TODAY),
            "now 'generator: scripted other at fixed-rules-1'; there 'generator: scripted scripted",
        ),
    ],
)
def test_a_file_of_another_run_is_neither_continued_nor_touched(
    tmp_path: Path, changed: dict[str, Any], named: str
) -> None:
    path = tmp_path / "run.jsonl"
    run(path, Recording())
    before = path.read_bytes()
    with pytest.raises(CannotResume, match=named):
        AnswerFile(path, changed)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"a letter to my aunt", b"[1]\n[2]\n", b'{"kind": "personalized_answers"}\n{"a\n'])
def test_a_file_that_is_none_of_ours_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "letter.jsonl"
    path.write_bytes(content)
    with pytest.raises(CannotResume, match=r"letter\.jsonl"):
        AnswerFile(path, head())
    assert path.read_bytes() == content


def test_stopping_leaves_out_the_answer_under_way(tmp_path: Path) -> None:
    stop = threading.Event()
    path = tmp_path / "run.jsonl"
    with pytest.raises(Interrupted):
        run(path, Recording(), stop=stop, on_row=stop.set)
    assert len(rows_of(path)) == 1


def test_an_answer_that_broke_off_with_an_error_is_no_answer(tmp_path: Path) -> None:
    class Broken(Recording):
        def stream(self, messages: Sequence[Message], **arguments: Any) -> Iterator[Chunk]:
            yield Chunk("The capital is", 3, "error")

    with pytest.raises(GeneratorUnavailable, match="broke off"):
        run(tmp_path / "run.jsonl", Broken())
    assert rows_of(tmp_path / "run.jsonl") == []


def test_several_questions_at_once_give_the_same_rows(tmp_path: Path) -> None:
    one = run(tmp_path / "one.jsonl", Recording(reply="unreadable"))
    many = run(tmp_path / "many.jsonl", Recording(reply="unreadable"), parallel=3)
    assert sorted(map(key, many)) == sorted(map(key, one))
    controls = {row["example_id"]: row for row in many if key(row)[1:] == ("none", "no_preference", 1)}
    for row in many:
        if row["method"] == "pref_aligner":
            assert row["draft"] == controls[row["example_id"]]["response_without_preference"]


# --- the command -----------------------------------------------------------------------------------------------------


def command(out: Path, *flags: str, questions: str = "demonstration") -> int:
    names = [part for name, value in NAMES.items() for part in (f"--{name}", value)]
    methods = [] if "--method" in flags else ["--method", "naive", "--method", "pref_aligner"]
    fixed = ["answer", "--generator", "scripted", "--questions", questions, "--out", str(out)]
    return main([*fixed, *methods, *names, *flags])


def refusal(capsys: pytest.CaptureFixture[str], out: Path, *flags: str, questions: str = "demonstration") -> str:
    with pytest.raises(SystemExit) as caught:
        command(out, *flags, questions=questions)
    assert caught.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
def test_the_command_makes_a_file_that_the_check_accepts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    out = tmp_path / f"run{suffix}"
    assert command(out, "--limit", "4", "--repeat") == 0
    said = capsys.readouterr()
    assert f"complete: 32 rows in {out}" in said.out  # 4 x (2 + 3 x 2)
    assert f"python -m submissions check {out}" in said.out
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    report = check_submission(out.read_bytes(), out.name, prompt_sets=PromptSets.load(None))
    assert report.decision == "accepted", report.problems


def test_the_command_goes_on_with_its_own_file_and_refuses_another_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.jsonl"
    assert command(out, "--limit", "2") == 0
    whole = out.read_bytes()
    out.write_bytes(whole[:-30])
    assert command(out, "--limit", "2") == 0
    assert "going on: 13 of 14 rows are there" in capsys.readouterr().err
    assert out.read_bytes() == whole  # the scripted generator says the same again
    assert "holds another run" in refusal(capsys, out, "--limit", "3")
    assert out.read_bytes() == whole


def test_wrong_use_is_one_line_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.jsonl"
    assert "expected some of none, relevant, irrelevant, mixed" in refusal(capsys, out, "--settings", "all")
    assert "expected a whole number above 0" in refusal(capsys, out, "--limit", "0")
    assert "--team is blank" in refusal(capsys, out, "--team", " ")
    assert "expected a name that ends with .jsonl or .json" in refusal(capsys, tmp_path / "run.csv")
    assert "no generator is called 'gpt'" in refusal(capsys, out, "--generator", "gpt")
    assert "No such file" in refusal(capsys, out, questions=str(tmp_path / "none.json"))
    assert not out.exists()


def test_a_set_without_the_preferences_a_setting_needs_is_refused_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = {"example_id": "1", "question": "Where?", "options": ["Here", "There"], "gold": "A"}
    texts = {"dataset": "d", "title": "D", "version": "1", "source": "s"}
    lists = {"questions": [question], "style_preferences": ["Be brief."], "irrelevant_preferences": []}
    questions = tmp_path / "set.json"
    questions.write_text(json.dumps(texts | lists), encoding="utf-8")
    out = tmp_path / "run.jsonl"
    message = refusal(capsys, out, questions=str(questions))
    assert "no irrelevant preferences" in message
    assert not out.exists()
    assert command(out, "--settings", "relevant", questions=str(questions)) == 0


def test_progress_shows_rate_and_time_left() -> None:
    now = [100.0]
    progress = Progress(288, 8, io.StringIO(), clock=lambda: now[0])
    assert progress.text() == "8 of 288 rows"
    now[0] += 40.0
    for _ in range(80):
        progress.advance()
    # 80 rows in 40 s = 2 a second; 200 left = 100 s
    assert progress.text() == "88 of 288 rows, 2.0 a second, 1 min 40 s left"
    slow = Progress(10, 0, io.StringIO(), clock=lambda: now[0])
    now[0] += 800.0
    slow.advance()
    # 800 s each, 9 left = 7200 s
    assert slow.text() == "1 of 10 rows, 800.0 s each, 2 h 0 min left"
