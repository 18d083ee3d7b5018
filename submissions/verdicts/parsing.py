"""Reading a judge's free-text verdict on two answers: one unanimous token, or N with the reason.

Only the reply is parsed, never the prompt, and of a reply only what follows its thoughts. A search for "[[A]]" before
"[[B]]", or for the first match in an echoed rubric, would invent a preference for a place; so would guessing from words
(docs/position_bias.md#from-label-probabilities-and-texts).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from submissions.verdicts.swap_outcomes import Options, Verdict
from submissions.verdicts.thoughts import without_thoughts

VerdictFormat = Literal["brackets", "choice"]
"""`brackets`: [[A]], as MT-bench asks; `choice`: "Choice: A" or "选择：A", as DevBench asks."""

VerdictReason = Literal["none", "ambiguous", "not_allowed", "truncated", "api"]
"""Why a reply has no usable verdict: it states none; different ones; one that was not offered (D, or C with two
options); it was cut off before any, or in its thoughts; or the call itself failed."""

_TOKENS: dict[VerdictFormat, re.Pattern[str]] = {
    "brackets": re.compile(r"\[\[([A-D])\]\]"),
    "choice": re.compile(r"(?:选择：|Choice: )([A-D])(?![A-Za-z0-9])"),
}
_OFFERED: dict[Options, dict[str, Verdict]] = {2: {"A": "A", "B": "B"}, 3: {"A": "A", "B": "B", "C": "C"}}


@dataclass(frozen=True, slots=True)
class ParsedVerdict:
    """What a reply says in slot language."""

    verdict: Verdict
    reason: VerdictReason | None = None
    """Why the verdict is N."""


def parse_verdict(
    text: str | None,
    *,
    verdict_format: VerdictFormat = "brackets",
    options: Options = 3,
    finish_reason: str | None = None,
) -> ParsedVerdict:
    """The verdict a judge's reply states, if every token it contains says the same.

    Args:
        text: the reply; None when the call failed.
        verdict_format: how the prompt asked for the verdict.
        options: 2 (A, B) or 3 (A, B, C).
        finish_reason: as the server reports it; `length` = cut off.

    >>> parse_verdict("Both are fine, but the second is more precise. [[B]]")
    ParsedVerdict(verdict='B', reason=None)
    >>> parse_verdict("[[A]] is better than [[B]]").reason, parse_verdict("[[C]]", options=2).reason
    ('ambiguous', 'not_allowed')
    >>> parse_verdict("Choice: A", verdict_format="choice").verdict, parse_verdict(None).reason
    ('A', 'api')
    >>> parse_verdict("<think>Is it [[A]]?</think> [[B]]").verdict, parse_verdict("<think>Is it [[A]], or").reason
    ('B', 'truncated')
    """
    if text is None:
        return ParsedVerdict("N", "api")
    text = without_thoughts(text)
    if text is None:
        return ParsedVerdict("N", "truncated")
    stated = set(_TOKENS[verdict_format].findall(text))
    if not stated:
        return ParsedVerdict("N", "truncated" if finish_reason == "length" else "none")
    if len(stated) > 1:
        return ParsedVerdict("N", "ambiguous")
    verdict = _OFFERED[options].get(stated.pop())
    return ParsedVerdict("N", "not_allowed") if verdict is None else ParsedVerdict(verdict)
