"""The preview of a link within the head of its page, where chats and search engines read it without running scripts."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from html import escape

from leaderboard.site.preview_picture import SIZE
from leaderboard.site.previews import SITE, Preview, general_preview
from leaderboard.web.faults import in_one_line
from leaderboard.web.first_values import LOOK_S, PATIENCE_S
from submissions.store.database import one_look

logger = logging.getLogger(__name__)

PreviewOf = Callable[[str, Mapping[str, str]], Preview]
"""Page and query -> the preview of that link."""
CRAWLER_PATIENCE_S = 5.0
"""A program that reads previews keeps what it gets, so it waits for the figures."""
MOST_AT_ONCE = 4
"""Previews that are made at the same time; further links get the one without figures."""
MOST_KEPT = 256


class FirstPreviews:
    """Previews, made anew when somebody asks for a page and the last one is a second old."""

    def __init__(self, preview_of: PreviewOf) -> None:
        self._preview_of = preview_of
        self._made: dict[tuple[str, frozenset[tuple[str, str]]], tuple[float, Preview]] = {}
        self._being_made: dict[tuple[str, frozenset[tuple[str, str]]], asyncio.Task[Preview | None]] = {}

    async def of(self, tab: str, query: Mapping[str, str], is_browser: bool) -> Preview:
        """Return the preview of a link; one without figures where they take too long."""
        key = tab, frozenset(query.items())
        if key in self._made and time.monotonic() - self._made[key][0] < LOOK_S:
            return self._made[key][1]
        making = self._being_made.get(key)
        if making is None:
            if len(self._being_made) >= MOST_AT_ONCE:
                return general_preview(tab)
            making = self._being_made[key] = asyncio.create_task(self._make(key, query))
        await asyncio.wait({making}, timeout=PATIENCE_S if is_browser else CRAWLER_PATIENCE_S)
        preview = making.result() if making.done() else None
        return preview or general_preview(tab)

    async def _make(self, key: tuple[str, frozenset[tuple[str, str]]], query: Mapping[str, str]) -> Preview | None:
        try:
            preview = await asyncio.to_thread(self._looked, key[0], query)
        except Exception as error:  # the page itself says it to its visitor when it asks
            logger.warning("%s is sent without the figures of its preview: %s", key[0], in_one_line(error))
            return None
        finally:
            del self._being_made[key]
        if len(self._made) >= MOST_KEPT:
            self._made.clear()
        self._made[key] = time.monotonic(), preview
        return preview

    def _looked(self, tab: str, query: Mapping[str, str]) -> Preview:
        with one_look():
            return self._preview_of(tab, query)


def head_of(preview: Preview, site: str) -> bytes:
    """Return the tags of a preview.

    Args:
        site: Where visitors reach the first page, with a slash at its end.
    """
    title, said = escape(preview.title), escape(preview.description)
    address, picture = escape(site + preview.address), escape(site + preview.picture_address)
    alt = escape(f"{preview.picture.title}: {preview.picture.context}")
    width, height = SIZE
    lines = (
        f"<title>{title}</title>",
        f'<meta name="description" content="{said}">',
        f'<link rel="canonical" href="{address}">',
        f'<meta property="og:site_name" content="{SITE}">',
        '<meta property="og:type" content="website">',
        f'<meta property="og:title" content="{title}">',
        f'<meta property="og:description" content="{said}">',
        f'<meta property="og:url" content="{address}">',
        f'<meta property="og:image" content="{picture}">',
        '<meta property="og:image:type" content="image/png">',
        f'<meta property="og:image:width" content="{width}">',
        f'<meta property="og:image:height" content="{height}">',
        f'<meta property="og:image:alt" content="{alt}">',
        '<meta name="twitter:card" content="summary_large_image">',
        f'<meta name="twitter:title" content="{title}">',
        f'<meta name="twitter:description" content="{said}">',
        f'<meta name="twitter:image" content="{picture}">',
    )
    return "\n".join(("", *lines)).encode("utf-8", "replace")
