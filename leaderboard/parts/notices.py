"""What a short message says; every string is shown as text."""

from __future__ import annotations

from typing import Literal, TypedDict


class NoticeValue(TypedDict):
    """A message with a title, lines and at most one link."""

    kind: Literal["good", "warning", "bad", "plain"]
    title: str
    lines: list[str]
    link: str
    """Query of one of our own pages, or the address of a paper; blank for none."""
    link_text: str


class LineValue(TypedDict):
    """One line of text."""

    text: str


def notice(kind: Literal["good", "warning", "bad", "plain"], title: str, *lines: str) -> NoticeValue:
    """A message without a link."""
    return {"kind": kind, "title": title, "lines": list(lines), "link": "", "link_text": ""}
