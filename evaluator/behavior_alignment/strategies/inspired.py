"""Labelled dialogues in the tab-separated form of INSPIRED (Hayati et al., EMNLP 2020), to train and measure with."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

from submissions.formats.behavior_alignment.submission import NO_STRATEGY, TurnLabel, turn_label_of
from submissions.reading.quoting import keys_shown

COLUMNS = ("dialog_id", "utt_id", "speaker", "turn_id", "text")
LABEL_COLUMNS = ("expert_label", "first_label")
"""The label's column, under either name."""
QUOTATION_MARK = "QUOTATION_MARK"
"""Stands for a quotation mark in the texts."""
RECOMMENDER = "RECOMMENDER"


class DialoguesRefused(ValueError):
    """Raised when a file cannot be read as it stands; carries every fault, each with its line."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(self.problems))


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """One sentence of a human recommender."""

    dialogue_id: str
    turn_id: str
    text: str
    label: TurnLabel
    """`no_strategy` also where the label is blank or no strategy known here."""

    @property
    def is_strategic(self) -> bool:
        return self.label != NO_STRATEGY


@dataclass(frozen=True)
class LabelledDialogues:
    """The recommender's sentences of one file or several, in order."""

    sentences: tuple[LabelledSentence, ...]
    files: tuple[tuple[str, str], ...]
    """Name and SHA-256 of each file."""

    @cached_property
    def dialogue_ids(self) -> list[str]:
        """Sorted, each once."""
        return sorted({sentence.dialogue_id for sentence in self.sentences})

    @cached_property
    def turns(self) -> list[list[int]]:
        """The places of the sentences of each turn, in order."""
        places = range(len(self.sentences))
        return [list(turn) for _, turn in groupby(places, key=self._turn)]

    def _turn(self, place: int) -> tuple[str, str]:
        return self.sentences[place].dialogue_id, self.sentences[place].turn_id


def read_dialogues(paths: Sequence[Path]) -> LabelledDialogues:
    """Reads files of labelled dialogues: tab-separated, no quoting, UTF-8.

    Dialogues of different files are different ones, whatever their ids.

    Raises:
        DialoguesRefused: with all faults of all files.
        OSError: a file cannot be opened.
    """
    sentences: list[LabelledSentence] = []
    problems: list[str] = []
    files = []
    for number, path in enumerate(paths):
        data = path.read_bytes()
        files.append((path.name, hashlib.sha256(data).hexdigest()))
        prefix = f"{number}:" if len(paths) > 1 else ""
        sentences += _sentences(data, path.name, prefix, problems)
    if not problems and not any(sentence.is_strategic for sentence in sentences):
        problems.append(f"no row of a {RECOMMENDER} has one of the 13 strategies as its label")
    if problems:
        raise DialoguesRefused(problems)
    return LabelledDialogues(tuple(sentences), tuple(files))


def _sentences(data: bytes, name: str, prefix: str, problems: list[str]) -> Iterator[LabelledSentence]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problems.append(f"{name}: not UTF-8 (byte {error.start}); save it as UTF-8")
        return
    lines = csv.reader(text.splitlines(keepends=True), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = next(lines, [])
    label_column = next((column for column in LABEL_COLUMNS if column in header), None)
    missing = [column for column in COLUMNS if column not in header]
    if missing or label_column is None:
        missing += [] if label_column else [" or ".join(LABEL_COLUMNS)]
        keys = keys_shown(header) or "nothing"
        problems.append(f"{name}:1: no column {', '.join(missing)}; found {keys}; expected a tab-separated file")
        return
    for cells in lines:
        if len(cells) != len(header):
            problems.append(f"{name}:{lines.line_num}: {len(cells)} cells, expected {len(header)} as in the header")
            continue
        row = dict(zip(header, cells, strict=True))
        if row["speaker"].strip().upper() == RECOMMENDER:
            yield LabelledSentence(
                dialogue_id=prefix + row["dialog_id"].strip(),
                turn_id=row["turn_id"].strip(),
                text=row["text"].replace(QUOTATION_MARK, '"').strip(),
                label=turn_label_of(row[label_column]) or NO_STRATEGY,
            )
