"""Texts that people labelled, as judges are measured on them (`evaluator.judge_quality.people`).

STS benchmark with its machine translations (CC BY-SA 4.0), EVOUNA (Apache-2.0), outputs in AlpacaEval (CC BY-NC 4.0),
tasks of P3 (each data set has its own licence) and the seed tasks of self-instruct (Apache-2.0).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

from tests.golden_data.behavior_alignment import picked_rows
from tests.golden_data.tables import Contents, packed
from tests.golden_data.upstream import Upstream

PICKED_ROWS = Path(__file__).parents[1] / "data" / "human" / "nq_rows.txt"
"""Which questions of EVOUNA the file has: a bit for each, the first one of the file first."""

SYSTEMS = ("gpt35", "chatgpt", "gpt4", "newbing", "fid")

LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pl")
"""Of the splits to train on and to choose by; the test split is rebuilt in every language that there is."""

ANSWERING = ("FuseChat-Llama-3.1-8B-Instruct", "Infinity-Instruct-3M-0613-Mistral-7B")
PROMPTS = range(0, 252, 3)
OTHER_PROMPT = 7
"""So many prompts further on stands the answer that is shown as one to another prompt."""
MOST_CHARACTERS = 3_000

DATA_SETS = (
    "adversarial_qa", "ag_news", "common_gen", "commonsense_qa", "cosmos_qa", "dream", "duorc",
    "kilt_tasks_hotpotqa", "paws_labeled_final", "qasc", "quarel", "quartz", "quoref", "ropes", "rotten_tomatoes",
    "samsum", "sciq", "social_i_qa", "wiki_bio", "wiki_hop_original", "xsum",
)  # fmt: skip
"""Of P3, as its templates begin."""


def same_answer(upstream: Upstream) -> Contents:
    """Questions with the answers of five systems, of which people said whether they are right."""
    bits = picked_rows(PICKED_ROWS.read_text(encoding="ascii"))
    rows = [
        {
            "id": f"nq{place}",
            "question": row["question"],
            "gold": row["golden_answer"],
            "answers": {
                system: {"text": row[f"answer_{system}"], "correct": row[f"judge_{system}"]}
                for system in SYSTEMS
                if row[f"answer_{system}"]
            },
        }
        for place, row in enumerate(json.loads(upstream.read("EVOUNA/NQ.json")))
        if bits[place] == "1"
    ]
    return {"human/same_answer_nq.jsonl.gz": _lines(rows)}


def likeness(upstream: Upstream) -> Contents:
    """Pairs of sentences with how far people said that they mean the same; one file for each split."""
    every = [path.removesuffix("-test.csv").rpartition("-")[2] for path in upstream.paths(r"-test\.csv$")]
    splits = {"train": LANGUAGES, "dev": LANGUAGES, "test": (*LANGUAGES, *sorted(set(every) - set(LANGUAGES)))}
    return {
        f"human/sts_{split}.jsonl.gz": _lines(
            {"id": f"{language}-{split}-{place}", "a": first, "b": second, "score": float(score), "language": language}
            for language in languages
            for place, (first, second, score) in enumerate(_csv(upstream, f"data/stsb-{language}-{split}.csv"))
        )
        for split, languages in splits.items()
    }


def prompted_answers(upstream: Upstream) -> Contents:
    """Every third prompt with a system's answer to it, and with its answer to another prompt."""
    rows = []
    for system in ANSWERING:
        outputs = json.loads(upstream.read(f"results/{system}/model_outputs.json"))
        for place in PROMPTS:
            for shift, ending, kind in ((0, "real", "real answer"), (OTHER_PROMPT, "answ", "answer to another prompt")):
                rows.append(
                    {
                        "id": f"{system}-{place}-{ending}",
                        "prompt": outputs[place]["instruction"],
                        "answer": outputs[place + shift]["output"][:MOST_CHARACTERS],
                        "answers": shift == 0,
                        "kind": kind,
                    }
                )
    return {"human/answers_dev.jsonl.gz": _lines(rows)}


def task_outputs(upstream: Upstream) -> Contents:
    """Tasks with the outputs that people gave: every second row of each template of P3, and the seed tasks.

    Blank outputs are left out, some templates of P3 have no others.
    """
    rows = []
    for path in upstream.paths(r"/data_per_template/"):
        template = Path(path).stem
        for place, line in enumerate(upstream.read(path).decode("utf-8").splitlines()[::2]):
            row = json.loads(line)
            output = row["completion"].removesuffix("<|endoftext|>").strip()
            if output:
                task = {"id": f"{template}-{place}", "data_set": data_set_of(template), "template": template}
                rows.append({**task, "prompt": row["prompt"], "output": output[:MOST_CHARACTERS]})
    for line in upstream.read("data/seed_tasks.jsonl").decode("utf-8").splitlines():
        seed = json.loads(line)
        (instance,) = seed["instances"]
        prompt = "\n\n".join(text for text in (seed["instruction"], instance["input"]) if text)
        task = {"id": f"{seed['id']}-0", "data_set": "seed_tasks", "template": seed["id"]}
        rows.append({**task, "prompt": prompt, "output": instance["output"]})
    return {"human/task_outputs.jsonl.gz": _lines(rows)}


def data_set_of(template: str) -> str:
    """The data set that a template of P3 is of."""
    return next(name for name in DATA_SETS if template.startswith(f"{name}_"))


def _csv(upstream: Upstream, path: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(upstream.read(path).decode("utf-8"), newline="")))


def _lines(rows: Iterable[object]) -> bytes:
    return packed("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())
