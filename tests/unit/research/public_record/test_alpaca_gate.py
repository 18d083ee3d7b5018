"""Replies that are drawn for the gate, and what it lets through."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
from evaluator.public_record.records import NULL_MODEL, kept_gate
from research.public_record.alpaca_eval import ANNOTATOR
from research.public_record.alpaca_gate import REPLIES, drawn, gate_record, replies


def written(folder: Path, system: str, texts: Sequence[str]) -> Path:
    path = folder / "results" / system / ANNOTATOR / "annotations.json"
    path.parent.mkdir(parents=True)
    rows = [{"instruction": f"task {place}", "output_2": text} for place, text in enumerate(texts)]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_replies_are_drawn_evenly_from_a_place_of_each_system(tmp_path: Path) -> None:
    path = written(tmp_path, "one", [str(number) for number in range(160)])
    assert [int(reply.text) for reply in drawn(path, 3)] == [3 + 10 * number for number in range(REPLIES)]
    assert replies(path)[5] == ("task 5", "5")


def test_what_is_let_through_is_counted_by_system_and_unscored_replies_are_left_out(tmp_path: Path) -> None:
    def answers(request: JudgeRequest) -> float | None:
        return {"good": 0.9, "bad": 0.1}.get(request.fields["answer"])

    written(tmp_path, NULL_MODEL, ["bad"] * 7 + ["good"])
    written(tmp_path, "real", ["good"] * 12 + ["bad", "", "bad", "bad"])
    written(tmp_path, "gpt4_gamed", ["bad"] * 8)  # made to win without answering: no real system
    record = gate_record(tmp_path, ScriptedJudge(answers=answers), "2026-11-29")
    assert (record.null_model.value, record.null_model.n) == (0.125, 8)
    assert (record.real.value, record.real.n, record.real.unscored) == (0.8, 15, 1)  # 12 / 15
    assert record.systems == 1


def test_the_kept_gate_stops_the_one_text_and_lets_most_real_replies_through() -> None:
    kept = kept_gate()
    assert kept.null_model.n == 805
    assert kept.null_model.high is not None
    assert kept.real.low is not None
    assert kept.null_model.high < 0.1 < 0.8 < kept.real.low
