"""A page lists the known keys of each format that change nothing: each is changed, and what is read is compared."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from evaluator.judge_logs import alpaca_eval, fastchat, human_votes, judge_arena, judge_bench, lm_eval
from evaluator.judge_logs.label_sample import LabelSample
from evaluator.judge_logs.registry import LOG_FORMATS, read_log

ROOT = Path(__file__).parents[4]
LOGS = ROOT / "tests" / "data" / "judge_logs"
PAGE = (ROOT / "evaluator" / "judge_logs" / "ignored_keys.md").read_text(encoding="utf-8")
IGNORED = {row[1]: row[2] for row in re.finditer(r"^\| `(\w+)` \| (.+) \|$", PAGE, re.MULTILINE)}
FORMATS = {
    "fastchat": (
        fastchat._PAIR | fastchat._SINGLE,
        ("printed_by_fastchat/gpt-4_pair.jsonl", "printed_by_fastchat/gpt-4_single.jsonl"),
    ),
    "alpaca_eval": (alpaca_eval._KNOWN, ("alpaca_eval.json",)),
    "judge_arena": (judge_arena._KNOWN, ("printed_by_judge_arena/both.csv",)),
    "judge_bench": (judge_bench._KNOWN, ("judge_bench.jsonl",)),
    "lmarena": (human_votes._ARENA, ("mt_bench_human.jsonl", "arena_140k.jsonl", "arena_55k.csv")),
    "comparia": (human_votes._COMPARIA, ("comparia_votes.jsonl",)),
    "lm_eval": (lm_eval._KNOWN, ("printed_by_lm_eval/samples_counting.jsonl",)),
}
VALUES: tuple[object, ...] = ("zzz", 7, None, [1])


def records_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8")
    if path.suffix == ".csv":
        return list(csv.DictReader(io.StringIO(text, newline="")))
    return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]


def what_is_read(records: Iterable[dict[str, Any]]) -> object:
    """The judgements and the texts to label; None of a log that is refused."""
    sample = LabelSample(1_000)
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    log = read_log(data, "log.jsonl", sample=sample).log
    return log and (log.judgements, sample.drawn)


def changes_nothing(key: str, files: Iterable[str]) -> bool:
    for name in files:
        records = records_of(LOGS / name)[:12]
        read = what_is_read(records)
        for value in VALUES:
            everywhere = [{**record, key: value} for record in records]
            where_it_stands = [{**record, key: value} if key in record else record for record in records]
            if any(what_is_read(changed) != read for changed in (everywhere, where_it_stands)):
                return False
    return True


def test_every_format_has_a_row() -> None:
    assert set(IGNORED) == {log_format.key for log_format in LOG_FORMATS}


@pytest.mark.parametrize("format_key", FORMATS)
def test_the_docs_list_exactly_the_known_keys_that_change_nothing(format_key: str) -> None:
    known, files = FORMATS[format_key]
    listed = re.findall(r"`([^`]+)`", re.sub(r"\([^)]*\)|\. .*", "", IGNORED[format_key]))
    in_docs = {key for key in known if any(fnmatchcase(key, pattern) for pattern in listed)}
    assert in_docs == {key for key in known if changes_nothing(key, files)}
