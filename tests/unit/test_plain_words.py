"""Pages, messages and docs say things in the words that readers of this field use (docs/glossary.md)."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]

RIDDLES = {
    "Open, and nobody on it": "awaiting first submission",
    "Look at:": "View:",
    "Ranks under other choices": "How stable is each rank?",
    "largest first": "high to low",
    "What rebuilds this number": "Reproduce this score",
    "number anew": "reproduce the score",
    "not to be told apart": "tied",
    "rows understand nothing": "baselines",
    "Its ticket": "Submission record",
    "foretold": "predicted",
    "foretell": "predict",
    "not at hand": "not installed, not available",
    "the file states wins over": "override these fields",
    "down to what it rests on": "down to the raw answers",
    "has both a ": "has a value for both",
    "The queue knows": "the queue says which",
    "Trust lies": "the best judges are",
    "beside himself": "compared with the human",
    "number would do": "no number is enough",
    "put in order.": "sorted into runs",
    "Which answers answer": "Relevance check",
    "hang together": "are not independent",
    "taken for no answer": "found not to answer its prompt",
    "Everybody has their turn": "in turn",
    "understands nothing": "does not read meaning",
    "talked above": "raised above",
    "In Q*": "Counted",
    "Rank sensitivity": "How stable is each rank?",
    "Variation atlas": "Scores by variation",
    "Flags of the guards": "Automatic checks",
    "Put it in order": "Convert my files",
    "would mend this": "we can convert this file",
    "Mend this place": "Fix this line",
    "Nothing of it was stored": "Nothing was saved",
    "Not stated, and not needed": "Optional",
    "Be told when it is scored": "Notify me (webhook)",
    "What to judge again": "Request re-scoring",
    "Rank my system by": "Use this run for my rank",
    "Take it off the boards": "Withdraw permanently?",
    "What it said is kept": "Answers are kept until you erase them",
    "stays in the ledger": "stays in the public log",
    "which is not 0": "not zero",
    "unreadable reply": "aligner failed; draft kept",
    "of its gated s": "of its checked s: after the relevance check",
    "gating flag has": "a flag that fails an answer",
}
"""What has puzzled readers, with what is said instead."""

KEPT = {
    ("evaluator/judges/profile_prompts.py", "foretell"): "the wording of a prompt is part of its version",
    ("evaluator/lab/demo_readers.py", "foretold"): "a line of a story",
}


def texts() -> list[tuple[str, str]]:
    """Files with the texts in them that somebody may read: whole pages of docs; of programs all strings."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = [(str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")) for page in pages]
    for room in ("leaderboard", "evaluator", "research", "submissions"):
        for program in sorted((ROOT / room).rglob("*.py")):
            tree = ast.parse(program.read_text(encoding="utf-8"))
            strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
            written = "\n".join(value for value in strings if isinstance(value, str))
            found.append((str(program.relative_to(ROOT)), written))
    return found


def test_no_text_says_what_has_puzzled_readers() -> None:
    said = {(file, riddle) for file, text in texts() for riddle in RIDDLES if riddle in text}
    assert {(file, riddle, RIDDLES[riddle]) for file, riddle in said - set(KEPT)} == set()
    assert set(KEPT) <= said  # what is kept is still there
