"""Rows of a table of judge verdicts: what a field must be, and what is kept (docs/submit.md#judge-verdict-tables)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np

from submissions.findings import Findings, ProblemTally
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, printable, quoted
from submissions.reading.strict_json import path_step
from submissions.verdicts.items import (
    MAX_REPETITION,
    NAMES,
    ORDERS,
    VERDICT_CODES,
    IntArray,
    N,
    TextNumbers,
    VerdictColumn,
    VerdictTable,
    item_codes,
    table_of_calls,
    text_column,
)
from submissions.verdicts.parsing import VerdictFormat, parse_verdict
from submissions.verdicts.swap_outcomes import VERDICTS, Options

Cells = Mapping[str, object]
"""Field -> value of one row; None and an absent field are the same."""

ROW_FIELDS = (*NAMES, "benchmark", "order", "repetition", "verdict", "raw_text")

_KNOWN = frozenset(ROW_FIELDS)
_TEXT_OR_NUMBER = frozenset({"task", "query"})
_BENCHMARK = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_DIGITS = re.compile(r"[0-9]{1,15}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_VERDICT = -1
"""Stands for a verdict that cannot be read, in rows that are kept to find repeated calls."""


@dataclass(frozen=True, slots=True)
class RowRules:
    """How the rows of one file are to be read."""

    options: Options
    reference_model: str | None
    verdict_format: VerdictFormat
    limits: Limits
    place: Literal["rows", "verdicts"]
    """The list in paths: `rows[6]` of a CSV, `verdicts[6]` of a JSON file."""
    defaults: Cells = field(default_factory=dict)
    """What the file states once for all rows."""

    @property
    def are_texts(self) -> bool:
        """Whether every value is a text, as in a CSV, so that a number is written in digits."""
        return self.place == "rows"


@dataclass(frozen=True, slots=True)
class VerdictCalls:
    """The rows that could be read, as whole numbers."""

    columns: Mapping[str, VerdictColumn]
    """`NAMES` and benchmark."""
    repetition: IntArray
    is_swapped: IntArray
    verdict: IntArray

    def groups(self) -> int:
        """Combinations of benchmark and judge with a task or a model."""
        return self._distinct("benchmark", "judge", "task") + self._distinct("benchmark", "judge", "model")

    def _distinct(self, *names: str) -> int:
        return len(np.unique(np.column_stack([self.columns[name].codes for name in names]), axis=0))

    def tables(self, options: Options) -> dict[str, VerdictTable]:
        """Benchmark -> its verdicts, in order of the names."""
        swapped = self.is_swapped.astype(np.bool_)
        return {
            name: table_of_calls(self.columns, self.repetition, swapped, self.verdict, options, name)
            for name in self.columns["benchmark"].names
        }


class VerdictRows:
    """Reads row after row, and collects every fault."""

    def __init__(self, rules: RowRules) -> None:
        self.rules = rules
        self.findings = Findings()
        self.n_rows = 0
        self.n_error_calls = 0
        self._tally = ProblemTally()
        self._accepted: dict[str, dict[str, str]] = {name: {} for name in ROW_FIELDS}
        self._numbers = {name: TextNumbers() for name in (*NAMES, "benchmark")}
        self._codes = {name: array("q") for name in (*NAMES, "benchmark")}
        self._kept = {name: array("q") for name in ("row", "swapped", "repetition", "verdict")}

    def read(self, cells: Cells) -> None:
        """Reads one row."""
        index = self.n_rows
        self.n_rows += 1
        if not cells.keys() <= _KNOWN:
            self._note_unknown(index, cells)
        names = {name: self._name(index, name, cells) for name in NAMES}
        benchmark = self._benchmark(index, cells)
        order = self._order(index, cells)
        repetition = self._repetition(index, cells)
        verdict = self._verdict(index, cells)
        self.n_error_calls += verdict == N
        self._check_candidate(index, cells, names["model"])
        if None in names.values() or benchmark is None or order is None or repetition is None:
            return
        for name, text in (*names.items(), ("benchmark", benchmark)):
            self._codes[name].append(self._numbers[name][text or ""])
        for name, number in (("row", index), ("swapped", order), ("repetition", repetition), ("verdict", verdict)):
            self._kept[name].append(number)

    def refuse_shape(self, message: str, hint: str, code: str = "row_shape") -> None:
        """Notes a row whose values cannot be told apart."""
        index = self.n_rows
        self.n_rows += 1
        self.findings.add(code, f"{self.rules.place}[{index}]", f"row {index + 1}: {message}", hint)

    def finish(self) -> VerdictCalls:
        """Reports what shows only over all rows, and gives those that could be read, each call once."""
        columns = {
            name: text_column(list(self._numbers[name]), np.array(self._codes[name], np.int64))
            for name in (*NAMES, "benchmark")
        }
        kept = {name: np.array(values, np.int64) for name, values in self._kept.items()}
        key = item_codes(columns, kept["repetition"]) * 2 + kept["swapped"]
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        earlier = first[place.reshape(-1)]
        is_repeated = earlier != np.arange(len(key))
        for number in np.flatnonzero(is_repeated).tolist():
            self._refuse_repeated(int(kept["row"][number]), int(kept["row"][earlier[number]]), columns, number)
        self._flush_tally()
        usable = np.flatnonzero(~is_repeated & (kept["verdict"] != _NO_VERDICT))
        return VerdictCalls(
            {name: text_column(column.names, column.codes[usable]) for name, column in columns.items()},
            kept["repetition"][usable],
            kept["swapped"][usable],
            kept["verdict"][usable],
        )

    # The fields

    def _value(self, name: str, cells: Cells) -> object:
        value = cells.get(name)
        return self.rules.defaults.get(name) if value is None else value

    def _name(self, index: int, name: str, cells: Cells) -> str | None:
        """The text of a name without outer blanks; None after reporting what stands against it."""
        value = self._value(name, cells)
        known = self._accepted[name].get(value) if type(value) is str else None
        return known if known is not None else self._new_name(index, name, value, cells)

    def _new_name(self, index: int, name: str, value: object, cells: Cells) -> str | None:
        if type(value) is int and name in _TEXT_OR_NUMBER:
            text = str(value)
        elif isinstance(value, str) and value.strip():
            text = value.strip()
        else:
            accepted = "a text or a whole number" if name in _TEXT_OR_NUMBER else "a text"
            self._refuse_missing(index, name, value, accepted, cells)
            return None
        if fault := self._name_fault(name, text):
            code, message, hint = fault
            self._refuse(code, index, name, message, hint, cells)
            return None
        if isinstance(value, str):
            self._accepted[name][value] = text
        return text

    def _name_fault(self, name: str, text: str) -> tuple[str, str, str] | None:
        """Code, message and hint of what is wrong with a name."""
        limits = self.rules.limits
        most = limits.judge_name_characters if name == "judge" else limits.verdict_name_characters
        if len(text) > most:
            message = f"{name} is {quoted(text)} with {len(text):,} characters; accepted: at most {most}"
            return "too_long", message, f"Shorten the {name}, in every row alike."
        if control := _CONTROL.search(text):
            sign = f"U+{ord(control.group()):04X}"
            message = f"{name} is {quoted(text)} and holds the control character {sign}; accepted: a text without"
            return "control_char", message, "Remove it; line breaks and tabs count too."
        if half := _SURROGATE.search(text):
            message = f"{name} is {quoted(text)} and holds half a character, U+{ord(half.group()):04X}; accepted: text"
            return "lone_surrogate", message, "Cut texts between characters, not between escapes."
        return None

    def _benchmark(self, index: int, cells: Cells) -> str | None:
        value = self._value("benchmark", cells)
        if type(value) is str and (known := self._accepted["benchmark"].get(value)) is not None:
            return known
        if not isinstance(value, str) or not value.strip():
            self._refuse_missing(index, "benchmark", value, "a text", cells)
            return None
        text, most = value.strip(), self.rules.limits.benchmark_characters
        accepted = f"small letters a-z, digits, dot, _ and -, first a letter or digit, at most {most} characters"
        is_written_well = _BENCHMARK.fullmatch(text) is not None
        if not is_written_well or len(text) > most:
            code = "too_long" if is_written_well else "bad_benchmark"
            hint = f"Write a short name like {quoted('mtbench')}, in every row alike."
            self._refuse(code, index, "benchmark", f"benchmark is {quoted(text)}; accepted: {accepted}", hint, cells)
            return None
        self._accepted["benchmark"][value] = text
        return text

    def _order(self, index: int, cells: Cells) -> int | None:
        """0 = original, 1 = swapped."""
        value = cells.get("order")
        if value in ORDERS:
            return ORDERS.index(str(value))
        accepted = '"original" (the reference is shown first) or "swapped"'
        if not isinstance(value, str) or not value.strip():
            self._refuse_missing(index, "order", value, accepted, cells)
        else:
            self._refuse(
                "bad_order",
                index,
                "order",
                f"order is {quoted(value)}; accepted: {accepted}",
                "Say which answer was shown first: original = the reference, swapped = the model.",
                cells,
            )
        return None

    def _repetition(self, index: int, cells: Cells) -> int | None:
        value = cells.get("repetition")
        if value is None or (self.rules.are_texts and not str(value).strip()):
            return 1
        number = value if type(value) is int else None
        if self.rules.are_texts and isinstance(value, str) and _DIGITS.fullmatch(value):
            number = int(value)
        if number is not None and 1 <= number <= MAX_REPETITION:
            return number
        self._refuse(
            "bad_repetition",
            index,
            "repetition",
            f"repetition is {described(value)}; accepted: a whole number from 1 to {MAX_REPETITION}",
            "Number the repetitions of one call from 1; leave the field out where nothing was asked twice.",
            cells,
        )
        return None

    def _verdict(self, index: int, cells: Cells) -> int:
        """The code of the verdict stated, or else of the one the raw text states."""
        stated, text = cells.get("verdict"), cells.get("raw_text")
        if text is not None and not self._is_readable(index, text, cells):
            return _NO_VERDICT
        if stated is None or (isinstance(stated, str) and not stated.strip()):
            if not text:
                accepted = "A, B, C or N, or empty beside a raw_text"
                self._refuse_missing(index, "verdict", stated, accepted, cells)
                return _NO_VERDICT
            return VERDICT_CODES[self._parsed(str(text))]
        if stated not in VERDICTS:
            self._refuse_verdict(index, stated, cells)
            return _NO_VERDICT
        verdict = str(stated)
        if verdict == "C" and self.rules.options == 2:
            self._tally.note("tie_counted_as_error", lambda: self._place(index, "verdict"), item=_item(cells))
            verdict = "N"
        if text and self._parsed(str(text)) != verdict:
            detail = f"row {index + 1} says {stated}, its raw_text {self._parsed(str(text))}"
            self._tally.note("text_disagrees", lambda: self._place(index, "verdict"), detail=detail, item=_item(cells))
        return VERDICT_CODES[verdict]

    def _parsed(self, text: str) -> str:
        return parse_verdict(text, verdict_format=self.rules.verdict_format, options=self.rules.options).verdict

    def _is_readable(self, index: int, text: object, cells: Cells) -> bool:
        most = self.rules.limits.raw_text_characters
        if not isinstance(text, str):
            self._refuse_missing(index, "raw_text", text, "a text, or leave it out", cells)
            return False
        if len(text) > most:
            message = f"raw_text has {len(text):,} characters; accepted: at most {most:,}"
            hint = "Keep the end of the reply, where the verdict stands, or state the verdict and leave the text out."
            self._refuse("too_long", index, "raw_text", message, hint, cells)
            return False
        return True

    def _refuse_verdict(self, index: int, value: object, cells: Cells) -> None:
        if not isinstance(value, str):
            self._refuse_missing(index, "verdict", value, "A, B, C or N", cells)
            return
        self._refuse(
            "bad_verdict",
            index,
            "verdict",
            f"verdict is {quoted(value)}; accepted: A, B, C (tie) or N (no usable verdict), where A names the answer "
            "shown first and B the one shown second",
            "Write the place that won, not the candidate, as a capital letter; or leave it empty beside a raw_text.",
            cells,
        )

    def _check_candidate(self, index: int, cells: Cells, model: str | None) -> None:
        if model is not None and model == self.rules.reference_model:
            self._refuse(
                "candidate_is_reference",
                index,
                "model",
                f"model is {quoted(model)}, which is the reference model; accepted: any other",
                "Remove the rows that compare the reference with itself, or correct the reference model.",
                cells,
            )

    # What is reported

    def _place(self, index: int, name: str) -> str:
        return f"{self.rules.place}[{index}].{name}"

    def _refuse(self, code: str, index: int, name: str, message: str, hint: str, cells: Cells) -> None:
        if self.findings.is_full(code):
            self.findings.count(code)
            return
        self.findings.add(code, self._place(index, name), f"row {index + 1}: {message}", hint, item=_item(cells))

    def _refuse_missing(self, index: int, name: str, value: object, accepted: str, cells: Cells) -> None:
        description = "absent" if value is None else "empty" if value == "" else described(value)
        self._refuse(
            "missing_field",
            index,
            name,
            f"{name} is {description}; accepted: {accepted}",
            f"Fill in the {name}.",
            cells,
        )

    def _refuse_repeated(self, row: int, earlier: int, columns: Mapping[str, VerdictColumn], number: int) -> None:
        if self.findings.is_full("duplicate_row"):
            self.findings.count("duplicate_row")
            return
        self.findings.add(
            "duplicate_row",
            f"{self.rules.place}[{row}]",
            f"row {row + 1}: repeats the judge, benchmark, task, model, query, order and repetition of row "
            f"{earlier + 1}; accepted: each call once",
            "Remove one of the two, or number them as repetitions if the judge was asked twice.",
            item=printable(columns["query"].cell(number)),
        )

    def _note_unknown(self, index: int, cells: Cells) -> None:
        for name in sorted(cells.keys() - _KNOWN):
            place = f"{self.rules.place}[{index}]{path_step(name)}"
            self._tally.note("unknown_field", partial(str, place), group=name, detail=name)

    def _flush_tally(self) -> None:
        for mark in self._tally.marks:
            message, hint = _WARNINGS[mark.code]
            self.findings.add(
                mark.code,
                mark.path,
                message.format(count=f"{mark.count:,}", detail=printable(mark.detail, 160)),
                hint,
                item=mark.item,
            )


_WARNINGS = {
    "unknown_field": (
        'the field "{detail}" is not one of this format and was ignored ({count} times)',
        f"Check its spelling, or remove it; known are {', '.join(ROW_FIELDS)}.",
    ),
    "tie_counted_as_error": (
        "{count} verdicts are C, but the judges had two options: they count as N, no usable verdict",
        "State 3 options if the judges were offered a tie.",
    ),
    "text_disagrees": (
        "{count} verdicts differ from what their raw_text states ({detail}); the verdict is used",
        "Check the verdict format, and how your verdicts were taken from the texts.",
    ),
}


def _item(cells: Cells) -> str | None:
    """The query as problems show it."""
    query = cells.get("query")
    if type(query) is int:
        return str(query)
    return printable(query.strip()) if isinstance(query, str) and query.strip() else None
