"""The worker: claim, evaluate, record, finish. One bad job never stops it."""

from __future__ import annotations

import logging
import math
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence

from evaluator.evaluate import CannotBeJudged
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.protocol import Judge, JudgeAway, JudgeLost, JudgeUnavailable
from evaluator.judges.recorded import Batch
from evaluator.memory import give_back_freed_memory
from evaluator.steps import Steps
from evaluator.task import Reference
from evaluator.worker.scoring import score_stored
from submissions.archive.record import Archive
from submissions.promptsets import PromptSets
from submissions.store.queue import Job, LeaseLost
from submissions.store.store import Store, StoreDamaged, StoreUnavailable

logger = logging.getLogger(__name__)

IDLE_POLL_S = 0.5
"""How often an idle worker looks for work."""

BUSY_SIGN_S = 1.0
"""How often a worker that judges tells how fast."""

UNAVAILABLE_WAIT_S = 5.0
"""How long a worker waits before it asks a database that went away again."""


class StopRequested(Exception):
    """Raised inside an evaluation when the worker was asked to stop; its job goes back to the queue."""


class TeamWaits(StopRequested):
    """Raised inside the evaluation of a row of our own when a team's submission waits: that is judged first."""


class Worker:
    """One worker process.

    Args:
        name: Unique among running workers.
        archive: Where results are recorded at once; None on a machine without the data folder, where the page server
            records them.
        stop: Set from outside to end the worker after its current batch of judgements.
        references: Prompt set id -> the system others are compared with.
        panel: Further judges; every result then also carries the panel's figures.
        idle: Does a piece of what can wait, each time that nothing is left to claim; False when there is nothing to do.
        steps: Told where it stands; whoever hears that keeps the leases while it judges (`evaluator.worker.watcher`).
    """

    def __init__(
        self,
        *,
        name: str,
        store: Store,
        archive: Archive | None,
        prompt_sets: PromptSets,
        scorer: Scorer,
        stop: threading.Event,
        references: Mapping[str, Reference] | None = None,
        panel: Sequence[Judge] = (),
        steps: Steps = Steps(),
        idle: Callable[[], bool] = lambda: False,
    ) -> None:
        self.name = name
        self._store = store
        self._archive = archive
        self._prompt_sets = prompt_sets
        self._scorer = scorer
        self._references = references
        self._panel = panel
        self._stop = stop
        self._judges = (*(member.judge for member in scorer.every), *panel)
        self._last_sign_s = -math.inf
        self._judgements = 0
        self._judging_s = 0.0
        self._steps = steps
        self._idle = idle
        for judge in self._judges:
            judge.on_request = steps.at
        for member in scorer.every:
            member.embedder.on_batch = steps.sign

    def run(self, *, until_empty: bool = False) -> None:
        """Works until asked to stop, or until nothing is left to claim, nor to do while nobody waits.

        A database that goes away is waited for; what was being judged goes on, or is claimed anew, when it is back.
        """
        logger.info("worker %s started with judge %s", self.name, self._scorer.judge.pin.name)
        said = ""
        self._steps.ready(self._scorer.judge.pin.name)
        try:
            while not self._stop.is_set():
                try:
                    self._sign_of_life()
                    worked = self.work_once() or self._idle()
                except StoreUnavailable as gone:
                    if str(gone) != said:
                        logger.error("%s", gone)
                    said = str(gone)
                    self._stop.wait(UNAVAILABLE_WAIT_S)
                    continue
                said = ""
                if not worked:
                    if until_empty:
                        return
                    self._stop.wait(IDLE_POLL_S)
        finally:
            self._leave()
            logger.info("worker %s stopped", self.name)

    def work_once(self) -> bool:
        """Claims and settles one job; False when there was none."""
        job = self._store.claim(self.name)
        if job is None:
            return False
        logger.info("submission %s claimed by %s (attempt %d)", job.id, self.name, job.claims)
        self._steps.begin(job.id, job.claims)
        try:
            self._settle(job)
        except LeaseLost as lost:
            logger.info("%s", lost)
        finally:
            self._steps.end()
        give_back_freed_memory()
        return True

    def _sign_of_life(self) -> None:
        """Four in a lease are enough of an idle worker, however often it looks."""
        if self._judging_s or time.monotonic() >= self._last_sign_s + self._store.lease_s / 4:
            self._give_sign()

    def _give_sign(self) -> None:
        judge = self._scorer.judge.pin.name
        self._store.worker_seen(self.name, judge, judgements=self._judgements, judging_s=self._judging_s)
        self._judgements, self._judging_s = 0, 0.0
        self._last_sign_s = time.monotonic()

    def _leave(self) -> None:
        try:
            self._store.worker_gone(self.name)
        except StoreUnavailable:
            logger.info("worker %s could not sign off; the others learn it when its lease ends", self.name)

    def _settle(self, job: Job) -> None:
        """Evaluates a job and reports how it ended, whatever that is.

        Raises:
            LeaseLost: when the job was taken away meanwhile.
            JudgeLost: its judge is gone for this process.
        """
        try:
            result = self._evaluate(job)
        except LeaseLost:
            raise
        except (StopRequested, StoreUnavailable) as reason:
            # A database that was away for long is no fault of the job.
            why = "a team's submission is judged first" if isinstance(reason, TeamWaits) else "the worker was stopped"
            self._store.release(job.id, self.name, why)
            if isinstance(reason, StoreDamaged):
                raise  # what is damaged now is so when the job is claimed again
        except JudgeLost as lost:
            # No other job can be judged here: whoever watches starts another process.
            self._store.judge_lost(job.id, self.name, str(lost))
            raise
        except JudgeAway as away:
            self._store.judge_away(job.id, self.name, str(away))
        except CannotBeJudged as reason:
            self._store.fail(job.id, self.name, self._prompt_sets.hidden_texts.withheld(str(reason)))
        except Exception as error:
            # The one broad except of the code: whatever a job does, the next one is still judged.
            hidden = self._prompt_sets.hidden_texts
            # A traceback may say what was asked.
            logger.error("submission %s failed in attempt %d", job.id, job.claims, exc_info=not hidden.prompts)
            self._store.attempt_failed(job.id, self.name, hidden.withheld(_reason(error)))
        else:
            recorded_at = self._store.finish(job.id, self.name, result)
            self._steps.end()
            self._record(job, result, recorded_at)

    def _record(self, job: Job, result: str, recorded_at: float) -> None:
        if self._archive is None:
            return
        try:
            self._archive.record_result(job.id, result, recorded_at)
        except OSError as error:
            logger.error("submission %s is scored, but its archive cannot be written now: %s", job.id, error)

    def _evaluate(self, job: Job) -> str:
        result = score_stored(
            job,
            self._store,
            self._scorer.of_set(job.set_id),
            self._panel,
            prompt_sets=self._prompt_sets,
            references=self._references,
            on_batch=self._reporter(job),
            steps=self._steps,
        )
        return result.model_dump_json()

    def _reporter(self, job: Job) -> Callable[[Batch], None]:
        def report(batch: Batch) -> None:
            self._store.progress(
                job.id,
                self.name,
                judged=batch.judged,
                to_judge=batch.to_judge,
                newly_stored=batch.newly_stored,
            )
            self._count_judgements(batch.newly_stored, batch.seconds)
            self._check_stop(job)

        return report

    def _count_judgements(self, newly_stored: int, seconds: float) -> None:
        """Adds to what the next sign of life says; one a second is enough."""
        self._judgements += newly_stored
        self._judging_s += seconds
        if time.monotonic() >= self._last_sign_s + BUSY_SIGN_S:
            self._give_sign()

    def _check_stop(self, job: Job) -> None:
        if self._stop.is_set():
            raise StopRequested
        if job.gives_way and self._store.team_waits():
            raise TeamWaits


def _reason(error: Exception) -> str:
    """What a team is told of an attempt that raised; the log has the whole."""
    if isinstance(error, JudgeUnavailable):
        return str(error)
    return traceback.format_exception_only(error)[-1].strip()
