"""docs/add_a_judge.md, followed word for word."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import evaluator.judges
from evaluator.judge_loading import registry
from evaluator.judge_loading.loading import UnknownJudge, load_scorer
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import Judge, JudgeRequest
from leaderboard.page.methods_page import judges_value

DOC = (Path(__file__).parents[4] / "docs" / "add_a_judge.md").read_text(encoding="utf-8")
((NAME, FILE),) = re.findall(r"^`evaluator/judges/(\w+\.py)`\n\n```python\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)
(LINE,) = re.findall(r"^\+    (\w+),$", DOC, re.MULTILINE)
"""What joins the register."""


@pytest.fixture(autouse=True)
def _added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The file of the page in a folder of its own, and the line."""
    (tmp_path / NAME).write_text(FILE, encoding="utf-8")
    monkeypatch.setattr(evaluator.judges, "__path__", [*evaluator.judges.__path__, str(tmp_path)])
    module = importlib.import_module(f"evaluator.judges.{Path(NAME).stem}")
    monkeypatch.setattr(registry, "JUDGES", (*registry.JUDGES, getattr(module, LINE)))
    yield
    del sys.modules[module.__name__]


@pytest.fixture
def judge() -> Judge:
    return load_scorer("letters").judge


def pair(first: str, second: str) -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": first, "answer_b": second}, "sv")


def test_it_is_a_name_that_a_configuration_may_write() -> None:
    assert "letters" in registry.judge_names()
    with pytest.raises(UnknownJudge, match="letters"):
        load_scorer("letters:2")  # nothing may stand after a colon


def test_it_rates_a_pair_and_leaves_unscored_what_it_cannot_read(judge: Judge) -> None:
    same, near, empty = judge.judge([pair("boat", "boat"), pair("boats", "boat"), pair("ja", "boat")])
    assert (same.rating, near.rating) == (5.0, 4.0)  # boa and oat are shared, ats is not: 2 x 2 / 5
    assert (empty.rating, empty.reason) == (None, "an answer has fewer than three letters")


def test_a_verdict_is_known_by_its_texts_and_its_pin(judge: Judge) -> None:
    assert judge.key(pair("boat", "tide")) == judge.key(pair("boat", "tide")) != judge.key(pair("tide", "boat"))


def test_about_describes_it_and_a_manifest_may_name_it() -> None:
    assert any(entry["name"] == "letters" for entry in judges_value()["judges"])
    assert "letters" in registry.judges_of_their_name()
    assert "transformers" not in registry.judges_of_their_name()
