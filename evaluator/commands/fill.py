"""`python -m evaluator fill`: a complete ELOQUENT submission of any edition from a model."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator.answering.journal import CannotResume
from evaluator.answering.questions import Interrupted
from evaluator.answering.templates import (
    FillJournal,
    FillPlan,
    fill,
    filled,
    new_tokens,
    shown_flags,
    template_faults,
    turn_keys,
    without_prompts,
)
from evaluator.commands.answer import Progress, count_above_zero, loaded_generator, stopped_by_signals
from evaluator.generators.decoding import decoding_of
from evaluator.generators.loading import GENERATOR_NAMES
from evaluator.generators.protocol import GeneratorUnavailable, TextGenerator
from submissions.check import check_submission
from submissions.commands.check import report_text
from submissions.commands.command_line import stop
from submissions.formats.eloquent.template import (
    cultural_languages_at_hand,
    cultural_template,
    question_template,
    submission_template,
)
from submissions.formats.eloquent.writing import FILE_SUFFIX, submission_file
from submissions.promptsets import (
    DEMONSTRATION,
    DEMONSTRATION_2025,
    DEMONSTRATION_2026,
    ELOQUENT_2024,
    ELOQUENT_2026,
    SETS_OF_2026,
    PromptSetError,
    PromptSets,
)
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.promptsets.cultural import CULTURAL_LANGUAGES
from submissions.schema import Flag, Names, Response, Submission
from submissions.settings import Settings

FILL_SETS = (ELOQUENT_2024, DEMONSTRATION, DEMONSTRATION_2025, ELOQUENT_2026, DEMONSTRATION_2026)
"""Sets whose prompts may be at hand; the edition's of 2025 stand in a template."""

JOURNAL_SUFFIX = ".answers.jsonl"


def add_commands(commands: Any) -> None:
    """Adds `fill` to the subparsers of `python -m evaluator`."""
    parser = commands.add_parser("fill", help="let a model answer an ELOQUENT prompt set, or the blanks of a template")
    parser.add_argument("--generator", required=True, metavar="G", help=f"one of {', '.join(GENERATOR_NAMES)}")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--set", choices=FILL_SETS, dest="set_id", help="the prompts at hand of this set")
    source.add_argument(
        "--template", type=Path, metavar="FILE", help="a submission of any edition; its blank answers are filled in"
    )
    for name in ("team", "system", "model", "run"):
        parser.add_argument(f"--{name}", required=True, help=f"the {name}, as the board shows it")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help=".json; .zip for 2026")
    parser.add_argument("--languages", metavar="L,...", help="only these languages (default: all that have prompts)")
    parser.add_argument("--limit", type=count_above_zero, metavar="N", help="only the first N prompts")
    parser.add_argument(
        "--max-new-tokens", type=count_above_zero, metavar="N", help="default 512; 200 for 2026, as that edition asks"
    )
    parser.add_argument(
        "--system-prompt", default="", metavar="TEXT", help="said before every prompt, as the turn of the system"
    )
    parser.add_argument(
        "--parallel", type=count_above_zero, default=1, metavar="N", help="prompts under way at once (default 1)"
    )
    parser.set_defaults(command=fill_command)


def fill_command(options: argparse.Namespace, settings: Settings) -> int:
    """Writes the file, or goes on with it; 0 when it is accepted, 1 when it was interrupted or is refused."""
    names = Names(*(getattr(options, name).strip() for name in ("team", "system", "model", "run")))
    try:
        prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    except PromptSetError as error:
        stop(f"fill: {error}")
    plan = _plan(options, names, prompt_sets)
    if options.out.exists():
        stop(f"fill: {options.out} is at hand: choose another --out")
    generator = loaded_generator("fill", options.generator, settings)
    plan = replace(plan, decoding=decoding_of(options.generator)[1])
    path = options.out.with_name(options.out.name + JOURNAL_SUFFIX)
    try:
        with FillJournal(path, plan.head(generator.pin)) as journal:
            if not _write(plan, generator, journal, options.parallel):
                return 1
            whole = filled(plan, journal)
            data = submission_file(without_prompts(whole) if plan.prompt_set.is_hidden else whole)
        unfinished = options.out.with_name(options.out.name + ".unfinished")
        unfinished.write_bytes(data)
        unfinished.replace(options.out)
        path.unlink()
    except CannotResume as error:
        stop(f"fill: {error}")
    except OSError as error:
        stop(f"fill: {error.filename or options.out}: {error.strerror}")
    report = check_submission(data, options.out.name, prompt_sets=prompt_sets, keep_rows=False)
    print(report_text(report, options.out.name))
    return 1 if report.decision == "refused" else 0


def _plan(options: argparse.Namespace, names: Names, prompt_sets: PromptSets) -> FillPlan:
    languages = _languages(options.languages)
    template = _template(options, names, prompt_sets, languages)
    suffix = FILE_SUFFIX[template.edition]
    if options.out.suffix != suffix:
        stop(f"fill: --out: found {options.out.name!r}, expected a name that ends with {suffix} ({template.edition})")
    plan = FillPlan(
        template,
        prompt_sets.by_id(template.set_id),
        names,
        date=datetime.now(UTC).date().isoformat(),
        max_new_tokens=options.max_new_tokens or new_tokens(template.edition),
        languages=languages,
        limit=options.limit,
        system_prompt=options.system_prompt.strip(),
    )
    if not plan.open_responses():
        stop(
            "fill: there is nothing to ask: no blank answer has a prompt. The official prompts are not installed (set "
            "PLUMBLINE_ELOQUENT_DIR), and the template states none"
            + (f"; or it has none in {', '.join(languages)}" if languages else "")
        )
    return plan


def _template(
    options: argparse.Namespace, names: Names, prompt_sets: PromptSets, languages: tuple[str, ...] | None
) -> Submission:
    """The template as its reader sees it."""
    data, name = _template_bytes(options, prompt_sets, languages)
    report = check_submission(data, name, names=names, prompt_sets=prompt_sets)
    faults = template_faults(report.problems)
    if report.submission is None or faults:
        for fault in faults:
            sys.stderr.write(f"{fault}\n")
        stop(f"fill: {name} cannot be used as a template ({len(faults)} faults; python -m submissions check says more)")
    return report.submission


def _template_bytes(
    options: argparse.Namespace, prompt_sets: PromptSets, languages: tuple[str, ...] | None
) -> tuple[bytes, str]:
    if options.template is not None:
        try:
            return options.template.read_bytes(), options.template.name
        except OSError as error:
            stop(f"fill: {options.template}: {error.strerror}")
    prompt_set = prompt_sets.by_id(options.set_id)
    if options.set_id == DEMONSTRATION_2025:
        if len(languages or ()) != 1:
            stop("fill: --languages: a file of 2025 has one language; name it")
        return question_template((languages or ())[0], prompt_set), options.set_id
    if options.set_id not in SETS_OF_2026:
        return submission_template(prompt_set).encode("utf-8"), options.set_id
    named = languages or cultural_languages_at_hand(prompt_set)
    if unknown := [language for language in named if language not in CULTURAL_LANGUAGES]:
        stop(f"fill: --languages: found {unknown[0]!r}, expected some of {', '.join(CULTURAL_LANGUAGES)}")
    return cultural_template(prompt_set, named), options.set_id


def _write(plan: FillPlan, generator: TextGenerator, journal: FillJournal, parallel: int) -> bool:
    """Whether every prompt has its answer."""
    total = sum(1 for response in plan.open_responses() for _ in turn_keys(response))
    progress = Progress(total, len(journal), sys.stderr, what="answers")
    watched = _Watched()
    if len(journal):
        sys.stderr.write(f"going on: {len(journal):,} of {total:,} answers are there\n")

    def answered(response: Response, is_cut: bool) -> None:
        progress.advance()
        watched.look(response, is_cut)

    try:
        with stopped_by_signals() as stopped:
            fill(plan, generator, journal, stop=stopped, parallel=parallel, on_answer=answered)
    except (Interrupted, GeneratorUnavailable) as error:
        progress.end()
        why = "stopped" if isinstance(error, Interrupted) else f"{error}; stopped"
        sys.stderr.write(
            f"{why} at {len(journal):,} of {total:,} answers; they are in {journal.path}, and the same command goes "
            "on\n"
        )
        return False
    progress.end()
    return True


class _Watched:
    """Tells, while there is still time, when answers look wrong: the first of each sort, then every tenfold number."""

    def __init__(self) -> None:
        self._counts: Counter[Flag | str] = Counter()

    def look(self, response: Response, is_cut: bool) -> None:
        blank: set[Flag | str] = {"cut"} if is_cut else {"blank"} if response.is_blank else set()
        for sort in shown_flags(response) or blank:
            self._counts[sort] += 1
            if self._counts[sort] in (1, 10, 100, 1_000, 10_000):
                place = f"{response.item_id}, {response.language}"
                sys.stderr.write(f"\nwarning: {self._counts[sort]:,} answers are {_WORDS[sort]}, now that to {place}\n")


_WORDS: dict[Flag | str, str] = {
    "cut": "blank, as the model was cut off within its thoughts (raise --max-new-tokens)",
    "blank": "empty",
    "echo": "their prompt",
    "error_text": "error messages",
    "control_tokens": "not free of control tokens",
    "verdict_text": "addressed to the judge",
    "placeholder": 'the "..." of the example',
}


def _languages(text: str | None) -> tuple[str, ...] | None:
    named = tuple(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))
    return named or None
