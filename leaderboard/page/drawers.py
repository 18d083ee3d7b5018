"""Drawers: what a page holds besides its table, closed until it is wanted, and remembered in the page's address."""

from __future__ import annotations

import gradio as gr

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


REMEMBERED = (
    f"const DRAWER = '{DRAWER}';"
    + """
const drawers = () => [...document.querySelectorAll('[id$="-drawer"]')];
const buttonOf = (drawer) => drawer.querySelector(':scope > .label-wrap');
const isOpen = (drawer) => Boolean(buttonOf(drawer)?.classList.contains('open'));
const nameOf = (drawer) => drawer.id.replace(/^.*?([a-z]+)-drawer$/, '$1');
const openDrawer = () => {
  for (const drawer of drawers()) buttonOf(drawer)?.setAttribute('aria-expanded', isOpen(drawer));
  const open = drawers().find(isOpen);
  return open ? nameOf(open) : '';
};
// What the address asks for, once: what is not there then is not waited for. One that ends with a chart leads there.
let asked = location.hash ? '' : new URLSearchParams(location.search).get(DRAWER);
const openAsked = () => {
  const wanted = asked && drawers().find((drawer) => nameOf(drawer) === asked && !isOpen(drawer));
  asked = '';
  if (wanted) buttonOf(wanted)?.click();
};
const whenDrawn = (act) => requestAnimationFrame(() => requestAnimationFrame(act));
// Before gradio opens or closes it: two would push the table down, and lie over each other on a phone.
const onDrawerUsed = (act) => document.addEventListener('click', (event) => {
  const used = event.target instanceof Element && event.target.closest('[id$="-drawer"] > .label-wrap');
  if (!used) return;
  const others = drawers().filter((drawer) => isOpen(drawer) && drawer !== used.parentElement);
  if (!used.classList.contains('open')) for (const other of others) buttonOf(other).click();
  whenDrawn(act);
}, {capture: true});
"""
)
"""`openDrawer()`: the name of the open drawer, or nothing; `openAsked()` opens the one that the address names;
`onDrawerUsed(act)` and `whenDrawn(act)`: after a drawer, or the page, has changed."""
