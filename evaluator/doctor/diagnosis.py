"""The diagnosis of any file: what it is, who takes it, what its reader makes of it. Never raises on content.

Figures of a log rest on its first judgements where it has very many: a look, not the report.
"""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from evaluator.doctor.label_count import LabelCount, label_count
from evaluator.judge_logs.judgements import JudgementLog, Unread
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.report import LogReport, log_report
from evaluator.judge_report.text import shown_name, size, value_text
from submissions.check import CheckReport, check_submission
from submissions.known_files import DOORS, JUDGE_LOGS, DoorKey, FileType, look_at, words_of
from submissions.packing.plan import planned
from submissions.packing.sources import CannotPack, Gathering
from submissions.packing.writing import answers_in_words
from submissions.problems import Problem
from submissions.promptsets import PromptSets
from submissions.reading.csv_cells import CsvRows
from submissions.reading.glimpse import Glimpse
from submissions.reading.quoting import printable
from submissions.schema import VerdictChoices

Outcome = Literal["read", "refused", "read_in_part", "unknown", "too_slow", "needs_option"]
EXIT_CODES: dict[Outcome, int] = {
    "read": 0,
    "refused": 1,
    "read_in_part": 3,
    "unknown": 4,
    "too_slow": 5,
    "needs_option": 6,
}
"""2 stands for wrong use, as of every command."""
LOOKED_AT = 10_000
"""Lines of a table or of JSON Lines, and judgements, that figures rest on."""
_PROBLEMS, _JUDGES, _FIGURES = 5, 5, 12


@dataclass(frozen=True, slots=True)
class Taker:
    """A page or command that takes the file."""

    where: str
    command: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why something is not read."""

    place: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is said of one file."""

    file: str
    bytes: int
    is_a: str
    """In words: `inspect_ai log`."""
    kind: str
    """The key of `submissions.known_files`; blank of a file that nothing here reads."""
    outcome: Outcome
    takers: tuple[Taker, ...] = ()
    says: tuple[str, ...] = ()
    """What can be said from it."""
    cannot_say: tuple[str, ...] = ()
    """What cannot, and what to record next time."""
    unread: tuple[Unread, ...] = ()
    faults: tuple[Fault, ...] = ()
    n_faults: int = 0
    labels: LabelCount | None = None

    @property
    def exit_code(self) -> int:
        """Of the command."""
        return EXIT_CODES[self.outcome]

    def as_json(self) -> dict[str, Any]:
        """The diagnosis as `--json` prints it."""
        return {**asdict(self), "exit_code": self.exit_code}


def look_only(data: bytes, name: str) -> tuple[Glimpse, FileType | None, Diagnosis]:
    """Return what a look tells: all that is known of a file whose reading takes too long."""
    seen, known = look_at(data, name)
    takers = tuple(_taker(key, name) for key in known.doors) if known else ()
    is_a = words_of(seen, known)
    diagnosis = Diagnosis(name, len(data), is_a, known.key if known else "", "unknown", takers)
    if known is None:
        titles = ", ".join(log.title for log in JUDGE_LOGS)
        return (
            seen,
            known,
            replace(
                diagnosis,
                cannot_say=(
                    "No page or command reads such a file. Read are submissions (docs/submit.md), judges' logs "
                    f"({titles}), and answers with ids.",
                ),
            ),
        )
    slow = ("Its figures: reading it takes longer than this look. The command above has no limit.",)
    return seen, known, replace(diagnosis, outcome="too_slow", cannot_say=slow)


def diagnose(data: bytes, name: str, prompt_sets: PromptSets) -> Diagnosis:
    """Return the diagnosis of a file; never raises on its content.

    Args:
        data: The file.
        name: Its base name.
        prompt_sets: What submissions are checked against.
    """
    seen, known, diagnosis = look_only(data, name)
    if known is None:
        return diagnosis
    diagnosis = replace(diagnosis, cannot_say=())
    readers: dict[DoorKey, Callable[[], Diagnosis]] = {
        "judge_report": lambda: _of_log(diagnosis, data, (seen, known)),
        "submit": lambda: _of_submission(diagnosis, data, prompt_sets),
        "pack": lambda: _of_answers(diagnosis, data, prompt_sets),
        "labels": lambda: _of_sheet(diagnosis),
        "position_bias": lambda: _of_verdicts(diagnosis, data),
        "personalization": lambda: _of_rows(diagnosis, data),
    }
    return readers[known.doors[0]]()


def of_report(diagnosis: Diagnosis, log: JudgementLog, report: LogReport) -> Diagnosis:
    """Return the diagnosis of a log that was read."""
    says = [f"Questions: {report.questions:,}, judges: {len(report.judges):,}, systems: {len(report.systems):,}"]
    missing: dict[str, None] = {}
    for judge in report.judges[:_JUDGES]:
        name = shown_name(judge.judge)
        says.append(f"{name}: {size(judge)}")
        says += [
            f"{name}: {printable(figure.title, 200)} {value_text(figure)}, n {figure.n:,} {figure.of}"
            for figure in judge.figures[:_FIGURES]
        ]
        missing |= dict.fromkeys(judge.missing)
    if len(report.judges) > _JUDGES:
        says.append(f"and {len(report.judges) - _JUDGES:,} more judges")
    not_used = [shown_name(column) for column in report.unknown_columns]
    says += list(report.notes)
    if not_used:
        says.append(f"Columns that were not used: {', '.join(not_used[:20])}")
    return replace(
        diagnosis,
        outcome="read_in_part" if report.unread else "read",
        says=tuple(says),
        cannot_say=tuple(missing),
        unread=report.unread,
        labels=label_count(log, report),
    )


def _of_log(diagnosis: Diagnosis, data: bytes, looked: tuple[Glimpse, FileType | None]) -> Diagnosis:
    first = _first_rows(data, looked[0])
    reading = read_log(first, diagnosis.file, most=LOOKED_AT, looked=looked)
    if reading.log is None:
        return _refused(diagnosis, reading.findings.problems, sum(reading.findings.counts.values()))
    log = reading.log
    note = ""
    if len(first) < len(data) or reading.is_part or len(log.judgements) > LOOKED_AT:
        log = replace(log, judgements=log.judgements[:LOOKED_AT])
        note = f"Figures are of the first {len(log.judgements):,} judgements; judge-report reads all."
    report = log_report(log, diagnosis.file)
    whole = of_report(diagnosis, log, report)
    return replace(whole, outcome="read_in_part", says=(*whole.says, note)) if note else whole


def _first_rows(data: bytes, seen: Glimpse) -> bytes:
    """The first rows of a table or of JSON Lines; any other file as it is."""
    if seen.shape == "json_lines":
        at = -1
        for _ in range(LOOKED_AT):
            at = data.find(b"\n", at + 1)
            if at < 0:
                return data
        return data[: at + 1]
    if seen.shape != "csv" or data.count(b"\n") <= LOOKED_AT:
        return data
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    rows = CsvRows(lines, strict=False)
    try:
        for _ in range(LOOKED_AT):
            next(rows)
    except (StopIteration, csv.Error):
        return data
    return "".join(lines[: rows.line_num]).encode()


def _of_submission(diagnosis: Diagnosis, data: bytes, prompt_sets: PromptSets) -> Diagnosis:
    check = partial(check_submission, data, diagnosis.file, prompt_sets=prompt_sets, keep_rows=False)
    # A table never says its options: the check is not run once more to hear that they are missing.
    report = None if diagnosis.kind == "judge_verdicts" else check()
    if report is None or (report.kind == "judge_verdicts" and report.decision == "refused"):
        # Without its options a table is not read at all: what else stands in it is told in the same answer.
        completed = check(choices=VerdictChoices(options=2))
        has_ties = "tie_counted_as_error" in completed.problems_by_code
        if has_ties:
            completed = check(choices=VerdictChoices(options=3))
        if completed.decision != "refused":
            return _without_options(_of_check(diagnosis, completed), has_ties=has_ties)
        report = report or check()
        further = [problem for problem in completed.problems if problem not in report.problems]
        counts = Counter(report.problems_by_code) | Counter(completed.problems_by_code)
        return _refused(diagnosis, [*report.problems, *further], counts.total())
    return _of_check(diagnosis, report)


def _of_check(diagnosis: Diagnosis, report: CheckReport) -> Diagnosis:
    lines = report.reading.coverage_lines() if report.reading else ()
    ranks = report.reading.rank_words() if report.reading else ""
    says = (*lines, *([f"Rank: {ranks}"] if ranks else ()))
    if report.decision == "refused":
        return replace(_refused(diagnosis, report.problems, sum(report.problems_by_code.values())), says=says)
    outcome: Outcome = "read" if report.decision == "accepted" else "read_in_part"
    whole = _with_faults(diagnosis, report.problems, sum(report.problems_by_code.values()))
    return replace(whole, outcome=outcome, says=(f"The check says: {report.decision.replace('_', ' ')}.", *says))


def _without_options(diagnosis: Diagnosis, *, has_ties: bool) -> Diagnosis:
    """Of a table of verdicts that is whole but for one thing: what the judges could answer."""
    option = "--options 3" if has_ties else "--options N"
    why = (
        "Verdicts are C, which speaks for 3; with 2 each of them counts as unusable."
        if has_ties
        else "No verdict is C, so either fits: say what the judges were offered."
    )
    return replace(
        diagnosis,
        outcome="needs_option",
        takers=tuple(replace(taker, command=f"{taker.command} {option}") for taker in diagnosis.takers),
        cannot_say=(
            "Whether the judges could answer A or B (--options 2) or also C, a tie (--options 3): nothing in the file "
            f"says so. {why}",
            "Say it with the command above, or on Submit in the form. Next time write a JSON file with the key "
            '"options".',
        ),
    )


def _of_answers(diagnosis: Diagnosis, data: bytes, prompt_sets: PromptSets) -> Diagnosis:
    gathering = Gathering()
    try:
        gathering.add(diagnosis.file, (), data)
        plan = planned(gathering.sources, gathering.aside, prompt_sets=prompt_sets)
    except CannotPack as error:
        return replace(diagnosis, outcome="refused", faults=(Fault("$", str(error), "Name fewer files."),), n_faults=1)
    says = [
        f"A run of {run.edition} in {' '.join(run.languages) or 'no language that is told'}: "
        f"{answers_in_words(run, prompt_sets)}"
        for run in plan.runs
        if run.rows
    ]
    says += [change.what for run in plan.runs for change in run.changes]
    faults = [Fault(file.place, file.why, file.option and f"Say {file.option}.") for file in plan.aside]
    faults += [Fault(diagnosis.file, fault, "") for run in plan.runs for fault in run.faults]
    is_written = any(run.rows and not run.faults for run in plan.runs)
    outcome: Outcome = "refused" if not is_written else "read_in_part" if plan.has_losses else "read"
    return replace(diagnosis, outcome=outcome, says=tuple(says), faults=tuple(faults[:_PROBLEMS]), n_faults=len(faults))


def _of_sheet(diagnosis: Diagnosis) -> Diagnosis:
    return replace(
        diagnosis,
        outcome="read",
        says=("Labels by people, of the answers of one log.",),
        cannot_say=("What they say of the judge: give the log that the sheet was drawn from beside it.",),
    )


def _of_verdicts(diagnosis: Diagnosis, data: bytes) -> Diagnosis:
    from evaluator.position_bias import position_bias_report
    from evaluator.statistics.verdict_tables import TableRefused

    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(data)
        file.flush()
        try:
            report = position_bias_report(file.name)
        except TableRefused as error:
            return replace(diagnosis, outcome="refused", faults=(Fault("$", str(error), ""),), n_faults=1)
    says = tuple(
        f"{shown_name(judge)}: position consistency {figures['position_consistency']}, n {figures['n_valid']:,} pairs"
        for judge, figures in report.items()
    )
    return replace(diagnosis, outcome="read", says=says)


def _of_rows(diagnosis: Diagnosis, data: bytes) -> Diagnosis:
    from evaluator.personalization import RowTableRefused, read_outcome_rows

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        path.write_bytes(data)
        try:
            rows = read_outcome_rows(path)
        except RowTableRefused as error:
            faults = [Fault(f"line {problem['line']}", problem["message"], "") for problem in error.problems]
            return replace(diagnosis, outcome="refused", faults=tuple(faults[:_PROBLEMS]), n_faults=len(error.problems))
    return replace(diagnosis, outcome="read", says=(f"Answers under preferences: {len(rows):,} rows",))


def _refused(diagnosis: Diagnosis, problems: Iterable[Problem], total: int) -> Diagnosis:
    return replace(_with_faults(diagnosis, problems, total), outcome="refused")


def _with_faults(diagnosis: Diagnosis, problems: Iterable[Problem], total: int) -> Diagnosis:
    places: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        places.setdefault((problem.message, problem.hint), []).append(problem.path)
    faults = [
        Fault(named[0] if len(named) == 1 else f"{len(named):,} places, the first at {named[0]}", *said)
        for said, named in places.items()
    ]
    shown = sum(len(named) for named in list(places.values())[:_PROBLEMS])
    return replace(diagnosis, faults=tuple(faults[:_PROBLEMS]), n_faults=total - shown + len(faults[:_PROBLEMS]))


def _taker(key: DoorKey, name: str) -> Taker:
    door = DOORS[key]
    return Taker(door.where, door.command_for(name))
