"""Clusters of questions, as a log names them: what several questions share, as a topic, a text or a user."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from evaluator.judge_logs.judgements import NAME_CHARACTERS, Collector, Record
from submissions.reading.quoting import printable, quoted


def name_clusters(records: Iterable[tuple[str, Record]], column: str, collector: Collector) -> None:
    """Give each judgement the cluster of its question, and refuse a question that stands in two.

    A question whose rows name no cluster is one of its own.

    Args:
        records: Place and record of every row.
        column: The name of the column or key.
        collector: What a reader found in them.
    """
    named = {place: cluster for place, record in records if (cluster := _name(record.get(column)))}
    clusters: dict[str, tuple[str, str]] = {}
    for judgement in collector.judgements:
        if judgement.place not in named:
            continue
        cluster = named[judgement.place]
        known, first = clusters.setdefault(judgement.question, (cluster, judgement.place))
        if known != cluster:
            collector.refuse(
                "missing_field",
                judgement.place,
                f"{quoted(column)} is {quoted(cluster)}; expected {quoted(known)}, as at {first}: both rows are of "
                f"question {quoted(judgement.question)}",
                "Write one cluster for all rows of a question: the topic it is of.",
            )
    if not clusters:
        return
    collector.unknown.pop(printable(column), None)
    collector.judgements[:] = [
        replace(judgement, cluster=clusters[judgement.question][0]) if judgement.question in clusters else judgement
        for judgement in collector.judgements
    ]
    count = len({cluster for cluster, _ in clusters.values()})
    alone = len({judgement.question for judgement in collector.judgements} - clusters.keys())
    collector.note(
        f"{len(clusters):,} questions stand in {count:,} clusters (column {quoted(column)})"
        + (f", {alone:,} in none" if alone else "")
        + ": intervals are over clusters, but those of positions and repetition, which are over questions."
    )


def _name(value: object) -> str:
    """A cluster's name; blank where there is none."""
    return "" if value is None or isinstance(value, (list, dict)) else str(value).strip()[:NAME_CHARACTERS]
