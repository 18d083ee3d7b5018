"""One system's items on the Robustness board, down to every answer and every verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.judges.protocol import Judgment
from evaluator.results import (
    HEADLINE,
    Figure,
    GroupResult,
    ItemResult,
    PairResult,
    PairwiseRecord,
    PairwiseResult,
    ResponseResult,
    RobustnessResult,
    View,
    ViewResult,
)
from evaluator.robustness.figures import ENGLISH, MIN_TEXTS
from leaderboard.boards.robustness.answer_diff import diff_value
from leaderboard.boards.robustness.lost_points import counted_in_full, counts_words, loss_words, share_words
from leaderboard.boards.robustness.pair_values import has_details, opened_pair_value
from leaderboard.parts.card_values import JudgeCardValue
from leaderboard.parts.item_values import (
    ComparisonValue,
    DiffValue,
    GroupValue,
    ItemValue,
    PairValue,
    PreferenceValue,
    VariantValue,
)
from submissions.schema import Count, Flag, Item, PromptSet, Response, Submission
from submissions.verdicts.swap_outcomes import SwapOutcome

NO_SCORE = "n/a"
FILE_GONE = "The file with this answer is no longer stored here."


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item of one system, in one view."""

    id: str
    variation: str
    languages: str
    values: Mapping[Figure, float]
    """Item values of the view; a figure is absent where nothing was judged."""
    passing: Count
    """Pairs that count in full, of all pairs."""
    flags: Mapping[Flag, int]
    reason: str
    style: str = ""

    @property
    def tier(self) -> int:
        return 0 if self.values else 1


def item_rows(result: RobustnessResult, view: View) -> tuple[ItemRow, ...]:
    """The items of a view: the worst first, equal ones in the order of the prompt set, unjudged ones last."""
    shown = result.views[view]
    rows = [_item_row(item, shown, view) for item in result.items if groups_in_view(item, view)]
    return tuple(sorted(rows, key=lambda row: (HEADLINE not in row.values, row.values.get(HEADLINE, 0.0))))


def groups_in_view(item: ItemResult, view: View) -> tuple[GroupResult, ...]:
    """The groups a view rests on: the English one, or all; fewer than two variants are no group."""
    groups = (group for group in item.groups if len(group.responses) >= MIN_TEXTS)
    return tuple(group for group in groups if view == "all" or group.language == ENGLISH)


def groups_shown(item: ItemResult, view: View) -> tuple[GroupResult, ...]:
    """The groups of an item's page: those of the view, or all where it has none there."""
    return groups_in_view(item, view) or item.groups


def _item_row(item: ItemResult, shown: ViewResult, view: View) -> ItemRow:
    groups = groups_in_view(item, view)
    pairs = [pair for group in groups for pair in group.pairs]
    flags = Counter(flag for group in groups for response in group.responses for flag in response.flags)
    return ItemRow(
        id=item.id,
        variation=item.variation,
        languages=", ".join(group.language for group in groups),
        values={figure: values[item.id] for figure, values in shown.item_values.items() if item.id in values},
        passing=counted_in_full(pairs),
        flags=flags,
        reason="; ".join(f"{group.language}: {group.reason}" for group in groups if group.reason),
    )


def item_value(
    item: ItemResult,
    view: View,
    submission: Submission | None,
    prompt_set: PromptSet | None,
    judge: JudgeCardValue,
    pairwise: PairwiseResult | None,
    *,
    judgments: Mapping[str, Judgment] | None = None,
    opened: str = "",
) -> ItemValue:
    """Everything the page shows about one item; the answers are absent where the file is no longer at hand.

    Args:
        judgments: stored verdicts by key (`verdict_keys`); a pair whose verdicts hold details can be opened.
        opened: the opened pair, "1-2"; a group without it opens its worst one.
    """
    answers = _answers(submission, item.id)
    wording = prompt_set.item(item.id) if prompt_set else None
    return {
        "title": f"Item {item.id}",
        "variation": item.variation,
        "sentence": item_sentence(groups_shown(item, view)),
        "groups": [
            group_value(
                group,
                [_variant_value(response, answers.get(response.variant), wording) for response in group.responses],
                {variant: answer.response for variant, answer in answers.items()},
                judge,
                judgments or {},
                opened,
            )
            for group in groups_shown(item, view)
        ],
        "comparisons": _comparisons(item.id, pairwise, judge) if pairwise else [],
    }


def item_sentence(groups: Sequence[GroupResult], languages: Mapping[int, str] | None = None) -> str:
    """Return how alike the answers to one prompt are, where least, and what the relevance check took.

    Args:
        groups: Of the item; where several were judged, the sentence is about the one with the lowest score.
        languages: Variant -> language, where every variant is another language.
    """
    judged = [group for group in groups if group.figures.get("pair_mean") is not None]
    if not judged:
        return f"Not scored: {next((group.reason for group in groups if group.reason), 'nothing was judged')}."
    group = min(judged, key=_score_of_group)
    raw, gated = group.figures["pair_mean"], group.figures.get("pair_mean_gated")
    assert raw is not None
    pairs = [pair for pair in group.pairs if pair.score is not None]
    agree = f"The answers agree at {raw:.2f} of 5"
    if len(judged) > 1:
        agree = f"Of {len(judged)} languages the answers score lowest in {group.language}: they agree at {raw:.2f} of 5"

    def called(pair: PairResult) -> str:
        first, second = ((languages or {}).get(variant, f"variant {variant}") for variant in (pair.a, pair.b))
        return f"{first} and {second}"

    least = min(pairs, key=lambda pair: pair.score or 0.0)
    if len(pairs) > 1:
        agree += " on average"
        if least.score is not None and least.score < raw:
            agree += f", least between {called(least)} ({least.score:.2f})"
    if gated is None or f"{gated:.2f}" == f"{raw:.2f}":
        return f"{agree}."
    after = f"{gated:.2f} after the relevance check, as {counts_words(group.pairs)}"
    worst = worst_pair(pairs)
    if worst is not None and worst is not least and worst.gated is not None:
        after += f", and least between {called(worst)} ({worst.gated:.2f})"
    return f"{agree}; {after}."


def _score_of_group(group: GroupResult) -> float:
    gated, raw = (group.figures.get(figure) for figure in (HEADLINE, "pair_mean"))
    return raw or 0.0 if gated is None else gated


def verdict_keys(groups: Iterable[GroupResult]) -> list[str]:
    """Keys of all verdicts on the pairs of some groups."""
    pairs = (pair for group in groups for pair in group.pairs)
    return [key for pair in pairs for key in (pair.key_ab, pair.key_ba) if key]


def worst_pair(pairs: Iterable[PairResult]) -> PairResult | None:
    """The pair with the lowest gated score, raw where the gate is unknown; None when nothing was judged."""
    judged = [pair for pair in pairs if pair.score is not None]
    return min(judged, key=_order_of_pairs, default=None)


def _pair_id(pair: PairResult) -> str:
    """Variants are numbered over the item, so one id names one pair of it."""
    return f"{pair.a}-{pair.b}"


def _order_of_pairs(pair: PairResult) -> tuple[float, float]:
    score = pair.score if pair.score is not None else 0.0
    return (score if pair.gated is None else pair.gated, score)


def _answers(submission: Submission | None, item_id: str) -> dict[int, Response]:
    if submission is None:
        return {}
    sets = (responses for responses in submission.items if responses.item_id == item_id)
    return {response.variant: response for responses in sets for response in responses.responses}


def group_value(
    group: GroupResult,
    variants: list[VariantValue],
    texts: Mapping[int, str],
    judge: JudgeCardValue,
    judgments: Mapping[str, Judgment],
    opened: str,
    *,
    title: str = "",
    languages: Mapping[int, str] | None = None,
) -> GroupValue:
    """One group with its answers and every verdict.

    Args:
        variants: its answers, ready for the page.
        texts: the same by variant, as they were judged; those not available are absent.
        judgments: stored verdicts by key.
        opened: the opened pair, "1-2"; without it the worst one that opens.
        title: of the group; blank = its language.
        languages: variant -> language, where every variant is another language: pairs are called by them, all of them
            open, and no words are compared.
    """
    worst = worst_pair(group.pairs)
    can_open = [pair for pair in group.pairs if languages or has_details(pair, judgments)]
    shown = next((pair for pair in can_open if _pair_id(pair) == opened), worst_pair(can_open))
    responses = {response.variant: response for response in group.responses}
    called = {variant: f"answer {(languages or {}).get(variant, variant)}" for variant in responses}
    losses = {_pair_id(pair): loss_words(pair, responses, called) for pair in group.pairs}
    return {
        "language": title or group.language,
        "summary": _group_summary(group),
        "variants": variants,
        "paired": "Languages" if languages else "Variants",
        "pairs": [
            _pair_value(
                pair,
                languages,
                losses[_pair_id(pair)],
                is_worst=pair is worst,
                opens=pair in can_open,
                is_opened=pair is shown,
            )
            for pair in group.pairs
        ],
        "opened": [opened_pair_value(shown, texts, judgments, languages, losses[_pair_id(shown)])] if shown else [],
        "diffs": [] if languages else _diffs(shown or worst, texts),
        "cards": [judge] if group.pairs else [],
    }


def _diffs(pair: PairResult | None, texts: Mapping[int, str]) -> list[DiffValue]:
    diff = diff_value(pair.a, texts.get(pair.a, ""), pair.b, texts.get(pair.b, "")) if pair else None
    return [diff] if diff else []


def _group_summary(group: GroupResult) -> str:
    if group.reason:
        return f"unscored: {group.reason}"
    return (
        f"score {score_text(group.figures.get('pair_mean_gated'))}, before the relevance check "
        f"{score_text(group.figures.get('pair_mean'))}, "
        f"worst pair {score_text(group.figures.get('pair_worst_gated'))}; {counts_words(group.pairs)}"
    )


def _variant_value(response: ResponseResult, answer: Response | None, wording: Item | None) -> VariantValue:
    prompts = {variant.number: variant.prompt for variant in wording.variants} if wording else {}
    stated = answer.prompt if answer else None
    return {
        "title": f"Variant {response.variant}",
        "prompt": stated or prompts.get(response.variant) or "",
        "answer": answer.response if answer else "",
        "turns": [],
        "is_blank": response.blank,
        "absent": "" if answer else FILE_GONE,
        "flags": flag_words(response.flags),
        "relevance": relevance_text(response),
    }


def flag_words(flags: Iterable[Flag]) -> list[str]:
    """Flags as words."""
    return [flag.replace("_", " ") for flag in flags]


def relevance_text(response: ResponseResult, *, others: str = "other items") -> str:
    """How near an answer lies to its own prompts and to those of the others, and how surely it answers."""
    said = "" if response.answers is None else f", answers: {response.answers:.0%}"
    if response.own_relevance is None:
        return "" if response.blank else f"relevance not checked{said}"
    if response.relevance_threshold is None:
        return f"relevance {response.own_relevance:.2f}{said}"
    return f"relevance {response.own_relevance:.2f}, {others} {response.relevance_threshold:.2f}{said}"


def _pair_value(
    pair: PairResult,
    languages: Mapping[int, str] | None,
    loss: str,
    *,
    is_worst: bool,
    opens: bool,
    is_opened: bool,
) -> PairValue:
    return {
        "id": _pair_id(pair) if opens else "",
        "is_opened": is_opened,
        "title": f"{languages[pair.a]} and {languages[pair.b]}" if languages else f"{pair.a} and {pair.b}",
        "first_order": score_text(pair.ab),
        "second_order": score_text(pair.ba),
        "score": score_text(pair.score),
        "gated": score_text(pair.gated),
        "counts": share_words(pair),
        "is_worst": is_worst,
        "reason": pair.reason or loss,
    }


def _comparisons(item_id: str, pairwise: PairwiseResult, judge: JudgeCardValue) -> list[ComparisonValue]:
    rows = [_preference_value(record) for record in pairwise.records if record.item == item_id]
    return [{"title": f"Against the reference {pairwise.reference}", "rows": rows, "cards": [judge]}] if rows else []


def _preference_value(record: PairwiseRecord) -> PreferenceValue:
    outcome = SwapOutcome(record.outcome)
    was_asked = record.key_original is not None
    return {
        "title": f"Variant {record.variant}",
        "first_order": f"{record.original}: {_PREFERRED_ORIGINAL[record.original]}",
        "second_order": f"{record.swapped}: {_PREFERRED_SWAPPED[record.swapped]}",
        "outcome": outcome.value.replace("_", " "),
        "is_flip": outcome in (SwapOutcome.PRIMACY_FLIP, SwapOutcome.RECENCY_FLIP),
        "label_mass": score_text(record.label_mass),
        "reason": record.reason or ("" if was_asked else "identical answers: no judge was asked"),
    }


_PREFERRED_ORIGINAL = {"A": "reference", "B": "system", "C": "tie", "N": "unusable"}
_PREFERRED_SWAPPED = {"A": "system", "B": "reference", "C": "tie", "N": "unusable"}
"""Whom a verdict names: A the answer shown first, B the one shown second."""


def score_text(score: float | None) -> str:
    """A score with two decimals; an undefined one is n/a, never 0."""
    return NO_SCORE if score is None else f"{score:.2f}"
