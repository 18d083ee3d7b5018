from __future__ import annotations

from typing import Any

import gradio as gr

from leaderboard.web.sessions import LeanSession, LeanSessions
from tests.unit.leaderboard.conftest import in_own_loop


def test_a_visitor_finds_what_they_chose_and_nobody_elses_and_no_page_is_kept_for_them() -> None:
    async def visited() -> None:
        with gr.Blocks(analytics_enabled=False) as page:
            counted = gr.State(0)
            box = gr.Textbox("as built", label="Count")
            button = gr.Button()
            button.click(lambda count: (count + 1, gr.update(value=str(count + 1))), counted, [counted, box])
        sessions = LeanSessions()
        sessions.set_blocks(page)

        async def pressed(visitor: str) -> dict[str, Any]:
            answer: dict[str, Any] = await page.process_api(0, [None], state=sessions[visitor])
            return answer

        assert (await pressed("ada"))["data"][1]["value"] == "1"
        assert (await pressed("ada"))["data"][1]["value"] == "2"
        assert (await pressed("bob"))["data"][1]["value"] == "1"
        ada = sessions["ada"]
        assert isinstance(ada, LeanSession)
        assert ada[counted._id] == 2
        # Only the state itself is noted down, of three components.
        assert set(ada.config_values) <= {counted._id}

    in_own_loop(visited)


def test_the_oldest_session_goes_when_there_are_too_many() -> None:
    async def kept() -> list[str]:
        with gr.Blocks(analytics_enabled=False) as page:
            gr.State(0)
        page.state_session_capacity = 2
        sessions = LeanSessions()
        sessions.set_blocks(page)
        for visitor in ("ada", "bob", "ada", "cyd"):
            sessions[visitor]
        return list(sessions.session_data)

    assert in_own_loop(kept) == ["ada", "cyd"]
