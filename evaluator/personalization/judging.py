"""What the local judge is asked about answers under preferences, and what its judgments mean.

Two questions: how well an answer follows the relevant preference (1-5), and which option an answer chooses where the
rules of `evaluator.personalization.answer_extraction` do not settle it. Texts longer than `MAX_JUDGED_CHARACTERS` are
cut, and whoever asks can tell. See docs/judges.md#what-judges-are-asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

from evaluator.judges.prompts import FOLLOWED, NO_LETTER, WRITTEN_FOLLOWED, WRITTEN_LETTER, answer_letter_rubric
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.text_replies import parse_letter, parse_rating

MAX_JUDGED_CHARACTERS = 8_000
"""Of a question, the options, a preference, a control or an answer."""
LOWEST_LETTER_PROBABILITY = 0.5
"""With less, the judge is not taken to know which option was chosen."""

_ANY_LANGUAGE = "und"
"""Files of this kind do not state the language of their texts (BCP 47: undetermined)."""


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """A question to a judge about one answer."""

    request: JudgeRequest
    cut: tuple[str, ...]
    """Fields whose text was cut to `MAX_JUDGED_CHARACTERS`."""


@dataclass(frozen=True, slots=True)
class FollowedRating:
    """How well an answer follows the preference, as a judge said."""

    rating: float | None
    """Expected value over the labels 1-5, unrounded; None = unreadable, which counts as not followed."""
    distribution: tuple[float, ...] | None
    """Probabilities of 1 to 5 as the judge gave them; None for judges without label probabilities."""
    label_mass: float | None
    reason: str | None
    """Why the rating is unreadable."""

    @property
    def is_unparsable(self) -> bool:
        return self.rating is None


def lettered(options: Sequence[str]) -> str:
    """Options as they are shown to models and judges.

    >>> lettered(["the sun", "the moon"])
    'A. the sun\\nB. the moon'
    """
    return "\n".join(f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False))


def followed_request(
    *, question: str, options: Sequence[str], preference: str, control: str, answer: str
) -> AnswerRequest:
    """How well does the answer follow the preference?

    Args:
        question: As the model saw it.
        options: As the model saw them, in order; empty for an open question.
        preference: The relevant one alone.
        control: The answer without preferences.
        answer: The answer under preferences.
    """
    texts = {"question": question, "preference": preference, "control": control, "answer": answer}
    return _request(FOLLOWED.kind, texts, options)


def letter_request(*, question: str, options: Sequence[str], answer: str) -> AnswerRequest:
    """Which of the options (two or more) does the answer choose?"""
    return _request("answer_letter", {"question": question, "answer": answer}, options)


def written_followed_request(
    *, question: str, options: Sequence[str], preference: str, control: str, answer: str
) -> AnswerRequest:
    """As `followed_request`, answered in free text (profile `perg`)."""
    asked = followed_request(question=question, options=options, preference=preference, control=control, answer=answer)
    return AnswerRequest(replace(asked.request, rubric=WRITTEN_FOLLOWED), asked.cut)


def written_letter_request(*, question: str, options: Sequence[str], answer: str) -> AnswerRequest:
    """As `letter_request`, answered in free text (profile `perg`)."""
    asked = letter_request(question=question, options=options, answer=answer)
    return AnswerRequest(replace(asked.request, rubric=WRITTEN_LETTER), asked.cut)


def written_rating(judgment: Judgment) -> FollowedRating:
    """The rating in a free reply, read as the published implementation reads it: any number in the first tags."""
    rating = parse_rating(judgment.text, "perg")
    reason = None if rating is not None else "the reply holds no <answer>digits</answer>"
    return FollowedRating(rating, None, None, judgment.reason or reason)


def written_letter(judgment: Judgment, n_options: int) -> str | None:
    """The letter in a free reply, as it stands in the reply's dictionary; None for anything but a text."""
    letter = parse_letter(judgment.text, n_options, "perg")
    return letter if isinstance(letter, str) else None


def _request(kind: str, texts: Mapping[str, str], options: Sequence[str]) -> AnswerRequest:
    rubric = FOLLOWED if kind == FOLLOWED.kind else answer_letter_rubric(len(options))
    fields = dict(texts) | ({"options": lettered(options)} if options else {})
    cut = tuple(name for name, text in fields.items() if len(text) > MAX_JUDGED_CHARACTERS)
    shown = {name: text[:MAX_JUDGED_CHARACTERS] for name, text in fields.items()}
    return AnswerRequest(JudgeRequest(rubric, shown, _ANY_LANGUAGE), cut)


def followed_rating(judgment: Judgment) -> FollowedRating:
    """The rating in a judgment of a `followed_request`."""
    return FollowedRating(judgment.rating, judgment.distribution, judgment.label_mass, judgment.reason)


def chosen_letter(judgment: Judgment, n_options: int) -> str | None:
    """The option a judgment of a `letter_request` names; None for no option, or too little certainty.

    >>> chosen_letter(Judgment(None, distribution=(0.2, 0.6, 0.1), verdict="B"), 2)
    'B'
    >>> chosen_letter(Judgment(None, distribution=(0.4, 0.45, 0.1), verdict="B"), 2) is None
    True
    """
    labels = answer_letter_rubric(n_options).labels
    if judgment.distribution is None:
        label = judgment.verdict
    else:
        label, probability = max(zip(labels, judgment.distribution, strict=True), key=lambda pair: pair[1])
        if judgment.verdict is None or not probability >= LOWEST_LETTER_PROBABILITY:
            return None
    return None if label == NO_LETTER else label
