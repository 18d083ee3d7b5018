"""What a shared link shows in a chat or a search: title, description and picture, made from the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leaderboard.page.links import CHART, address_of, link_of
from leaderboard.page.published_reports import PublishedReports
from leaderboard.page.registered import OpenBoard, RowItems
from leaderboard.page.state import JudgeReportState, PageState, first_table
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.chart import Chart
from leaderboard.parts.columns import NOT_AVAILABLE, Column
from leaderboard.parts.interval_bars import BarValue
from leaderboard.parts.tables import NULL_ROW
from leaderboard.parts.visible_text import shortened, visible
from leaderboard.site.link_reader import LinkReader
from leaderboard.site.page_register import name_of

SITE = "Plumbline"
PICTURE = "preview.png"
"""The path of the pictures."""
MOST_TITLE = 110
MOST_DESCRIPTION = 300
"""Characters; what shows previews cuts longer ones anywhere."""
MOST_LINES = 5
"""Rows that a picture of a board has."""
ABOUT_SITE = (
    "Leaderboards and a lab that measure whether language models, and the judges that score them, hold still when only "
    "the style or the order of the text changes."
)
_SAID = {
    "overview": ABOUT_SITE,
    "judge_report": "Drop a log of your judge and read how far its verdicts hold still: order, ties, length, repeats.",
    "lab": "Ask a question with and without preferences, and see whether the answer stays right and follows them.",
    "submit": "Check your file for free, then submit it. Nothing is public before you submit.",
    "mine": "Your own submissions: their state, their rows and what you can change.",
    "queue": "Which submissions are scored now, which wait, and how far they are.",
    "about": "How every figure is computed, with its formula, its source and its limits.",
}


@dataclass(frozen=True, slots=True)
class PictureLine:
    """One row of a picture: a name, its figure, and where the figure and its interval lie, from 0 to 1."""

    name: str
    figure: str
    at: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture says."""

    title: str
    context: str
    lines: tuple[PictureLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """What the head of a page says about its link."""

    title: str
    description: str
    address: str
    """Of the page, below that of the site; blank = the first page."""
    picture_address: str
    """Of its picture, below that of the site."""
    picture: Picture


class Previews:
    """Link -> its preview. Only what everybody reads on the board is in it: rows that are hidden or gone have none.

    Args:
        links: Read the query.
        boards: Every board, by key.
        reports: The judge reports that stand published.
    """

    def __init__(self, links: LinkReader, boards: Mapping[str, OpenBoard], reports: PublishedReports) -> None:
        self._links = links
        self._boards = boards
        self._reports = reports

    def of(self, tab: str, query: Mapping[str, str]) -> Preview:
        """Return the preview of a page's link, with the figures it shows."""
        state = self._links.read(query, tab).state
        board = self._boards.get(state.tab)
        if board is not None:
            charts = (*board.charts, *board.table.kind.charts)
            chart = next((chart for chart in charts if chart.key == query.get(CHART)), None)
            return _of_board(board, state, chart)
        if isinstance(state, JudgeReportState) and state.report:
            report = next((report for report in self._reports.standing() if report.id == state.report), None)
            if report is not None:
                title = f"{report.figures.judge} · judge report" if report.figures.judge else "Judge report"
                return _preview(state, title, report.stated, Picture(title, report.stated))
        if tab == PageState().tab:
            said = f"{ABOUT_SITE} {self._counted()}"
            return _preview(state, "", said, Picture(SITE, said))
        return general_preview(state.tab)

    def _counted(self) -> str:
        """Say how many boards have figures, and of how many rows."""
        counts = []
        for board in self._boards.values():
            table = board.table
            rows = table.all_rows(table.completed(table.state()))
            counts.append(sum(_stands(table.kind, row) for row in rows))
        return f"{sum(counts)} results on {sum(map(bool, counts))} boards."


def general_preview(tab: str) -> Preview:
    """Return the preview of a page without its figures, for when they take too long.

    >>> general_preview("queue").title, general_preview("overview").title
    ('Queue - Plumbline', 'Plumbline')
    """
    name = "" if tab == PageState().tab else name_of(tab)
    said = _SAID.get(tab, ABOUT_SITE)
    return _preview(PageState(tab=tab), name, said, Picture(name or SITE, said))


def _of_board(board: OpenBoard, state: Any, chart: Chart[Any] | None) -> Preview:
    table = board.table
    kind, name, caption = table.kind, name_of(state.tab), table.caption(state)
    rows = table.all_rows(state)
    opened = next((row for row in rows if row.id == state.opened_row), None) if state.opened_row else None
    if opened is not None:
        title = " · ".join(visible(text) for text in kind.title_of(opened))
        if board.items and (item := _item_figures(board.items, state)):
            named, figures = item
            called = f"{board.items.noun} {visible(named)}"
            said = f"{called} of {title}: {', '.join(f'{label} {text}' for label, text in figures)}. {caption}."
            lines = tuple(PictureLine(label, text) for label, text in figures[:MOST_LINES])
            return _preview(state, f"{called} · {title} - {name}", said, Picture(f"{called} · {title}", caption, lines))
        sentence = visible(kind.sentence(opened)) if _has_figure(kind, opened) else ""
        said = f"{sentence or f'{visible(kind.said_of(opened))}.'} {caption}."
        if chart is not None:
            picture = Picture(f"{chart.title} · {title}", caption, _lines(kind, [opened]))
            called = f"{chart.title} · {title} - {name}"
            return _of_chart(_preview(state, called, f"{said} {chart.explanation}", picture), chart.key)
        return _preview(state, f"{title} - {name}", said, Picture(title, f"{name}: {caption}", _lines(kind, [opened])))
    # By the headline, whatever the link sorts and filters by: ranked rows first, as on the board.
    by_headline = [row for row in table.rows(replace(state, table=first_table(kind))) if _stands(kind, row)]
    # Rows of a higher tier are not to be read beside the others.
    comparable = [row for row in by_headline if row.tier == by_headline[0].tier]
    shown = sorted(comparable, key=lambda row: not _is_ranked(kind, row))
    leaders, lines = _leaders(kind, shown) or table.empty(state), _lines(kind, shown[:MOST_LINES])
    if chart is not None:
        title, said = f"{chart.title} - {name}", f"{leaders} {caption}. {chart.explanation}"
        return _of_chart(_preview(state, title, said, Picture(f"{name}: {chart.title}", caption, lines)), chart.key)
    said = f"{kind.question or ABOUT_SITE} {leaders} {caption}."
    return _preview(state, name, said, Picture(name, caption, lines))


def _of_chart(preview: Preview, key: str) -> Preview:
    """The preview of a page with the chart in its addresses."""

    def led_there(address: str) -> str:
        return f"{address}{'&' if '?' in address else '?'}{CHART}={key}"

    return replace(preview, address=led_there(preview.address), picture_address=led_there(preview.picture_address))


def _item_figures(items: RowItems, state: Any) -> tuple[str, list[tuple[str, str]]] | None:
    """What the page calls the opened item, and its figures by their columns; None where the row has no such item.

    Of the figures numbers alone: what an item asks and what was answered may be hidden for as long as a season lasts.
    """
    item = items.opened(state)
    page = 1 if item else 0
    while page and (table := items.table(replace(state, table=replace(state.table, page=page)))):
        for row in table["rows"]:
            if row["id"] == item:
                heads = [(head["label"], "number" in head["style"].split()) for head in table["columns"]]
                cells = zip(heads, (cell["text"] for cell in row["cells"]), strict=True)
                figures = [
                    (label, text) for (label, is_number), text in cells if is_number and text not in ("", NOT_AVAILABLE)
                ]
                name = next(cell["text"] for cell in row["cells"] if cell["is_name"])
                return (name, figures) if figures else None
        page = table["next"]
    return None


def _preview(state: PageState, name: str, description: str, picture: Picture) -> Preview:
    # How the table is looked at changes nothing in the picture.
    bare = replace(state, table=type(state)().table)
    drawn = link_of(bare).removeprefix("?")
    title = shortened(visible(name), MOST_TITLE)
    return Preview(
        title=f"{title} - {SITE}" if title else SITE,
        description=_cut(visible(description)),
        address="" if (address := address_of(state)) == "./" else address.removeprefix("./"),
        picture_address=f"{PICTURE}?{drawn}" if drawn else PICTURE,
        picture=picture,
    )


def _cut(text: str) -> str:
    """A description of at most so many characters, cut after a word.

    >>> _cut("a b"), len(_cut("word " * 100)) <= MOST_DESCRIPTION
    ('a b', True)
    """
    text = " ".join(text.split())
    return text if len(text) <= MOST_DESCRIPTION else f"{text[: MOST_DESCRIPTION - 1].rpartition(' ')[0]}…"


def _headline(kind: BoardKind[Any]) -> Column[Any]:
    return next(column for column in kind.columns if column.key == kind.headline)


def _stands(kind: BoardKind[Any], row: Any) -> bool:
    """Has the row a figure, and is it no baseline?"""
    return row.style != NULL_ROW and _has_figure(kind, row)


def _has_figure(kind: BoardKind[Any], row: Any) -> bool:
    return _headline(kind).value_text(row) not in ("", NOT_AVAILABLE)


def _is_ranked(kind: BoardKind[Any], row: Any) -> bool:
    return bool(kind.rank and kind.rank.value(row))


def _leaders(kind: BoardKind[Any], rows: Sequence[Any]) -> str:
    """Who stands first, in a sentence; blank where nobody has a figure."""
    if not rows:
        return ""
    first, count, headline = rows[0], len(rows), _headline(kind)
    name = " · ".join(visible(text) for text in kind.title_of(first))
    place = f", rank {kind.rank.value_text(first)}" if kind.rank and _is_ranked(kind, first) else ""
    demonstration = " (demonstration)" if kind.is_example(first) else ""
    among = f"First of {count} {kind.nouns[1]}" if count > 1 else f"One {kind.nouns[0]}"
    return f"{among} by {headline.label}: {name}{demonstration}, {visible(headline.text(first))}{place}."


def _lines(kind: BoardKind[Any], rows: Sequence[Any]) -> tuple[PictureLine, ...]:
    headline = _headline(kind)
    return tuple(
        PictureLine(
            " · ".join(visible(text) for text in kind.title_of(row)),
            f"{headline.label} {headline.text(row)}" if len(rows) == 1 else headline.text(row),
            *_places(headline.bar(row)),
        )
        for row in rows
    )


def _places(bar: BarValue | None) -> tuple[float | None, float | None, float | None]:
    if bar is None:
        return None, None, None
    at, low, high = (float(place) if place else None for place in (bar["at"], bar["low"], bar["high"]))
    return at, low, high
