"""A table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from submissions.reading.quoting import printable

_CELL = 48


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table; numbers stand at the right.

    >>> text_table(("run", "answers"), [("greedy", "1,200"), ("cot", "7")])
    ['run     answers', 'greedy    1,200', 'cot           7']
    """
    cells = [[printable(cell, _CELL) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    of_numbers = [all(row[at].replace(",", "").isdigit() for row in cells[1:]) for at in range(len(head))]
    return [
        "  ".join(
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, of_numbers, strict=True)
        ).rstrip()
        for row in cells
    ]
