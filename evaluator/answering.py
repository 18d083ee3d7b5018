"""Making a submission of personalized answers: which rows a run has, how each is written, and where they are kept.

The file is JSON Lines: the envelope first, then a row per answer as soon as it is written, so that a run that was
interrupted goes on where it was. Source of the format: specs, personalization section 3.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.models.protocol import MAX_NEW_TOKENS, GeneratorUnavailable, Message, TextGenerator
from evaluator.prompting import PROMPTS, aligned_answer, aligner_messages, control_messages, naive_messages
from evaluator.results import Pin
from submissions.formats.option_order import option_order_hash
from submissions.personalized import KIND, NAIVE, NO_PREFERENCE, PREF_ALIGNER, SETTINGS, FinishReason, Setting
from submissions.questionsets import Question, QuestionSet, ShownPreferences

METHODS = (NO_PREFERENCE, NAIVE, PREF_ALIGNER)

_MUST_AGREE = ("kind", "team", "system", "model", "run")
"""Fields of the envelope that a run which goes on must find as it would write them; beside these, the notes."""

RowDocument = dict[str, Any]


class CannotResume(Exception):
    """Raised when a file at hand belongs to another run, or is no file of ours; the text says what differs."""


class Interrupted(Exception):
    """Raised when `stop` was set; everything finished until then is in the file."""


class RowKey(NamedTuple):
    """What a row answers."""

    example_id: str
    setting: Setting
    method: str
    repeat: int


@dataclass(frozen=True, slots=True)
class Plan:
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


def envelope(plan: Plan, pin: Pin, names: dict[str, str], today: date) -> RowDocument:
    """The first line of the file."""
    return {"kind": KIND, **names, "date": today.isoformat(), "notes": plan.notes(pin)}


# --- writing answers -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Answer:
    """What a generator wrote."""

    text: str
    finish_reason: FinishReason


def answer(generator: TextGenerator, messages: Sequence[Message], stop: threading.Event, max_new_tokens: int) -> Answer:
    """A whole answer.

    Raises:
        Interrupted: when `stop` was set first.
        GeneratorUnavailable: when the generator could not finish it.
    """
    pieces: list[str] = []
    for chunk in generator.stream(messages, stop=stop, max_new_tokens=max_new_tokens):
        pieces.append(chunk.text)
        if chunk.finish_reason == "cancelled":
            raise Interrupted
        if chunk.finish_reason == "error":
            raise GeneratorUnavailable("the model broke off an answer with an error")
        if chunk.finish_reason is not None:
            return Answer("".join(pieces), chunk.finish_reason)
    raise GeneratorUnavailable("the model ended an answer without a reason")


def write_answers(
    plan: Plan,
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
    halted = threading.Event()  # beside `stop`: a fault in one thread ends the others, whose rows are not at fault

    def work(index: int, question: Question) -> None:
        with ExitStack() as fault:
            fault.callback(halted.set)
            for key in plan.rows(question):
                if key in file:
                    continue
                if stop.is_set() or halted.is_set():
                    raise Interrupted
                file.append(key, _row(plan, generator, file, index, question, key, stop))
                on_row()
            fault.pop_all()

    with ThreadPoolExecutor(parallel, thread_name_prefix="answering") as pool:
        asked = [pool.submit(work, index, question) for index, question in enumerate(plan.questions)]
        try:
            done, _ = wait(asked, return_when=FIRST_EXCEPTION)
        finally:
            halted.set()
            for one in asked:
                one.cancel()
    faults = [error for one in asked if one in done and (error := one.exception()) is not None]
    for fault in sorted(faults, key=lambda error: isinstance(error, Interrupted)):
        raise fault


def _row(
    plan: Plan,
    generator: TextGenerator,
    file: AnswerFile,
    index: int,
    question: Question,
    key: RowKey,
    stop: threading.Event,
) -> RowDocument:
    """One row, as the file holds it."""

    def ask(messages: Sequence[Message]) -> Answer:
        return answer(generator, messages, stop, plan.max_new_tokens)

    shown = plan.question_set.shown(key.setting, index)
    row = _stem(plan.question_set.dataset, question, key, shown)
    if key.setting == "none":
        found = ask(control_messages(question))
        return row | {"response_without_preference": found.text, "finish_reason": found.finish_reason}
    if key.method == NAIVE:
        found = ask(naive_messages(question, shown.preferences))
        return row | {"response_with_preference": found.text, "finish_reason": found.finish_reason}
    draft = file.control(question.example_id)
    found = ask(aligner_messages(question, draft.text, shown.preferences))
    aligned = aligned_answer(found.text, draft.text)
    return row | {
        "response_with_preference": aligned.text,
        "draft": draft.text,
        "aligner_raw": found.text,
        "fallback": aligned.fallback,
        "thoughts": aligned.thoughts,
        # Of the text that stands as the answer: where the reply was unreadable, that is the draft.
        "finish_reason": draft.finish_reason if aligned.fallback else found.finish_reason,
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


class AnswerFile:
    """A file of answers that grows row by row; safe to use from several threads.

    Args:
        path: Where the lines are kept.
        head: The envelope; written where the file is new, compared where it is not.

    Raises:
        CannotResume: when the file belongs to another run.
        OSError: when it cannot be read or written.
    """

    def __init__(self, path: Path, head: RowDocument) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._keys: set[RowKey] = set()
        self._controls: dict[str, Answer] = {}
        lines = _whole_lines(path)
        if lines:
            _compare(path, lines[0], head)
            for row in lines[1:]:
                self._note(_key(row), row)
        self._stream = path.open("a", encoding="utf-8", newline="\n")
        if not lines:
            self._write(head)

    def __enter__(self) -> AnswerFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stream.close()

    def __contains__(self, key: RowKey) -> bool:
        with self._lock:
            return key in self._keys

    def __len__(self) -> int:
        """Rows in the file."""
        with self._lock:
            return len(self._keys)

    def control(self, example_id: str) -> Answer:
        """The first control run of a question: the draft of methods with two stages."""
        with self._lock:
            return self._controls[example_id]

    def append(self, key: RowKey, row: RowDocument) -> None:
        """Adds a row; it is on its way to the disk when this returns."""
        with self._lock:
            self._write(row)
            self._note(key, row)

    def _write(self, document: RowDocument) -> None:
        self._stream.write(json.dumps(document, ensure_ascii=False) + "\n")
        self._stream.flush()

    def _note(self, key: RowKey, row: RowDocument) -> None:
        self._keys.add(key)
        if key.setting == "none" and key.repeat == 1:
            self._controls[key.example_id] = Answer(row["response_without_preference"], row["finish_reason"])


def write_as_one_document(lines: Path, target: Path) -> None:
    """The rows of a JSON Lines file as one JSON object with `rows`; `target` appears whole or not at all."""
    head, *rows = _documents(lines, lines.read_bytes())
    unfinished = target.with_name(f"{target.name}.unfinished")
    unfinished.write_text(json.dumps({**head, "rows": rows}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(target)


def _whole_lines(path: Path) -> list[RowDocument]:
    """The lines of the file, if there is one; what a killed run left of a last line is cut off."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    documents = list(_documents(path, whole))
    if len(whole) < len(data):
        if not documents and not data.startswith(b'{"kind": '):
            raise CannotResume(f"{path} is at hand and was not written by this command: choose another --out")
        with path.open("r+b") as stream:
            stream.truncate(len(whole))
    return documents


def _documents(path: Path, data: bytes) -> Iterator[RowDocument]:
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            document = json.loads(line)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise CannotResume(
                f"{path}:{number}: not a line of a file that this command wrote: mend it, or choose another --out"
            )
        yield document


def _compare(path: Path, found: RowDocument, expected: RowDocument) -> None:
    differing = [
        f"{field} (there {found.get(field)!r}, now {expected[field]!r})"
        for field in _MUST_AGREE
        if found.get(field) != expected[field]
    ]
    there, now = (str(one.get("notes", "")).splitlines() for one in (found, expected))
    differing += [f"now {line!r}" for line in now if line not in there]
    differing += [f"there {line!r}" for line in there if line not in now]
    if differing:
        raise CannotResume(
            f"{path} holds another run: {'; '.join(differing)}. Repeat the command it was begun with, or choose "
            "another --out"
        )


def _key(row: RowDocument) -> RowKey:
    return RowKey(row["example_id"], row["setting"], row["method"], row["repeat"])
