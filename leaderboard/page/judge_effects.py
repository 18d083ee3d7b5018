"""What besides quality decides the verdicts of published judges: columns, their methods, and one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from evaluator.judge_report.biases import Kind
from evaluator.judge_report.effect_records import EffectRecord
from evaluator.judge_report.family_taste import family_taste
from evaluator.results import MetricValue
from evaluator.statistics.clustered_slopes import clustered_slopes
from leaderboard.parts.columns import Column
from leaderboard.parts.methods import Example, Method

Row = TypeVar("Row")
Effects = Sequence[EffectRecord]
"""Of one judge."""

_GAINS: Mapping[tuple[Kind, bool], str] = {
    ("place", True): "first place",
    ("place", False): "second place",
    ("length", True): "longer answers",
    ("length", False): "shorter answers",
    ("family", True): "its own family",
    ("family", False): "other families",
}
"""What gains, by kind and by whether the effect is above 0."""
_PHRASES: Mapping[Kind, tuple[str, str]] = {
    "place": ("the answer shown first", "the second"),
    "length": ("longer answers", "shorter ones"),
    "family": ("systems of the same family", "those of others"),
}


def effects_sentence(judges: Iterable[Effects], *, has_labels: bool) -> str:
    """Return how many judges favour a place, length or family, of those that were tested; blank where none was.

    Args:
        has_labels: Whether labels say which answers are better, so that length is told from quality.
    """
    effects = [effect for own in judges for effect in own]
    said = []
    for kind, (gains, loses) in _PHRASES.items():
        if tested := [effect for effect in effects if effect.kind == kind]:
            above, below = (_found(tested, sign) for sign in (1, -1))
            doubt = "" if has_labels or kind != "length" else " (which may also be better ones)"
            said.append(f"of {len(tested)} judges, {_favour(above)} {gains}{doubt} and {below or 'none'} {loses}")
    if not said:
        return ""
    joined = "; ".join(said)
    joined = f"Besides quality, {joined}" if has_labels else f"{joined[:1].upper()}{joined[1:]}"
    return f"{joined} ({len(effects)} tests, false discovery rate 5%)."


def _favour(judges: int) -> str:
    return f"{judges} favour" if judges > 1 else "1 favours" if judges else "none favours"


def _found(effects: Iterable[EffectRecord], sign: int) -> int:
    return sum(effect.is_found and sign * (effect.size.value or 0) > 0 for effect in effects)


def found_words(effects: Effects) -> str | None:
    """What was found to gain besides quality: "none" where nothing was, None where nothing was tested."""
    if not effects:
        return None
    found = [_GAINS[effect.kind, (effect.size.value or 0) > 0] for effect in effects if effect.is_found]
    return ", ".join(found) or "none"


def place_column(effects_of: Callable[[Row], Effects]) -> Column[Row]:
    """What an answer gains by being shown first."""
    return _effect_column(
        *("place", "First place gains", effects_of),
        "Share won by the answer shown first less that of the second, on pairs judged in both orders: 1 = always the "
        "first, -1 = always the second, 0 is best.",
    )


def length_column(effects_of: Callable[[Row], Effects], held: str) -> Column[Row]:
    """What an answer gains by being longer.

    Args:
        held: What is held fixed, as it follows "at the same".
    """
    return _effect_column(
        *("length", "Longer gains", effects_of),
        "Share of wins that an answer gains by being longer by one standard deviation of the log length ratio, at the "
        f"same {held}; above 0 longer answers win more, 0 is best.",
    )


def family_column(effects_of: Callable[[Row], Effects]) -> Column[Row]:
    """What answers of the judge's own family gain."""
    return _effect_column(
        *("family", "Own family gains", effects_of),
        "Share of wins that systems of the judge's own family gain, beside other systems that judges of other families "
        "rate alike; interval over systems; 0 is best.",
    )


def _effect_column(kind: Kind, label: str, effects_of: Callable[[Row], Effects], tooltip: str) -> Column[Row]:
    return Column(
        f"{kind}_effect",
        label,
        "signed",
        lambda row: _size(effects_of(row), kind),
        tooltip,
        "nearer_zero",
        hint=lambda row: _hint(effects_of(row), kind),
        is_left_out_when_empty=True,
    )


def biases_column(effects_of: Callable[[Row], Effects], tested: str) -> Column[Row]:
    """What was found.

    Args:
        tested: The kinds, as they follow "of the tests of".
    """
    return Column(
        "biases",
        "Biases found",
        "text",
        lambda row: found_words(effects_of(row)),
        f"What besides quality decides: of the tests of {tested} of all judges, those told from 0 at a false discovery "
        "rate of 5%.",
        hint=lambda row: detectable_words(effects_of(row)),
        missing="not tested",
        is_left_out_when_empty=True,
    )


def detectable_words(effects: Effects) -> str:
    """How large each effect would have to be; blank where nothing was tested."""
    sizes = ", ".join(f"{effect.kind} {effect.detectable:.2f}" for effect in effects)
    return f"would be seen in 80 of 100 such logs: {sizes}" if sizes else ""


def _effect(effects: Effects, kind: Kind) -> EffectRecord | None:
    return next((effect for effect in effects if effect.kind == kind), None)


def _size(effects: Effects, kind: Kind) -> MetricValue | None:
    effect = _effect(effects, kind)
    return effect.size if effect else None


def _hint(effects: Effects, kind: Kind) -> str:
    """Whether an effect was found, and which would have been."""
    effect = _effect(effects, kind)
    if effect is None:
        return "not tested"
    said = "found" if effect.is_found else "not found"
    return (
        f"{said} (false discovery rate {effect.false_discovery_rate:.1%}); {effect.detectable:.2f} would be seen in 80 "
        f"of 100 such logs; n = {effect.size.n:,}; {effect.held[:1].lower()}{effect.held[1:]}"
    )


# --- methods ---------------------------------------------------------------------------------------------------------


def _example_place() -> float | None:
    wins = np.array([1.0, 0.0] * 9 + [1.0, 1.0] * 3)
    slopes = clustered_slopes(wins - 0.5, np.ones((24, 1)), [str(verdict // 2) for verdict in range(24)])
    return 2 * slopes[0].value if slopes else None


def _example_length() -> float | None:
    wins = np.repeat([1.0, 0.0, 1.0, 0.0], [9, 3, 3, 9])
    longer = np.repeat([1.0, -1.0], 12)
    slopes = clustered_slopes(wins, np.column_stack([np.ones(24), longer]), [str(pair) for pair in range(24)])
    return slopes[1].value if slopes else None


def _example_family() -> float | None:
    usual = {f"system {number}": number / 20 - 0.5 for number in range(20)} | {"own": 0.1}
    taste = family_taste(usual | {"own": 0.2}, usual, {"own"})
    return taste.value if taste else None


PLACE_METHOD = Method(
    "-1 (always the second place) to 1 (always the first), 0 is best",
    "share of verdicts for the answer shown first - share for the second, a tie counting half for each, on pairs "
    "judged in both orders",
    "n = such verdicts; 95% interval over questions or pairs (docs/judge_report.md, biases)",
    Example("Of 24 verdicts on 12 pairs 15 are for the answer shown first: 15/24 - 9/24 =", _example_place, "+0.25"),
    "it judged no pair in both orders, or rated each answer by itself",
)


def length_method(formula: str, rests_on: str, undefined: str) -> Method:
    """How `length_column` comes about."""
    return Method(
        "-1 to 1, share of wins; 0 is best",
        formula,
        rests_on,
        Example(
            "Of equally good answers the one shown first wins 9 of 12 times where it is longer by one deviation, and 3 "
            "of 12 where it is shorter: (9/12 - 3/12) / 2 =",
            _example_length,
            "+0.25",
        ),
        undefined,
    )


FAMILY_METHOD = Method(
    "-1 to 1, share of wins; 0 is best",
    "liking of a system = its share of wins less one half, whatever the place; the effect is how far the family lies "
    "above the line of the judge's likings by those of judges of other families",
    "n = comparisons with one answer of the family; 95% interval and p over systems (analysis of covariance, Cochran "
    "1957; docs/judge_report.md, biases)",
    Example(
        "Of 21 systems the judge likes 20 as much as the others do, and the one of its family by 0.2 where they like "
        "it by 0.1: 0.2 - 0.1 =",
        _example_family,
        "+0.10",
    ),
    "none of the systems is of its family, or too few are of others",
)


def biases_method(kinds: str) -> Method:
    """How `biases_column` comes about."""
    return Method(
        "words",
        f"effects of {kinds} whose false discovery rate (Benjamini and Hochberg 1995) is at most 5%, over all "
        "tests of all judges here",
        "each effect with the size that would be seen in 80 of 100 such logs, in the hint of its cell",
        neither="it names what was found",
    )
