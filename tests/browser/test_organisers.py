"""On a Space: a team submits as its account, an organiser pauses the queue and hides a row, everybody reads why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SCORED_WITHIN_MS, running_app, serious_violations
from tests.service.space_sessions import SPACE, signed_session


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an app on a Space, with its worker."""
    yield from running_app(tmp_path_factory.mktemp("space"), SPACE | {"PLUMBLINE_WORKERS": "1"})


@pytest.fixture
def visiting(browser: Browser, space: str) -> Iterator[Callable[[str], Page]]:
    """A browser of its own for everybody; whoever has a name has signed in."""
    contexts = []

    def visit(name: str) -> Page:
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        contexts.append(context)
        if name:
            cookie = signed_session(f"subject-of-{name}", name)
            context.add_cookies([{"name": "session", "value": cookie, "url": space}])
        return context.new_page()

    yield visit
    for context in contexts:
        context.close()


def submit(page: Page, space: str, file: Path) -> None:
    page.goto(f"{space}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(file)
    expect(page.locator("#decision")).to_contain_text("Accepted")
    page.get_by_role("button", name="Submit", exact=True).click()


def test_an_organiser_pauses_hides_and_shows_and_everybody_reads_why(
    visiting: Callable[[str], Page], space: str, submission_file: Callable[..., Path]
) -> None:
    # Nobody submits without an account.
    stranger = visiting("")
    submit(stranger, space, submission_file("Aurora", system="Keel"))
    expect(stranger.locator("#decision")).to_contain_text("Sign in first")
    expect(stranger.locator("#sign-in")).to_have_text("Sign in with Hugging Face")
    assert stranger.locator("img").evaluate_all("all => all.filter(one => !one.naturalWidth).map(one => one.src)") == []

    # Anna does, and her next run has to wait for this one.
    anna = visiting("anna")
    anna.goto(f"{space}/?tab=queue")
    expect(anna.locator("#sign-in")).to_have_text("Sign out (anna)")
    expect(anna.locator("#organisers")).to_be_hidden()

    # Olga pauses the queue before anything is judged. Without a reason she cannot.
    olga = visiting("olga")
    olga.goto(f"{space}/?tab=queue")
    olga.get_by_role("button", name="Pause the queue").click()
    expect(olga.locator("#organiser-notice")).to_contain_text("Say why")
    olga.get_by_label("Reason (public)").fill("the judge is being replaced <b>today</b> ${1+1}")
    olga.get_by_role("button", name="Pause the queue").click()
    expect(olga.locator("#pause-notice")).to_contain_text("olga: the judge is being replaced <b>today</b> ${1+1}")
    expect(olga.get_by_label("Reason (public)")).to_have_value("")
    assert serious_violations(olga) == {}

    submit(anna, space, submission_file("Aurora", system="Keel"))
    expect(anna.locator("#receipt")).to_contain_text("Submitted")
    ticket = anna.locator("#receipt a").get_attribute("href")
    submit(anna, space, submission_file("Aurora", system="Keel", change="again"))
    expect(anna.locator("#decision")).to_contain_text("You have 1 run in the queue or at work, and the limit is 1.")

    stranger.goto(f"{space}/?tab=queue")
    expect(stranger.locator("#pause-notice")).to_contain_text("The queue is paused since")
    olga.get_by_label("Reason (public)").fill("it is here")
    olga.get_by_role("button", name="Resume the queue").click()
    expect(stranger.locator("#pause-notice")).to_have_text("")

    # It is judged and on the board; Anna may decide about it, others not.
    anna.goto(f"{space}/{ticket}")
    expect(anna.locator("#ticket .state")).to_have_text("scored", timeout=SCORED_WITHIN_MS)
    expect(anna.get_by_role("button", name="Use this run for my rank")).to_be_visible()
    anna.get_by_role("button", name="Use this run for my rank").click()
    expect(anna.locator("#act-notice")).to_contain_text("ranked by this run now")
    board = f"{space}/?set=demonstration&search=Keel"
    stranger.goto(board)
    expect(stranger.get_by_role("button", name="Keel")).to_be_visible()
    stranger.goto(f"{space}/{ticket}")
    expect(stranger.locator("#ticket .state")).to_have_text("scored")
    expect(stranger.locator("#withdraw")).to_be_hidden()

    # Olga hides it: it leaves the board, and its reason is public.
    olga.goto(f"{space}/{ticket}")
    olga.get_by_label("Reason (public)").fill("it quotes the answers of another team")
    olga.get_by_role("button", name="Hide from the boards").click()
    expect(olga.locator("#organiser-notice")).to_contain_text("Hidden from the boards")
    expect(stranger.locator("#ticket .reason")).to_contain_text("it quotes the answers of another team")
    expect(stranger.locator("#acts")).to_contain_text("olga")
    stranger.goto(board)
    expect(stranger.get_by_role("button", name="Keel")).to_have_count(0)

    # And shows it again.
    olga.get_by_label("Reason (public)").fill("settled with the team")
    olga.get_by_role("button", name="Show on the boards again").click()
    stranger.goto(board)
    expect(stranger.get_by_role("button", name="Keel")).to_be_visible()
