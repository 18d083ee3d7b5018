"""What is shown, as text to paste into a paper: Markdown, LaTeX and BibTeX, with what to cite."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from leaderboard.page.board_row import statistics_version_of
from leaderboard.page.latex import latex_escaped, latex_table, one_line, paper_columns, typeset
from leaderboard.parts.board_kind import Paper
from leaderboard.parts.columns import Column
from leaderboard.parts.downloads import csv_text
from leaderboard.parts.tables import NULL_ROW, Row
from submissions.version import VERSION

DIGEST_LENGTH = 16
"""Of the 64 hexadecimal digits of SHA-256: enough to tell versions apart, short enough for a footnote."""


@dataclass(frozen=True, slots=True)
class BoardVersion:
    """Which board was looked at, to the row."""

    title: str
    set: str
    rows: int
    code: str
    """Version of Plumbline."""
    received: str
    """Day of the newest row; blank where no row has one."""
    digest: str
    """Beginning of the SHA-256 of the shown rows as CSV."""
    link: str
    """Address of the view, or its query where nobody said where this site is."""
    paper: Paper | None
    judges: tuple[str, ...] = ()
    """Who gave the verdicts behind the headlines: names, models and revisions."""
    counted: str = ""
    """What the n of the headline counts; blank where it has none."""
    statistics: tuple[int, ...] = ()
    """Versions of the statistics that made the figures of the rows, lowest first."""

    @property
    def name(self) -> str:
        """The board and its set."""
        return ", ".join(filter(None, (f"{self.title} board", self.set)))

    @property
    def sentence(self) -> str:
        """All of it in words, without the paper."""
        return ", ".join(
            part
            for part in (
                f"Plumbline {self.code}, {self.title} board",
                _versions_text(self.statistics),
                self.set,
                "1 row" if self.rows == 1 else f"{self.rows} rows",
                f"results up to {self.received}" if self.received else "",
                f"SHA-256 of the rows {self.digest}",
            )
            if part
        )


def _versions_text(versions: Sequence[int]) -> str:
    """Versions of the statistics in words.

    >>> _versions_text([4]), _versions_text([3, 4]), _versions_text([])
    ('statistics version 4', 'statistics versions 3 and 4', '')
    """
    named = " and ".join(map(str, versions))
    return named and f"statistics version{'s' if len(versions) > 1 else ''} {named}"


def version_of(
    rows: Sequence[Row],
    columns: Sequence[Column[Row]],
    all_columns: Sequence[Column[Row]],
    *,
    title: str,
    set_: str,
    link: str,
    paper: Paper | None,
    judges: tuple[str, ...] = (),
    counted: str = "",
) -> BoardVersion:
    """The version of the shown rows.

    Args:
        columns: those shown: the digest is of what is shown.
        all_columns: where the days of the rows are looked up.
    """
    values = (column.value(row) for column in all_columns if column.format == "day" for row in rows)
    days = [value.date().isoformat() for value in values if isinstance(value, datetime)]
    digest = hashlib.sha256(csv_text(rows, columns).encode()).hexdigest()[:DIGEST_LENGTH]
    statistics = {version for row in rows if (version := statistics_version_of(row)) is not None}
    return BoardVersion(
        *(title, set_, len(rows), VERSION, max(days, default=""), digest, link, paper, judges, counted),
        statistics=tuple(sorted(statistics)),
    )


# --- Markdown --------------------------------------------------------------------------------------------------------


def markdown_text(rows: Sequence[Row], columns: Sequence[Column[Row]], version: BoardVersion) -> str:
    """The rows as a Markdown table, numbers to the right, and what to cite below it."""
    lines = [
        _markdown_line(column.label for column in columns),
        "|" + "|".join(" ---: " if column.is_number else " --- " for column in columns) + "|",
        *(_markdown_line(column.text_beside_name(row) for column in columns) for row in rows),
    ]
    cited = [markdown_escaped(f"{version.sentence}.")]
    if version.paper:
        cited.append(markdown_escaped(f"Measure: {_cited(version.paper)}."))
    return "\n".join([*lines, "", *cited]) + "\n"


def _markdown_line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(markdown_escaped(cell) for cell in cells) + " |"


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~$&!^])")
"""Every character that may mean something in Markdown, in HTML inside it, or in mathematics."""


def markdown_escaped(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> markdown_escaped("a|b <i> 3.7 [3.1, 4.2]")
    'a\\|b \\<i\\> 3.7 \\[3.1, 4.2\\]'
    """
    return _MARKDOWN.sub(r"\\\1", one_line(text))


# --- LaTeX -----------------------------------------------------------------------------------------------------------


def latex_text(
    rows: Sequence[Row],
    columns: Sequence[Column[Row]],
    version: BoardVersion,
    headline: str,
    today: date,
    group: Callable[[Row], str] | None = None,
) -> str:
    """The rows as a booktabs table that fits one column of two; the note below says what it is of, to the row.

    Baselines are left out where any other row is there; the note counts them.

    Args:
        columns: Those shown: print takes rank, name, headline and n, and what else of them still fits.
        headline: Key of the board's headline.
        group: The heading that a row stands under, blank = none; None = the board has no headings.
    """
    reference = f" Measure:~\\cite{{{version.paper.key}}}." if version.paper else ""
    kept = [row for row in rows if row.style != NULL_ROW] or rows
    left_out = len(rows) - len(kept)
    printed = paper_columns(kept, columns, headline)
    groups = [group(row) if group else "" for row in kept]
    headings = {place: said for place, said in enumerate(groups) if said and said != (["", *groups])[place]}
    has_n = any(column.label == "n" for column in printed)
    notes = [
        f"{version.sentence}, read {today.isoformat()}.",
        *([f"Without {left_out} {'baseline' if left_out == 1 else 'baselines'}."] if left_out else []),
        *([f"Judge: {'; '.join(version.judges)}."] if version.judges else []),
        *([f"n counts {version.counted}."] if has_n and version.counted else []),
    ]
    return latex_table(
        printed,
        caption=f"{typeset(version.name)}.{reference}",
        label=f"tab:plumbline-{_key(version.title)}-{version.digest}",
        notes=notes,
        headings=headings,
    )


# --- BibTeX ----------------------------------------------------------------------------------------------------------


def bibtex_text(version: BoardVersion, today: date) -> str:
    """This view of the board, when it was read, and the paper its measure is from."""
    entry = bibtex_entry(
        f"plumbline-{_key(version.title)}-{version.digest}",
        {
            "title": f"{{Plumbline: {latex_escaped(version.name)}}}",
            "year": version.received[:4] or str(today.year),
            "url": "" if version.link.startswith("?") else _url(version.link),
            "urldate": today.isoformat(),
            "note": latex_escaped(f"{version.sentence}; view {version.link}, read {today.isoformat()}"),
        },
    )
    return "\n".join([entry, paper_entry(version.paper)] if version.paper else [entry])


def citation_text(version: BoardVersion, today: date) -> str:
    """This view of the board in one line, for those who write without BibTeX."""
    return f"{version.sentence}. {version.link} (read {today.isoformat()})."


def paper_entry(paper: Paper) -> str:
    """The paper the measure of a board is from."""
    fields = {
        "author": paper.authors,
        "title": f"{{{latex_escaped(paper.title)}}}",
        "year": str(paper.year),
        "note": latex_escaped(paper.published),
    }
    return bibtex_entry(paper.key, fields)


def bibtex_entry(key: str, fields: dict[str, str]) -> str:
    """An entry of kind `misc`; fields are as BibTeX reads them, blank ones are left out."""
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _cited(paper: Paper) -> str:
    authors = paper.authors.replace(" and others", " et al.")
    return f"{authors}, {paper.title}, {paper.year}, {paper.published}"


def _key(title: str) -> str:
    """A title in what keys of BibTeX and labels of LaTeX may hold."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _url(link: str) -> str:
    """An address as it is, but for what would end the field."""
    return link.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")
