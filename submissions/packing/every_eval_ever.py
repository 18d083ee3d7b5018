"""Samples of Every Eval Ever as rows of answers (every_eval_ever 0.3.0, `instance_level_eval.schema.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def is_sample(row: Mapping[str, object]) -> bool:
    """Return whether an object is a line of `UUID_samples.jsonl`.

    >>> is_sample({"evaluation_id": "e", "sample_id": "1-1", "evaluation": {}}), is_sample({"id": "1-1"})
    (True, False)
    """
    return isinstance(row.get("evaluation_id"), str) and "sample_id" in row and "evaluation" in row


@dataclass(slots=True)
class EvaluatedSamples:
    """The samples of one file: a sample stands there once for each metric, and is one answer."""

    _seen: set[str] = field(default_factory=set)

    def row(self, sample: Mapping[str, object]) -> dict[str, object] | None:
        """Return a sample as a row with id, prompt, model and answer; None where it has none, or stood there before.

        >>> said = {"input": {"raw": "Why?", "reference": []}, "output": {"raw": ["So."]}}
        >>> sample = {"evaluation_id": "e", "model_id": "a/b", "sample_id": "1-1", "evaluation": {}, **said}
        >>> EvaluatedSamples().row(sample)
        {'id': '1-1', 'model': 'a/b', 'answer': 'So.', 'prompt': 'Why?'}
        """
        answer = _answer(sample)
        key = repr((sample.get("evaluation_id"), sample["sample_id"], answer))
        if not answer or key in self._seen:
            return None
        self._seen.add(key)
        row = {"id": sample["sample_id"], "model": sample.get("model_id"), "answer": answer}
        asked = sample.get("input")
        if isinstance(asked, dict) and asked.get("raw"):
            row["prompt"] = asked["raw"]
        return row


def _answer(sample: Mapping[str, object]) -> object:
    """Return the output of one turn, a list of several, or what the assistant said last; None where there is none."""
    output = sample.get("output")
    if isinstance(output, dict):
        outputs = output.get("raw")
        return outputs[0] if isinstance(outputs, list) and len(outputs) == 1 else outputs
    messages = sample.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "assistant":
            return message.get("content")
    return None
