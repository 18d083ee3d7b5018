"""Methods of the Judges board: how each figure comes about."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd

from evaluator.judge_quality.measurement import auc
from evaluator.position_bias import position_bias_report, repetition_report
from evaluator.results import QueryCounts
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.position_bias.rank_bands import consistency_bands
from leaderboard.page.judge_effects import FAMILY_METHOD, PLACE_METHOD, biases_method, length_method
from leaderboard.page.judge_quality import GRADED_BY
from leaderboard.page.ledger import ledger_methods
from leaderboard.parts.methods import (
    EXACT,
    FURTHER_OUT,
    BoardAbout,
    Example,
    ExampleResult,
    Method,
    rank_formula,
    whole,
)

# --- the worked examples ---------------------------------------------------------------------------------------------

_COLUMNS = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
_VERDICTS = ("AB", "AB", "AB", "BA", "CC", "AA", "AC", "BB", "BN", "A")
"""Of one judge on ten queries; of the last one only the original order was run."""


@cache
def _pairs() -> dict[str, Any]:
    lines = [["judge", "task", "model", str(query), both[0], both[1:]] for query, both in enumerate(_VERDICTS, start=1)]
    return dict(position_bias_report(pd.DataFrame(lines, columns=_COLUMNS))["judge"])


@cache
def _repeated() -> dict[str, Any]:
    """Three repetitions of one pair, with three options."""
    lines = [["judge", str(number), "task", "model", "1", *both] for number, both in enumerate(("AA", "AB", "BN"))]
    columns = ["judge", "repetition", *_COLUMNS[1:]]
    return dict(repetition_report(pd.DataFrame(lines, columns=columns))["judge"])


@cache
def _longer() -> dict[str, Any]:
    """Three consistent wins: of 20 characters over 10, of 5 over 10, and of the reference's 10 over 5."""
    lines = [["judge", "task", "model", str(query), *both] for query, both in enumerate(("BA", "BA", "AB"), start=1)]
    characters = {"1": (20, 10), "2": (5, 10), "3": (5, 10)}
    lengths = [
        [query, name, str(number)]
        for query, both in characters.items()
        for name, number in zip(("model", "reference"), both, strict=True)
    ]
    return dict(
        position_bias_report(
            pd.DataFrame(lines, columns=_COLUMNS),
            lengths=pd.DataFrame(lengths, columns=["query", "model", "answer_chars"]),
            reference_model="reference",
        )["judge"]
    )


def _example_rank() -> RankBand:
    steady = QueryCounts(consistent=2, valid=2, primacy=0, recency=0)
    flips = QueryCounts(consistent=0, valid=2, primacy=2, recency=0)
    queries = [str(query) for query in range(10)]
    return consistency_bands({"flips": dict.fromkeys(queries, flips), "steady": dict.fromkeys(queries, steady)})[
        "steady"
    ]


def _of_pairs(key: str, arithmetic: str, by_hand: str) -> Example:
    def result() -> ExampleResult:
        value: float | None = _pairs()[key]
        return value

    return Example(f"{_GIVEN} {arithmetic} =", result, by_hand)


_GIVEN = (
    "Verdicts in both orders AB AB AB BA CC AA AC BB BN: first wins w1 = 3, second w2 = 1, ties t = 1, primacy flips "
    "p = 2, recency flips r = 1, one pair unusable; k = 5 survive of v = 8 valid pairs."
)
_OVER_QUERIES = (
    "n = queries (task and query) with a valid pair; 95% interval over queries, none below ten; of shares "
    f"{EXACT}; of PF and RS a bootstrap of queries with all their pairs, {FURTHER_OUT}"
)
_REPEATED = "One pair asked three times: original order A, A, B; swapped order A, B and an unusable verdict."

METHODS: dict[str, Method] = {
    "rank": Method(
        "a place, or the places a judge may hold",
        rank_formula("judges"),
        "the queries that each two judges share, at least ten",
        Example(
            "On the same ten queries one judge keeps every verdict after the swap, another always says A. "
            "The first one's rank is",
            _example_rank,
            "1",
        ),
        "baselines, and judges that are not ranked (their note says why)",
    ),
    "position_consistency": Method(
        "share, 0-1",
        "PC = k / v: pairs whose verdict survives the swap / pairs with two usable verdicts",
        _OVER_QUERIES,
        _of_pairs("position_consistency", "5 / 8", "0.62"),
        "no pair with two usable verdicts",
    ),
    "preference_fairness": Method(
        "-1 (always the first place) to +1 (always the second)",
        "PF = (r - p) / v: recency flips less primacy flips / valid pairs; exactly 0 without a flip",
        f"{_OVER_QUERIES}; where it covers 0 there is no clear position preference",
        _of_pairs("preference_fairness", "(1 - 2) / 8", "-0.12"),
        "as PC",
    ),
    "labelled_agreement": Method(
        "AUC, 0-1; 0.5 = guessing",
        "share of (pair that says the same, pair that does not) in which the first scores higher; equal scores count "
        f"half. {GRADED_BY}",
        "n = labelled pairs that were scored; 95% interval: bootstrap over topics",
        Example(
            "Pairs that say the same score 3 and 2, pairs that do not 1 and 2: 3 above 1, 3 above 2, 2 above 1, and "
            "2 level with 2. (1 + 1 + 1 + 0.5) / 4 =",
            lambda: auc([3.0, 2.0], [1.0, 2.0]),
            "0.88",
        ),
        "not measured: the verdicts were sent by a team, or this very judge was never run on our pairs",
    ),
    "decisive_consistency": Method(
        "share, 0-1",
        "(w1 + w2) / (v - t): consistent wins / valid pairs in which a side was taken at least once",
        "valid pairs; it has no interval",
        _of_pairs("decisive_consistency", "4 / 7", "0.57"),
        "the judge only says tie",
    ),
    "tie_rate": Method(
        "share, 0-1",
        "C verdicts / 2v",
        "valid pairs; it has no interval",
        _of_pairs("tie_rate", "3 / 16", "19%"),
        "as PC",
        "equal answers deserve ties; above one half a judge is not ranked, because ties alone are consistent",
    ),
    "error_rate": Method(
        "share, 0-1",
        "verdicts N / 2n: unusable calls / calls of the n pairs that were run in both orders",
        "pairs run in both orders; it has no interval",
        _of_pairs("error_rate", "Nine pairs were run in both orders: 1 / 18", "6%"),
        "no pair was run in both orders",
    ),
    "repetition_stability": Method(
        "share, from its floor to 1",
        "RS = mean over calls that were repeated of (votes for the most frequent verdict) / t, t usable votes; floor = "
        "mean of ceil(t / options) / t; for judges we run, the expectation over their label distributions (t = 3)",
        "calls asked at least twice; shown with t and the floor",
        Example(f"{_REPEATED} (2/3 + 1/2) / 2 =", lambda: _repeated()["repetition_stability"], "0.58"),
        "nothing was asked twice",
    ),
    "positional_excess": Method(
        "-1 to +1",
        "share of repetitions in one order that agree - share of (original, swapped) repetitions that name the same "
        "candidate",
        "pairs of repetitions; it has no interval",
        Example(f"{_REPEATED} 1/4 - 3/6 =", lambda: _repeated()["positional_excess"], "-0.25"),
        "nothing was asked twice",
    ),
    "longer_answer_win_rate": Method(
        "share, 0-1; 0.5 = length does not matter",
        "consistent wins of the longer answer / consistent wins whose lengths are known and unequal",
        "those wins; it has no interval",
        Example(
            "Consistent wins of 20 characters over 10, of 5 over 10 and of 10 over 5: 2 / 3 =",
            lambda: _longer()["longer_answer_win_rate"],
            "67%",
        ),
        "no lengths were sent",
        "longer answers may be better: a high value is no proof of a bias",
    ),
    "place_effect": PLACE_METHOD,
    "length_effect": length_method(
        "slope of winning on the log length ratio in units of its root mean square, place held fixed",
        "n = verdicts with lengths; 95% interval over questions (docs/judge_report.md, biases)",
        "no lengths are known: the verdicts were sent by a team, or few answers have one",
    ),
    "family_effect": FAMILY_METHOD,
    "biases": biases_method("place, length and family"),
    "n_pairs": whole("comparisons that were run in both orders", "a count"),
    "n_queries": whole("combinations of task and query with a valid pair: what intervals resample", "a count"),
    **ledger_methods("tables of this team on this board, whichever judges they hold; failed and withdrawn ones count"),
}

ABOUT = BoardAbout(
    ranks="A judge that compares two answers may prefer a place instead of an answer. The board ranks judges by how "
    "often their verdict survives when the two answers swap places; one board per benchmark and number of options.",
    steps=(
        "Every comparison is run twice, the two answers in both places. Verdicts are in slot language: A the answer "
        "shown first is better, B the one shown second, C a tie, N no usable verdict.",
        "AB and BA are consistent wins, CC a consistent tie; AA, AC and CA are primacy flips, BB, BC and CB recency "
        "flips; any pair with N is counted as unusable and is neither.",
        "PC is the share of valid pairs that survive, PF says which place gains when they do not.",
    ),
    ranking="Judges that shared queries cannot tell apart share places; all ranks hold together. Tables that teams "
    "send and what our own judges said are ranked apart. Not ranked are "
    "judges on benchmarks that are not registered, with less than 98% of the items, with more than 2% of them unusable "
    "or unpaired (what is left out may be what would have flipped), or with more than one half ties; the note says "
    "which. The sentence above the table names questions whose removal puts another judge first (docs/metrics.md, "
    "deciding_items).",
    null_rows=(
        ("always the first", "what reading nothing and taking the first place reaches: PC 0, PF -1."),
        ("always the second", "the same for the second place: PC 0, PF +1."),
        ("always a tie", "perfectly consistent, and of no use: PC 1. Only where ties are allowed."),
        ("coin flip", "inconsistent without any bias: PC 1/3 with three options, 1/2 with two."),
        (
            "published verdicts, recomputed",
            "judges whose verdicts were released with arXiv 2406.07791, put through the same computation as submitted "
            "tables; never ranked with those.",
        ),
    ),
    guards=(
        ("no clear position preference", "the interval of PF covers 0."),
        ("few queries", "below 30 queries figures are unsure, and intervals wide; the row stays ranked."),
        ("not ranked", "with every reason that keeps it off the ranks."),
        ("our own judge", "not sent by a team: its verdicts on the answers of the Robustness board."),
    ),
    limits=(
        "Consistency is not correctness: see the agreement with labelled pairs.",
        "PF 0 does not mean unbiased: flips to both sides cancel.",
        "Lopsided comparisons make every judge look consistent: PC cannot fall below twice the gap in quality.",
    ),
    licence="Of the released verdicts (MIT, Copyright (c) 2024 Slimshilin) figures alone are kept. Verdict tables stay "
    "their teams'; names, verdicts and withdrawals are public. Our labelled pairs are our own wording, Apache-2.0.",
    methods=METHODS,
)
