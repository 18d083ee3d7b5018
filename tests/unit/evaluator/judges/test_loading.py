"""Judges by name."""

from __future__ import annotations

import pytest

from evaluator.judges.loading import UnknownJudge, load_scorer
from evaluator.judges.scripted import ScriptedJudge


def test_the_scripted_judge_is_only_had_by_name_and_may_be_slow() -> None:
    assert isinstance(load_scorer("scripted").judge, ScriptedJudge)
    assert isinstance(load_scorer("scripted:0.5").judge, ScriptedJudge)


@pytest.mark.parametrize(
    "name", ["", "gpt", "scripted:fast", "embedding:2", "transformers:", "transformers:org/model@main"]
)
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownJudge, match=r"choose one of|neither a folder"):
        load_scorer(name)
