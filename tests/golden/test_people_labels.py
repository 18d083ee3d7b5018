"""The files of people's labels are read whole: as many rows as were rebuilt, and the faults that they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from evaluator.judge_quality.people import (
    AnsweredQuestion,
    Part,
    PeopleFile,
    part_of,
    read_answers,
    read_likeness,
    read_questions,
    read_tasks,
)
from research.answers.tasks import TASK_PARTS, tasks

Table = Callable[[str], Path]


def questions_of(golden_data: Table) -> PeopleFile[AnsweredQuestion]:
    return read_questions(golden_data("human/same_answer_nq.jsonl.gz").parent)


def test_sentence_pairs_are_as_many_in_every_language(golden_data: Table) -> None:
    for split, pairs in (("train", 5_749), ("dev", 1_500)):  # of the STS benchmark as published (Cer et al. 2017)
        file = read_likeness(golden_data(f"human/sts_{split}.jsonl.gz").parent, split)
        counts = Counter(row.language for row in file.rows)
        assert counts == dict.fromkeys(("en", "de", "es", "fr", "it", "nl", "pl"), pairs)
        assert file.faults == ()


def test_every_question_has_the_answers_that_are_no_blanks(golden_data: Table) -> None:
    file = questions_of(golden_data)
    assert len(file.rows) == 1_800
    # Five systems; three answers of one of them are absent, and one answer of another is a space.
    assert sum(len(row.answers) for row in file.rows) == 5 * 1_800 - 3 - 1
    assert [fault.partition(": ")[2] for fault in file.faults] == ["nq3277: the answer of fid is blank"]


def test_a_fifth_of_the_questions_is_held_out(golden_data: Table) -> None:
    counts = Counter(part_of(row.id) for row in questions_of(golden_data).rows)
    assert counts.total() == 1_800
    assert all(300 <= counts[part] <= 420 for part in ("held-out", "dev"))  # 360 -+ 3.5 x sqrt(1800 x 0.2 x 0.8)


def test_real_answers_stand_beside_their_prompt_and_beside_another(golden_data: Table) -> None:
    file = read_answers(golden_data("human/answers_dev.jsonl.gz").parent)
    assert Counter(row.is_answer for row in file.rows) == {True: 168, False: 168}
    assert file.faults == ()


def test_tasks_are_every_second_one_of_each_template_and_all_that_people_wrote_for_a_model(golden_data: Table) -> None:
    file = read_tasks(golden_data("human/task_outputs.jsonl.gz").parent)
    assert file.faults == ()
    counts = Counter(row.data_set for row in file.rows)
    # P3 as sampled there has 200 rows of a template: 7 templates of SAMSum, 5 of SciQ, 10 of XSum.
    assert [counts[name] for name in ("samsum", "sciq", "xsum")] == [700, 500, 1_000]
    assert len({row.template for row in file.rows if row.data_set == "seed_tasks"}) == 175  # Wang et al. 2023


def test_every_data_set_of_tasks_has_a_part_and_no_text_is_in_two(golden_data: Table) -> None:
    folder = golden_data("human/task_outputs.jsonl.gz").parent
    assert {row.data_set for row in read_tasks(folder).rows} == TASK_PARTS.keys()
    prompts = [{task.prompt for task in tasks(folder, part)} for part in get_args(Part)]
    assert sum(map(len, prompts)) == len(set().union(*prompts))
