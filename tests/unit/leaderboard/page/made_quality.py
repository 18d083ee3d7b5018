"""Measurements of judges by the real figures, on pairs made on the spot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import JudgeQuality, measure, scored_labelled
from evaluator.judge_quality.people_measurement import same_answer_figures
from evaluator.judge_quality.people_values import MeasuredFile, PeopleFigures, PeopleQuality, Sample
from evaluator.judge_quality.trials import measure_fully
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
from evaluator.results import Pin


def labelled(grade: int, number: int) -> LabelledPair:
    """A pair of two words an answer, one of them shared."""
    return LabelledPair(
        id=f"{number:02}",
        topic=f"topic {number % 6}",
        split="test",
        category="paraphrase" if grade >= 3 else "negation",
        prompt_a="?",
        prompt_b="?",
        a=f"yes {number:02}",
        b=f"no {number:02}",
        grade=grade,
    )


PAIRS = tuple(labelled(5 if number < 6 else 0, number) for number in range(12))
"""Six pairs of grade 5, then six of grade 0, one of each in every topic."""


def grade_of(request: JudgeRequest) -> float:
    """The grade itself: what a perfect judge says."""
    return 5.0 if int(request.fields["answer_a"].split()[1]) < 6 else 0.0


def tried_quality(
    judge: Pin, script: Callable[[JudgeRequest], float | None], pairs: Sequence[LabelledPair] = PAIRS
) -> JudgeQuality:
    """What a script reaches on pairs and in all trials, under the name of a judge; people label the same pairs."""
    found, _ = measure_fully(ScriptedJudge(script), pairs)
    return found.model_copy(update={"judge": judge, "people": made_people(judge, script, pairs)})


def made_people(
    judge: Pin, script: Callable[[JudgeRequest], float | None] = grade_of, pairs: Sequence[LabelledPair] = PAIRS
) -> PeopleQuality:
    """The agreement of a script with people who see the grades as we do, topics being questions; and of one baseline.

    The baseline scores every pair alike: AUC 0.5.
    """
    scores = [row.score for row in scored_labelled(ScriptedJudge(script), pairs)]
    figures, by_question = same_answer_figures(scores, pairs)
    guessing, _ = same_answer_figures([1.0] * len(pairs), pairs)
    return PeopleQuality(
        judge=judge,
        measured_on=(MeasuredFile(name="same_answer_nq.jsonl.gz", sha256="0" * 64, rows=len(pairs), faults=0),),
        sample=Sample(),
        figures=PeopleFigures(same_answer=figures),
        by_question=by_question,
        baselines={"new_words": PeopleFigures(same_answer=guessing)},
    )


def measured_quality(
    judge: Pin, script: Callable[[JudgeRequest], float | None] = grade_of, *, measured_on: str = ""
) -> JudgeQuality:
    """What a script reaches on `PAIRS`, under the name of a judge.

    Args:
        measured_on: blank = these pairs.
    """
    found = measure(ScriptedJudge(script), PAIRS)
    return found.model_copy(update={"judge": judge, "measured_on": measured_on or found.measured_on})
