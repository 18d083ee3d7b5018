"""Every page, in the order of the masthead: the Overview, the boards, the lab, the desk."""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.boards import registry
from leaderboard.lab.state import LabState
from leaderboard.page.links import readers_of
from leaderboard.page.state import AboutState, PageState, QueueState

_OTHERS: dict[str, PageState] = {
    "Preference lab": LabState(),
    "Submit": PageState(tab="submit"),
    "Queue": QueueState(),
    "About": AboutState(),
}


def pages() -> dict[str, PageState]:
    """Every page as at first, by its name in links."""
    states = (PageState(), *(board.state() for board in registry.BOARDS), *_OTHERS.values())
    return {state.tab: state for state in states}


def navigation() -> dict[str, tuple[str, ...]]:
    """Entries of the masthead: each leads to its first page, and is marked on all of its pages."""
    entries: dict[str, tuple[str, ...]] = {"Overview": (PageState().tab,)}
    for board in registry.BOARDS:
        entries[board.entry] = (*entries.get(board.entry, ()), board.key)
    return entries | {entry: (state.tab,) for entry, state in _OTHERS.items()}


def page_of(query: Mapping[str, str]) -> str:
    """The page that a public link opens: the one it names, else the one that it says something about.

    >>> page_of({"tab": "judges"}), page_of({"ticket": "7f3a"}), page_of({"set": "demonstration"}), page_of({})
    ('judges', 'queue', 'robustness', 'overview')
    >>> page_of({"tab": "nowhere"}), page_of({"utm_source": "mail"})
    ('robustness', 'overview')
    """
    known, named = pages(), query.get("tab")
    if named in known:
        return str(named)
    if "ticket" in query:
        return QueueState().tab
    unnamed = next(board for board in registry.BOARDS if not board.state.is_named)
    names = {"tab", *(name for state in known.values() for name in readers_of(type(state)))}
    return unnamed.key if names & query.keys() else PageState().tab
