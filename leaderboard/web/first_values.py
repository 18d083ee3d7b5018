"""What a page shows at first, sent within the page: a table is read before the page has asked for it."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from leaderboard.web.faults import in_one_line
from submissions.store.database import one_look

logger = logging.getLogger(__name__)


class FirstView(NamedTuple):
    """What a page shows to whoever comes by no link."""

    marker: Callable[[], object]
    """Changes whenever something else is to be shown."""
    values: Callable[[], Mapping[int, Any]]
    """Of components, by their number, as a browser takes them."""


LOOK_S = 1.0
"""So long nobody asks again whether something has changed; each open page does so for itself."""
PATIENCE_S = 0.25
"""A page is not kept waiting any longer: it goes without, and asks."""

FILLED_IN = b"""<script>
(() => {
  const values = JSON.parse(document.getElementById('first-values').textContent);
  // A link that asks for more than the page shows something else.
  if (location.search) return;
  for (const part of window.gradio_config.components) if (part.id in values) part.props.value = values[part.id];
})();
</script>"""
"""Behind the values in a page, and before gradio reads its configuration (its script is a module, so it runs later)."""


def within_page(values: bytes) -> bytes:
    """The values as they stand in a page, where they are data and no script."""
    return b'<script type="application/json" id="first-values">' + values + b"</script>"


NOTHING = b"{}"


class FirstValues:
    """The first values of pages, drawn anew when somebody asks for the page and something has changed."""

    def __init__(self, views: Mapping[str, FirstView]) -> None:
        self._views = views
        self._drawn: dict[str, _Drawn] = {}
        self._being_drawn: dict[str, asyncio.Task[None]] = {}

    async def of(self, path: str) -> bytes:
        """As JSON that can stand in a page; `NOTHING` where a page has none, or they take too long."""
        view = self._views.get(path)
        if view is None:
            return NOTHING
        if not self._is_current(path):
            looking = self._being_drawn.get(path)
            if looking is None:
                looking = self._being_drawn[path] = asyncio.create_task(self._look(path, view))
            await asyncio.wait({looking}, timeout=PATIENCE_S)
        return self._drawn[path].values if self._is_current(path) else NOTHING

    def _is_current(self, path: str) -> bool:
        return path in self._drawn and time.monotonic() - self._drawn[path].looked_at < LOOK_S

    async def _look(self, path: str, view: FirstView) -> None:
        try:
            self._drawn[path] = await asyncio.to_thread(_looked, view, self._drawn.get(path))
        except Exception as error:  # the page itself says it to its visitor when it asks
            logger.warning("%s is sent without its first values: %s", path, in_one_line(error))
        finally:
            del self._being_drawn[path]


class _Drawn(NamedTuple):
    marker: object
    values: bytes
    looked_at: float


def _looked(view: FirstView, last: _Drawn | None) -> _Drawn:
    with one_look():
        marker = view.marker()  # before they are drawn: a change in between is then seen to be one
        same = last is not None and last.marker == marker
        values = last.values if last is not None and same else _as_json(view.values())
    return _Drawn(marker, values, time.monotonic())


def _as_json(values: Mapping[int, Any]) -> bytes:
    # No text can end the element it stands in.
    return json.dumps(values, separators=(",", ":")).replace("<", "\\u003c").encode()
