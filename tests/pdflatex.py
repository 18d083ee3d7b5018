"""Setting a season's report with pdflatex."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path


def compiled(folder: Path) -> bool:
    """Does pdflatex set the report, with every letter and no table beyond the page?"""
    assert shutil.which("pdflatex"), "pdflatex is needed: apt-get install texlive-latex-base"
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    log = (folder / "report.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    assert "Missing character" not in log
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \((\d+\.\d+)pt too wide\)", log)]
    assert max(wide, default=0.0) < 20, wide
    return (folder / "report.pdf").stat().st_size > 10_000
