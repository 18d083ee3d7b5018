"""`make bench-judge`: how fast the label engine judges, against generating text and against the hardware.

Random weights, random token ids of the right lengths, no network. Naive generation (48 tokens, one prompt at a time)
and the engine run in turn on the same prompts in the same process; figures are medians of three. The workloads are
those of the judging specification: W1 the ELOQUENT 2024 shape, W2 MT-bench-like, W3 the ELOQUENT 2026 shape.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, permutations
from typing import Any

import torch
import transformers

from benchmarks.provenance import commit
from benchmarks.random_models import SHAPES, Shape, random_model
from evaluator.judges.label_distribution import read_labels
from evaluator.judges.label_engine import LabelEngine, PromptParts, Work
from evaluator.judges.label_forms import LabelForms
from evaluator.judges.transformers import (
    CPU_TOKEN_BUDGET,
    GPU_TOKEN_BUDGET,
    NEAR_TIE,
    best_attention,
    best_dtype,
    is_read_alone,
    label_probabilities,
    label_probabilities_alone,
)

TokenIds = tuple[int, ...]

LABELS = ("0", "1", "2", "3", "4", "5")
LABEL_IDS = [100, 101, 102, 103, 104, 105]
LEAD_IDS = [110, 111, 112, 113, 114]
"""A space, a line break, two of them, and bold with and without a space: what a real vocabulary has a token for."""
FORMS = LabelForms(LABELS, tuple(((label,), *((lead, label) for lead in LEAD_IDS)) for label in LABEL_IDS))
"""Each label alone and behind each lead, as judges read it."""
RUBRIC_TOKENS, QUESTION_TOKENS, DELIMITER_TOKENS, TAIL_TOKENS = 140, 60, 12, 12
NAIVE_NEW_TOKENS = 48
NAIVE_SAMPLE = 6
REFERENCE_SAMPLE = 200
ROUNDS = 3

# Variants per language of the 16 items of 2024 (docs/submit.md#the-format-of-2024; `sb` read as `sv`).
ITEMS_2024 = (
    (4, 4, 4), (5, 4, 4), (4, 4, 3), (2, 2, 2, 2), (3, 3), (3, 3), (8, 6), (4, 4),
    (1, 1), (2, 2), (2,), (4, 3), (2,), (3,), (2,), (3,),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Workload:
    """Prompts to judge; `repeats` of each are asked, and cost the engine nothing."""

    prompts: list[PromptParts]
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Figures:
    """What one workload showed."""

    judgements: int
    judgements_per_s: float
    speedup_over_naive: float
    computed_tokens_per_s: float
    useful_tokens_per_s: float
    """Tokens of all prompts as asked, over the engine's time: what a computation without sharing would have needed."""
    mfu: float
    """Model-flops of the computed tokens over the bf16 matmul ceiling measured in this run."""
    max_score_difference: float
    """Largest difference in expected score (0-5) from the plain fp32 forward pass, over a sample."""
    argmax_flips: int
    argmax_flips_clear: int
    """Of these, where the two best labels of the float32 pass are at least `NEAR_TIE` apart."""
    max_score_difference_plain: float
    argmax_flips_clear_plain: int
    """As above, of plain passes in the judged dtype, one prompt at a time: what rounding does to these weights."""
    compared_with_fp32: int
    peak_memory_mb: float
    """Of the judging alone, model included: on a GPU without what the float32 model holds beside it."""


class Texts:
    """Random token ids from a fixed seed."""

    def __init__(self, vocabulary: int) -> None:
        self._dice = random.Random(2406)
        self._vocabulary = min(vocabulary, 16_000)

    def of(self, length: int) -> TokenIds:
        return tuple(self._dice.randrange(200, self._vocabulary) for _ in range(length))

    def answer(self, median: int) -> TokenIds:
        """An answer with its delimiters; lengths are log-normal."""
        length = max(8, min(1500, round(self._dice.lognormvariate(0, 0.6) * median)))
        return self.of(length + 2 * DELIMITER_TOKENS)


def _pairs(texts: Texts, rubric: TokenIds, tail: TokenIds, answers: list[TokenIds]) -> Iterator[PromptParts]:
    question = texts.of(QUESTION_TOKENS)
    for first, second in permutations(answers, 2):
        yield rubric, question + first, second + tail


def workload_1(texts: Texts, systems: int) -> Workload:
    """ELOQUENT 2024: all ordered pairs within a language, 292 judgements for each of 5 systems."""
    rubric, tail = texts.of(RUBRIC_TOKENS), texts.of(TAIL_TOKENS)
    prompts = [
        prompt
        for _ in range(systems)
        for languages in ITEMS_2024
        for variants in languages
        for prompt in _pairs(texts, rubric, tail, [texts.answer(180) for _ in range(variants)])
    ]
    return Workload(prompts)


def workload_2(texts: Texts, questions: int = 80) -> Workload:
    """MT-bench-like: 10 pairs of 5 systems per question in both orders, asked three times."""
    rubric, tail = texts.of(RUBRIC_TOKENS), texts.of(TAIL_TOKENS)
    prompts = [
        prompt
        for _ in range(questions)
        for prompt in _pairs(texts, rubric, tail, [texts.answer(180) for _ in range(5)])
    ]
    return Workload(prompts, repeats=3)


def workload_3(texts: Texts, items: int) -> Workload:
    """ELOQUENT 2026: 22 variants of 40 tokens per item, all ordered pairs."""
    rubric, tail = texts.of(RUBRIC_TOKENS), texts.of(TAIL_TOKENS)
    short = 40 + 2 * DELIMITER_TOKENS
    return Workload(
        [prompt for _ in range(items) for prompt in _pairs(texts, rubric, tail, [texts.of(short) for _ in range(22)])]
    )


def measure(
    model: Any,
    reference: Any,
    workload: Workload,
    *,
    flops: float,
    ceiling: float,
    budget: int,
    rounds: int,
    compared: int,
) -> Figures:
    """Naive generation and the engine in turn on one workload.

    Args:
        reference: The same model in float32.
        flops: Model-flops per token.
        ceiling: Flops per second of a large bf16 matrix product in this run.
        budget: Tokens per forward pass.
        rounds: How often both run; the figures are of the medians.
        compared: Prompts that the float32 model reads too.
    """
    asked = len(workload.prompts) * workload.repeats
    sample = [_joined(parts) for parts in random.Random(0).sample(workload.prompts, NAIVE_SAMPLE)]
    distinct = list(dict.fromkeys(workload.prompts))
    _generate(model, sample[0])
    engine = LabelEngine(model, token_budget=budget)
    _read(model, engine, distinct[:500])
    naive_s, engine_s = [], []
    for _ in range(rounds):
        with _Stopwatch(model) as naive:
            for prompt in sample:
                _generate(model, prompt)
        naive_s.append(naive.seconds / len(sample))
        engine.work = Work()
        _forget_peak_memory()
        with _Stopwatch(model) as judging:
            _read(model, engine, distinct)
        engine_s.append(judging.seconds)
    seconds = statistics.median(engine_s)
    peak = _peak_memory_mb(beside=reference)
    log_probabilities = _first_tokens(model, LabelEngine(model, token_budget=budget), distinct)
    places = random.Random(1).sample(range(len(distinct)), min(compared, len(distinct)))
    sampled = [_joined(distinct[place]) for place in places]
    exact = _plain(reference, sampled)
    ours, plain = (
        _Difference.between(log_probabilities[places], exact),
        _Difference.between(_plain(model, sampled), exact),
    )
    return Figures(
        judgements=asked,
        judgements_per_s=asked / seconds,
        speedup_over_naive=statistics.median(naive_s) * asked / seconds,
        computed_tokens_per_s=engine.work.computed_tokens / seconds,
        useful_tokens_per_s=sum(len(_joined(parts)) for parts in distinct) * workload.repeats / seconds,
        mfu=engine.work.computed_tokens * flops / seconds / ceiling,
        max_score_difference=ours.score,
        argmax_flips=ours.flips,
        argmax_flips_clear=ours.clear,
        max_score_difference_plain=plain.score,
        argmax_flips_clear_plain=plain.clear,
        compared_with_fp32=len(places),
        peak_memory_mb=peak,
    )


def _joined(parts: PromptParts) -> TokenIds:
    return tuple(chain(*parts))


def _read(model: Any, engine: LabelEngine, prompts: Sequence[PromptParts]) -> None:
    """Read the labels as a judge with this model does."""
    if is_read_alone(model):
        label_probabilities_alone(engine, prompts, FORMS)
    else:
        label_probabilities(engine, [_joined(parts) for parts in prompts], FORMS)


def _first_tokens(model: Any, engine: LabelEngine, prompts: Sequence[PromptParts]) -> torch.Tensor:
    """Log-probabilities of the labels without a lead, computed in the same way."""
    if is_read_alone(model):
        return engine.log_probabilities_alone(prompts, [()], LABEL_IDS)[:, 0]
    return engine.label_log_probabilities([_joined(parts) for parts in prompts], LABEL_IDS)


def _generate(model: Any, prompt: TokenIds) -> None:
    attention = model.config._attn_implementation
    model.set_attn_implementation("sdpa")  # what a script that just calls generate gets
    with torch.inference_mode():
        model.generate(
            torch.tensor([prompt], device=model.device),
            max_new_tokens=NAIVE_NEW_TOKENS,
            min_new_tokens=NAIVE_NEW_TOKENS,
            do_sample=False,
            pad_token_id=0,
        )
    model.set_attn_implementation(attention)


class _Stopwatch:
    """Seconds from entering to leaving, the device's queue emptied at both ends."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.seconds = 0.0

    def __enter__(self) -> _Stopwatch:
        _wait(self._model)
        self._began = time.perf_counter()
        return self

    def __exit__(self, *exception: object) -> None:
        _wait(self._model)
        self.seconds = time.perf_counter() - self._began


def _wait(model: Any) -> None:
    if model.device.type == "cuda":
        torch.cuda.synchronize()


@dataclass(frozen=True, slots=True)
class _Difference:
    """How far label log-probabilities are from those of float32."""

    score: float
    """The largest in the expected score."""
    flips: int
    """Best labels that are others."""
    clear: int
    """Of these, where float32 has no near tie."""

    @classmethod
    def between(cls, approximate: torch.Tensor, exact: torch.Tensor) -> _Difference:
        best = torch.softmax(exact.double(), dim=-1).topk(2, dim=-1).values
        flipped = approximate.argmax(dim=-1) != exact.argmax(dim=-1)
        return cls(
            max(abs(_expected(ours) - _expected(theirs)) for ours, theirs in zip(approximate, exact, strict=True)),
            int(flipped.sum()),
            int((flipped & (best[:, 0] - best[:, 1] >= NEAR_TIE)).sum()),
        )


def _plain(model: Any, prompts: list[TokenIds]) -> torch.Tensor:
    """Label log-probabilities of plain forward passes, one prompt at a time."""
    attention = model.config._attn_implementation
    model.set_attn_implementation("sdpa")
    rows = []
    for prompt in prompts:
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([prompt], device=model.device), logits_to_keep=1).logits[0, -1]
        rows.append(torch.log_softmax(logits.float(), dim=-1)[LABEL_IDS].cpu())
    model.set_attn_implementation(attention)
    return torch.stack(rows)


def _expected(log_probabilities: torch.Tensor) -> float:
    """Expected score under the renormalised label probabilities; random weights put little mass on labels."""
    shares = torch.softmax(log_probabilities.double(), dim=-1).tolist()
    expected = read_labels(shares, LABELS).expected
    assert expected is not None
    return expected


def _ceiling_flops(device: str, dtype: torch.dtype) -> float:
    """Flops per second of a large matrix product."""
    size = 8192 if device == "cuda" else 1024
    first, second = (torch.randn(size, size, device=device, dtype=dtype) for _ in range(2))
    best = 0.0
    for _ in range(10):
        if device == "cuda":
            torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(4):
            first @ second
        if device == "cuda":
            torch.cuda.synchronize()
        best = max(best, 4 * 2 * size**3 / (time.perf_counter() - began))
    return best


def _forget_peak_memory() -> None:
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def _peak_memory_mb(*, beside: Any) -> float:
    if torch.cuda.is_available():
        others: int = sum(weights.numel() * weights.element_size() for weights in beside.parameters())
        return (int(torch.cuda.max_memory_allocated()) - others) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _machine() -> str:
    return torch.cuda.get_device_name() if torch.cuda.is_available() else f"{platform.machine()} CPU, one thread"


def _model_flops(shape: Shape) -> float:
    """Per computed token: two for each weight of the layers (the output layer runs at the read places only)."""
    return 2.0 * (shape.parameters() - shape.vocabulary * shape.hidden)


def main() -> int:
    """Runs the workloads and prints a table, or one JSON object as the last line."""
    parser = argparse.ArgumentParser(prog="make bench-judge")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--shape", choices=list(SHAPES), default="19M")
    parser.add_argument("--workloads", default="W1,W2,W3")
    parser.add_argument("--systems", type=int, default=1, help="systems of W1 (5 in the full shape)")
    parser.add_argument("--items", type=int, default=2, help="items of W3 (200 in the full shape; a rate needs fewer)")
    parser.add_argument("--questions", type=int, default=4, help="questions of W2 (80 in the full shape)")
    parser.add_argument("--budget", type=int, help="tokens per forward pass")
    parser.add_argument(
        "--attention", choices=("eager", "sdpa", "flex_attention"), help="else the fastest of the device"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each way runs")
    parser.add_argument("--compared", type=int, default=REFERENCE_SAMPLE, help="prompts read by a float32 model too")
    parser.add_argument("--fp32", action="store_true", help="judge in float32")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        torch.set_num_threads(1)
    dtype = torch.float32 if options.fp32 else best_dtype(device)
    shape = SHAPES[options.shape]
    attention = options.attention or best_attention(device, dtype)
    model = random_model(shape, dtype=dtype, device=device, attention=attention)
    reference = random_model(shape, dtype=torch.float32, device=device)
    # The same seed draws other numbers in another dtype where a tensor is large and on a GPU.
    reference.load_state_dict(model.state_dict())
    ceiling = _ceiling_flops(device, torch.bfloat16 if device == "cuda" else dtype)
    texts = Texts(shape.vocabulary)
    makers: dict[str, Callable[[], Workload]] = {
        "W1": lambda: workload_1(texts, options.systems),
        "W2": lambda: workload_2(texts, options.questions),
        "W3": lambda: workload_3(texts, options.items),
    }
    budget = options.budget or (GPU_TOKEN_BUDGET if device == "cuda" else CPU_TOKEN_BUDGET)
    report: dict[str, Any] = {
        "machine": _machine(),
        "commit": commit(),
        "shape": options.shape,
        "parameters": shape.parameters(),
        "dtype": str(dtype).removeprefix("torch."),
        "attention": attention,
        "versions": f"torch {torch.__version__}, transformers {transformers.__version__}",
        "token_budget": budget,
        "ceiling_tflops": ceiling / 1e12,
        "workloads": {},
    }
    for name in options.workloads.split(","):
        figures = measure(
            model,
            reference,
            makers[name](),
            flops=_model_flops(shape),
            ceiling=ceiling,
            budget=budget,
            rounds=options.rounds,
            compared=options.compared,
        )
        report["workloads"][name] = asdict(figures)
        print(f"{name}: " + ", ".join(f"{key} {value:.4g}" for key, value in asdict(figures).items()), flush=True)
    if options.json:
        print(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
