"""Replies that are drawn for the gate, and what it lets through."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
from evaluator.public_record.records import NULL_MODEL, Repeated, kept_gate
from evaluator.robustness.answer_gate import NO_ANSWER_BELOW
from research.public_record.alpaca_eval import ANNOTATOR
from research.public_record.alpaca_gate import (
    REPLIES,
    WANTED,
    Asked,
    Reply,
    beside_others,
    cross_fitted,
    drawn,
    gate_record,
    half_of,
    repeated,
    replies,
)


def written(folder: Path, system: str, texts: Sequence[str]) -> Path:
    path = folder / "results" / system / ANNOTATOR / "annotations.json"
    path.parent.mkdir(parents=True)
    rows = [{"instruction": f"task {place}", "output_2": text, "dataset": "koala"} for place, text in enumerate(texts)]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_replies_are_drawn_evenly_from_a_place_of_each_system(tmp_path: Path) -> None:
    path = written(tmp_path, "one", [str(number) for number in range(160)])
    assert [int(reply.text) for reply in drawn(path, 3)] == [3 + 5 * number for number in range(REPLIES)]
    assert replies(path)[5] == ("task 5", "5", "koala")


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
    # The eight tasks again, each text beside that of another: whatever stands beside it, good is let through.
    assert record.other.value == 0.8
    [low, *_, high] = record.cuts
    assert (low.at, low.real, low.null_model) == (0.1, 1.0, 1.0)
    assert (high.at, high.real, high.null_model) == (0.6, 0.8, 0.125)
    assert [(part.part, part.share.n) for part in record.parts] == [("prompts of koala", 15), ("0 to 3 words", 15)]


def test_each_half_of_the_prompts_is_let_through_by_the_threshold_of_the_other() -> None:
    first, second = ([prompt for prompt in map(str, range(1000)) if half_of(prompt) == half][:200] for half in (0, 1))
    # 200 replies at .001, .002, ... to their prompts of the first half, and at .501, .502, ... to those of the second.
    real = [Asked(Reply(prompt, "text"), (place + 1) / 1000) for place, prompt in enumerate(first)]
    real += [Asked(Reply(prompt, "text"), 0.5 + (place + 1) / 1000) for place, prompt in enumerate(second)]
    made = cross_fitted(real, real[:100], [Asked(Reply(first[0], "one"), 0.504), Asked(Reply(second[0], "one"), 0.003)])
    # 98.5% of 200 are 197: the fourth lowest reply is the first that passes.
    assert (made.wanted, made.thresholds) == (WANTED, (0.504, 0.004))
    assert made.real.value == 0.5  # all of the second half, none of the first
    assert made.other.value == 0.0
    assert made.null_model.value == 0.5  # the first at its threshold, the second below its own


def test_each_text_is_moved_beside_another_prompt_half_the_list_away() -> None:
    texts = [Reply(prompt, f"text {place}") for place, prompt in enumerate("abcadb")]
    moved = beside_others(texts)
    assert [reply.text for reply in moved] == [reply.text for reply in texts]
    # Half of six is three: a meets the fourth, which asks a again, so the next one, d; b meets d; c meets b.
    assert [reply.prompt for reply in moved] == ["d", "d", "b", "b", "b", "c"]


def test_one_text_for_every_prompt_is_marked_and_texts_of_their_own_are_not() -> None:
    one_text = [Reply(f"what of {word}", "this is the best of all answers to that") for word in "abcdefghijkl"]
    own = [Reply(f"what of {word}", f"{word * 3} {word * 4} {word * 5} {word * 6} {word * 7}") for word in "abcdefghij"]
    assert repeated([one_text]) == Repeated(marked=12, replies=12)
    assert repeated([own, [Reply("blank", " ")]]) == Repeated(marked=0, replies=10)


def test_at_a_threshold_set_on_other_prompts_98_of_100_real_replies_pass_and_the_one_text_does_not() -> None:
    kept = kept_gate()
    assert kept.cross_fitted.real.n == kept.real.n
    assert (kept.cross_fitted.real.value or 0) >= 0.98
    assert (kept.cross_fitted.null_model.high or 1) < 0.1
    # What the gate still lets through of it, the guard marks: every one of its 805 replies.
    assert kept.repeated_null_model.marked == kept.null_model.n


def test_the_kept_gate_stops_the_one_text_and_lets_most_real_replies_through() -> None:
    kept = kept_gate()
    assert kept.null_model.n == 805
    assert kept.null_model.high is not None
    assert kept.real.low is not None
    assert kept.null_model.high < 0.1 < 0.8 < kept.real.low
    assert kept.repeated_null_model.marked == kept.repeated_null_model.replies == 805
    [served] = [cut for cut in kept.cuts if cut.at == NO_ANSWER_BELOW]
    assert (served.real, served.other, served.null_model) == (
        kept.real.value,
        kept.other.value,
        kept.null_model.value,
    )
