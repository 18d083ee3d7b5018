"""`compare-bases`: untrained encoders beside the pair judge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evaluator.judge_quality.people import part_of
from research.__main__ import main
from research.pair.bases import ReadText, answer_features, rarity
from tests.unit.evaluator.judge_quality.made_people import write_people

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


def read(words: str, *vectors: list[float]) -> ReadText:
    return ReadText(np.array(vectors[0]), tuple(words.split()), np.array(vectors, np.float32))


def alike(word: str) -> float:
    return 1.0


def test_what_the_shorter_answer_says_stands_in_the_longer_one() -> None:
    longer, shorter = read("dai yongge", EAST, NORTH), read("yongge", NORTH)
    # beyond the question: dai, yongge | yongge. Nearest words: dai 0, yongge 1, mean 1/2 | yongge 1.
    # In both: one word, of one | of two. The cosine is that of east and north.
    expected = (0.0, 1.0, 0.5, 1.0, 0.5)
    assert answer_features("Who owns Reading?", longer, shorter, alike) == expected
    assert answer_features("Who owns Reading?", shorter, longer, alike) == expected


def test_words_of_the_question_do_not_count() -> None:
    first, second = read("reading rovers", EAST, EAST), read("reading united", EAST, NORTH)
    assert answer_features("Who plays at Reading?", first, second, alike)[1:] == (0.0, 0.0, 0.0, 0.0)
    # Without a word beyond the question all of them count. Nearest to reading and to rovers is reading, which points
    # the same way (1 and 1); nothing points where united does (1 and 0). One word of two is in both.
    assert answer_features("reading rovers united", first, second, alike)[1:] == (1.0, 0.5, 0.5, 0.5)


def test_rare_words_weigh_more() -> None:
    weight = rarity([read("sea", EAST), read("sea tide", EAST, NORTH)])
    assert weight("sea") == pytest.approx(np.log(3 / 2.5))
    assert weight("tide") == pytest.approx(np.log(3 / 1.5))


def test_the_command_puts_an_encoder_beside_the_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare-bases", "--people", str(write_people(tmp_path / "people", "en", questions=60)), "--base"]
    assert main([*command, "minilm", "--judge", "scripted", "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)
    assert figures["base"] == "minilm"
    chosen = [number for number in range(60) if part_of(f"nq{number}") == "dev"]
    assert figures["same_answer"]["together"]["n"] == 3 * len(chosen)  # of three answers, two right: every pair counts
    # "Jane Austen" has all words of "Austen", "George Eliot" none of either.
    assert figures["same_answer"]["same words"]["value"] == 1.0
    with pytest.raises(SystemExit):
        main([*command, "nobody"])
    assert "nobody" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*command, "scripted"])
    assert "--base scripted: expected encoders in this process" in capsys.readouterr().err
