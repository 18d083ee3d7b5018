"""Behavior alignment: how often a recommender chooses the strategy the human chose (DOI 10.1145/3626772.3657924).

A turn is a hit where both turn labels are equal. Turn 1 is not scored, as every start is arbitrary, and dialogues of
one turn are left out. Explicit figures need the strategies of both sides; what is estimated from texts stands apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import Literal, NotRequired, TypedDict, get_args

from evaluator.behavior_alignment.implicit import (
    ImplicitFigures,
    StrategyEstimator,
    TurnEstimate,
    TurnId,
    implicit_figures,
    turn_estimates,
)
from evaluator.behavior_alignment.response_texts import Variety, copied_share, mean_bleu, variety
from evaluator.statistics.dialogues import (
    DRAWS,
    Draws,
    StrategyMix,
    dialogue_interval,
    mean_over_dialogues,
    mix_distance,
    pooled_mean,
)
from submissions.formats.behavior_alignment.submission import (
    KIND,
    NO_STRATEGY,
    TURN_LABELS,
    Answer,
    CrsSubmission,
    Dialogue,
    Turn,
    TurnLabel,
)

TURN_RULE = "last"
"""A turn is labelled by its last sentence that has a strategy."""

MIN_RANKED_DIALOGUES = 20
MAX_COPIED_SHARE = 0.5

Side = Literal["human", "system"]
SIDES: tuple[Side, ...] = get_args(Side)

COPIED = "copied_human_text"

Agreement = Callable[[Turn], float]
"""How far the two sides of an annotated turn agree, 0-1."""


class Alternatives(TypedDict):
    """The same average under other rules for turns with several strategies; never ranked."""

    first: float | None
    any_overlap: float | None
    jaccard: float | None


class ExplicitFigures(TypedDict):
    """What needs annotated strategies; all None where a scored turn lacks them."""

    annotated_share: float | None
    ba: float | None
    ba_ci: list[float] | None
    ba_eq2: float | None
    """Over all turns of a dialogue, the first one too: the paper's Eq. 2 as printed, which cannot reach 1."""
    ba_pooled: float | None
    ba_eq2_pooled: float | None
    ba_strategic: float | None
    """Over turns in which the human used one of the 13 strategies."""
    human_no_strategy_turns: int | None
    alternatives: Alternatives | None
    strategy_mix: StrategyMix | None


class TurnsBefore(TypedDict):
    """Recommender turns before the first that recommends."""

    mean: float | None
    dialogues: int
    """In which there is one."""
    never: int
    not_marked: int
    """Dialogues with an unmarked turn before it."""


class Success(TypedDict):
    """Dialogues in which the seeker accepted a recommendation."""

    rate: float | None
    dialogues: int
    """Marked either way."""


class TurnRow(TypedDict):
    """One scored turn."""

    dialogue_id: str
    turn: int
    human_label: TurnLabel | None
    system_label: TurnLabel | None
    equal: bool | None
    s: float | None
    same: bool | None


class BehaviorReport(TypedDict):
    """What `python -m evaluator behavior-alignment` prints."""

    kind: str
    collection: str
    dialogues: int
    turns: int
    scored_turns: int
    turn_rule: str
    explicit: ExplicitFigures
    implicit: ImplicitFigures | None
    turns_before_recommendation: dict[Side, TurnsBefore]
    success: dict[Side, Success]
    bleu: dict[str, float | None]
    dist: dict[str, Variety]
    copied_share: float | None
    flags: list[str]
    rankable: bool
    per_turn: NotRequired[list[TurnRow]]


# --- labels of a turn ------------------------------------------------------------------------------------------------


def turn_label(strategies: Sequence[TurnLabel]) -> TurnLabel:
    """The strategy of the last sentence that has one of the 13; no_strategy where none has.

    >>> turn_label(["encouragement", "credibility", "no_strategy"])
    'credibility'
    """
    return next((label for label in reversed(strategies) if label != NO_STRATEGY), NO_STRATEGY)


def first_label(strategies: Sequence[TurnLabel]) -> TurnLabel:
    """The strategy of the first sentence that has one of the 13; no_strategy where none has."""
    return next((label for label in strategies if label != NO_STRATEGY), NO_STRATEGY)


def label_set(strategies: Sequence[TurnLabel]) -> frozenset[TurnLabel]:
    """All strategies of a turn; {no_strategy} where there is none."""
    return frozenset(label for label in strategies if label != NO_STRATEGY) or frozenset({NO_STRATEGY})


def answer_label(answer: Answer) -> TurnLabel | None:
    """The turn label of one side; None where it is not annotated."""
    return None if answer.strategies is None else turn_label(answer.strategies)


def _labels(turn: Turn) -> tuple[Sequence[TurnLabel], Sequence[TurnLabel]]:
    """Both sides of an annotated turn."""
    return turn.human.strategies or (), turn.system.strategies or ()


def is_hit(turn: Turn) -> float:
    """1.0 where both turn labels are equal."""
    human, system = _labels(turn)
    return float(turn_label(human) == turn_label(system))


def _is_first_hit(turn: Turn) -> float:
    human, system = _labels(turn)
    return float(first_label(human) == first_label(system))


def _overlaps(turn: Turn) -> float:
    human, system = map(label_set, _labels(turn))
    return float(bool(human & system))


def _jaccard(turn: Turn) -> float:
    human, system = map(label_set, _labels(turn))
    return len(human & system) / len(human | system)


# --- explicit --------------------------------------------------------------------------------------------------------


def explicit_figures(dialogues: Sequence[Dialogue]) -> ExplicitFigures:
    """Behavior alignment from annotated strategies.

    Every `ba` is 0-1, higher is better: the mean over dialogues of the share of turns 2..N in which both turn labels
    are equal. All figures are None unless every scored turn is annotated on both sides; nothing unlabelled counts as a
    miss. Source: Yang, Chen, Fang, SIGIR 2024; docs/behavior_alignment.md#explicit-figures.
    """
    dialogues = [dialogue for dialogue in dialogues if dialogue.scored_turns]
    turns = [turn for dialogue in dialogues for turn in dialogue.scored_turns]
    annotated_share = sum(turn.is_annotated for turn in turns) / len(turns) if turns else None
    if annotated_share != 1.0:
        return _without_labels(annotated_share)
    hits = _by_dialogue(dialogues, is_hit)
    strategic = _by_dialogue(dialogues, is_hit, counts=_is_strategic)
    n_turns = sum(len(dialogue.turns) for dialogue in dialogues)
    return ExplicitFigures(
        annotated_share=annotated_share,
        ba=mean_over_dialogues(hits),
        ba_ci=dialogue_interval(hits),
        ba_eq2=fsum(fsum(hit) / (len(hit) + 1) for hit in hits.values()) / len(hits),
        ba_pooled=pooled_mean(hits),
        ba_eq2_pooled=fsum(map(fsum, hits.values())) / n_turns,
        ba_strategic=mean_over_dialogues(strategic),
        human_no_strategy_turns=sum(not _is_strategic(turn) for turn in turns),
        alternatives=Alternatives(
            first=mean_over_dialogues(_by_dialogue(dialogues, _is_first_hit)),
            any_overlap=mean_over_dialogues(_by_dialogue(dialogues, _overlaps)),
            jaccard=mean_over_dialogues(_by_dialogue(dialogues, _jaccard)),
        ),
        strategy_mix=strategy_mix(turns),
    )


def _without_labels(annotated_share: float | None) -> ExplicitFigures:
    return ExplicitFigures(
        annotated_share=annotated_share,
        ba=None,
        ba_ci=None,
        ba_eq2=None,
        ba_pooled=None,
        ba_eq2_pooled=None,
        ba_strategic=None,
        human_no_strategy_turns=None,
        alternatives=None,
        strategy_mix=None,
    )


def _by_dialogue(
    dialogues: Iterable[Dialogue], agreement: Agreement, counts: Callable[[Turn], bool] = lambda turn: True
) -> dict[str, list[float]]:
    return {
        dialogue.dialogue_id: [agreement(turn) for turn in dialogue.scored_turns if counts(turn)]
        for dialogue in dialogues
    }


def _is_strategic(turn: Turn) -> bool:
    return answer_label(turn.human) != NO_STRATEGY


def strategy_mix(turns: Sequence[Turn]) -> StrategyMix:
    """Share of each of the 14 turn labels among annotated turns, per side."""
    human, system = (_shares(turn_label(labels) for labels in side) for side in zip(*map(_labels, turns), strict=True))
    return StrategyMix(human=human, system=system, distance=mix_distance(human, system))


def _shares(labels: Iterable[TurnLabel]) -> dict[str, float]:
    counts = Counter(labels)
    return {label: counts[label] / counts.total() for label in TURN_LABELS}


# --- marks -----------------------------------------------------------------------------------------------------------


def turns_before_recommendation(dialogues: Iterable[Dialogue], side: Side) -> TurnsBefore:
    """How many recommender turns come before the first that recommends an item; mean over the dialogues that have one.

    Neither more nor fewer is better: compare the system with the human. Over all turns, the first one too.
    """
    before: list[int] = []
    never = not_marked = 0
    for dialogue in dialogues:
        marks = [(turn.human if side == "human" else turn.system).recommends for turn in dialogue.turns]
        told = next((number for number, mark in enumerate(marks) if mark is not False), None)
        if told is None:
            never += 1
        elif marks[told]:
            before.append(told)
        else:
            not_marked += 1
    mean = sum(before) / len(before) if before else None
    return TurnsBefore(mean=mean, dialogues=len(before), never=never, not_marked=not_marked)


def success(dialogues: Iterable[Dialogue], side: Side) -> Success:
    """Share of the marked dialogues in which the seeker accepted a recommendation; None where none is marked."""
    marks = [dialogue.human_success if side == "human" else dialogue.system_success for dialogue in dialogues]
    known = [mark for mark in marks if mark is not None]
    return Success(rate=sum(known) / len(known) if known else None, dialogues=len(known))


# --- report ----------------------------------------------------------------------------------------------------------


def behavior_report(
    submission: CrsSubmission,
    estimator: StrategyEstimator | None = None,
    *,
    draws: Draws = DRAWS,
    per_turn: bool = False,
) -> BehaviorReport:
    """Every figure of one system on one collection.

    Args:
        submission: its answers beside the human's.
        estimator: what the implicit figures are estimated by; None leaves them out.
        draws: how dialogues are resampled.
        per_turn: whether to list every scored turn.
    """
    dialogues = submission.dialogues
    scored = [turn for dialogue in dialogues for turn in dialogue.scored_turns]
    texts = [(turn.system.text, turn.human.text) for turn in scored]
    explicit = explicit_figures(dialogues)
    estimates = turn_estimates(dialogues, estimator) if estimator else {}
    implicit = implicit_figures(dialogues, estimator, estimates, draws) if estimator else None
    copied = copied_share(texts)
    is_copied = copied is not None and copied > MAX_COPIED_SHARE
    report = BehaviorReport(
        kind=KIND,
        collection=submission.collection,
        dialogues=len(dialogues),
        turns=sum(len(dialogue.turns) for dialogue in dialogues),
        scored_turns=len(scored),
        turn_rule=TURN_RULE,
        explicit=explicit,
        implicit=implicit,
        turns_before_recommendation={side: turns_before_recommendation(dialogues, side) for side in SIDES},
        success={side: success(dialogues, side) for side in SIDES},
        bleu=mean_bleu(texts),
        dist=variety([system for system, _ in texts]),
        copied_share=copied,
        flags=[COPIED] if is_copied else [],
        rankable=_is_rankable(dialogues, explicit, implicit) and not is_copied,
    )
    if per_turn:
        report["per_turn"] = turn_rows(dialogues, estimates)
    return report


def _is_rankable(dialogues: Iterable[Dialogue], explicit: ExplicitFigures, implicit: ImplicitFigures | None) -> bool:
    headline = explicit["ba"] if explicit["ba"] is not None else implicit and implicit["corrected"]
    return headline is not None and sum(bool(dialogue.scored_turns) for dialogue in dialogues) >= MIN_RANKED_DIALOGUES


def turn_rows(dialogues: Iterable[Dialogue], estimates: dict[TurnId, TurnEstimate]) -> list[TurnRow]:
    """Every scored turn with its labels and what the estimator says of it."""
    return [
        _turn_row(dialogue.dialogue_id, turn, estimates.get((dialogue.dialogue_id, turn.number)))
        for dialogue in dialogues
        for turn in dialogue.scored_turns
    ]


def _turn_row(dialogue_id: str, turn: Turn, estimate: TurnEstimate | None) -> TurnRow:
    return TurnRow(
        dialogue_id=dialogue_id,
        turn=turn.number,
        human_label=answer_label(turn.human),
        system_label=answer_label(turn.system),
        equal=bool(is_hit(turn)) if turn.is_annotated else None,
        s=estimate.similarity if estimate else None,
        same=estimate.is_same if estimate else None,
    )
