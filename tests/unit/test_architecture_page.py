from __future__ import annotations

import re
from graphlib import TopologicalSorter

from grimp import build_graph

from tests.rooms import BEGIN, END, PAGE, ROOT, rooms, text, uses

NAMED = re.compile(r"`((?:leaderboard|evaluator|submissions|tests)(?:/[\w<>.]+)*)`")


def test_the_picture_and_the_table_are_those_of_the_code() -> None:
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    # Modules come and go with many commits: `make rooms` brings their number up to date, and only the rest has to fit.
    assert without_counts(shown) == without_counts(text())


def test_every_place_it_names_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = set(NAMED.findall(page))
    assert len(named) > 30
    assert {name for name in named if not list(ROOT.glob(re.sub(r"<\w+>", "*", name)))} == set()
    for page_name in re.findall(r"\]\(([\w/.]+\.md)", page):
        assert (PAGE.parent / page_name).exists(), page_name


def test_every_room_says_what_stands_there() -> None:
    assert [room.name for room in rooms() if not room.sentence.endswith((".", "?"))] == []
    folders = {
        path.parent
        for package in ("submissions", "evaluator", "leaderboard")
        for path in (ROOT / package).glob("*/*.py")
    }
    assert len(folders) == len(rooms())


def test_an_arrow_that_follows_from_others_is_left_out() -> None:
    drawn = uses(rooms())
    assert "submissions.archive" in drawn["evaluator.worker"]
    assert "submissions.store" in drawn["submissions.archive"]
    assert "submissions.store" not in drawn["evaluator.worker"]


def test_no_modules_import_one_another_in_a_circle() -> None:
    """Nor where an import stands in a function: what loads others by their names is told how (`registry.load`)."""
    graph = build_graph("submissions", "evaluator", "leaderboard", cache_dir=None)
    assert graph.count_imports() > 3_000
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imported).prepare()  # which raises CycleError, with the circle


def test_the_index_of_the_documentation_has_every_page() -> None:
    index = (PAGE.parent / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in PAGE.parent.glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"({name})" not in index} == set()


def without_counts(lines: str) -> str:
    return re.sub(r" \| \d+ \|$", " |", lines, flags=re.MULTILINE)
