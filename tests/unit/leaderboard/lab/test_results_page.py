"""What a run of the lab sends to the page, frame by frame."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import gradio as gr

from leaderboard.lab.results_page import drawn
from leaderboard.lab.screen import Picture

Values = tuple[Any, ...]


class Visitor:
    """A page of three outputs: the run's answer, whether it is over, and the threshold that the visitor set."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers
        self.at = ""
        self.threshold = 3

    async def pictures(self) -> AsyncIterator[Picture]:
        for answer in self.answers:
            self.at = answer
            yield cast(Picture, answer)

    def draw(self, picture: Picture | None) -> Values:
        return (picture or self.at, self.at == self.answers[-1], self.threshold)


def frames(visitor: Visitor, moved_at: int | None = None) -> list[Values]:
    """What is sent; the visitor moves the threshold to 5 once they have that many frames."""

    async def all_of_them() -> list[Values]:
        sent: list[Values] = []
        async for values in drawn(visitor.pictures(), visitor.draw):
            sent.append(values)
            if len(sent) == moved_at:
                visitor.threshold = 5
        return sent

    return asyncio.run(all_of_them())


def test_a_frame_holds_what_changed_since_the_last_and_the_end_holds_everything() -> None:
    same = gr.skip()
    assert frames(Visitor("A", "A. Mars")) == [
        ("A", False, 3),
        ("A. Mars", True, same),
        ("A. Mars", True, 3),
    ]


def test_a_threshold_moved_once_the_run_says_done_is_not_drawn_back() -> None:
    *_, done, last = frames(Visitor("A", "A. Mars"), moved_at=2)
    assert done == ("A. Mars", True, gr.skip())
    assert last == ("A. Mars", True, 5)


def test_a_run_that_never_began_changes_nothing() -> None:
    assert frames(Visitor()) == []
