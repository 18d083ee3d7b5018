"""One HTML page that prints and stands alone: no scripts, nothing loaded; whoever makes its body escapes every text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #ccc }
th { overflow-wrap: normal }
td.number { font-variant-numeric: tabular-nums }
.quiet { color: #555 }
@media (max-width: 600px) { td, th { display: block; border: 0; padding: .1rem 0 } tr { display: block;
  border-bottom: 1px solid #ccc; padding: .5rem 0 } thead { display: none } }
@media print { body { margin: 0; max-width: none; font-size: 11px } tr, li { break-inside: avoid }
  h2 { break-after: avoid } }
"""


def printed_page(title: str, body: Iterable[str], *, style: str = "") -> str:
    """The page.

    Args:
        title: A text; it becomes the heading as well.
        body: Stretches of HTML below the heading, every text in them escaped.
        style: CSS that the page has beside that of all such pages.
    """
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}{style}</style></head><body><main><h1>{escape(title)}</h1>",
        *body,
        "</main></body></html>\n",
    ]
    return "".join(parts)
