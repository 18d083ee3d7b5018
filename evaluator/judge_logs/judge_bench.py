"""JudgeBench's outputs (`run_judge.py`): pairs with an objective label, asked in both orders.

Source of the fields: ScalerLab/JudgeBench, `run_judge.py`, `utils/judges.py` and `utils/metrics.py`; the second
decision names the places of the exchanged order. `judge_name` is the method, `judgment.judge_model` the model.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.judge_logs.judgements import NAME_CHARACTERS, Collector, Judgement, Record, length
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
    methods = _methods([record for _, record in file.records])
    for place, record in file.records:
        collector.count_unknown(record, _KNOWN)
        question, method = collector.name(record, "pair_id", place), collector.name(record, "judge_name", place)
        judgments, label = record.get("judgments"), record.get("label")
        if not isinstance(judgments, list) or not 1 <= len(judgments) <= 2:
            message = f"judgments is {described(judgments)}; expected a list of one or two"
            collector.refuse("missing_field", place, message, "The first is of A before B, the second of B before A.")
            continue
        gold = _DECISIONS.get(label) if isinstance(label, str) else None
        if gold is None:
            message = f"label is {described(label)}; expected A>B or B>A"
            collector.refuse("bad_verdict", place, message, "Keep the label of the pair.")
        if question is None or method is None or gold is None:
            continue
        if (judge := _judge(record, method, methods)) is None:
            what = f"pairs that failed in every order, of which the log does not say which model judged by {method}"
            collector.leave_out(what, place)
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


def _models(record: Record) -> set[str]:
    """The models whose replies a pair holds."""
    judgments = record.get("judgments")
    asked = [known for known in judgments if isinstance(known, dict)] if isinstance(judgments, list) else []
    replies = (known.get("judgment") for known in asked)
    models = [reply.get("judge_model") for reply in replies if isinstance(reply, dict)]
    return {model.strip() for model in models if isinstance(model, str) and model.strip()}


def _methods(records: Sequence[Record]) -> dict[str, set[str]]:
    """Model -> the methods it judges by in this file."""
    methods: dict[str, set[str]] = {}
    for record in records:
        for model in _models(record):
            methods.setdefault(model, set()).add(str(record.get("judge_name")))
    return methods


def _judge(record: Record, method: str, methods: dict[str, set[str]]) -> str | None:
    """The model, with its method where it judges by several; None where the file leaves open which of several it is."""
    models = _models(record) or {model for model, used in methods.items() if record.get("judge_name") in used}
    if len(models) > 1:
        return None
    if not models:
        return method
    model = next(iter(models))
    return (model if len(methods[model]) == 1 else f"{model} {method}")[:NAME_CHARACTERS]


def _decision(judgment: object) -> Verdict:
    """What one judgment decided; a call that failed or a reply without a decision is unusable."""
    decision = judgment.get("decision") if isinstance(judgment, dict) else None
    return _DECISIONS.get(decision.replace(">>", ">").strip(), "N") if isinstance(decision, str) else "N"
