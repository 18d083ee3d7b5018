"""What every test shares: no network, no analytics, and where the acceptance data lies."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import hypothesis
import pytest

# How long an example takes says how busy the machine is; speed is measured in benchmarks.
hypothesis.settings.register_profile("anywhere", deadline=None)
hypothesis.settings.load_profile("anywhere")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

ROOT = Path(__file__).parents[1]

AUTOGROUP = Path("/proc/self/autogroup")
AS_NICE_AS_WORKERS = "10"
"""Of the session of all tests, their pages and browsers: workers step back behind pages (submissions/priority.py), and
stories wait for them. Together two stories would leave them a tenth of a core."""


@pytest.fixture(scope="session")
def own_data() -> Path:
    """Fixtures and expected figures of our own (tests/data/README.md)."""
    return ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def eloquent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ELOQUENT acceptance files: those kept and those made of them, and `official/` with stand-ins for prompts."""
    from tests.eloquent_files import laid_out

    return laid_out(tmp_path_factory.mktemp("acceptance") / "eloquent")


@pytest.fixture(scope="session")
def golden_data() -> Callable[[str], Path]:
    """The path of a table that is somebody else's; the test that asks for one skips where nobody has rebuilt it."""
    from tests.golden_data import TableMissing, table_at_hand

    def path_of(name: str) -> Path:
        try:
            return table_at_hand(name)
        except TableMissing as missing:
            pytest.skip(str(missing))

    return path_of


def pytest_configure(config: pytest.Config) -> None:
    """A run of all tests is as nice as the workers that it starts."""
    if not hasattr(config, "workerinput"):
        _be_as_nice(AS_NICE_AS_WORKERS)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Whatever else is done in the terminal is as it was."""
    if not hasattr(config, "workerinput"):
        _be_as_nice("0")


def _be_as_nice(niceness: str) -> None:
    with suppress(OSError):  # a kernel without autogroups, or asked too often
        AUTOGROUP.write_text(niceness, encoding="ascii")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's event loop goes on running in this thread, and no other can start there.

    Of these the whole season and the whole zip are first: at the end, one process would wait minutes for another.
    """
    items.sort(key=lambda item: ("browser" in item.path.parts, "whole" not in item.path.name))


def pytest_collection_finish() -> None:
    """What is imported and collected stays to the end: nothing looks through it for garbage every few tests."""
    gc.collect()
    gc.freeze()
