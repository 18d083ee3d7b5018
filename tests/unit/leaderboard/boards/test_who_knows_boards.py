"""Only the register knows the boards by name: nobody else imports from their rooms or writes their keys."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from leaderboard.boards import registry

ROOT = Path(__file__).parents[4]
ROOMS = ROOT / "leaderboard" / "boards"
NAMES = sorted(path.name for path in ROOMS.iterdir() if (path / "board.py").exists())

KNOWN = {
    # The card of a system is what a row of the board of 2024 opens.
    "leaderboard/systems": {"robustness"},
    # Its endpoint `item` reads an item of each edition.
    "leaderboard/site/api.py": {"editions", "robustness"},
    # The report of a run says what its page says.
    "leaderboard/team_report": {"editions", "robustness"},
    "leaderboard/ui.py": {"editions", "robustness"},
    # Scores of single items stand in each kind of row and result at another place.
    "leaderboard/every_eval_ever/items.py": {
        "behavior_alignment",
        "editions",
        "own_tasks",
        "personalization",
        "position_bias",
        "robustness",
    },
}
"""Who else imports from a room, and why."""

KEYS_KNOWN = {
    # What a stored result states as its board: facts for `reproduce`, and which editions have items.
    "leaderboard/parts/manifests.py": {"robustness", "consistency", "cultural", "behavior"},
    "leaderboard/results_dataset/tables.py": {"robustness", "consistency", "cultural"},
    # A tag of the Hub.
    "leaderboard/results_dataset/card.py": {"robustness"},
    # The figure of that name.
    "leaderboard/team_report/edition_2025.py": {"consistency"},
    # Links from when one page held both boards of judges.
    "leaderboard/page/judge_boards.py": {"judge_quality"},
    # Rows that are judges are evaluators there.
    "leaderboard/every_eval_ever/records.py": {"judge_quality"},
    # A word that a catalogue finds the archive by.
    "leaderboard/seasons/citable.py": {"robustness"},
}
"""Who else writes the key of a board as a text, and why."""


def imported_rooms(path: Path) -> Iterator[str]:
    """Rooms of boards that a module imports from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules = [node.module] if isinstance(node, ast.ImportFrom) else []
        modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
        for module in modules:
            parts = (module or "").split(".")
            if parts[:2] == ["leaderboard", "boards"] and len(parts) > 2 and parts[2] in NAMES:
                yield parts[2]


def modules_outside() -> Iterator[Path]:
    """Modules of the pages that are in no room of a board."""
    return (path for path in [ROOT / "app.py", *(ROOT / "leaderboard").rglob("*.py")] if ROOMS not in path.parents)


def test_nobody_else_imports_from_the_room_of_a_board() -> None:
    assert len(NAMES) >= 9
    found: dict[str, set[str]] = {}
    for path in modules_outside():
        place = path.relative_to(ROOT).as_posix()
        place = next((known for known in KNOWN if place == known or place.startswith(f"{known}/")), place)
        rooms = set(imported_rooms(path))
        if rooms:
            found.setdefault(place, set()).update(rooms)
    assert found == KNOWN


def test_nobody_else_writes_the_key_of_a_board() -> None:
    keys = {board.key for board in registry.BOARDS} - {"judges"}  # also what results and reports call their judges
    assert len(keys) >= 10
    found: dict[str, set[str]] = {}
    for path in modules_outside():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in keys:
                found.setdefault(path.relative_to(ROOT).as_posix(), set()).add(str(node.value))
    assert found == KEYS_KNOWN
