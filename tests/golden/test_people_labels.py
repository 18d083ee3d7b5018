"""The files of people's labels are read whole: as many rows as were rebuilt, and the faults that they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from evaluator.judges.quality.people import (
    AnsweredQuestion,
    PeopleFile,
    part_of,
    read_answers,
    read_likeness,
    read_questions,
)

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
