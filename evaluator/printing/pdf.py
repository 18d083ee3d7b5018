"""PDF of a page that prints: an installed Chromium writes it, with the letters of every script."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PRINTED_WITHIN_S = 120.0


class NotPrinted(Exception):
    """Raised where no PDF can be written; the message says why and what to do."""


def pdf_of(page: str) -> bytes:
    """The page as a PDF on paper of the browser's default size.

    Args:
        page: HTML that stands alone, with every text escaped; what it names elsewhere is not fetched.

    Raises:
        NotPrinted: no Chromium is installed, or it did not print.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise NotPrinted(
            "a PDF is printed by Chromium, which is not installed (looked for "
            f"{', '.join(BROWSERS)}): install it, or write the page as HTML and print it in any browser"
        )
    with tempfile.TemporaryDirectory(prefix="plumbline-print-") as name:
        folder = Path(name)
        source, target = folder / "page.html", folder / "page.pdf"
        source.write_text(page, encoding="utf-8")
        command = [browser, "--headless", "--disable-gpu", "--no-pdf-header-footer", "--no-first-run"]
        command += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # which Chromium refuses to root; the page has no scripts
        command += [f"--print-to-pdf={target}", source.as_uri()]
        try:
            printed = subprocess.run(command, capture_output=True, text=True, timeout=PRINTED_WITHIN_S, check=False)
        except subprocess.TimeoutExpired:
            raise NotPrinted(f"{browser} did not print within {PRINTED_WITHIN_S:g} s: try again") from None
        if not target.is_file():
            said = printed.stderr.strip().rsplit("\n", 1)[-1]
            raise NotPrinted(f"{browser} wrote no PDF (exit code {printed.returncode}): {said}")
        return target.read_bytes()
