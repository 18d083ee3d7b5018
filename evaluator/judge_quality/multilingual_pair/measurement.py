"""How well the judge tells the same from something else in each language, measured on our own test topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from evaluator.judge_quality.e5.measurement import labelled
from evaluator.judge_quality.measurement import accuracy_metric, auc_metric, calibration
from evaluator.judge_quality.multilingual_pair.statements import (
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
from evaluator.judges.multilingual_pair.judge import MultilingualPairJudge
from evaluator.judges.multilingual_pair.quality import (
    PIVOT,
    QUALITY,
    LanguageQuality,
    Measured,
    MultilingualPairQuality,
)
from evaluator.values import MetricValue, Pin, metric_text

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


def write(folder: Path, quality: MultilingualPairQuality) -> None:
    """Writes the measurement beside the trained part."""
    (folder / QUALITY).write_text(quality.model_dump_json(indent=1) + "\n", encoding="utf-8")


# --- as people read it -----------------------------------------------------------------------------------------------

_KINDS: dict[str, str] = {
    "negation": "negation",
    "yes_no": "yes and no",
    "swapped_roles": "exchanged roles",
    "changed_number": "number",
    "changed_name": "name",
    "changed_fact": "changed fact",
    "refusal": "refusal",
    "other_claim": "another claim",
}
"""Kinds of difference that the table has a column for; another subject is always told apart."""


def quality_table(quality: MultilingualPairQuality) -> str:
    """One row for each language and way of pairing, as Markdown; languages read first."""
    head = (
        "| language | pairs | AUC | contradictions | "
        + " | ".join(_KINDS.values())
        + " | accuracy at 2.5 | read |\n|---|---|---|---|"
        + "---|" * len(_KINDS)
        + "---|---|"
    )
    rows = []
    for language in sorted(quality.languages, key=lambda language: (not language.passes, language.language)):
        for title, part in (("in it", language.within), (f"with {PIVOT}", language.with_english)):
            if part is None:
                continue
            cells = [
                language.language,
                f"{title}: {part.same} same, {part.different} not",
                metric_text(part.auc),
                metric_text(part.contradiction),
                *(_short(part.by_kind.get(kind)) for kind in _KINDS),
                _short(part.accuracy),
                "yes" if language.passes else "**no**",
            ]
            rows.append("| " + " | ".join(cells) + " |")
    return "\n".join([head, *rows])


def answers_table(quality: MultilingualPairQuality) -> str:
    """One row for each language that texts of three sentences are written in, as Markdown."""
    head = (
        "| language | within it: AUC | contradictions | accuracy at 2.5 | with English: AUC | contradictions | "
        "accuracy at 2.5 |\n|---|---|---|---|---|---|---|"
    )
    rows = []
    for language in quality.languages:
        if language.answers is None:
            continue
        cells = [language.language]
        for part in (language.answers, language.answers_with_english):
            cells += (
                ["", "", ""]
                if part is None
                else [metric_text(part.auc), metric_text(part.contradiction), _short(part.accuracy)]
            )
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join([head, *rows])


def _short(value: MetricValue | None) -> str:
    return "" if value is None or value.value is None else f"{value.value:.2f}"
