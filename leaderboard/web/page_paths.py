"""Addresses of the pages, and how links that name a page by `tab` lead to them."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from leaderboard.page.links import path_of
from leaderboard.page.state import PageState
from leaderboard.site.page_register import page_of, pages

ASKED = "plumbline.query"
"""Where a request keeps the query of a page, which gradio is not told."""


def page_paths() -> dict[str, str]:
    """Every page by its path."""
    return {f"/{path_of(tab)}": tab for tab in pages()}


class PagePaths:
    """Leads public links (`/?tab=judges&judge=...`) to their page, with everything else they say.

    Bookmarks and papers hold such links, and the Hub hands a Space nothing else of an address than its query. What a
    page is asked for it reads itself, when it is open: gradio 6.31 takes `page` and `deep_link` for its own, and
    answers 500 to a page it does not have, such as ours.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        asked: str = scope["path"]
        path = asked.rstrip("/") or "/"
        known = page_paths()
        if path not in known:
            await self._app(scope, receive, send)
            return
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tab = _page_of(known[path], dict(query))
        if tab == known[path] and asked == path:
            await self._app({**scope, "query_string": b"", ASKED: dict(query)}, receive, send)
            return
        rest = urlencode([(name, value) for name, value in query if (name, value) != ("tab", tab)])
        # Relative: a proxy may show this site below a path of its own.
        up = "." if asked == path else ".."
        await RedirectResponse(f"{up}/{path_of(tab)}" + (f"?{rest}" if rest else ""))(scope, receive, send)


def _page_of(here: str, query: dict[str, str]) -> str:
    """The page that a query asks for at a page's address: there alone it names no other."""
    return page_of(query) if here == PageState().tab or query.get("tab") in pages() else here
