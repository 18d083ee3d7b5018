"""What the judge was found to be worth in each language, by kind of difference, and what is good enough."""

from __future__ import annotations

from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from evaluator.values import MetricValue, Pin

BAR_AUC = 0.85
"""A language is read where the AUC against all that differs is at least this, within it and with English ..."""
BAR_LOW = 0.75
"""... and the lower end of its 95% interval at least this."""

PIVOT = "en"
"""The language that every other is also measured with."""

QUALITY = "quality.json"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Measured(_Frozen):
    """One way of pairing sentences, on test topics. Intervals: 95% bootstrap over topics."""

    same: int
    """Pairs that say the same."""
    different: int
    """All others."""
    auc: MetricValue
    """Chance that a pair that says the same scores above one that does not, 0-1; 0.5 is guessing. What the bar is
    about: within a language 64 of the 148 pairs that differ are contradictions in nearly the same words."""
    contradiction: MetricValue
    """The same against contradictions alone."""
    by_kind: dict[str, MetricValue]
    """The same against each kind of difference."""
    accuracy: MetricValue
    """Share of all pairs on the right side of 2.5."""
    calibration_error: MetricValue
    """Mean difference of mean rating and mean grade, in bins of half a point weighed by their pairs, 0-5."""

    @property
    def passes(self) -> bool:
        auc = self.auc
        return auc.value is not None and auc.value >= BAR_AUC and auc.low is not None and auc.low >= BAR_LOW


class LanguageQuality(_Frozen):
    """One language."""

    language: str
    trained: bool
    """Whether the network saw statements of ours in it, beside those that every language has."""
    within: Measured
    """Both sentences in this language."""
    with_english: Measured | None
    """One in this language, the other in English; None for English."""
    answers: Measured | None
    """Texts of three sentences, both in this language; None where none are written ..."""
    answers_with_english: Measured | None
    """... and one in this language, the other in English."""

    @property
    def passes(self) -> bool:
        """What is shown beside it, how it does on longer texts, has too few pairs for a bar of its own."""
        return self.within.passes and (self.with_english is None or self.with_english.passes)


class MultilingualPairQuality(_Frozen):
    """All languages."""

    judge: Pin
    measured_on: str
    languages: tuple[LanguageQuality, ...]

    @property
    def read(self) -> tuple[str, ...]:
        """What the judge declares."""
        return tuple(language.language for language in self.languages if language.passes)


def shipped_quality() -> MultilingualPairQuality:
    """The measurement that came with the judge."""
    text = files("evaluator.judges.multilingual_pair").joinpath(QUALITY).read_text(encoding="utf-8")
    return MultilingualPairQuality.model_validate_json(text)
