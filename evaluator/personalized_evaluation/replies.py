"""A judge's raw text as a score, or as one of two plots (docs/personalized_evaluation.md#how-raw-answers-are-read).

Stricter and more forgiving than the published reading: the range is checked, two different answers are none, and an
answer is found inside a fence, in JSON or in words, and never in thoughts. Nothing is ever rounded or clipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from submissions.formats.personalized_evaluation.submission import Choice, Scale, choice_of
from submissions.verdicts.thoughts import without_thoughts

MissingReason = Literal["no_answer", "unparsed", "out_of_range", "no_label"]
"""Why there is no answer: nothing was said; it cannot be read; it lies beyond the scale; a local judge put less than
half of its probability on the labels."""

_Value = TypeVar("_Value")

_FENCE = re.compile(r"```(.*?)```", re.DOTALL)
_LANGUAGE_OF_FENCE = re.compile(r"\A\s*json\b", re.IGNORECASE)
_COMMA_BEFORE_END = re.compile(r",(\s*[}\]])")
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_NUMBER_OR_SHARE = re.compile(rf"\s*({_NUMBER})\s*(?:/\s*({_NUMBER})\s*)?\Z")
_BEFORE_VALUE = r"[\"']?\s{0,9}[:=]\s{0,9}[\"']?"
_STATED_SCORE = re.compile(rf"(?i:\bscore){_BEFORE_VALUE}({_NUMBER})(?:\s{{0,9}}/\s{{0,9}}({_NUMBER}))?(?!\w|\.\d)")
# A small "a" with words behind it is an article: "Choice: a tie".
_STATED_CHOICE = re.compile(
    rf"(?i:\bchoice){_BEFORE_VALUE}(?:(?i:plot)\s{{1,9}}([ABab])\b|([AB])\b(?!/)|([ab])(?=\s*(?:[^\w\s/]|\Z)))"
)
_BARE_CHOICE = re.compile(r"[\s\"'(*]*(?:plot\s+)?([ab])[\s\"').*!]*\Z", re.IGNORECASE)
_NAMED_PLOT = re.compile(r"\bplot\s{1,9}([ab])\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer(Generic[_Value]):
    """An answer, or why there is none."""

    value: _Value | None
    reason: MissingReason | None

    @property
    def is_given(self) -> bool:
        return self.reason is None


UNPARSED: Answer[float] = Answer(None, "unparsed")
_NO_CHOICE: Answer[Choice] = Answer(None, "unparsed")


def parse_score(text: str | None, scale: Scale) -> Answer[float]:
    """The score a raw text states on a scale.

    >>> parse_score('{"Review": "fine", "Score": 7.5}', Scale(1, 10)).value
    7.5
    >>> parse_score("Score: 4/5", Scale(1, 10)).reason, parse_score("Score: 4. No, score: 8", Scale(1, 10)).reason
    ('out_of_range', 'unparsed')
    """
    if text is None or not text.strip():
        return Answer(None, "no_answer")
    text = without_thoughts(text)
    if text is None:
        return UNPARSED
    block = _block(text)
    members = _json_object(block)
    if members is not None:
        return _score_of_value(members.get("score"), scale)
    stated = _STATED_SCORE.findall(block) or _STATED_SCORE.findall(text)
    return _agreed(_score_of_words(number, highest, scale) for number, highest in stated) or UNPARSED


def parse_choice(text: str | None) -> Answer[Choice]:
    """The plot a raw text chooses, as the text names it.

    >>> parse_choice("I prefer Plot B because it is darker.").value, parse_choice("Plot A beats Plot B").reason
    ('B', 'unparsed')
    """
    if text is None or not text.strip():
        return Answer(None, "no_answer")
    text = without_thoughts(text)
    if text is None:
        return _NO_CHOICE
    block = _block(text)
    members = _json_object(block)
    if members is not None:
        stated = members.get("choice")
        return _choice(choice_of(stated) if isinstance(stated, str) else None)
    if matches := _STATED_CHOICE.findall(block) or _STATED_CHOICE.findall(text):
        return _agreed(_choice(choice_of("".join(letters))) for letters in matches) or _NO_CHOICE
    if bare := _BARE_CHOICE.match(block):
        return _choice(choice_of(bare[1]))
    return _agreed(_choice(choice_of(letter)) for letter in _NAMED_PLOT.findall(text)) or _NO_CHOICE


def _block(text: str) -> str:
    """Where the answer stands: a text that is JSON itself, else the last fenced block, else all of it."""
    if _json_object(text) is not None:
        return text
    fenced = _FENCE.findall(text)
    return _LANGUAGE_OF_FENCE.sub("", fenced[-1]) if fenced else text


def _json_object(text: str) -> dict[str, object] | None:
    """The members of a JSON object under their small-lettered keys; None where the text is none."""
    for candidate in (text, _COMMA_BEFORE_END.sub(r"\1", text)):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return {key.casefold(): member for key, member in value.items()} if isinstance(value, dict) else None
    return None


def _score_of_value(value: object, scale: Scale) -> Answer[float]:
    if isinstance(value, str) and (match := _NUMBER_OR_SHARE.match(value)):
        return _score_of_words(match[1], match[2] or "", scale)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return UNPARSED
    return _in_range(value, scale)


def _score_of_words(number: str, highest: str, scale: Scale) -> Answer[float]:
    """A number as written, with the m of n/m or a blank."""
    if highest and float(highest) != scale.high:
        return Answer(None, "out_of_range")
    return _in_range(float(number), scale)


def _in_range(score: float, scale: Scale) -> Answer[float]:
    return Answer(float(score), None) if score in scale else Answer(None, "out_of_range")


def _choice(choice: Choice | None) -> Answer[Choice]:
    return Answer(choice, None) if choice else _NO_CHOICE


def _agreed(answers: Iterable[Answer[_Value]]) -> Answer[_Value] | None:
    """The answer that all matches give; None where there is none, or more than one."""
    different = set(answers)
    return different.pop() if len(different) == 1 else None
