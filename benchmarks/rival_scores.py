"""`make bench-rivals`: corrected scores of this project beside those of truescore, glide-py and cje-eval.

All get the same logs: eight kinds of simulated ones, those of `corrected_scores`; one of a judge whose few errors 100
labels often miss; and logs drawn with replacement from real ones, whose mean label is known. The other packages run in
an environment of their own (`make rivals`). No network; a fixed seed.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.corrected_scores import JUDGES, OTHERS, SEED, simulated_logs
from benchmarks.hard_populations import with_error
from benchmarks.provenance import commit
from evaluator.judge_logs.registry import read_log
from evaluator.statistics.corrected_scores import MIN_LABELS, powered_mean, rogan_gladen
from evaluator.statistics.intervals import FloatArray
from submissions.commands.command_line import OneLineParser

TRIALS = 1_000
PREVALENCES = (0.1, 0.5)
ONE_SIDED, MANY_OTHERS = (0.98, 1.0), 20_000
"""A judge that errs on 1 of 100 items, always the same way, beside so many items without a label: its errors are all
that is uncertain, and of 100 labels one in three logs holds none of them."""
RIVALS = Path(__file__).with_name("rival_intervals.py")
OURS, OURS_ROGAN_GLADEN = "Plumbline", "Plumbline, Rogan-Gladen"
METHODS = (OURS, "truescore", "glide-py", "cje-eval", OURS_ROGAN_GLADEN, "truescore, Rogan-Gladen")

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Logs:
    """Logs of one kind, with what their labels are on average."""

    name: str
    truth: float
    labels: FloatArray
    """(logs, labelled items)."""
    judged: FloatArray
    others: FloatArray


@dataclass(frozen=True, slots=True)
class Reached:
    """What one method's intervals of one kind of log reach."""

    coverage: float
    """Of the logs that it gave an interval of; so is the length."""
    length: float
    """On average."""
    given: int
    logs: int


def simulated(trials: int) -> Iterator[Logs]:
    """Draw the simulated logs, kind by kind."""
    kinds = [(prevalence, judge, OTHERS) for prevalence, judge in product(PREVALENCES, JUDGES[:4])]
    for prevalence, judge, count in [*kinds, (PREVALENCES[-1], ONE_SIDED, MANY_OTHERS)]:
        columns = zip(*simulated_logs(MIN_LABELS, prevalence, judge, trials, count), strict=True)
        labels, judged, others = (np.array(column, np.float64) for column in columns)
        beside = "" if count == OTHERS else f", {count:,} others"
        name = f"prevalence {prevalence}, judge {judge[0]}, {judge[1]}{beside}"
        yield Logs(name, prevalence, labels, judged, others)


def resampled(name: str, rows: Iterable[tuple[float, float]], trials: int) -> Logs:
    """Draw logs with replacement from the rows of a real one: label, and what the judge says."""
    labels, judged = np.array(list(rows), np.float64).T
    drawn = np.random.default_rng([SEED, len(labels)]).integers(len(labels), size=(trials, MIN_LABELS + OTHERS))
    known, seen = labels[drawn], judged[drawn]
    return Logs(
        f"{name}, n = {len(labels):,}",
        float(labels.mean()),
        known[:, :MIN_LABELS],
        seen[:, :MIN_LABELS],
        seen[:, MIN_LABELS:],
    )


def answer_rows(path: Path) -> Iterator[tuple[float, float]]:
    """Yield whether people call each answer of EVOUNA right, and the share of the reference's words that it has."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            references = [words for text in row["gold"].split("/") if (words := _words(text))]
            for answer in row["answers"].values():
                has = _words(answer["text"])
                yield float(answer["correct"]), max((len(words & has) / len(words) for words in references), default=0)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def verdict_rows(paths: Sequence[Path]) -> Iterator[tuple[float, float]]:
    """Yield whether the answer shown first is the better one, and whether the judge says so, of logs with labels.

    Raises:
        ValueError: A file is no judge's log.
    """
    for path in paths:
        log = read_log(path.read_bytes(), path.name).log
        if log is None:
            raise ValueError(f"{path}: no judge's log; expected one that `judge-report` reads")
        for judgement in log.judgements:
            if judgement.gold in ("A", "B") and judgement.verdict in ("A", "B"):
                yield float(judgement.gold == "A"), float(judgement.verdict == "A")


def our_intervals(logs: Logs) -> dict[str, list[Interval | None]]:
    """Return the intervals of this project, of each log."""
    is_binary = set(np.unique(logs.others)) <= {0.0, 1.0}
    made: dict[str, list[Interval | None]] = {OURS: []}
    if is_binary:
        made[OURS_ROGAN_GLADEN] = []
    for rows in zip(logs.labels, logs.judged, logs.others, strict=True):
        labels, judged, others = (row.tolist() for row in rows)
        mean = powered_mean(labels, judged, others)
        made[OURS].append(mean.interval if mean else None)
        if is_binary:
            share = rogan_gladen(
                [value > 0 for value in others], [(j > 0, k > 0) for j, k in zip(judged, labels, strict=True)]
            )
            made[OURS_ROGAN_GLADEN].append(share.delta if share else None)
    return made


def rival_intervals(
    kinds: Sequence[Logs], python: str
) -> tuple[list[dict[str, list[Interval | None]]], dict[str, str]]:
    """Return the intervals of the other packages, kind by kind, and their versions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place, logs in enumerate(kinds):
            np.savez(folder / f"{place:02}.npz", labels=logs.labels, judged=logs.judged, others=logs.others)
        subprocess.run([python, str(RIVALS), name], check=True)
        made = [json.loads((folder / f"{place:02}.json").read_text()) for place in range(len(kinds))]
        return made, json.loads((folder / "versions.json").read_text())


def reached(intervals: Sequence[Interval | None], truth: float) -> Reached | None:
    """Return coverage and length of a method's intervals; None where it gave none."""
    given = [interval for interval in intervals if interval is not None]
    if not given:
        return None
    held = [low <= truth <= high for low, high in given]
    lengths = [high - low for low, high in given]
    return Reached(float(np.mean(held)), float(np.mean(lengths)), len(given), len(intervals))


def rivals_table(rows: Sequence[tuple[Logs, Mapping[str, Reached | None]]]) -> str:
    """The rows as a Markdown table: how many of 100 intervals hold the truth, and their mean length."""
    lines = [f"| logs | {' | '.join(METHODS)} |", "|---" * (1 + len(METHODS)) + "|"]
    lines += [
        f"| {logs.name} | {' | '.join(_cell(by_method.get(method)) for method in METHODS)} |"
        for logs, by_method in rows
    ]
    return "\n".join(lines)


def _cell(figures: Reached | None) -> str:
    if figures is None:
        return ""
    few = f" of {figures.given}" if figures.given < figures.logs else ""
    return f"{with_error(figures.coverage, figures.given)}{few}, {figures.length:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = OneLineParser(prog="python -m benchmarks.rival_scores", description=__doc__)
    parser.add_argument("--rivals", required=True, metavar="PYTHON", help="of the environment that `make rivals` makes")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"logs of each kind (default {TRIALS:,})")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="same_answer_nq.jsonl.gz of `make golden-data`")
    parser.add_argument("--logs", type=Path, nargs="+", metavar="FILE", help="logs of one judge, with labels in them")
    options = parser.parse_args(arguments)
    kinds = list(simulated(options.trials))
    if options.answers:
        kinds.append(resampled("EVOUNA, words of the reference", answer_rows(options.answers), options.trials))
    if options.logs:
        kinds.append(resampled("verdicts with labels", verdict_rows(options.logs), options.trials))
    others, versions = rival_intervals(kinds, options.rivals)
    rows = [
        (logs, {name: reached(made, logs.truth) for name, made in (our_intervals(logs) | of_rivals).items()})
        for logs, of_rivals in zip(kinds, others, strict=True)
    ]
    named = ", ".join(f"{package} {number}" for package, number in versions.items())
    print(f"{options.trials:,} logs of each kind, commit {commit()}; {named}\n\n{rivals_table(rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
