"""MLflow's judges: traces with their assessments, and the `eval_results_table.json` of the older evaluation.

Source of the fields: mlflow 3.17.2, `entities/trace_info.py`, `entities/assessment.py` (`Feedback`),
`genai/scorers/aggregation.py` (how a value becomes a number) and `models/evaluation/default_evaluator.py`. Traces come
as a list or lines of `Trace.to_dict()`, as `mlflow traces search --output json`, or as the records of a data frame.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from evaluator.judge_logs.human_votes import PEOPLE
from evaluator.judge_logs.judgements import COPIES, Collector, Record, number
from evaluator.judge_logs.opened import Opened
from evaluator.judge_logs.rated_answers import RatedAnswer, RatingAdder
from submissions.reading.quoting import described, printable

_TRACE = frozenset(
    {
        *("info", "data", "trace", "trace_id", "client_request_id", "spans", "assessments", "request", "response"),
        *("request_preview", "response_preview", "request_time", "state", "status", "trace_location", "trace_metadata"),
        *("tags", "execution_duration", "execution_duration_ms", "execution_time_ms", "timestamp_ms", "request_id"),
        *("experiment_id", "request_metadata"),
    }
)
_ASSESSMENT = frozenset(
    {
        *("assessment_id", "assessment_name", "trace_id", "span_id", "run_id", "source", "create_time", "valid"),
        *("last_update_time", "feedback", "expectation", "rationale", "metadata", "error", "overrides"),
    }
)
_SCORE = "/score"
_COLUMNS = ("inputs", "question", "request", "outputs", "response", "predictions", "targets")
"""Of the table, what was asked, answered and expected, under the names that versions of MLflow give it."""
_YES_NO = {"yes": 1.0, "no": 0.0}
_JUDGE, _HUMAN = "LLM_JUDGE", "HUMAN"
_KEEP = "Keep the file as MLflow writes it."


def read(file: Opened, collector: Collector) -> None:
    """One rating per feedback of a trace, or per score of a table."""
    document = file.document if isinstance(file.document, dict) else {}
    if "columns" in document:
        _read_table(document, collector)
        return
    traces = file.records or list(_traces(document, collector))
    models = _models(trace for _, trace in traces)
    adder = RatingAdder(collector)
    for place, trace in traces:
        _read_trace(trace, models, adder, place)
    adder.finish()
    collector.note(
        "A rating is a feedback; yes and true are 1, no and false 0. The judge of a feedback by a model is the model "
        'with the name of the feedback, of a program its own name; feedback by people is that of one judge, "people".'
    )


def _traces(document: Record, collector: Collector) -> Iterator[tuple[str, Record]]:
    """The traces of a document, each once, or the one that it is."""
    listed = document.get("traces")
    if not isinstance(listed, list):
        yield "$", document
        return
    collector.count_unknown(document, frozenset({"traces", "next_page_token"}))
    for index, trace in enumerate(listed):
        place = f"$.traces[{index}]"
        if not isinstance(trace, dict):
            collector.refuse("wrong_root", place, f"the trace is {described(trace)}; expected an object", _KEEP)
        elif collector.is_copy(trace):
            collector.leave_out(COPIES, place)
        else:
            yield place, trace


def _assessments(trace: Record) -> list[Record]:
    info = trace.get("info")
    listed = trace.get("assessments", info.get("assessments") if isinstance(info, dict) else None)
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _models(traces: Iterator[Record]) -> dict[str, str]:
    """Name of a feedback -> the one model that gives it: MLflow writes a judge's error as that of a program."""
    models: dict[str, set[str]] = {}
    for trace in traces:
        for assessment in _assessments(trace):
            kind, model = _source(assessment)
            if kind == _JUDGE:
                models.setdefault(str(assessment.get("assessment_name")), set()).add(model)
    return {name: next(iter(named)) for name, named in models.items() if len(named) == 1}


def _source(assessment: Record) -> tuple[str, str]:
    source = assessment.get("source")
    source = source if isinstance(source, dict) else {}
    kind = "LLM_JUDGE" if source.get("source_type") == "AI_JUDGE" else str(source.get("source_type"))
    return kind, str(source.get("source_id") or "judge")


def _read_trace(trace: Record, models: Mapping[str, str], adder: RatingAdder, place: str) -> None:
    collector = adder.collector
    assessments = _assessments(trace)
    info = trace.get("info")
    info = info if isinstance(info, dict) else {}
    metadata = trace.get("trace_metadata", info.get("trace_metadata"))
    metadata = metadata if isinstance(metadata, dict) else {}
    asked = _text(_first(trace.get("request"), _span(trace, "mlflow.spanInputs"), info.get("request_preview")))
    answer = _text(_first(trace.get("response"), _span(trace, "mlflow.spanOutputs"), info.get("response_preview")))
    collector.count_unknown(trace, _TRACE)
    collector.count_unknown(info, _TRACE, "info.")
    if not assessments:
        collector.leave_out("traces without an assessment", place)
        return
    key = {"asked": asked or str(trace.get("trace_id", info.get("trace_id", "")))}
    question = collector.asked_text(key, "asked", place)
    if question is None:
        return
    system = metadata.get("mlflow.modelId")
    rated = RatedAnswer(question, system if isinstance(system, str) and system else "model", asked, answer)
    for index, assessment in enumerate(assessments):
        _read_assessment(assessment, models, rated, adder, f"{place}.assessments[{index}]")


def _read_assessment(
    assessment: Record, models: Mapping[str, str], rated: RatedAnswer, adder: RatingAdder, place: str
) -> None:
    collector = adder.collector
    collector.count_unknown(assessment, _ASSESSMENT, "assessment.")
    if "assessment_id" in assessment and collector.is_copy({"assessment_id": assessment["assessment_id"]}):
        collector.leave_out("assessments that stand in the file already", place)
        return
    name = collector.name(assessment, "assessment_name", place)
    feedback = assessment.get("feedback")
    if name is None or not isinstance(feedback, dict):
        return  # an expectation, which is what the answer is held against
    kind, source = _source(assessment)
    value = feedback.get("value")
    rating = _rating(value)
    if value is not None and rating is None:
        collector.leave_out(
            f"values of {printable(name)} that are no number, yes or no: {described(value)[:60]}", place
        )
        return
    if assessment.get("valid") is False and kind != _HUMAN:
        collector.note("Feedback of a judge that a person overrode counts as the judge gave it.")
    if value is None and kind == "CODE" and "error" in feedback:
        kind, source = (_JUDGE, models[name]) if name in models else (kind, source)
    judge = PEOPLE if kind == _HUMAN else f"{source} {name}" if kind == _JUDGE else name
    adder.add(judge, rated, rating, place)


def _rating(value: object) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value.strip().lower() in _YES_NO:
        return _YES_NO[value.strip().lower()]
    return None if isinstance(value, str) else number(value)


def _span(trace: Record, key: str) -> object:
    """An attribute of the outermost span, which is JSON in a text."""
    data = trace.get("data")
    spans = trace.get("spans", data.get("spans") if isinstance(data, dict) else None)
    first = spans[0] if isinstance(spans, list) and spans and isinstance(spans[0], dict) else {}
    attributes = first.get("attributes")
    value = attributes.get(key) if isinstance(attributes, dict) else None
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return value


def _first(*values: object) -> object:
    return next((value for value in values if value is not None), None)


def _text(value: object) -> str | None:
    """A text; of an object with one text in it, that; of any other value its JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        return only
    return json.dumps(value, ensure_ascii=False, default=str)


def _read_table(document: Record, collector: Collector) -> None:
    columns, data = document.get("columns"), document.get("data")
    if not isinstance(columns, list) or not isinstance(data, list):
        message = f"data is {described(data)}; expected a list of rows, as columns is one of names"
        collector.refuse("missing_field", "$.data", message, _KEEP)
        return
    adder = RatingAdder(collector)
    collector.count_unknown(document, frozenset({"columns", "data"}))
    collector.count_unknown(dict.fromkeys(filter(_is_unknown, map(str, columns))), frozenset())
    rows: list[Record] = []
    for index, cells in enumerate(data):
        place = f"$.data[{index}]"
        if not isinstance(cells, list) or len(cells) != len(columns):
            message = f"the row is {described(cells)}; expected {len(columns)} cells, as columns has"
            collector.refuse("row_shape", place, message, _KEEP)
            continue
        row = dict(zip(map(str, columns), cells, strict=True))
        rows.append(row)
        asked = _text(_first(row.get("inputs"), row.get("question"), row.get("request")))
        question = collector.asked_text({"inputs": asked or str(index)}, "inputs", place)
        if question is None:
            continue
        answer = _text(_first(row.get("outputs"), row.get("response"), row.get("predictions")))
        rated = RatedAnswer(question, "model", asked, answer, _text(row.get("targets")))
        for column in (name for name in row if name.endswith(_SCORE)):
            rating = _rating(row[column])
            if row[column] is not None and rating is None:
                collector.leave_out(f"values of {printable(column)} that are no number, yes or no", place)
            else:
                adder.add(column.removesuffix(_SCORE), rated, rating, place)
    adder.finish()
    collector.note_copies(rows)
    collector.note("The judge of a rating is the metric: the table does not say which model judged.")


def _is_unknown(column: str) -> bool:
    """Whether a column of the table is neither text nor what a metric wrote."""
    return column not in _COLUMNS and not column.endswith((_SCORE, "/justification"))
