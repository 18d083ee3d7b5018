"""`python -m evaluator`: work on the queue, evaluate one file, try a judge on pairs."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

if __name__ == "__main__" and sys.argv[1:2] == ["doctor"]:
    # It answers within five seconds, and to import all other commands takes half of them.
    from evaluator.commands.doctor import main as doctor_main

    raise SystemExit(doctor_main(sys.argv[1:]))

from evaluator.commands import (
    answer,
    behavior_alignment,
    canary,
    doctor,
    editions,
    fill,
    human_check,
    judge_report,
    personalization,
    personalized_evaluation,
    plan_items,
    position_bias,
    published_judges,
    record,
    rejudge_all,
)
from evaluator.commands import judge as judge_commands
from evaluator.commands.model_card import EVAL_RESULTS, MODEL_INDEX, NoCard, write_card
from evaluator.commands.thresholds import EXIT_BELOW, UnknownFigure, add_bounds, beyond
from evaluator.judges.text_replies import PROFILES
from evaluator.robustness.references import ReferenceUnusable, references_at_hand
from evaluator.task import Reference
from evaluator.values import Result
from submissions.commands.command_line import OneLineParser, ended_unread, opened_store, stop
from submissions.commands.meanwhile import told_meanwhile
from submissions.commands.verdict_flags import add_verdict_flags, verdict_choices
from submissions.promptsets import PromptSets
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.reading.quoting import quoted
from submissions.settings import Settings, SettingsError, is_repository
from submissions.store.store import StoreUnavailable


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit code (0 done, 1 the work failed, 2 wrong use, 3 a figure beyond its bound)."""
    options = _parser().parse_args(arguments)
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        stop(str(error))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    try:
        code = int(options.command(options, settings))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return ended_unread()
    except StoreUnavailable as error:
        stop(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m evaluator", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    work = commands.add_parser(
        "work",
        help="claim and evaluate submissions until stopped",
        description="Claims and evaluates submissions until stopped. On PostgreSQL it may run on any machine: files "
        "come from the database and results go there; the page server records them in its archive (docs/scale.md).",
    )
    work.add_argument("--database-url", help="default: PLUMBLINE_DATABASE_URL, or SQLite in the data folder")
    work.add_argument("--name", help="name of this worker (default: host and a random suffix)")
    work.add_argument("--until-empty", action="store_true", help="end when nothing is left to claim")
    # What the process that is started to judge is told.
    work.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    work.add_argument("--beside-page", action="store_true", help=argparse.SUPPRESS)
    judge_commands.add_judge_flag(work)
    work.set_defaults(command=_work)

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
    judge_commands.add_judge_flag(evaluate)
    evaluate.set_defaults(command=_evaluate)

    reproduce = commands.add_parser("reproduce", help="make the numbers of a row anew from its manifest and its file")
    reproduce.add_argument("manifest", type=Path, help="as “Download manifest” on the row's page gives it")
    reproduce.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="the submitted file; of 2025 all of the run"
    )
    reproduce.add_argument("--judge", metavar="J", help="where its name in the manifest does not say how to load it")
    reproduce.add_argument(
        "--embedding",
        metavar="E",
        help="the same for the embedding model of 2025 and 2026 (default: PLUMBLINE_EMBEDDING)",
    )
    reproduce.set_defaults(command=_reproduce)

    judge_commands.add_commands(commands)
    rejudge_all.add_commands(commands)
    canary.add_commands(commands)
    position_bias.add_commands(commands)
    published_judges.add_commands(commands)
    plan_items.add_commands(commands)
    personalization.add_commands(commands)
    behavior_alignment.add_commands(commands)
    personalized_evaluation.add_commands(commands)
    answer.add_commands(commands)
    fill.add_commands(commands)
    human_check.add_commands(commands)
    judge_report.add_commands(commands)
    doctor.add_commands(commands)
    record.add_commands(commands, parser.parse_args)
    return parser


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        stop(f"{path}: {error.strerror}")


# --- work ------------------------------------------------------------------------------------------------------------


def _work(options: argparse.Namespace, settings: Settings) -> int:
    return _judge(options, settings) if options.child else _watch(options, settings)


def _watch(options: argparse.Namespace, settings: Settings) -> int:
    """Starts the process that judges and watches it: see `evaluator.worker.watcher`."""
    from evaluator.worker.child import WorkerProcess
    from evaluator.worker.watcher import WatchedLimits, Watcher

    stopped = _stop_signal()
    url = options.database_url or settings.resolved_database_url
    store = opened_store(settings, url)
    prompt_sets_at_hand(settings, fetch=settings.fetch_sets)
    passed_on = ["--until-empty"] if options.until_empty else []
    passed_on += ["--judge", options.judge] if options.judge else []
    # Not as an argument, which everybody on the machine can read.
    environ = os.environ | {"PLUMBLINE_DATABASE_URL": url}
    watcher = Watcher(
        store,
        lambda name: WorkerProcess([*passed_on, "--name", name], environ),
        WatchedLimits.of(settings),
        name=options.name or "",
        stays=False,
    )
    code = watcher.run(stopped)
    store.close()
    return code


def _judge(options: argparse.Namespace, settings: Settings) -> int:
    """Works on the queue as the process that is watched."""
    from evaluator.rejudging.board import Rejudging
    from evaluator.rejudging.earlier_heads import WHY, EarlierHeads
    from evaluator.worker.child import BESIDE_PAGE_NICE, become_child
    from evaluator.worker.loop import Worker
    from submissions.archive.record import Archive
    from submissions.priority import step_back

    stopped = _stop_signal()
    steps = become_child(stopped)
    if options.beside_page:
        step_back(BESIDE_PAGE_NICE)
    url = options.database_url or settings.resolved_database_url
    store = opened_store(settings, url)
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    # One core is left to the page server, so that a running judge does not slow visitors.
    threads = max(1, (os.cpu_count() or 2) - 1)
    # A worker of its own on PostgreSQL may be anywhere: only the page server has the archive for certain.
    archive = Archive(settings.archive) if options.beside_page or url.startswith("sqlite") else None
    judge = (options.judge or settings.judge_names[0]).partition(":")[0]
    scorer = judge_commands.chosen_scorer(
        options, settings, store, threads, on_fault=lambda fault: steps.unusable(judge, fault)
    )
    references, panel = _references(settings, prompt_sets), judge_commands.panel_judges(options, settings)
    again = Rejudging(store, archive, prompt_sets, scorer, panel, references=references, reason=WHY)
    worker = Worker(
        name=options.name,
        store=store,
        archive=archive,
        prompt_sets=prompt_sets,
        scorer=scorer,
        stop=stopped,
        references=references,
        panel=panel,
        steps=steps,
        idle=EarlierHeads(store, prompt_sets, scorer, again).judge_next,
    )
    worker.run(until_empty=options.until_empty)
    store.close()
    return 0


def _stop_signal() -> threading.Event:
    """Is set by Ctrl-C and SIGTERM."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


def _references(settings: Settings, prompt_sets: PromptSets) -> dict[str, Reference]:
    try:
        return references_at_hand(settings, prompt_sets)
    except ReferenceUnusable as error:
        stop(str(error))


# --- evaluate --------------------------------------------------------------------------------------------------------


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
    data = _read(options.file)
    names = Names(team=options.team, system=options.system, model=options.model, run=options.run)
    run = [RunUpload(_read(path), path.name, names) for path in (*options.more, options.file)]
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    references = _references(settings, prompt_sets)
    choices = verdict_choices(options)
    report = check_submission(data, options.file.name, names=names, choices=choices, prompt_sets=prompt_sets)
    entry = report.entry
    scorer = judge_commands.chosen_scorer(options, settings)
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
                (scorer.judge, *judge_commands.panel_judges(options, settings)),
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


# --- reproduce -------------------------------------------------------------------------------------------------------


def _reproduce(options: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 where the number is the manifest's to the digits a board shows, 1 where it is not."""
    from evaluator.evaluate import CannotBeJudged, evaluate_payload
    from evaluator.judges.answers.ungated import Ungated
    from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
    from evaluator.reproduce.behavior_alignment import read_behavior_manifest
    from evaluator.reproduce.editions import read_edition_manifest
    from evaluator.reproduce.personalized_evaluation import read_evaluator_manifest
    from evaluator.reproduce.robustness import (
        ManifestUnreadable,
        is_file_of,
        read_manifest,
        reproduction,
        reproduction_text,
    )
    from evaluator.results import RobustnessResult

    options.file = options.files[0]
    data = _read(options.file)
    try:
        edition = read_edition_manifest(_read(options.manifest))
        if edition is not None:
            files = {path: _read(path) for path in options.files}
            return editions.reproduce(edition, files, options, settings)
        if len(options.files) > 1:
            stop("a row of this board is made of one file")
        recommender = read_behavior_manifest(_read(options.manifest))
        if recommender is not None:
            return behavior_alignment.reproduce(recommender, data, options.file.name, settings)
        evaluator = read_evaluator_manifest(_read(options.manifest))
        if evaluator is not None:
            return personalized_evaluation.reproduce(evaluator, data, options, settings)
        manifest = read_manifest(_read(options.manifest))
    except ManifestUnreadable as error:
        stop(f"{options.manifest}: {error}")
    if not is_file_of(manifest.file, data):
        stop(f"{options.file} is not the file of this row: its SHA-256 is not {manifest.file.sha256}")
    judge_commands.name_judge_of(manifest.judge, options)
    scorer = judge_commands.chosen_scorer(options, settings)
    judge = scorer.judge if manifest.gate else Ungated(scorer.judge)
    try:
        result = evaluate_payload(
            data,
            options.file.name,
            edition="auto",
            names=manifest.names.as_names(),
            prompt_sets=prompt_sets_at_hand(settings, fetch=False),
            judge=RecordedJudge(judge, MemoryVerdicts()),
            embedder=scorer.embedder,
        )
    except CannotBeJudged as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if not isinstance(result, RobustnessResult):
        stop(f"{options.file} is no submission to the Robustness board")
    made = reproduction(manifest, result)
    print(reproduction_text(made, f"{manifest.headline.figure}, view {manifest.headline.view}"))
    return 0 if made.is_same else 1


if __name__ == "__main__":
    raise SystemExit(main())
