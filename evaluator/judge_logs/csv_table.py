"""A CSV of judgements, its columns named by whoever sends it: comparisons by verdict, ratings, or rows of either."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evaluator.judge_logs.judgements import DEFAULT_JUDGE, Collector, Judgement, Record, length, number
from evaluator.judge_logs.label_sample import texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.csv_cells import separator_note, with_point
from submissions.reading.quoting import described, keys_shown, quoted
from submissions.verdicts.swap_outcomes import Verdict

FIELDS: Mapping[str, str] = {
    "question": "what was asked",
    "judge": "who judged (default: one judge)",
    "first": "the system whose answer was shown first",
    "second": "the system whose answer was shown second",
    "verdict": "A (the first is better), B, C (tie) or N (no usable reply); tie, draw, or the name of a system or of "
    "its column, will do",
    "system": "of a rating: the system whose answer was rated",
    "rating": "a number; empty where the reply was not usable",
    "cluster": "what its question shares with others, as a topic: intervals are then over clusters",
    "item": "what else tells two judgements of one question apart",
    "first_chars": "characters of the answer shown first",
    "second_chars": "characters of the answer shown second",
    "chars": "characters of the rated answer",
    "probability": "that the answer shown second is better, 0-1",
    "gold": "the right verdict, as in verdict",
    "prompt": "text of what was asked, to label answers by",
    "first_text": "text of the answer shown first",
    "second_text": "text of the answer shown second",
    "text": "text of the rated answer",
    "criterion": "what was judged by, to label answers by",
}
_COMPARISON = ("question", "first", "second", "verdict")
_RATING = ("question", "system", "rating")
_RUN = re.compile(r"'*[=+\-@\t\r＝＋－＠]")
"""How a cell begins that a spreadsheet would run; after quotes, one that was kept from it."""
_PLACES: tuple[Verdict, Verdict] = ("A", "B")
_NUMBERS = ("rating", "probability")
COLUMNS = ("first", "second")
"""The columns of the two systems where no mapping names others."""
_WORDS: dict[str, Verdict] = {"a": "A", "b": "B", "c": "C", "n": "N", "tie": "C", "draw": "C", "": "N", "error": "N"}
_FOREIGN_WORDS: dict[str, Verdict] = {
    **dict.fromkeys(("1", "first", "left", "win", "won", "model_1", "response_1", "output_1"), "A"),
    **dict.fromkeys(("model_a", "response_a", "answer_a", "assistant_a", "a>b", "a>>b"), "A"),
    **dict.fromkeys(("2", "second", "right", "lose", "loss", "lost", "model_2", "response_2", "output_2"), "B"),
    **dict.fromkeys(("model_b", "response_b", "answer_b", "assistant_b", "b>a", "b>>a"), "B"),
    **dict.fromkeys(("0", "3", "equal", "both", "neither", "both_bad", "tie (bothbad)", "a=b"), "C"),
    **dict.fromkeys(("none", "null", "na", "n/a", "nan", "invalid", "unknown"), "N"),
}
"""Words for a verdict in other people's tables: not read, but a system that is called so makes them ambiguous."""


def read(file: Opened, collector: Collector, mapping: Mapping[str, str]) -> None:
    """One judgement per row.

    Args:
        file: a CSV.
        collector: takes judgements and faults.
        mapping: field of `FIELDS` -> column; a field that is not named is looked for under its own name.
    """
    columns = {name: mapping.get(name, name) for name in FIELDS}
    if separated := separator_note(file.separator):
        collector.note(f"{separated[0].upper()}{separated[1:]}.")
    header = file.first_keys
    named = [name for name, column in mapping.items() if column not in header]
    needed = _COMPARISON if columns["verdict"] in header else _RATING
    missing = [name for name in needed if columns[name] not in header]
    if missing or named:
        absent = keys_shown([columns[name] for name in dict.fromkeys([*missing, *named])])
        message = f"no column {absent}; found {keys_shown(sorted(header)) or 'none'}"
        message += f"; {separated}" if separated else ""
        hint = (
            "Say which column is which: --column question=prompt_id --column verdict=winner; see docs/judge_report.md."
        )
        collector.refuse("missing_field", f"{file.name}:1", message, hint)
        return
    commas = 0
    for place, record in file.records:
        collector.count_unknown(record, frozenset(columns.values()))
        fields = {name: _plain(record[column]) for name, column in columns.items() if column in record}
        if file.separator != ",":
            pointed = {name: with_point(fields[name]) for name in _NUMBERS if name in fields}
            commas += sum(fields[name] != cell for name, cell in pointed.items())
            fields |= pointed
        fields["places"] = (columns["first"], columns["second"])
        _read_row(fields, collector, place, _RATING if _is_rating(fields) else needed)
    if commas:
        counted = "1 number with a decimal comma is" if commas == 1 else f"{commas:,} numbers with a decimal comma are"
        collector.note(f"{counted} read as with a point.")


def _is_rating(fields: Record) -> bool:
    """Whether a row of a table of both kinds rates an answer: it compares nothing."""
    return {*_COMPARISON, *_RATING} <= fields.keys() and not any(
        str(fields[name]).strip() for name in ("first", "second", "verdict")
    )


def disarmed(text: str) -> str:
    """A cell that no spreadsheet runs (OWASP, CSV injection), and that `read` takes for the text it was.

    >>> disarmed("=1+1"), disarmed("'-a"), disarmed("a=1"), _plain(disarmed("'-a"))
    ("'=1+1", "''-a", 'a=1', "'-a")
    """
    return f"'{text}" if _RUN.match(text) else text


def _plain(cell: object) -> object:
    return cell[1:] if isinstance(cell, str) and cell.startswith("'") and _RUN.match(cell) else cell


def _read_row(fields: Record, collector: Collector, place: str, needed: tuple[str, ...]) -> None:
    systems = tuple(collector.name(fields, name, place) for name in needed if name in ("first", "second", "system"))
    question = collector.name(fields, "question", place)
    judge = collector.name(fields, "judge", place) if "judge" in fields else DEFAULT_JUDGE
    verdict = _verdict(fields, "verdict", collector, place) if "verdict" in needed else None
    rating = _number(fields, "rating", collector, place) if "rating" in needed else None
    probability = _number(fields, "probability", collector, place)
    if question is None or judge is None or None in systems or ("verdict" in needed and verdict is None):
        return
    if probability is not None and not 0 <= probability <= 1:
        collector.refuse("missing_field", place, f"probability is {probability}; expected 0 to 1", "Leave it empty.")
        return
    item = str(fields.get("item", ""))[:200]
    names = tuple(name for name in systems if name is not None)
    repetition = collector.repetition(judge, question, item, names, place)
    if repetition is None:
        return
    counted = ("first_chars", "second_chars") if len(names) == 2 else ("chars",)
    lengths = tuple(_length(fields, key, collector, place) for key in counted)
    gold = _verdict(fields, "gold", collector, place) if str(fields.get("gold", "")).strip() else None
    collector.add(
        Judgement(
            judge=judge,
            question=question,
            item=item,
            systems=names,
            verdict=verdict,
            rating=rating,
            repetition=repetition,
            probability=probability if len(names) == 2 else None,
            lengths=lengths,
            gold=gold,
            place=place,
        ),
        texts_of(
            fields.get("prompt"),
            *(fields.get(key.replace("chars", "text")) for key in counted),
            criterion=fields.get("criterion"),
        ),
    )


def readings(text: str, systems: tuple[str, str], columns: tuple[str, str]) -> set[Verdict]:
    """Everything that a text may say of two systems: more than one verdict where a system is called like a place.

    >>> readings("A", ("x", "y"), COLUMNS), readings("y", ("x", "y"), COLUMNS)
    ({'A'}, {'B'})
    >>> sorted(readings("A", ("B", "A"), COLUMNS)), sorted(readings("1", ("2", "1"), COLUMNS))
    (['A', 'B'], ['A', 'B'])
    """
    word = text.casefold()
    read: set[Verdict] = {_WORDS[word]} if word in _WORDS else set()
    if not text:
        return read
    read.update(verdict for name, verdict in zip(columns, _PLACES, strict=True) if word == name.strip().casefold())
    named: set[Verdict] = {verdict for name, verdict in zip(systems, _PLACES, strict=True) if text == name}
    if read:  # a word in small letters may be a name in capitals
        named |= {verdict for name, verdict in zip(systems, _PLACES, strict=True) if word == name.casefold()}
    elif named and word in _FOREIGN_WORDS:
        read.add(_FOREIGN_WORDS[word])
    return read | named


def _verdict(fields: Record, key: str, collector: Collector, place: str) -> Verdict | None:
    text = str(fields.get(key, "")).strip()
    systems = str(fields.get("first", "")).strip(), str(fields.get("second", "")).strip()
    columns = fields.get("places")
    read = readings(text, systems, columns if isinstance(columns, tuple) else COLUMNS)
    if len(read) == 1:
        return read.pop()
    if read:
        message = f"{key} is {quoted(text)}, which may be a place or a name: a system is called so too"
        hint = "Give the systems names that are neither columns nor words for a verdict (A, 1, left, win, tie, none)."
        collector.refuse("bad_verdict", place, message, hint)
        return None
    message = f"{key} is {quoted(text)}; expected A, B, C, N, tie, or the name of one of the two systems"
    collector.refuse("bad_verdict", place, message, "A names the answer shown first.")
    return None


def _number(fields: Record, key: str, collector: Collector, place: str) -> float | None:
    stated = fields.get(key)
    if stated is None or (isinstance(stated, str) and not stated.strip()):
        return None
    value = number(stated)
    if value is None:
        collector.refuse(
            "missing_field", place, f"{key} is {described(stated)}; expected a number", "Or leave it empty."
        )
        return None
    return value


def _length(fields: Record, key: str, collector: Collector, place: str) -> int | None:
    """As the column of lengths says, or else of the text itself."""
    value = _number(fields, key, collector, place)
    if value is None:
        return length(fields.get(key.replace("chars", "text")) or None)
    return None if value < 0 else int(value)
