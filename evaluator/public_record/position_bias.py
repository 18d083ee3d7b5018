"""What judges did whose verdicts were released with arXiv 2406.07791, by our own computation: figures, no verdict.

The tables are other people's and stay where they are; `python -m evaluator published-judges` makes the figures of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluator.judge_logs.judgements import Judgement
from evaluator.judge_report.biases import biases
from evaluator.judge_report.effect_records import DIGITS, EffectRecord, effect_records
from evaluator.position_bias.evaluate import evaluate_judges
from evaluator.position_bias.figures import fairness_map, position_bias_report
from evaluator.position_bias.judge_comparisons import deciding_queries
from evaluator.results import JudgeCard, JudgeReport, JudgesResult
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.verdict_tables import AnswerLengths, TableRefused, read_lengths, read_verdicts
from evaluator.values import Frozen
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.schema import Names
from submissions.verdicts.items import VERDICT_CODES, VerdictColumn, VerdictItems, VerdictTable, verdict_items
from submissions.verdicts.swap_outcomes import Options, Verdict
from submissions.version import VERSION

CITATION = "Shi et al., Judging the Judges: A Systematic Study of Position Bias in LLM-as-a-Judge, arXiv 2406.07791"
SOURCE = "github.com/Slimshilin/Position-Bias-Analyzer at commit 9f8b7e8: raw answers of the judges"
LICENCE = "MIT, Copyright (c) 2024 Slimshilin"

LEFT_OUT_OF_GROUPS = frozenset(
    {
        "position_consistency_all_pairs",
        "preference_direction",
        "slot_imbalance",
        "consistent_win_rate",
        "quality_gap",
        "invalid_pair_rate",
        "decisive_consistency",
    }
)
"""Figures of a task or a model that follow from its counts or that no page shows."""


@dataclass(frozen=True, slots=True)
class PublishedBenchmark:
    """Verdicts on one benchmark: `NAME_pairs.csv`, `NAME_repetitions.csv` and `NAME_lengths.csv`."""

    name: str
    options: Options
    reference_model: str

    @property
    def tables(self) -> tuple[str, str, str]:
        """Names of the files: every comparison once; some of them three times; characters of the answers."""
        return f"{self.name}_pairs.csv", f"{self.name}_repetitions.csv", f"{self.name}_lengths.csv"


PUBLISHED_BENCHMARKS = (
    PublishedBenchmark("mtbench", 3, "vicuna-13b-v1.3"),
    PublishedBenchmark("devbench", 2, "human"),
)


class PublishedJudges(Frozen):
    """The figures that are kept, with where they come from."""

    citation: str
    source: str
    licence: str
    tables: dict[str, str]
    """Name of a table -> its SHA-256."""
    computed_on: str
    """Day, as YYYY-MM-DD."""
    code_version: str
    results: tuple[JudgesResult, ...]
    """Of every benchmark: judges that were asked only what was repeated, then those that compared everything.
    Without counts by query, and cells only where each holds eight pairs or more: nothing in it tells a verdict.
    `by_task` has the `preference_fairness_p` of each task."""
    first_places: dict[str, DecidingItems]
    """Benchmark -> the queries that decide which judge with every pair has the highest PC; judges by name."""
    effects: dict[str, dict[str, tuple[EffectRecord, ...]]]
    """Benchmark -> judge -> what place, length and family of an answer decide: of judges with every pair, and of the
    others on what was repeated; one false discovery rate for each benchmark (docs/judge_report.md#biases)."""


@cache
def kept_judges() -> PublishedJudges:
    """The figures kept beside this module."""
    text = files("evaluator.public_record").joinpath("published_position_bias.json").read_text(encoding="utf-8")
    return PublishedJudges.model_validate_json(text)


def published_judges(folder: Path, computed_on: str) -> PublishedJudges:
    """The figures of every judge, from the tables in a folder.

    Args:
        folder: Holds the tables of `PUBLISHED_BENCHMARKS`.
        computed_on: The day to state.

    Raises:
        OSError: a table cannot be opened.
        TableRefused: a table cannot be read as it stands; the message names it.
    """
    results: list[JudgesResult] = []
    first_places: dict[str, DecidingItems] = {}
    for benchmark in PUBLISHED_BENCHMARKS:
        of_benchmark, first_place = _results(folder, benchmark)
        results += of_benchmark
        if first_place is not None:
            first_places[benchmark.name] = first_place
    return PublishedJudges(
        citation=CITATION,
        source=SOURCE,
        licence=LICENCE,
        tables={name: _sha256(folder / name) for benchmark in PUBLISHED_BENCHMARKS for name in benchmark.tables},
        computed_on=computed_on,
        code_version=VERSION,
        results=tuple(results),
        first_places=first_places,
        effects={benchmark.name: _effects(folder, benchmark) for benchmark in PUBLISHED_BENCHMARKS},
    )


def _results(
    folder: Path, benchmark: PublishedBenchmark
) -> tuple[tuple[JudgesResult, JudgesResult], DecidingItems | None]:
    """Judges that were only asked what was repeated, then those with every pair; all with their repetitions.

    With them, what decides who is first of those with every pair.
    """
    pairs, repetitions, lengths = (folder / name for name in benchmark.tables)
    whole, first_place = _table_result(pairs, lengths, benchmark)
    repeated, _ = _table_result(repetitions, lengths, benchmark)
    stability = {report.judge: report.repetition for report in repeated.judges}
    compared = {report.judge for report in whole.judges}
    # Three questions of each task were repeated: the cells of a model and a task would be single verdicts.
    without_cells = {"cells": (), "quality_curve": None}
    only_repeated = (judge.model_copy(update=without_cells) for judge in repeated.judges if judge.judge not in compared)
    with_stability = (judge.model_copy(update={"repetition": stability.get(judge.judge)}) for judge in whole.judges)
    results = (
        repeated.model_copy(update={"judges": tuple(only_repeated)}),
        whole.model_copy(update={"judges": tuple(with_stability)}),
    )
    return results, first_place


def _effects(folder: Path, benchmark: PublishedBenchmark) -> dict[str, tuple[EffectRecord, ...]]:
    """Of every judge, on every pair where it judged them."""
    pairs, repetitions, lengths = (folder / name for name in benchmark.tables)
    characters = read_lengths(lengths)
    whole, repeated = (
        judgements_of(
            verdict_items(read_verdicts(path, options=benchmark.options)), characters, benchmark.reference_model
        )
        for path in (pairs, repetitions)
    )
    compared = {judgement.judge for judgement in whole}
    return effect_records(biases([*whole, *(one for one in repeated if one.judge not in compared)], None))


_VERDICTS: Mapping[int, Verdict] = {VERDICT_CODES[verdict]: verdict for verdict in ("A", "B", "C", "N")}


def judgements_of(items: VerdictItems, lengths: AnswerLengths, reference_model: str) -> list[Judgement]:
    """The calls behind the verdicts that count, as a judge's log has them: one for each order that was run.

    Args:
        items: The verdicts of each pair in both orders.
        lengths: Characters of the answers.
        reference_model: What every model is compared with; it is shown first in the original order.
    """
    judges, tasks, models, queries = map(_cells, (items.judge, items.task, items.model, items.query))
    orders = [items.original.tolist(), items.swapped.tolist()]
    return [
        Judgement(
            judge=judges[row],
            question=f"{tasks[row]} {queries[row]}",
            systems=systems,
            verdict=_VERDICTS[codes[row]],
            lengths=tuple(lengths.of(tasks[row], queries[row], system) for system in systems),
            place=f"item {row + 1}",
        )
        for row in range(len(judges))
        for systems, codes in zip(((reference_model, models[row]), (models[row], reference_model)), orders, strict=True)
        if codes[row] in _VERDICTS
    ]


def _cells(column: VerdictColumn) -> list[str]:
    return [column.names[code] for code in column.codes.tolist()]


def _table_result(
    path: Path, lengths: Path, benchmark: PublishedBenchmark
) -> tuple[JudgesResult, DecidingItems | None]:
    """What the board computes from one table, and what decides who is first in it."""
    try:
        table = read_verdicts(path, options=benchmark.options)
        longer = position_bias_report(
            table, options=benchmark.options, lengths=lengths, reference_model=benchmark.reference_model
        )
    except TableRefused as error:
        raise TableRefused(f"{path.name}: {error}") from error
    result = evaluate_judges(
        VerdictSubmission(
            set_id=f"judges:{benchmark.name}",
            names=Names(),
            options=benchmark.options,
            reference_model=benchmark.reference_model,
            verdict_format="brackets",
            cards={},
            file_sha256=_sha256(path),
            tables={benchmark.name: table},
        )
    )
    assert isinstance(result, JudgesResult)  # one benchmark, one result
    by_judge: Mapping[str, Mapping[str, Any]] = longer
    tested = _tested_tasks(table, benchmark.options)
    reports = tuple(_kept(report, by_judge[report.judge], tested[report.judge]) for report in result.judges)
    kept = result.model_copy(update={"source": "published", "judges": reports})
    first_place = deciding_queries({report.judge: report.queries for report in result.judges})
    return JudgesResult.model_validate(_rounded(kept.model_dump(mode="json"))), first_place


def _kept(report: JudgeReport, longer: Mapping[str, Any], tested: Mapping[str, float]) -> JudgeReport:
    """A report with the win rate of longer answers and a test for each task, without its counts by query."""
    lengths = {key: longer[key] for key in ("longer_answer_win_rate", "longer_answer_n")}
    by_task = _without_left_out(report.by_task)
    return report.model_copy(
        update={
            "position_bias": report.position_bias | lengths,
            "by_task": {task: own | {"preference_fairness_p": tested.get(task)} for task, own in by_task.items()},
            "by_model": _without_left_out(report.by_model),
            "queries": {},
            "card": JudgeCard(model_id=report.judge),
        }
    )


Groups = Mapping[str, Mapping[str, float | int | None]]


def _without_left_out(groups: Groups) -> dict[str, dict[str, float | int | None]]:
    return {
        name: {key: value for key, value in figures.items() if key not in LEFT_OUT_OF_GROUPS}
        for name, figures in groups.items()
    }


def _tested_tasks(table: VerdictTable, options: Options) -> dict[str, dict[str, float]]:
    """Judge -> task -> p of the sign-flip test of "no preference for a place"."""
    fairness = fairness_map(table, options=options)
    return {
        judge: {task: cell["preference_fairness_p"] for task, cell in cells.items()}
        for judge, cells in fairness.items()
    }


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, DIGITS)
        case dict():
            return {key: _rounded(member) for key, member in value.items()}
        case list():
            return [_rounded(member) for member in value]
        case _:
            return value


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- two computations compared ---------------------------------------------------------------------------------------

INTERVAL_TOLERANCE, P_TOLERANCE, VALUE_TOLERANCE = 0.02, 0.01, 2 * 10.0**-DIGITS
"""Ends of intervals and p-values rest on draws, which another version of numpy may make otherwise."""
_NOT_FIGURES = frozenset({"computed_on", "code_version"})


def changed_figures(kept: Frozen, made: Frozen) -> list[str]:
    """Where two computations differ by more than their tolerance, each place with both values; none = the same.

    >>> changed_figures(kept_judges(), kept_judges())
    []
    """
    return _changes(kept.model_dump(mode="json"), made.model_dump(mode="json"), ())


def _changes(kept: Any, made: Any, path: tuple[str, ...]) -> list[str]:
    if isinstance(kept, dict) and isinstance(made, dict) and kept.keys() == made.keys():
        return [
            change for key in kept if key not in _NOT_FIGURES for change in _changes(kept[key], made[key], (*path, key))
        ]
    if isinstance(kept, list) and isinstance(made, list) and len(kept) == len(made):
        return [
            change
            for place, (kept_member, made_member) in enumerate(zip(kept, made, strict=True))
            for change in _changes(kept_member, made_member, (*path, str(place)))
        ]
    is_figure = isinstance(kept, float) and isinstance(made, int | float)
    if kept == made or (is_figure and abs(kept - made) <= _tolerance(path)):
        return []
    return [f"{' > '.join(path)}: kept {kept!r}, from the tables {made!r}"]


def _tolerance(path: Collection[str]) -> float:
    *_, parent, key = ("", "", *path)
    if parent.endswith("_ci95") or key in ("low", "high"):
        return INTERVAL_TOLERANCE
    return P_TOLERANCE if key.endswith("_p") else VALUE_TOLERANCE
