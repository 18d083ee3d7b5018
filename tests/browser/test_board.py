"""Somebody reads the board."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Error, Locator, Page, Route, expect

from tests.browser.conftest import expect_baselines, open_baselines, violations_for_anybody

EVENTS = "() => window.gradio_config.dependencies.map(({id, targets}) => ({id, targets}))"
"""Events of the page with the components and triggers they belong to."""
IDS = "() => Object.fromEntries(window.gradio_config.components.map(({id, props}) => [props.elem_id, id]))"
"""The component with each elem_id."""


def open_board(page: Page) -> Locator:
    """The demonstration board once our four example systems and the baselines stand on it."""
    page.goto("/?set=demonstration")
    table = page.locator("#board-table table")
    expect_baselines(table, 12)
    return table


def test_a_visitor_reads_sorts_and_searches_the_board(page: Page) -> None:
    table = open_board(page)
    header = table.get_by_role("columnheader", name="Score")
    expect(header).to_have_attribute("aria-sort", "descending")
    placed = table.locator("tbody tr:not(.unranked-row) td.column-score").all_inner_texts()
    values = [float(text.split()[0]) for text in placed if text != "n/a"]
    assert values == sorted(values, reverse=True)

    header.get_by_role("button").press("Enter")  # with the keyboard
    expect(header).to_have_attribute("aria-sort", "ascending")
    expect(header.get_by_role("button")).to_be_focused()
    expect(page).to_have_url(re.compile("direction=ascending"))

    name = table.locator("tbody th [data-open]").first.inner_text()
    page.locator("#search textarea, #search input").fill(f"{name}; nobody at all")
    expect(table.locator("tbody tr")).to_have_count(1)
    page.locator("#search textarea, #search input").fill("nobody at all")
    expect(page.locator("#board-table")).to_contain_text("press Reset")
    page.get_by_role("button", name="Reset").click()
    expect_baselines(table, 12)
    expect(header).to_have_attribute("aria-sort", "descending")


def test_baselines_are_one_line_that_opens_and_the_link_keeps_it(page: Page) -> None:
    table = open_board(page)
    line, baselines = table.locator(".fold-row button"), table.locator("tr.null-row[data-row]")
    systems = table.locator("tbody th [data-open]").all_inner_texts()
    expect(line).to_have_attribute("aria-expanded", "false")
    expect(line).to_have_text(re.compile(r"^12 baselines, best \d\.\d\d \[\d\.\d\d, \d\.\d\d\]$"))
    expect(baselines).to_have_count(0)
    line.press("Enter")
    expect(baselines).to_have_count(12)
    expect(line).to_be_focused()
    expect(line).to_have_attribute("aria-expanded", "true")
    expect(page).to_have_url(re.compile("baselines=shown"))
    # Sorted by score, the first of them is the best, and its score is the one on the line.
    best = baselines.first.locator("td.column-score").inner_text().strip()
    expect(line).to_have_text(f"12 baselines, best {best}")
    assert table.locator("tbody th [data-open]").count() == len(systems) + 12
    page.reload()
    expect(baselines).to_have_count(12)
    assert violations_for_anybody(page) == {}
    line.locator("xpath=..").click()  # the line around the button
    expect(baselines).to_have_count(0)
    expect(page).not_to_have_url(re.compile("baselines="))
    assert table.locator("tbody th [data-open]").all_inner_texts() == systems
    assert violations_for_anybody(page) == {}
    page.emulate_media(media="print")
    expect(line).to_be_visible()  # on paper it is words


def test_the_first_table_comes_with_the_page_and_what_is_pressed_counts_once_it_is_opened(page: Page) -> None:
    table = open_board(page)
    held: list[Route] = []

    def kept(route: Route) -> None:
        held.append(route)

    page.route(re.compile("/gradio_api/run/"), kept)
    header = table.get_by_role("columnheader", name="Score")
    for _ in range(10):  # a page does not wait for a table that is not ready (`first_values.PATIENCE_S`)
        held.clear()
        page.goto("/robustness")
        with suppress(AssertionError):
            expect(header).to_have_attribute("aria-sort", "descending", timeout=5_000)
            break
    expect(page.locator("#view-link a")).to_have_count(0)  # nothing has been answered
    header.get_by_role("button").click()
    wait_until(page, lambda: bool(held))
    page.unroute_all()
    for route in held:  # a slow page asks more than once meanwhile
        route.fallback()
    expect(header).to_have_attribute("aria-sort", "ascending")
    expect(page).to_have_url(re.compile("direction=ascending"))


def test_a_link_that_asks_for_more_never_shows_another_table_first(page: Page) -> None:
    page.route(re.compile("/gradio_api/run/"), lambda route: None)  # never answered
    page.goto("/robustness?sort=team")
    expect(page.locator("#search")).to_be_attached()
    expect(page.locator("#board-table tr")).to_have_count(0)


def test_a_pasted_link_restores_the_view(page: Page) -> None:
    page.goto("/?set=demonstration&view=all&sort=team&direction=ascending&colour=red")
    expect(page.get_by_role("columnheader", name="Team")).to_have_attribute("aria-sort", "ascending")
    drawer = page.get_by_role("button", name="Showing ranking: Demonstration, All languages")
    expect(page.get_by_role("radio", name="All languages")).to_be_hidden()
    drawer.click()
    expect(page.get_by_role("radio", name="All languages")).to_be_checked()
    expect(page.locator("#link-notice")).to_contain_text("colour (red) is unknown here and was ignored")
    expect(page.locator("#view-link a")).to_have_attribute(
        "href", "robustness?set=demonstration&view=all&sort=team&direction=ascending"
    )


def test_a_row_leads_to_its_items_and_an_item_to_its_answers(page: Page) -> None:
    table = open_board(page)
    name = table.locator("tbody th [data-open]").first.inner_text()
    table.locator("tbody tr").first.click()
    expect(page.locator("#system-notice")).to_contain_text(name)
    expect(page.locator("#system-notice")).to_contain_text("judge: agree")
    page.locator("#items-table tbody th [data-open]").first.click()
    item = page.locator("#item")
    expect(item.locator(".variant")).not_to_have_count(0)
    expect(item.locator(".answer").first).not_to_be_empty()
    expect(item.locator("tr.worst-row")).to_contain_text("worst pair")
    other = item.locator("button[data-pair][aria-pressed=false]").first
    other.press("Enter")  # with the keyboard
    expect(page).to_have_url(re.compile("pair="))
    opened = item.locator("button[aria-pressed=true]").first
    expect(item.locator(".opened-pair").first).to_contain_text(f"Variants {opened.inner_text()}")
    expect(item.locator(".opened-pair .details").first).to_contain_text("numbers in conflict")
    assert violations_for_anybody(page) == {}
    page.reload()
    expect(page.locator("#item .variant").first).to_be_visible()
    page.get_by_role("button", name="All items of this system").click()
    page.get_by_role("button", name="← Board").click()
    expect(page.locator("#board-table table")).to_be_visible()


def wait_until(page: Page, is_so: Callable[[], bool]) -> None:
    for _ in range(300):
        if is_so():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it did not come to that within 30 s")


def events_of(page: Page) -> dict[tuple[str, str], int]:
    """elem_id and trigger -> the event that the page sends."""
    names = {id_: name for name, id_ in page.evaluate(IDS).items()}
    sent = ((event["id"], target) for event in page.evaluate(EVENTS) for target in event["targets"])
    return {(names.get(component, ""), trigger): event for event, (component, trigger) in sent}


def fetched(route: Route) -> APIResponse:
    """The server's answer; asked again where the server closed an idle connection just then, as a browser does."""
    return route.fetch(max_retries=1)


def forgotten_by_server(page: Page, trigger: str, of: str) -> None:
    """Answers to that event come as from a server that does not know the visitor any more."""
    event = events_of(page)[of, trigger]

    def answered(route: Route) -> None:
        if json.loads(route.request.post_data or "{}").get("fn_index") != event:
            route.fallback()
            return
        response = fetched(route)
        body = response.json()
        for value in body["data"]:
            if isinstance(value, dict) and "turn" in value:
                value["turn"] = 0
        route.fulfill(response=response, json=body)

    page.route("**/gradio_api/run/predict*", answered)


class LateAnswer:
    """The first answer to an event of the page, long after the server made it; the board seems to change all the time.

    Args:
        trigger: Of the event.
        of: elem_id of the component it belongs to.
    """

    def __init__(self, page: Page, trigger: str, of: str) -> None:
        self.is_drawn_again = False
        self._held: list[tuple[Route, APIResponse]] = []
        events = events_of(page)
        self._tick = next(event for (_, trigger), event in events.items() if trigger == "tick")
        self._held_back, self._late = events[of, trigger], events["view-link", "late"]
        page.route("**/gradio_api/run/predict*", self._answered)

    @property
    def is_on_its_way(self) -> bool:
        return bool(self._held)

    def arrives(self) -> None:
        route, response = self._held[0]
        route.fulfill(response=response)

    def _answered(self, route: Route) -> None:
        event = json.loads(route.request.post_data or "{}").get("fn_index")
        if event == self._tick:
            response = fetched(route)
            route.fulfill(response=response, json=response.json() | {"data": [{"marker": "another"}]})
        elif event == self._held_back and not self._held:
            self._held.append((route, fetched(route)))
        else:
            self.is_drawn_again |= event == self._late
            route.fallback()


def test_who_turns_back_while_a_change_is_drawn_is_not_thrown_forward_again(page: Page) -> None:
    table = open_board(page)
    table.locator("tbody tr").first.click()
    expect(page.locator("#system-notice")).to_contain_text("judge: agree")
    late = LateAnswer(page, "stale", "freshness")
    wait_until(page, lambda: late.is_on_its_way)
    page.get_by_role("button", name="← Board").click()
    expect(page.locator("#board-table table")).to_be_visible()
    late.arrives()
    wait_until(page, lambda: late.is_drawn_again)
    expect(page.locator("#board-table table")).to_be_visible()
    expect(page.locator("#system-view")).to_be_hidden()


def test_who_opens_a_row_stays_there_when_the_answer_to_their_search_comes_after_it(page: Page) -> None:
    table = open_board(page)
    late = LateAnswer(page, "change", "search")
    page.locator("#search textarea, #search input").fill("keel")
    wait_until(page, lambda: late.is_on_its_way)
    table.get_by_role("button", name="keel", exact=True).click()
    notice = page.locator("#system-notice")
    expect(notice).to_contain_text("judge: agree")
    late.arrives()
    wait_until(page, lambda: late.is_drawn_again)
    expect(notice).to_be_visible()
    expect(page.locator("#board-table table")).to_be_hidden()
    expect(page).to_have_url(re.compile("system=.*search=keel"))
    page.get_by_role("button", name="← Board").click()
    expect(table.locator("tbody tr")).to_have_count(1)


def test_what_a_visitor_looks_at_is_found_again_though_the_server_has_forgotten_them(page: Page) -> None:
    open_board(page).get_by_role("button", name="keel", exact=True).click()
    notice = page.locator("#system-notice")
    expect(notice).to_contain_text("judge: agree")
    expect(page).to_have_url(re.compile("system="))
    page.evaluate("window.isWhatItWas = true")
    forgotten_by_server(page, "sort", "board-table")
    page.get_by_role("button", name="← Board").click()
    header = page.locator("#board-table").get_by_role("columnheader", name="Before the relevance check")
    expect(header).to_be_visible()
    header.get_by_role("button").click()
    page.wait_for_function("!window.isWhatItWas")
    expect_baselines(page.locator("#board-table"), 12)
    expect(page).to_have_url(re.compile("set=demonstration"))


def test_a_download_comes_that_was_pressed_while_a_copy_was_being_written(page: Page) -> None:
    open_board(page)
    wanted = {event["id"] for event in page.evaluate(EVENTS) if event["targets"][0][1] == "wanted"}
    held: list[Route] = []

    def answered(route: Route) -> None:
        is_first = not held and json.loads(route.request.post_data or "{}").get("fn_index") in wanted
        held.append(route) if is_first else route.fallback()

    page.route("**/gradio_api/run/predict*", answered)
    page.locator("#share-drawer > button").click()
    page.locator("#cite").click()
    wait_until(page, lambda: bool(held))
    with page.expect_download() as started:
        page.locator("#download-csv").click()
    assert started.value.suggested_filename.endswith(".csv")
    held[0].fallback()
    expect(page.locator("#copy-text")).to_contain_text("@misc", use_inner_text=False)


def test_what_cannot_count_yet_cannot_be_pressed(page: Page) -> None:
    held: list[Route] = []

    def answered(route: Route) -> None:
        route.fallback() if held else held.append(route)

    page.route("**/gradio_api/run/predict*", answered)
    page.goto("/?set=demonstration&tab=robustness")
    wait_until(page, lambda: bool(held))
    drawer = page.locator("#shown-drawer > button")
    with pytest.raises(Error, match="Timeout 1000ms"):
        drawer.click(timeout=1000)
    held[0].fallback()
    drawer.click()
    page.get_by_role("radio", name="All languages").check()
    expect(page).to_have_url(re.compile("view=all"))


def test_downloads_hold_what_is_shown(page: Page, tmp_path: Path) -> None:
    table = open_board(page)
    open_baselines(table, 12)
    shown = table.locator("tbody th [data-open]").all_inner_texts()
    page.locator("#share-drawer > button").click()
    for kind in ("CSV", "JSON"):
        with page.expect_download() as started:
            page.get_by_role("button", name=f"Download {kind}").click()
        started.value.save_as(tmp_path / started.value.suggested_filename)
    with (tmp_path / "plumbline-robustness-demonstration-english.csv").open(encoding="utf-8") as file:
        assert [record["system"] for record in csv.DictReader(file)] == shown
    document = json.loads((tmp_path / "plumbline-robustness-demonstration-english.json").read_text(encoding="utf-8"))
    assert [row["system"] for row in document["rows"]] == shown
