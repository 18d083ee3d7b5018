"""Preferences of published AlpacaEval annotations (Apache-2.0) at the commit that their win rates were printed at.

Only preferences, names and character counts are taken, no texts.
"""

from __future__ import annotations

import json

from tests.golden_data.tables import Contents, as_csv
from tests.golden_data.upstream import Upstream

COLUMNS = ("model", "annotator", "generator_1", "generator_2", "preference", "chars_1", "chars_2")


LEADERS = tuple(
    f"results/{model}/weighted_alpaca_eval_gpt4_turbo/annotations.json"
    for model in ("FuseChat-Gemma-2-9B-Instruct", "FuseChat-Qwen-2.5-7B-Instruct")
)
"""The first two of the complete logs at that commit whose texts answer their prompts."""


def leaders(upstream: Upstream) -> Contents:
    """One row per annotation of the first two systems; a question is its place in the file of the first."""
    logs = [json.loads(upstream.read(path)) for path in LEADERS]
    numbers = {annotation["instruction"]: number for number, annotation in enumerate(logs[0])}
    rows = [
        (annotation["generator_2"], numbers[annotation["instruction"]], json.dumps(annotation["preference"]))
        for log in logs
        for annotation in log
    ]
    return {"judge_logs/alpaca_eval_leaders.csv": as_csv(("model", "question", "preference"), rows)}


def preferences(upstream: Upstream) -> Contents:
    """One row per annotation, in the order of the files; the preference as JSON."""
    rows = []
    for path in upstream.paths(r"/annotations\.json$"):
        if path in LEADERS:
            continue
        _, model, annotator, _ = path.split("/")
        rows += [
            (
                model,
                annotator,
                annotation["generator_1"],
                annotation["generator_2"],
                json.dumps(annotation["preference"]),
                len(annotation["output_1"]),
                len(annotation["output_2"]),
            )
            for annotation in json.loads(upstream.read(path))
        ]
    return {"judge_logs/alpaca_eval_preferences.csv": as_csv(COLUMNS, rows)}
