"""Count the words that a visitor sees on the first screen of a page: `python -m tests.browser.first_screen ADDRESS`."""

from __future__ import annotations

import sys

from playwright.sync_api import Page, sync_playwright

SIZE = (1440, 900)
"""Width and height of the screen in pixels."""

PAGES = (
    "/",
    "/robustness",
    "/consistency",
    "/cultural",
    "/judges",
    "/judge_quality",
    "/judge_report",
    "/personalization",
    "/personalized_ratings",
    "/personalized_pairs",
    "/behavior",
    "/lab",
    "/submit",
    "/mine",
    "/queue",
    "/about",
)

_COUNTED = r"""() => {
  const clips = (element) => getComputedStyle(element).overflow !== 'visible';
  const isSeen = (element, x, y) => {
    for (let part = element; part && part !== document.body; part = part.parentElement) {
      if (!clips(part)) continue;
      const box = part.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) return false;
    }
    return x >= 0 && x < innerWidth && y >= 0 && y < innerHeight;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('script, style, noscript')) continue;
    for (const word of text.data.matchAll(/\S*[\p{L}\p{N}]\S*/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const box = range.getBoundingClientRect();
      if (box.width && isSeen(element, box.left + box.width / 2, box.top + box.height / 2)) count += 1;
    }
  }
  return count;
}"""
"""A word has a letter or a digit, and its middle lies within the screen and within every part that clips it."""


def words_on_first_screen(page: Page) -> int:
    """Return the number of words on the screen of an opened page that was not scrolled."""
    page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})
    page.evaluate("scrollTo(0, 0)")
    return int(page.evaluate(_COUNTED))


def main(address: str) -> None:
    """Print the words of every page of a running app, once nothing on the page changes any more."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--no-first-run"]
        )
        page = browser.new_page()
        for path in PAGES:
            page.goto(f"{address}{path}", timeout=120_000)
            page.wait_for_selector("#pages a", timeout=60_000)
            page.wait_for_selector(".overview-loading", state="detached", timeout=120_000)
            before, count = -1, words_on_first_screen(page)
            while before != count:
                page.wait_for_timeout(2500)
                before, count = count, words_on_first_screen(page)
            sys.stdout.write(f"{count:5}  {path}\n")
            sys.stdout.flush()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
