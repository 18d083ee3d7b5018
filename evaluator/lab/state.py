"""What the lab shows while it runs and after: one immutable picture, drawn again whenever it changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from evaluator.generators.protocol import Message
from evaluator.lab.setup import LabSetup, Side
from evaluator.personalization.figures import Outcome
from evaluator.values import Pin
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD

Status = Literal["waiting", "writing", "done", "cancelled", "failed"]
Phase = Literal["queued", "writing", "judging", "done", "cancelled", "failed"]
SwapResult = Literal["consistent_a", "consistent_b", "consistent_tie", "primacy_flip", "recency_flip", "error"]


@dataclass(frozen=True, slots=True)
class Pane:
    """One text being written: a control, a draft, an answer or a stage-2 reply."""

    status: Status = "waiting"
    text: str = ""
    tokens: int = 0
    seconds: float = 0.0
    """Tokens and seconds are 0 where nothing is known of them: in replays."""
    finish_reason: str | None = None
    failure: str | None = None
    """Why it failed, in words for a visitor."""
    messages: tuple[Message, ...] = ()
    """The exact prompt."""


@dataclass(frozen=True, slots=True)
class VerdictCard:
    """What is known of one column's answer; grows while the judge works."""

    letter: str | None = None
    letter_rule: str | None = None
    """How the letter was found (a rule of `extract_answer`, or `judge`)."""
    control_letter: str | None = None
    control_rule: str | None = None
    gold: str | None = None
    correct_without: bool | None = None
    correct_with: bool | None = None
    in_qstar: bool | None = None
    followed: float | None = None
    """Expected rating 1-5; None = not judged or unreadable."""
    followed_reason: str | None = None
    """Why there is no rating: "no relevant preference", "needs a language-model judge", unreadable, ..."""
    explanation: str | None = None
    outcome: Outcome | None = None
    reason: str = ""
    """In words: "followed 4 of 5, but the answer went from B (right) to A"."""
    letter_reason: str | None = None
    """Why there is no letter: unreadable, or not read because no judge here can."""
    control_reason: str | None = None
    """The same for the control."""
    followed_unreadable: bool = False
    """Judged, but without a readable rating: counts as not followed."""
    reported_rating: float | None = None
    """Replay only: the team's own rating 1-5, shown as "reported", part of no figure."""
    cut: tuple[str, ...] = ()
    """Texts the judge saw only the beginning of."""
    threshold: float = FOLLOW_THRESHOLD
    """From which rating on the answer counts as followed."""

    @property
    def is_at_default_threshold(self) -> bool:
        """False where the slider was moved: the card then differs from every figure of the boards, and says so."""
        return self.threshold == FOLLOW_THRESHOLD

    @property
    def is_followed(self) -> bool | None:
        """Whether the preference counts as followed; None = not judged."""
        if self.followed_unreadable:
            return False
        return None if self.followed is None else self.followed >= self.threshold

    @property
    def is_robust(self) -> bool | None:
        """Yes or no for a question of Q*; None outside Q*, and while it is not known."""
        return None if self.outcome in (None, *_NOT_COUNTED) else self.outcome == "robust"


_NOT_COUNTED: tuple[Outcome, ...] = ("recovered", "never_right", "not_known")


@dataclass(frozen=True, slots=True)
class ColumnState:
    """One side: what it writes in one or two stages, and its verdict."""

    answer: Pane = Pane()
    """The answer of a one-stage method, or the stage-2 reply as the model writes it."""
    final: str | None = None
    """The final text once known: for pref_aligner the reply's `response`, or the draft on fallback."""
    draft: str | None = None
    thoughts: str | None = None
    fallback: bool | None = None
    unchanged: bool | None = None
    """`final` equals the draft, or without a draft the control, white space ignored; None = not known, or the
    control itself."""
    truncated: bool = False
    verdict: VerdictCard | None = None


@dataclass(frozen=True, slots=True)
class PairwiseState:
    """A against B in both orders."""

    result: SwapResult | None = None
    verdict_ab: str | None = None
    """Raw verdict in slot language with A's answer shown first: A, B, C or N."""
    verdict_ba: str | None = None
    """With B's answer shown first."""
    reason: str | None = None
    """Why there is none: twins, "needs a language-model judge", an unusable verdict."""


@dataclass(frozen=True, slots=True)
class LabState:
    """The whole run as it stands."""

    setup: LabSetup
    phase: Phase
    a: ColumnState = ColumnState()
    b: ColumnState = ColumnState()
    controls: dict[str, Pane] = field(default_factory=dict)
    """Third strip: the control by generator name (with twins `NAME` and `NAME#b`)."""
    pairwise: PairwiseState = PairwiseState()
    queue_position: int | None = None
    """1 = next; None once running."""
    judge: Pin | None = None
    """Who judged; None until a judge was asked."""
    generators: dict[str, Pin] = field(default_factory=dict)
    """What each generator is, by its name; filled once it is loaded."""
    failure: str | None = None
    """Why the whole run failed or was stopped, in words for a visitor."""

    def column(self, side: Side) -> ColumnState:
        return self.a if side == "a" else self.b

    def with_column(self, side: Side, column: ColumnState) -> LabState:
        """The state with that side in place of its own."""
        return replace(self, a=column) if side == "a" else replace(self, b=column)


def is_unchanged(old: str, new: str) -> bool:
    """Whether two texts are equal but for white space: what `ColumnState.unchanged` says of draft and final text."""
    return "".join(old.split()) == "".join(new.split())
