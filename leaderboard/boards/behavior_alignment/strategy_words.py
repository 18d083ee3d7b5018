"""Strategies of recommenders in words; apart from the charts, since processes that check files show them, too."""

from __future__ import annotations


def strategy_words(label: str) -> str:
    """A label as people read it.

    >>> strategy_words("opinion_inquiry")
    'opinion inquiry'
    """
    return label.replace("_", " ")
