"""The Preference lab as the pages use it: allow-listed generators, the judge, the gate, replay and votes.

lab = LabService.from_settings(settings, store, prompt_sets)
async for state in lab.run(setup, visitor="session-1", stop=threading.Event()): ...
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import threading
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from importlib.util import find_spec

from evaluator.judges.protocol import JudgeUnavailable, UnsuitableJudge
from evaluator.judges.recorded import RecordedJudge
from evaluator.lab.gate import Gate, GateRefused
from evaluator.lab.judging import LabJudge
from evaluator.lab.replay import ReplayLibrary
from evaluator.lab.run import run
from evaluator.lab.setup import LabSetup, problems
from evaluator.lab.state import LabState
from evaluator.lab.votes import StoredVoteBook, VoteBook
from evaluator.models.loading import (
    ONE_LOAD_AT_A_TIME,
    AllowedGenerator,
    Generators,
    UnknownGenerator,
    configured_generators,
)
from evaluator.results import Pin
from evaluator.scorer import UnknownJudge, load_scorer
from submissions.promptsets import PromptSets
from submissions.settings import Settings
from submissions.store import Store

logger = logging.getLogger(__name__)

OFF = "Live generation is off: {reason}. Replay works."
NOT_CONFIGURED = OFF.format(reason="no generator model is configured on this Space")
NOT_READABLE = OFF.format(reason="the list of generator models of this Space cannot be used")
NO_TORCH = OFF.format(reason="the generator models of this Space need torch, which is not installed")


class LabService:
    """One per page server. Nothing is loaded until a run needs it.

    Args:
        generators: The allow-list.
        judge: None = no judge is configured.
        replay: Stored submissions.
        votes: Where votes are kept.
        gate: Who may run when.
        off: Why live generation is off whatever the allow-list says.
    """

    def __init__(
        self,
        generators: Generators,
        judge: LabJudge | None,
        *,
        replay: ReplayLibrary,
        votes: VoteBook,
        gate: Gate | None = None,
        off: str | None = None,
    ) -> None:
        self._generators = generators
        self._judge = judge
        self._usable = tuple(one for one in generators.allowed if _is_usable(one))
        self._off = off
        self._secret = secrets.token_bytes(32)
        self.replay = replay
        self.votes = votes
        self.gate = gate or Gate()

    @classmethod
    def from_settings(cls, settings: Settings, store: Store, prompt_sets: PromptSets) -> LabService:
        """The lab of an installation; an allow-list that cannot be used turns live generation off, and is logged."""
        off = None
        try:
            generators = configured_generators(settings)
        except UnknownGenerator as error:
            logger.error("live generation is off: PLUMBLINE_GENERATORS: %s", error)
            generators, off = Generators(()), NOT_READABLE
        judge = LabJudge(_judge_loader(settings, store)) if settings.judge_names else None
        return cls(
            generators,
            judge,
            replay=ReplayLibrary(store, prompt_sets),
            votes=StoredVoteBook(store),
            off=off,
        )

    @property
    def generator_names(self) -> tuple[str, ...]:
        """What the columns offer, in the order configured; () = live generation is off."""
        return tuple(one.label for one in self._usable)

    @property
    def live_off_reason(self) -> str | None:
        """Why Run is disabled, as a sentence for visitors; None where it works."""
        if self._off or self._usable:
            return self._off
        return NO_TORCH if self._generators.allowed else NOT_CONFIGURED

    @property
    def judge_pin(self) -> Pin | None:
        """Which judge judges here; None until a run first needed it."""
        return self._judge.pin if self._judge else None

    def needs_token(self, generator: str) -> bool:
        """Whether a visitor must be signed in to use this one (Inference Providers)."""
        return self._generators.needs_token(generator)

    def problems(self, setup: LabSetup) -> list[str]:
        """Everything that keeps a setup from being run here, in words; [] where nothing does."""
        return problems(setup, self.generator_names)

    def pseudonym(self, visitor: str) -> str:
        """What a visitor's votes are kept under: cannot be turned back, and is another one after a restart."""
        return hmac.new(self._secret, visitor.encode(), hashlib.sha256).hexdigest()[:16]

    async def run(
        self, setup: LabSetup, visitor: str, *, stop: threading.Event, token: str | None = None
    ) -> AsyncGenerator[LabState, None]:
        """Waits for the visitor's turn, then runs (`evaluator.lab.run.run`).

        While it waits, states of phase `queued` tell the position. A refusal, or a setup with faults, is one state of
        phase `failed` with `failure` in words. The place is given back whatever happens, also when this iterator is
        closed.

        Args:
            visitor: The signed-in owner, else the browser session's key; taken on the server, never a form field.
            stop: Set it to cancel; a new one for each run.
            token: The visitor's own, for Inference Providers; used for this run alone.
        """
        queued = LabState(setup, "queued")
        refusal = self.live_off_reason or "; ".join(self.problems(setup))
        if refusal:
            yield replace(queued, phase="failed", failure=refusal)
            return
        try:
            turn = self.gate.join(visitor)
        except GateRefused as refused:
            yield replace(queued, phase="failed", failure=str(refused))
            return
        try:
            position = turn.position
            while position is not None and not stop.is_set():
                yield replace(queued, queue_position=position)
                position = await turn.wait(position, stop)
            if stop.is_set():
                yield replace(queued, phase="cancelled")
                return
            running = run(setup, lambda name: self._generators.get(name, token), self._judge, stop=stop)
            try:
                async for state in running:
                    yield state
            finally:
                await running.aclose()
        finally:
            turn.leave()


def _is_usable(allowed: AllowedGenerator) -> bool:
    """Whether it could be loaded here; a Space may be built without torch."""
    return allowed.kind != "transformers" or find_spec("torch") is not None


def _judge_loader(settings: Settings, store: Store) -> Callable[[], RecordedJudge]:
    """Loads the first configured judge; its verdicts are kept in the store, so that none is asked for twice."""

    def load() -> RecordedJudge:
        name = settings.judge_names[0]
        try:
            with ONE_LOAD_AT_A_TIME:
                scorer = load_scorer(name, store, api_key=settings.judge_api_key or None)
        except (UnknownJudge, UnsuitableJudge) as error:
            logger.error("the lab has no judge: %s", error)
            raise JudgeUnavailable("the configured judge cannot be loaded") from error
        except ImportError as error:
            raise JudgeUnavailable(f"it needs {error.name}, which is not installed here") from error
        return RecordedJudge(scorer.judge, store)

    return load
