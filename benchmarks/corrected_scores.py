"""`make bench-corrected`: how often 95% intervals of corrected scores hold the truth, and how long they are.

Labels are drawn with a known prevalence, and a judge's verdicts with known error rates; the intervals are those of
`evaluator.statistics.corrected_scores`. The length of a powered interval is held against that of Jeffreys' interval of
the labels alone. Then labels that were chosen by the verdict, and labels of whole topics. No network; a fixed seed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv

from benchmarks.hard_populations import with_error
from benchmarks.provenance import commit
from evaluator.statistics.clusters import Clusters
from evaluator.statistics.corrected_scores import (
    HALF,
    MIN_LABELS,
    are_labels_unlike,
    powered_mean,
    rogan_gladen,
    stratified_mean,
)
from evaluator.statistics.intervals import TAIL, Interval
from submissions.commands.command_line import OneLineParser

SEED = 1978
TRIALS = 400
LABELS = (MIN_LABELS, 200)
PREVALENCES = (0.1, 0.2, 0.5, 0.8)
JUDGES = ((0.98, 0.98), (0.95, 0.95), (0.9, 0.8), (0.7, 0.6), (0.5, 0.5))
"""Sensitivity and specificity; the last judge tosses a coin."""
OTHERS = 1_000
CHOICES = (1.0, 4.0, 0.25)
"""How much likelier an item is to be labelled where the judge says yes."""
CHOSEN_ROWS = tuple(product((MIN_LABELS,), (0.1, 0.5), JUDGES, CHOICES))
"""Labels, prevalence, judge and choice."""

TABLES = ("random", "chosen", "topics")


@dataclass(frozen=True, slots=True)
class Reached:
    """What the intervals of one cell reach; shares of the trials that have such an interval."""

    labels: int
    prevalence: float
    sensitivity: float
    specificity: float
    powered: float
    powered_length: float
    """Mean length, as a share of that of the interval of the labels alone."""
    bootstrap: float | None
    """Of Rogan-Gladen; None where hardly any trial (below a tenth) allows it."""
    delta: float | None
    corrected: float
    """Share of the trials in which Rogan-Gladen has an interval."""


class SimulatedLog(NamedTuple):
    """What people say of some items, what the judge says of them, and of the others."""

    labels: list[bool]
    judged: list[bool]
    unlabelled: list[bool]


def simulated_logs(
    labels: int, prevalence: float, judge: tuple[float, float], trials: int, others: int = OTHERS
) -> Iterator[SimulatedLog]:
    """Draw logs of one kind, the same at every call."""
    sensitivity, specificity = judge
    generator = np.random.default_rng([SEED, labels, round(100 * prevalence), round(100 * sensitivity)])
    for _ in range(trials):
        truth = generator.random(labels + others) < prevalence
        right = generator.random(labels + others) < np.where(truth, sensitivity, specificity)
        says = (truth == right).tolist()
        yield SimulatedLog(truth[:labels].tolist(), says[:labels], says[labels:])


def reached(labels: int, prevalence: float, judge: tuple[float, float], trials: int, others: int = OTHERS) -> Reached:
    """Simulates one row."""
    sensitivity, specificity = judge
    powered, lengths, bootstrap, delta = [], [], [], []
    for known, seen, unlabelled in simulated_logs(labels, prevalence, judge, trials, others):
        mean = powered_mean(known, seen, unlabelled)
        assert mean is not None
        assert mean.interval is not None  # there are labels enough in every cell
        powered.append(_holds(mean.interval, prevalence))
        lengths.append(_length(mean.interval) / _length(labels_alone(sum(known), labels)))
        share = rogan_gladen(unlabelled, list(zip(seen, known, strict=True)))
        if share is not None and share.bootstrap is not None:
            bootstrap.append(_holds(share.bootstrap, prevalence))
            delta.append(share.delta is not None and _holds(share.delta, prevalence))
    is_corrected = len(bootstrap) >= trials / 10
    return Reached(
        labels=labels,
        prevalence=prevalence,
        sensitivity=sensitivity,
        specificity=specificity,
        powered=float(np.mean(powered)),
        powered_length=float(np.mean(lengths)),
        bootstrap=float(np.mean(bootstrap)) if is_corrected else None,
        delta=float(np.mean(delta)) if is_corrected else None,
        corrected=len(bootstrap) / trials,
    )


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the intervals of one cell reach where labels were chosen by what the judge said."""

    labels: int
    prevalence: float
    sensitivity: float
    specificity: float
    choice: float
    """How much likelier to be labelled where the judge says yes."""
    seen_unlike: float
    """Share of the trials in which `are_labels_unlike` says so."""
    powered: float
    by_verdict: float | None
    """Of the trials whose strata have labels enough; None where these are below a tenth."""
    by_verdict_length: float | None
    by_verdict_trials: float


def chosen(labels: int, prevalence: float, judge: tuple[float, float], choice: float, trials: int) -> Chosen:
    """Simulates one row."""
    sensitivity, specificity = judge
    seed = [SEED, labels, round(100 * prevalence), round(100 * sensitivity), round(100 * choice)]
    generator = np.random.default_rng(seed)
    unlike, powered, by_verdict, lengths = 0, 0, [], []
    for _ in range(trials):
        known, seen, others = chosen_log(generator, labels, prevalence, judge, choice)
        unlike += are_labels_unlike(seen, others)
        mean = powered_mean(known, seen, others)
        assert mean is not None
        assert mean.interval is not None
        powered += _holds(mean.interval, prevalence)
        stratified = stratified_mean(known, seen, others)
        if stratified is not None and stratified.interval is not None:
            by_verdict.append(_holds(stratified.interval, prevalence))
            lengths.append(_length(stratified.interval))
    is_usual = len(by_verdict) >= trials / 10
    return Chosen(
        labels=labels,
        prevalence=prevalence,
        sensitivity=sensitivity,
        specificity=specificity,
        choice=choice,
        seen_unlike=unlike / trials,
        powered=powered / trials,
        by_verdict=float(np.mean(by_verdict)) if is_usual else None,
        by_verdict_length=float(np.mean(lengths)) if is_usual else None,
        by_verdict_trials=len(by_verdict) / trials,
    )


def chosen_log(
    generator: np.random.Generator, labels: int, prevalence: float, judge: tuple[float, float], choice: float
) -> SimulatedLog:
    """Draw a log whose labels were chosen by what the judge said."""
    truth = generator.random(labels + OTHERS) < prevalence
    says = (generator.random(labels + OTHERS) < np.where(truth, *judge)) == truth
    weights = np.where(says, choice, 1.0)
    taken = np.zeros(labels + OTHERS, dtype=bool)
    taken[generator.choice(labels + OTHERS, labels, replace=False, p=weights / weights.sum())] = True
    return SimulatedLog(truth[taken].tolist(), says[taken].tolist(), says[~taken].tolist())


def chosen_table(rows: Sequence[Chosen]) -> str:
    """The rows as a Markdown table."""
    head = (
        "| labels | prevalence | sensitivity, specificity | labelled where the judge says yes | found unlike "
        "| PPI++ holds | by verdict holds | its mean length | trials with one |"
    )
    lines = [
        f"| {row.labels} | {row.prevalence} | {row.sensitivity}, {row.specificity} | {row.choice:g} times "
        f"as often | {row.seen_unlike:.1%} | {row.powered:.1%} | {_percent(row.by_verdict)} "
        f"| {_length_text(row.by_verdict_length)} | {row.by_verdict_trials:.0%} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 9 + "|", *lines])


def _length_text(length: float | None) -> str:
    return "n/a" if length is None else f"{length:.3f}"


# --- labels of whole topics ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Topics:
    """Logs whose questions stand in topics, of which some are labelled whole."""

    labelled: int = 20
    """Topics with labels."""
    size: int = 10
    """Questions of a topic; on the mean, where topics are unlike in size."""
    others: int = 100
    """Topics without labels."""
    alike: float = 0.3
    """Intraclass correlation of what is right of a topic's questions."""
    prevalence: float = 0.5
    judge: tuple[float, float] = (0.85, 0.8)
    """Sensitivity and specificity."""
    are_unlike: bool = False
    """Topics differ in size, lognormally with 0.8."""
    drawn: int = 0
    """Where it is not 0, so many questions are labelled at random, of all topics."""


TOPICS = (
    Topics(),
    Topics(labelled=10),
    Topics(labelled=40, size=5),
    Topics(labelled=6, size=20),
    Topics(others=15),
    Topics(prevalence=0.1),
    Topics(prevalence=0.05, labelled=40, size=5),
    Topics(prevalence=0.8, labelled=12),
    Topics(judge=(0.95, 0.95), labelled=10),
    Topics(judge=(0.98, 0.98), prevalence=0.1),
    Topics(alike=0.05),
    Topics(alike=0.6),
    Topics(are_unlike=True),
    Topics(are_unlike=True, labelled=12, size=15, alike=0.5),
    Topics(labelled=40, others=0, drawn=100),
    Topics(labelled=20, size=30, others=0, drawn=100, prevalence=0.1),
)


@dataclass(frozen=True, slots=True)
class TopicsReached:
    """What the intervals of one kind reach, clusters given; shares of the trials that have such an interval."""

    topics: Topics
    plain: float
    """Of PPI++ without clusters."""
    powered: float
    powered_length: float
    """Mean length, as a share of that without clusters."""
    by_verdict: float | None
    rogan_gladen: float | None
    seen_unlike: float
    """Share of the trials whose labels are said to be no random sample, though whole topics are drawn at random."""
    trials: int


def topics_reached(topics: Topics, trials: int) -> TopicsReached:
    """Simulates one row."""
    kind = TOPICS.index(topics) if topics in TOPICS else len(TOPICS)
    generator = np.random.default_rng([SEED, kind])
    held: dict[str, list[float]] = {name: [] for name in ("plain", "powered", "length", "verdict", "rates", "unlike")}
    for _ in range(trials):
        (known, seen, others), clusters = log_of_topics(generator, topics)
        plain, powered = powered_mean(known, seen, others), powered_mean(known, seen, others, clusters)
        if plain is None or powered is None or plain.interval is None or powered.interval is None:
            continue
        held["plain"].append(_holds(plain.interval, topics.prevalence))
        held["powered"].append(_holds(powered.interval, topics.prevalence))
        held["length"].append(_length(powered.interval) / _length(plain.interval))
        held["unlike"].append(are_labels_unlike(seen, others, clusters))
        stratified = stratified_mean(known, seen, others, clusters)
        if stratified is not None and stratified.interval is not None:
            held["verdict"].append(_holds(stratified.interval, topics.prevalence))
        share = rogan_gladen(others, list(zip(seen, known, strict=True)), clusters)
        if share is not None and share.delta is not None:
            held["rates"].append(_holds(share.delta, topics.prevalence))
    means = {name: float(np.mean(values)) if len(values) >= trials / 10 else None for name, values in held.items()}
    return TopicsReached(
        topics,
        plain=means["plain"] or 0.0,
        powered=means["powered"] or 0.0,
        powered_length=means["length"] or 0.0,
        by_verdict=means["verdict"],
        rogan_gladen=means["rates"],
        seen_unlike=means["unlike"] or 0.0,
        trials=len(held["powered"]),
    )


def log_of_topics(generator: np.random.Generator, topics: Topics) -> tuple[SimulatedLog, Clusters]:
    """Draw a log whose questions stand in topics, and the topics of its labelled and other questions."""
    number = topics.labelled + topics.others
    sizes = np.full(number, topics.size)
    if topics.are_unlike:
        sizes = np.maximum(1, np.round(topics.size * generator.lognormal(-0.32, 0.8, number))).astype(int)
    topic = np.repeat(np.arange(number), sizes)
    spread = (1 - topics.alike) / topics.alike
    chances = generator.beta(topics.prevalence * spread, (1 - topics.prevalence) * spread, number)
    truth = generator.random(len(topic)) < chances[topic]
    is_right = generator.random(len(topic)) < np.where(truth, *topics.judge)
    is_labelled = topic < topics.labelled
    if topics.drawn:
        is_labelled = np.zeros(len(topic), dtype=bool)
        is_labelled[generator.choice(len(topic), topics.drawn, replace=False)] = True
    says, names = truth == is_right, topic.astype(str)
    log = SimulatedLog(truth[is_labelled].tolist(), says[is_labelled].tolist(), says[~is_labelled].tolist())
    return log, Clusters(names[is_labelled].tolist(), names[~is_labelled].tolist())


def topics_table(rows: Sequence[TopicsReached]) -> str:
    """The rows as a Markdown table."""
    head = (
        "| labels | other topics | alike | prevalence | sensitivity, specificity | PPI++ without clusters "
        "| with clusters | its length, without = 1 | by verdict | Rogan-Gladen | found unlike |"
    )
    lines = [
        f"| {labels_text(row.topics)} | {row.topics.others} | {row.topics.alike} | {row.topics.prevalence} "
        f"| {row.topics.judge[0]}, {row.topics.judge[1]} | {row.plain:.1%} | {with_error(row.powered, row.trials)} "
        f"| {row.powered_length:.2f} | {_percent(row.by_verdict)} | {_percent(row.rogan_gladen)} "
        f"| {row.seen_unlike:.1%} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 11 + "|", *lines])


def labels_text(topics: Topics) -> str:
    if topics.drawn:
        return f"{topics.drawn} drawn from {topics.labelled} topics of {topics.size}"
    return f"{topics.labelled} topics of {'about ' if topics.are_unlike else ''}{topics.size}"


# --- as it is printed ------------------------------------------------------------------------------------------------


def labels_alone(yes: int, n: int) -> Interval:
    """Jeffreys' interval of a share.

    >>> [round(end, 3) for end in labels_alone(50, 100)]
    [0.403, 0.597]
    """
    counts = yes + HALF, n - yes + HALF
    return Interval(float(betaincinv(*counts, TAIL)), float(betaincinv(*counts, 1.0 - TAIL)))


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def _length(interval: Interval) -> float:
    return interval.high - interval.low


def reached_table(rows: Sequence[Reached]) -> str:
    """The rows as a Markdown table, in percent."""
    head = (
        "| labels | prevalence | sensitivity, specificity | PPI++ holds | its length, labels alone = 1 | Rogan-Gladen, "
        "bootstrap | delta | trials with one |"
    )
    lines = [
        f"| {row.labels} | {row.prevalence} | {row.sensitivity}, {row.specificity} | {row.powered:.1%} "
        f"| {row.powered_length:.2f} | {_percent(row.bootstrap)} | {_percent(row.delta)} | {row.corrected:.0%} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 8 + "|", *lines])


def _percent(share: float | None) -> str:
    return "n/a" if share is None else f"{share:.1%}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table."""
    parser = OneLineParser(prog="python -m benchmarks.corrected_scores", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"logs of each kind (default {TRIALS:,})")
    parser.add_argument("--others", type=int, default=OTHERS, help=f"items without a label (default {OTHERS:,})")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--table", choices=TABLES, help="one of the tables alone")
    options = parser.parse_args(arguments)
    printed: dict[str, tuple[Sequence[Any], str]] = {}
    for name in (options.table,) if options.table else TABLES:
        if name == "random":
            cells = product(LABELS, PREVALENCES, JUDGES)
            random = [reached(*cell, options.trials, options.others) for cell in cells]
            printed[name] = random, reached_table(random)
        elif name == "chosen":
            by_verdict = [chosen(*row, options.trials) for row in CHOSEN_ROWS]
            printed[name] = by_verdict, chosen_table(by_verdict)
        else:
            of_topics = [topics_reached(topics, options.trials) for topics in TOPICS]
            printed[name] = of_topics, topics_table(of_topics)
    if options.json:
        told = {name: [asdict(row) for row in rows] for name, (rows, _) in printed.items()}
        print(json.dumps({"commit": commit(), **told}))
    else:
        print(f"commit {commit()}, {options.trials:,} logs of each kind, {options.others:,} items without a label\n")
        print("\n\n".join(table for _, table in printed.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
