"""Tasks over given texts: which data sets train, and what stands beside a task without being its output."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from evaluator.judge_quality.people import Part
from research.answers.examples import LabelledAnswer
from research.answers.tasks import (
    FEW_WORDS,
    TASK_PARTS,
    is_seed_task,
    remembered,
    task_examples,
    task_texts,
    tasks,
)
from tests.unit.research.answers.made_tasks import MADE_SETS, TITLES, write_tasks


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tasks(tmp_path)
    return tmp_path


def test_a_data_set_is_in_one_part_whole(folder: Path) -> None:
    parts = {part: {task.data_set for task in tasks(folder, part)} for part in get_args(Part)}
    assert parts == {
        "train": {"common_gen", "duorc"},
        "dev": {"quoref", "paws_labeled_final"},
        "held-out": {"sciq", "samsum", "seed_tasks"},
    }
    assert set(MADE_SETS) < TASK_PARTS.keys()


def test_texts_are_written_as_people_write_and_those_that_decline_are_left_out(folder: Path) -> None:
    own = tasks(folder, "train")
    # Eight of each of two templates of two data sets; "Not enough information" is none of them.
    assert len(own) == 2 * 2 * 8
    task = next(task for task in own if task.id == "duorc_sum-train")
    assert task.prompt.startswith("duorc writes about the train, and how it was found by train0 train1 ")
    assert task.prompt.endswith(" train19 lovers.\n\nSum this up:")
    assert task.output == "A train was found by its lovers."


def test_what_stands_beside_a_task_cannot_be_its_output(folder: Path) -> None:
    texts = task_texts(folder, "train")
    counts = Counter(text.kind for text in texts)
    assert counts["task_output"] == counts["task_other"] == 32
    # Labels have no text beside another input: there they are answers, too.
    assert 0 < counts["task_beside"] <= 16
    outputs = {(task.prompt, task.output) for task in tasks(folder, "train")}
    for text in texts:
        assert text.is_answer == (text.kind == "task_output") == ((text.prompt, text.text) in outputs)
        if text.kind == "task_other":
            assert text.text.lower().strip(".") not in text.prompt.lower()
            assert text.text not in {output for prompt, output in outputs if text.topic in prompt}
        if text.kind == "task_beside":
            assert len(text.text.split()) > FEW_WORDS
            assert not any(title in text.text and title in text.prompt for title in TITLES)


def test_an_output_of_a_seed_task_stands_beside_another_seed_task_or_a_data_set(folder: Path) -> None:
    others = [text for text in task_texts(folder, "held-out") if text.kind == "task_other" and is_seed_task(text.topic)]
    assert len(others) == len(TITLES)
    assert not any(text.prompt[len("Write about the ") : -1] in text.text for text in others)


def test_training_words_tasks_in_several_ways_and_adds_texts_that_answer_nothing(folder: Path) -> None:
    examples = task_examples(folder)
    assert examples == task_examples(folder)
    assert {example.topic.rpartition("_")[0] for example in examples} == {"common_gen", "duorc"}
    answers = [example for example in examples if example.is_answer]
    assert {example.kind for example in answers} == {"task_output"}
    assert len(answers) == 32
    prompts = [example.prompt for example in examples]
    assert any(prompt.startswith(("Sum this up:\n", "Which label fits?\n")) for prompt in prompts)
    assert any(prompt.endswith("\n") for prompt in prompts)
    assert {example.kind for example in examples} - {"task_output", "task_other", "task_beside"}


def test_a_share_of_the_earlier_examples_is_shown_again() -> None:
    earlier = [LabelledAnswer("topic", "written", f"prompt {number}", "So.") for number in range(1000)]
    again = remembered(earlier)
    assert set(again) < set(earlier)
    assert 240 < len(again) < 360  # 1,000 draws of three tenths: 300, and four standard deviations of 14.5
