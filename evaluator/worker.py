"""The worker: claim, evaluate, record, finish; one bad job never stops it."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence

from evaluator.evaluate import CannotBeJudged, evaluate_payload
from evaluator.judges.panel import scored_by_all
from evaluator.judges.protocol import Judge, JudgeUnavailable
from evaluator.judges.recorded import Batch, RecordedJudge
from evaluator.pairwise import Reference
from evaluator.results import Result
from evaluator.scorer import Scorer
from submissions.archive import Archive
from submissions.promptsets import PromptSets
from submissions.queue import Job, LeaseLost
from submissions.store import Store

logger = logging.getLogger(__name__)

IDLE_POLL_S = 0.5
"""How often an idle worker looks for work."""


class StopRequested(Exception):
    """Raised inside an evaluation when the worker was asked to stop; its job goes back to the queue."""


class Worker:
    """One worker process.

    Args:
        name: Unique among running workers.
        stop: Set from outside to end the worker after its current batch of judgements.
        references: Prompt set id -> the system others are compared with.
        panel: Further judges; every result then also carries the panel's figures.
    """

    def __init__(
        self,
        *,
        name: str,
        store: Store,
        archive: Archive,
        prompt_sets: PromptSets,
        scorer: Scorer,
        stop: threading.Event,
        references: Mapping[str, Reference] | None = None,
        panel: Sequence[Judge] = (),
    ) -> None:
        self.name = name
        self._store = store
        self._archive = archive
        self._prompt_sets = prompt_sets
        self._scorer = scorer
        self._references = references
        self._panel = panel
        self._stop = stop

    def run(self, *, until_empty: bool = False) -> None:
        """Works until asked to stop, or until nothing is left to claim."""
        logger.info("worker %s started with judge %s", self.name, self._scorer.judge.pin.name)
        self._store.worker_seen(self.name, self._scorer.judge.pin.name)
        try:
            while not self._stop.is_set():
                if not self.work_once():
                    if until_empty:
                        return
                    self._store.worker_seen(self.name, self._scorer.judge.pin.name)
                    self._stop.wait(IDLE_POLL_S)
        finally:
            self._store.worker_gone(self.name)
            logger.info("worker %s stopped", self.name)

    def work_once(self) -> bool:
        """Claims and settles one job; False when there was none."""
        job = self._store.claim(self.name)
        if job is None:
            return False
        logger.info("submission %s claimed by %s (attempt %d)", job.id, self.name, job.claims)
        with _Heartbeat(self._store, job.id, self.name):
            try:
                self._settle(job)
            except LeaseLost as lost:
                logger.info("%s", lost)
        return True

    def _settle(self, job: Job) -> None:
        """Evaluates a job and reports how it ended, whatever that is.

        Raises:
            LeaseLost: when the job was taken away meanwhile.
        """
        try:
            result = self._evaluate(job)
        except LeaseLost:
            raise
        except StopRequested:
            self._store.release(job.id, self.name)
        except CannotBeJudged as reason:
            self._store.fail(job.id, self.name, str(reason))
        except Exception as error:
            # The one broad except of the code: whatever a job does, the next one is still judged.
            logger.exception("submission %s failed in attempt %d", job.id, job.claims)
            self._store.attempt_failed(job.id, self.name, _reason(error))
        else:
            recorded_at = self._store.finish(job.id, self.name, result)
            self._archive.record_result(job.id, result, recorded_at)

    def _evaluate(self, job: Job) -> str:
        data = self._store.payload(job.file_sha256)
        result = scored_by_all(
            (self._scorer.judge, *self._panel),
            self._store,
            lambda judge: self._result(job, data, judge),
            system_model=job.names.model,
            on_batch=self._reporter(job),
        )
        return result.model_dump_json()

    def _result(self, job: Job, data: bytes, judge: RecordedJudge) -> Result:
        return evaluate_payload(
            data,
            job.file_name,
            edition=job.edition,
            names=job.names,
            choices=job.choices,
            prompt_sets=self._prompt_sets,
            judge=judge,
            embedder=self._scorer.embedder,
            references=self._references,
        )

    def _reporter(self, job: Job) -> Callable[[Batch], None]:
        def report(batch: Batch) -> None:
            self._store.progress(
                job.id,
                self.name,
                judged=batch.judged,
                to_judge=batch.to_judge,
                newly_stored=batch.newly_stored,
            )
            self._store.worker_seen(
                self.name,
                self._scorer.judge.pin.name,
                judgements=batch.newly_stored,
                judging_s=batch.seconds,
            )
            if self._stop.is_set():
                raise StopRequested

        return report


def _reason(error: Exception) -> str:
    """What a team is told of an attempt that raised; the log has the whole."""
    if isinstance(error, JudgeUnavailable):
        return str(error)
    return traceback.format_exception_only(error)[-1].strip()


class _Heartbeat:
    """Renews the lease of one job from a thread of its own while the job is being judged."""

    def __init__(self, store: Store, ticket_id: str, worker: str) -> None:
        self._store = store
        self._ticket_id = ticket_id
        self._worker = worker
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"heartbeat-{ticket_id}", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *exception: object) -> None:
        self._done.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._done.wait(self._store.lease_s / 3):
            try:
                self._store.heartbeat(self._ticket_id, self._worker)
            except LeaseLost:
                return  # the evaluation itself learns it at its next report of progress
