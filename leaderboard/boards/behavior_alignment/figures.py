"""Every figure of one recommender, with the human's where there is one, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.behavior_alignment.response_texts import ORDERS
from evaluator.behavior_alignment.result import BehaviorFigures, BehaviorResult, Ends
from evaluator.results import MetricValue
from leaderboard.parts.chart import ChartRow, ChartTable, Head
from leaderboard.parts.columns import NOT_AVAILABLE, Format, text_of
from leaderboard.parts.tables import TableValue

Line = tuple[str, str, str]
"""Figure, the system's, the human's: written out."""

_HEADS: tuple[Head, ...] = (("the system", "text"), ("the human", "text"))


def figures_table(result: BehaviorResult) -> TableValue:
    """Every figure of a result; those of docs/behavior_alignment.md under the words of the board."""
    lines = [*_explicit_lines(result), *_implicit_lines(result), *_other_lines(result)]
    rows = tuple(ChartRow(str(place), name, (system, human)) for place, (name, system, human) in enumerate(lines))
    return ChartTable("Figure", _HEADS, rows).value("Everything it was scored on")


def _explicit_lines(result: BehaviorResult) -> Iterator[Line]:
    explicit = result.explicit
    yield "annotated share", _written(explicit.annotated_share, "percent"), ""
    if explicit.ba is None:
        return
    yield "behavior alignment", _with_ends(explicit.ba, explicit.ba_ci, result), ""
    yield "BA, Eq. 2 of the paper", _written(explicit.ba_eq2), ""
    yield "BA over all turns (pooled)", _written(explicit.ba_pooled), ""
    yield "Eq. 2 over all turns (pooled)", _written(explicit.ba_eq2_pooled), ""
    yield "BA over strategic turns", _written(explicit.ba_strategic), ""
    yield "scored turns without a human strategy", str(explicit.human_no_strategy_turns), ""
    if explicit.alternatives:
        yield "rule first", _written(explicit.alternatives.first), ""
        yield "rule overlap", _written(explicit.alternatives.any_overlap), ""
        yield "rule Jaccard", _written(explicit.alternatives.jaccard), ""


def _implicit_lines(result: BehaviorResult) -> Iterator[Line]:
    implicit = result.implicit
    if implicit is None:
        return
    accuracy = _written(implicit.pair_accuracy)
    yield "estimator, accuracy on balanced pairs", f"{implicit.estimator}, {accuracy}", ""
    yield "raw (estimated)", _with_ends(implicit.raw, implicit.raw_ci, result), ""
    yield "corrected (estimated)", _with_ends(implicit.corrected, implicit.corrected_ci, result), ""
    ends = implicit.corrected_range
    yield "range of the corrected (estimated)", f"{ends[0]:.2f} to {ends[1]:.2f}" if ends else NOT_AVAILABLE, ""
    yield (
        "tpr, fpr, threshold t",
        ", ".join(_written(number) for number in (implicit.tpr, implicit.fpr, implicit.threshold)),
        "",
    )


def _other_lines(figures: BehaviorFigures) -> Iterator[Line]:
    before, accepted = figures.turns_before_recommendation, figures.success
    yield "turns before recommending", _written(before["system"].mean), _written(before["human"].mean)
    yield "dialogues that recommend", str(before["system"].dialogues), str(before["human"].dialogues)
    yield "dialogues that never do", str(before["system"].never), str(before["human"].never)
    yield "dialogues not marked", str(before["system"].not_marked), str(before["human"].not_marked)
    yield "success", _written(accepted["system"].rate, "percent"), _written(accepted["human"].rate, "percent")
    yield "dialogues marked for success", str(accepted["system"].dialogues), str(accepted["human"].dialogues)
    for order in map(str, ORDERS):
        yield f"BLEU@{order}", _written(figures.bleu[order]), ""
    for order in map(str, ORDERS):
        variety = figures.dist[order]
        yield f"DIST@{order}, per answer", _written(variety.per_response), ""
        yield f"DIST@{order}, of all {order}-grams", _written(variety.ratio), ""
    yield "copied from the human", _written(figures.copied_share, "percent"), ""


def _written(value: float | None, format_: Format = "decimal") -> str:
    return text_of(value, format_)


def _with_ends(value: float | None, ends: Ends | None, result: BehaviorResult) -> str:
    low, high = ends or (None, None)
    return text_of(MetricValue(value=value, low=low, high=high, n=result.scored_dialogues), "interval")
