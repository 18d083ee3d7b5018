"""`python -m evaluator answer`: a complete submission of personalized answers from a question set and a model."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from evaluator.answering.journal import CannotResume
from evaluator.answering.questions import (
    METHODS,
    AnswerFile,
    AnswerPlan,
    Interrupted,
    envelope,
    write_answers,
    write_as_one_document,
)
from evaluator.generators.loading import GENERATOR_NAMES, UnknownGenerator, allowed_generators
from evaluator.generators.protocol import MAX_NEW_TOKENS, GeneratorUnavailable, TextGenerator, UnsuitableGenerator
from submissions.commands.command_line import stop
from submissions.formats.personalization.submission import SETTINGS, Setting
from submissions.questionsets import NoPreferences, QuestionSet, QuestionSetError, demonstration, read_question_set
from submissions.settings import Settings

DEMONSTRATION = "demonstration"
LINES_SUFFIX, DOCUMENT_SUFFIX = ".jsonl", ".json"

PROGRESS_S = 1.0
"""How often progress is shown on a terminal; elsewhere every `QUIET_PROGRESS_S`."""
QUIET_PROGRESS_S = 30.0


def add_commands(commands: Any) -> None:
    """Adds `answer` to the subparsers of `python -m evaluator`."""
    parser = commands.add_parser("answer", help="let a model answer a question set with and without preferences")
    parser.add_argument("--generator", required=True, metavar="G", help=f"one of {', '.join(GENERATOR_NAMES)}")
    parser.add_argument("--method", action="append", required=True, choices=METHODS, help="may be given several times")
    parser.add_argument(
        "--settings",
        type=_settings,
        default=SETTINGS,
        metavar="S,...",
        help=f"of {', '.join(SETTINGS)} (default: all; none, the control, is always run)",
    )
    parser.add_argument(
        "--questions", required=True, metavar="FILE", help=f"a question set, or the word {DEMONSTRATION}"
    )
    for name in ("team", "system", "model", "run"):
        parser.add_argument(f"--{name}", required=True, help=f"the {name}, as the board shows it")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE", help=f"{LINES_SUFFIX}, or {DOCUMENT_SUFFIX} for small runs"
    )
    parser.add_argument("--limit", type=count_above_zero, metavar="N", help="only the first N questions")
    parser.add_argument("--repeat", action="store_true", help="run the control twice: shows the noise floor")
    parser.add_argument(
        "--max-new-tokens", type=count_above_zero, default=MAX_NEW_TOKENS, metavar="N", help=f"default {MAX_NEW_TOKENS}"
    )
    parser.add_argument(
        "--parallel", type=count_above_zero, default=1, metavar="N", help="questions under way at once (default 1)"
    )
    parser.set_defaults(command=answer_command)


def answer_command(options: argparse.Namespace, settings: Settings) -> int:
    """Writes the file, or goes on with it; 0 when it is complete, 1 when it was interrupted, 2 on wrong use."""
    names = {name: getattr(options, name).strip() for name in ("team", "system", "model", "run")}
    if blank := [name for name, value in names.items() if not value]:
        stop(f"answer: --{blank[0]} is blank")
    if options.out.suffix not in (LINES_SUFFIX, DOCUMENT_SUFFIX):
        stop(f"answer: --out: found {options.out.name!r}, expected a name that ends with .jsonl or .json")
    plan = _plan(options)
    if options.out.suffix == DOCUMENT_SUFFIX and options.out.exists():
        stop(f"answer: {options.out} is at hand: choose another --out")
    generator = loaded_generator("answer", options.generator, settings)
    head = envelope(plan, generator.pin, names, datetime.now(UTC).date())
    lines = options.out if options.out.suffix == LINES_SUFFIX else options.out.with_suffix(".unfinished.jsonl")
    try:
        with AnswerFile(lines, head) as file:
            code = _write(plan, generator, file, options.parallel)
        if code == 0 and lines != options.out:
            write_as_one_document(lines, options.out)
            lines.unlink()
    except CannotResume as error:
        stop(f"answer: {error}")
    except OSError as error:
        stop(f"answer: {error.filename or options.out}: {error.strerror}")
    if code == 0:
        print(f"complete: {plan.n_rows:,} rows in {options.out}")
        print(f"check it: python -m submissions check {options.out}")
    return code


def _write(plan: AnswerPlan, generator: TextGenerator, file: AnswerFile, parallel: int) -> int:
    progress = Progress(plan.n_rows, len(file), sys.stderr)
    if len(file):
        sys.stderr.write(f"going on: {len(file):,} of {plan.n_rows:,} rows are there\n")
    try:
        with stopped_by_signals() as stopped:
            write_answers(plan, generator, file, stop=stopped, parallel=parallel, on_row=progress.advance)
    except (Interrupted, GeneratorUnavailable) as error:
        progress.end()
        why = "stopped" if isinstance(error, Interrupted) else f"{error}; stopped"
        sys.stderr.write(
            f"{why} at {len(file):,} of {plan.n_rows:,} rows; they are in {file.path}, and the same command goes on\n"
        )
        return 1
    progress.end()
    return 0


def _plan(options: argparse.Namespace) -> AnswerPlan:
    question_set = _question_set(options.questions)
    plan = AnswerPlan(
        question_set,
        tuple(options.method),
        options.settings,
        limit=options.limit,
        repeat=options.repeat,
        max_new_tokens=options.max_new_tokens,
    )
    try:
        for setting in {key.setting for question in plan.questions for key in plan.rows(question)}:
            question_set.shown(setting, 0)
    except NoPreferences as error:
        stop(f"answer: {error}: leave the setting out of --settings, or add preferences")
    return plan


def _question_set(name: str) -> QuestionSet:
    try:
        return demonstration() if name == DEMONSTRATION else read_question_set(Path(name))
    except QuestionSetError as error:
        for fault in error.faults:
            sys.stderr.write(f"{name}: {fault}\n")
        stop(f"answer: {name} cannot be used as a question set ({len(error.faults)} faults, see docs/generators.md)")


def loaded_generator(command: str, name: str, settings: Settings) -> TextGenerator:
    """The generator of that name; ends the command where there is none."""
    try:
        allowed = allowed_generators(
            (name,), kept=settings.models, api_key=settings.generator_api_key, token=settings.inference_token
        )
        return allowed.get(name)
    except (UnknownGenerator, UnsuitableGenerator, GeneratorUnavailable) as error:
        stop(f"{command}: {error}")


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set."""
    stopped = threading.Event()
    before = {number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Progress:
    """How far a run is, its rate, and how long it will still take, on one line of a terminal.

    Args:
        total: Rows of the run.
        done: Rows that were there before; they count in no rate.
        stream: Where to write.
        clock: Seconds.
        what: What is counted.
    """

    def __init__(
        self,
        total: int,
        done: int,
        stream: TextIO,
        clock: Callable[[], float] = time.monotonic,
        *,
        what: str = "rows",
    ) -> None:
        self._what = what
        self._total = total
        self._before = self._done = done
        self._stream = stream
        self._clock = clock
        self._began = self._shown = clock()
        self._lock = threading.Lock()

    def advance(self, rows: int = 1) -> None:
        """Counts a row, or so many."""
        with self._lock:
            self._done += rows
            now = self._clock()
            if now - self._shown >= (PROGRESS_S if self._stream.isatty() else QUIET_PROGRESS_S):
                self._shown = now
                self._show()

    def end(self) -> None:
        """Shows where it ended."""
        self._show()
        if self._stream.isatty():
            self._stream.write("\n")

    def text(self) -> str:
        """Such as `12 of 288 rows, 1.5 a second, 3 min 4 s left`."""
        rows = f"{self._done:,} of {self._total:,} {self._what}"
        written, seconds = self._done - self._before, self._clock() - self._began
        if not written or seconds <= 0:
            return rows
        rate = written / seconds
        pace = f"{rate:.1f} a second" if rate >= 1 else f"{1 / rate:.1f} s each"
        left = round((self._total - self._done) / rate)
        return f"{rows}, {pace}" + (f", {_duration(left)} left" if self._done < self._total else "")

    def _show(self) -> None:
        # A terminal's line is written over; \x1b[K clears what was longer before.
        self._stream.write(f"\r{self.text()}\x1b[K" if self._stream.isatty() else f"{self.text()}\n")
        self._stream.flush()


def _duration(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"


def _settings(text: str) -> tuple[Setting, ...]:
    named = [part.strip() for part in text.split(",") if part.strip()]
    unknown = [setting for setting in named if setting not in SETTINGS]
    if unknown or not named:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected some of {', '.join(SETTINGS)}, separated by commas")
    return tuple(setting for setting in SETTINGS if setting in named)


def count_above_zero(text: str) -> int:
    """A number of a command line."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number above 0")
    return int(text)
