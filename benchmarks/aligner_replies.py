"""How often a local model's stage-2 reply of Pref-Aligner is readable, what it changes, and what it costs.

    python -m benchmarks.aligner_replies FOLDER

Before: the replies of the recorded run (`pref-aligner-1`), cut at the longest text of the lab. After: the same
questions and drafts asked anew. Figures: docs/generators.md#the-recorded-runs.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from importlib import resources
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from benchmarks.provenance import commit
from evaluator.answering.prompting import ALIGNER, aligned_answer, aligner_messages
from evaluator.answering.questions import answer
from evaluator.generators.loading import SMALL_MODEL_TOKENS
from evaluator.generators.transformers import load_transformers_generator
from evaluator.personalization.answer_extraction import extract_answer
from submissions.questionsets import Question

SETTINGS = ("relevant", "irrelevant", "mixed")


def recorded_rows(setting: str) -> list[dict[str, Any]]:
    """Return the Pref-Aligner rows of the recorded run in one setting, one per question."""
    text = (resources.files("submissions.recorded") / "smollm2_personalization.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()[1:]]
    return [row for row in rows if row["method"] == "pref_aligner" and row["setting"] == setting]


class Counts:
    """What the replies of one setting came to."""

    def __init__(self) -> None:
        self.n = self.readable = self.edited = self.other_option = self.tokens = 0
        self.seconds = 0.0

    def add(self, row: dict[str, Any], reply: str, tokens: int, seconds: float = 0.0) -> None:
        """Count one reply; an option counts as changed where draft and answer settle on different letters."""
        aligned = aligned_answer(reply, row["draft"])
        letters = [extract_answer(text, row["options"])[0] for text in (row["draft"], aligned.text)]
        self.n += 1
        self.readable += not aligned.fallback
        self.edited += aligned.text.split() != row["draft"].split()
        self.other_option += letters[0] is not None and letters[0] != letters[1]
        self.tokens += tokens
        self.seconds += seconds

    def __str__(self) -> str:
        timed = f", {self.seconds / self.n:.1f} s" if self.seconds else ""
        return (
            f"readable {self.readable} of {self.n}, draft edited {self.edited}, another option or none "
            f"{self.other_option}, {self.tokens / self.n:.0f} tokens{timed} a reply"
        )


def main() -> None:
    """Count the recorded replies, write new ones, and print one line for each setting."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=36)
    asked = parser.parse_args()
    print(f"commit {commit()}, at most {SMALL_MODEL_TOKENS} tokens a reply")
    tokenizer = Tokenizer.from_file(str(asked.folder / "tokenizer.json"))
    generator = load_transformers_generator(str(asked.folder), None, device="cpu")
    for setting in SETTINGS:
        before, after = Counts(), Counts()
        for row in recorded_rows(setting)[: asked.questions]:
            ids = tokenizer.encode(row["aligner_raw"], add_special_tokens=False).ids[:SMALL_MODEL_TOKENS]
            before.add(row, tokenizer.decode(ids), len(ids))
            question = Question(row["example_id"], row["question"], tuple(row["options"]), row["gold"])
            messages = aligner_messages(question, row["draft"], row["preferences"])
            began = time.perf_counter()
            reply = answer(generator, messages, threading.Event(), SMALL_MODEL_TOKENS)
            seconds = time.perf_counter() - began
            written = tokenizer.encode(reply.text, add_special_tokens=False).ids
            after.add(row, reply.text, len(written), seconds)
            print(json.dumps([row["example_id"], row["draft"], reply.text], ensure_ascii=False), flush=True)
        print(f"{setting}, recorded with pref-aligner-1: {before}")
        print(f"{setting}, {ALIGNER.name}: {after}", flush=True)


if __name__ == "__main__":
    main()
