"""A team submits a whole run of 2026: 21,205 answers in five languages, from the upload to its row on the board."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.random_models import tiny_encoder
from evaluator.embeddings.protocol import text_vectors
from evaluator.embeddings.transformers import EmbeddingModel, TransformersEmbedder
from submissions.promptsets.cultural import cultural_places
from tests.browser.conftest import running_app, serious_violations
from tests.service.handed_in import handed_in, watch
from tests.unit.submissions.formats.eloquent.whole_cultural_run import (
    ANSWERS,
    LANGUAGES,
    ROWS_PER_LANGUAGE,
    answer,
    whole_run,
)

TEXTS = 2 * ANSWERS
"""Every answer and every prompt is another text: what the embedding model reads."""
SCORED_WITHIN_MS = 600_000
"""It takes half a minute with the tiny model, and a minute and a half with the English one, on a core of its own."""

FIGURES = {"csp": "n = 10 pairs of languages", "cd": "n = 101 base questions", "cr": "n = 101 base questions"}
FIGURE = re.compile(r"^\d\.\d\d \[\d\.\d\d, \d\.\d\d\]$")
PROGRESS = re.compile(r"([\d,]+) of ([\d,]+) texts read")


@pytest.fixture(scope="module")
def zip_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "aurora.zip"
    path.write_bytes(whole_run())
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny multilingual embedding model."""
    folder = tmp_path_factory.mktemp("models") / "tiny-multilingual"
    tiny_encoder(folder, languages=LANGUAGES)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of the app."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def multilingual_app(data: Path, model: Path) -> Iterator[str]:
    settings = {"PLUMBLINE_EMBEDDING": f"transformers:{model}", "PLUMBLINE_JUDGES": "scripted"}
    yield from running_app(data, settings | {"PLUMBLINE_DEMONSTRATION": "0"})


@pytest.fixture
def english_app(data: Path) -> Iterator[str]:
    """With the embedded English judge and its embedding model."""
    yield from running_app(data, {"PLUMBLINE_DEMONSTRATION": "0"})


@pytest.mark.soak
def test_a_whole_zip_goes_from_the_upload_to_its_row_with_all_figures(
    page: Page, multilingual_app: str, zip_file: Path, model: Path
) -> None:
    submit(page, multilingual_app, zip_file)
    page.get_by_role("link", name="Open the ticket").click()
    seen = [progress(page)]
    expect(page.locator("#ticket .eta")).to_have_text(re.compile(r"Expected to be scored in: (about )?\d+ (s|min)"))
    for _ in range(2):
        seen.append(progress(page, other_than=seen[-1]))
    assert seen == sorted(seen)
    assert serious_violations(page) == {}
    row = scored_row(page)
    for figure, units in FIGURES.items():
        expect(row.locator(f".column-{figure}")).to_have_text(FIGURE)
        expect(row.locator(f".column-{figure}")).to_have_attribute("title", units)
    expect(row.locator(".column-coverage")).to_have_text(f"{ANSWERS}/{ANSWERS}")
    assert serious_violations(page) == {}
    row.get_by_role("button", name="aurora-7b").click()
    expect(page.locator("#run-notice")).to_contain_text(
        re.compile(rf"Before the relevance check: .*\(CD\) {diversity(model):.2f} \[")
    )
    expect(page.locator("#run-languages-table tbody tr")).to_have_count(5)


@pytest.mark.soak
def test_a_worker_killed_in_the_middle_costs_a_whole_zip_only_what_it_had_not_stored(
    page: Page, multilingual_app: str, data: Path, zip_file: Path, model: Path
) -> None:
    watch(data / "plumbline.db")
    submit(page, multilingual_app, zip_file)
    page.get_by_role("link", name="Open the ticket").click()
    before = progress(page, other_than=progress(page))
    kill_worker(data)
    expect(page.locator("#ticket .log")).to_contain_text("attempt 2", timeout=SCORED_WITHIN_MS)
    assert progress(page) >= before  # what was stored counts at once
    row = scored_row(page)
    for figure, units in FIGURES.items():
        expect(row.locator(f".column-{figure}")).to_have_text(FIGURE)
        expect(row.locator(f".column-{figure}")).to_have_attribute("title", units)
    row.get_by_role("button", name="aurora-7b").click()
    expect(page.locator("#run-notice")).to_contain_text(
        re.compile(rf"Before the relevance check: .*\(CD\) {diversity(model):.2f} \[")
    )
    vectors = handed_in(data / "plumbline.db", "embeddings")
    assert len(vectors) == vectors.total() >= TEXTS  # our own rows were scored meanwhile, too
    verdicts = handed_in(data / "plumbline.db", "verdicts")
    assert len(verdicts) == verdicts.total()


@pytest.mark.soak
def test_with_the_embedded_english_model_a_whole_zip_is_scored_without_figures_and_says_why(
    page: Page, english_app: str, zip_file: Path
) -> None:
    submit(page, english_app, zip_file)
    page.get_by_role("link", name="Open the ticket").click()
    # The answers and prompts in the one language that the model declares.
    expect(page.locator("#ticket progress")).to_have_attribute(
        "max", str(2 * ROWS_PER_LANGUAGE), timeout=SCORED_WITHIN_MS
    )
    row = scored_row(page)
    for figure in FIGURES:
        expect(row.locator(f".column-{figure}")).to_have_text("n/a")
        expect(row.locator(f".column-{figure}")).to_have_attribute(
            "title", re.compile("does not declare de, el, fi, sv$")
        )
    expect(row).to_contain_text("does not declare de, el, fi, sv")
    expect(row.locator(".column-rank", has_text=re.compile(r"\d"))).to_have_count(0)
    row.get_by_role("button", name="aurora-7b").click()
    expect(page.locator("#run-notice")).to_contain_text("CSP n/a")
    expect(page.locator("#run-notice")).to_contain_text("does not declare de, el, fi, sv")
    unread = page.locator("#run-languages-table tbody tr", has_text="not judged")
    expect(unread).to_have_count(4)


def submit(page: Page, address: str, file: Path) -> None:
    """From the address to the receipt."""
    page.goto(f"{address}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    expect(page.locator("#coverage-grid")).to_contain_text(f"Coverage: {ANSWERS:,} of {ANSWERS:,} responses")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.")


def progress(page: Page, other_than: int = 0) -> int:
    """How many texts the ticket says were read, once it says another number."""
    shown = page.locator("#ticket progress:not([value='0'])" + f":not([value='{other_than}']) + span")
    expect(shown).to_have_text(PROGRESS, timeout=SCORED_WITHIN_MS)
    found = PROGRESS.search(shown.inner_text())
    assert found is not None
    assert int(found[2].replace(",", "")) == TEXTS
    return int(found[1].replace(",", ""))


def scored_row(page: Page) -> Locator:
    """The run's row on the board of 2026, by the way of its ticket."""
    to_row = page.get_by_role("link", name="See its row on the board")
    expect(to_row).to_be_visible(timeout=SCORED_WITHIN_MS)
    to_row.click()
    expect(page.locator("#run-notice")).to_contain_text("aurora-7b")
    page.get_by_role("button", name="← Board").click()
    page.get_by_role("button", name="Columns (").click()
    page.get_by_role("radio", name="All", exact=True).check()
    return page.locator("#cultural-board-table table tbody tr", has_text="aurora-7b")


def kill_worker(data: Path) -> None:
    """SIGKILL to the process that holds the run."""
    with closing(sqlite3.connect(data / "plumbline.db")) as connection:
        ((worker,),) = connection.execute("SELECT worker FROM jobs WHERE status = 'running'")
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and worker.encode() in (process / "cmdline").read_bytes().split(b"\0"):
            os.kill(int(process.name), signal.SIGKILL)
            return
    pytest.fail(f"no process is called {worker}")


def diversity(model: Path) -> float:
    """CD by its definition: the mean over questions and pairs of languages of 1 - cosine of the unspecific answers."""
    embedder = TransformersEmbedder(EmbeddingModel.from_text(str(model)), device="cpu")
    questions = [int(question) for question, _ in cultural_places("unspecific").values()]
    of = {
        language: text_vectors(embedder, [answer(language, "unspecific", question, 1) for question in questions])
        for language in LANGUAGES
    }
    return float(np.mean([1.0 - (of[one] * of[other]).sum(axis=1) for one, other in combinations(LANGUAGES, 2)]))
