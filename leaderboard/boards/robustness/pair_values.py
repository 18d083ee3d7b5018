"""One opened verdict: both answers beside each other with their least supported sentences, and what the judge noted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evaluator.judges.protocol import TOKENS_WRITTEN, Judgment
from evaluator.results import PairResult
from evaluator.text.content_checks import sentences
from leaderboard.parts.item_values import DetailValue, OpenedPairValue, PartValue
from leaderboard.parts.visible_text import visible

LEAST_SUPPORTED = "least supported by the other answer"

_FIRST, _SECOND = "least_supported_a", "least_supported_b"
"""Details of a verdict that are places of sentences, not figures: in the answer shown first, and shown second."""

_COUNTS = frozenset({TOKENS_WRITTEN, "windows", "unread_words_a", "unread_words_b"})

_DETAIL_LABELS = {
    "network": "reading of both texts (higher: more alike)",
    "restated": "quantities restated in other units",
    "windows": "windows read",
    "numbers": "numbers in conflict",
    "negation": "negation in conflict",
    "opposites": "opposite words",
    "names": "names in conflict",
    "exchanged": "exchanged words",
    "refusal": "only one refuses",
    "contrary": "yes against no",
    "same_sentences": "every sentence of one stands in the other",
    "unread_words_a": "words of the first answer too far on to be read",
    "unread_words_b": "words of the second answer too far on to be read",
    "cosine": "cosine of windows",
    "coverage": "sentences covered",
    TOKENS_WRITTEN: "tokens written before it decided",
}


def has_details(pair: PairResult, judgments: Mapping[str, Judgment]) -> bool:
    """Did the judge note anything about the pair, in either order?"""
    return any(judgment is not None and judgment.details for judgment in _both_orders(pair, judgments))


def opened_pair_value(
    pair: PairResult,
    answers: Mapping[int, str],
    judgments: Mapping[str, Judgment],
    languages: Mapping[int, str] | None = None,
    loss: str = "",
) -> OpenedPairValue:
    """The pair with its stored verdicts.

    Args:
        answers: by variant number.
        languages: the same, where every variant is another language: answers are called by them.
        loss: what the pair lost at the gate and why (`lost_points.loss_words`); blank for nothing.
    """
    first, second = _both_orders(pair, judgments)
    # In the second order b stands first.
    places = {
        pair.a: (_place(first, _FIRST), _place(second, _SECOND)),
        pair.b: (_place(first, _SECOND), _place(second, _FIRST)),
    }
    return {
        "title": f"{languages[pair.a]} and {languages[pair.b]}" if languages else f"Variants {pair.a} and {pair.b}",
        "answers": [
            {
                "title": languages[variant] if languages else f"Variant {variant}",
                "parts": _shown(marked_parts(answers[variant], sentence_marks(*own_places))),
            }
            for variant, own_places in places.items()
            if answers.get(variant)
        ],
        "said": [
            *findings(first, second),
            *([f"Whatever the rating, this pair {loss}."] if loss and pair.score else []),
        ],
        "details": _details(first, second),
    }


_FOUND = {
    "same_sentences": "Every sentence of one answer stands in the other, but for order, layout, spelling, articles or"
    " who is meant: they are the same without being read further.",
    "refusal": "Only one of the two declines to answer.",
    "contrary": "One says yes where the other says no.",
    "negation": "What one says, the other denies.",
    "numbers": "Numbers differ between them.",
    "names": "Names differ between them.",
    "opposites": "One has a word where the other has its opposite.",
    "exchanged": "Who does what to whom is exchanged.",
}
"""What a check found, by its name; a check that found nothing has 0."""


def findings(*orders: Judgment | None) -> list[str]:
    """What the judge found in a pair, in sentences; empty where it checks nothing or gave no rating.

    >>> findings(Judgment(1.0, details={"negation": 0.8, "numbers": 0.0}))
    ['What one says, the other denies.']
    >>> findings(Judgment(4.0, details={"negation": 0.0, "numbers": 0.0}))
    ['No contradiction was found in what is checked: what one says and the other denies; numbers.']
    """
    noted: dict[str, float] = {}
    for judgment in orders:
        for name, value in (judgment.details if judgment else {}).items():
            noted[name] = max(value, noted.get(name, 0.0))
    checked = [name for name in _FOUND if name in noted]
    statements = [_FOUND[name] for name in checked if noted[name] > 0]
    if statements or not checked:
        return statements
    said = [_CHECKED.get(name, _DETAIL_LABELS.get(name, name)) for name in checked]
    return [f"No contradiction was found in what is checked: {'; '.join(said)}."]


_CHECKED = {
    "refusal": "whether one declines to answer",
    "contrary": "yes against no",
    "negation": "what one says and the other denies",
    "numbers": "numbers",
    "names": "names",
    "exchanged": "who does what to whom",
}


def sentence_marks(first_order: int | None, second_order: int | None) -> dict[int, str]:
    """Sentence -> why it is marked; where the orders name different sentences, each mark says in which order.

    >>> sentence_marks(2, 2)
    {2: 'least supported by the other answer'}
    """
    if first_order == second_order:
        return {} if first_order is None else {first_order: LEAST_SUPPORTED}
    named = {"first": first_order, "second": second_order}
    return {place: f"{LEAST_SUPPORTED}, {order} order" for order, place in named.items() if place is not None}


def marked_parts(text: str, marks: Mapping[int, str]) -> list[PartValue]:
    """A text in stretches, the marked sentences (`content_checks.sentences`, from 0) on their own; nothing is lost.

    >>> [part["text"] for part in marked_parts("Go home.  Rest!", {1: "odd"})]
    ['Go home.  ', 'Rest!']
    """
    return [part for part in _parts(text, sentences(text), marks) if part["text"]]


def _shown(parts: Sequence[PartValue]) -> list[PartValue]:
    """Stretches with what is hidden in them written out; sentences are counted before."""
    return [{"text": visible(part["text"]), "mark": part["mark"]} for part in parts]


def _parts(text: str, all_sentences: Sequence[str], marks: Mapping[int, str]) -> Iterator[PartValue]:
    plain_from = searched_from = 0
    for place, sentence in enumerate(all_sentences):
        start = text.index(sentence, searched_from)
        searched_from = start + len(sentence)
        if place in marks:
            yield {"text": text[plain_from:start], "mark": ""}
            yield {"text": sentence, "mark": marks[place]}
            plain_from = searched_from
    yield {"text": text[plain_from:], "mark": ""}


def _both_orders(pair: PairResult, judgments: Mapping[str, Judgment]) -> tuple[Judgment | None, Judgment | None]:
    first, second = (judgments.get(key) if key else None for key in (pair.key_ab, pair.key_ba))
    return first, second


def _place(judgment: Judgment | None, name: str) -> int | None:
    place = judgment.details.get(name) if judgment else None
    return None if place is None else int(place)


def _details(first: Judgment | None, second: Judgment | None) -> list[DetailValue]:
    both = [judgment.details if judgment else {} for judgment in (first, second)]
    names = [name for name in dict.fromkeys([*both[0], *both[1]]) if name not in (_FIRST, _SECOND)]
    return [
        {
            "name": _DETAIL_LABELS.get(name, name.replace("_", " ")),
            "first_order": _figure(name, both[0].get(name)),
            "second_order": _figure(name, both[1].get(name)),
        }
        for name in names
    ]


def _figure(name: str, value: float | None) -> str:
    """A count without decimals, anything else with two."""
    if value is None:
        return "n/a"
    return f"{value:.0f}" if name in _COUNTS else f"{value:.2f}"
