"""The measurements that come along hold for the pairs and the added texts as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluator.judge_quality import shipped
from evaluator.judge_quality.measurement import JudgeQuality
from evaluator.judge_quality.shipped import (
    RECORDED_MODELS,
    current_pairs,
    current_sample,
    people_file,
    shipped_people,
    shipped_qualities,
)
from tests.people_table import table, written_table
from tests.unit.leaderboard.page.made_quality import made_people

DOCS = Path(__file__).parents[4] / "docs" / "which_judge.md"


@pytest.fixture(scope="module")
def measured() -> dict[str, JudgeQuality]:
    """By name; a language model of others by its model."""
    every = shipped_qualities()
    return {one.judge.model if one.judge.model in RECORDED_MODELS else one.judge.name: one for one in every}


def test_every_judge_that_comes_along_is_measured_fully_on_the_pairs_as_they_are(
    measured: dict[str, JudgeQuality],
) -> None:
    embedded = {"multilingual_pair", "pair", "transformers"}
    assert measured.keys() == {*embedded, *RECORDED_MODELS}
    for quality in (measured[name] for name in embedded):
        assert (quality.measured_on, quality.pairs, quality.topics) == (current_pairs(), 522, 23)
        assert quality.trials is not None
    assert measured["transformers"].commit == "96d2709d"


def test_a_record_on_a_sample_has_its_pairs_commit_card_and_proofs(measured: dict[str, JudgeQuality]) -> None:
    for quality in (measured[name] for name in RECORDED_MODELS):
        assert quality.measured_on == current_sample(quality.pairs)
        assert quality.commit
        assert quality.trials is not None
        assert len(quality.trials.ratings) == quality.pairs
        assert len(quality.trials.proofs) == 8
        assert "no GPU" in quality.trials.cost.hardware


def test_a_recorded_model_has_people_s_labels_of_exactly_itself_and_the_page_has_its_figures(
    measured: dict[str, JudgeQuality],
) -> None:
    written = re.sub(r"\s+", " ", DOCS.read_text(encoding="utf-8"))
    for quality in (measured[name] for name in RECORDED_MODELS):
        people = quality.people
        assert people is not None
        assert people.judge == quality.judge
        assert re.fullmatch(r"[0-9a-f]{8}", people.commit)
        assert people.figures.same_answer is not None
        asked = people.figures.same_answer.auc, people.figures.likeness["dev"].english
        for value in asked:
            assert value is not None
            assert value.n + value.unscored == 100
            assert f"{value.value:.2f} [{value.low:.2f}, {value.high:.2f}]" in written


@pytest.mark.parametrize("name", ["multilingual_pair", "transformers", *RECORDED_MODELS])
def test_the_page_states_the_figures_that_were_measured(measured: dict[str, JudgeQuality], name: str) -> None:
    auc = measured[name].quality.auc
    written = f"{auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]"
    assert written in re.sub(r"\s+", " ", DOCS.read_text(encoding="utf-8"))


def test_the_page_has_the_figures_of_agreement_with_people_that_were_measured() -> None:
    """`python -m tests.people_table` writes them anew."""
    assert written_table(DOCS.read_text(encoding="utf-8")) == table()


def test_agreement_with_people_holds_for_exactly_the_judge_it_was_measured_of(
    measured: dict[str, JudgeQuality], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quality = measured["pair"].model_copy(update={"people": None})
    monkeypatch.setattr(shipped, "shipped_file", lambda judge: tmp_path / f"{judge}_quality.json")
    (tmp_path / "pair_quality.json").write_text(quality.model_dump_json(), encoding="utf-8")
    assert [one.people for one in shipped_qualities()] == [None]
    people = made_people(quality.judge)
    people_file("pair").write_text(people.model_dump_json(), encoding="utf-8")
    assert [one.people for one in shipped_qualities()] == [people]
    retrained = quality.judge.model_copy(update={"revision": "other"})
    assert shipped_people(retrained) is None
