"""Logs that were silently read to a wrong number give the right one, or a refusal or count that says why."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from evaluator.judge_logs.judgements import JudgementLog
from evaluator.judge_logs.label_sample import LabelKey, LabelSample
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.labels import labels_of


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def log_of(data: bytes, name: str = "log.jsonl") -> JudgementLog:
    reading = read_log(data, name)
    assert reading.log is not None, reading.findings.problems
    return reading.log


def refusal(data: bytes, name: str = "log.jsonl") -> str:
    """Place and message of the first fault that refuses a file."""
    reading = read_log(data, name)
    assert reading.log is None
    return f"{reading.findings.problems[0].path} {reading.findings.problems[0].message}"


# --- systems that are called like a verdict ---


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("1", "2", "1"),
        ("a", "b", "A"),
        ("A", "B", "a"),
        ("Tie", "m", "tie"),
        ("left", "right", "left"),
        ("FIRST", "second", "FIRST"),
        ("model_a", "model_b", "model_a"),
        ("win", "lose", "win"),
        ("draw", "m", "draw"),
        ("0", "1", "0"),
        ("Error", "m", "error"),
        ("None", "m", "None"),
        ("Second", "m", "second"),
    ],
)
def test_a_verdict_that_is_a_systems_name_and_a_word_is_refused(one: str, other: str, verdict: str) -> None:
    data = f"question,first,second,verdict\n1,{one},{other},{verdict}\n1,{other},{one},{verdict}\n".encode()
    assert "may be a place or a name" in refusal(data, "t.csv")


def test_a_name_that_reads_alike_either_way_and_other_names_are_read() -> None:
    data = b"question,first,second,verdict\n1,1,2,1\n2,1,2,2\n3,gpt-1,left-2,gpt-1\n4,m1,m2,tie\n"
    assert [one.verdict for one in log_of(data, "t.csv").judgements] == ["A", "B", "A", "C"]


@pytest.mark.parametrize("winner", ["model_1", "model_2", "tie", "error"])
def test_a_model_that_is_called_like_a_winner_of_fastchat_is_refused(winner: str) -> None:
    row = {"question_id": 1, "judge": "j", "model_1": "m", "model_2": "n", "g1_winner": winner, "g2_winner": winner}
    other = "model_1" if winner == "model_2" else "model_2"
    assert "may be a place or a name" in refusal(lines({**row, other: winner.upper()}))


@pytest.mark.parametrize("winner", ["model_a", "model_b", "tie"])
def test_a_model_that_is_called_like_a_winner_of_an_arena_is_refused(winner: str) -> None:
    row = {"question_id": "q", "model_a": "m", "model_b": "n", "winner": winner}
    other = "model_a" if winner == "model_b" else "model_b"
    assert "may be a place or a name" in refusal(lines({**row, other: winner}))
    assert len(log_of(lines({**row, winner: winner} if winner in row else row)).judgements) == 1


# --- panels of inspect_ai ---

PRINTED_BY_INSPECT = Path(__file__).parents[3] / "data" / "judge_logs" / "printed_by_inspect"


@pytest.mark.parametrize(
    ("name", "judge", "ratings"),
    [
        # Graders a, b and c say CICC, CCIC and ICII.
        ("panel_mean", "panel that the log does not name", [2 / 3, 2 / 3, 1 / 3, 2 / 3]),
        ("panel_at_least", "panel of mockllm/grader-a, mockllm/grader-b, mockllm/grader-c", [1, 1, 0, 1]),
    ],
)
def test_a_value_made_of_several_grades_is_the_panels(name: str, judge: str, ratings: list[float]) -> None:
    judgements = log_of((PRINTED_BY_INSPECT / f"{name}.json").read_bytes(), "log.json").judgements
    assert {one.judge for one in judgements} == {judge}
    assert [one.rating for one in judgements] == pytest.approx(ratings)


def test_grades_that_inspect_collects_as_a_list_are_refused() -> None:
    assert "the value of multi_scorer is" in refusal((PRINTED_BY_INSPECT / "panel_collect.json").read_bytes(), "l.json")


@pytest.mark.parametrize(("value", "is_own"), [(7, True), ("7", True), (6.5, False)])
@pytest.mark.parametrize("keyword", ["GRADE", "VERDICT", "**Score"])
def test_a_number_that_the_grader_states_is_its_own(value: object, is_own: bool, keyword: str) -> None:
    log = json.loads((PRINTED_BY_INSPECT / "panel_mean.json").read_bytes())
    log["samples"] = log["samples"][:1]
    score = log["samples"][0]["scores"]["panel"]
    score["value"] = value
    said = "Grade: 3? No. GRADE: 7" if "GRADE" in keyword else f"It is 3 at first.\n\n{keyword}: 7"
    score["metadata"]["grading"][-1]["content"] = [{"type": "text", "text": said}]
    [rated] = log_of(json.dumps(log).encode(), "log.json").judgements
    assert (rated.judge == "mockllm/grader-a") is is_own


# --- promptfoo's graders ---


def grading(reason: str, score: float = 0, total: int = 0, **more: Any) -> dict[str, Any]:
    assertion = {"type": more.pop("kind", "llm-rubric"), "value": "is polite", **more.pop("assertion", {})}
    used = {"total": total, "prompt": 0, "completion": 0}
    return {"pass": score > 0.5, "score": score, "reason": reason, "assertion": assertion, "tokensUsed": used, **more}


def promptfoo(*gradings: dict[str, Any] | list[dict[str, Any]]) -> bytes:
    """One output for each grading."""
    results = [
        {
            "gradingResult": {"componentResults": [one] if isinstance(one, dict) else one},
            "provider": {"id": "p"},
            "promptIdx": 0,
            "vars": {"q": number},
            "testIdx": number,
            "response": {"output": "An answer."},
        }
        for number, one in enumerate(gradings)
    ]
    return json.dumps({"evalId": "e", "results": {"version": 3, "results": results}, "config": {}}).encode()


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        # src/matchers of promptfoo 0.24 to 0.123
        ("No output", "factuality"),
        ("Could not extract JSON from llm-rubric response", "llm-rubric"),
        ("llm-rubric produced malformed response: SyntaxError\n\n{", "llm-rubric"),
        ("llm-rubric produced malformed response - output must be string or object. Output: 1", "llm-rubric"),
        ("Could not perform remote grading: Error: 503", "llm-rubric"),
        ("LLM does not propose any evaluation step", "g-eval"),
        ("LLM-proposed evaluation steps are not in JSON format: hello", "g-eval"),
        ("G-Eval evaluation call to openai:gpt-4o returned no output", "g-eval"),
        ("G-Eval result has invalid or missing score: null", "g-eval"),
        ("G-Eval result score 12 is outside the expected 0-10 range", "g-eval"),
        ("Factuality checker output did not match expected format: hm", "factuality"),
        ("Invalid category value: F", "factuality"),
        ("Model grader produced a malformed response:\nmaybe", "model-graded-closedqa"),
        ("Error parsing output: x", "factuality"),
    ],
)
def test_a_reason_that_promptfoo_wrote_itself_is_no_score(reason: str, kind: str) -> None:
    log = log_of(promptfoo(grading("polite", 0.8, kind=kind), grading(reason, total=5, kind=kind)), "o.json")
    assert [one.rating for one in log.judgements] == [0.8, None]


@pytest.mark.parametrize(
    "reason",
    [
        # src/providers of promptfoo 0.24 to 0.123
        "API response error: TypeError: x: {}",
        "API error: 429 Too Many Requests",
        "API call error: Error: Request timed out after 300000 ms",
        "x.ai API error: 500",
        "Ollama API response error: fetch failed",
        "Bedrock API invoke model error: ThrottlingException: slow down",
        "Vertex AI error: quota",
        "Malformed response data: {}",
        "TypeError: fetch failed",
        "Rate limit exceeded: wait",
    ],
)
def test_the_words_of_a_failed_call_are_no_score(reason: str) -> None:
    log = log_of(promptfoo(grading("polite", 0.8), grading(reason)), "o.json")
    assert [one.rating for one in log.judgements] == [0.8, None]


@pytest.mark.parametrize(
    "reason",
    [
        "Factual error: Paris is in France.",
        "The API error is not handled.",
        "No output was given by the model.",
        "Error handling is missing.",
        "Failed to get the right answer.",
        "API key is shown to the user.",
    ],
)
def test_a_graders_own_words_about_errors_keep_their_zero(reason: str) -> None:
    assert [one.rating for one in log_of(promptfoo(grading(reason)), "o.json").judgements] == [0]


def test_a_zero_without_tokens_of_a_grader_that_counts_them_is_no_score() -> None:
    counted = log_of(promptfoo(grading("ok", 1, 9), grading("upstream went away"), grading("rude", 0, 7)), "o.json")
    assert [one.rating for one in counted.judgements] == [1, None, 0]
    other = grading("rude", assertion={"provider": "mine"})
    assert [one.rating for one in log_of(promptfoo(grading("ok", 1, 9), other), "o.json").judgements] == [1, 0]


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ({"text": {"id": "openai:gpt-4o"}}, "openai:gpt-4o"),
        ({"text": "openai:gpt-4o", "embedding": "e"}, "openai:gpt-4o"),
        ({"openai:gpt-4o": {"config": {"temperature": 0}}}, "openai:gpt-4o"),
        ({"id": "openai:gpt-4o", "label": "strict"}, "strict"),
        ({"file://a.py": {"label": "mine"}}, "mine"),
        ({"url": "http://one", "kind": 1}, '{"kind": 1, "url": "http://one"}'),
        ("openai:gpt-4o", "openai:gpt-4o"),
        (None, "promptfoo's grader"),
        ({}, "promptfoo's grader"),
        (["openai:gpt-4o"], '["openai:gpt-4o"]'),
    ],
)
def test_a_grader_keeps_its_name_in_every_shape(provider: object, name: str) -> None:
    [rated] = log_of(promptfoo(grading("ok", 1, assertion={"provider": provider})), "o.json").judgements
    assert rated.judge == name


def test_parts_of_a_set_are_read_once_and_gradings_without_an_assertion_are_counted() -> None:
    part = grading("ok", 1)
    inside = {"pass": True, "score": 1, "reason": "", "assertion": None, "componentResults": [part]}
    assert [one.rating for one in log_of(promptfoo([inside]), "o.json").judgements] == [1]
    assert [one.rating for one in log_of(promptfoo([inside, part]), "o.json").judgements] == [1]
    log = log_of(promptfoo(part, {**grading("?", 0.3), "assertion": None}), "o.json")
    assert [one.rating for one in log.judgements] == [1]
    assert [(unread.count, unread.what) for unread in log.unread] == [(1, "gradings that name no assertion")]


# --- columns that say what was rated, and by or of whom ---

RATED = {"id": 1, "answer": "a"}
Row = dict[str, Any]


def table(*rows: Row) -> bytes:
    header = list(rows[0])
    return "\n".join(
        ",".join(str(cell) for cell in line) for line in [header, *(row.values() for row in rows)]
    ).encode()


def several(rows: list[Row], questions: int = 1) -> list[Row]:
    """The same rows for several questions."""
    key = "id" if "id" in rows[0] else "question"
    return [{**row, key: number} for number in range(questions) for row in rows]


@pytest.mark.parametrize("name", ["criterion", "Criteria", "metric", "aspect_id", "dimension", "eval rubric"])
@pytest.mark.parametrize("questions", [1, 3])
def test_ratings_by_several_criteria_are_no_repetitions(name: str, questions: int) -> None:
    rows = [{**RATED, name: "helpful", "score": 5}, {**RATED, name: "harmless", "score": 1}]
    log = log_of(lines(*several(rows, questions)))
    assert {one.repetition for one in log.judgements} == {1}
    assert {(one.judge, one.item, one.rating) for one in log.judgements} == {
        ("judge helpful", "helpful", 5),
        ("judge harmless", "harmless", 1),
    }
    assert any("helpful, harmless" in note for note in log.notes)
    assert log.unknown_columns == {}


@pytest.mark.parametrize(
    ("name", "judges", "items", "questions"),
    [
        ("criterion", {"judge x", "judge y"}, {"x", "y"}, {"1"}),
        ("turn", {"judge"}, {"turn x", "turn y"}, {"1"}),
        ("language", {"judge"}, {"language x", "language y"}, {"1"}),
        ("task", {"judge"}, {""}, {"x 1", "y 1"}),
        ("judge_model", {"x", "y"}, {""}, {"1"}),
        ("annotator", {"x", "y"}, {""}, {"1"}),
        ("prompt_version", {"judge"}, {"prompt_version x", "prompt_version y"}, {"1"}),
    ],
)
@pytest.mark.parametrize("is_rating", [False, True])
def test_a_column_of_a_known_meaning_becomes_part_of_the_names(
    name: str, judges: set[str], items: set[str], questions: set[str], is_rating: bool
) -> None:
    compared = {"question": 1, "first": "m", "second": "n", "verdict": "A"}
    row: Row = {"question": 1, "system": "m", "rating": 3} if is_rating else compared
    log = log_of(table({**row, name: "x"}, {**row, name: "y"}), "t.csv")
    assert [one.repetition for one in log.judgements] == [1, 1]
    assert {one.judge for one in log.judgements} == judges
    assert {one.item for one in log.judgements} == items
    assert {one.question for one in log.judgements} == questions
    assert log.unknown_columns == {}


def test_a_criterion_parts_the_two_orders_and_a_judges_prompt_does_not() -> None:
    def both(name: str) -> JudgementLog:
        rows = [
            {"question": 1, "first": "m", "second": "n", "verdict": "A", name: "x"},
            {"question": 1, "first": "n", "second": "m", "verdict": "A", name: "y"},
        ]
        return log_of(table(*rows), "t.csv")

    assert {one.item for one in both("criterion").judgements} == {"x", "y"}
    assert {one.item for one in both("prompt").judgements} == {""}


def test_a_criterion_of_each_question_alone_is_no_name() -> None:
    log = log_of(
        lines({**RATED, "criterion": "polite", "score": 1}, {**RATED, "id": 2, "criterion": "short", "score": 2})
    )
    assert {(one.judge, one.item) for one in log.judgements} == {("judge", "")}


@pytest.mark.parametrize("name", ["criterion", "aspect"])
def test_further_readers_keep_criteria_apart(name: str) -> None:
    vote = {"question_id": "q", "model_a": "m", "model_b": "n", "winner": "model_a"}
    single = {"question_id": 1, "judge": "j", "model": "m", "score": 4}
    for row in (vote, single):
        log = log_of(lines({**row, name: "helpful"}, {**row, name: "harmless"}))
        assert [one.repetition for one in log.judgements] == [1, 1]
        assert len({one.item for one in log.judgements}) == len({one.judge for one in log.judgements}) == 2


def test_two_columns_of_systems_are_one_name_where_one_holds_several() -> None:
    rows = [
        {**RATED, "system": "prompt v1", "model": "gpt", "score": 9},
        {**RATED, "system": "prompt v1", "model": "llama", "score": 1},
    ]
    for given in (rows, [rows[0], {**rows[1], "id": 2}]):
        log = log_of(lines(*given))
        assert [(one.systems, one.rating) for one in log.judgements] == [
            (("prompt v1 / gpt",), 9),
            (("prompt v1 / llama",), 1),
        ]
        assert any('"model"' in note for note in log.notes)
    alone = log_of(lines(rows[0], {**rows[1], "system": "prompt v2"}))
    assert {one.systems for one in alone.judgements} == {("prompt v1",), ("prompt v2",)}


def test_a_system_that_only_a_less_known_column_names_has_that_name() -> None:
    rows = [{**RATED, "model_id": name, "score": score} for name, score in (("gpt", 9), ("llama", 1))]
    assert [one.systems for one in log_of(lines(*rows)).judgements] == [("gpt",), ("llama",)]


def test_columns_that_vary_with_one_that_is_read_refuse_nothing() -> None:
    rows = [{**RATED, "criterion": name, "facet": name[:2], "score": 3} for name in ("helpful", "harmless")]
    log = log_of(lines(*several(rows, 3)))
    assert {one.repetition for one in log.judgements} == {1}
    assert log.unknown_columns == {"facet": 6}


def test_raters_and_criteria_are_both_names() -> None:
    rows = [
        {**RATED, "criterion": name, "annotator": rater, "score": 3}
        for name in ("kind", "short")
        for rater in ("r1", "r2")
    ]
    log = log_of(lines(*rows))
    assert {one.judge for one in log.judgements} == {"r1 kind", "r1 short", "r2 kind", "r2 short"}
    assert {one.repetition for one in log.judgements} == {1}


def test_a_model_beside_two_systems_is_refused_where_it_changes() -> None:
    row = {"question": 1, "first": "m", "second": "n", "verdict": "A"}
    assert '"model" has different values' in refusal(
        table({**row, "model": "x"}, {**row, "question": 2, "model": "y"}), "t.csv"
    )
    assert len(log_of(table({**row, "model": "x"}, {**row, "question": 2, "model": "x"}), "t.csv").judgements) == 2


@pytest.mark.parametrize(("name", "values"), [("facet", "xy"), ("temperature", (0, 0.7)), ("Sub-scale", "pq")])
def test_a_column_that_varies_systematically_and_says_nothing_known_is_refused(name: str, values: Any) -> None:
    rows = [{**RATED, name: value, "score": 3} for value in values]
    assert f'Column "{name}" has different values' in refusal(lines(*several(rows, 3)))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("seed", (1, 2)),
        ("run_id", "ab"),
        ("latency_s", (0.5, 0.7)),
        ("explanation", ("good", "bad")),
        ("row_id", (1, 2)),
    ],
)
def test_what_differs_between_repetitions_leaves_them_such(name: str, values: Any) -> None:
    log = log_of(lines(*several([{**RATED, name: value, "score": 3} for value in values], 2)))
    assert [one.repetition for one in log.judgements] == [1, 2, 1, 2]


def test_labels_by_criterion_belong_to_their_criterion() -> None:
    row = {"question": 1, "system": "m", "rating": 3}
    log, labels = (
        log_of(table({**row, "criterion": "x", "rating": x}, {**row, "criterion": "y", "rating": y}), "t.csv")
        for x, y in ((5, 1), (4, 2))
    )
    assert dict(labels_of(labels).ratings) == {LabelKey("1", "x", ("m",)): 4, LabelKey("1", "y", ("m",)): 2}
    assert {one.key for one in log.judgements} == set(labels_of(labels).ratings)


def test_texts_to_label_are_drawn_under_the_names_that_columns_add_to() -> None:
    sample = LabelSample(10)
    rows = [{**RATED, "criterion": value, "score": 3} for value in ("helpful", "harmless")]
    assert read_log(lines(*rows), "log.jsonl", sample=sample).log
    assert {drawn.key.item for drawn in sample.drawn} <= {"helpful", "harmless"}
    assert sample.offered == 1


# --- RewardBench, numbers and keys ---


@pytest.mark.parametrize(
    ("model", "model_type", "is_read"),
    [
        ("org/Apollo-7B-RM", "Seq. Classifier", False),
        ("org/generative-judge", "Custom Classifier", False),
        ("org/generative-judge", None, False),
        ("org/m", "Generative RM", True),
        ("PoLL/a_b_c", "Generative RM PoLL", True),
    ],
)
def test_half_is_an_error_of_a_judge_that_the_file_calls_generative(
    model: str, model_type: str | None, is_read: bool
) -> None:
    scores = {"id": [0, 1], "subset": ["s", "s"], "text_chosen": ["g", "g"], "text_rejected": ["b", "b"]}
    data = json.dumps({**scores, "results": [1, 0.5], "model": model, "model_type": model_type}).encode()
    if is_read:
        assert [one.verdict for one in log_of(data, "scores.json").judgements] == ["A", "N"]
    else:
        assert refusal(data, "scores.json").startswith("$.results[1] results is the number 0.5")


@pytest.mark.parametrize("text", ["1_0", "１０", "٥", "nan", "inf", "-Infinity", "0x10", "1,5", "5 points", "1e9999"])
@pytest.mark.parametrize("name", ["t.csv", "rated.jsonl"])
def test_what_python_alone_reads_as_a_number_is_none(text: str, name: str) -> None:
    csv_data = f'question,system,rating\n1,m,3\n2,m,"{text}"\n'.encode()
    data = csv_data if name == "t.csv" else lines({**RATED, "score": 3}, {**RATED, "id": 2, "score": text})
    assert "expected a number" in refusal(data, name)


@pytest.mark.parametrize("text", ["5", " 5 ", "+5", "5.0", "5.", "0.5e1", "50E-1"])
def test_numbers_that_are_written_otherwise_are_read(text: str) -> None:
    [rated] = log_of(f"question,system,rating\n1,m,{text}\n".encode(), "t.csv").judgements
    assert rated.rating == 5


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        (
            "l.jsonl",
            b'{"id": 1, "answer": "", "score": 9}\n{"id": 2, "answer": "a", "score": 9, "score": 1}',
            "l.jsonl:2",
        ),
        ("l.json", b'[{"id": 1, "answer": "a", "score": 9, "score": 1}]', "$[0].score"),
        ("l.jsonl", b'{"id": 1, "answer": "a", "score": 1, "x": [{"k": 1, "k": 1}]}', "l.jsonl:1"),
    ],
)
def test_a_key_that_stands_twice_refuses_the_file_with_its_place(name: str, data: bytes, place: str) -> None:
    assert refusal(data, name).startswith(f"{place} the key ")
    assert "stands twice in one object" in refusal(data, name)


def test_a_key_that_stands_twice_in_an_inspect_log_is_told_with_its_entry() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("header.json", '{"eval": {"model": "m", "model": "n"}}')
        archive.writestr("samples/1_epoch_1.json", '{"id": 1, "epoch": 1, "scores": {"s": {"value": 1, "value": 0}}}')
    reading = read_log(whole.getvalue(), "log.eval")
    assert [problem.path for problem in reading.findings.problems if problem.code == "duplicate_key"] == [
        "header.json $.eval.model",
        "samples/1_epoch_1.json $.scores.s.value",
    ]


# --- numbers that stand for no rating ---


def ratings_of(*scores: float) -> tuple[list[float | None], tuple[str, ...]]:
    log = log_of(lines(*({**RATED, "id": number, "score": score} for number, score in enumerate(scores))))
    return [one.rating for one in log.judgements], log.notes


@pytest.mark.parametrize("sentinel", [-1, -1.0, -99, -100, -999, 999, 9999])
def test_a_number_for_no_rating_is_no_usable_reply_and_told_of(sentinel: float) -> None:
    ratings, notes = ratings_of(8, sentinel, 0, sentinel)
    assert ratings == [8, None, 0, None]
    assert [note for note in notes if note.startswith(f"2 ratings of {sentinel:g} counted as no usable reply")]


@pytest.mark.parametrize("scores", [(-2, -1, 1, 2), (-3, -1, 0), (-1.5, 2), (0, 999, 500), (-5, 8)])
def test_ratings_on_a_scale_of_their_own_stay(scores: tuple[float, ...]) -> None:
    assert ratings_of(*scores)[0] == list(scores)


def test_minus_one_beside_zero_and_one_is_refused_and_unusable_on_a_stated_scale() -> None:
    rows = [{**RATED, "id": number, "score": score} for number, score in enumerate((0, -1, 1))]
    assert refusal(lines(*rows)).startswith("log.jsonl:2 a rating is -1")
    graded = promptfoo(grading("ok", 1), grading("no reply", -1))
    assert [one.rating for one in log_of(graded, "o.json").judgements] == [1, None]


def test_each_judge_has_a_scale_of_its_own() -> None:
    rows = [{**RATED, "id": 1, "judge": judge, "score": score} for judge, score in (("a", -1), ("a", 7), ("b", -2))]
    assert [one.rating for one in log_of(lines(*rows)).judgements] == [None, 7, -2]


def test_unknown_keys_of_whole_runs_are_listed() -> None:
    log = json.loads((PRINTED_BY_INSPECT / "panel_mean.json").read_bytes())
    for holder in (log, log["eval"], log["samples"][0], log["samples"][0]["scores"]["panel"]):
        holder["new"] = 1
    unknown = log_of(json.dumps(log).encode(), "log.json").unknown_columns
    assert unknown == {"log.new": 1, "eval.new": 1, "sample.new": 1, "score.new": 1}
    output = json.loads(promptfoo(grading("ok", 1)))
    result = output["results"]["results"][0]
    for holder in (output, output["results"], result, result["gradingResult"]):
        holder["new"] = 1
    result["gradingResult"]["componentResults"][0]["new"] = 1
    unknown = log_of(json.dumps(output).encode(), "o.json").unknown_columns
    assert set(unknown) == {f"{place}.new" for place in ("file", "results", "result", "gradingResult", "grading")}


@pytest.mark.parametrize(
    "stated",
    [{"scale": "1-10"}, {"Scale": "1 to 10"}, {"rating_scale": "[1, 10]"}, {"min_score": 1, "max_score": "10"}],
)
def test_a_rating_off_the_scale_that_the_file_states_is_no_usable_reply(stated: dict[str, Any]) -> None:
    rows = [{**RATED, "id": number, "score": score, **stated} for number, score in enumerate((10, 0, 1, 11))]
    log = log_of(lines(*rows))
    assert [one.rating for one in log.judgements] == [10, None, 1, None]
    assert log.scale is not None
    assert log.scale[:2] == (1, 10)
    assert "2 ratings off the scale that the file states counted as no usable reply." in log.notes
    assert log.unknown_columns == {}


def test_ratings_on_several_scales_are_refused() -> None:
    rows = [{**RATED, "id": number, "score": 5, "scale": scale} for number, scale in enumerate(("1-5", "1-10"))]
    assert 'the column "scale" states several scales ("1-5", "1-10")' in refusal(lines(*rows))


def test_a_scale_in_words_is_not_read() -> None:
    assert log_of(lines({**RATED, "score": 5, "scale": "Likert"})).unknown_columns == {"scale": 1}


# --- tables as spreadsheets save them ---


def test_decimal_commas_between_semicolons_are_points_and_told_of() -> None:
    log = log_of(b"question;system;rating\nq1;x;3,5\nq2;x;4\n", "log.csv")
    assert [judgement.rating for judgement in log.judgements] == [3.5, 4.0]
    assert "1 number with a decimal comma is read as with a point." in log.notes
    assert "3,5" in refusal(b'question,system,rating\nq1,x,"3,5"\n', "log.csv")


def test_empty_columns_at_the_end_of_a_table_are_none() -> None:
    log = log_of(b"question;system;rating;;\nq1;x;3;;\n;;;;\nq2;x;4;;\n", "log.csv")
    assert [judgement.rating for judgement in log.judgements] == [3.0, 4.0]
    assert "5 cells" in refusal(b"question;system;rating;;\nq1;x;3;;y\n", "log.csv")


def test_a_score_beside_an_error_of_deep_eval_is_none() -> None:
    metric = {"name": "Relevancy", "threshold": 0.5, "success": True, "evaluationModel": "gpt-4.1"}
    metrics = [metric | {"score": 0.6}, metric | {"name": "Bias", "score": 0.0, "error": "timed out"}]
    case = {"name": "c", "input": "Why?", "actualOutput": "So.", "success": True, "metricsData": metrics}
    log = log_of(json.dumps({"testCases": [case], "conversationalTestCases": []}).encode(), "run.json")
    assert [(judgement.judge, judgement.rating) for judgement in log.judgements] == [
        ("gpt-4.1 Relevancy", 0.6),
        ("gpt-4.1 Bias", None),
    ]
