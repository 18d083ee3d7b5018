"""The front end as files: styles, and the scripts of components. `make check` lints them."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def asset(name: str) -> str:
    """Return the text of one of the files here.

    A script is the body of a function that gradio calls with `element`, `props`, `trigger` and `watch` when a component
    appears (`js_on_load` of `gr.HTML`); several may stand one behind the other.
    """
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
