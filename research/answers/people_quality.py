"""What the gate does with real answers of real systems: how many it lets through, to their prompt and to another one.

EVOUNA (`people`), of which training saw other questions; outputs in AlpacaEval (GitHub tatsu-lab/alpaca_eval, CC BY-NC
4.0), of which it saw nothing; ten texts of ours that are the same for every prompt; and tasks over given texts
(`tasks`). None of the real texts ship.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from evaluator.judge_quality.answers.quality import ANSWERING, TITLES, LetThrough
from evaluator.judge_quality.people import read_answers
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judge, JudgeRequest
from evaluator.statistics.intervals import mean_metric
from research.answers.people import is_short, measured_answers, questions
from research.answers.tasks import FEW_WORDS, MANY_WORDS, is_seed_task, task_texts


class RealText(NamedTuple):
    """A prompt, a text beside it, and the sets it belongs to."""

    sets: tuple[str, ...]
    prompt: str
    text: str
    template: str = ""
    """Of a task. Unit of the interval, or where there is none the prompt."""


def is_chosen_on(prompt: str) -> bool:
    """Was the head chosen on the chat replies to this prompt? On those of half of all prompts, by their SHA-256."""
    return int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % 2 == 0


def real_texts(folder: Path) -> list[RealText]:
    """Every text that is measured, with its prompt.

    Raises:
        PeopleFileError: where the folder lacks a file, or one cannot be read.
    """
    rows = read_answers(folder).rows
    texts = _answers_to_questions(folder)
    for row in rows:
        name = "chat" if row.is_answer else "chat_other"
        sets = (name,) if is_chosen_on(row.prompt) else (name, f"{name}_reported")
        texts.append(RealText(sets, row.prompt, row.text))
    for prompt in sorted({row.prompt for row in rows})[::4]:
        texts += [RealText(("one_text",), prompt, text) for text in texts_for_all()]
    return [*texts, *_outputs_of_tasks(folder)]


def texts_for_all() -> list[str]:
    """Texts that are meant to do well beside any prompt: for a judge, general, about something else, or empty talk."""
    listed: list[str] = json.loads(files("research.answers").joinpath("one_text.json").read_text(encoding="utf-8"))
    return listed


def _answers_to_questions(folder: Path) -> list[RealText]:
    right = {
        (question.text, text)
        for question in questions(folder, "test")
        for text, is_right in question.answers.values()
        if is_right
    }
    texts = []
    for example in measured_answers(folder, "test"):
        name = "short" if is_short(example.text) else "long"
        if not example.is_answer:
            sets: tuple[str, ...] = (f"{name}_other",)
        else:
            sets = (name, f"{name}_right") if (example.prompt, example.text) in right else (name,)
        texts.append(RealText(sets, example.prompt, example.text))
    return texts


def _outputs_of_tasks(folder: Path) -> Iterator[RealText]:
    for example in task_texts(folder, "held-out"):
        kind = example.kind.removeprefix("task_output").removeprefix("task")
        name = f"{'seed' if is_seed_task(example.topic) else 'task'}{kind}"
        count = len(example.text.split())
        length = "few" if count <= FEW_WORDS else "some" if count < MANY_WORDS else "many"
        yield RealText((name, f"{name}_{length}"), example.prompt, example.text, example.topic)


def measure_people(judge: Judge, folder: Path) -> tuple[LetThrough, ...]:
    """Ask a judge about every real text.

    Args:
        judge: One that can be asked (kind `answers`).
        folder: With the files of other people's data.
    """
    texts = real_texts(folder)
    requests = [JudgeRequest(ANSWERS, {"prompt_1": text.prompt, "answer": text.text}, "en") for text in texts]
    return let_through(texts, [answer_probability(judgment) for judgment in judge.judge(requests)])


def let_through(texts: Sequence[RealText], probabilities: Sequence[float | None]) -> tuple[LetThrough, ...]:
    """The shares from what a judge made of each text; None = unscored."""
    shares = []
    for name in TITLES:
        inside = [
            (text.template or text.prompt, p) for text, p in zip(texts, probabilities, strict=True) if name in text.sets
        ]
        by_prompt: dict[str, list[float]] = {}
        for prompt, p in inside:
            if p is not None:
                by_prompt.setdefault(prompt, []).append(float(p >= 0.5))
        if by_prompt:
            share = mean_metric(by_prompt, unscored=sum(p is None for _, p in inside))
            shares.append(LetThrough(texts=name, share=share, prompts=len(by_prompt)))
    return tuple(shares)


def people_quality_text(quality: Sequence[LetThrough]) -> str:
    """The measurement as a Markdown table."""
    lines = ["| texts | n | prompts | let through | should be |", "|---|---|---|---|---|"]
    for let in quality:
        ends = "" if let.share.low is None else f" [{let.share.low:.3f}, {let.share.high:.3f}]"
        wanted = "all" if let.texts in ANSWERING else "none"
        lines.append(
            f"| {TITLES[let.texts]} | {let.share.n} | {let.prompts} | {let.share.value:.3f}{ends} | {wanted} |"
        )
    return "\n".join(lines)
