"""How the pair judge was made: from labelled pairs to the trained part that ships, on two CPU cores or a GPU."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
from safetensors.torch import save_file
from torch import nn

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.embeddings.protocol import Embedder
from evaluator.judge_quality.contrast_sets import contrast_sets
from evaluator.judge_quality.labelled_pairs import EQUIVALENT_GRADE, LabelledPair
from evaluator.judge_quality.long_answers import edited_pairs, viewpoint_pairs
from evaluator.judge_quality.measurement import auc
from evaluator.judge_quality.people import (
    SAME,
    Part,
    part_of,
    read_likeness,
    read_questions,
    same_answer_pairs,
)
from evaluator.judge_quality.small_model_answers import small_model_pairs
from evaluator.judges.calibration import Calibration, fitted, sharpened
from evaluator.judges.pair.judge import (
    ADAPTER,
    AGREEMENT,
    CALIBRATION,
    SAME_SENTENCES,
    PairCalibrations,
    pair_features,
)
from evaluator.judges.pair.network import (
    RANK,
    Adapter,
    PairNetwork,
    PairTokenizer,
    adapter_of,
    apply_adapter,
    batch,
    freeze_lower_part,
    untrained_network,
)
from evaluator.judges.pair.reading import reading
from research.pair import perturbations
from research.runs import Step, learning_rate

KEEPS_MEANING: tuple[perturbations.Perturbation, ...] = (
    perturbations.reordered,
    perturbations.contracted,
    perturbations.reworded,
    perturbations.turned_round,
    perturbations.phrase_moved,
    perturbations.number_written,
    perturbations.synonym_put,
    perturbations.article_dropped,
)
BREAKS_MEANING: tuple[perturbations.Perturbation, ...] = (
    perturbations.negated,
    perturbations.number_changed,
    perturbations.time_changed,
    perturbations.roles_swapped,
    perturbations.opposed,
)

CALIBRATION_VERSION = "8"

ALIKE: Mapping[str, float] = {"answers": 0.0, "sentences": 2.0}
"""How much surer each calibration is where the cosine is 1. Sentences in nearly the same words say the same or not; two
answers to one question are alike anyway."""

_SAYS_MORE = frozenset({"extra_detail", "added_warning", "refusal_with_content"})
"""Equivalents that say more than the anchor: what follows for a third text is not certain."""
_SAYS_NOTHING_ABOUT_IT = frozenset({"off_topic", "refusal", "other_word_sense"})
"""Different answers that contradict nothing, and so are no contradiction of a paraphrase either way."""

Source = Literal["sentences", "answers", "pairs", "sets", "derived", "crossed", "kept", "broken"]
"""Where examples come from: pairs of sentences that people scored (STS); pairs of answers that people called right or
wrong (EVOUNA); our labelled pairs, our sets of pairs around one statement, and what follows from the pairs; our anchors
beside each other; texts that a program changed so that what they say is kept, or broken."""

SHOWN: Mapping[Source, int] = {
    "sentences": 6_000,
    "answers": 3_000,
    "pairs": 2_000,
    "sets": 1_000,
    "derived": 300,
    "crossed": 100,
    "kept": 2_500,
    "broken": 1_500,
}
"""Most examples of each source in one epoch, drawn anew for each: about half of them are people's."""

BOTH_RIGHT = 4.3
ONE_RIGHT = 0.7
"""Grades of two answers to one question of which people called both right, or one: two right answers may add different
details, and a wrong one may be right today."""


class Example(NamedTuple):
    """One training pair, as the judge reads it; the network sees it in either order."""

    a: str
    b: str
    grade: float
    question: str = ""
    source: Source = "pairs"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything training depends on beside the pairs; the defaults made the shipped network."""

    epochs: float = 2.5
    batch_size: int = 32
    learning_rate: float = 1e-4
    head_learning_rate: float = 3e-4
    warm_up: float = 0.08
    """Share of the steps in which the learning rate rises; then it falls to nearly zero."""
    dropout: float = 0.1
    frozen_layers: int = 3
    """Lower layers that stay as the start has them: they cost a third of the time."""
    ranking: float = 0.4
    """Weight of the ranking loss: of two examples of one source in a batch, the one of higher grade is to be above."""
    max_tokens: int = 260
    """Longer examples are left out: they cost most and teach least per minute."""
    question_share: float = 0.75
    """Of the examples whose question is known, so many show it: the judge must do without."""
    seed: int = 0


def training_examples(
    pairs: Sequence[LabelledPair], people: Sequence[Example], randomness: random.Random
) -> dict[Source, list[Example]]:
    """Everything an epoch is drawn from: people's pairs, ours, what follows from ours, and program-made ones.

    Args:
        pairs: Ours, of the training topics.
        people: `people_examples` of the training part.
        randomness: Draws which anchors stand beside each other, and what programs change.
    """
    of_sets = {
        pair.id for of_set in (viewpoint_pairs, contrast_sets, small_model_pairs, edited_pairs) for pair in of_set()
    }
    singly = [pair for pair in pairs if pair.id not in of_sets]
    examples: dict[Source, list[Example]] = {source: [] for source in SHOWN}
    for example in people:
        examples[example.source].append(example)
    examples["pairs"] = [Example(pair.a, pair.b, pair.grade, pair.prompt_a) for pair in singly]
    examples["sets"] = [
        Example(pair.a, pair.b, pair.grade, pair.prompt_a, "sets") for pair in pairs if pair.id in of_sets
    ]
    examples["derived"] = list(derived_examples(singly))
    examples["crossed"] = list(crossed_examples(singly, randomness))
    texts = [text for example in people for text in (example.a, example.b) if len(text.split()) in CHANGED_WORDS]
    for example in changed_examples(list(dict.fromkeys(texts)), randomness):
        examples[example.source].append(example)
    return examples


CHANGED_WORDS = range(5, 60)
"""Words of a text that a program changes."""


def changed_examples(texts: Sequence[str], randomness: random.Random) -> Iterator[Example]:
    """Each text beside what each perturbation makes of it."""
    for text in texts:
        for perturbation in (*BREAKS_MEANING, *KEEPS_MEANING):
            changed = perturbation(text, randomness)
            if changed is not None and changed != text:
                breaks = perturbation in BREAKS_MEANING
                yield Example(text, changed, BROKEN_GRADE if breaks else 5, source="broken" if breaks else "kept")


def people_examples(folder: Path, part: Part) -> list[Example]:
    """Pairs that people labelled: scored sentences (English STS), and two answers to one question (EVOUNA).

    Two answers of which people said that neither is right say nothing about each other, and are left out.

    Args:
        folder: With the files that `make golden-data` writes.
        part: `train`, or `dev` for every choice and the calibration.

    Raises:
        PeopleFileError: when a file is missing or cannot be read.
    """
    sentences = read_likeness(folder, "train" if part == "train" else "dev").rows
    examples = [Example(row.a, row.b, row.score, source="sentences") for row in sentences if row.language == LANGUAGE]
    questions = [row for row in read_questions(folder).rows if part_of(row.id) == part]
    return examples + [
        Example(pair.a, pair.b, BOTH_RIGHT if pair.grade == SAME else ONE_RIGHT, pair.prompt_a or "", "answers")
        for pair in same_answer_pairs(questions)
    ]


LANGUAGE = "en"


def epoch_examples(
    examples: Mapping[Source, Sequence[Example]],
    tokenizer: PairTokenizer,
    embedder: Embedder,
    recipe: Recipe,
    randomness: random.Random,
) -> list[Example]:
    """The examples of one epoch as the judge reads them: without what both texts share, in a random direction."""
    drawn = [
        example
        for source, number in SHOWN.items()
        for example in randomness.sample(examples[source], min(number, len(examples[source])))
    ]
    shown = []
    for example in drawn:
        read = reading(example.a, example.b, tokenizer, embedder)
        question = example.question if randomness.random() < recipe.question_share else ""
        if read is not None:
            texts = (read.first, read.second) if randomness.random() < 0.5 else (read.second, read.first)
            shown.append(Example(*texts, example.grade, question, example.source))
    return [example for example in shown if _length(example, tokenizer) <= recipe.max_tokens]


def derived_examples(pairs: Sequence[LabelledPair]) -> Iterator[Example]:
    """What the answers that share an anchor are to each other.

    Two answers that both say what the anchor says are equivalent; what contradicts the anchor contradicts its
    paraphrase too, mostly in quite other words: that is what keeps word overlap from giving the label away.
    """
    for group in _by_anchor(pairs):
        same = [pair for pair in group if pair.grade >= 4 and pair.category not in _SAYS_MORE]
        different = [pair for pair in group if pair.grade <= 1 and pair.category not in _SAYS_NOTHING_ABOUT_IT]
        for paraphrase, other in combinations(same, 2):
            yield Example(paraphrase.b, other.b, min(paraphrase.grade, other.grade), source="derived")
        for paraphrase in same:
            for other in different:
                yield Example(paraphrase.b, other.b, other.grade, source="derived")


def crossed_examples(pairs: Sequence[LabelledPair], randomness: random.Random) -> Iterator[Example]:
    """Anchors beside other anchors: of the same topic (grade 1: another point about it) and of others (grade 0)."""
    anchors: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for pair in pairs:
        anchors[pair.topic][pair.a] = None
    for topic, own in anchors.items():
        for anchor, other in combinations(own, 2):
            if randomness.random() < SAME_TOPIC_SHARE:
                yield Example(anchor, other, 1, source="crossed")
        others = [text for name, texts in anchors.items() if name != topic for text in texts]
        for anchor in own:
            if others and randomness.random() < OTHER_TOPIC_SHARE:
                yield Example(anchor, randomness.choice(others), 0, source="crossed")


SAME_TOPIC_SHARE = 0.35
OTHER_TOPIC_SHARE = 0.3
BROKEN_GRADE = 0.5
"""Of a text whose meaning a program broke; not 0, since some changes break little."""


def train(
    pairs: Sequence[LabelledPair],
    people: Sequence[Example],
    recipe: Recipe = Recipe(),
    *,
    start: Adapter | None = None,
    device: str = "cpu",
    on_step: Callable[[Step], None] = lambda step: None,
) -> tuple[PairNetwork, Adapter]:
    """Trains and returns the network as it ships (its change cut to the adapter's rank), and the adapter.

    bf16 arithmetic where the device has it. The same pairs, recipe, start and CPU give the same adapter.

    Args:
        pairs: Ours, of the training topics.
        people: `people_examples` of the training part.
        recipe: How it is trained.
        start: An adapter to go on from; without it training begins with the base model and a fresh head.
        device: `cpu`, or `cuda` for a GPU.
        on_step: Called after every step.

    Returns:
        Both on the CPU.
    """
    torch.manual_seed(recipe.seed)
    network, tokenizer, embedder = untrained_network(recipe.dropout), PairTokenizer(), MiniLMEmbedder()
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    if start is not None:
        apply_adapter(network, start)
    freeze_lower_part(network, recipe.frozen_layers)
    network.to(device)
    randomness = random.Random(recipe.seed)
    examples = training_examples(pairs, people, randomness)
    batches = _batches(lambda: epoch_examples(examples, tokenizer, embedder, recipe, randomness), tokenizer, recipe)
    first = next(batches)
    steps = math.ceil(len(first) * recipe.epochs)
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
    for number, chosen in enumerate(islice(chain(first, chain.from_iterable(batches)), steps), start=1):
        shown = batch([tokenizer.row(example.a, example.b, example.question) for example in chosen])
        wanted = torch.tensor([target_probability(example.grade) for example in chosen])
        with torch.autocast(device, dtype=torch.bfloat16, enabled=has_bf16(device)):
            logits = network(*(part.to(device) for part in shown))
        loss = ranked_loss(logits, wanted.to(device), [example.source for example in chosen], recipe.ranking)
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


def _batches(
    epoch: Callable[[], Sequence[Example]], tokenizer: PairTokenizer, recipe: Recipe
) -> Iterator[list[list[Example]]]:
    """The batches of each epoch, endlessly, in random order, of examples of similar length: little is padded."""
    randomness = random.Random(recipe.seed)
    near = 20 * recipe.batch_size
    while True:
        examples = epoch()
        shuffled = randomness.sample(examples, len(examples))
        batches: list[list[Example]] = []
        for start in range(0, len(shuffled), near):
            chunk = sorted(shuffled[start : start + near], key=lambda example: _length(example, tokenizer))
            batches += [chunk[at : at + recipe.batch_size] for at in range(0, len(chunk), recipe.batch_size)]
        randomness.shuffle(batches)
        yield batches


CLEARLY_ABOVE = 0.15
"""Difference of two targets from which the order of their logits is asked for."""


def ranked_loss(logits: torch.Tensor, wanted: torch.Tensor, sources: Sequence[str], ranking: float) -> torch.Tensor:
    """Cross-entropy with soft targets, plus how far a batch's examples are from the order of their targets.

    Two examples are compared where they are of one source and their targets clearly differ; the difference is the
    weight. People and we do not grade by one scale, so that examples of two sources say nothing about each other.
    """
    loss = nn.functional.binary_cross_entropy_with_logits(logits, wanted)
    for source in set(sources):
        is_of_source = torch.tensor([other == source for other in sources], device=logits.device)
        own, targets = logits[is_of_source], wanted[is_of_source]
        above = targets[:, None] - targets[None, :]
        weight = torch.where(above > CLEARLY_ABOVE, above, torch.zeros_like(above))
        if weight.sum() > 0:
            missed = nn.functional.softplus(own[None, :] - own[:, None])
            loss = loss + ranking * is_of_source.float().mean() * (missed * weight).sum() / weight.sum()
    return loss


def target_probability(grade: float) -> float:
    """Grade 0-5 to the probability the network is to give, steep in the middle, never quite 0 or 1."""
    return 0.02 + 0.96 / (1 + math.exp(-1.6 * (grade - 2.5)))


def has_gpu() -> bool:
    """Whether there is a GPU to train on."""
    return torch.cuda.is_available()


def has_bf16(device: str) -> bool:
    """Whether a device (`cpu`, `cuda`) computes fast in bf16."""
    return device != "cpu" or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def calibrated(
    features: Sequence[Mapping[str, float]], grades: Sequence[float], *, id_: str, fitted_on: str, alike: float
) -> Calibration:
    """A calibration of the judge, from what it sees in pairs (in both orders) and their grades."""
    calibration = fitted(
        features, grades, agreement=AGREEMENT, id_=id_, version=CALIBRATION_VERSION, fitted_on=fitted_on, alike=alike
    )
    return sharpened(calibration, features, grades)


def trained_judge(
    pairs: Sequence[LabelledPair],
    validation: Sequence[LabelledPair],
    people: Path,
    folder: Path,
    recipe: Recipe = Recipe(),
    *,
    start: Adapter | None = None,
    device: str = "cpu",
    on_step: Callable[[Step], None] = lambda step: None,
) -> dict[str, Any]:
    """Trains, calibrates on what was kept for choosing, and writes adapter and calibration to `folder`.

    The calibration never sees training pairs: on those the network is surer than it has a right to be.

    Returns:
        The report: pairs, and how well the cut network tells the pairs kept for choosing apart.
    """
    labelled = people_examples(people, "train")
    network, adapter = train(pairs, labelled, recipe, start=start, device=device, on_step=on_step)
    save_file(adapter, folder / ADAPTER)
    return {
        "train": {"pairs": len(pairs), "topics": len({pair.topic for pair in pairs}), "people": len(labelled)},
        **calibrated_judge(network, validation, people, folder),
        "rank": RANK,
        "adapter_bytes": (folder / ADAPTER).stat().st_size,
    }


CALIBRATED_ON = 800
"""Most pairs of each source that a calibration is fitted on, so that none outweighs the others."""

CHANGED = 160
"""... and of sentences that a program changed: with 400 of them the scores agreed with people less (on STS dev 0.864
instead of 0.874), and the pairs of `near_copies.tsv` were told apart no better."""


def calibrated_judge(
    network: PairNetwork, validation: Sequence[LabelledPair], people: Path, folder: Path
) -> dict[str, Any]:
    """Calibrates a trained network on pairs kept for choosing, people's and ours, and writes both calibrations.

    Returns:
        How well it tells them apart, for each source.
    """
    embedder, tokenizer = MiniLMEmbedder(), PairTokenizer()
    calibrations: dict[str, Calibration] = {}
    agreement: dict[str, dict[str, float | None]] = {}
    for name, examples in calibration_examples(validation, people).items():
        readings = [
            reading(*texts, tokenizer, embedder, example.question)
            for example in examples
            for texts in ((example.a, example.b), (example.b, example.a))
        ]
        features = pair_features(network, tokenizer, embedder, [read for read in readings if read])
        grades = [example.grade for example in examples for _ in "ab"]
        calibrations[name] = calibrated(
            features,
            [grade for grade, read in zip(grades, readings, strict=True) if read],
            id_="pair-calibration",
            fitted_on=examples_digest(examples),
            alike=ALIKE[name],
        )
        rest = iter(features)
        ratings = [calibrations[name].rating(next(rest)) if read else SAME_SENTENCES for read in readings]
        scores = [(ab + ba) / 2 for ab, ba in zip(ratings[::2], ratings[1::2], strict=True)]
        agreement |= {
            source: _agreement(
                [(score, example) for score, example in zip(scores, examples, strict=True) if example.source == source]
            )
            for source in dict.fromkeys(example.source for example in examples)
        }
    both = PairCalibrations(**calibrations)
    (folder / CALIBRATION).write_text(both.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return {"validation": agreement}


def calibration_examples(validation: Sequence[LabelledPair], people: Path) -> dict[str, list[Example]]:
    """Pairs kept for choosing, at most `CALIBRATED_ON` of each source, the same ones each time.

    Returns:
        `answers`: pairs whose question is known, people's and ours; `sentences`: those that people scored without
        one, and sentences of theirs that a program changed.
    """
    of_people = people_examples(people, "dev")
    sentences = [example for example in of_people if example.source == "sentences"]
    texts = [example.a for example in sentences if len(example.a.split()) in CHANGED_WORDS]
    return {
        "answers": [
            *_drawn([example for example in of_people if example.source == "answers"]),
            *_drawn([Example(pair.a, pair.b, pair.grade, pair.prompt_a) for pair in validation]),
        ],
        "sentences": [
            *_drawn(sentences),
            *_drawn(list(changed_examples(texts, random.Random(0))), CHANGED),
        ],
    }


def _drawn(examples: Sequence[Example], most: int = CALIBRATED_ON) -> list[Example]:
    return random.Random(0).sample(examples, min(most, len(examples)))


def examples_digest(examples: Sequence[Example]) -> str:
    """How many examples something was fitted on, by source, and the SHA-256 of exactly these."""
    counts = Counter(example.source for example in examples)
    digest = hashlib.sha256(json.dumps([tuple(example) for example in examples], ensure_ascii=False).encode())
    return f"{', '.join(f'{count} {source}' for source, count in counts.items())}, sha256 {digest.hexdigest()}"


def _agreement(scored: Sequence[tuple[float, Example]]) -> dict[str, float | None]:
    from scipy.stats import spearmanr

    high = [score for score, example in scored if example.grade >= EQUIVALENT_GRADE]
    low = [score for score, example in scored if example.grade < EQUIVALENT_GRADE]
    scores, grades = [score for score, _ in scored], [example.grade for _, example in scored]
    has_order = len(set(scores)) > 1 and len(set(grades)) > 1
    return {
        "pairs": len(scored),
        "auc": auc(high, low),
        "spearman": float(spearmanr(scores, grades).statistic) if has_order else None,
    }
