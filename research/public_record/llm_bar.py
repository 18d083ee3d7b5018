"""LLMBar's judges against people's labels (Zeng et al. 2024, arXiv 2310.07641), by our own computation.

LLMBar holds 419 pairs of answers whose better one people fixed, and what 65 judges (a language model with a prompt)
said of each in both orders. `python -m research public-record llm-bar` makes the figures from a clone.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.biases import biases
from evaluator.judge_report.effect_records import DIGITS, EffectRecord, effect_records
from evaluator.position_bias.figures import position_bias_report
from evaluator.public_record.records import (
    JudgeRecord,
    LlmBarRecord,
    rounded,
    share_of_pairs,
)
from evaluator.statistics.agreement import cohens_kappa, kappa_of
from evaluator.statistics.deciding_items import deciding_items
from evaluator.statistics.intervals import correlation_interval
from evaluator.statistics.item_selection import LEAST_SYSTEMS, SIZES, RuleFigures, rule_figures
from evaluator.statistics.rank_bands import RankBand, rank_bands
from evaluator.values import MetricValue
from research.public_record.sources import SourceRefused, digest_of
from submissions.verdicts.swap_outcomes import Options, Verdict
from submissions.version import VERSION

CITATION = "Zeng et al., Evaluating Large Language Models at Evaluating Instruction Following, ICLR 2024"
LINK = "https://arxiv.org/abs/2310.07641"
SOURCE = "github.com/princeton-nlp/LLMBar at commit 900616bff90b6c6c8e1681f7d079250637c55992"
LICENCE = "MIT, Copyright (c) 2023 Princeton Natural Language Processing"
ROOT = Path("Dataset", "LLMBar")
"""Of a clone; its other folders hold other data sets."""
NATURAL = "Natural"
"""The subset whose pairs real systems wrote; answers of all others were made to mislead."""

_BY_OUTPUT: Mapping[tuple[bool, Verdict], str] = {
    (False, "A"): "1",
    (False, "B"): "2",
    (True, "A"): "2",
    (True, "B"): "1",
}
"""Whether the order was exchanged, verdict by place -> number of the output that won."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file of verdicts: a judge on one subset."""

    subset: str
    judge: str
    log: JudgementLog
    statistics: Mapping[str, Any]
    """As LLMBar printed them."""

    def pairs(self) -> Iterator[tuple[str, list[Judgement]]]:
        """Name of each pair, with its judgements: one in each order, or a single one of two ratings."""
        for place, own in groupby(self.log.judgements, key=lambda judgement: judgement.place):
            yield f"{self.subset} {place}", list(own)


def result_files(folder: Path) -> list[ResultFile]:
    """Every file of verdicts of a clone of LLMBar, read as a judge's log.

    Raises:
        SourceRefused: a file is missing or cannot be read; the message names it.
    """
    root = folder / ROOT
    paths = sorted(root.rglob("result.json"))
    if not paths:
        raise SourceRefused(f"{root}: no result.json below it; expected a clone of github.com/princeton-nlp/LLMBar")
    return [_result_file(root, path) for path in paths]


def _result_file(root: Path, path: Path) -> ResultFile:
    subset, _, judge = path.parent.relative_to(root).as_posix().partition("/evaluators/")
    log = read_log(path.read_bytes(), path.name).log
    if log is None:
        raise SourceRefused(f"{path}: cannot be read as a log of LLMBar; expected the file as evaluate.py wrote it")
    try:
        statistics = json.loads(path.with_name("statistics.json").read_bytes())
    except (OSError, ValueError) as error:
        raise SourceRefused(f"{path.with_name('statistics.json')}: {error}") from error
    return ResultFile(subset, judge, log, statistics)


# --- as LLMBar counts ------------------------------------------------------------------------------------------------


def printed_statistics(file: ResultFile) -> dict[str, str | float | None]:
    """Return what LLMBar's `evaluate.py` prints of the verdicts that we read.

    It codes verdicts as 1 (output 1 won) and 0 (anything else) and labels as 1 and 2 before it takes their kappa, so
    that a right verdict for output 2 never counts as agreement. A kappa without a value is None.
    """
    rows = [_winners(judgements) for _, judgements in file.pairs()]
    total = len(rows)
    right = [sum(row[order] == row[2] for row in rows) for order in (0, 1)]
    both, equal = sum(row[0] == row[1] == row[2] for row in rows), sum(row[0] == row[1] for row in rows)
    coded = [[1 if row[order] == "1" else 0 for row in rows] for order in (0, 1)]
    labels = [int(row[2] or 0) for row in rows]
    kappas = [cohens_kappa(codes, labels) for codes in coded]
    return {
        "correct_False": _share_text(right[0], total),
        "correct_True": _share_text(right[1], total),
        "correct_average": f"{sum(right) / 2 / total * 100}%",
        "correct_both": _share_text(both, total),
        "equal": _share_text(equal, total),
        "kappa_False": kappas[0],
        "kappa_True": kappas[1],
        "kappa_average": None if None in kappas else math.fsum(filter(None, kappas)) / 2,
        "kappa_agreement": cohens_kappa(*coded),
    }


def differing_statistics(file: ResultFile) -> list[str]:
    """Where the printed statistics of a file differ from our reading, each with both values; none = the same.

    Shares are compared as texts, kappas to 12 decimals.
    """
    ours = printed_statistics(file)
    return [
        f"{file.subset} {file.judge}: {key} is printed as {printed}, read as {ours.get(key)}"
        for key, printed in file.statistics.items()
        if not _is_same(printed, ours.get(key))
    ]


def _is_same(printed: object, ours: object) -> bool:
    if isinstance(printed, float) and isinstance(ours, float):
        return math.isclose(printed, ours, rel_tol=0.0, abs_tol=1e-12)
    return printed == ours or (ours is None and isinstance(printed, float) and math.isnan(printed))


def _share_text(count: int, total: int) -> str:
    return f"{count} / {total} = {count / total * 100}%"


def _winners(judgements: Sequence[Judgement]) -> tuple[str | None, str | None, str | None]:
    """The output that won in each order, and the label, as LLMBar writes them."""
    first, *others = judgements
    label = _BY_OUTPUT[False, first.gold] if first.gold else None
    if not first.order_known:  # rated one by one: evaluate.py gives a tie and a failure one winner for each order
        tied = ("2", "1") if first.verdict == "C" else ("1", "2")
        winner = _BY_OUTPUT.get((False, first.verdict or "N"))
        return (*((winner, winner) if winner else tied), label)
    second = others[0]
    return _BY_OUTPUT.get((False, first.verdict or "N")), _BY_OUTPUT.get((True, second.verdict or "N")), label


# --- our own figures -------------------------------------------------------------------------------------------------


def llm_bar_record(folder: Path, computed_on: str) -> tuple[LlmBarRecord, list[str]]:
    """The figures of every judge from a clone, and where printed statistics differ from our reading.

    Args:
        folder: A clone of LLMBar.
        computed_on: The day to state.

    Raises:
        SourceRefused: a file is missing or cannot be read.
    """
    results = result_files(folder)
    differences = [differing_statistics(file) for file in results]
    by_judge: dict[str, list[ResultFile]] = {}
    for file in results:
        by_judge.setdefault(file.judge, []).append(file)
    right = {judge: _right_shares(own) for judge, own in by_judge.items()}
    bands = rank_bands(right)
    effects = judge_effects(results)
    records = judge_records(by_judge, bands)
    judges = [record.model_copy(update={"effects": effects.get(record.judge, ())}) for record in records]
    kappas = [file.statistics["kappa_average"] for file in results]
    record = LlmBarRecord(
        citation=CITATION,
        link=LINK,
        source=SOURCE,
        licence=LICENCE,
        files_sha256=digest_of(sorted((folder / ROOT).rglob("evaluators/**/*.json")), folder),
        computed_on=computed_on,
        code_version=VERSION,
        results=sum(not difference for difference in differences),
        printed_kappa=round(math.fsum(kappa for kappa in kappas if not math.isnan(kappa)) / len(kappas), DIGITS),
        selection=selection_figures(list(right.values())),
        first_place=deciding_items({judge: _by_number(own) for judge, own in right.items()}),
        judges=tuple(sorted(judges, key=lambda record: (-(record.accuracy.value or 0.0), record.judge))),
    )
    return record, [line for difference in differences for line in difference]


def judge_effects(results: Sequence[ResultFile]) -> dict[str, tuple[EffectRecord, ...]]:
    """What place and length of an answer decide, at a given label, judge by judge; one false discovery rate over all.

    A pair is one question: the judge report's model and intervals (`evaluator.judge_report.biases`).
    """
    named = [
        replace(judgement, judge=file.judge, question=f"{file.subset} {judgement.place}")
        for file in results
        for judgement in file.log.judgements
    ]
    return effect_records(biases(named, None))  # none of a family: answers of LLMBar name no system


def _by_number(shares: Mapping[str, float]) -> dict[str, float]:
    """Pair as "subset number", counted from 0 as the released files do, -> share."""
    return {re.sub(r"\$\[(\d+)\]", r"\1", pair): share for pair, share in shares.items()}


def selection_figures(right: Sequence[Mapping[str, float]]) -> tuple[RuleFigures, ...]:
    """How well 25, 50 and 100 pairs rank judges; nothing for fewer than eight judges, or than 101 pairs of all.

    Args:
        right: Of each judge: pair -> share of its verdicts that are right.
    """
    common = sorted(set.intersection(*(set(own) for own in right))) if right else []
    if len(right) < LEAST_SYSTEMS or len(common) <= max(SIZES):
        return ()
    return tuple(rule_figures(np.array([[own[pair] for pair in common] for own in right]), SIZES))


def judge_records(
    by_judge: Mapping[str, Sequence[ResultFile]], bands: Mapping[str, RankBand], options: Options = 2
) -> list[JudgeRecord]:
    """The figures of judges.

    Args:
        by_judge: Judge -> its verdicts.
        bands: Judge -> its places; one that is not ranked has none.
        options: Verdicts that a judge may give on two answers: 3 = it may call them equally good.
    """
    positions = _positions(by_judge, options)
    return [_judge_record(judge, own, bands.get(judge), positions.get(judge)) for judge, own in by_judge.items()]


def _right_shares(results: Sequence[ResultFile]) -> dict[str, float]:
    """Pair -> share of its two verdicts that are right, as LLMBar counts them; equally good counts half."""
    return {pair: _right_share(judgements) for file in results for pair, judgements in file.pairs()}


def _right_share(judgements: Sequence[Judgement]) -> float:
    first, second, label = _winners(judgements)
    ties = sum(judgement.verdict == "C" for judgement in judgements if judgement.order_known)
    return ((first == label) + (second == label) + ties / 2) / 2


def _judge_record(
    judge: str,
    results: Sequence[ResultFile],
    places: RankBand | None,
    position: Mapping[str, MetricValue] | None,
) -> JudgeRecord:
    right = _right_shares(results)
    rated = MetricValue(value=None, n=0, reason="it rated each answer by itself")
    return JudgeRecord(
        judge=judge,
        pairs=len(right),
        places=places,
        accuracy=share_of_pairs(list(right.values())),
        natural=share_of_pairs([share for pair, share in right.items() if pair.startswith(NATURAL)]),
        adversarial=share_of_pairs([share for pair, share in right.items() if not pair.startswith(NATURAL)]),
        kappa=_kappa(results),
        same_in_both_orders=position["position_consistency"] if position else rated,
        preference_fairness=position["preference_fairness"] if position else rated,
        unusable=share_of_pairs([_unusable_share(own) for file in results for _, own in file.pairs()]),
    )


def _unusable_share(judgements: Sequence[Judgement]) -> float:
    return sum(not judgement.is_usable for judgement in judgements) / len(judgements)


def _kappa(results: Sequence[ResultFile]) -> MetricValue:
    """Kappa of verdict and label by place, with a jackknife that leaves out one pair at a time."""
    places = {"A": 0, "B": 1, "C": 2}
    by_pair = []
    for file in results:
        for _, judgements in file.pairs():
            counts = np.zeros((3, 3), np.int64)
            for judgement in judgements:
                if judgement.verdict in places and judgement.gold in places:
                    counts[places[judgement.verdict], places[judgement.gold]] += 1
            by_pair.append(counts)
    total = np.sum(by_pair, axis=0)
    value, calls = kappa_of(total), int(total.sum())
    if value is None:
        return MetricValue(value=None, n=calls, reason="one verdict throughout")
    left_out = [kappa_of(total - counts) for counts in by_pair if counts.any()]
    known = np.array([np.nan if kappa is None else kappa for kappa in left_out])
    low, high = correlation_interval(value, known) or (None, None)
    return rounded(MetricValue(value=value, low=low, high=high, n=calls))


def _positions(by_judge: Mapping[str, Sequence[ResultFile]], options: Options) -> dict[str, dict[str, MetricValue]]:
    """Judge -> its position figures, of judges that were asked in both orders."""
    import pandas as pd

    rows = [
        (judge, file.subset, "output_2", pair, *(judgement.verdict for judgement in judgements))
        for judge, own in by_judge.items()
        for file in own
        for pair, judgements in file.pairs()
        if len(judgements) == 2
    ]
    names = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]
    report = position_bias_report(pd.DataFrame(rows, columns=names, dtype=str), options=options)
    return {
        judge: {key: _position(figures, key) for key in ("position_consistency", "preference_fairness")}
        for judge, figures in report.items()
    }


def _position(figures: Mapping[str, Any], key: str) -> MetricValue:
    low, high = figures[f"{key}_ci95"] or (None, None)
    return rounded(MetricValue(value=figures[key], low=low, high=high, n=figures["n_valid"]))
