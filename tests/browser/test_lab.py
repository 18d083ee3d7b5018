"""Somebody asks a question under preferences, in two columns."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.random_models import Shape, answering_model, random_model, small_tokenizer
from evaluator.lab.votes import StoredVoteBook
from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.conftest import (
    DRAWN_WITHIN_MS,
    ROOT,
    SLOWED,
    expect_no_sideways_scroll,
    running_app,
    serious_violations,
)
from tests.browser.test_board import forgotten_by_server
from tests.cards import FOLDER, PACKAGE, Cards
from tests.unit.evaluator.lab.test_ratings import honest
from tests.unit.leaderboard.boards.personalization.made_personalization import large_file, put_into

QUIET_APP = {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0", "PLUMBLINE_JUDGES": "scripted"}
TYPING_S = 0.15
THINKING_S = 1
"""A word: such a run is not over before a visitor, however slow the machine, has done something about it."""
UNHURRIED = dict.fromkeys("ab", f"scripted, {THINKING_S} s a word")
AT_ONCE = dict.fromkeys("ab", "scripted")
LOADED_WITHIN_MS = 180_000
"""The first run starts two processes that load a model each, and loads a judge, on two cores."""

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "${alert(3)}",
    "`${alert(4)}`\\u003cimg src=x onerror=alert(5)\\u003e",
    "{{constructor.constructor('alert(6)')()}}",
    "</textarea></div><svg onload=alert(7)>",
    "[click](javascript:alert(8)) javascript:alert(9)",
    "answer \u202egnihton\u202c backwards",
)

RECORD_TOKENS = """() => {
  window.counts = [];
  window.recorder = setInterval(() => {
    const tokens = [1, 2].map((n) => parseInt(document.querySelector(`#lab-answer-${n} .tokens`).textContent) || 0);
    window.counts.push([performance.now(), ...tokens]);
  }, 50);
}"""


WATCHED = Shape(hidden=128, layers=2, heads=4, key_value_heads=2, intermediate=256, vocabulary=4096)
"""Of models that write 512 tokens in a few seconds: long enough to be watched."""


@contextmanager
def busy_cores() -> Iterator[None]:
    """Every core has something else to do meanwhile."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


@pytest.fixture(scope="module")
def lab_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A lab with the scripted generator, slow enough to be watched."""
    settings = QUIET_APP | {"PLUMBLINE_GENERATORS": f"scripted:{TYPING_S},scripted,scripted:{THINKING_S}"}
    yield from running_app(tmp_path_factory.mktemp("lab"), settings)


@pytest.fixture(scope="module")
def models_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A lab with two local models and a local judge, all made on the spot."""
    folder = tmp_path_factory.mktemp("models")
    tokenizer = small_tokenizer()
    made = {"tiny-one": random_model(WATCHED, seed=1), "tiny-two": random_model(WATCHED, family="qwen2", seed=2)}
    for name, model in (made | {"tiny-judge": answering_model(tokenizer)}).items():
        model.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    settings = QUIET_APP | {
        "PLUMBLINE_GENERATORS": f"transformers:{folder / 'tiny-one'},transformers:{folder / 'tiny-two'}",
        "PLUMBLINE_JUDGES": f"transformers:{folder / 'tiny-judge'};unproven",
    }
    yield from running_app(tmp_path_factory.mktemp("local-lab"), settings)


def open_lab(page: Page, address: str, **query: str) -> None:
    page.goto(f"{address}/?{urlencode({'tab': 'lab', **query})}")
    expect(page.locator("#lab-answer-1 .lab-pane")).to_be_visible()
    expect(page.locator("#lab-text textarea")).not_to_have_value("")


def unfold(page: Page) -> None:
    """Shows the form, which is folded once something was run."""
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.locator("#lab-question")).to_be_visible()


def status(page: Page) -> Locator:
    return page.locator("#lab-status .run-status")


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()


def wait_until_done(page: Page, within_ms: float = DRAWN_WITHIN_MS) -> None:
    expect(status(page)).to_contain_text("Done.", timeout=within_ms)


def preferences(page: Page) -> Locator:
    return page.locator("#preference-list textarea")


def load(page: Page, path: Path) -> None:
    page.get_by_test_id("Load exported session-upload-button").set_input_files(path)


def choose(page: Page, list_id: str, label: str | re.Pattern[str]) -> None:
    """Chooses from one of gradio's lists."""
    page.locator(f"#{list_id} input").click()
    page.get_by_role("option", name=label).click()
    expect(page.get_by_role("option")).to_have_count(0)


def test_one_press_shows_an_answer_lost_and_one_kept(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url)
    expect(page.locator("#setting .setting-name")).to_have_text("irrelevant")
    run(page)
    expect(status(page)).to_contain_text("being written")
    wait_until_done(page)
    expect(page.locator("#lab-verdict-1 .outcome")).to_have_text("breakage")
    expect(page.locator("#lab-verdict-1")).to_contain_text("The answer went from D (right) to A.")
    expect(page.locator("#lab-verdict-2 .outcome")).to_have_text("robust")
    expect(page.locator("#lab-answer-2 .badge")).to_have_text("unchanged")
    expect(page.locator("#lab-controls .lab-pane")).to_have_count(1)
    expect(page.locator("#lab-tally tbody tr")).to_have_count(2)
    page.get_by_text("The exact prompts").click()
    # The control, naive, and stage 2, whose reply is written on from a given beginning.
    expect(page.locator("#lab-prompts pre")).to_have_count(4)
    expect(page.locator("#lab-prompts pre").last).to_have_text('{"response": "')
    assert serious_violations(page) == {}


def written(counts: list[list[float]], column: int) -> tuple[float, float]:
    """From when to when a column grew, in milliseconds, after the answer of the run before went.

    A slow browser may never draw the moment without any token: what tells the runs apart is that the count falls.
    """
    fell = max(place for place in range(1, len(counts)) if counts[place][column] < counts[place - 1][column])
    last = counts[-1][column]
    return counts[fell][0], min(count[0] for count in counts[fell:] if count[column] == last)


def test_a_slow_browser_on_a_busy_machine_shows_how_a_run_ended(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url, **AT_ONCE)
    expect(page.locator("#lab-model-b input")).to_have_value("scripted")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    with busy_cores():
        run(page)
        wait_until_done(page)
    expect(page.locator("#lab-answer-1")).to_contain_text("10 tokens")
    expect(page.locator("#lab-verdict-1 .outcome")).to_have_text("breakage")
    expect(page.locator("#lab-answer-2 .thoughts")).not_to_be_empty()
    expect(page.locator("#lab-verdict-2 .outcome")).to_have_text("robust")
    expect(page.locator("#lab-tally tbody tr")).to_have_count(2)


def test_both_columns_are_written_in_the_same_seconds(page: Page, models_url: str) -> None:
    open_lab(page, models_url)
    page.get_by_role("button", name="Two models").click()
    expect(page.locator("#lab-model-b input")).to_have_value("tiny-two")
    run(page)
    wait_until_done(page, LOADED_WITHIN_MS)
    page.evaluate(RECORD_TOKENS)
    run(page)
    expect(status(page)).not_to_contain_text("Done.")
    wait_until_done(page, LOADED_WITHIN_MS)
    counts: list[list[float]] = page.evaluate("window.counts")
    first, second = (written(counts, column) for column in (1, 2))
    # One after the other they would share nothing.
    shared = min(first[1], second[1]) - max(first[0], second[0])
    assert shared > 0.5 * min(first[1] - first[0], second[1] - second[0]), counts
    for number in (1, 2):
        expect(page.locator(f"#lab-verdict-{number} .outcome")).not_to_be_empty()
        expect(page.locator(f"#lab-verdict-{number}")).to_contain_text("Followed")
    expect(page.locator("#lab-pairwise .lab-reason")).to_contain_text(
        re.compile("both orders|flip|No usable verdict|identical")
    )
    expect(page.locator("#lab-judge-card")).to_contain_text("not measured")
    assert serious_violations(page) == {}


def test_cancel_ends_a_run_counts_nothing_and_frees_the_place(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url, **UNHURRIED)
    run(page)
    expect(page.locator("#lab-answer-1 .tokens")).to_have_text(re.compile("[2-9] tokens"))
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(status(page)).to_contain_text("Stopped")
    expect(page.locator("#lab-answer-1 .badge")).to_have_text("stopped")
    expect(page.locator("#lab-tally")).to_contain_text("Finished runs are counted here")
    expect(page.locator("#lab-question")).to_be_hidden()  # folded since the run began
    unfold(page)
    for side in "ab":
        choose(page, f"lab-model-{side}", re.compile("^scripted$"))
    run(page)  # the place is free again
    wait_until_done(page)
    expect(page.locator("#lab-tally tbody tr")).to_have_count(2)


def test_a_third_visitor_sees_the_place_in_line_and_gets_a_turn(browser: Browser, lab_url: str) -> None:
    first, second, third = (browser.new_page() for _ in range(3))
    for visitor, setup in ((first, UNHURRIED), (second, UNHURRIED), (third, AT_ONCE)):
        open_lab(visitor, lab_url, **setup)
    for visitor in (first, second):
        run(visitor)
        expect(status(visitor)).to_contain_text("being written")
    run(third)
    expect(status(third)).to_have_text("Waiting in line: you are next.")
    first.get_by_role("button", name="Stop", exact=True).click()
    wait_until_done(third)
    second.close()  # whoever leaves frees the place too
    first.reload()
    run(first)
    expect(status(first)).to_contain_text("being written")
    for visitor in (first, third):
        visitor.close()


def test_a_blind_vote_before_both_finish_shows_names_and_verdicts(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url, b=UNHURRIED["b"])
    page.get_by_label("Blind: hide names").check()
    run(page)
    expect(page.locator("#lab-answer-1 .lab-text")).not_to_be_empty()
    answers = page.locator("#lab-answers, #lab-verdicts, #lab-pairwise")
    for place in range(3):
        expect(answers.nth(place)).not_to_contain_text(re.compile("naive|pref_aligner|scripted|breakage|robust"))
    expect(page.locator("#lab-controls")).to_be_hidden()
    page.get_by_role("button", name="Answer 2 is better").click()
    expect(page.locator("#lab-ballot")).to_contain_text("You voted for answer 2.")
    expect(status(page)).to_contain_text("being written")
    expect(page.locator("#lab-answer-1 .who")).to_contain_text("scripted")
    wait_until_done(page)
    expect(page.locator("#lab-verdict-1 .outcome")).to_have_text(re.compile("breakage|robust"))
    expect(page.locator("#lab-agreement")).to_contain_text("1 without a consistent verdict of the judge")


def test_before_enough_people_voted_the_rating_says_what_is_missing(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url)
    said = page.locator("#lab-ratings-said")
    expect(said).to_contain_text(
        re.compile(r"No rating yet: [01] votes? by [01] visitors?;( 1 left out;)? it takes 50 by 10\.")
    )
    expect(page.locator("#lab-ratings tbody tr")).to_have_count(0)
    said.get_by_text("How this is made, and which votes count").click()
    expect(said).to_contain_text("All intervals hold together with 95%. They leave out one visitor at a time")


def test_blind_votes_of_all_visitors_are_a_rating_with_n_and_interval(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    store = Store.open(Settings.from_env({"PLUMBLINE_DATA": str(data)}).resolved_database_url)
    book = StoredVoteBook(store)
    for vote in honest(80, 16):
        book.add(vote)
    store.close()
    interval = re.compile(r"\d\d\.\d% \[\d\d\.\d, \d\d\.\d\]")
    for address in running_app(data, QUIET_APP | {"PLUMBLINE_GENERATORS": "scripted"}):
        for width in (1440, 390):
            page = browser.new_page(viewport={"width": width, "height": 900})
            open_lab(page, address)
            said, rows = page.locator("#lab-ratings-said"), page.locator("#lab-ratings tbody tr")
            expect(said).to_contain_text("80 votes by 16 visitors.")
            expect(said).to_contain_text(interval)
            expect(rows).to_have_count(2)
            expect(rows.first).to_contain_text(interval)
            expect(rows.first).to_contain_text("80")
            expect_no_sideways_scroll(page)
            assert serious_violations(page) == {}
            page.close()


def test_preferences_are_written_moved_marked_and_deleted_with_the_keyboard(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url, **UNHURRIED)
    page.get_by_role("button", name="Clear list").focus()
    page.keyboard.press("Enter")
    expect(preferences(page)).to_have_count(0)
    expect(page.locator("#setting .setting-name")).to_have_text("none")
    page.get_by_role("button", name="Add a preference").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("First wish")
    page.keyboard.press("Enter")
    page.keyboard.type("Second wish")
    page.keyboard.press("Alt+ArrowUp")
    expect(preferences(page).nth(0)).to_be_focused()
    expect(preferences(page).nth(0)).to_have_value("Second wish")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox", name="relevant").nth(0)).to_be_checked()
    expect(page.locator("#setting .setting-name")).to_have_text("mixed")
    page.get_by_role("button", name="Move preference 1 down").press("Enter")
    expect(page.get_by_role("checkbox", name="relevant").nth(1)).to_be_checked()
    page.get_by_role("button", name="Delete preference 1").press("Enter")
    expect(preferences(page)).to_have_count(1)
    expect(preferences(page).nth(0)).to_have_value("Second wish")
    expect(page.locator("#setting .setting-name")).to_have_text("relevant")
    page.get_by_role("button", name="Run", exact=True).press("Enter")
    expect(status(page)).to_contain_text("being written")
    page.get_by_role("button", name="Stop", exact=True).press("Enter")
    expect(status(page)).to_contain_text("Stopped")


def test_at_most_one_preference_is_relevant_and_at_most_eight_stand(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url)
    page.get_by_role("button", name="Mixed", exact=True).click()
    expect(preferences(page)).to_have_count(6)
    marks = page.get_by_role("checkbox", name="relevant")
    expect(marks.nth(2)).to_be_checked()
    marks.nth(4).check()
    expect(marks.nth(2)).not_to_be_checked()
    for _ in range(2):
        page.get_by_role("button", name="Add a preference").click()
    expect(page.get_by_role("button", name="Add a preference")).to_be_disabled()
    for preset, count, said in (("Three irrelevant", 3, "3 irrelevant preferences"), ("One relevant", 1, "1 relevant")):
        page.get_by_role("button", name=preset).click()
        expect(preferences(page)).to_have_count(count)
        expect(page.locator("#lab-setup-line")).to_contain_text(said)


def test_a_link_restores_the_setup_in_a_new_window_and_runs_nothing(page: Page, browser: Browser, lab_url: str) -> None:
    open_lab(page, lab_url)
    page.locator("#lab-text textarea").fill("Which is red?")
    page.locator("#lab-options textarea").fill("blood\ngrass")
    page.locator("#lab-options textarea").blur()
    choose(page, "lab-gold", "A")
    page.get_by_role("button", name="Mixed", exact=True).click()
    expect(preferences(page)).to_have_count(6)
    choose(page, "lab-method-a", re.compile("^no_preference"))
    page.get_by_role("button", name="Share", exact=True).click()
    link = page.locator("#lab-share-link a")
    expect(link).to_have_attribute("href", re.compile("question=Which"))
    expect(page).to_have_url(re.compile("question=Which"))
    other = browser.new_page()
    other.goto(f"{lab_url}/{link.get_attribute('href')}")
    expect(other.locator("#lab-text textarea")).to_have_value("Which is red?")
    expect(other.locator("#lab-options textarea")).to_have_value("blood\ngrass")
    expect(other.locator("#lab-gold input")).to_have_value("A")
    expect(preferences(other)).to_have_count(6)
    expect(other.get_by_role("checkbox", name="relevant").nth(2)).to_be_checked()
    expect(other.locator("#lab-method-a input")).to_have_value(re.compile("^no_preference"))
    expect(status(other)).to_have_text("Nothing has been run yet.")
    expect(other.locator("#lab-link-notice")).to_be_hidden()
    other.goto(f"{lab_url}/?tab=lab&dataset=demonstration&example=d99&a=gpt-9")
    expect(other.locator("#lab-link-notice")).to_contain_text("gpt-9")
    expect(other.locator("#lab-link-notice")).to_contain_text("d99")
    other.close()


def test_what_was_typed_stays_though_the_server_has_forgotten_the_visitor(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url)
    page.locator("#lab-text textarea").fill("Which is red?")
    forgotten_by_server(page, "click", "lab-share")
    page.evaluate("window.isWhatItWas = true")
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("#lab-share-link a")).to_have_attribute("href", re.compile("question=Which"))
    expect(page).to_have_url(re.compile("question=Which"))
    expect(page.locator("#lab-text textarea")).to_have_value("Which is red?")
    page.wait_for_timeout(500)  # were it loaded anew, it would have begun by then
    assert page.evaluate("window.isWhatItWas === true")


def test_a_setup_too_long_for_a_link_is_to_be_exported(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url)
    page.locator("#lab-text textarea").fill("long " * 500)
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("#lab-share-notice")).to_contain_text("export")
    expect(page.locator("#lab-share-link a")).to_be_hidden()


def test_an_exported_session_is_accepted_by_the_command_line_and_loads_back(
    page: Page, lab_url: str, tmp_path: Path
) -> None:
    open_lab(page, lab_url)
    run(page)
    wait_until_done(page)
    with page.expect_download() as started:
        page.get_by_role("button", name="Export session (JSON)").click()
    path = tmp_path / started.value.suggested_filename
    started.value.save_as(path)
    checked = subprocess.run(
        [sys.executable, "-m", "submissions", "check", str(path), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(checked.stdout)["decision"] != "refused", checked.stdout
    page.get_by_role("button", name="Reset session").click()
    expect(page.locator("#lab-tally")).to_contain_text("Finished runs are counted here")
    load(page, path)
    expect(page.locator("#lab-file-notice")).to_contain_text("1 run loaded.")
    expect(status(page)).to_contain_text("Stored run, shown again: nothing is run.")
    expect(page.locator("#lab-tally tbody tr")).to_have_count(2)
    expect(page.locator("#lab-verdict-1 .outcome")).to_have_text("breakage")
    expect(page.locator("#lab-setup")).to_contain_text("vacuum")


def test_whoever_leaves_the_lab_finds_it_as_they_left_it(page: Page, browser: Browser, lab_url: str) -> None:
    open_lab(page, lab_url)
    run(page)
    wait_until_done(page)
    answer = page.locator("#lab-answer-1 .lab-text").first.inner_text()
    for entry, place in (("Submit", "#submission-file"), ("Lab", "#lab-head")):
        page.locator("#pages").get_by_role("link", name=entry, exact=True).click()
        expect(page.locator(place)).to_be_visible()
    expect(page.locator("#lab-tally tbody tr")).to_have_count(2)
    expect(page.locator("#lab-answer-1 .lab-text").first).to_have_text(answer)
    elsewhere = browser.new_page()  # another window is another visit
    open_lab(elsewhere, lab_url)
    expect(elsewhere.locator("#lab-tally")).to_contain_text("Finished runs are counted here")
    elsewhere.close()


def test_the_threshold_changes_the_cards_and_says_so(page: Page, models_url: str) -> None:
    open_lab(page, models_url)
    run(page)
    wait_until_done(page)
    expect(page.locator("#lab-tally tbody tr")).to_have_count(2)  # a run counts once it is over, after its last word
    before = page.locator("#lab-tally tbody").inner_text()
    page.locator("#lab-threshold input[type=number]").fill("5")
    page.locator("#lab-threshold input[type=number]").press("Tab")
    expect(page.locator("#lab-verdict-1 .card-flag").first).to_contain_text("this card only")
    assert page.locator("#lab-tally tbody").inner_text() == before


def test_twins_ask_two_wordings_and_are_not_compared(page: Page, lab_url: str) -> None:
    open_lab(page, lab_url, dataset="demonstration_prompts", example="901.1", twin="901.2")
    expect(page.locator("#lab-twin-text textarea")).not_to_have_value("")
    run(page)
    wait_until_done(page)
    expect(page.locator("#lab-pairwise")).to_contain_text("two wordings")
    expect(page.locator("#lab-controls .lab-pane")).to_have_count(2)


def test_hostile_texts_are_shown_and_never_run(page: Page, lab_url: str, tmp_path: Path) -> None:
    query = {f"preference_{number}": f"{text} answer" for number, text in enumerate(HOSTILE, start=1)}
    open_lab(
        page, lab_url, question=HOSTILE[4], option_1=HOSTILE[1], option_2=HOSTILE[3], gold="A", relevant="1", **query
    )
    expect(preferences(page)).to_have_count(8)
    expect(preferences(page).nth(2)).to_have_value(f"{HOSTILE[2]} answer")
    for number, text in enumerate(HOSTILE):  # each in turn is what the answer repeats
        first = preferences(page).nth(0)
        first.fill(f"{text} answer")
        first.press("Tab")
        if number in (2, 5):
            page.get_by_label("Blind: hide names").set_checked(number == 2)
    run(page)
    wait_until_done(page)
    page.get_by_text("The exact prompts").click()
    expect(page.locator("#lab-prompts pre").first).to_be_visible()
    # The scripted generator names the first preference that speaks of an answer.
    expect(page.locator("#lab-answer-1 .lab-text")).to_contain_text("[U+202E]gnihton[U+202C]")
    expect(page.locator("#lab-answer-2 .thoughts")).to_contain_text("[U+202E]")
    shown = page.locator("#lab-prompts").inner_text()
    for text in HOSTILE[1:-1]:
        assert text in shown, text
    with page.expect_download() as started:
        page.get_by_role("button", name="Export session (JSON)").click()
    path = tmp_path / "hostile.json"
    started.value.save_as(path)
    load(page, path)
    expect(page.locator("#lab-setup")).to_contain_text(HOSTILE[4])
    expect(page.locator("#lab-setup")).to_contain_text(HOSTILE[2])
    assert page.evaluate("document.querySelectorAll('.plumb img, .plumb script, .plumb svg').length") == 0
    assert page.evaluate("[...document.querySelectorAll('.plumb a')].every((a) => a.origin === location.origin)")
    page.goto(f"{lab_url}/?{urlencode({'tab': 'lab', 'a': HOSTILE[3], 'dataset': HOSTILE[2], 'example': HOSTILE[1]})}")
    expect(page.locator("#lab-link-notice")).to_contain_text("${alert(3)}")
    assert page.evaluate("document.querySelectorAll('.plumb img, .plumb script').length") == 0


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing_serious_and_a_phone_does_not_scroll_sideways(
    browser: Browser, lab_url: str, colours: Any, width: int
) -> None:
    page = browser.new_page(color_scheme=colours, viewport={"width": width, "height": 844})
    open_lab(page, lab_url)
    run(page)
    wait_until_done(page)
    expect_no_sideways_scroll(page)
    first, second = (page.locator(f"#lab-answer-{number}").bounding_box() for number in (1, 2))
    assert first is not None
    assert second is not None
    assert (second["y"] > first["y"]) == (width == 390)  # stacked on a phone, side by side elsewhere
    assert serious_violations(page) == {}
    page.close()


def test_on_a_zero_gpu_space_cards_are_lent_to_the_visitor_and_a_used_up_quota_is_told(
    page: Page, tmp_path: Path
) -> None:
    tokenizer, models, cards = small_tokenizer(), tmp_path / "models", Cards(tmp_path / "cards")
    data = tmp_path / "data"
    data.mkdir()
    made = {"tiny": random_model(WATCHED, seed=1), "tiny-judge": answering_model(tokenizer)}
    for name, model in made.items():
        model.save_pretrained(models / name)
        tokenizer.save_pretrained(models / name)
    cards.folder.mkdir()
    settings = QUIET_APP | {
        "PLUMBLINE_GENERATORS": f"transformers:{models / 'tiny'}",
        "PLUMBLINE_JUDGES": f"transformers:{models / 'tiny-judge'};unproven",
        "SPACES_ZERO_GPU": "true",
        "PYTHONPATH": str(PACKAGE),
        FOLDER: str(cards.folder),
    }
    for address in running_app(data, settings):
        # All that ever asks for a card is known when the Space says that it has started, and then the page opens.
        wrapped = ["_written", "judge", "explanation"]
        assert [note.get("function", note["event"]) for note in cards.notes] == [*wrapped, "started"]
        page.set_extra_http_headers({"x-ip-token": "ann"})
        open_lab(page, address)
        run(page)
        wait_until_done(page)
        expect(page.locator("#lab-verdict-1 .outcome")).not_to_be_empty()
        asked = [note for note in cards.notes if note["event"] == "asked"]
        assert {note["visitor"] for note in asked} == {"ann"}
        # 10 s to start, and 512 tokens of 0.05 s.
        assert {(note["function"], note["seconds"]) for note in asked} >= {("_written", 36), ("judge", 11)}
        cards.refuse(
            "ZeroGPU quota exceeded", "You have exceeded your free ZeroGPU quota (36s requested vs. 4s left). "
        )
        run(page)
        expect(page.locator("#lab-answer-1")).to_contain_text(
            "no graphics card is lent for this: You have exceeded your free ZeroGPU quota (36s requested vs. 4s left)"
        )
        assert serious_violations(page) == {}
        page.close()


@pytest.mark.parametrize("torch", ["installed", "missing"])
def test_replay_works_without_any_generator_and_without_torch(page: Page, tmp_path: Path, torch: str) -> None:
    settings = QUIET_APP | {"PLUMBLINE_GENERATORS": "none", "PLUMBLINE_JUDGES": "auto"}
    data = tmp_path / "data"
    data.mkdir()
    store = Store.open(Settings.from_env({"PLUMBLINE_DATA": str(data)}).resolved_database_url)
    put_into(store, large_file(lost=2, ignored=1, aligner_lost=1, size=4))
    store.close()
    if torch == "missing":
        (tmp_path / "torch.py").write_text("raise ImportError('torch is not installed here', name='torch')\n")
        settings["PYTHONPATH"] = str(tmp_path)
    for address in running_app(data, settings):
        page.goto(f"{address}/?tab=lab")
        expect(page.locator("#lab-live-off")).to_contain_text(
            "Live generation is off: no generator model is configured here. Replay works."
        )
        expect(page.locator("#lab-live-off")).to_contain_text("PLUMBLINE_GENERATORS")
        expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
        page.goto(f"{address}/?tab=personalization&columns=all")
        page.locator("#personalization-board-table tbody tr", has_text="Aurora").get_by_role("button").first.click()
        page.get_by_role("link", name="Open in the lab").click()
        expect(page.locator("#lab-replay")).to_be_visible()
        page.goto(f"{address}/?tab=lab")
        page.get_by_role("radio", name="Replay: stored answers").check()
        expect(page.locator("#lab-answer-1 .who")).to_contain_text("Steady")
        expect(page.locator("#lab-answer-1 .lab-text")).to_contain_text("The answer is")
        expect(page.locator("#lab-verdict-1 .outcome")).not_to_be_empty()
        expect(page.locator("#lab-setup")).to_contain_text("Which colour has flag q0?")
        page.get_by_role("button", name="Next →").click()
        expect(page.locator("#lab-setup")).to_contain_text("Which colour has flag q1?")
        expect(page).to_have_url(re.compile("replay_example=ours%2Fq1"))
        assert serious_violations(page) == {}
        page.reload()
        expect(page.locator("#lab-setup")).to_contain_text("Which colour has flag q1?")
