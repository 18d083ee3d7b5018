"""What the embedded judges say of our own rows, kept, so that an app in tests need not spend minutes of processor time.

    python -m tests.kept_verdicts      # judges all rows of a fresh installation anew and writes the file

A verdict is kept by the judge's pin and its texts: of another judge none is found, and it is asked as ever.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sqlalchemy import create_engine, select

from evaluator.seeding.own_entries import House
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.store.store import Store
from submissions.store.tables import verdicts

VERDICTS = Path(__file__).parent / "data" / "robustness" / "own_verdicts.json.gz"


def kept_verdicts() -> dict[str, str]:
    """Key -> verdict, as a store has them."""
    kept: dict[str, str] = json.loads(gzip.decompress(VERDICTS.read_bytes()))
    return kept


def keep(data: Path) -> None:
    """Puts them into the database of an app that has not been started yet."""
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    store.save_verdicts(kept_verdicts())
    store.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        url = f"sqlite:///{data / 'plumbline.db'}"
        settings = {"PLUMBLINE_DATA": folder, "PLUMBLINE_JUDGES": "pair", "PLUMBLINE_EMBEDDING": "minilm"}
        command = [sys.executable, "-m", "evaluator", "work", "--until-empty"]
        store = Store.open(url)
        house = House(Desk(store, Archive(data / "archive"), PromptSets.load(None)), store)
        house.open(demonstration=True)
        for _ in range(2):  # baselines of 2025 and 2026 come once there is a run beside them
            subprocess.run(command, env=os.environ | settings, check=True)
            house.look()
        store.close()
        engine = create_engine(url)
        with engine.connect() as connection:
            rows = connection.execute(select(verdicts.c.key, verdicts.c.payload).order_by(verdicts.c.key)).all()
        engine.dispose()
    VERDICTS.write_bytes(gzip.compress(json.dumps(dict(map(tuple, rows))).encode(), mtime=0))


if __name__ == "__main__":
    main()
