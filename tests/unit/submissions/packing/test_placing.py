"""Which answer stands under which prompt: never another than the team's file says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from submissions.packing.plan import Choices
from submissions.packing.writing import prompt_lines
from submissions.promptsets import PromptSets
from submissions.promptsets.releases import Release
from tests.unit.submissions.packing.test_plan import BARE, of_2024, plan_of, rows, saved

PROMPTS = {number: f"Which {word} do people buy first?" for number, word in enumerate(("fruit", "bread", "fish"), 1)}
SETS = replace(BARE, further_2026=(Release("r", {("de", str(number)): text for number, text in PROMPTS.items()}),))


def lines(*asked: tuple[Any, str], answer: str = "to {}") -> str:
    return "".join(
        json.dumps({"id": item_id, "prompt": prompt, "answer": answer.format(prompt)}) + "\n"
        for item_id, prompt in asked
    )


def faults(folder: Path, sets: PromptSets = SETS, choices: Choices | None = None) -> list[str]:
    plan = plan_of(folder, prompt_sets=sets, choices=choices)
    return [fault for run in plan.runs for fault in run.faults]


@pytest.mark.parametrize("key", ["prompt", "question", "user_prompt", "input", "query", "instruction"])
def test_an_answer_beside_the_prompt_of_another_id_is_refused_whatever_the_prompt_is_called(
    tmp_path: Path, key: str
) -> None:
    content = lines((1, PROMPTS[2]), (2, PROMPTS[1])).replace('"prompt"', f'"{key}"')
    plan = plan_of(saved(tmp_path, {"de_unspecific.jsonl": content}), prompt_sets=SETS)
    assert plan.has_losses
    assert "the prompts beside 2 of 2 ids are those of other ids" in plan.runs[0].faults[0]


def chat(prompt: str) -> list[dict[str, Any]]:
    said = [{"role": "system", "content": PROMPTS[3]}, {"role": "user", "content": "Hello."}]
    return [*said, {"role": "assistant", "content": "Hi."}, {"role": "user", "content": prompt}]


def parts(prompt: str) -> list[dict[str, Any]]:
    image = {"type": "image_url", "image_url": {"url": "x"}}
    return [{"role": "user", "content": [image, {"type": "text", "text": prompt}]}]


BESIDE: list[Callable[[str], dict[str, Any]]] = [
    lambda prompt: {"Prompt": prompt},
    lambda prompt: {"QUESTION ": prompt},
    lambda prompt: {"text": prompt},
    lambda prompt: {"prompt": "", "instruction": prompt},
    lambda prompt: {"prompt": [prompt]},
    lambda prompt: {"messages": chat(prompt)},
    lambda prompt: {"Messages": parts(prompt)},
    lambda prompt: {"prompt": chat(prompt)},
    lambda prompt: {"messages": json.dumps(chat(prompt))},
    lambda prompt: {"conversations": [{"from": "human", "value": prompt}, {"from": "gpt", "value": "to {}"}]},
    lambda prompt: {"request": {"body": {"messages": chat(prompt)}}},
    lambda prompt: {"request": {"body": {"input": prompt}}},
    lambda prompt: {"request": {"params": {"messages": parts(prompt)}}},
]


def openai(item_id: int) -> dict[str, Any]:
    choices = [{"index": 0, "message": {"role": "assistant", "content": "Tea."}, "finish_reason": "stop"}]
    return {"custom_id": str(item_id), "response": {"status_code": 200, "body": {"model": "m", "choices": choices}}}


def anthropic(item_id: int) -> dict[str, Any]:
    message = {"model": "m", "content": [{"type": "text", "text": "Tea."}], "stop_reason": "end_turn"}
    return {"custom_id": str(item_id), "result": {"type": "succeeded", "message": message}}


@pytest.mark.parametrize("answered", [lambda item_id: {"id": item_id, "answer": "Tea."}, openai, anthropic])
@pytest.mark.parametrize("beside", BESIDE)
def test_a_prompt_is_compared_wherever_it_stands(
    tmp_path: Path, beside: Callable[[str], dict[str, Any]], answered: Callable[[int], dict[str, Any]]
) -> None:
    moved, right = (
        "".join(json.dumps(answered(item_id) | beside(PROMPTS[of])) + "\n" for item_id, of in pairs)
        for pairs in (((1, 2), (2, 1)), ((1, 1), (2, 2)))
    )
    refused = plan_of(saved(tmp_path / "moved", {"de_unspecific.jsonl": moved}), prompt_sets=SETS)
    assert "the prompts beside 2 of 2 ids are those of other ids" in refused.runs[0].faults[0]
    (run,) = plan_of(saved(tmp_path / "right", {"de_unspecific.jsonl": right}), prompt_sets=SETS).runs
    assert (run.faults, prompt_lines(run, SETS)) == ([], ["de: all 2 prompts are those of r"])


def test_prompts_that_are_not_compared_are_counted(tmp_path: Path) -> None:
    made = [
        {"id": 1, "answer": "a", "prompt": PROMPTS[1]},
        {"id": 2, "answer": "a", "asked_was": PROMPTS[3]},
        {"id": 3, "answer": "a", "text": "a"},  # the answer again
        {"id": 4, "answer": "a", "prompt": "Of no release"},
    ]
    content = "".join(json.dumps(row) + "\n" for row in made)
    (run,) = plan_of(saved(tmp_path, {"de_unspecific.jsonl": content}), prompt_sets=SETS).runs
    assert prompt_lines(run, SETS) == [
        "de: 2 prompts not compared: no known key beside the answer (prompt, question, messages, ...), so their ids "
        "alone say which prompts are answered",
        "de: 1 prompts not compared: no release at hand has prompts with these ids",
        "de: all 1 prompts are those of r",
    ]


# --- ids from 0 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zero", [0, "0", "00", 0.0])
def test_ids_from_0_are_raised_where_every_prompt_is_that_of_the_raised_id(tmp_path: Path, zero: Any) -> None:
    content = lines((zero, PROMPTS[1]), (1, PROMPTS[2]), (2, PROMPTS[3]))
    (run,) = plan_of(saved(tmp_path, {"de_unspecific.jsonl": content}), prompt_sets=SETS).runs
    assert {key: row.answer for key, row in run.rows["de", "unspecific"].items()} == {
        str(number): f"to {prompt}" for number, prompt in PROMPTS.items()
    }
    assert any("raised by one" in change.what for change in run.changes)


@pytest.mark.parametrize(
    ("content", "sets"),
    [
        # No prompts at hand; no prompts stated; one prompt of another id; the last raised id is none of the edition.
        (lines((0, PROMPTS[1]), (1, PROMPTS[2])), BARE),
        (rows((0, "a"), (1, "b")), SETS),
        (lines((0, PROMPTS[1]), (1, PROMPTS[3])), SETS),
        (rows(*((number, "a") for number in range(102))), SETS),
        (rows(("7-0", "a"), ("7-1", "b")), SETS),
    ],
)
def test_ids_from_0_are_refused_where_prompts_do_not_tell(tmp_path: Path, content: str, sets: PromptSets) -> None:
    plan = plan_of(saved(tmp_path, {"de_unspecific.jsonl": content}), prompt_sets=sets)
    assert plan.has_losses
    assert "begin at 0" in plan.runs[0].faults[0]


def test_a_file_that_begins_at_0_stops_the_other_files_of_its_run(tmp_path: Path) -> None:
    # The second part of the same list has no 0, and the same fault.
    parts = {"de_a_part1.jsonl": rows((0, "a"), (1, "b")), "de_a_part2.jsonl": rows((2, "c"), (3, "d"))}
    plan = plan_of(saved(tmp_path, parts))
    assert [bool(run.faults) for run in plan.runs] == [True]


def test_a_file_that_is_not_placed_is_not_said_to_hold_ids_of_another_kind(tmp_path: Path) -> None:
    # Its name says unspecific; as its ids begin at 0 no row of it is placed, so nothing is known of its ids.
    plan = plan_of(saved(tmp_path, {"de_unspecific.jsonl": rows((0, "a"), (1, "b"))}))
    assert not [change.what for run in plan.runs for change in run.changes if "the ids count" in change.what]
    told = plan_of(saved(tmp_path / "told", {"de_specific.jsonl": rows((1, "a"), (2, "b"))}))
    assert [change.what for run in told.runs for change in run.changes if "the ids count" in change.what] == [
        "its name says specific, its ids are unspecific: the ids count"
    ]


def test_a_variant_counted_from_0_is_not_placed_by_its_line(tmp_path: Path) -> None:
    # Item 011 has two variants; "-0" names none of them.
    content = json.dumps([{"id": "011-1", "answer": "second"}, {"id": "011-0", "answer": "first"}])
    plan = plan_of(saved(tmp_path, {"x.json": content}), choices=Choices(edition="2024"))
    assert plan.has_losses
    assert not any(run.rows for run in plan.runs)


# --- prompts of other ids --------------------------------------------------------------------------------------------


def test_prompts_of_other_ids_are_refused_with_their_count_and_first_place(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"de_unspecific.jsonl": lines(("1", PROMPTS[2]), ("2", PROMPTS[3]), ("3", PROMPTS[3]))})
    (fault,) = faults(folder)
    assert "the prompts beside 2 of 3 ids are those of other ids (lines 1, 2; first that of 2 beside 1)" in fault


def test_a_prefix_before_every_prompt_does_not_hide_that_they_are_of_other_ids(tmp_path: Path) -> None:
    before = "Answer in one sentence, please. "
    folder = saved(tmp_path, {"de_unspecific.jsonl": lines(("1", before + PROMPTS[2]), ("2", before + PROMPTS[3]))})
    assert "beside 2 of 2 ids" in faults(folder)[0]
    right = saved(tmp_path / "right", {"de_unspecific.jsonl": lines(("1", before + PROMPTS[1]))})
    assert not faults(right)


def test_prompts_that_resemble_no_official_one_are_refused_unless_they_are_said_to_be_own_wording(
    tmp_path: Path,
) -> None:
    folder = saved(tmp_path, {"de_unspecific.jsonl": lines(("1", "Quo vadis?"), ("2", "Nihil!"), ("3", PROMPTS[3]))})
    assert "2 of 3 prompts are not those of their ids" in faults(folder)[0]
    assert not faults(folder, choices=Choices(has_own_prompts=True))
    moved = saved(tmp_path / "moved", {"de_unspecific.jsonl": lines(("1", PROMPTS[2]))})
    assert faults(moved, choices=Choices(has_own_prompts=True))


def test_a_prompt_that_was_mended_in_another_release_is_no_fault(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"de_unspecific.jsonl": lines(("1", PROMPTS[1].replace("buy", "usually buy")))})
    assert not faults(folder)


def test_answers_of_2024_beside_the_prompts_of_other_variants_are_refused(tmp_path: Path) -> None:
    item = BARE.demonstration.items[0]
    said = [{"response": f"a {variant.number}", "prompt": variant.prompt} for variant in item.variants]
    said[0]["prompt"] = said[1]["prompt"]
    plan = plan_of(saved(tmp_path, {"x.json": of_2024((item.id, said))}))
    assert "those of other ids" in plan.runs[0].faults[0]


# --- answers without a place -----------------------------------------------------------------------------------------


def test_an_answer_with_an_id_of_no_prompt_is_a_loss(tmp_path: Path) -> None:
    plan = plan_of(saved(tmp_path, {"de_unspecific.jsonl": rows(("1", "a"), ("2", "b"), ("999", "c"))}))
    assert plan.has_losses
    assert len(plan.runs[0].rows["de", "unspecific"]) == 2
    assert 'ids that the edition does not have, first the text "999"' in plan.aside[0].why


def test_ids_of_the_demonstration_sets_are_never_taken_for_the_newest_edition(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"answers_en.jsonl": rows(*((str(number), "a") for number in range(901, 920)))})
    plan = plan_of(folder)
    assert not plan.runs
    assert plan.is_edition_open
    assert "say --edition 2024, 2025 or 2026" in plan.aside[0].why
    (run,) = plan_of(folder, choices=Choices(edition="2025")).runs
    assert run.edition == "2025"


def test_prompts_tell_of_which_demonstration_set_a_file_is(tmp_path: Path) -> None:
    first = BARE.demonstration_2025.items[0]
    asked = next(variant for variant in first.variants if variant.language == "en")
    (run,) = plan_of(saved(tmp_path, {"en.jsonl": lines((first.id, asked.prompt or ""))})).runs
    assert run.edition == "2025"


# --- rows that contradict themselves ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"id": "1", "answer": "REFERENCE", "response": "said"}, '"answer" and "response" hold different answers in'),
        ({"id": "1", "answer": None, "output": "said"}, '"answer" and "output" hold different answers'),
        ({"id": "1", "answer": "REFERENCE", "model_response": "said"}, '"answer" and "model_response" hold different'),
        ({"id": "1", "answer": "said", "responses": ["other"]}, '"answer" and "responses" hold different answers'),
        ({"id": "1", "question_id": "2", "answer": "said"}, '"id" and "question_id" hold different ids'),
        ({"questionid": 1, "answer": "gold", "turns": [{"answer": "said"}]}, '"turns" and "answer" hold different'),
    ],
)
def test_a_row_that_says_two_things_is_refused(tmp_path: Path, row: dict[str, Any], what: str) -> None:
    plan = plan_of(saved(tmp_path, {"de_unspecific.jsonl": json.dumps(row)}))
    assert not plan.runs
    assert plan.has_losses
    assert what in plan.aside[0].why


def test_two_keys_with_the_same_answer_are_no_fault(tmp_path: Path) -> None:
    row = {"id": "1", "qid": "row-1", "answer": "said", "response": "said", "responses": ["said"]}
    (run,) = plan_of(saved(tmp_path, {"de_unspecific.jsonl": json.dumps(row)})).runs
    assert run.rows["de", "unspecific"]["1"].answer == "said"


# --- several runs in one file ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["run", "run_id", "submissionid"])
def test_a_run_that_is_a_number_is_a_run(tmp_path: Path, key: str) -> None:
    content = "".join(
        json.dumps({"id": item_id, key: number, "answer": f"{item_id} {number}"}) + "\n"
        for item_id in ("1", "2")
        for number in range(3)
    )
    plan = plan_of(saved(tmp_path, {"llama_de.jsonl": content}))
    assert not plan.has_losses
    # The three answers to a prompt do not make it a file of 2024.
    assert {(run.edition, run.names.run): run.rows["de", "unspecific"]["2"].answer for run in plan.runs} == {
        ("2026", f"llama-{number}"): f"2 {number}" for number in range(3)
    }


def test_a_number_that_counts_the_rows_is_no_run(tmp_path: Path) -> None:
    content = "".join(json.dumps({"id": str(n), "run_id": n + 40, "answer": "a"}) + "\n" for n in range(1, 5))
    (run,) = plan_of(saved(tmp_path, {"llama_de.jsonl": content})).runs
    assert len(run.rows["de", "unspecific"]) == 4


def test_answers_that_contradict_each_other_are_one_fault_that_names_what_differs(tmp_path: Path) -> None:
    content = "".join(
        json.dumps({"id": item_id, "seed": seed, "answer": f"{item_id} {seed}"}) + "\n"
        for item_id in ("1-1", "1-2", "1-3")
        for seed in (7, 8)
    )
    (fault,) = plan_of(saved(tmp_path, {"llama_de.jsonl": content})).runs[0].faults
    assert "prompt 1-1 in de has two different answers" in fault
    assert "(and 2 prompts more)" in fault
    assert 'they differ in "seed" (7, 8)' in fault


def test_a_nameless_column_as_pandas_writes_it_names_no_model(tmp_path: Path) -> None:
    rows_of_csv = "".join(f"{index},{number},to {text}\n" for index, (number, text) in enumerate(PROMPTS.items()))
    plan = plan_of(saved(tmp_path, {"de_unspecific.csv": f",id,answer\n{rows_of_csv}"}), prompt_sets=SETS)
    (run,) = plan.runs
    assert run.names.model is None


def test_an_id_that_no_release_has_is_refused_beside_the_prompt_of_another(tmp_path: Path) -> None:
    last = max(PROMPTS)
    plan = plan_of(saved(tmp_path, {"de_unspecific.jsonl": lines((last + 1, PROMPTS[last]))}), prompt_sets=SETS)
    (fault,) = [fault for run in plan.runs for fault in run.faults]
    assert f"first that of {last} beside {last + 1}" in fault
