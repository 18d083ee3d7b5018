"""Two people say whether they agree with a judge: votes are marked, kept for each browser, and counted on its card."""

from __future__ import annotations

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, serious_violations
from tests.browser.visitors import Keyboard, Mouse


def open_item(page: Page, base_url: str) -> None:
    """Opens an item to which a demonstration system gave five different answers: every pair has a vote of its own."""
    page.goto(f"{base_url}/?tab=robustness&set=demonstration&view=english")
    system = page.locator("#board-table th [data-open]").get_by_text("keel", exact=True)
    expect(system).to_be_visible(timeout=SCORED_WITHIN_MS)
    system.click()
    page.locator("#items-table th [data-open]").get_by_text("903", exact=True).click()
    expect(choice(page, 0, "Agree")).to_be_visible()


def choice(page: Page, row: int, label: str) -> Locator:
    return page.locator("#item .verdicts tbody tr").nth(row).locator(f'button[data-choice="{label}"]')


def chosen(page: Page) -> Locator:
    return page.locator('#item .ballot button[aria-pressed="true"]')


def on_the_card(page: Page) -> Locator:
    return page.locator("#item .judge-card dl > div").filter(has_text="People agree with it").locator("dd")


def test_people_agree_and_disagree_with_the_judge(page: Page, base_url: str, browser: Browser) -> None:
    anna = Mouse(page)
    open_item(page, base_url)
    expect(on_the_card(page)).to_have_text("nobody has checked it yet")

    anna.press(choice(page, 0, "Agree"))
    anna.press(choice(page, 1, "Disagree"))
    expect(chosen(page)).to_have_text(["Agree", "Disagree"])
    expect(on_the_card(page)).to_contain_text("2 votes by 1 person on 2 verdicts, 1 agree")
    expect(page.locator(".human-check")).to_contain_text("pulls votes towards it: read this as an upper bound")
    assert serious_violations(page) == {}

    page.reload()
    expect(chosen(page)).to_have_text(["Agree", "Disagree"])
    expect(choice(page, 0, "Disagree")).to_have_attribute("aria-pressed", "false")

    # Ben uses another browser, and only types.
    with browser.new_context() as context:
        other = context.new_page()
        ben = Keyboard(other)
        other.goto(page.url)
        expect(choice(other, 0, "Agree")).to_be_visible()
        expect(chosen(other)).to_have_count(0)
        ben.press(choice(other, 0, "Disagree"))
        expect(chosen(other)).to_have_text(["Disagree"])
        expect(choice(other, 0, "Disagree")).to_be_focused()
        expect(on_the_card(other)).to_contain_text("3 votes by 2 people on 2 verdicts, 1 agree")
        ben.press(choice(other, 0, "Agree"))  # a second vote takes the place of the first
        expect(chosen(other)).to_have_text(["Agree"])
        expect(on_the_card(other)).to_contain_text("3 votes by 2 people on 2 verdicts, 2 agree")

    anna.press(choice(page, 1, "Disagree"))  # the chosen one again: taken back
    expect(chosen(page)).to_have_text(["Agree"])
    expect(on_the_card(page)).to_contain_text("2 votes by 2 people on 1 verdict, 2 agree")
