"""What a readable table of judge verdicts covers, and what its readers should be warned of, judge by judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from submissions.findings import Findings
from submissions.formats.judge_verdicts.submission import VerdictCoverage
from submissions.reading.quoting import quoted
from submissions.verdicts.counts import CONSISTENT, VALID, VerdictCells, verdict_cells, verdict_queries
from submissions.verdicts.items import A, B, VerdictTable, verdict_items

MOST_LOST = 0.1
"""Share of unusable or unpaired items above which a judge is not ranked (docs/submit.md#judge-verdict-tables)."""
FEW_QUERIES = 30
SAME_SLOT_SHARE = 0.2
LOW_CONSISTENCY = 0.35


def verdict_coverage(tables: Mapping[str, VerdictTable], n_rows: int, n_error_calls: int) -> VerdictCoverage:
    """Counts over all benchmarks and judges."""
    items = [verdict_items(table) for table in tables.values()]
    n_items = sum(len(item.paired) for item in items)
    n_pairs = sum(int(item.paired.sum()) for item in items)
    return VerdictCoverage(
        n_rows=n_rows,
        n_items=n_items,
        n_pairs=n_pairs,
        n_unpaired=n_items - n_pairs,
        n_error_calls=n_error_calls,
        judges=tuple(sorted({name for item in items for name in item.judge.names})),
        benchmarks=tuple(tables),
    )


def report_judges(tables: Mapping[str, VerdictTable], findings: Findings) -> None:
    """Warns of judges whose figures will be unsure, or whose verdicts may not mean what they should."""
    for benchmark, table in tables.items():
        items = verdict_items(table)
        cells, queries = verdict_cells(items), verdict_queries(items).with_valid_pair()
        for judge, name in enumerate(items.judge.names):
            own = cells[cells.judge == judge]
            who = f"judge {quoted(name)} on {benchmark}"
            for code, message, hint in _warnings(own, int((queries.judge == judge).sum())):
                findings.add(code, "$", f"{who}: {message}", hint)


def _warnings(cells: VerdictCells, n_queries: int) -> Iterator[tuple[str, str, str]]:
    """Code, message and hint of each warning about one judge."""
    n_pairs, n_unpaired, n_valid = int(cells.pairs.sum()), int(cells.unpaired.sum()), cells.total(VALID)
    n_items, n_lost = n_pairs + n_unpaired, n_pairs - n_valid + n_unpaired
    if n_unpaired:
        yield (
            "unpaired_items",
            f"{n_unpaired:,} of {n_items:,} items do not have both orders in one repetition; they are left out",
            "Ask the judge in both orders.",
        )
    if n_lost > MOST_LOST * n_items:
        yield (
            "many_errors",
            f"{n_lost:,} of {n_items:,} items are unusable or unpaired, more than {MOST_LOST:.0%}: it will not be "
            "ranked",
            "Read the replies without a verdict, and ask again for what is missing.",
        )
    if n_queries < FEW_QUERIES:
        yield (
            "few_queries",
            f"{n_queries} queries have a valid pair, fewer than {FEW_QUERIES}: its figures are unsure",
            "Add queries if you can; more models on the same queries help less.",
        )
    same_slot = cells.pairs.sum(axis=0)[[A, B], [A, B]]
    is_even = bool(n_valid) and bool(np.all(same_slot >= SAME_SLOT_SHARE * n_valid))
    if is_even and cells.total(CONSISTENT) < LOW_CONSISTENCY * n_valid:
        yield (
            "maybe_candidate_language",
            f"{int(same_slot[0]):,} pairs say A twice and {int(same_slot[1]):,} say B twice, of {n_valid:,}; so do "
            "verdicts that name the candidates instead of the places",
            "A must mean the answer shown first in that order: a verdict for the same answer changes its letter when "
            "the answers swap places.",
        )
