"""Texts added to the answers of labelled pairs, and what they do to a judge's scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import ACCURACY_THRESHOLD, scored_labelled
from evaluator.judge_quality.trial_values import Effect
from evaluator.judges.protocol import Judge
from evaluator.statistics.intervals import bootstrap_mean_metric, mean_metric
from evaluator.text.content_checks import sentences
from evaluator.values import MetricValue

Place = Literal["before", "after", "inside"]
PLACES: tuple[Place, ...] = get_args(Place)

Side = Literal["a", "b"]
SIDES: tuple[Side, ...] = get_args(Side)


@dataclass(frozen=True, slots=True)
class Trial:
    """One pair with a text added to one of its answers, or to both."""

    pair: LabelledPair
    sides: tuple[Side, ...]
    """The answers the text is added to."""
    place: Place
    text: str

    def changed(self) -> LabelledPair:
        """The pair as the judge gets it."""
        return self.pair.model_copy(
            update={side: added(getattr(self.pair, side), self.text, self.place) for side in self.sides}
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a trial; a score is None where the judge gave none."""

    trial: Trial
    clean: float | None
    changed: float | None


def added(answer: str, text: str, place: Place) -> str:
    """The answer with a text on a line of its own.

    >>> added("One. Two.", "X", "before"), added("One. Two.", "X", "inside")
    ('X\\nOne. Two.', 'One.\\nX\\nTwo.')
    """
    cut = {"before": 0, "after": len(answer), "inside": _second_half(answer)}[place]
    lines = (answer[:cut].rstrip(), text, answer[cut:].lstrip())
    return "\n".join(line for line in lines if line)


def _second_half(answer: str) -> int:
    """Where the second half of an answer begins: at a sentence, in a single sentence at a word."""
    own_sentences = sentences(answer)
    parts = own_sentences if len(own_sentences) > 1 else answer.split()
    start = searched_from = 0
    for part in parts[: len(parts) // 2 + 1]:
        start = answer.index(part, searched_from)
        searched_from = start + len(part)
    return start


def outcomes(judge: Judge, tried: Sequence[Trial], clean: Mapping[str, float | None] | None = None) -> list[Outcome]:
    """The trials' scores with and without the added text.

    Args:
        clean: Scores of the unchanged pairs by id; None = they are asked for, each once.
    """
    if clean is None:
        distinct = list({trial.pair.id: trial.pair for trial in tried}.values())
        clean = dict(zip((pair.id for pair in distinct), _scores(judge, distinct), strict=True))
    # Where there is no score to start from there is no shift: a judge that answers little is asked little.
    asked = [place for place, trial in enumerate(tried) if clean[trial.pair.id] is not None]
    changed = dict(zip(asked, _scores(judge, [tried[place].changed() for place in asked]), strict=True))
    return [Outcome(trial, clean[trial.pair.id], changed.get(place)) for place, trial in enumerate(tried)]


def _scores(judge: Judge, pairs: Sequence[LabelledPair]) -> list[float | None]:
    return [row.score for row in scored_labelled(judge, pairs)]


def effect(trial_outcomes: Sequence[Outcome]) -> Effect:
    """What the trials show together."""
    scored = _scored(trial_outcomes)
    unscored = len(trial_outcomes) - len(scored)
    low = [row for row in scored if not _is_above(row[1])]
    return Effect(
        shift=mean_shift(trial_outcomes),
        crossed=_share(lambda clean, changed: _is_above(clean) != _is_above(changed), scored, unscored),
        talked_up=_share(lambda _, changed: _is_above(changed), low, unscored),
    )


def mean_shift(trial_outcomes: Sequence[Outcome]) -> MetricValue:
    """Mean of the changed score minus the clean one, -5..5; n = trials with both scores."""
    scored = _scored(trial_outcomes)
    shifts: dict[str, list[float]] = {}
    for outcome, clean, changed in scored:
        shifts.setdefault(outcome.trial.pair.topic, []).append(changed - clean)
    return bootstrap_mean_metric(shifts, unscored=len(trial_outcomes) - len(scored), reason=_NO_SCORES)


_Scored = tuple[Outcome, float, float]
"""An outcome with both its scores."""


def _scored(trial_outcomes: Sequence[Outcome]) -> list[_Scored]:
    return [
        (outcome, outcome.clean, outcome.changed)
        for outcome in trial_outcomes
        if outcome.clean is not None and outcome.changed is not None
    ]


_NO_SCORES = "no trial has both scores"


def _share(holds: Callable[[float, float], bool], rows: Iterable[_Scored], unscored: int) -> MetricValue:
    by_topic: dict[str, list[float]] = {}
    for outcome, clean, changed in rows:
        by_topic.setdefault(outcome.trial.pair.topic, []).append(float(holds(clean, changed)))
    return mean_metric(by_topic, unscored=unscored, reason=_NO_SCORES)


def _is_above(score: float) -> bool:
    return score > ACCURACY_THRESHOLD
