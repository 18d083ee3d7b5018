"""`python -m evaluator doctor FILE`: what a file is, what can be said from it, and what to record next time."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.judge_logs.opened import LINES_BYTES
from submissions.commands.command_line import stop
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.settings import Settings

if TYPE_CHECKING:
    from evaluator.doctor.diagnosis import Diagnosis
    from submissions.promptsets import PromptSets

LOOK_S = 3
"""So many seconds of computing a file is read; then what a look tells is said alone."""
WALL_S = 3.0 * LOOK_S
"""By the clock: a process that has a third of a core to itself is still within its time."""


def add_commands(commands: Any) -> None:
    """Adds the command to the subparsers of `python -m evaluator`."""
    doctor = commands.add_parser(
        "doctor",
        help="what a file is, what can be said from it, what cannot, and how many labels it needs",
        description="Looks at any file. Exit codes: 0 = read whole; 1 = known, but refused; 2 = wrong use; 3 = read, "
        "but not all of it; 4 = nothing here reads it; 5 = known, and not read within the time of a look; "
        "6 = can be read once you add an option.",
    )
    doctor.add_argument("file", type=Path, metavar="FILE")
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    doctor.set_defaults(command=_doctor)


def _doctor(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.doctor.text import diagnosis_text

    data = _bytes(options.file)
    diagnosis = _diagnosis(data, options.file.name, prompt_sets_at_hand(settings, fetch=False))
    text = json.dumps(diagnosis.as_json(), allow_nan=False) if options.json else diagnosis_text(diagnosis)
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    return diagnosis.exit_code


def _bytes(path: Path) -> bytes:
    """The file, but no more of it than tells that it is too large."""
    if path.is_dir():
        stop(f"doctor: {path} is a folder; name one file")
    try:
        with path.open("rb") as file:
            return file.read(LINES_BYTES + 1)
    except (OSError, ValueError) as error:
        stop(f"doctor: {path}: {error.strerror if isinstance(error, OSError) else error}")


def _diagnosis(data: bytes, name: str, prompt_sets: PromptSets) -> Diagnosis:
    """The diagnosis, made in a process that is ended when it takes too long or dies."""
    from evaluator.doctor.diagnosis import look_only

    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    reader = context.Process(target=_diagnose, args=(theirs, data, name, prompt_sets), daemon=True)
    reader.start()
    theirs.close()
    try:
        if ours.poll(WALL_S):
            diagnosis: Diagnosis = ours.recv()
            return diagnosis
    except EOFError:
        pass  # it died: of memory, or of a file that no reader should fall over
    finally:
        reader.kill()
        reader.join()
    return look_only(data, name)[2]


def _diagnose(connection: Connection[Any, Any], data: bytes, name: str, prompt_sets: PromptSets) -> None:
    from evaluator.doctor.diagnosis import diagnose

    resource.setrlimit(resource.RLIMIT_CPU, (LOOK_S, LOOK_S))
    connection.send(diagnose(data, name, prompt_sets))
