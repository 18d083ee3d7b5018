"""What every page says of its seasons: the clock, the deadline, what is allowed now, and the frozen board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypedDict

from leaderboard.assets import asset, template
from leaderboard.boards import registry
from leaderboard.page.services import Services
from leaderboard.parts.components import TemplateComponent
from submissions.moments import span_words
from submissions.seasons.frozen import FrozenBoard, frozen_boards
from submissions.seasons.season import Season
from submissions.seasons.season_file import SETS


class SeasonValue(TypedDict):
    """One season; every string is shown as text."""

    title: str
    phase: str
    """before, open or closed."""
    sentence: str
    """What can be done now, and until when, in the season's zone and in UTC."""
    lines: list[str]
    terms: str
    """Address of what an account accepts before its first file; blank where there is none, and but on Submit."""
    frozen: str
    """When the board was frozen, and its checksum; blank while it is not."""
    copy: str
    """Address of the frozen copy; blank while it is not public."""
    archive: str
    """Address of the copy with what is needed to cite it; blank while it is not public."""


class SeasonsValue(TypedDict):
    """The seasons of a page."""

    now_s: float
    """What the server's clock says, in seconds since the epoch."""
    seasons: list[SeasonValue]
    announcements: list[str]


class SeasonHead(TemplateComponent):
    """The head of Submit, of the boards and of the Overview where there are seasons. Value: `SeasonsValue`."""

    TEMPLATE = template("season_head")
    # The server's clock goes on in the browser, whose own may be wrong.
    SCRIPT = asset("season_clock.js")


def seasons_of_page(services: Services, tab: str) -> list[Season]:
    """The Overview and Submit show every season, a board those of its sets, other pages none."""
    of_board = next((board.sets for board in registry.BOARDS if board.key == tab), ())
    sets = SETS if tab in ("overview", "submit") else of_board
    return [season for season in services.desk.seasons if season.set_id in sets]


def seasons_value(services: Services, tab: str) -> SeasonsValue | None:
    """What a page says of its seasons now; None where it has none."""
    shown, now = seasons_of_page(services, tab), services.desk.clock()
    if not shown:
        return None
    frozen = frozen_boards(services.store.acts())
    told = (
        [announcement for season in shown for announcement in _announcements(season, now)] if tab == "overview" else []
    )
    return {
        "now_s": int(now),
        "seasons": [season_value(season, tab, now, frozen) for season in shown if _is_shown(season, tab, now)],
        "announcements": told,
    }


def _is_shown(season: Season, tab: str, now: float) -> bool:
    """A season that is over says nothing any more to whoever submits."""
    return tab != "submit" or season.phase(now) != "closed" or now < season.freezes.timestamp()


def season_value(season: Season, tab: str, now: float, frozen: Mapping[str, FrozenBoard]) -> SeasonValue:
    """One season at a moment; what limits a team is said where it submits."""
    kept = frozen.get(season.name)
    copy = f"./season/{season.name}" if kept and is_public(season, now) else ""
    said = f"Board frozen {kept.at:%Y-%m-%d %H:%M:%S} UTC, SHA-256 {kept.sha256}." if kept else ""
    return {
        "title": season.title,
        "phase": season.phase(now),
        "sentence": _sentence(season, now),
        "lines": [*(_limits(season, now) if tab == "submit" else ()), *_lines(season, now)],
        "terms": f".{season.stated_terms.link}" if tab == "submit" and season.stated_terms else "",
        "frozen": said,
        "copy": f"{copy}.json" if copy else "",
        "archive": f"{copy}.zip" if copy else "",
    }


def is_public(season: Season, now: float) -> bool:
    """May everybody see names and scores?"""
    reveals = (season.names_from, season.scores_from)
    return all(moment is None or now >= moment.timestamp() for moment in reveals)


def _sentence(season: Season, now: float) -> str:
    closes = season.when(season.closes)
    match season.phase(now):
        case "before":
            return (
                f"Not open yet: files can be checked, not sent. It opens {season.when(season.opens)}, in "
                f"{span_words(int(season.opens.timestamp() - now))}, and closes {closes}."
            )
        case "open":
            return f"Open. The deadline is {closes}, in {span_words(int(season.ends_at - 1 - now))}."
    return f"Closed since {closes}. What is sent now is scored and marked as late, and never ranked with the season."


def _limits(season: Season, now: float) -> Iterator[str]:
    limits = [
        f"{count} {words}"
        for count, words in ((season.attempts_per_day, "within 24 hours"), (season.attempts_in_all, "in all"))
        if count
    ]
    if limits and season.phase(now) != "closed":
        yield f"Attempts of a team: {', '.join(limits)}."
    if season.one_primary_run:
        yield (
            "Of a team one run is ranked: the one it chose, else its latest. It chooses on My submissions, until the "
            "deadline."
        )


def _lines(season: Season, now: float) -> Iterator[str]:
    for what, moment in (
        ("Names", season.names_from),
        ("Scores", season.scores_from),
        ("Answers", season.answers_from),
    ):
        if moment is not None and now < moment.timestamp():
            yield f"{what} are public from {season.when(moment)}."
    if season.contact:
        yield f"Contact: {season.contact}"


def _announcements(season: Season, now: float) -> list[str]:
    told = [announcement for announcement in season.announcements if announcement.at.timestamp() <= now]
    return [f"{announcement.at:%Y-%m-%d}, {season.title}: {announcement.text}" for announcement in reversed(told)]
