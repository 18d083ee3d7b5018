"""Places to wait in: readers, files and the lab have places of their own, and nobody takes all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr
from fastapi import HTTPException, Request
from gradio.queueing import Event, Queue

from leaderboard.page.identity import visitor_key
from leaderboard.web.pace import Pace, TooFast

RETRY_AFTER_S = 2
"""When whoever has no place should ask again."""


@dataclass(frozen=True, slots=True)
class VisitorPlaces:
    """Calls that may wait or be at work at the same time."""

    for_one: int
    """Of one visitor: an account, else a network address."""
    in_all: int


READS = "reads"
FILES = "files"
OF_KINDS = {READS: VisitorPlaces(16, 96), FILES: VisitorPlaces(6, 48)}
"""By the name under which calls share their concurrency (`leaderboard.site.api`)."""
OTHERS = VisitorPlaces(8, 100)
"""Runs of the lab; how many of them write at a time, and in which order, its gate says."""


class FairQueue(Queue):
    """gradio's queue, in which each kind of call has places of its own.

    gradio 6.31 has one bound for all of them: whoever sent a hundred calls for a board kept everybody else's files out.
    """

    def __init__(self, pace: Pace, **options: Any) -> None:
        super().__init__(**options)
        self._pace = pace

    async def push(self, body: Any, request: Request, username: str | None) -> Any:
        """As gradio does it, for whoever finds a place.

        Raises:
            HTTPException: 429 when the visitor has too many calls here already, 503 when all have.
        """
        function = self.blocks.fns.get(body.fn_index)
        if function is not None:
            request.state.visitor = visitor_key(gr.Request(request))
            if function.concurrency_id != READS:
                await self._turn(request.state.visitor)
            self._make_sure_of_a_place(function.concurrency_id, request.state.visitor)
        return await super().push(body, request, username)

    async def _turn(self, visitor: str) -> None:
        try:
            wait_s = self._pace.turn(visitor)
        except TooFast as too_fast:
            raise HTTPException(429, str(too_fast), {"retry-after": str(too_fast.after_s)}) from None
        await asyncio.sleep(wait_s)

    def _make_sure_of_a_place(self, kind: str, visitor: str) -> None:
        places = OF_KINDS.get(kind, OTHERS)
        here = [event for event in self._here() if OF_KINDS.get(event.concurrency_id, OTHERS) is places]
        own = sum(event.request.state.visitor == visitor for event in here)
        if own >= places.for_one:
            raise _no_place(429, f"You have {own} calls here already: wait for one of them, then ask again.")
        if len(here) >= places.in_all:
            raise _no_place(503, f"{len(here)} calls wait here already: ask again in a moment.")

    def _here(self) -> Iterator[Event]:
        """Every event that waits or is at work."""
        for waiting in self.event_queue_per_concurrency_id.values():
            yield from waiting.queue
        for at_work in self.active_jobs:
            yield from at_work or ()


def _no_place(status: int, said: str) -> HTTPException:
    return HTTPException(status, said, {"retry-after": str(RETRY_AFTER_S)})
