"""How the answer head was made: from real and written answers to the trained part and the calibration that ship.

It goes on from an earlier trained part, which knows the constructed texts that answer nothing already.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judge_quality.measurement import auc
from evaluator.judges.answers.calibration import AnswerCalibration
from evaluator.judges.answers.features import answer_features
from evaluator.judges.answers.judge import CALIBRATION, OTHERS, TRAINED
from evaluator.judges.answers.network import load_network, make_trainable, row, trained_part, untrained, windows
from evaluator.judges.pair.network import Adapter, PairTokenizer, Row, batch
from research.answers.examples import LabelledAnswer
from research.answers.fitting import CAUTION, CHOSEN, fit_calibration
from research.runs import Step, learning_rate


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything training depends on beside the examples; the defaults made the shipped part."""

    epochs: float = 1.0
    batch_size: int = 32
    learning_rate: float = 7e-4
    warm_up: float = 0.06
    """Share of the steps in which the learning rate rises; then it falls to nearly zero."""
    dropout: float = 0.1
    smoothing: float = 0.02
    """The network is never asked to be surer than this."""
    seed: int = 0


def train(
    examples: Sequence[LabelledAnswer],
    start: Adapter,
    recipe: Recipe = Recipe(),
    *,
    on_step: Callable[[Step], None] = lambda step: None,
) -> Adapter:
    """Trains on examples, going on from an earlier trained part, and returns what ships.

    Args:
        examples: Prompts with texts.
        start: An earlier trained part; empty = from the base model.
        recipe: Everything else.
        on_step: Called after every step.
    """
    torch.manual_seed(recipe.seed)
    network, tokenizer = untrained(recipe.dropout), PairTokenizer()
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    make_trainable(network, start)
    learning = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(learning, lr=recipe.learning_rate, weight_decay=0.01)
    steps = math.ceil(len(examples) * recipe.epochs / recipe.batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: learning_rate(step, steps, recipe.warm_up))
    network.train()
    batches = _batches(examples, tokenizer, recipe)
    for number in range(1, steps + 1):
        rows, wanted = next(batches)
        loss = nn.functional.binary_cross_entropy_with_logits(network(*batch(rows)), wanted)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learning, 1.0)
        optimiser.step()
        schedule.step()
        on_step(Step(number, steps, float(loss.detach())))
    return trained_part(network, base)


def trained_head(
    examples: Sequence[LabelledAnswer],
    validation: Sequence[LabelledAnswer],
    folder: Path,
    start: Path,
    recipe: Recipe = Recipe(),
    *,
    on_step: Callable[[Step], None] = lambda step: None,
) -> dict[str, Any]:
    """Trains, calibrates on the validation split, and writes trained part and calibration to `folder`.

    Args:
        examples: `people.mixed_examples`, or fewer.
        validation: What the calibration is fitted on.
        folder: Where both are written.
        start: File of the trained part it goes on from; the vectors of other prompts in it are kept.
        recipe: Everything else.
        on_step: Called after every step of training.

    Returns:
        The report: examples, topics, and how well answers of the validation split are told from other texts.
    """
    earlier = load_file(start)
    save_file(train(examples, earlier, recipe, on_step=on_step) | {OTHERS: earlier[OTHERS]}, folder / TRAINED)
    calibration, features = calibrate(folder / TRAINED, validation)
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


def calibrate(trained: Path, validation: Sequence[LabelledAnswer]) -> tuple[AnswerCalibration, list[dict[str, float]]]:
    """Fits the calibration of a trained part; returns it with what the head sees in each example."""
    others = load_file(trained)[OTHERS].numpy().astype(np.float32)
    asked = [(example.prompt, example.text) for example in validation]
    features = answer_features(load_network(trained), PairTokenizer(), MiniLMEmbedder(), others, asked)
    return fit_calibration(features, validation, chosen=CHOSEN, caution=CAUTION), features


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
