"""Letters that say the same to different people: "Dear Mr Hargreaves, the heating has failed", "Hi Joan, ...".

A set that asks for one letter to a landlord and for one to an old friend gets such answers from a system that is
consistent. To whom each is addressed was asked for and is no difference between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SALUTATION = re.compile(
    r"\s*(?:(?:my )?dear(?:est)?|hi|hello|hey|good (?:morning|afternoon|evening))(?P<named>(?: [\w'’.&-]+){0,6}?)"
    r"\s*[,!:–—]|\s*to whom it may concern\s*[,:.]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_NOBODY = frozenset(_WORD.findall("all and dear everyone madam miss mr mrs ms my or our sir sirs team the there to"))
"""Words of a salutation that name nobody."""


def without_salutations(first: str, second: str, prompts: Sequence[str]) -> tuple[str, str]:
    """Two answers without the salutations that open them, where the prompts ask for different addressees.

    That is so where a salutation names whom some prompts name and others do not. A name that no prompt has, or that all
    have, is left: there it may be a slip of the system.

    >>> asked = ["Tell Mr Hargreaves that it is cold.", "Tell my friend Joan that it is cold."]
    >>> without_salutations("Dear Mr Hargreaves, it is cold.", "Hi Joan! It is cold.", asked)
    ('it is cold.', 'It is cold.')
    >>> without_salutations("Dear Mr Hargreaves, it is cold.", "Hi Tom! It is cold.", asked)
    ('Dear Mr Hargreaves, it is cold.', 'Hi Tom! It is cold.')
    """
    opened = [_opened(text) for text in (first, second)]
    named = [names for names, _ in opened if names]
    if not named or not all(_asked_of_some(names, prompts) for names in named):
        return first, second
    (_, first_rest), (_, second_rest) = opened
    return (first_rest, second_rest) if first_rest and second_rest else (first, second)


def _opened(text: str) -> tuple[frozenset[str], str]:
    """(whom the salutation of a text names, the text behind it)"""
    salutation = _SALUTATION.match(text)
    if salutation is None:
        return frozenset(), text
    return _words(salutation["named"] or "") - _NOBODY, text[salutation.end() :].strip()


def _asked_of_some(names: frozenset[str], prompts: Sequence[str]) -> bool:
    naming = [names <= _words(prompt) for prompt in prompts]
    return any(naming) and not all(naming)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
