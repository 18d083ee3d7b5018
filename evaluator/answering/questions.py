"""Making a submission of personalized answers: which rows a run has, how each is written, and where they are kept.

The file is JSON Lines: the envelope first, then a row per answer as soon as it is written, so that a run that was
interrupted goes on where it was. Format: docs/submit.md#personalized-answers.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple, TypeVar

from evaluator.answering.aligner_writing import stream_reply
from evaluator.answering.journal import Journal, RowDocument, documents
from evaluator.answering.prompting import PROMPTS, aligned_answer, aligner_messages, control_messages, naive_messages
from evaluator.generators.protocol import MAX_NEW_TOKENS, GeneratorUnavailable, Message, TextGenerator
from evaluator.values import Pin
from submissions.formats.personalization.submission import (
    KIND,
    NAIVE,
    NO_PREFERENCE,
    PREF_ALIGNER,
    SETTINGS,
    FinishReason,
    Setting,
)
from submissions.questionsets import Question, QuestionSet, ShownPreferences
from submissions.questionsets.option_order import option_order_hash

METHODS = (NO_PREFERENCE, NAIVE, PREF_ALIGNER)

Unit = TypeVar("Unit")


class Interrupted(Exception):
    """Raised when `stop` was set; everything finished until then is in the file."""


class RowKey(NamedTuple):
    """What a row answers."""

    example_id: str
    setting: Setting
    method: str
    repeat: int


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """What a run asks."""

    question_set: QuestionSet
    methods: tuple[str, ...]
    """Of `METHODS`; the control is always run."""
    settings: tuple[Setting, ...]
    limit: int | None = None
    """Only so many questions, from the first on."""
    repeat: bool = False
    """Whether the control is run a second time, which shows the noise floor."""
    max_new_tokens: int = MAX_NEW_TOKENS

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.question_set.questions[: self.limit]

    def rows(self, question: Question) -> tuple[RowKey, ...]:
        """The rows of one question, the control first."""
        controls = [
            RowKey(question.example_id, "none", NO_PREFERENCE, run) for run in ((1, 2) if self.repeat else (1,))
        ]
        methods = [method for method in METHODS if method in self.methods and method != NO_PREFERENCE]
        settings = [setting for setting in SETTINGS if setting in self.settings and setting != "none"]
        others = [RowKey(question.example_id, setting, method, 1) for setting in settings for method in methods]
        return (*controls, *others)

    @property
    def n_rows(self) -> int:
        return sum(len(self.rows(question)) for question in self.questions)

    def notes(self, pin: Pin) -> str:
        """Everything the rows depend on, one line each; a run goes on only in a file with the same lines."""
        content = json.dumps(asdict(self.question_set), sort_keys=True, ensure_ascii=False).encode("utf-8")
        facts = {
            "generator": f"{pin.name} {pin.model} at {pin.revision}",
            "computed by": f"{pin.engine}; {pin.dtype}; {pin.prompt}",
            "prompts": ", ".join(prompt.name for prompt in PROMPTS),
            "questions": f"{self.question_set.dataset} version {self.question_set.version}, "
            f"sha256 {hashlib.sha256(content).hexdigest()}, the first {len(self.questions)}",
            "methods": ", ".join(method for method in METHODS if method in (NO_PREFERENCE, *self.methods)),
            "settings": ", ".join(setting for setting in SETTINGS if setting in ("none", *self.settings)),
            "control runs": "2" if self.repeat else "1",
            "longest answer": f"{self.max_new_tokens} tokens",
        }
        return "\n".join(f"{name}: {fact}" for name, fact in facts.items())


def envelope(plan: AnswerPlan, pin: Pin, names: dict[str, str], today: date) -> RowDocument:
    """The first line of the file."""
    return {"kind": KIND, **names, "date": today.isoformat(), "notes": plan.notes(pin)}


# --- writing answers -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """What a generator wrote."""

    text: str
    finish_reason: FinishReason


def answer(
    generator: TextGenerator, messages: Sequence[Message], stop: threading.Event, max_new_tokens: int
) -> WrittenAnswer:
    """A whole answer.

    Raises:
        Interrupted: when `stop` was set first.
        GeneratorUnavailable: when the generator could not finish it.
    """
    pieces: list[str] = []
    for chunk in stream_reply(generator, messages, stop=stop, max_new_tokens=max_new_tokens):
        pieces.append(chunk.text)
        if chunk.finish_reason == "cancelled":
            raise Interrupted
        if chunk.finish_reason == "error":
            raise GeneratorUnavailable("the model broke off an answer with an error")
        if chunk.finish_reason is not None:
            return WrittenAnswer("".join(pieces), chunk.finish_reason)
    raise GeneratorUnavailable("the model ended an answer without a reason")


def write_answers(
    plan: AnswerPlan,
    generator: TextGenerator,
    file: AnswerFile,
    *,
    stop: threading.Event,
    parallel: int = 1,
    on_row: Callable[[], None] = lambda: None,
) -> None:
    """Writes every row that the file lacks.

    Args:
        parallel: Questions under way at once.
        on_row: Called after each row, from any thread.

    Raises:
        Interrupted: when `stop` was set.
        GeneratorUnavailable: when the generator can write no more.
    """

    def work(numbered: tuple[int, Question], is_halted: Callable[[], bool]) -> None:
        index, question = numbered
        for key in plan.rows(question):
            if key in file:
                continue
            if stop.is_set() or is_halted():
                raise Interrupted
            file.append(key, _row(plan, generator, file, index, question, key, stop))
            on_row()

    work_through(list(enumerate(plan.questions)), work, parallel)


def work_through(units: Sequence[Unit], work: Callable[[Unit, Callable[[], bool]], None], parallel: int) -> None:
    """Does the work of every unit, several at once; the first fault ends it all.

    Args:
        work: Is given a unit, and a way to ask whether another one has failed: then it should raise `Interrupted`.
        parallel: Units under way at once.

    Raises:
        Exception: what `work` raised first; `Interrupted` only where nothing else was.
    """
    halted = threading.Event()

    def work_on(unit: Unit) -> None:
        with ExitStack() as fault:
            fault.callback(halted.set)
            work(unit, halted.is_set)
            fault.pop_all()

    with ThreadPoolExecutor(parallel, thread_name_prefix="answering") as pool:
        asked = [pool.submit(work_on, unit) for unit in units]
        try:
            done, _ = wait(asked, return_when=FIRST_EXCEPTION)
        finally:
            halted.set()
            for future in asked:
                future.cancel()
    faults = [error for future in asked if future in done and (error := future.exception()) is not None]
    for fault in sorted(faults, key=lambda error: isinstance(error, Interrupted)):
        raise fault


def _row(
    plan: AnswerPlan,
    generator: TextGenerator,
    file: AnswerFile,
    index: int,
    question: Question,
    key: RowKey,
    stop: threading.Event,
) -> RowDocument:
    """One row, as the file holds it."""

    def ask(messages: Sequence[Message]) -> WrittenAnswer:
        return answer(generator, messages, stop, plan.max_new_tokens)

    shown = plan.question_set.shown(key.setting, index)
    row = _stem(plan.question_set.dataset, question, key, shown)
    if key.setting == "none":
        reply = ask(control_messages(question))
        return row | {"response_without_preference": reply.text, "finish_reason": reply.finish_reason}
    if key.method == NAIVE:
        reply = ask(naive_messages(question, shown.preferences))
        return row | {"response_with_preference": reply.text, "finish_reason": reply.finish_reason}
    draft = file.control(question.example_id)
    reply = ask(aligner_messages(question, draft.text, shown.preferences))
    aligned = aligned_answer(reply.text, draft.text)
    return row | {
        "response_with_preference": aligned.text,
        "draft": draft.text,
        "aligner_raw": reply.text,
        "fallback": aligned.fallback,
        "thoughts": aligned.thoughts,
        # Of the text that stands as the answer: where the reply was unreadable, that is the draft.
        "finish_reason": draft.finish_reason if aligned.fallback else reply.finish_reason,
    }


def _stem(dataset: str, question: Question, key: RowKey, shown: ShownPreferences) -> RowDocument:
    """What every row states."""
    return {
        "example_id": question.example_id,
        "dataset": dataset,
        "setting": key.setting,
        "method": key.method,
        "repeat": key.repeat,
        "question": question.text,
        "options": list(question.options),
        "option_order_hash": option_order_hash(question.options),
        "gold": question.gold,
        "preferences": list(shown.preferences),
        "relevant_index": shown.relevant_index,
    }


# --- the file --------------------------------------------------------------------------------------------------------


class AnswerFile(Journal):
    """A file of answers that grows row by row; safe to use from several threads.

    Args:
        path: Where the lines are kept.
        head: The envelope; written where the file is new, compared where it is not.

    Raises:
        CannotResume: when the file belongs to another run.
        OSError: when it cannot be read or written.
    """

    def __init__(self, path: Path, head: RowDocument) -> None:
        super().__init__(path, head)
        self._keys: set[RowKey] = set()
        self._controls: dict[str, WrittenAnswer] = {}
        for row in self.found:
            self._note(_key(row), row)

    def __enter__(self) -> AnswerFile:
        return self

    def __contains__(self, key: RowKey) -> bool:
        with self.lock:
            return key in self._keys

    def __len__(self) -> int:
        """Rows in the file."""
        with self.lock:
            return len(self._keys)

    def control(self, example_id: str) -> WrittenAnswer:
        """The first control run of a question: the draft of methods with two stages."""
        with self.lock:
            return self._controls[example_id]

    def append(self, key: RowKey, row: RowDocument) -> None:
        """Adds a row; it is on its way to the disk when this returns."""
        with self.lock:
            self.write(row)
            self._note(key, row)

    def _note(self, key: RowKey, row: RowDocument) -> None:
        self._keys.add(key)
        if key.setting == "none" and key.repeat == 1:
            self._controls[key.example_id] = WrittenAnswer(row["response_without_preference"], row["finish_reason"])


def write_as_one_document(lines: Path, target: Path) -> None:
    """The rows of a JSON Lines file as one JSON object with `rows`; `target` appears whole or not at all."""
    head, *rows = documents(lines, lines.read_bytes())
    unfinished = target.with_name(f"{target.name}.unfinished")
    unfinished.write_text(json.dumps({**head, "rows": rows}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(target)


def _key(row: RowDocument) -> RowKey:
    return RowKey(row["example_id"], row["setting"], row["method"], row["repeat"])
