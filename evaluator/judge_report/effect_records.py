"""Biases of published judges, as their figures are kept and shown (docs/judge_report.md#biases)."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.judge_report.biases import BELIEVED, Bias, Kind
from evaluator.statistics.clustered_slopes import false_discovery_rates
from evaluator.values import Frozen, MetricValue

DIGITS = 6
"""Decimals that are kept: more would differ between processors."""


class EffectRecord(Frozen):
    """How far something besides quality decides a judge's verdicts."""

    kind: Kind
    """Above 0 the answer shown first gains, the longer one by one standard deviation of the log length ratio, or the
    one of the judge's own family."""
    size: MetricValue
    """Share of wins, -1 to 1; 0 is best."""
    detectable: float
    """The size that a test at 5% sees in 80 of 100 such logs."""
    false_discovery_rate: float
    """Over all tests of all judges that are shown together."""
    held: str
    """What was held fixed, in words."""

    @property
    def is_found(self) -> bool:
        """Whether it is told from 0 at a false discovery rate of 5%."""
        return self.false_discovery_rate <= BELIEVED


def effect_records(tested: Sequence[Bias]) -> dict[str, tuple[EffectRecord, ...]]:
    """Return the effects of each judge, with one false discovery rate over all that were tested."""
    by_judge: dict[str, tuple[EffectRecord, ...]] = {}
    rates = false_discovery_rates([bias.size.p for bias in tested])
    for bias, rate in zip(tested, rates, strict=True):
        value, low, high, detectable, rate = (
            round(figure, DIGITS)
            for figure in (bias.size.value, bias.size.low, bias.size.high, bias.size.detectable, rate)
        )
        record = EffectRecord(
            kind=bias.kind,
            size=MetricValue(value=value, low=low, high=high, n=bias.n),
            detectable=detectable,
            false_discovery_rate=rate,
            held=bias.held,
        )
        by_judge[bias.judge] = (*by_judge.get(bias.judge, ()), record)
    return by_judge
