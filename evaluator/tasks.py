"""The measures: a room in `evaluator`, and one line here."""

from __future__ import annotations

from evaluator.behavior_alignment.task import BEHAVIOR_ALIGNMENT
from evaluator.consistency.task import CONSISTENCY
from evaluator.cultural.task import CULTURAL
from evaluator.own_tasks.task import OWN_TASK
from evaluator.personalization.task import PERSONALIZATION
from evaluator.personalized_evaluation.task import PERSONALIZED_EVALUATION
from evaluator.position_bias.task import POSITION_BIAS
from evaluator.robustness.task import ROBUSTNESS
from evaluator.task import Task

TASKS: tuple[Task, ...] = (
    ROBUSTNESS,
    CONSISTENCY,
    CULTURAL,
    POSITION_BIAS,
    PERSONALIZATION,
    PERSONALIZED_EVALUATION,
    BEHAVIOR_ALIGNMENT,
    OWN_TASK,
)
