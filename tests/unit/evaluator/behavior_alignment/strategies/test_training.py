"""Training by dialogue, pairs, rates and the model folder, on a small corpus of our own."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import evaluator.behavior_alignment.strategies
from evaluator.behavior_alignment.strategies.inspired import DialoguesRefused, LabelledDialogues, read_dialogues
from evaluator.behavior_alignment.strategies.loading import default_estimator, estimator_named
from evaluator.behavior_alignment.strategies.model_folder import EstimatorUnusable, load_model, save_model
from evaluator.behavior_alignment.strategies.pair_sets import (
    best_threshold,
    class_figures,
    hard_classes,
    pair_figures,
    pair_sets,
)
from evaluator.behavior_alignment.strategies.rates import labelled_turns, measured_rates
from evaluator.behavior_alignment.strategies.training import CannotTrain, TrainedHead, train
from evaluator.embeddings.protocol import ScriptedEmbedder
from submissions.formats.behavior_alignment.submission import STRATEGIES

PACKAGE = Path(evaluator.behavior_alignment.strategies.__file__).parent
HEADER = "dialog_id\tutt_id\tspeaker\tturn_id\ttext\texpert_label\n"

KINDS = {
    "opinion_inquiry": ("What sort of {} do you like?", "Which {} is your favourite?"),
    "experience_inquiry": ("Have you seen the {}?", "When did you last see a {}?"),
    "encouragement": ("You should try the {}!", "Do go and see that {}!"),
    "credibility": ("The {} won a prize in 1990.", "The {} was built by a famous man."),
}
THINGS = ("bridge", "garden", "museum", "harbour", "tower", "theatre")


def corpus(path: Path) -> Path:
    """Six dialogues, one per thing, each with two turns of every kind and a greeting."""
    rows = []
    for thing in THINGS:
        rows.append(f"{thing}\t0\tRECOMMENDER\t0\tHello!\tno_strategy\n")
        for number, (label, forms) in enumerate(KINDS.items()):
            for which, form in enumerate(forms):
                turn = 2 * number + which + 1
                rows.append(f"{thing}\t{turn}\tRECOMMENDER\t{turn}\t{form.format(thing)}\t{label}\n")
                rows.append(f"{thing}\t{turn}\tSEEKER\t{turn}\tWell.\t\n")
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> LabelledDialogues:
    return read_dialogues([corpus(tmp_path_factory.mktemp("corpus") / "own.tsv")])


@pytest.fixture(scope="module")
def encoder() -> ScriptedEmbedder:
    return ScriptedEmbedder(32)


@pytest.fixture(scope="module")
def trained(data: LabelledDialogues, encoder: ScriptedEmbedder) -> TrainedHead:
    return train(data, encoder, negatives="original")


# --- reading ---------------------------------------------------------------------------------------------------------


def test_sentences_are_read_without_quoting(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    row = "d1\t1\trecommender\t1\tThe \"tall QUOTATION_MARKtowerQUOTATION_MARK, it's old. \tRedibility\n"
    path.write_text("\ufeff" + HEADER.replace("expert_label", "first_label") + row, encoding="utf-8")
    sentence = read_dialogues([path]).sentences[0]
    assert (sentence.text, sentence.label) == ('The "tall "tower", it\'s old.', "credibility")


def test_dialogues_of_two_files_are_different_ones(tmp_path: Path) -> None:
    paths = [corpus(tmp_path / name) for name in ("one.tsv", "two.tsv")]
    both = read_dialogues(paths)
    assert len(both.dialogue_ids) == 2 * len(THINGS)
    assert [name for name, _ in both.files] == ["one.tsv", "two.tsv"]
    assert both.files[0][1] == hashlib.sha256(paths[0].read_bytes()).hexdigest()


def test_all_faults_of_all_files_are_told(tmp_path: Path) -> None:
    bad, worse, worst = (tmp_path / name for name in ("bad.tsv", "worse.tsv", "worst.tsv"))
    bad.write_text(HEADER + "d1\t1\tRECOMMENDER\t1\tHi\n", encoding="utf-8")
    worse.write_text("dialog_id,text\n", encoding="utf-8")
    worst.write_bytes(b"\xff\xff")
    with pytest.raises(DialoguesRefused) as refused:
        read_dialogues([bad, worse, worst])
    assert [problem.split(" ")[0] for problem in refused.value.problems] == ["bad.tsv:2:", "worse.tsv:1:", "worst.tsv:"]
    assert "5 cells, expected 6" in refused.value.problems[0]
    assert "expert_label or first_label" in refused.value.problems[1]


def test_a_file_without_labels_cannot_train(tmp_path: Path) -> None:
    path = tmp_path / "bare.tsv"
    path.write_text(HEADER + "d1\t1\tRECOMMENDER\t1\tHi\tno_strategy\n", encoding="utf-8")
    with pytest.raises(DialoguesRefused, match="has one of the 13"):
        read_dialogues([path])


# --- pairs -----------------------------------------------------------------------------------------------------------


def test_pairs_are_half_and_half_and_never_of_one_dialogue() -> None:
    labels = np.array([0, 0, 1, 1, 2, 2, 0, 1])
    dialogues = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    sets = pair_sets(labels, dialogues, [(0, 1)], pairs=400)
    for pairs in sets.values():
        assert pairs is not None
        assert pairs.is_same.tolist() == [True] * 200 + [False] * 200
        assert ((labels[pairs.first] == labels[pairs.second]) == pairs.is_same).all()
        assert (dialogues[pairs.first] != dialogues[pairs.second]).all()
    hard, mixed, original = sets["all_hard"], sets["mixed_hard"], sets["original"]
    assert hard is not None
    assert mixed is not None
    assert original is not None
    assert {(labels[one], labels[other]) for one, other in zip(hard.first[200:], hard.second[200:], strict=True)} == {
        (0, 1)
    }
    # One in five negatives of the mixed set is hard; the others are the random ones.
    assert (mixed.first[200:240] == hard.first[200:240]).all()
    assert (mixed.first[240:] == original.first[240:]).all()


def test_without_hard_classes_the_mixed_set_is_the_original() -> None:
    labels, dialogues = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    sets = pair_sets(labels, dialogues, [], pairs=20)
    assert sets["all_hard"] is None
    assert sets["mixed_hard"] is not None
    assert sets["original"] is not None
    assert (sets["mixed_hard"].second == sets["original"].second).all()


def test_no_pair_across_dialogues_makes_no_set() -> None:
    assert set(pair_sets(np.array([0, 0, 1]), np.array([0, 0, 1]), [], pairs=10).values()) == {None}


def test_hard_classes_are_those_with_low_recall() -> None:
    credibility, experience, rephrase = (
        STRATEGIES.index(name) for name in ("credibility", "personal_experience", "rephrase_preference")
    )
    labels = np.repeat([credibility, experience, rephrase], [30, 25, 3])
    predicted = labels.copy()
    predicted[30:45] = credibility  # 10 of 25 recognised, mostly taken for credibility
    predicted[55:] = experience  # too few to tell: the paper's Table 2 says preference_confirmation
    found = hard_classes(class_figures(labels, predicted))
    assert found == [(experience, credibility), (rephrase, STRATEGIES.index("preference_confirmation"))]


def test_equal_similarities_are_never_split_by_the_threshold() -> None:
    similarities = np.array([0.2, 0.2, 0.2, 0.9])
    is_same = np.array([True, True, False, True])
    # s > t: t below .2 says same to all, 3 of 4 right; between .2 and .9 it is 2 of 4.
    assert best_threshold(similarities, is_same) == pytest.approx(0.1)
    assert pair_figures(similarities, is_same, 0.1) == {"n": 4, "accuracy": 0.75, "kappa": 0.0, "tpr": 1.0, "fpr": 1.0}


# --- rates -----------------------------------------------------------------------------------------------------------


def test_rates_are_of_turns_across_dialogues_and_of_neighbours(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    # Turn 1 has two sentences: labelled by the first, read by the last; turn 3 has no strategy.
    rows = [
        "a\t1\tRECOMMENDER\t1\tone\toffer_help",
        "a\t2\tRECOMMENDER\t1\ttwo\tno_strategy",
        "a\t3\tRECOMMENDER\t2\tthree\tsimilarity",
        "a\t4\tRECOMMENDER\t3\tfour\tno_strategy",
        "a\t5\tRECOMMENDER\t4\tfive\tsimilarity",
        "b\t1\tRECOMMENDER\t1\tsix\tsimilarity",
        "b\t2\tRECOMMENDER\t2\tseven\toffer_help",
    ]
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    dialogues = read_dialogues([path])
    turns = labelled_turns(dialogues)
    assert turns.sentence.tolist() == [1, 2, 4, 5, 6]
    seen = np.zeros((7, 13))
    # As read: two, three and six alike; five and seven alike.
    seen[[1, 2, 5], 0] = 1.0
    seen[[4, 6], 1] = 1.0
    rates = measured_rates(turns, seen, 0.5, "made up")
    assert rates is not None
    # Across: equal are two-seven (no), three-six (yes), five-six (no): 1/3; different are two-six (yes), three-seven
    # (no), five-seven (yes): 2/3. Neighbours with different labels: two-three (yes), six-seven (no): 1/2; three and
    # five are no neighbours.
    assert (rates.tpr, rates.fpr_cross, rates.fpr_adjacent) == pytest.approx((1 / 3, 2 / 3, 1 / 2))
    assert (rates.n_cross, rates.n_adjacent) == (6, 2)
    assert rates.fpr == pytest.approx(7 / 12)
    assert rates.draws.shape == (200, 3)
    assert not np.isnan(rates.draws).any()


def test_no_neighbours_no_rates(data: LabelledDialogues) -> None:
    turns = labelled_turns(data)
    apart = turns._replace(number=turns.number * 2)
    assert measured_rates(apart, np.full((len(data.sentences), 13), 1 / 13), 0.5, "made up") is None


# --- training --------------------------------------------------------------------------------------------------------


def test_a_head_learns_kinds_of_sentences_across_dialogues(trained: TrainedHead) -> None:
    report = trained.report
    assert (report["sentences"], report["dialogues"], report["folds"]) == (48, 6, 5)  # 6 things x 4 kinds x 2
    assert (report["features"], report["negatives"]) == ("tfidf+minilm", "original")
    # The forms repeat in every dialogue, so that leaving one out loses nothing but its thing.
    assert report["class_accuracy"]["mean"] > 0.9
    accuracy = report["pairs"]["original"]["accuracy"]
    assert accuracy is not None
    assert accuracy > 0.9
    assert trained.pair_accuracy == accuracy
    assert report["per_class"]["offer_help"] == {"n": 0, "recall": None, "confused_with": None}
    assert report["rates"] is not None
    assert report["rates"]["source"] == "own dialogues, out of fold"


def test_training_again_gives_the_same_head(data: LabelledDialogues, trained: TrainedHead) -> None:
    again = train(data, ScriptedEmbedder(32), negatives="original")
    assert again.report == trained.report


def test_rates_can_be_measured_on_other_dialogues(data: LabelledDialogues, tmp_path: Path) -> None:
    found = train(data, None, negatives="mixed_hard", calibration=read_dialogues([corpus(tmp_path / "other.tsv")]))
    assert found.report["features"] == "tfidf"
    assert found.report["measured"] is not None
    assert (found.report["measured"]["source"], found.report["measured"]["sentences"]) == ("other.tsv", 48)
    assert found.pair_accuracy == found.report["measured"]["pairs"]["accuracy"]
    assert found.report["rates"] is not None
    assert found.report["rates"]["source"] == "other.tsv"


@pytest.mark.parametrize(("keep", "reason"), [(THINGS[:4], "4 labelled dialogues"), (THINGS, "2 strategies")])
def test_too_little_to_train_on_is_said(keep: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    path = corpus(tmp_path / "own.tsv")
    lines = [line for line in path.read_text("utf-8").splitlines() if line.split("\t")[0] in ("dialog_id", *keep)]
    if reason == "2 strategies":
        lines = [line for line in lines if "experience" not in line and "encouragement" not in line]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(CannotTrain, match=reason):
        train(read_dialogues([path]), None, negatives="original")


def test_labels_of_one_dialogue_each_make_no_pairs(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    rows = [f"d{n}\t1\tRECOMMENDER\t1\tword{n}\t{STRATEGIES[n]}\n" for n in range(6)]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    with pytest.raises(CannotTrain, match="no two dialogues"):
        train(read_dialogues([path]), None, negatives="original")


# --- model folder ----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, trained: TrainedHead, data: LabelledDialogues, encoder: ScriptedEmbedder) -> Path:
    save_model(tmp_path / "model", "model", trained, data, encoder)
    return tmp_path / "model"


def test_a_saved_head_says_what_it_said_before(folder: Path, trained: TrainedHead, encoder: ScriptedEmbedder) -> None:
    loaded = load_model(folder, encoder)
    assert (loaded.name, loaded.threshold) == ("model tfidf+minilm", trained.threshold)
    pairs = [("Have you seen the mill?", "Did you see the mill?"), ("You should go!", "Have you seen it?")]
    same, other = loaded.similarities(pairs)
    assert same > loaded.threshold > other
    assert loaded.rates is not None
    assert trained.rates is not None
    assert loaded.rates.tpr == trained.rates.tpr
    assert loaded.rates.draws == pytest.approx(trained.rates.draws, abs=1e-6)


def test_probabilities_sum_to_one_and_unseen_strategies_have_none(folder: Path, encoder: ScriptedEmbedder) -> None:
    found = load_model(folder, encoder).probabilities(["Have you seen it?", "", "Have you seen it?"])
    assert found.sum(axis=1) == pytest.approx([1.0, 1.0, 1.0])
    assert (found[0] == found[2]).all()
    assert found[:, STRATEGIES.index("offer_help")].max() < 1e-9
    assert load_model(folder, encoder).probabilities([]).shape == (0, 13)
    assert load_model(folder, encoder).similarities([]) == []


def test_a_folder_says_what_it_was_made_from(folder: Path, data: LabelledDialogues) -> None:
    description = json.loads((folder / "model.json").read_text("utf-8"))
    assert description["data"] == [{"file": "own.tsv", "sha256": data.files[0][1]}]
    assert description["encoder"]["name"] == "scripted"
    assert description["labels"] == list(STRATEGIES)


def test_the_weights_are_read_without_pickle(folder: Path, encoder: ScriptedEmbedder) -> None:
    with np.load(folder / "weights.npz", allow_pickle=False) as stored:
        assert all(stored[name].dtype != object for name in stored.files)
    hostile = {"weights": np.array([object()], dtype=object)}
    np.savez(folder / "weights.npz", allow_pickle=True, **hostile)
    with pytest.raises(EstimatorUnusable, match="no model of train-behavior-classifier"):
        load_model(folder, encoder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"schema": 1, "labels": []}', b"\xff"])
def test_a_broken_description_is_one_sentence(content: bytes, folder: Path, encoder: ScriptedEmbedder) -> None:
    (folder / "model.json").write_bytes(content)
    with pytest.raises(EstimatorUnusable) as unusable:
        load_model(folder, encoder)
    assert "\n" not in str(unusable.value)


def test_another_encoder_is_refused(folder: Path) -> None:
    with pytest.raises(EstimatorUnusable, match="other weights"):
        load_model(folder, ScriptedEmbedder(64))
    with pytest.raises(EstimatorUnusable, match="not installed"):
        load_model(folder, None)


# --- what ships ------------------------------------------------------------------------------------------------------


def test_our_sentences_are_thirty_or_more_of_every_strategy_and_none_twice() -> None:
    found = read_dialogues([PACKAGE / "sentences.tsv"])
    counts = {strategy: sum(one.label == strategy for one in found.sentences) for strategy in STRATEGIES}
    assert min(counts.values()) >= 30
    assert len({one.text.casefold() for one in found.sentences}) == len(found.sentences)
    assert found.dialogue_ids == ["books", "films", "music", "restaurants", "travel"]


@pytest.mark.parametrize("head", ["default_head", "default_head_text"])
def test_a_shipped_head_was_trained_on_the_sentences_as_they_are(head: str) -> None:
    description = json.loads((PACKAGE / head / "model.json").read_text("utf-8"))
    digest = hashlib.sha256((PACKAGE / "sentences.tsv").read_bytes()).hexdigest()
    assert description["data"] == [{"file": "sentences.tsv", "sha256": digest}]
    assert description["rates"]["source"] == "inspired_dev.tsv"
    assert (description["encoder"] is None) == head.endswith("text")


def test_none_is_no_estimator_and_nothing_is_taken_in_place_of_another() -> None:
    assert estimator_named("none") is None
    with pytest.raises(EstimatorUnusable, match="neither"):
        estimator_named("/nowhere")


def test_without_an_encoder_the_head_on_terms_is_used_and_says_so() -> None:
    estimator = default_estimator(None)
    assert estimator.name == "default_head_text tfidf"
    same, other = estimator.similarities(
        [("Have you been there?", "Have you been to Spain?"), ("Have you been there?", "I love it so much.")]
    )
    assert same > estimator.threshold > other
