"""What is shown, as a LaTeX table of a paper: booktabs, at most six columns, never wider than a column of two."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Generic

from evaluator.results import MetricValue
from leaderboard.parts.columns import Column
from leaderboard.parts.tables import Row
from submissions.reading.normal_forms import normal_form

MOST_EXTRA = 2
"""Columns beside rank, name, headline and n."""
COLUMN_POINTS = 200.0
"""Of an article in two columns at 10 pt; the styles of ACL, EMNLP and NeurIPS leave more."""
GAP_POINTS = 5.0
"""Between two columns."""
TEXT_POINTS = 46.0
"""The least that a column of wrapped text gets."""
MOST_CHARACTERS = 100
"""Longer names are shortened, and stand in full below the table; others wrap."""
_KEPT_CHARACTERS = (60, 30)
"""Of a shortened name, at its beginning and at its end: versions and sizes stand at the end."""
LONGEST_STRETCH = 9
"""Characters of a name that are never broken over lines, unless they are a word."""
LONGEST_WORD = 15
"""Letters in a row that are taken for a word, which LaTeX hyphenates itself."""
CLOSING = ",.;:!?)]"

PREAMBLE = "\\usepackage{booktabs,tabularx}"
"""What a paper has to load; both come with every LaTeX."""

_ASCII = {
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

_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
}
"""Combining characters that every encoding of LaTeX can set on a Latin letter."""

_LETTERS = {
    '"': r"\symbol{34}",  # \textquotedbl is no character of the encoding that LaTeX starts with
    **{"ß": r"\ss{}", "ø": r"\o{}", "Ø": r"\O{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}"},
    **{"ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}"},
    **{"‘": "`", "’": "'", "“": "``", "”": "''", "–": "--", "—": "---", "…": r"\ldots{}", "§": r"\S{}"},
    **{"·": r"\textperiodcentered{}", "•": r"\textbullet{}", "°": r"\textdegree{}", "←": r"\textleftarrow{}"},
    **{"→": r"\textrightarrow{}", "±": r"\ensuremath{\pm}", "×": r"\ensuremath{\times}"},
    **{"−": r"\ensuremath{-}", "≤": r"\ensuremath{\leq}", "≥": r"\ensuremath{\geq}", "≈": r"\ensuremath{\approx}"},
}

OTHER_SCRIPT = "\\providecommand{\\otherscript}[2]{\\ifdefined\\Umathcode#1\\else#2\\fi}"
"""Defines what sets other than Latin letters."""
SCRIPTS = (
    "% Other scripts: XeLaTeX and LuaLaTeX set them in a font that has them; pdfLaTeX shows their code points.\n"
    f"{OTHER_SCRIPT}"
)
"""What a table with other than Latin letters begins with."""


def one_line(text: str) -> str:
    """Text without line breaks, tabs and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def latex_escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is, in a font that has its letters; BibTeX reads the braces as balanced.

    >>> latex_escaped("100% of $x_1$")
    '100\\% of \\$x\\_1\\$'
    """
    escaped = "".join(_ASCII.get(character, character) for character in one_line(text))
    return escaped.replace("--", "-{}-")  # else set as one dash


def typeset(text: str) -> str:
    r"""Text as ASCII that every LaTeX sets, without any package; long words may be broken over lines.

    >>> typeset("Žižek & co"), typeset("模型 7B")
    ('\\v{Z}i\\v{z}ek \\& co', '\\otherscript{模}{[U+6A21]}\\allowbreak{}\\otherscript{型}{[U+578B]} 7B')
    """
    return " ".join(_word(word) for word in one_line(text).split())


def _word(word: str) -> str:
    parts: list[str] = []
    stretch = 0
    for is_natural, clusters in _stretches(_clusters(word)):
        if is_natural:
            if parts and stretch + len(clusters) > LONGEST_STRETCH:
                parts.append(r"\allowbreak{}")
                stretch = 0
            parts += map(_cluster, clusters)
            stretch += len(clusters)
            continue
        for place, cluster in enumerate(clusters):
            set_ = _cluster(cluster)
            if place == 0 and parts and cluster in CLOSING:
                parts.append(set_)  # no line begins with the comma behind a word
                stretch += 1
                continue
            is_other = set_.startswith(r"\otherscript")
            if parts and (stretch >= LONGEST_STRETCH or is_other):
                parts.append(r"\allowbreak{}")
                stretch = 0
            is_second_hyphen = cluster == "-" and parts and parts[-1].endswith("-")
            parts.append("{}-" if is_second_hyphen else set_)  # two would be set as one dash
            if is_other or cluster in "/_:&=?":
                stretch = LONGEST_STRETCH
            elif cluster == "-":
                stretch = 0  # behind a hyphen LaTeX itself breaks the line
            else:
                stretch += 1
    return "".join(parts)


def _stretches(clusters: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """Cut a name into words of Latin letters, which are not broken by us, and what stands between them."""
    for is_letters, group in groupby(clusters, key=_is_letter):
        stretch = list(group)
        yield is_letters and len(stretch) <= LONGEST_WORD, stretch


def _is_letter(cluster: str) -> bool:
    return cluster[0].isalpha() and not _cluster(cluster).startswith(r"\otherscript")


def _clusters(word: str) -> list[str]:
    """Letters with the combining characters behind them."""
    clusters: list[str] = []
    for character in unicodedata.normalize("NFD", normal_form("NFC", word)):
        if clusters and unicodedata.combining(character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _cluster(cluster: str) -> str:
    letter, marks = cluster[0], cluster[1:]
    base = _LETTERS.get(letter) or (_ASCII.get(letter, letter) if letter.isascii() else "")
    if not base or any(mark not in _ACCENTS for mark in marks):
        whole = unicodedata.normalize("NFC", cluster)
        return f"\\otherscript{{{whole}}}{{[{' '.join(f'U+{ord(character):04X}' for character in whole)}]}}"
    for mark in marks:
        base = f"\\{_ACCENTS[mark]}{{{base}}}"
    return base


# --- Which columns ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PaperColumn(Generic[Row]):
    """One column of the printed table."""

    label: str
    cells: Sequence[str]
    """As people read them, in the order of the rows."""
    is_number: bool

    @property
    def points(self) -> float:
        """Room it needs: that of its widest cell or word of its head; text is wrapped."""
        if not self.is_number:
            return TEXT_POINTS
        return max((_points(text) for text in (*self.cells, *self.label.split())), default=0.0)


def _points(text: str) -> float:
    """About how wide a text is at 8 pt, rather too wide than too narrow."""
    return sum(2.8 if c in " .,;:[]()|!il'" else 6.8 if c.isupper() or c in "mw%+=" else 4.5 for c in text)


def paper_columns(rows: Sequence[Row], columns: Sequence[Column[Row]], headline: str) -> tuple[PaperColumn[Row], ...]:
    """The columns that go to print: rank, name, headline and its n, and at most two more that still fit.

    Args:
        columns: What the view shows, in its order: the first that fit are taken.
        headline: Key of the board's headline.
    """
    name = next(column for column in columns if column.is_name)
    rank = [column for column in columns if column.format == "rank"][:1]
    score = [column for column in columns if column.key == headline and not column.is_name]
    taken = [printed(column, rows) for column in (*rank, name, *score)]
    if score and (counts := _counts(rows, score[0])):
        taken.append(PaperColumn("n", counts, True))
    held = {column.key for column in (*rank, name, *score)}
    others = [column for column in columns if column.key not in held and (column.is_number or column.is_searched)]
    labels = {column.label for column in taken}  # a board with a column n of its own says it once
    extra = 0
    for column in others:
        if column.label in labels:
            continue
        wider = [*taken, printed(column, rows)]
        if any(other.label == "n" and other.cells == wider[-1].cells for other in taken):
            continue  # the same count by another name
        if extra < MOST_EXTRA and any(wider[-1].cells) and _needed(wider) <= COLUMN_POINTS:
            taken, extra = wider, extra + 1
    return tuple(taken)


def printed(column: Column[Row], rows: Sequence[Row]) -> PaperColumn[Row]:
    """A column of the page in print, with its remarks where it is text."""
    return PaperColumn(
        column.label,
        [column.value_text(row) if column.is_number else column.text(row) for row in rows],
        column.is_number,
    )


def _counts(rows: Sequence[Row], column: Column[Row]) -> list[str]:
    """How much every row's headline rests on; empty where no row says it."""
    values = [column.value(row) for row in rows]
    counts = [str(value.n) if isinstance(value, MetricValue) and value.value is not None else "" for value in values]
    return counts if any(counts) else []


def _needed(columns: Sequence[PaperColumn[Row]]) -> float:
    return sum(column.points for column in columns) + GAP_POINTS * (len(columns) - 1)


# --- The table --------------------------------------------------------------------------------------------------------


def latex_table(
    columns: Sequence[PaperColumn[Row]],
    *,
    caption: str,
    label: str,
    notes: Iterable[str],
    headings: Mapping[int, str] | None = None,
) -> str:
    """A float that is as wide as its column.

    Args:
        caption: As LaTeX reads it.
        label: What \\ref names it by, of letters, digits, colons and hyphens.
        notes: Below the table, in words.
        headings: Place of a row -> what stands above it over all columns, in words.
    """
    legend: dict[str, int] = {}
    said = headings or {}
    body = [
        " & ".join(_cell(cell, column, legend) for cell, column in zip(cells, columns, strict=True))
        for cells in zip(*(column.cells for column in columns), strict=True)
    ]
    below = [typeset(note) for note in notes]
    below += [f"\\textsuperscript{{{number}}}~{typeset(name)}." for name, number in legend.items()]
    lines = [
        "\\begin{table}",
        "\\footnotesize",
        f"\\setlength{{\\tabcolsep}}{{{GAP_POINTS / 2}pt}}",
        f"\\caption{{{caption}}}",
        f"\\label{{{label}}}",
        f"\\begin{{tabularx}}{{\\columnwidth}}{{@{{}}{''.join(_kind(column) for column in columns)}@{{}}}}",
        "\\toprule",
        " & ".join(_head(column) for column in columns) + r" \\",
        "\\midrule",
        # After \\ and \midrule a bracket or a star would be read as their argument: an empty group keeps them apart.
        *(
            line
            for place, row in enumerate(body)
            for line in (*_heading(said.get(place, ""), columns), f"{{}}{row} \\\\")
        ),
        "\\bottomrule",
        "\\end{tabularx}",
        "\\par\\vspace{2pt}\\raggedright",
        "\\par\n".join(below),
        "\\end{table}",
        "",
    ]
    text = "\n".join(lines)
    begin = [f"% {PREAMBLE}", *([SCRIPTS] if r"\otherscript" in text else [])]
    return "\n".join([*begin, text])


def _heading(said: str, columns: Sequence[PaperColumn[Row]]) -> list[str]:
    cell = rf"\multicolumn{{{len(columns)}}}{{@{{}}p{{\columnwidth}}@{{}}}}{{\itshape {typeset(said)}}} \\"
    return ["\\midrule", cell] if said else []


def _kind(column: PaperColumn[Row]) -> str:
    return "r" if column.is_number else r">{\raggedright\arraybackslash}X"


def _cell(text: str, column: PaperColumn[Row], legend: dict[str, int]) -> str:
    name = one_line(text)
    if column.is_number:
        return latex_escaped(name)
    if len(name) <= MOST_CHARACTERS:
        return typeset(name)
    first, last = _KEPT_CHARACTERS
    number = legend.setdefault(name, len(legend) + 1)
    return f"{typeset(f'{name[:first]}…{name[-last:]}')}\\textsuperscript{{{number}}}"


def _head(column: PaperColumn[Row]) -> str:
    """The label; that of a number is stacked word by word where it is wider than its column."""
    words = column.label.split()
    if not column.is_number or _points(column.label) <= column.points or len(words) < 2:
        return typeset(column.label)
    lines = [words[0]]
    for word in words[1:]:
        longer = f"{lines[-1]} {word}"
        lines[-1:] = [longer] if _points(longer) <= column.points else [lines[-1], word]
    stacked = r" \\ ".join(map(latex_escaped, lines))
    return f"\\begin{{tabular}}[b]{{@{{}}r@{{}}}}{stacked}\\end{{tabular}}"
