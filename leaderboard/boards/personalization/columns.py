"""Columns of the Personalization board, of the groups of one run, and of its examples."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from leaderboard.boards.personalization.examples import ExampleRow
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.page.ledger import ledger_columns
from leaderboard.page.row_columns import date_column, model_column, name_column, rank_column, run_column, team_column
from leaderboard.parts.columns import SHARE_SCALE, Column, note_column
from leaderboard.parts.interval_bars import Scale


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
    rank_column(
        "Places this row may hold by robustness error, all ranks together with 95%: rows that their common examples "
        "cannot tell apart share places. Baselines, published rows and unranked rows have none."
    ),
    name_column("system", "System", "Name of the system; opens its card. Published rows are marked beside the name."),
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
        "Aligner failed",
        "Share of Pref-Aligner rows whose second stage gave no readable reply, so that the draft is kept.",
        "lower",
    ),
    note_column(),
    _metric_column(
        "performance_variation",
        "Variation",
        "One minus the overlap of the questions answered right without and with preferences: gains count as well as "
        "losses.",
    ),
    _share_column("acc_no_pref", "Right without", "Share of right answers without preferences.", "higher"),
    _share_column("acc_pref", "Right with", "Share of right answers with preferences.", "higher"),
    Column(
        "n", "n", "whole", lambda row: row.n, "Answers whose right option is known.", "higher", missing="not stated"
    ),
    Column(
        "n_qstar",
        "n right without",
        "whole",
        lambda row: row.n_qstar,
        "Answers that were right without preferences: what error rates are shares of. Below 50 a row is not ranked.",
        "higher",
    ),
    _metric_column(
        "repeat_breakage",
        "Repeat breakage",
        "Noise floor: of the right controls that were run again, the share that was wrong the second time, without "
        "any preference.",
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
    team_column(),
    model_column(),
    run_column(),
    *ledger_columns("Submissions of this run so far."),
    date_column("the run was"),
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
    Column(
        "fallback",
        "Aligner failed",
        "text",
        lambda row: row.fallback,
        "The aligner failed and the draft was kept.",
        sortable=False,
    ),
    Column("note", "Note", "text", lambda row: row.remark, "What else one must know.", sortable=False),
)
"""The answers of one row."""
