"""AlpacaEval ranked again: its systems with the places that 805 prompts can tell apart, declared as a board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from evaluator.public_record.length_control import AnsweredPrompts, Estimated, length_controlled_rate
from evaluator.public_record.records import BASELINE, NULL_MODEL, PROMPTS, SystemRecord, kept_alpaca_eval, kept_gate
from evaluator.statistics.intervals import mean_metric
from evaluator.statistics.rank_bands import RankBand, rank_bands
from evaluator.statistics.sample_size import items_plan
from leaderboard.boards.public_record.sentences import FewUnits, percent
from leaderboard.page.board_row import BoardRow
from leaderboard.page.row_columns import name_column, name_mark
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.columns import SHARE_SCALE, Column
from leaderboard.parts.filters import Filter
from leaderboard.parts.methods import BY_UNIT, BoardAbout, Example, Method, rank_formula
from leaderboard.parts.published import RECOMPUTED
from submissions.schema import Count

AMONG_REAL = "Among real systems"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReRankedRow(BoardRow):
    """One system of AlpacaEval."""

    record: SystemRecord


@cache
def system_rows() -> tuple[ReRankedRow, ...]:
    """The kept figures as rows, the highest win rate first."""
    deciding = kept_alpaca_eval().first_place
    leader = deciding.leaders[0] if deciding else ""
    return tuple(
        ReRankedRow(
            id=own.system,
            name=own.system,
            published=RECOMPUTED,
            record=own,
            deciding=deciding if own.system == leader else None,
            deciding_among=AMONG_REAL,
        )
        for own in kept_alpaca_eval().systems
    )


def few_prompts() -> FewUnits:
    """How few prompts rank systems as all do."""
    return FewUnits(kept_alpaca_eval().selection, "prompts", PROMPTS, "systems")


def opening_sentence() -> str:
    """Return how many neighbours cannot be told apart, and which text leads."""
    kept = kept_alpaca_eval()
    first = kept.systems[0]
    sentence = (
        f"{PROMPTS} prompts cannot tell {kept.equal_neighbours} of {kept.complete - 1} neighbouring AlpacaEval systems "
        "apart"
    )
    if first.system != NULL_MODEL:
        return f"{sentence}."
    return (
        f"{sentence}; first stands NullModel, one text for every prompt, with a win rate of {percent(first.win_rate)}."
    )


def gate_line() -> str:
    """What the answer gate of our boards lets through of it and of real systems, and what the guard beside it marks."""
    gate = kept_gate()
    one_text, own_texts, fitted = gate.repeated_null_model, gate.repeated_real, gate.cross_fitted
    return (
        f"The relevance check of our boards lets {percent(gate.null_model)} of NullModel's {gate.null_model.n} replies "
        f"through, and {percent(gate.real)} of {gate.real.n} replies drawn from {gate.systems} real systems. Beside it "
        f"stands a guard that marks one text for several prompts: {one_text.marked:,} of {one_text.replies:,} replies "
        f"of NullModel, {own_texts.marked:,} of {own_texts.replies:,} of the real systems. With a lower threshold, "
        f"set for each half of the prompts on the other half, {percent(fitted.real)} of the real replies pass, "
        f"{percent(fitted.other)} of them beside another prompt, and {percent(fitted.null_model)} of NullModel's "
        "before the guard."
    )


def _mark(row: ReRankedRow) -> str:
    """What a row is, beside its name: of the text that answers nothing, that."""
    return "(published, one text for every prompt)" if row.id == NULL_MODEL else name_mark(row)


COLUMNS: tuple[Column[ReRankedRow], ...] = (
    Column(
        "places",
        "Places",
        "text",  # no rank of the board: published rows have none
        lambda row: row.record.places,
        "Places this system may hold by its win rate among complete logs, all places together with 95%.",
        "lower",
        "rank_band",
        missing="log not complete",
    ),
    name_column("system", "System", "As AlpacaEval names it.", _mark),
    Column(
        "win_rate",
        "Win rate",
        "percent",
        lambda row: row.record.win_rate,
        f"Headline: mean preference over {BASELINE} of AlpacaEval's annotator, with 95% interval over prompts.",
        "higher",
        hint=lambda row: f"n = {row.record.prompts}",
        scale=SHARE_SCALE,
    ),
    Column(
        "length_controlled",
        "Length-controlled",
        "percent",
        lambda row: row.record.length_controlled,
        "The rate with replies of equal length, by our fit of the printed method.",
        "higher",
        missing="none",
    ),
    Column(
        "held_out",
        "Held out",
        "percent",
        lambda row: row.record.held_out,
        "The same where nothing that is printed about this system was used.",
        "higher",
        missing="none",
    ),
    Column(
        "printed",
        "Printed, length-controlled",
        "percent",
        lambda row: row.record.printed_length_controlled / 100,
        "As AlpacaEval prints it.",
        "higher",
    ),
    Column(
        "prompts_needed",
        "Prompts needed",
        "whole",
        lambda row: row.record.prompts_needed,
        "Prompts that would tell it from the next complete system with a power of 80%, from how their wins differ.",
        "lower",
        missing="none",
    ),
    Column("prompts", "Prompts", "whole", lambda row: row.record.prompts, "Prompts with a usable preference."),
)


def _example_place() -> RankBand:
    prompts = [str(number) for number in range(12)]
    return rank_bands({"wins": dict.fromkeys(prompts, 1.0), "loses": dict.fromkeys(prompts, 0.0)})["wins"]


_FIT = (
    "mean over prompts of sigmoid(system + coefficient x difficulty), from a logistic regression of the preference on "
    "system, tanh of the standardised difference of lengths, and difficulty of the prompt"
)


def _even_rate() -> float:
    even = AnsweredPrompts(np.full(20, 0.5), np.linspace(-0.5, 0.5, 20))
    return length_controlled_rate(even, Estimated(np.zeros(20), np.zeros(2)), ())


_HALF = Example("Twenty preferences of 0.5, however long the replies are. The rate is", _even_rate, "50.0%")
_NO_FIT = "the baseline, which wins half by construction"

METHODS = {
    "places": Method(
        "a place, or the places a system may hold",
        rank_formula("systems"),
        "the preference on each prompt",
        Example("One system wins 12 prompts that another loses. Its place is", _example_place, "1"),
        "the log lacks a usable preference on some prompt",
    ),
    "win_rate": Method(
        "share, shown in percent; 50% equals the baseline",
        "mean of the annotator's preference for the system, 0-1",
        f"n = prompts; 95% interval over prompts: {BY_UNIT}",
        Example(
            "Preferences 1, 0.5 and 0: 1.5 / 3 =",
            lambda: mean_metric({"a": [1.0], "b": [0.5], "c": [0.0]}).value,
            "50.0%",
        ),
        "it has no usable preference",
    ),
    "length_controlled": Method(
        "share, shown in percent",
        f"{_FIT}; difficulties and the comparisons of the baseline with itself are estimated from logs and prints",
        "the prompts of its log; it has no interval",
        _HALF,
        _NO_FIT,
    ),
    "held_out": Method(
        "share, shown in percent",
        f"{_FIT}; both inputs estimated without this system's print, in eight parts",
        "the prompts of its log; it has no interval",
        _HALF,
        _NO_FIT,
    ),
    "printed": Method(
        "share, shown in percent",
        "as AlpacaEval prints it",
        "nothing of ours is in it",
        Example("50.0 is printed: 50.0 / 100 =", lambda: 50.0 / 100, "50.0%"),
        "nowhere: a system without a print is left out",
    ),
    "prompts_needed": Method(
        "whole number",
        "the fewest prompts with which a paired t-test at 5% sees the difference that was seen, by the noncentral t",
        "the scatter of the differences by prompt",
        Example(
            "Differences 1, 0, 1, 1, 0, 1, ten times over (mean 2/3, scatter 0.475):",
            lambda: Count(None, items_plan([1.0, 0.0, 1.0, 1.0, 0.0, 1.0] * 10).needed or 0),
            "7",
        ),
        "the last system, and logs that are not complete",
    ),
    "prompts": Method("whole number", "prompts with a usable preference", neither="it says what the rate rests on"),
}

ALPACA_EVAL: BoardKind[ReRankedRow] = BoardKind(
    "alpaca_eval",
    "AlpacaEval, ranked again",
    COLUMNS,
    "win_rate",
    filters=(
        Filter(
            "log",
            "Log",
            "one_of",
            lambda row: "complete" if row.record.places else "not complete",
            reaches_published=True,
        ),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            ("places", "system", "win_rate", "length_controlled", "printed", "prompts_needed"),
        ),
    ),
    paper=Paper(
        "dubois2024length",
        "Dubois, Yann and Galambosi, Bal{\\'a}zs and Liang, Percy and Hashimoto, Tatsunori B.",
        "Length-Controlled AlpacaEval: A Simple Way to Debias Automatic Evaluators",
        2024,
        "COLM 2024, arXiv 2404.04475",
    ),
    about=BoardAbout(
        ranks="Published systems by AlpacaEval 2's own annotations: which of them its prompts can tell apart.",
        steps=(
            "AlpacaEval released what its annotator preferred on each of 805 prompts: the system or GPT-4 Turbo.",
            "Our reader reads every log; every raw win rate is the printed one.",
            "The same preferences give intervals, places, and the length-controlled rate by our own fit.",
        ),
        ranking="Places are among complete logs of AlpacaEval only: published figures are never ranked with submitted "
        "ones.",
        null_rows=(("NullModel", "one text for every prompt, made to fool the annotator (Zheng et al. 2024)."),),
        guards=(("log not complete", "Fewer than 805 usable preferences: a rate, and no place."),),
        limits=(
            "The preferences are one language model's, not people's.",
            "57 of the printed systems: the logs that were at hand.",
            "The length-controlled rate rests on difficulties and comparisons that are not in the repository; they are "
            "estimated from what is printed. The column Held out says how near it comes without.",
        ),
        licence="AlpacaEval's annotations are CC BY-NC 4.0 and do not ship; figures only.",
        methods=METHODS,
    ),
    question="Which AlpacaEval ranks would hold?",
    nouns=("system", "systems"),
    best="Highest win rate",
    counted="prompts",
)
