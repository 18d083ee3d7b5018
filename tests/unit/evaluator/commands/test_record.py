"""The recorded runs: whole files, accepted as anybody's, and as their manifest says."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import Counter

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
