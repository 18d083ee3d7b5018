"""The reports of runs of 2025 and 2026."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evaluator.results import Pin
from evaluator.robustness.edition_results import (
    CONSISTENCY_HEADLINE,
    CULTURAL_HEADLINE,
    ConsistencyResult,
    CulturalResult,
)
from evaluator.statistics.intervals import paired_difference
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.editions.columns import CONSISTENCY_COLUMNS, CULTURAL_COLUMNS
from leaderboard.boards.editions.kinds import CONSISTENCY, CULTURAL
from leaderboard.boards.editions.manifest import edition_command, edition_manifest_text
from leaderboard.boards.editions.rows import EDITION_BOARDS, EditionRow, ScoredEdition, edition_rows
from leaderboard.boards.robustness.comparison import ComparedItem, system_name
from leaderboard.page.answer_card import answer_card
from leaderboard.page.judge_card import card_of_pin
from leaderboard.page.language_quality import is_measured, languages_card
from leaderboard.page.registered import BoardTools
from leaderboard.parts.card_values import JudgeCardValue
from leaderboard.parts.verdict_words import planned_words
from leaderboard.team_report.edition_2025 import parts_2025
from leaderboard.team_report.edition_2026 import parts_2026
from leaderboard.team_report.latex import figures_latex, run_bibtex
from leaderboard.team_report.report import (
    STOOD_HERE,
    NoReport,
    Section,
    TeamReport,
    card_section,
    comparison_section,
    figures_of,
    figures_table,
    head_section,
    manifest_section,
    run_words,
)


def edition_report(tools: BoardTools, ticket_id: str, against: str = "") -> TeamReport:
    """The report of a run of 2025 or 2026, beside another run of its edition, if one is named.

    Raises:
        NoReport: the run has no result to show, or cannot be compared with the other one.
    """
    boards = tools.shared(EditionBoards.of)
    run = boards.run(ticket_id)
    text = tools.services.store.result(ticket_id) if run else None
    if run is None or text is None:
        raise NoReport(f"{ticket_id}: this submission has no result to show")
    other = boards.run(against) if against else None
    if against and (other is None or other.ticket.set_id != run.ticket.set_id or against == ticket_id):
        raise NoReport(f"{against}: the second run has no result to show, is the same, or is of another prompt set")
    result = run.result
    is_2025 = isinstance(result, ConsistencyResult)
    kind, columns = (CONSISTENCY, CONSISTENCY_COLUMNS) if is_2025 else (CULTURAL, CULTURAL_COLUMNS)
    row = _row(boards, run)
    figures = figures_of(columns, row, _row(boards, other) if other else None)
    names = _names(run, other) if other else (system_name(run.ticket), "")
    sections = [
        head_section(
            row.rank,
            row.note,
            [f"ELOQUENT {result.edition}."],
            figures_table(figures, is_compared=other is not None),
        ),
        *(
            parts_2025(tools, run.ticket, result)
            if isinstance(result, ConsistencyResult)
            else parts_2026(tools, run.ticket, result)
        ),
    ]
    if other:
        sections.append(_comparison(run, other, names))
    sections += [card_section(card, title) for title, card in _cards(tools, result)]
    sections.append(manifest_section(_facts(run), edition_command(result)))
    return TeamReport(
        ticket_id,
        run_words(run.ticket),
        sections,
        figures_latex(run.ticket, names, figures, kind.title, kind.paper, kind.counted),
        run_bibtex(run.ticket, names[0], kind.title, result.code_version, kind.paper),
        edition_manifest_text(run, text),
    )


def _row(boards: EditionBoards, run: ScoredEdition) -> EditionRow:
    """The run's row; an older run has none on the board any more, and is not ranked."""
    board = next(board for board in EDITION_BOARDS if board == run.result.board)
    row = next((row for row in boards.rows(board, run.ticket.set_id) if row.id == run.ticket.id), None)
    if row is not None:
        return row
    (alone,) = edition_rows([run])
    return replace(alone, rank=None, unranked=STOOD_HERE)


def _names(run: ScoredEdition, other: ScoredEdition) -> tuple[str, str]:
    names = (system_name(run.ticket), system_name(other.ticket))
    if names[0] != names[1]:
        return names
    return f"{names[0]} ({run.ticket.id[:8]})", f"{names[1]} ({other.ticket.id[:8]})"


def _comparison(run: ScoredEdition, other: ScoredEdition, names: tuple[str, str]) -> Section:
    first, second = (_headline_values(side.result) for side in (run, other))
    items = [ComparedItem(id_, "", first[id_], second[id_]) for id_ in sorted(first.keys() & second.keys())]
    items.sort(key=lambda item: -item.difference)
    is_2025 = isinstance(run.result, ConsistencyResult)
    units = ("question", "questions") if is_2025 else ("base question", "base questions")
    difference = paired_difference(first, second)
    notes = [planned_words([item.difference for item in items], units)] if items else []
    if difference.unscored:
        notes.append(
            f"{units[1].capitalize()} that only one of them has a value on are left out: {difference.unscored}."
        )
    if _read_by(run.result) != _read_by(other.result):
        notes.append("They were read by different judges or embedding models: a difference may be the models' own.")
    return comparison_section(names, difference, items, units, notes)


def _headline_values(result: ConsistencyResult | CulturalResult) -> dict[str, float]:
    """Question -> headline; none of results of before there was the response to culture."""
    if isinstance(result, ConsistencyResult):
        return result.question_values[CONSISTENCY_HEADLINE]
    return result.question_values.get(CULTURAL_HEADLINE) or {}


def _read_by(result: ConsistencyResult | CulturalResult) -> tuple[Pin, ...]:
    return (result.judge, result.embedding) if isinstance(result, ConsistencyResult) else (result.embedding,)


def _cards(tools: BoardTools, result: ConsistencyResult | CulturalResult) -> Iterator[tuple[str, JudgeCardValue]]:
    """Heading and card of whoever read the answers."""
    if isinstance(result, ConsistencyResult):
        judge, qualities = result.judge, tools.qualities
        yield (
            "Judge",
            card_of_pin(
                judge,
                result.order_gap,
                quality=qualities.of(judge),
                bias=tools.report_of(judge),
                people=qualities.checked_by_people(judge),
            ),
        )
    if is_measured(result.embedding):
        yield "Embedding", languages_card()
    if result.gate is not None:
        yield "Relevance check", answer_card(result.gate)


def _facts(run: ScoredEdition) -> list[tuple[str, str]]:
    result, ticket = run.result, run.ticket
    files = (
        [(f"SHA-256 of the file in {file.language}", file.file_sha256) for file in result.files]
        if isinstance(result, ConsistencyResult)
        else [("SHA-256 of the file", result.file_sha256)]
    )
    judge = [("Judge", _pin(result.judge))] if isinstance(result, ConsistencyResult) else []
    return [
        ("Ticket", ticket.id),
        ("Received", f"{ticket.received_at:%Y-%m-%d %H:%M} UTC"),
        ("File", ticket.file_name),
        *files,
        ("Prompt set", f"{result.prompt_set.set_id}: {result.prompt_set.version}"),
        *judge,
        ("Embedding", _pin(result.embedding)),
        ("Code version", result.code_version),
    ]


def _pin(pin: Pin) -> str:
    return f"{pin.name}: {pin.model}, revision {pin.revision}"
