"""`python -m submissions check` and `template`: the checks without a server and without an account."""

from __future__ import annotations

import argparse
import io
import json
import shlex
import sys
from pathlib import Path
from typing import Any, BinaryIO

from submissions.check import EDITIONS, CheckReport
from submissions.checking.job import Budget, CheckJob
from submissions.checking.once import checked_once
from submissions.commands.command_line import stop
from submissions.commands.meanwhile import told_meanwhile
from submissions.commands.verdict_flags import add_verdict_flags, verdict_choices
from submissions.formats.eloquent.template import (
    answer_sheet,
    cultural_languages_at_hand,
    cultural_template,
    question_template,
    submission_template,
)
from submissions.kinds import templates
from submissions.own_tasks.task import is_own_set
from submissions.problems import Problem, grouped, listed
from submissions.promptsets import (
    DEMONSTRATION,
    DEMONSTRATION_2025,
    DEMONSTRATION_2026,
    ELOQUENT_2024,
    ELOQUENT_2025,
    ELOQUENT_2026,
    SETS_OF_2025,
    SETS_OF_2026,
    PromptSetError,
    PromptSets,
)
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.promptsets.cultural import CULTURAL_LANGUAGES
from submissions.reading.limits import Limits
from submissions.reading.quoting import printable
from submissions.schema import Names
from submissions.settings import Settings

EXIT_ACCEPTED = 0
EXIT_REFUSED = 1

TEMPLATES = {template.set_id: template for template in templates().values()}
"""Of kinds whose files hold all that was answered: what the command line calls one -> it."""

TEMPLATE_SETS = (
    *(ELOQUENT_2024, DEMONSTRATION, ELOQUENT_2025, DEMONSTRATION_2025, ELOQUENT_2026, DEMONSTRATION_2026),
    *TEMPLATES,
)

DECISIONS = {
    "accepted": "accepted",
    "accepted_with_warnings": "accepted with warnings",
    "refused": "refused",
}


def add_commands(commands: Any) -> None:
    """Adds `check` and `template` to the subparsers of `python -m submissions`."""
    check = commands.add_parser("check", help="check a file: exit 0 accepted, 1 refused, 2 not checked")
    check.add_argument("file", metavar="FILE")
    check.add_argument("--edition", choices=EDITIONS, default="auto", help="what the file is said to be")
    check.add_argument("--json", action="store_true", help="print the report as one JSON object")
    for name in ("team", "system", "model", "run"):
        check.add_argument(f"--{name}", help=f"the {name}, where the file does not state it")
    add_verdict_flags(check)
    check.set_defaults(command=_check)

    template = commands.add_parser("template", help="write an unfilled submission, or the prompts to answer")
    template.add_argument(
        "--set",
        type=_set_id,
        default=ELOQUENT_2024,
        dest="set_id",
        metavar="SET",
        help=f"{', '.join(TEMPLATE_SETS)}, or own_task:NAME of an installed task",
    )
    template.add_argument("--answer-sheet", action="store_true", help="the prompts instead of the submission")
    template.add_argument(
        "--languages",
        type=_languages,
        metavar="L,...",
        help=f"{ELOQUENT_2026}: some of its 24 (default: those with prompts at hand); {ELOQUENT_2025}: one (en)",
    )
    template.add_argument("--output", metavar="FILE", help="write here instead of to standard output")
    template.set_defaults(command=_template)


def _check(options: argparse.Namespace, settings: Settings) -> int:
    names = Names(team=options.team, system=options.system, model=options.model, run=options.run)
    prompt_sets = loaded_prompt_sets(settings)
    job = CheckJob(Path(options.file), options.file, options.edition, names, verdict_choices(options))
    what = f"checking {printable(Path(options.file).name, 200)}"
    with _file(options.file) as file, told_meanwhile(lambda: what, sys.stderr):
        report = checked_once(file, job, prompt_sets, Budget.of(settings))
    _print(json.dumps(report.as_json()) if options.json else report_text(report, Path(options.file).name))
    return EXIT_REFUSED if report.decision == "refused" else EXIT_ACCEPTED


def _template(options: argparse.Namespace, settings: Settings) -> int:
    try:
        if options.set_id in SETS_OF_2026 and not options.answer_sheet:
            _write_zip(options, settings)
            return EXIT_ACCEPTED
        text = _template_text(options, settings)
        if options.output:
            Path(options.output).write_text(text, encoding="utf-8")
        else:
            _print(text.rstrip("\n"))
    except PromptSetError as error:
        stop(f"template: {error}")
    except BrokenPipeError:
        raise  # whoever reads standard output wants no more of it
    except OSError as error:
        stop(f"template: {options.output}: {error.strerror}")
    return EXIT_ACCEPTED


def _write_zip(options: argparse.Namespace, settings: Settings) -> None:
    if not options.output:
        stop(f"template: a zip is not written to standard output: give --output FILE for {options.set_id}")
    prompt_set = loaded_prompt_sets(settings).shown.by_id(options.set_id)
    at_hand = cultural_languages_at_hand(prompt_set)
    languages = options.languages or at_hand
    known = at_hand if options.set_id == DEMONSTRATION_2026 else CULTURAL_LANGUAGES
    if unknown := [language for language in languages if language not in known]:
        stop(f"template: --languages: found {unknown[0]!r}, expected some of {', '.join(known)}")
    Path(options.output).write_bytes(cultural_template(prompt_set, languages))


def _set_id(text: str) -> str:
    if text in TEMPLATE_SETS or is_own_set(text):
        return text
    raise argparse.ArgumentTypeError(f"found {text!r}, expected one of {', '.join(TEMPLATE_SETS)}, or own_task:NAME")


def _own_template(set_id: str, settings: Settings) -> str:
    installed = {task.set_id: task for task in loaded_prompt_sets(settings).own_tasks}
    if set_id not in installed:
        stop(f"template: --set: found {set_id}, expected {' or '.join(installed) or 'an installed task; none is'}")
    return installed[set_id].template()


def _languages(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _template_text(options: argparse.Namespace, settings: Settings) -> str:
    if template := TEMPLATES.get(options.set_id):
        if options.answer_sheet:
            stop(f"template: {template.no_answer_sheet}")
        return template.text()
    if is_own_set(options.set_id):
        return _own_template(options.set_id, settings)
    prompt_set = loaded_prompt_sets(settings).shown.by_id(options.set_id)
    if options.set_id in SETS_OF_2025 and not options.answer_sheet:
        return question_template((options.languages or ("en",))[0], prompt_set).decode("utf-8")
    return answer_sheet(prompt_set) if options.answer_sheet else submission_template(prompt_set)


def report_text(report: CheckReport, file_name: str) -> str:
    """The report for reading: the decision, every problem listed with place and hint, and the coverage."""
    what = f" (ELOQUENT {report.edition})" if report.edition else f" ({report.kind})" if report.kind else ""
    lines = [f"{DECISIONS[report.decision]}: {printable(file_name, 200)}{what}"]
    if report.reading and report.decision != "refused" and (ranks := report.reading.rank_words()):
        lines.append(f"it {ranks}")
    shown = listed(report.problems)
    for problem in grouped(shown):
        lines += _problem_lines(problem)
    total = sum(report.problems_by_code.values())
    if total > len(shown):
        lines.append(f"… and {total - len(shown):,} more problems: {_counts_text(report.problems_by_code)}")
    lines += report.reading.coverage_lines() if report.reading else ()
    return "\n".join(lines)


def _file(name: str) -> BinaryIO:
    """The file, open; of a pipe its bytes, or one more than is taken of any."""
    try:
        file = open(name, "rb")  # noqa: SIM115 - the caller closes it
        if file.seekable():
            return file
        with file:
            return io.BytesIO(file.read(Limits().personalized_lines_bytes + 1))
    except IsADirectoryError:
        stop(f"check: {folder_words(name)}")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        stop(f"check: {printable(name, 200)}: {reason}")


def folder_words(name: str) -> str:
    """What is said where a folder stands for a file."""
    return (
        f"{printable(name, 200)} is a folder, and a submission is one file. To make submissions of the answers in it: "
        f"python -m submissions pack {shlex.quote(printable(name, 200))}"
    )


def loaded_prompt_sets(settings: Settings) -> PromptSets:
    try:
        return prompt_sets_at_hand(settings, fetch=False)
    except PromptSetError as error:
        stop(str(error))


def _print(text: str) -> None:
    # A terminal or pipe may not know every character of a report; an escape is better than a traceback.
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def _problem_lines(problem: Problem) -> list[str]:
    slot = [
        text
        for text in (
            problem.item and f"item {problem.item}",
            problem.variant and f"variant {problem.variant}",
            problem.language,
        )
        if text
    ]
    place = problem.path + (f" ({', '.join(slot)})" if slot else "") + line_words(problem)
    return [f"{problem.severity} {problem.code} at {place}", f"    {problem.message}", f"    fix: {problem.hint}"]


def line_words(problem: Problem) -> str:
    """`, line 12`; blank where the line is not known, or the place names it already."""
    is_named = problem.line is None or f":{problem.line}" in problem.path
    return "" if is_named else f", line {problem.line}"


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{code} {count:,}" for code, count in counts.items())
