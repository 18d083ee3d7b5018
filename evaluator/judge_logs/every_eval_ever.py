"""Samples of Every Eval Ever, `UUID_samples.jsonl`: what each metric gave each sample.

Source of the fields: every_eval_ever 0.3.0, `schemas/instance_level_eval.schema.json`. A metric may be a program or a
model that judges: the record beside the samples says which, the samples do not.
"""

from __future__ import annotations

from evaluator.judge_logs.judgements import Collector, Record, number
from evaluator.judge_logs.opened import Opened
from evaluator.judge_logs.rated_answers import RatedAnswer, RatingAdder, first_text
from submissions.reading.quoting import described

_KNOWN = frozenset(
    {
        "schema_version",
        "evaluation_id",
        "model_id",
        "evaluation_name",
        "evaluation_result_id",
        "sample_id",
        "sample_hash",
        "interaction_type",
        "input",
        "output",
        "messages",
        "answer_attribution",
        "evaluation",
        "token_usage",
        "performance",
        "error",
        "metadata",
    }
)


def read(file: Opened, collector: Collector) -> None:
    """One rating per line; the judge is the metric, and a sample that ended with an error has no usable reply."""
    adder = RatingAdder(collector)
    hashes: dict[tuple[str, str], object] = {}
    for place, record in file.records:
        collector.count_unknown(record, _KNOWN)
        sample = collector.name(record, "sample_id", place)
        system = collector.name(record, "model_id", place)
        key = "evaluation_result_id" if record.get("evaluation_result_id") is not None else "evaluation_name"
        metric = collector.name(record, key, place)
        is_error = record.get("error") not in (None, "")
        score = number(_part(record, "evaluation").get("score"))
        if score is None and not is_error:
            evaluation = _part(record, "evaluation")
            shown = described(evaluation["score"]) if "score" in evaluation else "absent"
            message = f"evaluation.score is {shown}; expected a number"
            collector.refuse("missing_field", place, message, "Leave out samples without a score, or state the error.")
            continue
        if sample is None or system is None or metric is None:
            continue
        stated = record.get("sample_hash")
        is_other = hashes.setdefault((metric, sample), stated) != stated
        question = f"{sample} ({str(stated)[:8]})" if is_other else sample
        asked = _part(record, "input")
        reference = asked.get("reference")
        criterion = first_text(reference) if isinstance(reference, list) else None
        rated = RatedAnswer(question, system, asked.get("raw") or None, _answer(record), criterion)
        adder.add(metric, rated, None if is_error else score, place)
    adder.finish()
    collector.note(
        "The judge of a rating is the metric, as the samples name it: whether a program or a model scored, stands in "
        "the record beside them."
    )


def _part(record: Record, key: str) -> Record:
    part = record.get(key)
    return part if isinstance(part, dict) else {}


def _answer(record: Record) -> str | None:
    """Return the outputs of one turn, or the last text of the assistant in several; None where there is none."""
    outputs = _part(record, "output").get("raw")
    if isinstance(outputs, list):
        return "\n\n".join(text for text in outputs if isinstance(text, str)) or None
    messages = record.get("messages")
    said = (
        message.get("content")
        for message in reversed(messages if isinstance(messages, list) else [])
        if isinstance(message, dict) and message.get("role") == "assistant"
    )
    return first_text(said)
