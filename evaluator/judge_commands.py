"""`python -m evaluator judges|score-pairs|judge-quality|verify`: try, measure and re-check judges."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from evaluator.embeddings import EmbeddingCache
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, UnsuitableJudge
from evaluator.scorer import JUDGE_NAMES, Scorer, UnknownJudge, load_scorer
from submissions.command_line import EXIT_USAGE, stop
from submissions.settings import Settings

_TRIAL = JudgeRequest(
    SIMILARITY_PAIR,
    {"answer_a": "The train leaves at nine.", "answer_b": "At nine the train departs.", "prompt_1": "When does it go?"},
    "en",
)


def add_commands(commands: Any) -> None:
    """Adds the judges' commands to the subparsers of `python -m evaluator`."""
    judges = commands.add_parser("judges", help="list the configured judges and try each")
    judges.set_defaults(command=_judges)

    pairs = commands.add_parser("score-pairs", help="score pairs of texts: JSON lines {id, a, b, prompt_a?, prompt_b?}")
    pairs.add_argument("file", type=Path)
    add_judge_flag(pairs)
    pairs.set_defaults(command=_score_pairs)

    quality = commands.add_parser("judge-quality", help="measure a judge on our labelled pairs")
    quality.add_argument("--json", action="store_true")
    add_judge_flag(quality)
    quality.set_defaults(command=_judge_quality)


def add_judge_flag(parser: argparse.ArgumentParser) -> None:
    """The flag that chooses a judge."""
    parser.add_argument("--judge", metavar="J", help=f"one of {', '.join(JUDGE_NAMES)} (default: PLUMBLINE_JUDGES)")


def chosen_scorer(
    options: argparse.Namespace, settings: Settings, cache: EmbeddingCache | None = None, threads: int | None = None
) -> Scorer:
    """The judge of the flag, or the first configured one; an unusable one ends the command."""
    name = options.judge or settings.judge_names[0]
    try:
        return load_scorer(name, cache, threads=threads, api_key=settings.judge_api_key or None)
    except (UnknownJudge, UnsuitableJudge, JudgeUnavailable) as error:
        stop(str(error))


def panel_judges(options: argparse.Namespace, settings: Settings) -> list[Judge]:
    """The judges configured beside the first one; none where a flag chooses one judge."""
    if options.judge:
        return []
    try:
        return [load_scorer(name, api_key=settings.judge_api_key or None).judge for name in settings.judge_names[1:]]
    except (UnknownJudge, UnsuitableJudge, JudgeUnavailable) as error:
        stop(str(error))


def _judges(options: argparse.Namespace, settings: Settings) -> int:
    """One line for each configured judge: ready, or why not."""
    failed = 0
    for name in settings.judge_names:
        try:
            judge = load_scorer(name, api_key=settings.judge_api_key or None).judge
            judgment = judge.judge([_TRIAL])[0]
        except (UnknownJudge, UnsuitableJudge, JudgeUnavailable) as error:
            failed += 1
            print(f"{name}: not ready: {error}")
            continue
        said = f"{judgment.rating:.2f}" if judgment.rating is not None else f"unscored ({judgment.reason})"
        languages = "any language" if judge.pin.languages is None else ", ".join(judge.pin.languages)
        print(f"{name}: ready; reads {languages}; {judge.pin.model} at {judge.pin.revision[:12]}; trial pair: {said}")
    return 1 if failed else 0


def _score_pairs(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.score_pairs import PairFileError, score_pairs_command

    try:
        lines = options.file.read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        stop(f"{options.file}: {error.strerror}")
    except UnicodeDecodeError as error:
        stop(f"{options.file}: not UTF-8 (byte {error.start})")
    try:
        scored = score_pairs_command(lines, chosen_scorer(options, settings).judge)
    except PairFileError as error:
        sys.stderr.write("".join(f"{options.file}: {problem}\n" for problem in error.problems))
        return EXIT_USAGE
    for line in scored:
        print(line, flush=True)
    return 0


def _judge_quality(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judge_quality import measure, quality_table
    from evaluator.judges.embedding import labelled_pairs

    scorer = chosen_scorer(options, settings)
    measured = measure(scorer.judge, labelled_pairs("test"), scorer.embedder)
    print(measured.model_dump_json() if options.json else quality_table(measured))
    return 0
