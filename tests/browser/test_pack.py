"""A team drops files as it keeps them: the page puts them in order, shows the plan, checks and submits each run."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import serious_violations
from tests.browser.visitors import Mouse

MIXED = Path(__file__).parents[1] / "data" / "packing" / "mixed"


def test_files_of_two_runs_in_one_folder_become_two_submissions(page: Page) -> None:
    page.goto("/submit")
    page.get_by_text("Several files, or a zip of any shape").click()
    page.locator("#pack-files input[type=file]").set_input_files(sorted(MIXED.iterdir()))
    expect(page.locator("#pack-files")).to_contain_text("zero-shot_qwen")
    page.locator("#pack").click()
    # Which team and system nobody can find out.
    expect(page.locator("#pack-notice")).to_contain_text("Fill in Team and System below")
    page.get_by_label("Team", exact=True).fill("Harbour")
    page.get_by_label("System", exact=True).fill("Keel {run}")
    page.locator("#pack").click()
    expect(page.locator("#pack-notice")).to_contain_text("2 files are ready")
    plan = page.locator("#pack-plan")
    expect(plan.locator("tbody tr")).to_have_count(2)
    expect(plan.locator("tbody tr").first).to_contain_text("2026")
    expect(plan.locator("tbody tr").first).to_contain_text("6 specific, 4 unspecific")
    page.get_by_text("What was changed").click()
    expect(plan).to_contain_text("left out: the same bytes as")  # the second download of one file
    assert serious_violations(page) == {}
    submit = page.get_by_role("button", name="Submit", exact=True)
    for name in ("cot_cultural_llama-3_3", "zero-shot_qwen-2_5"):
        page.locator("#pack-run label", has_text=name).click()
        expect(page.locator("#submission-file")).to_contain_text(name[-6:])
        expect(page.get_by_label("Run", exact=True)).to_have_value(name)
        expect(page.get_by_label("System", exact=True)).to_have_value(f"Keel {name}")
        expect(submit).to_be_enabled()
        submit.click()
        expect(page.locator("#receipt")).to_contain_text(f"Keel {name}")


def test_a_refused_file_is_mended_by_a_press_and_a_bare_one_by_what_the_team_says_of_it(
    page: Page, tmp_path: Path
) -> None:
    page.goto("/submit")
    page.locator("#submission-file input[type=file]").set_input_files(MIXED / "en_unspecific_zero-shot_qwen-2_5.jsonl")
    expect(page.locator("#decision")).to_contain_text("Refused")
    page.get_by_label("Team", exact=True).fill("Harbour")
    page.get_by_label("System", exact=True).fill("Tide")
    page.locator("#pack-this").click()
    expect(page.locator("#pack-notice")).to_contain_text("1 file is ready")
    expect(page.locator("#decision")).to_contain_text("Accepted")
    expect(page.locator("#pack-this")).to_be_hidden()
    # Another file takes the plan away.
    page.get_by_role("button", name="Clear").first.click()
    expect(page.locator("#pack-plan table")).to_have_count(0)
    # Nothing says of this one which edition it is of, and in which language.
    bare = tmp_path / "answers.jsonl"
    bare.write_text('{"id": "1", "answer": "Ja, oftast."}\n', encoding="utf-8")
    page.get_by_label("Team", exact=True).fill("Harbour")
    page.get_by_label("System", exact=True).fill("Tide")
    page.get_by_text("Several files, or a zip of any shape").click()
    page.locator("#pack-files input[type=file]").set_input_files(bare)
    expect(page.locator("#pack-files")).to_contain_text("answers")
    page.locator("#pack").click()
    expect(page.locator("#pack-notice")).to_contain_text("choose it below")
    assert serious_violations(page) == {}
    mouse = Mouse(page)
    page.locator("#pack-edition").get_by_label("2025").check()
    mouse.choose(page.locator("#pack-language input"), "sv")
    page.locator("#pack-again").click()
    expect(page.locator("#pack-notice")).to_contain_text("1 file is ready")
    expect(page.locator("#pack-plan tbody tr")).to_contain_text("2025")
    expect(page.locator("#submission-file")).to_contain_text("sv")
