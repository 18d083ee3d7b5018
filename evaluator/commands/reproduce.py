"""`python -m evaluator reproduce`: make the numbers of a row anew from its manifest and its file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from evaluator.commands import behavior_alignment, editions, personalized_evaluation
from evaluator.commands.judge import chosen_scorer, name_judge_of
from submissions.commands.command_line import read_bytes, stop
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Add `reproduce` to the subparsers of `python -m evaluator`."""
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
    data = read_bytes(options.file)
    try:
        edition = read_edition_manifest(read_bytes(options.manifest))
        if edition is not None:
            files = {path: read_bytes(path) for path in options.files}
            return editions.reproduce(edition, files, options, settings)
        if len(options.files) > 1:
            stop("a row of this board is made of one file")
        recommender = read_behavior_manifest(read_bytes(options.manifest))
        if recommender is not None:
            return behavior_alignment.reproduce(recommender, data, options.file.name, settings)
        evaluator = read_evaluator_manifest(read_bytes(options.manifest))
        if evaluator is not None:
            return personalized_evaluation.reproduce(evaluator, data, options, settings)
        manifest = read_manifest(read_bytes(options.manifest))
    except ManifestUnreadable as error:
        stop(f"{options.manifest}: {error}")
    if not is_file_of(manifest.file, data):
        stop(f"{options.file} is not the file of this row: its SHA-256 is not {manifest.file.sha256}")
    name_judge_of(manifest.judge, options)
    scorer = chosen_scorer(options, settings)
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
