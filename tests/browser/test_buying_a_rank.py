"""A team tries to buy a rank with 29 files, on a board of 46 rows, and reads what came of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from submissions.store.store import Store
from tests.bought_ranks import BOUGHT, BUYER, COPIED, EXAMPLES, POLITE, fill
from tests.browser.conftest import running_app, serious_violations


@pytest.fixture(scope="module")
def bought_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an app whose demonstration board has 12 baselines, 5 honest systems and the 29 files of the buyers."""
    data = tmp_path_factory.mktemp("bought")
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    fill(store)
    store.close()
    yield from running_app(data, {"PLUMBLINE_DEMONSTRATION": "0", "PLUMBLINE_WORKERS": "0"})


def row_of(page: Page, system: str) -> Locator:
    name = page.get_by_role("button", name=system, exact=True)
    return page.locator("#board-table tbody tr").filter(has=name)


@dataclass(frozen=True, slots=True)
class ShownRow:
    """What a reader of the board sees of a row."""

    classes: list[str]
    rank: str
    score: float
    raw: float
    flags: str
    note: str


READ_ROWS = """(rows) => rows.map((row) => {
  const said = (key) => row.querySelector(`.column-${key}`).textContent.trim();
  const name = row.querySelector('th [data-open]').textContent.trim();
  return [name, [...row.classList], said('rank'), said('score'), said('raw'), said('flags'), said('note')];
})"""


def shown_rows(page: Page) -> dict[str, ShownRow]:
    """System -> its row, of all rows with a score."""
    found = page.locator("#board-table tbody tr[data-row]").evaluate_all(READ_ROWS)
    return {
        name: ShownRow(classes, rank, float(score.split()[0]), float(raw.split()[0]), flags, note)
        for name, classes, rank, score, raw, flags, note in found
        if not score.startswith("n/a")
    }


def test_a_team_that_answers_nothing_is_told_why_it_has_no_rank_and_stands_below_whoever_answers(
    page: Page, bought_url: str
) -> None:
    page.goto(f"{bought_url}/?set=demonstration&baselines=shown")
    rows = page.locator("#board-table tbody tr[data-row]")
    expect(rows).to_have_count(46)

    # The order of the board: who says the same each time, who answers, and nobody else.
    found = shown_rows(page)
    places = [name for name, row in found.items() if row.rank]
    # Eight items are too few to tell from a few words of the topic: flotsam, which answers badly, and tide once
    # courtesy hides two of its answers.
    assert set(places) == {COPIED, *EXAMPLES} - {"flotsam"}
    for name in ("flotsam", POLITE):
        assert "not ranked: not separable from baseline: Baseline: topic words" in found[name].note
    assert (places[0], found[COPIED].rank.split("-")[0], places[-1]) == (COPIED, "1", "tide")
    assert found[COPIED].score >= 4  # one good answer to every wording is consistent
    assert found[POLITE].score < found["tide"].score  # ninety words of courtesy in every answer buy nothing

    # Each bought row: below all that answer whatever it had without the gate, flagged, without a rank, and told why.
    bought = [found[name] for name in BOUGHT]
    assert max(row.score for row in bought) < found["flotsam"].score
    assert all("unranked-row" in row.classes and not row.rank for row in bought)
    assert all("no answer" in row.flags for row in bought)
    assert all("not ranked: not separable from baseline: Baseline: " in row.note for row in bought)
    assert sum(row.raw == 5 for row in bought) > len(bought) / 2  # alike they were: it is the gate that takes the score

    # The team opens the row on which it had set most.
    encyclopaedia = row_of(page, "encyclopaedia")
    note = encyclopaedia.locator(".column-note")
    note.locator("summary").click()
    expect(note.locator("details")).to_have_attribute("open", "")
    assert serious_violations(page) == {}
    encyclopaedia.get_by_role("button", name="encyclopaedia", exact=True).press("Enter")
    expect(page.locator("#system-notice")).to_contain_text(f"encyclopaedia · {BUYER}")
    expect(page.locator("#system-notice")).to_contain_text("Score 0.00")
    reasons = page.locator("#rank-reasons")
    expect(reasons).to_contain_text("Not ranked")
    expect(reasons).to_contain_text("Not separable from baseline: Baseline: ")
    expect(reasons).to_contain_text("14 of 16 responses are no answer to their prompt")
    expect(page.locator("#items-table tbody tr")).to_have_count(8)
    expect(page.locator("#items-table tbody td.column-flags").first).to_contain_text("no answer")
    expect(page.locator("#system-card .standings")).to_contain_text("score 0.00")
    assert serious_violations(page) == {}

    # How often its account has tried stands beside every row, whatever the files are called.
    page.goto(f"{bought_url}/?set=demonstration&search={BUYER}&columns=system,account_attempts")
    expect(rows).to_have_count(29)
    expect(rows.first.locator(".column-account_attempts")).to_have_text("29")
