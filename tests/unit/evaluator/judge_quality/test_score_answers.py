"""`score-answers`: JSON lines in, the probability that each text answers its prompt out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.judge_quality.json_rows import RowFileError
from evaluator.judge_quality.score_answers import Answer, score_answers, score_answers_command
from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge
from evaluator.judges.scripted import ScriptedJudge


def _tenth_of_letters(request: JudgeRequest) -> float | None:
    """A tenth of the letters of the answer; nothing about "mute"."""
    text = request.fields["answer"]
    return None if text == "mute" else len(text) / 10


def _judge(languages: tuple[str, ...] | None = None) -> ScriptedJudge:
    return ScriptedJudge(answers=_tenth_of_letters, languages=languages)


def test_each_text_gets_its_probability_in_the_order_of_the_input() -> None:
    lines = [
        '\ufeff{"id": "x", "prompt": "Why?", "answer": "abc"}'.lstrip("\ufeff"),
        "",
        '{"id": 7, "prompt": "Why?", "answer": "mute", "language": null, "note": 1}',
        '{"id": 8, "prompt": " ", "answer": "abc"}',
    ]
    rows = [json.loads(row) for row in score_answers_command(lines, [_judge()])]
    assert rows == [
        {"id": "x", "answers": 0.3, "reason": None},  # 3 letters
        {"id": 7, "answers": None, "reason": "the script gives no probability"},
        {"id": 8, "answers": None, "reason": "the prompt is blank"},
    ]


def test_other_languages_go_to_the_judge_that_reads_them() -> None:
    english, others = _judge(("en",)), _judge(("en", "sv"))
    answers = [Answer(1, "Why?", "ab"), Answer(2, "Varför?", "abc", "sv"), Answer(3, "Miks?", "abcd", "fi")]
    assert [row.id for row in score_answers(answers, [english, others])] == [1, 2, 3]
    assert (english.calls, others.calls) == (1, 2)  # what nobody reads goes to the last one, which says why not


def test_a_judge_that_cannot_be_asked_is_refused() -> None:
    with pytest.raises(UnsuitableJudge, match="scripted cannot be asked whether a text answers its prompt"):
        score_answers_command(['{"id": 1, "prompt": "Why?", "answer": "ab"}'], [ScriptedJudge()])


def test_all_bad_lines_are_named_at_once_and_nothing_is_scored() -> None:
    judge = _judge()
    lines = [
        '{"id": "fine", "prompt": "Why?", "answer": "So."}',
        "{broken",
        "7",
        '{"id": "no prompt", "answer": ["So."]}',
        '{"id": 1.5, "prompt": "Why?", "answer": "So.", "language": 3}',
        r'{"id": "half", "prompt": "\ud800", "answer": "So."}',
        "[" * 100_000,
    ]
    with pytest.raises(RowFileError) as error:
        score_answers_command(lines, [judge])
    assert error.value.problems == (
        "line 2: not JSON (Expecting property name enclosed in double quotes at column 2)",
        "line 3: expected an object with id, prompt and answer, found a number",
        'line 4: no "prompt"; "answer" must be text, found a list',
        'line 5: "language" must be text, found a number; "id" must be text or a whole number, found a number',
        'line 6: "prompt" holds half of a surrogate pair',
        "line 7: not an answer (nested too deeply)",
    )
    assert judge.calls == 0


def test_a_file_longer_than_one_batch_is_scored_whole_and_streams() -> None:
    judge = _judge()
    rows = score_answers((Answer(number, "Why?", "ab") for number in range(600)), [judge])
    assert next(rows).id == 0
    assert judge.calls == 256
    assert [row.id for row in rows] == list(range(1, 600))


def test_the_command_prints_rows_and_names_bad_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from evaluator.__main__ import main

    file = tmp_path / "answers.jsonl"
    file.write_text('{"id": 1, "prompt": "Why?", "answer": "So."}\n{"id": 2}\n', encoding="utf-8")
    assert main(["score-answers", str(file), "--judge", "scripted"]) == 2
    assert f'{file}: line 2: no "prompt"; no "answer"' in capsys.readouterr().err
