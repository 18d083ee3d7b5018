"""What says of languages other than English whether a text answers: with vectors that can be worked out by hand."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from evaluator.embeddings.centres import Centres
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_quality.answers.quality import reaches_bar, shipped_language_quality
from evaluator.judge_quality.labelled_pairs import Split
from evaluator.judges.answers.non_answers import native_sentences
from evaluator.judges.answers.other_languages import (
    HeadsByLanguage,
    LanguagesCalibration,
    LinearHead,
    TrainedPart,
    load_heads,
    pair_features,
)
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
from research.answers.examples import FALSE_KINDS, REAL_KINDS, labelled_answers
from research.answers.examples_by_language import EMPTY, _rows, example_runs, languages, written_in
from research.answers.other_languages_training import (
    Recipe,
    language_quality_text,
    trained_linear_head,
)
from research.answers.other_languages_training import (
    test_texts as texts_to_measure,
)

DOCS = Path(__file__).parents[5] / "docs" / "answer_gate.md"
DIMENSION = 64


def head(languages: tuple[str, ...] = ("sv", "de"), gates: tuple[str, ...] = ("sv", "de")) -> LinearHead:
    """Looks at the product of the two vectors alone: its logit is 10 cosines less 2."""
    weights = np.concatenate([np.zeros(DIMENSION), np.full(DIMENSION, 10.0), np.zeros(DIMENSION), [-2.0]])
    trained = TrainedPart(weights)
    calibration = LanguagesCalibration(
        id="c", version="1", intercept=0.0, weights={"linear": 1.0}, fitted_on="nothing", gates=gates
    )
    centres = {language: np.zeros(DIMENSION, dtype=np.float32) for language in languages}
    return LinearHead(ScriptedEmbedder(DIMENSION), languages, trained, calibration, Centres(centres))


def asked(prompt: str, answer: str, language: str = "sv") -> JudgeRequest:
    return JudgeRequest(ANSWERS, {"prompt_1": prompt, "answer": answer}, language)


def test_the_linear_head_weighs_the_text_and_both_together_by_coordinate() -> None:
    found = pair_features(np.array([1.0, 2.0], np.float32), np.array([3.0, -1.0], np.float32))
    assert found.tolist() == [3.0, -1.0, 3.0, -2.0, 2.0, 3.0]


def test_a_text_is_as_sure_an_answer_as_its_vectors_say() -> None:
    same, other = head().judge([asked("ris", "ris"), asked("ris", "tåg")])
    assert same.distribution is not None
    assert other.distribution is not None
    # Cosine 1: logit 8; cosine 0: logit -2.
    assert same.distribution[0] == pytest.approx(1 / (1 + math.exp(-8)))
    assert other.distribution[0] == pytest.approx(1 / (1 + math.exp(2)))


def test_a_text_in_another_language_than_its_prompt_answers_nothing() -> None:
    english = "Boil the rice in salted water for about ten minutes, then drain it and let it rest."
    in_swedish, in_german = head().judge([asked("Hur kokar jag ris?", english), asked("ris", "ris", "de")])
    assert (in_swedish.distribution, in_swedish.verdict) == ((0.0, 1.0), "B")
    assert in_german.verdict == "A"


def test_nothing_is_said_of_blank_texts_and_languages_that_are_not_read() -> None:
    blank, unread = head().judge([asked("ris", " "), asked("ris", "ris", "kn")])
    assert blank.reason == "the answer is blank"
    assert unread.reason == "whether a text answers is not known in 'kn'"


def test_english_goes_to_the_answer_head_and_the_rest_to_the_other() -> None:
    heads = HeadsByLanguage(ScriptedJudge(answers=lambda request: 0.25), head())
    english, swedish = heads.judge([asked("ris", "ris", "en"), asked("ris", "ris")])
    assert english.distribution == (0.25, 0.75)
    assert swedish.verdict == "A"
    assert set(heads.pin.languages or ()) == {"de", "en", "sv"}
    assert heads.key(asked("ris", "ris")) == head().key(asked("ris", "ris")) != heads.key(asked("ris", "ris", "en"))
    assert heads.pin != HeadsByLanguage(ScriptedJudge(), head(("sv",))).pin


def test_where_the_head_missed_its_bar_only_other_languages_and_repeated_prompts_answer_nothing() -> None:
    ungated = head(("sv", "de"), gates=("de",))
    english = "Boil the rice in salted water for about ten minutes, then drain it and let it rest."
    real, refusal, repeated, foreign = ungated.judge(
        [
            asked("Hur kokar jag brunt ris?", "Tio minuter i saltat vatten."),
            asked("Hur kokar jag brunt ris?", "Det svarar jag inte på."),
            asked("Hur kokar jag brunt ris?", "kokar brunt ris"),
            asked("Hur kokar jag brunt ris?", english),
        ]
    )
    assert [one.distribution for one in (real, refusal)] == [(1.0, 0.0), (1.0, 0.0)]
    assert [one.distribution for one in (repeated, foreign)] == [(0.0, 1.0), (0.0, 1.0)]
    assert ungated.pin != head().pin


def test_texts_of_one_split_are_in_no_other_and_nothing_of_the_null_rows_is_trained_on() -> None:
    splits: tuple[Split, ...] = ("train", "validation", "test")
    for language in languages("train"):
        texts = {split: {one.text for one in written_in(language, split)} for split in splits}
        topics = {split: {one.topic for one in written_in(language, split)} for split in splits}
        for one, other in combinations(splits, 2):
            assert texts[one].isdisjoint(texts[other])
            assert topics[one].isdisjoint(topics[other])
    null = {sentence for one in ("de", "fi", "sv") for some in native_sentences(one).values() for sentence in some}
    assert null.isdisjoint(row["sentence"] for row in _rows(EMPTY))
    seen = {one.text for split in ("train", "validation") for one in labelled_answers(split)}
    for language, examples in texts_to_measure().items():
        assert {one.kind for one in examples} <= {*REAL_KINDS, *FALSE_KINDS}, language
        assert seen.isdisjoint(one.text for one in examples)
    assert native_sentences("kn") == {}
    assert example_runs("fi") == []


@pytest.mark.slow
def test_a_training_in_small_writes_a_head_that_loads_and_gates_where_it_reached_its_bar(tmp_path: Path) -> None:
    embedder = ScriptedEmbedder(384)
    made = trained_linear_head(embedder, tmp_path, Recipe(answers=20, others=20, terse=5, times=1))
    assert (tmp_path / "other_languages_quality.json").exists()
    loaded = load_heads(ScriptedJudge(), embedder, ("sv",), tmp_path)
    assert made.calibration.gates == tuple(one for one in made.quality if reaches_bar(made.quality[one]))
    assert loaded.judge([asked("ris", "ris")])[0].distribution is not None


def test_the_page_says_what_was_measured_and_where_the_head_gates() -> None:
    page = " ".join(DOCS.read_text(encoding="utf-8").split())
    quality = shipped_language_quality()
    large = {language: measured for language, measured in quality.items() if measured.answers >= 30}
    for row in language_quality_text(large).splitlines():
        assert row in page
    small = {language: measured for language, measured in quality.items() if language not in large}
    assert {(measured.examples, measured.answers) for measured in small.values()} == {(48, 8)}
    gated = ", ".join(language for language in small if reaches_bar(small[language]))
    others = ", ".join(language for language in small if not reaches_bar(small[language]))
    assert f"{gated} reach the bar and {others} do not" in page
    assert set(quality) == set(languages("test"))
