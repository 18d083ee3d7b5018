"""JudgeBench's outputs (`run_judge.py`): pairs with an objective label, asked in both orders.

Source of the fields: ScalerLab/JudgeBench, `run_judge.py` and `utils/metrics.py`; the second decision names the places
of the exchanged order.
"""

from __future__ import annotations

from evaluator.judge_logs.judgements import Collector, Judgement, length
from evaluator.judge_logs.label_sample import texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described
from submissions.verdicts.swap_outcomes import Verdict

_KNOWN = frozenset(
    {
        "pair_id",
        "original_id",
        "source",
        "question",
        "response_model",
        "response_A",
        "response_B",
        "label",
        "judge_name",
        "judgments",
    }
)
_DECISIONS: dict[str, Verdict] = {"A>B": "A", "B>A": "B", "A=B": "C"}
_EXCHANGED: dict[Verdict, Verdict] = {"A": "B", "B": "A", "C": "C", "N": "N"}
_ORDERS = ("response_A", "response_B"), ("response_B", "response_A")


def read(file: Opened, collector: Collector) -> None:
    """One comparison per judgment."""
    for place, record in file.records:
        collector.count_unknown(record, _KNOWN)
        question, judge = collector.name(record, "pair_id", place), collector.name(record, "judge_name", place)
        judgments, label = record.get("judgments"), record.get("label")
        if not isinstance(judgments, list) or not 1 <= len(judgments) <= 2:
            message = f"judgments is {described(judgments)}; expected a list of one or two"
            collector.refuse("missing_field", place, message, "The first is of A before B, the second of B before A.")
            continue
        gold = _DECISIONS.get(label) if isinstance(label, str) else None
        if gold is None:
            message = f"label is {described(label)}; expected A>B or B>A"
            collector.refuse("bad_verdict", place, message, "Keep the label of the pair.")
        if question is None or judge is None or gold is None:
            continue
        for systems, judgment in zip(_ORDERS, judgments, strict=False):
            is_exchanged = systems is _ORDERS[1]
            repetition = collector.repetition(judge, question, "", systems, place)
            if repetition is None:
                continue
            collector.add(
                Judgement(
                    judge=judge,
                    question=question,
                    systems=systems,
                    verdict=_decision(judgment),
                    repetition=repetition,
                    lengths=tuple(length(record.get(key)) for key in systems),
                    gold=_EXCHANGED[gold] if is_exchanged else gold,
                    place=place,
                ),
                texts_of(record.get("question"), *(record.get(key) for key in systems)),
            )
    collector.note(
        "Both answers of a JudgeBench pair are by one model; they are called response_A and response_B here."
    )


def _decision(judgment: object) -> Verdict:
    """What one judgment decided; a call that failed or a reply without a decision is unusable."""
    decision = judgment.get("decision") if isinstance(judgment, dict) else None
    return _DECISIONS.get(decision, "N") if isinstance(decision, str) else "N"
