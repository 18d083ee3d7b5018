"""What the house itself enters: the null rows of every board, and our example systems on the demonstration board."""

from __future__ import annotations

import logging

from evaluator.baselines import null_submissions
from evaluator.results import RobustnessResult
from submissions.desk import HOUSE_OWNER, Desk
from submissions.promptsets import example_submissions
from submissions.store import Store

logger = logging.getLogger(__name__)


def open_house(desk: Desk, store: Store, *, demonstration: bool) -> None:
    """Queues what a board needs before anyone comes; what is there already is not entered twice.

    Null rows go to every prompt set whose prompts are at hand. Submissions that were scored without prompts are
    judged again once the prompts are here (their stored verdicts cost nothing).
    """
    for prompt_set in (desk.prompt_sets.eloquent_2024, desk.prompt_sets.demonstration):
        if prompt_set.has_prompts:
            for null in null_submissions(prompt_set):
                desk.submit(null.data, null.file_name, owner=HOUSE_OWNER, names=null.names, role="baseline")
    if demonstration:
        for file_name, data in example_submissions():
            desk.submit(data, file_name, owner=HOUSE_OWNER, role="example")
    _judge_again_with_prompts(desk, store)


def _judge_again_with_prompts(desk: Desk, store: Store) -> None:
    sets = {one.set_id for one in (desk.prompt_sets.eloquent_2024, desk.prompt_sets.demonstration)}
    for ticket, payload in store.results():
        if ticket.set_id not in sets:
            continue  # another board's result
        used = RobustnessResult.model_validate_json(payload).prompt_set
        if used.sha256 is None and desk.prompt_sets.by_id(used.set_id).has_prompts:
            store.requeue(ticket.id, "judged again: the official prompts are at hand now")
