"""Filling a template: every open prompt is asked once, in its conversation, and the file passes the check."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from evaluator.answering.journal import CannotResume
from evaluator.answering.templates import FillJournal, FillPlan, fill, filled, new_tokens, template_faults, usable
from evaluator.generators.decoding import Decoding
from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, GeneratorUnavailable, Message
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.results import Pin
from submissions.check import CheckReport, check_submission
from submissions.formats.eloquent.template import cultural_template, question_template, submission_template
from submissions.formats.eloquent.writing import submission_file
from submissions.promptsets import PromptSets
from submissions.promptsets.cultural import eloquent_2025_set
from submissions.schema import Names

NAMES = Names("Team", "System", "scripted", "first")
SETS = PromptSets.load(None)


def spoken(messages: Sequence[Message]) -> str:
    """An answer that tells what was asked, backwards, so that it is no echo, and how many messages there were."""
    return f"{len(messages)}: {messages[-1].content[::-1][:12]}"


class Recording:
    """A generator that keeps what it was asked and fails at a given call."""

    def __init__(self, *, fails_at: int | None = None) -> None:
        self.chats: list[tuple[Message, ...]] = []
        self._fails_at = fails_at
        self._lock = threading.Lock()

    @property
    def pin(self) -> Pin:
        return ScriptedGenerator(spoken, script_version="spoken").pin

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        with self._lock:
            self.chats.append(tuple(messages))
            number = len(self.chats)
        if number == self._fails_at:
            raise GeneratorUnavailable("the power went out")
        yield Chunk(spoken(messages), 1, "stop")


def plan_of(data: bytes, sets: PromptSets = SETS, **changes: Any) -> FillPlan:
    report = check_submission(data, "template", names=NAMES, prompt_sets=sets)
    assert template_faults(report.problems) == []
    assert report.submission is not None
    plan = FillPlan(report.submission, sets.by_id(report.submission.set_id), NAMES, date="2026-05-06")
    return replace(plan, **changes)


def run(plan: FillPlan, path: Path, generator: Any, *, parallel: int = 1) -> bytes:
    with FillJournal(path, plan.head(generator.pin)) as journal:
        fill(plan, generator, journal, stop=threading.Event(), parallel=parallel)
        return submission_file(filled(plan, journal))


def checked(data: bytes, sets: PromptSets = SETS) -> CheckReport:
    return check_submission(data, "filled", prompt_sets=sets)


DEMONSTRATION = submission_template(SETS.demonstration).encode()


def two_turns() -> bytes:
    document = json.loads(question_template("sv", eloquent_2025_set()))
    document["questions"] = [
        {"questionid": 1, "turns": [{"question": "Te?", "answer": ""}, {"question": "Säkert?", "answer": ""}]},
        {"questionid": 2, "turns": [{"question": "Mjölk?", "answer": "Nej."}]},
    ]
    return json.dumps(document).encode()


@pytest.fixture
def cultural(tmp_path: Path) -> PromptSets:
    """Three prompts of our own in Swedish, as official files of 2026."""
    folder = tmp_path / "official"
    folder.mkdir()
    rows = {"sv_unspecific": ["1", "2"], "sv_specific": ["1-1"]}
    for name, ids in rows.items():
        lines = [json.dumps({"id": item_id, "prompt": f"Fråga {item_id}?"}) + "\n" for item_id in ids]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return PromptSets.load(folder)


def test_a_set_of_2024_is_filled_and_accepted(tmp_path: Path) -> None:
    generator = Recording()
    report = checked(run(plan_of(DEMONSTRATION), tmp_path / "j.jsonl", generator))
    assert report.decision == "accepted"
    assert report.submission is not None
    assert report.submission.names == NAMES
    variants = [variant for item in SETS.demonstration.items for variant in item.variants]
    assert [chat[-1].content for chat in generator.chats] == [variant.prompt for variant in variants]
    assert report.coverage is not None
    assert report.coverage.total.answered == len(variants)


def test_a_template_of_2025_is_asked_turn_by_turn(tmp_path: Path) -> None:
    generator = Recording()
    report = checked(run(plan_of(two_turns()), tmp_path / "j.jsonl", generator))
    assert report.decision == "accepted"
    assert report.submission is not None
    first, second = report.submission.responses()
    assert [[message.content for message in chat] for chat in generator.chats] == [
        ["Te?"],
        ["Te?", "1: ?eT", "Säkert?"],
    ]
    assert first.turns == (("Te?", "1: ?eT"), ("Säkert?", "3: ?trekäS"))
    assert second.response == "Nej."
    assert (report.submission.date, first.language) == ("2026-05-06", "sv")


def test_the_prompts_at_hand_of_2026_make_an_accepted_partial_run(tmp_path: Path, cultural: PromptSets) -> None:
    template = cultural_template(cultural.eloquent_2026, ("sv", "fi"))
    data = run(plan_of(template, cultural, max_new_tokens=150), tmp_path / "j.jsonl", Recording())
    report = checked(data, cultural)
    assert report.decision == "accepted_with_warnings"
    assert set(report.problems_by_code) == {"missing_items", "too_few_languages"}
    assert report.submission is not None
    assert [(one.item_id, one.response) for one in report.submission.responses()] == [
        ("1", "1: ?1 agårF"), ("2", "1: ?2 agårF"), ("1-1", "1: ?1-1 agårF"),
    ]  # fmt: skip
    parameters = json.loads(dict(report.submission.modifications)["generation_params"])
    assert parameters == {"do_sample": False, "max_new_tokens": 150}


def test_a_system_prompt_is_said_before_every_prompt_and_stands_in_the_journal(tmp_path: Path) -> None:
    plan = plan_of(submission_template(SETS.demonstration).encode(), limit=2, system_prompt="Be plain.")
    generator = Recording()
    run(plan, tmp_path / "journal", generator)
    assert [[message.role for message in chat] for chat in generator.chats] == [["system", "user"]] * 2
    assert {chat[0].content for chat in generator.chats} == {"Be plain."}
    assert "system prompt: Be plain." in plan.notes(generator.pin)
    assert "system prompt" not in replace(plan, system_prompt="").notes(generator.pin)  # journals begun before go on


def test_a_file_of_2026_states_the_temperature_and_the_seed(tmp_path: Path, cultural: PromptSets) -> None:
    template = cultural_template(cultural.eloquent_2026, ("sv", "fi"))
    plan = plan_of(template, cultural, decoding=Decoding(0.7, 2))
    report = checked(run(plan, tmp_path / "journal", Recording()), cultural)
    assert report.submission is not None
    parameters = json.loads(dict(report.submission.modifications)["generation_params"])
    assert (parameters["do_sample"], parameters["temperature"], parameters["seed"]) == (True, 0.7, 2)


def test_a_run_that_broke_off_goes_on_without_asking_again(tmp_path: Path) -> None:
    plan, path = plan_of(DEMONSTRATION), tmp_path / "j.jsonl"
    whole = run(plan, tmp_path / "whole.jsonl", Recording())
    broken = Recording(fails_at=5)
    with pytest.raises(GeneratorUnavailable):
        run(plan, path, broken)
    rest = Recording()
    assert run(replace(plan, date="2026-05-07"), path, rest) == whole
    # Four of the calls were answered before.
    total = len(plan.open_responses())
    assert len(rest.chats) == total - 4
    assert {chat[-1].content for chat in broken.chats[:4]}.isdisjoint(chat[-1].content for chat in rest.chats)


def test_what_a_killed_run_left_of_a_line_is_asked_again(tmp_path: Path) -> None:
    plan, path = plan_of(DEMONSTRATION), tmp_path / "j.jsonl"
    whole = run(plan, path, Recording())
    path.write_bytes(path.read_bytes()[:-7])
    rest = Recording()
    assert run(plan, path, rest) == whole
    assert len(rest.chats) == 1


def test_several_prompts_at_once_make_the_same_file(tmp_path: Path) -> None:
    plan = plan_of(DEMONSTRATION)
    one, four = (run(plan, tmp_path / f"{n}.jsonl", Recording(), parallel=n) for n in (1, 4))
    assert one == four


@pytest.mark.parametrize(
    "other",
    [
        lambda plan: replace(plan, max_new_tokens=7),
        lambda plan: replace(plan, names=replace(NAMES, run="second")),
        lambda plan: replace(plan, languages=("en",)),
    ],
)
def test_another_runs_journal_is_refused(tmp_path: Path, other: Callable[[FillPlan], FillPlan]) -> None:
    plan, path = plan_of(DEMONSTRATION), tmp_path / "j.jsonl"
    run(plan, path, Recording())
    with pytest.raises(CannotResume, match="another run"):
        run(other(plan), path, Recording())


def test_answered_prompts_and_other_languages_are_not_asked(tmp_path: Path) -> None:
    document = json.loads(DEMONSTRATION)
    first = SETS.demonstration.items[0]
    document["eloquent-robustness-results"]["items"][0]["responses"][0]["response"] = "mine"
    plan = plan_of(json.dumps(document).encode(), languages=("en",))
    generator = Recording()
    report = checked(run(plan, tmp_path / "j.jsonl", generator))
    english = [one.prompt for item in SETS.demonstration.items for one in item.variants if one.language == "en"]
    assert first.variants[0].language == "en"
    assert [chat[-1].content for chat in generator.chats] == english[1:]
    assert report.submission is not None
    assert next(report.submission.responses()).response == "mine"


def test_an_answer_is_kept_without_reasoning_and_control_characters() -> None:
    assert usable("<think>Hm.</think> Yes.\x07\n") == "Yes."
    assert usable("a\x00b") == "ab"
    # A tag that an answer speaks of is a part of it.
    assert usable("Write `<think>` first.") == "Write `<think>` first."
    assert usable("x" * 70_000) == "x" * 65_536


@pytest.mark.parametrize("begins", ["<think>", "<think >", "<analysis>", "[THINK]", "<|channel|>analysis<|message|>"])
@pytest.mark.parametrize("before", ["", "Paris.\n", "Sure, Paris. "])
def test_thoughts_that_never_end_leave_no_answer_whatever_stands_before_them(begins: str, before: str) -> None:
    assert usable(f"{before}{begins}I should say") is None


def test_answers_cut_off_within_thoughts_are_counted_and_not_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    thinking = ScriptedGenerator(lambda _: "Sure, Rome. <think >I should say Paris", script_version="thinking")
    monkeypatch.setattr("evaluator.commands.fill.loaded_generator", lambda *_: thinking)
    out = tmp_path / "run.json"
    main(command(out, "--set", "demonstration", "--languages", "en", "--limit", "1"))
    assert "1 answers are blank, as the model was cut off within its thoughts (raise --max-new-tokens)" in (
        capsys.readouterr().err
    )
    assert "Rome" not in "".join(path.read_text() for path in tmp_path.iterdir())


def test_2026_asks_for_shorter_answers() -> None:
    assert (new_tokens("2024"), new_tokens("2025"), new_tokens("2026")) == (512, 512, 200)


def command(out: Path, *more: str) -> list[str]:
    names = ["--team", "Team", "--system", "System", "--model", "scripted", "--run", "first"]
    return ["fill", "--generator", "scripted", *names, "--out", str(out), *more]


def test_the_command_writes_a_file_and_checks_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.json"
    assert main(command(out, "--set", "demonstration")) == 0
    printed = capsys.readouterr()
    assert "accepted" in printed.out
    assert "answers" in printed.err
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert checked(out.read_bytes()).decision != "refused"


@pytest.mark.parametrize(
    ("out", "more", "said"),
    [
        ("run.zip", ["--set", "demonstration"], "ends with .json"),
        ("run.json", ["--set", "eloquent-2024"], "PLUMBLINE_ELOQUENT_DIR"),
        ("run.zip", ["--set", "eloquent-2026", "--languages", "nl"], "'nl'"),
        ("run.json", ["--template", "none.json"], "No such file"),
        ("run.json", ["--set", "demonstration", "--languages", "kn"], "nothing to ask"),
    ],
)
def test_wrong_use_is_told_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    out: str,
    more: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    with pytest.raises(SystemExit) as ended:
        main(command(tmp_path / out, *more))
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_template_with_faults_is_refused_with_their_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(two_turns())
    document["language"] = "Swedish"
    template = tmp_path / "template.json"
    template.write_text(json.dumps(document))
    with pytest.raises(SystemExit):
        main(command(tmp_path / "run.json", "--template", str(template)))
    assert "$.language: " in capsys.readouterr().err
