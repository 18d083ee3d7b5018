"""How the judge was made: from sentences that people scored, English labelled pairs and statements to what ships."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import torch
from safetensors.torch import save_file
from torch import nn

from evaluator.embeddings.e5 import E5Embedder
from evaluator.judge_quality.labelled_pairs import LabelledPair, pairs_digest
from evaluator.judge_quality.measurement import auc
from evaluator.judge_quality.multilingual_pair.statements import (
    Length,
    Statement,
    languages_trained,
    pairs_between,
    pairs_within,
    refusals,
    statements,
    statements_digest,
)
from evaluator.judge_quality.people import LikenessPair, read_likeness
from evaluator.judges.calibration import Calibration, fitted
from evaluator.judges.multilingual_pair.judge import CALIBRATION, FEATURES, TRAINED, MultilingualPairJudge
from evaluator.judges.multilingual_pair.network import (
    JointNetwork,
    TokenStates,
    batch,
    put_in,
    trained_part,
    untrained_network,
)
from research.pair.training import (
    crossed_examples,
    derived_examples,
    has_bf16,
    ranked_loss,
    target_probability,
)
from research.runs import Step, learning_rate

CALIBRATION_VERSION = "2"

Source = Literal["sentences", "english", "statements"]
"""Where examples come from: sentences that people scored, in several languages; our English pairs; our statements."""


class Example(NamedTuple):
    """One training pair; the network sees it in either order."""

    a: str
    b: str
    grade: float
    source: Source


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything training depends on beside the pairs (what made the shipped part: docs/embedded_judges.md)."""

    epochs: int = 1
    batch_size: int = 32
    learning_rate: float = 4e-4
    """Of the low-rank changes and the head; the norms learn at a third of it."""
    warm_up: float = 0.08
    """Share of the steps in which the learning rate rises; then it falls to nearly zero."""
    ranking: float = 0.5
    """Weight of the ranking loss: of two examples of one batch, the equivalent one is to score higher."""
    max_characters: int = 600
    """Of both texts of a labelled pair together; longer ones cost most and teach least per minute."""
    max_derived_characters: int = 420
    """The same of what follows from labelled pairs."""
    derived_share: float = 0.05
    """Of what follows from English pairs with one anchor, drawn anew for every epoch."""
    english: int = 2500
    """English examples, drawn anew for every epoch."""
    scored: int = 9000
    """Pairs of sentences that people scored, drawn anew for every epoch ..."""
    between: float = 0.3
    """... of which this share has each sentence in another language."""
    stated: int = 4000
    """Examples from the statements of one sentence, drawn anew for every epoch ..."""
    answered: int = 1500
    """... from those as long as an answer ..."""
    composed: int = 1500
    """... and from several sentences in a row."""
    seed: int = 0


def english_examples(pairs: Sequence[LabelledPair], recipe: Recipe, randomness: random.Random) -> list[Example]:
    """One epoch's English examples: the labelled pairs, and some of what follows from them."""
    written = [Example(pair.a, pair.b, pair.grade, "english") for pair in pairs]
    followed = [
        Example(example.a, example.b, example.grade, "english")
        for example in (*derived_examples(pairs), *crossed_examples(pairs, randomness))
    ]
    short = [example for example in followed if len(example.a) + len(example.b) <= recipe.max_derived_characters]
    examples = [
        *(example for example in written if len(example.a) + len(example.b) <= recipe.max_characters),
        *randomness.sample(short, int(len(short) * recipe.derived_share)),
    ]
    return randomness.sample(examples, min(recipe.english, len(examples)))


def scored_examples(rows: Sequence[LikenessPair], recipe: Recipe, randomness: random.Random) -> list[Example]:
    """One epoch's sentences that people scored: within one language, and between two.

    The rows of one number are translations of each other with one score, so that a sentence of one stands beside the
    other sentence of another.
    """
    by_number: defaultdict[str, list[LikenessPair]] = defaultdict(list)
    for row in rows:
        by_number[row.number].append(row)
    examples = []
    for row in randomness.sample(rows, min(recipe.scored, len(rows))):
        beside = randomness.choice(by_number[row.number]) if randomness.random() < recipe.between else row
        examples.append(Example(row.a, beside.b, row.score, "sentences"))
    return examples


SENTENCES_COMPOSED = (2, 3, 4)
COMPOSED_CONTRADICTION = 1
"""Grade of several sentences of which one contradicts, as of `contradictory_middle` in the labelled pairs."""


class StatedExamples:
    """Examples drawn from the statements of some languages: within one, between it and English, and between any two."""

    def __init__(self, spoken: Sequence[str], length: Length = "sentence") -> None:
        self._of: dict[str, dict[str, Statement]] = {
            language: {statement.topic: statement for statement in statements("train", language, length)}
            for language in spoken
        }
        self._languages = [language for language in spoken if self._of[language]]
        self._refusals = {language: refusals("train", language) for language in spoken}

    def draw(self, randomness: random.Random) -> Example:
        """One example; about two in five say the same."""
        first, second, shared = self._languages_and_topics(randomness)
        topic = randomness.choice(shared)
        left, right = self._of[first][topic], self._of[second][topic]
        chance = randomness.random()
        if chance < 0.4:
            return Example(*self._same(left, right, randomness), 5, "statements")
        if chance < 0.8:
            return Example(*self._contradicting(left, right, randomness), 0, "statements")
        if chance < 0.9 and right.other:
            return Example(randomness.choice((left.said, left.again, left.contradicted)), right.other, 1, "statements")
        if chance < 0.94:
            return Example(left.said, randomness.choice(self._refusals[second]), 0, "statements")
        if chance < 0.95:
            return Example(self._refusals[first][0], self._refusals[second][1], 5, "statements")
        apart = self._of[second][randomness.choice([other for other in shared if other != topic])]
        return Example(left.again, randomness.choice((apart.said, apart.contradicted)), 0, "statements")

    def draw_composed(self, randomness: random.Random) -> Example:
        """Sentences on several topics in a row, beside the same; in every second example one of them contradicts."""
        first, second, shared = self._languages_and_topics(randomness)
        topics = randomness.sample(shared, randomness.choice(SENTENCES_COMPOSED))
        contradicting = randomness.choice(topics) if randomness.random() < 0.5 else None
        beside = [
            (self._contradicting if topic == contradicting else self._same)(
                self._of[first][topic], self._of[second][topic], randomness
            )
            for topic in topics
        ]
        a, b = (" ".join(texts) for texts in zip(*beside, strict=True))
        return Example(a, b, 5 if contradicting is None else COMPOSED_CONTRADICTION, "statements")

    def _languages_and_topics(self, randomness: random.Random) -> tuple[str, str, list[str]]:
        """Two languages, often the same or English, and the topics that both have."""
        first = randomness.choice(self._languages)
        second = randomness.choices((first, "en", randomness.choice(self._languages)), (0.4, 0.35, 0.25))[0]
        return first, second, [topic for topic in self._of[first] if topic in self._of[second]]

    @staticmethod
    def _same(left: Statement, right: Statement, randomness: random.Random) -> tuple[str, str]:
        choices = [(left.said, right.again), (left.again, right.said)]
        if left.language != right.language:
            choices += [(left.said, right.said), (left.again, right.again), (left.contradicted, right.contradicted)]
        return randomness.choice(choices)

    @staticmethod
    def _contradicting(left: Statement, right: Statement, randomness: random.Random) -> tuple[str, str]:
        return randomness.choice(
            [
                (left.said, right.contradicted),
                (left.contradicted, right.said),
                (left.again, right.contradicted),
                (left.contradicted, right.again),
            ]
        )


def train(
    embedder: E5Embedder,
    pairs: Sequence[LabelledPair],
    scored: Sequence[LikenessPair],
    recipe: Recipe = Recipe(),
    *,
    start: Mapping[str, torch.Tensor] | None = None,
    on_step: Callable[[Step], None] = lambda step: None,
    device: str = "cpu",
) -> JointNetwork:
    """Trains on sentences that people scored, on English pairs, and on the statements of all languages that have some.

    bf16 arithmetic where the device has it. The same pairs, recipe and CPU give the same network.

    Args:
        embedder: multilingual-e5-small.
        pairs: English labelled pairs.
        scored: Sentences that people scored.
        recipe: How.
        start: A trained part to go on from; without it training begins with a change of nothing.
        on_step: Hears how far it is.
        device: `cpu`, or `cuda` for a GPU.

    Returns:
        The network, on the CPU.
    """
    torch.manual_seed(recipe.seed)
    randomness = random.Random(recipe.seed)
    network = untrained_network(embedder.encoder)
    if start is not None:
        put_in(network, start)
    network.to(device)
    stated, answered = (StatedExamples(languages_trained(), length) for length in get_args(Length))
    epochs = []
    for _ in range(recipe.epochs):
        english = english_examples(pairs, recipe, randomness)
        epochs.append(
            [
                *english,
                *scored_examples(scored, recipe, randomness),
                *(stated.draw(randomness) for _ in range(recipe.stated)),
                *(answered.draw(randomness) for _ in range(recipe.answered)),
                *(stated.draw_composed(randomness) for _ in range(recipe.composed)),
            ]
        )
    known = token_states(embedder, {text for epoch in epochs for example in epoch for text in example[:2]}, device)
    batches = [_batches(examples, known, recipe, randomness) for examples in epochs]
    steps = sum(map(len, batches))
    optimiser = torch.optim.AdamW(_groups(network, recipe), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: learning_rate(step, steps, recipe.warm_up))
    number = 0
    network.train()
    for chosen in batches:
        for examples in chosen:
            shown = batch([(known[example.a].float(), known[example.b].float()) for example in examples])
            wanted = torch.tensor([target_probability(example.grade) for example in examples])
            with _fast_arithmetic(device):
                batch_logits = network(*(part.to(device) for part in shown))
            loss = ranked_loss(
                batch_logits, wanted.to(device), [example.source for example in examples], recipe.ranking
            )
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_([parameter for parameter in network.parameters() if parameter.requires_grad], 1.0)
            optimiser.step()
            schedule.step()
            number += 1
            on_step(Step(number, steps, float(loss.detach())))
    embedder.encoder.cpu()
    return network.cpu().eval()


def token_states(embedder: E5Embedder, texts: set[str], device: str = "cpu") -> dict[str, torch.Tensor]:
    """The first window of each text, as the lower layers read it; half the memory of float32."""
    ordered = sorted(texts)
    with _fast_arithmetic(device):
        states = TokenStates(embedder, device)(ordered)
    return {text: windows[0].bfloat16() for text, windows in zip(ordered, states, strict=True)}


def trained_judge(
    embedder: E5Embedder,
    pairs: Sequence[LabelledPair],
    validation: Sequence[LabelledPair],
    people: Path,
    folder: Path,
    recipe: Recipe = Recipe(),
    *,
    start: Mapping[str, torch.Tensor] | None = None,
    device: str = "cpu",
    on_step: Callable[[Step], None] = lambda step: None,
) -> dict[str, Any]:
    """Trains, calibrates on pairs kept for choosing, measures on test topics, and writes all three to `folder`.

    Returns:
        The report: pairs, how well the judge tells pairs kept for choosing apart, and the languages that passed.
    """
    from evaluator.judge_quality.multilingual_pair.measurement import both_orders, measure, write

    scored = read_likeness(people, "train").rows
    network = train(embedder, pairs, scored, recipe, start=start, device=device, on_step=on_step)
    save_file(trained_part(network), folder / TRAINED)
    calibration, validated = calibrated(embedder, validation, people, folder, recipe)
    judge = MultilingualPairJudge(embedder, (), folder / TRAINED, calibration)
    quality = measure(judge.pin, both_orders(judge))
    write(folder, quality)
    return {
        "train": {
            "pairs": len(pairs),
            "topics": len({pair.topic for pair in pairs}),
            "sentences": len(scored),
        },
        "validation": validated,
        "read": quality.read,
        "trained_bytes": (folder / TRAINED).stat().st_size,
    }


CALIBRATED_ON = 200
"""Sentences that people scored that a calibration is fitted on, of each language: about as many as statements."""


def calibrated(
    embedder: E5Embedder, validation: Sequence[LabelledPair], people: Path, folder: Path, recipe: Recipe = Recipe()
) -> tuple[Calibration, dict[str, float | None]]:
    """Fits the calibration to the trained part in a folder and writes it there; training pairs it never sees.

    The English validation pairs as short as those that train, the validation statements within every language and
    between it and English, and sentences of the development set that people scored, each in the order in which it is
    written.

    Returns:
        The calibration, the AUC on its English pairs and on its statements, and the rank correlation with people.
    """
    from scipy.stats import spearmanr

    short = [pair for pair in validation if len(pair.a) + len(pair.b) <= recipe.max_characters]
    spoken = languages_trained()
    stated = [
        pair
        for length in get_args(Length)
        for language in spoken
        for pair in (
            *pairs_within(language, "validation", length),
            *(pairs_between("en", language, "validation", length) if language != "en" else ()),
        )
    ]
    scored = _drawn_of_each_language(read_likeness(people, "dev").rows)
    texts = [
        *((pair.a, pair.b) for pair in short),
        *((pair.first, pair.second) for pair in stated),
        *((row.a, row.b) for row in scored),
    ]
    grades = [*(pair.grade for pair in short), *(pair.grade for pair in stated), *(row.score for row in scored)]
    unfitted = Calibration(id="-", version="-", intercept=0.0, weights={}, fitted_on="-")
    features = MultilingualPairJudge(embedder, (), folder / TRAINED, unfitted).features(texts)
    calibration = fitted(
        features,
        grades,
        agreement=set(FEATURES),
        id_="multilingual-pair-calibration",
        version=CALIBRATION_VERSION,
        fitted_on=f"{pairs_digest(short)}; {len(stated)} pairs of {statements_digest()}; "
        f"{len(scored)} pairs of the STS benchmark's development set",
    )
    (folder / CALIBRATION).write_text(calibration.model_dump_json(indent=2) + "\n", encoding="utf-8")
    ratings = [calibration.rating(row) for row in features]
    of_people = slice(len(short) + len(stated), None)
    of_statements = slice(len(short), len(short) + len(stated))
    return calibration, {
        "english": _auc(ratings[: len(short)], grades[: len(short)]),
        "statements": _auc(ratings[of_statements], grades[of_statements]),
        "people": float(spearmanr(ratings[of_people], grades[of_people]).statistic),
    }


def _drawn_of_each_language(rows: Sequence[LikenessPair]) -> list[LikenessPair]:
    by_language: defaultdict[str, list[LikenessPair]] = defaultdict(list)
    for row in rows:
        by_language[row.language].append(row)
    randomness = random.Random(0)
    return [
        row
        for of_language in by_language.values()
        for row in randomness.sample(of_language, min(CALIBRATED_ON, len(of_language)))
    ]


def _auc(ratings: Sequence[float], grades: Sequence[float]) -> float | None:
    marked = list(zip(ratings, grades, strict=True))
    return auc([rating for rating, grade in marked if grade >= 3], [rating for rating, grade in marked if grade < 3])


def _groups(network: JointNetwork, recipe: Recipe) -> list[dict[str, Any]]:
    trained = {name: weight for name, weight in network.named_parameters() if weight.requires_grad}
    norms = {name for name in trained if "LayerNorm" in name}
    return [
        {"params": [trained[name] for name in trained if name not in norms], "lr": recipe.learning_rate},
        {"params": [trained[name] for name in trained if name in norms], "lr": recipe.learning_rate / 3},
    ]


def _batches(
    examples: Sequence[Example], known: Mapping[str, torch.Tensor], recipe: Recipe, randomness: random.Random
) -> list[list[Example]]:
    """One epoch in random order and direction, in batches of similar length, so that little is padded."""

    def length(example: Example) -> int:
        return len(known[example.a]) + len(known[example.b])

    near = 20 * recipe.batch_size
    shuffled = randomness.sample(examples, len(examples))
    batches: list[list[Example]] = []
    for start in range(0, len(shuffled), near):
        chunk = sorted(shuffled[start : start + near], key=length)
        batches += [chunk[at : at + recipe.batch_size] for at in range(0, len(chunk), recipe.batch_size)]
    randomness.shuffle(batches)
    return [
        [
            example if randomness.random() < 0.5 else Example(example.b, example.a, example.grade, example.source)
            for example in chosen
        ]
        for chosen in batches
    ]


def _fast_arithmetic(device: str = "cpu") -> torch.autocast:
    """bf16 where the device has it."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=has_bf16(device))
