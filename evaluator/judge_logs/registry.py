"""The formats of judges' logs, one line each, and reading a log by the first that recognises it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluator.judge_logs import (
    alpaca_eval,
    csv_table,
    deep_eval,
    every_eval_ever,
    fastchat,
    human_votes,
    inspect_log,
    judge_arena,
    judge_bench,
    llm_bar,
    lm_eval,
    mlflow,
    promptfoo,
    rating_rows,
    reward_bench,
)
from evaluator.judge_logs.failed_ratings import mark_failed_ratings, read_stated_scale
from evaluator.judge_logs.judgements import COPIES, Collector, JudgementLog
from evaluator.judge_logs.label_sample import LabelSample
from evaluator.judge_logs.opened import LOG_LIMITS, Opened, opened
from evaluator.judge_logs.question_clusters import name_clusters
from evaluator.judge_logs.row_identity import row_identity
from submissions.findings import Findings
from submissions.known_files import JUDGE_LOGS, FileType, look_at, words_of
from submissions.reading.glimpse import Glimpse
from submissions.reading.limits import Limits
from submissions.reading.quoting import printable

Read = Callable[[Opened, Collector], None]

_READERS: Mapping[str, Read] = {
    "fastchat": fastchat.read,
    "alpaca_eval": alpaca_eval.read,
    "judge_arena": judge_arena.read,
    "inspect": inspect_log.read,
    "promptfoo": promptfoo.read,
    "reward_bench": reward_bench.read,
    "judge_bench": judge_bench.read,
    "lmarena": human_votes.read_arena,
    "comparia": human_votes.read_comparia,
    "lm_eval": lm_eval.read,
    "llm_bar": llm_bar.read,
    "deep_eval": deep_eval.read,
    "mlflow": mlflow.read,
    "every_eval_ever": every_eval_ever.read,
    "ratings": rating_rows.read,
    "csv": lambda file, collector: csv_table.read(file, collector, {}),
}


@dataclass(frozen=True, slots=True)
class LogFormat:
    """One kind of log: how it is known and how it is read."""

    key: str
    title: str
    recognises: Callable[[Glimpse], bool]
    read: Read


LOG_FORMATS = tuple(LogFormat(log.key, log.title, log.recognises, _READERS[log.key]) for log in JUDGE_LOGS)
"""In the order in which a file is held against them."""
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class LogReading:
    """What became of a file: its judgements, or every fault with its place."""

    log: JudgementLog | None
    """None where a fault refuses the file."""
    findings: Findings
    columns: tuple[str, ...] = ()
    """Of a file read as a CSV of judgements: its columns, of which a mapping may say what they are."""
    is_part: bool = False
    """Whether records beyond the most that were asked for were passed over."""


def read_log(
    data: bytes,
    name: str,
    format_key: str = AUTO,
    mapping: Mapping[str, str] | None = None,
    limits: Limits = LOG_LIMITS,
    sample: LabelSample | None = None,
    most: int | None = None,
    looked: tuple[Glimpse, FileType | None] | None = None,
) -> LogReading:
    """A judge's log read; never raises, whatever the bytes are.

    Args:
        data: the file.
        name: its base name, for places.
        format_key: of `LOG_FORMATS`, or auto.
        mapping: of a CSV, field -> column (`csv_table.FIELDS`).
        limits: bounds on its size, depth and entries.
        sample: takes answers with their texts, which nothing else keeps.
        most: of a list of records, lines or rows so many are read; None = all.
        looked: what a look at the file showed, where somebody has looked.
    """
    seen, known = looked or look_at(data, name)
    if format_key == AUTO and mapping and seen.shape == "csv":
        format_key = "csv"  # whoever says which column is which knows that no format says it
    chosen = next((log_format for log_format in LOG_FORMATS if log_format.key == format_key), None)
    if chosen is None and (known is None or "judge_report" in known.doors):
        chosen = next((log_format for log_format in LOG_FORMATS if log_format.recognises(seen)), None)
    if chosen is None and known is not None:
        return _refused_other(seen, known)
    file = opened(data, name, limits)
    is_part = most is not None and len(file.records) > most
    file.records = file.records[:most]
    collector = Collector(file.findings, sample)
    if file.findings.has_error and not file.records:
        return LogReading(None, collector.findings)
    if chosen is None:
        titles = ", ".join(log_format.title for log_format in LOG_FORMATS)
        message = f"this is {words_of(seen, known)}, no log known here; known are {titles}"
        collector.refuse("wrong_root", "$", message, _HINT)
        return LogReading(None, collector.findings)
    columns: tuple[str, ...] = ()
    if chosen.key == "csv" and file.container == "csv":
        columns = tuple(file.records[0][1]) if file.records else ()
    elif chosen.key == "csv" or not chosen.recognises(seen):
        collector.refuse("wrong_kind", "$", f"the file is not what {chosen.title} looks like", _HINT)
        return LogReading(None, collector.findings)
    if chosen.key not in _BY_HAND:
        _leave_out_unended(file, collector)
    if chosen.key in _WRITES_ONCE:
        _leave_out_copies(file, collector)
    collector = _judged(file, chosen, mapping or {}, collector)
    if chosen.key in _BY_HAND:
        read_stated_scale(file.records, collector)
    mark_failed_ratings(collector)
    column = (mapping or {}).get("cluster", "cluster") if chosen.key == "csv" else "cluster"
    name_clusters(file.records, column, collector)
    if chosen.key in _BY_HAND:
        collector.note_copies(record for _, record in file.records)
        if _is_unended(file):
            collector.note("The last line has no end: check that the file was not cut off there.")
    if not collector.judgements and not collector.findings.has_error:
        collector.refuse("no_rows", "$", "the log holds no judgement", "Choose the log of a finished run.")
    if collector.findings.has_error:
        return LogReading(None, collector.findings, columns)
    log = JudgementLog(
        chosen.key,
        chosen.title,
        tuple(collector.judgements),
        dict(sorted(collector.unknown.items())),
        tuple(collector.notes),
        collector.scale,
        collector.unread,
    )
    return LogReading(log, collector.findings, columns, is_part)


def _judged(file: Opened, chosen: LogFormat, mapping: Mapping[str, str], prepared: Collector) -> Collector:
    """What a reader finds; where columns that it does not know tell rows apart, under names that they add to."""

    def read(collector: Collector) -> Collector:
        if chosen.key == "csv":
            csv_table.read(file, collector, mapping)
        else:
            chosen.read(file, collector)
        return collector

    collector = read(prepared.copy())
    if collector.findings.has_error:
        return collector
    identity = row_identity(file.records, collector, by_hand=chosen.key in _BY_HAND)
    if not identity.columns or collector.findings.has_error:
        return collector
    collector.judgements.clear()  # not twice in memory
    if prepared.sample is not None:
        prepared.sample.clear()
    again = prepared.copy()
    again.added = identity.added
    read(again)
    for name in identity.columns:
        again.unknown.pop(printable(name), None)
    for sentence in identity.notes:
        again.note(sentence)
    return again


def _refused_other(seen: Glimpse, known: FileType) -> LogReading:
    """Says what a file is that is no judge's log, and where it is taken; of a table, columns that might be mapped."""
    findings = Findings()
    findings.add("wrong_kind", "$", f"this is {words_of(seen, known)}, no judge's log", known.pointer(seen.name))
    return LogReading(None, findings, seen.keys if seen.shape == "csv" else ())


_WRITES_ONCE = frozenset(
    {
        "fastchat",
        "alpaca_eval",
        "judge_arena",
        "judge_bench",
        "reward_bench",
        "comparia",
        "lm_eval",
        "llm_bar",
        "mlflow",
        "every_eval_ever",
    }
)
"""Formats whose records hold an id, a time or the judge's reply: two that are the same are one call, written twice."""
_BY_HAND = frozenset({"csv", "ratings"})
"""Formats that people write too: two rows that are the same may be the same thing asked twice, and a last line that is
whole may have no end."""


def _is_unended(file: Opened) -> bool:
    """Whether a CSV ends within a line, of which some may be missing."""
    return file.container == "csv" and not file.data.endswith((b"\n", b"\r"))


def _leave_out_unended(file: Opened, collector: Collector) -> None:
    """Drops the last row of a CSV that a tool wrote where its line has no end: a name or a number may be cut short."""
    if file.records and _is_unended(file):
        place, _ = file.records.pop()
        collector.leave_out("rows whose line has no end, so that the file may be cut off there", place)


def _leave_out_copies(file: Opened, collector: Collector) -> None:
    """Keeps every record once."""
    kept = []
    for place, record in file.records:
        if collector.is_copy(record):
            collector.leave_out(COPIES, place)
        else:
            kept.append((place, record))
    file.records = kept


_HINT = "Choose the format, or send a CSV and say which column is which (docs/judge_report.md)."
