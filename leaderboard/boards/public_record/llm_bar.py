"""Judges against people's labels: LLMBar's 65 judges, declared as a board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypedDict

from evaluator.judge_report.effect_records import EffectRecord
from evaluator.public_record.records import (
    JudgeRecord,
    MeasuredJudge,
    kept_llm_bar,
    kept_measured,
    share_of_pairs,
)
from evaluator.results import MetricValue
from evaluator.statistics.agreement import cohens_kappa
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.intervals import interval_side
from evaluator.statistics.rank_bands import RankBand, rank_bands
from evaluator.statistics.verdict_pairs import pair_figures
from leaderboard.boards.public_record.sentences import FewUnits, percent
from leaderboard.page.board_row import BoardRow
from leaderboard.page.judge_effects import (
    PLACE_METHOD,
    biases_column,
    biases_method,
    effects_sentence,
    length_column,
    length_method,
    place_column,
)
from leaderboard.page.row_columns import name_column
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.columns import SHARE_SCALE, Column, Format
from leaderboard.parts.filters import Filter
from leaderboard.parts.methods import BY_UNIT, BoardAbout, Example, Method, rank_formula
from leaderboard.parts.published import RECOMPUTED
from leaderboard.parts.visible_text import without_digest

COIN = 0.5
"""What guessing reaches."""
ALL_PAIRS = "all pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledJudgeRow(BoardRow):
    """One judge: a language model with a prompt."""

    prompt: str
    record: JudgeRecord
    asked_about: str = ""
    """Of a judge that we asked: about how many pairs."""


@cache
def label_rows() -> tuple[LabelledJudgeRow, ...]:
    """The kept figures of LLMBar's judges as rows, the most accurate judge first."""
    deciding = _first_place()
    rows = (
        LabelledJudgeRow(**_names(_shown(record.judge)), published=RECOMPUTED, record=record)
        for record in kept_llm_bar().judges
    )
    return tuple(
        replace(row, deciding=deciding) if deciding and row.id in deciding.leaders[:1] else row for row in rows
    )


def _first_place() -> DecidingItems | None:
    """Which pairs decide who is first, with judges as their rows are called."""
    kept = kept_llm_bar().first_place
    return kept and replace(kept, leaders=tuple(map(_shown, kept.leaders)), successor=_shown(kept.successor))


def _shown(judge: str) -> str:
    return judge.replace("_", " ")


@cache
def measured_rows() -> tuple[LabelledJudgeRow, ...]:
    """The judges that we asked ourselves, the most accurate first; they have no place among LLMBar's."""
    kept = kept_measured()
    return tuple(_measured_row(own, kept.pairs) for own in kept.judges)


def _measured_row(own: MeasuredJudge, n_pairs: int) -> LabelledJudgeRow:
    names = _names(own.record.judge)
    # Digest of the weights and prompt stand in the remark; a name with both takes two lines.
    names["name"] = without_digest(names["model"])
    return LabelledJudgeRow(
        **names,
        record=own.record,
        judge=own.pin,
        asked_about=ALL_PAIRS if own.record.pairs == n_pairs else f"{own.record.pairs} of {n_pairs} pairs",
        remark=asked_words(own),
    )


class _Names(TypedDict):
    id: str
    name: str
    model: str
    prompt: str


def _names(judge: str) -> _Names:
    """What a judge is called, from "model/prompt"."""
    model, _, prompt = judge.partition("/")
    return {"id": judge, "name": f"{model} ({prompt})", "model": model, "prompt": prompt}


def asked_words(own: MeasuredJudge) -> str:
    """How we asked a judge: exactly which, when, and with which code."""
    return (
        f"measured by us on {own.asked_on} with {own.rubric}, weights {own.pin.revision[:12]} in {own.pin.dtype}, at "
        f"commit {own.commit}"
    )


def measured_lines() -> list[str]:
    """What each judge that we asked did, and how it was asked."""
    return [
        f"{row.name}, {row.asked_about}: right in {percent(row.record.accuracy)} of its verdicts, the same in both "
        f"orders for {percent(row.record.same_in_both_orders)} of the pairs; {row.remark}."
        for row in measured_rows()
    ]


def _mark(row: LabelledJudgeRow) -> str:
    """What a row is, beside its name."""
    if not row.asked_about:
        return "(published)"  # all of them recomputed, as the page says above
    return "(measured by us)" if row.asked_about == ALL_PAIRS else f"(measured by us, {row.asked_about})"


def few_pairs() -> FewUnits:
    """How few pairs rank judges as all do."""
    kept = kept_llm_bar()
    return FewUnits(kept.selection, "pairs", kept.judges[0].pairs, "judges")


def opening_sentence() -> str:
    """Return how often the best judge is right, how many equal it, and how many do worse than a coin."""
    rows = label_rows()
    best = rows[0].record
    equal = sum(row.record.places is not None and row.record.places.low == 1 for row in rows[1:])
    worse = sum(_is_below_coin(row.record.accuracy) for row in rows)
    return (
        f"The best of {len(rows)} judges picks the answer that people call better in {percent(best.accuracy)} of "
        f"{best.pairs} pairs; {equal} others cannot be told from it, and {worse} are wrong more often than right."
    )


def effects_line() -> str:
    """How many judges favour a place, and how many the longer answer."""
    return effects_sentence((row.record.effects for row in label_rows()), has_labels=True)


def misled_judge() -> LabelledJudgeRow | None:
    """The judge that is right least often on answers made to mislead; None where none does worse than a coin."""
    misled = [row for row in label_rows() if _is_below_coin(row.record.adversarial)]
    return min(misled, key=lambda row: (row.record.adversarial.value, row.id), default=None)


def _is_below_coin(share: MetricValue) -> bool:
    return interval_side(share, COIN) == "below"


def _figure(read: Callable[[JudgeRecord], MetricValue]) -> Callable[[LabelledJudgeRow], MetricValue]:
    return lambda row: read(row.record)


def _hint(read: Callable[[JudgeRecord], MetricValue]) -> Callable[[LabelledJudgeRow], str]:
    return lambda row: read(row.record).reason or f"n = {read(row.record).n:,}"


def _figure_column(
    key: str,
    label: str,
    format_: Format,
    read: Callable[[JudgeRecord], MetricValue],
    tooltip: str,
    better: Literal["higher", "lower", "nearer_zero"],
) -> Column[LabelledJudgeRow]:
    """A figure of the record, with its n."""
    return Column(key, label, format_, _figure(read), tooltip, better, hint=_hint(read))


_ACCURACY = _figure(lambda record: record.accuracy)


def _effects(row: LabelledJudgeRow) -> tuple[EffectRecord, ...]:
    return row.record.effects


COLUMNS: tuple[Column[LabelledJudgeRow], ...] = (
    Column(
        "places",
        "Places",
        "text",  # no rank of the board: published rows have none
        lambda row: row.record.places,
        "Places this judge may hold among LLMBar's judges by its share of right verdicts, all places together with "
        "95%: judges that the pairs cannot tell apart share places. A judge that we asked has none.",
        "lower",
        "rank_band",
    ),
    name_column("judge", "Judge", "Language model and, in brackets, its prompt, as LLMBar names them.", _mark),
    Column("model", "Model", "text", lambda row: row.model, "The language model.", is_searched=True),
    Column("prompt", "Prompt", "text", lambda row: row.prompt, "How it was asked.", is_searched=True),
    Column(
        "accuracy",
        "Right",
        "percent",
        _ACCURACY,
        "Headline: share of right verdicts over all pairs and both orders, with 95% interval; 50% is guessing.",
        "higher",
        hint=_hint(lambda record: record.accuracy),
        scale=SHARE_SCALE,
    ),
    _figure_column(
        "natural",
        "Natural pairs",
        "percent",
        lambda record: record.natural,
        "The same on 100 pairs whose answers were collected from systems.",
        "higher",
    ),
    _figure_column(
        "adversarial",
        "Misleading pairs",
        "percent",
        lambda record: record.adversarial,
        "The same on 319 pairs whose worse answer was made to look good.",
        "higher",
    ),
    _figure_column(
        "kappa",
        "Kappa with labels",
        "interval",
        lambda record: record.kappa,
        "Agreement with people beyond chance: 1 = always, 0 = as by chance, below 0 = less than by chance.",
        "higher",
    ),
    _figure_column(
        "same_in_both_orders",
        "Same in both orders",
        "percent",
        lambda record: record.same_in_both_orders,
        "Share of pairs whose verdict stays when the answers exchange places; none for judges that rate each answer.",
        "higher",
    ),
    _figure_column(
        "preference_fairness",
        "Place preference",
        "signed",
        lambda record: record.preference_fairness,
        "Which place wins where the orders disagree: above 0 the second, below 0 the first; 0 is fair.",
        "nearer_zero",
    ),
    place_column(_effects),
    length_column(_effects, "place and label"),
    biases_column(_effects, "place and length"),
    _figure_column(
        "unusable",
        "No verdict",
        "percent",
        lambda record: record.unusable,
        "Share of calls without a verdict that can be used.",
        "lower",
    ),
    Column("pairs", "Pairs", "whole", lambda row: row.record.pairs, "Pairs with a label."),
)

# --- the worked examples ---------------------------------------------------------------------------------------------


def _example_place() -> RankBand:
    pairs = [str(number) for number in range(12)]
    return rank_bands({"right": dict.fromkeys(pairs, 1.0), "wrong": dict.fromkeys(pairs, 0.0)})["right"]


_OVER_PAIRS = f"n = pairs; 95% interval over pairs: {BY_UNIT}"
_FOUR = "Of four pairs one is right in both orders, one in one order, one in both, one in none: (1 + 0.5 + 1 + 0) / 4 ="
_RATED = "the judge rated each answer by itself"
_SHARE = "share of verdicts, shown in percent"


def _accuracy_method(which: str) -> Method:
    return Method(
        _SHARE,
        f"mean over {which} of right verdicts / 2; no verdict is wrong, a tie of two ratings counts half",
        _OVER_PAIRS,
        Example(_FOUR, lambda: share_of_pairs([1.0, 0.5, 1.0, 0.0]), "62.5%"),
        "it was asked about no such pair",
    )


METHODS = {
    "places": Method(
        "a place, or the places a judge may hold",
        rank_formula("judges"),
        "the share of right verdicts of each pair",
        Example("One judge is right on 12 pairs on which another is wrong. Its place is", _example_place, "1"),
        "none of a judge that we asked: published judges are ranked among themselves",
    ),
    "accuracy": _accuracy_method("all pairs"),
    "natural": _accuracy_method("natural pairs"),
    "adversarial": _accuracy_method("misleading pairs"),
    "kappa": Method(
        "-1 to 1; 0 is chance",
        "(agreement - agreement by chance) / (1 - agreement by chance) of verdict and label by place (Cohen 1960)",
        "n = usable verdicts; 95% interval: Student's t on Fisher's z, with a jackknife that leaves out one pair",
        Example(
            "Verdicts A, B, A, A of pairs labelled A, B, B, A: (3/4 - 1/2) / (1 - 1/2) =",
            lambda: cohens_kappa("ABAA", "ABBA"),
            "0.50",
        ),
        "it gave one verdict throughout",
    ),
    "same_in_both_orders": Method(
        "share of pairs, shown in percent",
        "pairs with the same winner in both orders / pairs with two usable verdicts",
        _OVER_PAIRS,
        Example("AB and AA: 1 / 2 =", lambda: pair_figures(["AB", "AA"], 2)["position_consistency"], "50.0%"),
        _RATED,
    ),
    "place_effect": PLACE_METHOD,
    "length_effect": length_method(
        "slope of winning on the log length ratio in units of its root mean square, place and label held fixed; of two "
        "ways to hold the label the value nearer to 0",
        "n = verdicts with lengths; 95% interval over pairs by both ways (docs/judge_report.md, biases)",
        "its log has no lengths, or we asked it",
    ),
    "biases": biases_method("place and length"),
    "preference_fairness": Method(
        "-1 (always the first place) to +1 (always the second)",
        "(pairs won by the second place in both orders - pairs won by the first) / pairs with two usable verdicts",
        "n = pairs; 95% interval: 2,000 draws of pairs, expanded percentiles",
        Example(
            "AB, AA, AA and BB: (1 - 2) / 4 =",
            lambda: pair_figures(["AB", "AA", "AA", "BB"], 2)["preference_fairness"],
            "-0.25",
        ),
        _RATED,
    ),
    "unusable": Method(
        "share of calls, shown in percent",
        "calls without a verdict or a rating that can be read / calls",
        _OVER_PAIRS,
        Example(
            "Of two pairs one has one verdict of two: (0.5 + 0) / 2 =", lambda: share_of_pairs([0.5, 0.0]), "25.0%"
        ),
        "it was asked about no pair",
    ),
    "pairs": Method(
        "whole number", "pairs with a label that the judge was asked about", neither="it says what the shares rest on"
    ),
}

LLM_BAR: BoardKind[LabelledJudgeRow] = BoardKind(
    "llm_bar",
    "Judges against people's labels",
    COLUMNS,
    "accuracy",
    filters=(
        Filter("model", "Model", "one_of", lambda row: row.model, reaches_published=True),
        Filter("prompt", "Prompt", "one_of", lambda row: row.prompt, reaches_published=True),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            (
                *("places", "judge", "accuracy", "natural", "adversarial", "same_in_both_orders"),
                "preference_fairness",
            ),
        ),
        Preset("besides_quality", "Biases", ("judge", "accuracy", "place_effect", "length_effect", "biases")),
    ),
    paper=Paper(
        "zeng2024llmbar",
        "Zeng, Zhiyuan and Yu, Jiatong and Gao, Tianyu and Meng, Yu and Goyal, Tanya and Chen, Danqi",
        "Evaluating Large Language Models at Evaluating Instruction Following",
        2024,
        "ICLR 2024, arXiv 2310.07641",
    ),
    about=BoardAbout(
        ranks="Published judges, by how often they pick the answer that people call better (LLMBar, Zeng et al. 2024).",
        steps=(
            "LLMBar released what each judge said of 419 pairs in both orders; people fixed which answer is better.",
            "Our reader reads every file and repeats every statistic that LLMBar printed of it, to the digit.",
            "The same verdicts give our figures, intervals and places.",
        ),
        ranking="Places are among LLMBar's judges only: published figures are never ranked with others. A judge that "
        "we asked stands where its share puts it, marked and without a place: it had another prompt, or fewer pairs.",
        null_rows=(("none", "Guessing is right in half of the verdicts."),),
        guards=(
            ("published", "Verdicts that others released, recomputed here; nobody here has asked these judges."),
            ("measured by us", "Verdicts that a judge gave to our own question, in both orders; its note says which."),
        ),
        limits=(
            "The pairs are English instructions with one objectively better answer: taste is not measured.",
            "The models are of 2023.",
            "LLMBar's printed kappa with labels compares codes 1 and 0 with labels 1 and 2; ours does not.",
        ),
        licence="LLMBar is MIT, Copyright (c) 2023 Princeton Natural Language Processing; figures only.",
        methods=METHODS,
    ),
    question="Which judges see through a good-looking wrong answer?",
    nouns=("judge", "judges"),
    best="Most often right",
    counted="pairs",
)
