"""Tasks over given texts with the outputs that people gave: P3 (Sanh et al. 2022, arXiv 2110.08207) and seed tasks.

P3 puts data sets that people made into prompts that people wrote; the seed tasks of self-instruct (Wang et al. 2023,
arXiv 2212.10560, Apache-2.0) were written by people for a language model. The texts do not ship. Whole data sets may
train, may choose, or only measure (`TASK_PARTS`): no template and no text is on two sides. The shipped head saw none.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from evaluator.judge_quality.people import Part, TaskOutput, drawn, read_tasks
from research.answers.examples import PUT_TOGETHER, LabelledAnswer, Topic, courteous, non_answer_pools, said

SEED_TASKS = "seed_tasks"

TASK_PARTS: Mapping[str, Part] = {
    "adversarial_qa": "train",  # CC BY-SA 4.0
    "common_gen": "train",  # MIT
    "cosmos_qa": "train",  # CC BY 4.0
    "duorc": "train",  # MIT
    "qasc": "train",  # CC BY 4.0
    "quarel": "train",  # CC BY 4.0
    "ropes": "train",  # CC BY 4.0
    "wiki_bio": "train",  # CC BY-SA 3.0
    "commonsense_qa": "dev",  # MIT
    "kilt_tasks_hotpotqa": "dev",  # CC BY-SA 4.0
    "paws_labeled_final": "dev",  # may be used for any purpose
    "quoref": "dev",  # CC BY 4.0
    "wiki_hop_original": "dev",  # CC BY-SA 3.0
    "ag_news": "held-out",
    "dream": "held-out",
    "quartz": "held-out",
    "rotten_tomatoes": "held-out",
    "samsum": "held-out",
    "sciq": "held-out",
    "social_i_qa": "held-out",
    "xsum": "held-out",
    SEED_TASKS: "held-out",
}
"""Data set -> what it is for. Those that are only measured on may have licences that allow no more."""

TASKS_OF_A_SET: Mapping[Part, int] = {"train": 450, "dev": 100, "held-out": 60}
"""So many of each data set, evenly over its templates, so that none drowns the others; of the seed tasks, all."""

FEW_WORDS = 3
"""An output of at most so many words may be a label: beside another input of its template it is an answer still."""

REMEMBERED = 0.3
"""Of the examples that are no tasks: the head goes on from one that was trained on all of them."""

_LISTS_OF_NAMES = frozenset({"wiki_bio_what_content"})
"""Templates whose outputs are lists of labels, which another input may have too."""

_DECLINES = re.compile(r"(?:no|not|can't|cannot|insufficient|unanswerable)\b.{0,40}\b(?:answer|information|know)", re.I)
"""What the templates of some data sets say where the text does not hold the answer: left out."""

_TRIES = 20
"""Draws until an output is none that may answer."""

MANY_WORDS = 50
"""An output of at least so many words is long."""

_LENGTHS = (FEW_WORDS, 15, MANY_WORDS - 1)
"""Words up to which outputs are about as long as each other."""


def tasks(folder: Path, part: Part) -> list[TaskOutput]:
    """The tasks of a part with their outputs, written as people write to a chat system.

    Raises:
        PeopleFileError: where the folder does not hold the tasks, or not as they should be.
    """
    every = [
        row for row in read_tasks(folder).rows if TASK_PARTS[row.data_set] == part and not _DECLINES.match(row.output)
    ]
    chosen = []
    for data_set, group in groupby(sorted(every, key=lambda row: row.data_set), key=lambda row: row.data_set):
        by_template = _by_template(list(group))
        most = None if data_set == SEED_TASKS else max(1, TASKS_OF_A_SET[part] // len(by_template))
        for rows in by_template.values():
            chosen += drawn(rows, most, lambda row: row.id)
    return [row.model_copy(update={"prompt": _tidied(row.prompt), "output": _tidied(row.output)}) for row in chosen]


def is_seed_task(template: str) -> bool:
    """Is a template one of the seed tasks, each of which is one of its own?"""
    return template.startswith("seed_task")


def task_texts(folder: Path, part: Part, seed: int = 0) -> list[LabelledAnswer]:
    """Each output of a part beside its task (`task_output`), another one, and another input of its template.

    The kinds of the latter are `task_other` and `task_beside`; the topic is the template.
    """
    dice = random.Random(seed)
    return [
        LabelledAnswer(task.template, kind, task.prompt, text)
        for task, kind, text in _labelled(tasks(folder, part), dice)
    ]


def task_examples(folder: Path, seed: int = 5) -> list[LabelledAnswer]:
    """What the head is trained on beside `people.mixed_examples`: tasks, worded in several ways.

    A way of wording stands on both sides: on outputs beside their own task and beside another.
    """
    dice = random.Random(seed)
    own = tasks(folder, "train")
    pools = {kind: pool["train"] for kind, pool in non_answer_pools().items()}
    examples = []
    for task, kind, text in _labelled(own, dice):
        if kind != "task_output" and dice.random() >= _KEPT[kind]:
            continue
        prompt = _worded(task.prompt, dice)
        shown = _shown(text, asked_of(prompt), pools, dice)
        examples.append(LabelledAnswer(task.template, kind, prompt, shown))
    topics = [Topic(task.id, (asked_of(task.prompt),), (("written", task.prompt, task.output),)) for task in own]
    for task in own:
        if dice.random() < _NOTHING:
            asked = asked_of(task.prompt)
            kind = dice.choice([kind for kind in PUT_TOGETHER if kind not in ("other_item", "yes_no", "topic_words")])
            text = task.prompt if kind == "own_prompt" else said(kind, asked, dice.sample(topics, 3), pools, dice)
            prompt = _worded(task.prompt, dice)
            examples.append(LabelledAnswer(task.template, f"task_{kind}", prompt, text))
    return examples


_KEPT = {"task_other": 0.7, "task_beside": 0.8}
"""Shares of the outputs beside another task and another input that are trained on ..."""
_NOTHING = 0.3
"""... and of the tasks beside which a text stands that answers nothing."""


def remembered(examples: Sequence[LabelledAnswer]) -> list[LabelledAnswer]:
    """The share of what a head was trained on before that it is shown again beside the tasks."""
    return [
        example for example in examples if random.Random(f"again {example.prompt} {example.text}").random() < REMEMBERED
    ]


def asked_of(prompt: str) -> str:
    """What a task asks, without most of the given text: its last line, or where that is long, its first words.

    >>> asked_of("The film is slow, but it is worth the time.\\n\\nIs this review positive?")
    'Is this review positive?'
    """
    last = prompt.strip().rpartition("\n")[2].split()
    return " ".join(last if len(last) <= 25 else prompt.split()[:15])


# --- outputs beside other tasks --------------------------------------------------------------------------------------


def _labelled(own: Sequence[TaskOutput], dice: random.Random) -> Iterator[tuple[TaskOutput, str, str]]:
    """Task, kind and text: its output, one of another task, and one of its template beside another input."""
    by_template, by_length = _by_template(own), _by_length(own)
    said_to = {template: {row.output.lower() for row in rows} for template, rows in by_template.items()}
    for task in own:
        yield task, "task_output", task.output
        alike = by_length[_length(task.output)]
        others = (dice.choice(alike if dice.random() < 0.5 else own) for _ in range(_TRIES))
        labels = said_to[task.template]
        other = next((row for row in others if _is_another(row, task) and not _might_answer(row, task, labels)), None)
        if other:
            yield task, "task_other", other.output
        if len(task.output.split()) > FEW_WORDS and task.template not in _LISTS_OF_NAMES:
            same = (dice.choice(by_template[task.template]) for _ in range(_TRIES))
            beside = next((row for row in same if _is_beside(row, task)), None)
            if beside:
                yield task, "task_beside", beside.output


def _is_another(other: TaskOutput, task: TaskOutput) -> bool:
    """Is it of another data set, or both seed tasks, each a task of its own?"""
    return other.data_set != task.data_set or (task.data_set == SEED_TASKS and other.template != task.template)


def _is_beside(other: TaskOutput, task: TaskOutput) -> bool:
    """Is it free text about another input of the same template?"""
    return (
        len(other.output.split()) > FEW_WORDS
        and _shared(other.prompt, task.prompt) <= 0.5
        and not _might_answer(other, task, frozenset())
    )


def _might_answer(other: TaskOutput, task: TaskOutput, labels: Collection[str]) -> bool:
    """Might the output of another task answer this one, right or wrong: is it one of its labels, or in its text?"""
    text = other.output.lower()
    return text in labels or text.strip(" .") in task.prompt.lower()


def _length(text: str) -> int:
    return sum(len(text.split()) > words for words in _LENGTHS)


def _shared(first: str, second: str) -> float:
    """Share of the words of two prompts that both have, 0-1."""
    words, others = set(first.lower().split()), set(second.lower().split())
    return len(words & others) / max(1, len(words | others))


# --- wording ---------------------------------------------------------------------------------------------------------


def _tidied(text: str) -> str:
    """A text without the marks of tokenised data: spaces before stops, brackets in letters, heaps of blank lines."""
    for mark, shown in (("-lrb-", "("), ("-rrb-", ")"), ("``", '"'), ("''", '"')):
        text = text.replace(mark, shown)
    text = re.sub(r" +([.,;:!?)])|(?<=\() +", r"\1", text)
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", text).strip()


def _worded(prompt: str, dice: random.Random) -> str:
    """A prompt as it is, with its last line first, in small letters, or with a line's end."""
    rest, cut, last = prompt.rpartition("\n")
    if cut and dice.random() < 0.3:
        prompt = f"{last}{dice.choice((chr(10), chr(10) * 2))}{rest.strip()}"
    if dice.random() < 0.07:
        prompt = prompt.lower()
    return f"{prompt}\n" if dice.random() < 0.2 else prompt


_LABELLED = ("{}.", "{}.", "Answer: {}", "The answer is {}.", "Output: {}", "The correct answer is {}.")


def _shown(text: str, asked: str, pools: Mapping[str, Sequence[str]], dice: random.Random) -> str:
    """An output as it is, or as systems put it."""
    change = dice.random()
    if len(text.split()) > FEW_WORDS:
        if change < 0.15:
            return courteous(text, asked, pools, dice)
        return text[:1].upper() + text[1:] if change < 0.6 else text
    if change < 0.4:
        return dice.choice(_LABELLED).format(text)
    return text.capitalize() if change < 0.5 else text.lower() if change < 0.6 else text


def _by_template(rows: Sequence[TaskOutput]) -> dict[str, list[TaskOutput]]:
    groups: defaultdict[str, list[TaskOutput]] = defaultdict(list)
    for row in rows:
        groups[row.template].append(row)
    return dict(groups)


def _by_length(rows: Sequence[TaskOutput]) -> dict[int, list[TaskOutput]]:
    groups: defaultdict[int, list[TaskOutput]] = defaultdict(list)
    for row in rows:
        groups[_length(row.output)].append(row)
    return dict(groups)
