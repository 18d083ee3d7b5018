"""Folders as teams keep them are packed, accepted and scored: a run has a rank, or the reason why it has none."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluator.cultural.evaluate import NO_RESPONSE
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.scripted import ScriptedJudge
from evaluator.worker.loop import Worker
from leaderboard.page.services import Services
from submissions.__main__ import main
from submissions.promptsets import (
    DEMONSTRATION_2026,
    ELOQUENT_2024,
    ELOQUENT_2025,
    ELOQUENT_2026,
    demonstration_2026,
)
from submissions.store.queue import JobStatus, Ticket
from tests.unit.leaderboard.site.test_api import public_api

TOO_FEW = "not ranked: partial: a rank needs 5 languages with 95% of both files answered"
NAMES = ("--team", "Harbour", "--system", "{run}", "--model", "org/m")
LANGUAGES = ("de", "en", "es", "fr", "sv")
"""All that our prompts of 2026 have, and as many as a rank needs."""
ALL = 5 * (10 + 20)
"""Answers of a whole run: five languages, ten open questions and twenty that name a culture."""
IDS = tuple(item.id for item in demonstration_2026().items)
PROMPTS = {(one.language, item.id): one.prompt or "" for item in demonstration_2026().items for one in item.variants}

Answers = Mapping[str, Mapping[str, str]]
"""Language -> id -> answer."""


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))


def following(language: str, item_id: str) -> str:
    """On topic; beside that what the culture that is named decides alone, and each language where none is."""
    question, _, variant = item_id.partition("-")
    own = f"custom{question}of{variant}" if variant else f"{language}{question}"
    return " ".join([PROMPTS[language, item_id], *[own] * 6])


def off_topic(language: str, item_id: str) -> str:
    return f"numbat{item_id} {language}{item_id}"


def answers_of(written: Any) -> Answers:
    return {language: {item_id: written(language, item_id) for item_id in IDS} for language in LANGUAGES}


def rows(answers: Mapping[str, str], *, prompt: str = "", numbers: bool = False) -> list[dict[str, Any]]:
    """As rows of a file; ids of unspecific questions as numbers where asked for."""
    beside = {"prompt": prompt} if prompt else {}
    return [
        {"id": int(item_id) if numbers and item_id.isdigit() else item_id, **beside, "answer": answer}
        for item_id, answer in answers.items()
    ]


def json_lines(listed: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in listed)


def by_kind(answers: Mapping[str, str]) -> dict[str, dict[str, str]]:
    return {
        kind: {item_id: answer for item_id, answer in answers.items() if ("-" in item_id) == (kind == "specific")}
        for kind in ("specific", "unspecific")
    }


def save(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def tickets(services: Services, folder: Path, out: Path) -> list[Ticket]:
    """The runs of a folder, each in all its files, packed, taken in and scored."""
    assert main(["pack", str(folder), "--out", str(out), "--own-prompts", *NAMES]) == 0
    for path in sorted(out.iterdir()):
        if path.name != "pack_log.jsonl":
            receipt = services.desk.submit(path.read_bytes(), path.name, owner="harbour")
            assert receipt.report.decision != "refused"
    worker = Worker(
        name="w",
        store=services.store,
        archive=services.desk.archive,
        prompt_sets=services.desk.prompt_sets,
        scorer=Scorer(ScriptedJudge(), ScriptedEmbedder(4096)),
        stop=threading.Event(),
    )
    worker.run(until_empty=True)
    found = services.store.tickets()
    assert {ticket.status for ticket in found} == {JobStatus.SCORED}
    return found


def culture(services: Services, ticket: Ticket) -> tuple[float, int]:
    """The headline of a run, and how many answers it rests on."""
    result = json.loads(services.store.result(ticket.id) or "")
    return result["figures"]["culture_gated"]["value"], sum(one["answered"] for one in result["languages"].values())


def standings(services: Services, board: str, set_id: str) -> dict[str, str]:
    """System -> its place on a board, or the note that says why it has none."""
    rows = json.loads(public_api(services).board(board, f"set={set_id}"))["rows"]
    return {row["system"]: str(row["rank"]["low"]) if row["rank"] else row["note"] for row in rows}


# --- the four shapes, with answers to our own prompts of 2026 ---------------------------------------------------------


def mixed(folder: Path) -> Path:
    """Two runs in one folder, told apart by the names of the files, and one of these twice."""
    files = {
        f"{language}_{kind}_{run}_llama-3_3.jsonl": json_lines(rows(of_kind))
        for run, written in (("cot_cultural", following), ("zero-shot", off_topic))
        for language, answers in answers_of(written).items()
        for kind, of_kind in by_kind(answers).items()
    }
    first = "de_specific_cot_cultural_llama-3_3"
    return save(folder, {**files, f"{first} (1).jsonl": files[f"{first}.jsonl"]})


def arrays(folder: Path) -> Path:
    """One JSON array for each language, ids as integers."""
    files = {f"{code}.json": json.dumps(rows(one, numbers=True)) for code, one in answers_of(following).items()}
    return save(folder, files)


def suffixes(folder: Path) -> Path:
    """`.json` for `.jsonl`, lines in one and an object of ids in the other."""
    kinds = {code: by_kind(one) for code, one in answers_of(following).items()}
    lines = {f"{code}_specific.json": json_lines(rows(one["specific"])) for code, one in kinds.items()}
    objects = {f"{code}_unspecific.json": json.dumps(one["unspecific"]) for code, one in kinds.items()}
    return save(folder, lines | objects)


def nested(folder: Path) -> Path:
    """A folder for each run and language, settings and logs beside, and prompts in the team's own words."""
    files = {
        f"run/answers/{language}/{kind}.jsonl": json_lines(rows(of_kind, prompt=f"As a neighbour: {language}?"))
        for language, answers in answers_of(following).items()
        for kind, of_kind in by_kind(answers).items()
    }
    return save(folder, {**files, "run/config.json": '{"temperature": 0}', "run/logs/metrics.jsonl": '{"loss": 1}\n'})


@pytest.mark.parametrize(
    ("made", "system"), [(arrays, "run-1"), (suffixes, "run-1"), (nested, "run")], ids=["arrays", "suffixes", "nested"]
)
def test_a_run_of_every_shape_is_ranked_by_what_it_answers(
    made: Any, system: str, services: Services, tmp_path: Path
) -> None:
    (ticket,) = tickets(services, made(tmp_path / "in"), tmp_path / "out")
    # Every comparison of every pair of languages is won.
    assert culture(services, ticket) == (1.0, ALL)
    assert standings(services, "cultural", DEMONSTRATION_2026) == {system: "1"}


def test_runs_mixed_in_one_folder_are_scored_apart_and_one_that_answers_nothing_says_so(
    services: Services, tmp_path: Path
) -> None:
    found = tickets(services, mixed(tmp_path / "in"), tmp_path / "out")
    assert {ticket.names.run: culture(services, ticket) for ticket in found} == {
        "cot_cultural_llama-3_3": (1.0, ALL),
        "zero-shot_llama-3_3": (0.0, ALL),  # no answer counts
    }
    assert standings(services, "cultural", DEMONSTRATION_2026) == {
        "cot_cultural_llama-3_3": "1",
        "zero-shot_llama-3_3": f"not ranked: {NO_RESPONSE}",
    }


def test_a_run_without_one_of_the_languages_is_scored_and_says_what_a_rank_needs(
    services: Services, tmp_path: Path
) -> None:
    folder = arrays(tmp_path / "in")
    (folder / "fr.json").unlink()
    (ticket,) = tickets(services, folder, tmp_path / "out")
    assert culture(services, ticket) == (1.0, ALL - 10 - 20)
    assert standings(services, "cultural", DEMONSTRATION_2026) == {"run-1": TOO_FEW}


# --- the folders of tests/data/packing: few answers to official prompts, which are not installed here ----------------

UNREGISTERED = (
    "not ranked: the questions of the edition are not registered here, so nobody can tell whether the run asks"
)
NO_SET = "not ranked: set_unavailable: the prompts are not installed, so relevance could not be checked"


@pytest.mark.parametrize(
    ("name", "board", "set_id", "expected"),
    [
        ("mixed", "cultural", ELOQUENT_2026, {"cot_cultural_llama-3_3": TOO_FEW, "zero-shot_qwen-2_5": TOO_FEW}),
        ("arrays", "cultural", ELOQUENT_2026, {"tidewater": TOO_FEW}),
        ("objects", "cultural", ELOQUENT_2026, {"run-1": TOO_FEW}),
        ("nested", "cultural", ELOQUENT_2026, {"baseline": TOO_FEW, "with_persona": TOO_FEW}),
        ("questions_2025", "consistency", ELOQUENT_2025, {"tidewater": UNREGISTERED, "seven_shot": UNREGISTERED}),
        ("variants_2024", "robustness", ELOQUENT_2024, {"plain": NO_SET, "polite": NO_SET}),
    ],
)
def test_folders_of_few_answers_are_scored_and_say_why_they_have_no_rank(
    name: str,
    board: str,
    set_id: str,
    expected: Mapping[str, str],
    own_data: Path,
    services: Services,
    tmp_path: Path,
) -> None:
    tickets(services, own_data / "packing" / name, tmp_path / "out")
    found = standings(services, board, set_id)
    assert found.keys() == expected.keys()
    assert all(found[system].startswith(note) for system, note in expected.items()), found
