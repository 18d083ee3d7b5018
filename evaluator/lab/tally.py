"""What a visitor's runs come to: the metrics by model, method and setting, and how often the judge agreed with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, NamedTuple

from evaluator.lab.setup import SIDES, Side
from evaluator.lab.state import LabState, SwapResult
from evaluator.personalization import Figures, OutcomeRow, row_figures
from submissions.formats.personalization.submission import Setting

MIN_TALLY = 20
"""With fewer questions in Q*, figures of a session say "too few" (docs/lab.md#session-tally-and-votes)."""


class TallyKey(NamedTuple):
    """What figures are never pooled over."""

    model: str
    """The generator's name."""
    method: str
    setting: Setting


@dataclass(frozen=True, slots=True)
class TallyRow:
    """One line of the tally."""

    key: TallyKey
    figures: Figures
    """Breakage, alignment failure, robustness error, variation, unchanged and fallback rate, n, n_qstar, ..."""
    is_too_few: bool
    """Fewer than `MIN_TALLY` questions in Q*: shown, and said."""


_RowKey = tuple[TallyKey, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SessionTally:
    """The runs of one browser session. Immutable: `after` gives the next one; a new `Tally()` is the reset."""

    _rows: Mapping[_RowKey, OutcomeRow] = field(default_factory=lambda: MappingProxyType({}))

    def after(self, state: LabState) -> SessionTally:
        """The tally with a run added.

        Only finished runs count: one that was cancelled or failed feeds nothing, of a finished one each column that
        has its final text and verdict. The same example under the same model, method and setting replaces the earlier
        one, whatever the preferences were.
        """
        if state.phase != "done":
            return self
        rows = {
            (_key(state, side), (state.setup.dataset, state.setup.question_of(side).example_id)): row
            for side in SIDES
            if (row := outcome_row(state, side)) is not None
        }
        return replace(self, _rows=MappingProxyType({**self._rows, **rows}))

    def rows(self) -> tuple[TallyRow, ...]:
        """One line for each model, method and setting, in this order."""
        groups: defaultdict[TallyKey, list[OutcomeRow]] = defaultdict(list)
        for (key, _), row in self._rows.items():
            groups[key].append(row)
        return tuple(_line(key, groups[key]) for key in sorted(groups))


def _line(key: TallyKey, rows: list[OutcomeRow]) -> TallyRow:
    figures = row_figures(rows, key.setting)
    return TallyRow(key, figures, is_too_few=figures["n_qstar"] < MIN_TALLY)


def _key(state: LabState, side: Side) -> TallyKey:
    setup = state.setup
    return TallyKey(setup.column(side).generator, setup.method_of(side), setup.setting_of(side))


def outcome_row(state: LabState, side: Side) -> OutcomeRow | None:
    """One column's outcome as the metrics take it; None where it has no final text or no verdict."""
    column = state.column(side)
    verdict = column.verdict
    if verdict is None or column.final is None:
        return None
    key, question = _key(state, side), state.setup.question_of(side)
    return OutcomeRow(
        example_id=question.example_id,
        dataset=state.setup.dataset,
        setting=key.setting,
        correct_no_pref=verdict.correct_without,
        correct_pref=verdict.correct_with,
        method=key.method,
        rating=verdict.followed,
        unparsable=verdict.followed_unreadable,
        unchanged=column.unchanged,
        fallback=column.fallback,
        invalid_no_pref=verdict.control_letter is None if question.options else None,
        invalid_pref=verdict.letter is None if question.options else None,
    )


# --- votes ----------------------------------------------------------------------------------------------------------

HumanVote = Literal["a", "b", "tie", "both_bad"]
HUMAN_VOTES: tuple[HumanVote, ...] = ("a", "b", "tie", "both_bad")

_SAME: dict[SwapResult, tuple[HumanVote, ...]] = {
    "consistent_a": ("a",),
    "consistent_b": ("b",),
    "consistent_tie": ("tie", "both_bad"),
}
"""What a vote must be to agree with the judge; flips and errors are no verdict one could agree with."""


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """How often a judge's pairwise verdict is the human vote."""

    n: int
    """Votes on pairs on which the judge is consistent: what the share rests on."""
    n_agreeing: int
    n_without_verdict: int
    """Votes on pairs where the judge flipped, failed, or was not asked."""

    @property
    def share(self) -> float | None:
        """n_agreeing / n; range 0-1, higher is better; None without such votes."""
        return self.n_agreeing / self.n if self.n else None


def is_agreeing(vote: HumanVote, result: SwapResult | None) -> bool | None:
    """Whether a vote says what the judge says; "both bad" agrees with a tie. None where the judge says nothing.

    >>> is_agreeing("both_bad", "consistent_tie"), is_agreeing("a", "consistent_b"), is_agreeing("a", "primacy_flip")
    (True, False, None)
    """
    return vote in _SAME[result] if result in _SAME else None


def vote_agreement(votes: Iterable[tuple[HumanVote, SwapResult | None]]) -> VoteAgreement:
    """Agreement of a judge with human votes.

    Args:
        votes: (vote, the judge's result on the same pair, None = not judged), A being the same side in both.

    >>> vote_agreement([("a", "consistent_a"), ("tie", "consistent_b"), ("b", "recency_flip")]).share
    0.5
    """
    agreements = [is_agreeing(vote, result) for vote, result in votes]
    known = [agreement for agreement in agreements if agreement is not None]
    return VoteAgreement(n=len(known), n_agreeing=sum(known), n_without_verdict=len(agreements) - len(known))
