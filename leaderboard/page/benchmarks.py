"""Benchmarks of verdict pairs whose judges are ranked: their options, reference and size are known beforehand."""

from __future__ import annotations

from dataclasses import dataclass

from submissions.verdicts.swap_outcomes import Options


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A fixed list of items: every judge that is ranked on it compared the same answers."""

    name: str
    """As verdict tables call it."""
    title: str
    options: Options
    reference_model: str
    """The first candidate of every pair."""
    n_items: int
    """Pairs of answers a full table compares: models beside the reference x queries."""


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark("mtbench", "MT-bench", 3, "vicuna-13b-v1.3", n_items=30 * 80),
    Benchmark("devbench", "DevBench", 2, "human", n_items=10 * 112),
)
"""Registered benchmarks; verdicts on others are shown, not ranked (arXiv 2406.07791, its two data sets:
30 models on 80 questions, 10 models on 112)."""


@dataclass(frozen=True, slots=True)
class BoardKey:
    """Which Judges board: verdicts with two and with three options are different tasks and never mixed."""

    benchmark: str
    options: Options

    @property
    def id(self) -> str:
        """Its name in links; unambiguous, because the options are its last digit.

        >>> BoardKey("mtbench", 3).id
        'mtbench-3'
        """
        return f"{self.benchmark}-{self.options}"

    @property
    def registered(self) -> Benchmark | None:
        """The benchmark's registration; None where it has none for these options."""
        return next(
            (
                benchmark
                for benchmark in BENCHMARKS
                if (benchmark.name, benchmark.options) == (self.benchmark, self.options)
            ),
            None,
        )

    @property
    def title(self) -> str:
        """What people call it."""
        name = self.registered.title if self.registered else f"{self.benchmark} (not registered)"
        return f"{name}, {'A, B or tie' if self.options == 3 else 'A or B'}"
