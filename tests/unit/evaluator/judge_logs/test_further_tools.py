"""Files that lm-evaluation-harness, DeepEval and MLflow wrote give the figures that they print of them.

How the files were made: tests/data/judge_logs/README.md. LLMBar's files: tests/golden/test_llm_bar.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.judge_logs.judgements import JudgementLog
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.report import log_report

DATA = Path(__file__).parents[3] / "data" / "judge_logs"


def log_of(name: str, data: bytes | None = None) -> JudgementLog:
    reading = read_log(data if data is not None else (DATA / name).read_bytes(), Path(name).name)
    assert reading.log is not None, reading.findings.problems
    return reading.log


def means(log: JudgementLog) -> dict[str, float]:
    """Judge -> mean of its usable ratings."""
    found: dict[str, list[float]] = {}
    for one in log.judgements:
        if one.rating is not None:
            found.setdefault(one.judge, []).append(one.rating)
    return {judge: sum(ratings) / len(ratings) for judge, ratings in found.items()}


def lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.mark.parametrize("task", ["counting", "plain_choice"])
def test_means_are_those_that_the_harness_prints(task: str) -> None:
    printed = json.loads((DATA / "printed_by_lm_eval" / "results.json").read_bytes())["results"][task]
    figures = means(log_of(f"printed_by_lm_eval/samples_{task}.jsonl"))
    named = {key: value for key, value in printed.items() if "," in key and "_stderr" not in key and "f1" not in key}
    assert figures == pytest.approx(named)


def test_a_metric_over_all_documents_is_counted_as_left_out() -> None:
    log = log_of("printed_by_lm_eval/samples_plain_choice.jsonl")
    [unread] = log.unread
    assert (unread.count, unread.first) == (6, "samples_plain_choice.jsonl:1")
    assert unread.what.startswith("values of f1 that are no single number")
    assert log.unknown_columns == {}


def test_the_report_of_a_sample_file_says_the_mean_of_the_judge() -> None:
    report = log_report(log_of("printed_by_lm_eval/samples_counting.jsonl"), "samples_counting.jsonl")
    of_judge = {judge.judge: judge for judge in report.judges}
    figures = {figure.key: figure.value for figure in of_judge["judge_score,flexible-extract"].figures}
    # 8, 14, 6, 90 and 12 are right, 5, "Seven" and 8 are not: 5 of 8.
    assert figures["mean_rating"] == 0.625


@pytest.mark.parametrize("name", ["test_run.json", "evaluation_result.json"])
def test_means_are_those_that_deepeval_prints_and_an_error_is_no_score(name: str) -> None:
    log = log_of(f"printed_by_deep_eval/{name}")
    printed = dict(
        line.rsplit(" ", 1) for line in (DATA / "printed_by_deep_eval/averages.txt").read_text().splitlines()
    )
    figures = means(log)
    assert {judge.removeprefix("local-judge "): f"{mean:.2f}" for judge, mean in figures.items()} == printed
    assert [one.place for one in log.judgements if one.rating is None] == [
        f"$.{'testCases' if name == 'test_run.json' else 'test_results'}[3].metrics[{metric}]" for metric in (0, 1)
    ]
    assert log.unknown_columns == {}


@pytest.mark.parametrize("form", ["list", "lines", "command", "frame"])
def test_means_are_those_that_mlflow_prints_in_each_form_of_its_traces(form: str) -> None:
    traces = json.loads((DATA / "printed_by_mlflow" / "traces.json").read_bytes())
    made = {
        "list": json.dumps(traces).encode(),
        "lines": lines(*traces),
        "command": json.dumps({"traces": traces, "next_page_token": None}, indent=2).encode(),
        "frame": json.dumps([{"trace_id": t["info"]["trace_id"], "spans": [], **t["info"]} for t in traces]).encode(),
    }
    log = log_of("traces.jsonl" if form == "lines" else "traces.json", made[form])
    printed = json.loads((DATA / "printed_by_mlflow" / "metrics.json").read_bytes())
    figures = {judge.split(" ")[-1]: mean for judge, mean in means(log).items()}
    assert figures.pop("people") == 1.0  # one feedback by a person, which the run does not know yet
    assert figures == pytest.approx({name: printed[f"{name}/mean"] for name in ("exact", "tone", "correctness")})
    # The judge's fourth reply could not be read: MLflow writes that as an error of a program.
    [unusable] = [one for one in log.judgements if one.rating is None]
    assert unusable.judge == "openai:/local-judge correctness"


def test_the_mean_of_the_older_table_is_the_one_that_mlflow_prints() -> None:
    log = log_of("printed_by_mlflow/eval_results_table.json")
    printed = json.loads((DATA / "printed_by_mlflow" / "metrics.json").read_bytes())
    assert means(log) == pytest.approx({"answer_correctness/v1": printed["answer_correctness/v1/mean"]})
    assert [one.rating for one in log.judgements] == [4, 2, 4, None]


def test_a_feedback_in_words_is_counted_as_left_out() -> None:
    source = {"source_type": "LLM_JUDGE", "source_id": "m"}
    said = [{"assessment_name": "tone", "source": source, "feedback": {"value": value}} for value in ("good", 4)]
    log = log_of("t.json", json.dumps([{"info": {"request_preview": "Q", "assessments": said}, "data": {}}]).encode())
    assert [(unread.count, unread.first) for unread in log.unread] == [(1, "$[0].assessments[0]")]
    assert [one.rating for one in log.judgements] == [4]


ROWS = [
    {"id": "q1", "prompt": "Why?", "answer": "So.", "score": 4},
    {"id": "q2", "prompt": "Who?", "answer": "I.", "score": 2},
]


@pytest.mark.parametrize("form", ["jsonl", "json", "csv"])
def test_rows_of_answers_with_a_score_are_ratings(form: str) -> None:
    data = {
        "jsonl": lines(*ROWS),
        "json": json.dumps(ROWS).encode(),
        "csv": b"id,prompt,answer,score\nq1,Why?,So.,4\nq2,Who?,I.,2\n",
    }[form]
    log = log_of(f"rated.{form}", data)
    assert log.format == "ratings"
    assert [(one.question, one.rating, one.lengths) for one in log.judgements] == [("q1", 4, (3,)), ("q2", 2, (2,))]


def test_an_empty_score_is_no_usable_reply_and_a_word_is_a_fault() -> None:
    log = log_of("rated.jsonl", lines(ROWS[0], {**ROWS[1], "score": None}))
    assert [one.rating for one in log.judgements] == [4, None]
    reading = read_log(lines(ROWS[0], {**ROWS[1], "score": "good"}), "rated.jsonl")
    [problem] = reading.findings.problems
    assert (problem.path, problem.message) == (
        "rated.jsonl:2",
        'score is the text "good"; expected a number, or nothing where the judge gave none',
    )


@pytest.mark.parametrize("more", [{"rating": 1}, {"response": "Another."}])
def test_a_row_with_two_scores_or_answers_is_refused(more: dict[str, Any]) -> None:
    reading = read_log(lines({**ROWS[0], **more}), "rated.jsonl")
    [problem] = reading.findings.problems
    assert "differ: which of them is meant cannot be told" in problem.message
    log = log_of("rated.jsonl", lines({**ROWS[0], "rating": 4, "response": "So."}))
    assert [one.rating for one in log.judgements] == [4]


def test_an_id_beside_that_of_the_question_is_the_rows_own_and_not_used() -> None:
    log = log_of("rated.jsonl", lines(*({**row, "id": number, "question_id": "q"} for number, row in enumerate(ROWS))))
    assert [one.question for one in log.judgements] == ["q", "q"]
    assert log.unknown_columns == {"id": 2}


def test_the_same_answer_rated_again_is_a_repetition_and_another_answer_is_none() -> None:
    other = {**ROWS[0], "answer": "Because.", "score": 1}
    log = log_of("rated.jsonl", lines(ROWS[0], ROWS[0], other))
    assert [one.repetition for one in log.judgements] == [1, 2, 1]
    items = [one.item for one in log.judgements]
    assert items[0] == items[1] != items[2]
    assert all(item.startswith("answer ") for item in items)


def test_answers_keep_their_names_when_rows_are_in_another_order() -> None:
    rows = [ROWS[0], {**ROWS[0], "answer": "Because.", "score": 1}]
    named = [
        {one.rating: one.item for one in log_of("rated.jsonl", lines(*order)).judgements}
        for order in (rows, rows[::-1])
    ]
    assert named[0] == named[1]


def test_classifications_and_an_assessment_that_stands_twice_are_counted_as_left_out() -> None:
    run = json.loads((DATA / "printed_by_deep_eval" / "evaluation_result.json").read_bytes())
    run["test_results"][0]["classifications"] = [{"name": "topic", "label": "a"}]
    [unread] = log_of("run.json", json.dumps(run).encode()).unread
    assert (unread.count, unread.first) == (1, "$.test_results[0]")
    traces = json.loads((DATA / "printed_by_mlflow" / "traces.json").read_bytes())
    listed = traces[0]["info"]["assessments"]
    [unread] = log_of("t.json", json.dumps([*traces, {**traces[0], "data": {}}]).encode()).unread
    assert (unread.what, unread.count) == ("assessments that stand in the file already", len(listed))


@pytest.mark.parametrize(
    "name",
    [
        "printed_by_lm_eval/samples_counting.jsonl",
        "printed_by_deep_eval/test_run.json",
        "printed_by_mlflow/traces.json",
        "printed_by_mlflow/eval_results_table.json",
    ],
)
def test_a_log_that_is_cut_off_gives_a_refusal_or_whole_lines(name: str) -> None:
    data = (DATA / name).read_bytes()
    whole = len(log_of(name).judgements)
    for cut in range(0, len(data), max(1, len(data) // 40)):
        reading = read_log(data[:cut], Path(name).name)
        if reading.log is None:
            assert reading.findings.has_error
        else:
            assert len(reading.log.judgements) <= whole
            assert name.endswith(".jsonl")


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [1], {"a": 1}, True])
@pytest.mark.parametrize(
    "made",
    [
        lambda value: {"doc_id": value, "target": value, "resps": value, "metrics": value, "filter": "none"},
        lambda value: {"doc_id": 1, "target": "", "resps": [], "metrics": ["acc"], "acc": value},
        lambda value: {"testCases": value, "metricsScores": []},
        lambda value: {"testCases": [{"name": "a", "metricsData": value}], "metricsScores": []},
        lambda value: {"testCases": [{"name": "a", "metricsData": [value]}], "metricsScores": []},
        lambda value: {"input": value, "output_1": value, "output_2": "", "label": 1, "results": value},
        lambda value: {"input": "a", "output_1": "", "output_2": "", "label": value, "results": [value]},
        lambda value: {"traces": [{"info": {"assessments": [value]}}, value]},
        lambda value: {"traces": [{"info": {"assessments": [{"assessment_name": "n", "feedback": {"value": value}}]}}]},
        lambda value: {"columns": ["inputs", "m/score"], "data": [["q", value]]},
        lambda value: {"columns": value, "data": value, "x": "m/score"},
        lambda value: {"id": value, "answer": value, "score": value},
    ],
)
def test_whatever_stands_in_a_field_is_read_or_reported(made: Any, value: Any) -> None:
    document = made(value)
    is_row = {"doc_id", "input", "id"} & document.keys()
    reading = read_log(json.dumps([document] if is_row else document).encode(), "log.json")
    assert reading.log is not None or reading.findings.has_error


def test_samples_of_every_eval_ever_are_ratings_by_metric() -> None:
    log = log_of("every_eval_ever_samples.jsonl")
    # The judge gave 1, .25 and, in a conversation, 0; the third sample ended with an error and counts nowhere.
    assert means(log) == {"tea#judge": pytest.approx(1.25 / 3), "tea#exact_match": pytest.approx(1 / 3)}
    judged = {one.question: one for one in log.judgements if one.judge == "tea#judge"}
    assert {question: one.rating for question, one in judged.items()} == {
        "tea-1": 1.0,
        "tea-2": 0.25,
        "tea-3": None,
        "tea-4": 0.0,
    }
    assert {one.systems for one in log.judgements} == {("harbour/keel-7b",)}
    # "The answer is 1." has 16 characters, "It is 4." has 8.
    assert (judged["tea-1"].lengths, judged["tea-4"].lengths) == ((16,), (8,))


def test_a_sample_without_a_score_refuses_the_file_and_one_with_an_error_does_not() -> None:
    sample = json.loads((DATA / "every_eval_ever_samples.jsonl").read_text(encoding="utf-8").splitlines()[0])
    sample["evaluation"] = {"is_correct": False}
    reading = read_log(lines(sample), "x_samples.jsonl")
    assert reading.log is None
    (problem,) = reading.findings.problems
    assert (problem.path, problem.code) == ("x_samples.jsonl:1", "missing_field")
    assert "evaluation.score" in problem.message
    log = log_of("x_samples.jsonl", lines(sample | {"error": "timeout"}))
    assert [one.rating for one in log.judgements] == [None]


def test_one_id_with_two_texts_is_two_questions() -> None:
    sample = json.loads((DATA / "every_eval_ever_samples.jsonl").read_text(encoding="utf-8").splitlines()[0])
    log = log_of("x_samples.jsonl", lines(sample | {"sample_hash": "a" * 64}, sample | {"sample_hash": "b" * 64}))
    assert [(one.question, one.repetition) for one in log.judgements] == [("tea-1", 1), ("tea-1 (bbbbbbbb)", 1)]
