"""Rows of the Judges board: every judge of one benchmark, ranked honestly, beside judges that do not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from evaluator.judge_report.effect_records import EffectRecord
from evaluator.position_bias.judge_comparisons import deciding_queries
from evaluator.results import JudgeCard, JudgeReport, JudgesResult, MetricValue, QualityCell, QueryCounts
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.intervals import excludes_zero
from evaluator.statistics.queries import holm_adjusted, sign_flip_p
from leaderboard.boards.position_bias.rank_bands import Queries, consistency_bands
from leaderboard.page.benchmarks import BoardKey
from leaderboard.page.board_row import BoardRow
from leaderboard.page.measured import HERE, SELF_REPORTED
from leaderboard.parts.published import RECOMPUTED
from submissions.store.queue import Ticket
from submissions.verdicts.swap_outcomes import Options

Figures = Mapping[str, float | int | list[float] | None]
"""Keys of docs/position_bias.md -> value."""

Direction = Literal["recency", "primacy"]

FEW_QUERIES = 30
"""Below it a row carries a badge."""
MOST_LOST = 0.02
"""Share of items that may be unusable or unpaired. Whoever marks a tenth of a judge's verdicts N, and chooses those
that flipped, lifts a PC of .80 to .89 (docs/position_bias.md)."""
MOST_TIES = 0.5
LEAST_COVERED = 0.98
"""Share of a registered benchmark's items that a ranked judge has compared."""
MOST_TEMPLATE_CHARACTERS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow(BoardRow):
    """One judge on one board; `judge` is None for verdicts that a team sent."""

    figures: Figures
    repetition: Figures = field(default_factory=dict)
    """Empty where nothing was asked twice."""
    card: JudgeCard = field(default_factory=JudgeCard)
    agreement: MetricValue | None = None
    """AUC on our labelled pairs; None where it was not measured for exactly this judge."""
    by_task: Mapping[str, Mapping[str, float | int | None]] = field(default_factory=dict)
    by_model: Mapping[str, Mapping[str, float | int | None]] = field(default_factory=dict)
    queries: Mapping[str, QueryCounts] = field(default_factory=dict)
    cells: tuple[QualityCell, ...] = ()
    quality_curve: Mapping[str, float | int | None] | None = None
    effects: tuple[EffectRecord, ...] = ()
    """What besides quality decides its verdicts; of published judges."""
    file_sha256: str = ""
    shared_reason: str = ""
    """Why none of the rows that cannot be compared can; blank where they have no reason in common."""

    @property
    def is_measured_here(self) -> bool:
        """Was the judge asked by this site?"""
        return not self.ticket_id

    @property
    def label(self) -> str:
        """What the tables behind charts call the row."""
        return f"{self.name} (published)" if self.published else self.name

    @property
    def tier(self) -> int:
        """Judges that are compared, then those that cannot be read beside them, then baselines."""
        return 2 if self.is_null else 1 if self.unranked else 0

    @property
    def group(self) -> str:
        """The heading that the row stands under; blank = none."""
        why = self.shared_reason or "each row's note says why"
        return ("", f"Not comparable with the others: {why}", "Baselines")[self.tier]

    @property
    def note(self) -> str:
        """What a reader must know about the row, in words."""
        if self.is_null:
            return "baseline: not a judge"
        if self.published:
            notes = [f"{self.published} ({self.team})"]
            notes += [f"not to be read beside the others: {self.unranked}"] if self.unranked else []
        else:
            notes = [f"not ranked: {self.unranked}"] if self.unranked else []
        if self.is_entry and not self.ticket_id:
            notes.append("our own judge, on answers of the Robustness board")
        if 0 < self.count("n_queries") < FEW_QUERIES:
            notes.append(f"few queries: {self.count('n_queries')} of at least {FEW_QUERIES}")
        return "; ".join(notes)

    @property
    def origin(self) -> str:
        """What the note says that the mark beside the name says, too; blank = nothing."""
        return self.note if self.is_null else ""

    def number(self, key: str) -> float | None:
        """A figure over pairs; None where it is undefined or was not computed."""
        return _number(self.figures, key)

    def count(self, key: str) -> int:
        """A count; 0 where there is none."""
        return int(self.number(key) or 0)

    def metric(self, key: str) -> MetricValue:
        """A figure with its interval over queries."""
        low, high = _ends(self.figures.get(f"{key}_ci95"))
        return MetricValue(value=self.number(key), low=low, high=high, n=self.count("n_queries"))

    def repeated(self, key: str) -> float | None:
        """A figure over repetitions; None where nothing was asked twice."""
        return _number(self.repetition, key)

    @property
    def direction(self) -> Direction | None:
        """Which place gains; None where the interval covers 0 or there is none. A baseline is what it is."""
        fairness = self.metric("preference_fairness")
        if not fairness.value or not (self.is_null or excludes_zero(fairness)):
            return None
        return "recency" if fairness.value > 0 else "primacy"

    @property
    def direction_words(self) -> str:
        """The direction with its arrow; blank where there is no figure."""
        if self.number("preference_fairness") is None:
            return ""
        return {"recency": "→ recency", "primacy": "← primacy", None: "no clear position preference"}[self.direction]

    @property
    def stability_words(self) -> str:
        """How many repetitions RS rests on and what it cannot fall below; blank where there is no RS."""
        if self.repeated("repetition_stability") is None:
            return ""
        floor = self.repeated("repetition_stability_floor")
        return f"({self._repetitions}, floor {floor:.2f})" if floor is not None else f"({self._repetitions})"

    @property
    def _repetitions(self) -> str:
        calls = self.repeated("n_calls")
        if calls is None:  # computed from label distributions
            return "expected, t=3"
        items, skipped = self.repeated("n_items") or 0, self.repeated("n_items_skipped") or 0
        return f"t={calls / items:g}" if items and not skipped and calls % items == 0 else "t varies"

    @property
    def decoding(self) -> str:
        """Temperature and precision, as far as they are stated."""
        temperature = None if self.card.temperature is None else f"temperature {self.card.temperature:g}"
        return ", ".join(part for part in (temperature, self.card.precision) if part)

    @property
    def template(self) -> str:
        """The beginning of the prompt template."""
        text = " ".join((self.card.prompt_template or "").split())
        return text if len(text) <= MOST_TEMPLATE_CHARACTERS else f"{text[:MOST_TEMPLATE_CHARACTERS]}…"


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One task or one model under one judge."""

    id: str
    figures: Mapping[str, float | int | None]
    tier: int = 0
    style: str = ""

    def number(self, key: str) -> float | None:
        """A figure over the pairs of the task or model."""
        return _number(self.figures, key)

    def count(self, key: str) -> int:
        """A count; 0 where there is none."""
        return int(self.number(key) or 0)


def group_rows(groups: Mapping[str, Mapping[str, float | int | None]]) -> tuple[GroupRow, ...]:
    """The tasks or the models of one judge, by name."""
    return tuple(GroupRow(name, figures) for name, figures in sorted(groups.items()))


def _number(figures: Figures | Mapping[str, float | int | None], key: str) -> float | None:
    value = figures.get(key)
    return value if isinstance(value, int | float) else None


def _ends(interval: float | int | list[float] | None) -> tuple[float, float] | tuple[None, None]:
    return (interval[0], interval[1]) if isinstance(interval, list) and len(interval) == 2 else (None, None)


# --- judges that do not read -----------------------------------------------------------------------------------------


def baseline_rows(options: Options) -> tuple[JudgeRow, ...]:
    """Judges that never look at the answers: what a figure is worth is seen beside them.

    With three options a coin says the same candidate twice in AB, BA and CC, 3 of 9 ways (docs/position_bias.md).
    """
    rows = [
        _baseline("always the first", consistency=0.0, fairness=-1.0, ties=0.0, decisive=0.0, excess=1.0),
        _baseline("always the second", consistency=0.0, fairness=1.0, ties=0.0, decisive=0.0, excess=1.0),
    ]
    if options == 3:
        rows.append(_baseline("always a tie", consistency=1.0, fairness=0.0, ties=1.0, decisive=None, excess=0.0))
        # Without CC, 2 of the 8 other ways are consistent.
        rows.append(_baseline("coin flip", consistency=1 / 3, fairness=0.0, ties=1 / 3, decisive=1 / 4, excess=0.0))
    else:
        rows.append(_baseline("coin flip", consistency=1 / 2, fairness=0.0, ties=0.0, decisive=1 / 2, excess=0.0))
    return tuple(rows)


def _baseline(
    name: str, *, consistency: float, fairness: float, ties: float, decisive: float | None, excess: float
) -> JudgeRow:
    return JudgeRow(
        id=f"null/{name}",
        name=name,
        figures={
            "position_consistency": consistency,
            "preference_fairness": fairness,
            "tie_rate": ties,
            "decisive_consistency": decisive,
            "error_rate": 0.0,
        },
        repetition={"positional_excess": excess},
        agreement=MetricValue(value=0.5, n=0),  # what does not read ranks no pair above another
        is_null=True,
    )


# --- judges that were asked ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScoredTable:
    """Verdicts on one benchmark with what their evaluation left behind."""

    result: JudgesResult
    received_at: datetime | None
    """None for what was published."""
    ticket_id: str
    """Blank for verdicts our own judges gave on a board, and for published ones: they are nobody's submission."""
    owner: str
    team: str
    """Of published verdicts, what is cited."""
    is_primary: bool = False
    out_of_season: str = ""
    """Why its season keeps its judges from a rank; blank where it does not."""
    deciding: DecidingItems | None = None
    """Of published verdicts, whose queries are not kept: which of them decide who is first, judges by name."""
    effects: Mapping[str, tuple[EffectRecord, ...]] = field(default_factory=dict)
    """Of published verdicts: judge -> what besides quality decides."""

    @classmethod
    def submitted(cls, ticket: Ticket, result: JudgesResult) -> ScoredTable:
        """What a team sent."""
        team, late = ticket.names.team or "", ticket.out_of_season
        return cls(result, ticket.received_at, ticket.id, ticket.owner, team, ticket.is_primary, late)

    @classmethod
    def own(cls, result: JudgesResult, received_at: datetime) -> ScoredTable:
        """What our own judges said on a board; `received_at` is that of the latest answers they compared."""
        return cls(result, received_at, "", "", "this installation")

    @classmethod
    def published(
        cls,
        result: JudgesResult,
        cited: str,
        deciding: DecidingItems | None = None,
        effects: Mapping[str, tuple[EffectRecord, ...]] | None = None,
    ) -> ScoredTable:
        """What others released."""
        return cls(result, None, "", "", cited, deciding=deciding, effects=effects or {})

    @property
    def is_published(self) -> bool:
        """Did others release it?"""
        return self.result.source == "published"

    @property
    def id(self) -> str:
        """What its rows are told apart by."""
        return self.ticket_id or ("published" if self.is_published else "own")

    @property
    def label(self) -> str:
        """What charts call it."""
        if self.received_at is None:
            return f"published, {len(self.result.agreement['with_ties'])} judges"
        return f"{self.team or 'no team'}, {self.received_at:%Y-%m-%d}"

    @property
    def rank_order(self) -> tuple[bool, bool, datetime]:
        """The larger one speaks for a judge that several tables of its team hold."""
        return not self.out_of_season, self.is_primary, self.received_at or datetime.min.replace(tzinfo=UTC)


AMONG = {HERE: "Among judges measured here", SELF_REPORTED: "Among self-reported judges"}
"""Which judges are ranked together."""
AMONG_PUBLISHED = "Among published judges asked about every pair"

JudgeKey = tuple[str, str, str]
"""Owner, team, judge: what one row stands for."""


def judge_rows(tables: Sequence[ScoredTable], key: BoardKey) -> tuple[JudgeRow, ...]:
    """The report every judge of a board is ranked by, then the baselines; in no particular order.

    It is the one of its team's primary table where that holds the judge, else the latest.
    """
    newest: dict[JudgeKey, tuple[ScoredTable, JudgeReport]] = {}
    for table in sorted(tables, key=lambda table: table.rank_order):
        for report in table.result.judges:
            newest[table.owner, table.team, report.judge] = table, report
    rows = {(id_ := row_id(table, report.judge)): _row(id_, table, report, key) for table, report in newest.values()}
    groups: dict[str, dict[str, Queries]] = {}
    for measured in (HERE, SELF_REPORTED):  # never in one band
        groups[measured] = {
            id_: row.queries for id_, row in rows.items() if row.measured == measured and not row.unranked
        }
    bands = consistency_bands(groups[HERE]) | consistency_bands(groups[SELF_REPORTED])
    largest = max(groups, key=lambda measured: len(groups[measured]))
    deciding = deciding_queries(groups[largest])
    among = AMONG[largest] if all(groups.values()) else ""
    if deciding is None:
        deciding, among = _published_deciding(tables), AMONG_PUBLISHED
    leader = deciding.leaders[0] if deciding else ""
    ranked = (
        replace(row, rank=bands.get(id_), deciding=deciding, deciding_among=among)
        if id_ == leader
        else replace(row, rank=bands.get(id_))
        for id_, row in rows.items()
    )
    return (*_with_shared_reason(tuple(ranked)), *baseline_rows(key.options))


def _with_shared_reason(rows: Sequence[JudgeRow]) -> Iterator[JudgeRow]:
    reasons = [row.unranked.split("; ") for row in rows if row.unranked]
    shared = "; ".join(reason for reason in reasons[0] if all(reason in other for other in reasons)) if reasons else ""
    return (replace(row, shared_reason=shared) for row in rows)


def _published_deciding(tables: Sequence[ScoredTable]) -> DecidingItems | None:
    """What decides who is first of published judges, which have no rank, by the ids of their rows."""
    table = next((table for table in tables if table.deciding), None)
    if table is None or table.deciding is None:
        return None
    own = table.deciding
    leaders = tuple(row_id(table, judge) for judge in own.leaders)
    return replace(own, leaders=leaders, successor=row_id(table, own.successor) if own.successor else "")


def row_id(table: ScoredTable, judge: str) -> str:
    """One table names a judge once per board."""
    return f"{table.id}/{judge}"


def _row(id_: str, table: ScoredTable, report: JudgeReport, key: BoardKey) -> JudgeRow:
    return JudgeRow(
        id=id_,
        name=report.judge,
        figures=report.position_bias,
        repetition=report.repetition or {},
        card=report.card,
        judge=report.pin,
        statistics_version=None if table.is_published else table.result.statistics_version,
        by_task=report.by_task,
        by_model=report.by_model,
        queries=report.queries,
        cells=report.cells,
        quality_curve=report.quality_curve,
        team=table.team,
        ticket_id=table.ticket_id,
        effects=table.effects.get(report.judge, ()),
        file_sha256=table.result.file_sha256,
        received_at=table.received_at,
        published=RECOMPUTED if table.is_published else None,
        unranked=table.out_of_season
        or "; ".join(unranked_reasons(report.position_bias, key, table.result.reference_model)),
    )


def unranked_reasons(figures: Figures, key: BoardKey, reference_model: str | None) -> list[str]:
    """Every reason not to rank a judge, in words; none for a ranked one (docs/boards.md#the-boards-of-judges)."""
    pairs, valid, unpaired, invalid = (
        int(_number(figures, name) or 0) for name in ("n_pairs", "n_valid", "n_unpaired", "n_invalid")
    )
    items = pairs + unpaired
    if not pairs:
        return ["only one order was run, so consistency cannot be computed"]
    if not valid:
        return ["no pair has two usable verdicts"]
    reasons: list[str] = []
    if unpaired + invalid > MOST_LOST * items:
        reasons.append(f"{unpaired + invalid} of {items} items are unusable or unpaired (at most {MOST_LOST:.0%})")
    ties = _number(figures, "tie_rate") or 0.0
    if ties > MOST_TIES:
        reasons.append(f"{ties:.0%} ties (at most {MOST_TIES:.0%})")
    return reasons + _registration_reasons(items, key, reference_model)


def _registration_reasons(items: int, key: BoardKey, reference_model: str | None) -> list[str]:
    benchmark = key.registered
    if benchmark is None:
        return ["the benchmark is not registered"]
    reasons: list[str] = []
    if reference_model not in (None, benchmark.reference_model):
        reasons.append(f"compares with {reference_model}, not with {benchmark.reference_model}")
    if items < LEAST_COVERED * benchmark.n_items:
        reasons.append(f"covers {items} of {benchmark.n_items} items (at least {LEAST_COVERED:.0%})")
    return reasons


# --- fairness by task ------------------------------------------------------------------------------------------------

BELIEVED = 0.05
"""Below it, after Holm's adjustment over the whole map, a cell's direction may be believed."""


def fairness_stars(rows: Sequence[JudgeRow], tasks: Sequence[str]) -> set[tuple[str, str]]:
    """(row, task) whose PF differs from 0 by the sign-flip test over queries, adjusted for all cells of the map."""
    cells = [(row, task) for row in rows for task in tasks if task in row.by_task]
    adjusted = holm_adjusted([_fairness_p(row, task) for row, task in cells])
    return {(row.id, task) for (row, task), p in zip(cells, adjusted, strict=True) if p is not None and p < BELIEVED}


def _fairness_p(row: JudgeRow, task: str) -> float | None:
    """Of the sign-flip test; where counts by query are not kept, the one that was kept instead."""
    if "preference_fairness_p" in row.by_task[task]:
        return row.by_task[task]["preference_fairness_p"]
    return sign_flip_p(_directions(row, task))


def _directions(row: JudgeRow, task: str) -> list[int]:
    """Recency minus primacy flips of each query of a task."""
    own = (counts for query, counts in row.queries.items() if query.startswith(f"{task} / "))
    return [counts.recency - counts.primacy for counts in own if counts.valid]
