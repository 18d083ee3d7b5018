"""Previews of shared links, fetched from a running app as the crawler of a chat does: no scripts, no session."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

import httpx2
import pytest
from PIL import Image

from tests.browser.conftest import running_app

CRAWLER = {"user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "accept-encoding": "gzip"}
BEHIND = {"x-forwarded-host": "board.example", "x-forwarded-proto": "https"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running app behind one proxy."""
    settings = {
        "PLUMBLINE_JUDGES": "scripted",
        "PLUMBLINE_HOSTS": "board.example",
        "PLUMBLINE_TRUSTED_PROXIES": "1",
    }
    yield from running_app(tmp_path_factory.mktemp("data"), settings)


class Head(HTMLParser):
    """What a crawler reads: the title, and every named tag of the head with all of its contents."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: dict[str, list[str]] = {}
        self._in_title = False
        self.feed(page.partition("</head>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        name = told.get("property") or told.get("name")
        if tag == "meta" and name:
            self.tags.setdefault(name, []).append(told.get("content") or "")
        if tag == "link" and told.get("rel") == "canonical":
            self.tags.setdefault("canonical", []).append(told.get("href") or "")
        self._in_title = tag == "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.tags.setdefault("title", []).append(data)
            self._in_title = False

    def only(self, name: str) -> str:
        (content,) = self.tags[name]
        return content


def crawled(address: str, link: str) -> Head:
    answer = httpx2.get(address + link, headers=CRAWLER | BEHIND, follow_redirects=True, timeout=60)
    assert answer.status_code == 200
    assert answer.headers["content-encoding"] == "gzip"
    return Head(answer.text)


def rows_shown(address: str, board: str, name: str = "") -> list[dict[str, Any]]:
    """Rows of the table that the page of a board is sent with, once one of that name is drawn; no page waits for it."""
    for _ in range(400):
        page = httpx2.get(f"{address}/{board}", timeout=60).text
        values = json.loads(re.findall(r'id="first-values">(.*?)</script>', page)[0])
        tables = [json.loads(value) for value in values.values() if isinstance(value, str) and '"rows"' in value]
        rows = [row for table in tables for row in table["rows"]]
        if any(name in cell["text"] for row in rows for cell in row["cells"]):
            return rows
        time.sleep(0.3)
    pytest.fail(f"the page {board} is sent without its table")


@pytest.mark.parametrize("link", ["/", "/robustness", "/judges", "/personalization", "/queue", "/about", "/lab"])
def test_a_page_says_what_it_is_once_and_shows_a_picture(address: str, link: str) -> None:
    head = crawled(address, link)
    title, said = head.only("og:title"), head.only("og:description")
    assert head.only("title") == head.only("twitter:title") == title
    assert head.only("description") == head.only("twitter:description") == said
    assert title == "Plumbline" if link == "/" else title.endswith(" - Plumbline")
    assert len(said) > 40
    assert "gradio" not in f"{title}{said}".lower()
    assert head.only("og:url") == head.only("canonical")
    assert head.only("og:url").partition("?")[0] == f"https://board.example{link}"
    picture = head.only("og:image")
    assert picture.startswith("https://board.example/preview.png")
    answer = httpx2.get(picture.replace("https://board.example", address), headers=CRAWLER, timeout=60)
    assert answer.headers["content-type"] == "image/png"
    assert Image.open(BytesIO(answer.content)).size == (1200, 630)


def test_a_row_says_in_a_sentence_what_the_table_shows(address: str) -> None:
    (row,) = [row for row in rows_shown(address, "judges") if row["id"] == "published/gpt-4-0613"]
    head = crawled(address, f"/judges?judge={row['id']}")
    assert head.only("og:title").startswith("gpt-4-0613")
    # Shi et al. (arXiv 2406.07791), Table 2: GPT-4-0613 is consistent on 0.82 of the pairs of MT-Bench.
    (shown,) = [cell["text"] for cell in row["cells"] if re.match(r"0\.82 \[", cell["text"])]
    low, high = (round(100 * float(end)) for end in re.findall(r"0\.\d+", shown)[1:])
    said = f"gpt-4-0613 gives the same verdict in both orders for 82% [{low}, {high}] of pairs; "
    assert head.only("og:description").startswith(said)
    assert "judge=" in head.only("og:url")


def test_an_item_of_a_row_says_its_figures_in_words_and_picture(address: str) -> None:
    name = "keel"  # an example of ours
    rows = rows_shown(address, "robustness", name)
    row = next(row for row in rows if any(cell["text"] == name for cell in row["cells"]))
    link = f"/robustness?set=demonstration&system={row['id']}"
    head, of_row = crawled(address, f"{link}&item=903"), crawled(address, link)
    assert head.only("og:title").startswith(f"Item 903 · {name}")
    assert re.match(rf"Item 903 of {re.escape(name)}.*: Score [0-5]\.\d\d, ", head.only("og:description"))
    assert "item=903" in head.only("og:url")
    pictures = [httpx2.get(one.only("og:image").replace("https://board.example", address)) for one in (head, of_row)]
    assert [picture.headers["content-type"] for picture in pictures] == ["image/png"] * 2
    assert pictures[0].content != pictures[1].content


def test_the_link_of_a_paper_leads_to_the_same_preview(address: str) -> None:
    id_ = rows_shown(address, "judges")[0]["id"]
    by_tab, by_path = (crawled(address, f"/{link}judge={id_}") for link in ("?tab=judges&", "judges?"))
    assert by_tab.tags == by_path.tags


def test_what_a_link_says_is_text(address: str) -> None:
    head = crawled(address, "/judges?search=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
    assert head.only("og:url").startswith("https://board.example/judges?")
    assert "alert(1)" not in "".join(head.tags.get("title", []))
