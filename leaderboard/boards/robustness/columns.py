"""Columns of the Robustness board of 2024, and of the items of one system."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.results import Figure, MetricValue
from leaderboard.boards.robustness.items import ItemRow
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.page.ledger import ledger_columns
from leaderboard.page.row_columns import date_column, model_column, name_column, rank_column, team_column
from leaderboard.parts.columns import RATING_SCALE, SHARE_SCALE, Column, flag_text, flags_column, note_column


def _mean(figure: Figure) -> Callable[[RobustnessRow], MetricValue]:
    return lambda row: row.figures[figure].mean


ROBUSTNESS_COLUMNS: tuple[Column[RobustnessRow], ...] = (
    rank_column(
        "Places this system may hold, all ranks together with 95%: systems that their common items cannot tell apart "
        "share places. Baselines and partial rows have none."
    ),
    name_column("system", "System", "Name of the system; opens its items."),
    Column(
        "score",
        "Score",
        "interval",
        _mean("pair_mean_gated"),
        "Headline, 0-5 with 95% interval (of 15 items it holds the true score 94-99 times in 100): mean over items "
        "of the similarity of all pairs of answers, each counted as far as both answer their prompt: not at all where "
        "one is off topic, constant or the prompt itself.",
        "higher",
        "pair_mean_gated",
        scale=RATING_SCALE,
    ),
    Column(
        "raw",
        "Before the relevance check",
        "interval",
        _mean("pair_mean"),
        "The same mean before the relevance check: what answers that ignore the question can reach.",
        "higher",
        "pair_mean",
    ),
    Column(
        "worst",
        "Worst pair",
        "interval",
        _mean("pair_worst_gated"),
        "Mean over items of each group's least similar pair, after the relevance check.",
        "higher",
        "pair_worst_gated",
    ),
    team_column("Who submitted it, as the team calls itself."),
    model_column("The language model behind the system, as stated."),
    Column(
        "run",
        "Run",
        "text",
        lambda row: row.run,
        "The run, as stated: each has its row, and the system is ranked by its latest, or by the one its team chose.",
        is_searched=True,
        is_left_out_when_empty=True,
    ),
    note_column(),
    flags_column(),
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
    *ledger_columns("Submissions of this system so far."),
    date_column("the run was"),
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
        "Mean of the item's groups, 0-5, after the relevance check.",
        "higher",
        "pair_mean_gated",
    ),
    Column(
        "raw",
        "Before the relevance check",
        "decimal",
        lambda row: row.values.get("pair_mean"),
        "The same, whether or not the answers answer the question.",
        "higher",
    ),
    Column(
        "worst",
        "Worst pair",
        "decimal",
        lambda row: row.values.get("pair_worst_gated"),
        "Least similar pair, after the relevance check.",
        "higher",
        "pair_worst_gated",
    ),
    Column(
        "pairs",
        "Pairs in full",
        "whole",
        lambda row: row.passing,
        "Pairs that count in full, of all pairs: the relevance check took nothing from them.",
        "higher",
        "gate_share",
    ),
    Column("flags", "Flags", "text", lambda row: flag_text(row.flags), "Marked responses.", sortable=False),
    Column("note", "Note", "text", lambda row: row.reason, "Why something is unscored.", sortable=False),
)
"""The items of one system."""
