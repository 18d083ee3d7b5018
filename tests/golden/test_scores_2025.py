"""The 2025 acceptance data: consistency between the languages of one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.consistency.figures import consistency_summary
from evaluator.robustness.edition_results import QuestionResult
from evaluator.robustness.figures import PairRating, group_result
from evaluator.robustness.group_results import ResponseResult

TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def scores(own_data: Path) -> Any:
    return json.loads((own_data / "eloquent/examples/scores_2025.json").read_text(encoding="utf-8"))


def question_of(example: dict[str, Any]) -> QuestionResult:
    languages = tuple(example["languages"])
    place = {language: number for number, language in enumerate(languages, start=1)}
    answers = [ResponseResult(variant=number, flags=(), blank=False) for number in place.values()]
    ratings = {(place[pair["a"]], place[pair["b"]]): PairRating(pair["ab"], pair["ba"]) for pair in example["pairs"]}
    group = group_result("", answers, ratings)
    return QuestionResult(id=str(example["questionid"]), languages=languages, final=group, first_turn=group)


def test_every_question_has_the_published_mean_and_worst_pair(scores: Any) -> None:
    assert len(scores["questions"]) == 5
    for example in scores["questions"]:
        figures = question_of(example).final.figures
        assert figures["pair_mean"] == pytest.approx(example["expected"]["C"], abs=TOLERANCE)
        assert figures["pair_worst"] == pytest.approx(example["expected"]["W"], abs=TOLERANCE)


def test_the_run_has_the_published_figures(scores: Any) -> None:
    expected = scores["expected"]
    found = consistency_summary([question_of(example) for example in scores["questions"]])
    mean = found.figures["consistency"]
    assert mean.value == pytest.approx(expected["mean"], abs=TOLERANCE)
    assert found.figures["worst"].value == pytest.approx(expected["worst_pair_mean"], abs=TOLERANCE)
    assert (mean.n, mean.n + mean.unscored) == (expected["questions_judged"], expected["questions_total"])
    by_language = {language: figures["consistency"].value for language, figures in found.by_language.items()}
    assert by_language == pytest.approx(expected["by_language"], abs=TOLERANCE)
