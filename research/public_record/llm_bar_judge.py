"""Judges of ours on LLMBar's pairs: asked about each in both orders by our rubric, beside the judges that it released.

`python -m research public-record llm-bar-judges FOLDER --judge J` asks and makes the record. Every verdict is stored
when it is there, so that a command that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judges.prompts import PREFERENCE_PAIR
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.recorded import RecordedJudge
from evaluator.public_record.records import MeasuredJudge, MeasuredRecord
from research.public_record.llm_bar import CITATION, LICENCE, LINK, ROOT, SOURCE, ResultFile, judge_records
from research.public_record.sources import SourceRefused, digest_of
from submissions.verdicts.swap_outcomes import Verdict
from submissions.version import VERSION

PAIRS_AT_ONCE = 8
"""So many are asked about and stored together: what a stopped command loses."""
TEXTS = Path("evaluators", "GPT-4", "Vanilla", "result.json")
"""Which of a subset's result files the pairs are read from: each of them repeats all texts and labels."""

_VERDICTS: Mapping[str, Verdict] = {"A": "A", "B": "B", "C": "C", "N": "N"}
_OUTPUTS = ("output_1", "output_2")


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """One pair of LLMBar, whose better answer people fixed."""

    subset: str
    number: int
    """In its file, from 0."""
    instruction: str
    outputs: tuple[str, str]
    is_first_better: bool

    @property
    def name(self) -> str:
        """What it is called: `Adversarial/Manual 7`."""
        return f"{self.subset} {self.number}"

    def requests(self) -> tuple[JudgeRequest, JudgeRequest]:
        """Our question with output 1 in the first place, and in the second."""
        first, second = (
            JudgeRequest(PREFERENCE_PAIR, {"answer_a": a, "answer_b": b, "prompt_1": self.instruction}, "en", self.name)
            for a, b in (self.outputs, self.outputs[::-1])
        )
        return first, second

    def judgements(self, verdicts: str) -> Iterator[Judgement]:
        """Two verdicts by place, in the two orders, as those of a judge's log."""
        for verdict, systems, gold in zip(
            verdicts,
            (_OUTPUTS, _OUTPUTS[::-1]),
            ("AB", "BA")[not self.is_first_better],
            strict=True,
        ):
            yield Judgement(
                judge="judge",
                question=self.name,
                systems=systems,
                verdict=_VERDICTS[verdict],
                gold=_VERDICTS[gold],
                place=str(self.number),
            )


def labelled_pairs(folder: Path) -> list[LabelledPair]:
    """All pairs of a clone of LLMBar in the order of the SHA-256 of their names: any beginning of it is a sample.

    Raises:
        SourceRefused: a file is missing or cannot be read; the message names it.
    """
    pairs = [pair for path in _paths(folder) for pair in _pairs_of(path, folder / ROOT)]
    return sorted(pairs, key=lambda pair: hashlib.sha256(pair.name.encode()).hexdigest())


def _paths(folder: Path) -> list[Path]:
    paths = sorted(path for path in (folder / ROOT).rglob(TEXTS.name) if path.parts[-len(TEXTS.parts) :] == TEXTS.parts)
    if not paths:
        raise SourceRefused(
            f"{folder / ROOT}: no {TEXTS} below it; expected a clone of github.com/princeton-nlp/LLMBar"
        )
    return paths


def _pairs_of(path: Path, root: Path) -> Iterator[LabelledPair]:
    subset = path.parents[len(TEXTS.parts) - 1].relative_to(root).as_posix()
    try:
        for number, row in enumerate(json.loads(path.read_bytes())):
            outputs = (str(row["output_1"]), str(row["output_2"]))
            yield LabelledPair(subset, number, str(row["input"]), outputs, {1: True, 2: False}[int(row["label"])])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceRefused(f"{path}: {error!r}; expected the file as LLMBar released it") from error


def asked(judge: RecordedJudge, pairs: Sequence[LabelledPair]) -> Iterator[tuple[str, str]]:
    """Name of each pair with the judge's verdicts in both orders, as two letters; N = none."""
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        part = pairs[start : start + PAIRS_AT_ONCE]
        said = judge.verdicts([request for pair in part for request in pair.requests()])
        letters = "".join(verdict.judgment.verdict or "N" for verdict in said)
        for place, pair in enumerate(part):
            yield pair.name, letters[2 * place : 2 * place + 2]


def measured_judge(
    judge: RecordedJudge, pairs: Sequence[LabelledPair], verdicts: Mapping[str, str], commit: str, asked_on: str
) -> MeasuredJudge:
    """The figures of a judge from its verdicts.

    Args:
        judge: Who gave them.
        pairs: At least those that it was asked about.
        verdicts: Pair -> two letters (`asked`).
        commit: Of the code that asked.
        asked_on: The day.
    """
    pin = judge.judge.pin
    rubric = f"{PREFERENCE_PAIR.id} {PREFERENCE_PAIR.version}"
    name = f"{pin.model}/{rubric}"
    [record] = judge_records({name: as_results(name, pairs, verdicts)}, {}, options=3)
    return MeasuredJudge(
        pin=pin, rubric=rubric, commit=commit, asked_on=asked_on, verdicts=dict(verdicts), record=record
    )


def as_results(judge: str, pairs: Sequence[LabelledPair], verdicts: Mapping[str, str]) -> list[ResultFile]:
    """A judge's verdicts by subset, as those of LLMBar's files are kept."""
    by_subset: defaultdict[str, list[Judgement]] = defaultdict(list)
    for pair in pairs:
        if pair.name in verdicts:
            by_subset[pair.subset] += pair.judgements(verdicts[pair.name])
    return [
        ResultFile(subset, judge, JudgementLog("", "", tuple(judgements), {}, ()), {})
        for subset, judgements in by_subset.items()
    ]


def measured_record(folder: Path, pairs: int, judges: Sequence[MeasuredJudge], computed_on: str) -> MeasuredRecord:
    """The record of judges that were asked.

    Args:
        folder: The clone that the pairs are from.
        pairs: How many it has.
        judges: In any order.
        computed_on: The day to state.
    """
    return MeasuredRecord(
        citation=CITATION,
        link=LINK,
        source=SOURCE,
        licence=LICENCE,
        files_sha256=digest_of(_paths(folder), folder),
        computed_on=computed_on,
        code_version=VERSION,
        pairs=pairs,
        judges=tuple(sorted(judges, key=lambda own: (-(own.record.accuracy.value or 0.0), own.record.judge))),
    )
