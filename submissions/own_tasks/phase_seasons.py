"""The phases of a bundle as seasons: when files are taken, and how many (docs/seasons.md)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from submissions.own_tasks.task import OwnTask, Phase


def phase_seasons(task: OwnTask) -> dict[str, str]:
    """Name of a season -> its file, of every phase with a beginning and an end; without an end a season never closes.

    A phase that says no end goes on until the next one begins, as in version 1.5. Moments without a zone are in UTC.
    """
    files = {}
    for place, phase in enumerate(task.phases):
        following = task.phases[place + 1].starts if place + 1 < len(task.phases) else ""
        opens, next_opens = _moment(phase.starts), _moment(following)
        closes = _moment(phase.ends) or next_opens
        if opens is None or closes is None:
            continue
        if closes == next_opens:
            closes -= timedelta(seconds=1)  # the second of the deadline still counts
        if closes > opens:
            files[f"{task.name}_{place + 1}"] = _file(task, phase, opens, closes)
    return files


def _file(task: OwnTask, phase: Phase, opens: datetime, closes: datetime) -> str:
    lines = [
        f"title = {json.dumps(f'{task.title}: {phase.name}'[:120], ensure_ascii=False)}",
        f"set = {json.dumps(task.set_id)}",
        'time_zone = "UTC"',
        f"opens = {opens.isoformat(timespec='seconds')}",
        f"closes = {closes.isoformat(timespec='seconds')}",
        f"freezes = {(closes + timedelta(seconds=1)).isoformat(timespec='seconds')}",
    ]
    if phase.per_day:
        lines.append(f"attempts_per_day = {phase.per_day}")
    if phase.in_all:
        lines.append(f"attempts_in_all = {phase.in_all}")
    return "\n".join([*lines, ""])


def _moment(text: str) -> datetime | None:
    """A moment in UTC, to the second.

    >>> print(_moment("2026-03-01 12:00:00+02:00"), _moment("2026-03-01"), _moment("soon"))
    2026-03-01 10:00:00+00:00 2026-03-01 00:00:00+00:00 None
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
