"""Methods of the Personalized evaluation boards: how each figure comes about."""

from __future__ import annotations

import math
from functools import cache
from statistics import fmean, stdev

import numpy as np

from evaluator.personalized_evaluation.reviewer_correlations import CountedScores
from evaluator.statistics.rank_bands import RankBand, rank_bands
from evaluator.statistics.verdict_pairs import pair_figures
from leaderboard.page.ledger import ledger_methods
from leaderboard.parts.methods import (
    EXPANDED,
    BoardAbout,
    Example,
    Method,
    Named,
    rank_formula,
    whole,
)
from submissions.formats.personalized_evaluation.submission import ASPECTS, DEFAULT_SCALE

# --- the worked examples ---------------------------------------------------------------------------------------------

_GOLD = (3.0, 5.0, 8.0, 2.0)
_PREDICTED = (4.0, 6.0, 5.0, DEFAULT_SCALE.midpoint)
"""The last one is missing."""
_ITEMS = (
    "Four items on the scale 1-10. Readers gave 3, 5, 8 and 2; predicted were 4, 6, 5 and nothing (5.5 in the "
    "headline)."
)
_ANSWERED = f"{_ITEMS} Over the three answered ones"


@cache
def _scores(n: int) -> CountedScores:
    """The first n items, each of a reader of its own."""
    return CountedScores(_PREDICTED[:n], _GOLD[:n], np.arange(n))


def _once(n: int) -> np.typing.NDArray[np.float64]:
    """Every reader drawn once."""
    return np.ones(n)


def _example_rank() -> RankBand:
    return rank_bands({name: dict.fromkeys("abcdefgh", part) for name, part in (("low", 0.1), ("high", 0.3))})["high"]


_WIN_RATES = CountedScores((0.2, 0.6, 0.8), (0.4, 0.2, 1.0), np.arange(3))
_BOTH_ORDERS = pair_figures(["AB", "AB", "BA", "AA"], options=2)
"""Verdicts that name the place shown: the last one chose the first place twice."""

_OVER_READERS = f"95% interval: bootstrap over readers, each with all items, 2,000 draws with a fixed seed; {EXPANDED}"
_NO_INTERVAL = "it has no interval"
_TAU = "Kendall's tau-b, -1 to 1"
_SHARE = "share, shown in percent"

_RANK = Method(
    "a place, or the places a row may hold",
    f"{rank_formula('rows')}. Only rows of one collection and one k are compared",
    "the readers, each with all items: how far the headline would move with their weight",
    Example(
        "Of eight readers each adds 0.3 to the headline of one evaluator and 0.1 to that of another. The first one's "
        "rank is",
        _example_rank,
        "1",
    ),
    "references, published rows, and rows that are not ranked (their note says why)",
)
_PARSE = Method(
    _SHARE,
    "items with a readable answer / all items",
    f"all items; {_NO_INTERVAL}",
    Example("Three of four items have one: 3 / 4 =", lambda: 3 / 4, "75.0%"),
    "never: a file has an item",
)
_COUNTS = {
    "k": whole(
        "stated by the file; every profile has just so many entries",
        "a count",
        neither="rows of another k are another task",
    ),
    "reviewers": whole("different readers in the file", "a count"),
    "n": whole("items in the file", "a count"),
}

RATINGS_METHODS: dict[str, Method] = {
    "rank": _RANK,
    "tau": Method(
        _TAU,
        "tau-b of predictions and readers' scores over all items; a missing prediction = the middle of the scale. "
        "Never filled with the reader's mean: that beats many models, so refusing would pay",
        f"n = all items; {_OVER_READERS}",
        Example(
            f"{_ITEMS} Of six pairs of items three are ordered alike and three are not: (3 - 3) / 6 =",
            lambda: _scores(4).kendall(_once(4)),
            "0.00",
        ),
        "fewer than three items, or all predictions or all scores are the same",
    ),
    "pearson": Method(
        "-1 to 1",
        "covariance of predictions and scores / product of their standard deviations, over answered items",
        f"n = answered items; {_OVER_READERS}; its p-value takes items as independent",
        Example(f"{_ANSWERED}: 2 / √(2 · 12.67) =", lambda: _scores(3).pearson(_once(3)), "0.40"),
        "fewer than three answered items, or one side is constant",
    ),
    "spearman": Method(
        "-1 to 1",
        "Pearson's r of the ranks, over answered items",
        f"n = answered items; {_OVER_READERS}; its p-value takes items as independent",
        Example(
            f"{_ANSWERED} the ranks are 1, 3, 2 and 1, 2, 3: 1 - 6 · 2 / 24 =",
            lambda: _scores(3).spearman(_once(3)),
            "0.50",
        ),
        "fewer than three answered items, or one side is constant",
    ),
    "within": Method(
        _TAU,
        "mean of tau-b inside of each reader with three answered items or more",
        f"n = readers with a defined tau; {_NO_INTERVAL}",
        Example("Two readers have 0.6 and 0.2: (0.6 + 0.2) / 2 =", lambda: fmean((0.6, 0.2)), "0.40"),
        "no reader has a defined tau",
    ),
    "gain": Method(
        "difference of taus, -2 to 2",
        "tau - tau of the mean of the scores shown",
        f"n = all items; {_OVER_READERS}, both on the same draws",
        Example("0.25 - 0.23 =", lambda: 0.25 - 0.23, "+0.02"),
        "k = 0, or one of the two is undefined",
    ),
    "gain_k0": Method(
        "difference of taus, -2 to 2",
        "tau - tau of the run of the same team, system and model with k = 0 on the same items",
        f"n = all items; {_OVER_READERS}, both on the same draws",
        Example("0.25 - 0.10 =", lambda: 0.25 - 0.10, "+0.15"),
        "there is no such run",
    ),
    "parse_rate": _PARSE,
    "mae": Method(
        "points of the readers' scale",
        "mean |prediction - score|, predictions moved to the readers' scale by the straight line through both ends",
        f"answered items; {_NO_INTERVAL}",
        Example(
            f"{_ANSWERED}: (1 + 1 + 3) / 3 =",
            lambda: fmean(abs(predicted - gold) for predicted, gold in zip(_PREDICTED[:3], _GOLD[:3], strict=True)),
            "1.67",
        ),
        "nothing was answered",
    ),
    "exact_match": Method(
        _SHARE,
        "answered items whose prediction, halves rounded up, is the reader's score / answered items",
        f"answered items; {_NO_INTERVAL}",
        Example(
            "Predicted 4.4, 6.5 and 5, readers gave 4, 7 and 8: 2 / 3 =",
            lambda: fmean(math.floor(predicted + 0.5) == gold for predicted, gold in ((4.4, 4), (6.5, 7), (5, 8))),
            "66.7%",
        ),
        "nothing was answered",
    ),
    "order_std": Method(
        "standard deviation of taus, 0 and more",
        "standard deviation (n - 1) of tau over the runs with the profile in other orders",
        f"the other orders; {_NO_INTERVAL}",
        Example("Taus of 0.2, 0.3 and 0.4:", lambda: stdev((0.2, 0.3, 0.4)), "0.10"),
        "k below 2, or an item was run in one order only",
    ),
    "tau_memorized": Method(
        _TAU,
        "tau-b over the answered items whose text the model recognised",
        f"those items; {_NO_INTERVAL}",
        Example(f"{_ANSWERED}, all recognised: (2 - 1) / 3 =", lambda: _scores(3).kendall(_once(3)), "0.33"),
        "no item is marked, fewer than three are recognised, or one side is constant",
        "remembering is no merit: read it beside the other one",
    ),
    "tau_unmemorized": Method(
        _TAU,
        "tau-b over the answered items whose text the model did not recognise",
        f"those items; {_NO_INTERVAL}",
        Example(f"{_ANSWERED}, none recognised: (2 - 1) / 3 =", lambda: _scores(3).kendall(_once(3)), "0.33"),
        "no item is marked, fewer than three are unrecognised, or one side is constant",
    ),
    "bleu": Method(
        "0-100",
        "corpus BLEU as sacrebleu computes it by default, the reader's text as reference",
        f"items with both texts; {_NO_INTERVAL}",
        Example(
            "The same words in the same order: every n-gram is found, nothing is too short: 100 · e⁰ =",
            lambda: 100 * math.exp(0.0),
            "100.00",
        ),
        "no item has both texts",
    ),
    "rouge1": Method(
        _SHARE,
        "mean F of shared words, without stemming",
        f"items with both texts; {_NO_INTERVAL}",
        Example(
            "“a b” beside “a c”: half of the words either way: 2 · 0.5 · 0.5 / (0.5 + 0.5) =",
            lambda: 2 * 0.5 * 0.5 / (0.5 + 0.5),
            "50.0%",
        ),
        "no item has both texts",
    ),
    "bertscore": Method(
        "about 0-1, shown in percent",
        "mean F1 of contextual embeddings by the model named when pointing at it",
        f"items with both texts; {_NO_INTERVAL}",
        Example("Two explanations reach 0.82 and 0.84:", lambda: fmean((0.82, 0.84)), "83.0%"),
        "no item has both texts, or no model is at hand",
    ),
    "bartscore": Method(
        "log-likelihood per token, 0 or less",
        "mean log-likelihood per token of the reader's text given the explanation",
        f"items with both texts; {_NO_INTERVAL}",
        Example("Two tokens at -2 and -3:", lambda: fmean((-2.0, -3.0)), "-2.50"),
        "no item has both texts, or no model is at hand",
    ),
    **_COUNTS,
}

_OF_ASPECT = Method(
    _SHARE,
    "right choices / answered items of the aspect",
    f"n = items of the aspect; {_OVER_READERS}",
    Example("Of four items three are answered, two of them right: 2 / 3 =", lambda: 2 / 3, "66.7%"),
    "nothing in the aspect was answered",
)

PAIRS_METHODS: dict[str, Method] = {
    "rank": _RANK,
    "macro": Method(
        _SHARE,
        "unweighted mean over the five aspects of right choices / all items of the aspect; a missing choice is wrong",
        f"n = all items; {_OVER_READERS}",
        Example(
            "The aspects reach 50%, 60%, 40%, 70% and 30%: their mean is",
            lambda: fmean((0.5, 0.6, 0.4, 0.7, 0.3)),
            "50.0%",
        ),
        "an aspect has no item",
    ),
    **{aspect.split()[0].lower(): _OF_ASPECT for aspect in ASPECTS},
    "gain": Method(
        "difference of shares, -1 to 1",
        "macro accuracy - that of the choice shown most often (at a tie the last)",
        f"n = all items; {_OVER_READERS}, both on the same draws",
        Example("0.53 - 0.48 =", lambda: 0.53 - 0.48, "+0.05"),
        "k = 0, or an aspect has no item",
    ),
    "winner_accuracy": Method(
        _SHARE,
        "comparisons whose predicted and real share of aspects won by A lie on the same side of one half / comparisons "
        "answered in every aspect, those at one half left out",
        f"those comparisons; {_NO_INTERVAL}",
        Example(
            "The winner is predicted in two of three comparisons: 2 / 3 =", lambda: fmean((True, True, False)), "66.7%"
        ),
        "no comparison is answered in every aspect",
    ),
    "consistency": Method(
        _SHARE,
        "items for which the same text is chosen in both orders / items answered in both",
        f"n = items answered in both orders; {_NO_INTERVAL}",
        Example(
            "Of four items answered in both orders three keep their text: 3 / 4 =",
            lambda: _BOTH_ORDERS["position_consistency"],
            "75.0%",
        ),
        "nothing was answered in both orders",
    ),
    "bias_first": Method(
        "difference of shares, -1 to 1",
        "P(choice = A) - P(readers' choice = A), in the given order; above 0 the first text is favoured",
        f"answered items; {_NO_INTERVAL}",
        Example(
            "A is predicted for three of four items and chosen by the readers of two: 3/4 - 2/4 =",
            lambda: 3 / 4 - 2 / 4,
            "+0.25",
        ),
        "nothing was answered",
    ),
    "bias_memorized": Method(
        "difference of shares, -1 to 1",
        "P(choice = recognised text) - P(readers' choice = it), where one of the two was recognised",
        f"those answered items; {_NO_INTERVAL}",
        Example("It is predicted three times of four and chosen twice: 3/4 - 2/4 =", lambda: 3 / 4 - 2 / 4, "+0.25"),
        "no such item is marked",
    ),
    "parse_rate": _PARSE,
    "macro_answered": Method(
        _SHARE,
        "unweighted mean over the five aspects of right choices / answered items",
        f"n = answered items; {_OVER_READERS}",
        Example("60%, 60%, 50%, 70% and 60%:", lambda: fmean((0.6, 0.6, 0.5, 0.7, 0.6)), "60.0%"),
        "an aspect has no answered item",
    ),
    "win_rate_tau": Method(
        _TAU,
        "tau-b of predicted shares of aspects won by A with the readers'",
        f"comparisons answered in every aspect; {_NO_INTERVAL}",
        Example(
            "Predicted 0.2, 0.6 and 0.8, by the readers 0.4, 0.2 and 1: (2 - 1) / 3 =",
            lambda: _WIN_RATES.kendall(_once(3)),
            "0.33",
        ),
        "fewer than three such comparisons, or one side is constant",
    ),
    "bias_both": Method(
        "share above one half, -0.5 to 0.5",
        "(P(choice = A) + P(choice in the other order = B)) / 2 - 1/2: half of minus the positional fairness",
        f"items answered in both orders; {_NO_INTERVAL}",
        Example(
            "Of four items three keep their text and one follows the first place: PF = (0 - 1) / 4, times -1/2 =",
            lambda: -(_BOTH_ORDERS["preference_fairness"] or 0.0) / 2,
            "+0.12",
        ),
        "nothing was answered in both orders",
    ),
    **_COUNTS,
}

# --- the boards ------------------------------------------------------------------------------------------------------

_RANKING = (
    "Only rows on the same predictions (one collection) with the same k are ranked together, those answered on this "
    "site and self-reported ones apart; rows that the "
    "readers cannot tell apart share places; all ranks hold together. Not ranked are rows whose headline is undefined, "
    "with fewer than six readers, with answers to fewer than half of the items, or whose answers are the gold ones "
    "that stand in the file. The sentence above the table names readers whose removal puts another row first "
    "(docs/metrics.md, deciding_items)."
)
_GUARDS: tuple[Named, ...] = (
    ("not ranked", "with the reason."),
    ("not told from Reviewer Avg.", "the interval of the gain covers 0: the simple rule does as well."),
    ("answered here by a judge", "the file brought no answers, and the judge of this site took each reader's place."),
    ("shortened texts", "a local judge could not read whole texts."),
)
_LIMITS = (
    "Do not pool k = 1 and k = 3, and do not read position from one order where both exist.",
    "No reader may stand in training and test of a tuned judge; the board cannot see it.",
    "Explanation scores are never ranked by: published systems all lie within half a point of BERTScore.",
    "The p-values take items as independent, which those of one reader are not: go by the intervals.",
)
_LICENCE = (
    "The published data are CC BY-NC and carry user names: they are not here, and published figures are cited from the "
    "paper. Our example texts and readers are made up, Apache-2.0. What teams send stays theirs; names, answers, "
    "attempts and withdrawals are public."
)
_PUBLISHED: Named = ("published rows", "the paper's figures, on data of the same name only, never ranked with ours.")

RATINGS_ABOUT = BoardAbout(
    ranks="People disagree about stories, and one score for everybody hides it. An evaluator sees k earlier reviews of "
    "one reader and predicts this reader's score of a new text. The board ranks evaluators by how well their "
    "predictions order texts as the readers did.",
    steps=(
        "A prediction is a number, or is read from what the model wrote; nothing is rounded or clipped, and what "
        "cannot be read is missing.",
        "A file without any answer is answered here, if the judge of this site is a language model: the expected value "
        "over the probabilities of 1 to 10.",
        "Kendall's tau-b over all items of all readers together, a missing prediction at the middle of the scale.",
        "Simple rules that need no judge stand beside it in grey.",
    ),
    ranking=_RANKING,
    null_rows=(
        ("Reviewer Avg.", "the mean of the scores shown: it beats many models."),
        ("Matrix Factorization", "readers and texts by known ratings, where half of the texts have one."),
        ("Constant", "always the middle of the scale: no order, so no tau."),
        _PUBLISHED,
    ),
    guards=_GUARDS,
    limits=_LIMITS,
    licence=_LICENCE,
    methods=RATINGS_METHODS
    | ledger_methods("submissions of this team, system and model; failed and withdrawn ones count"),
)

PAIRS_ABOUT = BoardAbout(
    ranks="Which of two texts does this reader prefer, in each of five aspects? An evaluator sees k earlier choices of "
    "the reader in the same aspect. The board ranks evaluators by the share of choices they predict.",
    steps=(
        "A choice names a text, in whichever order the two stood; what a model wrote about the swapped prompt is "
        "mapped back.",
        "A file without any answer is answered here, if the judge of this site is a language model: the more probable "
        "of A and B, always in both orders.",
        "Accuracy in each of the five aspects over all items, a missing choice being wrong; the headline is their "
        "unweighted mean.",
        "Both orders together say whether a choice follows the text or the place.",
    ),
    ranking=_RANKING,
    null_rows=(
        ("Reviewer Avg.", "the choice shown most often, at a tie the last shown."),
        ("Always A, Always B", "one half is no floor: readers do not choose both places equally often."),
        _PUBLISHED,
    ),
    guards=_GUARDS,
    limits=_LIMITS,
    licence=_LICENCE,
    methods=PAIRS_METHODS
    | ledger_methods("submissions of this team, system and model; failed and withdrawn ones count"),
)
