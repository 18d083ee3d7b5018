"""lm-evaluation-harness' `samples_TASK_DATE.jsonl`: the score of each metric for each document and filter.

Source of the fields: lm_eval 0.4.13, `evaluator.py` (`evaluate`) and `loggers/evaluation_tracker.py`
(`save_results_samples`). A metric may be a program or a model that judges: the file does not tell them apart.
"""

from __future__ import annotations

from evaluator.judge_logs.judgements import Collector, Record, number
from evaluator.judge_logs.opened import Opened
from evaluator.judge_logs.rated_answers import RatedAnswer, RatingAdder, first_text
from submissions.reading.quoting import described, printable

_KNOWN = frozenset(
    {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    }
)
_SYSTEM = "model"
MAX_METRICS = 100


def read(file: Opened, collector: Collector) -> None:
    """One rating per document, filter and metric; the judge is the metric with its filter, as results name it."""
    adder = RatingAdder(collector)
    documents: dict[str, object] = {}
    for place, record in file.records:
        doc_id = collector.name(record, "doc_id", place)
        metrics = _metrics(record)
        if metrics is None:
            message = f"metrics is {described(record.get('metrics'))}; expected a list of at most {MAX_METRICS} names"
            collector.refuse("missing_field", place, message, "Keep the lines as --log_samples writes them.")
        if doc_id is None or metrics is None:
            continue
        collector.count_unknown(record, _KNOWN.union(metrics))
        doc_hash = record.get("doc_hash")
        is_other = documents.setdefault(doc_id, doc_hash) != doc_hash
        question = f"{doc_id} ({str(doc_hash)[:8]})" if is_other else doc_id
        resps = record.get("resps")
        answer = first_text(resps if isinstance(resps, list) and not _is_likelihoods(record) else [])
        rated = RatedAnswer(question, _SYSTEM, _prompt(record), answer, record.get("target"))
        for metric in metrics:
            value = record.get(metric)
            rating = float(value) if isinstance(value, bool) else number(value)
            if rating is None and metric in record and value is not None and not _is_nan(value):
                collector.leave_out(
                    f"values of {printable(metric)} that are no single number: the harness makes its figure of all of "
                    "them together",
                    place,
                )
                continue
            adder.add(f"{metric},{record.get('filter', 'none')}", rated, rating, place)
    adder.finish()
    collector.note(
        "The judge of a rating is the metric with its filter, as the harness' results name it; the file does not say "
        "whether a program or a model scored, nor which model answered."
    )


def _metrics(record: Record) -> list[str] | None:
    """Names of the metrics of a line; those of before 0.4.4 do not list them."""
    listed = record.get("metrics")
    if listed is None:
        listed = [key for key, value in record.items() if key not in _KNOWN and isinstance(value, (int, float))]
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed) or len(listed) > MAX_METRICS:
        return None
    return list(dict.fromkeys(listed))


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and value != value


def _is_likelihoods(record: Record) -> bool:
    """Whether the answers are the likelihoods of choices, which are no text."""
    filtered = record.get("filtered_resps")
    return isinstance(filtered, list) and any(isinstance(part, list) and len(part) == 2 for part in filtered)


def _prompt(record: Record) -> str | None:
    """What the model was given first."""
    arguments = record.get("arguments")
    first = next(iter(arguments.values()), None) if isinstance(arguments, dict) else arguments
    values = list(first.values()) if isinstance(first, dict) else first
    return first_text(values[:1] if isinstance(values, list) else [])
