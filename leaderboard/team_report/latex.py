"""The figures of one run as a LaTeX table, and what to cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leaderboard.page.copies import DIGEST_LENGTH, bibtex_entry, paper_entry
from leaderboard.page.latex import OTHER_SCRIPT, PaperColumn, latex_table, typeset
from leaderboard.parts.board_kind import Paper
from leaderboard.parts.columns import text_of
from leaderboard.team_report.report import ReportFigure
from submissions.store.queue import Ticket

KEY_SIGNS = 8
"""Signs of a ticket in labels and keys."""


def figures_latex(
    ticket: Ticket,
    names: tuple[str, str],
    figures: Sequence[ReportFigure],
    board: str,
    paper: Paper | None,
    counted: str,
) -> str:
    """A booktabs table with a line for each figure that fits one column of two.

    Args:
        names: Of the run, and of the one it is compared with; blank = there is none.
        board: Title of the board.
        counted: What the figures' n counts.
    """
    run, other = names
    columns: list[PaperColumn[Any]] = [
        PaperColumn("Figure", [figure.label for figure in figures], False),
        PaperColumn("This run" if other else "Value", [text_of(figure.value, "interval") for figure in figures], True),
    ]
    if other:
        columns.append(PaperColumn("Other run", [text_of(figure.other, "interval") for figure in figures], True))
    else:
        columns.append(PaperColumn("n", [str(figure.value.n) for figure in figures], True))
    notes = [
        f"This run: {run}; other run: {other}." if other else "",
        "" if other else f"n of the score counts {counted}.",
        f"95% intervals. Plumbline, ticket {ticket.id[:KEY_SIGNS]}, received {ticket.received_at:%Y-%m-%d}.",
    ]
    cited = f" Measure:~\\cite{{{paper.key}}}." if paper else ""
    return latex_table(
        columns,
        caption=f"{typeset(run)} on the {typeset(board)} board.{cited}",
        label=f"tab:plumbline-{ticket.id[:KEY_SIGNS]}",
        notes=[note for note in notes if note],
    )


def run_bibtex(ticket: Ticket, run: str, board: str, code: str, paper: Paper | None) -> str:
    """The run on its board, and the paper its measure is from; ASCII that every LaTeX sets.

    Args:
        code: Version of Plumbline that scored it.
    """
    note = f"ticket {ticket.id}, file {ticket.file_sha256[:DIGEST_LENGTH]}, Plumbline {code}"
    entry = bibtex_entry(
        f"plumbline-run-{ticket.id[:KEY_SIGNS]}",
        {
            "author": f"{{{typeset(ticket.names.team)}}}" if ticket.names.team else "",
            "title": f"{{{typeset(run)} on the {typeset(board)} board of Plumbline}}",
            "year": str(ticket.received_at.year),
            "note": typeset(note),
        },
    )
    preamble = [f'@preamble{{"{OTHER_SCRIPT}"}}\n'] if r"\otherscript" in entry else []
    return "\n".join([*preamble, entry, *([paper_entry(paper)] if paper else [])])
