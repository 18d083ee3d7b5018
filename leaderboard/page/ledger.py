"""Attempts behind a row: by its system, by its account, with the same file.

Every submission counts, in whatever state it ends: a good one that stands alone on a board may be the best of thirty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from leaderboard.page.board_row import BoardRow
from leaderboard.page.system_keys import SystemKey, system_key
from leaderboard.parts.columns import Column
from leaderboard.parts.methods import Method, whole
from submissions.desk import LOCAL_OWNER
from submissions.store.queue import Ticket

CHOSEN = "ranked by the run its team chose"
Row = TypeVar("Row", bound=BoardRow)


class Ledger:
    """The counts of every submission.

    Args:
        tickets: Every submission, withdrawn, failed and hidden ones too; each prompt set is counted by itself.
        system_of: What submissions of one system have in common.
    """

    def __init__(self, tickets: Iterable[Ticket], system_of: Callable[[Ticket], Hashable] = system_key) -> None:
        self._tickets = {ticket.id: ticket for ticket in tickets}
        self._system_of = system_of
        every = self._tickets.values()
        self._systems = Counter(map(system_of, every))
        self._accounts = Counter(map(_account_key, every))
        self._files = Counter((ticket.file_sha256, ticket.set_id) for ticket in every)
        self._answers: dict[tuple[str, str], set[SystemKey]] = {}
        for ticket in every:
            if ticket.is_on_boards:
                self._answers.setdefault(_answers_key(ticket), set()).add(system_key(ticket))

    def of_system(self, ticket: Ticket) -> int:
        """Submissions of the ticket's system."""
        return self._systems[self._system_of(ticket)]

    def of_account(self, ticket: Ticket) -> int | None:
        """Submissions of the ticket's account to its board and prompt set, under whatever names; None where the account
        is everybody's, and for rows that are no entries."""
        is_somebody = ticket.role == "entry" and ticket.owner != LOCAL_OWNER
        return self._accounts[_account_key(ticket)] if is_somebody else None

    def of_file(self, ticket: Ticket) -> int | None:
        """Other submissions of exactly the ticket's file, by whomever and under whatever names; None = none."""
        return self._files[ticket.file_sha256, ticket.set_id] - 1 or None

    def of_answers(self, ticket: Ticket) -> int | None:
        """Systems under other names, or of other accounts, that stand on the board with the same answers; None = none.

        Where the check makes no fingerprint of the answers, the same file stands for them.
        """
        return len(self._answers.get(_answers_key(ticket), set()) - {system_key(ticket)}) or None

    def counted(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """Rows of a board with their counts; rows of no submission stay as they are."""
        return tuple(self._counted(row, self._tickets.get(row.ticket_id)) for row in rows)

    def _counted(self, row: Row, ticket: Ticket | None) -> Row:
        if ticket is None:
            return row
        return replace(
            row,
            attempts=self.of_system(ticket),
            account_attempts=self.of_account(ticket),
            same_file=self.of_file(ticket),
            same_answers=self.of_answers(ticket),
        )


def _account_key(ticket: Ticket) -> tuple[str, str, str]:
    """Files of an account under names that are not public yet count apart: the same count would tie both to it."""
    mark = ticket.season
    return (ticket.owner, ticket.set_id, mark.name if mark is not None and mark.names_from is not None else "")


def _answers_key(ticket: Ticket) -> tuple[str, str]:
    return (ticket.set_id, ticket.answers_sha256 or f"file {ticket.file_sha256}")


def with_same_answers(note: str, systems: int | None) -> str:
    """The note of a row, with the sign that its answers stand on the board under other names too.

    >>> with_same_answers("", 1), with_same_answers("not ranked: partial", None)
    ('the same answers stand here under another name', 'not ranked: partial')
    """
    if not systems:
        return note
    names = "another name" if systems == 1 else f"{systems} other names"
    said = f"the same answers stand here under {names}"
    return f"{note}; {said}" if note else said


def choice_words(*, is_primary: bool, attempts: int | None) -> str:
    """Which of a system's attempts its row shows; blank where there is one.

    >>> choice_words(is_primary=True, attempts=10)
    'ranked by the run its team chose, one of 10 attempts'
    >>> choice_words(is_primary=False, attempts=3), choice_words(is_primary=False, attempts=1)
    ('the latest of 3 attempts', '')
    """
    several = attempts is not None and attempts > 1
    if is_primary:
        return f"ranked by the run its team chose, one of {attempts} attempts" if several else CHOSEN
    return f"the latest of {attempts} attempts" if several else ""


def ledger_columns(attempts: str) -> tuple[Column[Any], ...]:
    """Columns of the counts.

    Args:
        attempts: What the attempts of a system are, in a sentence.
    """
    return (
        Column("attempts", "Attempts", "whole", lambda row: row.attempts, attempts),
        Column(
            "account_attempts",
            "Account's attempts",
            "whole",
            lambda row: row.account_attempts,
            "Files that its account sent to this board, under whatever names and in whatever state.",
            is_left_out_when_empty=True,
        ),
        Column(
            "same_file",
            "Same file",
            "whole",
            lambda row: row.same_file,
            "Other submissions of exactly the same file, under other names or by other accounts.",
            is_left_out_when_empty=True,
        ),
        Column(
            "same_answers",
            "Same answers",
            "whole",
            lambda row: row.same_answers,
            "Systems under other names, or of other accounts, that stand on this board with the same answers.",
            is_left_out_when_empty=True,
        ),
    )


def ledger_methods(attempts: str) -> dict[str, Method]:
    """How the counts come about.

    Args:
        attempts: What counts as an attempt of a system.
    """
    return {
        "attempts": whole(
            attempts,
            "a count from 1",
            neither="it tells how often was tried, which a reader of the best score should know",
        ),
        "account_attempts": whole(
            "files of the account that sent the row's, on this board and prompt set, whatever names they state; failed "
            "and withdrawn ones count, and where nobody signs in there is no such figure",
            "a count from 1",
            neither="many systems of one account are many tries, or many systems",
        ),
        "same_file": whole(
            "other submissions on this board and prompt set whose bytes have the same SHA-256",
            "a count from 1",
            neither="one file under two names is one system, or a name was mended",
        ),
        "same_answers": whole(
            "systems under other team, system or model names, or of other accounts, that stand on this board and "
            "prompt set with the same answers in the same places, whatever else their files say; of fewer than ten "
            "answers, and of kinds of file without such a fingerprint, the same file counts",
            "a count from 1",
            neither="the same answers are one system, whoever sent them first",
        ),
    }
