"""A stored submission scored: its file, its run and its judges come together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evaluator.evaluate import evaluate_payload
from evaluator.judges.kind import Scorer
from evaluator.judges.protocol import Judge, JudgeAway
from evaluator.judges.recorded import Batch, RecordedJudge, VerdictStore
from evaluator.robustness.panel import scored_by_all
from evaluator.steps import Steps
from evaluator.task import Reference
from evaluator.values import Result
from evaluator.worker.run_uploads import run_uploads
from submissions.own_tasks.task import is_own_set
from submissions.promptsets import PromptSets
from submissions.store.content import stored_for
from submissions.store.queue import Job, Ticket
from submissions.store.store import Store


def score_stored(
    run: Job | Ticket,
    store: Store,
    scorer: Scorer,
    panel: Sequence[Judge],
    *,
    prompt_sets: PromptSets,
    references: Mapping[str, Reference] | None = None,
    verdicts: VerdictStore | None = None,
    on_batch: Callable[[Batch], None] = lambda batch: None,
    steps: Steps = Steps(),
) -> Result:
    """The result of a stored submission by a judge and its panel.

    Args:
        run: Which submission.
        store: Where its file is.
        scorer: Of the set it answers (`Scorer.of_set`).
        panel: Further judges; the result then also carries the panel's figures.
        prompt_sets: What ELOQUENT files are checked against.
        references: Prompt set id -> the system others are compared with.
        verdicts: Where verdicts are kept; None = in the store.
        on_batch: Told of every batch of judgements; may raise to stop.
        steps: Told where the work stands.

    Raises:
        CannotBeJudged: when no attempt can ever score it.
        JudgeAway: it is of a task that is not installed here.
    """
    if is_own_set(run.set_id) and run.set_id not in {task.set_id for task in prompt_sets.own_tasks}:
        raise JudgeAway(f"{run.set_id} is not installed where this worker runs")
    data = store.payload(run.file_sha256)

    def by(judge: RecordedJudge) -> Result:
        steps.step("reading the file")
        return evaluate_payload(
            data,
            run.file_name,
            edition=run.edition,
            names=run.names,
            choices=run.choices,
            prompt_sets=prompt_sets,
            judge=judge,
            embedder=scorer.embedder,
            references=references,
            run=run_uploads(store, run.id, run.set_id),
        )

    with stored_for(run.id):
        return scored_by_all(
            (scorer.judge, *panel),
            store if verdicts is None else verdicts,
            by,
            system_model=run.names.model,
            on_batch=on_batch,
            steps=steps,
            shown=prompt_sets.hidden_texts.withheld,
        )
