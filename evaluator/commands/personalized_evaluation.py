"""The command behind the Personalized evaluation board: `python -m evaluator personalized-evaluation FILE.json`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from submissions.commands.command_line import EXIT_USAGE, OneLineParser, read_bytes, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from evaluator.judges.protocol import Judge
    from evaluator.personalized_evaluation import KnownRating
    from evaluator.personalized_evaluation.replies import MissingReason
    from evaluator.reproduce.personalized_evaluation import EvaluatorManifest
    from submissions.formats.personalized_evaluation.submission import AnyPerseSubmission, RatingsSubmission, Scale


class _Refused(Exception):
    """Raised when a file is refused; carries its problems as the command prints them."""

    def __init__(self, problems: list[dict[str, object]]) -> None:
        self.problems = problems
        super().__init__()


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the command; it is called with (options, settings) and returns its exit code."""
    parser = subparsers.add_parser("personalized-evaluation", help="does a judge rate as this reader would")
    parser.add_argument("file", type=Path, metavar="FILE.json", help="personalized_ratings or personalized_pairs")
    parser.add_argument("--k0", type=Path, metavar="FILE", help="ratings: the same items judged without profiles")
    parser.add_argument("--ratings", type=Path, metavar="CSV", help="ratings: reviewer, item_id, score, known besides")
    parser.add_argument("--judge", metavar="J", help="lets this judge answer a file whose answers are all null")
    parser.add_argument("--bertscore-model", type=_folder, metavar="FOLDER", help="an encoder, for explanations")
    parser.add_argument("--bartscore-model", type=_folder, metavar="FOLDER", help="a BART, for explanations")
    parser.add_argument("--resamples", type=_count, default=2_000, help="draws of reviewers for the intervals")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--per-item", action="store_true", help="add what was read of each item")
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    parser.set_defaults(command=personalized_evaluation_command)


def _folder(text: str) -> Path:
    # Another name would be looked for on the Hub.
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is no folder")
    return path


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return count


def personalized_evaluation_command(options: argparse.Namespace, settings: Settings) -> int:
    """`personalized-evaluation`: every figure of a file; a refused file lists all its faults, exit code 2."""
    from evaluator.personalized_evaluation import (
        ExplanationModels,
        ExplanationModelUnusable,
        personalized_evaluation,
    )
    from evaluator.personalized_evaluation.text import report_text

    try:
        submission, reasons, marks = _answered(_submission(options.file, settings), options, settings)
        report = personalized_evaluation(
            submission,
            k0=_run_without_profiles(options.k0, submission, settings),
            known=_known_ratings(options.ratings, submission),
            resamples=options.resamples,
            seed=options.seed,
            models=ExplanationModels(options.bertscore_model, options.bartscore_model),
            reasons=reasons,
            marks=marks,
            per_item=options.per_item,
        )
    except _Refused as refused:
        _print_problems(refused.problems, as_json=options.json)
        return EXIT_USAGE
    except ExplanationModelUnusable as error:
        stop(str(error))
    sys.stdout.write((json.dumps(report, allow_nan=False) if options.json else report_text(report)) + "\n")
    return 0


def reproduce(manifest: EvaluatorManifest, data: bytes, options: argparse.Namespace, settings: Settings) -> int:
    """`reproduce`, of a row of this board: exit 0 where the number is the manifest's to the digits a board shows."""
    from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
    from evaluator.judges.scripted import ScriptedJudge
    from evaluator.personalized_evaluation.evaluate import evaluate_personalized_evaluation
    from evaluator.personalized_evaluation.judging import CannotPredict
    from evaluator.reproduce.personalized_evaluation import evaluator_reproduction
    from evaluator.reproduce.robustness import is_file_of, reproduction_text
    from submissions.check import check_submission
    from submissions.formats.personalized_evaluation.reader import PerseReading
    from submissions.promptsets.available import prompt_sets_at_hand

    name = options.file.name
    if not is_file_of(manifest.file, data):
        stop(f"{name} is not the file of this row: its SHA-256 is not {manifest.file.sha256}")
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    checked = check_submission(data, name, names=manifest.names.as_names(), prompt_sets=prompt_sets)
    reading = checked.of(PerseReading)
    if reading is None or reading.submission is None:
        stop(f"{name} cannot be read as predicted ratings or choices")
    # A file with answers asks no judge: then any of them will do.
    judge = _judge_of(manifest, options, settings) if manifest.judges else ScriptedJudge()
    try:
        result = evaluate_personalized_evaluation(reading.submission, RecordedJudge(judge, MemoryVerdicts()))
    except CannotPredict as error:
        stop(str(error))
    made = evaluator_reproduction(manifest, result)
    title = f"{manifest.headline.figure}, collection {result.report['collection']}, k = {result.report['k']}"
    sys.stdout.write(reproduction_text(made, title) + "\n")
    return 0 if made.is_same else 1


def _judge_of(manifest: EvaluatorManifest, options: argparse.Namespace, settings: Settings) -> Judge:
    """The judge of a manifest; its words load none but those of this program, never a folder or an address."""
    from evaluator.commands.judge import chosen_scorer, name_judge_of

    name_judge_of(manifest.judges[0], options)
    return chosen_scorer(options, settings).judge


def _submission(path: Path, settings: Settings) -> AnyPerseSubmission:
    from submissions.check import check_submission
    from submissions.formats.personalized_evaluation.reader import PerseReading
    from submissions.formats.personalized_evaluation.submission import PERSE_KINDS
    from submissions.problems import listed
    from submissions.promptsets.available import prompt_sets_at_hand

    report = check_submission(read_bytes(path), path.name, prompt_sets=prompt_sets_at_hand(settings, fetch=False))
    reading = report.of(PerseReading)
    if reading is None or reading.submission is None:
        problems = [{"file": path.name, **problem.model_dump()} for problem in listed(report.problems)]
        message = f"this is a file of {report.kind}; accepted: {' or '.join(PERSE_KINDS)}"
        raise _Refused(problems if report.decision == "refused" else [_problem(path, "wrong_kind", "kind", message)])
    return reading.submission


def _answered(
    submission: AnyPerseSubmission, options: argparse.Namespace, settings: Settings
) -> tuple[AnyPerseSubmission, dict[str, MissingReason], list[str]]:
    """The file with answers, of the judge where one is named; why it has none to some items, and flags."""
    if options.judge is None:
        return submission, {}, []
    from evaluator.commands.judge import chosen_scorer
    from evaluator.judges.protocol import JudgeUnavailable, UnsuitableJudge
    from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
    from evaluator.personalized_evaluation.judging import CannotPredict, judged_run

    judge = RecordedJudge(chosen_scorer(options, settings).judge, MemoryVerdicts())
    try:
        run = judged_run(submission, judge)
    except (CannotPredict, JudgeUnavailable, UnsuitableJudge) as error:
        stop(str(error))
    return run.submission, run.reasons, run.marks


def _run_without_profiles(
    path: Path | None, submission: AnyPerseSubmission, settings: Settings
) -> RatingsSubmission | None:
    if path is None:
        return None
    ratings = _ratings_only("--k0", path, submission)
    k0 = _ratings_only("--k0", path, _submission(path, settings))
    if k0.k != 0:
        raise _Refused([_problem(path, "envelope_field", "k", f"k is {k0.k}; accepted for --k0: 0")])
    if k0.collection != ratings.collection:
        what = f"its items (collection {k0.collection}) are not those of the run to compare ({ratings.collection})"
        raise _Refused([_problem(path, "envelope_field", "items", what)])
    return k0


def _known_ratings(path: Path | None, submission: AnyPerseSubmission) -> list[KnownRating]:
    from evaluator.personalized_evaluation import RatingsTableRefused, read_known_ratings
    from submissions.problems import MAX_LISTED_PROBLEMS

    if path is None:
        return []
    scale: Scale = _ratings_only("--ratings", path, submission).gold_scale
    try:
        return read_known_ratings(path, scale)
    except RatingsTableRefused as refused:
        told = refused.faults[:MAX_LISTED_PROBLEMS]
        faults = [_problem(path, "missing_field", f"{path.name}:{line}", what) for line, what in told]
        raise _Refused(faults) from None
    except OSError as error:
        stop(f"{path}: {error.strerror}")


def _ratings_only(flag: str, path: Path, submission: AnyPerseSubmission) -> RatingsSubmission:
    from submissions.formats.personalized_evaluation.submission import RATINGS_KIND, RatingsSubmission

    if isinstance(submission, RatingsSubmission):
        return submission
    what = f"{flag} goes with two files of {RATINGS_KIND}; one of them is {submission.kind}"
    raise _Refused([_problem(path, "wrong_kind", "kind", what)])


def _problem(path: Path, code: str, place: str, message: str) -> dict[str, object]:
    return {"file": path.name, "code": code, "severity": "error", "path": place, "message": message}


def _print_problems(problems: list[dict[str, object]], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps({"problems": problems}, allow_nan=False) + "\n")
        return
    for problem in problems:
        sys.stderr.write("{file}: {path}: {code}: {message}\n".format(**problem))
