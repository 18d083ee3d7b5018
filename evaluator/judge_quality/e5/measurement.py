"""How well multilingual-e5-small reads each language, on our own pairs.

Does the plain cosine put two sentences that say the same nearer together than two that claim something else (the
relevance check, and the distances of 2026)? Contradictions in nearly the same words are measured beside it, and pass
for the same: the cosine cannot see them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from evaluator.embeddings.centres import CENTRES, Centres
from evaluator.embeddings.e5_quality import QUALITY, LanguageQuality, Measured, MultilingualQuality
from evaluator.embeddings.protocol import Embedder, Vectors, text_vectors
from evaluator.judge_quality.e5.pairs import (
    CONTRADICTIONS,
    Kind,
    MeaningPair,
    languages,
    pairs_within,
    texts,
    texts_digest,
)
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import auc_metric, format_metric
from evaluator.values import MetricValue


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
        """Of the two sentences of a pair, summed in one order: the same for (a, b) and (b, a)."""
        first = self.vectors[pair.language, pair.first].astype(np.float64)
        return float((first * self.vectors[pair.language, pair.second].astype(np.float64)).sum())

    def centre(self, language: str) -> Vectors:
        """Mean vector of the calibration sentences in a language."""
        own = [text for text in texts("calibration").values() if text.language == language]
        vectors = [self.vectors[language, sentence] for text in own for sentence in text.sentences]
        return np.asarray(np.stack(vectors).astype(np.float64).mean(axis=0), dtype=np.float32)


def centres_of(sentences: Sentences) -> Centres:
    """The places of all languages, from the calibration sentences of each."""
    return Centres({language: sentences.centre(language) for language in languages()})


def write(folder: Path, centres: Centres, quality: MultilingualQuality) -> None:
    """Writes the two files that come with the embedding model."""
    from safetensors.numpy import save_file

    save_file(dict(centres.by_language), folder / CENTRES)
    (folder / QUALITY).write_text(quality.model_dump_json(indent=1) + "\n", encoding="utf-8")


def measure(sentences: Sentences, embedding_revision: str) -> MultilingualQuality:
    """Every language on the test topics.

    Args:
        sentences: Of all languages.
        embedding_revision: Which weights made the vectors.
    """
    return MultilingualQuality(
        embedding_revision=embedding_revision,
        measured_on=texts_digest(),
        languages=tuple(
            LanguageQuality(language=language, within=measure_within(sentences, language)) for language in languages()
        ),
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
    head = "| language | n | AUC | against contradictions | read |\n|---|---|---|---|---|"
    rows = [
        "| "
        + " | ".join(
            [
                language.language,
                str(language.within.auc.n),
                format_metric(language.within.auc),
                format_metric(language.within.any_contradiction),
                "yes" if language.within.passes else "**no**",
            ]
        )
        + " |"
        for language in quality.languages
    ]
    return "\n".join([head, *rows])
