"""What is shown, as text to paste into a paper: Markdown, LaTeX and BibTeX, with what to cite."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboard.parts.board_kind import Paper
from leaderboard.parts.columns import Column
from leaderboard.parts.downloads import csv_text
from leaderboard.parts.tables import Row
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
    """Query of the view."""
    paper: Paper | None

    @property
    def sentence(self) -> str:
        """All of it in words, without the paper."""
        return ", ".join(
            part
            for part in (
                f"Plumbline {self.code}, {self.title} board",
                self.set,
                "1 row" if self.rows == 1 else f"{self.rows} rows",
                f"results up to {self.received}" if self.received else "",
                f"SHA-256 of the rows {self.digest}",
            )
            if part
        )


def version_of(
    rows: Sequence[Row],
    columns: Sequence[Column[Row]],
    all_columns: Sequence[Column[Row]],
    *,
    title: str,
    set_: str,
    link: str,
    paper: Paper | None,
) -> BoardVersion:
    """The version of the shown rows.

    Args:
        columns: those shown: the digest is of what is shown.
        all_columns: where the days of the rows are looked up.
    """
    values = (column.value(row) for column in all_columns if column.format == "day" for row in rows)
    days = [value.date().isoformat() for value in values if isinstance(value, datetime)]
    digest = hashlib.sha256(csv_text(rows, columns).encode()).hexdigest()[:DIGEST_LENGTH]
    return BoardVersion(title, set_, len(rows), VERSION, max(days, default=""), digest, link, paper)


# --- Markdown --------------------------------------------------------------------------------------------------------


def markdown_text(rows: Sequence[Row], columns: Sequence[Column[Row]], version: BoardVersion) -> str:
    """The rows as a Markdown table, numbers to the right, and what to cite below it."""
    lines = [
        _markdown_line(column.label for column in columns),
        "|" + "|".join(" ---: " if column.is_number else " --- " for column in columns) + "|",
        *(_markdown_line(column.text(row) for column in columns) for row in rows),
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
    return _MARKDOWN.sub(r"\\\1", _one_line(text))


# --- LaTeX -----------------------------------------------------------------------------------------------------------

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    **{character: f"\\{character}" for character in "&%$#_"},
    # Not \\{ and \\}: BibTeX counts them as braces all the same.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
}


def latex_escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    >>> latex_escaped("100% of $x_1$")
    '100\\% of \\$x\\_1\\$'
    """
    escaped = "".join(_LATEX.get(character, character) for character in _one_line(text))
    return escaped.replace("--", "-{}-")  # else set as one dash


def latex_text(rows: Sequence[Row], columns: Sequence[Column[Row]], version: BoardVersion) -> str:
    """The rows as a booktabs table whose caption says what to cite."""
    cited = f"{version.sentence}."
    reference = f" Measure:~\\cite{{{version.paper.key}}}." if version.paper else ""
    return "\n".join(
        [
            "% \\usepackage{booktabs}; XeLaTeX or LuaLaTeX sets names in any script",
            "\\begin{table}",
            f"\\caption{{{latex_escaped(cited)}{reference}}}",
            f"\\begin{{tabular}}{{{''.join('r' if column.is_number else 'l' for column in columns)}}}",
            "\\toprule",
            _latex_line([column.label for column in columns]),
            "\\midrule",
            *(_latex_line([column.text(row) for column in columns]) for row in rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def _latex_line(cells: Sequence[str]) -> str:
    # After \\ and \midrule a bracket or a star would be read as their argument: an empty group keeps them apart.
    return "{}" + " & ".join(latex_escaped(cell) for cell in cells) + r" \\"


# --- BibTeX ----------------------------------------------------------------------------------------------------------


def bibtex_text(version: BoardVersion) -> str:
    """This version of the board, and the paper its measure is from."""
    year = version.received[:4]
    note = f"{version.sentence}; view {version.link}"
    entry = _entry(
        "misc",
        f"plumbline-{version.title.lower()}-{version.digest}",
        {
            "title": f"{{Plumbline: {latex_escaped(version.title)} board, {latex_escaped(version.set)}}}",
            "year": year,
            "note": latex_escaped(note),
        },
    )
    return "\n".join([entry, paper_entry(version.paper)] if version.paper else [entry])


def paper_entry(paper: Paper) -> str:
    """The paper the measure of a board is from."""
    fields = {
        "author": paper.authors,
        "title": f"{{{latex_escaped(paper.title)}}}",
        "year": str(paper.year),
        "note": latex_escaped(paper.published),
    }
    return _entry("misc", paper.key, fields)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _cited(paper: Paper) -> str:
    authors = paper.authors.replace(" and others", " et al.")
    return f"{authors}, {paper.title}, {paper.year}, {paper.published}"


def _one_line(text: str) -> str:
    """Text without line breaks, tabs and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
