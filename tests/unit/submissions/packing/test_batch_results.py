"""Results of batches at OpenAI and Anthropic, and tables of answers, become runs; what has no answer is said.

The files were made with the services' own libraries (tests/data/packing/README.md).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from submissions.check import check_submission
from submissions.packing.plan import Choices, PackingPlan, planned
from submissions.packing.sources import Gathering
from submissions.schema import Names

DATA = Path(__file__).parents[3] / "data" / "packing" / "batch_results"
CHOICES = Choices(names=Names("T", "S", None, None), edition="2026")


def plan_of(data: bytes, name: str, sets: Any) -> PackingPlan:
    gathering = Gathering()
    gathering.add(name, (), data)
    return planned(gathering.sources, gathering.aside, CHOICES, prompt_sets=sets)


@pytest.mark.parametrize(
    ("name", "model", "last", "said"),
    [
        (
            "openai_chat.jsonl",
            "gpt-4o-mini-2024-07-18",
            "I cannot help with that.",
            ("2 requests", "1 answers were cut", "refusal"),
        ),
        ("openai_responses.jsonl", "gpt-5-mini", "Lieber nicht.", ("1 answers were cut",)),
        ("anthropic.jsonl", "claude-haiku-4-5", "Lieber nicht.", ("2 requests", "1 answers were cut")),
    ],
)
def test_each_answer_stands_under_the_id_of_its_request(
    name: str, model: str, last: str, said: tuple[str, ...], bare_sets: Any
) -> None:
    plan = plan_of((DATA / name).read_bytes(), name, bare_sets)
    [run] = plan.runs
    answers = {(language, key): row.answer for (language, _), rows in run.rows.items() for key, row in rows.items()}
    assert answers == {
        ("en", "1"): "Tea with milk, most afternoons.",
        ("de", "1"): "Kaffee und Kuchen am Nachmittag.",
        ("en", "2-1"): "We bring a small present, and",
        ("de", "2-1"): last,
    }
    assert run.names.model == model
    changes = " ".join(change.what for change in run.changes)
    assert all(words in changes for words in said)


def line(custom_id: str, **body: Any) -> bytes:
    choices = [{"index": 0, "message": {"role": "assistant", "content": "Tea."}, "finish_reason": "stop"}]
    whole = {"model": "m", "choices": choices} | body
    return json.dumps({"custom_id": custom_id, "response": {"status_code": 200, "body": whole}, "error": None}).encode()


@pytest.mark.parametrize("custom_id", ["baseline_de_7", "seven", "7-", "llama-3"])
def test_a_custom_id_that_is_more_than_language_and_id_is_a_fault(custom_id: str, bare_sets: Any) -> None:
    plan = plan_of(line(custom_id) + b"\n" + line("de_1"), "batch.jsonl", bare_sets)
    assert not plan.runs
    [aside] = plan.aside
    assert aside.has_answers
    assert f'the custom_id is "{custom_id}"' in aside.why


def test_several_choices_are_a_fault(bare_sets: Any) -> None:
    plan = plan_of(line("de_1", choices=[{}, {}]) + b"\n" + line("de_2-1"), "batch.jsonl", bare_sets)
    assert "2 choices stand under one custom_id" in plan.aside[0].why


def test_a_table_of_ids_and_answers_is_read(bare_sets: Any) -> None:
    data = b'sep=;\r\nid;language;answer\r\n1;de;"Kaffee; und\nKuchen"\r\n2-1;de;Ja\r\n'
    [run] = plan_of(data, "answers.csv", bare_sets).runs
    assert [row.answer for rows in run.rows.values() for row in rows.values()] == ["Kaffee; und\nKuchen", "Ja"]
    assert run.label == ""


@pytest.mark.parametrize("cells", ["1;de", "1;de;a;b"])
def test_a_row_of_a_table_with_too_many_or_few_cells_is_a_fault(cells: str, bare_sets: Any) -> None:
    plan = plan_of(f"id;language;answer\n1;de;a\n{cells}\n".encode(), "answers.csv", bare_sets)
    assert not plan.runs
    assert "line 3: the row has" in plan.aside[0].why


@pytest.mark.parametrize("name", ["openai_chat.jsonl", "anthropic.jsonl", "answers.csv"])
def test_submit_names_the_file_and_the_command_that_makes_a_submission_of_it(name: str, bare_sets: Any) -> None:
    data = b"id,language,answer\n1,de,Ja\n" if name.endswith(".csv") else (DATA / name).read_bytes()
    error, note = check_submission(data, name, prompt_sets=bare_sets).problems
    assert error.code == "wrong_root"
    assert error.message.endswith(", no submission yet")
    assert note.code == "pack_would_mend"
    assert f"python -m submissions pack {name}" in note.hint
