"""Rows of a file of JSON lines: every bad line is named at once, by its number."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

Row = TypeVar("Row")


class RowFileError(ValueError):
    """Raised before anything is scored when lines are not rows; `problems` names every bad line."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def read_rows(
    lines: Iterable[str], row_of: Callable[[str], Row], error: type[RowFileError] = RowFileError
) -> list[Row]:
    """Read the rows of JSON lines, in order; blank lines are skipped.

    Args:
        lines: Of the file.
        row_of: Reads one line; raises ValueError with all that is wrong with it.
        error: Raised with every bad line.
    """
    rows: list[Row] = []
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rows.append(row_of(line))
        except ValueError as problem:
            problems.append(f"line {number}: {problem}")
    if problems:
        raise error(problems)
    return rows


def json_object(line: str, *, noun: str, keys: str) -> dict[str, Any]:
    """Read one line as a JSON object; raises ValueError where it is none.

    Args:
        line: Of the file.
        noun: What a row is, such as "a pair".
        keys: What it must hold, in words.
    """
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at column {error.colno})") from None
    except RecursionError:
        raise ValueError(f"not {noun} (nested too deeply)") from None
    if not isinstance(row, dict):
        raise ValueError(f"expected an object with {keys}, found {kind_words(row)}")
    return row


def row_problems(row: Mapping[str, Any], texts: Sequence[str], optional: Sequence[str] = ()) -> list[str]:
    """List everything that is wrong with a row: missing keys, values of another kind, broken text.

    Args:
        row: As read from JSON.
        texts: Keys it must hold beside `id`, with text under them.
        optional: Keys it may hold, with text or null under them.
    """
    problems = [f'no "{key}"' for key in ("id", *texts) if key not in row]
    problems += [
        f'"{key}" must be text, found {kind_words(row[key])}'
        for key in (*texts, *optional)
        if key in row and not isinstance(row[key], str) and not (key in optional and row[key] is None)
    ]
    if "id" in row and (isinstance(row["id"], bool) or not isinstance(row["id"], str | int)):
        problems.append(f'"id" must be text or a whole number, found {kind_words(row["id"])}')
    return [
        *problems,
        *(f'"{key}" holds half of a surrogate pair' for key, value in row.items() if _is_broken_text(value)),
    ]


def kind_words(value: object) -> str:
    """Say what kind of JSON value something is."""
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return kinds.get(type(value), "null")


def _is_broken_text(value: object) -> bool:
    """JSON may spell lone surrogates, which no file or model can hold."""
    return isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value)
