"""Tables of judge verdicts: one row per verdict, as CSV or JSON (docs/submit.md#judge-verdict-tables)."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from submissions.findings import Findings, ProblemTally
from submissions.formats.file_kind import FileReading, Upload
from submissions.formats.judge_verdicts.findings import report_judges, verdict_coverage
from submissions.formats.judge_verdicts.rows import ROW_FIELDS, RowRules, VerdictRows
from submissions.formats.judge_verdicts.submission import CardFields, VerdictCoverage, VerdictSubmission, verdict_set_id
from submissions.formats.names import read_name
from submissions.reading.csv_cells import CsvRows, separator_note
from submissions.reading.glimpse import glimpse_of
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, keys_shown, printable, quoted
from submissions.reading.strict_json import (
    ABSENT,
    Document,
    JsonPath,
    RepeatedKeys,
    decoded_text,
    is_clean,
    path_text,
    value_faults,
)
from submissions.schema import Names, VerdictChoices
from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import Options

ENVELOPE_FIELDS = (
    "kind",
    "schema_version",
    "judge",
    "benchmark",
    "options",
    "reference_model",
    "verdict_format",
    "judge_card",
    "verdicts",
)
CARD_TEXTS = ("model_id", "revision", "family", "parameters", "precision", "prompt_template")

ROW_KEYS: frozenset[str] = frozenset({*ENVELOPE_FIELDS, *ROW_FIELDS})

_REQUIRED = ("judge", "benchmark", "task", "model", "query", "order")
_MARKS = frozenset({"benchmark", "order", "verdict", "raw_text"})
"""Columns that few other tables have."""
_OF_CALLS = frozenset({"order", "verdict", "raw_text", "verdict_original", "verdict_swapped"})
_OF_ANSWERS = frozenset({"id", "answer", "response", "output", "score", "rating"})
"""Columns of answers and their ratings; task, model and judge may stand beside them."""
_HEADER_BYTES = 64 * 1024
_PLAIN_TYPES = frozenset({str, int, bool, type(None)})
_DEFAULT_FORMAT: VerdictFormat = "brackets"


@dataclass(frozen=True, slots=True)
class VerdictReading(FileReading):
    """One table as it was read."""

    submission: VerdictSubmission | None = None
    """None unless every row could be read as it stands."""
    coverage: VerdictCoverage | None = None
    """Of the rows that could be read; None where none was looked at."""

    @property
    def entry(self) -> VerdictSubmission | None:
        return self.submission

    @property
    def choices(self) -> VerdictChoices:
        return self.submission.choices if self.submission else VerdictChoices()

    def without_rows(self) -> VerdictReading:
        return replace(self, submission=self.submission and replace(self.submission, tables={}))

    def coverage_json(self) -> dict[str, Any]:
        return self.coverage.as_json() if self.coverage else {}

    def coverage_lines(self) -> list[str]:
        if self.coverage is None:
            return []
        held = self.coverage
        return [
            f"verdicts: {held.n_rows:,} rows, {held.n_pairs:,} pairs of {held.n_items:,} items, "
            f"{held.n_error_calls:,} unusable",
            f"judges: {keys_shown(list(held.judges))}; benchmarks: {keys_shown(list(held.benchmarks))}",
        ]


def is_verdict_table(data: bytes, name: str) -> bool:
    """Whether a file is a table of judge verdicts, by its header.

    >>> is_verdict_table(b"judge,task,order,verdict\\n", "file"), is_verdict_table(b"id,answer\\n1,yes\\n", "a.csv")
    (True, False)
    """
    seen = glimpse_of(io.BytesIO(data[:_HEADER_BYTES]), name)
    return seen.shape == "csv" and has_verdict_columns(seen.keys)


def has_verdict_columns(columns: Sequence[str]) -> bool:
    """Whether the columns of a table are those of judge verdicts, as far as that can be told."""
    names = {column.strip().casefold() for column in columns}
    known = names & set(ROW_FIELDS)
    is_other = names >= {"question", "first", "second"} or (  # of the judge report, or of answers
        names.isdisjoint(_OF_CALLS) and not names.isdisjoint(_OF_ANSWERS)
    )
    return not is_other and (len(known) > 2 or (len(known) == 2 and not known.isdisjoint(_MARKS)))


def read_verdict_table(data: bytes, name: str, upload: Upload, findings: Findings) -> VerdictReading:
    """Reads a CSV; options, reference model and verdict format are the form's.

    Args:
        data: The file as uploaded.
        name: Its base name, for places of faults of the text.
        upload: What else is known.
        findings: Takes every fault.

    Returns:
        The verdicts, if every row can be read. Never raises on the content.
    """
    # Decoded once to find a fault with its place, then again line by line: the whole text would take 128 MB here.
    if decoded_text(data, name, findings) is None:
        return VerdictReading(upload.names)
    lines = CsvRows(io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=""))
    if separated := separator_note(lines.separator):
        findings.add("csv_separator", "$", separated, "Nothing to do: the file is read so.")
    header = next(_csv_rows(lines), [])
    if isinstance(header, csv.Error):
        findings.add("row_shape", "$", f"the header cannot be read as CSV: {header}", "Write it with a CSV library.")
        return VerdictReading(upload.names)
    if len(header) > upload.limits.verdict_columns:
        return _too_many_columns(len(header), upload, findings)
    _check_header(header, findings)
    rules = _rules(upload.choices, {}, upload, "rows", findings)
    if findings.has_error or rules is None:
        return VerdictReading(upload.names)
    rows = VerdictRows(rules)
    for cells in _csv_rows(lines):
        if rows.n_rows == upload.limits.verdict_rows:
            return _too_many_rows(f"more than {upload.limits.verdict_rows:,}", upload, findings)
        _read_line(cells, header, rows)
    return _reading(rows, {}, upload, findings)


def read_verdict_document(
    document: dict[str, object], text: Document, upload: Upload, findings: Findings
) -> VerdictReading:
    """Reads a JSON file of this kind; what it states wins over the form.

    Args:
        document: The object read.
        text: What reading it as JSON found.
        upload: What else is known.
        findings: Takes every fault.

    Returns:
        As `read_verdict_table`.
    """
    findings.extend(text.findings.without("utf8_bom").without("crlf"))
    _report_value_faults(document, findings)
    if findings.has_error:
        return VerdictReading(upload.names)
    _note_unknown_keys(document, findings)
    rules = _rules(_stated_choices(document, upload, findings), document, upload, "verdicts", findings)
    verdicts = document.get("verdicts")
    if not isinstance(verdicts, list):
        description = "absent" if "verdicts" not in document else described(verdicts)
        _refuse_envelope("verdicts", f'"verdicts" is {description}; accepted: a list of objects', findings)
    elif len(verdicts) > upload.limits.verdict_rows:
        return _too_many_rows(f"{len(verdicts):,}", upload, findings)
    if findings.has_error or rules is None or not isinstance(verdicts, list):
        return VerdictReading(upload.names)
    rows = VerdictRows(rules)
    for row in verdicts:
        if isinstance(row, dict):
            rows.read(row)
        else:
            rows.refuse_shape(f"is {described(row)}; accepted: an object", "Write one object per verdict.")
    return _reading(rows, document, upload, findings)


# --- CSV -------------------------------------------------------------------------------------------------------------


def _csv_rows(lines: Iterator[list[str]]) -> Iterator[list[str] | csv.Error]:
    """The rows that are not blank; for a row that is no CSV, the reason. The reader goes on with the next line."""
    while True:
        try:
            row = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            yield error
            continue
        if row:
            yield row


def _check_header(header: list[str], findings: Findings) -> None:
    times = Counter(header)
    for name in sorted(name for name in times if times[name] > 1):
        findings.add(
            "duplicate_key",
            "$",
            f"the header names {quoted(name)} {times[name]} times, so values would be lost",
            "Keep one of the columns.",
        )
    required = [*_REQUIRED, *([] if "raw_text" in header else ["verdict"])]
    for name in required:
        if name not in header:
            _refuse_missing_column(name, header, findings)
    for name in dict.fromkeys(header):
        if name not in ROW_FIELDS:
            findings.add(
                "unknown_field",
                "$",
                f"the column {quoted(name)} is not one of this format and was ignored",
                f"Check its spelling, or remove it; known are {', '.join(ROW_FIELDS)}.",
            )


def _refuse_missing_column(name: str, header: list[str], findings: Findings) -> None:
    near = next((column for column in header if column.strip().casefold() == name), None)
    hint = f"Rename {quoted(near)} to {name}." if near else f"Add the column {name}."
    if len(header) == 1:
        hint = "Write the names of the columns into the first line, separated by commas, semicolons or tabs."
    also = ", or raw_text in its place" if name == "verdict" else ""
    message = f"the column {name}{also} is missing (found: {keys_shown(header) or 'none'})"
    findings.add("missing_column", "$", message, hint)


def _read_line(cells: list[str] | csv.Error, header: list[str], rows: VerdictRows) -> None:
    if isinstance(cells, csv.Error):
        is_long = "field larger" in str(cells)
        rows.refuse_shape(
            f"cannot be read as CSV: {cells}",
            "Perhaps a quote is never closed; write the file with a CSV library.",
            "too_long" if is_long else "row_shape",
        )
    elif len(cells) != len(header):
        rows.refuse_shape(
            f"has {len(cells)} values; accepted: {len(header)} ({keys_shown(header, 12)})",
            "Put texts with commas, quotes or line breaks into double quotes; a CSV library does it.",
        )
    else:
        rows.read({name: cell for name, cell in zip(header, cells, strict=True) if name in ROW_FIELDS})


# --- what holds for the whole table ----------------------------------------------------------------------------------


def _report_value_faults(document: dict[str, object], findings: Findings) -> None:
    """Repeated keys and numbers that are none, wherever they stand."""
    if isinstance(document, RepeatedKeys):
        for key in document.repeated:
            _refuse_value("duplicate_key", path_text((key,)), key, findings)
    for place, value in _suspicious(document):
        for fault in value_faults(value):
            if fault.code in ("duplicate_key", "json_nan"):
                _refuse_value(fault.code, path_text((*place, *fault.path)), fault.found, findings)


def _refuse_value(code: str, path: str, text: str, findings: Findings) -> None:
    if code == "duplicate_key":
        what, hint = "stands twice in one object", "Keep one of them."
    else:
        what, hint = "is no number JSON knows", "Write a text, or leave it out."
    findings.add(code, path.removeprefix("$."), f"{quoted(text)} {what}", hint)


def _suspicious(document: dict[str, object]) -> Iterator[tuple[JsonPath, object]]:
    """The parts of a document that can hold such faults: 200,000 plain rows are passed over quickly."""
    for key, value in document.items():
        if key != "verdicts" or not isinstance(value, list):
            yield (key,), value
            continue
        for index, row in enumerate(value):
            if type(row) is not dict or not _PLAIN_TYPES.issuperset(map(type, row.values())):
                yield (key, index), row


def _stated_choices(document: dict[str, object], upload: Upload, findings: Findings) -> VerdictChoices:
    """What the file states, and the form where it states nothing."""
    given = upload.choices
    version = document.get("schema_version", 1)
    if type(version) is not int or version != 1:
        _refuse_envelope("schema_version", f"schema_version is {described(version)}; accepted: the number 1", findings)
    options = document.get("options")
    if options is not None and (type(options) is not int or options not in get_args(Options)):
        _refuse_envelope("options", f"options is {described(options)}; accepted: the number 2 or 3", findings)
        options = None
    stated = document.get("verdict_format")
    formats: tuple[VerdictFormat, ...] = get_args(VerdictFormat)
    if stated is not None and stated not in formats:
        message = f"verdict_format is {described(stated)}; accepted: {' or '.join(map(quoted, formats))}"
        _refuse_envelope("verdict_format", message, findings)
    return VerdictChoices(
        options=3 if options == 3 else 2 if options == 2 else given.options,
        reference_model=_stated_reference(document.get("reference_model"), upload, findings),
        verdict_format=next((format_ for format_ in formats if format_ == stated), given.verdict_format),
    )


def _stated_reference(value: object, upload: Upload, findings: Findings) -> str | None:
    if value is None:
        return upload.choices.reference_model
    if not isinstance(value, str):
        _refuse_envelope("reference_model", f"reference_model is {described(value)}; accepted: a text", findings)
        return None
    return value


def _rules(
    choices: VerdictChoices,
    document: dict[str, object],
    upload: Upload,
    place: Literal["rows", "verdicts"],
    findings: Findings,
) -> RowRules | None:
    """How the rows are to be read; None after reporting what is missing for that."""
    reference = (choices.reference_model or "").strip() or None
    most = upload.limits.verdict_name_characters
    if reference and (len(reference) > most or not is_clean(reference)):
        message = f"reference_model is {quoted(reference)}; accepted: at most {most} characters, none of them invisible"
        _refuse_envelope("reference_model" if document else "$", message, findings)
    if choices.options is None:
        if document.get("options") is None:
            message = "nobody said whether the judges had 2 options (A, B) or 3 (A, B, C); accepted: the number 2 or 3"
            _refuse_envelope("options" if document else "$", message, findings)
        return None
    return RowRules(
        options=choices.options,
        reference_model=reference,
        verdict_format=choices.verdict_format or _DEFAULT_FORMAT,
        limits=upload.limits,
        place=place,
        defaults={name: document[name] for name in ("judge", "benchmark") if document.get(name) is not None},
    )


def _refuse_envelope(path: str, message: str, findings: Findings) -> None:
    hint = "Correct it in the file; for a CSV use the form, or --options, --reference-model and --verdict-format."
    findings.add("envelope_field", path, message, hint)


def _note_unknown_keys(document: dict[str, object], findings: Findings) -> None:
    tally = ProblemTally()
    for key in document:
        if key not in ENVELOPE_FIELDS:
            tally.note("unknown_field", partial(path_text, (key,)), group=key, detail=key)
    for mark in tally.marks:
        findings.add(
            mark.code,
            mark.path.removeprefix("$."),
            f"the field {quoted(mark.detail)} is not one of this format and was ignored",
            f"Check its spelling, or remove it; known are {', '.join(ENVELOPE_FIELDS)}.",
        )


def _too_many_rows(count: str, upload: Upload, findings: Findings) -> VerdictReading:
    findings.add(
        "too_many_rows",
        "$",
        f"the table has {count} rows; accepted: at most {upload.limits.verdict_rows:,}",
        "Send one file per benchmark, or fewer repetitions.",
    )
    return VerdictReading(upload.names)


def _too_many_columns(n_columns: int, upload: Upload, findings: Findings) -> VerdictReading:
    findings.add(
        "too_many_columns",
        "$",
        f"the header names {n_columns:,} columns; accepted: at most {upload.limits.verdict_columns:,}",
        f"Write one row per verdict, with the columns {', '.join(ROW_FIELDS)}.",
    )
    return VerdictReading(upload.names)


# --- from rows to a submission ---------------------------------------------------------------------------------------


def _reading(rows: VerdictRows, document: dict[str, object], upload: Upload, findings: Findings) -> VerdictReading:
    """The submission, if no row and nothing about all rows stands against it."""
    if not rows.n_rows:
        message = "the table has no rows" if rows.rules.are_texts else "the list of verdicts is empty"
        path = "$" if rows.rules.are_texts else "verdicts"
        findings.add("no_rows", path, f"{message}; accepted: one row per verdict", "Send the table with its verdicts.")
        return VerdictReading(upload.names)
    calls = rows.finish()
    findings.extend(rows.findings)
    judges, benchmarks = (len(calls.columns[name].names) for name in ("judge", "benchmark"))
    limits = upload.limits
    if (
        judges > limits.verdict_judges
        or benchmarks > limits.verdict_benchmarks
        or calls.groups() > limits.verdict_groups
    ):
        _refuse_too_many_names(judges, benchmarks, calls.groups(), limits, findings)
        return VerdictReading(upload.names)
    tables = calls.tables(rows.rules.options)
    coverage = verdict_coverage(tables, rows.n_rows, rows.n_error_calls)
    names = _names(upload, findings)
    if not findings.has_error and not coverage.n_pairs:
        findings.add(
            "no_complete_pair",
            "$",
            "no item has both orders in one repetition; position consistency needs both",
            "Ask the judge about the same two answers in the original and in the swapped order.",
        )
    if findings.has_error:
        return VerdictReading(upload.names, coverage=coverage)
    report_judges(tables, findings)
    submission = VerdictSubmission(
        set_id=verdict_set_id(coverage.benchmarks),
        names=names,
        options=rows.rules.options,
        reference_model=rows.rules.reference_model,
        verdict_format=rows.rules.verdict_format,
        cards=_cards(document, coverage.judges, upload.limits, findings),
        file_sha256=upload.file_sha256,
        tables=tables,
    )
    return VerdictReading(upload.names, submission, coverage)


def _refuse_too_many_names(judges: int, benchmarks: int, groups: int, limits: Limits, findings: Findings) -> None:
    findings.add(
        "too_many_names",
        "$",
        f"the table names {judges:,} judges and {benchmarks:,} benchmarks, and combines judges with tasks and models "
        f"in {groups:,} ways; accepted: at most {limits.verdict_judges} judges, {limits.verdict_benchmarks} benchmarks "
        f"and {limits.verdict_groups:,} combinations",
        "Check that no column was filled with another one's values (a query or a text as a task); else send less.",
    )


def _names(upload: Upload, findings: Findings) -> Names:
    """The form's names; no table states any."""
    given, limits = upload.names, upload.limits
    return Names(
        team=read_name("team", ABSENT, given.team, "$", findings, limits),
        system=read_name("system", ABSENT, given.system, "$", findings, limits),
        model=read_name("model", ABSENT, given.model, "$", findings, limits),
        run=read_name("run", ABSENT, given.run, "$", findings, limits),
    )


def _cards(
    document: dict[str, object], judges: tuple[str, ...], limits: Limits, findings: Findings
) -> Mapping[str, CardFields]:
    """The judge's card, under the judge it is about: the one the file names, or its only one."""
    card = document.get("judge_card")
    if card is None:
        return {}
    if not isinstance(card, dict):
        _ignore_card("judge_card", f"judge_card is {described(card)}; accepted: an object", findings)
        return {}
    stated = document.get("judge")
    judge = stated.strip() if isinstance(stated, str) else judges[0] if len(judges) == 1 else None
    if judge not in judges:
        message = f"judge_card is about one judge, but the file holds {len(judges)} and names none for all rows"
        _ignore_card("judge_card", message, findings)
        return {}
    return {str(judge): dict(_card_fields(card, limits, findings))}


def _card_fields(card: dict[str, object], limits: Limits, findings: Findings) -> Iterator[tuple[str, str | float]]:
    for key, value in card.items():
        path = path_text(("judge_card", key)).removeprefix("$.")
        most = limits.raw_text_characters if key == "prompt_template" else limits.verdict_name_characters
        if value is None:
            continue
        if key == "temperature":
            if type(value) in (int, float) and math.isfinite(value):  # type: ignore[arg-type]
                yield key, float(value)  # type: ignore[arg-type]
            else:
                _ignore_card(path, f"temperature is {described(value)}; accepted: a number", findings)
        elif key not in CARD_TEXTS:
            known = ", ".join((*CARD_TEXTS, "temperature"))
            hint = f"Check its spelling, or remove it; known are {known}."
            findings.add("unknown_field", path, f"the card has no field {quoted(key)}; it was ignored", hint)
        elif isinstance(value, str) and len(value) <= most and is_clean(value):
            yield key, value
        else:
            message = f"{key} is {described(value)}; accepted: a text of at most {most:,} characters"
            _ignore_card(path, message, findings)


def _ignore_card(path: str, message: str, findings: Findings) -> None:
    findings.add("metadata_field", path, f"{printable(message, 400)}; it was ignored", "Write it as the message says.")
