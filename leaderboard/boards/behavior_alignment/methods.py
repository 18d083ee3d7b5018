"""Methods of the board of recommenders: how each figure comes about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from evaluator.behavior_alignment import ExplicitFigures, explicit_figures, success, turns_before_recommendation
from evaluator.behavior_alignment.implicit import corrected_share
from evaluator.behavior_alignment.response_texts import ORDERS, bleu, copied_share, variety
from evaluator.statistics.dialogues import mean_over_dialogues, mix_distance
from evaluator.statistics.rank_bands import RankBand, rank_bands
from leaderboard.page.ledger import ledger_methods
from leaderboard.parts.methods import (
    BY_UNIT,
    EXPANDED,
    BoardAbout,
    Example,
    Method,
    rank_formula,
    whole,
)
from submissions.formats.behavior_alignment.submission import Answer, Dialogue, Turn, TurnLabel

# --- the worked example ----------------------------------------------------------------------------------------------

Labels = tuple[TurnLabel, ...]

EXAMPLE_TURNS: tuple[tuple[Labels, Labels], ...] = (
    (("opinion_inquiry",), ("offer_help",)),
    (("experience_inquiry", "personal_experience"), ("experience_inquiry",)),
    (("credibility",), ("credibility",)),
    (("acknowledgment", "encouragement"), ("encouragement", "no_strategy")),
)
"""Strategies of the human and of the system, sentence by sentence: the dialogue of docs/behavior_alignment.md."""


def example_dialogue(turns: Sequence[tuple[Labels | None, Labels | None]] = EXAMPLE_TURNS) -> Dialogue:
    """A dialogue of these strategies; words do not matter."""
    return Dialogue(
        "example",
        tuple(
            Turn(number, (), Answer("…", None, human, None), Answer("…", None, system, None))
            for number, (human, system) in enumerate(turns, start=1)
        ),
    )


@cache
def _figures() -> ExplicitFigures:
    return explicit_figures([example_dialogue()])


def _half_annotated() -> float | None:
    (first, second, third, (human, _)) = EXAMPLE_TURNS
    return explicit_figures([example_dialogue([first, second, third, (human, None)])])["annotated_share"]


def _marked(marks: Sequence[bool | None]) -> Dialogue:
    """A dialogue whose system turns are marked as recommending or not."""
    said = Answer("…", None, None, None)
    turns = (Turn(number, (), said, Answer("…", None, None, mark)) for number, mark in enumerate(marks, start=1))
    return Dialogue("marked", tuple(turns))


def _turns_before() -> float | None:
    dialogues = [_marked([False, False, True]), _marked([True, False]), _marked([False, False])]
    return turns_before_recommendation(dialogues, "system")["mean"]


def _success() -> float | None:
    turn = example_dialogue().turns
    return success([Dialogue(str(mark), turn, system_success=mark) for mark in (True, False, None)], "system")["rate"]


def _example_rank() -> RankBand:
    shares = {"low": 0.2, "high": 0.8, "level": 0.8}
    dialogues = [str(number) for number in range(20)]
    return rank_bands({name: dict.fromkeys(dialogues, share) for name, share in shares.items()})["high"]


_GIVEN = (
    "A dialogue of four turns. The human's strategies: opinion inquiry; experience inquiry, personal experience; "
    "credibility; acknowledgment, encouragement. The system's: offer help; experience inquiry; credibility; "
    "encouragement, none."
)
_RESPONSE, _REFERENCE = "have you seen the movie the matrix", "have you seen the matrix before"
_MATCHES = {1: ("5 of 7 words", "0.71"), 2: ("4 of 6", "0.67"), 3: ("2 of 5", "0.40"), 4: ("1 of 4", "0.25")}
_TWO = ("we go and see", "we go and hear")
_DISTINCT = {
    1: ("5 different words", "2.50"),
    2: ("4 different pairs", "2.00"),
    3: ("3 different triples", "1.50"),
    4: ("2 different 4-grams", "1.00"),
}

_SHARE = "share, 0-1"
_PERCENT = "share, shown in percent"
_DRAWS = (
    f"95% interval over dialogues: {BY_UNIT}; of corrected estimates a bootstrap of dialogues with all their turns and "
    f"of the estimator's rates, {EXPANDED}"
)
_OVER_DIALOGUES = f"n = dialogues with two turns or more; {_DRAWS}"
_NO_INTERVAL = "the same dialogues; it has no interval"
_NOT_ANNOTATED = "a scored turn lacks the strategies of a side"
_TEXTS = "scored turns; it has no interval"


def _bleu(order: int) -> Method:
    return Method(
        _SHARE,
        f"brevity penalty x {order}-grams of the system's text that the human's has / its {order}-grams; mean over "
        "scored turns; words are lower-cased text split at white space",
        _TEXTS,
        Example(
            f"“{_RESPONSE}” against “{_REFERENCE}”, longer, so that nothing is taken off: {_MATCHES[order][0]} =",
            lambda: bleu(_RESPONSE, _REFERENCE, order),
            _MATCHES[order][1],
        ),
        "no turn is scored",
    )


def _dist(order: int) -> Method:
    return Method(
        "0 and more",
        f"different {order}-grams of words in all answers together / answers",
        _TEXTS,
        Example(
            f"“{_TWO[0]}” and “{_TWO[1]}” hold {_DISTINCT[order][0]}, in two answers:",
            lambda: variety(_TWO)[str(order)]["per_response"],
            _DISTINCT[order][1],
        ),
        "no turn is scored",
    )


def _rule(name: str, formula: str, arithmetic: str, by_hand: str, value: Callable[[], float | None]) -> Method:
    return Method(
        _SHARE,
        f"as the headline of annotated rows, yet a turn counts {formula}",
        _NO_INTERVAL,
        Example(f"{_GIVEN} {name}: {arithmetic} =", value, by_hand),
        _NOT_ANNOTATED,
    )


def _alternative(name: str) -> float | None:
    figure = _figures()["alternatives"]
    values: dict[str, object] = {**figure} if figure else {}
    value = values.get(name)
    return value if isinstance(value, float) else None


METHODS: dict[str, Method] = {
    "rank": Method(
        "a place, or the places a system may hold",
        f"{rank_formula('systems')}; annotated and estimated systems are ranked apart",
        "the dialogues of the collection, at least 20; the rates of an estimator stretch the shares of all alike, so "
        "that they change no order",
        Example(
            "On 20 dialogues one of three systems aligns in 20% of the turns of each, two in 80%. The rank of one "
            "of these two is",
            _example_rank,
            "1-2",
        ),
        "reference rows, and systems that are not ranked (their note says why)",
    ),
    "alignment": Method(
        _SHARE,
        "annotated rows: mean over dialogues of the turns 2 to N in which the system's turn label is the human's / "
        "(N - 1); the turn label is the strategy of the last sentence that has one. Estimated rows: the corrected "
        "estimate",
        _OVER_DIALOGUES,
        Example(
            f"{_GIVEN} Turn 1 is not scored. Labels of turns 2 to 4: personal experience against experience inquiry, "
            "credibility twice, encouragement twice: 2 / 3 =",
            lambda: _figures()["ba"],
            "0.67",
        ),
        "no dialogue has two turns; of estimated rows also where the estimator's rates are not known",
    ),
    "ba_eq2": Method(
        _SHARE,
        "mean over dialogues of hits / N: the paper's Eq. 2 as printed, at most (N - 1) / N",
        _NO_INTERVAL,
        Example(f"{_GIVEN} Two hits in four turns: 2 / 4 =", lambda: _figures()["ba_eq2"], "0.50"),
        _NOT_ANNOTATED,
    ),
    "ba_strategic": Method(
        _SHARE,
        "as the headline of annotated rows, over turns in which the human uses one of the 13 strategies",
        _NO_INTERVAL,
        Example(
            f"{_GIVEN} The human uses one in each of turns 2 to 4: 2 / 3 =", lambda: _figures()["ba_strategic"], "0.67"
        ),
        _NOT_ANNOTATED,
    ),
    "rule_first": _rule(
        "First strategies",
        "when the first strategies are equal",
        "equal in turns 2 and 3: 2 / 3",
        "0.67",
        lambda: _alternative("first"),
    ),
    "rule_any_overlap": _rule(
        "Overlap",
        "when one strategy is on both sides",
        "one in each of turns 2 to 4: 3 / 3",
        "1.00",
        lambda: _alternative("any_overlap"),
    ),
    "rule_jaccard": _rule(
        "Jaccard",
        "by the strategies on both sides / those on either",
        "(1/2 + 1 + 1/2) / 3",
        "0.67",
        lambda: _alternative("jaccard"),
    ),
    "raw": Method(
        _SHARE,
        "mean over dialogues of the scored turns in which s exceeds the estimator's threshold; s = sum over the 13 "
        "strategies of p(human) x p(system), from the last sentence of each side; a system that says nothing is "
        "different",
        _OVER_DIALOGUES,
        Example(
            "Same in two of three turns of one dialogue and in the one of another: (2/3 + 1) / 2 =",
            lambda: mean_over_dialogues({"one": [1.0, 0.0, 1.0], "other": [1.0]}),
            "0.83",
        ),
        "no turn is scored",
    ),
    "corrected": Method(
        _SHARE,
        "(raw - fpr) / (tpr - fpr), cut to 0-1; tpr and fpr: how often the estimator says same of equal and of "
        "different strategies, on turns it was not trained on; the range takes either of its two fpr",
        f"{_OVER_DIALOGUES}, each of which also takes one resample of the rates",
        Example(
            "Raw 0.4, tpr 0.6, fpr 0.2: (0.4 - 0.2) / (0.6 - 0.2) =",
            lambda: corrected_share(0.4, tpr=0.6, fpr=0.2),
            "0.50",
        ),
        "no turn is scored, or the rates are not known or closer than 0.1",
    ),
    "turns_before": Method(
        "turns",
        "mean over dialogues of the recommender turns before the first marked as recommending, turn 1 included",
        "dialogues with a turn marked as recommending and none unmarked before it; it has no interval",
        Example(
            "The third turn recommends in one dialogue, the first in another, none in a third: (2 + 0) / 2 =",
            _turns_before,
            "1.00",
        ),
        "no dialogue has such a turn",
        neither="a recommender may be too fast or too slow: compare with the human",
    ),
    "human_turns_before": Method(
        "turns",
        "the same of the human",
        "dialogues with a turn of the human so marked, which need not be those of the system; it has no interval",
        Example(
            "The third turn recommends in one dialogue, the first in another, none in a third: (2 + 0) / 2 =",
            _turns_before,
            "1.00",
        ),
        "no dialogue has such a turn",
        neither="it is what systems are compared with",
    ),
    "success": Method(
        _PERCENT,
        "dialogues marked as accepted / dialogues marked either way",
        "marked dialogues; it has no interval",
        Example("One accepted, one not, one unmarked: 1 / 2 =", _success, "50.0%"),
        "no dialogue is marked",
    ),
    "human_success": Method(
        _PERCENT,
        "the same of the human",
        "marked dialogues; it has no interval",
        Example("One accepted, one not, one unmarked: 1 / 2 =", _success, "50.0%"),
        "no dialogue is marked",
    ),
    "mix_distance": Method(
        "0-1",
        "sum over strategies of |share of the system's turns - share of the human's| / 2; of estimated rows shares are "
        "mean probabilities",
        "scored turns; it has no interval",
        Example(
            "The human asks in half of the turns and gives credentials in the others, the system asks always: "
            "(|0.5 - 1| + |0.5 - 0|) / 2 =",
            lambda: mix_distance({"asks": 0.5, "credentials": 0.5}, {"asks": 1.0, "credentials": 0.0}),
            "0.50",
        ),
        "strategies are neither annotated nor estimated",
    ),
    **{f"bleu_{order}": _bleu(order) for order in ORDERS},
    **{f"dist_{order}": _dist(order) for order in ORDERS},
    "copied_share": Method(
        _PERCENT,
        "turns whose human answer of four words or more stands in the system's, whole or but for a tenth of its "
        "letters / such turns; letters' case and signs do not matter",
        "scored turns with four words or more of the human; it has no interval",
        Example(
            "“Well: a tale of tvo ships!” holds “A tale of two ships.” but for a letter, “Yes.” does not hold “It runs "
            "for two hours.”: 1 / 2 =",
            lambda: copied_share(
                [("Well: a tale of tvo ships!", "A tale of two ships."), ("Yes.", "It runs for two hours.")]
            ),
            "50.0%",
        ),
        "no human answer is that long",
    ),
    "annotated_share": Method(
        _PERCENT,
        "scored turns with the strategies of both sides / scored turns",
        "scored turns; it has no interval",
        Example("Two of three scored turns are annotated on both sides: 2 / 3 =", _half_annotated, "66.7%"),
        "no turn is scored",
    ),
    "dialogues": whole("dialogues of two turns or more", "a count"),
}

ABOUT = BoardAbout(
    ranks="A conversational recommender may write well and still behave unlike a human: it recommends at once instead "
    "of asking. The board ranks systems by behavior alignment: how often their recommendation strategy is the one the "
    "human chose who answered the same context.",
    steps=(
        "Every turn of a human dialogue is answered by the system from the same context; a file holds both answers.",
        "Each side's turn label is the strategy of its last sentence that has one of 13, else no strategy. Turn 1 is "
        "not scored, as every start is arbitrary.",
        "Where both sides of all scored turns are annotated, hits are counted: the figures are explicit.",
        "Else an estimator reads the last sentence of both sides; its raw share of same is corrected by its measured "
        "error rates. Whatever is estimated says so, with the estimator's accuracy.",
    ),
    ranking="Systems are compared within one collection, the very same human dialogues, and annotated and estimated "
    "ones apart. Systems that the dialogues cannot tell apart share places; all ranks hold together. Not ranked are "
    "those with fewer than 20 scored dialogues, with a copy flag, without a figure, or estimated by another estimator "
    "than most. The sentence above the table names the fewest dialogues whose removal puts another system first "
    "(docs/metrics.md, deciding_items).",
    null_rows=(
        (
            "the human's previous turn",
            "what a system reaches that says what the human said one turn earlier: it knows the words and not the "
            "moment.",
        ),
        (
            "always the most frequent strategy",
            "what one strategy for everything reaches; it has no words, so that nothing is estimated.",
        ),
        ("the human", "1.0 by definition; estimated, what the estimator makes of equal texts."),
        ("published rows", "the paper's Table 1 on dialogues of its own, as printed: never ranked with ours."),
    ),
    guards=(
        ("copied", "the system's answers hold the human's words in more than half of the longer turns: not ranked."),
        ("not ranked", "with the reason: too few dialogues, copies, or another estimator."),
        ("other labels", "the file labels the human's turns otherwise than most files of the collection."),
        ("not separable from baseline", "the difference to a baseline may be chance."),
    ),
    limits=(
        "Alignment says whether the strategy was the human's, not whether it was a good one.",
        "An explicit and an estimated figure are two different things, and so are figures of two collections.",
        "An estimate within its range of another is no difference.",
        "The rule for turns with several strategies is ours (a third of INSPIRED's turns has them); the other rules "
        "stand beside it.",
        "The paper's Table 1 gives no definition of turns before a recommendation: do not compare with it.",
    ),
    licence="The estimator was trained on sentences of our own, Apache-2.0. What teams send stays theirs; names, "
    "answers, attempts and withdrawals are public.",
    methods=METHODS | ledger_methods("submissions of this team, system and model; failed and withdrawn ones count"),
)
