"""What one run says in every cell of the variation atlas, in each edition; undefined figures keep their reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from evaluator.results import Figure, MetricValue, View
from evaluator.robustness.edition_results import ConsistencyFigure, ConsistencyResult, CulturalFigure, CulturalResult
from evaluator.robustness.figures import SET_UNAVAILABLE, JudgedGroup, Subset, by_language, of_subset
from leaderboard.boards.editions.columns import PairRow
from leaderboard.boards.robustness.atlas.maps import MapKey
from leaderboard.boards.robustness.charts import language_name
from leaderboard.boards.robustness.state import MapFigure

Cells = Mapping[str, MetricValue]
"""Part -> figure, of one run; parts it has nothing on are absent."""

RunCells = Mapping[MapKey, Cells]
"""All that one run says in the maps of its edition."""

FIGURES_2024: Final[Mapping[MapFigure, Figure]] = {
    "gated": "pair_mean_gated",
    "raw": "pair_mean",
    "worst": "pair_worst_gated",
}
FIGURES_2025: Final[Mapping[MapFigure, ConsistencyFigure]] = {
    "gated": "consistency_gated",
    "raw": "consistency",
    "worst": "worst_gated",
}
FIGURES_2026: Final[Mapping[MapFigure, CulturalFigure]] = {"cr": "cr_gated", "cd": "cd_gated", "rho": "csp_gated"}

NOT_COMPARED = "no two of its answers were compared: fewer than two, or not judged"
NO_CORRELATION = "no correlation: too few questions pass in both languages, or their distances do not vary"
NOT_ON_BOTH = "no question is answered in both languages and passes the relevance check"


def cells_2024(groups: Sequence[JudgedGroup], view: View, subset: Subset, figure: MapFigure) -> RunCells:
    """Items, types of variation and languages of one run, as the board has them in that part of the set.

    Of an item n = the answers behind its value (it is one unit and has no interval); of the others n = judged items.
    The languages are those of the whole set, or the one that is chosen, whatever the view.
    """
    key = FIGURES_2024[figure]
    chosen = subset.groups(groups, view)
    result = of_subset(groups, view, subset)
    everywhere = subset.groups(groups, "all")
    return {
        "items": {item: _item(item, chosen, result.item_values[key].get(item), key) for item in _items(chosen)},
        "variations": result.figures[key].by_variation,
        "languages": {language: figures[key] for language, figures in by_language(everywhere).items()},
    }


def _items(groups: Sequence[JudgedGroup]) -> list[str]:
    return sorted({group.item for group in groups})


def _item(item: str, groups: Sequence[JudgedGroup], value: float | None, figure: Figure) -> MetricValue:
    own = [group for group in groups if group.item == item]
    judged = [group for group in own if group.figures[figure] is not None]
    if value is not None:
        return MetricValue(value=value, n=sum(group.answered for group in judged), unscored=len(own) - len(judged))
    reasons = sorted({group.reason for group in own if group.reason})
    return MetricValue(value=None, n=0, unscored=len(own), reason="; ".join(reasons) or SET_UNAVAILABLE)


def cells_2025(result: ConsistencyResult, figure: MapFigure) -> RunCells:
    """Questions and languages of one run: a language has no worst pair."""
    key = FIGURES_2025[figure]
    asked = {question for values in result.question_values.values() for question in values}
    values = result.question_values[key]
    return {
        "questions": {question: _single(values.get(question), NOT_COMPARED) for question in asked},
        "languages": {language: of[key] for language, of in result.by_language.items() if key in of},
    }


def cells_2026(result: CulturalResult, pairs: Sequence[PairRow], figure: MapFigure) -> RunCells:
    """Pairs of languages, base questions and languages of one run.

    A pair has its correlation, CD and CR; a question CD and CR (a correlation takes many); a language the share of its
    answers that are on topic, whatever figure is looked at.
    """
    values = result.question_values.get(FIGURES_2026[figure], {})
    return {
        "pairs": {pair.id: _pair(pair, figure) for pair in pairs},
        "questions": {}
        if figure == "rho"
        else {question: _single(values.get(question), NOT_COMPARED) for question in result.questions},
        "languages": {language: share.pass_share for language, share in result.languages.items()},
    }


def _pair(pair: PairRow, figure: MapFigure) -> MetricValue:
    if figure == "rho":
        return _single(pair.rho, NO_CORRELATION, n=pair.questions)
    return _single(pair.cd if figure == "cd" else pair.cr, NOT_ON_BOTH, n=pair.questions)


def _single(value: float | None, reason: str, *, n: int = 1) -> MetricValue:
    """A figure without an interval of its own."""
    return MetricValue(value=value, n=0 if value is None else n, reason=reason if value is None else None)


def part_name(key: MapKey, part: str) -> str:
    """What a row of a map is called: languages have names.

    >>> part_name("languages", "sv"), part_name("items", "003"), part_name("pairs", "en - sv")
    ('sv Swedish', '003', 'en - sv')
    """
    name = language_name(part) if key == "languages" else part
    return part if name == part else f"{part} {name}"
