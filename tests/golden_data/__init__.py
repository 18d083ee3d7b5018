"""Tables that golden tests read and that are somebody else's: `make golden-data` rebuilds them."""

from __future__ import annotations

import gzip
import hashlib
import os
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
REBUILT = TESTS / "data" / "rebuilt"


class TableMissing(Exception):
    """Raised when a table is not on this machine: nobody has rebuilt it here."""


class TableChanged(Exception):
    """Raised when a table is not the one that the expected figures were computed from."""


@cache
def checksums() -> dict[str, str]:
    """SHA-256 of each table, unpacked, by name; the expected figures were computed from these bytes."""
    lines = Path(__file__).with_name("tables.txt").read_text(encoding="utf-8").splitlines()
    return {name: sha256 for sha256, _, name in (line.partition("  ") for line in lines)}


def require_expected(name: str, content: bytes) -> None:
    """Holds the content of a table, unpacked, against its checksum.

    Raises:
        TableChanged: naming both checksums.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != checksums()[name]:
        raise TableChanged(f"{name}: sha256 {found}, expected {checksums()[name]}")


def table_at_hand(name: str) -> Path:
    """The path of a table that was rebuilt, or that lies in the folder `PLUMBLINE_TEST_DATA` or `../shared/data`.

    Raises:
        TableMissing: with the command that rebuilds it.
        TableChanged: when it is another one than the expected figures were computed from.
    """
    beside = Path(os.environ.get("PLUMBLINE_TEST_DATA") or TESTS.parents[1] / "shared" / "data")
    for path in (REBUILT / name, beside / name):
        if path.is_file():
            content = path.read_bytes()
            require_expected(name, gzip.decompress(content) if name.endswith(".gz") else content)
            return path
    raise TableMissing(f"{name} is not ours to keep here: `make golden-data` rebuilds it from its public repository")
