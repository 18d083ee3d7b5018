"""docs/tutorial.md, followed word for word on an empty data folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.smollm2_weights import kept_models

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_tutorial_leads_from_a_template_to_a_score_that_is_made_again(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    data = tmp_path / "data"
    data.mkdir()
    (data / "models").symlink_to(kept_models(tmp_path_factory))
    followed = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "".join(blocks)],
        cwd=tmp_path,
        env=os.environ
        | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PLUMBLINE_DATA": str(data),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert followed.returncode == 0, followed.stdout[-3000:] + followed.stderr[-3000:]
    prompts = (tmp_path / "prompts.csv").read_text(encoding="utf-8")
    assert "Write a short note to my landlord" in prompts
    receipt = (tmp_path / "receipt.txt").read_text(encoding="utf-8")
    (ticket,) = re.findall(r"^ticket (\w{16})$", receipt, re.MULTILINE)
    assert f"{ticket} scored" in followed.stdout
    written = sorted(path.name for path in (tmp_path / "report").iterdir())
    assert written == ["manifest.json", "references.bib", "report.html", "table.tex"]
    boards = (tmp_path / "boards").rglob("*.json")
    rows = [row for path in boards if path.parent.name != "manifests" for row in _rows(path)]
    assert any(row.get("system") == "heron" for row in rows)
    last = followed.stdout.strip().splitlines()[-1]
    assert "same" in last.lower() or "equal" in last.lower(), last


def _rows(path: Path) -> list[dict[str, object]]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return found["rows"] if isinstance(found, dict) and isinstance(found.get("rows"), list) else []
