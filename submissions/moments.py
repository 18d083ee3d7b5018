"""How moments and spans of time are said to people."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo


def moment_words(moment: datetime, zone: tzinfo) -> str:
    """A moment in a zone and in UTC.

    >>> from zoneinfo import ZoneInfo
    >>> moment_words(datetime(2026, 5, 15, 21, 59, 59, tzinfo=UTC), ZoneInfo("Europe/Berlin"))
    '2026-05-15 23:59:59 CEST (2026-05-15 21:59:59 UTC)'
    >>> moment_words(datetime(2026, 5, 16, 11, 59, 59, tzinfo=UTC), ZoneInfo("Etc/GMT+12"))
    '2026-05-15 23:59:59 UTC-12 (2026-05-16 11:59:59 UTC)'
    """
    local, utc = moment.astimezone(zone), moment.astimezone(UTC)
    short = local.strftime("%Z")
    short = f"UTC{short}" if short[:1] in ("+", "-") else short
    if short == "UTC":
        return f"{utc:%Y-%m-%d %H:%M:%S} UTC"
    return f"{local:%Y-%m-%d %H:%M:%S} {short} ({utc:%Y-%m-%d %H:%M:%S} UTC)"


def span_words(seconds: int) -> str:
    """A span of time in its two largest units.

    >>> span_words(1), span_words(3725), span_words(90_061)
    ('1 s', '1 h 2 min', '1 d 1 h')
    """
    parts: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count or parts:
            parts.append(f"{count} {unit}" if count else "")
        if len(parts) == 2:
            break
    return " ".join(part for part in parts if part) or "0 s"
