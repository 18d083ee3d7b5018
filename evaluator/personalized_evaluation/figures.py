"""Personalized evaluation (PerSE, arXiv 2310.03304): does a judge rate as one reader would, and as the right one?

Everything a board row says of a file of predicted ratings or choices. The parts are importable from here: the reading
of raw answers, the correlations with their intervals, and matrix factorization.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from evaluator.personalized_evaluation.explanations import ExplanationModels, ExplanationModelUnusable
from evaluator.personalized_evaluation.matrix_factorization import KnownRating, factorized_ratings
from evaluator.personalized_evaluation.pairs import pairs_report
from evaluator.personalized_evaluation.ratings import calibrated, ratings_report
from evaluator.personalized_evaluation.replies import Answer, MissingReason, parse_choice, parse_score
from evaluator.personalized_evaluation.reports import PairsReport, RatingsReport
from evaluator.personalized_evaluation.reviewer_correlations import (
    RESAMPLES,
    SEED,
    Correlations,
    CountedScores,
    Reviewers,
    correlations,
    kendall,
)
from submissions.formats.personalized_evaluation.submission import (
    AnyPerseSubmission,
    PairsSubmission,
    RatingsSubmission,
    Scale,
)
from submissions.reading.csv_cells import CsvRows

__all__ = [
    "Answer",
    "Correlations",
    "CountedScores",
    "ExplanationModelUnusable",
    "ExplanationModels",
    "KnownRating",
    "MissingReason",
    "PairsReport",
    "RatingsReport",
    "RatingsTableRefused",
    "Reviewers",
    "calibrated",
    "correlations",
    "factorized_ratings",
    "kendall",
    "pairs_report",
    "parse_choice",
    "parse_score",
    "personalized_evaluation",
    "ratings_report",
    "read_known_ratings",
]

RATING_COLUMNS = ("reviewer", "item_id", "score")


class RatingsTableRefused(Exception):
    """Raised when a table of known ratings cannot be read; carries (line, what is wrong) for every fault."""

    def __init__(self, faults: list[tuple[int, str]]) -> None:
        self.faults = faults
        super().__init__("; ".join(f"line {line}: {what}" for line, what in faults))


def personalized_evaluation(
    submission: AnyPerseSubmission,
    *,
    k0: RatingsSubmission | None = None,
    known: Iterable[KnownRating] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
    models: ExplanationModels | None = None,
    reasons: Mapping[str, MissingReason] | None = None,
    marks: Sequence[str] = (),
    per_item: bool = False,
    with_draws: bool = False,
) -> RatingsReport | PairsReport:
    """Every figure of a run of either kind; `k0`, `known` and `models` are for ratings.

    Raises:
        ValueError: as `ratings_report`.
    """
    if isinstance(submission, PairsSubmission):
        return pairs_report(
            submission,
            resamples=resamples,
            seed=seed,
            reasons=reasons,
            marks=marks,
            per_item=per_item,
            with_draws=with_draws,
        )
    return ratings_report(
        submission,
        k0=k0,
        known=known,
        resamples=resamples,
        seed=seed,
        models=models,
        reasons=reasons,
        marks=marks,
        per_item=per_item,
        with_draws=with_draws,
    )


def read_known_ratings(path: Path, scale: Scale) -> list[KnownRating]:
    """Ratings from elsewhere for matrix factorization: a CSV with the columns reviewer, item_id and score.

    Raises:
        RatingsTableRefused: with every line that cannot be read.
        OSError: the file cannot be opened.
    """
    known: list[KnownRating] = []
    faults: list[tuple[int, str]] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = CsvRows(file, strict=False)
            header = next(reader, [])
            missing = [column for column in RATING_COLUMNS if column not in header]
            if missing:
                raise RatingsTableRefused([(1, f"the header lacks {', '.join(missing)}")])
            for cells in reader:
                row = dict(zip_longest(header, cells[: len(header)], fillvalue=""))
                fault = _rating_fault(row, scale)
                if fault:
                    faults.append((reader.line_num, fault))
                else:
                    known.append((row["reviewer"], row["item_id"], float(row["score"])))
    except (UnicodeDecodeError, csv.Error) as error:
        faults.append((1, f"no CSV in UTF-8: {error}"))
    if faults:
        raise RatingsTableRefused(faults)
    return known


def _rating_fault(row: Mapping[str, str], scale: Scale) -> str | None:
    blank = [column for column in RATING_COLUMNS if not row[column].strip()]
    if blank:
        return f"{', '.join(blank)} is blank"
    try:
        score = float(row["score"])
    except ValueError:
        return f"the score {row['score']!r} is no number"
    return None if score in scale else f"the score {row['score']} is not on the scale {scale}"
