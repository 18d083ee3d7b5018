"""What people come for, each with the presses it takes: from the Overview, from a board, from a page of a system."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import (
    ROOT,
    SCORED_WITHIN_MS,
    draw_chart,
    expect_baselines,
    expect_no_sideways_scroll,
    expect_rows_on_the_first_screen,
)

QUALITY = ROOT / "evaluator" / "judge_quality"


class Visitor:
    """Somebody whose presses are counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.presses = 0

    def press(self, target: Locator) -> None:
        self.presses += 1
        target.click()

    def starts_again(self) -> None:
        self.presses = 0


def board_link(page: Page, title: str) -> Locator:
    return page.locator("#overview .standing h2").get_by_role("link", name=title, exact=True).first


def test_who_leads_what_is_real_how_far_to_trust_the_judge_and_why_one_is_below_another(page: Page) -> None:
    visitor = Visitor(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/")
    real = page.locator("#overview .overview > .standings-now")
    published = real.locator(".standing", has_text="Position bias").locator(".leaders .row-mark")
    expect(published).to_have_text("published")
    # Table 2 of arXiv 2406.07791: three judges on MT-bench's 80 questions, GPT-4 the most consistent.
    standing = real.locator(".standing", has_text="Position bias")
    expect(standing).to_contain_text("Most consistent of three judges on 80 questions.")
    expect(standing.locator(".leaders")).to_contain_text("gpt-4-0613")
    # On the first screen; below it stand boards on which other stories put files meanwhile.
    leader = published.bounding_box()
    assert leader is not None
    assert leader["y"] + leader["height"] <= 900
    examples = page.locator("#overview .examples .standing", has_text="Robustness")
    expect(examples.locator(".leaders .row-mark").first).to_have_text("by us", timeout=SCORED_WITHIN_MS)
    expect(examples.locator(".leaders .digits").first).to_have_text(re.compile(r"^\d\.\d\d \[.+\]$"))
    assert visitor.presses == 0

    visitor.press(board_link(page, "Robustness"))
    systems = page.locator("#board-table tbody tr:not(.null-row)")
    expect(systems.first.locator("th")).to_contain_text("(written by us)")
    assert visitor.presses == 1

    # Who may be first: everybody whose places begin at 1, in the order of the scores.
    may_be_first = [
        row.locator("th [data-open]").inner_text()
        for row in systems.all()
        if re.fullmatch(r"1(-\d+)?", row.locator(".column-rank").inner_text().strip())
    ]
    leader_sentence = page.locator("#board-table .leader")
    for name in may_be_first[:3]:
        expect(leader_sentence).to_contain_text(name)
    expect(leader_sentence).to_contain_text(re.compile("may be first|is the clear leader|is first, but not separable"))

    second = systems.nth(1)
    keeps = f"{second.locator('th [data-open]').inner_text()} keeps {second.locator('.column-score').inner_text()}"
    ranks = [row.locator(".column-rank").inner_text().strip() for row in systems.all()]
    visitor.press(second.locator("th [data-open]"))
    expect(page.locator("#system-notice li").first).to_contain_text(f"{keeps} of 5 points when only the style changes")
    # Why it stands where it stands: those that rank above, those below, and the others that share its places.
    ranked = sum(rank[:1].isdigit() for rank in ranks)
    low, high = (int(place) for place in (ranks[1].split("-") * 2)[:2])
    above, below = low - 1, ranked - high
    reasons = page.locator(".rank-reasons")
    expect(reasons.locator(".notice-title")).to_have_text(f"Rank {ranks[1]} of {ranked}")
    expect(reasons).to_contain_text(
        f"{above} {'system ranks' if above == 1 else 'systems rank'} above, {below} below, "
        f"{ranked - 1 - above - below} tied."
    )
    # How far to trust the judge: its shipped measurement, whose makers did not write this page.
    measured = json.loads((QUALITY / "pair_quality.json").read_text(encoding="utf-8"))["quality"]
    of_people = json.loads((QUALITY / "pair_people.json").read_text(encoding="utf-8"))["figures"]["same_answer"]
    for figures, pairs in ((measured, "522 pairs"), (of_people, "1,200 pairs")):
        told = [
            f"{label} {figure['value']:.2f} [{figure['low']:.2f}, {figure['high']:.2f}]"
            for label, figure in (("accuracy", figures["accuracy"]), ("AUC", figures["auc"]))
        ]
        expect(page.locator("#system-notice")).to_contain_text(f"{told[0]}, {told[1]} on {pairs}")
    assert visitor.presses == 2
    # The items stand worst first: the next press opens the worst one, with its worst pair in both orders.
    item = page.locator("#items-table tbody tr").first
    score, raw = (item.locator(f".column-{figure}").inner_text() for figure in ("score", "raw"))
    visitor.press(item.locator("th [data-open]"))
    expect(page.locator("#item .item-sentence")).to_contain_text(f"agree at {raw} of 5 on average, least between ")
    if score != raw:
        expect(page.locator("#item .item-sentence")).to_contain_text(f"; {score} after the relevance check, as ")
    worst = page.locator("#item tr.worst-row").first
    expect(worst).to_contain_text("worst pair")
    for cell in worst.locator("td.number").all()[:2]:
        expect(cell).to_have_text(re.compile(r"^\d\.\d\d$"))
    assert visitor.presses == 3
    address = page.url
    expect(page.locator("#view-link a")).to_have_attribute("href", re.compile("item="))
    page.goto(address)  # the address is the link to exactly this
    expect(page.locator("#item tr.worst-row").first).to_be_visible()


def test_two_systems_are_compared_and_the_variation_that_hurts_most_is_seen(page: Page) -> None:
    visitor = Visitor(page)
    page.goto("/robustness?set=demonstration")
    systems = page.locator("#board-table tbody tr:not(.null-row)")
    expect(systems.nth(3)).to_be_visible(timeout=SCORED_WITHIN_MS)
    expect_baselines(page.locator("#board-table"), 12)
    expect_rows_on_the_first_screen(page.locator("#board-table"))
    page.set_viewport_size({"width": 1280, "height": 720})
    visitor.press(systems.first.locator("th [data-open]"))
    visitor.press(page.get_by_label("Compare with"))
    visitor.press(page.get_by_role("option").nth(1))
    compared = page.locator("#compared-items tbody tr")
    expect(compared.first).to_be_visible()
    assert visitor.presses == 3
    ahead = [row.locator("td").nth(3).inner_text() for row in compared.all()]  # of each item the name, or "level"
    for name in {*ahead} - {"level"}:
        expect(page.locator("#comparison-notice")).to_contain_text(
            re.compile(rf"{name} (is ahead )?on {ahead.count(name)}\b")
        )
    expect(page.locator("#comparison-notice")).to_contain_text(f"; {ahead.count('level')} level.")

    page.goto("/robustness?set=demonstration")
    visitor.starts_again()
    visitor.press(page.locator("#board-table caption").get_by_role("link", name="Scores by variation"))
    expect(page.locator("table thead th.system").first).to_be_visible(timeout=SCORED_WITHIN_MS)
    assert visitor.presses == 1
    variations = page.locator(".atlas-variations tr:not(.part)")
    hardest, easiest = variations.first, variations.last  # the hardest stand on top
    expect(page.locator(".atlas-said").filter(has_text="Hardest variation")).to_have_text(
        re.compile(
            rf"Hardest variation: {hardest.locator('th').inner_text()}, {hardest.locator('.mean').inner_text()} on "
            rf"average over \d+ systems; easiest: {easiest.locator('th').inner_text()}, "
            rf"{easiest.locator('.mean').inner_text()} on average"
        )
    )


def test_a_position_bias_is_read_and_a_table_and_a_chart_are_taken_along(page: Page) -> None:
    visitor = Visitor(page)
    page.goto("/")
    visitor.press(board_link(page, "Position bias"))
    gpt_4 = page.locator("#judges-board-table tbody tr", has_text="gpt-4-0613")
    # Table 2 of arXiv 2406.07791, recomputed from its verdicts: consistency .82, and no side is favoured.
    expect(gpt_4.locator(".column-position_consistency")).to_contain_text("0.82 [")
    expect(gpt_4.locator(".column-preference_fairness")).to_contain_text("no clear position preference")
    assert visitor.presses == 1

    visitor.press(gpt_4.locator("[data-open]"))
    # The interval of the same figure, in percent: 0.787 to 0.842.
    expect(page.locator("#judge-notice li").first).to_have_text(
        "gpt-4-0613 gives the same verdict in both orders for 82% [79, 84] of pairs; it has no clear preference for a "
        "position."
    )
    assert visitor.presses == 2
    page.go_back()

    visitor.starts_again()
    visitor.press(page.get_by_role("button", name="Share / export"))
    visitor.press(page.locator("#judges-copy-latex"))
    copied = page.locator("#judges-copy-text pre")
    expect(copied).to_contain_text("\\toprule")
    # The same figures as on the page, without our baselines: a paper takes it as it is.
    row = next(line for line in copied.inner_text().splitlines() if "gpt-4-0613" in line)
    assert "0.82" in row
    assert "[0.79, 0.84]" in row
    assert "Baseline" not in copied.inner_text()
    assert visitor.presses == 2

    visitor.starts_again()
    chart = page.locator("#judges-board-charts section.chart").first
    draw_chart(chart)
    with page.expect_download() as started:
        visitor.press(chart.get_by_role("button", name="SVG"))
    drawing = Path(started.value.path()).read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    for said in (chart.locator("h3").inner_text(), "MT-bench, A, B or tie", "/judges"):
        assert said in drawing
    assert visitor.presses == 1
    visitor.press(chart.get_by_role("link", name="Link"))
    expect(page).to_have_url(re.compile("#judges-chart-"))
    page.reload()
    expect(chart).to_be_in_viewport()
    expect(chart.locator(".main-svg").first).to_be_visible()
    # It leads there once: what is chosen later leaves the page where it is.
    header = page.locator("#judges-board-table thead").get_by_role("button", name="Judge")
    header.click()
    expect(page).to_have_url(re.compile("sort=judge.*#judges-chart-"))
    page.wait_for_timeout(1500)  # charts are drawn anew meanwhile
    expect(header).to_be_in_viewport()


def test_a_template_is_three_presses_away(page: Page) -> None:
    visitor = Visitor(page)
    page.goto("/")
    visitor.press(page.locator("#pages").get_by_role("link", name="Submit", exact=True))
    visitor.press(page.get_by_role("button", name="Start from a template"))
    with page.expect_download() as started:
        visitor.press(page.get_by_role("button", name="Submission template"))
    assert visitor.presses == 3
    assert started.value.suggested_filename == "eloquent-2024-template.json"
    # The test set of 2024 has 16 items with 103 variants: an empty response for each.
    template = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    items = template["eloquent-robustness-results"]["items"]
    assert [item["id"] for item in items] == [f"{number:03}" for number in range(1, 17)]
    assert [response for item in items for response in item["responses"]] == [{"response": ""}] * 103


def test_the_top_five_are_one_press_away_on_a_phone(page: Page) -> None:
    visitor = Visitor(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/")
    visitor.press(board_link(page, "Robustness"))
    cards = page.locator("#board-table tbody tr")
    expect_baselines(page.locator("#board-table"), 12)
    leaders = page.locator("#board-table .leader")
    expect(leaders).to_contain_text(cards.first.locator("th [data-open]").inner_text())
    for place in range(4):  # our four examples stand above every baseline
        expect(cards.nth(place).locator("th [data-open]")).to_be_visible()
        expect(cards.nth(place).locator(".column-score .drawn, .column-score").first).to_be_visible()
        expect(cards.nth(place).locator(".column-raw")).to_be_hidden()
    expect_no_sideways_scroll(page)
    assert visitor.presses == 1
