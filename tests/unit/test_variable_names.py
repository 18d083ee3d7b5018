"""Variables are called by what they hold, a ticket, a row, a match: never "one" or "found"."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES_NOTHING = {"found", "one"}


def variables(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Arguments and local variables, each with its line; not the fields of a class, whose name says the rest."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for part in ast.walk(function):
                if isinstance(part, ast.arg):
                    yield part.arg, part.lineno
                elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    yield part.id, part.lineno


@pytest.mark.parametrize(
    "room", ["app.py", "benchmarks", "evaluator", "leaderboard", "locks.py", "research", "submissions"]
)
def test_a_variable_is_called_by_what_it_holds(room: str) -> None:
    place = ROOT / room
    named = {
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in ([place] if place.is_file() else sorted(place.rglob("*.py")))
        for name, line in variables(ast.parse(path.read_text(encoding="utf-8")))
        if name in NAMES_NOTHING
    }
    assert not named, "say what it is"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(one, *, two=1): pass", {"one", "two"}),
        ("def f(): return [one for one in two]", {"one"}),
        ("f = lambda found: found.one", {"found"}),
        ("def f():\n    with open(a) as one:\n        found = one.two", {"one", "found"}),
        ("class Fault:\n    found: str", set()),
    ],
)
def test_arguments_and_local_variables_are_seen(text: str, names: set[str]) -> None:
    assert {name for name, _ in variables(ast.parse(text))} == names
