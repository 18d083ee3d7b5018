"""Values of a short message; every string is shown as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NotRequired, TypedDict

from submissions.schema import Names
from submissions.store.queue import Ticket


class NoticeValue(TypedDict):
    """A message with a title, lines and at most one link."""

    kind: Literal["good", "warning", "bad", "plain"]
    title: str
    lines: list[str]
    link: str
    """Query of one of our own pages, or the address of a paper; blank for none."""
    link_text: str
    folded_title: NotRequired[str]
    folded: NotRequired[list[str]]
    """Lines for whoever asks for them, below a title of their own: how a figure was made, in every detail."""


class LineValue(TypedDict):
    """One line of text."""

    text: str


def notice(kind: Literal["good", "warning", "bad", "plain"], title: str, *lines: str) -> NoticeValue:
    """A message without a link."""
    return {"kind": kind, "title": title, "lines": list(lines), "link": "", "link_text": ""}


def sent_by(names: Names) -> str:
    """Whose run it is, as a sentence; blank where nothing says so.

    >>> sent_by(Names(team="Oslo", model="gpt-oss", run="2"))
    'Team Oslo, model gpt-oss, run 2.'
    """
    said = {"team": names.team, "model": names.model, "run": names.run}
    words = ", ".join(f"{what} {name}" for what, name in said.items() if name)
    return f"{words[0].upper()}{words[1:]}." if words else ""


def answers_words(ticket: Ticket) -> str:
    """When a run's answers become public, as a sentence; blank once they are."""
    if ticket.season is None or ticket.season.answers_from is None:
        return ""
    from_ = f"{ticket.season.answers_from:%Y-%m-%d %H:%M:%S %Z}".strip()
    return f"The answers of the season {ticket.season.title} are public from {from_}."


MADE_BY = "Exactly how this was scored"
"""Names what is folded at the head of a run: versions, fingerprints, what the judge is."""


def run_head(title: str, lines: Iterable[str], folded: Iterable[str], *, link: str) -> NoticeValue:
    """The head of an opened run: who it is and what it reached, and folded what made the figures.

    Args:
        lines: Blank ones are left out.
        folded: The same.
        link: To its submission record.
    """
    return {
        "kind": "plain",
        "title": title,
        "lines": [line for line in lines if line],
        "link": link,
        "link_text": "Submission record",
        "folded_title": MADE_BY,
        "folded": [line for line in folded if line],
    }
