"""`python -m submissions check` and `template`: the checks without a server and without an account."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from submissions.checks import EDITIONS, CheckReport, check_submission
from submissions.command_line import stop
from submissions.formats.limits import Limits
from submissions.problems import Problem, listed
from submissions.promptsets import DEMONSTRATION, ELOQUENT_2024, PromptSetError, PromptSets
from submissions.promptsets.at_hand import prompt_sets_at_hand
from submissions.quotation import keys_shown, printable
from submissions.schema import Count, Coverage, Names
from submissions.settings import Settings
from submissions.templates import answer_sheet, submission_template
from submissions.verdict_flags import add_verdict_flags, verdict_choices
from submissions.verdict_submission import VerdictCoverage

EXIT_ACCEPTED = 0
EXIT_REFUSED = 1

_DECISIONS = {
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
    template.add_argument("--set", choices=(ELOQUENT_2024, DEMONSTRATION), default=ELOQUENT_2024, dest="set_id")
    template.add_argument("--answer-sheet", action="store_true", help="the prompts instead of the submission")
    template.add_argument("--output", metavar="FILE", help="write here instead of to standard output")
    template.set_defaults(command=_template)


def _check(options: argparse.Namespace, settings: Settings) -> int:
    data = _file(options.file)
    names = Names(team=options.team, system=options.system, model=options.model, run=options.run)
    report = check_submission(
        data,
        options.file,
        edition=options.edition,
        names=names,
        choices=verdict_choices(options),
        prompt_sets=_prompt_sets(settings),
    )
    _print(json.dumps(report.as_json()) if options.json else report_text(report, Path(options.file).name))
    return EXIT_REFUSED if report.decision == "refused" else EXIT_ACCEPTED


def _template(options: argparse.Namespace, settings: Settings) -> int:
    prompt_set = _prompt_sets(settings).by_id(options.set_id)
    try:
        text = answer_sheet(prompt_set) if options.answer_sheet else submission_template(prompt_set)
        if options.output:
            Path(options.output).write_text(text, encoding="utf-8")
        else:
            _print(text.rstrip("\n"))
    except PromptSetError as error:
        stop(f"template: {error}")
    except OSError as error:
        stop(f"template: {options.output}: {error.strerror}")
    return EXIT_ACCEPTED


def report_text(report: CheckReport, file_name: str) -> str:
    """The report for reading: the decision, every problem listed with place and hint, and the coverage."""
    what = f" (ELOQUENT {report.edition})" if report.edition else f" ({report.kind})" if report.kind else ""
    lines = [f"{_DECISIONS[report.decision]}: {printable(file_name, 200)}{what}"]
    shown = listed(report.problems)
    for problem in shown:
        lines += _problem_lines(problem)
    total = sum(report.problems_by_code.values())
    if total > len(shown):
        lines.append(f"… and {total - len(shown):,} more problems: {_counts_text(report.problems_by_code)}")
    if report.coverage:
        lines += _coverage_lines(report.coverage)
    if report.verdict_coverage:
        lines += _verdict_lines(report.verdict_coverage)
    return "\n".join(lines)


def _file(name: str) -> bytes:
    """The file, or one byte more than is taken of a larger one."""
    try:
        with open(name, "rb") as file:
            return file.read(Limits().upload_bytes + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        stop(f"check: {printable(name, 200)}: {reason}")


def _prompt_sets(settings: Settings) -> PromptSets:
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
    place = problem.path + (f" ({', '.join(slot)})" if slot else "")
    return [f"{problem.severity} {problem.code} at {place}", f"    {problem.message}", f"    fix: {problem.hint}"]


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{code} {count:,}" for code, count in counts.items())


def _coverage_lines(coverage: Coverage) -> list[str]:
    languages = ", ".join(f"{language} {_share_text(count)}" for language, count in coverage.by_language.items())
    views = ", ".join(f"{view} {'yes' if rankable else 'no'}" for view, rankable in coverage.rankable.items())
    return [f"coverage: {_share_text(coverage.total)} ({languages})", f"enough for a rank: {views}"]


def _verdict_lines(coverage: VerdictCoverage) -> list[str]:
    return [
        f"verdicts: {coverage.n_rows:,} rows, {coverage.n_pairs:,} pairs of {coverage.n_items:,} items, "
        f"{coverage.n_error_calls:,} unusable",
        f"judges: {keys_shown(list(coverage.judges))}; benchmarks: {keys_shown(list(coverage.benchmarks))}",
    ]


def _share_text(count: Count) -> str:
    return f"{count.answered}/{count.expected}"
