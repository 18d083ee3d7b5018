"""`python -m evaluator evaluate`: score one file as the worker would."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.commands.judge import add_judge_flag, chosen_references, chosen_scorer, panel_judges
from evaluator.commands.model_card import EVAL_RESULTS, MODEL_INDEX, NoCard, write_card
from evaluator.commands.thresholds import EXIT_BELOW, UnknownFigure, add_bounds, beyond
from evaluator.judges.text_replies import PROFILES
from submissions.commands.command_line import read_bytes, stop
from submissions.commands.meanwhile import told_meanwhile
from submissions.commands.verdict_flags import add_verdict_flags, verdict_choices
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.reading.quoting import quoted
from submissions.settings import Settings, is_repository

if TYPE_CHECKING:
    from evaluator.values import Result


def add_commands(commands: Any) -> None:
    """Add `evaluate` to the subparsers of `python -m evaluator`."""
    evaluate = commands.add_parser("evaluate", help="score one file and print the result")
    evaluate.add_argument("file", type=Path)
    evaluate.add_argument("more", type=Path, nargs="*", help="the run's other languages (ELOQUENT 2025)")
    for name in ("team", "system", "model", "run"):
        evaluate.add_argument(f"--{name}", help=f"the {name}, where the file does not state it")
    evaluate.add_argument("--json", action="store_true", help="print the result object the worker stores")
    evaluate.add_argument(
        "--profile",
        choices=PROFILES,
        default=PROFILES[0],
        help="personalized answers: perg repeats the published implementation, for comparison",
    )
    add_bounds(evaluate)
    evaluate.add_argument(
        "--card", type=Path, metavar="FOLDER", help=f"write {EVAL_RESULTS} and {MODEL_INDEX} for a model card below it"
    )
    evaluate.add_argument("--dataset", metavar="OWNER/NAME", help="of --card: dataset repository of the benchmark")
    add_verdict_flags(evaluate)
    add_judge_flag(evaluate)
    evaluate.set_defaults(command=_evaluate)


def _evaluate(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.commands.evaluation_progress import EvaluationProgress
    from evaluator.evaluate import CannotBeJudged, RunUpload, evaluate_payload, result_text
    from evaluator.judges.protocol import JudgeUnavailable
    from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
    from evaluator.robustness.panel import scored_by_all
    from submissions.check import check_submission
    from submissions.schema import Names

    if options.card and not is_repository(options.dataset or ""):
        stop(f"--card needs --dataset OWNER/NAME; found {quoted(options.dataset or '')}")
    data = read_bytes(options.file)
    names = Names(team=options.team, system=options.system, model=options.model, run=options.run)
    run = [RunUpload(read_bytes(path), path.name, names) for path in (*options.more, options.file)]
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    references = chosen_references(settings, prompt_sets)
    choices = verdict_choices(options)
    report = check_submission(data, options.file.name, names=names, choices=choices, prompt_sets=prompt_sets)
    entry = report.entry
    scorer = chosen_scorer(options, settings)
    if report.submission is not None:
        scorer = scorer.of_set(report.submission.set_id)

    def score(judge: RecordedJudge) -> Result:
        return evaluate_payload(
            data,
            options.file.name,
            edition="auto",
            names=names,
            choices=choices,
            prompt_sets=prompt_sets,
            judge=judge,
            embedder=scorer.embedder,
            references=references,
            profile=options.profile,
            run=run if options.more else (),
        )

    progress = EvaluationProgress(scorer.embedder)
    try:
        with told_meanwhile(progress.words, sys.stderr):
            result = scored_by_all(
                (scorer.judge, *panel_judges(options, settings)),
                MemoryVerdicts(),
                score,
                system_model=entry.names.model if entry else None,
                on_batch=progress.batch,
                steps=progress.steps,
            )
    except (CannotBeJudged, JudgeUnavailable) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    print(result.model_dump_json() if options.json else result_text(result))
    return _held(options, json.loads(result.model_dump_json()), entry.names.model if entry else None)


def _held(options: argparse.Namespace, result: dict[str, Any], model: str | None) -> int:
    """Write the card, then hold the figures against their bounds."""
    try:
        if options.card:
            for path in write_card(result, options.dataset, model or "model", options.card, datetime.now(UTC)):
                sys.stderr.write(f"{path} written\n")
        lines = beyond(result, [*options.fail_below, *options.fail_above])
    except UnknownFigure as error:
        stop(str(error))
    except NoCard as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_BELOW
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    for line in lines:
        sys.stderr.write(f"{line}\n")
    return EXIT_BELOW if lines else 0
