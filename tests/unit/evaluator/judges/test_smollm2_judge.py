"""A small real model, SmolLM2-135M of its wheel, is asked every kind of question: its labels are read in each.

It is far too small to judge, and the proof says so. What is held here is that its labels are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

from evaluator.judges.label_distribution import LOWEST_LABEL_MASS
from evaluator.judges.label_engine import LabelEngine, Packing
from evaluator.judges.prompts import SIMILARITY_PAIR, SIMILARITY_PAIR_PAPER
from evaluator.judges.proof import QUESTIONS, RUBRICS, prove
from evaluator.judges.protocol import Rubric
from evaluator.judges.transformers import TransformersJudge, label_probabilities, load_transformers_judge
from tests.smollm2_weights import kept_models


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> TransformersJudge:
    (folder,) = kept_models(tmp_path_factory).glob("smollm2-*")
    return load_transformers_judge(str(folder), None, device="cpu")


@pytest.mark.slow
@pytest.mark.parametrize(
    "rubric", [SIMILARITY_PAIR_PAPER, *RUBRICS], ids=lambda rubric: f"{rubric.id} {rubric.version}"
)
def test_its_labels_are_read_in_every_kind_of_question(judge: TransformersJudge, rubric: Rubric) -> None:
    proof = prove(judge, rubric)
    assert proof.label_fault is None
    assert proof.lowest_mass is not None
    assert proof.lowest_mass >= LOWEST_LABEL_MASS


@pytest.mark.slow
def test_it_finds_the_letter_an_answer_names(judge: TransformersJudge) -> None:
    (letters,) = (rubric for rubric in RUBRICS if rubric.kind == "answer_letter")
    assert prove(judge, letters).fault is None


@pytest.mark.slow
def test_its_labels_are_the_same_packed_in_either_way_and_alone(judge: TransformersJudge) -> None:
    prompts = [judge.prompt_ids(question.request) for question in QUESTIONS["similarity_pair"]()[:6]]
    forms = judge.label_forms(SIMILARITY_PAIR)

    def by(packing: Packing) -> Sequence[tuple[float, ...]]:
        return label_probabilities(judge.engine, prompts, forms, packing)

    alone = by("single")
    for packing in ("tree", "whole"):
        for row, expected in zip(by(packing), alone, strict=True):
            assert row == pytest.approx(expected, abs=0.01 if judge.pin.dtype == "bfloat16" else 1e-4)


@pytest.mark.slow
def test_its_labels_are_those_of_writing_every_form_out(judge: TransformersJudge) -> None:
    """Each form by passes of its own over the plain model, its tokens as the tokenizer writes the form."""
    request = QUESTIONS["similarity_pair"]()[0].request
    prompt = judge.prompt_ids(replace(request, rubric=SIMILARITY_PAIR))
    model, tokenizer = judge._model, judge._tokenizer
    engine = LabelEngine(model, token_budget=512)
    (read,) = label_probabilities(engine, [prompt], judge.label_forms(SIMILARITY_PAIR))
    for place, label in enumerate(SIMILARITY_PAIR.labels):
        expected = 0.0
        for lead in ("", " ", "\n", "\n\n", "**", " **"):
            ids = tokenizer(lead + label, add_special_tokens=False)["input_ids"]
            with torch.inference_mode():
                logits = model(input_ids=torch.tensor([[*prompt, *ids]])).logits[0].float().softmax(-1)
            share = 1.0
            for step, token in enumerate(ids):
                share *= float(logits[len(prompt) - 1 + step, token])
            expected += share
        assert read[place] == pytest.approx(expected, abs=0.01 if judge.pin.dtype == "bfloat16" else 1e-4)
