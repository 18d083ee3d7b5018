"""How well multilingual-e5-small reads each language, as it was measured, and what is good enough to be scored."""

from __future__ import annotations

from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from evaluator.values import MetricValue

BAR_AUC = 0.85
"""A language is read where the AUC on its test pairs is at least this ..."""
BAR_LOW = 0.75
"""... and the lower end of its 95% interval at least this."""

QUALITY = "e5_quality.json"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Measured(_Frozen):
    """The plain cosine in one language, on its test pairs. Intervals: 95% bootstrap over topics."""

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
    """Both sentences in this language."""


class MultilingualQuality(_Frozen):
    """All languages."""

    embedding_revision: str
    """SHA-256 of the weights."""
    measured_on: str
    languages: tuple[LanguageQuality, ...]

    @property
    def read(self) -> tuple[str, ...]:
        """What the embedding model declares."""
        return tuple(language.language for language in self.languages if language.within.passes)


def shipped_quality() -> MultilingualQuality:
    """The measurement that came with the embedding model; a test makes it anew."""
    text = files("evaluator.embeddings").joinpath(QUALITY).read_text(encoding="utf-8")
    return MultilingualQuality.model_validate_json(text)
