"""What docstrings and comments cite is there to be read: a heading of docs/, not a file of somebody's machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("submissions", "evaluator", "leaderboard", "benchmarks", "research")
PACKAGES = (*SOURCES, "tests")
CITATION = re.compile(r"(?<![\w/])docs/([\w/]+\.md)(?:#([\w-]+))?")


def citations() -> Iterator[tuple[str, str, str]]:
    """File, page and heading of every citation; a blank heading means the page."""
    for package in SOURCES:
        for file in sorted((ROOT / package).rglob("*.py")):
            for page, heading in CITATION.findall(file.read_text(encoding="utf-8")):
                yield str(file.relative_to(ROOT)), page, heading


def anchors(page: str) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", (ROOT / "docs" / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_cited_page_and_heading_is_there() -> None:
    cited = set(citations())
    lost = {found for found in cited if not (ROOT / "docs" / found[1]).is_file()}
    assert lost == set()
    assert {found for found in cited if found[2] and found[2] not in anchors(found[1])} == set()
    assert len([found for found in cited if found[2]]) > 50  # the search finds them


def test_nothing_is_cited_that_is_not_in_the_repository() -> None:
    word = "spec" + "s"  # not this file itself
    cited = re.compile(rf"\b{word}[:,] ")
    found = {
        str(file) for package in PACKAGES for file in (ROOT / package).rglob("*.py") if cited.search(file.read_text())
    }
    assert found == set()
