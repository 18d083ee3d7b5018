"""A small real model, SmolLM2-135M of its wheel, is asked every kind of question: its labels are read in each.

It is far too small to judge, and the proof says so. What is held here is that its labels are read.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import torch

from evaluator.judges import transformers
from evaluator.judges.label_distribution import LOWEST_LABEL_MASS
from evaluator.judges.label_engine import LabelEngine
from evaluator.judges.prompts import SIMILARITY_PAIR, SIMILARITY_PAIR_PAPER
from evaluator.judges.proof import QUESTIONS, RUBRICS, prove
from evaluator.judges.protocol import RequestKind, Rubric
from evaluator.judges.transformers import (
    TransformersJudge,
    label_probabilities,
    label_probabilities_alone,
    load_transformers_judge,
)
from tests.smollm2_weights import kept_models


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> TransformersJudge:
    (folder,) = kept_models(tmp_path_factory).glob("smollm2-*")
    return load_transformers_judge(str(folder), None, device="cpu")


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> TransformersJudge:
    """In fp32 on every machine: in bf16, which some processors multiply, a label's probability moves by some .03."""
    (folder,) = kept_models(tmp_path_factory).glob("smollm2-*")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transformers, "best_dtype", lambda device: torch.float32)
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
def test_it_finds_the_letter_an_answer_names_in_three_of_four_which_is_no_proof(judge: TransformersJudge) -> None:
    """Each answer names one letter and not another. "A dog barks. The answer is C. dog." is read as A."""
    (letters,) = (rubric for rubric in RUBRICS if rubric.kind == "answer_letter")
    proof = prove(judge, letters)
    assert [named > other for named, other in zip(proof.high, proof.low, strict=True)] == [True, True, False, True]
    assert "cannot tell plain cases apart in answer-letter 2" in (proof.order_fault or "")


@pytest.mark.slow
@pytest.mark.parametrize("kind", QUESTIONS)
def test_its_labels_are_the_same_in_one_pass_and_alone(exact: TransformersJudge, kind: RequestKind) -> None:
    """A high and a low question of each kind: packed as on a graphics card, and each in passes of its own."""
    requests = [question.request for question in (QUESTIONS[kind]()[0], QUESTIONS[kind]()[-1])]
    forms = exact.label_forms(requests[0].rubric)
    together = label_probabilities(exact.engine, [exact.prompt_ids(request) for request in requests], forms)
    alone = label_probabilities_alone(exact.engine, [exact._fitted(request).parts for request in requests], forms)
    for packed, single in zip(together, alone, strict=True):
        assert packed == pytest.approx(single, abs=1e-4)


@pytest.mark.slow
def test_its_labels_are_those_of_writing_every_form_out(exact: TransformersJudge) -> None:
    """Each form by a pass of its own over the plain model, its tokens as the tokenizer writes the form."""
    request = QUESTIONS["similarity_pair"]()[0].request
    prompt = exact.prompt_ids(replace(request, rubric=SIMILARITY_PAIR))
    model, tokenizer = exact._model, exact._tokenizer
    engine = LabelEngine(model, token_budget=512)
    (read,) = label_probabilities(engine, [prompt], exact.label_forms(SIMILARITY_PAIR))
    with torch.inference_mode():
        begun = model(input_ids=torch.tensor([prompt]), use_cache=True)
    first = begun.logits[0, -1].float().softmax(-1)
    for place, label in enumerate(SIMILARITY_PAIR.labels):
        expected = 0.0
        for lead in ("", " ", "\n", "\n\n", "**", " **"):
            ids = tokenizer(lead + label, add_special_tokens=False)["input_ids"]
            with torch.inference_mode():
                kept = copy.deepcopy(begun.past_key_values)
                logits = model(input_ids=torch.tensor([ids]), past_key_values=kept).logits[0].float().softmax(-1)
            share = float(first[ids[0]])
            for step, token in enumerate(ids[1:]):
                share *= float(logits[step, token])
            expected += share
        assert read[place] == pytest.approx(expected, abs=1e-4)
