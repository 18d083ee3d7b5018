"""Judges' results made by the real figures from verdicts given by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from evaluator.position_bias import agreement_report, position_bias_report, repetition_report
from evaluator.results import JudgeCard, JudgeReport, JudgesResult, QueryCounts
from leaderboard.boards.position_bias.rows import ScoredTable
from submissions.schema import Names
from submissions.store.queue import JobStatus, Role, Ticket
from submissions.store.store import Store
from submissions.verdicts.swap_outcomes import Options, SwapOutcome, classify

COLUMNS = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]

Verdicts = Sequence[Sequence[str]]
"""Lines of `COLUMNS`."""


def verdicts(judges: Mapping[str, str], *, queries: int = 40, models: int = 1) -> list[list[str]]:
    """A table in which each judge repeats its pairs of letters: "AB BA AA" over queries and models in turn."""
    lines: list[list[str]] = []
    for judge, written in judges.items():
        pairs = written.split()
        for number in range(queries * models):
            query, model = divmod(number, models)
            original, swapped = (letter.strip("-") for letter in pairs[number % len(pairs)])
            lines.append([judge, "writing" if query % 2 else "maths", f"model {model}", str(query), original, swapped])
    return lines


def judges_result(
    lines: Verdicts,
    *,
    benchmark: str = "mtbench",
    options: Options = 3,
    reference_model: str | None = None,
    cards: Mapping[str, JudgeCard] | None = None,
    repetitions: pd.DataFrame | None = None,
    lengths: pd.DataFrame | None = None,
) -> JudgesResult:
    """The result of one verdict table, as an evaluation of it would leave behind."""
    table = pd.DataFrame(lines, columns=COLUMNS)
    report: Mapping[str, Any] = position_bias_report(
        table, options=options, by=["task", "model"], lengths=lengths, reference_model=reference_model
    )
    stability: Mapping[str, Any] = {} if repetitions is None else repetition_report(repetitions, options=options)
    found: Mapping[str, Any] = agreement_report(table, options=options)
    return JudgesResult(
        benchmark=benchmark,
        options=options,
        reference_model=reference_model,
        source="submitted",
        file_sha256="ab" * 32,
        code_version="0.1.0",
        judges=tuple(
            JudgeReport(
                judge=judge,
                card=(cards or {}).get(judge, JudgeCard()),
                position_bias={key: value for key, value in figures.items() if not key.startswith("by_")},
                by_task=figures["by_task"],
                by_model=figures["by_model"],
                repetition=stability.get(judge),
                queries=_queries([line for line in lines if line[0] == judge], options),
            )
            for judge, figures in report.items()
        ),
        agreement={way: found[way] for way in ("with_ties", "without_ties", "kappa", "consistent_outcomes")},
        disagreement_histogram=found["disagreement_histogram"],
    )


def _queries(lines: Verdicts, options: Options) -> dict[str, QueryCounts]:
    outcomes: dict[str, Counter[SwapOutcome]] = defaultdict(Counter)
    for _, task, _, query, original, swapped in lines:
        if original and swapped:
            outcomes[f"{task} / {query}"][classify(original, swapped, options)] += 1
    return {query: _counts(counted) for query, counted in sorted(outcomes.items())}


def _counts(counted: Counter[SwapOutcome]) -> QueryCounts:
    valid = counted.total() - counted[SwapOutcome.ERROR]
    primacy, recency = counted[SwapOutcome.PRIMACY_FLIP], counted[SwapOutcome.RECENCY_FLIP]
    return QueryCounts(consistent=valid - primacy - recency, valid=valid, primacy=primacy, recency=recency)


def judge_ticket(id_: str, *, team: str = "Team", owner: str = "local", day: int = 1) -> Ticket:
    """A scored verdict table, received on a day of November 2026."""
    moment = datetime(2026, 11, day, tzinfo=UTC)
    return Ticket(
        id=id_,
        owner=owner,
        role="entry",
        edition="judges",
        set_id="judges",
        names=Names(team=team),
        file_name=f"{id_}.csv",
        file_sha256="ab" * 32,
        received_at=moment,
        status=JobStatus.SCORED,
        status_at=moment,
        reason=None,
        position=None,
        judged=0,
        to_judge=None,
        attempts=1,
        log=(),
    )


def scored_table(result: JudgesResult, id_: str = "one", **ticket: object) -> ScoredTable:
    """A result with the ticket it came by."""
    return ScoredTable.submitted(judge_ticket(id_, **ticket), result)  # type: ignore[arg-type]


def put_into(store: Store, results: Iterable[JudgesResult], *, team: str = "Team", role: Role = "entry") -> list[str]:
    """Stores scored verdict tables as a worker would; returns their tickets."""
    tickets: list[str] = []
    for number, result in enumerate(results):
        ticket_id = f"{team.encode().hex()[:8]}{number}"
        store.add(
            ticket_id=ticket_id,
            owner="local",
            role=role,
            edition="judges",
            set_id="judges",
            names=Names(team=team),
            file_name="verdicts.csv",
            data=result.model_dump_json().encode(),
            received_at=datetime(2026, 11, 1, tzinfo=UTC).timestamp() + number,
        )
        store.restore_result(ticket_id, result.model_dump_json(), datetime(2026, 11, 1, tzinfo=UTC).timestamp())
        tickets.append(ticket_id)
    return tickets
