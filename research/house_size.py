"""How large the project is, at one commit beside another: the table of what has to shrink.

`python -m research.house_size [COMMIT ...]` prints it for each commit and for the last one of the branch.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

SERVED = ("app.py", "leaderboard/", "evaluator/", "submissions/")
FRONT_END = (".html", ".css", ".js")
SMALL = 60
"""Lines, below which a file is small."""


class Size(NamedTuple):
    """What is counted of one commit."""

    served_lines: int
    served_files: int
    functions: int
    small_files: int
    used_once: int
    """Private functions, methods left out, that their file uses exactly once ..."""
    used_once_lines: int
    """... and their lines."""
    front_end_lines: int
    """Of `.html`, `.css` and `.js` that are served."""
    test_lines: int
    docs_kb: int
    changelog_kb: int


def size_at(commit: str) -> Size:
    """Count a commit.

    Raises:
        subprocess.CalledProcessError: git knows no such commit.
    """
    files = _files(commit)
    served = {path: text for path, text in files.items() if path.startswith(SERVED) and path.endswith(".py")}
    front = [text for path, text in files.items() if path.startswith(SERVED) and path.endswith(FRONT_END)]
    trees = [ast.parse(text) for text in served.values()]
    once = [lines for tree in trees for lines in _used_once(tree)]
    tests = [text for path, text in files.items() if path.startswith("tests/") and path.endswith(".py")]
    docs = [text for path, text in files.items() if path.startswith("docs/") and path.endswith(".md")]
    return Size(
        served_lines=sum(map(_lines, served.values())),
        served_files=len(served),
        functions=sum(len(list(_functions(tree))) for tree in trees),
        small_files=sum(_lines(text) < SMALL for text in served.values()),
        used_once=len(once),
        used_once_lines=sum(once),
        front_end_lines=sum(map(_lines, front)),
        test_lines=sum(map(_lines, tests)),
        docs_kb=sum(len(text.encode()) for text in docs) // 1000,
        changelog_kb=len(files.get("CHANGELOG.md", "").encode()) // 1000,
    )


def table(sizes: Mapping[str, Size]) -> str:
    """The counts as a Markdown table, a column for each commit."""
    rows = [f"| | {' | '.join(sizes)} |", "|---|" + "---|" * len(sizes)]
    for field in Size._fields:
        counts = " | ".join(f"{getattr(size, field):,}" for size in sizes.values())
        rows.append(f"| {field.replace('_', ' ')} | {counts} |")
    return "\n".join(rows)


def _files(commit: str) -> dict[str, str]:
    """Path -> text of what is counted, in one reading of git."""
    listed = _git("ls-tree", "-r", "--name-only", commit).splitlines()
    return {path: _git("show", f"{commit}:{path}") for path in listed if path.endswith((".py", ".md", *FRONT_END))}


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, check=True, encoding="utf-8").stdout


def _lines(text: str) -> int:
    return text.count("\n")


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _used_once(tree: ast.Module) -> Iterator[int]:
    """The lines of each private function that the file uses exactly once."""
    used = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        is_private = function.name.startswith("_") and not function.name.startswith("__")
        if is_private and used[function.name] == 1:
            yield (function.end_lineno or function.lineno) - function.lineno + 1


if __name__ == "__main__":
    print(table({commit: size_at(commit) for commit in [*sys.argv[1:], "HEAD"]}))
