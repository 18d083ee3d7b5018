"""Reading the label of a written reply: one that every statement agrees on, or none, with the reason.

Only the reply is read, never the prompt, and nothing inside thoughts counts. A reply that was cut off is read only if
its label is complete (docs/judges.md#judges-that-write-before-they-decide).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.judges.protocol import Judgment, Rubric
from evaluator.judges.written.formats import Marks, ReplyFormat
from submissions.reading.normal_forms import normal_form
from submissions.verdicts.thoughts import without_thoughts

logger = logging.getLogger(__name__)

LONGEST_LOGGED_REPLY = 200

LONGEST_LABEL = 80
"""Characters behind an opening mark in which a label must stand, decoration included: bounds the work for each mark."""

_PLACEHOLDER = frozenset({"...", "\u2026"})
"""The label as the instruction shows it: a reply that repeats the instruction states nothing by it."""
_DECORATION = "[\\s:=*_\"'`()\\[\\]{}|\\\\]{0,20}"
_LABEL = re.compile(rf"{_DECORATION}([A-Za-z]{{1,2}}|\d{{1,3}})(?![^\W_])")
_LABEL_ALONE = re.compile(rf"{_LABEL.pattern}{_DECORATION}")
_OUT_OF = re.compile(rf"{_DECORATION}(?:[/\u2044]|out of\b){_DECORATION}(\d{{1,3}})(?![^\W_])(?![.,]\d)")
_GOES_ON = re.compile(
    rf"[.,]\d|%|{_DECORATION}(?:[-\u2010-\u2015\u2212/\u2044,&;]|\b(?:or|and|to|of)\b){_DECORATION}(?:[A-Z]\b|\d)"
)
"""A decimal, a share, or a second label: 3.5, 3-4, A or B."""
_IS_WORD = re.compile(r"[ \t]{1,20}[a-z]")
"""Behind a letter: the article of "A good answer", maybe, and no label."""


@dataclass(frozen=True, slots=True)
class ReadLabel:
    """What a reply says: a label, or the reason why it says none."""

    label: str | None
    reason: str | None = None
    """Starts with `none`, `ambiguous`, `thoughts` or `truncated`."""
    is_final: bool = False
    """Whether nothing that the judge could still write would make the reply readable."""


def read_reply(reply_format: ReplyFormat, reply: str, labels: Sequence[str], *, is_cut: bool = False) -> ReadLabel:
    """Return the label a reply states.

    Args:
        reply_format: The form that was asked for.
        reply: All of it, with what it begins with (`ReplyFormat.begins`).
        labels: Those of the rubric.
        is_cut: Whether the judge would have gone on writing.

    >>> from evaluator.judges.written.formats import format_named
    >>> read_reply(format_named("prometheus"), "Feedback: Both say nine. [RESULT] 5", "012345").label
    '5'
    >>> read_reply(format_named("thoughts"), "<think>Is it <answer>A</answer>?</think>", "AB").reason
    'none: the reply states no label after its thoughts'
    >>> read_reply(format_named("score"), "[[A]] is better than [[B]]", "ABC").reason
    'ambiguous: the reply states the labels A, B'
    """
    spoken = _outside_thoughts(reply_format.thoughts, reply, is_cut) if reply_format.thoughts else reply
    if isinstance(spoken, ReadLabel):
        return spoken
    said = without_thoughts(spoken)  # those a judge writes unasked, in whatever marks
    if said is None:
        return _unclosed(is_cut)
    stated: list[str] = []
    for text in _statements(reply_format.label, said):
        reading = _label_in(reply_format.label, text, labels, is_cut=is_cut)
        if reading.reason is not None:
            return reading
        stated += [reading.label] if reading.label is not None else []
    different = list(dict.fromkeys(stated))
    if len(different) > 1:
        return ReadLabel(None, f"ambiguous: the reply states the labels {', '.join(different)}", is_final=True)
    if different:
        return ReadLabel(different[0])
    if is_cut:
        return ReadLabel(None, "truncated: the reply was cut off before its label")
    where = " after its thoughts" if reply_format.thoughts else ""
    return ReadLabel(None, f"none: the reply states no label{where}")


def is_decided(reply_format: ReplyFormat, reply: str, labels: Sequence[str]) -> bool:
    """Whether a judge need not write on: the line with its label has ended, or the reply cannot be read any more.

    >>> from evaluator.judges.written.formats import format_named
    >>> [is_decided(format_named("score"), text, "AB") for text in ("Clear. [[A]]", "Clear. [[A]]\\n")]
    [False, True]
    """
    if not reply.endswith("\n"):
        return False
    reading = read_reply(reply_format, reply, labels)
    return reading.label is not None or reading.is_final


def read_judgment(
    reply_format: ReplyFormat, rubric: Rubric, reply: str, *, is_cut: bool, details: Mapping[str, float]
) -> Judgment:
    """Return the judgment that a reply states, with its text; it has no distribution, for nothing tells one."""
    reading = read_reply(reply_format, reply, rubric.labels, is_cut=is_cut)
    if reading.reason is not None:
        logger.info("unusable reply of the judge (%s): %r", reading.reason, reply[-LONGEST_LOGGED_REPLY:])
    rating = float(reading.label) if reading.label is not None and rubric.is_rating else None
    verdict = None if rubric.is_rating else reading.label
    return Judgment(rating, reason=reading.reason, details=dict(details), verdict=verdict, text=reply)


def has_marks(reply_format: ReplyFormat, text: str) -> bool:
    """Whether a text contains a mark of the format: a judge that quotes it may seem to have decided."""
    marks = [reply_format.label, *([reply_format.thoughts] if reply_format.thoughts else [])]
    return any(mark.casefold() in text.casefold() for each in marks for mark in (each.opening, each.closing) if mark)


def _outside_thoughts(marks: Marks, reply: str, is_cut: bool) -> str | ReadLabel:
    """What stands behind the one stretch of thoughts; or why there is not one."""
    either = re.compile(f"{re.escape(marks.opening)}|{re.escape(marks.closing)}", re.IGNORECASE)
    tags = list(either.finditer(reply))
    opens = [mark[0].casefold() == marks.opening.casefold() for mark in tags]
    if not tags:
        return ReadLabel(None, "thoughts: the reply has none")
    if not opens[0] or reply[: tags[0].start()].strip():
        return ReadLabel(None, "thoughts: the reply does not begin with them", is_final=True)
    if len(tags) == 1:
        return _unclosed(is_cut)
    if opens[1]:
        return ReadLabel(None, "thoughts: they are opened again before they are closed", is_final=True)
    if len(tags) > 2:
        again = "opened" if opens[2] else "closed"
        return ReadLabel(None, f"thoughts: they are {again} again after they were closed", is_final=True)
    return reply[tags[1].end() :]


def _unclosed(is_cut: bool) -> ReadLabel:
    return ReadLabel(None, "truncated: the thoughts were cut off" if is_cut else "thoughts: they are never closed")


def _statements(marks: Marks, text: str) -> list[str]:
    """What follows each opening mark, up to the next one."""
    _, *statements = re.split(re.escape(marks.opening), text, flags=re.IGNORECASE)
    return statements


def _label_in(marks: Marks, text: str, labels: Sequence[str], *, is_cut: bool) -> ReadLabel:
    """The label behind one opening mark: neither label nor reason where only the instruction is repeated."""
    if not marks.closing:
        return _leading_label(marks, text, labels, is_cut=is_cut)
    inside, closing, _ = _parted(text[:LONGEST_LABEL], marks.closing)
    if not closing:
        if is_cut and len(text) < LONGEST_LABEL:
            return ReadLabel(None, "truncated: the reply was cut off where its label stood")
        return _unreadable(marks, text, is_final=len(text) >= LONGEST_LABEL)
    if inside.strip() in _PLACEHOLDER:
        return ReadLabel(None)
    match = _LABEL_ALONE.fullmatch(_without_maximum(normal_form("NFKC", inside), labels))
    return ReadLabel(match[1]) if match and match[1] in labels else _unreadable(marks, inside)


def _leading_label(marks: Marks, text: str, labels: Sequence[str], *, is_cut: bool) -> ReadLabel:
    stated = normal_form("NFKC", text[:LONGEST_LABEL])
    match = _LABEL.match(stated)
    if is_cut and (not stated.strip() or (match and match.end() == len(stated))):
        return ReadLabel(None, "truncated: the reply was cut off where its label stood")
    if match is None or match[1] not in labels:
        return _unreadable(marks, stated, is_final=bool(stated.strip()))
    rest = stated[match.end() :].partition("\n")[0]
    maximum = _OUT_OF.match(rest)
    if maximum and maximum[1] == labels[-1]:
        rest = rest[maximum.end() :]
    goes_on = _GOES_ON.match(rest) or (match[1].isalpha() and _IS_WORD.match(rest))
    return _unreadable(marks, stated) if goes_on else ReadLabel(match[1])


def _parted(text: str, mark: str) -> tuple[str, str, str]:
    """As `str.partition`, in capitals or not."""
    match = re.search(re.escape(mark), text, re.IGNORECASE)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _without_maximum(inside: str, labels: Sequence[str]) -> str:
    """The label of "4/5" where 5 is the last one."""
    match = _LABEL.match(inside)
    maximum = match and _OUT_OF.match(inside, match.end())
    if match and maximum and maximum[1] == labels[-1]:
        return inside[: match.end()] + inside[maximum.end() :]
    return inside


def _unreadable(marks: Marks, text: str, *, is_final: bool = True) -> ReadLabel:
    said = " ".join(text[:LONGEST_LABEL].split())[:20]
    return ReadLabel(None, f"ambiguous: {said!r} behind {marks.opening} is not one label", is_final=is_final)
