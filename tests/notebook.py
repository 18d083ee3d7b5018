"""docs/tutorial.ipynb, made of docs/tutorial.md: the same words and commands, and what the commands print.

`make notebook` runs the tutorial in an empty folder and writes the notebook anew. Nothing of Jupyter is
needed for it: every cell is a `%%bash` cell, which Jupyter gives to a bash of its own, and so does `executed`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluator.generators.smollm2 import weights_folder

ROOT = Path(__file__).parents[1]
TUTORIAL = ROOT / "docs" / "tutorial.md"
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"

MAGIC = "%%bash -euo pipefail\n"
_BLOCK = re.compile(r"^```bash\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_WORKER = re.compile(r"(attempt \d+ by )\S+")
"""A worker is called after its machine, which is nobody's business."""
_LINK = re.compile(r"\[([^\]]*)\]\(tutorial\.ipynb\)")


def cells_of(tutorial: str) -> list[dict[str, Any]]:
    """The cells of the notebook without outputs: every ```bash block is one, and what stands between them.

    >>> [cell["source"] for cell in cells_of("# A\\n\\n```bash\\nls\\n```\\n\\nb\\n")]
    [['# A'], ['%%bash -euo pipefail\\n', 'ls'], ['b']]
    """
    cells: list[dict[str, Any]] = []
    for number, text in enumerate(_BLOCK.split(tutorial)):
        if not text.strip():
            continue
        of_code = number % 2 == 1
        source = (MAGIC + text if of_code else _LINK.sub(r"\1", text)).strip("\n").splitlines(keepends=True)
        cell: dict[str, Any] = {"cell_type": "code" if of_code else "markdown", "id": f"cell-{number}", "metadata": {}}
        cells.append(cell | {"source": source} | ({"execution_count": None, "outputs": []} if of_code else {}))
    return cells


def executed(cells: Sequence[dict[str, Any]], folder: Path, models: Path) -> list[dict[str, Any]]:
    """The cells with what their commands print, each run in a bash of its own, on an empty data folder.

    Args:
        cells: Of a notebook.
        folder: Where they are run.
        models: Where the weights of SmolLM2 lie.

    Raises:
        AssertionError: naming the cell that failed, with what it printed.
    """
    data = folder / "data"
    data.mkdir()
    (data / "models").symlink_to(models)
    own = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PLUMBLINE_DATA": str(data),
    }
    done = []
    for number, cell in enumerate(cell for cell in cells if cell["cell_type"] == "code"):
        magic, *commands = cell["source"]
        assert magic == MAGIC, f"cell {number} begins with {magic!r}, expected {MAGIC!r}"
        ran = subprocess.run(
            ["bash", *magic.split()[1:], "-c", "".join(commands)],
            cwd=folder,
            env=os.environ | own,
            capture_output=True,
            text=True,
            check=False,
            timeout=1_200,
        )
        assert ran.returncode == 0, f"cell {number}: {ran.stdout[-3000:]}{ran.stderr[-3000:]}"
        text = _WORKER.sub(r"\1worker-1", ran.stdout.replace(str(folder), ".")).splitlines(keepends=True)
        outputs = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
        done.append(cell | {"execution_count": number + 1, "outputs": outputs})
    shown = iter(done)
    return [next(shown) if cell["cell_type"] == "code" else cell for cell in cells]


def notebook_of(cells: Sequence[dict[str, Any]]) -> str:
    """A notebook in the format of Jupyter, 4.5."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Runs the tutorial and writes the notebook."""
    with tempfile.TemporaryDirectory(prefix="tutorial-") as folder:
        models = Path(folder, "models")
        weights_folder(models)
        work = Path(folder, "work")
        work.mkdir()
        cells = executed(cells_of(TUTORIAL.read_text(encoding="utf-8")), work, models)
    NOTEBOOK.write_text(notebook_of(cells), encoding="utf-8")


if __name__ == "__main__":
    main()
