"""Starts the app of the tree that it is run in, and prints a page of it as a browser gets it: DATA_FOLDER PAGE."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx2

from tests.browser.conftest import started_app

if __name__ == "__main__":
    settings = {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"}
    with started_app(Path(sys.argv[1]), settings) as (address, _):
        print(httpx2.get(f"{address}/{sys.argv[2]}", timeout=60).raise_for_status().text)
