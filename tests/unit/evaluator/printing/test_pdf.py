"""A report as a PDF."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.printing.page import printed_page
from evaluator.printing.pdf import pdf_of

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
PAGE = re.compile(rb"/Type */Page\b")
"""Of each page an object; that of all pages is called /Pages."""


def test_the_command_writes_a_pdf_with_a_browser_that_is_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.pdf"
    assert main(["judge-report", str(DATA / "fastchat_pair.jsonl"), "--pdf", str(out)]) == 0
    assert "Position consistency" in capsys.readouterr().out
    written = out.read_bytes()
    assert written.startswith(b"%PDF-")
    assert len(PAGE.findall(written)) >= 1


def test_a_page_begins_where_the_html_says_so() -> None:
    # A heading on the first, and one on each of two further ones.
    parts = [f'<h2 style="break-before: page">{name}</h2>' for name in ("دلو", "秤")]
    assert len(PAGE.findall(pdf_of(printed_page("A plumb line", parts)))) == 3


def test_without_a_browser_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "report.pdf"
    with pytest.raises(SystemExit) as ended:
        main(["judge-report", str(DATA / "fastchat_pair.jsonl"), "--pdf", str(out)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "Chromium, which is not installed (looked for chromium-headless-shell, chromium" in said
    assert "write the page as HTML" in said
    assert not out.exists()
