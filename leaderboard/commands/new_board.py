"""`python -m leaderboard new-board NAME`: the rooms of a new measure, made of the pages that show one.

The pages are the one source: what docs/add_a_file_kind.md and `toy_board.md` show is what is written, renamed.
"""

from __future__ import annotations

import argparse
import keyword
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from leaderboard.site.page_register import pages
from submissions.commands.command_line import stop
from submissions.kinds import KINDS
from submissions.reading.quoting import quoted
from submissions.settings import Settings

PAGES = ("docs/add_a_file_kind.md", "leaderboard/commands/toy_board.md")
TOY = "length_limits"
"""What the pages call the measure."""
EXPECTED = "3 to 24 of a-z, 0-9 and _, a letter first, and no word of Python"

_SIGNS = frozenset(string.ascii_lowercase + string.digits + "_")
_LAST_MEASURE = "evaluator.personalized_evaluation | evaluator.behavior_alignment"


class NotMade(Exception):
    """Raised where nothing was written; says what is in the way, and what to do."""


def add_commands(commands: Any) -> None:
    """Adds the command to the subparsers of `python -m leaderboard`."""
    new = commands.add_parser("new-board", help="make the rooms of a new measure: kind of file, figures, board, tests")
    new.add_argument("name", help=f"of the rooms and the page: {EXPECTED}")
    new.add_argument(
        "--tree",
        type=Path,
        default=Path(__file__).parents[2],
        help="the checkout they are made in (default: the one this is run from)",
    )
    new.set_defaults(command=_new_board)


def _new_board(options: argparse.Namespace, settings: Settings) -> int:
    try:
        written, changed = new_board(options.tree, options.name)
    except NotMade as error:
        stop(f"new-board: {error}")
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
    print("\n".join([*(f"made {path}" for path in written), *(f"one line in {path}" for path in changed)]))
    print(f"now: python -m pytest tests/unit/leaderboard/boards/test_{options.name}.py (docs/run_your_own.md)")
    return 0


def new_board(tree: Path, name: str) -> tuple[list[str], list[str]]:
    """Makes the rooms; nothing that is there is overwritten, and nothing is written where anything is in the way.

    Args:
        tree: A checkout of Plumbline.
        name: Of the measure.

    Returns:
        What was made, and what got a line, as paths in the tree.

    Raises:
        NotMade: with everything that is in the way.
    """
    _refuse_name(name)
    lacking = [page for page in PAGES if not (tree / page).is_file()]
    if lacking:
        raise NotMade(f"{tree} is no checkout of Plumbline: it lacks {', '.join(lacking)}; name one with --tree")
    text = "\n".join((tree / page).read_text(encoding="utf-8") for page in PAGES)
    files = {renamed(path, name): renamed(code, name) for path, code in _blocks(text, "python")}
    rooms = {str(Path(path).parent) for path in files if not path.startswith("tests/")}
    files |= {f"{room}/__init__.py": f'"""{_title(name)}: {_ROOM[room.split("/")[0]]}"""\n' for room in sorted(rooms)}
    files[f"docs/{name}.md"] = _page(name)
    taken = sorted({path for path in (*files, *rooms) if (tree / path).exists()})
    if taken:
        raise NotMade(f"{', '.join(taken)}: is there already, and nothing is overwritten; choose another name")
    changed = _changed(tree, name, text, files)
    for path, content in (*files.items(), *changed.items()):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(content, encoding="utf-8")
    return sorted(files), sorted(changed)


_ROOM: Mapping[str, str] = {
    "submissions": "what a file holds.",
    "evaluator": "its figures.",
    "leaderboard": "its board.",
}
"""What the room of a package is for."""


def renamed(text: str, name: str) -> str:
    """A piece of the pages with the names of the toy replaced.

    >>> renamed("class LimitedReading: ...  # length_limits, LENGTH_LIMITS_BOARD", "my_task")
    'class MyTaskReading: ...  # my_task, MY_TASK_BOARD'
    """
    camel = "".join(part.capitalize() for part in name.split("_"))
    words, title = name.replace("_", " ").strip(), _title(name)
    for old, new in (
        (TOY, name),
        (TOY.upper(), name.upper()),
        ("limited_answers", f"{name}_answers"),
        ("LIMITED", name.upper()),
        ("limited_template", f"{name}_template"),
        ("read_limited", f"read_{name}"),
        ("Limited answers", f"{title} answers"),
        ("limited answers", f"{words} answers"),
        ("Length limits", title),
        ("length limits", words),
        ("Limited", camel),
        ("LimitResult", f"{camel}Result"),
        ("LimitRow", f"{camel}Row"),
    ):
        text = text.replace(old, new)
    return text


def _title(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()


def _refuse_name(name: str) -> None:
    is_name = 3 <= len(name) <= 24 and _SIGNS.issuperset(name) and name[0] in string.ascii_lowercase
    if not is_name or keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise NotMade(f"the name is {quoted(name)}; expected {EXPECTED}, like my_task")
    if name in pages() or any(kind.key in (name, f"{name}_answers") for kind in KINDS):
        raise NotMade(f"a page or a kind of file is called {name} already; choose another name")


def _changed(tree: Path, name: str, text: str, files: Mapping[str, str]) -> dict[str, str]:
    """The registers and the contracts with their new lines, by path."""
    changed: dict[str, str] = {}
    for path, diff in _blocks(text, "diff"):
        opening, added = diff.splitlines()[:2]
        register, made = opening.strip().partition(":")[0], renamed(added.strip("+ ,"), name)
        starts = (f"\n{made}: ", f"\n{made} = ")
        (home,) = (file for file, code in files.items() if any(start in code for start in starts))
        module = home.removesuffix(".py").replace("/", ".")
        changed[path] = _joined((tree / path).read_text(encoding="utf-8"), path, register, module, made)
    contracts = (tree / "pyproject.toml").read_text(encoding="utf-8")
    if contracts.count(_LAST_MEASURE) != 1:
        raise NotMade("pyproject.toml: the contract of measures is not as it was; mend it first")
    changed["pyproject.toml"] = contracts.replace(_LAST_MEASURE, f"{_LAST_MEASURE} | evaluator.{name}")
    return changed


def _joined(text: str, path: str, register: str, module: str, made: str) -> str:
    """A register with one more line and its import, in the order of the imports."""
    lines = text.splitlines()
    opening = [place for place, line in enumerate(lines) if line.startswith(f"{register}: ") and line.endswith("= (")]
    if len(opening) != 1 or ")" not in lines[opening[0] :]:
        raise NotMade(f"{path}: found no tuple {register}, expected one that ends on a line of its own")
    lines.insert(lines.index(")", opening[0]), f"    {made},")
    imports = [(place, line.split(" ")[1]) for place, line in enumerate(lines) if line.startswith("from ")]
    before = [place for place, imported in imports if imported < module or imported == "__future__"]
    lines.insert(before[-1] + 1, f"from {module} import {made}")
    return "\n".join(lines) + "\n"


def _blocks(text: str, language: str) -> Iterator[tuple[str, str]]:
    """What stands in the pages below the name of a file, in that language: path and text."""
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        path = line.strip("`\n")
        if line == f"`{path}`\n" and path.endswith(".py") and lines[place + 2 : place + 3] == [f"```{language}\n"]:
            yield path, "".join(lines[place + 3 : lines.index("```\n", place + 3)])


def _page(name: str) -> str:
    """The page of the task, to be filled in."""
    return f"""# {_title(name)}

What is measured, and why it matters; the paper or task it is from.

## The file

One JSON object: `kind` is `{name}_answers`; `team`, `system`, `model` and `run` name it; `rows` has an object for each
answer, with `text` and the `words` it was allowed. Submit offers a template.

## The figures

| figure | range | meaning |
|---|---|---|
| `kept` | 0 to 1, higher is better | answers within their limit, of all answers, with its 95% interval |
"""
