"""The report as text, and as one HTML page that prints: no scripts, nothing loaded, every text escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from evaluator.judge_report.biases import biases_sentence
from evaluator.judge_report.confusion import Confusion
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.published import PublishedFigures
from evaluator.judge_report.report import JudgeLogReport, LogReport
from evaluator.printing.page import printed_page
from submissions.reading.quoting import printable

NOT_SAID = "What this log cannot say, and what to record next time"
"""Stands above what a judge's figures leave out."""
JUDGED = "judge:"
"""Before what a column of a confusion counts."""
LABELLED = "people:"
"""Before what a row counts."""
INTERVALS = "Intervals are 95% over questions, or over clusters of questions where the log names them."
_STYLE = """
h3 { font-size: 1rem }
table.counts { width: auto }
table.counts tr > * { text-align: right; padding-left: .6rem }
table.counts tr > :first-child { text-align: left; padding-left: 0 }
@media (max-width: 600px) { .counts tr { display: table-row; padding: 0 } .counts thead { display: table-header-group }
  .counts td, .counts th { display: table-cell } }
"""
_NAME_CHARACTERS = 400
_TITLE_CHARACTERS = 1_000
"""A figure may name two systems."""
_SYSTEMS_SHOWN = 20
_COLUMNS_SHOWN = 200
_UNREAD_CHARACTERS = 4_000


def value_text(figure: Figure) -> str:
    """The value with its interval.

    >>> value_text(Figure("k", "t", 0.5, None, None, 3, "pairs", "m"))
    '0.500 (too few questions for an interval)'
    """
    if figure.value is None:
        return "n/a"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f} (too few questions for an interval)"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def sentence_of(judge: JudgeLogReport) -> str:
    """Return what a judge's figures say first: how far it agrees with labels where there are any, and how far its
    verdicts hold when the two answers swap places.

    A place is named only where the interval of the fairness leaves out 0; without an interval nothing is said of it.
    """
    name, by_key = shown_name(judge.judge), {figure.key: figure for figure in judge.figures}
    said = []
    # Labels that stand in the log may be anybody's.
    for key, whose in (("label_accuracy", "people"), ("accuracy", "the log's labels")):
        if figure := by_key.get(key):
            said.append(f"agrees with {whose} on {_percent(figure)} of {figure.n:,} {figure.of}")
    if figure := by_key.get("position_consistency"):
        same = f"gives the same verdict in both orders for {_percent(figure)} of {figure.n:,} pairs"
        said.append("; ".join([same, *_preference(by_key["preference_fairness"])]))
    if said:
        return f"{name} {', and '.join(said)}."
    if not judge.figures:
        return f"This log gives no figure of {name}."
    first = judge.figures[0]
    return f"{name}: {_title(first).lower()} {value_text(first)} of {first.n:,} {first.of}."


def _preference(fairness: Figure) -> Iterator[str]:
    if fairness.low is None or fairness.high is None:
        return
    if fairness.low <= 0 <= fairness.high:
        yield "it has no clear preference for a place"
    else:
        yield f"where it changes, it prefers the {'second' if fairness.low > 0 else 'first'} answer"


def _percent(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return f"{figure.value:.0%}" if figure.value is not None else "n/a"
    return f"{figure.value:.0%} [{100 * figure.low:.0f}, {100 * figure.high:.0f}]"


def report_text(report: LogReport) -> str:
    """The report for a terminal."""
    lines = [f"{shown_name(report.file)}: {report.title}", *unread_facts(report), *facts(report), ""]
    for judge in report.judges:
        lines += [f"{shown_name(judge.judge)}: {size(judge)}", f"  {sentence_of(judge)}"]
        for figure in judge.figures:
            lines.append(f"  {_title(figure)}: {value_text(figure)}, n {figure.n:,} {figure.of}")
            lines.append(f"    {figure.meaning}")
        for confusion in judge.confusions:
            lines += _confusion_lines(confusion)
        lines += [f"  Not said. {sentence}" for sentence in judge.missing]
        lines.append("")
    return "\n".join(lines)


def report_html(report: LogReport) -> str:
    """The report as one page of its own."""
    title = f"Judge report: {shown_name(report.file)}"
    body = [
        f"<p>{escape(report.title)}</p>",
        *(f"<p><strong>{escape(fact)}</strong></p>" for fact in unread_facts(report)),
        "<ul>",
        *(f"<li>{escape(fact)}</li>" for fact in facts(report)),
        "</ul>",
        *(part for judge in report.judges for part in _judge_html(judge)),
        f'<p class="quiet">{INTERVALS}</p>',
    ]
    return printed_page(title, body, style=_STYLE)


def published_html(published: PublishedFigures, stated: str) -> str:
    """A published report as one page of its own.

    Args:
        stated: Who published it and when, in a sentence.
    """
    body = [
        f"<p>{escape(stated)}</p><ul>",
        *(f"<li>{escape(fact)}</li>" for fact in published_facts(published)),
        "</ul>",
        *_judge_html(published.report),
        f'<p class="quiet">{INTERVALS}</p>',
    ]
    return printed_page(published_title(published), body, style=_STYLE)


def published_title(published: PublishedFigures) -> str:
    """`Judge report: gpt-4o on MT-bench`."""
    return f"Judge report: {shown_name(published.judge)} on {shown_name(published.data_set)}"


def published_facts(published: PublishedFigures) -> Iterator[str]:
    """What the figures rest on, and what their publisher states beside them."""
    yield (
        f"Log: {published.format}. Questions: {published.questions:,}, systems: {published.systems:,}, "
        f"{size(published.report)}"
    )
    if published.languages:
        yield f"Languages, as stated: {', '.join(published.languages)}"
    if published.price_usd is not None:
        yield f"Price of 1,000 verdicts, as stated: {published.price_usd:,.2f} US dollars"


def _judge_html(judge: JudgeLogReport) -> Iterator[str]:
    yield f"<h2>{escape(shown_name(judge.judge))}</h2><p><strong>{escape(sentence_of(judge))}</strong></p>"
    yield f"<p>{escape(size(judge))}</p>"
    yield "<table><thead><tr><th>Figure</th><th>Value</th><th>n</th><th>What it means</th></tr></thead><tbody>"
    for figure in judge.figures:
        cells = f'<th scope="row">{escape(_title(figure))}</th><td class="number">{escape(value_text(figure))}</td>'
        yield f"<tr>{cells}<td>{figure.n:,} {escape(figure.of)}</td><td>{escape(figure.meaning)}</td></tr>"
    yield "</tbody></table>"
    for confusion in judge.confusions:
        yield from _confusion_html(confusion)
    if judge.missing:
        yield f"<h3>{NOT_SAID}</h3><ul>"
        yield from (f"<li>{escape(sentence)}</li>" for sentence in judge.missing)
        yield "</ul>"


def _confusion_lines(confusion: Confusion) -> Iterator[str]:
    """A table of counts in columns of equal width."""
    heads = [f"{JUDGED} {name}" for name in confusion.classes]
    names = [f"{LABELLED} {name}" for name in confusion.classes]
    widths = [max(len(head), *(len(f"{row[place]:,}") for row in confusion.counts)) for place, head in enumerate(heads)]
    first = max(map(len, names))
    yield f"  {confusion_title(confusion)}, n {confusion.n:,} {confusion.of}"
    yield "    " + "  ".join([" " * first, *(head.rjust(width) for head, width in zip(heads, widths, strict=True))])
    for name, row in zip(names, confusion.counts, strict=True):
        cells = (f"{count:,}".rjust(width) for count, width in zip(row, widths, strict=True))
        yield "    " + "  ".join([name.ljust(first), *cells])
    yield f"    {confusion.meaning}"


def _confusion_html(confusion: Confusion) -> Iterator[str]:
    title = f"{escape(confusion_title(confusion))}, n {confusion.n:,} {escape(confusion.of)}"
    yield f'<h3>{title}</h3><table class="counts"><thead><tr><td></td>'
    yield from (f'<th scope="col">{JUDGED} {escape(name)}</th>' for name in confusion.classes)
    yield "</tr></thead><tbody>"
    for name, row in zip(confusion.classes, confusion.counts, strict=True):
        cells = "".join(f'<td class="number">{count:,}</td>' for count in row)
        yield f'<tr><th scope="row">{LABELLED} {escape(name)}</th>{cells}</tr>'
    yield f"</tbody></table><p>{escape(confusion.meaning)}</p>"


def confusion_title(confusion: Confusion) -> str:
    """What the table is of; the system that is shown first by its name, where only two are compared."""
    if not confusion.shown_first:
        return confusion.title
    return f"Shown first: {printable(confusion.shown_first, _NAME_CHARACTERS)}"


def facts(report: LogReport) -> Iterator[str]:
    """What was found in the file: sizes, systems, and how the format was read."""
    shown = ", ".join(shown_name(system) for system in report.systems[:_SYSTEMS_SHOWN])
    more = len(report.systems) - _SYSTEMS_SHOWN
    yield f"Questions: {report.questions:,}, judges: {len(report.judges):,}, systems: {len(report.systems):,}"
    yield f"Systems: {shown}" + (f" and {more:,} more" if more > 0 else "")
    yield from report.notes
    said = biases_sentence((shown_name(judge.judge), figure) for judge in report.judges for figure in judge.figures)
    if said:
        yield said


def unread_facts(report: LogReport) -> Iterator[str]:
    """What of the file no figure rests on; stands above everything else. Nothing where all of it was read."""
    if report.unread:
        parts = (f"{part.count:,} {part.what} (first: {part.first})" for part in report.unread)
        yield f"Not read: {printable('; '.join(parts), _UNREAD_CHARACTERS)}."
    if report.unknown_columns:
        named = list(report.unknown_columns.items())
        listed = ", ".join(f"{shown_name(name)} ({count:,})" for name, count in named[:_COLUMNS_SHOWN])
        more = len(named) - _COLUMNS_SHOWN
        yield (
            "Columns that were not used, with the number of records: "
            f"{listed}{f' and {more:,} more, which the JSON lists' if more > 0 else ''}"
        )


def size(judge: JudgeLogReport) -> str:
    """`20 comparisons, 8 ratings`: what a judge's figures rest on."""
    kinds = ((judge.comparisons, "comparisons"), (judge.ratings, "ratings"))
    return ", ".join(f"{count:,} {kind}" for count, kind in kinds if count)


def _title(figure: Figure) -> str:
    """The title with hidden characters of the names in it as escapes."""
    return printable(figure.title, _TITLE_CHARACTERS)


def shown_name(name: str) -> str:
    """A name as reports show it: hidden characters as escapes, and of bounded length."""
    return printable(name, _NAME_CHARACTERS)
