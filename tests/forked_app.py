"""app.py forked from a process that has imported it and its pages: importing those is two thirds of what a start takes.

What `python app.py` itself does is tried by tests/service/test_starts_anywhere.py and its neighbours.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Mapping
from multiprocessing.context import ForkServerProcess
from pathlib import Path

_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload(["app", "leaderboard.serving"])


def can_fork(settings: Mapping[str, str]) -> bool:
    """Whether nothing in the settings is read while modules are imported, as the Hub client's and gradio's own are."""
    return all(name.startswith("PLUMBLINE_") for name in settings)


def forked_app(environ: Mapping[str, str], log: Path) -> ForkServerProcess:
    """Starts `app.main` in a process of its own.

    Args:
        environ: Its environment.
        log: The file that gets what it prints.
    """
    process = _FORKED.Process(target=_serve, args=(dict(environ), log), daemon=False)
    process.start()
    return process


def _serve(environ: dict[str, str], log: Path) -> None:
    os.environ.clear()
    os.environ.update(environ)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(written, stream)
    os.close(written)
    import app  # at hand already, but for a tree in which the parent could not import it

    app.main([])
