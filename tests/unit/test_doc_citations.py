"""What docstrings, comments and pages cite is there to be read: a page and its heading, not a file of a machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("submissions", "evaluator", "leaderboard", "benchmarks", "research")
PACKAGES = (*SOURCES, "tests")
LINK = re.compile(r"\]\(([\w/.-]+\.md)?(?:#([\w-]+))?\)")
CITATION = re.compile(r"(?<![\w/])docs/([\w/]+\.md)(?:#([\w-]+))?")


def citations() -> Iterator[tuple[str, str, str]]:
    """File, page and heading of every citation; a blank heading means the page."""
    for package in SOURCES:
        for file in sorted((ROOT / package).rglob("*.py")):
            for page, heading in CITATION.findall(file.read_text(encoding="utf-8")):
                yield str(file.relative_to(ROOT)), page, heading


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them; the second of one name ends in -1."""
    counts: Counter[str] = Counter()
    named = set()
    for heading in re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        named.add(f"{name}-{counts[name]}" if counts[name] else name)
        counts[name] += 1
    return named


def test_every_cited_page_and_heading_is_there() -> None:
    cited = set(citations())
    lost = {found for found in cited if not (ROOT / "docs" / found[1]).is_file()}
    assert lost == set()
    assert {found for found in cited if found[2] and found[2] not in anchors(ROOT / "docs" / found[1])} == set()
    assert len([found for found in cited if found[2]]) > 50  # the search finds them


def test_every_link_of_a_page_leads_to_a_page_and_a_heading() -> None:
    lost, checked = [], 0
    pages = [*ROOT.glob("*.md"), *(page for room in ("docs", "research") for page in (ROOT / room).rglob("*.md"))]
    for page in pages:
        for path, heading in LINK.findall(page.read_text(encoding="utf-8")):
            target = page.parent / path if path else page
            checked += 1
            if not target.is_file() or (heading and heading not in anchors(target)):
                lost.append(f"{page.relative_to(ROOT)}: {path}#{heading}")
    assert lost == []
    assert checked > 300


def test_nothing_is_cited_that_is_not_in_the_repository() -> None:
    word = "spec" + "s"  # not this file itself
    cited = re.compile(rf"\b{word}[:,] ")
    found = {
        str(file) for package in PACKAGES for file in (ROOT / package).rglob("*.py") if cited.search(file.read_text())
    }
    assert found == set()
