"""A canary in words: for the terminal, for a webhook, and for the card of its judge."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.canary.course import DAYS, NOISE_RISK, ROUNDS_TO_FALSE_ALARM, Baseline, Course
from evaluator.canary.record import CanaryRecord

_WIDTHS = "{:<20}{:>8}{:>7}{:>14}"


def changed_text(course: Course, pairs: int) -> str:
    """What an alarm says: "judge changed on 2026-11-23: 9 of 188 verdicts that it used to repeat are others now".

    Args:
        course: With an alarm.
        pairs: Of the canary.
    """
    alarm, baseline = course.alarm, course.baseline
    assert alarm is not None
    assert baseline is not None
    return (
        f"judge changed on {alarm.at:%Y-%m-%d}: {alarm.others} of {len(baseline.verdicts)} verdicts that it used to "
        f"repeat are others now (canary of {pairs} pairs, baseline of {course.asked[0].at:%Y-%m-%d})"
    )


def card_text(records: Sequence[CanaryRecord]) -> str:
    """What the canaries of one judge say on its card: every day on which it changed, or since when it has not.

    Then how far a baseline is that is still asked. Blank where nothing was asked yet.
    """
    last = [record.last for record in records if record.last]
    parts = [_found_text([course for record in records for course in record.courses if course.baseline])]
    if any(course.is_watching and course.baseline and course.baseline.days == 1 for course in last):
        parts.append("baseline of one day only")
    days_asked = [course.day_asked for course in last if course.day_asked is not None]
    if days_asked:
        parts.append(f"being set up: day {min(days_asked)} of {DAYS} asked")
    return "; ".join(part for part in parts if part)


def _found_text(courses: Sequence[Course]) -> str:
    days = sorted({f"{course.alarm.at:%Y-%m-%d}" for course in courses if course.alarm})
    if days:
        return f"judge changed on {', '.join(days)}"
    watched = [course for course in courses if course.rounds]
    if not watched:
        return "watched, no round yet" if courses else ""
    since, until = min(course.asked[0].at for course in watched), max(course.rounds[-1].at for course in watched)
    rounds = sum(len(course.rounds) for course in watched)
    return f"no change found in {rounds} round{'s' * (rounds != 1)}, {since:%Y-%m-%d} to {until:%Y-%m-%d}"


def set_up_text(course: Course) -> str:
    """What a baseline of several days still needs.

    Args:
        course: With a baseline that goes on.
    """
    opens = course.next_day()
    when = f", from {opens:%Y-%m-%d %H:%M} UTC on" if opens else ""
    return (
        f"The baseline is being set up: day {course.day_asked} of {DAYS} is asked. Run this again on another day{when}."
    )


def baseline_text(baseline: Baseline, pairs: int) -> str:
    """What a baseline found."""
    chosen = len(baseline.verdicts)
    if not baseline.can_watch:
        return (
            f"The judge repeats itself on {chosen} of {pairs} pairs, which is too little for a change to be heard. "
            "Ask it at temperature 0, or give it pairs that are less close (--pairs)."
        )
    return (
        f"The judge repeats itself on {chosen} of {pairs} pairs; of these {baseline.noise:.1%} had another verdict "
        f"when asked again ({_limit_text(baseline)})."
    )


def _limit_text(baseline: Baseline) -> str:
    if baseline.days == 1:
        return (
            f"at most {baseline.bound:.1%} in that hour, with {1 - NOISE_RISK:.0%} confidence; how far other days "
            "differ was not measured: --new-baseline does"
        )
    return f"on {baseline.days} days; 19 of 20 days have at most {baseline.bound:.1%}"


def round_text(course: Course, pairs: int) -> str:
    """What the latest round says."""
    if course.alarm:
        return changed_text(course, pairs)
    baseline, last = course.baseline, course.rounds[-1]
    assert baseline is not None
    return (
        f"no change: {last.others} of {len(baseline.verdicts)} verdicts are others than in the baseline; evidence "
        f"{last.evidence:,.2f}, an alarm from {ROUNDS_TO_FALSE_ALARM:,} on (round {len(course.rounds)})"
    )


def history_text(record: CanaryRecord) -> str:
    """The whole course of a canary, one line for each asking after a baseline."""
    lines = [
        f"{record.judge.name} {record.judge.model} @ {record.judge.revision[:12]}, pairs {record.pairs[:12]}",
        f"An alarm from {ROUNDS_TO_FALSE_ALARM:,} on: falsely once in {ROUNDS_TO_FALSE_ALARM:,} rounds at most.",
    ]
    for course in record.courses:
        lines += ["", *_course_lines(course)]
    return "\n".join(lines)


def _course_lines(course: Course) -> Sequence[str]:
    pairs = len(course.asked[0].ratings)
    begun = f"{course.asked[0].at:%Y-%m-%d %H:%M} UTC"
    if course.baseline is None:
        return [
            f"Baseline of {begun}: not finished. {set_up_text(course) if course.day_asked is not None else ''}".strip()
        ]
    lines = [f"Baseline of {begun}. {baseline_text(course.baseline, pairs)}"]
    if course.rounds:
        lines.append(_WIDTHS.format("asked (UTC)", "others", "of", "evidence"))
    for round_ in course.rounds:
        evidence = f"{round_.evidence:,.2f}" if round_.evidence < 1e6 else f"{round_.evidence:.1e}"
        line = _WIDTHS.format(f"{round_.at:%Y-%m-%d %H:%M:%S}", round_.others, len(course.baseline.verdicts), evidence)
        lines.append(f"{line}  {'CHANGED' if round_.is_alarm else ''}".rstrip())
    return lines
