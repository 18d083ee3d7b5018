"""What the board says of the synthetic runs: the figures of the acceptance data, row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.boards.personalized_evaluation.cache import EvaluatorsBoards
from leaderboard.boards.personalized_evaluation.rows import ASPECT_KEYS, EvaluatorRow
from submissions.store.store import Store
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import put_into

VALUE = 1e-9
OF_WIDTH, OF_ENDS = 0.12, 0.005


@pytest.fixture(scope="module")
def folder(own_data: Path) -> Path:
    return own_data / "personalized_evaluation"


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]


@pytest.fixture
def row_of(folder: Path, tmp_path: Path) -> Any:
    """Scores files and gives the row of the first one."""
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")

    def found(*files: str) -> EvaluatorRow:
        # One evaluator ran both files: the board pairs them by team, system and model.
        documents = [json.loads((folder / "cases" / file).read_text(encoding="utf-8")) for file in files]
        names = {name: documents[0][name] for name in ("team", "system", "model")}
        tickets = [put_into(store, document | names) for document in documents]
        boards = EvaluatorsBoards(store)
        run = boards.run(tickets[0])
        assert run is not None
        return next(row for row in boards.rows(run.kind, run.collection) if row.id == tickets[0])

    yield found
    store.close()


def is_figure(row: EvaluatorRow, key: str, value: float | None, ends: list[float] | None = None) -> None:
    found = row.metric(key)
    if value is None:
        assert found is None or found.value is None
        return
    assert found is not None
    assert found.value == pytest.approx(value, abs=VALUE)
    if ends is not None:
        assert [found.low, found.high] == pytest.approx(ends, abs=OF_ENDS + OF_WIDTH * (ends[1] - ends[0]))


def test_ratings_with_and_without_profiles(row_of: Any, expected: Any) -> None:
    row, wanted = row_of("ratings_k3.json", "ratings_k0.json"), expected["ratings_k3.json"]
    metrics, penalized = wanted["metrics"], wanted["penalized"]
    is_figure(row, "tau", penalized["kendall"], penalized["kendall_ci"])
    for name in ("pearson", "spearman"):
        is_figure(row, name, metrics[name]["value"], metrics[name]["ci"])
    is_figure(row, "within", metrics["within_reviewer_kendall"])
    is_figure(row, "mae", metrics["mae"])
    is_figure(row, "gain", wanted["gain_over_reviewer_avg"]["value"], wanted["gain_over_reviewer_avg"]["ci"])
    # The board has both runs' draws and never their items side by side.
    is_figure(row, "gain_k0", wanted["gain_over_k0"]["value"], wanted["gain_over_k0"]["ci"])
    is_figure(row, "order_std", wanted["order_shuffle"]["kendall_std"])
    is_figure(row, "parse_rate", wanted["parse_rate"])
    for group in ("memorized", "unmemorized"):
        is_figure(row, f"tau_{group}", wanted["contamination"][group]["kendall"])


def test_choices_in_both_orders(row_of: Any, expected: Any) -> None:
    row, wanted = row_of("pairs_k1.json"), expected["pairs_k1.json"]
    is_figure(row, "macro", wanted["accuracy_macro"]["penalized"])
    for aspect, key in ASPECT_KEYS.items():
        is_figure(row, key, wanted["accuracy"][aspect]["value"], wanted["accuracy"][aspect]["ci"])
    is_figure(row, "gain", wanted["gain_over_reviewer_avg"]["value"], wanted["gain_over_reviewer_avg"]["ci"])
    is_figure(row, "winner_accuracy", wanted["alignment"]["winner_accuracy"])
    is_figure(row, "consistency", wanted["both_orders"]["consistency"])
    is_figure(row, "bias_first", wanted["bias_first"])
    is_figure(row, "bias_memorized", wanted["contamination"]["one"]["bias_memorized"])


@pytest.mark.parametrize("file", ["ratings_constant.json", "pairs_four_aspects.json"])
def test_runs_with_an_undefined_headline_are_not_ranked(file: str, row_of: Any) -> None:
    row = row_of(file)
    assert (row.rank, row.tier) == (None, 1)
    assert "the headline is undefined" in row.unranked
