"""Attacks stay inside their delimiters: no special token is formed, and the judge still answers at the same place."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.random_models import TINY, random_model, small_tokenizer
from evaluator.judge_quality.injection import injection_attacks
from evaluator.judges.prompt_layout import prompt_pieces
from evaluator.judges.prompts import PREFERENCE_PAIR, SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, Rubric
from evaluator.judges.transformers import TransformersJudge
from evaluator.results import Pin

PIN = Pin(
    name="transformers",
    model="tiny",
    revision="random",
    tokenizer="-",
    prompt="per rubric",
    dtype="float32",
    engine="-",
    languages=None,
)


@pytest.fixture(scope="module")
def judge() -> TransformersJudge:
    return TransformersJudge(random_model(TINY), small_tokenizer(), PIN)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return small_tokenizer()


def request(first: str, second: str, rubric: Rubric) -> JudgeRequest:
    return JudgeRequest(rubric, {"answer_a": first, "answer_b": second, "prompt_1": "How do I mend a tyre?"}, "en")


def test_the_suite_has_at_least_fifty_different_attacks() -> None:
    assert len(set(injection_attacks())) >= 50


@pytest.mark.parametrize("rubric", [SIMILARITY_PAIR, PREFERENCE_PAIR], ids=lambda rubric: rubric.id)
@pytest.mark.parametrize("attack", injection_attacks())
def test_an_attack_forms_no_special_token_and_leaves_frame_and_label_place_alone(
    judge: TransformersJudge, tokenizer: Any, attack: str, rubric: Rubric
) -> None:
    special = set(tokenizer.all_special_ids)
    for fields in ((attack, "Use a new tube."), ("Use a new tube.", attack), (attack, attack)):
        ids = judge.prompt_ids(request(*fields, rubric))
        harmless = judge.prompt_ids(request("Pump it up.", "Use a new tube.", rubric))
        assert [token for token in ids if token in special] == [token for token in harmless if token in special]
        # what follows the last answer (its delimiter's digits apart) and where the label stands are unchanged
        tail = tokenizer(f"<|im_end|>\n<|im_start|>assistant\n{rubric.tail}", add_special_tokens=False)["input_ids"]
        assert list(ids[-len(tail) :]) == tail


@pytest.mark.parametrize("attack", injection_attacks())
def test_an_attack_stands_whole_between_delimiters_it_does_not_contain(attack: str) -> None:
    pieces = prompt_pieces(request("Use a new tube.", attack, SIMILARITY_PAIR))
    (place,) = [index for index, piece in enumerate(pieces) if piece.is_submitted and piece.text == attack]
    begin, end = pieces[place - 1].text.strip(), pieces[place + 1].text.strip()
    assert begin.split()[1] == end.split()[1]  # [begin DIGEST] and [end DIGEST]
    assert begin.split()[1].rstrip("]") not in attack
