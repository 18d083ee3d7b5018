"""Codabench bundles: competition.yaml of version 1.5 and 2, with scoring program, reference data, phases and pages.

Source: the documented layout of bundles (docs.codabench.org, "Competition Bundle Structure"). What runs on Codabench
as an ingestion program, submissions of code, is not taken.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any, TypeVar, get_args

import yaml  # type: ignore[import-untyped]

from submissions.findings import Findings
from submissions.own_tasks.task import Better, Computation, OwnColumn, Phase, is_task_name
from submissions.own_tasks.task_file import MOST_SECONDS, MOST_TEXT, OwnTaskError, column_key
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, printable, quoted
from submissions.reading.zip_members import ZipMembers, path_conflicts

COMPETITION = "competition.yaml"
METADATA = ("metadata.yaml", "metadata")
MOST_YAML = 256 * 1024
MOST_PAGE = 20_000
"""Characters of a page that are kept."""
_MIB = 1024 * 1024
_LIMITS = replace(Limits(), zip_entries=5_000, zip_bytes=1024 * _MIB, zip_entry_bytes=512 * _MIB)

Part = TypeVar("Part")

Files = dict[str, bytes]
"""Content by path."""


@dataclass(frozen=True, slots=True)
class BundleTask:
    """One scoring program with its reference data, and what is said of it."""

    title: str
    columns: tuple[OwnColumn, ...]
    command: tuple[str, ...]
    """With $program, $input and $output."""
    phases: tuple[Phase, ...]
    pages: tuple[tuple[str, str], ...]
    seconds: int
    program: Files
    reference: Files


def files_in(data: bytes, name: str) -> Files:
    """The files of a zip by their path, without those of operating systems.

    Raises:
        OwnTaskError: it cannot be read whole, or a file stands where a folder is.
    """
    findings = Findings()
    members = ZipMembers(data, findings, _LIMITS)
    files: Files = {}
    for member in members:
        content = None if member.is_junk else members.read(member, _LIMITS.zip_entry_bytes)
        if content is not None:
            files[str(PurePosixPath(member.folder, member.name))] = content
    if findings.has_error:
        raise OwnTaskError(
            f"{name}: " + "; ".join(f"{problem.path}: {problem.message}" for problem in findings.problems)
        )
    if both := path_conflicts(files):
        raise OwnTaskError(f"{name}: found {quoted(both[0])} as a file and as a folder, expected one of them")
    return files


def read_bundle(data: bytes, name: str) -> list[BundleTask]:
    """The tasks of a bundle, each with the phases that use it, in the order of its phases.

    Raises:
        OwnTaskError: with place, what was found and what is expected.
    """
    files = files_in(data, name)
    homes = sorted((path for path in files if PurePosixPath(path).name == COMPETITION), key=len)
    if not homes:
        raise OwnTaskError(f"{name}: found no {COMPETITION}, expected a Codabench bundle, or a folder with task.toml")
    home = homes[0].removesuffix(COMPETITION)
    return _Bundle({path.removeprefix(home): files[path] for path in files if path.startswith(home)}, name).tasks()


@dataclass(frozen=True, slots=True)
class _Used:
    """A scoring program with its reference data, as phases use them."""

    program: str
    reference: str
    """Names of zips or folders in the bundle."""
    called: str
    phases: tuple[Phase, ...]
    seconds: int


class _Bundle:
    """Reads the values of one bundle."""

    def __init__(self, files: Files, name: str) -> None:
        self._files, self._name = files, name
        document = self._yaml(COMPETITION, files[COMPETITION])
        if not isinstance(document, dict):
            raise self._fault(COMPETITION, described(document), "an object with title, phases and leaderboard")
        self._document: dict[str, Any] = document

    def tasks(self) -> list[BundleTask]:
        """One for each pair of scoring program and reference data.

        Raises:
            OwnTaskError: with every fault of columns and dates, and the first of each other part.
        """
        faults: list[str] = []

        def read(part: Callable[..., Part], *given: Any) -> Part | None:
            try:
                return part(*given)
            except OwnTaskError as error:
                faults.append(str(error))
                return None

        columns, pages = read(self._columns) or (), read(lambda: tuple(self._pages())) or ()
        used = read(self._used) or []
        read(self._check_dates)
        title = self._line(self._document.get("title")) or "Untitled"
        tasks = [
            read(self._task, title if len(used) == 1 else f"{title}: {parts.called}", columns, pages, parts)
            for parts in used
        ]
        if faults:
            raise OwnTaskError("; ".join(dict.fromkeys(faults)))
        return [task for task in tasks if task is not None]

    def _used(self) -> list[_Used]:
        """Each pair of scoring program and reference data."""
        phases: dict[tuple[str, str], list[Phase]] = {}
        called: dict[tuple[str, str], str] = {}
        seconds: dict[tuple[str, str], int] = {}
        for phase, task, place in self._phases():
            if task.get("ingestion_program") or phase.get("ingestion_program"):
                raise self._fault(f"{place}.ingestion_program", "a program that runs submitted code", "none")
            program, reference = (self._text(task, key, place) for key in ("scoring_program", "reference_data"))
            key = (program, reference)
            phases.setdefault(key, []).append(_phase(phase))
            called.setdefault(key, self._line(task.get("name")) or phases[key][0].name)
            allowed = phase.get("execution_time_limit")
            allowed = allowed if type(allowed) is int and allowed > 0 else MOST_SECONDS
            seconds[key] = min(MOST_SECONDS, max(allowed, seconds.get(key, 0)))
        return [_Used(*key, called[key], tuple(phases[key]), seconds[key]) for key in phases]

    def _task(
        self,
        title: str,
        columns: tuple[OwnColumn, ...],
        pages: tuple[tuple[str, str], ...],
        used: _Used,
    ) -> BundleTask:
        program = self._part(used.program, METADATA)
        metadata = next((file for file in METADATA if file in program), None)
        if metadata is None:
            raise self._fault(
                used.program, "no metadata.yaml", "one with command: python $program/score.py $input $output"
            )
        told = self._yaml(f"{used.program}/{metadata}", program[metadata])
        command = told.get("command") if isinstance(told, dict) else None
        try:
            words = tuple(shlex.split(command)) if isinstance(command, str) else ()
        except ValueError:
            words = ()
        if not words:
            raise self._fault(f"{used.program}/{metadata}: command", described(command), "a program with its arguments")
        reference = self._part(used.reference, ())
        return BundleTask(title[:MOST_TEXT], columns, words, used.phases, pages, used.seconds, program, reference)

    def _phases(self) -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
        """Each phase with each of its tasks, and the place of that."""
        numbered = self._numbered_phases()
        tasks = {
            task.get("index", place): task for place, task in enumerate(self._list("tasks")) if isinstance(task, dict)
        }
        if not numbered:
            raise self._fault("phases", described(self._document.get("phases")), "one phase or more")
        for number, phase in numbered:
            place = f"phases[{number}]"
            if not isinstance(phase, dict):
                raise self._fault(place, described(phase), "an object")
            if "scoring_program" in phase:  # version 1.5
                yield phase, phase, place
                continue
            used = phase.get("tasks", list(tasks))
            for index in used if isinstance(used, list) else []:
                if index not in tasks:
                    raise self._fault(
                        f"{place}.tasks", described(index), f"one of {', '.join(map(str, tasks)) or 'none'}"
                    )
                yield phase, tasks[index], f"tasks[{index}]"

    def _numbered_phases(self) -> list[tuple[object, Any]]:
        listed = self._document.get("phases")
        return list(listed.items()) if isinstance(listed, dict) else list(enumerate(listed or ()))

    def _check_dates(self) -> None:
        """Refuse dates that cannot be read: their phases would be no seasons."""
        expected = "a date as 2026-12-31 12:00:00 or 12-31-2026, month first"
        faults = [
            str(self._fault(f"phases[{number}].{key}", described(phase[key]), expected))
            for number, phase in self._numbered_phases()
            if isinstance(phase, dict)
            for key in ("start", "end", "start_date", "end_date")
            if phase.get(key) not in (None, "") and not _is_date(_moment(phase[key]))
        ]
        if faults:
            raise OwnTaskError("; ".join(faults))

    def _columns(self) -> tuple[OwnColumn, ...]:
        board = self._document.get("leaderboards", self._document.get("leaderboard"))
        if isinstance(board, dict):  # version 1.5
            listed = board.get("columns")
            groups = [[{"key": key, **table} for key, table in listed.items()] if isinstance(listed, dict) else []]
        else:
            groups = [group.get("columns") or [] for group in board or () if isinstance(group, dict)]
        shown: list[tuple[dict[str, Any], dict[int, str]]] = []
        for group in groups:
            tables = [table for table in group if isinstance(table, dict)]
            said_at = {_index(table, place): str(table.get("key", "")) for place, table in enumerate(tables)}
            shown += [(table, said_at) for table in tables if not table.get("hidden")]
        shown.sort(key=lambda column: _number(column[0].get("index", column[0].get("rank"))))
        columns: dict[str, OwnColumn] = {}
        faults: list[str] = []
        for table, said_at in shown:
            try:
                column = self._column(table, said_at, columns)
                columns[column.key] = column
            except OwnTaskError as error:
                faults.append(str(error))
        if faults:
            raise OwnTaskError("; ".join(faults))
        if not columns:
            raise self._fault("leaderboard", "no column that is shown", "one or more")
        return tuple(columns.values())

    def _column(self, table: Mapping[str, Any], said_at: Mapping[int, str], taken: Collection[str]) -> OwnColumn:
        said = str(table.get("key", ""))
        if not said:
            raise self._fault("leaderboard.columns", described(table), "a key")
        field = "sorting" if "sorting" in table else "sort"
        sorting = str(table.get(field, "desc")).lower()
        if sorting not in ("desc", "asc"):
            place = f"leaderboard.columns.{printable(said, 40)}.{field}"
            raise self._fault(place, described(table[field]), "desc or asc")
        better: Better = "lower" if sorting == "asc" else "higher"
        label = self._line(table.get("title", table.get("label"))) or said
        return OwnColumn(column_key(said, taken), label, better, said=said, **self._computed(table, said_at))

    def _computed(self, table: Mapping[str, Any], said_at: Mapping[int, str]) -> dict[str, Any]:
        """How a column is made of others of its leaderboard; nothing where the program gives it."""
        computation, indexes = table.get("computation"), table.get("computation_indexes")
        if computation in (None, ""):
            return {}
        place = f"leaderboard.columns.{printable(str(table.get('key')), 40)}"
        if computation not in get_args(Computation):
            expected = f"one of {', '.join(get_args(Computation))}"
            raise self._fault(f"{place}.computation", described(computation), expected)
        known = isinstance(indexes, list) and all(type(index) is int and index in said_at for index in indexes)
        if not known or not indexes:
            expected = f"a list of indexes of columns, of {', '.join(map(str, said_at))}"
            raise self._fault(f"{place}.computation_indexes", described(indexes), expected)
        return {"computation": computation, "of": tuple(said_at[index] for index in indexes)}

    def _pages(self) -> Iterator[tuple[str, str]]:
        html = self._document.get("html")
        pages = [{"title": title, "file": file} for title, file in html.items()] if isinstance(html, dict) else []
        for page in pages or self._list("pages"):
            if isinstance(page, dict) and isinstance(page.get("file"), str):
                text = self._files.get(page["file"], b"").decode("utf-8", "replace")
                yield self._line(page.get("title")) or page["file"], text[:MOST_PAGE]

    def _list(self, key: str) -> list[Any]:
        listed = self._document.get(key) or []
        if not isinstance(listed, list):
            raise self._fault(key, described(listed), "a list")
        return listed

    def _part(self, path: str, marks: tuple[str, ...]) -> Files:
        """The files of a part, which is a folder or a zip; without a folder around all of them."""
        path = str(PurePosixPath(path))
        if path in self._files:
            part = files_in(self._files[path], path)
        else:
            part = {
                name.removeprefix(f"{path}/"): self._files[name] for name in self._files if name.startswith(f"{path}/")
            }
        if not part:
            raise self._fault(path, "no such file or folder", "a zip or a folder in the bundle")
        tops = {name.partition("/")[0] for name in part}
        if marks and not any(mark in part for mark in marks) and len(tops) == 1:
            part = {name.partition("/")[2]: content for name, content in part.items() if "/" in name}
        return part

    def _text(self, table: Mapping[str, Any], key: str, place: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self._fault(f"{place}.{key}", described(value), "the name of a zip or folder in the bundle")
        return value.strip()

    def _line(self, value: object) -> str:
        return printable(" ".join(str(value).split()), MOST_TEXT) if isinstance(value, str | int | float) else ""

    def _yaml(self, place: str, data: bytes) -> object:
        if len(data) > MOST_YAML:
            raise self._fault(place, f"{len(data):,} bytes", f"at most {MOST_YAML:,}")
        try:
            return yaml.safe_load(data.decode("utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
            raise self._fault(place, f"what is no YAML ({printable(str(error), 200)})", "YAML in UTF-8") from None

    def _fault(self, place: str, what: str, expected: str) -> OwnTaskError:
        return OwnTaskError(f"{self._name}: {place}: found {what}, expected {expected}")


def _phase(phase: Mapping[str, Any]) -> Phase:
    name = phase.get("name", phase.get("label", ""))
    start, end = (phase.get(key, phase.get(f"{key}_date")) for key in ("start", "end"))
    per_day, in_all = (int(max(0, _number(phase.get(key)))) for key in ("max_submissions_per_day", "max_submissions"))
    return Phase(printable(str(name), MOST_TEXT), _moment(start), _moment(end), per_day, in_all)


def _moment(value: object) -> str:
    """A moment as text; month-day-year, as the examples of Codabench write it, becomes year-month-day.

    >>> _moment("12-31-2026"), _moment("1-1-2026 12:30:00"), _moment("soon"), _moment(None)
    ('2026-12-31 00:00:00', '2026-01-01 12:30:00', 'soon', '')
    """
    text = printable(str(value)) if isinstance(value, date | str) else ""
    for form in _AMERICAN:
        with suppress(ValueError):
            return str(datetime.strptime(text.strip(), form))
    return text


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


_AMERICAN = ("%m-%d-%Y", "%m-%d-%Y %H:%M:%S", "%m/%d/%Y", "%m/%d/%Y %H:%M:%S")


def _index(table: Mapping[str, Any], place: int) -> int:
    """By which other columns name a column; where it states no number, its place."""
    index = table.get("index")
    return index if type(index) is int else place


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def bundle_name(file_name: str) -> str:
    """The name of a task from that of its bundle.

    >>> bundle_name("Iris-Challenge 2024.zip")
    'iris_challenge_2024'
    """
    return re.sub(r"[^a-z0-9]+", "_", PurePosixPath(file_name).stem.lower()).strip("_")


def task_names(name: str, count: int) -> list[str]:
    """What the tasks of a bundle are called.

    Raises:
        OwnTaskError: the name is none.

    >>> task_names("iris", 2)
    ['iris', 'iris_2']
    """
    names = [name, *(f"{name}_{number}" for number in range(2, count + 1))]
    if wrong := next((called for called in names if not is_task_name(called)), None):
        raise OwnTaskError(
            f"the name {quoted(wrong)} is no name of a task, expected 3 to 24 of a-z, 0-9 and _: rename the zip"
        )
    return names


def described_bundle(task: BundleTask) -> str:
    """What is kept of a task beside its files, as JSON."""
    return json.dumps(
        {
            "title": task.title,
            "columns": [_kept(column) for column in task.columns],
            "command": task.command,
            "phases": [astuple(phase) for phase in task.phases],
            "pages": task.pages,
            "seconds": task.seconds,
        }
    )


def _kept(column: OwnColumn) -> list[object]:
    """A column as `task_file` reads it again; those that the program gives are kept as they always were."""
    computed = [column.computation, column.of] if column.computation else []
    return [column.key, column.label, column.better, column.said, *computed]
