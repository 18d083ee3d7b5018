"""All seasons of an installation: which one a file belongs to, and what that means for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from submissions.moments import span_words
from submissions.problems import NotTakenNow
from submissions.seasons.season import Season
from submissions.seasons.terms import Terms
from submissions.store.queue import Role, SeasonMark


class SeasonNotOpen(NotTakenNow):
    """Raised when a file comes before its season opens; the text says when that is."""


class UnknownSeason(Exception):
    """Raised when no season has that name; the text names those there are."""


class Seasons:
    """The seasons, by set in the order in which they open.

    A set without a season is open at all times, to everybody, as often as the quotas of accounts allow.

    Args:
        terms: Of the whole installation; None where it states none.
    """

    def __init__(self, seasons: Iterable[Season] = (), terms: Terms | None = None) -> None:
        self.terms = terms
        self._seasons = tuple(sorted(seasons, key=lambda season: (season.opens, season.name)))

    def __iter__(self) -> Iterator[Season]:
        return iter(self._seasons)

    def __bool__(self) -> bool:
        return bool(self._seasons)

    def named(self, name: str) -> Season:
        """The season of that name.

        Raises:
            UnknownSeason: when there is none.
        """
        named_season = next((season for season in self._seasons if season.name == name), None)
        if named_season is None:
            known = ", ".join(season.name for season in self._seasons) or "none"
            raise UnknownSeason(f"there is no season {name!r}; there are: {known}")
        return named_season

    def of_set(self, set_id: str) -> tuple[Season, ...]:
        """Those that a set is sent to, in the order in which they open."""
        return tuple(season for season in self._seasons if season.covers(set_id))

    def current(self, set_id: str, now: float) -> Season | None:
        """The one that opened last, be it closed or not; None before the first one opens."""
        return next((season for season in reversed(self.of_set(set_id)) if season.phase(now) != "before"), None)

    def coming(self, set_id: str, now: float) -> Season | None:
        """The one that opens next."""
        return next((season for season in self.of_set(set_id) if season.phase(now) == "before"), None)

    def taking(self, set_id: str, now: float) -> Season | None:
        """The season a file of the set is taken for at a moment, late or not; None where the set has none.

        Raises:
            SeasonNotOpen: before its first season opens.
        """
        season = self.current(set_id, now)
        coming = self.coming(set_id, now) if season is None else None
        if coming is not None:
            wait = span_words(-int(-(coming.opens.timestamp() - now) // 1))
            raise SeasonNotOpen(
                f"{coming.title} is not open yet: until then files can be checked, not sent. It opens at "
                f"{coming.when(coming.opens)}, in {wait}."
            )
        return season

    def terms_of(self, set_id: str, now: float) -> tuple[Terms, ...]:
        """What has to be accepted before a file of the set is taken: the installation's first, then the season's."""
        season = self.current(set_id, now)
        stated = (self.terms, season.stated_terms if season else None)
        return tuple(season for season in stated if season is not None)

    def all_terms(self) -> tuple[Terms, ...]:
        """Every text of an account's terms there is: the installation's first, then the seasons' as they open."""
        stated = (self.terms, *(season.stated_terms for season in self._seasons))
        return tuple(season for season in stated if season is not None)

    def mark(self, set_id: str, role: Role, received_at: float, now: float) -> SeasonMark | None:
        """What the season says of a submission that was received at a moment, as it is seen at another.

        None where there is nothing to say: no season had opened, or it is a row of ours.
        """
        current = self.current(set_id, now) if role == "entry" else None
        if current is None:
            return None
        own = self.current(set_id, received_at)
        if own is None:
            unranked = f"received before the season {current.title} opened"
            return SeasonMark("", "", unranked, False, current.one_primary_run, None, None, None)
        lateness = own.lateness(received_at)
        if lateness:
            unranked = f"late for the season {own.title} by {lateness}"
        else:
            unranked = "" if own is current else f"of the season {own.title}, which is over"
        return own.mark(unranked, is_late=bool(lateness), now=now)

    def moments_passed(self, now: float) -> int:
        """How many moments are past at which something changes of itself: it only grows."""
        return sum(moment <= now for season in self._seasons for moment in season.moments())


NO_SEASONS = Seasons()
"""Of an installation where everything is open at all times."""
