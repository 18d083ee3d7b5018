"""Every page, in the order of the masthead: the Overview, the boards and the lab, the desk, About."""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.boards import registry
from leaderboard.lab.state import LabState
from leaderboard.page.links import readers_of
from leaderboard.page.state import AboutState, JudgeReportState, PageState, QueueState

MORE_BOARDS = "More boards"
"""The entry of boards that are looked at less often: it stands behind the lab."""
_DESK: dict[str, PageState] = {
    "Submit a file": PageState(tab="submit"),
    "My submissions": PageState(tab="mine"),
    "Queue": QueueState(),
}
_BELOW_BOARDS: dict[str, dict[str, PageState]] = {"Judges": {"Judge report": JudgeReportState()}}
"""Pages that share the entry of boards, after them."""
_BELOW = {name: state for states in _BELOW_BOARDS.values() for name, state in states.items()}
_OTHERS: tuple[PageState, ...] = (*_BELOW.values(), LabState(), *_DESK.values(), AboutState())


def pages() -> dict[str, PageState]:
    """Every page as at first, by its name in links."""
    states = (PageState(), *(board.state() for board in registry.BOARDS), *_OTHERS)
    return {state.tab: state for state in states}


def navigation() -> dict[str, tuple[str, ...]]:
    """Entries of the masthead: each leads to its first page, and is marked on all of its pages."""
    entries: dict[str, tuple[str, ...]] = {"Overview": (PageState().tab,)}
    for board in registry.BOARDS:
        entries[board.entry] = (*entries.get(board.entry, ()), board.key)
    for entry, states in _BELOW_BOARDS.items():
        entries[entry] = (*entries[entry], *(state.tab for state in states.values()))
    more = {MORE_BOARDS: entries.pop(MORE_BOARDS)} if MORE_BOARDS in entries else {}
    desk = tuple(state.tab for state in _DESK.values())
    return entries | {"Lab": (LabState().tab,)} | more | {"Submit": desk, "About": (AboutState().tab,)}


def beside(tab: str) -> dict[str, tuple[str, ...]]:
    """The pages that share an entry of the masthead with a page, itself included; empty where it has its own."""
    tabs = next((tabs for tabs in navigation().values() if tab in tabs), ())
    names = {board.key: board.name for board in registry.BOARDS}
    names |= {state.tab: name for name, state in (_BELOW | _DESK).items()}
    return {names[tab]: (tab,) for tab in tabs} if len(tabs) > 1 else {}


def name_of(tab: str) -> str:
    """Return what a page is called by itself: its board's title, else its entry of the masthead.

    >>> name_of("judges"), name_of("judge_report"), name_of("overview")
    ('Position bias', 'Judge report', 'Overview')
    """
    titles = {board.key: board.kind.title for board in registry.BOARDS}
    titles |= {state.tab: name for name, state in (_BELOW | _DESK).items()}
    return titles.get(tab) or next(entry for entry, tabs in navigation().items() if tab in tabs)


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
