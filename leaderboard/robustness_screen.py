"""What the Robustness tab shows of a page state; no components, so that it is tested without a browser."""

from __future__ import annotations

from dataclasses import replace

from evaluator.results import Pin, RobustnessResult, View
from leaderboard.boards import Boards
from leaderboard.columns import ITEM_COLUMNS, ROBUSTNESS_COLUMNS, text_of
from leaderboard.downloads import csv_text, json_text
from leaderboard.judge_quality import JudgeQuality, published_quality
from leaderboard.links import SORT_KEYS, PageState, link_of
from leaderboard.notices import NoticeValue
from leaderboard.robustness_items import ItemValue, item_rows, item_value
from leaderboard.robustness_rows import BoardRow
from leaderboard.services import Services
from leaderboard.tables import Order, TableValue, column_of, matching, ordered, table_value
from submissions.queue import Ticket

VIEW_LABELS: dict[View, str] = {"english": "English", "all": "All languages"}


class RobustnessScreen:
    """Page state -> values of the tab's components."""

    def __init__(self, services: Services, boards: Boards) -> None:
        self._services = services
        self._boards = boards
        self._quality = published_quality()

    def set_titles(self) -> dict[str, str]:
        """Prompt sets one can choose: id -> title."""
        return self._services.set_titles()

    def completed(self, state: PageState) -> PageState:
        """The state with a prompt set: the first one with a team's entry, else the first one with any row."""
        if state.set:
            return state
        ids = list(self.set_titles())
        with_rows = [set_id for set_id in ids if self._boards.rows(set_id, state.view)]
        with_entries = [
            set_id for set_id in with_rows if any(row.role == "entry" for row in self._boards.rows(set_id, state.view))
        ]
        return replace(state, set=(with_entries or with_rows or ids)[0])

    def rows(self, state: PageState) -> list[BoardRow]:
        """The board's rows as shown: searched and sorted, all pages."""
        found = matching(self._boards.rows(state.set, state.view), state.search, ROBUSTNESS_COLUMNS)
        by_name = sorted(found, key=lambda row: (row.system, row.team, row.id))
        column = column_of(ROBUSTNESS_COLUMNS, state.sort)
        return ordered(by_name, column, descending=state.direction == "descending")

    def board_table(self, state: PageState) -> TableValue:
        """The board."""
        title = self.set_titles().get(state.set, state.set)
        return table_value(
            self.rows(state),
            ROBUSTNESS_COLUMNS,
            caption=f"{title}, {VIEW_LABELS[state.view]}: score 0-5 with 95% interval, higher is better",
            empty=self._why_empty(state),
            order=Order(state.sort, state.direction == "descending"),
            page=state.page,
        )

    def _why_empty(self, state: PageState) -> str:
        if state.search and self._boards.rows(state.set, state.view):
            return "No system, team or model matches the search. Clear the search, or press Reset."
        return "Nobody has been scored on this prompt set yet. Submit a file, or choose another prompt set."

    def csv(self, state: PageState) -> str:
        """The board as shown, all pages, as CSV."""
        return csv_text(self.rows(state), ROBUSTNESS_COLUMNS)

    def json(self, state: PageState) -> str:
        """The board as shown, all pages, as JSON."""
        about = {"board": "robustness", "prompt_set": state.set, "view": state.view, "link": link_of(state)}
        return json_text(self.rows(state), ROBUSTNESS_COLUMNS, about=about)

    def opened(self, state: PageState) -> tuple[Ticket, RobustnessResult] | None:
        """The opened row's ticket and result; None when it has none to show."""
        ticket = self._services.store.ticket(state.system) if state.system else None
        text = self._services.store.result(ticket.id) if ticket else None
        return (ticket, RobustnessResult.model_validate_json(text)) if ticket and text else None

    def system_notice(self, state: PageState) -> NoticeValue | None:
        """The head of the system view."""
        if not state.system:
            return None
        opened = self.opened(state)
        if opened is None:
            return {
                "kind": "warning",
                "title": "This submission has no result to show.",
                "lines": ["It was withdrawn, is still being judged, or the link is mistyped. The queue knows."],
                "link": link_of(PageState(tab="queue", ticket=state.system)),
                "link_text": "Look it up in the queue",
            }
        return _system_head(*opened, state.view, self._quality)

    def items_table(self, state: PageState) -> TableValue | None:
        """The opened row's items."""
        opened = self.opened(state)
        if opened is None:
            return None
        return table_value(
            item_rows(opened[1], state.view),
            ITEM_COLUMNS,
            caption=f"Items, {VIEW_LABELS[state.view]}: open one to read its answers and verdicts",
            empty="This view has no items.",
        )

    def item(self, state: PageState) -> ItemValue | None:
        """The opened item with its answers and verdicts."""
        opened = self.opened(state) if state.item else None
        if opened is None:
            return None
        ticket, result = opened
        found = next((item for item in result.items if item.id == state.item), None)
        if found is None:
            return None
        data = self._services.store.payload(ticket.file_sha256)
        report = self._services.desk.check(data, ticket.file_name, edition=ticket.edition, names=ticket.names)
        return item_value(found, state.view, report.submission, self._services.sets().get(ticket.set_id))


def _system_head(ticket: Ticket, result: RobustnessResult, view: View, quality: JudgeQuality | None) -> NoticeValue:
    shown = result.views[view]
    figures = shown.figures
    names = ticket.names
    lines = [
        f"Score {text_of(figures['pair_mean_gated'].mean, 'interval')}, raw "
        f"{text_of(figures['pair_mean'].mean, 'interval')}, worst pair "
        f"{text_of(figures['pair_worst_gated'].mean, 'interval')} ({VIEW_LABELS[view]}).",
        f"Prompt set {result.prompt_set.set_id}: {result.prompt_set.version}.",
        f"Judged by {pin_text(result.judge)}.",
    ]
    if quality and quality.judge == result.judge:
        lines.append(f"{quality.sentence[0].upper()}{quality.sentence[1:]}.")
    if result.order_gap.value is not None:
        lines.append(
            f"Position bias of the judge here: {text_of(result.order_gap, 'interval')} between the two orders."
        )
    if not shown.ranked:
        lines.append(f"Not ranked: {shown.reason or 'no headline score'}.")
    title = " · ".join(name for name in (names.system, names.team, names.model, names.run) if name)
    return {
        "kind": "plain",
        "title": title or ticket.file_name,
        "lines": lines,
        "link": link_of(PageState(tab="queue", ticket=ticket.id)),
        "link_text": "Its ticket",
    }


def pin_text(pin: Pin) -> str:
    """Exactly which judge: name, model, revision and prompt or calibration."""
    languages = "any language" if pin.languages is None else "reads " + ", ".join(pin.languages)
    return f"{pin.name} {pin.model}, revision {pin.revision[:12]}, {pin.prompt}, {languages}"


# What a visitor does to the page state. Values come from the browser: anything unknown changes nothing.


def sorted_by(state: PageState, key: object) -> PageState:
    """A click on a header: the column's natural direction first, then the other."""
    if not isinstance(key, str) or key not in SORT_KEYS:
        return state
    descending = column_of(ROBUSTNESS_COLUMNS, key).descends_first
    if state.sort == key:
        descending = state.direction == "ascending"
    return replace(state, sort=key, direction="descending" if descending else "ascending", page=1)


def turned_to(state: PageState, page: object) -> PageState:
    """A page of a long board."""
    return replace(state, page=page) if isinstance(page, int) and page > 0 else state


def opened_row(state: PageState, row: object) -> PageState:
    """A row of the board."""
    return replace(state, system=row, item="") if isinstance(row, str) else state


def opened_item(state: PageState, row: object) -> PageState:
    """An item of the opened row."""
    return replace(state, item=row) if isinstance(row, str) else state


def searched(state: PageState, text: str) -> PageState:
    """A new search begins on the first page."""
    return state if text == state.search else replace(state, search=text, page=1)


def reset(state: PageState) -> PageState:
    """The board as at first, of the same prompt set."""
    return PageState(set=state.set)
