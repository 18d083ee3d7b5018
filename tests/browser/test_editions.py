"""Somebody reads the boards of the later editions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from evaluator.seeding.null_rows import null_questions
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.store.store import Store
from tests.browser.conftest import SCORED_WITHIN_MS, open_baselines, running_app, serious_violations
from tests.unit.leaderboard.boards.editions.test_screen import question_file
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped

SETTINGS = {"PLUMBLINE_JUDGES": "scripted", "PLUMBLINE_EMBEDDING": "scripted", "PLUMBLINE_DEMONSTRATION": "0"}
NULL_ROWS = len({null.names.system for null in null_questions({"en": {"1": "How do I boil rice?"}})})


@pytest.fixture(scope="module")
def editions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app with a 2025 run in two languages, another in one, and a partial zip of 2026."""
    data = tmp_path_factory.mktemp("editions")
    sets = tmp_path_factory.mktemp("registered")
    for language in ("en", "fi"):
        (sets / f"{language}_2025.json").write_bytes(question_file("any", language, 3))
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    desk = Desk(store, Archive(data / "archive"), PromptSets.load(None))
    for system, language in (("keel", "en"), ("keel", "fi"), ("early", "en")):
        desk.submit(question_file(system, language, 3), f"{system}_{language}.json", owner="local")
    desk.submit(zipped(run_files()), "aurora.zip", owner="local")
    store.close()
    yield from running_app(data, SETTINGS | {"PLUMBLINE_ELOQUENT_DIR": str(sets)})


def test_a_visitor_changes_the_edition_and_opens_a_run(page: Page, editions: str) -> None:
    page.goto(f"{editions}/?tab=robustness")
    page.locator("#pages-beside").get_by_role("link", name="2025: between languages").click()
    expect(page).to_have_url(re.compile("/consistency$"))
    table = page.locator("#consistency-board-table table")
    expect(table.locator("tbody tr", has_text="early")).to_contain_text(
        "answers in one language (en)", timeout=SCORED_WITHIN_MS
    )
    # 20 questions of 10/3 each; one more at either end weighs up to w = 1 - 0.025^(1/20): 10/3 (1 - w), 10/3 + 5/3 w.
    expect(table.locator("tbody tr").first).to_contain_text("3.33 [2.77, 3.61]")
    # A row that is scored while somebody reads another stands there when they come back, and moves what is below it.
    open_baselines(table, NULL_ROWS)
    nulls = table.locator("tbody tr.null-row")
    expect(nulls.filter(has_text="answers in one language")).to_have_count(0, timeout=SCORED_WITHIN_MS)
    expect(page.locator("#board")).to_be_hidden()
    assert serious_violations(page) == {}

    table.get_by_role("button", name="keel").click()
    expect(page.locator("#run-notice")).to_contain_text("keel")
    expect(page.locator("#run-languages-table tbody tr")).to_have_count(2)
    expect(page.locator("#run-parts-table tbody tr")).to_have_count(20)
    card = page.locator("#run-model-card").filter(visible=True)
    card.get_by_text("Put this on your model card").click()
    expect(card.get_by_role("region", name="YAML")).to_contain_text("task_id: consistency/2025")
    expect(card).to_contain_text("none is set here")
    page.get_by_role("button", name="← Board").click()
    expect(table).to_be_visible()
    table.get_by_role("button", name="early").click()  # which is not ranked
    card.get_by_text("Put this on your model card").click()
    expect(card).to_contain_text("No entry: consistency/2025: not ranked: answers in one language (en)")
    expect(card.get_by_role("region", name="YAML")).to_have_count(0)
    page.get_by_role("button", name="← Board").click()
    expect(table).to_be_visible()

    page.locator("#pages-beside").get_by_role("link", name="2026: culture").click()
    cultural = page.locator("#cultural-board-table table")
    expect(cultural.locator("tbody tr", has_text="aurora")).to_contain_text("a rank needs 5 languages")
    page.reload()
    expect(page.locator("#pages-beside [aria-current=page]")).to_have_text("2026: culture")
    expect(cultural).to_be_visible()
    page.locator("#pages-beside").get_by_role("link", name="2024: variants of one question").click()
    expect(page.locator("#board")).to_be_visible()
    expect(cultural).to_be_hidden()
