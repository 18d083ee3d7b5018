"""Batches of questions over actors, of which any may die, or be on a machine that nothing reaches any more.

Ray starts anew what died. Until that answers, its batch goes to another actor.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evaluator.judges.protocol import JudgeLost, JudgeUnavailable, Told

LOOK_S = 0.5
"""How often the actors are asked how far they are."""

ANSWER_WITHIN_S = 0.1
"""How long that is waited for; what comes later is heard at the next look."""

RETRIES = 3
"""How often a batch is sent again after its actor died: what kills a judge must not kill all of them for ever."""

RETURN_WITHIN_S = 900.0
"""How long no actor at all may be there: ray starts them anew, and they load their judge, as at the start."""

Places = Sequence[int]


class Spread:
    """One call of a judge on its way.

    Args:
        actors: Handles; they have `heard`.
        call: Its number.
        batches: Places of the questions, together as an actor is asked them.
        ask: Sends a batch to an actor; returns the reference to its answer.
        told: Hears how far the actors are.
    """

    def __init__(
        self,
        actors: Sequence[Any],
        call: int,
        batches: Sequence[Places],
        ask: Callable[[Any, Places], Any],
        told: Told,
    ) -> None:
        self._actors = actors
        self._call = call
        self._ask = ask
        self._told = told
        self._waiting = deque(batches)
        self._idle = deque(range(len(actors)))
        self._away: set[int] = set()
        """Actors that have to answer before they are asked anything again."""
        self._asked: dict[Any, tuple[int, Places]] = {}
        """Reference to an answer -> who was asked, and what."""
        self._deaths: Counter[int] = Counter()
        """How many actors died at a batch, by its first place."""
        self._hearing: dict[int, Any] = {}
        """References to what actors were asked about themselves, and have not answered yet."""
        self._signs: dict[int, int] = {}
        self._dead_looks: Counter[int] = Counter()
        """How many looks in a row found an actor dead for good: one may be of the moment it died."""
        self._next_look = time.monotonic() + LOOK_S
        self._answered_at = time.monotonic()
        """When the last of them answered anything."""

    def answers(self) -> Iterator[Any]:
        """What the actors answer, as it comes.

        Raises:
            RayError: what an actor raised; or actors died again and again at the same batch.
            JudgeUnavailable: no actor came back.
            JudgeLost: none ever will.
        """
        while self._waiting or self._asked:
            self._hand_out()
            for answer in self._answered():
                yield from self._taken(answer)
            if time.monotonic() >= self._next_look:
                self._look()
                self._next_look = time.monotonic() + LOOK_S

    def _hand_out(self) -> None:
        while self._waiting and self._idle:
            number, batch = self._idle.popleft(), self._waiting.popleft()
            self._asked[self._ask(self._actors[number], batch)] = number, batch

    def _answered(self) -> list[Any]:
        """References that have their answer now; waits for one of them until it is time to look."""
        import ray

        wait_s = max(0.0, self._next_look - time.monotonic())
        if not self._asked:
            time.sleep(wait_s)
            return []
        answered, _ = ray.wait(list(self._asked), num_returns=1, timeout=wait_s)
        return list(answered)

    def _taken(self, answer: Any) -> Iterator[Any]:
        """The answer; nothing where its actor died: then another one gets the batch."""
        import ray

        number, batch = self._asked.pop(answer)
        try:
            content = ray.get(answer)
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError):
            self._deaths[batch[0]] += 1
            if self._deaths[batch[0]] > RETRIES:
                raise
            self._waiting.appendleft(batch)
            # Who stood beside it may have died with it.
            self._send_away(number, *self._idle)
            self._next_look = 0.0
        else:
            self._idle.append(number)
            self._answered_at = time.monotonic()
            yield content

    def _send_away(self, *numbers: int) -> None:
        self._away.update(numbers)
        self._idle = deque(number for number in self._idle if number not in self._away)

    def _look(self) -> None:
        """Passes on what the actors got on with since the last look; who is stuck, or cut off, says nothing."""
        import ray

        for number, actor in enumerate(self._actors):
            if number not in self._hearing:
                self._hearing[number] = actor.heard.remote()
        asked = list(self._hearing.values())
        answered, _ = ray.wait(asked, num_returns=len(asked), timeout=ANSWER_WITHIN_S)
        for number in [number for number, hearing in self._hearing.items() if hearing in answered]:
            try:
                call, signs, at = ray.get(self._hearing.pop(number))
            except ray.exceptions.RayActorError as error:
                self._send_away(number)
                is_for_good = isinstance(error, ray.exceptions.ActorDiedError)
                self._dead_looks[number] = self._dead_looks[number] + 1 if is_for_good else 0
                if not self._asked:
                    self._told(None)  # all wait for ray to start them anew: nobody stands still
                continue
            self._answered_at = time.monotonic()
            self._dead_looks[number] = 0
            if number in self._away:
                self._away.remove(number)
                self._idle.append(number)
            if call == self._call and signs != self._signs.get(number, 0):
                self._signs[number] = signs
                self._told(at)
        if all(self._dead_looks[number] > 1 for number in range(len(self._actors))):
            raise lost(len(self._actors))
        if time.monotonic() > self._answered_at + RETURN_WITHIN_S:
            raise JudgeUnavailable(f"none of {len(self._actors)} actors has answered for {RETURN_WITHIN_S:.0f} s")


def lost(actors: int) -> JudgeLost:
    """What is raised where all of so many actors are dead for good."""
    return JudgeLost(f"all {actors} actors are gone with the Ray cluster, and do not come back")
