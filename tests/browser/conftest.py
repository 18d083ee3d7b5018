"""The real app.py in its own process and Debian's Chromium in front of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect
from playwright.sync_api import TimeoutError as NotInTime

from submissions.promptsets import example_submissions
from tests.forked_app import can_fork, forked_app
from tests.kept_verdicts import keep

ROOT = Path(__file__).parents[2]
STARTS_WITHIN_S = 180.0
"""It takes five seconds on a core of its own; one that ends before is told at once."""
SCORED_WITHIN_MS = 420_000
"""A file waits behind at most one of our own rows, then takes seconds on two cores."""

DRAWN_WITHIN_MS = 120_000
"""What a page does in a second or two takes forty where two stories share two slow cores with their apps."""

SLOWED = 10
"""A browser so much slower draws one picture of a run while the next ones already wait."""

expect.set_options(timeout=DRAWN_WITHIN_MS)


STILL = """() => {
  const moving = document.getAnimations().filter((one) => one.effect.getComputedTiming().iterations !== Infinity);
  return Promise.allSettled(moving.map((one) => one.finished)).then(() => true);
}"""
"""Until nothing fades any more: half-way colours are nobody's."""


FIRST_SCREENS = ((1440, 900, 5), (390, 844, 3))
"""Width, height, and how many rows of a board stand on it."""


def expect_rows_on_the_first_screen(table: Locator) -> None:
    """At a desk and on a phone; of a board with fewer rows, all of them."""
    page, rows = table.page, table.locator("tbody tr")
    expect(rows.first).to_be_visible()
    expect(page.locator("#view-link a")).to_be_attached()
    for width, height, row in FIRST_SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        last = rows.nth(min(row, rows.count()) - 1).element_handle()
        try:  # a page of another width is laid out anew in the next frames
            page.wait_for_function(
                "([row, height]) => row.getBoundingClientRect().bottom <= height", arg=[last, height]
            )
        except NotInTime:
            box = last.bounding_box()
            pytest.fail(f"{page.url}, {width} pixels wide: row {row} stands at {box}, expected within {height}")


def expect_no_sideways_scroll(page: Page) -> None:
    """At the width that the page has; charts are laid out anew some frames after a resize."""
    try:
        page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")
    except NotInTime:
        widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        pytest.fail(f"{page.url} is {widths[0]} pixels wide, expected at most {widths[1]}")


def expect_baselines(table: Locator, count: int) -> Locator:
    """Waits until so many baselines of ours are scored; returns the line that they are folded into."""
    line = table.locator(".fold-row button")
    expect(line).to_contain_text(f"{count} baselines", timeout=SCORED_WITHIN_MS)
    return line


def open_baselines(table: Locator, count: int) -> None:
    """Opens the line of the baselines once so many are scored."""
    expect_baselines(table, count).click()
    expect(table.locator("tr.null-row[data-row]")).to_have_count(count)


COLOURS: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def switch_colours(page: Page, colours: Literal["light", "dark"]) -> None:
    """As a visitor's system does in the evening, without opening the page anew; drawn charts keep their colours."""
    page.emulate_media(color_scheme=colours)
    expect(page.locator("body.dark")).to_have_count(1 if colours == "dark" else 0)


def draw_charts(page: Page, region: str, count: int) -> None:
    """Comes near each chart of a region, as a reader does, and sees it drawn."""
    plots = page.locator(f"{region} [data-plot]")
    expect(plots).to_have_count(count)
    for place in range(count):
        draw_chart(plots.nth(place))


def draw_chart(plot: Locator) -> None:
    """Comes near a chart, again where the page above it has grown meanwhile, and sees it drawn."""
    ends = time.monotonic() + DRAWN_WITHIN_MS / 1000
    while not plot.locator(".main-svg").count() and time.monotonic() < ends:
        plot.scroll_into_view_if_needed()
        plot.page.wait_for_timeout(100)
    expect(plot.locator(".main-svg").first).to_be_visible()


def serious_violations(page: Page) -> dict[str, list[str]]:
    """What axe finds at least moderate on a page, of ours and of gradio's own parts: rule -> where."""
    page.emulate_media(reduced_motion="reduce")  # what the server says meanwhile fades nothing in
    page.evaluate(STILL)
    violations = Axe().run(page).response["violations"]
    page.emulate_media(reduced_motion="no-preference")
    serious = [violation for violation in violations if violation["impact"] != "minor"]
    return {violation["id"]: [node["html"] for node in violation["nodes"]] for violation in serious}


def violations_for_anybody(page: Page) -> dict[str, dict[str, list[str]]]:
    """What `serious_violations` finds in either colours, at a desk and on a phone, with all that is folded opened."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    told: dict[str, dict[str, list[str]]] = {}
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        for colours in COLOURS:
            switch_colours(page, colours)
            told[f"{colours}, {width} pixels wide"] = serious_violations(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    switch_colours(page, "light")
    return {where: violations for where, violations in told.items() if violations}


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], pytestconfig: pytest.Config) -> dict[str, Any]:
    """Debian's Chromium without its window, which takes half the processor time of the whole; `--headed` shows it."""
    path = "/usr/bin/chromium" if pytestconfig.getoption("--headed") else "/usr/bin/chromium-headless-shell"
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
    # Pages of one context in one process: gradio's scripts are then compiled for the first of them only.
    quiet += ["--renderer-process-limit=1"]
    return {**browser_type_launch_args, "executable_path": path, "args": ["--no-sandbox", *quiet]}


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Browser:
    """The browser; whatever a story opens in it waits as long as the shared profile does, not playwright's 30 s."""

    def patient(opened: Callable[..., Any]) -> Callable[..., Any]:
        def made(*arguments: Any, **options: Any) -> Any:
            new = opened(*arguments, **options)
            new.set_default_timeout(DRAWN_WITHIN_MS)
            return new

        return made

    browser.new_context = patient(browser.new_context)  # type: ignore[method-assign]
    browser.new_page = patient(browser.new_page)  # type: ignore[method-assign]
    return browser


@pytest.fixture(scope="session")
def shared_context(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """The browser's profile for all stories, with a page that stays open, so that its process does."""
    shared = browser.new_context(**browser_context_args)
    stays = shared.new_page()
    stays.route("**/*", lambda route: route.fulfill(body=""))
    stays.goto("http://127.0.0.1/")
    yield shared
    shared.close()


@pytest.fixture
def context(shared_context: BrowserContext) -> Iterator[BrowserContext]:
    """The shared profile as a visitor's who has never been here; what the story opens in it is closed after it."""
    shared_context.clear_cookies()
    already = set(shared_context.pages)
    yield shared_context
    for opened in set(shared_context.pages) - already:
        opened.close()
    shared_context.clear_permissions()


@pytest.fixture(scope="session")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an app with its worker, its baselines and the demonstration systems."""
    data = tmp_path_factory.mktemp("data")
    keep(data)
    yield from running_app(data, {})


def running_app(data: Path, settings: dict[str, str]) -> Iterator[str]:
    """Starts the app on an empty folder and yields its address; its output is printed if it ends early."""
    with open_app(data, settings) as address:
        yield address


@contextmanager
def open_app(data: Path, settings: dict[str, str]) -> Iterator[str]:
    """The same, within a block."""
    if not can_fork(settings):
        with started_app(data, settings) as (address, _):
            yield address
        return
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    log = data / "app.log"
    app = forked_app(environment_of(data, port) | settings, log)
    try:
        wait_until_open(address, app.is_alive, log)
        yield address
    finally:
        app.terminate()
        app.join(timeout=30)
        assert app.exitcode == 0, log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def started_app(data: Path, settings: dict[str, str]) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """`python app.py` in the same way, with its process."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    log = data / "app.log"
    with log.open("wb") as output:
        app = subprocess.Popen(
            [sys.executable, "app.py"],
            cwd=ROOT,
            env=environment_of(data, port) | settings,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_open(address, lambda: app.poll() is None, log)
        yield address, app
    finally:
        app.terminate()
        app.wait(timeout=30)


def environment_of(data: Path, port: int) -> dict[str, str]:
    """The environment of an app.py with its data in a folder."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE_")},
        "PORT": str(port),
        "PLUMBLINE_DATA": str(data),
        # Apps that run at once would else share a folder in which the same file has the same name.
        "GRADIO_TEMP_DIR": f"{data}-uploads",
        "PLUMBLINE_FETCH_SETS": "0",
        "PLUMBLINE_RECORDED": "0",  # half a minute of judging; the stories of the recorded answers ask for them
        "PLUMBLINE_GENERATORS": "none",  # stories that need a model name it: no other waits for one to be loaded
        "PLUMBLINE_JUDGES": "pair",
        "PLUMBLINE_EMBEDDING": "minilm",  # many languages take their time, and have a story of their own
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
    }


def wait_until_open(address: str, is_running: Callable[[], bool], log: Path, within_s: float = STARTS_WITHIN_S) -> None:
    """Returns once the page is answered; fails with the log of an app that ended or took too long."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if not is_running():
            break
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    pytest.fail(f"app.py did not open {address}:\n{log.read_text(encoding='utf-8', errors='replace')}")


def free_port() -> int:
    """A port at which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """A page whose scripts must not fail and may not open a dialog."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"{message.text} ({message.location['url']})")

    page.on("console", said)

    def dialog_opened(dialog: Any) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dialog_opened)
    yield page
    # A page that is left while it asks the server something says that this was cut off, in two messages.
    was_left = any("AbortError: signal is aborted" in fault for fault in faults)
    by_leaving = ("AbortError: signal is aborted", "errored out") if was_left else ()
    assert [fault for fault in faults if not any(part in fault for part in by_leaving)] == []


@pytest.fixture
def submission_file(tmp_path: Path) -> Callable[..., Path]:
    """A file for the demonstration set, made from one of the shipped examples; another `change`, another file."""

    def written(team: str, *, system: str, change: str = "") -> Path:
        document = json.loads(next(data for _, data in example_submissions()))
        root = document["eloquent-robustness-results"]
        root |= {"source": team, "system": system, "model": "test model", "run": "1"}
        first = root["items"][0]["responses"][0]
        first["response"] = f"{first['response']} {change or team}"
        path = tmp_path / "submission.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return written
