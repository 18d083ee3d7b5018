"""Preferences of published AlpacaEval annotations (Apache-2.0) at the commit that their win rates were printed at.

Preferences, names and character counts are taken; texts (CC BY-NC 4.0) of one reply of each system, and of NullModel.
"""

from __future__ import annotations

import json

from evaluator.public_record.records import NULL_MODEL
from research.public_record.alpaca_eval import GAMED, LEADERBOARD, WEIGHTS, read_system_log
from research.public_record.alpaca_gate import real_systems, replies_in
from tests.golden_data.tables import Contents, as_csv, packed
from tests.golden_data.upstream import Upstream

WEIGHTED = "weighted_alpaca_eval_gpt4_turbo"
LOGS = (
    ("alpaca-7b", "alpaca_eval_gpt4"),
    ("claude-2", WEIGHTED),
    ("ghost-7b-alpha", "alpaca_eval_gpt4"),
    ("gpt35_turbo_instruct", "alpaca_eval_gpt4"),
    ("gpt4_0314", "alpaca_eval_gpt4"),
    ("gpt4_1106_preview", "alpaca_eval_gpt4"),
)
"""Those whose reading is held to their print one by one."""
COLUMNS = ("model", "annotator", "generator_1", "generator_2", "preference", "chars_1", "chars_2")


def preferences(upstream: Upstream) -> Contents:
    """One row per annotation, in the order of the files; the preference as JSON."""
    rows = []
    for model, annotator in LOGS:
        path = f"results/{model}/{annotator}/annotations.json"
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


def ranking(upstream: Upstream) -> Contents:
    """Logs of AlpacaEval 2 whose system is printed, the printed tables, and the lengths of the gamed baselines.

    Preferences, digests of prompts and character counts are taken, no texts.
    """
    rows = []
    for path in upstream.paths(rf"^results/[^/]+/{WEIGHTED}/annotations\.json$"):
        log = read_system_log(path.split("/")[1], upstream.read(path))
        for prompt, preference, (first, second) in zip(log.prompts, log.preference, log.characters, strict=True):
            rows.append((log.system, prompt, repr(float(preference)), int(first), int(second)))
    outputs = [json.loads(upstream.read(f"results/{name}/model_outputs.json")) for name in GAMED]
    lengths = zip(*([len(row["output"]) for row in own] for own in outputs), strict=True)
    return {
        "alpaca_eval/logs.csv.gz": packed(as_csv(("system", "prompt", "preference", "baseline", "own"), rows)),
        "alpaca_eval/leaderboard.csv": upstream.read(LEADERBOARD.as_posix()),
        "alpaca_eval/weights.csv": upstream.read(WEIGHTS.as_posix()),
        "alpaca_eval/gamed_lengths.csv": as_csv(GAMED, lengths),
    }


def gate_replies(upstream: Upstream) -> Contents:
    """The first reply of each real system that `alpaca-gate` draws, and all of NullModel: with the prompt."""
    paths = {path.split("/")[1]: path for path in upstream.paths(rf"^results/[^/]+/{WEIGHTED}/annotations\.json$")}
    chosen = []
    for place, name in enumerate(real_systems(paths)):
        own = replies_in(json.loads(upstream.read(paths[name])))
        chosen.append((name, own[place % len(own)]))
    chosen += [(NULL_MODEL, reply) for reply in replies_in(json.loads(upstream.read(paths[NULL_MODEL])))]
    lines = [json.dumps({"system": name, "prompt": reply.prompt, "text": reply.text}) for name, reply in chosen]
    return {"alpaca_eval/gate_replies.jsonl.gz": packed("".join(f"{line}\n" for line in lines).encode())}
