"""docs/tutorial.md and its notebook: the same words and commands, run cell by cell on an empty data folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.notebook import NOTEBOOK, TUTORIAL, cells_of, executed
from tests.smollm2_weights import kept_models

Cell = dict[str, Any]


@pytest.fixture(scope="module")
def kept() -> list[Cell]:
    """The cells of the notebook as it stands in docs."""
    document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    cells: list[Cell] = document["cells"]
    return cells


def without_outputs(cells: list[Cell]) -> list[Cell]:
    return [cell | ({"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else {}) for cell in cells]


def printed(cells: list[Cell]) -> list[str]:
    """What each cell prints, without what differs from run to run: the ticket, moments, digests, and figures of a
    model whose sums differ in their last digits between processors."""
    texts = ("".join(line for output in cell.get("outputs", ()) for line in output["text"]) for cell in cells)
    return [re.sub(r"\b(?=\w*\d)[a-z0-9]{16,}\b|[-\d.,:]*\d[\d.,:%]*", "#", text) for text in texts]


def test_the_notebook_says_what_the_tutorial_says(kept: list[Cell]) -> None:
    assert without_outputs(kept) == cells_of(TUTORIAL.read_text(encoding="utf-8")), "make notebook writes it anew"


def test_the_notebook_leads_from_a_template_to_a_score_that_is_made_again(
    kept: list[Cell], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cells = executed(without_outputs(kept), tmp_path, kept_models(tmp_path_factory))
    assert printed(cells) == printed(kept), "make notebook, and look at what changed"
    prompts = (tmp_path / "prompts.csv").read_text(encoding="utf-8")
    assert "Write a short note to my landlord" in prompts
    ticket = (tmp_path / "ticket.txt").read_text(encoding="utf-8").strip()
    assert re.fullmatch(r"\w{16}", ticket)
    outputs = ["".join(line for output in cell.get("outputs", ()) for line in output["text"]) for cell in cells]
    assert f"{ticket} scored" in "".join(outputs)
    written = sorted(path.name for path in (tmp_path / "report").iterdir())
    assert written == ["manifest.json", "references.bib", "report.html", "table.tex"]
    boards = (tmp_path / "boards").rglob("*.json")
    rows = [row for path in boards if path.parent.name != "manifests" for row in _rows(path)]
    assert any(row.get("system") == "heron" for row in rows)
    last = next(text for text in reversed(outputs) if text).strip().splitlines()[-1]
    assert "same" in last.lower() or "equal" in last.lower(), last


def _rows(path: Path) -> list[dict[str, object]]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return found["rows"] if isinstance(found, dict) and isinstance(found.get("rows"), list) else []
