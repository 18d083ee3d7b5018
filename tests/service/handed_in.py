"""What processes hand in to be stored, noted by the database itself: also what is there already, which it passes over.

A verdict is handed in after a judge was asked for it, a vector after it was computed. So whatever is noted twice was
asked for again although it was stored; what a killed process had not handed in yet is not noted at all.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Literal

Stored = Literal["verdicts", "embeddings"]
STORED: tuple[Stored, ...] = ("verdicts", "embeddings")


def watch(database: Path) -> None:
    """From now on notes what is handed in to this SQLite file."""
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        connection.execute("CREATE TABLE handed_in (stored TEXT, key TEXT)")
        for stored in STORED:
            # BEFORE: it also fires for rows that ON CONFLICT DO NOTHING then leaves out.
            connection.execute(
                f"CREATE TRIGGER note_{stored} BEFORE INSERT ON {stored} "
                f"BEGIN INSERT INTO handed_in VALUES ('{stored}', NEW.key); END"
            )
        connection.commit()


def handed_in(database: Path, stored: Stored) -> Counter[str]:
    """Key -> how often it was handed in since `watch`."""
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        found = connection.execute("SELECT key, count(*) FROM handed_in WHERE stored = ? GROUP BY key", (stored,))
        return Counter(dict(found))
