"""The front end as files: styles, templates and scripts of components. `make check` lints them."""

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


@cache
def template(name: str, **given: str) -> str:
    """Return the Handlebars template of a component, with the parts that it names put in.

    `{{> part}}` stands for what is given under that name, else for the template of that name. The comment at the
    beginning is dropped, and so is the line break at the end of a part: where white space would be shown, it is written
    in one line.
    """
    written = asset(f"{name}.html")
    if written.startswith(_COMMENT):
        written = written.partition("--}}\n")[2]
    before, *named = written.split(_PART)
    parts = [before]
    for each in named:
        part, _, behind = each.partition("}}")
        parts += [given[part] if part in given else template(part), behind]
    return "".join(parts).rstrip("\n")


_COMMENT, _PART = "{{!--", "{{> "
