"""Tables of the docs that the code writes (`make rooms`): rooms in docs/architecture.md, filters in docs/boards.md."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grimp

from tests.registered import KINDS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
FILTERS_PAGE = ROOT / "docs" / "boards.md"
PACKAGES = ("submissions", "evaluator", "leaderboard")
BEGIN, END = "<!-- rooms -->\n", "<!-- /rooms -->\n"
FILTERS_BEGIN, FILTERS_END = "<!-- filters -->\n", "<!-- /filters -->\n"


@dataclass(frozen=True, slots=True)
class Room:
    """A folder of a package."""

    name: str
    """Dotted, `evaluator.judges`."""
    sentence: str
    """The first sentence of its docstring."""
    modules: int


def rooms() -> list[Room]:
    """Every room, in the order of packages, by name."""
    return [_room(path.parent) for package in PACKAGES for path in sorted((ROOT / package).glob("*/__init__.py"))]


def uses(found: list[Room]) -> dict[str, set[str]]:
    """Which rooms a room imports from, those left out that another of them leads to as well."""
    graph = grimp.build_graph(*PACKAGES)
    names = {room.name for room in found}
    direct: dict[str, set[str]] = {name: set() for name in names}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            one, other = _room_of(module, names), _room_of(imported, names)
            if one and other and one != other:
                direct[one].add(other)
    reached = {name: _reached(name, direct) for name in names}
    return {
        name: {
            other
            for other in others
            # Circles are drawn whole; what is reached beyond them is drawn once.
            if name in reached[other]
            or not any(other in reached[step] and name not in reached[step] for step in others - {other})
        }
        for name, others in direct.items()
    }


def text() -> str:
    """What stands between the marks of the page."""
    found = rooms()
    return f"{_picture(found)}\n{_table(found)}"


def filters_text() -> str:
    """The filters of every board, with what can be chosen where it is no text of a row."""
    words = {"at_least": " (percent)", "since": " (day, UTC)", "text_set": "", "one_of": ""}
    lines = ["| Board | Filters |", "| --- | --- |"]
    for board, kind in KINDS.items():
        filters = ", ".join(f"`{one.key}`{words[one.kind]}" for one in kind.filters)
        lines.append(f"| `{board}` | {filters or 'none'} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Writes them into their pages."""
    for path, begin, end, written in (
        (PAGE, BEGIN, END, text()),
        (FILTERS_PAGE, FILTERS_BEGIN, FILTERS_END, filters_text()),
    ):
        before, _, rest = path.read_text(encoding="utf-8").partition(begin)
        path.write_text(f"{before}{begin}{written}{end}{rest.partition(end)[2]}", encoding="utf-8")


def _room(folder: Path) -> Room:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    name = ".".join(folder.relative_to(ROOT).parts)
    return Room(name, docstring.partition("\n\n")[0].replace("\n", " "), len(list(folder.rglob("*.py"))))


def _room_of(module: str, names: set[str]) -> str | None:
    name = ".".join(module.split(".")[:2])
    return name if name in names else None


def _reached(room: str, direct: dict[str, set[str]]) -> set[str]:
    """All rooms that it imports from, through whichever others."""
    seen: set[str] = set()
    waiting = [room]
    while waiting:
        new = direct[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def _picture(found: list[Room]) -> str:
    lines = ["```mermaid", "flowchart TD"]
    for package in reversed(PACKAGES):
        lines.append(f"  subgraph {package}")
        lines += [f"    {_node(room.name)}[{room.name.split('.')[1]}]" for room in found if _is_of(room, package)]
        lines.append("  end")
    lines += list(_arrows(uses(found)))
    return "\n".join([*lines, "```", ""])


def _arrows(used: dict[str, set[str]]) -> Iterator[str]:
    for name in sorted(used):
        if used[name]:
            yield f"  {_node(name)} --> {' & '.join(map(_node, sorted(used[name])))}"


def _node(name: str) -> str:
    package, _, room = name.partition(".")
    return f"{package[0]}_{room}"


def _is_of(room: Room, package: str) -> bool:
    return room.name.split(".")[0] == package


def _table(found: list[Room]) -> str:
    lines = ["| room | what stands there | modules |", "|---|---|---|"]
    lines += [f"| `{room.name.replace('.', '/')}` | {room.sentence} | {room.modules} |" for room in found]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
