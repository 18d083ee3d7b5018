"""Personalized evaluation (PerSE, arXiv 2310.03304): does a judge rate as one reader would?

Its public names are importable from here; they are defined in `figures` and the modules beside it.
"""

from __future__ import annotations

from evaluator.personalized_evaluation.figures import (
    Answer,
    Correlations,
    CountedScores,
    ExplanationModels,
    ExplanationModelUnusable,
    KnownRating,
    MissingReason,
    PairsReport,
    RatingsReport,
    RatingsTableRefused,
    Reviewers,
    calibrated,
    correlations,
    factorized_ratings,
    kendall,
    pairs_report,
    parse_choice,
    parse_score,
    personalized_evaluation,
    ratings_report,
    read_known_ratings,
)

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
