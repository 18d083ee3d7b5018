"""The engine's numbers are those of a plain forward pass, however the prompts are packed."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention
from transformers.integrations import sdpa_attention

from benchmarks.random_models import TINY, Family, Shape, random_model, small_tokenizer
from evaluator.judges.label_engine import LabelEngine, Packing, PromptParts

TOKENS = [5, 6, 7, 300]
TOLERANCE = 1e-5


def prompts() -> list[tuple[int, ...]]:
    """All ordered pairs of five answers of 3 to 900 tokens behind one question, and some loners up to 4,000 tokens."""
    dice = random.Random(1)

    def text(length: int) -> tuple[int, ...]:
        return tuple(dice.randrange(400) for _ in range(length))

    question, texts, tail = text(100), [text(length) for length in (3, 40, 180, 180, 900)], (1, 2, 3)
    pairs = [question + a + b + tail for a in texts for b in texts if a is not b]
    return [*pairs, text(1), text(2), text(4000), pairs[0]]


def plain(model: Any, sequences: list[tuple[int, ...]]) -> torch.Tensor:
    """One forward pass for each prompt, every logit computed, the last position read."""
    rows = []
    with torch.inference_mode():
        for sequence in sequences:
            logits = model(input_ids=torch.tensor([sequence])).logits[0, -1]
            rows.append(torch.log_softmax(logits.float(), dim=-1)[TOKENS])
    return torch.stack(rows)


@pytest.fixture(scope="module", params=[("llama", "sdpa"), ("qwen2", "sdpa"), ("llama", "eager")], ids="-".join)
def model_and_reference(request: pytest.FixtureRequest) -> tuple[Any, torch.Tensor]:
    """A model with the attention the engine uses, and the figures of the same weights with plain sdpa."""
    family: Family
    family, attention = request.param
    reference = plain(random_model(TINY, family=family), prompts())
    return random_model(TINY, family=family, attention=attention), reference


@pytest.mark.parametrize(
    ("packing", "budget"),
    [("tree", 64), ("tree", 500), ("tree", 2_000), ("tree", 100_000), ("whole", 3_000)],
)
def test_every_packing_equals_the_plain_forward_pass(
    model_and_reference: tuple[Any, torch.Tensor], packing: Packing, budget: int
) -> None:
    model, reference = model_and_reference
    found = LabelEngine(model, token_budget=budget).label_log_probabilities(prompts(), TOKENS, packing=packing)
    assert torch.allclose(found, reference, atol=TOLERANCE, rtol=0)


@pytest.mark.filterwarnings(
    "ignore:`torch.jit.script_method` is deprecated:DeprecationWarning",  # torch's own, on its way to this attention
    "ignore:flex_attention called without torch.compile:UserWarning",
)
def test_block_sparse_attention_equals_the_plain_forward_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mask that a GPU compiles, run as it is written: one pass of three prompts, filled up to 1,024 places."""
    monkeypatch.setattr(
        "transformers.integrations.flex_attention.WrappedFlexAttention.__call__", lambda wrapped: flex_attention
    )
    sequences = prompts()[:3]
    assert max(len(sequence) for sequence in sequences) < 1_024
    engine = LabelEngine(random_model(TINY, attention="flex_attention"), token_budget=1_024)
    found = engine.label_log_probabilities(sequences, TOKENS)
    assert engine.work.computed_tokens % 1_024 == 0
    assert torch.allclose(found, plain(random_model(TINY), sequences), atol=TOLERANCE, rtol=0)


def test_the_order_of_the_prompts_changes_nothing(model_and_reference: tuple[Any, torch.Tensor]) -> None:
    model, reference = model_and_reference
    order = list(range(len(prompts())))
    random.Random(2).shuffle(order)
    shuffled = [prompts()[index] for index in order]
    found = LabelEngine(model, token_budget=2_000).label_log_probabilities(shuffled, TOKENS)
    assert torch.allclose(found, reference[order], atol=TOLERANCE, rtol=0)


def test_no_prompt_is_multiplied_with_another_in_its_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    attend = sdpa_attention.sdpa_attention_forward
    sizes = set()

    def seen(module: Any, query: torch.Tensor, key: torch.Tensor, *others: Any, **arguments: Any) -> Any:
        sizes.add((query.shape[2], key.shape[2]))
        return attend(module, query, key, *others, **arguments)

    monkeypatch.setattr(sdpa_attention, "sdpa_attention_forward", seen)
    engine = LabelEngine(random_model(TINY), token_budget=100)
    engine.label_log_probabilities([(1, 2, 3, 4, 5), (6, 7, 8), (6, 7, 9, 10)], TOKENS)
    # One pass of 10 tokens: the 5 of the first prompt, and the 5 of the others, of which 2 are shared.
    assert (engine.work.passes, sizes) == (1, {(5, 5)})


def in_parts(prompt: tuple[int, ...]) -> PromptParts:
    """Up to 100 tokens that many begin with, up to 40 more, and the rest, of at least one token."""
    head = min(100, len(prompt) - 1)
    middle = min(head + 40, len(prompt) - 1)
    return prompt[:head], prompt[head:middle], prompt[middle:]


@pytest.mark.parametrize("budget", [64, 500])
def test_prompts_side_by_side_equal_the_plain_forward_pass(monkeypatch: pytest.MonkeyPatch, budget: int) -> None:
    sequences = [prompt for prompt in prompts() if len(prompt) < 2_000]
    reference = plain(random_model(TINY), sequences)
    passes = []
    for agrees in (False, True):
        monkeypatch.setattr(LabelEngine, "_agree_side_by_side", lambda engine, tokens, said=agrees: said)
        engine = LabelEngine(random_model(TINY, attention="eager"), token_budget=budget)
        found = engine.log_probabilities_alone([*map(in_parts, sequences)], [()], TOKENS)[:, 0]
        assert torch.allclose(found, reference, atol=TOLERANCE, rtol=0)
        passes.append(engine.work.passes)
    assert passes[0] > passes[1]


def test_a_prompt_has_the_same_bits_beside_any_others() -> None:
    shape = Shape(hidden=384, layers=2, heads=6, key_value_heads=2, intermediate=1024, vocabulary=400)
    model = random_model(shape, dtype=torch.bfloat16, attention="eager")
    parts = [in_parts(prompt) for prompt in prompts() if len(prompt) < 1_000]
    endings = [(), (9,), (9, 10)]
    together = LabelEngine(model, token_budget=512).log_probabilities_alone(parts, endings, TOKENS)
    engine = LabelEngine(model, token_budget=512)
    for batch in (1, 3):
        rows = [
            engine.log_probabilities_alone(parts[start : start + batch], endings, TOKENS)
            for start in range(0, len(parts), batch)
        ]
        assert torch.equal(torch.cat(rows), together)
    assert torch.equal(engine.log_probabilities_alone(parts[::-1], endings, TOKENS).flip(0), together)


class _KeepsItsAttention:
    """A model that does not hand on to its attention what stands in a pass."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.config, self.device, self.dtype = model.config, model.device, model.dtype
        self.set_attn_implementation = model.set_attn_implementation

    def __call__(self, *, parts: object = None, **arguments: Any) -> Any:
        return self._model(**arguments)


def test_prompts_stand_alone_where_a_trial_gives_other_figures() -> None:
    sequences = prompts()[:3]
    engine = LabelEngine(_KeepsItsAttention(random_model(TINY, attention="eager")), token_budget=500)
    found = engine.log_probabilities_alone([*map(in_parts, sequences)], [()], TOKENS)[:, 0]
    assert torch.allclose(found, plain(random_model(TINY), sequences), atol=TOLERANCE, rtol=0)


def test_shared_prefixes_are_computed_once() -> None:
    engine = LabelEngine(random_model(TINY), token_budget=64)
    question = tuple(range(50))
    engine.label_log_probabilities([(*question, 60, index) for index in range(100, 110)], TOKENS)
    assert engine.work.prompt_tokens == 520  # ten prompts of 52 tokens
    assert engine.work.computed_tokens == 61  # 51 shared tokens and one of its own for each prompt


def test_no_prompt_is_no_work() -> None:
    engine = LabelEngine(random_model(TINY), token_budget=64)
    assert engine.label_log_probabilities([], TOKENS).shape == (0, 4)
    assert engine.work.passes == 0


class _ShortOfMemory:
    """A model whose passes of more than `most` tokens run out of memory."""

    def __init__(self, model: Any, most: int) -> None:
        self._model = model
        self._most = most
        self.config, self.device, self.dtype = model.config, model.device, model.dtype

    def __call__(self, **arguments: Any) -> Any:
        if arguments["input_ids"].shape[1] > self._most:
            raise torch.OutOfMemoryError
        return self._model(**arguments)


def test_out_of_memory_halves_the_budget_and_goes_on(model_and_reference: tuple[Any, torch.Tensor]) -> None:
    model, reference = model_and_reference
    engine = LabelEngine(_ShortOfMemory(model, 600), token_budget=2_000)
    found = engine.label_log_probabilities(prompts(), TOKENS)
    assert torch.allclose(found, reference, atol=TOLERANCE, rtol=0)


def test_a_model_that_never_fits_says_so() -> None:
    engine = LabelEngine(_ShortOfMemory(random_model(TINY), 10), token_budget=2_000)
    with pytest.raises(torch.OutOfMemoryError):
        engine.label_log_probabilities(prompts(), TOKENS)


def test_the_librarys_own_decision_pipeline_gives_the_same_label_shares() -> None:
    from transformers import pipeline
    from transformers.decision import DecisionConfig, label_token_ids

    model, tokenizer, config = random_model(TINY), small_tokenizer(), DecisionConfig()
    request = {
        "state": "I was charged twice.",
        "questions": {
            "better": {"type": "choice", "instructions": "Which is better?", "criteria": {"A": "first", "B": "second"}},
            "alike": {"type": "score", "instructions": "How alike?", "criteria": ["not", "some", "all"]},
        },
    }
    decide = pipeline("decision", model=model, tokenizer=tokenizer, decision_config=config)
    theirs = [list(answer["probabilities"].values()) for answer in decide(request).values()]
    engine = LabelEngine(model, token_budget=64)
    ours = []
    for inputs, questions in config.prepare_inputs(request, tokenizer):
        for question, mark in zip(questions, inputs["marks"].tolist(), strict=True):
            prompt = tuple(inputs["input_ids"][0, :mark].tolist())
            labels = list(label_token_ids(tokenizer, tuple(question.labels)))
            ours.append(torch.softmax(engine.label_log_probabilities([prompt], labels)[0], -1).tolist())
    assert len(ours) == 2
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(other, abs=1e-5)
