"""What the report of one run says: values alone, every string a text and no HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from evaluator.results import MetricValue
from evaluator.robustness.group_results import PairResult, ResponseResult
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.robustness.comparison import ComparedItem, tally_words
from leaderboard.boards.robustness.items import flag_words
from leaderboard.parts.card_values import JudgeCardValue
from leaderboard.parts.columns import Column, text_of
from leaderboard.parts.item_values import PartValue
from leaderboard.parts.tables import Row
from leaderboard.parts.verdict_words import verdict_words
from leaderboard.parts.visible_text import visible
from submissions.schema import GATING_FLAGS, Flag
from submissions.store.queue import Ticket

WORST_PAIRS = 10
"""Pairs of answers that are shown with their texts."""
MOST_CHARACTERS = 2_000
"""Of one answer; the page of its item shows all of it."""
MOST_TAKEN = 200
"""Answers that the gate took and that are listed."""
FILE_GONE = "A file of the run is no longer at hand: its answers are left out."
RESULT_TITLE, MANIFEST_TITLE = "Result", "Make it anew"
"""Of the sections that say who is meant and where it stands."""
STOOD_HERE = "a later submission stands in the place of this run"
"""Why an older submission of a run is not ranked."""


class NoReport(ValueError):
    """Raised where there is no report to make; says of which run, and why."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    """The first cell of each names the row."""


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """One of two answers."""

    title: str
    prompt: str
    """Blank where none is known."""
    parts: Sequence[PartValue]
    """The answer in stretches; marked ones say why."""
    flags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two answers and what was found about them."""

    title: str
    said: Sequence[str]
    answers: Sequence[ShownAnswer]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under one heading."""

    title: str
    lines: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[ShownTable] = ()
    pairs: Sequence[ShownPair] = ()
    code: str = ""
    """A text to copy as it is."""


@dataclass(frozen=True, slots=True)
class ReportFigure:
    """One figure of the run's row."""

    label: str
    value: MetricValue
    other: MetricValue | None
    """Of the run it is compared with."""
    meaning: str


@dataclass(frozen=True, slots=True)
class TeamReport:
    """All of it; the same run gives the same report."""

    ticket: str
    title: str
    sections: Sequence[Section]
    latex: str
    bibtex: str
    manifest: str
    """JSON."""


# --- parts that the reports of all editions have ---------------------------------------------------------------------


def run_words(ticket: Ticket) -> str:
    """What a run is called: its system, team, model and run, as far as they are stated."""
    names = ticket.names
    stated = (names.system, names.team, names.model, names.run)
    return visible(" · ".join(name for name in stated if name) or ticket.file_name)


def head_section(rank: RankBand | None, note: str, lines: Sequence[str], figures: ShownTable) -> Section:
    """Where the run stands, and its figures."""
    place = f"Rank {text_of(rank, 'rank')} on the board." if rank else ""
    said = [place, f"{note[:1].upper()}{note[1:]}." if note else "", *lines]
    return Section(RESULT_TITLE, [line for line in said if line], tables=[figures])


def manifest_section(facts: Sequence[tuple[str, str]], command: str) -> Section:
    """What one must know to make the figures anew; the whole manifest is a file of the report."""
    return Section(
        MANIFEST_TITLE,
        ["With the submitted files and the manifest below:"],
        facts=[(name, visible(text)) for name, text in facts if text],
        code=command,
    )


def figures_of(columns: Iterable[Column[Row]], row: Row, other: Row | None) -> list[ReportFigure]:
    """The figures of a board's row, in its order; those without a value on it are left out."""
    figures = []
    for column in columns:
        value = column.value(row)
        if not isinstance(value, MetricValue) or value.value is None:
            continue
        beside = column.value(other) if other is not None else None
        figures.append(
            ReportFigure(column.label, value, beside if isinstance(beside, MetricValue) else None, column.tooltip)
        )
    return figures


def figures_table(figures: Sequence[ReportFigure], *, is_compared: bool) -> ShownTable:
    """Every figure with its interval, how much it rests on, and what it means."""
    heads = ["Figure", "This run", "n", *(["The other run"] if is_compared else []), "What it means"]
    rows = [
        [
            figure.label,
            text_of(figure.value, "interval"),
            f"{figure.value.n:,}",
            *([text_of(figure.other, "interval")] if is_compared else []),
            figure.meaning,
        ]
        for figure in figures
    ]
    return ShownTable(figures_title(figures), heads, rows)


def figures_title(figures: Sequence[ReportFigure]) -> str:
    """What a table of figures is called: of a program that scores a whole run at once no figure has an interval."""
    has_interval = any(figure.value.low is not None for figure in figures)
    return "Figures with 95 % intervals" if has_interval else "Figures"


def table_of(caption: str, columns: Iterable[Column[Row]], rows: Iterable[Row]) -> ShownTable:
    """Rows as the page shows them; columns that say nothing of any row are left out."""
    listed = list(rows)
    shown = [column for column in columns if any(column.text(row) for row in listed)]
    return ShownTable(
        caption,
        [column.label for column in shown],
        [[visible(column.text(row)) for column in shown] for row in listed],
    )


def gate_section(
    raw: MetricValue, gated: MetricValue, shares: tuple[MetricValue, MetricValue], taken: Sequence[Sequence[str]]
) -> Section:
    """What the relevance check took.

    Args:
        raw: The figure that the headline would be without the gate.
        gated: The headline.
        shares: Of the answers that are on topic, and of those that would pass against another question.
        taken: Every answer with a flag that takes its pairs: where it stands, and its flags.
    """
    on_topic, control = shares
    difference = None if raw.value is None or gated.value is None else gated.value - raw.value
    lines = [
        f"Before the relevance check {text_of(raw, 'interval')}, after it {text_of(gated, 'interval')}"
        + ("." if difference is None else f": {text_of(difference, 'signed')}."),
        f"Answers on topic {text_of(on_topic, 'interval')}; held against another question, as a control, "
        f"{text_of(control, 'interval')}.",
    ]
    if not taken:
        return Section("What the relevance check took", [*lines, "No answer carries a flag that takes its pairs."])
    more = len(taken) - MOST_TAKEN
    lines.append(f"Answers with a flag that takes every pair they are in: {len(taken):,}.")
    if more > 0:
        lines.append(f"The first {MOST_TAKEN} are listed; {more:,} more stand on the pages of their items.")
    table = ShownTable("Answers the relevance check took", ("Item", "Answer", "Flags"), taken[:MOST_TAKEN])
    return Section("What the relevance check took", lines, tables=[table])


def gating_words(flags: Iterable[Flag]) -> str:
    """The flags that take an answer's pairs, in words; blank for none.

    >>> gating_words(["off_topic", "echo"])
    'off topic, echo'
    """
    return ", ".join(flag_words(flag for flag in flags if flag in GATING_FLAGS))


def taken_answers(place: str, responses: Iterable[ResponseResult], named: Callable[[int], str]) -> list[list[str]]:
    """The answers of one group that the gate took, as lines of `gate_section`.

    Args:
        place: The item or question.
        named: What an answer is called, by the number of its variant.
    """
    return [
        [place, named(response.variant), words] for response in responses if (words := gating_words(response.flags))
    ]


def comparison_section(
    names: tuple[str, str],
    difference: MetricValue,
    items: Sequence[ComparedItem],
    units: tuple[str, str],
    notes: Sequence[str] = (),
) -> Section:
    """This run beside another one, unit by unit.

    Args:
        difference: This run minus the other, paired by unit, as the comparison on the page computes it.
        units: What n counts, one and several.
    """
    lines = [f"{verdict_words(difference, *names, units=units)}."]
    if items:
        lines.append(tally_words(items, *names, unit=units[0].capitalize()))
    rows = [
        [item.id, text_of(item.first, "decimal"), text_of(item.second, "decimal"), text_of(item.difference, "signed")]
        for item in items
    ]
    heads = (units[0].capitalize(), "This run", "The other run", "Difference")
    tables = [ShownTable(f"Every common {units[0]}, what speaks for this run on top", heads, rows)] if rows else []
    return Section(f"Beside {names[1]}", [*lines, *notes], tables=tables)


def card_section(card: JudgeCardValue, title: str) -> Section:
    """A judge card in print: its facts, its version, its notes, its agreement by kind."""
    facts = [*card["facts"], *card.get("version", [])]
    tables = [
        ShownTable(
            panel["title"],
            ("Kind", "Pairs", *panel["heads"]),
            [[line["name"], line["number"], *line["cells"]] for line in panel["lines"]],
        )
        for panel in card["quality"]
    ]
    context = [f"{card['context'][:1].upper()}{card['context'][1:]}."] if card["context"] else []
    explained = [panel["explanation"] for panel in card["quality"]]
    return Section(
        f"{title}: {card['title']}",
        [*context, *card["notes"], *explained],
        facts=[(fact["name"], visible(fact["text"])) for fact in facts if fact["text"]],
        tables=tables,
    )


def beginning(text: str) -> str:
    """As much of an answer as a report shows.

    >>> beginning("short"), beginning("ab" * 1_500)[-50:]
    ('short', ' [… the first 2,000 of 3,000 characters are shown]')
    """
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]} [… the first {MOST_CHARACTERS:,} of {len(text):,} characters are shown]"


def counted_score(pair: PairResult) -> float:
    """What a judged pair counts: gated, and raw where the gate is unknown."""
    return (pair.score or 0.0) if pair.gated is None else pair.gated
