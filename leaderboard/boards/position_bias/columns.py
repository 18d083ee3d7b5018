"""Columns of the Judges board, and of one judge by task."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.boards.position_bias.rows import GroupRow, JudgeRow
from leaderboard.page.judge_effects import biases_column, family_column, length_column, place_column
from leaderboard.page.judge_quality import GRADED_BY
from leaderboard.page.ledger import ledger_columns
from leaderboard.page.row_columns import date_column, measured_column, name_column, rank_column, team_column
from leaderboard.parts.columns import SHARE_SCALE, SIGNED_SCALE, Column, note_column

JUDGES_COLUMNS: tuple[Column[JudgeRow], ...] = (
    replace(
        rank_column(
            "Places this judge may hold by consistency, all ranks together with 95%: judges that their shared queries "
            "cannot tell apart share places. Baselines, published rows and unranked rows have none."
        ),
        is_left_out_when_empty=True,
    ),
    name_column("judge", "Judge", "Name of the judge; opens its card. Published rows are marked beside the name."),
    Column(
        "position_consistency",
        "Consistency (PC)",
        "interval",
        lambda row: row.metric("position_consistency"),
        "Position consistency, the headline, 0-1 with 95% interval: "
        "share of pairs whose verdict survives when the two answers swap places.",
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
        "Preference fairness: "
        "which place gains when the verdict does not survive, -1 to +1 with 95% interval: above 0 the second place "
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
        is_left_out_when_empty=True,
    ),
    note_column(),
    measured_column("verdicts that a team sent"),
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
        "Repetition stability: "
        "how often a judge repeats itself when nothing is changed, with the number of repetitions t and the floor "
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
    place_column(lambda row: row.effects),
    length_column(lambda row: row.effects, "place (longer answers may also be better ones)"),
    family_column(lambda row: row.effects),
    biases_column(lambda row: row.effects, "place, length and family"),
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
    team_column("Who sent the verdicts; of published ones, what to cite."),
    Column("template", "Template", "text", lambda row: row.template, "Prompt template, as stated."),
    Column("decoding", "Decoding", "text", lambda row: row.decoding, "Temperature and precision, as stated."),
    *ledger_columns("Tables that the team sent to this board so far."),
    date_column("the verdicts were"),
    Column("revision", "Revision", "text", lambda row: row.card.revision, "Revision of the model, as stated."),
)
"""The Judges board."""


_GROUP_COLUMNS: tuple[Column[GroupRow], ...] = (
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
        "Above 0 the second place gains, below 0 the first; without an interval, because a part has few queries.",
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

TASK_COLUMNS: tuple[Column[GroupRow], ...] = (
    Column("task", "Task", "text", lambda row: row.id, "Task of the benchmark.", is_name=True, sortable=False),
    *_GROUP_COLUMNS,
)
"""One judge by task."""

MODEL_COLUMNS: tuple[Column[GroupRow], ...] = (
    Column("model", "Model", "text", lambda row: row.id, "What wrote the answer.", is_name=True, sortable=False),
    Column(
        "overall_win_rate",
        "Win rate",
        "decimal",
        lambda row: row.number("overall_win_rate"),
        "How often it wins against the reference as this judge sees it; a flip counts half.",
        None,
        "overall_win_rate",
        "position_bias.md",
        sortable=False,
    ),
    *_GROUP_COLUMNS,
)
"""One judge by model."""
