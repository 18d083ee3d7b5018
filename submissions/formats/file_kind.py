"""What a kind of file is to the check: how it comes, who reads it, and what a team starts from."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from submissions.findings import Findings
from submissions.problems import Problem
from submissions.promptsets import PromptSets
from submissions.reading.limits import Limits
from submissions.reading.source_lines import located
from submissions.reading.strict_json import Document
from submissions.schema import Edition, Names, VerdictChoices


@dataclass(frozen=True, slots=True)
class Upload:
    """What a reader is told about a file besides its content."""

    file_sha256: str
    """Of the bytes as uploaded."""
    names: Names
    """Form fields or flags; they fill what the file leaves open."""
    choices: VerdictChoices
    """The same for tables of judge verdicts."""
    edition: str
    """The edition of ELOQUENT that the file is said to be of, or "auto"."""
    limits: Limits
    prompt_sets: PromptSets
    """What ELOQUENT files are checked against."""
    keep_rows: bool
    """Whether the rows of large files are wanted, or only what is wrong with them."""


class Entry(Protocol):
    """A file that can be taken in, of whatever kind."""

    @property
    def set_id(self) -> str:
        """What it is entered under."""

    @property
    def names(self) -> Names: ...

    @property
    def file_sha256(self) -> str: ...


@dataclass(frozen=True, slots=True)
class FileReading:
    """One file of a kind as it was read, also where it is refused; each kind has a class of its own."""

    names: Names
    """Of the file and the form, as far as they could be read."""

    @property
    def entry(self) -> Entry | None:
        """What can be taken in; None unless everything could be read as it stands."""
        raise NotImplementedError

    @property
    def choices(self) -> VerdictChoices:
        """How the file was read, whoever said so: reading it with these again gives the same."""
        return VerdictChoices()

    @property
    def answers(self) -> int | None:
        """How many answers it holds: what an estimate of its judging goes by; None where the kind counts none."""
        return None

    @property
    def answers_sha256(self) -> str | None:
        """A digest of what is answered, without the names around it; None where the kind makes none."""
        return None

    def without_rows(self) -> FileReading:
        """The same without what every row became: all that is needed to take the file in."""
        raise NotImplementedError

    def coverage_json(self) -> dict[str, Any]:
        """The `coverage` that `check --json` prints; {} where the kind states none."""
        return {}

    def rank_words(self) -> str:
        """Why the file will not be ranked, as far as it tells; blank where nothing in it stands against a rank."""
        return ""

    def coverage_lines(self) -> Sequence[str]:
        """What the file holds, for a terminal."""
        return ()


class Locate(Protocol):
    """Finds the lines of problems in a file (`submissions.reading.source_lines`)."""

    def __call__(
        self, listed: Sequence[Problem], problems: Sequence[Problem], stream: BinaryIO, name: str, limits: Limits
    ) -> list[Problem]: ...


def in_text(
    listed: Sequence[Problem], problems: Sequence[Problem], stream: BinaryIO, name: str, limits: Limits
) -> list[Problem]:
    """The problems of a JSON text or of JSON Lines, with their lines."""
    return located(listed, problems, stream, name, is_table=False)


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file turned out to be; None where nothing says it."""

    kind: str | None = None
    edition: Edition | None = None


@dataclass(frozen=True, slots=True)
class DeskForm:
    """A form of a kind that is no JSON document: known by how the file begins."""

    recognises: Callable[[bytes, str], bool]
    """Of the first `HEAD_BYTES` of a file, and its base name."""
    read: Callable[[BinaryIO, str, Upload, Findings], tuple[Detected, FileReading | None]]
    """Of the file at its start, its base name and what else is known; the findings take every fault."""
    kind: str | None = None
    """Of any such file, also of one that is too large; None where only its content tells."""
    most_bytes: Callable[[Limits], int] = lambda limits: limits.upload_bytes
    locate: Locate = in_text


@dataclass(frozen=True, slots=True)
class Template:
    """What a team starts from."""

    set_id: str
    """What the command line calls it."""
    label: str
    text: Callable[[], str]
    no_answer_sheet: str
    """Why there is no list of prompts to answer."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: one line of `submissions.kinds.KINDS`."""

    key: str
    """What reports call it, and what its files say as their `kind`; files of ELOQUENT say none."""
    read: Callable[[dict[str, object], Document, Upload, Findings], FileReading]
    """Reads a JSON document without a fault at its root; the findings take those of the text and every other one."""
    row_keys: frozenset[str] = frozenset()
    """Keys that many objects of a file share (`submissions.reading.strict_json.read_json`)."""
    bare_row: frozenset[str] = frozenset()
    """Keys that tell a row that was sent without the object around it; none = rows cannot be told from other files."""
    forms: tuple[DeskForm, ...] = ()
    locate: Locate = in_text
    """Of its JSON documents."""
    needs: tuple[str, ...] = ("team", "system", "model", "run")
    """Names without which nothing is taken in: the form asks for those that the file does not state."""
    template: Template | None = None


HEAD_BYTES = 1024 * 1024
"""So much of a file is looked at to tell its form."""


def states(key: str, data: bytes) -> bool:
    """A quick look whether a JSON text states this kind somewhere.

    >>> states("personalized_pairs", b'{"kind": "personalized_pairs", "items": []}')
    True
    """
    return re.search(rb'"kind"[ \t\r\n]*:[ \t\r\n]*"' + re.escape(key.encode()) + b'"', data) is not None
