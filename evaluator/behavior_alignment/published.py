"""What the paper behind the measure prints (Yang et al., SIGIR 2024, arXiv 2404.11773): never ranked with ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from evaluator.behavior_alignment.result import BehaviorFigures, ExplicitResult, SuccessResult, TurnsBeforeResult
from evaluator.published import printed_figures

DIALOGUES = 20
"""Of INSPIRED, in table 1."""

_NOT_PRINTED = ExplicitResult.model_validate(dict.fromkeys(ExplicitResult.model_fields))


@dataclass(frozen=True, slots=True)
class PublishedSystem:
    """A row of table 1."""

    name: str
    figures: BehaviorFigures
    """Two means with the number of dialogues; how many dialogues have no recommendation is not printed."""


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A figure about the measure itself."""

    what: str
    value: str
    """With the digits that are printed."""
    place: str


@cache
def published_systems() -> tuple[PublishedSystem, ...]:
    """Table 1: turns before the first recommendation, and success."""
    human = next(row for row in _tables()["table_1"]["rows"] if row["system"] == "Human")
    return tuple(PublishedSystem(row["system"], _figures(row, human)) for row in _tables()["table_1"]["rows"])


def _figures(row: dict[str, float], human: dict[str, float]) -> BehaviorFigures:
    return BehaviorFigures(
        explicit=_NOT_PRINTED,
        implicit=None,
        turns_before_recommendation={"human": _turns(human), "system": _turns(row)},
        success={"human": _success(human), "system": _success(row)},
        bleu={},
        dist={},
        copied_share=None,
    )


def _turns(row: dict[str, float]) -> TurnsBeforeResult:
    return TurnsBeforeResult(mean=row["turns_before_recommendation"], dialogues=DIALOGUES, never=0, not_marked=0)


def _success(row: dict[str, float]) -> SuccessResult:
    return SuccessResult(rate=row["success_rate"], dialogues=DIALOGUES)


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """What people prefer, from the worst to the best system, and how often the classifiers are right."""
    tables = _tables()
    kappa, range_ = tables["kappa_with_human_preference"], tables["range_figure_3"]
    about_the_measure = (
        PublishedFigure(
            "Cohen's kappa with people: which of two systems is better?",
            str(kappa["behavior_alignment"]),
            "in the text",
        ),
        PublishedFigure("Behavior alignment of a worst-case system", str(range_["low"]), "Figure 3"),
        PublishedFigure("Behavior alignment of an ideal system", str(range_["high"]), "Figure 3"),
    )
    of_classifiers = (
        PublishedFigure(f"Classifier {name}: {what}", value, place)
        for key, name in (("original", "Origin"), ("mixed_hard", "MixedHard"))
        for what, value, place in _of_classifier(tables, key)
    )
    return (*about_the_measure, *of_classifiers)


def _of_classifier(tables: Any, key: str) -> Iterator[tuple[str, str, str]]:
    """What, as printed, and where."""
    yield "accuracy, five folds", ", ".join(map(str, tables["table_3"][key])), "Table 3"
    yield "mean of the folds", str(tables["table_3"]["mean"][key]), "Table 3"
    for table, where, place in (("table_4", "", "Table 4"), ("table_5", " on ReDial", "Table 5")):
        for name in ("accuracy", "kappa"):
            yield f"{name}{where}", str(tables[table][key][name]), place


@cache
def _tables() -> Any:
    return printed_figures("evaluator.behavior_alignment")
