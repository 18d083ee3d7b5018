"""`python -m evaluator reproduce` for a run of ELOQUENT 2025 or 2026."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.commands.judge import chosen_scorer, name_judge_of
from submissions.commands.command_line import stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from evaluator.judge_loading.loading import Scorer
    from evaluator.reproduce.editions import EditionManifest
    from evaluator.values import Pin


def reproduce(
    manifest: EditionManifest, files: Mapping[Path, bytes], options: argparse.Namespace, settings: Settings
) -> int:
    """Exit 0 where every figure is the manifest's to the digits a board shows, 1 where one is not."""
    from evaluator.evaluate import CannotBeJudged, RunUpload, evaluate_payload
    from evaluator.judges.answers.ungated import Ungated
    from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
    from evaluator.reproduce.editions import (
        EDITION_OF_BOARD,
        NotTheFiles,
        edition_reproduction,
        edition_reproduction_text,
        files_in_order,
    )
    from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
    from submissions.promptsets.available import prompt_sets_at_hand

    by_name = {str(path): (path, data) for path, data in files.items()}
    try:
        ordered = files_in_order(
            manifest, {name: hashlib.sha256(data).hexdigest() for name, (_, data) in by_name.items()}
        )
    except NotTheFiles as error:
        stop(str(error))
    names = manifest.names.as_names()
    run = [RunUpload(data, path.name, names) for path, data in map(by_name.__getitem__, ordered)]
    scorer = _scorer(manifest, options, settings)
    try:
        result = evaluate_payload(
            run[-1].data,
            run[-1].file_name,
            edition=EDITION_OF_BOARD[manifest.board],
            names=names,
            prompt_sets=prompt_sets_at_hand(settings, fetch=False),
            judge=RecordedJudge(scorer.judge if manifest.gate else Ungated(scorer.judge), MemoryVerdicts()),
            embedder=scorer.embedder,
            run=run if manifest.board == "consistency" else (),
        )
    except CannotBeJudged as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if not isinstance(result, ConsistencyResult | CulturalResult):
        stop(f"{run[-1].file_name} is no run of ELOQUENT {EDITION_OF_BOARD[manifest.board]}")
    made = edition_reproduction(manifest, result)
    sys.stdout.write(edition_reproduction_text(made) + "\n")
    return 1 if made.different else 0


def _scorer(manifest: EditionManifest, options: argparse.Namespace, settings: Settings) -> Scorer:
    """Judge and embedding model of a manifest; its words load only those of this program, no folder and no address."""
    from evaluator.embeddings.protocol import UnsuitableEmbedder
    from evaluator.judge_loading.loading import Scorer, load_embedder
    from evaluator.judges.answers.other_languages import NAME
    from evaluator.judges.scripted import ScriptedJudge

    embedding = options.embedding or _embedding_name(manifest.embedding, settings)
    if not manifest.judges and manifest.gate is None:  # of 2026, without a judge: then any of them will do
        try:
            return Scorer(ScriptedJudge(), load_embedder(embedding))
        except UnsuitableEmbedder as error:
            stop(str(error))
    judge = manifest.judges[0] if manifest.judges else manifest.gate
    assert judge is not None  # one of the two
    if judge.name == NAME:
        options.judge = options.judge or "multilingual_pair"
    name_judge_of(judge, options)
    return chosen_scorer(options, replace(settings, embedding=embedding))


def _embedding_name(pin: Pin, settings: Settings) -> str:
    from evaluator.judges.kind import AUTO
    from evaluator.reproduce.robustness import EMBEDDINGS_OF_THEIR_NAME

    if pin.name in EMBEDDINGS_OF_THEIR_NAME:
        return pin.name
    if settings.embedding in (AUTO, *EMBEDDINGS_OF_THEIR_NAME):
        stop(f"say how to load the embedding model {pin.model} (revision {pin.revision}) with --embedding")
    return settings.embedding
