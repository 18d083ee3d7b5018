"""How the pair judge was made: from labelled pairs to the trained part that ships, on two CPU cores or a GPU."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import save_file
from torch import nn

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.embeddings.protocol import Embedder
from evaluator.judges.calibration import Calibration, fitted, sharpened
from evaluator.judges.pair import perturbations
from evaluator.judges.pair.judge import ADAPTER, AGREEMENT, CALIBRATION, SAME_SENTENCES, pair_features
from evaluator.judges.pair.network import (
    RANK,
    Adapter,
    PairNetwork,
    PairTokenizer,
    adapter_of,
    apply_adapter,
    batch,
    freeze_embeddings,
    untrained_network,
)
from evaluator.judges.pair.reading import reading
from evaluator.judges.quality.contrast_sets import contrast_sets
from evaluator.judges.quality.labelled_pairs import LabelledPair, pairs_digest
from evaluator.judges.quality.long_answers import edited_pairs
from evaluator.judges.quality.measurement import auc
from evaluator.judges.quality.small_model_answers import small_model_pairs
from evaluator.judges.quality.viewpoint_pairs import viewpoint_pairs

KEEPS_MEANING: tuple[perturbations.Perturbation, ...] = (
    perturbations.reordered,
    perturbations.contracted,
    perturbations.reworded,
)
BREAKS_MEANING: tuple[perturbations.Perturbation, ...] = (
    perturbations.negated,
    perturbations.number_changed,
    perturbations.time_changed,
    perturbations.roles_swapped,
    perturbations.opposed,
)

CALIBRATION_VERSION = "6"

_SAYS_MORE = frozenset({"extra_detail", "added_warning", "refusal_with_content"})
"""Equivalents that say more than the anchor: what follows for a third text is not certain."""
_SAYS_NOTHING_ABOUT_IT = frozenset({"off_topic", "refusal", "other_word_sense"})
"""Different answers that contradict nothing, and so are no contradiction of a paraphrase either way."""


class Example(NamedTuple):
    """One training pair, as the judge reads it; the network sees it in either order."""

    a: str
    b: str
    grade: float


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything training depends on beside the pairs: the defaults are for a new network, `CONTINUED` for another."""

    epochs: float = 3.5
    batch_size: int = 32
    learning_rate: float = 1.2e-4
    head_learning_rate: float = 6e-4
    warm_up: float = 0.1
    """Share of the steps in which the learning rate rises; then it falls to nearly zero."""
    dropout: float = 0.1
    ranking: float = 0.5
    """Weight of the ranking loss: of two examples of one batch, the equivalent one is to score higher."""
    max_tokens: int = 320
    """Longer examples are left out: they cost most and teach least per minute."""
    max_perturbed_tokens: int = 120
    perturbed_share: float = 0.4
    edited_times: int = 6
    """How often an epoch shows each pair of the long answers, of which there are few."""
    small_model_times: int = 4
    """The same of the pairs of answers of a very small model."""
    seed: int = 0


CONTINUED = Recipe(
    epochs=3,
    learning_rate=1e-4,
    head_learning_rate=2e-4,
    max_tokens=260,
    max_perturbed_tokens=90,
    edited_times=2,
)
"""For a network that was trained before: fewer and smaller steps on shorter examples (`docs/embedded_judges.md`)."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far training is."""

    number: int
    of: int
    loss: float


def training_examples(
    pairs: Sequence[LabelledPair],
    tokenizer: PairTokenizer,
    embedder: Embedder,
    recipe: Recipe = Recipe(),
) -> list[Example]:
    """What one epoch shows, as the judge reads it: the pairs, what follows from them, and program-made ones."""
    randomness = random.Random(recipe.seed)
    edited = {pair.id for pair in edited_pairs()}
    beside_statements = {pair.id for of_set in (viewpoint_pairs, contrast_sets) for pair in of_set()}
    of_small_model = {pair.id for pair in small_model_pairs()}
    singly = [pair for pair in pairs if pair.id not in edited | beside_statements | of_small_model]
    perturbed = [
        example
        for example in perturbed_examples(singly, randomness)
        if _length(example, tokenizer) <= recipe.max_perturbed_tokens
    ]
    perturbed = randomness.sample(perturbed, int(len(perturbed) * recipe.perturbed_share))
    examples = [
        *(Example(pair.a, pair.b, pair.grade) for pair in singly),
        *derived_examples(singly),
        *crossed_examples(singly, randomness),
        *perturbed,
    ]
    of_long_answers = [Example(pair.a, pair.b, pair.grade) for pair in pairs if pair.id in edited]
    examples += _beside_statements([pair for pair in pairs if pair.id in beside_statements])
    answers = _beside_statements([pair for pair in pairs if pair.id in of_small_model])
    shown = [
        *_as_read(examples, tokenizer, embedder),
        *recipe.edited_times * _as_read(of_long_answers, tokenizer, embedder),
        *recipe.small_model_times * _as_read(answers, tokenizer, embedder),
    ]
    return [example for example in shown if _length(example, tokenizer) <= recipe.max_tokens]


def _beside_statements(pairs: Sequence[LabelledPair]) -> list[Example]:
    """The pairs of statements, and what follows from them."""
    return [*(Example(pair.a, pair.b, pair.grade) for pair in pairs), *derived_examples(pairs)]


def _as_read(examples: Sequence[Example], tokenizer: PairTokenizer, embedder: Embedder) -> list[Example]:
    """The examples without what both texts share; those without anything else are left out."""
    readings = [reading(example.a, example.b, tokenizer, embedder) for example in examples]
    return [
        Example(left.first, left.second, example.grade)
        for example, left in zip(examples, readings, strict=True)
        if left
    ]


def derived_examples(pairs: Sequence[LabelledPair]) -> Iterator[Example]:
    """What the answers that share an anchor are to each other.

    Two answers that both say what the anchor says are equivalent; what contradicts the anchor contradicts its
    paraphrase too, mostly in quite other words: that is what keeps word overlap from giving the label away.
    """
    for group in _by_anchor(pairs):
        same = [pair for pair in group if pair.grade >= 4 and pair.category not in _SAYS_MORE]
        different = [pair for pair in group if pair.grade <= 1 and pair.category not in _SAYS_NOTHING_ABOUT_IT]
        for paraphrase, other in combinations(same, 2):
            yield Example(paraphrase.b, other.b, min(paraphrase.grade, other.grade))
        for paraphrase in same:
            for other in different:
                yield Example(paraphrase.b, other.b, other.grade)


def crossed_examples(pairs: Sequence[LabelledPair], randomness: random.Random) -> Iterator[Example]:
    """Anchors beside other anchors: of the same topic (grade 1: another point about it) and of others (grade 0)."""
    anchors: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for pair in pairs:
        anchors[pair.topic][pair.a] = None
    for topic, own in anchors.items():
        for anchor, other in combinations(own, 2):
            if randomness.random() < SAME_TOPIC_SHARE:
                yield Example(anchor, other, 1)
        others = [text for name, texts in anchors.items() if name != topic for text in texts]
        for anchor in own:
            if others and randomness.random() < OTHER_TOPIC_SHARE:
                yield Example(anchor, randomness.choice(others), 0)


SAME_TOPIC_SHARE = 0.35
OTHER_TOPIC_SHARE = 0.3
PERTURBED_GRADE = 0.5
"""Of a text whose meaning a program broke; not 0, since some changes break little."""


def perturbed_examples(pairs: Sequence[LabelledPair], randomness: random.Random) -> Iterator[Example]:
    """Every anchor and paraphrase changed by each perturbation, beside itself or beside a paraphrase of it."""
    for group in _by_anchor(pairs):
        texts = [group[0].a, *(pair.b for pair in group if pair.grade >= 4)]
        for text in texts:
            for perturbation in (*BREAKS_MEANING, *KEEPS_MEANING):
                changed = perturbation(text, randomness)
                if changed is None or changed == text:
                    continue
                beside = text if randomness.random() < 0.5 else randomness.choice(texts)
                breaks = perturbation in BREAKS_MEANING
                yield Example(beside, changed, PERTURBED_GRADE if breaks else (5 if beside == text else 4.5))


def train(
    pairs: Sequence[LabelledPair],
    recipe: Recipe = Recipe(),
    *,
    start: Adapter | None = None,
    device: str = "cpu",
    on_step: Callable[[Step], None] = lambda step: None,
) -> tuple[PairNetwork, Adapter]:
    """Trains on pairs and returns the network as it ships (its change cut to the adapter's rank), and the adapter.

    bf16 arithmetic where the device has it. The same pairs, recipe, start and CPU give the same adapter.

    Args:
        pairs: Of the training topics.
        recipe: How it is trained.
        start: An adapter to go on from; without it training begins with the base model and a fresh head.
        device: `cpu`, or `cuda` for a GPU.
        on_step: Called after every step.

    Returns:
        Both on the CPU.
    """
    torch.manual_seed(recipe.seed)
    network, tokenizer = untrained_network(recipe.dropout), PairTokenizer()
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    if start is not None:
        apply_adapter(network, start)
    freeze_embeddings(network)
    network.to(device)
    examples = training_examples(pairs, tokenizer, MiniLMEmbedder(), recipe)
    steps = math.ceil(len(examples) * recipe.epochs / recipe.batch_size)
    optimiser = torch.optim.AdamW(
        [
            {
                "params": [parameter for parameter in network.encoder.parameters() if parameter.requires_grad],
                "lr": recipe.learning_rate,
            },
            {"params": network.head.parameters(), "lr": recipe.head_learning_rate},
        ],
        weight_decay=0.01,
        fused=True,
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: learning_rate(step, steps, recipe.warm_up))
    network.train()
    batches = _batches(examples, tokenizer, recipe)
    for number in range(1, steps + 1):
        chosen = next(batches)
        shown = batch([tokenizer.row(example.a, example.b) for example in chosen])
        wanted = torch.tensor([target_probability(example.grade) for example in chosen])
        with torch.autocast(device, dtype=torch.bfloat16, enabled=has_bf16(device)):
            logits = network(*(part.to(device) for part in shown))
        loss = ranked_loss(logits, wanted.to(device), recipe.ranking)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        on_step(Step(number, steps, float(loss.detach())))
    adapter = adapter_of(network.cpu(), base)
    network.load_state_dict(base)
    apply_adapter(network, adapter)
    return network.eval(), adapter


def _by_anchor(pairs: Sequence[LabelledPair]) -> Iterator[list[LabelledPair]]:
    groups: defaultdict[tuple[str, str], list[LabelledPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.topic, pair.a].append(pair)
    yield from groups.values()


def _length(example: Example, tokenizer: PairTokenizer) -> int:
    return len(tokenizer.tokens(example.a)) + len(tokenizer.tokens(example.b))


def _batches(examples: Sequence[Example], tokenizer: PairTokenizer, recipe: Recipe) -> Iterator[list[Example]]:
    """Endless batches in random order and direction, of examples of similar length, so that little is padded."""
    randomness = random.Random(recipe.seed)
    near = 20 * recipe.batch_size
    while True:
        shuffled = randomness.sample(examples, len(examples))
        batches: list[list[Example]] = []
        for start in range(0, len(shuffled), near):
            chunk = sorted(shuffled[start : start + near], key=lambda example: _length(example, tokenizer))
            batches += [chunk[at : at + recipe.batch_size] for at in range(0, len(chunk), recipe.batch_size)]
        randomness.shuffle(batches)
        for chosen in batches:
            yield [
                example if randomness.random() < 0.5 else Example(example.b, example.a, example.grade)
                for example in chosen
            ]


def ranked_loss(logits: torch.Tensor, wanted: torch.Tensor, ranking: float) -> torch.Tensor:
    """Cross-entropy with soft targets, plus how often the batch's equivalent pairs fail to score above the others."""
    loss = nn.functional.binary_cross_entropy_with_logits(logits, wanted)
    same, different = logits[wanted > 0.5], logits[wanted < 0.5]
    if len(same) and len(different):
        loss = loss + ranking * nn.functional.softplus(different[None, :] - same[:, None]).mean()
    return loss


def target_probability(grade: float) -> float:
    """Grade 0-5 to the probability the network is to give, steep in the middle, never quite 0 or 1."""
    return 0.02 + 0.96 / (1 + math.exp(-1.6 * (grade - 2.5)))


def learning_rate(step: int, steps: int, warm_up: float) -> float:
    return min(1.0, (step + 1) / (warm_up * steps)) * max(0.02, 1 - step / steps)


def has_gpu() -> bool:
    """Whether there is a GPU to train on."""
    return torch.cuda.is_available()


def has_bf16(device: str) -> bool:
    """Whether a device (`cpu`, `cuda`) computes fast in bf16."""
    return device != "cpu" or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def calibrated(features: Sequence[Mapping[str, float]], grades: Sequence[int], *, fitted_on: str) -> Calibration:
    """The judge's calibration, from what it sees in pairs (in both orders) and their grades."""
    calibration = fitted(
        features, grades, agreement=AGREEMENT, id_="pair-calibration", version=CALIBRATION_VERSION, fitted_on=fitted_on
    )
    return sharpened(calibration, features, grades)


def trained_judge(
    pairs: Sequence[LabelledPair],
    validation: Sequence[LabelledPair],
    folder: Path,
    recipe: Recipe = Recipe(),
    *,
    start: Adapter | None = None,
    device: str = "cpu",
    on_step: Callable[[Step], None] = lambda step: None,
) -> dict[str, Any]:
    """Trains, calibrates on the validation split, and writes adapter and calibration to `folder`.

    The calibration never sees training pairs: on those the network is surer than it has a right to be.

    Returns:
        The report: pairs, examples, and how well the cut network tells the validation pairs apart.
    """
    network, adapter = train(pairs, recipe, start=start, device=device, on_step=on_step)
    save_file(adapter, folder / ADAPTER)
    return {
        "train": {"pairs": len(pairs), "topics": len({pair.topic for pair in pairs})},
        "examples": len(training_examples(pairs, PairTokenizer(), MiniLMEmbedder(), recipe)),
        **calibrated_judge(network, validation, folder),
        "rank": RANK,
        "adapter_bytes": (folder / ADAPTER).stat().st_size,
    }


def calibrated_judge(network: PairNetwork, validation: Sequence[LabelledPair], folder: Path) -> dict[str, Any]:
    """Calibrates a trained network on the validation split and writes the calibration to `folder`.

    Returns:
        How well it tells the validation pairs apart.
    """
    embedder, tokenizer = MiniLMEmbedder(), PairTokenizer()
    readings = [
        reading(*texts, tokenizer, embedder)
        for texts in (*((pair.a, pair.b) for pair in validation), *((pair.b, pair.a) for pair in validation))
    ]
    features = pair_features(network, tokenizer, embedder, [reading for reading in readings if reading])
    calibration = calibrated(
        features,
        [pair.grade for pair, read in zip((*validation, *validation), readings, strict=True) if read],
        fitted_on=pairs_digest([*validation, *validation]),
    )
    (folder / CALIBRATION).write_text(calibration.model_dump_json(indent=2) + "\n", encoding="utf-8")
    rest = iter(features)
    ratings = [calibration.rating(next(rest)) if reading else SAME_SENTENCES for reading in readings]
    scores = [(ab + ba) / 2 for ab, ba in zip(ratings[: len(validation)], ratings[len(validation) :], strict=True)]
    return {
        "validation": {
            "pairs": len(validation),
            "auc": auc(
                [score for score, pair in zip(scores, validation, strict=True) if pair.is_equivalent],
                [score for score, pair in zip(scores, validation, strict=True) if not pair.is_equivalent],
            ),
        }
    }
