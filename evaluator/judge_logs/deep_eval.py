"""DeepEval's test runs: `test_run_*.json` of a results folder, `.latest_run_full.json`, or `EvaluationResult` as JSON.

Source of the fields: deepeval 4.3.1, `test_run/test_run.py` (`TestRun`), `test_run/api.py` (`LLMApiTestCase`),
`tracing/api.py` (`MetricData`) and `evaluate/types.py` (`TestResult`). A score beside an error, null or 0, is no score.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.judge_logs.judgements import COPIES, Collector, Record, number
from evaluator.judge_logs.label_sample import Scale
from evaluator.judge_logs.opened import Opened
from evaluator.judge_logs.rated_answers import RatedAnswer, RatingAdder
from submissions.reading.quoting import described, printable

_TOP = frozenset(
    {
        *("testCases", "conversationalTestCases", "test_results", "metricsScores", "prompts", "hyperparameters"),
        *(
            "testPassed",
            "testFailed",
            "runDuration",
            "evaluationCost",
            "official",
            "identifier",
            "testFile",
            "configurations",
        ),
        *("datasetAlias", "datasetId", "traceMetricsScores", "confident_link", "test_run_id"),
    }
)
_CASE = frozenset(
    {
        *("name", "input", "actualOutput", "actual_output", "expectedOutput", "expected_output", "success", "flaky"),
        *("metricsData", "metrics_data", "context", "retrievalContext", "retrieval_context", "toolsCalled"),
        *("expectedTools", "tokenCost", "inputTokenCount", "outputTokenCount", "completionTime", "tags"),
        *("imagesMapping", "multimodal", "conversational", "turns", "scenario", "expectedOutcome", "userDescription"),
        *("runDuration", "evaluationCost", "order", "index", "metadata", "additional_metadata", "comments", "trace"),
        *("expectations", "classifications"),
    }
)
_LISTS = ("testCases", "conversationalTestCases", "test_results")
_KNOWN = frozenset({"name", "threshold", "success", "score", "reason", "strictMode", "strict_mode", "flaky"}) | {
    "evaluationModel",
    "evaluation_model",
    "error",
    "evaluationCost",
    "evaluation_cost",
    "inputTokenCount",
    "input_tokens",
    "outputTokenCount",
    "output_tokens",
    "verboseLogs",
    "verbose_logs",
    "expectationsData",
    "expectations_data",
}
_SCALE = Scale(0, 1)


def read(file: Opened, collector: Collector) -> None:
    """One rating per test case and metric; the judge is the model with its metric, or the metric where no model is."""
    document = file.document if isinstance(file.document, dict) else {}
    adder = RatingAdder(collector)
    collector.scale = _SCALE
    parameters = document.get("hyperparameters")
    model = parameters.get("model") if isinstance(parameters, dict) else None
    system = model if isinstance(model, str) and model.strip() else "model"
    collector.count_unknown(document, _TOP)
    for place, case in _cases(document, collector):
        collector.count_unknown(case, _CASE, "test case.")
        if collector.is_copy(case):
            collector.leave_out(COPIES, place)
            continue
        if isinstance(classified := case.get("classifications"), list) and classified:
            collector.leave_out("classifications, which are labels and no scores", place, len(classified))
        metrics = _either(case, "metricsData", "metrics_data")
        asked = _either(case, "input", "input")
        key = "input" if isinstance(asked, str) and asked.strip() else "name"
        question = collector.asked_text(case, key, place)
        if metrics is None:
            collector.leave_out("test cases without a metric", place)
            continue
        if not isinstance(metrics, list):
            message = f"metricsData is {described(metrics)}; expected a list"
            collector.refuse("missing_field", place, message, "Keep the file as DeepEval writes it.")
            continue
        if question is None:
            continue
        rated = RatedAnswer(
            question,
            system,
            asked,
            _either(case, "actualOutput", "actual_output"),
            _either(case, "expectedOutput", "expected_output"),
        )
        for index, metric in enumerate(metrics):
            _read_metric(metric, rated, adder, f"{place}.metrics[{index}]")
    adder.finish()
    collector.note(
        "The judge of a rating is the model that evaluated with the name of its metric; a metric without a model, such "
        "as Exact Match, is a program. A metric that ended with an error gave no score."
    )


def _cases(document: Record, collector: Collector) -> Iterator[tuple[str, Record]]:
    for key in _LISTS:
        listed = document.get(key)
        for index, case in enumerate(listed if isinstance(listed, list) else []):
            place = f"$.{key}[{index}]"
            if isinstance(case, dict):
                yield place, case
            else:
                message = f"the test case is {described(case)}; expected an object"
                collector.refuse("wrong_root", place, message, "Keep the file as DeepEval writes it.")


def _read_metric(metric: object, rated: RatedAnswer, adder: RatingAdder, place: str) -> None:
    collector = adder.collector
    name = collector.name(metric, "name", place) if isinstance(metric, dict) else None
    if not isinstance(metric, dict) or name is None:
        if not isinstance(metric, dict):
            message = f"the metric is {described(metric)}; expected an object"
            collector.refuse("wrong_root", place, message, "Keep the file as DeepEval writes it.")
        return
    collector.count_unknown(metric, _KNOWN, "metric.")
    score, model = metric.get("score"), _either(metric, "evaluationModel", "evaluation_model")
    rating = number(score)
    if score is not None and rating is None:
        message = f"the score of {printable(name)} is {described(score)}; expected a number or null"
        collector.refuse("missing_field", place, message, "Keep the file as DeepEval writes it.")
        return
    if metric.get("error"):
        rating = None
    adder.add(f"{model} {name}" if isinstance(model, str) and model else name, rated, rating, place)


def _either(record: Record, key: str, other: str) -> object:
    """A value under the key of a test run, or of an evaluation result."""
    return record.get(key, record.get(other))
