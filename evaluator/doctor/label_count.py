"""How many labels would narrow the main figure of a judge's log to ±.05."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_report.report import LogReport
from evaluator.statistics.corrected_scores import MIN_LABELS

HALF_WIDTH = 0.05
_Z = 1.959964
"""Of a 95% interval."""


@dataclass(frozen=True, slots=True)
class LabelCount:
    """Labels that a main figure rests on, and how many it would need."""

    figure: str
    have: int
    needed: int
    how: str
    """What the number rests on, in a sentence or two."""


def share_labels(share: float, half_width: float = HALF_WIDTH) -> int:
    """Return how many labels, drawn at random, give a share a 95% interval of this half-width.

    The normal approximation, z^2 p (1 - p) / d^2 (Cochran 1977, section 4.4).

    >>> share_labels(0.5), share_labels(0.8)
    (385, 246)
    """
    return ceil(_Z**2 * share * (1 - share) / half_width**2)


def label_count(log: JudgementLog, report: LogReport) -> LabelCount | None:
    """Return what the main figure needs: of labels in the log, of comparisons, or of ratings; None without either."""
    comparisons = [judgement for judgement in log.judgements if judgement.is_comparison]
    labelled = [judgement for judgement in comparisons if judgement.gold is not None and judgement.is_usable]
    questions = len({judgement.question for judgement in log.judgements})
    if labelled:
        return _of_gold(labelled, report)
    if comparisons:
        needed = share_labels(0.5)
        how = (
            f"The log has no labels, so {needed} holds for any judge; {share_labels(0.8)} are enough for one that is "
            f"right four times in five. {_drawn(needed, questions)}"
        )
        return LabelCount("Agreement with people", 0, needed, how)
    return _of_ratings(log, questions)


def _of_gold(labelled: Sequence[Judgement], report: LogReport) -> LabelCount:
    """From the widest interval of the judges' agreement with the labels of the log."""
    figures = [figure for judge in report.judges for figure in judge.figures if figure.key == "accuracy"]
    have = len({judgement.question for judgement in labelled})
    title = "Agreement with the log's labels"
    widths = [
        (figure.high - figure.low) / 2 for figure in figures if figure.low is not None and figure.high is not None
    ]
    if not widths:
        needed = share_labels(0.5)
        return LabelCount(title, have, needed, "There are too few questions for an interval: this holds for any share.")
    needed = max(1, ceil(have * (max(widths) / HALF_WIDTH) ** 2))
    return LabelCount(
        title,
        have,
        needed,
        f"Its interval is ±{max(widths):.3f} with {have:,} labelled questions, and shrinks by the root.",
    )


def _of_ratings(log: JudgementLog, questions: int) -> LabelCount | None:
    scale = log.scale
    ratings = [judgement.rating for judgement in log.judgements if judgement.rating is not None]
    if scale is None or len(ratings) < 2:
        return None
    spread = float(np.std(ratings, ddof=1))
    width = scale.high - scale.low
    needed = max(MIN_LABELS, ceil((_Z * spread / (HALF_WIDTH * width)) ** 2))
    how = (
        f"±.05 of the scale from {scale.low:g} to {scale.high:g}, if people's ratings are spread as the judge's are; "
        f"an interval needs {MIN_LABELS} labels. {_drawn(needed, questions)}"
    )
    return LabelCount("Mean rating by people", 0, needed, how)


def _drawn(needed: int, questions: int) -> str:
    """How labels are drawn, and what all questions of the log allow where they are fewer."""
    if needed <= questions:
        return "Draw them at random from the questions of the log."
    reach = HALF_WIDTH * sqrt(needed / questions) if questions else 1.0
    have = "1 question" if questions == 1 else f"{questions:,} questions"
    return f"The log has {have}: labels of all of them leave about ±{min(reach, 1.0):.2f}."
