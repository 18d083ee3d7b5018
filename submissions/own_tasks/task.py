"""An installed task as everybody may know it: its columns and the items to answer, without the references."""

from __future__ import annotations

import json
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

KIND = "own_task"
"""What files of every such task state as their `kind`."""
PREDICTION, REFERENCE, TASK = "prediction", "reference", "task"
"""Fields of rows: what a team answers, what it is held against, and the name of the task in a CSV."""
MOST_NAME = 24
EXPECTED_NAME = f"3 to {MOST_NAME} of a-z, 0-9 and _, a letter first"

Better = Literal["higher", "lower"]
Computation = Literal["avg", "sum", "min", "max"]
"""How a column of a bundle is made of others, as Codabench calls it."""
Format = Literal["jsonl", "csv"]
"""Of rows; a task of a bundle takes a zip."""


@dataclass(frozen=True, slots=True)
class OwnColumn:
    """One figure of a task: the mean over items of what the scoring function gives under its key."""

    key: str
    label: str
    better: Better
    about: str = ""
    ends: tuple[float, float] | None = None
    """Where the values of items lie; None = anywhere."""
    said: str = ""
    """What the program of a bundle calls it; blank = as its key."""
    computation: Computation | None = None
    """None = the program gives it."""
    of: tuple[str, ...] = ()
    """What the program calls the columns that it is computed from."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a bundle, as its organiser wrote it."""

    name: str
    starts: str
    ends: str
    """Blank = it is open."""
    per_day: int = 0
    """Files that a team may send within 24 hours; 0 = as many as it likes."""
    in_all: int = 0


@dataclass(frozen=True, slots=True)
class OwnTask:
    """One task."""

    name: str
    title: str
    question: str
    """What its board answers, as a visitor would ask it."""
    format: Format | Literal["zip"]
    """What teams send."""
    key: str
    """The field that says which item a row answers."""
    reference: str
    """Name of the file of references."""
    columns: tuple[OwnColumn, ...]
    """The first is the one that runs are ranked by."""
    items: tuple[str, ...]
    """Keys of the items, in the order of the references."""
    sha256: str
    """Of all files of the task: results of other versions are not compared."""
    folder: Path
    seconds: int
    memory_mb: int
    command: tuple[str, ...] = ()
    """How the program of a bundle is started, with $program, $input and $output; () of a task in one file."""
    phases: tuple[Phase, ...] = ()
    pages: tuple[tuple[str, str], ...] = ()
    """Title and text, as the organiser wrote them."""

    @property
    def is_bundle(self) -> bool:
        """Whether a program scores a whole run at once."""
        return bool(self.command)

    @property
    def set_id(self) -> str:
        """What its files are entered under."""
        return set_id_of(self.name)

    @property
    def headline(self) -> OwnColumn:
        """The column that runs are ranked by."""
        return self.columns[0]

    def template(self) -> str:
        """A file with every key and empty predictions; of a bundle the file that says whose zip it is."""
        if self.is_bundle:
            return json.dumps({"kind": KIND, TASK: self.name, "team": "", "system": "", "model": "", "run": ""}) + "\n"
        if self.format == "csv":
            lines = [(TASK, self.key, PREDICTION), *((self.name, item, "") for item in self.items)]
            return "".join(",".join(map(_cell, line)) + "\n" for line in lines)
        names = dict.fromkeys(("team", "system", "model", "run"), "")
        rows = [{"kind": KIND, TASK: self.name, **names}, *({self.key: item, PREDICTION: ""} for item in self.items)]
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def set_id_of(name: str) -> str:
    """What files of a task are entered under.

    >>> set_id_of("pisa")
    'own_task:pisa'
    """
    return f"{KIND}:{name}"


def is_own_set(set_id: str) -> bool:
    """Whether files of some task of this kind are entered under it, installed or not.

    >>> is_own_set("own_task:pisa"), is_own_set("own_task:../x"), is_own_set("demonstration")
    (True, False, False)
    """
    kind, _, name = set_id.partition(":")
    return kind == KIND and is_task_name(name)


def is_task_name(name: str) -> bool:
    """Whether a task may be called so: its name is a file's, a page's and part of links."""
    signs = frozenset(string.ascii_lowercase + string.digits + "_")
    return 3 <= len(name) <= MOST_NAME and signs.issuperset(name) and name[0] in string.ascii_lowercase


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"\r\n;\t|') else text
