"""One evaluator down to its items: the list of predictions, and one item's profile, texts, answers and distribution."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from evaluator.judges.profile_prompts import HIGHEST_RATING, LOWEST_RATING
from evaluator.personalized_evaluation.ratings import calibrated
from evaluator.personalized_evaluation.replies import MissingReason
from evaluator.personalized_evaluation.result import ChosenItems, PersonalizedEvaluationResult, RatedItems
from leaderboard.boards.personalized_evaluation.sentences import choice_sentence, rating_sentence, score_text
from leaderboard.parts.card_values import FactValue, JudgeCardValue
from submissions.check import check_submission
from submissions.formats.personalized_evaluation.reader import PerseReading
from submissions.formats.personalized_evaluation.submission import Choice, PairItem, RatingItem, Scale, other
from submissions.promptsets import PromptSets
from submissions.schema import Names

REASON_WORDS: dict[MissingReason | None, str] = {
    None: "",
    "no_answer": "no answer",
    "unparsed": "cannot be read",
    "out_of_range": "beyond the scale",
    "no_label": "the judge gave no label",
}

DISTRIBUTION = "Probability of every score, as the judge gave it"

_LABEL_SCALE = Scale(LOWEST_RATING, HIGHEST_RATING)
"""What a local judge rates on."""


@dataclass(frozen=True, slots=True)
class PredictedRow:
    """One item of one run."""

    id: str
    """Its place in the file, counted from 0."""
    item: str
    reviewer: str
    gold: str
    predicted: str
    reason: str
    remark: str
    error: float | None = None
    """Of ratings: prediction less gold, on the scale of the readers."""
    aspect: str = ""
    swapped: str = ""
    tier: int = 0

    @property
    def style(self) -> str:
        """What is missing stands out."""
        return "incomplete-row" if self.reason else ""


ANSWERED_WORDS = {
    "missing": "without an answer",
    "exact": "rounding to the reader's score",
    "off": "off the reader's score",
    "right": "right",
    "wrong": "wrong",
    "flipped": "another text in the other order",
}
"""Which items of a row can be listed; ratings know the first three, choices the others and the first."""


def predicted_rows(result: PersonalizedEvaluationResult, answered: str = "") -> list[PredictedRow]:
    """The items of a run, worst first, or those that were answered in some way."""
    places = sorted(_places(result), key=lambda place: _badness(result, place), reverse=True)
    return [_row(result, place) for place in places if not answered or answered in _answered_as(result, place)]


_WORST_FIRST = ("missing", "wrong", "flipped")


def _badness(result: PersonalizedEvaluationResult, place: int) -> tuple[int, float]:
    """How bad an item went: without an answer, the wrong one, another in the other order; then by how far it is off."""
    names = _answered_as(result, place)
    kind = next((number for number, name in enumerate(_WORST_FIRST) if name in names), len(_WORST_FIRST))
    return -kind, abs(_error(result, place) or 0.0) if result.pairs is None else 0.0


def answered_counts(result: PersonalizedEvaluationResult) -> dict[str, int]:
    """How often each way of answering occurs, in their order; those that do not are left out."""
    ways = [_answered_as(result, place) for place in _places(result)]
    counts = {name: sum(name in names for names in ways) for name in ANSWERED_WORDS}
    return {name: count for name, count in counts.items() if count}


def _places(result: PersonalizedEvaluationResult) -> range:
    columns = result.ratings or result.pairs
    return range(len(columns.id) if columns else 0)


def _answered_as(result: PersonalizedEvaluationResult, place: int) -> tuple[str, ...]:
    if result.pairs is not None:
        return tuple(_choice_answered_as(result.pairs, place))
    error = _error(result, place)
    if error is None:
        return ("missing",)
    # Halves round up, as in the figure `exact_match`.
    return ("exact",) if -0.5 <= error < 0.5 else ("off",)


def _choice_answered_as(items: ChosenItems, place: int) -> Iterator[str]:
    choice, swapped = items.choice[place], items.choice_swapped[place]
    yield "missing" if choice is None else "right" if choice == items.gold[place] else "wrong"
    if choice is not None and swapped is not None and choice != swapped:
        yield "flipped"


def _row(result: PersonalizedEvaluationResult, place: int) -> PredictedRow:
    if result.pairs is not None:
        return _chosen_row(result.pairs, place)
    assert result.ratings is not None
    items = result.ratings
    score, error = items.score[place], _error(result, place)
    return PredictedRow(
        id=str(place),
        item=items.id[place],
        reviewer=items.reviewer[place],
        gold=f"{items.gold[place]:g}",
        predicted="" if score is None else score_text(score),
        reason=REASON_WORDS[items.reason[place]],
        remark=_remark(items, place),
        error=error,
    )


def _chosen_row(items: ChosenItems, place: int) -> PredictedRow:
    return PredictedRow(
        id=str(place),
        item=items.id[place],
        reviewer=items.reviewer[place],
        aspect=items.aspect[place],
        gold=items.gold[place],
        predicted=items.choice[place] or "",
        swapped=items.choice_swapped[place] or "",
        reason=REASON_WORDS[items.reason[place]],
        remark="; ".join(
            part
            for part in (_remark(items, place), "flips" if "flipped" in _choice_answered_as(items, place) else "")
            if part
        ),
    )


def _reader(name: str) -> str:
    """
    >>> _reader("R-17"), _reader("reader 2")
    ('reader R-17', 'reader 2')
    """
    return name if name.casefold().startswith("reader") else f"reader {name}"


def _remark(items: RatedItems | ChosenItems, place: int) -> str:
    return "texts were shortened" if items.shortened and items.shortened[place] else ""


def _error(result: PersonalizedEvaluationResult, place: int) -> float | None:
    """Prediction less gold on the readers' scale; None where there is no prediction."""
    items = result.ratings
    if items is None or result.scale is None or result.gold_scale is None:
        return None
    score = items.score[place]
    if score is None:
        return None
    return calibrated(score, Scale(*result.scale), Scale(*result.gold_scale)) - items.gold[place]


# --- one item --------------------------------------------------------------------------------------------------------


class ScoreBarValue(TypedDict):
    """One label with its probability."""

    label: str
    share: str
    """0 to 1, for the height of its bar."""
    text: str
    is_gold: bool
    is_chosen: bool


class ScaleValue(TypedDict):
    """A scale with the reader's score and the prediction on it, from "0" at its low end to "1"."""

    low: str
    high: str
    gold: str
    predicted: str
    """Blank where there is no prediction."""
    words: str


class ShownTextValue(TypedDict):
    """A text under its title; marks are short words on it."""

    title: str
    text: str
    marks: list[str]


class TextsValue(TypedDict):
    """Texts side by side."""

    texts: list[ShownTextValue]


class DistributionValue(TypedDict):
    """The probabilities of all labels."""

    title: str
    bars: list[ScoreBarValue]


class ProfileValue(TypedDict):
    """One earlier review or comparison."""

    title: str
    texts: list[ShownTextValue]
    said: str


class OrderValue(TypedDict):
    """One order in which a pair was shown, and what was answered."""

    title: str
    shown: str
    answer: str
    """As it was written; blank where the file states the choice alone."""
    chosen: str
    bars: list[ScoreBarValue]


class ReadingValue(TypedDict):
    """Everything the page shows of one item; every string is shown as text."""

    title: str
    context: str
    sentence: str
    """What came of it; above everything else."""
    profile_title: str
    profile: list[ProfileValue]
    predicted: list[TextsValue]
    """The new text, or the two."""
    scales: list[ScaleValue]
    """Of ratings."""
    distributions: list[DistributionValue]
    """Of ratings by a local judge."""
    explained: list[TextsValue]
    """What was written about it."""
    orders: list[OrderValue]
    facts: list[FactValue]
    cards: list[JudgeCardValue]


def stored_item(
    data: bytes, file_name: str, names: Names, prompt_sets: PromptSets, place: int
) -> RatingItem | PairItem | None:
    """One item of a stored file, read by the reader of the desk from a small file that holds it alone.

    None where the file has no such item.
    """
    document = json.loads(data.decode("utf-8-sig"))
    items = document["items"]
    if not 0 <= place < len(items):
        return None
    small = json.dumps(document | {"items": [items[place]]}).encode()
    report = check_submission(small, file_name, names=names, prompt_sets=prompt_sets)
    reading = report.of(PerseReading)
    return reading.items[0] if reading and reading.submission else None


def reading_value(
    result: PersonalizedEvaluationResult, place: int, item: RatingItem | PairItem, card: JudgeCardValue | None
) -> ReadingValue:
    """Everything the page shows of one item."""
    cards = [card] if card else []
    if isinstance(item, PairItem):
        assert result.pairs is not None
        return _pair_value(result.pairs, place, item, cards)
    return _rating_value(result, place, item, cards)


def _rating_value(
    result: PersonalizedEvaluationResult, place: int, item: RatingItem, cards: list[JudgeCardValue]
) -> ReadingValue:
    assert result.ratings is not None
    assert result.scale is not None
    assert result.gold_scale is not None
    items, scale, gold_scale = result.ratings, Scale(*result.scale), Scale(*result.gold_scale)
    score, distribution = items.score[place], items.distribution[place] if items.distribution else None
    gold = calibrated(item.gold, gold_scale, _LABEL_SCALE)
    facts = {
        "Reader's score": f"{item.gold:g} on a scale of {gold_scale}",
        "Predicted": f"{score_text(score)} on a scale of {scale}"
        if score is not None
        else REASON_WORDS[items.reason[place]],
        "In other orders of the profile": ", ".join(
            "n/a" if shuffled is None else score_text(shuffled) for shuffled in item.shuffled_scores or ()
        ),
        "Text recognised by the model": {True: "yes", False: "no", None: ""}[item.memorized],
        "Note": _remark(items, place),
    }
    return {
        "title": f"Item {item.id}",
        "context": _reader(item.reviewer),
        "sentence": rating_sentence(item.gold, score, scale, gold_scale, REASON_WORDS[items.reason[place]]),
        "profile_title": _profile_title(len(item.profile), "review"),
        "profile": [
            {
                "title": f"Earlier text {number}",
                "texts": [
                    _text("Text", review.text),
                    *([_text("Review", review.review)] if review.review.strip() else []),
                ],
                "said": f"score {review.score:g}",
            }
            for number, review in enumerate(item.profile, start=1)
        ],
        "predicted": [{"texts": [_text("New text", item.text)]}],
        "scales": [_scale_value(item.gold, score, scale, gold_scale)],
        "distributions": [{"title": DISTRIBUTION, "bars": _rating_bars(distribution, gold)}] if distribution else [],
        "explained": [{"texts": _written(item)}] if _written(item) else [],
        "orders": [],
        "facts": _facts(facts),
        "cards": cards,
    }


def _written(item: RatingItem) -> list[ShownTextValue]:
    """The answer as it came, and the explanation beside the reader's own text; none where the file has none."""
    answer = [_text("Answer, as it was written", item.response)] if item.response else []
    if not (item.review or item.reference_review):
        return answer
    beside = (("Explanation of the evaluator", item.review), ("What the reader wrote", item.reference_review))
    return [*answer, *(_text(title, text) for title, text in beside)]


def _scale_value(gold: float, score: float | None, scale: Scale, gold_scale: Scale) -> ScaleValue:
    """Both on the readers' scale."""
    predicted = None if score is None else calibrated(score, scale, gold_scale)
    words = f"Reader {score_text(gold)}" + (
        "; no prediction" if predicted is None else f"; predicted {score_text(predicted)}"
    )
    return {
        "low": f"{gold_scale.low:g}",
        "high": f"{gold_scale.high:g}",
        "gold": _place_on(gold, gold_scale),
        "predicted": "" if predicted is None else _place_on(predicted, gold_scale),
        "words": f"{words}, on the readers' scale {gold_scale}",
    }


def _place_on(value: float, scale: Scale) -> str:
    return f"{(value - scale.low) / (scale.high - scale.low):.3f}"


def _rating_bars(distribution: Sequence[float], gold: float) -> list[ScoreBarValue]:
    """Bars of 1 to 10; the reader's score is marked at the label nearest to it."""
    nearest = round(gold)
    most = max(distribution)
    return [
        _bar(str(label), share, most, is_gold=label == nearest, is_chosen=False)
        for label, share in enumerate(distribution, start=int(LOWEST_RATING))
    ]


def _bar(label: str, share: float, most: float, *, is_gold: bool, is_chosen: bool) -> ScoreBarValue:
    height = f"{share / most:.3f}" if most > 0 else "0"
    return {"label": label, "share": height, "text": f"{share:.2f}", "is_gold": is_gold, "is_chosen": is_chosen}


def _pair_value(items: ChosenItems, place: int, item: PairItem, cards: list[JudgeCardValue]) -> ReadingValue:
    marks: dict[Choice, list[str]] = {
        text: [
            *(["the reader's choice"] if item.gold == text else []),
            *(
                ["recognised by the model"]
                if item.memorized and (item.memorized.a if text == "A" else item.memorized.b)
                else []
            ),
        ]
        for text in ("A", "B")
    }
    facts = {
        "Reader's choice": f"text {item.gold}",
        "Missing": REASON_WORDS[items.reason[place]],
        "Note": "; ".join(part for part in (_remark(items, place), _flip_words(items, place)) if part),
    }
    return {
        "title": f"Item {item.id}",
        "context": f"{_reader(item.reviewer)}, comparison {item.comparison}: {item.aspect}",
        "sentence": choice_sentence(item.gold, items.choice[place], items.choice_swapped[place]),
        "profile_title": _profile_title(len(item.profile), "comparison"),
        "profile": [
            {
                "title": f"Earlier comparison {number}",
                "texts": [_text("Text A", entry.text_a), _text("Text B", entry.text_b)],
                "said": f"chose text {entry.choice}",
            }
            for number, entry in enumerate(item.profile, start=1)
        ],
        "predicted": [{"texts": [_text("Text A", item.text_a, marks["A"]), _text("Text B", item.text_b, marks["B"])]}],
        "scales": [],
        "distributions": [],
        "explained": [],
        "orders": [
            _order(items, place, items.choice[place], item.response, item.gold, is_swapped=False),
            _order(items, place, items.choice_swapped[place], item.response_swapped, item.gold, is_swapped=True),
        ],
        "facts": _facts(facts),
        "cards": cards,
    }


def _flip_words(items: ChosenItems, place: int) -> str:
    is_flipped = "flipped" in _choice_answered_as(items, place)
    return "the choice changes with the order: it follows the place, not the text" if is_flipped else ""


def _order(
    items: ChosenItems, place: int, choice: Choice | None, response: str | None, gold: Choice, *, is_swapped: bool
) -> OrderValue:
    columns = items.distribution_swapped if is_swapped else items.distribution
    distribution = columns[place] if columns else None
    first: Choice = "B" if is_swapped else "A"
    where = "" if choice is None else "shown first" if choice == first else "shown second"
    is_right = "" if choice is None else ", as the reader" if choice == gold else ", unlike the reader"
    return {
        "title": f"Text {first} shown first",
        "shown": f"Plot A was text {first}, plot B text {other(first)}",
        "answer": response or "",
        "chosen": f"text {choice}, {where}{is_right}" if choice else "no choice",
        "bars": [
            _bar(f"text {text}", share, 1.0, is_gold=text == gold, is_chosen=text == choice)
            for text, share in zip((first, other(first)), distribution or (), strict=False)
        ],
    }


def _profile_title(k: int, what: str) -> str:
    if not k:
        return f"No earlier {what} was shown (k = 0)."
    return f"The earlier {what} that was shown" if k == 1 else f"The {k} earlier {what}s, in the order shown"


def _text(title: str, text: str | None, marks: Sequence[str] = ()) -> ShownTextValue:
    return {"title": title, "text": text or "", "marks": list(marks)}


def _facts(facts: dict[str, str]) -> list[FactValue]:
    return [{"name": name, "text": text} for name, text in facts.items() if text]
