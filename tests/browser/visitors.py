"""Two visitors for the stories: one who only clicks, one who only types."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

MOST_TABS = 200
HAS_FOCUS = "element => element === document.activeElement"


class Mouse:
    """A visitor who only clicks."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, target: Locator) -> None:
        target.click()

    def choose_file(self, file: Path) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.page.locator("#submission-file button").first.click()
        chooser.value.set_files(file)

    def tick(self, radio: Locator) -> None:
        """Chooses one of a group of radio buttons."""
        radio.click()

    def choose(self, dropdown: Locator, option: str) -> None:
        """Takes an option of a list that opens."""
        dropdown.click()
        self.page.get_by_role("option").filter(has_text=option).first.click()

    def download(self, button: Locator, folder: Path) -> Path:
        """Presses a download button and keeps the file."""
        with self.page.expect_download() as started:
            button.click()
        path = folder / started.value.suggested_filename
        started.value.save_as(path)
        return path


class Keyboard:
    """A visitor who only types."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, target: Locator) -> None:
        self.reach(target)
        self.page.keyboard.press("Enter")

    def choose_file(self, file: Path) -> None:
        button = self.page.locator("#submission-file button").first
        with self.page.expect_file_chooser() as chooser:
            self.press(button)
            while not chooser.is_done():
                self.page.wait_for_timeout(100)
                # Drawn anew just before Enter, it has lost the focus: whoever types sees that, and goes there again.
                if not chooser.is_done() and not button.evaluate(HAS_FOCUS):
                    self.press(button)
        chooser.value.set_files(file)

    def reach(self, target: Locator) -> None:
        """Goes on with Tab until the target has the focus."""
        expect(target).to_be_visible()
        for _ in range(MOST_TABS):
            if target.evaluate(HAS_FOCUS):
                return
            self.page.keyboard.press("Tab")
        pytest.fail(f"{target} cannot be reached with the Tab key")

    def tick(self, radio: Locator) -> None:
        """Chooses one of a group of radio buttons: Tab leads to the chosen one, arrows to the others."""
        # A group nobody has drawn yet has nothing chosen, and another name once it is drawn.
        expect(radio.locator("xpath=ancestor::fieldset[1]").locator("input:checked")).to_be_visible()
        group = self.page.locator(f'input[name="{radio.get_attribute("name")}"]')
        if radio.is_checked():
            return
        if group.and_(self.page.locator(":checked")).count() == 0:
            # gradio 6.31 names the buttons of some groups apart: then Tab leads to each of them.
            self.reach(radio)
            self.page.keyboard.press("Space")
            return
        self.reach(group.and_(self.page.locator(":checked")))
        for _ in range(group.count()):
            self.page.keyboard.press("ArrowRight")
            if radio.is_checked():
                return
        pytest.fail(f"{radio} cannot be reached with the arrow keys")

    def choose(self, dropdown: Locator, option: str) -> None:
        """Takes an option of a list that opens."""
        self.reach(dropdown)
        self.page.keyboard.press("ArrowDown")
        listed = self.page.get_by_role("option")
        expect(listed.first).to_be_visible()
        names = [name.strip().removeprefix("✓").strip() for name in listed.all_inner_texts()]
        wanted = next(place for place, name in enumerate(names) if name.startswith(option))
        for _ in range(len(names) + 1):
            active = self.page.locator('[role="option"].active, [role="option"][aria-selected="true"].active')
            if active.count() and active.first.inner_text().strip().removeprefix("✓").strip() == names[wanted]:
                break
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")

    def download(self, button: Locator, folder: Path) -> Path:
        """Presses a download button and keeps the file."""
        with self.page.expect_download() as started:
            self.press(button)
        path = folder / started.value.suggested_filename
        started.value.save_as(path)
        return path


Visitor = Mouse | Keyboard
WAYS = (Mouse, Keyboard)
