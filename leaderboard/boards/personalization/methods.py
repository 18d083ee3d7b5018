"""Methods of the Personalization board: how each figure comes about."""

from __future__ import annotations

from functools import cache
from statistics import fmean

from evaluator.personalization import Figures, row_figures
from evaluator.personalization.outcome_rows import OutcomeRow
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.personalization.rank_bands import robustness_bands
from leaderboard.page.ledger import ledger_methods
from leaderboard.parts.methods import (
    BY_UNIT,
    BoardAbout,
    Example,
    ExampleResult,
    Method,
    rank_formula,
    whole,
)

# --- the worked example ----------------------------------------------------------------------------------------------

_OUTCOMES: tuple[tuple[bool, bool, float | None], ...] = (
    (True, True, 5.0),
    (True, True, 2.0),
    (True, False, 4.0),
    (True, False, None),
    (True, True, 3.0),
    (False, True, 4.0),
    (False, False, 1.0),
    (False, True, 1.0),
)
"""Right without preferences, right with them, rating of how the relevant one is followed (None: unreadable)."""
_REPEATS = (True, True, False, True)
"""Another control run on the first four questions."""
_EQUAL_TO_DRAFT = (True, True, False, False, False, False, True, False)


@cache
def _figures() -> Figures:
    rows = [
        OutcomeRow(
            str(place),
            "questions",
            "relevant",
            before,
            after,
            rating=rating,
            unparsable=rating is None,
            correct_no_pref_repeat=_REPEATS[place] if place < len(_REPEATS) else None,
            unchanged=_EQUAL_TO_DRAFT[place],
            fallback=place == 1,
            invalid_pref=place == 3,
        )
        for place, (before, after, rating) in enumerate(_OUTCOMES)
    ]
    return row_figures(rows, "relevant")


def _of_rows(key: str, arithmetic: str, by_hand: str) -> Example:
    def result() -> ExampleResult:
        figures: dict[str, object] = {**_figures()}
        value = figures[key]
        return value if isinstance(value, float) else None

    return Example(f"{_GIVEN} {arithmetic} =", result, by_hand)


def _example_rank() -> RankBand:
    examples = [("questions", str(number)) for number in range(60)]
    return robustness_bands({"bad": dict.fromkeys(examples, (1, 1)), "good": dict.fromkeys(examples, (1, 0))})["good"]


_GIVEN = (
    "Eight answers. Without preferences 1-5 are right (Q*, five of them), with preferences 1, 2, 5, 6 and 8; the "
    "ratings are 5, 2, 4, unreadable, 3, 4, 1, 1, and 3 counts as followed."
)
_OVER_EXAMPLES = f"95% interval over examples: {BY_UNIT}"
_OF_QSTAR = f"n = answers that were right without preferences; {_OVER_EXAMPLES}"
_SHARE = "share, shown in percent"
_NO_INTERVAL = "; it has no interval"

METHODS: dict[str, Method] = {
    "rank": Method(
        "a place, or the places a row may hold",
        rank_formula("rows"),
        "the common examples of each two rows, at least 50",
        Example(
            "On the same 60 examples one row loses every right answer and another none. The second one's rank is",
            _example_rank,
            "1",
        ),
        "baselines, published rows, and rows that are not ranked (their note says why)",
    ),
    "robustness_error": Method(
        _SHARE,
        "1 - mean(right and followed | Q*); where no preference is relevant, the breakage rate",
        _OF_QSTAR,
        _of_rows("robustness_error", "Answers 2, 3 and 4 are wrong or do not follow: 3 / 5", "60.0%"),
        "Q* is empty, or preferences were not judged",
    ),
    "breakage_rate": Method(
        _SHARE,
        "1 - mean(right with preferences | Q*); right answers gained elsewhere do not offset it",
        _OF_QSTAR,
        _of_rows("breakage_rate", "Answers 3 and 4 are lost: 2 / 5", "40.0%"),
        "Q* is empty",
    ),
    "alignment_failure": Method(
        _SHARE,
        "1 - mean(followed | Q*), right or wrong; followed = rating of at least 3 of 5",
        _OF_QSTAR,
        _of_rows("alignment_failure", "Answers 2 and 4 do not follow: 2 / 5", "40.0%"),
        "Q* is empty, an answer of it was never judged, or no preference is relevant",
    ),
    "performance_variation": Method(
        _SHARE,
        "1 - |right both times| / |right at least once|, over all answers",
        f"n = answers; {_OVER_EXAMPLES}",
        _of_rows("performance_variation", "Both times 1, 2 and 5, at least once 1-6 and 8: 1 - 3 / 7", "57.1%"),
        "nothing was ever right",
    ),
    "repeat_breakage": Method(
        _SHARE,
        "of the answers of Q* whose control was run again, the share that was wrong the second time",
        f"n = answers of Q* with another control run; {_OVER_EXAMPLES}",
        _of_rows("repeat_breakage", "The controls of 1-4 were run again, and 3 was wrong: 1 / 4", "25.0%"),
        "no control was run again",
    ),
    "excess_breakage": Method(
        "difference of shares, -100% to 100%",
        "breakage rate on the answers with another control run - repeat breakage",
        f"n = answers of Q* with another control run; {_OVER_EXAMPLES}",
        _of_rows("excess_breakage", "Of 1-4, 3 and 4 are lost, and the repeat got 3 wrong: 2 / 4 - 1 / 4", "25.0%"),
        "no control was run again",
    ),
    "unchanged_rate": Method(
        _SHARE,
        "answers equal to the draft (to the control where there is no draft), white space ignored / answers where that "
        "is known",
        f"those answers{_NO_INTERVAL}",
        _of_rows("unchanged_rate", "Answers 1, 2 and 7 equal their draft: 3 / 8", "37.5%"),
        "it is known of no answer",
        "near 100% with an alignment failure near 100% the method does nothing; alone it is no fault",
    ),
    "fallback_rate": Method(
        _SHARE,
        "Pref-Aligner rows whose second stage could not be read / those where that is known",
        f"those rows{_NO_INTERVAL}",
        _of_rows("fallback_rate", "One of eight second stages cannot be read: 1 / 8", "12.5%"),
        "the method has no second stage",
    ),
    "acc_no_pref": Method(
        _SHARE,
        "right answers without preferences / answers whose right option is known",
        f"n answers{_NO_INTERVAL}",
        _of_rows("acc_no_pref", "5 / 8", "62.5%"),
        "no right option is known",
    ),
    "acc_pref": Method(
        _SHARE,
        "right answers with preferences / answers whose right option is known",
        f"n answers{_NO_INTERVAL}",
        _of_rows("acc_pref", "5 / 8", "62.5%"),
        "no right option is known",
    ),
    "n": whole("answers whose right option is known, with and without preferences", "a count"),
    "n_qstar": whole("answers that were right without preferences; below 50 a row is not ranked", "a count"),
    **ledger_methods(
        "submissions of this run; failed and withdrawn ones count, and the row shows the primary one, else the latest"
    ),
    "invalid_pref": Method(
        _SHARE,
        "answers in which neither the rules nor the judge found an option / answers to questions with options",
        f"those answers{_NO_INTERVAL}",
        Example(
            "One of eight answers names no option: 1 / 8 =", lambda: (_figures()["n_invalid_pref"] or 0) / 8, "12.5%"
        ),
        "open questions",
    ),
    "unparsable": Method(
        _SHARE,
        "judged answers without a readable rating / judged answers; they count as not followed",
        f"judged answers{_NO_INTERVAL}",
        Example(f"{_GIVEN} 1 / 8 =", lambda: _figures()["n_rating_unparsable"] / 8, "12.5%"),
        "nothing was judged",
        "it says something about the judge and little about the system",
    ),
    "truncated": Method(
        _SHARE,
        "answers that ended at the length limit / answers whose file says how they ended",
        f"those answers{_NO_INTERVAL}",
        Example("One of four answers ended at the limit: 1 / 4 =", lambda: fmean((True, False, False, False)), "25.0%"),
        "the file does not say how answers ended",
    ),
    "rating": Method(
        "1-5",
        "mean of the judge's readable ratings of how well the relevant preference is followed; each is the expected "
        "value over its labels",
        f"readable ratings{_NO_INTERVAL}",
        Example(
            f"{_GIVEN} (5 + 2 + 4 + 3 + 4 + 1 + 1) / 7 =",
            lambda: fmean(rating for _, _, rating in _OUTCOMES if rating is not None),
            "2.86",
        ),
        "nothing was judged",
    ),
    "reported_rating": Method(
        "1-5",
        "mean of the ratings the file itself states; part of no figure of ours",
        f"stated ratings{_NO_INTERVAL}",
        Example("A file states 4 and 3: (4 + 3) / 2 =", lambda: fmean((4.0, 3.0)), "3.50"),
        "the file states none",
    ),
}

ABOUT = BoardAbout(
    ranks="A preference in the prompt can cost a model an answer it had right, and it can also simply be ignored. "
    "Every question is answered once without preferences (the control) and once with them. The board ranks runs by the "
    "share of right answers that turn wrong or do not follow the relevant preference.",
    steps=(
        "The letter of every answer is found by rules, and by the judge where they find none; an answer without a "
        "letter is wrong.",
        "The judge rates from 1 to 5 how well the answer follows the one relevant preference; 3 counts as followed, an "
        "unreadable rating does not.",
        "Of the questions that were right without preferences (Q*), breakage is the share that turns wrong, alignment "
        "failure the share that does not follow, robustness error the share that does either.",
        "Breakage never stands alone: returning the control unchanged has breakage 0.",
    ),
    ranking="Rows that common examples cannot tell apart share places; all ranks hold together; with fewer than 50 "
    "common examples nobody is told apart. Rows are compared within one setting and one choice of data sets. Not "
    "ranked are rows with fewer than 50 right controls, without judged preferences, with controls that are right less "
    "often than the run's other control runs or its answers under preferences on the same questions, controls "
    "themselves, and the comparison profile perg. The sentence above the table names questions whose removal puts "
    "another row first (docs/metrics.md, deciding_items).",
    null_rows=(
        ("the control unchanged", "what ignoring every preference reaches: breakage 0."),
        ("always the first option", "what answering without reading reaches."),
        (
            "published rows",
            "the paper's figures for orientation: another judge, other answers, never ranked with ours.",
        ),
    ),
    guards=(
        ("not ranked", "with the reason: too few right controls, or preferences that nobody judged."),
        ("rows without a right option", "they count nowhere else."),
        ("cut texts", "rows of which the judge saw the beginning only: texts are cut at 8,000 characters."),
    ),
    limits=(
        "Run the control twice: a breakage rate of 2% to 5% is within the noise of asking again.",
        "Following is the judge's opinion of one preference; correctness aside.",
        "Settings are never pooled, and data sets only where the same ones were.",
    ),
    licence="The demonstration questions and preferences are our own wording, Apache-2.0. Published figures are cited "
    "from their paper. What teams send stays theirs; names, answers, attempts and withdrawals are public.",
    methods=METHODS,
)
