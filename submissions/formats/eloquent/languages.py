"""Language of a text, where that is sure (lingua, its small models)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lingua import LanguageDetector

SURE_CONFIDENCE = 0.99
"""Confidence from which a detection counts: below it short texts in related languages are mistaken for one another."""

DETECTED_CHARACTERS = 400
"""A text's beginning is enough, and bounds the time a hostile one can take."""

_CANDIDATES = (
    "ar", "bn", "ca", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hi", "is", "it", "ja", "ko", "mr", "nb",
    "nl", "pl", "pt", "ru", "sk", "sv", "ta", "te", "tr", "uk", "zh",
)  # fmt: skip
"""The languages of the prompt sets, and those models most often fall into instead; Faroese, which lingua does not know,
it takes for its kin."""

_KANNADA = re.compile("[\u0c80-\u0cff]")
"""A script of one language of the sets, which lingua does not know either."""


def sure_language(text: str) -> str | None:
    """The two-letter code of a text's language, or None where the detector is not sure.

    Deterministic. Small models (40 MB instead of 350) are as right as the large ones on the 2,500 official prompts of
    2026 in five languages: none is named another language with this confidence.
    """
    if len(_KANNADA.findall(text)) > len(text) / 2:
        return "kn"
    values = _detector().compute_language_confidence_values(text[:DETECTED_CHARACTERS])
    if not values or round(values[0].value, 6) < SURE_CONFIDENCE:
        return None
    return values[0].language.iso_code_639_1.name.lower()


def load_models() -> None:
    """Makes the detector ready, so that the processes which are forked afterwards share its models."""
    sure_language("all of them")


@cache
def _detector() -> LanguageDetector:
    """Built at the first use: the models take a tenth of a second and 40 MB."""
    from lingua import IsoCode639_1, Language, LanguageDetectorBuilder

    candidates = [Language.from_iso_code_639_1(getattr(IsoCode639_1, code.upper())) for code in _CANDIDATES]
    return LanguageDetectorBuilder.from_languages(*candidates).with_low_accuracy_mode().build()
