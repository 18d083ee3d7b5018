"""Somebody chooses a judge."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from evaluator.canary.record import canary_folder, opened_record
from evaluator.judge_quality.shipped import shipped_qualities
from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.conftest import (
    SCORED_WITHIN_MS,
    draw_chart,
    draw_charts,
    expect_no_sideways_scroll,
    running_app,
    serious_violations,
)
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, put_into, verdicts

HOSTILE = "<img src=x onerror=alert(1)>`${alert(2)}`"
JUDGES = {
    "steady-1": "AB BA CC AB",
    "last-1": "BB BB AB BA",
    "first-1": "AA AB BA AA AB",
    HOSTILE: "AB BA AA BB",
    "mute-1": "NN",
}
CHARTS = 7


@pytest.fixture(scope="module")
def judges_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app without a worker in whose store verdict tables are scored."""
    data = tmp_path_factory.mktemp("judges")
    app = running_app(data, {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"})
    address = next(app)
    store = Store.open(Settings.from_env({"PLUMBLINE_DATA": str(data)}).resolved_database_url)
    lines = verdicts(JUDGES, queries=480, models=5)
    put_into(
        store,
        [judges_result(lines), judges_result(verdicts({"alone-1": "AB AA"}), benchmark="own", options=2)],
        team="Judging Team",
    )
    store.close()
    yield address
    next(app, None)


def open_judges(page: Page, address: str, query: str = "") -> Locator:
    page.goto(f"{address}/?tab=judges{query}")
    table = page.locator("#judges-board-table table")
    expect(table.locator("tbody tr")).not_to_have_count(0)
    return table


def names(table: Locator) -> list[str]:
    """Judges that were sent, in the order shown."""
    return table.locator("tbody tr:not(.null-row, .published-row) th [data-open]").all_inner_texts()


def wait_for_charts(page: Page) -> None:
    draw_charts(page, "#judge-charts", CHARTS)


def test_fairness_is_sorted_without_its_sign(page: Page, judges_url: str) -> None:
    table = open_judges(page, judges_url)
    expect(table.get_by_role("columnheader", name="Consistency (PC)")).to_have_attribute("aria-sort", "descending")
    assert names(table)[0] == "steady-1"
    header = table.get_by_role("columnheader", name="Fairness (PF)")
    header.get_by_role("button").press("Enter")  # with the keyboard
    expect(header).to_have_attribute("aria-sort", "ascending")
    # |PF|: steady 0 and the hostile one 0 (flips to both sides), first -2/5, last +1/2; mute has none
    assert names(table)[2:] == ["first-1", "last-1", "mute-1"]
    header.get_by_role("button").press("Enter")
    expect(header).to_have_attribute("aria-sort", "descending")
    assert names(table)[:2] == ["last-1", "first-1"]
    assert names(table)[-1] == "mute-1"  # undefined comes last in both directions
    cells = table.locator("tbody tr:not(.null-row, .published-row) td.column-preference_fairness")
    expect(cells.nth(0)).to_contain_text("→ recency")
    expect(cells.nth(1)).to_contain_text("← primacy")
    expect(table.locator("tr:has-text('steady-1') td.column-preference_fairness.faint")).to_contain_text(
        "no clear position preference"
    )
    expect(page).to_have_url(re.compile("sort=preference_fairness"))


def test_the_way_of_comparing_judges_changes_the_map(page: Page, judges_url: str) -> None:
    open_judges(page, judges_url)
    page.locator("#judge-charts").scroll_into_view_if_needed()
    expect(page.locator("#judge-charts .main-svg").first).to_be_visible()
    expect(page.locator("#judge-charts [data-plot]").last).to_be_empty()  # far below: drawn when somebody comes near
    wait_for_charts(page)
    cells = page.locator("#plot-agreement .heatmap-label")
    expect(cells.first).to_be_visible()
    with_ties = cells.all_inner_texts()
    page.get_by_role("radio", name="Cohen's kappa").check()
    expect(page).to_have_url(re.compile("agreement=kappa"))
    # A reader looks at the map: it is drawn anew where somebody is near, and the choice may stand too far above.
    page.wait_for_function(
        """before => {
          document.getElementById('plot-agreement')?.scrollIntoView();
          const labels = [...document.querySelectorAll('#plot-agreement .heatmap-label')].map(e => e.textContent);
          return labels.length && labels.join() !== before.join();
        }""",
        arg=with_ties,
    )
    page.locator("#chart-agreement").locator("summary").click()
    expect(page.locator("#table-agreement table")).to_contain_text("1.00")


def test_a_pasted_link_opens_a_judges_card(page: Page, judges_url: str) -> None:
    table = open_judges(page, judges_url)
    table.get_by_role("button", name="last-1").click()
    card = page.locator("#judge-cards .judge-card")
    expect(card).to_contain_text("last-1")
    expect(card).to_contain_text("→ recency")
    expect(page.locator("#tasks-table table")).to_contain_text("writing")
    assert serious_violations(page) == {}
    page.reload()
    expect(card).to_contain_text("→ recency")
    page.get_by_role("button", name="← Judges").click()
    wait_for_charts(page)
    expect(page.locator("#judge-cards")).not_to_be_visible()
    open_judges(page, judges_url, "&benchmark=own-2&sort=tie_rate&direction=ascending&search=alone")
    expect(page.locator("#judges-notice")).to_contain_text("One judge")
    expect(page.get_by_role("columnheader", name="Ties").first).to_have_attribute("aria-sort", "ascending")
    assert names(page.locator("#judges-board-table table")) == ["alone-1"]
    expect(page.locator("#judges-board-table")).to_contain_text("not ranked: the benchmark is not registered")


def test_another_benchmark_is_another_board(page: Page, judges_url: str) -> None:
    open_judges(page, judges_url, "&benchmark=own-2")
    page.get_by_label("Benchmark").click()
    page.get_by_role("option", name="DevBench").click()
    expect(page.locator("#judges-notice")).to_contain_text("awaiting first submission")
    expect(page.locator("#judges-board-table")).not_to_contain_text("alone-1")
    page.get_by_label("Benchmark").click()
    page.get_by_role("option", name="MT-bench").click()
    expect(page.locator("#judges-board-table")).to_contain_text("steady-1")
    wait_for_charts(page)


def test_a_published_judge_is_marked_wherever_it_stands_and_opens_its_source(page: Page, judges_url: str) -> None:
    table = open_judges(page, judges_url, "&search=gpt-4-0613")
    row = table.locator("tbody tr")
    expect(row.locator("th")).to_contain_text("(published, recomputed)")
    expect(row.locator("td.column-rank")).to_have_text("")
    expect(row.locator("td.column-preference_fairness")).to_contain_text("no clear position preference")
    row.get_by_role("button", name="gpt-4-0613").press("Enter")
    notice = page.locator("#judge-notice")
    expect(notice).to_contain_text("published verdicts, recomputed")
    expect(notice.get_by_role("link")).to_have_attribute("href", "https://arxiv.org/abs/2406.07791")
    expect(page.locator("#models-table tbody tr")).to_have_count(30)
    assert serious_violations(page) == {}


def test_downloads_hold_what_is_shown(page: Page, judges_url: str, tmp_path: Path) -> None:
    table = open_judges(page, judges_url, "&search=-1&filter_kind=judge")
    expect(table.locator("tbody tr[data-row]")).to_have_count(4)
    shown = table.locator("tbody th [data-open]").all_inner_texts()
    page.locator("#judges-share-drawer > button").click()
    for kind in ("csv", "json"):
        with page.expect_download() as started:
            page.locator(f"#judges-download-{kind}").click()
        started.value.save_as(tmp_path / f"shown.{kind}")
        assert started.value.suggested_filename == f"plumbline-judges-mtbench-3.{kind}"
    with (tmp_path / "shown.csv").open(encoding="utf-8") as file:
        assert [record["judge"] for record in csv.DictReader(file)] == shown
    document = json.loads((tmp_path / "shown.json").read_text(encoding="utf-8"))
    assert [row["judge"] for row in document["rows"]] == shown


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious_and_a_phone_scrolls_tables_alone(
    browser: Browser, judges_url: str, colours: Any
) -> None:
    page = browser.new_page(color_scheme=colours)
    table = open_judges(page, judges_url)
    wait_for_charts(page)
    background = page.locator("#plot-plane .main-svg").first.evaluate("svg => getComputedStyle(svg).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is (colours == "light")
    assert serious_violations(page) == {}
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_charts(page)
    expect_no_sideways_scroll(page)
    table.get_by_role("button", name=HOSTILE, exact=True).click()
    expect(page.locator("#judge-cards .judge-card")).to_be_visible()
    expect_no_sideways_scroll(page)
    page.close()


def test_a_teams_verdict_table_becomes_a_row(page: Page, tmp_path: Path) -> None:
    lines = ["judge,benchmark,task,model,query,order,verdict"]
    for query in range(40):
        lines += [f"fresh-judge,home-made,chat,m,{query},original,A", f"fresh-judge,home-made,chat,m,{query},swapped,A"]
    file = tmp_path / "verdicts.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page.goto("/?tab=submit")
    page.get_by_role("button", name="Judge verdicts: how to read the table").click()
    page.get_by_role("radio", name="A or B").check()
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("40 pairs in both orders")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#decision")).to_contain_text("Refused")  # a CSV does not say whose it is
    expect(page.locator("#problems")).to_contain_text("team")
    page.get_by_label("Team").fill("Verdict Team")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#decision")).to_contain_text("Accepted")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.")
    assert serious_violations(page) == {}
    page.get_by_role("link", name="Open the ticket").click()
    link = page.get_by_role("link", name="See its row on the board")
    expect(link).to_be_visible(timeout=SCORED_WITHIN_MS)
    link.click()
    row = page.locator("#judges-board-table tbody tr", has_text="fresh-judge")
    expect(row.locator(".column-position_consistency")).to_contain_text("0.00 [")
    expect(row.locator(".column-preference_fairness")).to_contain_text("← primacy")
    expect(page).to_have_url(re.compile("benchmark=home-made-2"))


def test_a_verdict_shows_both_orders_beside_its_judges_card(page: Page) -> None:
    page.goto("/?set=demonstration")
    rows = page.locator("#board-table tbody tr:not(.unranked-row)")
    expect(rows.first).to_be_visible(timeout=SCORED_WITHIN_MS)
    rows.first.click()
    page.locator("#items-table tbody th [data-open]").first.click()
    verdict_table = page.locator("#item table.verdicts").first
    for header in ("First order", "Second order"):
        expect(verdict_table.get_by_role("columnheader", name=header)).to_be_visible()
    card = page.locator("#item .judge-card").first
    for text in ("pair", "Order gap", "Agreement with people", "Stress test: accuracy"):
        expect(card).to_contain_text(text)
    assert serious_violations(page) == {}


def test_a_visitor_asks_which_judge_to_use(page: Page, judges_url: str) -> None:
    table = open_judges(page, judges_url)
    expect(table.locator("tr:has-text('steady-1')")).to_be_visible()
    expect(table.locator(".column-labelled_agreement")).to_have_count(0)  # none of them runs here
    page.locator("#pages-beside").get_by_role("link", name="Which judge?").click()
    table = page.locator("#quality-board-table table")
    table.locator(".fold-row button").click()
    for name in ("word overlap", "words beyond the question", "MiniLM cosine", "length ratio"):
        expect(table.locator("tr.null-row th [data-open]").get_by_text(name, exact=True)).to_be_visible()
    pair = table.get_by_role("button", name="pair", exact=True)
    expect(pair).to_be_visible()
    assert serious_violations(page) == {}
    pair.click()
    card = page.locator("#quality-cards .judge-card")
    expect(card).to_contain_text("Agreement with people")
    expect(card).to_contain_text("Stress test: 522 labelled pairs by kind of pair")
    expect(card).to_contain_text("CPU seconds")
    expect(card.get_by_role("row", name="negation")).to_be_visible()
    expect(page.locator("#quality-attacks table")).to_contain_text("harmless sentences")
    expect(page.locator("#quality-shared table")).to_contain_text("90 words after")
    draw_chart(page.locator("#plot-calibration"))
    page.locator("#chart-calibration").locator("summary").click()
    expect(page.locator("#table-calibration table")).to_contain_text("2.5 to 3.0")
    assert serious_violations(page) == {}
    page.reload()  # the link opens the same judge
    expect(card).to_contain_text("Calibration error")
    page.get_by_role("button", name="← Which judge?").click()
    expect(table).to_be_visible()
    expect(card).not_to_be_visible()
    page.goto(f"{judges_url}/?tab=judges&judge=labelled/000000000000")  # as links were before it had a board
    page.locator("#judge-notice").get_by_role("link", name="Which judge?").click()
    expect(page).to_have_url(re.compile("/judge_quality"))


def test_a_judge_whose_canary_found_a_change_is_marked_and_shows_its_course(page: Page, tmp_path: Path) -> None:
    judge = next(quality.judge for quality in shipped_qualities() if quality.judge.name == "pair")
    with opened_record(canary_folder(tmp_path), judge, "0" * 64, 40) as record:
        for step in range(1, 18):  # a baseline of seven days
            record.add([4.0] * 40, step)
        record.add([4.0] * 40)
        record.add([0.0] * 20 + [4.0] * 20)
        found = record.read()
    (changed,) = found.alarms
    assert changed.alarm is not None
    for address in running_app(tmp_path, {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"}):
        page.goto(f"{address}/?tab=judge_quality")
        page.locator("#quality-board-table table").get_by_role("button", name="pair", exact=True).click()
        card = page.locator("#quality-cards .judge-card")
        expect(card).to_contain_text(f"judge changed on {changed.alarm.at:%Y-%m-%d}")
        draw_charts(page, "#quality-canary", 1)
        page.locator("#quality-chart-canary").locator("summary").click()
        rows = page.locator("#quality-table-canary table tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("no change")
        expect(rows.last).to_contain_text("judge changed")
        expect(rows.last).to_contain_text("50.0%")  # 20 of the 40 that it repeated
        assert serious_violations(page) == {}


def test_what_cannot_be_compared_stands_under_its_own_heading(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/judges?benchmark=mtbench-3")  # on which nobody submitted, so that nobody has a rank
    expect(page.locator("#view-link a")).to_be_attached()
    table = page.locator("#judges-board-table")
    groups: list[list[float]] = [[]]
    for row in table.locator("tbody tr:not(.fold-row)").all():
        if "group-row" in (row.get_attribute("class") or ""):
            groups.append([])
        else:
            groups[-1].append(float(row.locator("td").first.inner_text().split()[0]))
    assert [len(group) for group in groups] == [3, 6]  # of 80 queries, and of 24
    assert groups == [sorted(group, reverse=True) for group in groups]
    why = "Not comparable with the others: covers 96 of 2400 items (at least 98%)"
    expect(table.locator(".group-row")).to_have_text(why)
    page.set_viewport_size({"width": 390, "height": 844})
    assert table.locator(".table-frame").evaluate("(one) => one.scrollWidth - one.clientWidth") <= 1  # not cut off
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(table.locator(".fold-row")).to_have_text("4 baselines")
    headers = [text.split("\n")[0] for text in table.locator("thead th").all_inner_texts()]
    assert "Rank" not in headers
    # The panel has a box for every column that can be shown, and the name, which always is, has none.
    drawer = page.get_by_role("button", name="Columns (")
    drawer.click()
    boxes = page.locator("#judges-columns").get_by_role("checkbox")
    expect(boxes.and_(page.locator(":checked"))).to_have_count(len(headers) - 1)
    expect(drawer).to_have_accessible_name(re.compile(rf"^Columns \({len(headers) - 1} of {boxes.count()}\)"))
