"""The front end as files: styles, templates and scripts of components. `make check` lints them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


@cache
def asset(name: str) -> str:
    """Return the text of one of the files here.

    A script is the body of a function that gradio calls with `element`, `props`, `trigger` and `watch` when a component
    appears (`js_on_load` of `gr.HTML`); several may stand one behind the other.
    """
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


@cache
def template(name: str, **given: str) -> str:
    """Return the Handlebars template of a component, with the parts that it names put in.

    `{{> part}}` stands for what is given under that name, else for the template of that name. A comment is dropped, and
    so is the line break at the end of a part: where white space would be shown, it is written in one line.
    """
    written = _COMMENT.sub("", asset(f"{name}.html"))
    return _PART.sub(lambda named: given[named[1]] if named[1] in given else template(named[1]), written).rstrip("\n")


_COMMENT = re.compile(r"\{\{!--.*?--\}\}\n", re.DOTALL)
_PART = re.compile(r"\{\{> (\w+)\}\}")
