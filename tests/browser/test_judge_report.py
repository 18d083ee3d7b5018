"""Somebody brings the log of their judge, and reads how far it can be trusted."""

from __future__ import annotations

import base64
import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from evaluator.__main__ import main
from evaluator.judge_logs.registry import LOG_FORMATS
from tests.browser.conftest import (
    COLOURS,
    ROOT,
    draw_charts,
    expect_no_sideways_scroll,
    running_app,
    serious_violations,
    switch_colours,
)
from tests.browser.hostile import MARK, NAMEABLE, Watch, assert_unharmed
from tests.service.test_public_api import tool_results

LOGS = ROOT / "tests" / "data" / "judge_logs"


@pytest.fixture(scope="module")
def report_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app without a worker: reports need none."""
    settings = {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0", "PLUMBLINE_JUDGES": "scripted"}
    yield from running_app(tmp_path_factory.mktemp("data"), settings)


def open_report(page: Page, address: str) -> None:
    page.goto(f"{address}/?tab=judge_report")
    expect(page.locator("#pages-beside [aria-current=page]")).to_have_text("Judge report")
    expect(page.locator("#view-link a")).to_be_visible()


def drop(page: Page, file: Path, where: str = "#judge-log") -> None:
    page.locator(f"{where} input[type=file]").set_input_files(file)


def votes_of_people(folder: Path) -> Path:
    """Labels of fastchat_pair.jsonl: m-long is the better one of every pair.

    The judge named it 12 times of 19 usable verdicts (tests/unit/evaluator).
    """
    votes = folder / "votes.csv"
    rows = "".join(f"{number},turn 1,m-long,m-short,m-long\n" for number in range(81, 91))
    votes.write_text(f"question,item,first,second,verdict\n{rows}", encoding="utf-8")
    return votes


def clear(page: Page) -> None:
    """Takes the log away and sees what was said of it go: what is dropped before that goes with it."""
    page.locator("#judge-log").get_by_label("Clear").click()
    for shown in ("report-faults tbody", "report-columns select", "report .report-judge"):
        expect(page.locator(f"#judge-{shown}")).to_have_count(0)


def told_by_the_command(*arguments: str | Path) -> tuple[int, Any, str]:
    """Exit code, the JSON and what stands on standard error of the command in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-m", "evaluator", "judge-report", *map(str, arguments)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return ran.returncode, json.loads(ran.stdout) if ran.stdout else None, ran.stderr


def written(figure: dict[str, Any]) -> list[str]:
    """A figure of the command's JSON as a reader of the page expects it: to three digits, with its interval."""
    interval = (
        " (too few questions for an interval)"
        if figure["low"] is None
        else f" [{figure['low']:.3f}, {figure['high']:.3f}]"
    )
    return [figure["title"], f"{figure['value']:.3f}{interval}", f"{figure['n']:,} {figure['of']}", figure["meaning"]]


def shown_figures(page: Page) -> list[list[str]]:
    rows = page.locator("#judge-report .report-figures tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def test_a_dropped_log_becomes_the_report_of_the_command(page: Page, report_url: str, tmp_path: Path) -> None:
    name = "fastchat_pair.jsonl"
    open_report(page, report_url)
    assert page.get_by_role("heading", level=1).count() == 1
    expect(page.locator("#judge-report-hint")).to_contain_text("Nothing is stored or published unless you publish")
    drop(page, LOGS / name)
    expect(page.locator("#judge-report")).to_contain_text(f"Judge report: {name}")
    code, report, _ = told_by_the_command(LOGS / name, "--json", "--html", tmp_path / "report.html")
    assert code == 0
    assert shown_figures(page) == [written(figure) for judge in report["judges"] for figure in judge["figures"]]
    missing = [sentence for judge in report["judges"] for sentence in judge["missing"]]
    assert page.locator("#judge-report .report-missing li").all_inner_texts() == missing
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download JSON").click()
    assert json.loads(Path(saved.value.path()).read_text("utf-8")) == report
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download the page (HTML)").click()
    assert saved.value.suggested_filename == "judge-report.html"
    html = (tmp_path / "report.html").read_text("utf-8")
    assert Path(saved.value.path()).read_text("utf-8") == html
    page.get_by_role("button", name="Print or save as PDF").click()
    printed = page.locator("#printed-page")
    expect(printed).to_have_attribute("srcdoc", html)
    assert "allow-scripts" not in str(printed.get_attribute("sandbox"))


def test_a_log_of_every_format_has_the_figures_of_the_command(
    page: Page, report_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One visitor drops one log after the other; the command runs in this process."""
    open_report(page, report_url)
    formats = set()
    for name, labels in (
        ("alpaca_eval.json", None),
        ("inspect.eval", None),
        ("inspect.json", None),
        ("promptfoo.json", None),
        ("judge_arena.parquet", None),
        ("printed_by_judge_arena/both.csv", None),
        ("printed_by_fastchat/gpt-4_pair.jsonl", None),
        ("printed_by_fastchat/gpt-4_single.jsonl", None),
        ("reward_bench.json", None),
        ("printed_by_reward_bench/tiny-rm_outputs.jsonl", None),
        ("judge_bench.jsonl", None),
        ("arena_140k.jsonl", None),
        ("arena_55k.csv", None),
        ("comparia_votes.jsonl", None),
        ("mt_bench_gpt4_pair.jsonl", "mt_bench_human.jsonl"),
    ):
        beside = [] if labels is None else ["--labels", str(LOGS / labels)]
        assert main(["judge-report", str(LOGS / name), "--json", *beside]) == 0
        report = json.loads(capsys.readouterr().out)
        formats.add(report["format"])
        drop(page, LOGS / name)
        expect(page.locator("#judge-report")).to_contain_text(f"Judge report: {Path(name).name}")
        if labels is not None:
            drop(page, LOGS / labels, "#judge-labels")
            expect(page.locator("#judge-report tr", has_text="Agreement with people")).to_be_visible()
        assert shown_figures(page) == [written(figure) for judge in report["judges"] for figure in judge["figures"]]
        missing = [sentence for judge in report["judges"] for sentence in judge["missing"]]
        assert page.locator("#judge-report .report-missing li").all_inner_texts() == missing
        clear(page)
    # A CSV's columns are chosen in a story of their own; the last six are held in test_further_tools.py.
    elsewhere = {"csv", "lm_eval", "llm_bar", "deep_eval", "mlflow", "every_eval_ever", "ratings"}
    assert formats == {log_format.key for log_format in LOG_FORMATS} - elsewhere


def test_labels_beside_the_log_say_how_often_the_judge_is_right(page: Page, report_url: str, tmp_path: Path) -> None:
    open_report(page, report_url)
    drop(page, LOGS / "fastchat_pair.jsonl")
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    drop(page, votes_of_people(tmp_path), "#judge-labels")
    agreement = page.locator("#judge-report tr", has_text="Agreement with people")
    expect(agreement).to_contain_text(f"{12 / 19:.3f}")
    expect(agreement).to_contain_text("19 comparisons with a label")
    # m-long is better throughout and shown first in 10 usable games: named in 7, a tie in 1; shown second in 9, in 5.
    counts = page.get_by_role("region", name="Shown first: m-long, n 10 comparisons with a label")
    expect(counts.locator("tbody tr").first).to_contain_text("people: first")
    assert counts.locator("tbody td").all_inner_texts() == ["7", "1", "2", *["0"] * 6]
    counts = page.get_by_role("region", name="Shown first: m-short, n 9 comparisons with a label")
    assert counts.locator("tbody td").all_inner_texts() == [*["0"] * 6, "3", "1", "5"]
    # Taken away again, they say nothing any more.
    page.locator("#judge-labels").get_by_label("Clear").click()
    expect(agreement).to_have_count(0)
    expect(page.locator("#judge-report .report-judge")).to_be_visible()


def label_answers(page: Page) -> Locator:
    page.get_by_role("button", name="Label answers yourself").click()
    labelling = page.get_by_role("region", name="Label answers")
    expect(labelling).to_be_focused()
    return labelling


def the_longer_one(pairs: Locator) -> str:
    """Whoever labels here takes the longer answer."""
    left, right = (pairs.get_by_label(f"{side} answer").inner_text() for side in ("Left", "Right"))
    return "left" if len(left) > len(right) else "right"


def test_somebody_labels_pairs_without_the_judges_word_and_reads_how_often_it_is_right(
    page: Page, report_url: str, tmp_path: Path
) -> None:
    open_report(page, report_url)
    drop(page, LOGS / "fastchat_pair.jsonl")
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    pairs = label_answers(page)
    # Neither the report nor a name of a system or the judge is in sight, nor what it said.
    expect(page.locator("#judge-report .report-judge")).to_have_count(0)
    shown = page.locator("#judge-report-pairs").inner_html()
    assert not [name for name in ("m-long", "m-short", "gpt-4", "model_1", "winner") if name in shown]
    progress = pairs.get_by_role("status")
    expect(progress).to_have_text("Pair 1 of 10 · 0 labelled")
    page.keyboard.press({"left": "1", "right": "2"}[the_longer_one(pairs)])
    expect(progress).to_have_text("Pair 2 of 10 · 1 labelled")
    page.keyboard.press("s")
    expect(progress).to_have_text("Pair 3 of 10 · 1 labelled, 1 skipped")
    pairs.get_by_role("button", name="Tie").click()
    expect(progress).to_have_text("Pair 4 of 10 · 2 labelled, 1 skipped")
    pairs.get_by_role("button", name="Undo the last").click()
    page.keyboard.press("u")
    expect(progress).to_have_text("Pair 2 of 10 · 1 labelled")
    pairs.get_by_role("button", name=f"{the_longer_one(pairs).title()} better").click()
    expect(progress).to_have_text("Pair 3 of 10 · 2 labelled")

    # The page is opened anew in between: the browser has kept the labels, under the log.
    open_report(page, report_url)
    drop(page, LOGS / "fastchat_pair.jsonl")
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    pairs = label_answers(page)
    for number in range(3, 11):
        expect(progress).to_have_text(f"Pair {number} of 10 · {number - 1} labelled")
        page.keyboard.press({"left": "1", "right": "2"}[the_longer_one(pairs)])
    expect(progress).to_have_text("All 10 pairs seen · 10 labelled")
    pairs.get_by_role("button", name="Finish: report with 10 labels").click()
    agreement = page.locator("#judge-report tr", has_text="Agreement with people")
    expect(agreement).to_contain_text(f"{12 / 19:.3f}")  # as of votes_of_people
    facts = page.locator("#judge-report .report-facts")
    expect(facts).to_contain_text("by one labeller: 10 pairs")
    expect(pairs).to_have_count(0)
    # Who labels by keyboard reads on where the report begins.
    expect(page.get_by_role("heading", name="Judge report: fastchat_pair.jsonl")).to_be_focused()

    # The labels as a file say the same to the command.
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download your labels (CSV)").click()
    saved.value.save_as(labels := tmp_path / "labels.csv")
    _, report, _ = told_by_the_command(LOGS / "fastchat_pair.jsonl", "--labels", labels, "--json")
    assert shown_figures(page) == [written(figure) for figure in report["judges"][0]["figures"]]
    # Beside the file that has them all, nothing is left to label.
    drop(page, labels, "#judge-labels")
    expect(facts).to_contain_text("10 of 10 labelled pairs")
    expect(facts).not_to_contain_text("by one labeller")
    page.get_by_role("button", name="Label answers yourself").click()
    expect(page.locator("#judge-report-notice")).to_contain_text("Nothing more to label")
    expect(agreement).to_be_visible()

    # Forgotten labels are gone for good.
    page.locator("#judge-labels").get_by_label("Clear").click()
    expect(facts).to_contain_text("by one labeller: 10 pairs")
    pairs = label_answers(page)
    pairs.get_by_role("button", name="Forget my labels").click()
    pairs.get_by_role("button", name="Really forget 10 labels?").click()
    expect(progress).to_have_text("Pair 1 of 10 · 0 labelled")
    pairs.get_by_role("button", name="Back to the report").click()
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    expect(agreement).to_have_count(0)


def test_somebody_rates_answers_without_the_judges_rating_and_reads_how_far_it_is_off(
    page: Page, report_url: str, tmp_path: Path
) -> None:
    log = LOGS / "printed_by_fastchat" / "gpt-4_single.jsonl"
    open_report(page, report_url)
    drop(page, log)
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    answers = label_answers(page)
    expect(page.locator("#judge-report .report-judge")).to_have_count(0)
    shown = page.locator("#judge-report-pairs").inner_html()
    assert not [name for name in ("m-large", "m-medium", "m-small", "gpt-4", "single-v1") if name in shown]
    progress, rating = answers.get_by_role("status"), answers.get_by_label("Rating, a number from 1 to 10")
    expect(answers.get_by_role("heading", name="How good is this answer?")).to_be_visible()
    expect(answers.get_by_role("button", name="Tie")).to_be_hidden()
    expect(progress).to_have_text("Answer 1 of 24 · 0 labelled")
    page.set_viewport_size({"width": 390, "height": 844})
    expect_no_sideways_scroll(page)
    assert_readable_in_both_colours(page)
    # A rating off the scale, or none, is no label; digits are typed wherever the focus is.
    page.keyboard.press("Digit1")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(rating).to_have_value("11")
    expect(progress).to_have_text("Answer 1 of 24 · 0 labelled")
    rating.fill("5.5")
    page.keyboard.press("Enter")
    expect(progress).to_have_text("Answer 2 of 24 · 1 labelled")
    page.keyboard.press("u")
    page.keyboard.press("s")
    expect(progress).to_have_text("Answer 2 of 24 · 0 labelled, 1 skipped")
    for number in range(2, 25):
        expect(progress).to_have_text(re.compile(f"^Answer {number} of 24"))
        rating.fill("7")
        answers.get_by_role("button", name="Rate").click()
    expect(progress).to_have_text("All 24 answers seen · 23 labelled, 1 skipped")
    answers.get_by_role("button", name="Finish: report with 23 labels").click()
    facts = page.locator("#judge-report .report-facts")
    expect(facts).to_contain_text("by one labeller: 23 answers")
    expect(page.get_by_role("heading", name="Judge report: gpt-4_single.jsonl")).to_be_focused()
    expect(page.get_by_role("region", name="People's ratings against the judge's")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download your labels (CSV)").click()
    saved.value.save_as(labels := tmp_path / "labels.csv")
    _, report, _ = told_by_the_command(log, "--labels", labels, "--json")
    (judge,) = report["judges"]
    assert {"rating_error", "rating_alpha"} <= {figure["key"] for figure in judge["figures"]}
    assert shown_figures(page) == [written(figure) for figure in judge["figures"]]


def test_a_bad_log_gets_every_fault_with_its_place_and_a_mended_one_its_report(
    page: Page, report_url: str, tmp_path: Path
) -> None:
    good = (LOGS / "fastchat_pair.jsonl").read_text("utf-8").splitlines()
    bad = tmp_path / "log.jsonl"
    lines = [*good[:3], "{", good[4].replace('"g1_winner": "', '"g1_winner": "x-'), *good[5:]]
    bad.write_text("\n".join(lines), encoding="utf-8")
    open_report(page, report_url)
    drop(page, bad)
    expect(page.locator("#judge-report-notice")).to_contain_text("No report")
    places = page.locator("#judge-report-faults tbody th").all_inner_texts()
    assert places == ["log.jsonl:4", "log.jsonl:5"]
    code, _, said = told_by_the_command(bad)
    assert (code, len(said.splitlines())) == (1, 2)
    for row, line in zip(page.locator("#judge-report-faults tbody tr").all(), said.splitlines(), strict=True):
        place, message, hint = row.locator("th, td").all_inner_texts()
        assert line == f"{place}: {message}. {hint}"
    assert page.locator("#judge-report .report-judge").count() == 0
    clear(page)
    drop(page, LOGS / "fastchat_pair.jsonl")
    expect(page.locator("#judge-report .report-judge")).to_be_visible()


def test_the_page_asks_which_column_is_which(page: Page, report_url: str) -> None:
    open_report(page, report_url)
    drop(page, LOGS / "table.csv")
    columns = page.locator("#judge-report-columns")
    expect(columns).to_contain_text("Which column is which?")
    chosen = {"question": "prompt_id", "first": "left", "second": "right", "verdict": "winner"}
    for field, column in chosen.items():
        columns.locator(f"select[data-field={field}]").select_option(label=column)
    columns.get_by_role("button", name="Read it with these columns").click()
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    options = [f"--column={field}={column}" for field, column in chosen.items()]
    _, report, _ = told_by_the_command(LOGS / "table.csv", "--json", *options)
    assert shown_figures(page) == [written(figure) for figure in report["judges"][0]["figures"]]
    expect(page.locator("#judge-report .notice.warning")).to_contain_text("comment (4)")
    # What was chosen stays chosen, and unfolds where it is wanted again.
    columns.get_by_text("Which column is which?").click()
    expect(columns.locator("select[data-field=verdict] option:checked")).to_have_text("winner")


def test_names_in_a_log_that_try_to_run_something_stay_text(page: Page, report_url: str, tmp_path: Path) -> None:
    watch = Watch().over(page)
    log, columns = tmp_path / "<img src=x onerror=window.hit=1>.csv", tmp_path / "columns.csv"
    with log.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        texts = ["prompt", "first_text", "second_text"]
        rows.writerow(["question", "judge", "first", "second", "verdict", *texts, *NAMEABLE])
        for number, payload in enumerate(NAMEABLE):
            rows.writerow([f"{payload} {number}", payload, payload, "b", "A", *[payload] * 3, *NAMEABLE])
    open_report(page, report_url)
    drop(page, log)
    expect(page.locator("#judge-report .report-judge").first).to_be_visible()
    expect(page.locator("#judge-report")).to_contain_text(MARK)
    columns_box = page.locator("#judge-report-columns")
    columns_box.get_by_text("Which column is which?").click()
    assert_unharmed(page, watch)
    pairs = label_answers(page)
    texts_shown = set()
    for _ in NAMEABLE:
        texts_shown.add(pairs.get_by_label("Left answer").inner_text())
        assert_unharmed(page, watch)
        page.keyboard.press("3")
    assert any(MARK in text for text in texts_shown)
    assert len(texts_shown) == len(NAMEABLE)
    pairs.get_by_role("button", name="Finish").click()
    expect(page.locator("#judge-report .report-judge").first).to_be_visible()
    assert_unharmed(page, watch)
    with columns.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([NAMEABLE, NAMEABLE])
    clear(page)
    drop(page, columns)
    expect(page.locator("#judge-report-faults tbody th").first).to_be_visible()
    expect(columns_box).to_contain_text(MARK)
    assert_unharmed(page, watch)


def assert_readable_in_both_colours(page: Page) -> None:
    for colours in COLOURS:
        switch_colours(page, colours)
        assert serious_violations(page) == {}, colours


def test_the_page_suits_a_phone_and_has_no_serious_fault_for_anybody(page: Page, report_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_report(page, report_url)
    assert_readable_in_both_colours(page)
    drop(page, LOGS / "table.csv")
    expect(page.locator("#judge-report-columns select").first).to_be_visible()
    expect_no_sideways_scroll(page)
    assert_readable_in_both_colours(page)
    clear(page)
    drop(page, LOGS / "fastchat_pair.jsonl")
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    expect_no_sideways_scroll(page)
    assert_readable_in_both_colours(page)
    label_answers(page)
    expect_no_sideways_scroll(page)
    assert_readable_in_both_colours(page)


def test_published_figures_have_a_link_and_a_row_until_they_are_withdrawn(
    page: Page, report_url: str, tmp_path: Path
) -> None:
    watch = Watch().over(page)
    open_report(page, report_url)
    expect(page.locator("#publish-report")).to_be_hidden()
    drop(page, LOGS / "fastchat_pair.jsonl")
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    drop(page, votes_of_people(tmp_path), "#judge-labels")
    expect(page.locator("#judge-report tr", has_text="Agreement with people")).to_be_visible()
    page.get_by_role("button", name="Publish these figures").click()
    expect(page.locator("#publish-judge").get_by_role("textbox")).to_have_value("gpt-4 pair-v2")
    page.locator("#publish-figures").click()
    expect(page.locator("#publish-notice")).to_contain_text("The name of the data set is blank")
    page.locator("#publish-data-set").get_by_role("textbox").fill(NAMEABLE[0][:80])
    page.locator("#publish-price").get_by_role("textbox").fill("1.50")
    page.locator("#publish-figures").click()
    page.locator("#publish-notice a").click()
    report = page.locator("#published-report")
    expect(report).to_contain_text("Self-reported")
    agreement = report.locator("tr", has_text="Agreement with people")
    expect(agreement).to_contain_text(f"{12 / 19:.3f}")  # as in the story above
    expect(report).not_to_contain_text("m-long")
    link = page.url
    assert_readable_in_both_colours(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download the page (HTML)").click()
    assert "m-long" not in Path(saved.value.path()).read_text("utf-8")

    # A stranger with the link, on a phone, and the board.
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(link)
    expect(agreement).to_be_visible()
    expect(page.locator("#judge-log")).to_be_hidden()
    expect_no_sideways_scroll(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{report_url}/?tab=judge_quality&columns=with_people")
    row = page.locator("#quality-board-table tbody tr", has_text="gpt-4 pair-v2")
    expect(row).to_contain_text("self-reported")
    expect(row).to_contain_text("0.63 [")
    draw_charts(page, "#quality-board", 4)
    row.get_by_role("button", name="gpt-4 pair-v2").or_(row.get_by_text("gpt-4 pair-v2")).first.click()
    page.locator("#quality-notice").get_by_role("link", name="The published report").click()
    expect(agreement).to_be_visible()
    assert_unharmed(page, watch)

    page.get_by_role("button", name="Withdraw…").click()
    page.get_by_role("button", name="Yes, withdraw permanently").click()
    expect(page.locator("#published-notice")).to_contain_text("This report was withdrawn on")
    expect(report).not_to_contain_text("Agreement")
    page.goto(f"{report_url}/?tab=judge_quality")
    expect(page.locator("#quality-board-table tbody tr").first).to_be_visible()
    expect(row).to_have_count(0)


def test_an_assistant_publishes_over_mcp_and_hostile_names_stay_text_on_the_page_it_links(
    page: Page, report_url: str, tmp_path: Path
) -> None:
    watch = Watch().over(page)
    log = tmp_path / "log.csv"
    judge, data_set = (payload[:100] for payload in NAMEABLE[:2])
    with log.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "judge", "first", "second", "verdict"])
        # Each pair in both orders, and the first place wins on every second question: 5 of 10 verdicts survive.
        for number in range(10):
            rows.writerow([number, judge, NAMEABLE[2], "other", "A"])
            rows.writerow([number, judge, "other", NAMEABLE[2], "A" if number % 2 else "B"])
    as_data = "data:text/csv;base64," + base64.b64encode(log.read_bytes()).decode()
    publishing = {"file": as_data, "log_format": "csv", "publish": True, "data_set": data_set, "price": "1.50"}
    # A loop of its own: this thread's belongs to the browser.
    with ThreadPoolExecutor() as threads:
        calls = ("judge_report", {**publishing, "data_set": ""}), ("judge_report", publishing)
        [(is_refused, why), (is_error, text)] = threads.submit(tool_results, report_url, *calls).result()
    assert is_refused
    assert "The name of the data set is blank" in why
    assert not is_error, text
    answer = json.loads(text)
    consistency = next(one for one in answer["judges"][0]["figures"] if one["key"] == "position_consistency")
    assert (consistency["value"], consistency["n"]) == (0.5, 10)
    page.goto(f"{report_url}/{answer['published']['link']}")
    report = page.locator("#published-report")
    expect(report.locator("tr", has_text="Position consistency")).to_contain_text("0.500")
    expect(report).to_contain_text("Self-reported")
    heading = f"Judge report: {judge} on {data_set}"
    expect(report).to_contain_text(heading)
    expect(report).not_to_contain_text(NAMEABLE[2])  # the name of a system is not published
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download the page (HTML)").click()
    html = Path(saved.value.path()).read_text("utf-8")
    assert escape(heading) in html
    assert judge not in html
    assert data_set not in html
    page.goto(f"{report_url}/?tab=judge_quality")
    expect(page.locator("#quality-board-table tbody tr", has_text="self-reported")).to_contain_text(judge)
    assert_unharmed(page, watch)
