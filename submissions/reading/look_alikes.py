"""What texts look like, as Unicode decides it (UTS 39, "skeleton"), regardless of case and spaces.

The look-alikes are those that the package `confusable_homoglyphs` carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from submissions.reading.normal_forms import normal_form

_DIRECTION_MARKS = str.maketrans("", "", "\u200e\u200f")


def skeleton(name: str) -> str:
    """Equal for names that are drawn alike; not for people to read.

    >>> skeleton("Al"), skeleton("AI"), skeleton("ai")
    ('al', 'al', 'ai')
    """
    drawn = normal_form("NFKD", name).translate(prototypes())
    return " ".join(normal_form("NFKD", drawn.casefold()).split())


@cache
def prototypes() -> Mapping[int, str]:
    """Return character -> what it is drawn like, as `str.translate` takes it.

    The package keeps pairs, both ways round: one member of each is the prototype, which all its likes are paired with.
    """
    # Here: a megabyte of JSON.
    from confusable_homoglyphs.confusables import confusables_data

    likes = {
        text.translate(_DIRECTION_MARKS): [pair["c"].translate(_DIRECTION_MARKS) for pair in pairs]
        for text, pairs in confusables_data.items()
    }
    prototypes = {}
    for text, others in likes.items():
        if len(text) != 1 or len(others) != 1 or not others[0]:
            continue
        (other,) = others
        is_pair_of_two = len(likes.get(other, ())) == 1
        prototypes[ord(text)] = min(text, other) if is_pair_of_two and len(other) == 1 else other
    return prototypes
