"""Words and tables that published records share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.results import MetricValue
from evaluator.statistics.item_selection import RuleFigures
from leaderboard.parts.chart import ChartRow, ChartTable, Head
from leaderboard.parts.tables import TableValue

RULE_NAMES = {
    "random": "random",
    "discriminating": "most discriminating",
    "upper minus lower": "widest gap from best to worst systems",
    "varying": "varying most",
    "stratified": "spread over difficulty",
    "anchors": "anchor points",
}


@dataclass(frozen=True, slots=True)
class FewUnits:
    """How few units rank as all of a record do."""

    selection: Sequence[RuleFigures]
    units: str
    """What is chosen, in the plural: "prompts"."""
    total: int
    ranked: str
    """What is ranked, in the plural."""

    def line(self) -> str:
        """Whether chosen units rank better than random ones do."""
        better = [own for own in self.selection if own.is_better_than_random]
        best = max(better or self.selection, key=lambda own: (own.gain, own.rule))
        random = next(own for own in self.selection if (own.rule, own.size) == ("random", best.size))
        said = (
            f"How many {self.units} would do: {best.size} random ones order {best.systems} {self.ranked} as all "
            f"{self.total} do with tau {_ends(random)}"
        )
        if not better:
            return f"{said}, and no rule beats them."
        return f"{said}; {best.size} by the rule “{RULE_NAMES[best.rule]}” reach {_ends(best)}."

    def table(self) -> TableValue:
        """Every rule at every size."""
        rows = tuple(
            ChartRow(
                f"{own.rule} {own.size}", f"{own.size} {RULE_NAMES[own.rule]}", (_tau(own), _gain(own), own.splits)
            )
            for own in self.selection
        )
        caption = (
            f"How many {self.units} would do: Kendall's tau of {self.selection[0].systems} {self.ranked} with their "
            f"order by all {self.total}, where a rule chose {self.units} by the other {self.ranked}; mean over splits, "
            "with what 95% of the splits reach"
        )
        heads: tuple[Head, ...] = (("Tau", "interval"), ("Beside random ones", "signed"), ("Splits", "whole"))
        return ChartTable(self.units.capitalize(), heads, rows, leads=False).value(caption)


def _ends(own: RuleFigures) -> str:
    """Tau with what 95% of the splits reach."""
    return f"{own.tau:.2f} [{own.low:.2f}, {own.high:.2f}]"


def _tau(own: RuleFigures) -> MetricValue:
    return MetricValue(value=own.tau, low=own.low, high=own.high, n=own.splits)


def _gain(own: RuleFigures) -> MetricValue | None:
    if own.rule == "random":
        return None
    return MetricValue(value=own.gain, low=own.gain_low, high=own.gain_high, n=own.splits)


def percent(share: MetricValue) -> str:
    """A share in whole percent with its interval.

    >>> percent(MetricValue(value=0.872, low=0.84, high=0.9, n=419))
    '87% [84, 90]'
    """
    if share.value is None:
        return "an unknown share"
    ends = "" if share.low is None or share.high is None else f" [{100 * share.low:.0f}, {100 * share.high:.0f}]"
    return f"{share.value:.0%}{ends}"
