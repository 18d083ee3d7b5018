"""What the address of a page asks for."""

from __future__ import annotations

from urllib.parse import parse_qsl


def query_of(address: str) -> dict[str, str]:
    """The parameters of an address, with its page as the public link names it.

    >>> query_of("judges?judge=mini")
    {'tab': 'judges', 'judge': 'mini'}
    """
    page, _, query = address.partition("?")
    return {"tab": page, **dict(parse_qsl(query))}
