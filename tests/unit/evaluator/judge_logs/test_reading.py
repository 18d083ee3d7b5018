"""Logs of every format become one table of judgements; every fault of a file is told with its place."""

from __future__ import annotations

import io
import json
import random
import re
import resource
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from evaluator.judge_logs.judge_arena import verdict_of
from evaluator.judge_logs.judgements import JudgementLog
from evaluator.judge_logs.opened import LOG_LIMITS
from evaluator.judge_logs.registry import LOG_FORMATS, read_log

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
COLUMNS = {"question": "prompt_id", "first": "left", "second": "right", "verdict": "winner"}


def log_of(name: str, mapping: dict[str, str] | None = None) -> JudgementLog:
    reading = read_log((DATA / name).read_bytes(), name, mapping=mapping)
    assert reading.log is not None, reading.findings.problems
    return reading.log


def verdicts(log: JudgementLog) -> str:
    return "".join(one.verdict or "-" for one in log.judgements)


def test_fastchat_names_the_winning_model_and_the_table_the_winning_place() -> None:
    log = log_of("fastchat_pair.jsonl")
    # Per line game 1 (model_1 first) and game 2 (model_2 first): 4 x m1 m1, m2 m2, tie tie, 2 x m1 m2, m2 m1, m1 error.
    assert verdicts(log) == "AB" * 4 + "BA" + "CC" + "AA" * 2 + "BB" + "AN"
    assert log.judgements[0].systems == ("m-long", "m-short")
    assert log.judgements[1].systems == ("m-short", "m-long")
    assert log.judgements[0].lengths == (len("A much longer answer."), len("Short."))


def test_a_fastchat_score_of_minus_one_is_an_unusable_reply_and_not_a_rating() -> None:
    ratings = [one.rating for one in log_of("fastchat_single.jsonl").judgements]
    assert ratings == [10, 9, 10, 7, None, 10, 8, 10]


def test_alpaca_eval_says_who_won_but_not_who_was_shown_first() -> None:
    log = log_of("alpaca_eval.json")
    # The scripted preferences: three replies without a ranking, then 2 1 2, none, 1 1 (README beside the file).
    assert verdicts(log) == "NNBABNAA"
    assert not any(one.order_known for one in log.judgements)
    assert log.unknown_columns == {}


@pytest.mark.parametrize(("name", "samples"), [("inspect.eval", 8), ("inspect.json", 2)])
def test_an_inspect_log_reads_alike_as_zip_and_as_json(name: str, samples: int) -> None:
    log = log_of(name)
    grades = {(one.question, one.repetition): one.rating for one in log.judgements}
    scripted = ["CCICICCI"[:samples], "CCIII?CI"[:samples]]
    assert grades == {
        (f"q{place}", epoch): {"C": 1.0, "I": 0.0, "?": None}[letter]
        for epoch, letters in enumerate(scripted, start=1)
        for place, letter in enumerate(letters, start=1)
    }
    assert {one.judge for one in log.judgements} == {"mockllm/model"}


def test_promptfoo_gives_ratings_by_rubric_and_comparisons_by_select_best() -> None:
    log = log_of("promptfoo.json")
    rated = [one.rating for one in log.judgements if not one.is_comparison]
    assert rated == [0.4, 0.9] * 3  # short, long
    assert [one.verdict for one in log.judgements if one.is_comparison] == ["A", "B", "B"]


def test_judge_arena_replies_are_read_by_their_two_scores_in_the_order_shown() -> None:
    log = log_of("judge_arena.parquet")
    assert verdicts(log) == "AB" + "AA" + "CC" + "BA"
    assert log.judgements[1].systems == ("base", "new")


def test_the_annotations_that_judge_arena_wrote_read_alike_as_parquet() -> None:
    written = DATA / "printed_by_judge_arena" / "both.csv"
    parquet = pd.read_csv(written).to_parquet()
    log = read_log(parquet, "annotations.parquet").log
    assert log is not None
    of_csv = log_of("printed_by_judge_arena/both.csv")
    # Places differ: a row of the CSV is a line of a file.
    assert [replace(one, place="") for one in log.judgements] == [replace(one, place="") for one in of_csv.judgements]
    assert len(log.judgements) == len(pd.read_csv(written))


def test_judge_bench_keeps_the_places_of_the_exchanged_order_and_exchanges_the_label() -> None:
    log = log_of("judge_bench.jsonl")
    assert verdicts(log) == "AB" + "AA" + "BA" + "BB" + "NA"
    # The second order shows B first, so that a label A>B names its second place.
    assert [one.gold for one in log.judgements] == ["A", "B", "A", "B", "B", "A", "A", "B", "A", "B"]


def test_reward_bench_brings_its_labels() -> None:
    log = log_of("reward_bench.json")
    assert verdicts(log) == "AAAB" + "AANB" + "ABAB"  # three subsets; of the seventh pair the judge named neither
    assert {one.gold for one in log.judgements} == {"A"}
    # Each text is a conversation, of which the answer is what counts.
    assert log.judgements[0].lengths == (len("Right answer 1 with a reason"), len("Wrong answer 1 and a reason"))


def test_rows_of_the_command_rewardbench_name_no_model_and_hold_the_answers_alone() -> None:
    log = log_of("printed_by_reward_bench/tiny-rm_outputs.jsonl")
    assert verdicts(log) == "ABAB" + "AAAA" + "ABAA"
    assert {one.judge for one in log.judgements} == {"judge"}
    assert log.judgements[0].lengths == (len("Right answer 1 with a reason"), len("Wrong answer 1 and a reason"))
    assert log.judgements[4].question == "refusals-dangerous 21"
    assert log.unknown_columns == {"chosen_model": 12, "rejected_model": 12}


def test_rows_of_reward_bench_without_ids_go_by_what_was_asked() -> None:
    # As of a set of one's own, whose texts hold the prompt; where nothing else tells rows apart, it is named.
    turns = {
        f"text_{which}": [{"role": "user", "content": "R?"}, {"role": "assistant", "content": answer}]
        for which, answer in (("chosen", "ja"), ("rejected", "nein"))
    }
    rows = [{"results": 1, "text_chosen": "Q? yes", "text_rejected": "Q? no", "prompt": "Q?"}, {"results": 1, **turns}]
    log = read_log("\n".join(map(json.dumps, rows)).encode(), "m_outputs.jsonl").log
    assert log is not None
    assert [(one.question, one.lengths) for one in log.judgements] == [("Q?", (6, 5)), ("R?", (2, 4))]
    nothing = {"results": 1, "text_chosen": "yes", "text_rejected": "no"}
    reading = read_log("\n".join(map(json.dumps, [nothing, {**nothing, "results": 0}])).encode(), "m_outputs.jsonl")
    assert {problem.path for problem in reading.findings.problems} == {"m_outputs.jsonl:1", "m_outputs.jsonl:2"}


def test_a_csv_is_read_by_the_columns_that_are_named_and_the_others_are_listed() -> None:
    log = log_of("table.csv", COLUMNS)
    assert verdicts(log) == "ABCN"  # row 1: x from the first place; row 2: x from the second; tie; none
    assert log.unknown_columns == {"comment": 4}


def test_every_faulty_record_is_told_with_its_line() -> None:
    lines = (DATA / "fastchat_pair.jsonl").read_text("utf-8").splitlines()
    lines[1] = lines[1].replace('"g1_winner": "model_1"', '"g1_winner": "the first"')
    lines[3] = lines[3][:40]
    lines[4] = lines[4].replace('"model_2": "m-short"', '"model_2": ""')
    reading = read_log("\n".join(lines).encode(), "log.jsonl")
    assert reading.log is None
    assert {problem.path for problem in reading.findings.problems} == {"log.jsonl:2", "log.jsonl:4", "log.jsonl:5"}


@pytest.mark.parametrize("log_format", LOG_FORMATS, ids=lambda one: one.key)
def test_a_file_of_another_kind_is_refused_by_every_format_without_an_exception(log_format: object) -> None:
    for data in (
        b"",
        b"\x00\xff",
        b"{}",
        b"[1, 2]",
        b"PAR1",
        b"PK\x03\x04",
        b"[" * 100_000,
        b'{"results": {}, "subset": 1}',
    ):
        reading = read_log(data, "file.json", log_format.key)  # type: ignore[attr-defined]
        assert reading.log is None
        assert reading.findings.has_error


def _eval_file(sample: bytes, method: int) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        archive.writestr("samples/1_epoch_1.json", sample)
    return whole.getvalue()


def test_a_zip_bomb_inside_an_inspect_log_is_refused_with_a_sentence() -> None:
    limits = replace(LOG_LIMITS, zip_entry_bytes=100_000)
    bomb = _eval_file(b" " * 1_000_000, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 3_000
    problems = read_log(bomb, "log.eval", limits=limits).findings.problems
    assert [(one.code, one.path) for one in problems] == [("zip_too_big", "samples/1_epoch_1.json")]


def test_a_zstd_bomb_inside_an_inspect_log_is_refused_with_a_sentence() -> None:
    # Python 3.11 writes no zstd into a zip: the entry is stored packed, and its method is then set in both headers.
    packed = pyarrow.compress(b" " * 1_000_000, codec="zstd", asbytes=True)
    data = bytearray(_eval_file(packed, zipfile.ZIP_STORED))
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = data.rindex(signature)
        data[place + offset : place + offset + 2] = (93).to_bytes(2, "little")
    problems = read_log(bytes(data), "log.eval", limits=replace(LOG_LIMITS, zip_entry_bytes=100_000)).findings.problems
    assert [(one.code, one.path) for one in problems] == [("zip_too_big", "samples/1_epoch_1.json")]


def test_names_that_lead_out_of_an_inspect_log_are_refused() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("../samples/1.json", "{}")
    problems = read_log(whole.getvalue(), "log.eval").findings.problems
    assert "zip_path" in {one.code for one in problems}


def test_deep_json_is_refused() -> None:
    deep = b'{"output_1": ' + b"[" * 100 + b"]" * 100 + b"}"
    assert read_log(deep, "annotations.json").findings.has("too_deep")


def test_a_value_that_many_parquet_rows_share_is_counted_in_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluator.judge_logs.opened.TEXT_BYTES", 100_000)
    whole = io.BytesIO()
    rows = 1_000
    table = pyarrow.table({"judge_completion": ["x" * 1_000] * rows, "model_A": ["a"] * rows, "model_B": ["b"] * rows})
    pyarrow.parquet.write_table(table, whole)
    assert len(whole.getvalue()) < 10_000
    assert read_log(whole.getvalue(), "annotations.parquet").findings.has("file_too_big")


def test_more_judgements_than_are_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluator.judge_logs.opened.MAX_JUDGEMENTS", 5)
    line = json.dumps({"question_id": 1, "model": "m", "judge": "j", "score": 1})
    assert read_log("\n".join([line] * 10).encode(), "log.jsonl").findings.has("file_too_big")


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("Score of Assistant A: 0\nScore of Assistant B: 1", "B"),
        ("<think>\nscore_A: 9 score_B: 1\n</think>\nscore_A: 2\nscore_B: 4", "B"),
        ("score_A: 9 score_B: 1 </think> score_A: 2 score_B: 2", "C"),
        ("score_A: 7.5\nscore_B: 7.2", "C"),  # whole numbers
        ("score\na: 3\nscore b: 4", "N"),  # the letter stands in another line
        ("<think> score_A: 1 score_B: 2", "N"),  # thoughts that never end
        ("[THINK]score_A: 9 score_B: 1[/THINK] score_A: 1 score_B: 2", "B"),
    ],
)
def test_a_reply_of_judge_arena_is_read_as_it_reads_it_itself(reply: str, verdict: str) -> None:
    assert verdict_of(reply) == verdict


def test_replies_of_any_shape_have_the_score_that_judge_arenas_expression_finds() -> None:
    parts = ["score", "score", "a: ", "b: ", "a", "b", "\n", '"', "-", "7", "12", "x*"]
    generator = random.Random(22)
    found = 0
    for _ in range(3_000):
        reply = "".join(generator.choices(parts, k=20))
        matches = [re.search(rf'score.*?{letter}[": *\n]*(-?\d+)', reply) for letter in "ab"]
        if matches[0] is None or matches[1] is None:
            expected = "N"
        else:
            first, second = (int(match[1]) for match in matches if match)
            expected = "C" if first == second else "A" if first > second else "B"
        found += expected != "N"
        assert verdict_of(reply) == expected, reply
    assert found > 200


@pytest.mark.parametrize("piece", ["score", "score a", "score a:::", "a: \n", "<think>", "score a\n"])
def test_a_hostile_reply_of_a_whole_line_is_read_in_time_with_its_length(piece: str) -> None:
    reply = piece * (1_000_000 // len(piece))
    began = time.process_time()
    verdict_of(reply)
    assert time.process_time() - began < 5  # 0.05 s here; with the square of the length it were minutes


def test_a_parquet_column_that_does_not_fit_into_memory_is_named_with_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_much(*_: object) -> None:
        raise pyarrow.ArrowMemoryError("malloc of size 8 failed")

    monkeypatch.setattr("evaluator.judge_logs.opened._parquet_records", too_much)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_024 * 1_024 * 1_024, resource.RLIM_INFINITY))
    whole = io.BytesIO()
    table = pyarrow.table({"model_A": ["x"], "completion_A": ["a long text"], "completion_B": ["b"]})
    pyarrow.parquet.write_table(table, whole, use_dictionary=False, compression="none")
    reading = read_log(whole.getvalue(), "annotations.parquet")
    assert reading.log is None
    (problem,) = reading.findings.problems
    assert (problem.code, problem.path) == ("too_large_to_check", "$[*].completion_A")
    # A text of 11 bytes with its length in 4, behind the head of its page.
    size = re.fullmatch(
        r"this column, (\d+) bytes unpacked, did not fit into the 1,024 MiB of memory that reading may take",
        problem.message,
    )
    assert size is not None
    assert 15 <= int(size[1]) < 100
    assert problem.hint.startswith("Shorten its texts, leave it out, or send fewer rows")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    (problem,) = read_log(whole.getvalue(), "annotations.parquet").findings.problems
    assert problem.message.endswith("bytes unpacked, did not fit into memory")
