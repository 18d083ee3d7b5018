"""A browser holds the pages to the policy they come with; any breach is an error of the story (`page` in conftest).

That every page keeps to it is read where every page is opened (test_access.py)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import httpx2
from playwright.sync_api import Browser, Page, expect

from leaderboard.parts.theme import css

BREACHES = """() => {
  window.breaches = [];
  document.addEventListener('securitypolicyviolation', (event) => window.breaches.push(event.effectiveDirective));
}"""


def test_downloads_uploads_charts_and_runs_keep_to_it(
    page: Page, base_url: str, submission_file: Callable[..., Path]
) -> None:
    page.goto(f"{base_url}/?tab=submit")
    page.locator("#submission-file input[type=file]").set_input_files(submission_file("Csp", system="One"))
    expect(page.locator("#decision")).to_contain_text("Accepted")
    page.goto(f"{base_url}/?tab=robustness&set=demonstration")
    page.locator("#share-drawer > button").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("JSON")).first.click()
    assert download.value.suggested_filename.endswith(".json")


def test_it_keeps_a_browser_from_what_no_page_of_ours_does(browser: Browser, base_url: str) -> None:
    page = browser.new_page()
    page.add_init_script(f"({BREACHES})()")
    page.goto(base_url)
    page.evaluate(
        """() => {
          const add = (name, changes) => document.body.append(Object.assign(document.createElement(name), changes));
          add('script', {text: 'window.ran = true'});
          add('script', {src: 'https://elsewhere.example/x.js'});
          add('img', {src: 'https://elsewhere.example/seen.png'});
          add('iframe', {src: 'https://elsewhere.example/'});
          fetch('https://elsewhere.example/').catch(() => {});
        }"""
    )
    page.wait_for_function("window.breaches.length >= 5")
    kinds = {"script-src-elem", "img-src", "frame-src", "connect-src"}
    assert kinds <= set(page.evaluate("window.breaches"))
    assert page.evaluate("window.ran") is None
    page.close()


def test_an_upload_that_is_a_page_runs_nothing(base_url: str) -> None:
    html = b"<script>alert(1)</script>"
    (path,) = httpx2.post(f"{base_url}/gradio_api/upload", files={"files": ("x.html", html, "text/html")}).json()
    answer = httpx2.get(f"{base_url}/gradio_api/file={path}")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "attachment" in answer.headers["content-disposition"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_no_style_sheet_of_ours_fetches_anything() -> None:
    assert re.findall(r"url\(\s*['\"]?(?!data:|#)[^)]*\)|@import", css()) == []
