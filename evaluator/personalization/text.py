"""The figures of a row table as a table a person can read in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.personalization.figures import GroupFigures, PersonalizationReport

_COLUMNS = (
    "system",
    "run",
    "method",
    "setting",
    "dataset",
    "n",
    "|Q*|",
    "breakage",
    "alignment failure",
    "robustness error",
    "variation",
    "unchanged",
    "fallback",
    "right without",
    "right with",
    "repeat breakage",
    "excess breakage",
    "note",
)
_NAMES = 5
"""Columns of names stand left, the others right."""


def report_text(report: PersonalizationReport) -> str:
    """One line per group, in percent, with 95 % intervals; undefined figures read "n/a"."""
    lines = [_COLUMNS, *(_cells(group, report["min_qstar"]) for group in report["groups"])]
    widths = [max(len(line[place]) for line in lines) for place in range(len(_COLUMNS))]
    table = "\n".join(_aligned(line, widths) for line in lines)
    if unread := _unread_text(report["groups"]):
        table = f"{unread}\n\n{table}"
    return f'{table}\n\nPercent, lower is better except "right"; profile {report["profile"]}.'


def _unread_text(groups: Sequence[GroupFigures]) -> str:
    """How many answers are none of the options' letters, which count as wrong; blank without any."""
    said = [
        f"{_group_name(group)}: {without:,} of {group['n']:,} without preferences, {given:,} with"
        for group in groups
        if (without := group["n_invalid_no_pref"] or 0) + (given := group["n_invalid_pref"] or 0)
    ]
    if not said:
        return ""
    return (
        "Answers that are none of the options' letters count as wrong, also where they say an option in another form "
        "(b, B., 2):\n" + "\n".join(said)
    )


def _group_name(group: GroupFigures) -> str:
    names = (group["system"], group["run"], group["method"], group["setting"], group["dataset"])
    return ", ".join(filter(None, names))


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.ljust(width) if place < _NAMES else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


def _cells(group: GroupFigures, min_qstar: int) -> tuple[str, ...]:
    ci = group["ci"]
    return (
        *(name or "-" for name in (group["system"], group["run"], group["method"], group["setting"], group["dataset"])),
        str(group["n"]),
        str(group["n_qstar"]),
        _percent(group["breakage_rate"], ci["breakage_rate"]),
        _percent(group["alignment_failure"], ci["alignment_failure"]),
        _percent(group["robustness_error"], ci["robustness_error"]),
        _percent(group["performance_variation"], ci["performance_variation"]),
        _percent(group["unchanged_rate"]),
        _percent(group["fallback_rate"]),
        _percent(group["acc_no_pref"]),
        _percent(group["acc_pref"]),
        _percent(group["repeat_breakage"], ci.get("repeat_breakage")),
        _percent(group["excess_breakage"], ci.get("excess_breakage")),
        _note(group, min_qstar),
    )


def _percent(value: float | None, interval: Sequence[float] | None = None) -> str:
    """A fraction in percent.

    >>> _percent(0.1991, [0.1692, 0.2323]), _percent(None)
    ('19.9 [16.9, 23.2]', 'n/a')
    """
    if value is None:
        return "n/a"
    ends = f" [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]" if interval else ""
    return f"{100 * value:.1f}{ends}"


def _note(group: GroupFigures, min_qstar: int) -> str:
    """Why a group is not ranked."""
    if group["n_qstar"] < min_qstar:
        return "too few"
    return "" if group["rankable"] else f"{group['n_unjudged']} not judged"
