"""Whatever a team writes, wherever it is shown: it is text, and runs, loads, links and styles nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import astuple
from itertools import cycle
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import running_app
from tests.browser.hostile import (
    MARK,
    PAYLOADS,
    TURNED,
    Poison,
    Watch,
    assert_unharmed,
    faulty_file,
    fill,
    formulas,
    names,
    official_folder,
    robustness_file,
)
from tests.registered import TABS

COPIES = ("Markdown", "LaTeX", "BibTeX")
MARKED = re.compile(r"(\\allowbreak\{\})?".join(MARK))
"""The mark, which LaTeX may break over two lines wherever a name has run on for too long."""
POINTED_AT = 4
"""Points of each chart that the mouse visits."""


@pytest.fixture(scope="module")
def hostile_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app without a worker in which every text a team controls is a payload, prompts included."""
    folder = tmp_path_factory.mktemp("hostile")
    official = official_folder(folder / "official")
    fill(folder / "data", official)
    settings = {
        "PLUMBLINE_WORKERS": "0",
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_RECORDED": "0",
        "PLUMBLINE_JUDGES": "scripted",
        "PLUMBLINE_GENERATORS": "scripted:0.05,scripted",
        "PLUMBLINE_ELOQUENT_DIR": str(official),
    }
    yield from running_app(folder / "data", settings)


class Visit:
    """A visitor who looks at everything, on a page that lets nothing out."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.watch = Watch().over(page)

    def open(self, **query: str) -> None:
        self.page.goto(f"{self.address}/?{urlencode(query)}")
        expect(self.page.locator("#view-link a")).to_be_attached()

    def place(self, selector: str, *, has_text: str | None = None) -> Locator:
        return self.page.locator(selector, has_text=has_text)

    def first_row(self, table: str) -> Locator:
        """The button that opens the first row a team made."""
        return self.place(f"{table} tbody tr:not(.null-row)").filter(has_text=MARK).locator("th [data-open]").first

    def press(self, target: Locator) -> None:
        target.scroll_into_view_if_needed()
        target.click()

    def sees(self, *selectors: str) -> None:
        """Payloads are shown there, as text; everything that opens is opened; and nothing has come of it."""
        for selector in selectors:
            expect(self.place(selector).first).to_contain_text(MARK)
        self.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.page.locator("button.label-wrap:not(.open):visible").evaluate_all(
            "all => all.forEach((one) => one.click())"
        )
        assert_unharmed(self.page, self.watch)

    def points_at_charts(self, region: str) -> None:
        """Draws every chart of a region and points at some of what is in it: labels appear at the mouse."""
        charts = self.place(f"{region} [data-plot]")
        expect(charts).not_to_have_count(0)
        pointed = 0
        for chart in charts.all():
            chart.scroll_into_view_if_needed()
            expect(chart.locator(".main-svg").first).to_be_visible()
            points = chart.locator(".point, .points path, .point path, .hm image").all()
            for point in points[:POINTED_AT]:
                box = point.bounding_box()
                if box:
                    self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=2)
                    pointed += 1
            assert_unharmed(self.page, self.watch)
        assert pointed > 0

    def opens_share(self, prefix: str) -> None:
        """Opens the drawer of downloads and copies, unless it is open: what it says of itself is some frames old."""
        drawer = self.place(f"#{prefix}share-drawer > button")
        if not drawer.evaluate("button => button.classList.contains('open')"):
            self.press(drawer)

    def copies(self, prefix: str) -> None:
        """Takes every copy of a table."""
        self.opens_share(prefix)
        for kind in COPIES:
            self.press(self.place(f"#{prefix}cite" if kind == "BibTeX" else f"#{prefix}copy-{kind.lower()}"))
            expect(self.place(f"#{prefix}copy-text")).to_contain_text(MARKED if kind != "BibTeX" else "Plumbline")
            assert_unharmed(self.page, self.watch)

    def downloads(self, prefix: str, folder: Path) -> None:
        """Takes a table as CSV, whose texts no spreadsheet may run, and as JSON, which keeps them as they are."""
        self.opens_share(prefix)
        for kind in ("csv", "json"):
            with self.page.expect_download() as started:
                self.press(self.place(f"#{prefix}download-{kind}"))
            started.value.save_as(folder / f"shown.{kind}")
        shown = (folder / "shown.csv").read_text(encoding="utf-8")
        assert MARK in shown
        assert formulas(shown) == []
        assert MARK in json.dumps(json.loads((folder / "shown.json").read_text(encoding="utf-8")))


@pytest.fixture
def visit(page: Page, hostile_url: str) -> Visit:
    return Visit(page, hostile_url)


def test_the_overview(visit: Visit) -> None:
    visit.open()
    visit.sees("#overview")


def test_the_robustness_board_with_its_charts_copies_and_downloads(visit: Visit, tmp_path: Path) -> None:
    visit.open(tab="robustness", set="eloquent-2024")
    visit.sees("#board-table")
    visit.copies("")
    visit.downloads("", tmp_path)
    visit.points_at_charts("#board-charts")
    visit.place("#search textarea, #search input").first.fill(PAYLOADS[1][:20])
    visit.sees("#board-table")


def test_a_system_its_items_pairs_and_comparison(visit: Visit) -> None:
    visit.open(tab="robustness", set="eloquent-2024")
    visit.press(visit.first_row("#board-table"))
    visit.sees("#system-notice")
    visit.press(visit.place("#items-table tbody th [data-open]", has_text="001"))
    visit.sees("#item .answer", "#item")
    expect(visit.place("#item")).to_contain_text("[U+202E]")
    visit.press(visit.page.get_by_role("button", name="← All items"))
    visit.place("#compare-with input").click()
    visit.page.get_by_role("option").filter(has_text=MARK).first.click()
    visit.sees("#comparison-notice", "#compared-items")
    visit.points_at_charts("#chart-comparison")


def test_a_question_of_2025_with_its_pairs(visit: Visit) -> None:
    visit.open(tab="consistency")
    visit.press(visit.first_row("#consistency-board-table"))
    visit.sees("#run-notice")
    visit.press(visit.place("#run-parts-table tbody th [data-open]").first)
    visit.sees("#item .prompt", "#item .turn .answer", "#item .opened-pair .answer")
    visit.press(visit.place("#item button[data-pair]").last)
    visit.sees("#item .opened-pair .answer")


def test_a_base_question_of_2026_with_its_pairs(visit: Visit) -> None:
    visit.open(tab="cultural")
    visit.press(visit.first_row("#cultural-board-table"))
    visit.sees("#run-notice")
    visit.press(visit.place("#run-parts-table tbody th [data-open]").last)
    visit.sees("#base-question .prompt", "#base-question .answer")
    visit.press(visit.place("#base-question button[data-pair]").last)
    visit.sees("#base-question .two-by-two .prompt", "#base-question .two-by-two .answer")


def test_judges_and_a_judge(visit: Visit, tmp_path: Path) -> None:
    visit.open(tab="judges", benchmark="own-3")
    visit.sees("#judges-board-table")
    visit.copies("judges-")
    visit.downloads("judges-", tmp_path)
    visit.points_at_charts("#judge-charts")
    visit.points_at_charts("#judges-board-charts")
    visit.press(visit.first_row("#judges-board-table"))
    visit.sees("#judge-notice", "#judge-cards", "#tasks-table")


def test_personalization_down_to_an_answer(visit: Visit, tmp_path: Path) -> None:
    visit.open(tab="personalization")
    visit.sees("#personalization-board-table")
    visit.copies("personalization-")
    visit.downloads("personalization-", tmp_path)
    visit.points_at_charts("#personalization-charts")
    visit.press(visit.first_row("#personalization-board-table"))
    visit.sees("#row-notice", "#examples-table")
    visit.press(visit.place("#examples-table tbody th [data-open]").first)
    visit.sees("#example", "#example .variant")


@pytest.mark.parametrize(("kind", "prefix"), [("personalized_ratings", "ratings-"), ("personalized_pairs", "pairs-")])
def test_evaluators_down_to_a_reading(visit: Visit, tmp_path: Path, kind: str, prefix: str) -> None:
    visit.open(tab=kind)
    visit.sees(f"#{prefix}board-table")
    visit.copies(prefix)
    visit.downloads(prefix, tmp_path)
    visit.points_at_charts(f"#{prefix}board-charts")
    visit.press(visit.first_row(f"#{prefix}board-table"))
    visit.sees("#evaluator-notice", "#predictions-table")
    visit.press(visit.place("#predictions-table tbody th [data-open]").first)
    visit.sees("#reading")


def test_recommenders_down_to_a_dialogue(visit: Visit, tmp_path: Path) -> None:
    visit.open(tab="behavior")
    visit.sees("#behavior-board-table")
    visit.copies("behavior-")
    visit.downloads("behavior-", tmp_path)
    visit.points_at_charts("#behavior-board-charts")
    visit.press(visit.first_row("#behavior-board-table"))
    visit.sees("#recommender-notice", "#dialogues-table")
    visit.press(visit.place("#dialogues-table tbody th [data-open]").first)
    visit.sees("#dialogue")


def test_the_queue_a_ticket_that_failed_and_one_that_is_scored(visit: Visit) -> None:
    visit.open(tab="queue")
    visit.sees("#tickets", "#workers", "#pause-notice", "#acts")
    visit.open(ticket="failed")
    visit.sees("#ticket")
    expect(visit.place("#ticket")).to_contain_text("[U+202E]")
    visit.open(tab="queue")
    visit.press(visit.place("#tickets tbody tr", has_text="scored").locator("a, button").first)
    visit.sees("#ticket")


def test_the_desk_with_a_file_that_is_refused(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / f"{PAYLOADS[10]}{PAYLOADS[1]}.json"
    file.write_bytes(faulty_file())
    visit.open(tab="submit")
    visit.place("#submission-file input[type=file]").set_input_files(file)
    expect(visit.place("#decision")).to_contain_text("Refused")
    visit.place("#problems button[data-show]").evaluate_all("all => all.forEach((one) => one.click())")
    visit.sees("#problems", "#problems .excerpt mark")
    expect(visit.place("#problems")).to_contain_text("[U+202E]")


def test_the_desk_with_a_file_that_is_taken(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / f"{PAYLOADS[2]}.json"
    file.write_bytes(robustness_file(Poison(7)))
    visit.open(tab="submit")
    for field, name in zip(("team", "system", "model", "run"), astuple(names(9)), strict=True):
        visit.place(f"#name-{field} textarea, #name-{field} input").first.fill(name)
    visit.place("#submission-file input[type=file]").set_input_files(file)
    expect(visit.place("#decision")).to_contain_text("Accepted")
    visit.sees("#preview")
    visit.press(visit.page.get_by_role("button", name="Submit", exact=True))
    visit.sees("#receipt")
    visit.press(visit.place("#receipt").get_by_role("link", name="Open the ticket"))
    visit.sees("#ticket")


def test_the_lab_live_and_saved(visit: Visit, tmp_path: Path) -> None:
    preferences = {f"preference_{place}": f"{text} answer" for place, text in enumerate(PAYLOADS[10:17], start=1)}
    visit.open(
        tab="lab",
        question=f"{PAYLOADS[1]} {TURNED}",
        option_1=PAYLOADS[2],
        option_2=PAYLOADS[12],
        gold="A",
        relevant="1",
        **preferences,
    )
    expect(visit.place("#preference-list textarea")).to_have_count(len(preferences))
    visit.sees()
    visit.press(visit.page.get_by_role("button", name="Run", exact=True))
    expect(visit.place("#lab-status .run-status")).to_contain_text("Done.")
    visit.sees("#lab-answer-1 .lab-text", "#lab-prompts")
    with visit.page.expect_download() as started:
        visit.press(visit.page.get_by_role("button", name="Export session (JSON)"))
    started.value.save_as(tmp_path / "session.json")
    visit.page.get_by_test_id("Load exported session-upload-button").set_input_files(tmp_path / "session.json")
    # The answers of the run itself are still shown: without this line the second file would be given before the first
    # is read, and nothing takes a file while another is being read.
    expect(visit.place("#lab-file-notice")).to_contain_text("1 run loaded.")
    visit.sees("#lab-setup", "#lab-answer-1 .lab-text")
    faulty = tmp_path / f"{PAYLOADS[4].replace('/', '')}.json"
    faulty.write_bytes(json.dumps({PAYLOADS[0]: PAYLOADS[1], "kind": PAYLOADS[2]}).encode())
    visit.page.get_by_test_id("Load exported session-upload-button").set_input_files(faulty)
    expect(visit.page.get_by_text("This file cannot be loaded.")).to_be_visible()
    visit.sees()


def test_the_lab_replaying_what_teams_sent(visit: Visit) -> None:
    visit.open(tab="lab")
    visit.press(visit.page.get_by_role("radio", name="Replay: stored answers"))
    visit.sees("#lab-setup", "#lab-answer-1 .who", "#lab-answer-1 .lab-text")


PARAMETERS = (
    *("set", "view", "variation", "language", "system", "item", "pair", "against", "benchmark", "judge", "agreement"),
    *("setting", "dataset", "answers", "outcome", "example", "collection", "k", "evaluator", "answered", "reading"),
    *("conversations", "basis", "recommender", "dialogue", "sort", "direction", "search", "page", "columns", "ticket"),
    *("queue_page", "section", "a", "b", "question", "gold", "replay_example", "logs", "strange"),
)


@pytest.mark.parametrize("tab", TABS)
def test_links_whose_every_parameter_is_a_payload(visit: Visit, tab: str) -> None:
    start = 3 * TABS.index(tab) % len(PAYLOADS)
    named = (name for name in PARAMETERS if name != "ticket" or tab == "queue")
    visit.open(tab=tab, **dict(zip(named, cycle(PAYLOADS[start:]))), **{PAYLOADS[start]: PAYLOADS[start]})
    expect(visit.page.locator("#pages [aria-current=page]")).to_be_visible()
    visit.sees("#link-notice")


def test_the_methods(visit: Visit) -> None:
    for section, place in (("", "#methods"), ("robustness", "#methods"), ("practice", "#practice")):
        visit.open(tab="about", section=section)
        expect(visit.place(place)).to_be_visible()
        visit.sees()
