"""Two label columns: what is counted, and what is drawn together."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.statistics import label_agreement as module
from evaluator.statistics.agreement import cohens_kappa
from evaluator.statistics.label_agreement import LabelAgreement, TooManyLabels, label_agreement


def width(interval: list[float] | None) -> float:
    assert interval is not None
    return interval[1] - interval[0]


def test_labels_are_stripped_and_rows_without_one_dropped() -> None:
    found = label_agreement([" A", "B ", "A", " ", "B"], ["A", "B", "", "A", "A"])
    # Left: A/A, B/B, B/A: 2 of 3.
    assert (found["n"], found["dropped"], found["labels"]) == (3, 2, ["A", "B"])
    assert (found["accuracy"], found["confusion"]) == (2 / 3, [[1, 0], [1, 1]])
    assert found["binary"] is None


def test_binary_rates() -> None:
    # truth 1: 3 of 4 said 1; truth 0: 1 of 2 said 1.
    found = label_agreement(["1", "1", "1", "1", "0", "0"], ["1", "1", "1", "0", "1", "0"])
    assert found["binary"] == {
        "tn": 1,
        "fp": 1,
        "fn": 1,
        "tp": 3,
        "precision": 3 / 4,
        "recall": 3 / 4,
        "specificity": 1 / 2,
        "tpr": 3 / 4,
        "fpr": 1 / 2,
    }


def test_one_label_throughout_has_no_kappa() -> None:
    found = label_agreement(["A"] * 6, ["A"] * 6)
    assert (found["accuracy"], found["kappa"], found["kappa_ci"]) == (1.0, None, None)
    assert found["accuracy_ci"] == pytest.approx([0.025 ** (1 / 6), 1.0])


def test_no_row_at_all() -> None:
    found = label_agreement([], [])
    assert (found["n"], found["accuracy"], found["kappa"], found["accuracy_ci"]) == (0, None, None, None)


def test_fewer_than_six_units_have_no_interval() -> None:
    truth = ["A", "B"] * 15
    assert label_agreement(truth, truth, {"judge": list("vwxyz") * 6})["accuracy_ci"] is None
    six = label_agreement(truth, truth, {"judge": list("uvwxyz") * 5})
    least = 0.025 ** (1 / 6)  # six units, all right
    assert six["accuracy_ci"] == pytest.approx([least, 1.0])
    assert six["kappa_ci"] == pytest.approx([(least - 0.5) / 0.5, 1.0])  # chance gives one half


def test_kappa_has_the_interval_of_a_jackknife_of_fishers_z() -> None:
    truth, prediction = ["1", "1", "0", "0", "1", "0", "1", "0"], ["1", "0", "0", "0", "1", "0", "1", "1"]
    found = label_agreement(truth, prediction, {"cluster": list("abcdefgh")})
    without = [
        cohens_kappa(truth[:place] + truth[place + 1 :], prediction[:place] + prediction[place + 1 :])
        for place in range(8)
    ]
    z = np.arctanh([kappa for kappa in without if kappa is not None])
    # 7/8 of the squared deviations; t with 7 degrees of freedom: 2.3646.
    reach = 2.3646 * np.sqrt(7 / 8 * ((z - z.mean()) ** 2).sum())
    middle = np.arctanh(found["kappa"] or 0.0)
    assert found["kappa_ci"] == pytest.approx([np.tanh(middle - reach), np.tanh(middle + reach)], abs=1e-4)


def test_kappa_of_rows_has_the_middle_of_what_their_table_leaves_possible() -> None:
    # 40 agree on 1, 45 on 0, 7 and 8 disagree: gamma variates of a half more each, divided by their sum, are Dirichlet.
    truth = ["1"] * 47 + ["0"] * 53
    prediction = ["1"] * 40 + ["0"] * 7 + ["1"] * 8 + ["0"] * 45
    cells = np.random.default_rng(9).gamma([40.5, 7.5, 8.5, 45.5], size=(400_000, 4))
    both, only_truth, only_said, neither = (cells / cells.sum(axis=1, keepdims=True)).T
    by_chance = (both + only_truth) * (both + only_said) + (neither + only_truth) * (neither + only_said)
    kappas = (both + neither - by_chance) / (1 - by_chance)
    # 10,000 draws know a 2.5 % point of a spread of 0.07 to about 0.002.
    assert label_agreement(truth, prediction)["kappa_ci"] == pytest.approx(
        np.quantile(kappas, [0.025, 0.975]), abs=0.008
    )


def test_full_agreement_of_rows_is_not_certain() -> None:
    found = label_agreement(["1"] * 5 + ["0"] * 45, ["1"] * 5 + ["0"] * 45)
    assert found["kappa"] == 1.0
    assert found["kappa_ci"] is not None
    assert 0.5 < found["kappa_ci"][0] < 0.9
    assert found["kappa_ci"][1] == 1.0


def of_clusters(copies: int) -> LabelAgreement:
    """Twenty clusters, all rows of one alike, half of them right."""
    truth = [str(number % 2) for number in range(20) for _ in range(copies)]
    prediction = [str(number % 2 if number < 10 else 1 - number % 2) for number in range(20) for _ in range(copies)]
    clusters = [f"c{number}" for number in range(20) for _ in range(copies)]
    return label_agreement(truth, prediction, {"c": clusters})


def test_copies_of_rows_within_their_clusters_narrow_nothing() -> None:
    once, often = of_clusters(1), of_clusters(9)
    assert often["accuracy_ci"] == once["accuracy_ci"]
    assert often["clusters"] == 20
    # Standard error sqrt(.25 / 20) = .112: about .28 to .72.
    assert once["accuracy_ci"] == pytest.approx([0.28, 0.72], abs=0.05)


def test_rows_that_join_units_are_less_sure_than_rows_alone() -> None:
    units = [f"s{number:02}" for number in range(30)]
    generator = np.random.default_rng(0)
    is_hard = dict(zip(units, generator.random(30) < 0.4, strict=True))
    pairs = [(one, other) for place, one in enumerate(units) for other in units[place + 1 :]]
    truth = [str(number % 2) for number in range(len(pairs))]
    # Wrong wherever a hard unit takes part.
    prediction = [
        str(1 - int(label)) if is_hard[one] or is_hard[other] else label
        for label, (one, other) in zip(truth, pairs, strict=True)
    ]
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    rows = label_agreement(truth, prediction)
    joined = label_agreement(truth, prediction, {"a": first, "b": second})
    assert joined["clusters"] == 30
    assert width(joined["accuracy_ci"]) > 3 * width(rows["accuracy_ci"])
    swapped = label_agreement(truth, prediction, {"a": second, "b": first})
    assert swapped["accuracy_ci"] == joined["accuracy_ci"]


def test_a_row_of_a_pair_weighs_the_product_of_both_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    # Units p, q, r, s, t, u; one draw of counts 2, 3, 0, 0, 0, 0: the row p-q weighs 6, p-p 4, all others 0.
    monkeypatch.setattr(module, "draw_blocks", lambda units, draws, seed: [np.array([[2.0, 3.0, 0.0, 0.0, 0.0, 0.0]])])
    found = label_agreement(
        ["A", "B", "B", "A", "A"],
        ["A", "A", "B", "B", "A"],
        {"a": ["p", "p", "r", "q", "u"], "b": ["q", "p", "s", "t", "u"]},
    )
    assert found["accuracy_ci"] == [0.6, 0.6]


def test_a_column_of_texts_is_no_label_column() -> None:
    texts = [f"text {number}" for number in range(201)]
    with pytest.raises(TooManyLabels, match="201 different labels"):
        label_agreement(texts, texts)
