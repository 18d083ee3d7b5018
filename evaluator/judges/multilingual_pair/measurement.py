"""How well the judge tells the same from something else in each language, measured on our own test topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluator.judges.multilingual.measurement import labelled
from evaluator.judges.multilingual_pair.judge import MultilingualPairJudge
from evaluator.judges.multilingual_pair.quality import PIVOT, LanguageQuality, Measured, MultilingualPairQuality
from evaluator.judges.multilingual_pair.statements import (
    CONTRADICTIONS,
    Kind,
    Length,
    StatedPair,
    languages,
    languages_trained,
    pairs_between,
    pairs_within,
    statements_digest,
)
from evaluator.judges.quality.measurement import accuracy_metric, auc_metric, calibration
from evaluator.values import MetricValue, Pin

Rating = Callable[[Sequence[StatedPair]], list[float]]
"""The ratings of pairs, 0-5, each the mean of both orders."""


def measure(judge: Pin, rating: Rating, told: Callable[[str], None] = lambda language: None) -> MultilingualPairQuality:
    """Every language on the test topics, in it and with English.

    Args:
        judge: Whose ratings they are.
        rating: Of pairs.
        told: Hears which language it is at.
    """
    qualities = []
    trained = languages_trained()
    for language in languages():
        told(language)
        qualities.append(
            LanguageQuality(
                language=language,
                trained=language in trained,
                within=measured(rating, pairs_within(language, "test")),
                with_english=_measured_if_any(rating, _with_pivot(language, "sentence")),
                answers=_measured_if_any(rating, pairs_within(language, "test", "answer")),
                answers_with_english=_measured_if_any(rating, _with_pivot(language, "answer")),
            )
        )
    return MultilingualPairQuality(judge=judge, measured_on=statements_digest(), languages=tuple(qualities))


def _with_pivot(language: str, length: Length) -> list[StatedPair]:
    return pairs_between(PIVOT, language, "test", length) if language != PIVOT else []


def _measured_if_any(rating: Rating, pairs: Sequence[StatedPair]) -> Measured | None:
    return measured(rating, pairs) if pairs else None


def measured(rating: Rating, pairs: Sequence[StatedPair]) -> Measured:
    """The figures of some pairs."""
    rated = list(zip(rating(pairs), pairs, strict=True))

    def against(kinds: Sequence[Kind]) -> MetricValue:
        kept = [(score, pair) for score, pair in rated if pair.kind == "same" or pair.kind in kinds]
        return auc_metric([score for score, _ in kept], labelled([pair for _, pair in kept]))

    kinds = sorted({pair.kind for pair in pairs} - {"same"})
    ratings = [score for score, _ in rated]
    same = sum(pair.kind == "same" for pair in pairs)
    return Measured(
        same=same,
        different=len(pairs) - same,
        contradiction=against(CONTRADICTIONS),
        by_kind={kind: against([kind]) for kind in kinds},
        auc=against(kinds),
        accuracy=accuracy_metric(ratings, labelled(pairs)),
        calibration_error=_calibration_error(ratings, pairs),
    )


def _calibration_error(ratings: Sequence[float], pairs: Sequence[StatedPair]) -> MetricValue:
    """Mean difference of mean rating and mean grade, in bins of half a point weighed by their pairs, 0-5."""
    bins = calibration(ratings, [pair.grade for pair in pairs])
    off = sum(bin_.n * abs(bin_.mean_score - bin_.mean_grade) for bin_ in bins)
    return MetricValue(value=round(off / len(pairs), 6), n=len(pairs))


def both_orders(judge: MultilingualPairJudge) -> Rating:
    """The judge's ratings of pairs, whatever it declares."""

    def rating(pairs: Sequence[StatedPair]) -> list[float]:
        texts = [order for pair in pairs for order in ((pair.first, pair.second), (pair.second, pair.first))]
        ratings = judge.ratings(texts)
        return [(forward + backward) / 2 for forward, backward in zip(ratings[::2], ratings[1::2], strict=True)]

    return rating
