"""What a model thought aloud before its answer, and what follows it."""

from __future__ import annotations

import re

_THINK, _THINK_END = re.compile(r"<think(?:ing)?>", re.IGNORECASE), re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_OTHER_THOUGHTS = tuple(
    (re.compile(begins, re.IGNORECASE), re.compile(ends, re.IGNORECASE))
    for begins, ends in (
        (r"<(?:thinking|thought|thoughts|reasoning|seed:think)>", r"</(?:thinking|thoughts?|reasoning|seed:think)>"),
        (r"\[THINK\]", r"\[/THINK\]"),
        (r"◁think▷", r"◁/think▷"),
        (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
        (r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)", r"<\|channel\|>final<\|message\|>"),
    )
)
"""How thoughts begin and end in texts of Claude, Gemma, Seed-OSS, Magistral, Kimi, Sky-T1 and gpt-oss."""
_HARMONY_END = re.compile(r"<\|(?:return|end)\|>\s*\Z")


def without_thoughts(text: str) -> str | None:
    """What follows the thoughts; None where they never end.

    `<think>` counts wherever it stands; the marks of other models only where a text begins with them.

    >>> without_thoughts("<think>Paris?</think> Paris."), without_thoughts("<think>I should say Paris")
    ('Paris.', None)
    >>> without_thoughts("<seed:think>Paris?</seed:think>Paris."), without_thoughts("[THINK]Paris")
    ('Paris.', None)
    """
    for begins, ends in _OTHER_THOUGHTS:
        if begins.match(text.lstrip()):
            last = max((match.end() for match in ends.finditer(text)), default=None)
            return None if last is None else _HARMONY_END.sub("", text[last:]).strip()
    last = max((match.end() for match in _THINK_END.finditer(text)), default=0)
    return None if _THINK.search(text, last) else text[last:].strip()


def begins_with_thoughts(text: str) -> bool:
    """Return whether a text begins with the mark of a model's thoughts."""
    return any(begins.match(text.lstrip()) for begins, _ in _OTHER_THOUGHTS) or _THINK.match(text.lstrip()) is not None
