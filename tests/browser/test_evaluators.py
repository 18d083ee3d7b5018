"""Somebody asks whether a judge rates as one particular reader would."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from benchmarks.random_models import answering_model, small_tokenizer
from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.conftest import (
    SCORED_WITHIN_MS,
    draw_chart,
    expect_no_sideways_scroll,
    open_baselines,
    running_app,
    serious_violations,
)
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import (
    LabelJudge,
    choices,
    put_into,
    ratings,
    unanswered,
)

HOSTILE = "<img src=x onerror=alert(1)>${alert(2)}{{7*7}}"


@pytest.fixture(scope="module")
def board_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app without a worker in whose store runs of both kinds are scored."""
    data = tmp_path_factory.mktemp("evaluators")
    app = running_app(data, {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"})
    address = next(app)
    store = Store.open(Settings.from_env({"PLUMBLINE_DATA": str(data)}).resolved_database_url)
    for k, error in ((0, 5.0), (2, 0.2)):
        put_into(store, ratings(error, k=k))
    put_into(store, unanswered(ratings(k=2, system="Local judge")), LabelJudge())
    texts = {0: {"text": HOSTILE, "review": HOSTILE, "reference_review": HOSTILE, "memorized": True}}
    put_into(store, ratings(6.0, k=2, system=HOSTILE, team=HOSTILE, model=HOSTILE, changes=texts))
    put_into(store, choices([1, 7], flipped=[3]))
    put_into(store, unanswered(choices(system="Local judge")), LabelJudge())
    store.close()
    yield address
    next(app, None)


@pytest.fixture(scope="module")
def judged_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app whose worker and lab have a language model, made on the spot, that always says 2."""
    folder = tmp_path_factory.mktemp("models") / "tiny-judge"
    tokenizer = small_tokenizer()
    answering_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    settings = {"PLUMBLINE_JUDGES": f"transformers:{folder};unproven", "PLUMBLINE_DEMONSTRATION": "0"}
    yield from running_app(tmp_path_factory.mktemp("judged"), settings)


def open_board(page: Page, address: str, view: str) -> Locator:
    page.goto(f"{address}/?tab=personalized_{view}")
    table = page.locator(f"#{view}-board-table table")
    expect(table.locator("tbody tr")).not_to_have_count(0)
    return table


def drawn(page: Page, view: str, chart: str) -> None:
    """Comes near a chart and waits until it is drawn."""
    draw_chart(page.locator(f"#{view}-plot-{chart}"))


def entry(page: Page, view: str, name: str) -> Locator:
    """The row of an evaluator; references name one too, in their notes."""
    return page.locator(f"#{view}-board-table tbody tr:not(.null-row)", has_text=name)


def submitted(page: Page, address: str, document: dict[str, Any], folder: Path) -> None:
    """Uploads a file, submits it, waits until it is scored and opens its row."""
    file = folder / "predictions.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    page.goto(f"{address}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("link", name="Open the ticket").click()
    link = page.get_by_role("link", name="See its row on the board")
    expect(link).to_be_visible(timeout=SCORED_WITHIN_MS)
    link.click()


def test_predicted_ratings_become_a_row_that_opens_down_to_an_item(
    page: Page, browser: Browser, judged_url: str, tmp_path: Path
) -> None:
    document = ratings(0.5, k=2, missing=[5], system="Fresh evaluator")
    submitted(page, judged_url, document, tmp_path)
    expect(page.locator("#evaluator-notice")).to_contain_text("Fresh evaluator, k = 2")
    expect(page.locator("#evaluator-notice")).to_contain_text("24 items of 6 readers, 23 answered")
    expect(page.locator("#predictions-table tbody tr")).to_have_count(24)
    page.get_by_label("Items", exact=True).click()
    page.get_by_role("option", name="without an answer (1)").click()
    expect(page.locator("#predictions-table tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("answered=missing"))
    page.locator("#predictions-table").get_by_role("button", name="r1t1").click()
    expect(page.locator("#reading .profile-entry")).to_have_count(2)
    expect(page.locator("#reading")).to_contain_text("Reader 5; no prediction")
    assert serious_violations(page) == {}
    elsewhere = browser.new_page()
    elsewhere.goto(page.url)
    expect(elsewhere.locator("#reading")).to_contain_text("New story 1.")
    elsewhere.close()
    page.get_by_role("button", name="← All items of this row").click()
    page.get_by_role("button", name="← Personal raters").click()
    row = entry(page, "ratings", "Fresh evaluator")
    expect(row.locator(".column-rank")).to_have_text("1")
    expect(row.locator(".column-parse_rate")).to_have_text("95.8%")  # 23 / 24
    expect(row.locator(".column-parse_rate")).to_have_attribute("title", "missing: no answer 1")
    page.get_by_role("button", name="Columns (").click()
    page.get_by_role("radio", name="Agreement").check()
    expect(row.locator(".column-pearson")).to_have_attribute("title", re.compile(r"^p = "))


def test_predicted_choices_become_a_row_with_both_orders(page: Page, judged_url: str, tmp_path: Path) -> None:
    submitted(page, judged_url, choices([4], flipped=[2, 8], system="Fresh chooser"), tmp_path)
    expect(page).to_have_url(re.compile("/personalized_pairs"))
    page.get_by_label("Items", exact=True).click()
    page.get_by_role("option", name="another text in the other order (2)").click()
    page.locator("#predictions-table").get_by_role("button", name="p2", exact=True).click()
    orders = page.locator("#reading .variant", has_text="Chosen:")
    expect(orders.nth(0)).to_contain_text("text A, shown first, as the reader")
    expect(orders.nth(1)).to_contain_text("text B, shown first, unlike the reader")
    expect(page.locator("#reading")).to_contain_text("it follows the place, not the text")
    page.get_by_role("button", name="← All items of this row").click()
    page.get_by_role("button", name="← Personal raters").click()
    row = entry(page, "pairs", "Fresh chooser")
    # One of thirty is wrong, in the aspect Ending: (4 * 6/6 + 5/6) / 5
    expect(row.locator(".column-macro")).to_contain_text("96.7%")
    expect(row.locator(".column-consistency")).to_have_text("93.3%")  # 28 / 30


def test_a_file_without_answers_is_answered_by_the_judge_of_the_site(
    page: Page, judged_url: str, tmp_path: Path
) -> None:
    submitted(page, judged_url, unanswered(ratings(k=1, system="To be answered")), tmp_path)
    expect(page.locator("#evaluator-judge-cards .judge-card")).to_contain_text("tiny-judge")
    page.locator("#predictions-table").get_by_role("button", name="r0t0").click()
    bars = page.locator("#reading .label-bars li")
    expect(bars).to_have_count(10)
    expect(bars.nth(1)).to_contain_text("1.00")  # the model says 2 ...
    expect(page.locator("#reading .label-bars .gold")).to_contain_text("2")  # ... as the reader does, for once
    page.get_by_role("button", name="← All items of this row").click()
    page.get_by_role("button", name="← Personal raters").click()
    row = entry(page, "ratings", "To be answered")
    expect(row.locator(".column-note")).to_contain_text("answered here by the judge transformers (tiny-judge)")


BAD_RATINGS = ratings(k=2) | {"dataset": " ", "scale": [10, 1]}
BAD_RATINGS["items"][0] |= {"score": 12, "response": "Score: 3"}
BAD_RATINGS["items"][1] |= {"id": "r0t0", "gold": True}
BAD_RATINGS["items"][2]["profile"] = []
BAD_PAIRS = choices() | {"k": -1}
BAD_PAIRS["items"][0] |= {"aspect": "Humour", "gold": "Both"}
BAD_PAIRS["items"][1] |= {"choice": "B", "response": "Plot A"}
BAD_PAIRS["items"][3] |= {"memorized": "yes"}


@pytest.mark.parametrize(
    ("document", "places"),
    [
        (BAD_RATINGS, ["dataset", "scale", "items[0].score", "items[1].id", "items[1].gold", "items[2].profile"]),
        (BAD_PAIRS, ["k", "items[0].aspect", "items[0].gold", "items[1].choice", "items[3].memorized"]),
    ],
    ids=["ratings", "pairs"],
)
def test_a_bad_file_is_told_all_of_its_faults(
    page: Page, board_url: str, tmp_path: Path, document: dict[str, Any], places: list[str]
) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    page.goto(f"{board_url}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Refused")
    for place in places:
        expect(page.locator("#problems")).to_contain_text(place)
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_disabled()


def test_the_desk_offers_templates_and_says_what_would_be_scored(page: Page, board_url: str, tmp_path: Path) -> None:
    page.goto(f"{board_url}/?tab=submit")
    page.get_by_role("button", name="Start from a template").click()
    page.get_by_role("radio", name="Personal raters: pairs").check()
    with page.expect_download() as started:
        page.get_by_role("button", name="Submission template").click()
    template = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert template["kind"] == "personalized_pairs"
    file = tmp_path / "template.json"
    named = template | {"system": "Borealis", "model": "own/model", "run": "1"}
    file.write_text(json.dumps({name: value for name, value in named.items() if name != "team"}), encoding="utf-8")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#missing-names")).to_contain_text("Please fill in: Team")
    page.locator("#name-team textarea, #name-team input").first.fill("Aurora")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#decision")).to_contain_text("Read as predicted choices of 1 reader, k = 1: 5 items")
    expect(page.locator("#preview")).to_contain_text("no judgements: your predictions are scored as they are")
    expect(page.locator("#coverage")).to_contain_text("Character Development")


def test_the_boards_switch_filter_and_hold_hostile_texts_as_text(page: Page, board_url: str, tmp_path: Path) -> None:
    table = open_board(page, board_url, "ratings")
    expect(table).to_contain_text("Reviewer Avg.")
    drawn(page, "ratings", "k")
    page.locator("#k-choice").get_by_text("all", exact=True).click()
    expect(page).to_have_url(re.compile("k=all"))
    expect(entry(page, "ratings", "Close reader")).to_have_count(2)
    page.locator("#pages-beside").get_by_role("link", name="Personal raters: pairs").click()
    open_baselines(page.locator("#pairs-board-table table"), 3)
    expect(page.locator("#pairs-board-table table")).to_contain_text("Always B")
    expect(page.locator("#ratings-board")).not_to_be_visible()
    page.locator("#pairs-share-drawer > button").click()
    with page.expect_download() as started:
        page.locator("#pairs-download-csv").click()
    started.value.save_as(tmp_path / "pairs.csv")
    with (tmp_path / "pairs.csv").open(encoding="utf-8") as file:
        records = {record["evaluator"]: record for record in csv.DictReader(file)}
    assert records["Local judge"]["bias_first_remark"] == "← first"
    page.locator("#pages-beside").get_by_role("link", name="Personal raters: ratings").click()
    table.get_by_role("button", name=HOSTILE, exact=True).click()
    expect(page.locator("#evaluator-notice")).to_contain_text(HOSTILE)
    page.locator("#predictions-table").get_by_role("button", name="r0t0").click()
    expect(page.locator("#reading")).to_contain_text(HOSTILE)
    assert page.evaluate("document.querySelectorAll('.plumb img, .plumb script').length") == 0


def test_an_empty_board_teaches_by_a_template(page: Page, judged_url: str) -> None:
    page.goto(f"{judged_url}/?tab=personalized_pairs&collection=PerDOC")
    cited = page.locator("#pairs-board-table tr.published-row .row-mark").first
    expect(cited).to_have_attribute("data-term", "published, as printed (arXiv 2310.03304, Table 4)")
    expect(page.locator("#evaluators-notice")).to_contain_text("awaiting first submission")


def test_the_lab_predicts_one_reader_in_both_orders(page: Page, judged_url: str) -> None:
    page.goto(f"{judged_url}/?tab=lab")
    page.locator("#lab-mode").get_by_text("Reader: rate for one reader").click()
    expect(page).to_have_url(re.compile("reader=vera"))
    expect(page.locator("#lab-answers")).not_to_be_visible()
    page.locator("#reader-score-2 input").fill("17")
    page.locator("#reader-text-b textarea").fill("")
    page.get_by_role("button", name="Rate these two").click()
    expect(page.locator("#reader-faults")).to_contain_text("The score of review 2 is 17")
    expect(page.locator("#reader-faults")).to_contain_text("Text B is empty.")
    page.locator("#reader-score-2 input").fill("4")
    page.locator("#reader-text-b textarea").fill(HOSTILE)
    page.get_by_role("button", name="Rate these two").click()
    expect(page.locator("#reader-status")).to_contain_text("Done: 12 questions answered.", timeout=SCORED_WITHIN_MS)
    expect(page.locator("#reader-result")).to_contain_text("This reader would give 2.0 of 10")
    expect(page.locator("#reader-result table tbody tr")).to_have_count(5)
    # The model says 2 whatever it is asked: that is no plot.
    expect(page.locator("#reader-result table")).to_contain_text("the judge did not answer with a label")
    expect(page.locator("#reader-result .judge-card")).to_contain_text("tiny-judge")
    assert serious_violations(page) == {}
    with page.expect_download() as started:
        page.get_by_role("button", name="Export session (JSON)").first.click()
    exported = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert exported["runs"][0]["text_b"] == HOSTILE
    page.goto(f"{judged_url}/?tab=lab&reader=milo")
    expect(page.locator("#reader-wrote-1 textarea")).to_have_value(re.compile("And then"))


def test_a_judge_that_compares_texts_says_that_it_cannot_predict(page: Page, board_url: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{board_url}/?tab=lab&reader=vera")
    expect(page.locator("#reader-unable")).to_contain_text("(pair) reads no questions about a reader")
    expect(page.locator("#reader-text-a textarea")).to_be_visible()
    expect_no_sideways_scroll(page)


PHONE, DESK = ViewportSize(width=390, height=844), ViewportSize(width=1280, height=720)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious_and_a_phone_scrolls_tables_alone(
    browser: Browser, board_url: str, colours: Any
) -> None:
    page = browser.new_page(color_scheme=colours, viewport=DESK)
    for view in ("ratings", "pairs"):
        table = open_board(page, board_url, view)
        drawn(page, view, "scores")
        assert serious_violations(page) == {}
        page.set_viewport_size(PHONE)
        expect_no_sideways_scroll(page)
        page.set_viewport_size(DESK)
        table.get_by_role("button", name="Local judge", exact=True).click()
        page.locator("#predictions-table tbody button").first.click()
        expect(page.locator("#reading .label-bars").first).to_be_visible()
        assert serious_violations(page) == {}
        page.set_viewport_size(PHONE)
        expect_no_sideways_scroll(page)
        page.set_viewport_size(DESK)
    page.close()
