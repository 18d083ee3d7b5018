"""What is made of files that visitors send, above all checks: in turn, and given up when whoever waits has left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import TypeVar

from leaderboard.parts.notices import NoticeValue, notice
from submissions.checking.fork_server import ForkServer
from submissions.checking.job import Answer, Budget, Job
from submissions.checking.line import LineFull
from submissions.checking.pool import CheckPool
from submissions.promptsets import PromptSets
from submissions.settings import Settings

LOOK_S = 0.2
"""How often it is seen to whether a place has changed and somebody still waits."""
TAKEN_IN_AT_ONCE = 2
"""Files that are taken in at the same time: each is held in memory as a whole."""
PRELOAD = (
    "leaderboard.desk.checked_file",
    "leaderboard.desk.packed_files",
    "leaderboard.judge_report.labelling",
    "submissions.formats.eloquent.languages:load_models",
)
"""What processes that read files have at hand from the start."""

Result = TypeVar("Result")


class Left(Exception):
    """Raised when whoever asked has left; nobody reads it."""


class FileChecks:
    """Two lines: whoever only checks cannot keep anybody from submitting.

    Nothing is started before it is needed, or `start` is called.
    """

    def __init__(self, prompt_sets: PromptSets, settings: Settings) -> None:
        budget = Budget.of(settings)
        self._server = ForkServer(prompt_sets, preload=PRELOAD)
        self.looks = CheckPool(self._server, budget, at_once=settings.checks_at_once)
        """Of files that are only checked, and of judges' logs."""
        self.submissions = CheckPool(self._server, budget, at_once=1)
        """Of files that are to be taken in."""
        self._taking_in = ThreadPoolExecutor(TAKEN_IN_AT_ONCE, "take-in")

    def start(self) -> None:
        """Starts the processes, so that nobody waits for them."""
        self.looks.start()
        self.submissions.start()

    def close(self) -> None:
        """Ends them; files that are being taken in are taken in."""
        self.looks.close()
        self.submissions.close()
        self._server.close()
        self._taking_in.shutdown(cancel_futures=True)

    async def take_in(self, work: Callable[[], Result]) -> Result:
        """What a function gives that reads a file and stores it, outside of the event loop.

        Raises:
            Exception: whatever it raises.
        """
        return await asyncio.get_running_loop().run_in_executor(self._taking_in, work)


async def in_turn(pool: CheckPool, visitor: str, job: Job[Answer]) -> AsyncGenerator[int | Answer, None]:
    """How many checks are ahead, whenever that has changed, and at last what came of this one.

    Ending the iteration gives the place up, and so does the visitor by leaving.

    Raises:
        LineFull: when there is no room in the line.
        Left: when the visitor has left.
    """
    has_left = _departure()
    turn = pool.join(visitor, job)
    answer = asyncio.wrap_future(turn.answer)
    told = None
    try:
        while not (await asyncio.wait([answer], timeout=LOOK_S))[0]:
            if has_left():
                raise Left
            ahead = turn.ahead
            if ahead != told:
                told = ahead
                yield ahead
        if answer.cancelled():  # the service is being closed
            raise Left
        yield answer.result()
    finally:
        turn.leave()


async def answer_in_turn(pool: CheckPool, visitor: str, job: Job[Answer]) -> Answer:
    """What came of a job, for whoever is not shown its place.

    Raises:
        LineFull, Left: as `in_turn`.
    """
    async with aclosing(in_turn(pool, visitor, job)) as steps:
        async for step in steps:
            if not isinstance(step, int):
                return step
    raise Left


async def told_in_turn(
    pool: CheckPool, visitor: str, job: Job[Answer], waiting: Callable[[int], NoticeValue], not_done: str
) -> AsyncGenerator[Answer | NoticeValue, None]:
    """What came of a job, after what is said while it waits; only the latter where nothing comes of it.

    Args:
        waiting: Says how many are ahead.
        not_done: Title of the notice where there is no room in the line.
    """
    try:
        async with aclosing(in_turn(pool, visitor, job)) as steps:
            async for step in steps:
                yield waiting(step) if isinstance(step, int) else step
    except LineFull as full:
        yield notice("warning", not_done, str(full))
    except FileNotFoundError:
        yield notice("warning", not_done, "The file is no longer on this server. Upload it again.")
    except Left:
        return


def _departure() -> Callable[[], bool]:
    """Tells whether whoever sent the running event has left: gradio ends no event for that by itself."""
    # Here: exporting boards knows no visitors, and gradio takes seconds to load.
    from gradio.context import LocalContext

    blocks, event_id = LocalContext.blocks.get(None), LocalContext.event_id.get(None)
    if blocks is None or event_id is None:
        return lambda: False
    event = blocks._queue.event_ids_to_events.get(event_id)
    return lambda: event is not None and not event.alive
