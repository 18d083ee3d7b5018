"""A local judge in the place of one reader: fills in the predictions of a file that has none.

Ratings are the expected value over the labels 1 to 10, unrounded; choices are the more probable of A and B, in both
orders always. Every answer goes through the store of verdicts. See docs/personalized_evaluation.md#the-local-judge.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from evaluator.judges.label_distribution import LOWEST_LABEL_MASS
from evaluator.judges.profile_prompts import HIGHEST_RATING, LOWEST_RATING, choice_rubric, rating_rubric
from evaluator.judges.protocol import SHORTENED, JudgeRequest, Judgment, RequestKind
from evaluator.judges.recorded import RecordedJudge, Verdict
from evaluator.personalized_evaluation.ratings import calibrated
from evaluator.personalized_evaluation.replies import Answer, MissingReason
from submissions.formats.personalized_evaluation.submission import (
    AnyPerseSubmission,
    Aspect,
    Choice,
    PairItem,
    PairsSubmission,
    ProfileComparison,
    ProfileReview,
    RatingItem,
    RatingsSubmission,
    Scale,
    choice_of,
    other,
)

SHUFFLES = 3
SHUFFLE_SEED = 0
MOST_SHUFFLED_REVIEWS = 7
"""Up to so many reviews all orders are listed before some are drawn."""
MIN_SHUFFLES = 2

_ANY_LANGUAGE = "und"
"""Files of these kinds do not state the language of their texts (BCP 47: undetermined)."""
_RATING_SCALE = Scale(LOWEST_RATING, HIGHEST_RATING)


class CannotPredict(Exception):
    """Raised when a judge cannot take a reader's place, or a file already has predictions."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A file with the predictions of a judge."""

    submission: AnyPerseSubmission
    reasons: dict[str, MissingReason]
    """Item id -> why there is no prediction (in the given order)."""
    judgments: dict[str, tuple[Judgment, ...]]
    """Item id -> what the judge said of it, with the distribution over its labels: of ratings in every order of the
    profile, the given one first; of choices in the given order, then swapped."""
    keys: tuple[str, ...]
    """Verdict keys, item by item in the order of the file."""
    shortened: tuple[str, ...]
    """Ids of the items whose texts had to be cut."""

    @property
    def marks(self) -> list[str]:
        """Flags of the run."""
        return [SHORTENED] if self.shortened else []


# --- requests --------------------------------------------------------------------------------------------------------


def rating_request(profile: Sequence[ProfileReview], text: str, gold_scale: Scale = _RATING_SCALE) -> JudgeRequest:
    """What will this reader give a text? Scores of the profile are shown as they stand, on their own scale."""
    fields = {**_review_fields(profile, gold_scale), "new_text": text}
    return JudgeRequest(rating_rubric(has_profile=bool(profile)), fields, _ANY_LANGUAGE)


def preference_request(profile: Sequence[ProfileReview], aspect: Aspect, first: str, second: str) -> JudgeRequest:
    """Which of two texts does the reader of these reviews prefer in one aspect? `first` is shown as plot A."""
    fields = {**_review_fields(profile), "plot_a": first, "plot_b": second}
    return JudgeRequest(choice_rubric(aspect, has_profile=bool(profile)), fields, _ANY_LANGUAGE)


def _review_fields(profile: Sequence[ProfileReview], gold_scale: Scale = _RATING_SCALE) -> dict[str, str]:
    on_scale = "" if gold_scale == _RATING_SCALE else f" on a scale from {gold_scale}"
    fields: dict[str, str] = {}
    for number, review in enumerate(profile, start=1):
        fields[f"earlier_text_{number}"] = review.text
        if review.review.strip():
            fields[f"earlier_review_{number}"] = review.review
        fields[f"earlier_score_{number}"] = f"{review.score:g}{on_scale}"
    return fields


def choice_request(item: PairItem, *, swapped: bool = False) -> JudgeRequest:
    """Which of two texts does this reader prefer? `swapped` shows text_b as plot A; the profile stays as it is."""
    fields: dict[str, str] = {}
    for number, entry in enumerate(item.profile, start=1):
        fields |= _comparison_fields(entry, number)
    first, second = (item.text_b, item.text_a) if swapped else (item.text_a, item.text_b)
    rubric = choice_rubric(item.aspect, has_profile=bool(item.profile))
    return JudgeRequest(rubric, {**fields, "plot_a": first, "plot_b": second}, _ANY_LANGUAGE)


def _comparison_fields(entry: ProfileComparison, number: int) -> dict[str, str]:
    return {
        f"earlier_plot_a_{number}": entry.text_a,
        f"earlier_plot_b_{number}": entry.text_b,
        f"earlier_choice_{number}": f"Plot {entry.choice}",
    }


# --- answers ---------------------------------------------------------------------------------------------------------


def predicted_rating(judgment: Judgment, scale: Scale) -> Answer[float]:
    """The expected rating, from 1 to 10 onto the scale of the predictions.

    >>> predicted_rating(Judgment(rating=5.5), Scale(1, 10)).value
    5.5
    """
    if judgment.rating is None:
        return Answer(None, _missing(judgment))
    return Answer(calibrated(judgment.rating, _RATING_SCALE, scale), None)


def predicted_choice(judgment: Judgment, *, swapped: bool = False) -> Answer[Choice]:
    """The text that the judge prefers: its "A" is text_b where the two were shown swapped."""
    place = None if judgment.verdict is None else choice_of(judgment.verdict)
    if place is None:
        return Answer(None, _missing(judgment))
    return Answer(other(place) if swapped else place, None)


def _missing(judgment: Judgment) -> MissingReason:
    """An exact tie is no answer; anything else is a judge that did not answer with a label."""
    mass = judgment.label_mass
    return "no_answer" if mass is not None and mass >= LOWEST_LABEL_MASS else "no_label"


# --- runs ------------------------------------------------------------------------------------------------------------


def judged_run(submission: AnyPerseSubmission, judge: RecordedJudge) -> JudgedRun:
    """Lets a judge answer every item of a file without answers.

    Raises:
        CannotPredict: the file has answers, or the judge does not read questions about a reader.
    """
    if any(item.has_answer for item in submission.items):
        raise CannotPredict("the file has predictions; a judge fills in files in which all of them are null")
    wanted: RequestKind = "profile_choice" if isinstance(submission, PairsSubmission) else "profile_rating"
    if wanted not in judge.judge.kinds:
        raise CannotPredict(
            f"the judge {judge.judge.pin.name} reads no questions about a reader; a language model does"
        )
    if isinstance(submission, PairsSubmission):
        return _judged_pairs(submission, judge)
    return _judged_ratings(submission, judge)


def _judged_ratings(submission: RatingsSubmission, judge: RecordedJudge) -> JudgedRun:
    orders = profile_orders(submission.k)
    requests = [
        replace(
            rating_request([item.profile[place] for place in order], item.text, submission.gold_scale),
            place=f"item {item.id}",
        )
        for item in submission.items
        for order in (tuple(range(submission.k)), *orders)
    ]
    verdicts = judge.verdicts(requests)
    of_item = _by_item([item.id for item in submission.items], verdicts)
    items = tuple(_rated(item, of_item[item.id], submission.scale) for item in submission.items)
    reasons = {
        item_id: predicted_rating(judgments[0], submission.scale).reason for item_id, judgments in of_item.items()
    }
    return _run(replace(submission, items=items), reasons, of_item, verdicts)


def _rated(item: RatingItem, judgments: Sequence[Judgment], scale: Scale) -> RatingItem:
    score, *shuffled = (predicted_rating(judgment, scale).value for judgment in judgments)
    return replace(item, score=score, shuffled_scores=tuple(shuffled) if shuffled else None)


def _judged_pairs(submission: PairsSubmission, judge: RecordedJudge) -> JudgedRun:
    requests = [
        replace(choice_request(item, swapped=swapped), place=f"item {item.id}")
        for item in submission.items
        for swapped in (False, True)
    ]
    verdicts = judge.verdicts(requests)
    of_item = _by_item([item.id for item in submission.items], verdicts)
    items = tuple(_chosen(item, *of_item[item.id]) for item in submission.items)
    reasons = {item_id: predicted_choice(judgments[0]).reason for item_id, judgments in of_item.items()}
    return _run(replace(submission, items=items), reasons, of_item, verdicts)


def _chosen(item: PairItem, given: Judgment, swapped: Judgment) -> PairItem:
    return replace(
        item,
        choice=predicted_choice(given).value,
        choice_swapped=predicted_choice(swapped, swapped=True).value,
    )


def _by_item(ids: Sequence[str], verdicts: Sequence[Verdict]) -> dict[str, tuple[Judgment, ...]]:
    """Item id -> its judgments, of which all items have the same number."""
    width = len(verdicts) // len(ids)
    return {
        item_id: tuple(verdict.judgment for verdict in verdicts[place * width : (place + 1) * width])
        for place, item_id in enumerate(ids)
    }


def _run(
    submission: AnyPerseSubmission,
    reasons: dict[str, MissingReason | None],
    of_item: dict[str, tuple[Judgment, ...]],
    verdicts: Sequence[Verdict],
) -> JudgedRun:
    return JudgedRun(
        submission=submission,
        reasons={item_id: reason for item_id, reason in reasons.items() if reason is not None},
        judgments=of_item,
        keys=tuple(verdict.key for verdict in verdicts),
        shortened=tuple(
            item_id
            for item_id, judgments in of_item.items()
            if any(SHORTENED in judgment.details for judgment in judgments)
        ),
    )


def prediction_questions(submission: AnyPerseSubmission) -> int:
    """What a judge is asked to answer a whole file: choices in both orders, ratings in all orders of the profile."""
    orders = 2 if isinstance(submission, PairsSubmission) else 1 + len(profile_orders(submission.k))
    return orders * len(submission.items)


def profile_orders(k: int) -> tuple[tuple[int, ...], ...]:
    """Up to `SHUFFLES` other orders of k reviews, always the same; none where there are fewer than two others.

    >>> len(profile_orders(3)), profile_orders(2)
    (3, ())
    """
    drawn = random.Random(SHUFFLE_SEED)
    given = tuple(range(k))
    if k <= MOST_SHUFFLED_REVIEWS:
        others = list(permutations(given))[1:]
        return tuple(drawn.sample(others, min(SHUFFLES, len(others)))) if len(others) >= MIN_SHUFFLES else ()
    orders: dict[tuple[int, ...], None] = {}
    while len(orders) < SHUFFLES:
        order = tuple(drawn.sample(given, k))
        if order != given:
            orders[order] = None
    return tuple(orders)
