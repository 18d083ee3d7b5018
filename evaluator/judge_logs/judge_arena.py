"""JudgeArena's annotations (Parquet or CSV): the judge's reply to each pair, in the order shown.

Source of the fields: OpenEuroLLM/JudgeArena, `judgearena/generate_and_evaluate.py`, which writes a CSV, and
`evaluate.py` (`JudgeAnnotation`). The reply gives both answers a score; the higher wins.
"""

from __future__ import annotations

import re

from evaluator.judge_logs.judgements import Collector, Judgement, length
from evaluator.judge_logs.label_sample import texts_of
from evaluator.judge_logs.opened import Opened
from submissions.verdicts.swap_outcomes import Verdict
from submissions.verdicts.thoughts import without_thoughts

_KNOWN = frozenset(
    {
        "instruction",
        "completion_A",
        "completion_B",
        "judge_completion",
        "judge_input",
        "instruction_index",
        "model_A",
        "model_B",
        "judge",
    }
)
_SCORED = tuple(re.compile(rf'{letter}[": *\n]*(-?\d+)') for letter in "ab")


def read(file: Opened, collector: Collector) -> None:
    """One comparison per row; model_A was shown first, in the reversed rows as well."""
    for place, record in file.records:
        collector.count_unknown(record, _KNOWN)
        key = "instruction_index" if "instruction_index" in record else "instruction"
        question = (collector.name if key == "instruction_index" else collector.asked_text)(record, key, place)
        judge = collector.name(record, "judge", place) if "judge" in record else "judge"
        first, second = collector.name(record, "model_A", place), collector.name(record, "model_B", place)
        if question is None or judge is None or first is None or second is None:
            continue
        repetition = collector.repetition(judge, question, "", (first, second), place)
        if repetition is None:
            continue
        collector.add(
            Judgement(
                judge=judge,
                question=question,
                systems=(first, second),
                verdict=verdict_of(record.get("judge_completion")),
                repetition=repetition,
                lengths=(length(record.get("completion_A")), length(record.get("completion_B"))),
                place=place,
            ),
            texts_of(record.get("instruction"), record.get("completion_A"), record.get("completion_B")),
        )
    collector.note(
        "A verdict is read from the two scores in the judge's reply as JudgeArena reads them, as whole numbers: 7.5 "
        "counts as 7; a reply without both is unusable. Where thoughts are closed, only what follows them is read, and "
        "thoughts that never end make a reply unusable; JudgeArena would read a score out of those."
    )


def verdict_of(reply: object) -> Verdict:
    """The verdict that the two scores of a reply state; N where either is missing.

    >>> verdict_of("score_A: 3, score_B: 7"), verdict_of("Score A: 5 Score B: 5"), verdict_of("both are fine")
    ('B', 'C', 'N')
    """
    if not isinstance(reply, str):
        return "N"
    said = without_thoughts(reply)
    if said is None:
        return "N"
    first, second = (_score(said.lower(), pattern) for pattern in _SCORED)
    if first is None or second is None:
        return "N"
    return "C" if first == second else "A" if first > second else "B"


def _score(reply: str, pattern: re.Pattern[str]) -> float | None:
    """The whole number behind a place's letter that stands behind `score` in one line; the first such.

    What JudgeArena's `score.*?a[": *\\n]*(-?\\d+)` finds, which on a hostile reply takes time with the square of its
    length; here a reply is read once.
    """
    match, line = None, 0
    while (score := reply.find("score", line)) >= 0:
        behind = score + len("score")
        if match is None or match.start() < behind:
            match = pattern.search(reply, behind)
        if match is None:
            return None
        end = reply.find("\n", behind)
        if end < 0 or match.start() < end:
            return float(match.group(1))
        line = end
    return None
