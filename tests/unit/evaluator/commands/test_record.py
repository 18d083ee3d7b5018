"""The recorded runs: whole files, accepted as anybody's, and as their manifest says."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import Counter
from pathlib import Path

import pytest

from evaluator.commands.record import CONSISTENCY_PROMPT, RECORDINGS
from evaluator.generators import smollm2
from submissions.check import check_submission
from submissions.promptsets import PromptSets, load_demonstration
from submissions.questionsets import demonstration
from submissions.recorded import PERSONALIZATION, manifest, recorded_submissions

FILES = dict(recorded_submissions())


def test_the_manifest_names_the_model_and_the_checksum_of_every_file() -> None:
    found = manifest()
    assert found["model"]["gguf_sha256"] == smollm2.GGUF_SHA256
    assert found["model"]["safetensors_sha256"] == smollm2.WEIGHTS_SHA256
    assert list(found["files"]) == [recording.file_name for recording in RECORDINGS]
    for name, data in FILES.items():
        assert found["files"][name]["sha256"] == hashlib.sha256(data).hexdigest()


def test_decodings_are_greedy_two_seeds_and_a_request_to_be_consistent() -> None:
    facts = manifest()["files"]
    assert Counter(one["decoding"] for one in facts.values()) == {
        "greedy": 3 + 3 + 1,  # three languages of 2025, a zip of 2026
        "temperature 0.7, seed 1": 1,
        "temperature 0.7, seed 2": 1,
    }
    asked = [name for name, one in facts.items() if CONSISTENCY_PROMPT in shlex.split(one["command"])]
    assert asked == ["smollm2_consistent.json"]


_LATER = {
    **{f"smollm2_2025_{language}.json": "demonstration-2025" for language in ("de", "en", "sv")},
    "smollm2_2026.zip": "demonstration-2026",
}


@pytest.mark.parametrize("name", list(FILES))
def test_each_file_is_accepted_as_any_submission(name: str) -> None:
    report = check_submission(FILES[name], name, prompt_sets=PromptSets.load(None))
    # SmolLM2 answers in English now and then, and says the same twice: told, and no reason to refuse a file.
    assert report.decision != "refused", [problem.message for problem in report.problems]
    assert name in _LATER or report.decision == "accepted", [problem.message for problem in report.problems]
    if name in _LATER:
        assert report.submission is not None
        assert report.submission.set_id == _LATER[name]


def test_every_demonstration_question_is_answered_by_both_methods_in_all_settings() -> None:
    head, *rows = map(json.loads, FILES[PERSONALIZATION].decode().splitlines())
    asked = {question.example_id for question in demonstration().questions}
    per_question = Counter(row["example_id"] for row in rows)
    # Two controls, and two methods in three settings.
    assert per_question == dict.fromkeys(asked, 2 + 2 * 3)
    assert {row["setting"] for row in rows} == {"none", "relevant", "irrelevant", "mixed"}
    assert smollm2.MODEL in head["notes"]


def test_the_page_says_how_many_of_the_aligners_replies_are_readable_and_how_many_drafts_it_changes() -> None:
    head, *rows = map(json.loads, FILES[PERSONALIZATION].decode().splitlines())
    assert "pref-aligner-2" in head["notes"]
    aligned = [row for row in rows if row["method"] == "pref_aligner"]
    readable = Counter(row["setting"] for row in aligned if not row["fallback"])
    # What was written is the JSON that the format asks for.
    assert all(set(json.loads(row["aligner_raw"])) == {"response"} for row in aligned if not row["fallback"])
    changed = [
        row for row in aligned if row["setting"] == "irrelevant" and row["response_with_preference"] != row["draft"]
    ]
    text = " ".join((Path(__file__).parents[4] / "docs" / "generators.md").read_text(encoding="utf-8").split())
    said = [f"{readable[setting]} ({setting})" for setting in ("relevant", "irrelevant", "mixed")]
    assert f"Of Pref-Aligner's 36 replies in each setting {said[0]}, {said[1]} and {said[2]} are readable" in text
    assert f"bears on the question, {len(changed)} of 36 drafts come back changed" in text


@pytest.mark.parametrize("name", [name for name in FILES if name != PERSONALIZATION and name not in _LATER])
def test_every_english_demonstration_prompt_is_answered(name: str) -> None:
    items = {
        item["id"]: [one["response"] for one in item["responses"]]
        for item in json.loads(FILES[name])["eloquent-robustness-results"]["items"]
    }
    for item in load_demonstration().items:
        answers = {variant.number: items[item.id][variant.number - 1] for variant in item.variants}
        for variant in item.variants:
            assert bool(answers[variant.number].strip()) == (variant.language == "en")


def test_what_a_system_answers_depends_on_how_it_was_asked() -> None:
    texts = {name: FILES[name].partition(b'"items"')[2] for name in FILES if name not in {PERSONALIZATION, *_LATER}}
    assert len(set(texts.values())) == len(texts) == 4
