"""How the answer head was made: from labelled answers to the trained part and the calibration that ship."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.embeddings.protocol import Embedder, Vectors, text_vectors
from evaluator.judges.answers.calibration import fit_calibration
from evaluator.judges.answers.examples import LabelledAnswer
from evaluator.judges.answers.features import answer_features
from evaluator.judges.answers.judge import CALIBRATION, OTHERS, TRAINED
from evaluator.judges.answers.network import Row, load_network, make_trainable, row, trained_part, untrained, windows
from evaluator.judges.pair.network import Adapter, PairNetwork, PairTokenizer, apply_adapter, batch
from evaluator.judges.quality.measurement import auc


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything training depends on beside the examples; the defaults made the shipped part."""

    epochs: float = 1.8
    batch_size: int = 32
    learning_rate: float = 1e-3
    warm_up: float = 0.06
    """Share of the steps in which the learning rate rises; then it falls to nearly zero."""
    dropout: float = 0.1
    smoothing: float = 0.02
    """The network is never asked to be surer than this."""
    others: int = 128
    """Prompts of the training topics whose vectors ship: what a text is compared with beside its own prompt."""
    seed: int = 0


UNLEARNED = frozenset({"other_item"})
"""Kinds the network is not shown: whether a real answer belongs to this prompt, a network of this size does not learn
from so few prompts (validation AUC .59 when it was shown them); nearness in the embeddings tells it (.94)."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far training is."""

    number: int
    of: int
    loss: float


def train(
    examples: Sequence[LabelledAnswer],
    recipe: Recipe = Recipe(),
    *,
    on_step: Callable[[Step], None] = lambda step: None,
) -> tuple[PairNetwork, Adapter]:
    """Trains on examples and returns the network as it ships, and its trained part.

    bf16 arithmetic where the CPU has it. The same examples, recipe, machine and number of threads give the same bytes.
    """
    torch.manual_seed(recipe.seed)
    examples = [example for example in examples if example.kind not in UNLEARNED]
    network, tokenizer = untrained(recipe.dropout), PairTokenizer()
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    make_trainable(network)
    learning = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(learning, lr=recipe.learning_rate, weight_decay=0.01)
    steps = math.ceil(len(examples) * recipe.epochs / recipe.batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step, steps, recipe.warm_up))
    network.train()
    batches = _batches(examples, tokenizer, recipe)
    for number in range(1, steps + 1):
        rows, wanted = next(batches)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=_has_bf16()):
            logits = network(*batch(rows))
        loss = nn.functional.binary_cross_entropy_with_logits(logits, wanted)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learning, 1.0)
        optimiser.step()
        schedule.step()
        on_step(Step(number, steps, float(loss.detach())))
    trained = trained_part(network, base)
    shipped = untrained(recipe.dropout)
    apply_adapter(shipped, trained)
    return shipped.eval(), trained


def trained_head(
    examples: Sequence[LabelledAnswer],
    validation: Sequence[LabelledAnswer],
    folder: Path,
    recipe: Recipe = Recipe(),
    *,
    on_step: Callable[[Step], None] = lambda step: None,
) -> dict[str, Any]:
    """Trains, calibrates on the validation split, and writes trained part and calibration to `folder`.

    Returns:
        The report: examples, topics, and how well answers of the validation split are told from other texts.
    """
    _, trained = train(examples, recipe, on_step=on_step)
    embedder = MiniLMEmbedder()
    others = _others(examples, embedder, recipe)
    save_file({**trained, OTHERS: torch.from_numpy(others)}, folder / TRAINED)
    network = load_network(folder / TRAINED)
    asked = [(example.prompt, example.text) for example in validation]
    features = answer_features(network, PairTokenizer(), embedder, others.astype(np.float32), asked)
    calibration = fit_calibration(features, validation)
    (folder / CALIBRATION).write_text(calibration.model_dump_json(indent=2) + "\n", encoding="utf-8")
    said = list(zip((calibration.probability(row) for row in features), validation, strict=True))
    return {
        "train": {"examples": len(examples), "topics": len({example.topic for example in examples})},
        "validation": {
            "examples": len(validation),
            "auc": auc(
                [p for p, example in said if example.is_answer], [p for p, example in said if not example.is_answer]
            ),
        },
        "bytes": (folder / TRAINED).stat().st_size,
    }


def _others(examples: Sequence[LabelledAnswer], embedder: Embedder, recipe: Recipe) -> Vectors:
    """Vectors of some prompts, in half precision; shape (prompts, dimension)."""
    prompts = list(dict.fromkeys(example.prompt for example in examples))
    chosen = random.Random(recipe.seed).sample(prompts, min(recipe.others, len(prompts)))
    return text_vectors(embedder, chosen).astype(np.float16)


def _batches(
    examples: Sequence[LabelledAnswer], tokenizer: PairTokenizer, recipe: Recipe
) -> Iterator[tuple[list[Row], torch.Tensor]]:
    """Endless batches in random order, of examples of similar length, so that little is padded; half of each answers.

    Of a long text a random window is shown.
    """
    dice = random.Random(recipe.seed)
    low, high = recipe.smoothing, 1 - recipe.smoothing
    cut = [
        (
            [row(tokenizer.tokens(example.prompt), window, tokenizer) for window in windows(example.text, tokenizer)],
            example,
        )
        for example in examples
    ]
    cut = [(rows, example) for rows, example in cut if rows]
    near = 20 * recipe.batch_size
    while True:
        shuffled = dice.sample(cut, len(cut))
        batches: list[list[tuple[list[Row], LabelledAnswer]]] = []
        for start in range(0, len(shuffled), near):
            chunk = sorted(shuffled[start : start + near], key=lambda rows_and_example: len(rows_and_example[0][0][0]))
            batches += [chunk[at : at + recipe.batch_size] for at in range(0, len(chunk), recipe.batch_size)]
        dice.shuffle(batches)
        for chosen in batches:
            wanted = torch.tensor([high if example.is_answer else low for _, example in chosen])
            yield [dice.choice(rows) for rows, _ in chosen], wanted


def _rate(step: int, steps: int, warm_up: float) -> float:
    return min(1.0, (step + 1) / (warm_up * steps)) * max(0.02, 1 - step / steps)


def _has_bf16() -> bool:
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
