"""RewardBench's result files (`eval-set-scores`): did the model prefer the chosen answer to the rejected one?

Source of the fields: allenai/reward-bench, `scripts/run_rm.py` and `run_generative.py`. Columns stand as lists of equal
length; `results` is 1 where the chosen answer won, 0 where it lost, 0.5 for a tie. The label is part of the data, so
such a file brings its own: "chosen" is right.
"""

from __future__ import annotations

from evaluator.judge_logs.judgements import Collector, Judgement, length, number
from evaluator.judge_logs.label_sample import texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described
from submissions.verdicts.swap_outcomes import Verdict

_COLUMNS = ("id", "subset", "text_chosen", "text_rejected", "results", "scores_chosen", "scores_rejected")
_KNOWN = frozenset({*_COLUMNS, "model", "model_type", "chat_template", "ref_model"})
_VERDICTS: dict[float, Verdict] = {1.0: "A", 0.0: "B", 0.5: "C"}
CANDIDATES = ("chosen", "rejected")


def recognises(file: Opened) -> bool:
    """An object of lists with results by subset, or such rows."""
    return {"results", "subset"} <= file.first_keys or {"results", "text_chosen"} <= file.first_keys


def read(file: Opened, collector: Collector) -> None:
    """One comparison per result; the order shown is not in the file."""
    document = file.document if isinstance(file.document, dict) else {}
    if file.records:
        rows = [(place, dict(record)) for place, record in file.records]
        for place, row in rows:
            collector.count_unknown(row, _KNOWN)
            _read_row(row, collector, place, row.get("model"))
    else:
        collector.count_unknown(document, _KNOWN)
        _read_columns(document, collector)
    collector.note("RewardBench files say which answer is right, and not which was shown first.")


def _read_columns(document: dict[str, object], collector: Collector) -> None:
    results = document.get("results")
    if not isinstance(results, list):
        message = f"results is {described(results)}; expected a list of 1, 0 and 0.5"
        collector.refuse("missing_field", "$.results", message, "Send the file of eval-set-scores, not the summary.")
        return
    columns = {}
    for key in _COLUMNS:
        column = document.get(key)
        if isinstance(column, list) and len(column) == len(results):
            columns[key] = column
        elif column is not None:
            message = f"{key} is {described(column)}; expected a list of {len(results):,} values, as results has"
            collector.refuse("missing_field", f"$.{key}", message, "Keep the columns equally long.")
    for index in range(len(results)):
        row = {key: column[index] for key, column in columns.items()}
        _read_row({"id": index, **row}, collector, f"$.results[{index}]", document.get("model"))


def _read_row(row: dict[str, object], collector: Collector, place: str, model: object) -> None:
    stated = row.get("results")
    result = number(stated)
    if result not in _VERDICTS:
        message = f"results is {described(stated)}; expected 1, 0 or 0.5"
        collector.refuse("bad_verdict", place, message, "1 = the chosen answer won.")
        return
    judge, question = collector.name({"model": model}, "model", place), collector.name(row, "id", place)
    if judge is None or question is None:
        return
    item = str(row.get("subset") or "")[:200]
    repetition = collector.repetition(judge, question, item, CANDIDATES, place)
    if repetition is None:
        return
    collector.add(
        Judgement(
            judge=judge,
            question=f"{item} {question}".strip(),
            item=item,
            systems=CANDIDATES,
            verdict=_VERDICTS[result],
            repetition=repetition,
            order_known=False,
            lengths=(length(row.get("text_chosen")), length(row.get("text_rejected"))),
            gold="A",
            place=place,
        ),
        texts_of(None, row.get("text_chosen"), row.get("text_rejected")),  # its texts begin with the prompt
    )
