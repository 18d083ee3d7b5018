"""A team mends its file from what the page says alone, submits it, and follows it to the board."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from submissions.promptsets import example_submissions
from tests.browser.conftest import SCORED_WITHIN_MS, expect_no_sideways_scroll, serious_violations
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


def open_submit_page(page: Page, visitor: Visitor) -> None:
    page.goto("/")
    visitor.press(page.locator("#pages").get_by_role("link", name="Submit", exact=True))
    expect(page.locator("#submission-file")).to_be_visible()


@pytest.mark.parametrize("way", WAYS)
def test_a_file_with_five_faults_is_mended_from_what_the_page_says_alone(
    page: Page, tmp_path: Path, way: type[Mouse] | type[Keyboard]
) -> None:
    visitor = way(page)
    text = faulty_text().replace("test model", f"test model of {way.__name__}")
    file = tmp_path / "run.json"
    file.write_text(text, encoding="utf-8")
    open_submit_page(page, visitor)

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


def test_on_a_phone_wide_tables_scroll_inside_their_box(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    file = tmp_path / "run.json"
    file.write_text(faulty_text(), encoding="utf-8")
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#coverage-grid table")).to_be_visible()
    page.locator("#problems button[data-show]").first.click()
    expect(page.locator("#problems .excerpt").first).to_be_visible()
    expect_no_sideways_scroll(page)
    assert serious_violations(page) == {}
    page.goto("/?tab=queue")
    expect(page.locator("#tickets table")).to_be_visible()
    expect_no_sideways_scroll(page)
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
    assert re.search(r"^Link: http://127\.0\.0\.1:\d+/queue\?ticket=[0-9a-f]{16}$", copied, re.M)
