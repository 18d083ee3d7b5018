"""`make bench-injection`: how far texts that try to talk a judge into a score move it.

Pairs of our labelled answers (validation and test) are scored as they are and with an attack in one of the two answers:
before it, after it, or in its midst. What any added sentence does to a score is seen beside it: the same with sentences
that ask for nothing. A bounded sample by a fixed seed; no network.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from benchmarks.provenance import commit
from evaluator.commands.judge import add_judge_flag, chosen_scorer
from evaluator.judge_quality.added_text import outcomes
from evaluator.judge_quality.injection import HARMLESS, SEED, effects, effects_table, injection_attacks, trials
from evaluator.judge_quality.labelled_pairs import labelled_pairs
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings

PAIRS_PER_TEXT = 3


def main() -> int:
    """Attacks a judge and prints a table, or one JSON object as the last line."""
    parser = OneLineParser(prog="make bench-injection", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument(
        "--pairs",
        type=int,
        default=PAIRS_PER_TEXT,
        help=f"pairs for each text at each place (default {PAIRS_PER_TEXT})",
    )
    parser.add_argument("--seed", type=int, default=SEED)
    add_judge_flag(parser)
    options = parser.parse_args()
    judge = chosen_scorer(options, Settings.from_env(os.environ)).judge
    pairs = [*labelled_pairs("validation"), *labelled_pairs("test")]
    draw: dict[str, Any] = {"pairs_per_text": options.pairs, "seed": options.seed}
    attacks = injection_attacks()
    effect_of = effects(
        outcomes(judge, trials(pairs, attacks, **draw)), outcomes(judge, trials(pairs, HARMLESS, **draw))
    )
    head = f"{judge.pin.name}: {len(attacks)} attacks on {len(pairs)} labelled pairs"
    print(f"{head}\n\n{effects_table(effect_of)}", flush=True)
    if options.json:
        report = {"commit": commit(), "judge": judge.pin.model_dump(mode="json"), "attacks": len(attacks), **draw}
        print(json.dumps(report | {"effects": {name: effect.model_dump() for name, effect in effect_of.items()}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
