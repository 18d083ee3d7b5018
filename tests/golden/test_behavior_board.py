"""The board of recommenders on INSPIRED's dev set, against figures computed independently."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.boards.behavior_alignment.cache import BehaviorBoards
from leaderboard.boards.behavior_alignment.rows import REFERENCE_NAMES, BehaviorRow
from submissions.store.store import Store
from tests.golden.test_behavior_expected import SYSTEMS, inspired_submission
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import put_into

VALUE = 1e-9
INSPIRED = "behavior_alignment/inspired_dev.tsv"


@pytest.fixture
def expected(own_data: Path) -> Any:
    text = (own_data / "behavior_alignment" / "expected.json").read_text(encoding="utf-8")
    return json.loads(text)["inspired_dev"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield opened
    opened.close()


def rows_of(store: Store, file: Path, *, labels: bool) -> dict[str, BehaviorRow]:
    """The rows of the four systems of the data's README, by name."""
    for name in SYSTEMS:
        document = inspired_submission(file, name) | {"system": name}
        if not labels:
            for turn in (turn for dialogue in document["dialogues"] for turn in dialogue["turns"]):
                turn |= {"human_strategy": None, "system_strategy": None}
        put_into(store, json.dumps(document).encode())
    boards = BehaviorBoards(store, {"d9209cce8a1bffc7": "INSPIRED dev"})
    collection, published = boards.collections()
    assert published.is_published
    assert collection.title == "INSPIRED dev, 99 dialogues"
    return {row.name: row for row in boards.rows(collection.id, "annotated" if labels else "estimated")}


def test_annotated_rows_and_null_rows_have_the_expected_figures(
    store: Store, golden_data: Callable[[str], Path], expected: Any
) -> None:
    rows = rows_of(store, golden_data(INSPIRED), labels=True)
    for name in SYSTEMS:
        figures, row = expected[name]["explicit"], rows[name]
        assert row.alignment.value == pytest.approx(figures["ba"], abs=VALUE)
        assert row.figures.explicit.ba_eq2 == pytest.approx(figures["ba_eq2"], abs=VALUE)
        assert row.mix_distance == pytest.approx(figures["strategy_mix"]["distance"], abs=VALUE)
        assert [row.bleu(order) for order in (1, 2, 3, 4)] == pytest.approx(
            [expected[name]["bleu"][str(order)] for order in (1, 2, 3, 4)], abs=VALUE
        )
    # The baselines are systems of the README that nobody has to send.
    for reference, name in (("previous", "previous"), ("constant", "always_opinion_inquiry"), ("human", "copy")):
        row = rows[REFERENCE_NAMES[reference]]  # type: ignore[index]
        assert row.alignment.value == pytest.approx(expected[name]["explicit"]["ba"], abs=VALUE)
    assert rows["copy"].unranked.startswith("copies the human's words")
    assert "the human's previous turn" in rows["previous"].note
    assert [name for name in SYSTEMS if rows[name].rank is None] == ["copy"]
    best = rows["previous"].rank  # of the ranked three it has the highest headline: nobody can be ahead of it
    assert best is not None
    assert best.low == 1


def test_without_labels_the_estimate_is_near_the_explicit_figure(
    store: Store, golden_data: Callable[[str], Path], expected: Any
) -> None:
    rows = rows_of(store, golden_data(INSPIRED), labels=False)
    ends = rows["previous"].figures.implicit
    assert ends is not None
    assert ends.corrected_range is not None
    explicit = expected["previous"]["explicit"]["ba"]
    # The estimator's rates were measured on other dialogues, whose range need not hold here: so much is let be.
    assert ends.corrected_range[0] - 0.12 <= explicit <= ends.corrected_range[1] + 0.12
    assert rows["previous"].badge.startswith("estimated (accuracy 0.")
    assert rows[REFERENCE_NAMES["human"]].alignment.value == 1.0
