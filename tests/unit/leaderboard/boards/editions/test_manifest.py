"""The manifest of a run of 2025 or 2026: what its figures rest on, and the command that makes them anew."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluator.reproduce.editions import edition_figures, read_edition_manifest
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
from leaderboard.boards.editions.manifest import edition_manifest_text
from leaderboard.boards.editions.rows import ScoredEdition
from tests.unit.leaderboard.boards.robustness.made_results import ticket

NUMBER = {"value": 0.5, "n": 7}
PIN: dict[str, Any] = {
    "name": "pair",
    "model": "m",
    "revision": "r",
    "tokenizer": "-",
    "prompt": "-",
    "dtype": "-",
    "engine": "-",
    "languages": None,
}
SHARED: dict[str, Any] = {
    "prompt_set": {"set_id": "s", "version": "1", "sha256": None},
    "file_sha256": "ab",
    "embedding": {**PIN, "name": "minilm"},
    "code_version": "1",
    "coverage": {},
    "question_values": {},
    "questions": (),
    "flags": {},
    "pass_share": NUMBER,
    "control_pass_share": NUMBER,
    "ranked": True,
    "reason": None,
}
SHARE = {"expected": 1, "answered": 1, "read": True, "flags": {}, "pass_share": NUMBER, "control_pass_share": NUMBER}


def run_2025(**changes: Any) -> ConsistencyResult:
    named = ("consistency", "consistency_gated", "worst", "worst_gated", "first_turn", "first_turn_gated")
    files = [{"language": language, "file_sha256": f"sha-{language}", "answered": 7} for language in ("en", "fi")]
    body = {
        **SHARED,
        "edition": "2025",
        "files": files,
        "judge": PIN,
        "questions_total": 7,
        "figures": dict.fromkeys(named, NUMBER),
        "by_language": {"en": {"consistency": NUMBER}},
        "order_gap": NUMBER,
    }
    return ConsistencyResult.model_validate({**body, **changes})


def run_2026(**changes: Any) -> CulturalResult:
    named = ("cd", "cr", "csp", "cd_gated", "cr_gated", "csp_gated")
    body = {
        **SHARED,
        "edition": "2026",
        "languages": {"sv": SHARE},
        "figures": dict.fromkeys(named, NUMBER),
        "pairs": (),
    }
    return CulturalResult.model_validate({**body, **changes})


def written(result: ConsistencyResult | CulturalResult) -> dict[str, Any]:
    text = edition_manifest_text(ScoredEdition(ticket("one"), result), result.model_dump_json())
    manifest = read_edition_manifest(text.encode())
    assert manifest is not None
    assert manifest.figures == edition_figures(result)
    body: dict[str, Any] = json.loads(text)
    return body


def test_a_run_of_2025_names_the_content_of_all_its_files() -> None:
    body = written(run_2025())
    assert body["files"] == [{"language": "en", "sha256": "sha-en"}, {"language": "fi", "sha256": "sha-fi"}]
    assert body["headline"]["figure"] == "consistency_gated"
    assert body["headline"]["value"] == 0.5
    assert body["command"] == "python -m evaluator reproduce manifest.json FILE_en FILE_fi"
    assert {"en consistency", "order_gap", "pass_share", "worst_gated"} < set(body["figures"])


def test_a_run_of_2026_is_one_file_and_has_the_shares_of_its_languages() -> None:
    body = written(run_2026())
    assert body["files"] == [{"language": None, "sha256": "ab"}]
    assert body["headline"]["figure"] == "csp_gated"
    assert body["judges"] == []
    assert body["command"] == "python -m evaluator reproduce manifest.json FILE"
    assert {"sv pass_share", "sv control_pass_share", "pass_share", "cd"} < set(body["figures"])


@pytest.mark.parametrize(
    ("pin", "flag"),
    [
        ({"name": "embedding model", "model": "a/b", "revision": "c" * 40}, f"transformers:a/b@{'c' * 40}"),
        ({"name": "embedding model", "model": "own", "revision": "d" * 64}, "transformers:FOLDER"),
    ],
)
def test_the_command_says_how_to_load_what_a_manifest_may_not(pin: dict[str, str], flag: str) -> None:
    assert written(run_2026(embedding={**PIN, **pin}))["command"].endswith(f" FILE --embedding {flag}")
    judged = run_2025(judge={**PIN, "name": "http", "model": "m"})
    assert written(judged)["command"].endswith(" FILE_fi --judge http:URL#m")
