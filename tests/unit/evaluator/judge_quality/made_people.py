"""Small files in the shape of people's labels, in our own words."""

from __future__ import annotations

from pathlib import Path

from tests.unit.evaluator.judge_quality.test_people import question, write

LABELS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 2.5, 3.5)


def sentence_pairs(language: str) -> list[dict[str, object]]:
    """Eight pairs whose second text holds the score that people gave: a script can read it."""
    return [
        {"id": f"{language}-dev-{number}", "a": f"text {number}", "b": f"{label}", "score": label, "language": language}
        for number, label in enumerate(LABELS)
    ]


def write_people(folder: Path, *languages: str, questions: int = 20) -> Path:
    """Write the three files: pairs of sentences, questions with two right answers and a wrong one, texts to gate."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "sts_dev.jsonl.gz", [row for language in languages for row in sentence_pairs(language)])
    write(
        folder / "same_answer_nq.jsonl.gz",
        [
            question(f"nq{number}", first=("Austen", True), second=("Jane Austen", True), third=("George Eliot", False))
            for number in range(questions)
        ],
    )
    write(
        folder / "answers_dev.jsonl.gz",
        [
            {"id": f"{number}-{ending}", "prompt": f"prompt {number}", "answer": ending, "answers": ending == "real"}
            for number in range(8)
            for ending in ("real", "other")
        ],
    )
    return folder
