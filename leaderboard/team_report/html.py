"""The report as one HTML page that prints: every text escaped, files in it as links to save."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from html import escape

from evaluator.printing.page import printed_page
from leaderboard.team_report.report import Section, ShownAnswer, ShownPair, ShownTable, TeamReport

SHORT = 22
"""Characters of a cell that is not broken over lines: a figure with its interval."""

STYLE = """
td.short { white-space: nowrap }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem }
caption { text-align: left; font-weight: 600; padding: .8rem 0 .2rem }
thead th { border-bottom: 2px solid #888 }
pre { white-space: pre-wrap; background: #f4f4f4; padding: .7rem; font-size: 12px }
.answer { white-space: pre-wrap; border-left: 3px solid #bbb; padding-left: .7rem; margin: .3rem 0 1rem }
.prompt { white-space: pre-wrap; margin: .3rem 0 }
.pair { break-inside: avoid-page }
dl { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: .2rem 1rem; margin: .5rem 0 }
dt { color: #555 } dd { margin: 0 }
mark { background: #fff2b3; color: inherit }
@media (max-width: 600px) { td[data-head]::before { content: attr(data-head) ": "; color: #555 }
  td.short { white-space: normal }
  td[data-head]:empty { display: none } dl { display: block } dd { margin-bottom: .5rem } caption { display: block } }
"""


def report_html(report: TeamReport) -> str:
    """The whole report; the LaTeX table, BibTeX and the manifest can be saved from it."""
    return printed_page(report.title, [*sections_html(report.sections), *_files(report)], style=STYLE)


def sections_html(sections: Iterable[Section]) -> list[str]:
    """Stretches of HTML for a page with `STYLE`, every text in them escaped."""
    return [part for section in sections for part in _section(section)]


def _section(section: Section) -> Iterator[str]:
    yield f"<h2>{escape(section.title)}</h2>"
    yield from (f"<p>{escape(line)}</p>" for line in section.lines if line)
    if section.facts:
        yield "<dl>"
        yield from (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in section.facts)
        yield "</dl>"
    if section.code:
        yield f"<pre>{escape(section.code)}</pre>"
    for table in section.tables:
        yield from _table(table)
    for pair in section.pairs:
        yield from _pair(pair)


def _table(table: ShownTable) -> Iterator[str]:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in table.heads)
    yield f"<table><caption>{escape(table.caption)}</caption><thead><tr>{heads}</tr></thead><tbody>"
    for first, *others in table.rows:
        cells = "".join(_cell(head, cell) for head, cell in zip(table.heads[1:], others, strict=True))
        yield f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    yield "</tbody></table>"


def _cell(head: str, text: str) -> str:
    """A cell; on a phone, where rows are stacked, it says its own head."""
    kind = "number short" if len(text) <= SHORT else "number"
    return f'<td class="{kind}" data-head="{escape(head)}">{escape(text)}</td>'


def _pair(pair: ShownPair) -> Iterator[str]:
    yield f'<section class="pair"><h3>{escape(pair.title)}</h3>'
    if pair.said:
        yield f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in pair.said)}</ul>"
    for answer in pair.answers:
        yield from _answer(answer)
    yield "</section>"


def _answer(answer: ShownAnswer) -> Iterator[str]:
    flags = f" ({', '.join(answer.flags)})" if answer.flags else ""
    yield f"<p><strong>{escape(answer.title + flags)}</strong></p>"
    if answer.prompt:
        yield f'<div class="prompt quiet" dir="auto">{escape(answer.prompt)}</div>'
    marked = "".join(
        f'<mark title="{escape(part["mark"])}">{escape(part["text"])}</mark>' if part["mark"] else escape(part["text"])
        for part in answer.parts
    )
    yield f'<div class="answer" dir="auto">{marked}</div>'


def _files(report: TeamReport) -> Iterator[str]:
    yield "<h2>For a paper</h2><p>A table for LaTeX (booktabs, tabularx), and what to cite.</p>"
    yield f"<pre>{escape(report.latex)}</pre><pre>{escape(report.bibtex)}</pre><p>"
    files = (
        ("table.tex", "application/x-tex", report.latex),
        ("references.bib", "application/x-bibtex", report.bibtex),
        ("manifest.json", "application/json", report.manifest),
    )
    for name, kind, text in files:
        data = base64.b64encode(text.encode()).decode("ascii")
        yield f'<a download="{name}" href="data:{kind};base64,{data}">{name}</a> '
    yield "</p>"
