from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.region import Region
from tests.unit.leaderboard.conftest import in_own_loop

Handler = Callable[..., tuple[Any, ...]]


@pytest.fixture
def wired() -> tuple[Handler, SimpleNamespace, int]:
    """The handler of two lists and a button that share one event, the components, and how many events there are."""

    async def page() -> tuple[Handler, SimpleNamespace, int]:
        with gr.Blocks(analytics_enabled=False) as blocks:
            parts = SimpleNamespace(
                item=gr.Dropdown(elem_id="item"),
                against=gr.Dropdown(elem_id="against"),
                back=gr.Button(elem_id="back"),
                other=gr.Button(elem_id="other"),
                shown=gr.Textbox(),
            )
            region: Region[RobustnessState] = Region(
                gr.State(RobustnessState()), gr.Textbox(), [parts.shown], lambda state: (state.item,)
            )
            region.on_inputs(
                (parts.item, lambda state, value: replace(state, item=value)),
                (parts.against, lambda state, value: replace(state, against=value)),
                clicks=[(parts.back, lambda state: replace(state, item=""))],
            )
        functions = list(blocks.fns.values())
        return functions[-1].fn, parts, len(functions)

    built: tuple[Handler, SimpleNamespace, int] = in_own_loop(page)
    return built


def used(component: gr.Dropdown | gr.Button | None) -> gr.EventData:
    return gr.EventData(component, None)


def test_controls_and_buttons_share_one_event_and_each_changes_its_own(
    wired: tuple[Handler, SimpleNamespace, int],
) -> None:
    handler, parts, events = wired
    assert events == 1
    at = RobustnessState(system="keel", item="901")
    assert handler(at, used(parts.item), "902", "tide")[0] == replace(at, item="902")
    assert handler(at, used(parts.against), "902", "tide")[0] == replace(at, against="tide")
    assert handler(at, used(parts.back), "902", "tide")[0] == replace(at, item="")
    assert handler(at, used(parts.item), "902", "tide")[2] == "902"


def test_a_control_is_known_after_its_choices_were_updated(wired: tuple[Handler, SimpleNamespace, int]) -> None:
    handler, _, _ = wired
    anew = gr.Dropdown(["902"], elem_id="item")  # what gradio keeps for the visitor then: another component
    assert handler(RobustnessState(), used(anew), "902", "")[0] == RobustnessState(item="902")


def test_what_changes_nothing_draws_nothing(wired: tuple[Handler, SimpleNamespace, int]) -> None:
    handler, parts, _ = wired
    at = RobustnessState(system="keel", item="901")
    nothing = (gr.skip(), gr.skip(), gr.skip())
    assert handler(at, used(parts.item), "901", "") == nothing
    assert handler(at, used(parts.other), "902", "tide") == nothing
    assert handler(at, used(None), "902", "tide") == nothing
