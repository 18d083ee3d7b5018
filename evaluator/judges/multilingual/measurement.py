"""How well multilingual-e5-small reads each language, on our own pairs; what is good enough to be scored.

Two questions, for two uses. In one language: does the plain cosine put two sentences that say the same nearer together
than two that claim something else (the relevance check, and the distances of 2026)? Between languages: does the rating
of the multilingual judge do so (2025)? Contradictions in nearly the same words are measured beside both, and pass for
the same: neither use can see them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict

from evaluator.embeddings.protocol import Embedder, Vectors, text_vectors
from evaluator.judges.calibration import fitted
from evaluator.judges.multilingual.judge import CALIBRATION, CENTRES, NAME, Reading, cosine, moved_from
from evaluator.judges.multilingual.pairs import (
    CONTRADICTIONS,
    Kind,
    MeaningPair,
    all_pairs_between,
    languages,
    pairs_between,
    pairs_within,
    texts,
    texts_digest,
)
from evaluator.judges.quality.labelled_pairs import LabelledPair
from evaluator.judges.quality.measurement import accuracy_metric, auc_metric, format_metric
from evaluator.judges.quality.measurement import calibration as calibration_bins
from evaluator.values import MetricValue

BAR_AUC = 0.85
"""A language is read where the AUC on its test pairs is at least this ..."""
BAR_LOW = 0.75
"""... and the lower end of its 95% interval at least this."""

CALIBRATION_VERSION = "1"
QUALITY = "quality.json"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Measured(_Frozen):
    """One way of reading a language, on its test pairs. Intervals: 95% bootstrap over topics."""

    auc: MetricValue
    """Chance that a pair that says the same scores above one with another claim about the same subject, 0-1; 0.5 is
    guessing."""
    other_subject: MetricValue
    """The same against pairs about two subjects."""
    contradictions: dict[str, MetricValue]
    """The same against each kind of contradiction in nearly the same words."""
    any_contradiction: MetricValue

    @property
    def passes(self) -> bool:
        low = self.auc.low
        return self.auc.value is not None and self.auc.value >= BAR_AUC and low is not None and low >= BAR_LOW


class LanguageQuality(_Frozen):
    """One language."""

    language: str
    within: Measured
    """Plain cosine, both sentences in this language."""
    between: Measured
    """The judge's rating, one sentence in this language and the other in each of the others."""
    accuracy: MetricValue
    """Of the ratings between languages: share of all pairs, contradictions too, on the right side of 2.5."""
    calibration_error: MetricValue
    """Mean difference of mean rating and mean grade, in bins of half a point weighed by their pairs, 0-5."""


class MultilingualQuality(_Frozen):
    """All languages."""

    embedding_revision: str
    """SHA-256 of the weights."""
    calibration: str
    """Id, version and centres of the judge's calibration."""
    measured_on: str
    languages: tuple[LanguageQuality, ...]

    @property
    def read_within(self) -> tuple[str, ...]:
        """What the embedding model declares."""
        return tuple(language.language for language in self.languages if language.within.passes)

    @property
    def read_between(self) -> tuple[str, ...]:
        """What the judge declares."""
        return tuple(language.language for language in self.languages if language.between.passes)


def shipped_quality() -> MultilingualQuality:
    """The measurement that came with the judge; a test makes it anew."""
    text = files("evaluator.judges.multilingual").joinpath(QUALITY).read_text(encoding="utf-8")
    return MultilingualQuality.model_validate_json(text)


@dataclass(frozen=True, slots=True)
class Sentences:
    """Our sentences as vectors."""

    vectors: Mapping[tuple[str, str], Vectors]
    """Language and sentence -> unit vector."""

    @classmethod
    def embedded(cls, embedder: Embedder) -> Sentences:
        """All of them."""
        known = (*texts("calibration").values(), *texts("test").values())
        wanted = [(text.language, sentence) for text in known for sentence in text.sentences]
        vectors = text_vectors(embedder, [sentence for _, sentence in wanted])
        return cls(dict(zip(wanted, vectors, strict=True)))

    def cosine(self, pair: MeaningPair) -> float:
        """Of the two sentences of a pair."""
        return cosine(self.vectors[pair.first_language, pair.first], self.vectors[pair.second_language, pair.second])

    def moved(self, centres: Mapping[str, Vectors]) -> Sentences:
        """Each without the place of its language."""
        return Sentences({key: moved_from(centres[key[0]], vector) for key, vector in self.vectors.items()})

    def centre(self, language: str) -> Vectors:
        """Mean vector of the calibration sentences in a language."""
        own = [text for text in texts("calibration").values() if text.language == language]
        vectors = [self.vectors[language, sentence] for text in own for sentence in text.sentences]
        return np.asarray(np.stack(vectors).astype(np.float64).mean(axis=0), dtype=np.float32)


def fit(sentences: Sentences) -> Reading:
    """Centres from the calibration sentences of each language, constants from the calibration pairs between all."""
    centres = {language: sentences.centre(language) for language in languages()}
    moved, pairs = sentences.moved(centres), all_pairs_between(languages(), "calibration")
    calibration = fitted(
        [{"cosine": moved.cosine(pair)} for pair in pairs],
        [pair.grade for pair in pairs],
        agreement={"cosine"},
        id_=f"{NAME}-calibration",
        version=CALIBRATION_VERSION,
        fitted_on=f"{len(pairs)} pairs between languages of {texts_digest()}",
    )
    return Reading(centres, calibration)


def write(folder: Path, reading: Reading, quality: MultilingualQuality) -> None:
    """Writes the three files that come with the judge."""
    from safetensors.numpy import save_file

    save_file(dict(reading.centres), folder / CENTRES)
    (folder / CALIBRATION).write_text(reading.calibration.model_dump_json(indent=2) + "\n", encoding="utf-8")
    (folder / QUALITY).write_text(quality.model_dump_json(indent=1) + "\n", encoding="utf-8")


def measure(sentences: Sentences, reading: Reading, embedding_revision: str) -> MultilingualQuality:
    """Every language on the test topics.

    Args:
        sentences: Of all languages.
        reading: What the judge makes of two vectors.
        embedding_revision: Which weights made the vectors.
    """
    moved = sentences.moved(reading.centres)

    def rating(pair: MeaningPair) -> float:
        return reading.calibration.rating({"cosine": moved.cosine(pair)})

    qualities = []
    for language in languages():
        others = [other for other in languages() if other != language]
        between = [pair for other in others for pair in pairs_between(language, other, "test")]
        ratings = [rating(pair) for pair in between]
        qualities.append(
            LanguageQuality(
                language=language,
                within=measure_within(sentences, language),
                between=_measured(ratings, between),
                accuracy=accuracy_metric(ratings, labelled(between)),
                calibration_error=calibration_error(ratings, between),
            )
        )
    return MultilingualQuality(
        embedding_revision=embedding_revision,
        calibration=f"{reading.calibration.id} {reading.calibration.version}, centres {reading.digest[:12]}",
        measured_on=texts_digest(),
        languages=tuple(qualities),
    )


def measure_within(sentences: Sentences, language: str) -> Measured:
    """The plain cosine on the test pairs in one language."""
    pairs = pairs_within(language, "test")
    return _measured([sentences.cosine(pair) for pair in pairs], pairs)


def _measured(scores: Sequence[float], pairs: Sequence[MeaningPair]) -> Measured:
    def against(*kinds: Kind) -> MetricValue:
        kept = [(score, pair) for score, pair in zip(scores, pairs, strict=True) if pair.kind in ("same", *kinds)]
        return auc_metric([score for score, _ in kept], labelled([pair for _, pair in kept]))

    return Measured(
        auc=against("other_claim"),
        other_subject=against("other_subject"),
        contradictions={kind: against(kind) for kind in CONTRADICTIONS},
        any_contradiction=against(*CONTRADICTIONS),
    )


def calibration_error(ratings: Sequence[float], pairs: Sequence[RelatedPair]) -> MetricValue:
    """Mean difference of mean rating and mean grade, in bins of half a point weighed by their pairs, 0-5."""
    bins = calibration_bins(ratings, [pair.grade for pair in pairs])
    off = sum(bin_.n * abs(bin_.mean_score - bin_.mean_grade) for bin_ in bins)
    return MetricValue(value=round(off / len(pairs), 6), n=len(pairs))


class RelatedPair(Protocol):
    """Two sentences and how they are related."""

    @property
    def topic(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def first(self) -> str: ...

    @property
    def second(self) -> str: ...

    @property
    def grade(self) -> int: ...


def labelled(pairs: Sequence[RelatedPair]) -> list[LabelledPair]:
    """The pairs in the shape that figures are made of."""
    return [
        LabelledPair(
            id=f"{pair.topic}-{place}",
            topic=pair.topic,
            split="test",
            category=pair.kind,
            prompt_a="",
            prompt_b="",
            a=pair.first,
            b=pair.second,
            grade=pair.grade,
        )
        for place, pair in enumerate(pairs)
    ]


# --- as people read it -----------------------------------------------------------------------------------------------


def quality_table(quality: MultilingualQuality) -> str:
    """One row for each language, as Markdown."""
    head = (
        "| language | in it: AUC | against contradictions | read | with the other languages: AUC "
        "| against contradictions | accuracy at 2.5 | calibration error | read |\n|---|---|---|---|---|---|---|---|---|"
    )
    rows = [
        "| "
        + " | ".join(
            [
                language.language,
                f"{format_metric(language.within.auc)}, n = {language.within.auc.n}",
                format_metric(language.within.any_contradiction),
                "yes" if language.within.passes else "**no**",
                f"{format_metric(language.between.auc)}, n = {language.between.auc.n}",
                format_metric(language.between.any_contradiction),
                format_metric(language.accuracy),
                format_metric(language.calibration_error),
                "yes" if language.between.passes else "**no**",
            ]
        )
        + " |"
        for language in quality.languages
    ]
    return "\n".join([head, *rows])
