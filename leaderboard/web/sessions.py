"""What the server remembers of a visitor while a page is open: the values of states, not a copy of the page."""

from __future__ import annotations

from datetime import datetime
from types import SimpleNamespace
from typing import Any

from gradio.components import State
from gradio.state_holder import SessionState, StateHolder


class LeanSession(SessionState):
    """A session without the configuration of every component.

    gradio 6.31 works it out anew for every visitor and keeps it for an hour after they left (here 20 ms and 3.6 MB
    each), all for its deep links. Links of this page hold their view themselves (`leaderboard.page.links`).
    """

    def __init__(self, blocks: Any) -> None:
        super().__init__(SimpleNamespace(default_config=blocks.default_config, blocks={}))  # type: ignore[arg-type]

    def __setitem__(self, key: int, value: Any) -> None:
        if isinstance(self.blocks_config.blocks.get(key), State):
            super().__setitem__(key, value)
        else:
            self.blocks_config.blocks[key] = value

    def _update_config(self, key: int) -> None:
        """Nothing is kept."""

    def _update_value_in_config(self, key: int, value: Any) -> None:
        """Nothing is kept."""


class LeanSessions(StateHolder):
    """Sessions of visitors by their id, made when they come; the oldest goes when there are too many."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __getitem__(self, session_id: str) -> SessionState:
        if session_id not in self.session_data:
            self.session_data[session_id] = LeanSession(self.blocks)
        self.update(session_id)
        self.time_last_used[session_id] = datetime.now()
        return self.session_data[session_id]
