"""The lab as the pages use it: allow-listed generators, the judge, the gate, replay and votes.

lab = LabService.from_settings(settings, store, prompt_sets)
async for state in lab.run(setup, LabVisitor("account 1"), stop=threading.Event()): ...
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from importlib.util import find_spec

from evaluator.generators.loading import (
    ONE_LOAD_AT_A_TIME,
    AllowedGenerator,
    Generators,
    UnknownGenerator,
    configured_generators,
)
from evaluator.judge_loading.loading import UnknownJudge, load_scorer
from evaluator.judge_loading.registry import runs_on_gpu
from evaluator.judges.protocol import JudgeUnavailable, UnsuitableJudge
from evaluator.judges.recorded import RecordedJudge
from evaluator.lab.gate import Gate, GateRefused, LabTurn, LabVisitor
from evaluator.lab.judging import LabJudge
from evaluator.lab.ledger import CountedRun, RunLedger
from evaluator.lab.reader import ReaderRun, ReaderSetup, reader_run
from evaluator.lab.reader import problems as reader_problems
from evaluator.lab.replay import ReplayLibrary
from evaluator.lab.run import run
from evaluator.lab.setup import LabSetup, problems
from evaluator.lab.state import LabState
from evaluator.lab.votes import StoredVoteBook, VoteBook
from evaluator.values import Pin
from evaluator.zero_gpu import ZeroGpu
from submissions.promptsets import PromptSets
from submissions.settings import Settings
from submissions.store.quotas import QuotaExceeded
from submissions.store.store import Store

logger = logging.getLogger(__name__)

OFF = "Live generation is off: {reason}. Replay works."
NOT_CONFIGURED = OFF.format(reason="no generator model is configured here")
NOT_READABLE = OFF.format(reason="the list of generator models cannot be used here")
NO_TORCH = OFF.format(reason="the generator models need torch, which is not installed here")


class LabService:
    """One per page server. Nothing is loaded until a run needs it, or `load_ahead` asks for it.

    Args:
        generators: The allow-list.
        judge: None = no judge is configured.
        replay: Stored submissions.
        votes: Where votes are kept.
        gate: Who may run when.
        ledger: How many runs a visitor may have; None = as many as they like, one at a time.
        off: Why live generation is off whatever the allow-list says.
        is_loaded_before_opening: Must all be in memory when the page server opens? `load_ahead` then takes its time.
    """

    def __init__(
        self,
        generators: Generators,
        judge: LabJudge | None,
        *,
        replay: ReplayLibrary,
        votes: VoteBook,
        gate: Gate | None = None,
        ledger: RunLedger | None = None,
        off: str | None = None,
        is_loaded_before_opening: bool = False,
    ) -> None:
        self._is_loaded_before_opening = is_loaded_before_opening
        self._generators = generators
        self._judge = judge
        self._usable = tuple(generator for generator in generators.allowed if _is_usable(generator))
        self._off = off
        self._secret = secrets.token_bytes(32)
        self.replay = replay
        self.votes = votes
        self.gate = gate or Gate()
        self._ledger = ledger

    @classmethod
    def from_settings(
        cls, settings: Settings, store: Store, prompt_sets: PromptSets, zero_gpu: ZeroGpu | None = None
    ) -> LabService:
        """The lab of an installation; an allow-list that cannot be used turns live generation off, and is logged.

        Args:
            zero_gpu: Who lends local models a graphics card; None = they compute on what this machine has.
        """
        off = None
        try:
            generators = configured_generators(settings, zero_gpu)
        except UnknownGenerator as error:
            logger.error("live generation is off: PLUMBLINE_GENERATORS: %s", error)
            generators, off = Generators(()), NOT_READABLE
        judge = LabJudge(_judge_loader(settings, store, zero_gpu)) if settings.judge_names else None
        return cls(
            generators,
            judge,
            replay=ReplayLibrary(store, prompt_sets),
            votes=StoredVoteBook(store),
            # Where nobody signs in the machine is its owner's own.
            ledger=RunLedger(store, settings.lab_runs_per_hour) if settings.space_id else None,
            off=off,
            is_loaded_before_opening=zero_gpu is not None,
        )

    @property
    def generator_names(self) -> tuple[str, ...]:
        """What the columns offer, in the order configured; () = live generation is off."""
        return tuple(generator.label for generator in self._usable)

    @property
    def about_generators(self) -> tuple[str, ...]:
        """What visitors are to know of those that write here, a sentence each."""
        return tuple(sentence for generator in self._usable for sentence in generator.about)

    def load_ahead(self) -> None:
        """Begins to load what is to be ready before the first run; returns at once, unless it must be there first."""
        if not self._is_loaded_before_opening:
            threading.Thread(target=self._generators.load_ahead, name="lab-loading", daemon=True).start()
            return
        self._generators.load_ahead()
        if self._judge:
            try:
                self._judge.kinds(threading.Event())
            except JudgeUnavailable as error:
                logger.error("the lab's judge could not be loaded ahead: %s", error)

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

    def pseudonym(self, visitor: LabVisitor) -> str:
        """What a visitor's votes are kept under: cannot be turned back, and is another one after a restart."""
        return hmac.new(self._secret, visitor.name.encode(), hashlib.sha256).hexdigest()[:16]

    async def run(
        self, setup: LabSetup, visitor: LabVisitor, *, stop: threading.Event, token: str | None = None
    ) -> AsyncGenerator[LabState, None]:
        """Waits for the visitor's turn, then runs (`evaluator.lab.run.run`).

        While it waits, states of phase `queued` tell the position. A refusal, or a setup with faults, is one state of
        phase `failed` with `failure` in words. The place is given back whatever happens, also when this iterator is
        closed.

        Args:
            visitor: Who asks; taken on the server, never a form field.
            stop: Set it to cancel; a new one for each run.
            token: The visitor's own, for Inference Providers; used for this run alone.
        """
        queued = LabState(setup, "queued")
        refusal = self.live_off_reason or "; ".join(self.problems(setup))
        if refusal:
            yield replace(queued, phase="failed", failure=refusal)
            return
        try:
            async with self._place(visitor) as place:
                async for position in place.positions(stop):
                    yield replace(queued, queue_position=position)
                if stop.is_set():
                    yield replace(queued, phase="cancelled")
                    return
                await place.started()
                running = run(setup, lambda name: self._generators.get(name, token), self._judge, stop=stop)
                try:
                    async for state in running:
                        place.is_counted = state.phase == "done"
                        yield state
                finally:
                    await running.aclose()
        except (GateRefused, QuotaExceeded) as refused:
            yield replace(queued, phase="failed", failure=str(refused))

    async def read_as(
        self, setup: ReaderSetup, visitor: LabVisitor, *, stop: threading.Event
    ) -> AsyncGenerator[ReaderRun, None]:
        """Waits for the visitor's turn, then lets the judge take a reader's place (`evaluator.lab.reader`).

        Runs count like those that write. A refusal, or a setup with faults, is one run of phase `failed`.
        """
        queued = ReaderRun(setup, "queued")
        faults = reader_problems(setup)
        if faults:
            yield replace(queued, phase="failed", failure=" ".join(faults))
            return
        try:
            async with self._place(visitor) as place:
                async for position in place.positions(stop):
                    yield replace(queued, queue_position=position)
                if stop.is_set():
                    yield replace(queued, phase="cancelled")
                    return
                await place.started()
                try:
                    async with aclosing(reader_run(setup, self._judge, stop=stop)) as running:
                        async for state in running:
                            place.is_counted = state.phase == "done"
                            yield state
                finally:
                    stop.set()
        except (GateRefused, QuotaExceeded) as refused:
            yield replace(queued, phase="failed", failure=str(refused))

    @asynccontextmanager
    async def _place(self, visitor: LabVisitor) -> AsyncIterator[_Place]:
        """A visitor's place in the queue, given back whatever happens.

        Raises:
            GateRefused, QuotaExceeded: when there is none for the visitor now.
        """
        turn = self.gate.join(visitor)
        counted: CountedRun | None = None
        try:
            counted = await self._ledger.begun(visitor) if self._ledger else None
            place = _Place(turn, counted)
            try:
                yield place
            finally:
                if counted:
                    await counted.ended(is_counted=place.is_counted)
        finally:
            turn.leave()


class _Place:
    """A run's place: in line, then at work."""

    def __init__(self, turn: LabTurn, counted: CountedRun | None) -> None:
        self._turn = turn
        self._counted = counted
        self.is_counted = False
        """Does the run cost its visitor one of the hour? Only one that came to its end does."""

    async def positions(self, stop: threading.Event) -> AsyncIterator[int]:
        """Every place in line, until it is the run's turn or `stop` is set."""
        position = self._turn.position
        while position is not None and not stop.is_set():
            yield position
            position = await self._turn.wait(position, stop)

    async def started(self) -> None:
        """Its turn has come: the hour counts from here."""
        if self._counted:
            await self._counted.kept()


def _is_usable(allowed: AllowedGenerator) -> bool:
    """Whether it could be loaded here; a Space may be built without torch."""
    return allowed.kind != "transformers" or find_spec("torch") is not None


def _judge_loader(settings: Settings, store: Store, zero_gpu: ZeroGpu | None) -> Callable[[], RecordedJudge]:
    """Loads the first configured judge; its verdicts are kept in the store, so that none is asked for twice."""

    def load() -> RecordedJudge:
        name = settings.judge_names[0]
        try:
            with ONE_LOAD_AT_A_TIME:
                if zero_gpu and zero_gpu.has_started and runs_on_gpu(name):
                    raise JudgeUnavailable("it could not be loaded when the Space started; its log says why")
                api_key = settings.judge_api_key or None
                judge = load_scorer(name, store, api_key=api_key, compiles=zero_gpu is None).judge
                if zero_gpu:
                    # Imported here: torch takes seconds, and some judges need it not.
                    from evaluator.judge_loading.zero_gpu import on_card

                    judge = on_card(judge, zero_gpu)
        except (UnknownJudge, UnsuitableJudge) as error:
            logger.error("the lab has no judge: %s", error)
            raise JudgeUnavailable("the configured judge cannot be loaded") from error
        except ImportError as error:
            raise JudgeUnavailable(f"it needs {error.name}, which is not installed here") from error
        return RecordedJudge(judge, store)

    return load
