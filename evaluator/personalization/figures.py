"""Robustness under user preferences (PERG, arXiv 2509.19358): what preferences cost, and whether they are followed.

A model that answers right without preferences may lose the answer when a preference stands in the prompt; it may also
ignore the preference. The figures here measure both, as fractions, lower is better. Undefined figures are None, never
0, and are never ranked.

The neighbouring parts of the same specification are importable from here: finding the letter of an answer, reading the
replies of judges and aligners, intervals, and the row table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict, get_args

import numpy as np

from evaluator.judges.text_replies import Profile, parse_letter, parse_rating
from evaluator.personalization.aligner_reply import AlignerReply, parse_aligner, read_aligner_reply
from evaluator.personalization.answer_extraction import Rule, extract_answer
from evaluator.personalization.bootstrap import (
    BOOTSTRAP,
    METRIC_NAMES,
    REPEAT_METRIC_NAMES,
    Tally,
    UnitTallies,
    defined,
    is_judged_setting,
    metric_intervals,
    metric_values,
    paired_method_difference,
    row_tally,
    unit_tallies,
)
from evaluator.personalization.outcome_rows import OutcomeRow
from evaluator.personalization.table import RowTableRefused, TableProblem, read_outcome_rows
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD, SETTINGS, Setting

__all__ = [
    "FULL",
    "MIN_QSTAR",
    "OUTCOMES",
    "AlignerReply",
    "Figures",
    "GroupFigures",
    "Metrics",
    "Outcome",
    "OutcomeRow",
    "PersonalizationReport",
    "Profile",
    "RowTableRefused",
    "Rule",
    "TableProblem",
    "extract_answer",
    "group_figures",
    "metrics",
    "outcome",
    "paired_method_difference",
    "parse_aligner",
    "parse_letter",
    "parse_rating",
    "personalization_report",
    "preference_figures",
    "read_aligner_reply",
    "read_outcome_rows",
    "row_figures",
]

FULL = "full"
"""Dataset of the group that pools all data sets."""
MIN_QSTAR = 50
"""Fewer rows with a right control are not ranked."""

Outcome = Literal[
    "robust",
    "breakage",
    "alignment_failure",
    "breakage_and_alignment_failure",
    "recovered",
    "never_right",
    "not_known",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Metrics(TypedDict):
    """The four metrics (docs/personalization.md#the-four-metrics). All fractions, lower is better, None = undefined."""

    n_qstar: int
    """|Q*|: rows whose control is right."""
    breakage_rate: float | None
    """Of Q*, wrong with preferences."""
    alignment_failure: float | None
    """Of Q*, the relevant preference is not followed, right or wrong. None for irrelevant and none."""
    robustness_error: float | None
    """Of Q*, wrong or not followed. For irrelevant and none: the breakage rate."""
    performance_variation: float | None
    """1 - |A0 ∩ A1| / |A0 ∪ A1| over all rows, A0 and A1 being the rows right without and with preferences."""


class Figures(TypedDict):
    """Everything that is counted over some rows of one setting."""

    n: int
    """Rows with known outcomes."""
    n_examples: int
    """Different examples among them."""
    n_qstar: int
    acc_no_pref: float | None
    """Share of the rows that are right without preferences; higher is better."""
    acc_pref: float | None
    breakage_rate: float | None
    alignment_failure: float | None
    robustness_error: float | None
    performance_variation: float | None
    n_unjudged: int
    """Rows of Q* never judged; 0 where nothing is judged."""
    n_no_gold: int
    """Rows without known outcomes."""
    n_rating_unparsable: int
    n_invalid_no_pref: int | None
    """Answers that are none of the options' letters; None where no row says."""
    n_invalid_pref: int | None
    unchanged_rate: float | None
    """Of the rows where it is known, the final text equals the draft."""
    fallback_rate: float | None
    """Of the rows where it is known, stage 2 was unreadable."""
    n_repeat: int
    n_qstar_repeat: int
    repeat_breakage: float | None
    """Noise floor: of the rows of Q* with another control run, wrong in that run."""
    excess_breakage: float | None
    """The breakage rate on those rows minus the noise floor."""
    rankable: bool
    """At least `MIN_QSTAR` rows in Q* and a robustness error."""


class GroupFigures(Figures):
    """The figures of one (system, run, method, dataset, setting)."""

    system: str | None
    run: str | None
    method: str | None
    dataset: str | None
    """`full`: all data sets pooled."""
    setting: Setting
    ci: dict[str, list[float] | None]
    """95 % intervals of the four metrics and, where there is a repeat, of its two."""


class PersonalizationReport(TypedDict):
    """What `python -m evaluator personalization` prints."""

    profile: Profile
    threshold: float
    min_qstar: int
    bootstrap: dict[str, object]
    groups: list[GroupFigures]


def metrics(rows: Iterable[tuple[bool, bool, bool | None]], setting: Setting) -> Metrics:
    """The four metrics of rows (right without preferences, right with them, followed or None = never judged).

    Range 0-1, lower is better. Nulls: Q* empty -> the first three; a row of Q* never judged -> alignment failure and
    robustness error; nothing ever right -> variation. Source: arXiv 2509.19358; nulls:
    docs/personalization.md#the-four-metrics.

    >>> rows = [(True, True, True), (True, True, False), (True, False, True), (False, True, True)]
    >>> figures = metrics(rows, "relevant")
    >>> figures["n_qstar"], figures["performance_variation"]  # right both times: 2 of 4
    (3, 0.5)
    >>> [round(3 * (figures[name] or 0)) for name in ("breakage_rate", "alignment_failure", "robustness_error")]
    [1, 1, 2]
    """
    _refuse_unknown(setting)
    tallies = [row_tally(bool(c0), bool(c1), followed, None, setting) for c0, c1, followed in rows]
    counts = np.array(tallies, dtype=np.float64).reshape(-1, len(Tally._fields))
    tally = Tally(*counts.sum(axis=0))
    values = metric_values(tally, setting)
    return Metrics(
        n_qstar=int(tally.qstar),
        breakage_rate=defined(values["breakage_rate"]),
        alignment_failure=defined(values["alignment_failure"]),
        robustness_error=defined(values["robustness_error"]),
        performance_variation=defined(values["performance_variation"]),
    )


def outcome(c0: bool | None, c1: bool | None, followed: bool | None, setting: Setting) -> Outcome:
    """What became of one answer: c0 right without preferences, c1 right with them, None = not known.

    Whether the preference was followed matters only in Q* (c0) and only where one is relevant.

    >>> outcome(True, False, True, "relevant"), outcome(False, True, None, "relevant")
    ('breakage', 'recovered')
    >>> outcome(True, True, None, "mixed")  # never judged
    'not_known'
    """
    _refuse_unknown(setting)
    if c0 is None or c1 is None:
        return "not_known"
    if not c0:
        return "recovered" if c1 else "never_right"
    if not is_judged_setting(setting):
        return "robust" if c1 else "breakage"
    if followed is None:
        return "not_known"
    if followed:
        return "robust" if c1 else "breakage"
    return "alignment_failure" if c1 else "breakage_and_alignment_failure"


def _refuse_unknown(setting: str) -> None:
    if setting not in SETTINGS:
        raise ValueError(f"setting is {setting!r}; accepted: {', '.join(SETTINGS)}")


def row_figures(rows: Sequence[OutcomeRow], setting: Setting, *, threshold: float = FOLLOW_THRESHOLD) -> Figures:
    """Counts, metrics and rates of any rows of one setting, without intervals. No rows: counts 0, rates None."""
    return _figures(rows, unit_tallies(rows, setting, threshold), setting)


def _figures(rows: Sequence[OutcomeRow], tallies: UnitTallies, setting: Setting) -> Figures:
    known = [row for row in rows if row.is_known]
    tally = tallies.total
    values = metric_values(tally, setting)
    robustness_error = defined(values["robustness_error"])
    return Figures(
        n=len(known),
        n_examples=len(tallies.units),
        n_qstar=int(tally.qstar),
        acc_no_pref=_share(row.correct_no_pref for row in known),
        acc_pref=_share(row.correct_pref for row in known),
        breakage_rate=defined(values["breakage_rate"]),
        alignment_failure=defined(values["alignment_failure"]),
        robustness_error=robustness_error,
        performance_variation=defined(values["performance_variation"]),
        n_unjudged=int(tally.unjudged),
        n_no_gold=len(rows) - len(known),
        n_rating_unparsable=sum(row.unparsable for row in rows),
        n_invalid_no_pref=_number(row.invalid_no_pref for row in rows),
        n_invalid_pref=_number(row.invalid_pref for row in rows),
        unchanged_rate=_share(row.unchanged for row in known),
        fallback_rate=_share(row.fallback for row in known),
        n_repeat=sum(row.correct_no_pref_repeat is not None for row in known),
        n_qstar_repeat=int(tally.qstar_repeat),
        repeat_breakage=defined(values["repeat_breakage"]),
        excess_breakage=defined(values["excess_breakage"]),
        rankable=int(tally.qstar) >= MIN_QSTAR and robustness_error is not None,
    )


def _share(flags: Iterable[bool | None]) -> float | None:
    """Share of the flags that are set, of those that are known."""
    known = [flag for flag in flags if flag is not None]
    return sum(known) / len(known) if known else None


def _number(flags: Iterable[bool | None]) -> int | None:
    """How many flags are set; None where none is known."""
    known = [flag for flag in flags if flag is not None]
    return sum(known) if known else None


def group_figures(rows: Iterable[OutcomeRow], *, threshold: float = FOLLOW_THRESHOLD) -> list[GroupFigures]:
    """The figures of each (system, run, method, setting, dataset), and of its data sets pooled (`full`).

    Sorted by system, run, method, setting and dataset, `full` last. Settings are never pooled.
    """
    groups: defaultdict[_Key, dict[str | None, list[OutcomeRow]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        groups[row.system, row.run, row.method, row.setting][row.dataset].append(row)
    figures: list[GroupFigures] = []
    for key in sorted(groups, key=lambda names: tuple(name or "" for name in names)):
        datasets = groups[key]
        figures += [
            _group(key, dataset, datasets[dataset], threshold) for dataset in sorted(datasets, key=lambda d: d or "")
        ]
        figures.append(_group(key, FULL, [row for part in datasets.values() for row in part], threshold))
    return figures


_Key = tuple[str | None, str | None, str | None, Setting]


def _group(key: _Key, dataset: str | None, rows: Sequence[OutcomeRow], threshold: float) -> GroupFigures:
    system, run, method, setting = key
    tallies = unit_tallies(rows, setting, threshold)
    intervals = metric_intervals(tallies, setting)
    names = METRIC_NAMES + (REPEAT_METRIC_NAMES if tallies.total.qstar_repeat else ())
    ci: dict[str, list[float] | None] = {
        name: list(interval) if (interval := intervals[name]) else None for name in names
    }
    return GroupFigures(
        system=system,
        run=run,
        method=method,
        dataset=dataset,
        setting=setting,
        **_figures(rows, tallies, setting),
        ci=ci,
    )


def preference_figures(
    rows: Iterable[OutcomeRow], *, threshold: float = FOLLOW_THRESHOLD
) -> dict[tuple[str | None, str | None], Figures]:
    """The figures of each (dataset, pref_id) among rows of one setting: the cells of the heat map.

    Raises:
        ValueError: the rows are of several settings.
    """
    cells: defaultdict[tuple[str | None, str | None], list[OutcomeRow]] = defaultdict(list)
    for row in rows:
        cells[row.dataset, row.pref_id].append(row)
    settings = {row.setting for cell in cells.values() for row in cell}
    if len(settings) > 1:
        raise ValueError(f"rows of several settings are never pooled: {', '.join(sorted(settings))}")
    return {cell: row_figures(part, part[0].setting, threshold=threshold) for cell, part in cells.items()}


def personalization_report(rows: Iterable[OutcomeRow], *, profile: Profile = "recommended") -> PersonalizationReport:
    """The figures of all groups, with what they were computed by."""
    return PersonalizationReport(
        profile=profile,
        threshold=FOLLOW_THRESHOLD,
        min_qstar=MIN_QSTAR,
        bootstrap=dict(BOOTSTRAP),
        groups=group_figures(rows),
    )
