"""Real answers of real systems: how they are split, shown and counted, on questions made up here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_quality.answers.quality import ANSWERING, TITLES, shipped_people_quality
from evaluator.judges.scripted import ScriptedJudge
from research.answers.people import measured_answers, mixed_examples, questions
from research.answers.people_quality import (
    RealText,
    let_through,
    measure_people,
    people_quality_text,
)
from tests.unit.research.answers.made_tasks import write_tasks


def answers(number: int) -> Mapping[str, object]:
    return {
        "fid": {"text": f"Anna {number}", "correct": True},
        "gpt4": {"text": f"The mayor of town {number} is Anna {number}, as far as anybody knows.", "correct": True},
        "gpt35": {"text": f"I'm sorry, I do not know who the mayor of town {number} is.", "correct": False},
        "chatgpt": {"text": " ", "correct": False},
        "newbing": {"text": f"Bo {number} has been the mayor of the town since 2010.", "correct": False},
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"id": f"nq{number}", "question": f"who is the mayor of town {number}", "gold": f"Anna {number}/A. {number}"}
        | {"answers": answers(number)}
        for number in range(60)
    ]
    with gzip.open(tmp_path / "same_answer_nq.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    chats = [
        {"id": f"{number}-{real}", "prompt": f"Tell me about town {number}.", "answer": "So it is.", "answers": real}
        for number in range(10)
        for real in (True, False)
    ]
    with gzip.open(tmp_path / "answers_dev.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in chats)
    write_tasks(tmp_path)
    return tmp_path


def test_a_question_is_in_one_split_alone_and_blank_and_declining_answers_in_none(folder: Path) -> None:
    splits = [questions(folder, split) for split in ("train", "validation", "test")]
    assert sorted(one.id for split in splits for one in split) == sorted(f"nq{number}" for number in range(60))
    assert len(splits[0]) > len(splits[1]) > 0 < len(splits[2])
    for one in splits[0]:
        # A wrong answer is an answer; one that declines is none, and a blank one is not shown.
        assert set(one.answers) == {"fid", "gpt4", "newbing"}
        assert one.gold[0].startswith("Anna")


def test_each_answer_is_measured_beside_its_question_and_beside_another_of_the_same_split(folder: Path) -> None:
    asked = {one.text for one in questions(folder, "test")}
    examples = measured_answers(folder, "test")
    assert len(examples) == 2 * 3 * len(asked)
    assert {example.prompt for example in examples} <= asked
    for own, other in zip(examples[::2], examples[1::2], strict=True):
        assert own.text == other.text
        assert (own.is_answer, other.is_answer) == (True, False)
        assert own.prompt != other.prompt
        assert own.kind == ("people_short" if own.text.startswith("Anna") else "people_long")


def test_training_sees_no_question_of_another_split_and_is_the_same_each_time(folder: Path) -> None:
    embedder = ScriptedEmbedder()
    examples = mixed_examples(folder, embedder)
    assert examples == mixed_examples(folder, embedder)
    held_out = {one.text for split in ("validation", "test") for one in questions(folder, split)}
    assert not {example.prompt.lower().rstrip("?") for example in examples} & held_out
    kinds = {example.kind: example.is_answer for example in examples}
    assert {kinds[kind] for kind in ("people_short", "people_long", "long_reply")} == {True}
    assert {kinds[kind] for kind in ("people_other", "long_reply_other", "other_item")} == {False}


def test_shares_are_counted_with_intervals_over_prompts() -> None:
    texts = [RealText(("long",), f"prompt {number}", "So.") for number in range(10)]
    (quality,) = let_through(texts, [0.5, *[0.9] * 7, 0.4, None])
    # 8 of the 9 that were scored lie at 0.5 or above
    assert quality.share.value == pytest.approx(8 / 9)
    assert (quality.share.n, quality.share.unscored, quality.prompts) == (9, 1, 9)
    assert quality.share.low is not None
    assert quality.share.low < 8 / 9


def test_the_interval_of_tasks_is_over_templates() -> None:
    # Seven templates of three prompts each, of which all pass or none.
    places = [(f"prompt {number}", f"template {number % 7}", 0.9 if number % 7 < 4 else 0.1) for number in range(21)]
    chances = [chance for _, _, chance in places]
    (by_template,) = let_through(
        [RealText(("task",), prompt, "So.", template) for prompt, template, _ in places], chances
    )
    (by_prompt,) = let_through([RealText(("task",), prompt, "So.") for prompt, _, _ in places], chances)
    assert (by_template.prompts, by_prompt.prompts) == (7, 21)
    assert by_template.share.value == by_prompt.share.value == pytest.approx(4 / 7)
    widths = [(share.high or 0.0) - (share.low or 0.0) for share in (by_template.share, by_prompt.share)]
    assert widths[0] > 1.3 * widths[1]  # sqrt(3) times as wide, less what the methods add to each


def test_a_judge_that_takes_everything_for_an_answer_lets_everything_through(folder: Path) -> None:
    quality = measure_people(ScriptedJudge(answers=lambda request: 1.0), folder)
    assert {one.texts for one in quality} == set(TITLES)
    assert {one.share.value for one in quality} == {1.0}
    assert people_quality_text(quality).count("\n") == len(TITLES) + 1


def test_a_missing_folder_is_named_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from research.__main__ import main

    with pytest.raises(SystemExit):
        main(["train-answer-head", "--people", str(tmp_path), "--out", str(tmp_path / "out")])
    assert "same_answer_nq.jsonl.gz" in capsys.readouterr().err


def test_the_shipped_head_reaches_the_bars_of_real_answers() -> None:
    """Bars set before the head was trained: real answers pass, what belongs to another prompt does not."""
    measured = {one.texts: one.share.value or 0.0 for one in shipped_people_quality()}
    assert set(measured) == set(TITLES)
    # Fewest and most that pass; the chat replies have a half that no choice saw, 86 texts each.
    least = {"long": 0.97, "short_right": 0.95, "chat": 0.97, "chat_reported": 0.97}
    most = {"long_other": 0.05, "chat_other": 0.05, "one_text": 0.10}
    assert not {texts for texts, bar in least.items() if measured[texts] < bar}
    assert not {texts for texts, bar in most.items() if measured[texts] > bar}
    assert set(TITLES) >= ANSWERING
