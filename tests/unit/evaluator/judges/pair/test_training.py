"""Training examples of the pair judge, its loss, and a training in small."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from pathlib import Path

import pytest
import torch

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judges.pair.judge import load_pair_judge
from evaluator.judges.pair.network import PairTokenizer
from evaluator.judges.pair.training import (
    Example,
    Recipe,
    _batches,
    crossed_examples,
    derived_examples,
    learning_rate,
    perturbed_examples,
    ranked_loss,
    target_probability,
    trained_judge,
)
from evaluator.judges.quality.labelled_pairs import LabelledPair, labelled_pairs


def _pair(b: str, category: str, grade: int, *, a: str = "Wait ten minutes.", topic: str = "tea") -> LabelledPair:
    return LabelledPair(
        id=b, topic=topic, split="train", category=category, prompt_a="How?", prompt_b="how", a=a, b=b, grade=grade
    )


GROUP = [
    _pair("Let it stand for ten minutes.", "paraphrase", 5),
    _pair("Ten minutes, then.", "style_shift", 4),
    _pair("Wait ten minutes, and stir it now and then.", "extra_detail", 4),
    _pair("Wait twenty minutes.", "changed_numbers", 0),
    _pair("I like trains.", "off_topic", 0),
]


def test_what_follows_from_a_group_are_its_paraphrases_together_and_against_its_contradictions() -> None:
    derived = list(derived_examples(GROUP))
    # 1 pair of the 2 paraphrases (the lower grade), and 2 paraphrases x 1 contradiction; added detail and other
    # subjects say nothing certain
    assert derived == [
        Example(GROUP[0].b, GROUP[1].b, 4),
        Example(GROUP[0].b, GROUP[3].b, 0),
        Example(GROUP[1].b, GROUP[3].b, 0),
    ]


def test_anchors_beside_other_anchors_are_different() -> None:
    pairs = [_pair("x", "paraphrase", 5, a=f"Answer {number}.", topic=f"topic {number % 2}") for number in range(40)]
    crossed = list(crossed_examples(pairs, random.Random(0)))
    assert {example.grade for example in crossed} == {0, 1}
    topic = {f"Answer {number}.": number % 2 for number in range(40)}
    assert all((topic[one.a] == topic[one.b]) == (one.grade == 1) for one in crossed)


def test_program_made_examples_differ_from_their_source_and_know_what_they_broke() -> None:
    made = list(
        perturbed_examples([_pair("Do not wait.", "negation", 0, a="You should wait ten minutes.")], random.Random(0))
    )
    assert all(example.a != example.b for example in made)
    assert {0.5} <= {example.grade for example in made} <= {0.5, 4.5, 5}


def test_a_pass_shows_every_example_once_in_either_direction() -> None:
    examples = [Example(f"a {number}", f"b {number}", 5) for number in range(10)]
    recipe = Recipe(batch_size=4)
    batches = _batches(examples, PairTokenizer(), recipe)
    shown = [one for _ in range(3) for one in next(batches)]
    assert Counter(frozenset((one.a, one.b)) for one in shown) == Counter(frozenset((e.a, e.b)) for e in examples)


def test_targets_rates_and_the_loss_by_hand() -> None:
    assert target_probability(2.5) == 0.5  # 0.02 + 0.96 / 2
    assert target_probability(0) + target_probability(5) == pytest.approx(1.0)
    assert learning_rate(0, 100, 0.1) == pytest.approx(0.1)
    assert learning_rate(50, 100, 0.1) == pytest.approx(0.5)
    found = ranked_loss(torch.tensor([0.0, 0.0]), torch.tensor([0.9, 0.1]), ranking=0.5)
    # cross-entropy of logit 0 is ln 2 whatever the target, and so is the ranking loss of two equal logits
    assert float(found) == pytest.approx(1.5 * math.log(2))


@pytest.mark.slow
def test_a_small_training_gives_a_judge_that_loads_and_repeats(tmp_path: Path) -> None:
    pairs = [pair for pair in labelled_pairs("train") if len(pair.a) + len(pair.b) < 160][:24]
    held_out = [pair for pair in labelled_pairs("validation") if len(pair.a) + len(pair.b) < 160][:12]
    recipe = Recipe(epochs=0.4, batch_size=8)
    steps: list[int] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        report = trained_judge(pairs, held_out, tmp_path / name, recipe, on_step=lambda step: steps.append(step.number))
        assert report["adapter_bytes"] <= 9 * 2**20
    assert steps[: len(steps) // 2] == steps[len(steps) // 2 :] == list(range(1, len(steps) // 2 + 1))
    assert (tmp_path / "one/pair_adapter.safetensors").read_bytes() == (
        tmp_path / "two/pair_adapter.safetensors"
    ).read_bytes()
    calibration = json.loads((tmp_path / "one/pair_calibration.json").read_text())
    assert calibration["weights"]["network"] >= 0
    assert load_pair_judge(MiniLMEmbedder(), tmp_path / "one").pin.name == "pair"
