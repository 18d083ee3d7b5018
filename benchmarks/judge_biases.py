"""`make bench-biases`: how often a planted bias of a judge is found, and how often one is found that nobody planted.

Logs are made with a known truth: four judges of four families compare, in both orders, answers of systems of the same
families. By how much an answer is better is drawn, people say which is, judges see the difference with an error of
their own, and one of them has biases planted. In some logs longer answers are better ones, too. Without labels each
judge likes some systems more than others, whoever made them. The findings are those of the judge report. No network; a
fixed seed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from benchmarks.hard_populations import with_error
from benchmarks.provenance import commit
from evaluator.judge_logs.judgements import Judgement
from evaluator.judge_report.biases import BELIEVED, Bias, Kind, biases
from evaluator.statistics.clustered_slopes import false_discovery_rates
from submissions.commands.command_line import OneLineParser
from submissions.verdicts.swap_outcomes import Verdict

SEED = 1995
TRIALS = 1_000
FAMILIES = ("gpt", "claude", "llama", "qwen")
JUDGES = tuple(f"{family}-judge" for family in FAMILIES)
STRENGTHS = np.array([0.3, 0.1, -0.1, -0.3])
"""Of the families' systems, in standard deviations of what else makes one answer better than another."""
BIASED = 0
"""The judge that has the biases; its family is also the strongest."""
NOISE = 0.8
"""Of a judge's view of a difference, in the same unit: it agrees with people on about four pairs of five."""
KINDS: tuple[Kind, ...] = ("place", "length", "family")


@dataclass(frozen=True, slots=True)
class Made:
    """One kind of log."""

    questions: int = 200
    place: float = 0.0
    """What the first place adds to an answer in the eyes of the biased judge."""
    length: float = 0.0
    """The same of a standard deviation of the log length ratio."""
    family: float = 0.0
    """The same of being of its family."""
    longer_is_better: float = 0.0
    """Correlation of length and quality."""
    has_labels: bool = True
    systems: int = 4
    """The families take turns."""
    pairs: int = 1
    """Of systems that are compared on each question."""
    taste: float = 0.0
    """Standard deviation of how much a judge likes a system, whoever made it."""
    spread: float = 0.0
    """The same of the strength of systems of one family."""
    noise: float = NOISE
    """Of the biased judge's view of a difference, in the unit of the strengths."""
    noise_of_others: float = NOISE


@dataclass(frozen=True, slots=True)
class Reached:
    """What the findings of one kind of log come to; shares of the trials."""

    made: Made
    size: dict[Kind, float]
    """Mean size of each bias of the biased judge, as the report measures it."""
    detectable: dict[Kind, float]
    """Mean size that would be seen in 80 of 100 logs."""
    seen: dict[Kind, float]
    """The planted biases: found, in the right direction."""
    false_share: float
    """Mean share of false findings among all findings of a log; 0 for a log without any."""
    logs_with_false: float
    """Logs with any false finding."""
    trials: int = field(default=TRIALS)


def made_log(made: Made, generator: np.random.Generator) -> list[Judgement]:
    """Draw a log."""
    comparisons = made.questions * made.pairs
    strengths = STRENGTHS[np.arange(made.systems) % len(FAMILIES)]
    strengths = strengths + made.spread * generator.standard_normal(made.systems)
    pairs = np.array([generator.permutation(made.systems)[:2] for _ in range(comparisons)])
    length = generator.standard_normal(comparisons)
    rest = np.sqrt(1 - made.longer_is_better**2) * generator.standard_normal(comparisons)
    better = strengths[pairs[:, 0]] - strengths[pairs[:, 1]] + made.longer_is_better * length + rest
    chars = np.round(np.exp(6.5 + 0.25 * np.column_stack([length, -length]))).astype(int)
    judgements = []
    for number, judge in enumerate(JUDGES):
        is_biased = number == BIASED
        is_own = pairs % len(FAMILIES) == number
        own = is_own[:, 0].astype(float) - is_own[:, 1]
        liking = made.taste * generator.standard_normal(made.systems)
        noise = made.noise if is_biased else made.noise_of_others
        view = better + liking[pairs[:, 0]] - liking[pairs[:, 1]] + noise * generator.standard_normal(comparisons)
        view = view + (made.length * length + made.family * own if is_biased else 0.0)
        for order in (1, -1):
            # What a judge sees differs a little from call to call, and the place comes on top.
            seen = order * view + 0.4 * generator.standard_normal(comparisons) + (made.place if is_biased else 0.0)
            judgements += [
                _judgement(judge, place, order, pairs[place], chars[place], seen[place], better, made)
                for place in range(comparisons)
            ]
    return judgements


def _judgement(
    judge: str,
    comparison: int,
    order: int,
    pair: np.ndarray,
    chars: np.ndarray,
    seen: float,
    better: np.ndarray,
    made: Made,
) -> Judgement:
    verdict: Verdict = "A" if seen > 0 else "B"
    gold: Verdict = "A" if order * better[comparison] > 0 else "B"
    return Judgement(
        judge=judge,
        question=str(comparison // made.pairs),
        systems=tuple(f"{FAMILIES[system % len(FAMILIES)]}-{system // len(FAMILIES)}" for system in pair[::order]),
        verdict=verdict,
        lengths=tuple(int(count) for count in chars[::order]),
        gold=gold if made.has_labels else None,
        place="made",
    )


def reached(made: Made, trials: int, seed: int = SEED) -> Reached:
    """Simulate one row."""
    drawn = (*_sizes(made).values(), made.noise_of_others)
    generator = np.random.default_rng([seed, made.questions, *(round(1000 * size) for size in drawn)])
    planted = {kind: size for kind, size in _sizes(made).items() if size}
    values: dict[Kind, list[Bias]] = {kind: [] for kind in KINDS}
    seen: dict[Kind, int] = dict.fromkeys(planted, 0)
    false_shares = []
    for _ in range(trials):
        tested = biases(made_log(made, generator), None)
        rates = false_discovery_rates([bias.size.p for bias in tested])
        found_biases = [bias for bias, rate in zip(tested, rates, strict=True) if rate <= BELIEVED]
        for bias in tested:
            if bias.judge == JUDGES[BIASED]:
                values[bias.kind].append(bias)
        right = [bias for bias in found_biases if _is_planted(bias, planted)]
        for bias in right:
            seen[bias.kind] += 1
        false_shares.append(1 - len(right) / len(found_biases) if found_biases else 0.0)
    return Reached(
        made,
        size={kind: float(np.mean([bias.size.value for bias in own])) for kind, own in values.items() if own},
        detectable={
            kind: float(np.mean([bias.size.detectable for bias in own])) for kind, own in values.items() if own
        },
        seen={kind: count / trials for kind, count in seen.items()},
        false_share=float(np.mean(false_shares)),
        logs_with_false=float(np.mean(np.array(false_shares) > 0)),
        trials=trials,
    )


def _sizes(made: Made) -> dict[Kind, float]:
    return {"place": made.place, "length": made.length, "family": made.family}


def _is_planted(bias: Bias, planted: dict[Kind, float]) -> bool:
    return bias.judge == JUDGES[BIASED] and planted.get(bias.kind, 0.0) * bias.size.value > 0


_MANY = Made(questions=80, has_labels=False, systems=20, pairs=10, taste=0.15, spread=0.4)
"""Systems enough to tell a family from a taste."""
ROWS = (
    Made(),
    _MANY,
    replace(_MANY, noise=0.3, noise_of_others=1.5),
    Made(longer_is_better=0.4),
    Made(place=0.4, length=0.8, family=1.4),
    Made(questions=400, place=0.5, length=1.7, family=2.4, longer_is_better=0.4),
    replace(_MANY, place=0.2, family=0.7),
    Made(questions=800, place=0.2, length=0.35, family=0.7),
)


def reached_table(rows: Sequence[Reached]) -> str:
    """The rows as a Markdown table."""
    head = (
        "| questions | systems | labels | length and quality correlate | the others err "
        "| planted, as measured (would be seen in 80 of 100) "
        "| place seen | length seen | family seen | false among findings | logs with a false one |"
    )
    return "\n".join([head, "|---" * 11 + "|", *(_row(row) for row in rows)])


def _row(row: Reached) -> str:
    made = row.made
    sizes = [f"{kind} {row.size[kind]:.2f} ({row.detectable[kind]:.2f})" for kind in row.seen]
    seen = [with_error(row.seen[kind], row.trials) if kind in row.seen else "" for kind in KINDS]
    cells = [
        str(made.questions),
        str(made.systems),
        "yes" if made.has_labels else "no",
        f"{made.longer_is_better:g}",
        "more" if made.noise_of_others > made.noise else "alike",
        ", ".join(sizes) or "nothing",
        *seen,
        with_error(row.false_share, row.trials),
        with_error(row.logs_with_false, row.trials),
    ]
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = OneLineParser(prog="python -m benchmarks.judge_biases", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"logs of each kind (default {TRIALS:,})")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    rows = [reached(made, options.trials) for made in ROWS]
    if options.json:
        print(json.dumps({"commit": commit(), "trials": options.trials, "rows": [asdict(row) for row in rows]}))
    else:
        print(f"{options.trials:,} logs of each kind, commit {commit()}\n\n{reached_table(rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
