"""The official test set of ELOQUENT 2024, as published on 26 and on 27 April 2024 (CC BY-NC-SA 4.0)."""

from __future__ import annotations

from tests.golden_data.tables import Contents
from tests.golden_data.upstream import Upstream


def official_2024(upstream: Upstream) -> Contents:
    """Both releases, byte for byte."""
    return {
        "eloquent/official/task3.test.json": upstream.read("task3.test.json", commit="62970f51"),
        "eloquent/official/task3.test.2024-04-26.json": upstream.read("task3.test.json", commit="d9f1b8ab"),
    }
