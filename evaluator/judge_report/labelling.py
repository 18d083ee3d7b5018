"""Pairs for people to label without the judge's word: what is shown of them, and the labels that come of it.

A pair is shown under a name that says nothing (`PairKey.id`), its answers left and right by chance. Whoever has the log
can tell again which pair it is: neither the page nor a sheet holds a system's name, a verdict or a score.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from evaluator.judge_logs.csv_table import disarmed
from evaluator.judge_logs.judgements import JudgementLog, Record
from evaluator.judge_logs.opened import Opened
from evaluator.judge_logs.pair_sample import TEXT_CHARACTERS, DrawnPair, PairSample, unit_of
from submissions.findings import Findings
from submissions.reading.quoting import quoted

Vote = Literal["left", "right", "tie"]
"""The better answer by where it was shown, or that none is."""
VOTES: tuple[Vote, ...] = get_args(Vote)
Votes = Mapping[str, Vote]
"""A pair's id -> its label."""

TIES = ("tie", "C", "Tie")
"""One of these is the name of neither system."""
_SKIPPED = ("", "skip")
_HEADER_BYTES = 1_000
_SHEET = ("pair", "label", "prompt", "left", "right")


class ShownPair(NamedTuple):
    """What a labeller sees; plain text."""

    id: str
    prompt: str
    """Blank where the log has none."""
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class PairDraw:
    """The pairs drawn from a log, and out of what."""

    pairs: tuple[ShownPair, ...]
    """In the order in which they are shown."""
    offered: int
    """Questions with two systems that could have been drawn."""
    without_texts: int
    too_long: int
    differing: int
    labelled: int
    """So many of the log have a label already."""
    comparisons: int
    """Questions with two systems in the whole log."""

    @property
    def missing(self) -> str:
        """Why there is nothing to label, and what to record next time; blank where there is something."""
        if self.pairs:
            return ""
        if not self.comparisons:
            return (
                "Nothing to label: the log holds no comparison of two systems, and only pairs are labelled here. Give "
                "ratings by people as a CSV with the columns question, item, system and rating."
            )
        if self.without_texts == self.comparisons:
            return (
                "Nothing to label: the log does not hold the texts, and nobody can label what they do not see. Record "
                "the prompt and both answers with every judgement: in a CSV as the columns prompt, first_text and "
                "second_text; docs/judge_report.md says where other logs have them."
            )
        return f"Nothing more to label. {self.left_out}"

    @property
    def drawn(self) -> str:
        """How the pairs were drawn, in a sentence."""
        return (
            f"{len(self.pairs):,} of {self.offered:,} pairs of answers, drawn at random: each question with two "
            "systems was as likely as any other, whatever the judge said of it, and of several turns one is shown. "
            "Which answer stands left is drawn, too."
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


def pair_draw(log: JudgementLog, sample: PairSample) -> PairDraw:
    """What was drawn while the log was read."""
    pairs = {judgement.pair for judgement in log.judgements if judgement.is_comparison}
    units = {pair.unit(sample.seed) for pair in pairs if len(set(pair.systems)) == 2}
    labelled = len(units & sample.labelled)
    return PairDraw(
        tuple(_shown(drawn, sample.seed) for drawn in sample.pairs),
        sample.offered,
        len(units) - labelled - sample.offered - sample.too_long,
        sample.too_long,
        sample.differing,
        labelled,
        len(units),
    )


def _shown(drawn: DrawnPair, seed: int) -> ShownPair:
    answers = drawn.texts.answers
    left, right = answers if drawn.pair.left_first(seed) else answers[::-1]
    return ShownPair(drawn.pair.id(seed), drawn.texts.prompt, left, right)


def labels_csv(log: JudgementLog, votes: Votes) -> str:
    """Labels as any log of comparisons has them: which system is better, by the names of the log.

    Votes of pairs that are not of the log are left out.
    """
    pairs = {judgement.pair for judgement in log.judgements if judgement.is_comparison}
    rows = [("question", "item", "first", "second", "verdict")]
    for pair in sorted(pairs):
        if (vote := votes.get(pair.id())) is not None:
            left, right = pair.systems if pair.left_first() else pair.systems[::-1]
            tie = next(word for word in TIES if word not in pair.systems)
            better = {"left": left, "right": right, "tie": tie}[vote]
            rows.append((pair.question, pair.item, left, right, better))
    return _csv(rows)


def sheet_csv(draw: PairDraw) -> str:
    """The pairs as a table to fill in: left, right or tie in the column `label`; blank = not labelled."""
    return _csv([_SHEET, *((pair.id, "", pair.prompt, pair.left, pair.right) for pair in draw.pairs)])


def _csv(rows: Sequence[tuple[str, ...]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([disarmed(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def is_sheet(data: bytes) -> bool:
    """Whether a file is a sheet of pairs, filled in or not.

    >>> is_sheet(b"pair,label,prompt,left,right"), is_sheet(b"question,first,second,verdict")
    (True, False)
    """
    lines = data[:_HEADER_BYTES].decode("utf-8-sig", "replace").splitlines()
    return {"pair", "label"} <= {cell.strip() for cell in next(csv.reader(lines[:1]), [])}


def votes_of_sheet(file: Opened, known: frozenset[str], findings: Findings) -> dict[str, Vote]:
    """The labels of a sheet; what is none is added to `findings`.

    Args:
        known: ids of the log's pairs.
    """
    votes: dict[str, Vote] = {}
    for place, pair_id, label in _cells(file):
        vote = next((vote for vote in VOTES if vote == label.lower()), None)
        if pair_id not in known:
            hint = "Give the sheet with the log that it was drawn from."
            _refuse(findings, "unknown_id", place, f"pair {quoted(pair_id)} is not of this log", hint)
        elif pair_id in votes:
            _refuse(findings, "duplicate_row", place, f"pair {quoted(pair_id)} stands twice", "Keep one of the rows.")
        elif vote is not None:
            votes[pair_id] = vote
        elif label.lower() not in _SKIPPED:
            hint = "Leave it blank where you cannot say."
            _refuse(findings, "bad_verdict", place, f"label is {quoted(label)}; expected left, right or tie", hint)
    if not votes and not findings.has_error:
        findings.add("no_rows", "$", "no pair of the sheet has a label", "Write left, right or tie into its column.")
    return votes


def units_of_sheet(file: Opened) -> frozenset[int]:
    """The units that a sheet has labels of."""
    units = (unit_of(pair_id) for _, pair_id, label in _cells(file) if label.lower() not in _SKIPPED)
    return frozenset(unit for unit in units if unit is not None)


def _cells(file: Opened) -> Iterator[tuple[str, str, str]]:
    """Place, pair and label of every row."""

    def text(record: Record, key: str) -> str:
        return str(record.get(key, "")).strip()

    return ((place, text(record, "pair"), text(record, "label")) for place, record in file.records)


def _refuse(findings: Findings, code: str, place: str, message: str, hint: str) -> None:
    if findings.is_full(code):
        findings.count(code)
    else:
        findings.add(code, place, message, hint, severity="error")
