"""Drawers: what a page holds besides its table, closed until it is wanted, and remembered in the page's address."""

from __future__ import annotations

import gradio as gr

from leaderboard.assets import asset
from leaderboard.page.links import DRAWER

SHOWN, FILTERS, COLUMNS, SHARE = "shown", "filters", "columns", "share"
"""What addresses call the drawers: which rows are shown, what narrows and sorts them, what is said of each, and what
takes them along."""


def drawer(name: str, label: str, *, prefix: str = "", visible: bool = True) -> gr.Accordion:
    """A button that opens a part of the page, for use in `with`; opening another one closes it.

    Args:
        name: What the address calls it, in lower-case letters.
        label: What the button says while the page has not said more.
        prefix: of its elem_id, `{prefix}{name}-drawer`, by which it is known.
    """
    return gr.Accordion(label, open=False, elem_id=f"{prefix}{name}-drawer", visible=visible)


REMEMBERED = f"const DRAWER = '{DRAWER}';\n" + asset("drawers.js")
"""`openDrawer()`: the name of the open drawer, or nothing; `openAsked()` opens the one that the address names;
`onDrawerUsed(act)` and `whenDrawn(act)`: after a drawer, or the page, has changed."""
