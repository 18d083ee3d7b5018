"""`python -m benchmarks.guards_of_2026`: what the guards of 2026 make of right answers, and of those that say nothing.

The shipped example `tide`, whose answers are all right, and SmolLM2's on the demonstration questions, then every
baseline: the headline without guards and with them, and how many answers each guard flags. No network.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.provenance import commit
from evaluator.evaluate import evaluate_payload
from evaluator.judge_loading.loading import load_scorer, with_embedding
from evaluator.judges.kind import AUTO
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.robustness.edition_results import CulturalResult
from evaluator.seeding.null_rows import null_cultural
from evaluator.seeding.own_entries import FILE_NAME, example_of_2026
from evaluator.values import MetricValue, metric_text
from submissions.commands.command_line import OneLineParser
from submissions.promptsets import DEMONSTRATION_2026, PromptSets
from submissions.recorded import recorded_submissions
from submissions.schema import GATING_FLAGS, Names

RECORDED = "smollm2_2026.zip"
JUDGE = "pair"
"""The judge between languages that takes its place has the same gate."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """One run on the demonstration questions of 2026."""

    system: str
    answers: int
    raw: MetricValue
    gated: MetricValue
    flags: dict[str, int]
    """Gating flag -> answers that carry it."""


def runs(prompt_sets: PromptSets) -> Iterator[tuple[str, bytes]]:
    """Every file, by the name of its system."""
    yield "tide", example_of_2026()
    yield "SmolLM2-135M", dict(recorded_submissions())[RECORDED]
    yield from ((null.id, null.data) for null in null_cultural(prompt_sets.demonstration_2026))


def guarded(judge_name: str = JUDGE) -> Iterator[Guarded]:
    """Every row of the table."""
    prompt_sets = PromptSets.load(None)
    scorer = with_embedding(load_scorer(judge_name), AUTO).of_set(DEMONSTRATION_2026)
    for system, data in runs(prompt_sets):
        result = evaluate_payload(
            data,
            FILE_NAME,
            edition="2026",
            names=Names(),
            prompt_sets=prompt_sets,
            judge=RecordedJudge(scorer.judge, MemoryVerdicts()),
            embedder=scorer.embedder,
        )
        assert isinstance(result, CulturalResult)
        flags = {str(flag): count for flag, count in result.flags.items() if flag in GATING_FLAGS and count}
        figures = result.figures
        yield Guarded(system, result.coverage["answered"] or 0, figures["culture"], figures["culture_gated"], flags)


def guards_table(rows: Sequence[Guarded]) -> str:
    """The rows as a Markdown table."""
    lines = [
        f"| {row.system} | {row.answers} | {metric_text(row.raw)} | {metric_text(row.gated)} "
        f"| {', '.join(f'{flag} {count}' for flag, count in row.flags.items()) or 'none'} |"
        for row in rows
    ]
    return "\n".join(["| system | answers | without guards | with them | flagged |", "|---" * 5 + "|", *lines])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = OneLineParser(prog="python -m benchmarks.guards_of_2026", description=__doc__)
    parser.add_argument("--judge", default=JUDGE, help=f"whose answer gate and embedding model (default {JUDGE})")
    options = parser.parse_args(arguments)
    print(f"commit {commit()}\n\n{guards_table(list(guarded(options.judge)))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
