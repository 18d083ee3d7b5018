"""`python -m submissions pack`: submissions of the files a team has, and a log of every change."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from submissions.check import CheckReport, check_submission
from submissions.commands.check import DECISIONS, loaded_prompt_sets
from submissions.commands.command_line import stop
from submissions.packing.edition_2025 import stated_language
from submissions.packing.editions import EDITIONS
from submissions.packing.hub import add_hub_files, hub_address, is_hub_address
from submissions.packing.plan import Choices, PackingPlan, open_names, planned
from submissions.packing.runs import NAME_FIELDS
from submissions.packing.sources import CannotPack, Gathering
from submissions.packing.writing import (
    LOG_FILE,
    answers_in_words,
    log_bytes,
    log_lines,
    packed_files,
    prompt_lines,
    write_all,
)
from submissions.promptsets import PromptSets
from submissions.reading.quoting import printable
from submissions.schema import Names
from submissions.settings import Settings

_CELL = 48


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table; numbers stand at the right.

    >>> text_table(("run", "answers"), [("greedy", "1,200"), ("cot", "7")])
    ['run     answers', 'greedy    1,200', 'cot           7']
    """
    cells = [[printable(cell, _CELL) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    of_numbers = [all(row[at].replace(",", "").isdigit() for row in cells[1:]) for at in range(len(head))]
    return [
        "  ".join(
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, of_numbers, strict=True)
        ).rstrip()
        for row in cells
    ]


EXIT_PACKED = 0
EXIT_LOSSES = 1

_SHOWN_ASIDE = 20
_SHOWN_CHANGES = 20


def add_commands(commands: Any) -> None:
    """Adds `pack` to the subparsers of `python -m submissions`."""
    pack = commands.add_parser(
        "pack",
        help="make submissions of files of any shape; no answer is altered",
        description="Finds which files belong to one run, merges archives, drops copies and writes each run in the "
        "form of its edition, with a log of every change. Exit codes: 0 = all answers are in a run; 1 = some are not, "
        "and why is said; 2 = wrong use, or something only you know is missing.",
    )
    pack.add_argument("sources", nargs="+", metavar="PATH", help="files, folders, or hf://datasets/OWNER/NAME@COMMIT")
    pack.add_argument(
        "--out", type=Path, default=Path("packed"), metavar="FOLDER", help="where to write (default packed)"
    )
    for name in ("team", "system", "model", "run"):
        more = "; {run} and {model} stand for those of each run" if name == "system" else ""
        pack.add_argument(f"--{name}", help=f"the {name}, where the files do not state it{more}")
    pack.add_argument(
        "--language",
        action="append",
        default=[],
        metavar="NAME=xx",
        help="the language of files whose path holds NAME, where nothing tells it; may be given again",
    )
    pack.add_argument(
        "--edition", choices=[known.edition for known in EDITIONS], help="of all files, where they do not tell it"
    )
    pack.add_argument(
        "--without", action="append", default=[], metavar="PATTERN", help="leave out files whose path or name fits"
    )
    pack.add_argument("--one-run", action="store_true", help="all files are of one run, whatever they are called")
    pack.add_argument(
        "--own-prompts",
        action="store_true",
        help="the prompts beside the answers are your own wording of the prompts of their ids",
    )
    pack.add_argument("--plan", action="store_true", help="show what would be written, and write nothing")
    pack.add_argument("--json", action="store_true", help="print the log instead of tables")
    pack.set_defaults(command=_pack)


def _pack(options: argparse.Namespace, settings: Settings) -> int:
    prompt_sets = loaded_prompt_sets(settings)
    names = Names(options.team, options.system, options.model, options.run)
    choices = Choices(
        names,
        languages=_languages(options.language),
        is_one_run=options.one_run,
        edition=options.edition,
        has_own_prompts=options.own_prompts,
    )
    today = datetime.now(UTC).date()
    try:
        gathering = _gathered(options.sources, options.without)
        plan = planned(gathering.sources, gathering.aside, choices, prompt_sets=prompt_sets)
        if plan.runs and (missing := open_names(plan)):
            choices = replace(choices, asked=_asked(missing))
            plan = planned(gathering.sources, gathering.aside, choices, prompt_sets=prompt_sets)
        files = packed_files(plan, today, prompt_sets)
        log = log_lines(plan, files, today, prompt_sets)
        if files and not options.plan:
            write_all(options.out, {**{name: file.data for name, file in files.items()}, LOG_FILE: log_bytes(log)})
    except CannotPack as error:
        stop(f"pack: {error}")
    if options.json:
        _print("".join(json.dumps(line) + "\n" for line in log))
    else:
        _print(_plan_text(plan, prompt_sets))
        changes = [line for line in log if "change" in line]
        _print("".join(_change_line(line) for line in changes[:_SHOWN_CHANGES]))
        _print(_outcome(options, {name: file.data for name, file in files.items()}, len(changes), prompt_sets))
    return EXIT_LOSSES if plan.has_losses or not files else EXIT_PACKED


def _gathered(named: Sequence[str], without: Sequence[str]) -> Gathering:
    gathering = Gathering()
    gathering.add_paths(Path(name) for name in named if not is_hub_address(name))
    for name in named:
        if is_hub_address(name):
            add_hub_files(gathering, hub_address(name))
    kept = []
    for source in gathering.sources:
        if any(fnmatch(source.place, pattern) or fnmatch(source.name, pattern) for pattern in without):
            gathering.leave(source.place, "left out by --without")
        else:
            kept.append(source)
    gathering.sources = kept
    return gathering


def _languages(stated: Sequence[str]) -> dict[str, str]:
    languages = {}
    for option in stated:
        part, _, written = option.rpartition("=")
        code = stated_language(written)
        if not part or code is None:
            stop(f"pack: --language: found {option!r}, expected NAME=xx with a language like de")
        languages[part] = code
    return languages


def _asked(missing: dict[str, list[str]]) -> Names:
    """The names given, with those that only the team knows: asked for at a terminal, else the command ends with what
    is missing."""
    wanted = [name for name in NAME_FIELDS if name in missing]
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        runs = ", ".join(dict.fromkeys(label for name in wanted for label in missing[name]))
        stop(
            f"pack: nothing says the {' and '.join(wanted)} of: {printable(runs, 300)}. Give "
            f"{' and '.join(f'--{name}' for name in wanted)} (in --system, {{run}} and {{model}} stand for those of "
            "each run)"
        )
    answers: dict[str, str] = {}
    for name in wanted:
        runs = printable(", ".join(missing[name]), 200)
        more = " ({run} and {model} stand for those of each run)" if name != "team" else ""
        while not answers.get(name):
            sys.stderr.write(f"{name} of {runs}{more}: ")
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                stop(f"pack: no answer: give --{name}")
            answers[name] = line.strip()
    return Names(**answers)


def _plan_text(plan: PackingPlan, prompt_sets: PromptSets) -> str:
    rows = [
        (
            run.names.run or run.label,
            run.edition,
            run.names.system or "?",
            run.names.model or "?",
            " ".join(run.languages),
            answers_in_words(run, prompt_sets),
            str(len(run.files)),
        )
        for run in plan.runs
    ]
    head = ("run", "edition", "system", "model", "languages", "answers", "files")
    lines = text_table(head, rows) if rows else ["no answers were found"]
    for run in plan.runs:
        name = run.names.run or run.label
        lines += [f"{printable(name)}: not written: {fault}" for fault in run.faults[:3]]
        lines += [f"{printable(name)}, prompts: {line}" for line in prompt_lines(run, prompt_sets)]
    # What holds answers first: that is what somebody has to look at.
    aside = sorted(plan.aside, key=lambda file: not file.has_answers)
    lines += [f"left aside: {file.place}: {file.why}" for file in aside[:_SHOWN_ASIDE]]
    if len(aside) > _SHOWN_ASIDE:
        lines.append(f"… and {len(aside) - _SHOWN_ASIDE:,} more files that are in no run")
    return "\n".join(lines) + "\n"


def _change_line(line: dict[str, Any]) -> str:
    about = f" ({line['of']})" if line["of"] else ""
    return f"change in {line['file']}{about}: {line['change']}\n"


def _outcome(options: argparse.Namespace, files: dict[str, bytes], n_changes: int, prompt_sets: PromptSets) -> str:
    """What was written, and what the check says of it."""
    if options.plan or not files:
        return "" if files else "nothing was written\n"
    lines = []
    for number, (name, data) in enumerate(files.items(), start=1):
        sys.stderr.write(f"checking {number} of {len(files)}: {name}\n")
        report = check_submission(data, name, prompt_sets=prompt_sets, keep_rows=False)
        lines.append(f"{options.out / name}: {_checked_words(report)}")
    lines.append(f"{options.out / LOG_FILE}: {n_changes:,} changes; no text of an answer is among them")
    lines.append(f"Next: python -m submissions check {options.out / next(iter(files))}, then submit it")
    return "\n".join(lines) + "\n"


def _checked_words(report: CheckReport) -> str:
    errors = [problem for problem in report.problems if problem.severity == "error"]
    words = DECISIONS[report.decision]
    if errors:
        return f"{words}: {errors[0].path}: {errors[0].message}"
    ranks = report.reading.rank_words() if report.reading else ""
    if report.coverage and None in report.coverage.rankable.values():
        ranks = "whether it is ranked is told by all files of the run together"
    return f"{words}; {ranks or 'has what a rank needs'}"


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
