"""Near copies: how closely one text stands inside another, letter by letter."""

from __future__ import annotations

from collections import defaultdict

MOST_CHARACTERS = 2000
"""Of either text that are compared: what makes a text a copy stands before that, and time stays bounded."""
MAX_CHANGED_SHARE = 0.1
"""Of a text's letters that may differ in a near copy: a letter in every second word of five."""


def nearest_distance(wanted: str, text: str) -> int:
    """The least number of letters to insert, delete or replace until some stretch of the text is the wanted one.

    Args:
        wanted: What is looked for; a blank one is everywhere.
        text: Where it is looked for.

    Returns:
        0 where the text holds it whole, at most its length.

    Source: Myers 1999, A fast bit-vector algorithm for approximate string matching based on dynamic programming (DOI
    10.1145/316542.316550), figure 4. A column of the table is two integers with a bit for each letter.

    >>> nearest_distance("two ships", "a tale of two ships"), nearest_distance("two ships", "a tale of tvo shiips")
    (0, 2)
    """
    if not wanted:
        return 0
    letters: defaultdict[str, int] = defaultdict(int)
    for place, letter in enumerate(wanted):
        letters[letter] |= 1 << place
    every, last = (1 << len(wanted)) - 1, 1 << (len(wanted) - 1)
    ups, downs = every, 0
    distance = nearest = len(wanted)
    for letter in text:
        matches = letters.get(letter, 0)
        straight = ((((matches & ups) + ups) ^ ups) | matches) & every
        rises = downs | (~(straight | ups) & every)
        falls = ups & straight
        distance += bool(rises & last) - bool(falls & last)
        nearest = min(nearest, distance)
        # A stretch may begin anywhere: nothing is carried into the first row.
        rises, falls = (rises << 1) & every, (falls << 1) & every
        matches |= downs
        ups = falls | (~(matches | rises) & every)
        downs = rises & matches
    return nearest


def is_near_copy(wanted: str, text: str) -> bool:
    """Does the text hold the wanted one, but for a tenth of its letters?

    >>> is_near_copy("it runs for two hours", "well it runz for two hours"), is_near_copy("it runs", "it walks")
    (True, False)
    """
    compared = wanted[:MOST_CHARACTERS]
    # The stretch may stand behind as much again.
    return nearest_distance(compared, text[: 2 * MOST_CHARACTERS]) <= MAX_CHANGED_SHARE * len(compared)
