"""Reading a free-text reply of a judge: one score or none, never the first number that looks like one.

Only the reply is parsed, never the prompt. Every number that follows the name of the score ("Similarity score") must
agree; the echoed scale "0-5" is skipped; a range, a number outside the scale or no number at all leaves the reply
unscored, with the reason (docs/judges.md#what-judges-are-asked).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from submissions.reading.normal_forms import normal_form

_WINDOW_CHARACTERS = 80
"""How far after its name a score may stand, decoration included: bounds the work per mention."""

_DASH = r"[-\u2010-\u2015\u2212]"
_DECORATION = r"[\s:=*_\"'`()\[\]{}|\\]|" + _DASH + r"(?=\s)"
_LEAD = re.compile(rf"(?:{_DECORATION}|\b(?:is|of|equals|would be|on a scale (?:of|from))\b)*", re.IGNORECASE)
_NUMBER = re.compile(rf"({_DASH}?\d{{1,15}}(?:[.,]\d{{1,15}})?)(?![^\W_])(?![.,]\d)")
_ANY_DIGIT = re.compile(r"[^\w\n]{0,3}\d")
_MARKS = r"[ \t*_\"'`)\]}]*"
_RANGE = re.compile(rf"{_MARKS}(?:{_DASH}|\bto\b|\bor\b|\band\b|,|\.\.)[ \t*_(\[]*\d", re.IGNORECASE)
_MAXIMUM = re.compile(rf"{_MARKS}(?:[/\u2044]|\bout of\b|\bof\b)[ \t*_(\[]*(\d+(?:[.,]\d+)?)", re.IGNORECASE)
_UNIT = re.compile(rf"{_MARKS}%")


@dataclass(frozen=True)
class Scale:
    """A score as replies state it: what it is called, and from where to where it goes."""

    name: str
    lowest: int
    highest: int

    @cached_property
    def mention(self) -> re.Pattern[str]:
        """The name, in capitals or not, its words apart by spaces or marks."""
        words = r"[\s*_-]{0,8}".join(self.name.split())
        return re.compile(rf"(?<![^\W_]){words}s?(?![^\W_])", re.IGNORECASE)

    @cached_property
    def echo(self) -> re.Pattern[str]:
        """The scale itself, repeated."""
        return re.compile(rf"{self.lowest}[ \t]*(?:{_DASH}|to|\.\.)[ \t]*{self.highest}(?![\d.,]*\d)", re.IGNORECASE)


SIMILARITY = Scale("similarity score", 0, 5)


@dataclass(frozen=True, slots=True)
class ParsedScore:
    """What a reply says: a score, or the reason why it says none."""

    score: float | None
    """On the scale that was asked for; None when unusable."""
    reason: str | None = None
    """Starts with `none`, `ambiguous`, `range` or `outside`."""


def parse_score(reply: str, scale: Scale = SIMILARITY) -> ParsedScore:
    """Return the score a judge's free-text reply states.

    Decimal comma, "/5", "out of 5", bold and brackets are read; words for numbers are not. An empty reply is unscored.

    >>> parse_score("They agree. **Similarity score:** 3,5/5")
    ParsedScore(score=3.5, reason=None)
    >>> parse_score("Similarity score: 3-4")
    ParsedScore(score=None, reason='range: the reply states a range, not one score')
    >>> parse_score("Similarity score: 2 ... Similarity score: 4").reason
    'ambiguous: the reply states the scores 2, 4'
    >>> parse_score("I give a rating of 10", Scale("rating", 1, 10))
    ParsedScore(score=10.0, reason=None)
    """
    text = normal_form("NFKC", reply)
    tails = scale.mention.split(text)[1:]
    stated = [_score_after(tail[:_WINDOW_CHARACTERS], scale) for tail in tails]
    return _unanimous([number for number in stated if number is not None], scale)


def _unanimous(stated: list[ParsedScore], scale: Scale) -> ParsedScore:
    fault = next((number for number in stated if number.reason is not None), None)
    if fault is not None:
        return fault
    scores = sorted({number.score for number in stated if number.score is not None})
    if not scores:
        return ParsedScore(None, f'none: no number after "{scale.name.capitalize()}"')
    if len(scores) > 1:
        return ParsedScore(
            None, f"ambiguous: the reply states the scores {', '.join(f'{score:g}' for score in scores)}"
        )
    return ParsedScore(scores[0])


def _score_after(tail: str, asked: Scale) -> ParsedScore | None:
    """What one mention states; None when no number follows it (prose, or the echoed scale only)."""
    tail = _without_lead(tail)
    scale = asked.echo.match(tail)
    if scale is not None:
        tail = _without_lead(tail[scale.end() :])
    number = _NUMBER.match(tail)
    if number is None:
        unreadable = scale is None and _ANY_DIGIT.match(tail)
        return ParsedScore(None, "ambiguous: the number is not written as one score") if unreadable else None
    rest = tail[number.end() :]
    if _RANGE.match(rest):
        return ParsedScore(None, "range: the reply states a range, not one score")
    score = _value(number[1])
    maximum = _MAXIMUM.match(rest)
    fits_scale = (maximum is None or _value(maximum[1]) == asked.highest) and not _UNIT.match(rest)
    if not (fits_scale and asked.lowest <= score <= asked.highest):
        said = f"{score:g}, which is not on the scale {asked.lowest}-{asked.highest}"
        return ParsedScore(None, f"outside: the reply states {said}")
    return ParsedScore(score)


def _without_lead(tail: str) -> str:
    lead = _LEAD.match(tail)
    return tail[lead.end() :] if lead else tail


def _value(number: str) -> float:
    digits = number if number[0].isdigit() else "-" + number[1:]
    return float(digits.replace(",", ".")) + 0.0  # + 0.0 makes -0 a plain 0
