"""Every column of every table, declared once: key, label, format, direction, explanation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, Literal, TypeVar

from evaluator.results import Figure, MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.personalization.examples import ExampleRow
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.boards.position_bias.rows import JudgeRow, TaskRow
from leaderboard.boards.robustness.items import ItemRow
from leaderboard.boards.robustness.rows import BoardRow
from leaderboard.desk.problem_rows import ProblemRow
from leaderboard.desk.queue_rows import QueueRow, StateRow, WorkerRow
from leaderboard.page.quality_rows import GRADED_BY, QualityRow
from leaderboard.parts.interval_bars import BarValue, Scale, bar_value
from submissions.schema import Count, Flag

Value = str | int | float | datetime | MetricValue | RankBand | Count | None
"""What a cell holds before it is written out."""

Format = Literal["text", "code", "whole", "decimal", "signed", "interval", "rank", "share", "percent", "day", "time"]
"""`signed`: a decimal that says on which side of 0 it lies, with its interval where it has one; `percent`: a fraction
in percent with one decimal, with its interval where it has one."""

NOT_AVAILABLE = "n/a"

DocsPage = Literal[
    "metrics.md",
    "position_bias.md",
    "personalization.md",
    "personalized_evaluation.md",
    "judges.md",
    "behavior_alignment.md",
]
"""Pages of docs/ that explain figures under one heading each."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column. Code speaks keys; only the page shows labels."""

    key: str
    label: str
    format: Format
    value: Callable[[Row], Value]
    tooltip: str
    better: Literal["higher", "lower", "nearer_zero"] | None = None
    """`nearer_zero` is sorted by size without sign."""
    docs_anchor: str = ""
    """Heading of the docs page that explains the figure; blank where the tooltip says it all."""
    docs_page: DocsPage = "metrics.md"
    sortable: bool = True
    is_searched: bool = False
    """The search looks at it."""
    remark: Callable[[Row], str] | None = None
    """Words that stand behind the value, and in a column of their own in downloads."""
    hint: Callable[[Row], str] | None = None
    """What pointing at a cell tells besides (a p-value, an n); in downloads a column of its own."""
    is_faint: Callable[[Row], bool] | None = None
    """Does the row's value say too little to be read aloud? It is shown grey."""
    missing: str = ""
    """What a cell without a value says; blank = as its format does."""
    is_left_out_when_empty: bool = False
    """Does the table go without it while no row has a value?"""
    is_name: bool = False
    """The row's header cell; it stays in sight while the rest scrolls and opens the row."""
    scale: Scale | None = None
    """Where its figures can lie: they are drawn there as small bars beside the digits; None = digits alone."""

    @property
    def is_number(self) -> bool:
        return self.format in ("whole", "decimal", "signed", "interval", "rank", "share", "percent")

    @property
    def descends_first(self) -> bool:
        """Whether the first click on the column lists the largest values first."""
        return self.better == "higher" or self.format in ("day", "time")

    def text(self, row: Row) -> str:
        """The cell as people read it."""
        value = self.value(row)
        text = self.missing if self.missing and value is None else text_of(value, self.format)
        remark = self.remark(row) if self.remark else ""
        return f"{text} {remark}" if remark else text

    def bar(self, row: Row) -> BarValue | None:
        """The cell's figure as a bar; None where there is no scale or no figure."""
        return bar_value(self.value(row), self.scale) if self.scale else None


def text_of(value: Value, format_: Format) -> str:
    """A value as people read it.

    >>> text_of(MetricValue(value=3.7251, low=3.134, high=4.2701, n=15), "interval")
    '3.73 [3.13, 4.27]'
    >>> text_of(RankBand(low=2, high=5), "rank")
    '2-5'
    >>> text_of(-0.004, "signed"), text_of(MetricValue(value=0.125, low=-0.05, high=0.3, n=40), "signed")
    ('0.00', '+0.12 [-0.05, +0.30]')
    >>> text_of(0.118, "percent"), text_of(MetricValue(value=0.125, low=0.05, high=0.3, n=40), "percent")
    ('11.8%', '12.5% [5.0, 30.0]')
    """
    match value:
        case None:
            return "" if format_ in ("text", "rank", "whole") else NOT_AVAILABLE
        case MetricValue() if format_ == "percent":
            return _interval_text(value, _points, "%")
        case MetricValue():
            return _interval_text(value, _signed if format_ == "signed" else _decimal)
        case RankBand():
            return str(value.low) if value.low == value.high else f"{value.low}-{value.high}"
        case Count():
            return str(value.answered) if value.expected is None else f"{value.answered}/{value.expected}"
        case datetime():
            return value.strftime("%Y-%m-%d" if format_ == "day" else "%Y-%m-%d %H:%M:%S UTC")
        case float():
            return _WRITTEN.get(format_, _decimal)(value)
        case _:
            return str(value)


def _decimal(value: float) -> str:
    return f"{value:.2f}"


def _signed(value: float) -> str:
    rounded = round(value, 2)
    return f"{rounded:+.2f}" if rounded else "0.00"


def _share(value: float) -> str:
    return f"{value:.0%}"


def _points(value: float) -> str:
    return f"{100 * value:.1f}"


def _percent(value: float) -> str:
    return f"{_points(value)}%"


_WRITTEN: dict[Format, Callable[[float], str]] = {"share": _share, "signed": _signed, "percent": _percent}


def _interval_text(metric: MetricValue, number: Callable[[float], str], unit: str = "") -> str:
    if metric.value is None:
        return NOT_AVAILABLE
    if metric.low is None or metric.high is None:
        return f"{number(metric.value)}{unit}"
    return f"{number(metric.value)}{unit} [{number(metric.low)}, {number(metric.high)}]"


RATING_SCALE: Scale = (0, 5)
SHARE_SCALE: Scale = (0, 1)
SIGNED_SCALE: Scale = (-1, 1)


def _mean(figure: Figure) -> Callable[[BoardRow], MetricValue]:
    return lambda row: row.figures[figure].mean


def flag_text(flags: Mapping[Flag, int]) -> str:
    """`constant 12, echo 3`: the most frequent first."""
    counts = sorted((-count, flag) for flag, count in flags.items() if count)
    return ", ".join(f"{flag.replace('_', ' ')} {-count}" for count, flag in counts)


ROBUSTNESS_COLUMNS: tuple[Column[BoardRow], ...] = (
    Column(
        "rank",
        "Rank",
        "rank",
        lambda row: row.rank,
        "Places this system may hold: systems whose paired difference "
        "interval covers zero share a band. Null rows and partial rows have none.",
        "lower",
        "rank_band",
    ),
    Column(
        "system",
        "System",
        "text",
        lambda row: row.system,
        "Name of the system; opens its items.",
        is_name=True,
        is_searched=True,
    ),
    Column(
        "score",
        "Score",
        "interval",
        _mean("pair_mean_gated"),
        "Headline, 0-5 with 95% interval (of 15 items it holds the true score about 94 times in 100): mean over items "
        "of the similarity of all pairs of answers; pairs with an off-topic, constant or echoed answer count 0.",
        "higher",
        "pair_mean_gated",
        scale=RATING_SCALE,
    ),
    Column(
        "raw",
        "Raw",
        "interval",
        _mean("pair_mean"),
        "The same mean without the gate: what answers that ignore the question can reach.",
        "higher",
        "pair_mean",
    ),
    Column(
        "worst",
        "Worst pair",
        "interval",
        _mean("pair_worst_gated"),
        "Mean over items of each group's least similar pair, gated.",
        "higher",
        "pair_worst_gated",
    ),
    Column(
        "team", "Team", "text", lambda row: row.team, "Who submitted it, as the team calls itself.", is_searched=True
    ),
    Column(
        "model",
        "Model",
        "text",
        lambda row: row.model,
        "The language model behind the system, as stated.",
        is_searched=True,
    ),
    Column("note", "Note", "text", lambda row: row.note, "What else one must know about the row.", sortable=False),
    Column(
        "flags",
        "Flags",
        "text",
        lambda row: flag_text(row.flags),
        "Responses marked by the guards, by kind.",
        docs_anchor="guards",
        sortable=False,
    ),
    Column(
        "sum",
        "Sum",
        "decimal",
        lambda row: row.figures["pair_mean_gated"].total,
        "Sum of the headline over judged items; read it beside Judged only.",
        "higher",
        "total",
    ),
    Column(
        "judged",
        "Judged",
        "whole",
        lambda row: row.judged_items,
        "Items judged, of those the view has.",
        "higher",
        "coverage",
    ),
    Column(
        "coverage",
        "Coverage",
        "whole",
        lambda row: row.coverage,
        "Responses answered, of those the prompt set asks for.",
        "higher",
        "coverage",
    ),
    Column(
        "win_rate",
        "Win rate",
        "interval",
        lambda row: row.comparison.win_rate if row.comparison else None,
        "Against the reference system, every answer judged in both orders: wins plus half of ties and flips.",
        "higher",
        "win_rate",
        sortable=False,
        is_left_out_when_empty=True,
        scale=SHARE_SCALE,
    ),
    Column(
        "won_from_both_places",
        "Won from both places",
        "interval",
        lambda row: row.comparison.conservative_win_rate if row.comparison else None,
        "Share of answers preferred to the reference's whichever was shown first: what no position bias can give.",
        "higher",
        "conservative_win_rate",
        sortable=False,
        is_left_out_when_empty=True,
        scale=SHARE_SCALE,
    ),
    Column(
        "strength",
        "Strength",
        "signed",
        lambda row: row.strength,
        "Bradley-Terry log odds against the reference, the judge's position effect taken out; 0 = level.",
        "higher",
        "strength",
        sortable=False,
        is_left_out_when_empty=True,
    ),
    Column(
        "panel",
        "Panel mean",
        "interval",
        lambda row: row.panel.mean if row.panel else None,
        "Mean headline score of all configured judges; those of the system's own family are left out.",
        "higher",
        "panel_mean",
        sortable=False,
        is_left_out_when_empty=True,
        scale=RATING_SCALE,
    ),
    Column(
        "panel_agreement",
        "Panel alpha",
        "interval",
        lambda row: row.panel.agreement if row.panel else None,
        "Krippendorff's alpha of the judges' ratings: 1 = they agree, 0 = no more than by chance.",
        "higher",
        "panel_agreement",
        sortable=False,
        is_left_out_when_empty=True,
    ),
    Column(
        "judge",
        "Judge",
        "text",
        lambda row: f"{row.judge.name} ({row.judge.model})",
        "Which judge scored the row.",
    ),
    Column("attempts", "Attempts", "whole", lambda row: row.attempts, "Submissions of this system so far."),
    Column("date", "Date", "day", lambda row: row.received_at, "When the run was received (UTC)."),
)
"""The Robustness board; the headline and the raw mean stand side by side."""

ITEM_COLUMNS: tuple[Column[ItemRow], ...] = (
    Column("item", "Item", "text", lambda row: row.id, "Item of the prompt set; opens its answers.", is_name=True),
    Column("variation", "Variation", "text", lambda row: row.variation, "What differs between the item's variants."),
    Column("languages", "Languages", "text", lambda row: row.languages, "Languages of the item in this view."),
    Column(
        "score",
        "Score",
        "decimal",
        lambda row: row.values.get("pair_mean_gated"),
        "Mean of the item's groups, 0-5, gated.",
        "higher",
        "pair_mean_gated",
    ),
    Column("raw", "Raw", "decimal", lambda row: row.values.get("pair_mean"), "The same without the gate.", "higher"),
    Column(
        "worst",
        "Worst pair",
        "decimal",
        lambda row: row.values.get("pair_worst_gated"),
        "Least similar pair, gated.",
        "higher",
        "pair_worst_gated",
    ),
    Column(
        "pairs",
        "Pairs passing",
        "whole",
        lambda row: row.passing,
        "Pairs that pass the gate, of all pairs.",
        "higher",
        "gate_share",
    ),
    Column("flags", "Flags", "text", lambda row: flag_text(row.flags), "Marked responses.", sortable=False),
    Column("note", "Note", "text", lambda row: row.reason, "Why something is unscored.", sortable=False),
)
"""The items of one system."""

JUDGES_COLUMNS: tuple[Column[JudgeRow], ...] = (
    Column(
        "rank",
        "Rank",
        "rank",
        lambda row: row.rank,
        "Places this judge may hold by consistency: judges whose paired difference interval on shared queries covers "
        "zero share a band. Null rows and unranked rows have none.",
        "lower",
    ),
    Column(
        "judge",
        "Judge",
        "text",
        lambda row: row.judge,
        "Name of the judge; opens its card.",
        is_name=True,
        is_searched=True,
    ),
    Column(
        "position_consistency",
        "Consistency (PC)",
        "interval",
        lambda row: row.metric("position_consistency"),
        "Headline, 0-1 with 95% interval: share of pairs whose verdict survives when the two answers swap places.",
        "higher",
        "position_consistency",
        "position_bias.md",
        scale=SHARE_SCALE,
    ),
    Column(
        "preference_fairness",
        "Fairness (PF)",
        "signed",
        lambda row: row.metric("preference_fairness"),
        "Which place gains when the verdict does not survive, -1 to +1 with 95% interval: above 0 the second place "
        "(recency), below 0 the first (primacy). Sorted by size without sign.",
        "nearer_zero",
        "preference_fairness",
        "position_bias.md",
        remark=lambda row: row.direction_words,
        is_faint=lambda row: row.direction is None,
        scale=SIGNED_SCALE,
    ),
    Column(
        "labelled_agreement",
        "Agreement with labelled pairs",
        "interval",
        lambda row: row.agreement,
        "AUC with 95% interval and number of pairs: chance that a pair of answers that says the same scores above one "
        f"that does not; 0.5 is guessing. Measured for judges that run here. {GRADED_BY}",
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        remark=lambda row: f"(n={row.agreement.n})" if row.agreement and row.agreement.n else "",
        is_faint=lambda row: row.agreement is None,
        missing="not measured",
    ),
    Column("note", "Note", "text", lambda row: row.note, "What else one must know about the row.", sortable=False),
    Column(
        "decisive_consistency",
        "Decisive consistency",
        "decimal",
        lambda row: row.number("decisive_consistency"),
        "Consistency where the judge took a side at least once, so that always saying tie gains nothing.",
        "higher",
        "decisive_consistency",
        "position_bias.md",
    ),
    Column(
        "tie_rate",
        "Ties",
        "share",
        lambda row: row.number("tie_rate"),
        "Share of verdicts that are ties. Above one half the judge is not ranked.",
        None,
        "tie_rate",
        "position_bias.md",
    ),
    Column(
        "error_rate",
        "Errors",
        "share",
        lambda row: row.number("error_rate"),
        "Share of calls without a usable verdict.",
        "lower",
        "error_rate",
        "position_bias.md",
    ),
    Column(
        "repetition_stability",
        "Stability (RS)",
        "decimal",
        lambda row: row.repeated("repetition_stability"),
        "How often a judge repeats itself when nothing is changed, with the number of repetitions t and the floor "
        "below which it cannot fall.",
        "higher",
        "repetition_stability",
        "position_bias.md",
        remark=lambda row: row.stability_words,
    ),
    Column(
        "positional_excess",
        "Positional excess",
        "signed",
        lambda row: row.repeated("positional_excess"),
        "Inconsistency that asking again does not explain: 0 means that swapping changes no more than repeating.",
        "nearer_zero",
        "positional_excess",
        "position_bias.md",
    ),
    Column(
        "longer_answer_win_rate",
        "Longer answer wins",
        "share",
        lambda row: row.number("longer_answer_win_rate"),
        "Share of consistent wins that went to the longer answer; one half means that length does not matter.",
        None,
        "longer_answer_win_rate",
        "position_bias.md",
    ),
    Column("n_pairs", "Pairs", "whole", lambda row: row.count("n_pairs"), "Comparisons run in both orders.", "higher"),
    Column(
        "n_queries",
        "Queries",
        "whole",
        lambda row: row.count("n_queries"),
        "Queries with a usable pair: what the intervals resample.",
        "higher",
    ),
    Column("family", "Family", "text", lambda row: row.card.family, "Model family, as stated.", is_searched=True),
    Column("parameters", "Parameters", "text", lambda row: row.card.parameters, "Size of the model, as stated."),
    Column("team", "Team", "text", lambda row: row.team, "Who sent the verdicts.", is_searched=True),
    Column("template", "Template", "text", lambda row: row.template, "Prompt template, as stated."),
    Column("decoding", "Decoding", "text", lambda row: row.decoding, "Temperature and precision, as stated."),
    Column("attempts", "Attempts", "whole", lambda row: row.attempts, "Scored tables of the team with this judge."),
    Column("date", "Date", "day", lambda row: row.received_at, "When the verdicts were received (UTC)."),
    Column("revision", "Revision", "text", lambda row: row.card.revision, "Revision of the model, as stated."),
)
"""The Judges board."""

QUALITY_COLUMNS: tuple[Column[QualityRow], ...] = (
    Column("judge", "Judge", "text", lambda row: row.judge, "Opens its card.", is_name=True, sortable=False),
    Column(
        "auc",
        "AUC",
        "interval",
        lambda row: row.quality.auc,
        "Chance that a pair of answers that says the same scores above one that does not; 0.5 is guessing. "
        + GRADED_BY,
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        sortable=False,
        scale=SHARE_SCALE,
    ),
    Column(
        "accuracy",
        "Accuracy",
        "interval",
        lambda row: row.quality.accuracy,
        "Share of pairs on the right side of a score of 2.5.",
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        sortable=False,
    ),
    Column(
        "balanced_accuracy",
        "Balanced accuracy",
        "interval",
        lambda row: row.quality.balanced_accuracy,
        "Mean of the accuracy on pairs that say the same and on the others; one answer for all pairs reaches 0.5.",
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        sortable=False,
    ),
    Column(
        "spearman",
        "Rank correlation",
        "interval",
        lambda row: row.quality.spearman,
        "Spearman's, of scores and grades.",
        "higher",
        "agreement with labelled pairs",
        "judges.md",
        sortable=False,
    ),
    Column(
        "order_gap",
        "Order gap",
        "interval",
        lambda row: row.order_gap,
        "Mean difference between the ratings in both orders, 0-5.",
        "lower",
        sortable=False,
    ),
    Column(
        "pairs", "Pairs", "whole", lambda row: row.quality.auc.n, "Labelled pairs that were scored.", sortable=False
    ),
    Column("unscored", "Unscored", "whole", lambda row: row.unscored, "Pairs it gave no score.", sortable=False),
    Column("model", "Model", "text", lambda row: row.model, "The model behind it.", sortable=False),
)
"""Judges by their agreement with our labelled pairs."""

TASK_COLUMNS: tuple[Column[TaskRow], ...] = (
    Column("task", "Task", "text", lambda row: row.id, "Task of the benchmark.", is_name=True, sortable=False),
    Column(
        "position_consistency",
        "Consistency (PC)",
        "decimal",
        lambda row: row.number("position_consistency"),
        "Share of pairs whose verdict survives the swap.",
        "higher",
        sortable=False,
    ),
    Column(
        "preference_fairness",
        "Fairness (PF)",
        "signed",
        lambda row: row.number("preference_fairness"),
        "Above 0 the second place gains, below 0 the first; without an interval, because a task has few queries.",
        "nearer_zero",
        sortable=False,
    ),
    Column("tie_rate", "Ties", "share", lambda row: row.number("tie_rate"), "Share of ties.", sortable=False),
    Column(
        "error_rate",
        "Errors",
        "share",
        lambda row: row.number("error_rate"),
        "Unusable calls.",
        "lower",
        sortable=False,
    ),
    Column("n_pairs", "Pairs", "whole", lambda row: row.count("n_pairs"), "Pairs in both orders.", sortable=False),
)
"""One judge by task."""


def _metric_column(
    key: str,
    label: str,
    tooltip: str,
    *,
    better: Literal["lower", "nearer_zero"] = "lower",
    scale: Scale | None = None,
) -> Column[PersonalizationRow]:
    """A metric in percent, with the reason where it is undefined."""
    return Column(
        key,
        label,
        "percent",
        lambda row: row.metric(key),
        tooltip,
        better,
        key,
        "personalization.md",
        remark=lambda row: row.missing(key),
        scale=scale,
    )


def _share_column(
    key: str, label: str, tooltip: str, better: Literal["higher", "lower"] | None = None
) -> Column[PersonalizationRow]:
    """A share of rows in percent."""
    anchor = "acc_no_pref" if key == "acc_pref" else key  # one heading explains both
    return Column(
        key, label, "percent", lambda row: row.share(key), tooltip, better, anchor, docs_page="personalization.md"
    )


PERSONALIZATION_COLUMNS: tuple[Column[PersonalizationRow], ...] = (
    Column(
        "rank",
        "Rank",
        "rank",
        lambda row: row.rank,
        "Places this row may hold by robustness error: rows whose paired difference interval on common examples covers "
        "zero share a band. Null rows, published rows and unranked rows have none.",
        "lower",
    ),
    Column(
        "system",
        "System",
        "text",
        lambda row: row.system,
        "Name of the system; opens its card.",
        is_name=True,
        is_searched=True,
    ),
    Column(
        "method",
        "Method",
        "text",
        lambda row: row.method,
        "How preferences were brought in: naive (in the prompt), pref_aligner (a second call edits the draft), others.",
        is_searched=True,
    ),
    _metric_column(
        "robustness_error",
        "Robustness error",
        "Headline, with 95% interval: of the answers that were right without preferences, the share that turned wrong "
        "or does not follow the relevant preference.",
        scale=SHARE_SCALE,
    ),
    _metric_column(
        "breakage_rate",
        "Breakage",
        "Of the answers that were right without preferences, the share that is wrong with them. Never read it alone: "
        "an aligner that changes nothing has breakage 0.",
        scale=SHARE_SCALE,
    ),
    _metric_column(
        "alignment_failure",
        "Alignment failure",
        "Of the same answers, the share that does not follow the relevant preference, right or wrong; undefined where "
        "no preference is relevant.",
        scale=SHARE_SCALE,
    ),
    _share_column(
        "unchanged_rate",
        "Unchanged",
        "Share of answers equal to the draft, or to the control where there is no draft, white space ignored.",
    ),
    _share_column(
        "fallback_rate",
        "Fallback",
        "Share of Pref-Aligner rows whose second stage gave no readable reply, so that the draft stands.",
        "lower",
    ),
    Column("note", "Note", "text", lambda row: row.note, "What else one must know about the row.", sortable=False),
    _metric_column(
        "performance_variation",
        "Variation",
        "One minus the overlap of the questions answered right without and with preferences: gains count as well as "
        "losses.",
    ),
    _share_column("acc_no_pref", "Right without", "Share of right answers without preferences.", "higher"),
    _share_column("acc_pref", "Right with", "Share of right answers with preferences.", "higher"),
    Column("n", "n", "whole", lambda row: row.n, "Answers whose right option is known.", "higher"),
    Column(
        "n_qstar",
        "|Q*|",
        "whole",
        lambda row: row.n_qstar,
        "Answers that were right without preferences: what error rates are shares of. Below 50 a row is not ranked.",
        "higher",
    ),
    _metric_column(
        "repeat_breakage",
        "Repeat breakage",
        "Noise floor: of the right controls that were run again, the share that was wrong the second time, with no "
        "preference in sight.",
    ),
    _metric_column(
        "excess_breakage",
        "Excess breakage",
        "Breakage minus the noise floor, on the examples that have another control run.",
        better="nearer_zero",
    ),
    _share_column(
        "invalid_pref", "Invalid", "Share of answers in which no option was found; they count as wrong.", "lower"
    ),
    _share_column(
        "unparsable", "Judge errors", "Share of judged answers without a readable rating; they count as not followed."
    ),
    _share_column(
        "truncated", "Truncated", "Share of answers cut at the length limit, where the file says so.", "lower"
    ),
    Column(
        "rating",
        "Mean rating",
        "decimal",
        lambda row: row.group.mean_rating.value if row.group else None,
        "How well the relevant preference is followed, 1 to 5, by our judge.",
        "higher",
    ),
    Column(
        "reported_rating",
        "Reported rating",
        "decimal",
        lambda row: row.group.reported_rating.value if row.group else None,
        "The same as the team states it; part of no figure of ours.",
        "higher",
        is_left_out_when_empty=True,
    ),
    Column(
        "judge",
        "Judge",
        "text",
        lambda row: f"{row.judge.name} ({row.judge.model} @ {row.judge.revision[:12]})" if row.judge else "",
        "Which judge rated the answers.",
    ),
    Column("team", "Team", "text", lambda row: row.team, "Who submitted it.", is_searched=True),
    Column("model", "Model", "text", lambda row: row.model, "The language model, as stated.", is_searched=True),
    Column("run", "Run", "text", lambda row: row.run, "The run, as stated."),
    Column("attempts", "Attempts", "whole", lambda row: row.attempts, "Submissions of this run so far."),
    Column("date", "Date", "day", lambda row: row.received_at, "When the run was received (UTC)."),
)
"""The Personalization board; breakage always stands beside what it cannot be read without."""

_OF_RUNS = ("rank", "system", "method", "note", "judge", "team", "model", "run", "date")
"""What the groups of one run have in common."""

GROUP_COLUMNS: tuple[Column[PersonalizationRow], ...] = (
    Column(
        "dataset",
        "Data set",
        "text",
        lambda row: row.group.dataset if row.group else "",
        "Data set, or `full`: all of them pooled.",
        is_name=True,
        sortable=False,
    ),
    Column(
        "setting",
        "Preferences",
        "text",
        lambda row: row.group.setting if row.group else "",
        "Which preferences were shown.",
        sortable=False,
    ),
    Column("method", "Method", "text", lambda row: row.method, "How they were brought in.", sortable=False),
    *(replace(column, sortable=False) for column in PERSONALIZATION_COLUMNS if column.key not in _OF_RUNS),
)
"""Everything one run was scored on."""

EXAMPLE_COLUMNS: tuple[Column[ExampleRow], ...] = (
    Column("example", "Example", "text", lambda row: row.example, "Opens its texts.", is_name=True, sortable=False),
    Column("dataset", "Data set", "text", lambda row: row.dataset, "As the file names it.", sortable=False),
    Column("method", "Method", "text", lambda row: row.method, "How preferences were brought in.", sortable=False),
    Column("outcome", "Outcome", "text", lambda row: row.outcome, "What became of the answer.", sortable=False),
    Column("gold", "Right", "text", lambda row: row.gold, "Letter of the right option.", sortable=False),
    Column("control_letter", "Control", "text", lambda row: row.control_letter, "Without.", sortable=False),
    Column("letter", "With preferences", "text", lambda row: row.letter, "Letter of the answer.", sortable=False),
    Column("rule", "How it was found", "text", lambda row: row.rule, "Rule that found it.", sortable=False),
    Column("rating", "Followed, 1-5", "decimal", lambda row: row.rating, "By our judge.", sortable=False),
    Column("unchanged", "Unchanged", "text", lambda row: row.unchanged, "Equal to the draft.", sortable=False),
    Column("fallback", "Fallback", "text", lambda row: row.fallback, "Stage 2 was unreadable.", sortable=False),
    Column("note", "Note", "text", lambda row: row.remark, "What else one must know.", sortable=False),
)
"""The answers of one row."""

PROBLEM_COLUMNS: tuple[Column[ProblemRow], ...] = (
    Column(
        "severity",
        "Severity",
        "text",
        lambda row: row.problem.severity,
        "An error refuses the file, a warning marks it, a note changes nothing.",
        sortable=False,
    ),
    Column("message", "What was found", "text", lambda row: row.problem.message, "Found and expected.", sortable=False),
    Column("hint", "How to fix it", "text", lambda row: row.problem.hint, "What to do.", sortable=False),
    Column("item", "Item", "text", lambda row: row.place, "Item, variant and language, where known.", sortable=False),
    Column("path", "Place", "code", lambda row: row.problem.path, "Where in the file.", is_name=True, sortable=False),
    Column("code", "Code", "code", lambda row: row.problem.code, "As the command line prints it.", sortable=False),
)
"""What is wrong with a file."""

QUEUE_COLUMNS: tuple[Column[QueueRow], ...] = (
    Column("system", "System", "text", lambda row: row.system, "Opens the ticket.", is_name=True, sortable=False),
    Column("status", "State", "text", lambda row: row.status, "Where it stands.", sortable=False),
    Column("position", "Position", "whole", lambda row: row.position, "Place in the queue, 1 = next.", sortable=False),
    Column(
        "progress", "Judged", "whole", lambda row: row.progress, "Judgements made, of those needed.", sortable=False
    ),
    Column(
        "eta",
        "Expected in",
        "text",
        lambda row: row.eta,
        "From now until it is scored, at least to at most. Those who wait take turns: one file of each, then the next.",
        sortable=False,
    ),
    Column("team", "Team", "text", lambda row: row.team, "Who submitted it.", sortable=False),
    Column("set", "Prompt set", "text", lambda row: row.set_title, "What was answered.", sortable=False),
    Column("since", "Since", "time", lambda row: row.status_at, "When the state was entered.", sortable=False),
    Column("reason", "Reason", "text", lambda row: row.reason, "Why it stands where it stands.", sortable=False),
)
"""Submissions in the queue, newest first."""

STATE_COLUMNS: tuple[Column[StateRow], ...] = (
    Column("state", "State", "text", lambda row: row.id, "State of a submission.", is_name=True, sortable=False),
    Column("count", "Submissions", "whole", lambda row: row.count, "How many are in it now.", sortable=False),
    Column("sentence", "Meaning", "text", lambda row: row.sentence, "What the state means.", sortable=False),
)
"""The states of the queue."""

WORKER_COLUMNS: tuple[Column[WorkerRow], ...] = (
    Column("worker", "Worker", "text", lambda row: row.id, "Name of the process.", is_name=True, sortable=False),
    Column("judge", "Judge", "text", lambda row: row.judge, "The judge it runs.", sortable=False),
    Column("status", "Status", "text", lambda row: row.status, "Heard of within one lease, or not.", sortable=False),
    Column("rate", "Rate", "text", lambda row: row.rate, "Its measured rate so far.", sortable=False),
    Column("seen", "Last seen", "time", lambda row: row.seen_at, "When it last reported.", sortable=False),
)
"""The workers."""
