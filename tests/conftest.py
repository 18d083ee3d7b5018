"""What every test shares: no network, no analytics, and where the acceptance data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

ROOT = Path(__file__).parents[1]


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
def shared_data() -> Path:
    """The folder of published tables and numbers; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("PLUMBLINE_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"acceptance data not at hand: {folder} does not exist (set PLUMBLINE_TEST_DATA)")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's event loop goes on running in this thread, and no other can start there."""
    items.sort(key=lambda item: "browser" in item.path.parts)
