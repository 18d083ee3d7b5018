"""A team submits a run."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, expect_no_sideways_scroll, serious_violations
from tests.unit.submissions.formats.eloquent.cultural_files import lines, row, run_files, zipped
from tests.unit.submissions.formats.personalization.answer_files import as_lines, good_document, good_rows

FileMaker = Callable[..., Path]
ASKED_UNDER = ("#act-notice .notice", "#confirm-withdraw")
"""A question about a ticket, and what answers it."""


def submit(page: Page, file: Path) -> None:
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#receipt")).to_contain_text("Submitted.")


def test_a_good_file_becomes_a_row_without_a_reload(page: Page, submission_file: FileMaker) -> None:
    submit(page, submission_file("Upload Team", system="Fresh System"))
    page.locator("#pages").get_by_role("link", name="Robustness", exact=True).click()
    page.locator("#shown-drawer > button").click()
    page.get_by_role("radio", name="Demonstration").check()
    row = page.locator("#board-table tbody tr", has_text="Fresh System")
    expect(row).to_be_visible(timeout=SCORED_WITHIN_MS)
    expect(row.locator(".column-score")).to_have_text(re.compile(r"^\d\.\d\d \[\d\.\d\d, \d\.\d\d\]$"))


def test_the_form_is_one_column_from_the_file_by_its_result_and_names_to_submit(
    page: Page, submission_file: FileMaker
) -> None:
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(submission_file("Column Team", system="Column"))
    expect(page.locator("#decision")).to_contain_text("Accepted, and enough for a rank")
    parts = ("#submission-file", "#decision .notice", "#problems .shown", "#name-team", "#submit", "#preview .shown")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        boxes = [page.locator(part).first.bounding_box() for part in parts]
        tops = [box["y"] for box in boxes if box]
        assert len(tops) == len(parts)
        assert tops == sorted(tops)
        expect_no_sideways_scroll(page)


def test_a_log_is_led_to_the_judge_report(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "output.json"
    file.write_text('{"evalId": "e", "results": {}}')
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("This is promptfoo output, no submission.")
    page.locator("#decision").get_by_role("link", name="Open Judge report").click()
    expect(page).to_have_url(re.compile("/judge_report$"))


def test_names_are_taken_from_the_file_and_nothing_is_queued_by_a_check(page: Page, submission_file: FileMaker) -> None:
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(submission_file("Only Checked", system="Seen"))
    expect(page.get_by_label("Team")).to_have_value("Only Checked")
    expect(page.get_by_label("System")).to_have_value("Seen")
    page.locator("#pages-beside").get_by_role("link", name="Queue", exact=True).click()
    expect(page.locator("#tickets")).to_be_visible()
    expect(page.locator("#tickets")).not_to_contain_text("Only Checked")


def test_a_bad_file_is_told_every_fault(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    items = '[{"id": "901", "responses": [{"response": 7}]}, {"id": "999", "responses": []}]'
    file.write_text(f'{{"eloquent-robustness-results": {{"source": "", "year": "2024", "items": {items}}}}}')
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Refused")
    table = page.locator("#problems table")
    for place in ("items[0]", "items[1]", "source"):
        expect(table).to_contain_text(place)
    assert serious_violations(page) == {}
    assert all(text for text in table.locator("td.column-hint").all_inner_texts())
    page.set_viewport_size({"width": 1440, "height": 900})
    frame = page.locator("#problems .table-frame")
    assert frame.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 1  # the codes stand in sight
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_disabled()


def test_a_ticket_survives_a_reload_and_leads_to_its_row(page: Page, submission_file: FileMaker) -> None:
    submit(page, submission_file("Patient Team", system="Patience"))
    page.get_by_role("link", name="Open the ticket").click()
    expect(page.locator("#ticket")).to_contain_text("Patience")
    page.reload()
    expect(page.locator("#ticket")).to_contain_text("Patience")
    assert serious_violations(page) == {}
    link = page.get_by_role("link", name="See its row on the board")
    expect(link).to_be_visible(timeout=SCORED_WITHIN_MS)
    link.click()
    expect(page.locator("#system-notice")).to_contain_text("Patience")


def test_a_run_is_withdrawn_and_erased_and_a_tombstone_says_so(page: Page, submission_file: FileMaker) -> None:
    submit(page, submission_file("Leaving Team", system="Leaver"))
    board = "/robustness?set=demonstration&search=Leaver"
    page.goto(board)
    row = page.locator("#board-table tbody tr", has_text="Leaver")
    expect(row).to_be_visible(timeout=SCORED_WITHIN_MS)
    page.goto("/mine")
    page.get_by_role("link", name="Ticket of version 1, Leaver").click()
    # Nothing that cannot be taken back is done by one press, and what it means stands beside the second.
    expect(page.locator("#erase")).to_be_hidden()
    page.get_by_role("button", name="Withdraw…").click()
    expect(page.locator("#act-notice")).to_contain_text("The row leaves the boards and does not come back.")
    for asked in ("#act-notice", "#confirm-withdraw"):
        expect(page.locator(asked)).to_be_in_viewport(ratio=1)
    left = [page.locator(one).evaluate("(box) => box.getBoundingClientRect().left") for one in ASKED_UNDER]
    assert max(left) - min(left) <= 1  # what confirms stands under the question, at the left
    # Who goes to another ticket is not asked about that one.
    page.locator("#to-queue").click()
    expect(page.locator("#confirm-withdraw")).to_be_hidden()
    page.go_back()
    expect(page.locator("#withdraw")).to_be_visible()
    expect(page.locator("#confirm-withdraw")).to_be_hidden()
    page.get_by_role("button", name="Withdraw…").click()
    page.get_by_role("button", name="Yes, withdraw permanently").click()
    expect(page.locator("#ticket .state")).to_have_text("withdrawn")
    page.get_by_role("button", name="Erase its answers…").click()
    expect(page.locator("#act-notice")).to_contain_text("You cannot undo this.")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        sure = page.get_by_role("button", name="Yes, erase permanently").bounding_box()
        assert sure is not None
        assert 0 <= sure["x"] <= width - sure["width"]
    assert serious_violations(page) == {}
    page.get_by_role("button", name="Yes, erase permanently").click()
    expect(page.locator("#act-notice")).to_contain_text("Its answers are erased; a tombstone stays.")
    expect(page.locator("#ticket")).to_contain_text("The answers were erased permanently")
    expect(page.locator("#erase")).to_be_hidden()
    page.goto("/mine")
    expect(page.get_by_role("region", name="Versions of Leaver")).to_contain_text("its answers were erased")
    page.goto(board)
    expect(page.locator("#board-table")).to_contain_text("No system")
    expect(row).to_have_count(0)


def test_a_template_can_be_downloaded(page: Page) -> None:
    page.goto("/?tab=submit")
    page.get_by_role("button", name="Start from a template").click()
    page.locator("#template-set").get_by_role("radio", name="Demonstration", exact=True).check()
    for name, file in (("Submission template", "template"), ("Answer sheet", "answer-sheet")):
        with page.expect_download() as started:
            page.get_by_role("button", name=name).click()
        assert started.value.suggested_filename == f"demonstration-{file}.json"


def test_a_zip_of_2026_is_checked_file_by_file_and_its_template_has_the_chosen_languages(
    page: Page, tmp_path: Path
) -> None:
    page.goto("/?tab=submit")
    page.get_by_role("button", name="Start from a template").click()
    page.locator("#template-set").get_by_role("radio", name="ELOQUENT 2026").check()
    expect(page.locator("#template-languages")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("button", name="Submission template").click()
    assert started.value.suggested_filename == "eloquent-2026-template.zip"
    with zipfile.ZipFile(started.value.path()) as archive:
        # The metadata, and two files for each of the five languages of the official example.
        assert len(archive.namelist()) == 11
        rows = archive.read("sv_unspecific.jsonl").splitlines()
    assert len(rows) == 101

    files = run_files() | {"sv_specific.jsonl": lines([row("1-1", "ja"), row("999", "<b>nej</b>")])}
    file = tmp_path / "run.zip"
    file.write_bytes(zipped(files))
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Refused")
    expect(page.locator("#problems table")).to_contain_text("sv_specific.jsonl:2")
    expect(page.locator("#coverage-grid")).to_contain_text("unspecific")
    file.write_bytes(zipped(run_files()))
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted, but not enough for a rank")
    expect(page.get_by_label("Team")).to_have_value("aurora")
    assert serious_violations(page) == {}


def test_personalized_answers_are_told_what_they_hold(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(as_lines(good_document(team="<b>Aurora</b>")))
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    expect(page.locator("#decision")).to_contain_text("3 answers with preferences")
    expect(page.get_by_label("Team")).to_have_value("<b>Aurora</b>")
    row = page.locator("#coverage table tbody tr", has_text="pref_aligner")
    expect(row).to_contain_text("preference followed, robustness")
    assert serious_violations(page) == {}
    rows = good_rows()
    rows[1]["gold"] = "<img src=x onerror=alert(1)>"
    file.write_bytes(as_lines(good_document(rows)))
    page.goto("/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Refused")
    expect(page.locator("#problems table")).to_contain_text("answers.jsonl:3")
    expect(page.locator("#problems table")).to_contain_text("<img src=x onerror=alert(1)>")
