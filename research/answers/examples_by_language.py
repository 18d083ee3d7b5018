"""What answers and what does not in languages other than English: the data of the linear head, split by topic.

`prompts_by_language.tsv` has prompts with a terse and a fuller answer, `empty_by_language.tsv` sentences that answer
nothing, in which {} is the topic. `plain_prompts_by_language.tsv` has more of the former for training and calibrating,
with short plain answers; `beside_by_language.tsv` two texts about the subject of each prompt of both. Beside them, for
measuring alone: our example runs of 2025 and 2026, and the sentences of the baselines. `answered_prompts.md` says who
wrote what.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from evaluator.judge_quality.labelled_pairs import Split
from evaluator.judges.answers.non_answers import native_sentences
from research.answers.examples import FACTS, LabelledAnswer

PROMPTS = "prompts_by_language.tsv"
PLAIN = "plain_prompts_by_language.tsv"
EMPTY = "empty_by_language.tsv"
BESIDE = "beside_by_language.tsv"

OF_EXAMPLES = ("de", "es", "fr", "sv")
"""Languages in which our example runs answer, and the baselines have sentences."""

DECLINED = frozenset({("sv", "2025 919")})
"""Answers of our example runs that decline: one run disagrees with itself on purpose."""


def languages(split: Split) -> tuple[str, ...]:
    """Languages that have texts in a split, in alphabetical order."""
    return tuple(dict.fromkeys(row["language"] for row in _rows(PROMPTS) if row["split"] == split))


def written_in(language: str, split: Split) -> list[LabelledAnswer]:
    """Of each prompt of a split: its two answers, and beside it what answers nothing.

    That is its topic words, the split's next prompt, two texts about its subject, and a sentence of each kind about the
    topic, in turn where the split has several of a kind.
    """
    return [*_written(PROMPTS, language, split), *_written(PLAIN, language, split)]


def _written(file: str, language: str, split: Split) -> list[LabelledAnswer]:
    beside = {(row["language"], row["prompt"]): (row["facts"], row["short"]) for row in _rows(BESIDE)}
    prompts = [row for row in _rows(file) if row["language"] == language]
    own = [row for row in prompts if row["split"] == split]
    of_kinds: dict[str, list[str]] = {}
    for row in _rows(EMPTY):
        if (row["language"], row["split"]) == (language, split):
            of_kinds.setdefault(row["kind"], []).append(row["sentence"])
    answers: list[LabelledAnswer] = []
    for number, (row, following) in enumerate(zip(own, [*own[1:], *own[:1]], strict=True)):
        prompt = row["prompt"]
        topic = topic_of(prompt, [prompt["prompt"] for prompt in prompts])
        texts = [
            ("written", row["terse"]),
            ("written", row["fuller"]),
            ("topic_words", topic),
            ("foreign_prompt", following["prompt"]),
            *((FACTS, text) for text in beside[language, prompt]),
            *((kind, sentences[number % len(sentences)].format(topic)) for kind, sentences in of_kinds.items()),
        ]
        answers += [LabelledAnswer(row["topic"], kind, prompt, text) for kind, text in texts]
    return answers


def example_runs(language: str) -> list[LabelledAnswer]:
    """Our example runs of 2025 and 2026 as answers, and beside the prompts of 2026 the sentences of the baselines.

    Nothing of them is trained or calibrated on. The topic is the base question. None where they do not speak it.
    """
    return [*_answers_of_2026(language), *_answers_of_2025(language)] if language in OF_EXAMPLES else []


def topic_of(prompt: str, prompts: Sequence[str]) -> str:
    """The words of a prompt of four letters and more that no other has; the prompt where there are none."""
    others = {word for other in prompts if other != prompt for word in other.casefold().split()}
    words = (word.strip("?¿!.,:;？") for word in prompt.casefold().split() if word not in others)
    return " ".join(word for word in words if len(word) > 3) or prompt.rstrip(" ?？;")


def _answers_of_2026(language: str) -> list[LabelledAnswer]:
    answers: dict[str, str] = _of_promptsets("examples", "2026", "tide.json")["answers"][language]
    prompts: dict[str, str] = _of_promptsets("demonstration_2026.json")[language]
    rows = {item: {"prompt": prompts[item], "answer": answer} for item, answer in answers.items()}
    is_open = [item for item in rows if "-" not in item]
    topics = {
        item: topic_of(rows[item]["prompt"], [rows[open_item]["prompt"] for open_item in is_open]) for item in is_open
    }
    labelled = [
        LabelledAnswer(item.partition("-")[0], "written", row["prompt"], row["answer"]) for item, row in rows.items()
    ]
    for turn, item in enumerate(is_open):
        prompt, following = rows[item]["prompt"], rows[is_open[(turn + 1) % len(is_open)]]
        texts = {"topic_words": topics[item], "foreign_prompt": following["prompt"], "other_item": following["answer"]}
        texts |= {
            kind: sentences[turn % len(sentences)].format(topics[item])
            for kind, sentences in native_sentences(language).items()
        }
        labelled += [LabelledAnswer(item, kind, prompt, text) for kind, text in texts.items()]
    return labelled


def _answers_of_2025(language: str) -> list[LabelledAnswer]:
    if language not in ("de", "sv"):
        return []
    questions = _of_promptsets("examples", "2025", f"tide_{language}.json")["questions"]
    turns = [(f"2025 {question['questionid']}", question["turns"][0]) for question in questions]
    return [
        LabelledAnswer(
            topic, "refusal" if (language, topic) in DECLINED else "written", turn["question"], turn["answer"]
        )
        for topic, turn in turns
    ]


def _of_promptsets(*path_to: str) -> dict[str, Any]:
    path = files("submissions.promptsets").joinpath(*path_to)
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


@cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = files("research.answers").joinpath(name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
