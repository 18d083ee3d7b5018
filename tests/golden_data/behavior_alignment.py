"""Dialogues of INSPIRED (Hayati et al., EMNLP 2020) and sentence pairs of ReDial (released with arXiv 2404.11773)."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.golden_data.tables import Contents, as_csv
from tests.golden_data.upstream import Upstream

KEPT = frozenset({"utt_id", "speaker", "turn_id", "text", "expert_label", "second_label", "fine_label", "coarse_label"})
"""Columns of INSPIRED whose cells the table has; the others are emptied, and dialogues are numbered."""

PICKED_ROWS = Path(__file__).parents[1] / "data" / "behavior_alignment" / "redial_rows.txt"
"""Which rows of the released pairs the table has: a bit for each, the first one of the file first."""


def inspired(upstream: Upstream) -> Contents:
    """The dev set, as tab-separated lines in which nothing is quoted."""
    header, *lines = upstream.read("data/dialog_data/dev.tsv").decode("utf-8").removesuffix("\n").split("\n")
    numbers: dict[str, int] = {}
    table = [header]
    for line in lines:
        row = dict(zip(header.split("\t"), line.split("\t"), strict=True))
        dialogue = f"dev-{numbers.setdefault(row['dialog_id'], len(numbers)):03}"
        cells = {name: cell if name in KEPT else "" for name, cell in row.items()} | {"dialog_id": dialogue}
        table.append("\t".join(cells.values()))
    return {"behavior_alignment/inspired_dev.tsv": "".join(f"{line}\n" for line in table).encode()}


def redial(upstream: Upstream) -> Contents:
    """The sentences, numbered in alphabetical order, and the picked pairs with what both classifiers said."""
    folder = "evaluation/OOD_inference_result/redial_evaluation_results"
    original, mixed = (
        list(csv.reader(io.StringIO(upstream.read(f"{folder}_{name}.csv").decode("utf-8"), newline="")))[1:]
        for name in ("original", "mixedhard")
    )
    sentences = sorted({text for row in original for text in row[:2]})
    number = {text: place for place, text in enumerate(sentences)}
    bits = picked_rows(PICKED_ROWS.read_text(encoding="ascii"))
    pairs = [
        [place, number[one[0]], number[one[1]], one[2], one[3], other[3]]
        for place, (one, other) in enumerate(zip(original, mixed, strict=True))
        if bits[place] == "1"
    ]
    columns = ["row", "a", "b", "label", "pred_original", "pred_mixedhard"]
    return {
        "behavior_alignment/redial_pairs.csv": as_csv(columns, pairs),
        "behavior_alignment/redial_sentences.csv": as_csv(["sid", "text"], enumerate(sentences)),
    }


def picked_rows(written: str) -> str:
    """Hexadecimal digits as bits.

    >>> picked_rows("a\\n0\\n")
    '10100000'
    """
    return "".join(f"{int(digit, 16):04b}" for digit in written if digit != "\n")
