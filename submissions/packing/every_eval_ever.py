"""Samples of Every Eval Ever as rows of answers (every_eval_ever 0.3.0, `instance_level_eval.schema.json`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from submissions.findings import Findings
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import ABSENT

_NAMES = ("evaluation_id", "model_id", "sample_id")
"""What every line says in words that are not blank."""
_SCHEMA = "See instance_level_eval.schema.json of every_eval_ever 0.3.0; `every_eval_ever validate` checks whole files."


def is_sample(row: Mapping[str, object]) -> bool:
    """Return whether an object is a line of `UUID_samples.jsonl`.

    >>> is_sample({"evaluation_id": "e", "sample_id": "1-1", "evaluation": {}}), is_sample({"id": "1-1"})
    (True, False)
    """
    return isinstance(row.get("evaluation_id"), str) and "sample_id" in row and "evaluation" in row


@dataclass(slots=True)
class SamplesRead:
    """What the lines of one file hold."""

    lines: int = 0
    samples: set[tuple[str, str]] = field(default_factory=set)
    """Evaluation and sample."""
    models: set[str] = field(default_factory=set)
    metrics: set[str] = field(default_factory=set)
    scored: int = 0
    """Lines with a score; one that states an error instead is none."""
    answered: set[tuple[str, str]] = field(default_factory=set)
    unread: int = 0
    """Lines with a fault."""

    @property
    def words(self) -> str:
        """What was read, and what was not.

        >>> read = SamplesRead(2, {("e", "1"), ("e", "2")}, {"a/b"}, {"em"}, scored=1)
        >>> read.words
        '2 lines: 2 samples of 1 model under 1 metric, 1 line with a score, 0 samples with an answer'
        """
        counts = (
            f"{_counted(self.lines, 'line')}: {_counted(len(self.samples), 'sample')} of "
            f"{_counted(len(self.models), 'model')} under {_counted(len(self.metrics), 'metric')}, "
            f"{_counted(self.scored, 'line')} with a score, {_counted(len(self.answered), 'sample')} with an answer"
        )
        return counts + (f"; {_counted(self.unread, 'line')} not read" if self.unread else "")


def read_samples(rows: Iterable[tuple[str, object]], findings: Findings) -> SamplesRead:
    """Read the samples of one file as its schema has them.

    Args:
        rows: Place and value of each line; ABSENT where it is no JSON, which is told elsewhere.
        findings: Takes every field that is absent or of the wrong type, and lines that stand twice.
    """
    read = SamplesRead()
    first_places: dict[tuple[str, str, str], str] = {}
    for place, row in rows:
        read.lines += 1
        faults = [] if row is ABSENT else list(_faults(row))
        for fault in faults:
            findings.add("missing_field", place, fault, _SCHEMA)
        if faults or not isinstance(row, dict):
            read.unread += 1
            continue
        evaluation, sample, metric = row["evaluation_id"], row["sample_id"], _metric(row)
        # Some tools number samples anew in each part of a benchmark: the hash tells them apart.
        key = (evaluation, metric, f"{sample} {row.get('sample_hash')}")
        first = first_places.setdefault(key, place)
        if first != place:
            read.unread += 1
            message = f"sample {quoted(sample)} stands under this metric already, at {first}; its first line is read"
            findings.add("duplicate_row", place, message, "Keep one line for each sample and metric.")
            continue
        read.samples.add((evaluation, sample))
        read.models.add(row["model_id"])
        read.metrics.add(metric)
        read.scored += not row.get("error")
        if _answer(row):
            read.answered.add((evaluation, sample))
    return read


def _faults(row: object) -> Iterable[str]:
    """Yield what a line lacks."""
    if not isinstance(row, dict):
        yield f"the line is {described(row)}; expected an object"
        return
    for key in _NAMES:
        if not isinstance(row.get(key), str) or not row[key].strip():
            yield f"{key} is {_shown(row, key)}; expected a text"
    if not _metric(row):
        yield "neither evaluation_result_id nor evaluation_name is stated; expected the metric's name"
    evaluation = row.get("evaluation")
    score = evaluation.get("score") if isinstance(evaluation, dict) else None
    if not row.get("error") and (isinstance(score, bool) or not isinstance(score, int | float)):
        shown = _shown(evaluation, "score") if isinstance(evaluation, dict) else "absent"
        yield f"evaluation.score is {shown}; expected a number, or the reason in error"


def _shown(row: Mapping[str, object], key: str) -> str:
    return described(row[key]) if key in row else "absent"


def _metric(row: Mapping[str, object]) -> str:
    stated = (row.get(key) for key in ("evaluation_result_id", "evaluation_name"))
    return next((name for name in stated if isinstance(name, str) and name.strip()), "")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


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
