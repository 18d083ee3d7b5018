"""A team mends its file from what the page says alone, submits it, and follows it to the board."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from submissions.promptsets import example_submissions
from tests.browser.conftest import SCORED_WITHIN_MS, serious_violations
from tests.browser.visitors import WAYS, Keyboard, Mouse, Visitor

FileMaker = Callable[..., Path]

ROOT_KEY = "eloquent-robustness-results"
TEAM = "Mending Team"


def faulty_text() -> str:
    """A file for the demonstration set with five faults, as a person may write it."""
    document = json.loads(next(data for _, data in example_submissions()))
    root = document[ROOT_KEY]
    root |= {"source": "", "system": "Mender", "model": "test model", "run": "1"}
    items = root["items"]
    items[0]["id"] = "X901"
    items[1]["responses"][0] = {"answer": items[1]["responses"][0]["response"]}
    items[2]["responses"].pop()
    items[3]["responses"][1]["response"] = None
    return json.dumps(document, indent=1, ensure_ascii=False)


@dataclass(frozen=True)
class Told:
    """One error as the page shows it."""

    line: int
    message: str
    hint: str
    marked: str
    """What the excerpt marks in that line."""


def errors_told(page: Page, visitor: Visitor) -> list[Told]:
    """Every error, read off the page: its lines are opened and what is marked in them is noted."""
    found = []
    for row in page.locator("#problems tr.error-row").all():
        button = row.locator("button[data-show]")
        visitor.press(button)
        excerpt = page.locator(f"#excerpt-{button.get_attribute('data-show')}")
        expect(excerpt).to_be_visible()
        faulty = excerpt.locator("li.faulty")
        found.append(
            Told(
                line=int(faulty.locator(".line-number").inner_text()),
                message=row.locator(".column-message").inner_text(),
                hint=row.locator(".column-hint").inner_text(),
                marked=faulty.locator("mark").inner_text(),
            )
        )
    return found


def mended(text: str, told: list[Told]) -> str:
    """The text with every fault mended as its message and hint say, from the last line to the first."""
    lines = text.split("\n")
    for fault in sorted(told, key=lambda one: -one.line):
        index = fault.line - 1
        assert fault.marked in lines[index]
        if keys := re.search(r'expected the key "(.+)", found "(.+)"', fault.message):
            index = next(at for at in range(index, len(lines)) if f'"{keys[2]}"' in lines[at])
            lines[index] = lines[index].replace(f'"{keys[2]}"', f'"{keys[1]}"', 1)
        elif counts := re.search(r"expected (\d+) responses, found (\d+)", fault.message):
            assert 'an empty text ""' in fault.hint
            missing = int(counts[1]) - int(counts[2])
            lines[index] = lines[index].replace(fault.marked, fault.marked + '{"response": ""},' * missing, 1)
        elif ids := re.search(r"the ids are (\w+) to \w+", fault.message):
            assert fault.marked == '"X901"'
            lines[index] = lines[index].replace(fault.marked, f'"{ids[1]}"', 1)
        elif "there is no team name" in fault.message:
            assert "as a text in double quotes" in fault.hint
            lines[index] = lines[index].replace(fault.marked, f'"{TEAM}"', 1)
        else:
            assert 'needs an empty text ""' in fault.hint
            lines[index] = lines[index].replace(fault.marked, '""', 1)
    return "\n".join(lines)


def open_submit_tab(page: Page, visitor: Visitor) -> None:
    page.goto("/")
    expect(page.locator("#view-link a")).to_be_visible()  # the page has read its link, and opens no other tab any more
    visitor.press(page.get_by_role("tab", name="Submit", exact=True))
    expect(page.locator("#submission-file")).to_be_visible()


@pytest.mark.parametrize("way", WAYS)
def test_a_file_with_five_faults_is_mended_from_what_the_page_says_alone(
    page: Page, tmp_path: Path, way: type[Mouse] | type[Keyboard]
) -> None:
    visitor = way(page)
    text = faulty_text().replace("test model", f"test model of {way.__name__}")
    file = tmp_path / "run.json"
    file.write_text(text, encoding="utf-8")
    open_submit_tab(page, visitor)

    visitor.choose_file(file)
    expect(page.locator("#decision")).to_contain_text("5 errors")
    expect(page.get_by_label("System")).to_have_value("Mender")
    expect(page.locator("#missing-names")).to_contain_text("Please fill in: Team")
    told = errors_told(page, visitor)
    assert len(told) == 5
    if way is Mouse:
        assert serious_violations(page) == {}

    file.write_text(mended(text, told), encoding="utf-8")
    visitor.press(page.locator("#submission-file").get_by_role("button", name=re.compile("clear|remove", re.I)).first)
    expect(page.locator("#decision .notice")).to_have_count(0)
    visitor.choose_file(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    expect(page.get_by_label("Team")).to_have_value(TEAM)
    expect(page.locator("#missing-names .notice")).to_have_count(0)
    expect(page.locator("#preview")).to_contain_text("19 of 19")

    visitor.press(page.get_by_role("button", name="Submit", exact=True))
    receipt = page.locator("#receipt")
    expect(receipt).to_contain_text("Submitted.")
    ticket = receipt.locator(".facts > div", has_text="Ticket").locator("dd").inner_text()
    visitor.press(receipt.get_by_role("link", name="Open the ticket"))
    expect(page.locator("#ticket")).to_contain_text(ticket)
    row_link = page.get_by_role("link", name="See its row on the board")
    expect(row_link).to_be_visible(timeout=SCORED_WITHIN_MS)
    visitor.press(row_link)
    expect(page.locator("#system-notice")).to_contain_text("Mender")


HOSTILE = (
    "<script>window.hit=1</script>",
    "<img src=x onerror=window.hit=1>",
    "<svg onload=window.hit=1>",
    '"><script>window.hit=1</script>',
    "</code></li><iframe srcdoc='<script>parent.hit=1</script>'>",
    "<a href=javascript:window.hit=1>x</a>",
    "[x](javascript:window.hit=1)",
    "![x](https://example.org/pixel.png)",
    "<img src=https://example.org/pixel.png>",
    "${window.hit=1}",
    "${alert(1)}",
    "`${window.hit=1}`",
    "\\u003cimg src=x onerror=window.hit=1\\u003e",
    "{{#each this}}<script>window.hit=1</script>{{/each}}",
    "{{{this}}}",
    "<style>body{display:none}</style>",
    "<link rel=stylesheet href=https://example.org/x.css>",
    "\u202e<b onmouseover=window.hit=1>\u2066turned",
    "# Heading **bold** <b>x</b>",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "=cmd|' /C calc'!A0",
)


def watched(page: Page, base_url: str) -> list[str]:
    """Addresses outside of the app that the page asks for."""
    foreign: list[str] = []
    own = urlsplit(base_url).netloc
    page.on(
        "request",
        lambda request: foreign.append(request.url) if urlsplit(request.url).netloc not in ("", own) else None,
    )
    return foreign


def nothing_ran(page: Page, region: str) -> None:
    """No script ran, and no text of the file became markup."""
    assert page.evaluate("() => window.hit") is None
    made = page.locator(region).locator("script, img, iframe, style, link, svg, a[href^='javascript:'], b")
    assert made.count() == 0
    expect(page.locator("#tabs")).to_be_visible()


def test_hostile_texts_in_excerpts_stay_texts(page: Page, base_url: str, tmp_path: Path) -> None:
    foreign = watched(page, base_url)
    items = [{"id": payload, "responses": [{"response": payload}]} for payload in HOSTILE]
    file = tmp_path / "${window.hit=1}<img src=x onerror=window.hit=1>.json"
    document = {ROOT_KEY: {"source": HOSTILE[1], "year": "2024", HOSTILE[0]: 1, "items": items}}
    file.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Refused")
    buttons = page.locator("#problems button[data-show]")
    assert buttons.count() >= len(HOSTILE)
    for button in buttons.all():
        button.click()
    shown = page.locator("#problems .excerpt mark").all_inner_texts()
    for payload in ("${alert(1)}", "<img src=x onerror=window.hit=1>", "{{{this}}}"):
        assert json.dumps(payload) in shown
    assert any("[U+202E]" in text for text in shown)
    nothing_ran(page, "#problems")
    assert foreign == []


def test_hostile_texts_in_preview_receipt_and_ticket_stay_texts(page: Page, base_url: str, tmp_path: Path) -> None:
    foreign = watched(page, base_url)
    document = json.loads(next(data for _, data in example_submissions()))
    root = document[ROOT_KEY]
    root |= {"source": HOSTILE[1], "system": HOSTILE[9], "model": HOSTILE[0], "run": HOSTILE[10]}
    responses = [response for item in root["items"] for response in item["responses"]]
    for response, payload in zip(responses, (*HOSTILE[:5], *HOSTILE), strict=False):
        response["response"] = payload
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#preview")).to_contain_text(HOSTILE[0])
    nothing_ran(page, "#preview")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("${window.hit=1}")
    nothing_ran(page, "#receipt")
    page.get_by_role("link", name="Open the ticket").click()
    expect(page.locator("#ticket")).to_contain_text("${window.hit=1}")
    nothing_ran(page, "#ticket")
    page.get_by_role("button", name="Whole queue").click()
    expect(page.locator("#tickets")).to_contain_text("${window.hit=1}")
    nothing_ran(page, "#tickets")
    assert foreign == []


def test_on_a_phone_wide_tables_scroll_inside_their_box(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    file = tmp_path / "run.json"
    file.write_text(faulty_text(), encoding="utf-8")
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#coverage-grid table")).to_be_visible()
    page.locator("#problems button[data-show]").first.click()
    expect(page.locator("#problems .excerpt").first).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert serious_violations(page) == {}
    page.goto("/?tab=queue")
    expect(page.locator("#tickets table")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert serious_violations(page) == {}


def test_the_receipt_can_be_copied(page: Page, submission_file: FileMaker) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(submission_file("Copy Team", system="Copied"))
    expect(page.locator("#decision")).to_contain_text("Accepted")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("button", name="Copy the receipt").click()
    expect(page.locator("#receipt")).to_contain_text("Copied.")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert re.search(r"^Ticket: [0-9a-f]{16}$", copied, re.M)
    assert re.search(r"^SHA-256 of the file: [0-9a-f]{64}$", copied, re.M)
    assert re.search(r"^Link: http://127\.0\.0\.1:\d+/\?tab=queue&ticket=[0-9a-f]{16}$", copied, re.M)
