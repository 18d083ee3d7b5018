"""Answers for people to label without the judge's word: what is shown of them, and the labels that come of it.

A pair, or a single answer to be rated, is shown under a name that says nothing (`LabelKey.id`), a pair's answers left
and right by chance. Whoever has the log can tell again what it is: neither the page nor a sheet holds a system's name,
a verdict or a score.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from evaluator.judge_logs.csv_table import COLUMNS, disarmed, readings
from evaluator.judge_logs.judgements import JudgementLog, Record, number
from evaluator.judge_logs.label_sample import TEXT_CHARACTERS, Drawn, LabelKey, LabelSample, Scale, unit_of
from evaluator.judge_logs.opened import Opened
from submissions.findings import Findings
from submissions.reading.csv_cells import CsvRows, without_stated
from submissions.reading.quoting import quoted

Side = Literal["left", "right", "tie"]
"""The better answer by where it was shown, or that none is."""
SIDES: tuple[Side, ...] = get_args(Side)
Vote = Side | float
"""The label of a pair, or a rating."""
Votes = Mapping[str, Vote]
"""Id of what was shown -> its label."""

TIES = ("tie", "C", "draw")
"""One of these is the name of neither system."""
_SKIPPED = ("", "skip")
_HEADER_BYTES = 1_000
_OF_ANY, _OF_PAIRS, _OF_ANSWERS = ("question", "item"), ("first", "second", "verdict"), ("system", "rating")
"""Columns of a file of labels."""
_SHEET = ("label_id", "label", "expected", "prompt", "criterion", "left", "right", "answer")
"""Columns of a sheet; of the last four those that something stands in."""
_ALWAYS = _SHEET[:4]
_PAIR_WORDS = "left, right or tie"


class ShownItem(NamedTuple):
    """What a labeller sees; plain text."""

    id: str
    prompt: str
    """Blank where the log has none."""
    answers: tuple[str, ...]
    """The left and the right one of a pair, or the one to be rated."""
    criterion: str = ""
    """What is judged by; blank where the log has none."""


@dataclass(frozen=True, slots=True)
class LabelDraw:
    """What was drawn from a log to be labelled, and out of what."""

    items: tuple[ShownItem, ...]
    """In the order in which they are shown."""
    scale: Scale | None
    """Of ratings; None where the log says nothing of it."""
    offered: int
    """Questions with the systems of a pair, or with one, that could have been drawn."""
    without_texts: int
    too_long: int
    differing: int
    labelled: int
    """So many of the log have a label already."""
    units: int
    """As `offered`, in the whole log."""

    @property
    def missing(self) -> str:
        """Why there is nothing to label, and what to record next time; blank where there is something."""
        if self.items:
            return ""
        if not self.units:
            return (
                "Nothing to label: the log compares no two systems, and rates no answer. Record whose answers were "
                "judged, by different names."
            )
        if self.without_texts == self.units:
            return (
                "Nothing to label: the log does not hold the texts, and nobody can label what they do not see. Record "
                "the prompt and the answers with every judgement: in a CSV as the columns prompt, first_text and "
                "second_text, or prompt and text; docs/judge_report.md says where other logs have them."
            )
        return f"Nothing more to label. {self.left_out}"

    @property
    def drawn(self) -> str:
        """How they were drawn, in sentences, and the scale of ratings."""
        pairs = sum(len(item.answers) == 2 for item in self.items)
        both = "pairs of answers" if pairs == len(self.items) else "pairs and single answers"
        what = both if pairs else "answers"
        left = " Which answer stands left is drawn, too." if pairs else ""
        rated = f" Rate each by {rating_words(self.scale)}." if pairs < len(self.items) else ""
        return (
            f"{len(self.items):,} of {self.offered:,} {what}, drawn at random: each question with its systems was as "
            f"likely as any other, whatever the judge said of it, and of several turns one is shown.{left}{rated}"
        )

    @property
    def left_out(self) -> str:
        """What could not be drawn; blank for nothing."""
        counts = (
            (self.labelled, "with a label already"),
            (self.without_texts, "whose texts the log does not hold"),
            (self.too_long, f"with a text of more than {TEXT_CHARACTERS:,} characters"),
            (self.differing, "whose answers differ between judgements of the same question and turn"),
        )
        named = ", ".join(f"{count:,} {why}" for count, why in counts if count)
        return f"Left out: {named}." if named else ""


def rating_words(scale: Scale | None) -> str:
    """What a rating may be.

    >>> rating_words(Scale(1, 10))
    'a number from 1 to 10'
    """
    return f"a number from {scale.text}" if scale else "a number; the log says nothing of its scale"


def label_draw(log: JudgementLog, sample: LabelSample) -> LabelDraw:
    """What was drawn while the log was read."""
    units = {key.unit(sample.seed) for key in _keys(log) if key.can_be_labelled}
    labelled = len(units & sample.labelled)
    return LabelDraw(
        tuple(_shown(drawn, sample.seed) for drawn in sample.drawn),
        log.scale,
        sample.offered,
        len(units) - labelled - sample.offered - sample.too_long,
        sample.too_long,
        sample.differing,
        labelled,
        len(units),
    )


def _keys(log: JudgementLog) -> set[LabelKey]:
    return {judgement.key for judgement in log.judgements}


def keys_by_id(log: JudgementLog) -> dict[str, LabelKey]:
    """What a label of the log may be of, by the name that a labeller sees."""
    return {key.id(): key for key in _keys(log)}


def _shown(drawn: Drawn, seed: int) -> ShownItem:
    answers = drawn.texts.answers
    shown = answers if not drawn.key.is_pair or drawn.key.left_first(seed) else answers[::-1]
    return ShownItem(drawn.key.id(seed), drawn.texts.prompt, shown, drawn.texts.criterion)


# --- labels as a log of their own ------------------------------------------------------------------------------------


def labels_csv(log: JudgementLog, votes: Votes) -> str:
    """Labels as any log of comparisons or ratings has them: which system is better, and ratings, by the log's names.

    Votes of what is not of the log are left out, and ratings that are not on its scale.
    """
    cast = [(key, votes[label_id]) for label_id, key in keys_by_id(log).items() if label_id in votes]
    cast.sort(key=lambda labelled: labelled[0])
    scale = log.scale
    labelled = [(key, vote) for key, vote in cast if _is_label(key, vote, scale)]
    has_answers = any(not key.is_pair for key, _ in labelled)
    has_pairs = not has_answers or any(key.is_pair for key, _ in labelled)
    header = (*_OF_ANY, *(_OF_PAIRS if has_pairs else ()), *(_OF_ANSWERS if has_answers else ()))
    rows = [{"question": key.question, "item": key.item, **_label(key, vote)} for key, vote in labelled]
    return _csv([header, *(tuple(row.get(name, "") for name in header) for row in rows)])


def _is_label(key: LabelKey, vote: Vote, scale: Scale | None) -> bool:
    if key.is_pair:
        return isinstance(vote, str) and key.can_be_labelled
    return not isinstance(vote, str) and (scale is None or scale.low <= vote <= scale.high)


def _label(key: LabelKey, vote: Vote) -> dict[str, str]:
    if not isinstance(vote, str):
        return {"system": key.systems[0], "rating": repr(float(vote))}
    left, right = key.systems if key.left_first() else key.systems[::-1]
    tie = next(word for word in TIES if len(readings(word, (left, right), COLUMNS)) == 1)
    # A system may be called like the other's place.
    words = {
        side: next((word for word in (name, *places) if len(readings(word, (left, right), COLUMNS)) == 1), name)
        for side, name, places in (("left", left, ("first", "A")), ("right", right, ("second", "B")))
    }
    return {"first": left, "second": right, "verdict": {**words, "tie": tie}[vote]}


# --- sheets ----------------------------------------------------------------------------------------------------------


def sheet_csv(draw: LabelDraw) -> str:
    """What was drawn as a table whose column `label` is to be filled in: left, right, tie or a rating, or nothing."""
    rows = [_sheet_row(item, draw.scale) for item in draw.items]
    header = [name for name in _SHEET if name in _ALWAYS or any(row.get(name) for row in rows)]
    return _csv([tuple(header), *(tuple(row.get(name, "") for name in header) for row in rows)])


def _sheet_row(item: ShownItem, scale: Scale | None) -> dict[str, str]:
    row = {"label_id": item.id, "prompt": item.prompt, "criterion": item.criterion}
    if len(item.answers) == 1:
        return row | {"expected": rating_words(scale), "answer": item.answers[0]}
    return row | {"expected": _PAIR_WORDS, "left": item.answers[0], "right": item.answers[1]}


def _csv(rows: Sequence[tuple[str, ...]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([disarmed(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def is_sheet(data: bytes) -> bool:
    """Whether a file is a sheet of answers to label, filled in or not.

    >>> is_sheet(b"label_id,label,prompt,left,right"), is_sheet(b"question,first,second,verdict")
    (True, False)
    """
    _, lines, _ = without_stated(data[:_HEADER_BYTES].decode("utf-8-sig", "replace").splitlines())
    header = next(CsvRows([next(lines, "")], strict=False), [])
    return set(_SHEET[:2]) <= {cell.strip() for cell in header}


def votes_of_sheet(file: Opened, log: JudgementLog, findings: Findings) -> dict[str, Vote]:
    """The labels of a sheet; what is none is added to `findings`.

    Args:
        log: what it was drawn from.
    """
    votes: dict[str, Vote] = {}
    known, scale = keys_by_id(log), log.scale
    for place, label_id, label in _cells(file):
        key = known.get(label_id)
        if key is None:
            hint = "Give the sheet with the log that it was drawn from."
            _refuse(findings, "unknown_id", place, f"label_id {quoted(label_id)} is not of this log", hint)
        elif label_id in votes:
            _refuse(findings, "duplicate_row", place, f"label_id {quoted(label_id)} stands twice", "Keep one row.")
        elif label.lower() not in _SKIPPED:
            vote = _side(label) if key.is_pair else number(label)
            if vote is not None and _is_label(key, vote, scale):
                votes[label_id] = vote
            else:
                expected = _PAIR_WORDS if key.is_pair else rating_words(scale)
                hint = "Leave it blank where you cannot say."
                _refuse(findings, "bad_verdict", place, f"label is {quoted(label)}; expected {expected}", hint)
    if not votes and not findings.has_error:
        findings.add("no_rows", "$", "nothing in the sheet has a label", "Write labels into its column label.")
    return votes


def _side(label: str) -> Side | None:
    return next((side for side in SIDES if side == label.lower()), None)


def units_of_sheet(file: Opened) -> frozenset[int]:
    """The units that a sheet has labels of."""
    units = (unit_of(label_id) for _, label_id, label in _cells(file) if label.lower() not in _SKIPPED)
    return frozenset(unit for unit in units if unit is not None)


def _cells(file: Opened) -> Iterator[tuple[str, str, str]]:
    """Place, id and label of every row."""

    def text(record: Record, key: str) -> str:
        return str(record.get(key, "")).strip()

    return ((place, text(record, "label_id"), text(record, "label")) for place, record in file.records)


def _refuse(findings: Findings, code: str, place: str, message: str, hint: str) -> None:
    if findings.is_full(code):
        findings.count(code)
    else:
        findings.add(code, place, message, hint, severity="error")
