"""How good the estimator is: the default head on dialogues it has not seen, a head trained on INSPIRED's dev set."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluator.behavior_alignment.strategies
from evaluator.behavior_alignment import behavior_report
from evaluator.behavior_alignment.implicit import StrategyEstimator
from evaluator.behavior_alignment.strategies.inspired import LabelledDialogues, read_dialogues
from evaluator.behavior_alignment.strategies.loading import default_estimator
from evaluator.behavior_alignment.strategies.model_folder import load_model, save_model
from evaluator.behavior_alignment.strategies.pair_sets import pair_figures, pair_sets, similarities_of
from evaluator.behavior_alignment.strategies.training import TrainedHead, train
from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.statistics.label_agreement import label_agreement
from submissions.formats.behavior_alignment.submission import TURN_LABELS, Answer, Dialogue, Turn
from tests.unit.submissions.formats.behavior_alignment.dialogue_files import submission

pytestmark = pytest.mark.slow

Tables = Callable[[str], Path]
"""Name of a table that is somebody else's -> its file."""

EXPLICIT_BA_OF_PREVIOUS = 0.20318845015814713
"""expected.json, inspired_dev, previous."""


class KeptEmbeddings:
    """Every text is embedded once for all tests of this file."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self._kept[key] for key in keys if key in self._kept}

    def save_embeddings(self, embeddings: dict[str, bytes]) -> None:
        self._kept |= embeddings


@pytest.fixture(scope="module")
def encoder() -> Iterator[MiniLMEmbedder]:
    """On one thread: short sentences gain little from two, and lose much where another process wants the core."""
    import torch

    threads = torch.get_num_threads()
    yield MiniLMEmbedder(KeptEmbeddings(), threads=1)
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def dialogues(golden_data: Tables) -> LabelledDialogues:
    return read_dialogues([golden_data("behavior_alignment/inspired_dev.tsv")])


@pytest.fixture(scope="module")
def trained(dialogues: LabelledDialogues, encoder: MiniLMEmbedder) -> TrainedHead:
    return train(dialogues, encoder, negatives="mixed_hard")


def redial_agreement(estimator: StrategyEstimator, tables: Tables) -> Any:
    with tables("behavior_alignment/redial_sentences.csv").open(encoding="utf-8", newline="") as file:
        texts = {row["sid"]: row["text"] for row in csv.DictReader(file)}
    with tables("behavior_alignment/redial_pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = estimator.similarities([(texts[row["a"]], texts[row["b"]]) for row in rows])
    same = [str(int(s > estimator.threshold)) for s in found]
    sides = {side: [row[side] for row in rows] for side in ("a", "b")}
    return label_agreement([row["label"] for row in rows], same, sides)


def test_the_default_head_on_redial(golden_data: Tables, encoder: MiniLMEmbedder) -> None:
    for has_encoder in (True, False):
        estimator = default_estimator(encoder if has_encoder else None)
        assert estimator.name.endswith("tfidf+minilm" if has_encoder else "tfidf")
        found = redial_agreement(estimator, golden_data)
        # Specification, section 14: .78/.55; terms alone .76/.52 (section 7, orientation).
        assert found["accuracy"] >= (0.78 if has_encoder else 0.76)
        assert found["kappa"] >= (0.55 if has_encoder else 0.52)


def test_the_default_head_on_sentences_of_different_dialogues_and_on_a_known_system(
    dialogues: LabelledDialogues, encoder: MiniLMEmbedder
) -> None:
    estimator = default_estimator(encoder)
    sentences = [sentence for sentence in dialogues.sentences if sentence.is_strategic]
    labels = np.array([TURN_LABELS.index(sentence.label) for sentence in sentences])
    places = np.array([dialogues.dialogue_ids.index(sentence.dialogue_id) for sentence in sentences])
    pairs = pair_sets(labels, places, [])["original"]
    assert pairs is not None
    probabilities = estimator.probabilities([sentence.text for sentence in sentences])
    assert probabilities is not None
    found = pair_figures(similarities_of(pairs, probabilities), pairs.is_same, estimator.threshold)
    assert found["accuracy"] is not None
    assert found["kappa"] is not None
    # Specification, section 14: .65/.30 on balanced pairs of different dialogues.
    assert found["accuracy"] >= 0.65
    assert found["kappa"] >= 0.30
    assert estimator.pair_accuracy == pytest.approx(found["accuracy"], abs=0.005)
    assert_estimate_of_a_known_system_is_near_its_explicit_figure(estimator, dialogues)


def test_the_shipped_head_can_be_made_anew(dialogues: LabelledDialogues) -> None:
    """The one on terms alone, which needs no embeddings; both were made by the same command."""
    shipped = default_estimator(None)
    sentences = read_dialogues([Path(evaluator.behavior_alignment.strategies.__file__).with_name("sentences.tsv")])
    made = train(sentences, None, negatives="original", calibration=dialogues)
    assert made.threshold == pytest.approx(shipped.threshold, abs=0.005)
    assert made.pair_accuracy == pytest.approx(shipped.pair_accuracy, abs=0.005)
    assert shipped.rates is not None
    assert made.rates is not None
    assert (made.rates.tpr, made.rates.fpr) == pytest.approx((shipped.rates.tpr, shipped.rates.fpr), abs=0.005)


def test_a_head_trained_on_inspired_by_dialogue(
    trained: TrainedHead, dialogues: LabelledDialogues, encoder: MiniLMEmbedder, tmp_path: Path
) -> None:
    report = trained.report
    assert (report["sentences"], report["dialogues"], report["folds"]) == (1587, 99, 5)  # expected.json: 1860 - 273
    original, mixed_hard = (report["pairs"][name]["accuracy"] for name in ("original", "mixed_hard"))
    assert original is not None
    assert mixed_hard is not None
    # Floors of section 14; above .93 sentences of the test would have been seen in training.
    assert report["class_accuracy"]["mean"] >= 0.62
    assert 0.76 <= original < 0.93
    assert mixed_hard >= 0.73
    # Section 6 measured .25 and .18: neighbours share titles and wording.
    assert report["rates"] is not None
    assert report["rates"]["fpr_adjacent"] > report["rates"]["fpr_cross"]
    assert report["rates"]["tpr"] < 0.9  # .96 would be training predictions
    save_model(tmp_path, "trained", trained, dialogues, encoder)
    assert_estimate_of_a_known_system_is_near_its_explicit_figure(load_model(tmp_path, encoder), dialogues)


def previous_turns(data: LabelledDialogues) -> list[Dialogue]:
    """Every recommender turn answered by the human's previous one, without labels."""
    turns: dict[str, list[Turn]] = {}
    for places in data.turns:
        sentences = tuple(data.sentences[place].text for place in places)
        earlier = turns.setdefault(data.sentences[places[0]].dialogue_id, [])
        system = earlier[-1].human if earlier else Answer("Hello there.", None, None, None)
        earlier.append(Turn(len(earlier) + 1, (), Answer(" ".join(sentences), sentences, None, None), system))
    return [Dialogue(dialogue_id, tuple(members)) for dialogue_id, members in sorted(turns.items())]


def assert_estimate_of_a_known_system_is_near_its_explicit_figure(
    estimator: StrategyEstimator, dialogues: LabelledDialogues
) -> None:
    report = behavior_report(submission(*previous_turns(dialogues)), estimator)
    assert report["explicit"]["ba"] is None
    implicit = report["implicit"]
    assert implicit is not None
    assert implicit["corrected_range"] is not None
    low, high = implicit["corrected_range"]
    assert low - 0.12 <= EXPLICIT_BA_OF_PREVIOUS <= high + 0.12
    assert implicit["corrected_ci"] is not None
    assert report["rankable"]
