"""Texts that people labelled: other people's data, read out of a folder and never part of this project.

`make golden-data` rebuilds the files from public repositories; docs/which_judge.md names them with their licences.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from evaluator.judge_quality.labelled_pairs import LabelledPair

Part = Literal["train", "dev", "held-out"]
_FIFTHS: tuple[Part, ...] = ("held-out", "dev", "train", "train", "train")

STS_SPLITS = ("dev", "test")
QUESTIONS = "same_answer_nq.jsonl.gz"
ANSWERS = "answers_dev.jsonl.gz"
TASKS = "task_outputs.jsonl.gz"

SAME, OTHER = 5, 0
"""Grades that stand for "both answers are right" and "exactly one is"."""


def sts_file(split: str) -> str:
    """Return the name of the file with a split of the STS benchmark."""
    return f"sts_{split}.jsonl.gz"


def part_of(question_id: str) -> Part:
    """Return the part of a question: a fifth is held out, a fifth is for choosing, the rest trains.

    The first 8 hex digits of the id's SHA-256, as a number modulo 5, decide: 0 is held out, 1 is dev.

    >>> [part_of(question_id) for question_id in ("nq2", "nq6", "nq11")]
    ['train', 'held-out', 'dev']
    """
    return _FIFTHS[int(hashlib.sha256(question_id.encode()).hexdigest()[:8], 16) % len(_FIFTHS)]


def is_held_out(question_id: str) -> bool:
    """Say whether a question is one that no training and no choice may see.

    >>> is_held_out("nq6"), is_held_out("nq2")
    (True, False)
    """
    return part_of(question_id) == "held-out"


# --- rows ------------------------------------------------------------------------------------------------------------


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is blank")
    return text


_Text = Annotated[str, AfterValidator(_filled)]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class LikenessPair(_Row):
    """Two sentences of the STS benchmark."""

    id: str
    a: _Text
    b: _Text
    score: float = Field(ge=0, le=5)
    """How far people said that they mean the same: 0 nothing in common, 5 the same."""
    language: str

    @property
    def number(self) -> str:
        """The pair behind its translations: "de-dev-3" and "en-dev-3" are one pair."""
        return self.id.partition("-")[2]


class SystemAnswer(_Row):
    """What a real system answered, and whether people said that it is right."""

    text: str
    correct: bool


class AnsweredQuestion(_Row):
    """A question of Natural Questions with the answers of several systems (EVOUNA)."""

    id: str
    question: _Text
    gold: str
    answers: dict[str, SystemAnswer]


class PromptedAnswer(_Row):
    """A real system's answer beside the prompt it answers, or beside another one."""

    id: str
    prompt: _Text
    text: _Text = Field(alias="answer")
    is_answer: bool = Field(alias="answers")


class TaskOutput(_Row):
    """A task over a given text, as a prompt, with the output that people gave (P3, and tasks written by people)."""

    id: str
    data_set: str
    template: str
    """Tasks of one template ask the same of different texts; a task written alone has one of its own."""
    prompt: _Text
    output: _Text


Row = TypeVar("Row", bound=_Row)


@dataclass(frozen=True, slots=True)
class PeopleFile(Generic[Row]):
    """The rows of one file, and what is wrong with the others."""

    name: str
    sha256: str
    """Of the unpacked content."""
    rows: tuple[Row, ...]
    faults: tuple[str, ...]
    """Place and fault of each row, or answer, that was left out."""


class PeopleFileError(ValueError):
    """Raised when a file of people's labels is missing or cannot be read at all."""


def read_likeness(folder: Path, split: str) -> PeopleFile[LikenessPair]:
    """Read a split of the STS benchmark: "train", "dev" or "test"."""
    return _read(folder / sts_file(split), LikenessPair)


def read_questions(folder: Path) -> PeopleFile[AnsweredQuestion]:
    """Read the answered questions; an answer without text is left out and counted as a fault."""
    read = _read(folder / QUESTIONS, AnsweredQuestion)
    blank = [
        f"{read.name}: {row.id}: the answer of {system} is blank"
        for row in read.rows
        for system, answer in row.answers.items()
        if not answer.text.strip()
    ]
    rows = tuple(
        row.model_copy(
            update={"answers": {system: answer for system, answer in row.answers.items() if answer.text.strip()}}
        )
        for row in read.rows
    )
    return PeopleFile(read.name, read.sha256, rows, (*read.faults, *blank))


def read_answers(folder: Path) -> PeopleFile[PromptedAnswer]:
    """Read real answers beside their own prompt and beside another."""
    return _read(folder / ANSWERS, PromptedAnswer)


def read_tasks(folder: Path) -> PeopleFile[TaskOutput]:
    """Read tasks with the outputs that people gave."""
    return _read(folder / TASKS, TaskOutput)


def _read(path: Path, row: type[Row]) -> PeopleFile[Row]:
    """Read a packed file of JSON lines.

    Raises:
        PeopleFileError: when it is missing, is not packed or not UTF-8, or holds no usable row.
    """
    try:
        content = gzip.decompress(path.read_bytes())
        lines = content.decode("utf-8").removesuffix("\n").split("\n")
    except FileNotFoundError:
        raise PeopleFileError(f"{path}: not found; `make golden-data` rebuilds it") from None
    except UnicodeDecodeError as error:
        raise PeopleFileError(f"{path}: expected UTF-8 text, found another byte at {error.start}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise PeopleFileError(f"{path}: expected gzip, found a file that cannot be unpacked ({error})") from None
    rows, faults, seen = [], [], set()
    for number, line in enumerate(lines, start=1):
        try:
            read = row.model_validate_json(line)
        except ValidationError as error:
            faults.append(f"{path.name}: line {number}: {_words(error)}")
            continue
        name = getattr(read, "id", "")
        if name in seen:
            faults.append(f"{path.name}: line {number}: the id {name} stands there twice")
            continue
        seen.add(name)
        rows.append(read)
    if not rows:
        raise PeopleFileError(f"{path}: no usable row{f'; the first fault: {faults[0]}' if faults else ''}")
    return PeopleFile(path.name, hashlib.sha256(content).hexdigest(), tuple(rows), tuple(faults))


def _words(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'the row'}: {fault['msg'].removeprefix('Value error, ')}"
        for fault in error.errors(include_url=False, include_input=False)
    )


# --- what is made of them --------------------------------------------------------------------------------------------


def same_answer_pairs(questions: Iterable[AnsweredQuestion]) -> Iterator[LabelledPair]:
    """Pair the answers of every two systems to one question, the question as prompt and as topic.

    Both right: they say the same, grade 5. Exactly one right: they do not, grade 0. Both wrong says nothing about the
    pair, which is left out.
    """
    for row in questions:
        for (first, a), (second, b) in combinations(sorted(row.answers.items()), 2):
            if a.correct or b.correct:
                yield LabelledPair(
                    id=f"{row.id} {first} {second}",
                    topic=row.id,
                    split="test",
                    category="same answer" if a.correct and b.correct else "one of them wrong",
                    prompt_a=row.question,
                    prompt_b=row.question,
                    a=a.text,
                    b=b.text,
                    grade=SAME if a.correct and b.correct else OTHER,
                )


def short_right_answers(questions: Iterable[AnsweredQuestion], most_words: int) -> Iterator[PromptedAnswer]:
    """Take the right answers of at most so many words, each text once for a question."""
    for row in questions:
        texts = dict.fromkeys(answer.text for _, answer in sorted(row.answers.items()) if answer.correct)
        for number, text in enumerate(text for text in texts if len(text.split()) <= most_words):
            yield PromptedAnswer(id=f"{row.id} {number}", prompt=row.question, answer=text, answers=True)


Drawn = TypeVar("Drawn")


def drawn(rows: Sequence[Drawn], most: int | None, id_of: Callable[[Drawn], str]) -> list[Drawn]:
    """Draw rows by the SHA-256 of their ids: the same ones on every machine, fewer are part of more.

    Args:
        rows: Rows to draw from.
        most: How many at most; None = all.
        id_of: Reads the id of a row.
    """
    by_hash = sorted(rows, key=lambda row: hashlib.sha256(id_of(row).encode()).hexdigest())
    return by_hash[:most]
