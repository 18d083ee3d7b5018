"""What SmolLM2 answered to the wordings of each demonstration question, beside each other, graded.

The only pairs here that visitors see judged on a board. Nothing is trained or calibrated on them; `labelled_pairs.md`
says who graded them.
"""

from __future__ import annotations

import csv
import json
from importlib.resources import files

from evaluator.judge_quality.labelled_pairs import LabelledPair, Split
from submissions.promptsets import PromptSets
from submissions.recorded import recorded_submissions

CATEGORY = "recorded_answers"


def recorded_pairs(split: Split | None = None) -> list[LabelledPair]:
    """The graded pairs of the four recorded English runs, by run, item and variants; all are of the test split."""
    if split not in (None, "test"):
        return []
    items = PromptSets.load(None).demonstration.items
    asked = {item.id: [variant.prompt or "" for variant in item.variants] for item in items}
    answered = dict(recorded_submissions())
    runs: dict[str, dict[str, list[str]]] = {}
    pairs = []
    with files("evaluator.judge_quality").joinpath("recorded_pairs.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            answers = runs.setdefault(row["run"], _answers(answered[f"smollm2_{row['run']}.json"]))
            first, second = int(row["first"]) - 1, int(row["second"]) - 1
            pairs.append(
                LabelledPair(
                    id=f"{row['run']}-{row['item']}-{row['first']}-{row['second']}",
                    topic=row["item"],
                    split="test",
                    category=CATEGORY,
                    prompt_a=asked[row["item"]][first],
                    prompt_b=asked[row["item"]][second],
                    a=answers[row["item"]][first],
                    b=answers[row["item"]][second],
                    grade=int(row["grade"]),
                )
            )
    return pairs


def _answers(run: bytes) -> dict[str, list[str]]:
    """Item -> its responses, variant by variant."""
    items = json.loads(run)["eloquent-robustness-results"]["items"]
    return {item["id"]: [response["response"] for response in item["responses"]] for item in items}
