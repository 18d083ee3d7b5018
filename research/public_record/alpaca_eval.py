"""AlpacaEval 2 ranked again from its released annotations, with intervals and places (Dubois et al. 2024).

`python -m research public-record alpaca-eval` makes the figures from a clone: the raw win rate of every log, the ranks
that the prompts can tell apart, and the length-controlled rate by our own fit (`length_control`).
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.judge_logs.judgements import Judgement
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.effect_records import DIGITS
from evaluator.public_record.length_control import (
    AnsweredPrompts,
    Coefficients,
    GamedBaselines,
    PrintedFit,
    fitted_rates,
    held_out_rates,
)
from evaluator.public_record.records import BASELINE, PROMPTS, AlpacaRecord, SystemRecord, rounded
from evaluator.statistics.deciding_items import deciding_items
from evaluator.statistics.intervals import FloatArray, ratio_interval
from evaluator.statistics.item_selection import LEAST_SYSTEMS, SIZES, RuleFigures, rule_figures, selection_line
from evaluator.statistics.max_difference import Comparison, draws_for, outcomes, separation
from evaluator.statistics.rank_bands import rank_bands
from evaluator.statistics.sample_size import items_plan
from evaluator.values import MetricValue
from research.public_record.sources import SourceRefused, digest_of
from submissions.version import VERSION

CITATION = "Dubois et al., Length-Controlled AlpacaEval: A Simple Way to Debias Automatic Evaluators, COLM 2024"
LINK = "https://arxiv.org/abs/2404.04475"
SOURCE = "github.com/tatsu-lab/alpaca_eval at commit cd543a149df89434d8a54582c0151c0b945c3d20"
LICENCE = "annotations CC BY-NC 4.0, figures only"
ANNOTATOR = "weighted_alpaca_eval_gpt4_turbo"
LEADERBOARD = Path(f"src/alpaca_eval/leaderboards/data_AlpacaEval_2/{ANNOTATOR}_leaderboard.csv")
WEIGHTS = Path(f"src/alpaca_eval/metrics/weights/{ANNOTATOR}/length_controlled_v1/baseline_{BASELINE}.csv")
GAMED = (f"{BASELINE}_concise", f"{BASELINE}_verbose")
"""The baseline asked to be short and to be long, whose comparisons pull every printed fit towards the baseline's."""
NOT_REAL = frozenset({BASELINE, "NullModel", "gpt4_gamed"})
"""The baseline, which wins half of every prompt, and systems made to win without answering."""
PRINTED_WITHIN = 1e-9
"""How near a win rate, 0-100, must come to its print."""


@dataclass(frozen=True, slots=True)
class SystemLog:
    """What one log of annotations says, row by row in the order of its file."""

    system: str
    prompts: tuple[str, ...]
    """Digests of the instructions, which tell no text."""
    preference: FloatArray
    """That the system's reply is better, 0-1; NaN where none is stated."""
    characters: FloatArray
    """Of the baseline's reply and of the system's, shape (rows, 2)."""

    @property
    def is_complete(self) -> bool:
        """Whether it has a usable preference on every prompt."""
        return len(self.prompts) == PROMPTS and not np.isnan(self.preference).any()

    @property
    def wins(self) -> dict[str, float]:
        """Prompt -> preference, where one is stated."""
        return {
            prompt: float(won) for prompt, won in zip(self.prompts, self.preference, strict=True) if not np.isnan(won)
        }


@dataclass(frozen=True, slots=True)
class Printed:
    """What AlpacaEval prints: rows of its leaderboard, coefficients of its fits, lengths of the gamed baselines."""

    rates: Mapping[str, tuple[float, float]]
    """System -> win rate and length-controlled win rate, 0-100."""
    coefficients: Mapping[str, Coefficients]
    gamed: GamedBaselines


def record_lines(record: AlpacaRecord) -> list[str]:
    """What the figures come to, in words."""
    complete = [own for own in record.systems if own.places]
    fits = [100 * own.length_controlled - own.printed_length_controlled for own in complete if own.length_controlled]
    apart = [100 * own.held_out - own.printed_length_controlled for own in complete if own.held_out]
    return [
        f"raw win rates: {record.logs} logs, {record.complete} complete; largest difference from print "
        f"{record.largest_difference:.1e}",
        f"neighbours that cannot be told apart: {record.equal_neighbours} of {record.complete - 1}",
        f"length-controlled, complete logs: {_differences(fits)}",
        f"the same without what is printed of the system: {_differences(apart)}",
        *(selection_line(figures, "prompts") for figures in record.selection),
    ]


def _differences(points: Sequence[float]) -> str:
    """How far rates lie from their print."""
    sizes = np.abs(np.array(points or [float("nan")]))
    within = int((sizes <= 0.1).sum())
    return f"at most {sizes.max():.3f} points, median {np.median(sizes):.3f}, {within} of {len(points)} within 0.1"


# --- reading a clone -------------------------------------------------------------------------------------------------


def annotation_paths(folder: Path) -> dict[str, Path]:
    """System -> its file of annotations, of a clone.

    Raises:
        SourceRefused: where there is none.
    """
    paths = {path.parents[1].name: path for path in sorted(folder.glob(f"results/*/{ANNOTATOR}/annotations.json"))}
    if not paths:
        expected = "expected a clone of github.com/tatsu-lab/alpaca_eval"
        raise SourceRefused(f"{folder}: no results/*/{ANNOTATOR}/annotations.json; {expected}")
    return paths


def annotations_of(path: Path) -> list[dict[str, Any]]:
    """The annotations of a file, as they stand there.

    Raises:
        SourceRefused: it cannot be read as a list.
    """
    try:
        rows = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise SourceRefused(f"{path}: {error}") from error
    if not isinstance(rows, list):
        raise SourceRefused(f"{path}: holds no list; expected a list of annotations or outputs")
    return rows


def read_system_log(system: str, data: bytes) -> SystemLog:
    """A file of annotations, read as a judge's log.

    Raises:
        SourceRefused: it cannot be read.
    """
    log = read_log(data, "annotations.json").log
    if log is None:
        raise SourceRefused(f"{system}: annotations.json cannot be read; expected the file as AlpacaEval wrote it")
    return SystemLog(
        system,
        tuple(hashlib.sha256(judgement.question.encode()).hexdigest()[:16] for judgement in log.judgements),
        np.array([_preference(judgement) for judgement in log.judgements]),
        np.array([[length or 0 for length in judgement.lengths] for judgement in log.judgements], np.float64),
    )


def _preference(judgement: Judgement) -> float:
    if judgement.probability is not None:
        return judgement.probability
    return {"A": 0.0, "B": 1.0, "C": 0.5}.get(judgement.verdict or "N", float("nan"))


def read_printed(leaderboard: str, weights: str, gamed: GamedBaselines) -> Printed:
    """Two tables of AlpacaEval as CSV texts, and the lengths of the gamed baselines."""
    rates = {
        row[""]: (float(row["win_rate"]), float(row["length_controlled_winrate"]))
        for row in csv.DictReader(leaderboard.splitlines())
        if row["win_rate"] and row["length_controlled_winrate"]
    }
    coefficients = {
        row[""]: Coefficients(
            length=float(row["np.tanh(std_delta_len)"]),
            difficulty=float(row["instruction_difficulty"]),
            system=float(row["not_gamed_baseline.astype(float)"]),
        )
        for row in csv.DictReader(weights.splitlines())
    }
    return Printed(rates, coefficients, gamed)


def alpaca_record_of_clone(folder: Path, computed_on: str) -> AlpacaRecord:
    """The figures of every log of a clone whose system the leaderboard prints.

    Args:
        folder: A clone of AlpacaEval.
        computed_on: The day to state.

    Raises:
        SourceRefused: a file is missing or cannot be read; the message names it.
    """
    paths = annotation_paths(folder)
    outputs = [folder / "results" / name / "model_outputs.json" for name in GAMED]
    tables = [folder / LEADERBOARD, folder / WEIGHTS]
    try:
        leaderboard, weights = (path.read_text(encoding="utf-8") for path in tables)
    except OSError as error:
        raise SourceRefused(f"{error.filename}: {error.strerror}") from error
    logs = [read_system_log(system, path.read_bytes()) for system, path in paths.items()]
    baseline = next((log for log in logs if log.system == BASELINE), None)
    if baseline is None:
        raise SourceRefused(f"{folder}: no annotations of {BASELINE}, which every system is compared with")
    gamed = tuple(
        baseline.characters[:, 0] - np.array([len(str(row["output"])) for row in annotations_of(path)], np.float64)
        for path in outputs
    )
    digest = digest_of([*sorted(paths.values()), *outputs, *tables], folder)
    return alpaca_record(logs, read_printed(leaderboard, weights, GamedBaselines(gamed)), digest, computed_on)


# --- figures ---------------------------------------------------------------------------------------------------------


def alpaca_record(logs: Sequence[SystemLog], printed: Printed, digest: str, computed_on: str) -> AlpacaRecord:
    """The figures of the logs whose system is printed.

    Args:
        logs: In any order.
        printed: What their leaderboard says.
        digest: Over the files (`digest_of`).
        computed_on: The day to state.
    """
    known = sorted((log for log in logs if log.system in printed.rates), key=lambda log: (-_mean(log), log.system))
    complete = [log for log in known if log.is_complete]
    bands = rank_bands({log.system: log.wins for log in complete})
    real = [log for log in complete if log.system not in NOT_REAL]
    fitted = printed.coefficients.keys() - {BASELINE}
    prompts = {log.system: _answered(log) for log in known if log.system in fitted}
    fit = PrintedFit(
        {name: rates[1] for name, rates in printed.rates.items() if name != BASELINE},
        printed.coefficients,
        printed.gamed,
    )
    needed = {log.system: prompts_needed(log, following) for log, following in pairwise(complete)}
    ours, held_out = fitted_rates(prompts, fit), held_out_rates(prompts, fit)
    return AlpacaRecord(
        citation=CITATION,
        link=LINK,
        source=SOURCE,
        licence=LICENCE,
        files_sha256=digest,
        computed_on=computed_on,
        code_version=VERSION,
        logs=len(known),
        complete=len(complete),
        largest_difference=round(max(abs(100 * _mean(log) - printed.rates[log.system][0]) for log in known), 12),
        equal_neighbours=equal_neighbours(complete),
        selection=selection_figures(real),
        first_place=deciding_items({log.system: _wins_by_place(log) for log in real}),
        systems=tuple(
            SystemRecord(
                system=log.system,
                prompts=len(log.wins),
                places=bands.get(log.system),
                win_rate=win_rate(log),
                printed_win_rate=printed.rates[log.system][0],
                length_controlled=_kept(ours.get(log.system)),
                held_out=_kept(held_out.get(log.system)),
                printed_length_controlled=printed.rates[log.system][1],
                prompts_needed=needed.get(log.system),
            )
            for log in known
        ),
    )


def _wins_by_place(log: SystemLog) -> dict[str, float]:
    """Place of a prompt in the released files, from 001, -> preference; all complete logs have the same order."""
    return {f"{place:03}": float(won) for place, won in enumerate(log.preference, 1)}


def _mean(log: SystemLog) -> float:
    return float(np.nanmean(log.preference))


def _kept(rate: float | None) -> float | None:
    return None if rate is None else round(rate, DIGITS)


def win_rate(log: SystemLog) -> MetricValue:
    """The mean preference with its interval over prompts."""
    known = log.preference[~np.isnan(log.preference)]
    low, high = ratio_interval(known, np.ones(len(known))) or (None, None)
    return rounded(
        MetricValue(value=_mean(log), low=low, high=high, n=len(known), unscored=len(log.preference) - len(known))
    )


def _answered(log: SystemLog) -> AnsweredPrompts:
    difference = log.characters[:, 0] - log.characters[:, 1]
    return AnsweredPrompts(log.preference, np.tanh(difference / difference.std(ddof=1)))


def equal_neighbours(logs: Sequence[SystemLog]) -> int:
    """How many systems cannot be told from the next one, by the bar at which the ranks of all of them hold together.

    Args:
        logs: Complete ones, the best first.
    """
    order = sorted(logs[0].prompts)
    wins = [log.wins for log in logs]
    matrix = np.array([[own[prompt] for prompt in order] for own in wins]) / len(order)
    columns = np.arange(len(order))
    bar = separation([Comparison(matrix, None, columns)], len(order), draws_for(len(logs) * (len(logs) - 1) // 2))
    apart = [
        int(outcomes(Comparison(matrix[place : place + 1], matrix[place + 1 : place + 2], columns), bar).wins[0])
        for place in range(len(logs) - 1)
    ]
    return len(apart) - sum(apart)


def prompts_needed(log: SystemLog, following: SystemLog) -> int | None:
    """How many prompts would tell two systems apart with a power of 80%, from how their wins differ by prompt."""
    wins, others = log.wins, following.wins
    return items_plan([wins[prompt] - others[prompt] for prompt in sorted(wins.keys() & others.keys())]).needed


def selection_figures(logs: Sequence[SystemLog]) -> tuple[RuleFigures, ...]:
    """How well 25, 50 and 100 prompts rank these systems; nothing for fewer than eight."""
    if len(logs) < LEAST_SYSTEMS:
        return ()
    order = sorted(logs[0].prompts)
    return tuple(rule_figures(np.array([[log.wins[prompt] for prompt in order] for log in logs]), SIZES))
