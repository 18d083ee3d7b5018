"""Preferences of published AlpacaEval annotations (Apache-2.0) at the commit that their win rates were printed at.

Only preferences, names and character counts are taken, no texts.
"""

from __future__ import annotations

import json

from tests.golden_data.tables import Contents, as_csv
from tests.golden_data.upstream import Upstream

COLUMNS = ("model", "annotator", "generator_1", "generator_2", "preference", "chars_1", "chars_2")


def preferences(upstream: Upstream) -> Contents:
    """One row per annotation, in the order of the files; the preference as JSON."""
    rows = []
    for path in upstream.paths(r"/annotations\.json$"):
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
