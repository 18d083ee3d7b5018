"""Text as a database can keep it; apart from the tables, for processes that have no database."""

from __future__ import annotations


def storable(text: str) -> str:
    """The text as both databases can keep it.

    >>> storable("a\\x00b\\ud800")
    'a\ufffdb\ufffd'
    """
    without_nul = text.replace("\x00", "\ufffd")
    try:
        without_nul.encode()
    except UnicodeEncodeError:
        return without_nul.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return without_nul
