"""The measurements that come along hold for the pairs and the added texts as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluator.judges.quality.measurement import JudgeQuality
from evaluator.judges.quality.shipped import current_pairs, shipped_qualities

DOCS = Path(__file__).parents[5] / "docs" / "which_judge.md"


@pytest.fixture(scope="module")
def measured() -> dict[str, JudgeQuality]:
    return {quality.judge.name: quality for quality in shipped_qualities()}


def test_every_embedded_judge_of_pairs_is_measured_fully_on_the_pairs_as_they_are(
    measured: dict[str, JudgeQuality],
) -> None:
    assert {"embedding", "multilingual", "multilingual_pair", "pair"} <= measured.keys()
    for quality in measured.values():
        assert (quality.measured_on, quality.pairs, quality.topics) == (current_pairs(), 522, 23)
        assert quality.trials is not None


@pytest.mark.parametrize("name", ["multilingual_pair", "multilingual"])
def test_the_page_states_the_figures_that_were_measured(measured: dict[str, JudgeQuality], name: str) -> None:
    auc = measured[name].quality.auc
    written = f"{auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]"
    assert written in re.sub(r"\s+", " ", DOCS.read_text(encoding="utf-8"))
