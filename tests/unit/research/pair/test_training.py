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
from evaluator.judge_quality.labelled_pairs import LabelledPair, labelled_pairs
from evaluator.judge_quality.people import part_of, read_questions, same_answer_pairs
from evaluator.judges.pair.judge import load_pair_judge
from evaluator.judges.pair.network import PairTokenizer
from research.pair.training import (
    BOTH_RIGHT,
    BROKEN_GRADE,
    ONE_RIGHT,
    SHOWN,
    Example,
    Recipe,
    _batches,
    changed_examples,
    crossed_examples,
    derived_examples,
    epoch_examples,
    people_examples,
    ranked_loss,
    target_probability,
    trained_judge,
    training_examples,
)
from research.runs import learning_rate
from tests.unit.evaluator.judge_quality.made_people import sentence_pairs, write_people
from tests.unit.evaluator.judge_quality.test_people import write


def _people(folder: Path) -> Path:
    """Small files of people's labels, with a training split."""
    write_people(folder, "en")
    write(folder / "sts_train.jsonl.gz", sentence_pairs("en"))
    return folder


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
        Example(GROUP[0].b, GROUP[1].b, 4, source="derived"),
        Example(GROUP[0].b, GROUP[3].b, 0, source="derived"),
        Example(GROUP[1].b, GROUP[3].b, 0, source="derived"),
    ]


def test_anchors_beside_other_anchors_are_different() -> None:
    pairs = [_pair("x", "paraphrase", 5, a=f"Answer {number}.", topic=f"topic {number % 2}") for number in range(40)]
    crossed = list(crossed_examples(pairs, random.Random(0)))
    assert {example.grade for example in crossed} == {0, 1}
    topic = {f"Answer {number}.": number % 2 for number in range(40)}
    assert all((topic[one.a] == topic[one.b]) == (one.grade == 1) for one in crossed)


def test_program_made_examples_differ_from_their_source_and_know_what_they_broke() -> None:
    made = list(changed_examples(["You should wait ten minutes."], random.Random(0)))
    assert all(example.a == "You should wait ten minutes." != example.b for example in made)
    assert {example.grade for example in made} == {BROKEN_GRADE, 5}


def test_a_pass_shows_every_example_once() -> None:
    examples = [Example(f"a {number}", f"b {number}", 5) for number in range(10)]
    batches = _batches(lambda: examples, PairTokenizer(), Recipe(batch_size=4))
    first, second = next(batches), next(batches)
    for epoch in (first, second):
        assert Counter(one for chosen in epoch for one in chosen) == Counter(examples)
    assert [len(chosen) for chosen in first] != [10]
    assert first != second


def test_targets_rates_and_the_loss_by_hand() -> None:
    assert target_probability(2.5) == 0.5  # 0.02 + 0.96 / 2
    assert target_probability(0) + target_probability(5) == pytest.approx(1.0)
    assert learning_rate(0, 100, 0.1) == pytest.approx(0.1)
    assert learning_rate(50, 100, 0.1) == pytest.approx(0.5)
    logits, wanted = torch.tensor([0.0, 0.0]), torch.tensor([0.9, 0.1])
    # cross-entropy of logit 0 is ln 2 whatever the target, and so is the ranking loss of two equal logits
    assert float(ranked_loss(logits, wanted, ["pairs", "pairs"], 0.5)) == pytest.approx(1.5 * math.log(2))
    # of two sources nothing is compared, and neither are two targets that hardly differ
    assert float(ranked_loss(logits, wanted, ["pairs", "answers"], 0.5)) == pytest.approx(math.log(2))
    near = torch.tensor([0.55, 0.45])
    assert float(ranked_loss(logits, near, ["pairs", "pairs"], 0.5)) == pytest.approx(math.log(2))


def test_people_call_two_right_answers_the_same_and_leave_two_wrong_ones_out(tmp_path: Path) -> None:
    people = people_examples(_people(tmp_path), "train")
    assert {example.source for example in people} == {"sentences", "answers"}
    answers = [example for example in people if example.source == "answers"]
    assert {example.grade for example in answers} == {BOTH_RIGHT, ONE_RIGHT}
    assert all(example.question for example in answers)
    trained_on = [row for row in read_questions(tmp_path).rows if part_of(row.id) == "train"]
    assert len(answers) == len(list(same_answer_pairs(trained_on)))


def test_an_epoch_draws_from_each_source_what_the_recipe_says_and_hides_some_questions(tmp_path: Path) -> None:
    randomness = random.Random(0)
    examples = training_examples(labelled_pairs("train")[:40], people_examples(_people(tmp_path), "train"), randomness)
    assert set(examples) == set(SHOWN)
    shown = epoch_examples(examples, PairTokenizer(), MiniLMEmbedder(), Recipe(question_share=0.5), randomness)
    drawn = Counter(example.source for example in shown)
    assert all(number <= min(SHOWN[source], len(examples[source])) for source, number in drawn.items())
    asked = [bool(example.question) for example in shown if example.source == "pairs"]
    assert 0 < sum(asked) < len(asked)


@pytest.mark.slow
def test_a_small_training_gives_a_judge_that_loads_and_repeats(tmp_path: Path) -> None:
    pairs = [pair for pair in labelled_pairs("train") if len(pair.a) + len(pair.b) < 160][:24]
    held_out = [pair for pair in labelled_pairs("validation") if len(pair.a) + len(pair.b) < 160][:12]
    recipe = Recipe(epochs=0.4, batch_size=8)
    people = _people(tmp_path)
    steps: list[int] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        report = trained_judge(
            pairs, held_out, people, tmp_path / name, recipe, on_step=lambda step: steps.append(step.number)
        )
        assert report["adapter_bytes"] <= 9 * 2**20
    assert steps[: len(steps) // 2] == steps[len(steps) // 2 :] == list(range(1, len(steps) // 2 + 1))
    assert (tmp_path / "one/pair_adapter.safetensors").read_bytes() == (
        tmp_path / "two/pair_adapter.safetensors"
    ).read_bytes()
    calibration = json.loads((tmp_path / "one/pair_calibration.json").read_text())
    assert min(calibration[texts]["weights"]["network"] for texts in ("answers", "sentences")) >= 0
    assert load_pair_judge(MiniLMEmbedder(), tmp_path / "one").pin.name == "pair"
