"""What one answer under preferences came to: right or wrong without and with them, and whether it followed them."""

from __future__ import annotations

from dataclasses import dataclass

from submissions.formats.personalization.submission import FOLLOW_THRESHOLD, Setting

UnitId = tuple[str | None, str]
"""Dataset and example_id: the example that is resampled with all its rows."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """The outcome of one question under one list of preferences; a row of a row table, or of a scored submission."""

    example_id: str
    dataset: str | None
    setting: Setting
    correct_no_pref: bool | None
    """c0: the control's answer is right; None = not known, because there is no gold."""
    correct_pref: bool | None
    """c1: the answer under preferences is right. An unreadable answer is wrong, not unknown."""
    system: str | None = None
    run: str | None = None
    method: str | None = None
    pref_id: str | None = None
    """Which preference; the same example may occur once per preference."""
    rating: float | None = None
    """How well the preference was followed, 1-5."""
    unparsable: bool = False
    """Judged, but the judge gave no readable rating: counts as not followed."""
    followed: bool | None = None
    """Used where there is no rating. Without either, and not `unparsable`, the row was never judged."""
    correct_no_pref_repeat: bool | None = None
    """A second control run on the same question with the same option order; None = there is none."""
    unchanged: bool | None = None
    """The final text equals the draft, or the control where there is no draft; None = not known."""
    fallback: bool | None = None
    """Stage 2 of Pref-Aligner was unreadable; None = not known, or a method without stage 2."""
    invalid_no_pref: bool | None = None
    """The control's answer is none of the options' letters; None = not known."""
    invalid_pref: bool | None = None

    @property
    def unit(self) -> UnitId:
        return (self.dataset, self.example_id)

    @property
    def is_known(self) -> bool:
        """Whether right and wrong are known on both sides; other rows are counted and enter no metric."""
        return self.correct_no_pref is not None and self.correct_pref is not None

    def is_followed(self, threshold: float = FOLLOW_THRESHOLD) -> bool | None:
        """f: the rating reaches the threshold; None = never judged."""
        if self.unparsable:
            return False
        return self.followed if self.rating is None else self.rating >= threshold
